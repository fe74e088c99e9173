"""Runs the mechanism once, with numbers in place of noise."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.subject import Subject
from dpaudit.worker.quiet import Quiet


@dataclass(frozen=True, slots=True)
class Call:
    """A draw that is expected, and what it is answered with.

    Attributes
    ----------
    family : str
        Method of the generator.
    arguments : mapping
        By name, as the mechanism must give them.
    numbers : object
    """

    family: str
    arguments: Mapping[str, Any]
    numbers: Any


@dataclass(frozen=True, slots=True)
class Tape:
    """All draws of one run, in their order.

    Attributes
    ----------
    calls : tuple of Call
    methods : mapping of str to tuple of str
        The generator's methods, with the names of their parameters.
    """

    calls: tuple[Call, ...]
    methods: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a run with a tape came to.

    Attributes
    ----------
    output : object
    raised : str or None
        Name of the error, where the mechanism raised one.
    departed : bool
        Whether it asked for other noise than the tape holds, or left some of it.
    method : str or None
        The method of the generator that it asked for where the tape has no such draw at all.
    rescaled : bool
        Whether it asked for noise with another location or scale than the tape holds.
    """

    output: Any = None
    raised: str | None = None
    departed: bool = False
    method: str | None = None
    rescaled: bool = False


class Departed(Exception):  # noqa: N818
    """The run asked for other noise than the tape holds.

    Parameters
    ----------
    what : str
    method : str, optional
        The method of the generator, where the tape has no draw of it.
    """

    def __init__(self, what: str, method: str | None = None) -> None:
        super().__init__(what)
        self.method = method


_SCALED = ("laplace", "normal", "exponential", "gumbel")


class FrozenGenerator:
    """Answers every draw with numbers that were chosen before, and checks what is asked for.

    Noise that is asked for with another location or scale is answered at the same quantile:
    ``b * rng.laplace()`` and ``rng.laplace(scale=b)`` come to the same number.
    """

    def __init__(self, tape: Tape) -> None:
        self._left = iter(tape.calls)
        self._methods = tape.methods
        self._families = {_family(call.family) for call in tape.calls}
        self.rescaled = False

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # other libraries ask for its type
        return np.random.Generator

    def __getattr__(self, family: str) -> Any:
        if family.startswith("_") or family not in self._methods:
            raise AttributeError(family)

        def method(*arguments: Any, **keywords: Any) -> Any:
            given = dict(zip(self._methods[family], arguments, strict=False)) | keywords
            expected = next(self._left, None)
            if expected is None or _family(expected.family) != _family(family):
                other = None if _family(family) in self._families else family
                raise Departed(f"a draw of {family!r} that was not predicted", other)
            return self._answer(_family(family), given, expected)

        return method

    def _answer(self, family: str, given: Mapping[str, Any], expected: Call) -> Any:
        """Return the numbers of a draw with the arguments that are given."""
        asked, predicted = dict(given), dict(expected.arguments)
        numbers = copy.copy(expected.numbers)
        if _shape(asked.pop("size", None)) != _shape(predicted.pop("size", None)):
            raise Departed(f"another size of {family!r}")
        if family in _SCALED:
            loc, usual = (np.asarray(each.pop("loc", 0.0)) for each in (asked, predicted))
            scale, wide = (np.asarray(each.pop("scale", 1.0)) for each in (asked, predicted))
            if not (_alike(loc, usual) and _alike(scale, wide)):
                if not np.all(wide):
                    raise Departed(f"noise of {family!r} without a scale")
                self.rescaled = True
                numbers = loc + scale * (numbers - usual) / wide
        for name in set(asked) | set(predicted):
            if not _alike(asked.get(name), predicted.get(name)):
                raise Departed(f"another {name} of {family!r}")
        return numbers

    def finished(self) -> bool:
        """Whether all predicted draws were made."""
        return next(self._left, None) is None


def replayed(subject: Subject, data: Any, tape: Tape) -> Replayed:
    """Run a mechanism with a tape, on a copy of the data; nothing that it prints is shown."""
    frozen = FrozenGenerator(tape)
    arguments: tuple[Any, ...] = (copy.deepcopy(data),)
    arguments += (1,) if subject.vectorized else ()
    arguments += (frozen,) if subject.takes_rng else ()
    try:
        with Quiet():
            output = subject.steady(*arguments)
    except Departed as other:
        return Replayed(departed=True, method=other.method)
    except Exception as error:
        return Replayed(raised=type(error).__name__)
    return Replayed(output, departed=not frozen.finished(), rescaled=frozen.rescaled)


def _family(name: str) -> str:
    return name.removeprefix("standard_")


def _shape(size: Any) -> tuple[int, ...]:
    return () if size is None else tuple(np.atleast_1d(size).tolist())


def _alike(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    try:
        return bool(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, equal_nan=True))
    except TypeError:
        return bool(np.array_equal(a, b))
