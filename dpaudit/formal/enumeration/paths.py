"""All paths of a program: run again and again, each time with the next choice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, TypeVar

from dpaudit.formal.clock import charge, now
from dpaudit.formal.enumeration.noise import Atom, Line, Lottery, NotFiniteError
from dpaudit.formal.enumeration.numbers import sign

_T = TypeVar("_T")
_CURRENT: ContextVar[Path] = ContextVar("path")
_PATHS = 20_000
_DEADLINE: ContextVar[float] = ContextVar("deadline", default=math.inf)


class ConstantError(Exception):
    """The value of a constant is asked for that published draws decide."""

    def __init__(self, name: str, count: int) -> None:
        super().__init__(f"the constant {name}")
        self.name, self.count = name, count


class OutOfTimeError(Exception):
    """The deadline has passed."""


def check_time() -> None:
    """Raise where the deadline that `until` set has passed."""
    charge(50)
    if now() > _DEADLINE.get():
        raise OutOfTimeError


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Set the deadline, of `dpaudit.formal.clock.now`, for what is computed inside."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


class Path:
    """One path: the choices that lead to it, and what is known of each atom on it.

    Attributes
    ----------
    weight : number
        Probability of the path.
    published : dict of Atom to int
        Draws that are looked at as if they were known to all, numbered in their order.
    """

    def __init__(self, prefix: tuple[int, ...], constants: Mapping[str, int] | None = None) -> None:
        self._prefix = prefix
        self._constants = {} if constants is None else constants
        self.published: dict[Atom, int] = {}
        self._known: dict[Atom, tuple[Any, Any]] = {}
        self._spent: set[Atom] = set()
        self.choices: list[tuple[int, list[int]]] = []
        self.weight: Any = Fraction(1)

    def choose(self, masses: list[Any]) -> int:
        """Return the index of a choice with these probabilities, none of which is zero."""
        check_time()
        at = len(self.choices)
        chosen = self._prefix[at] if at < len(self._prefix) else 0
        self.choices.append((chosen, list(range(chosen + 1, len(masses)))))
        self.weight = self.weight * masses[chosen]
        return chosen

    def spend(self, atoms: Iterable[Atom]) -> None:
        """Replace atoms, of which nothing is known yet, by what was derived from them."""
        for atom in atoms:
            if atom in self._known or atom in self._spent or atom in self.published:
                raise NotFiniteError("noise that is used twice")
            self._spent.add(atom)

    def publish(self, atom: Atom) -> int:
        """Return the number of a draw that is looked at as if it were published."""
        if atom in self._known or atom in self._spent:
            raise NotFiniteError("a draw that is computed with and compared")
        return self.published.setdefault(atom, len(self.published))

    def constant(self, name: str, count: int) -> int:
        """Return a constant among 0, ..., count - 1 that published draws decide.

        Raises
        ------
        ConstantError
            Where its value is not chosen yet.
        """
        if name not in self._constants:
            raise ConstantError(name, count)
        return self._constants[name]

    def range_of(self, atom: Atom) -> tuple[Any, Any]:
        """Return the range that an atom is known to lie in."""
        if atom in self._spent:
            raise NotFiniteError("noise that is used twice")
        if atom in self.published:
            raise NotFiniteError("a draw that is computed with and compared")
        return self._known.get(atom) or atom.whole()

    def cells(self, atom: Atom, cuts: tuple[Any, ...]) -> list[tuple[int, Any, Any, Any]]:
        """Return the cells that are left of an atom: number, ends, probability on this path."""
        low, high = self.range_of(atom)
        ends = [atom.whole()[0], *cuts, atom.whole()[1]]
        total = atom.measure(low, high)
        found = []
        for number in range(len(ends) - 1):
            start = low if ends[number] <= low else ends[number]
            stop = high if ends[number + 1] >= high else ends[number + 1]
            if start < stop:
                mass = atom.measure(start, stop) / total
                if sign(mass) > 0:
                    found.append((number, start, stop, mass))
        return found

    def settled(self, value: Any) -> Any:
        """Return the value of what is random, where this path has decided it."""
        if isinstance(value, Line) and value.atom in self._known and not value.atom.continuous:
            low, high = self._known[value.atom]
            return value.scale * low + value.shift if high - low == 1 else value
        if isinstance(value, Lottery) and any(atom in self._known for atom in value.cuts):
            left = {atom: self.cells(atom, cuts) for atom, cuts in value.cuts.items()}
            first, *others = _possible(value, left)
            if all(v is first or (type(v) is type(first) and v == first) for v in others):
                return first
        return value

    def decide(self, lottery: Lottery) -> Any:
        """Return the value of a lottery, settling atoms one by one until it is clear."""
        left = {atom: self.cells(atom, cuts) for atom, cuts in lottery.cuts.items()}
        while True:
            values = _possible(lottery, left)
            first = values[0]
            if all(v is first or (type(v) is type(first) and v == first) for v in values[1:]):
                return first
            atom = next(a for a, cells in left.items() if len(cells) > 1)
            chosen = left[atom][self.choose([mass for *_, mass in left[atom]])]
            self._known[atom] = (chosen[1], chosen[2])
            left[atom] = [(*chosen[:3], Fraction(1))]


def _possible(lottery: Lottery, left: dict[Atom, list[Any]]) -> list[Any]:
    numbers = [{cell[0] for cell in cells} for cells in left.values()]
    return [
        value
        for key, value in lottery.table.items()
        if all(k in allowed for k, allowed in zip(key, numbers, strict=True))
    ]


def current() -> Path:
    """Return the path that is being run."""
    return _CURRENT.get()


def every_path(
    run: Callable[[], _T], constants: Mapping[str, int] | None = None
) -> Iterator[tuple[Path, _T]]:
    """Yield every path of a function, with what it returned.

    Parameters
    ----------
    run : callable
    constants : mapping of str to int, optional
        Values of constants that published draws decide.

    Raises
    ------
    NotFiniteError
        Where there are too many.
    OutOfTimeError
        Where the deadline passes.
    """
    waiting: list[tuple[int, ...]] = [()]
    count = 0
    while waiting:
        prefix = waiting.pop()
        count += 1
        if count > _PATHS:
            raise NotFiniteError(f"more than {_PATHS} paths")
        path = Path(prefix, constants)
        token = _CURRENT.set(path)
        try:
            result = run()
        finally:
            _CURRENT.reset(token)
        chosen = tuple(choice for choice, _ in path.choices)
        for at in range(len(prefix), len(chosen)):
            waiting += [(*chosen[:at], other) for other in path.choices[at][1]]
        yield path, result
