"""Runs a lifted program on one dataset, with noise kept as symbols, along every choice of it.

What the statements of a program do is Python's own (`dpaudit.checker.exact.code`); here is said
what its constants, names and draws mean, and which way a run went.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from dpaudit.checker.exact.code import FILE, RaisedError, compiled
from dpaudit.checker.file import NOT_CHECKED, RejectedError
from dpaudit.checker.writing import IN_PLACE
from dpaudit.formal.balls import Ball
from dpaudit.formal.clock import charge, now
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lifting.known import is_inert, used
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.affine import Affine, NotAffine, deciding
from dpaudit.formal.trial.asking import note_asking, told
from dpaudit.formal.trial.calls import call, is_own, noisy
from dpaudit.formal.trial.diagnostics import Noticed, noticed
from dpaudit.formal.trial.draws import Drawn, draw
from dpaudit.formal.trial.path_choices import Oracle, following
from dpaudit.formal.unsupported import Unsupported

MOST_PATHS = 1100
MOST_STEPS = 40_000  # calls, draws and turns of loops, of one run


class Argument:
    """Stands for the generator that is passed in."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What the program does along one path of choices.

    Attributes
    ----------
    oracle : Oracle
        The choices, with their probabilities.
    output : Any
        What is returned; noise in it is `Affine`. An exception's name where it raises.
    raised : bool
    place : Place
        Where it returns or raises.
    draws : tuple of Drawn
    path : tuple of (Place, bool)
        Outcomes of the tests that were made, in order.
    noticed : tuple of Noticed
        What else may explain a violation.
    """

    oracle: Oracle
    output: Any
    raised: bool
    place: Place
    draws: tuple[Drawn, ...]
    path: tuple[tuple[Place, bool], ...]
    noticed: tuple[Noticed, ...] = ()

    def mass(self) -> Ball:
        """Return the probability of the path."""
        return self.oracle.mass()


class TooManyPaths(Unsupported):
    """The noise may take more branches than are followed."""


class Trial:
    """A program without symbolic parameters, to be run on datasets.

    Parameters
    ----------
    program : Program

    Raises
    ------
    Unsupported
        Where the program is not run.

    Notes
    -----
    An array of floats holds no symbols. Where noise is written into one, the run is made again, and
    what the array comes from is an array of objects from the beginning, for all that refer to it.
    """

    raises = False
    turn = None

    def __init__(self, program: Program) -> None:
        self.program = program
        entry = program.entry
        if program.symbolic:
            raise Unsupported(f"no value for `{program.symbolic[0]}`", entry.place)
        self.lines: list[str] = []
        self._widened: set[Place] = set()  # where arrays come from that noise is written into
        self._fixed = {name: used(node.value) for name, node in program.fixed.items()}
        written = to_dict(program, live=True)
        note_asking(written)
        try:
            self._function = compiled(written["entry"], self, watch=self)
        except RejectedError as error:
            raise Unsupported(_said(error), entry.place) from None

    def outcomes(
        self, data: Any, *, deadline: float, oracle: Callable[[list[int]], Oracle] = Oracle
    ) -> list[Outcome]:
        """Return all that the program may do on a dataset.

        Parameters
        ----------
        data : Any
        deadline : float
            In terms of `dpaudit.formal.clock.now`.
        oracle : callable
            Makes what answers comparisons of noise, of a path of choices.

        Raises
        ------
        TooManyPaths
        Unsupported
            Where noise goes through something that is not linear.
        """
        found: list[Outcome] = []
        path: list[int] | None = []
        while path is not None:
            if len(found) >= MOST_PATHS or now() > deadline:
                place = self.program.entry.place
                raise TooManyPaths("more random paths than are followed", place)
            outcome = None
            while outcome is None:
                outcome = self._along(data, oracle(path))
            found.append(outcome)
            path = following(outcome.oracle)
        return found

    def _along(self, data: Any, oracle: Oracle) -> Outcome | None:
        """Return the outcome along one path; None where the run is to be made again."""
        self._oracle, self._steps = oracle, 0
        self._draws: list[Drawn] = []
        self._tests: list[tuple[Place, bool]] = []
        self._noted: list[Noticed] = []
        self._made: dict[int, tuple[Any, Place]] = {}  # arrays of floats, and where they were made
        self._holder: Any = None
        entry = self.program.entry
        self._returned = entry.place
        own = self._as_written(copy.deepcopy(data))
        if _is_floats(own):
            self._made[id(_root(own))] = _root(own), entry.place
        given = {**self._fixed, self.program.data: own}
        if self.program.rng is not None:
            given[self.program.rng] = Argument()
        token = deciding.set(oracle)
        raised = True
        try:
            with warnings.catch_warnings(record=True):  # shows none, and keeps those that raise
                value, raised = self._function(**given), False
            place = self._returned
        except RaisedError as error:
            value, place = error.text, self._innermost(error.__traceback__)
        except NotAffine as error:
            if self._widen(self._holder):
                return None
            raise Unsupported(str(error), self._innermost(error.__traceback__)) from None
        except Unsupported as error:
            place = error.place or self._innermost(error.__traceback__)
            raise Unsupported(error.what, place) from None
        except (RejectedError, RecursionError, MemoryError) as error:
            raise Unsupported(_said(error), self._innermost(error.__traceback__)) from None
        except Exception as error:
            value, place = type(error).__name__, self._innermost(error.__traceback__)
            if self._widened and isinstance(error, TypeError | AttributeError):
                raise Unsupported(f"{value} of an array of objects", place) from None
        finally:
            deciding.reset(token)
        draws, tests, noted = tuple(self._draws), tuple(self._tests), tuple(self._noted)
        return Outcome(oracle, value, raised, place, draws, tests, noted)

    # --- where a run is

    def _place(self, line: int) -> Place:
        return told(self.lines[line - 1])[0]

    def _here(self) -> Place:
        """Return the place of the call in the program that is being made."""
        return next(self._calls())[0]

    def _calls(self) -> Iterator[tuple[Place, Place]]:
        """Yield the places of the calls that are being made, and what asks for each."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == FILE:
                yield told(self.lines[frame.f_lineno - 1])
            frame = frame.f_back

    def _innermost(self, traceback: TracebackType | None) -> Place:
        """Return the place where an exception left the program."""
        found = self.program.entry.place
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == FILE:
                found = self._place(traceback.tb_lineno)
            traceback = traceback.tb_next
        return found

    # --- arrays that noise is written into

    def _origin(self, array: Any) -> Place:
        """Return where an array comes from; what no call has made comes from the data."""
        root = _root(array)
        return self._made.get(id(root), (root, self.program.entry.place))[1]

    def _widen(self, holder: Any) -> bool:
        """Have an array hold objects from the next run on; return whether that is new."""
        if not _is_floats(holder) or self._origin(holder) in self._widened:
            return False
        self._widened.add(self._origin(holder))
        return True

    def _as_written(self, array: Any) -> Any:
        """Return an array as one of objects, where noise is written into it later."""
        wide = _is_floats(array) and self._origin(array) in self._widened
        return array.astype(object) if wide else array

    # --- what the code of the program asks for

    def constant(self, node: dict[str, Any]) -> Any:
        """Return the very value that the code has, where no operation on it runs unread code."""
        return used(node["value"])

    def function(self, name: str) -> Callable[..., Any]:
        """Return what calls a function by its canonical name, on symbols too."""
        in_place = name in IN_PLACE

        def apply(*arguments: Any, **keywords: Any) -> Any:
            charge(40)
            self._count()
            own = name == "operator.call" and is_own(arguments[0])
            if not own and any(isinstance(v, Argument) for v in (*arguments, *keywords.values())):
                raise Unsupported(f"the generator in a call of {name}")
            called = name
            if in_place and _is_floats(arguments[0]) and noisy(arguments[1:]):
                self._holder = arguments[0]
                if self._origin(arguments[0]) not in self._widened:
                    raise NotAffine("noise written into an array of floats")
                called = name.replace("operator.i", "operator.", 1)
            found = call(called, list(arguments), keywords, self._oracle)
            if _is_floats(found):
                root = _root(found)
                self._made.setdefault(id(root), (root, self._here()))
                found = self._as_written(found)
            seen = noticed(name, list(arguments), keywords, found, self._here)
            if seen is not None and seen not in self._noted:
                self._noted.append(seen)
            return found

        return apply

    def called(self, function: Callable[..., Any], node: dict[str, Any]) -> Callable[..., Any]:
        """Return the function itself."""
        return function

    def outside(self, function: Any) -> Callable[..., Any]:
        """Return a function that can only be run, on values that are known."""

        def apply(*arguments: Any, **keywords: Any) -> Any:
            given = (*arguments, *keywords.values())
            if noisy(given) or any(isinstance(value, Argument) for value in given):
                raise Unsupported("a function that was not read gets noise")
            if not all(map(is_inert, (function, *given))):
                raise Unsupported("a call of code that is not read")
            return function(*arguments, **keywords)

        return apply

    def generator(self, origin: str, seed: Any, library: str | None) -> Any:
        """Return what stands for private noise, or a generator whose draws are known."""
        if origin != "seeded":
            return Argument()
        if type(seed) is not int:
            raise Unsupported("a seed that is not a known integer")
        return np.random.default_rng(seed)

    def draw(self, generator: Any, family: str, **arguments: Any) -> Any:
        """Return symbols, or a number that is known."""
        if isinstance(generator, Argument):
            place, asked = zip(*self._calls(), strict=True)
            drawn = replace(draw(family, arguments, place[0], self._oracle), asked=asked)
            self._draws.append(drawn)
            return drawn.result
        if not isinstance(generator, np.random.Generator) or noisy(arguments):
            raise Unsupported("a draw from this generator")
        return getattr(generator, family)(**arguments)

    def step(self) -> None:
        """Count a turn of a loop, or a call."""
        charge(10)
        self._count()

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Unsupported("a run that takes too many steps")

    # --- what it tells

    def test(self, value: Any) -> bool:
        """Note how a test comes out."""
        if isinstance(value, Affine | np.ndarray) and noisy(value):
            raise Unsupported("a truth value of noise")
        answer = bool(value)
        self._tests.append((self._here(), answer))
        return answer

    def returned(self, value: Any) -> Any:
        """Note where the last function returned."""
        self._returned = self._here()
        return value

    def stored(self, holder: Any) -> Any:
        """Note what is written into."""
        self._holder = holder
        return holder

    def error(self, node: dict[str, Any]) -> str:
        """Return the name of an exception, whatever its text says."""
        value = node["value"] or {}
        named = value.get("kind") == "Call" and isinstance(value["function"], str)
        return value["function"].rpartition(".")[2] if named else "an exception"


def _is_floats(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _root(array: Any) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _said(error: BaseException) -> str:
    return str(error).removeprefix(NOT_CHECKED) or type(error).__name__
