"""Runs the program of a mechanism on a dataset: numbers are exact, and draws fork the path."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.checker.exact.affine import Affine
from dpaudit.checker.exact.cells import MAKING, cells
from dpaudit.checker.exact.code import compiled
from dpaudit.checker.exact.generator import Generator, drawing
from dpaudit.checker.exact.library import named
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.paths import FEW, TURNS, Path
from dpaudit.checker.exact.plain import STEPS, Plain, value
from dpaudit.checker.exact.replay import Replay
from dpaudit.checker.exact.shims import exact
from dpaudit.checker.exact.turns import alone
from dpaudit.checker.file import FAULTS, NotCheckedError, RejectedError, Work
from dpaudit.checker.program import Node, functions_of
from dpaudit.checker.rounding import double_of

_CHANGING = (list, dict, set, np.ndarray)


class Mechanism:
    """A program that is run on datasets.

    Parameters
    ----------
    program : dict
        As certificates hold it.
    work : Work
    values : mapping of str to Number, optional
        What stands for parameters that the proof is about all values of.
    read : bool, optional
        Given where more is computed from the entries of the parts of an output, so that all about
        their types tells: whether it may change them.
    """

    raises = False

    def __init__(
        self,
        program: Node,
        work: Work,
        values: Mapping[str, Number] | None = None,
        *,
        read: bool | None = None,
    ) -> None:
        self._program, self._work = program, work
        self.path: Path | None = None
        self._steps = 0
        self._constants: dict[int, Any] = {}
        self._written: list[tuple[Any, str]] = []
        given = {**(values or {})}
        if sorted(program["symbolic"]) != sorted(given):
            raise NotCheckedError("not checked: a proof for all values of other parameters")
        self._computed: dict[Any, Any] = {}  # by floats
        self._ran: dict[str, None] = {}
        self._every = functions_of(program["entry"])
        self._function = compiled(program["entry"], self, self._every)
        self.manner = FEW
        self.replay = Replay(program, self._every, given, read)
        self._given = {name: self.constant(node) for name, node in program["fixed"].items()} | given

    def runner(self, data: Any) -> Runner:
        """Return what runs the program on a dataset and a path."""
        return Runner(self, data)

    def run(self, data: Any, path: Path) -> Any:
        """Return the output on a dataset, in exact numbers, on a path."""
        self.path, self._steps = path, 0
        given = copy.deepcopy(data)
        own = {self._program["data"]: cells(given) if path.manner == TURNS else given}
        if self._program["rng"] is not None:
            own[self._program["rng"]] = Generator(path)
        return self._function(**own, **self._given)

    @property
    def ran(self) -> list[str]:
        """Functions of which the values were computed on floats."""
        return list(self._ran)

    def validate_unchanged(self) -> None:
        """Refuse code that keeps something from one run to the next."""
        if any(_content(value) != before for value, before in self._written):
            raise NotCheckedError("not checked: the code keeps something from call to call")

    # --- what the code of the program asks for

    def constant(self, node: Node) -> Any:
        """Return the value of a constant."""
        if id(node) not in self._constants:
            found = exact(value(node["value"], named))
            if _is_nan(found) and any(map(_is_nan, self._constants.values())):
                raise NotCheckedError("not checked: NaN in several places, which may be one object")
            self._constants[id(node)] = found
            if isinstance(found, _CHANGING):
                self._written.append((found, _content(found)))
        return self._constants[id(node)]

    def function(self, name: str) -> Callable[..., Any]:
        """Return what a canonical name stands for."""
        function = drawing(named(name), name, self)
        if name not in MAKING:
            return function

        def making(*args: Any, **words: Any) -> Any:
            if self.path is None:
                return function(*args, **words)
            if name == "numpy.full" and isinstance(args[-1], Number) and not words:
                filled = cells(function(*args[:-1], 0.0))
                filled[...] = args[-1]
                return filled
            return cells(function(*args, **words))

        return making

    def generator(self, origin: str, seed: Any, library: str | None) -> Generator:
        """Return the generator of this path: draws of all of them are independent."""
        if origin not in ("argument", "fresh", "global") or seed is not None:
            raise NotCheckedError("not checked: a generator with a seed")
        assert self.path is not None
        return Generator(self.path, library)

    def draw(self, generator: Any, family: str, **arguments: Any) -> Any:
        """Return one draw."""
        if not isinstance(generator, Generator):
            raise NotCheckedError("not checked: noise of an unknown generator")
        assert self.path is not None
        if generator.path.whole is not self.path:
            raise NotCheckedError("not checked: a generator that was not seen")
        drawn = getattr(generator, family)(**arguments)
        self.path.arguments.append(arguments)
        return drawn

    def called(self, function: Callable[..., Any], node: Node) -> Callable[..., Any]:
        """Return a function that is run on floats where it only computes, and not exactly."""

        def attempted(*args: Any, **words: Any) -> Any:
            assert self.path is not None
            given = (*args, *words.values())
            if not all(map(_is_plain, given)):
                return function(*args, **words)
            at = (id(node), tuple(map(_typed, given)), tuple(words))
            if at in self._computed:
                return copy.deepcopy(self._computed[at])
            before = len(self.path.open)
            try:
                return function(*args, **words)
            except (NotCheckedError, Exception):
                if len(self.path.open) > before:
                    raise
                floats = {name: _plain(word) for name, word in words.items()}
                try:
                    found = exact(Plain().run(node, self._every, *map(_plain, args), **floats))
                except (RejectedError, *FAULTS):
                    found = None
                if found is None:
                    raise
                self._computed[at] = found
                self._ran[str(node["name"])] = None
                return copy.deepcopy(found)

        return attempted

    def turn(self, run: Callable[[], Any]) -> Any:
        """Run a turn of a loop; by itself, where a run has too many ways."""
        assert self.path is not None
        if self.path.manner == TURNS:
            return alone(run, self, [held for held, _ in self._written])
        before = len(self.path.open)
        found = run()
        self.path.looped |= len(self.path.open) > before
        return found

    def step(self) -> None:
        """Count a turn of a loop, or a call."""
        self._steps += 1
        if self._steps % 64 == 0:
            self._work.left()
        if self._steps > STEPS:
            raise NotCheckedError(f"not checked: a run of more than {STEPS:,} turns of loops")


@dataclass(slots=True)
class Runner:
    """A program on one dataset."""

    mechanism: Mechanism
    data: Any

    @property
    def manner(self) -> str:
        """How draws are tossed, as those of other datasets were."""
        return self.mechanism.manner

    @manner.setter
    def manner(self, value: str) -> None:
        self.mechanism.manner = value

    def __call__(self, path: Path) -> Any:
        """Return the output on a way, in exact numbers."""
        if isinstance(self.data, Affine):
            self.data.span.begin(path)
        return self.mechanism.run(exact(self.data), path)

    def same(self, path: Path, output: Callable[[], Any]) -> None:
        """Refuse a way on which the program does something else on floats.

        What rounding decides, it may decide otherwise for those records that are tried.
        """
        if isinstance(self.data, Affine) and self.data.span.decided:
            return
        self.mechanism.replay.same(self.data, path, output)


def _is_plain(value: Any) -> bool:
    """Return whether a number or a text is just what the program holds."""
    if isinstance(value, Number):
        return double_of(value) is not None
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | str | np.integer)


def _typed(value: Any) -> Any:
    """Return what is equal for values that are equal and of one type."""
    if isinstance(value, tuple):
        return tuple(map(_typed, value))
    fraction = value.fraction if isinstance(value, Number) else None
    return type(value), value if fraction is None else fraction.as_integer_ratio()


def _plain(value: Any) -> Any:
    """Return an exact number as the float that it stands for."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return (
        float(value.fraction) if isinstance(value, Number) and value.fraction is not None else value
    )


def _is_nan(value: Any) -> bool:
    """Return whether a value is NaN or a container of it, where Python finds the same object only.

    A constant that stands twice in a program is one object there, and two here.
    """
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_is_nan, value))
    if isinstance(value, dict):
        return any(map(_is_nan, (*value, *value.values())))
    return isinstance(value, float) and value != value


def _content(value: Any) -> str:
    """Return all of a value as text."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {_content(value.ravel().tolist())}"
    if isinstance(value, Number):
        return f"number {value.fraction} {value.residue}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__} {[_content(item) for item in value]}"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__} {sorted(map(_content, value))}"
    if isinstance(value, dict):
        return f"dict {[(_content(key), _content(item)) for key, item in value.items()]}"
    return repr(value)
