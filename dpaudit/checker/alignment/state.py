"""Where one path of one run is, and the stretches between the heads of loops that it is cut into.

A loop of unknown length is cut at its head: what a variable holds there is an unknown of the head,
so that the stretch from a head stands for every iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.terms import Term
from dpaudit.checker.alignment.values import (
    Listing,
    Ref,
    Value,
)
from dpaudit.checker.file import NotCheckedError

START = "start"
_NUMBERS = count(1)  # of lists: no two ever have one number, before and after a head


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of noise."""

    noise: Term
    family: str
    scale: Ratio
    place: str
    block: Term | None = None  # where it is noise on a block


@dataclass(frozen=True, slots=True)
class Read:
    """One entry of the data that was read, one block, or the sum of one."""

    answer: Term
    index: Term
    label: str
    kind: str = "entry"
    block: Term | None = None  # of a sum

    def named(self, data: str) -> str:
        """Return what a certificate calls it."""
        return f"sum of {data}[{self.label}]" if self.kind == "sum" else f"{data}[{self.label}]"


@dataclass(slots=True, eq=False)
class State:
    """One path, from the last cut on.

    Attributes
    ----------
    origin : str
        ``start``, or the loop whose head it comes from.
    loops : tuple of str
        The loops of unknown length around it.
    frames : list of dict
        The variables of the functions that are being called, the innermost last.
    heap : dict
        The lists.
    tests, truths : list
        Where each test stands and how it came out; the same as terms.
    draws, reads
        What was drawn, and read, since the cut.
    used : frozenset of str
        Vectors of noise that a loop went through.
    turns : tuple of str
        Calls, and turns of loops of known length, around it.
    """

    origin: str
    loops: tuple[str, ...]
    frames: list[dict[str, Value]]
    heap: dict[int, Listing] = field(default_factory=dict)
    tests: list[tuple[str, bool]] = field(default_factory=list)
    truths: list[Term] = field(default_factory=list)
    draws: list[Draw] = field(default_factory=list)
    reads: dict[str, Read] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    turns: tuple[str, ...] = ()

    @property
    def frame(self) -> dict[str, Value]:
        """The variables of the innermost function."""
        return self.frames[-1]

    def copy(self) -> State:
        """Return a path that goes on by itself."""
        return replace(
            self,
            frames=[dict(frame) for frame in self.frames],
            heap=dict(self.heap),
            tests=list(self.tests),
            truths=list(self.truths),
            draws=list(self.draws),
            reads=dict(self.reads),
        )

    def listed(self, listing: Listing) -> Ref:
        """Return a new list."""
        ref = Ref(next(_NUMBERS))
        self.heap[ref.at] = listing
        return ref

    def contents(self, ref: Ref) -> Listing:
        """Return what is in a list."""
        if ref.at not in self.heap:
            raise NotCheckedError("not checked: a list that is kept while a loop begins")
        return self.heap[ref.at]

    def variables(self) -> dict[str, Value]:
        """Return all variables; those of callers are marked by ``^``."""
        return {
            f"{'^' * depth}{name}": value
            for depth, frame in enumerate(reversed(self.frames))
            for name, value in frame.items()
        }


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """One way from one cut to the next, in one run.

    Attributes
    ----------
    start : str
    tests : tuple of (str, bool)
    truths : tuple of Term
    draws : tuple of Draw
    reads : tuple of Read
    to : str or None
        The loop that it reaches; None where the mechanism ends.
    after : dict
        What the variables of that loop's head become, lists written out.
    output : Any
        Lists written out; of an error ``("raise", name)``.
    """

    start: str
    tests: tuple[tuple[str, bool], ...]
    truths: tuple[Term, ...]
    draws: tuple[Draw, ...]
    reads: tuple[Read, ...]
    to: str | None
    after: dict[str, Value]
    output: Value = None
