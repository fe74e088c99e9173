"""The query-vector mechanisms of StatDP and DP-Sniper, many outputs at a time.

They take exact answers q to queries and claim 0.1-DP where an answer (ONE) or every answer (ALL)
may change by 1 (Ding et al. 2018; Lyu, Su & Li 2017; Wang et al. 2019; Bichsel et al. 2021).
L(b) is Laplace noise of scale b, Exp(b) exponential noise of scale b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, log

import numpy as np
from numpy.typing import NDArray

import dpaudit
from mechanisms.rappor import bloom_filter
from mechanisms.snapping import snapping
from mechanisms.truncated_geometric import distribution

EPSILON = 0.1
TRUE, FALSE, ABORTED = 1, 0, -1
NOT_ABOVE, NO_MORE = -1000.0, -2000.0  # flags among released values, as published

Answers = NDArray[np.float64]
Outputs = NDArray[np.float64] | NDArray[np.int64] | NDArray[np.intp] | list[float]
Mechanism = Callable[[Answers, int, np.random.Generator], Outputs]
Pair = tuple[Answers, Answers]


def answers(*blocks: tuple[float, int]) -> Answers:
    """Return each value as often as its block says."""
    return np.concatenate([np.full(times, value, dtype=float) for value, times in blocks])


def one(n: int) -> tuple[Pair, ...]:
    """Return published pairs of n answers of which the first changes."""
    ones = answers((1, n))
    return (ones, answers((0, 1), (1, n - 1))), (ones, answers((2, 1), (1, n - 1)))


def every(n: int) -> tuple[Pair, ...]:
    """Return published pairs of n answers that may all change."""
    ones, half, rest = answers((1, n)), n // 2, n - n // 2
    return (
        *one(n),
        (ones, answers((2, 1), (0, n - 1))),
        (ones, answers((0, 1), (2, n - 1))),
        (ones, answers((2, half), (0, rest))),
        (ones, answers((2, n))),
        (ones, answers((0, n))),
        (answers((1, half), (0, rest)), answers((0, half), (1, rest))),
    )


@dpaudit.vectorized
def laplace(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """q + L(1/ε)"""
    return q[0] + rng.laplace(scale=1 / EPSILON, size=size)


@dpaudit.vectorized
def laplace_snapping(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """Mironov's snapping, B = 100; one exact logarithm an output."""
    return [snapping(float(q[0]), rng, epsilon=EPSILON, bound=100.0) for _ in range(size)]


# The logarithm is to the base 2 in the paper; to the base e the scale is too small.
GEOMETRIC_K = ceil(log(2 / EPSILON))


