"""Which canaries are guessed, and how: rules fixed before any score is seen, each with a share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.checks import whole

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

FEWEST = 4  # guesses at one end
BOTH_ENDS = 0.5  # of the error goes to guesses at both ends, half of the rest to those at each
STREAM = 0x6F6E6572756E  # keeps the order of ties apart from whatever else the seed was used for


@dataclass(frozen=True, slots=True)
class Rule:
    """Guess "in" for the `top` highest scores and "out" for the `bottom` lowest, or reversed.

    Attributes
    ----------
    top, bottom : int
        Numbers of guesses.
    reverse : bool
        Whether high scores mean "out".
    share : float
        Of the error probability.
    """

    top: int
    bottom: int
    reverse: bool
    share: float

    @property
    def guesses(self) -> int:
        """How many canaries are guessed."""
        return self.top + self.bottom

    def correct(self, ranked: Bools) -> int:
        """Return the number of correct guesses.

        Parameters
        ----------
        ranked : ndarray of bool, shape (m,)
            Whether each canary was in, by falling score.
        """
        taken = int(ranked[: self.top].sum())
        left_out = self.bottom - int(ranked[len(ranked) - self.bottom :].sum())
        right = taken + left_out
        return self.guesses - right if self.reverse else right


def declared_rules(canaries: int) -> tuple[Rule, ...]:
    """Return rules for halves, quarters, ... of the canaries at either end or both, both ways.

    The shares sum to one, so that all bounds hold at once (union bound).
    """
    sizes = [canaries // 2**k for k in range(1, 64) if canaries // 2**k >= FEWEST]
    sizes = sizes or [max(1, canaries // 2)]
    one_end = (1 - BOTH_ENDS) / 2
    shapes = [
        *((size, min(size, canaries - size), BOTH_ENDS) for size in sizes),
        *((size, 0, one_end) for size in sizes),
        *((0, size, one_end) for size in sizes),
    ]
    return tuple(
        Rule(top, bottom, reverse, share / len(sizes) / 2)
        for top, bottom, share in shapes
        for reverse in (False, True)
    )


def single_rule(guesses: int | Sequence[int], canaries: int) -> tuple[Rule, ...]:
    """Return the one rule that a caller fixed beforehand.

    Raises
    ------
    ValueError
        Where the numbers do not fit the canaries.
    """
    remedy = "pass how many guesses to make, or how many at the (highest, lowest) scores"
    if isinstance(guesses, tuple | list | np.ndarray) and len(guesses) == 2:
        top, bottom = (whole("guesses", number, 0, remedy) for number in guesses)
    else:
        total = whole("guesses", guesses, 1, remedy)
        top, bottom = total - total // 2, total // 2
    if min(top, bottom) < 0 or not 1 <= top + bottom <= canaries:
        raise ValueError(
            f"`guesses` must be a number from 1 to {canaries}, the canaries, or the numbers of "
            f"guesses at the (highest, lowest) scores, got {guesses!r}. None declares a grid"
        )
    return (Rule(top, bottom, False, 1.0),)


def ranked_coins(scores: Floats, included: Bools, seed: int) -> Bools:
    """Return the coins by falling score; ties fall in an order drawn from the seed.

    In the order given, ties could tell: records are often listed with those that were in first.
    """
    shuffled = np.random.default_rng([STREAM, seed]).permutation(len(scores))
    order = shuffled[np.argsort(-scores[shuffled], kind="stable")]
    return included[order]
