"""Runs a function once for every way that its draws can fall."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, Work

_PATHS = 200_000


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

    def __init__(self, work: Work, taken: Sequence[int]) -> None:
        self.work = work
        self.taken = list(taken)
        self.open: list[list[int]] = []  # at each fork, what is still to be tried
        self.weight = Number(Fraction(1))

    def choose(self, fork: Fork | Sequence[Number]) -> int:
        """Return which of some events happens on this path, by its place."""
        if not isinstance(fork, Fork):
            fork = Fork(fork)
        weights, possible = fork.weights, fork.possible
        if len(possible) == 1:
            return possible[0]
        depth = len(self.open)
        if depth < len(self.taken):
            at = self.taken[depth]
        else:
            at = 0
            self.taken.append(at)
        self.open.append(possible)
        self.weight = self.weight * weights[possible[at]]
        return possible[at]


def every_path(run: Callable[[Path], Any], work: Work) -> Iterator[tuple[Number, Any]]:
    """Yield the probability and the result of every path.

    Parameters
    ----------
    run : callable
        Does the same whenever the same choices are made.
    work : Work
    """
    taken: list[int] = []
    for _ in range(_PATHS):
        work.left()
        path = Path(work, taken)
        result = run(path)
        yield path.weight, result
        taken = path.taken[: len(path.open)]
        while taken and taken[-1] + 1 >= len(path.open[len(taken) - 1]):
            taken.pop()
        if not taken:
            return
        taken[-1] += 1
    raise NotCheckedError(f"not checked: more than {_PATHS:,} ways that draws can fall")
