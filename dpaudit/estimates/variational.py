"""Lower limits for Rényi divergences by a learned function, where cells are many.

For every u ≥ 0 of the output and every order α > 1 (Young's inequality),

    α E_P[u^(α−1)] − (α−1) E_Q[u^α] ≤ e^((α−1) D_α(P‖Q)),   with equality at u = dP/dQ.

A step function u is learned on the pilot's counts. Then the left-hand side is the mean of one
bounded number for each pair of counted draws, and betting bounds that mean from below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpaudit.estimates.split import Floats, Tally

SHRINK = 4.0  # draws a side by which pilot ratios are drawn towards one
POWERS = (0.7, 0.8, 0.9, 1.0)  # of the ratio: a little less varies a good deal less
MOST = 0.9  # of the stake at which the least number would cost everything
HALVINGS = 60
OUTWARD = 1e-9  # relative; exceeds what sums of logarithms of a million pairs lose


@dataclass(frozen=True, slots=True, eq=False)
class Wager:
    """A function of the cells and a stake, chosen before the draws that are counted.

    Attributes
    ----------
    on_p, on_q : ndarray, shape (k,)
        What a draw of P, and one of Q, adds to the number whose mean is bounded.
    stake : float
    promise : float
        The limit that the pilot expects.
    """

    on_p: Floats
    on_q: Floats
    stake: float
    promise: float


def moment_at_least(tally: Tally, order: float, error: float, rng: np.random.Generator) -> float:
    """Return a lower limit for e^((α−1) D_α(P‖Q)), at least 1, too high with probability `error`.

    Parameters
    ----------
    tally : Tally
        With a pilot; without one the limit is 1.
    order : float
        α > 1.
    error : float
    rng : Generator
        Pairs the draws of P with those of Q; counts do not say in which order they were made, so
        that every pairing is as good. Of a larger sample several draws join one pair.
    """
    wager = learned_wager(tally, order, error)
    if wager is None:
        return 1.0
    pairs = _pairs(tally)
    numbers = sum(
        _dealt(gain[rng.permutation(np.repeat(np.arange(len(gain)), counts.astype(int)))], pairs)
        for gain, counts in ((wager.on_p, tally.p), (wager.on_q, tally.q))
    )
    lowest = float(wager.on_p.min() + wager.on_q.min())
    return mean_at_least(np.asarray(numbers), wager.stake, error, known=1.0, lowest=lowest)


def mean_at_least(
    numbers: Floats, stake: float, error: float, *, known: float, lowest: float
) -> float:
    """Return a lower limit for the mean of independent, alike numbers; it rounds down.

    Parameters
    ----------
    numbers : ndarray, shape (n,)
    stake : float
        λ ≥ 0, fixed before the numbers were seen.
    error : float
        Probability that the limit exceeds the mean.
    known : float
        A lower limit known beforehand.
    lowest : float
        The least number there can be, drawn or not.

    Notes
    -----
    If the mean is at most m, the wealth Π (1 + λ (z − m)) has expectation at most one where no
    factor can be negative, whatever is drawn; it reaches 1 / error with probability at most
    `error` (Markov). Means beyond `lowest` + 1 / λ are therefore never rejected. The factors fall
    in m, so all means below a rejected one are rejected with it.

    References
    ----------
    I. Waudby-Smith, A. Ramdas. Estimating means of bounded random variables by betting. JRSS B 86
    (2024), with a stake that does not depend on the numbers.
    """
    needed = -np.log(error)
    values, counts = np.unique(numbers, return_counts=True)

    def rejected(mean: float) -> bool:
        factors = 1.0 + stake * (values - mean)
        possible = 1.0 + stake * (lowest - mean) >= 0 and factors[0] > 0
        return bool(possible and counts @ np.log(factors) >= needed)

    low, high = known, float(values[-1])
    if high <= low or not rejected(low):
        return known
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return max(known, low - OUTWARD * abs(low))


def _dealt(gains: Floats, pairs: int) -> Floats:
    """Return a number for each pair: the mean of as many draws as there are for all."""
    each = len(gains) // pairs
    means: Floats = gains[: each * pairs].reshape(pairs, each).mean(axis=1)
    return means


def _pairs(tally: Tally) -> int:
    return int(min(tally.p.sum(), tally.q.sum()))


def learned_wager(tally: Tally, order: float, error: float) -> Wager | None:
    """Return the function and the stake that promise the greatest limit, by the pilot alone.

    None where there is no pilot, nothing to count, or no function that double precision holds.
    """
    pairs = _pairs(tally)
    if not tally.has_pilot or pairs == 0:
        return None
    one, two = tally.pilot_p, tally.pilot_q
    pooled = (one + two) / (one.sum() + two.sum())
    p = (one + SHRINK * pooled) / (one.sum() + SHRINK)
    q = (two + SHRINK * pooled) / (two.sum() + SHRINK)
    ratio = np.where(pooled > 0, p / np.where(pooled > 0, q, 1.0), 1.0)
    caps = np.unique(ratio[ratio > 1])
    if not len(caps):
        return None
    powers = np.repeat(POWERS, len(caps))[:, None]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        u = np.minimum(ratio**powers, np.tile(caps, len(POWERS))[:, None] ** powers)
        # The multiple of u that makes the most of both means: E_P[u^(α−1)] / E_Q[u^α].
        u = u * ((u ** (order - 1) @ p) / (u**order @ q))[:, None]
        on_p, on_q = order * u ** (order - 1), -(order - 1) * u**order
        mean = on_p @ p + on_q @ q
        variance = (on_p**2 @ p - (on_p @ p) ** 2) / _joined(tally.p, pairs)
        variance = variance + (on_q**2 @ q - (on_q @ q) ** 2) / _joined(tally.q, pairs)
        lowest = on_p.min(axis=1) + on_q.min(axis=1)
        # Bernstein's bound, for what betting gives; its stake is the best for one normal sum.
        reach = -np.log(error) / pairs
        promise = mean - np.sqrt(2 * reach * variance) - reach * (mean - lowest) / 3
        stakes = np.sqrt(2 * reach / variance)
        stakes = np.minimum(stakes, MOST / (mean - lowest))
    sound = np.isfinite(promise) & np.isfinite(stakes) & (mean > lowest)
    if not sound.any():
        return None
    best = int(np.argmax(np.where(sound, promise, -np.inf)))
    return Wager(on_p[best], on_q[best], float(stakes[best]), float(promise[best]))


def _joined(counts: Floats, pairs: int) -> float:
    return float(counts.sum() // pairs)
