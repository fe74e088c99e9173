"""What a noise call is: its law, its arguments, the value it gave, and the lines that led to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Protocol

import numpy as np

from dpaudit.outputs.emitting import package_of

_OURS = str(Path(__file__).resolve().parents[1])
_LIBRARIES = (str(Path(os.__file__).resolve().parent), str(Path(np.__file__).resolve().parents[1]))
_COMPILED = (".pyx", ".pxd", ".pxi")  # sources of extension modules, which name no folder
MOST_FRAMES = 60  # of a stack that are looked at
SPENT = "spent"  # the kind of a call that draws nothing, and tells an accountant of a cost


class UnseenNoiseError(RuntimeError):
    """Noise was drawn in a way that could not be intercepted."""


Lines = tuple[tuple[CodeType, int], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of source.

    Attributes
    ----------
    file : str
    line : int
    function : str
        The function that it stands in.
    """

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, eq=False)
class Hands:
    """Generators that a director draws from in place of the program's own.

    Attributes
    ----------
    generator : numpy.random.Generator
    state : numpy.random.RandomState
    python : random.Random
    """

    generator: Any
    state: Any
    python: Any


@dataclass(frozen=True, slots=True)
class Cost:
    """What it costs that two calls with different arguments give the same value.

    Attributes
    ----------
    pure : float
        Epsilon of pure DP (nats).
    squared : float
        μ² of Gaussian noise, or 2ρ of zCDP.
    shift : float
        Distance of the arguments.
    scales : (float, float) or None
        How wide the noise is on both sides, where that differs; nothing pays for it then.
    """

    pure: float
    squared: float
    shift: float
    scales: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A noise call, before it is answered.

    Attributes
    ----------
    kind : str
        The method, under the name that NumPy has for it: ``"laplace"``.
    source : str
        Where the noise comes from: ``"numpy.random.Generator"``.
    arguments : mapping of str to Any
        By name, defaults filled in: ``{"loc": 0.0, "scale": 2.0, "size": None}``.
    again : callable
        Makes the same call with other generators, and advances none of the program's.
    owner : int
        Tells generators apart within a process; 0 for functions of a module.
    price : callable, optional
        What another request costs that gives the same value, by the accounting of the library
        that draws it; None where the law says it. It may return None, for what it cannot price.
    """

    kind: str
    source: str
    arguments: Mapping[str, Any]
    again: Callable[[Hands], Any]
    owner: int = 0
    price: Price | None = None

    @property
    def seeds(self) -> bool:
        """Whether it seeds a generator, and draws nothing."""
        return self.kind == "seed"

    @property
    def draws(self) -> bool:
        """Whether it draws: it neither seeds a generator nor tells an accountant of a cost."""
        return self.kind not in ("seed", SPENT)


Price = Callable[[Request, Request], Cost | None]


class Director(Protocol):
    """Decides what noise calls return.

    Whoever records, replays, freezes or tilts noise is a director: it may call ``natural`` and
    return what it gives, return another value instead, or draw from another law and keep the
    logarithm of the likelihood ratio for itself.
    """

    def draw(self, request: Request, natural: Callable[[], Any]) -> Any:
        """Return the value of a noise call.

        Parameters
        ----------
        request : Request
        natural : callable
            Gives the value that the program would have drawn, and advances its generator.
        """
        ...

    def branch(self) -> Director:
        """Return the director of a thread that is started now."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A noise call and its answer.

    Attributes
    ----------
    request : Request
    value : Any
        As the mechanism received it, without tracing types.
    lines : tuple of (code, int)
        Lines of the user's code, innermost first.
    first : int
        Number of its first cell in the tape; -1 where its value is not traced.
    """

    request: Request
    value: Any
    lines: Lines
    first: int = -1

    @property
    def kind(self) -> str:
        """The law's name."""
        return self.request.kind

    @property
    def place(self) -> Place | None:
        """The innermost line of the user's code."""
        return self.stack[0] if self.lines else None

    @property
    def stack(self) -> tuple[Place, ...]:
        """The lines of the user's code, innermost first."""
        return tuple(Place(c.co_filename, line, c.co_qualname) for c, line in self.lines)


@lru_cache(maxsize=4096)
def is_users(code: CodeType) -> bool:
    """Whether code is the user's own: of no installed library, and none of dpaudit's."""
    file = code.co_filename
    if file.startswith("<") and not file.startswith(("<ipython", "<stdin")):
        # What `python -c` runs is; methods that NumPy or dataclasses have made up are not.
        return file == "<string>" and not code.co_name.startswith(("__", "<lambda>"))
    return is_users_file(file)


@lru_cache(maxsize=4096)
def is_users_file(file: str) -> bool:
    """Whether a file of source is the user's own."""
    path = str(Path(file).resolve())
    if not file or file.endswith(_COMPILED) or path.startswith(_OURS):
        return False
    package = package_of(path)
    if package and package in _own:
        return True
    return "site-packages" not in path and not path.startswith(_LIBRARIES)


_own: set[str] = set()  # installed packages that count as the user's


def count_as_users(file: str | None) -> None:
    """Let the installed package of a mechanism count as the user's code, and no other one.

    Parameters
    ----------
    file : str or None
        Where the mechanism is defined.
    """
    package = package_of(str(Path(file).resolve())) if file else ""
    if _own != {package}:
        _own.clear()
        _own.add(package)
        is_users.cache_clear()
        is_users_file.cache_clear()


def place_of(frame: FrameType) -> Place:
    """Return the line that a frame is at."""
    code = frame.f_code
    return Place(code.co_filename, frame.f_lineno, code.co_qualname)


def place_of_line(line: tuple[CodeType, int] | None) -> Place | None:
    """Return the place that code and a line of it are."""
    if line is None:
        return None
    code, number = line
    return Place(code.co_filename, number, code.co_qualname)


def users_line(depth: int = 1) -> tuple[CodeType, int] | None:
    """Return code and line of the innermost frame of the user's, cheaply."""
    frame: FrameType | None = sys._getframe(depth)
    for _ in range(MOST_FRAMES):
        if frame is None:
            return None
        if is_users(frame.f_code):
            return frame.f_code, frame.f_lineno
        frame = frame.f_back
    return None


def users_lines(depth: int = 1) -> Lines:
    """Return the lines of the user's code that led here, innermost first, cheaply."""
    frame: FrameType | None = sys._getframe(depth)
    lines = []
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        code = frame.f_code
        if is_users(code):
            lines.append((code, frame.f_lineno))
        elif lines and code.co_filename.startswith(_OURS):
            break  # the call of the subject
        frame = frame.f_back
    return tuple(lines)