@dpaudit.vectorized
def truncated_geometric(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """A count in 0..5, k = ⌈ln(2/ε)⌉"""
    cumulative, d = distribution(int(q[0]), 5, GEOMETRIC_K)
    return np.searchsorted(cumulative, 1 + np.floor(d * rng.random(size)))


@dpaudit.vectorized
def noisy_hist_1(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """qᵢ + L(1/ε)"""
    return q + rng.laplace(scale=1 / EPSILON, size=(size, len(q)))


@dpaudit.vectorized
def noisy_hist_2(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """qᵢ + L(ε): the scale is upside down"""
    return q + rng.laplace(scale=EPSILON, size=(size, len(q)))


@dpaudit.vectorized
def report_noisy_max_1(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """argmax qᵢ + L(2/ε)"""
    return (q + rng.laplace(scale=2 / EPSILON, size=(size, len(q)))).argmax(axis=1)


@dpaudit.vectorized
def report_noisy_max_2(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """argmax qᵢ + Exp(2/ε)"""
    return (q + rng.exponential(scale=2 / EPSILON, size=(size, len(q)))).argmax(axis=1)


@dpaudit.vectorized
def report_noisy_max_3(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """max qᵢ + L(2/ε): the value instead of the index"""
    return np.asarray((q + rng.laplace(scale=2 / EPSILON, size=(size, len(q)))).max(axis=1))


@dpaudit.vectorized
def report_noisy_max_4(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """max qᵢ + Exp(2/ε): the value instead of the index"""
    return np.asarray((q + rng.exponential(scale=2 / EPSILON, size=(size, len(q)))).max(axis=1))


def _after_hits(above: NDArray[np.bool_], hits: int) -> NDArray[np.bool_]:
    """Return which answers come after so many hits."""
    return np.asarray(above.cumsum(axis=1) - above >= hits)


def _flags(above: NDArray[np.bool_], hits: int | None) -> NDArray[np.int64]:
    flags = np.where(above, TRUE, FALSE)
    return flags if hits is None else np.where(_after_hits(above, hits), ABORTED, flags)


def _sparse_vector(
    q: Answers,
    size: int,
    rng: np.random.Generator,
    scales: tuple[float, float],
    threshold: float = 1.0,
) -> tuple[Answers, NDArray[np.bool_]]:
    """Return noisy answers, and which of them are above the noisy threshold."""
    rho = rng.laplace(scale=scales[0], size=(size, 1))
    noisy = q + rng.laplace(scale=scales[1], size=(size, len(q)))
    return noisy, noisy >= threshold + rho


@dpaudit.vectorized
def svt_1(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """L(2/ε), L(4c/ε), c = 1, t = .5"""
    _, above = _sparse_vector(q, size, rng, (2 / EPSILON, 4 / EPSILON), 0.5)
    return _flags(above, 1)


@dpaudit.vectorized
def svt_2(q: Answers, size: int, rng: np.random.Generator, *, hits: int = 1) -> Outputs:
    """L(2c/ε) drawn again after each hit, L(4c/ε), c = 1, t = 1"""
    rho = rng.laplace(scale=2 * hits / EPSILON, size=(size, len(q)))
    noisy = q + rng.laplace(scale=4 * hits / EPSILON, size=(size, len(q)))
    above, seen = np.zeros(noisy.shape, dtype=bool), np.zeros(size, dtype=np.intp)
    for i in range(len(q)):
        above[:, i] = noisy[:, i] >= 1 + rho[np.arange(size), seen]
        seen = np.minimum(seen + above[:, i], len(q) - 1)
    return _flags(above, hits)


@dpaudit.vectorized
def svt_3(q: Answers, size: int, rng: np.random.Generator, *, hits: int = 1) -> Outputs:
    """L(2/ε), L(2c/ε), c = 1, t = 1; what is above is released as it was compared"""
    noisy, above = _sparse_vector(q, size, rng, (2 / EPSILON, 2 * hits / EPSILON))
    return np.where(_after_hits(above, hits), NO_MORE, np.where(above, noisy, NOT_ABOVE))


@dpaudit.vectorized
def svt_4(q: Answers, size: int, rng: np.random.Generator, *, hits: int = 1) -> Outputs:
    """L(4/ε), L(4/(3ε)), c = 1, t = 1: c is forgotten"""
    _, above = _sparse_vector(q, size, rng, (4 / EPSILON, 4 / (3 * EPSILON)))
    return _flags(above, hits)


@dpaudit.vectorized
def svt_5(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """L(2/ε), no noise on the answers, no stop"""
    return _flags(q >= 1 + rng.laplace(scale=2 / EPSILON, size=(size, 1)), None)


@dpaudit.vectorized
def svt_6(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """L(2/ε), L(2/ε), no stop"""
    _, above = _sparse_vector(q, size, rng, (2 / EPSILON, 2 / EPSILON))
    return _flags(above, None)


@dpaudit.vectorized
def numerical_svt(q: Answers, size: int, rng: np.random.Generator, *, hits: int = 2) -> Outputs:
    """L(3/ε), L(6c/ε), c = 2, t = 1; what is above is released with fresh L(3c/ε)"""
    _, above = _sparse_vector(q, size, rng, (3 / EPSILON, 6 * hits / EPSILON))
    released = q + rng.laplace(scale=3 * hits / EPSILON, size=(size, len(q)))
    return np.where(_after_hits(above, hits), NOT_ABOVE, np.where(above, released, 0.0))


@dpaudit.vectorized
def prefix_sum(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """Running sums of qᵢ + L(1/ε)"""
    noisy = q + rng.laplace(scale=1 / EPSILON, size=(size, len(q)))
    return np.asarray(noisy.cumsum(axis=1))


def _permanent(q: Answers, size: int, rng: np.random.Generator, f: float) -> NDArray[np.bool_]:
    """Return each bit of the Bloom filter of 20 bits and 4 hashes, or with chance f a fair coin."""
    bits = bloom_filter(int(q[0])) == 1
    drawn = rng.random((size, len(bits)))
    return np.where(drawn < f / 2, True, np.where(drawn < f, False, bits))


@dpaudit.vectorized
def one_time_rappor(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """f = .95"""
    return _permanent(q, size, rng, 0.95).astype(np.int64)


@dpaudit.vectorized
def rappor(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """f = .75, then p = .45, q = .55"""
    permanent = _permanent(q, size, rng, 0.75)
    return (rng.random(permanent.shape) < np.where(permanent, 0.55, 0.45)).astype(np.int64)


@dpaudit.vectorized
def laplace_parallel(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """20 times q + L(1/.005)"""
    return q[0] + rng.laplace(scale=1 / 0.005, size=(size, 20))


@dpaudit.vectorized
def svt_34_parallel(q: Answers, size: int, rng: np.random.Generator) -> Outputs:
    """SVT3 and SVT4 on the same answers, c = 2"""
    return np.concatenate([svt_3(q, size, rng, hits=2), svt_4(q, size, rng, hits=2)], axis=1)


SIX_APART = ((np.array([0.0]), np.array([4.0])), (np.array([1.0]), np.array([3.0])))


@dataclass(frozen=True, slots=True)
class Row:
    """A mechanism with what is known of it.

    Attributes
    ----------
    name : str
    mechanism : callable
    pairs : tuple of Pair
        Neighboring answers, in one direction each.
    true : float
        The largest privacy loss; infinite for those that no epsilon holds for.
    best : float or None
        The largest log(max(p, .01)/max(q, .01)) of an event on these pairs.
    published : float or None
        Lower bound of DP-Sniper, the better of its two classifiers.
    """

    name: str
    mechanism: Mechanism
    pairs: tuple[Pair, ...]
    true: float
    best: float | None
    published: float | None

    @property
    def broken(self) -> bool:
        """Whether the claim of 0.1-DP is false."""
        return self.true > EPSILON


LAPLACE_PAIRS = ((np.array([1.0]), np.array([0.0])), (np.array([1.0]), np.array([2.0])))

ROWS = (
    Row("Laplace", laplace, LAPLACE_PAIRS, 0.1, 0.1, 0.0976),
    Row("LaplaceSnapping", laplace_snapping, LAPLACE_PAIRS, 0.1, None, None),
    Row("TruncatedGeometric", truncated_geometric, LAPLACE_PAIRS, log(9 / 8), log(9 / 8), 0.1156),
    Row("NoisyHist1", noisy_hist_1, one(5), 0.1, 0.1, 0.0978),
    Row("NoisyHist2", noisy_hist_2, one(5), 10.0, 4.604, 4.602),
    Row("ReportNoisyMax1", report_noisy_max_1, every(5), 0.1, 0.0946, 0.0925),
    Row("ReportNoisyMax2", report_noisy_max_2, every(5), 0.1, 0.1, 0.0979),
    Row("ReportNoisyMax3", report_noisy_max_3, every(5), 0.25, 0.25, 0.2488),
    Row("ReportNoisyMax4", report_noisy_max_4, every(5), inf, 0.3557, 0.3534),
    Row("SVT1", svt_1, every(10), 0.1, 0.0885, 0.0858),
    Row("SVT2", svt_2, every(10), 0.1, 0.0882, 0.0859),
    Row("SVT3", svt_3, every(10), inf, 0.19, 0.1822),
    Row("SVT4", svt_4, every(10), 0.175, 0.1725, 0.1696),
    Row("SVT5", svt_5, every(10), inf, 1.7627, 1.761),
    Row("SVT6", svt_6, every(10), inf, 0.2828, 0.2720),
    Row("NumericalSVT", numerical_svt, every(10), 0.1, 0.067, 0.0345),
    Row("PrefixSum", prefix_sum, every(10), 1.0, 0.754, 0.5774),
    Row("OneTimeRappor", one_time_rappor, SIX_APART, 0.6005, 0.6005, 0.5999),
    Row("Rappor", rappor, SIX_APART, 0.30006, 0.30006, 0.2930),
    Row("LaplaceParallel", laplace_parallel, LAPLACE_PAIRS, 0.1, 0.0535, 0.0350),
    Row("SVT34Parallel", svt_34_parallel, every(10), inf, 0.28, 0.2616),
)
