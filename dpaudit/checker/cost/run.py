"""One path: which of several outcomes was taken wherever both runs may go several ways."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.checker.cost.ledger import Ledger
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import FAULTS, Document, NotCheckedError, Work

MOST_PATHS = 20_000
MOST_FORKS = 400
MOST_STEPS = 20_000


@dataclass(slots=True, eq=False)
class Run:
    """The state of one path.

    Attributes
    ----------
    work : Work
    script : list of int
        Outcomes to take, one for each fork.
    taken : list of (int, int)
        Outcomes that were taken, and of how many.
    public : bool
        Whether an outcome was that of a test on what both runs share.
    ledger : Ledger
    lane : {None, "any", "changed"}
        While values of one record are computed: of any record, or of one that changed.
    place : str
        Where the program is.
    nonempty : tuple of View
        Choices of records of which there is one, by the tests that were passed.
    facts : dict of Unknown to list
        What tests have told of released numbers: the comparison, with what, and how it came out.
    places : dict of View to int
        Where the replaced record is among records of which the number is public, None for nowhere.
    powers : dict of Unknown to bool
        Private numbers of which the exponential was taken, which may be too large for a float, and
        whether a draw chose among such weights.
    by_place : dict
        Columns, by their id, and the arrays of their entries by public places; `viewed` are those
        of which the program may have such an array.
    others : dict
        Numbers of records that are in both runs, at a known place, by their id.
    doubtful : bool
        Whether what both runs share may by now hold what was divided by zero.
    tested : list of (Unknown, bool)
        What was tested before, and is again as it was.
    record : int or None
        While a loop over records is followed: the lane of its record; `since` when that began.
    ways : list of (int, int), or None
        While any record is followed: what was asked about it, of how many outcomes; `asked` so far.
    anyone : dict
        Numbers of any record, of which tests have told more.
    norms : list
        Lengths of vectors of the record that is followed.
    short : dict
        Numbers of changed records that are parts of vectors of bounded length.
    changing : list
        What the loop over records changes: its frame with the variables, and containers.
    sample : Sample or None
        What the loop goes through where it is over the records of a sample.
    held : list of ndarray
        Memory of arrays that an object may share of which nothing but its values is known.
    lent : list of list or dict
        Of which one was taken, nobody knows which: a change of one would be of what was taken.
    apart : dict
        Numbers that may be of NumPy's type in one run and of Python's in the other, by their id.
    typed : dict
        Private numbers of which the type is known, "python" or "numpy", by their id.
    untyped : bool
        Whether such a number went into an array, the type of whose entries is then not known.
    mixed : bool
        Whether records tell the type of the entries of some array, or it may be the other one.
    added : dict
        Sums of numbers that were added to others beside noise, by their ids.
    data : Rows or Table, or anything else
        What the program is given.
    spread : dict
        Released numbers with noise that has no atoms, by their id.
    decided : dict
        What this path takes numbers and texts for that both runs share.
    drawn : bool
        Whether anything was drawn on this path.
    fallen : dict
        By the call that drew it: whether a coin fell below its chance, and the chance.
    """

    work: Work
    script: list[int] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)
    public: bool = False
    ledger: Ledger = field(default_factory=Ledger)
    lane: str | None = None
    place: str = ""
    steps: int = 0
    nonempty: tuple[Any, ...] = ()
    facts: dict[Any, list[tuple[str, Any, bool]]] = field(default_factory=dict)
    places: dict[Any, int | None] = field(default_factory=dict)
    powers: dict[Any, bool] = field(default_factory=dict)
    by_place: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    others: dict[int, Any] = field(default_factory=dict)
    viewed: dict[int, Any] = field(default_factory=dict)
    doubtful: bool = False
    drawn: bool = False
    tested: list[tuple[Any, bool]] = field(default_factory=list)
    fallen: dict[int, tuple[bool, Any]] = field(default_factory=dict)
    record: int | None = None
    since: int | None = None
    ways: list[tuple[int, int]] | None = None
    asked: int = 0
    anyone: dict[Any, Any] = field(default_factory=dict)
    changing: list[Any] = field(default_factory=list)
    sample: Any = None
    norms: list[Any] = field(default_factory=list)
    short: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    held: list[Any] = field(default_factory=list)
    lent: list[Any] = field(default_factory=list)
    apart: dict[int, Any] = field(default_factory=dict)
    typed: dict[int, tuple[str, Any]] = field(default_factory=dict)
    untyped: bool = False
    mixed: bool = False
    data: Any = None
    added: dict[Any, Any] = field(default_factory=dict)
    spread: dict[int, Any] = field(default_factory=dict)
    decided: dict[Any, Any] = field(default_factory=dict)

    def fork(self, count: int, *, public: bool = False) -> int:
        """Return which of several outcomes this path takes; all others are other paths."""
        if count == 1:
            return 0
        if self.ways is not None:
            return self._way(self.ways, count)
        return self._path(count, public=public)

    def decide(self, value: Any, outcomes: Sequence[Any]) -> Any:
        """Return which of several outcomes a value is that both runs share, each time the same."""
        if value not in self.decided:
            self.decided[value] = outcomes[self._path(len(outcomes), public=True)]
        return self.decided[value]

    def _path(self, count: int, *, public: bool) -> int:
        at = len(self.taken)
        if at >= MOST_FORKS:
            raise NotCheckedError(f"not checked: more than {MOST_FORKS} tests on a path")
        if at == len(self.script):
            self.script.append(0)
        outcome = self.script[at]
        self.taken.append((outcome, count))
        self.public = self.public or public
        return outcome

    def _way(self, ways: list[tuple[int, int]], count: int) -> int:
        """Return which of several outcomes any record takes on this way."""
        at = self.asked
        if at >= MOST_FORKS:
            raise NotCheckedError(f"not checked: more than {MOST_FORKS} tests of a record")
        if at == len(ways):
            ways.append((0, count))
        self.asked += 1
        return ways[at][0]

    def is_lent(self, value: Any) -> bool:
        """Whether a list, a dict or an array may have another name that is not known."""
        if any(value is each for each in self.lent):
            return True
        cells = getattr(value, "cells", None)
        held = self.held if isinstance(cells, np.ndarray) else []
        return any(np.may_share_memory(cells, each) for each in held)

    def mark_apart(self, value: Any) -> Any:
        """Say that a number may be of NumPy's type in one run alone, and return it."""
        self.apart[id(value)] = value
        return value

    def step(self, place: str) -> None:
        """Count a step at a place."""
        self.place, self.steps = place, self.steps + 1
        if self.steps > MOST_STEPS:
            raise NotCheckedError(f"not checked: more than {MOST_STEPS:,} steps", place)
        self.work.left()

    def refused(self, what: str, *, violation: str = "") -> NotCheckedError:
        """Return the error that something is not understood, naming the line.

        `violation` is the id of what would explain a refutation.
        """
        error = NotCheckedError(f"not checked: {what}", self.place)
        error.violation = violation
        return error


def paths(work: Work, follow: Callable[[Run], Any]) -> Iterator[tuple[Run, Any]]:
    """Yield every path, with what following it gave.

    Raises
    ------
    NotCheckedError
        Where there are too many.
    """
    script: list[int] = []
    for _ in range(MOST_PATHS):
        run = Run(work, script=list(script))
        yield run, follow(run)
        taken = list(run.taken)
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return
        script = [outcome for outcome, _ in taken]
        script[-1] += 1
    raise NotCheckedError(f"not checked: more than {MOST_PATHS:,} paths")


def carefully(
    check: Callable[[Document, Work], tuple[str, ...]],
) -> Callable[[Document, Work], tuple[str, ...]]:
    """Make a check compute in wide balls, and let nothing pass that it trips over.

    A program that is not of the form that the check expects is a `NotCheckedError`.
    """

    @functools.wraps(check)
    def checked(document: Document, work: Work) -> tuple[str, ...]:
        try:
            with precisely():
                return check(document, work)
        except FAULTS as error:
            words = "the program or the proof is not of the form that is followed"
            raise NotCheckedError(f"not checked: {words}") from error

    return checked
