"""Records that changed: their values are found out only where the program asks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost.ends import (
    ZERO,
    End,
    end,
    is_finite,
    is_within,
    less,
    margin_of,
    most,
    same,
)
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import ENDS, Unknown


class Var:
    """A number of a record that changed, of which each test tells more.

    Parameters
    ----------
    kind : {"float", "int"}
    low, high : End
        It lies between where it is an ordinary number.
    special : tuple of float
        What else it may be: NaN, an infinity.
    kept : frozenset of str
        Which of its ends its float keeps to: both of a record as it is stored.
    """

    def __init__(
        self,
        kind: str,
        low: End,
        high: End,
        special: tuple[Any, ...] = (),
        *,
        kept: frozenset[str] = ENDS,
    ) -> None:
        self.kind: Any = kind
        self.low, self.high = low, high
        self.low_open = self.high_open = False
        self.compared: list[End] = []  # with what
        self.made: Any = None  # as of an `Unknown`
        self.derived: dict[str, Any] = {}  # whole numbers that were made of it
        self.kept = kept
        self._size = most(abs(at) for at in (low, high, ZERO) if is_finite(at))
        self._told: set[str] = set()  # which of its ends a test told: floats keep to these
        self._special = special
        self._is: Any = None

    def found(self, run: Run) -> Any:
        """Return the variable, or the special value that it is on this path."""
        if self._special:
            at = run.fork(1 + len(self._special))
            self._is = None if at == 0 else self._special[at - 1]
            self._special = ()
        return self if self._is is None else self._is

    def snapshot(self) -> Unknown:
        """Return what is known of it now."""
        return Unknown(self.kind, self.low, self.high, made=self.made, kept=self.kept)

    def order(self, at: End) -> set[str]:
        """Return how it may compare with a number: less, equal, greater."""
        found = set()
        if less(self.low, at):
            found.add("<")
        if less(at, self.high):
            found.add(">")
        over = less(at, self.low) or (same(at, self.low) and self.low_open)
        under = less(self.high, at) or (same(at, self.high) and self.high_open)
        if not over and not under and not (self.kind == "int" and at != math.floor(at)):
            found.add("=")
        return found

    def may_cross(self, at: End, *, exact: bool) -> bool:
        """Whether floats may tell another order than the ends do.

        Parameters
        ----------
        at : End
            What it is compared with.
        exact : bool
            Whether its float is that real number.
        """
        if self.kind == "int" or not is_finite(at):
            return False
        sure = self._told | self.kept if exact else self._told
        margin = margin_of(at, ZERO if self.kept == ENDS else self._size)
        gaps = {"low": (self.low, at), "high": (at, self.high)}
        return any(
            side not in sure and all(map(is_finite, pair)) and is_within(*pair, margin)
            for side, pair in gaps.items()
        )

    def learn(self, order: frozenset[str], at: End) -> None:
        """Note that it compares with a number in one of these ways."""
        whole = self.kind == "int"
        if ">" not in order and (less(at, self.high) or same(at, self.high)):
            self.high, self.high_open = at, "=" not in order
            self._told.add("high")
            if whole:
                below = math.floor(at)
                strict = self.high_open and below == at
                self.high, self.high_open = end(below - strict), False
        if "<" not in order and (less(self.low, at) or same(at, self.low)):
            self.low, self.low_open = at, "=" not in order
            self._told.add("low")
            if whole:
                above = math.ceil(at)
                strict = self.low_open and above == at
                self.low, self.low_open = end(above + strict), False


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """How a whole number is made of another one of the record: ``factor * of + offset``."""

    of: Var
    factor: int
    offset: int


def stepped(name: str, a: Any, b: Any) -> Steps | None:
    """Return how a sum or a product of a record's whole number and a known one is made."""
    if type(a) is int and name in ("add", "mul"):
        a, b = b, a
    made = a.made if isinstance(a, Unknown) else None
    steps = Steps(a, 1, 0) if isinstance(a, Var) and a.kind == "int" else made
    if not isinstance(steps, Steps) or type(b) is not int:
        return None
    if name == "mul":
        return Steps(steps.of, steps.factor * b, steps.offset * b)
    if name in ("add", "sub"):
        return Steps(steps.of, steps.factor, steps.offset + (b if name == "add" else -b))
    return None


class Pick:
    """A value of a record that changed, one of few."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = values

    def found(self, run: Run) -> Any:
        """Return what it is on this path."""
        if len(self._values) > 1:
            self._values = (self._values[run.fork(len(self._values))],)
        return self._values[0]
