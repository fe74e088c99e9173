"""Runs a pair of datasets with coupled noise: moved until both runs go the same way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpaudit.claims import Claim, GaussianDP, PureDP
from dpaudit.neighbors import Pair
from dpaudit.trace.compare import Difference, answer_with, compare, differences, precision
from dpaudit.trace.comparison import Comparison
from dpaudit.trace.record import Bench, Run

ROUNDS = 8  # a later noise call may depend on what earlier ones gave
_HALVINGS = 24


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a claim allows for.

    Attributes
    ----------
    pure : float
        The largest epsilon of pure DP that implies the claim.
    mu : float
        The largest μ of Gaussian DP that implies it.
    """

    pure: float
    mu: float

    @staticmethod
    def of(claim: Claim) -> Allowance:
        """Return what a claim allows."""
        return Allowance(
            _largest(lambda e: PureDP(e).implies(claim)),
            0.0 if _is_pure(claim) else _largest(lambda m: GaussianDP(m).implies(claim)),
        )

    def share(self, comparison: Comparison) -> float:
        """Return the cost of two runs as a share of the allowance; 1 spends it all."""
        shares = [_ratio(comparison.pure, self.pure), _ratio(comparison.mu, self.mu)]
        return sum(shares)


def _is_pure(claim: Claim) -> bool:
    """Whether no Gaussian noise can be enough."""
    return isinstance(claim, PureDP)


def _ratio(cost: float, allowed: float) -> float:
    if cost == 0:
        return 0.0
    return cost / allowed if allowed > 0 else float("inf")


def _largest(holds: Any) -> float:
    """Return the largest parameter for which a claim implies another, by bisection."""
    low, high = 0.0, 1e-3
    while holds(high) and high < 1e4:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle > 0 and holds(middle):
            low = middle
        else:
            high = middle
    return low


@dataclass(eq=False)
class Trial:
    """A pair that was run with coupled noise.

    Attributes
    ----------
    pair : Pair
    mirrored : bool
        Whether the left run is that of the pair's right dataset.
    comparison : Comparison
    share : float
        Of what the claim allows that the pair costs.
    key : tuple of int
        Seed of the noise.
    """

    pair: Pair
    mirrored: bool
    comparison: Comparison
    share: float
    key: tuple[int, ...]

    @property
    def datasets(self) -> tuple[Any, Any]:
        """The datasets of the left and of the right run."""
        both = self.pair.left, self.pair.right
        return both[::-1] if self.mirrored else both

    @cached_property
    def differences(self) -> list[Difference]:
        """Where the outputs differ, though the noise was moved."""
        left, right = self.comparison.left, self.comparison.right
        return differences(left.output, right.output, tolerance=precision(left))


def replayed(
    bench: Bench,
    pair: Pair,
    key: tuple[int, ...],
    allowance: Allowance,
    *,
    mirrored: bool = False,
    rounds: int = 1,
) -> Trial:
    """Run both datasets of a pair, the second with the noise of the first, moved.

    Parameters
    ----------
    bench : Bench
    pair : Pair
    key : tuple of int
        Seed of the noise.
    allowance : Allowance
    mirrored : bool
        Whether the right dataset goes first.
    rounds : int
        How often the moves are computed anew. One suffices where no noise call depends on another.
    """
    first, second = (pair.right, pair.left) if mirrored else (pair.left, pair.right)
    left = bench.run(first, key)
    right = bench.run(second, key, answer=answer_with(left, {}))
    comparison = compare(left, right)
    for _ in range(rounds):
        moves = comparison.coupling.moves
        if not any(moves.values()) or left.endless:
            break
        again = bench.run(second, key, answer=answer_with(left, moves))
        better = compare(left, again)
        settled = _alike(better.coupling.moves, moves) and better.same_path
        comparison = better
        if settled:
            break
    return Trial(pair, mirrored, comparison, allowance.share(comparison), key)


def _alike(one: dict[Any, float], two: dict[Any, float]) -> bool:
    if one.keys() != two.keys():
        return False
    a, b = np.array(list(one.values())), np.array([two[cell] for cell in one])
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True))


def same_noise(trial: Trial) -> Any:
    """Return what repeats the noise of a trial's left run."""
    return answer_with(trial.comparison.left, {})


def moved_noise(trial: Trial) -> Any:
    """Return what repeats the noise of a trial's right run."""
    right: Run = trial.comparison.right
    return answer_with(right, {})
