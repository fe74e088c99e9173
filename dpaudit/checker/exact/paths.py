"""Runs a function once for every way that its draws can fall."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.fixed import AskedError
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, Work

PATHS = 200_000
_FORKS = 24  # that take as long as a look at what is left
_LOOKS = 1  # of work, for one way
FEWER = 4096  # after which arrays of draws are not tossed before they decide
FEWEST = 256  # after which turns of loops are gone through by themselves

# How arrays of draws are tossed: as long as they are few; not before they decide; so, and each turn
# of a loop by itself; all at once.
FEW, LAZILY, TURNS, EAGERLY = "few", "lazily", "turns", "eagerly"


class ManyTossesError(NotCheckedError):
    """Draws on one path are too many to toss them all before they are asked for.

    Attributes
    ----------
    arrays : bool
        Whether there are arrays of them.
    """

    def __init__(self, *, arrays: bool = True) -> None:
        super().__init__("not checked: draws with many ways to fall")
        self.arrays = arrays


class Fork:
    """Events of which one happens.

    Parameters
    ----------
    weights : sequence of Number
        Their probabilities, which add up to 1.
    """

    def __init__(self, weights: Sequence[Number]) -> None:
        signs = [weight.sign() for weight in weights]
        if min(signs, default=0) < 0 or 1 not in signs:
            raise NotCheckedError("not checked: a probability that is none")
        self.weights = weights
        self.possible = [i for i, sign in enumerate(signs) if sign > 0]


class Path:
    """One way that draws fall: a choice at each fork, and the probability of them all."""

    def __init__(
        self,
        work: Work,
        taken: Sequence[int],
        chosen: Mapping[str, int] | None = None,
        manner: str = FEW,
    ) -> None:
        self.work, self.manner = work, manner
        self.taken = list(taken)
        self.open: list[list[int]] = []  # at each fork, what is still to be tried
        self.weight = Number(Fraction(1))
        self.chosen = {} if chosen is None else chosen  # remainders of draws that are fixed
        self.asked: tuple[str, int] | None = None
        self.fixed = 0
        self.tossed = 0
        self.recorded: list[tuple[str, Any]] = []  # what was drawn, by family
        self.arguments: list[Mapping[str, Any]] = []  # with which
        self.counts: dict[int, int] = {}  # of the values of draws that are fixed
        self.looped = False  # whether draws forked it in loops
        self.paused = False  # while a turn of a loop is gone through by itself
        self.outer: Path | None = None  # of which it is a part, after such a turn
        self.again = False  # whether a draw that is no integer enters a number twice
        self.remainders: dict[str, Callable[[Mapping[int, int]], int]] = {}  # that were asked for

    @property
    def lazy(self) -> bool:
        """Whether draws are not tossed before they decide."""
        return self.manner in (LAZILY, TURNS)

    @property
    def whole(self) -> Path:
        """The path that this one is a part of now."""
        path = self
        while path.outer is not None:
            path = path.outer
        return path

    def undecided(self, count: int, most: int) -> bool:
        """Return whether an array of draws is not tossed before it is asked for.

        Raises
        ------
        ManyTossesError
            Where it is one of several that are together more than `most` draws.
        """
        if self.lazy or count > most:
            return True
        self.tossed += count
        if self.manner == FEW and self.tossed > most:
            raise ManyTossesError
        return False

    def fix(self, count: int) -> int:
        """Return the number of a draw that is fixed, of which there are so many values."""
        if self.lazy:  # the numbers would be those of another order
            raise NotCheckedError("not checked: very many integers beside undecided draws")
        self.fixed += 1
        self.counts[self.fixed] = count
        return self.fixed

    def remainder(self, formula: str, count: int, value: Callable[[Mapping[int, int]], int]) -> int:
        """Return a remainder, below `count`, of what is computed from draws that are fixed."""
        if formula not in self.chosen:
            self.asked = self.asked or (formula, count)
            raise AskedError
        self.remainders[formula] = value
        return self.chosen[formula]

    def has_remainders(self, fixed: Mapping[int, int]) -> bool:
        """Return whether values of the draws that are fixed have the remainders chosen here."""
        return all(value(fixed) == self.chosen[name] for name, value in self.remainders.items())

    def choose(self, fork: Fork | Sequence[Number]) -> int:
        """Return which of some events happens on this path, by its place."""
        if not isinstance(fork, Fork):
            fork = Fork(fork)
        if self.outer is not None:
            return self.whole.choose(fork)
        weights, possible = fork.weights, fork.possible
        if len(self.open) % _FORKS == 0:
            self.work.left()
        if len(possible) == 1:
            return possible[0]
        if self.paused:
            raise NotCheckedError("not checked: a draw that was not seen")
        depth = len(self.open)
        if depth < len(self.taken):
            at = self.taken[depth]
        else:
            at = 0
            self.taken.append(at)
        self.open.append(possible)
        self.weight = self.weight * weights[possible[at]]
        return possible[at]


def every_path(
    run: Callable[[Path], Any],
    work: Work,
    chosen: Mapping[str, int] | None = None,
    manner: str = FEW,
    most: int = PATHS,
) -> Iterator[tuple[Number, Any]]:
    """Yield the probability and the result of every path.

    Parameters
    ----------
    run : callable
        Does the same whenever the same choices are made.
    work : Work
    chosen : mapping of str to int, optional
        Remainders of draws that are fixed.
    manner : str
        How arrays of draws are tossed.
    most : int
        Ways that are gone.
    """
    taken: list[int] = []
    for gone in range(most):
        work.left(_LOOKS)
        path = Path(work, taken, chosen, manner)
        result = run(path)
        if manner == FEW and gone >= (FEWER if path.tossed else FEWEST if path.looped else most):
            raise ManyTossesError(arrays=path.tossed > 0)
        yield path.weight, result
        taken = path.taken[: len(path.open)]
        while taken and taken[-1] + 1 >= len(path.open[len(taken) - 1]):
            taken.pop()
        if not taken:
            return
        taken[-1] += 1
    raise NotCheckedError(f"not checked: more than {most:,} ways that draws can fall")
