"""Output distributions of the query-vector mechanisms, and what they allow at best.

Each law is an array of masses of outputs, or of sufficient statistics: enumerated, on a grid with
exact masses of cells, or as weighted samples of exact likelihood ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray
from query_vectors import (
    ABORTED,
    EPSILON,
    FALSE,
    GEOMETRIC_K,
    NO_MORE,
    NOT_ABOVE,
    TRUE,
    Answers,
    Pair,
    numerical_svt,
    prefix_sum,
    svt_3,
    svt_4,
)
from scipy.special import expit

from mechanisms.rappor import bloom_filter, marginals
from mechanisms.truncated_geometric import distribution

Floats = NDArray[np.float64]
Masses = tuple[Floats, Floats]  # of the same outputs under both datasets
Law = Callable[[Pair], Masses]
FLOOR = 0.01  # probability of the events that DP-Sniper looks for, at least
NEVER = 1e12  # calls, beyond which a limit is the rounding error of a claim that holds
SAMPLES = 200_000  # on each side, where likelihood ratios are simulated


def best_loss(masses: Masses) -> float:
    """Return the largest log(max(p, .01)/max(q, .01)) of a randomized event, in any direction."""
    losses = []
    for one, two in (masses, masses[::-1]):
        order = np.argsort(-one / np.maximum(one + two, 1e-300), kind="stable")
        p, q = (np.concatenate([[0.0], mass[order].cumsum()]) for mass in (one, two))
        losses.append(np.log(np.interp(FLOOR, q, p) / FLOOR))
        losses.append(np.log(p[q >= FLOOR] / q[q >= FLOOR]).max())
    return float(max(losses))


def largest_loss(masses: Masses) -> float:
    """Return the largest log-ratio of an output, in either direction."""
    p, q = (mass[np.maximum(*masses) > 1e-15] for mass in masses)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(p) - np.log(q)).max())


def information_limit(masses: Masses, claimed: float, alpha: float) -> float:
    """Return the least expected calls that reject ε-DP at level alpha; infinite where none do.

    Notes
    -----
    That is 2·log(1/α)/KL, KL from (P, Q) to the nearest pair (P', Q') that the claim allows. With
    multipliers u and 2 − u for the total masses of P' and Q', an output within the claim has
    masses p/u and q/(2 − u) there; beyond it the two have the ratio e^ε and share p + q.
    """
    from scipy.optimize import brentq

    present = masses[0] + masses[1] > 0
    p, q = masses[0][present], masses[1][present]
    if largest_loss(masses) <= claimed:
        return float("inf")

    def nearest(u: float) -> Masses:
        one, two = p / u, q / (2 - u)
        ratio = np.exp(claimed)
        for a, b, swapped in ((one, two, False), (two, one, True)):
            beyond = a > ratio * b
            first, second = (2 - u, u) if swapped else (u, 2 - u)
            less = (p[beyond] + q[beyond]) / (first * ratio + second)
            a[beyond], b[beyond] = ratio * less, less
        return one, two

    total = float(p.sum())  # one, but for the error of a simulation
    u = brentq(lambda u: nearest(u)[0].sum() - total, 0.2, 1.8)
    one, two = nearest(u)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(p > 0, p * np.log(p / one), 0), np.where(q > 0, q * np.log(q / two), 0)
    least = float(2 * np.log(1 / alpha) / max(np.sum(parts), 1e-300))
    return least if least < NEVER else float("inf")


def _laplace_cdf(z: Floats, scale: float) -> Floats:
    tail = np.exp(-np.abs(z) / scale) / 2
    return np.asarray(np.where(z < 0, tail, 1 - tail))


def _laplace_loss(z: Floats, a: Floats, b: Floats, scale: float) -> Floats:
    """Return log f(z − a) − log f(z − b)."""
    return np.asarray((np.abs(z - b) - np.abs(z - a)) / scale)


def _exponential_cdf(z: Floats, scale: float) -> Floats:
    return np.asarray(-np.expm1(-np.maximum(z, 0) / scale))


def _grid(scale: float) -> Floats:
    """Return edges of cells; halves are among them, where densities have kinks."""
    step = 0.5 / max(1, round(50 / scale))
    return np.arange(-45 * scale // 1, 45 * scale // 1 + step, step)


def _of_cells(cdf: Floats) -> Floats:
    return np.diff(np.concatenate([[0.0], cdf, [1.0]]))


def _one_answer(pair: Pair, scale: float) -> Masses:
    """Laplace noise on answers of which the first changes."""
    first, second = (_of_cells(_laplace_cdf(_grid(scale) - q[0], scale)) for q in pair)
    return first, second


def _truncated_geometric(pair: Pair) -> Masses:
    first, second = (
        np.diff([0, *cumulative]) / d
        for cumulative, d in (distribution(int(q[0]), 5, GEOMETRIC_K) for q in pair)
    )
    return first, second


def _noisy_max_value(pair: Pair, cdf: Callable[[Floats, float], Floats]) -> Masses:
    scale = 2 / EPSILON
    z = _grid(scale)
    first, second = (
        _of_cells(np.prod([cdf(z - answer, scale) for answer in q], axis=0)) for q in pair
    )
    return first, second


def _noisy_max_index(pair: Pair, cdf: Callable[[Floats, float], Floats]) -> Masses:
    scale = 2 / EPSILON
    z = _grid(scale)
    found = []
    for q in pair:
        below = np.stack([cdf(z - answer, scale) for answer in q])
        middle = (below[:, 1:] + below[:, :-1]) / 2
        mass = np.diff(below)
        others = [np.prod(np.delete(middle, i, axis=0), axis=0) for i in range(len(q))]
        found.append(np.array([(m * o).sum() for m, o in zip(mass, others, strict=True)]))
    return found[0], found[1]


def _patterns(q: Answers, scales: tuple[float, float], threshold: float) -> Floats:
    """Return the probability of each pattern of answers above, shape (2, 2, ..., 2)."""
    rho = _grid(scales[0])
    mass, middle = np.diff(_laplace_cdf(rho, scales[0])), (rho[1:] + rho[:-1]) / 2
    joint = mass[None, :]
    for answer in q:
        below = _laplace_cdf(threshold + middle - answer, scales[1])
        joint = np.stack([joint * below, joint * (1 - below)], axis=1).reshape(-1, len(mass))
    return joint.sum(axis=1)


def _stopped(flags: Iterable[int], hits: int | None) -> tuple[int, ...]:
    seen, told = 0, []
    for flag in flags:
        told.append(flag if hits is None or seen < hits else ABORTED)
        seen += flag
    return tuple(told)


def _of_flags(
    q: Answers, scales: tuple[float, float], threshold: float, hits: int | None
) -> dict[tuple[int, ...], float]:
    """Return the probability of each sequence of flags."""
    found: dict[tuple[int, ...], float] = {}
    every = product((FALSE, TRUE), repeat=len(q))
    for flags, p in zip(every, _patterns(q, scales, threshold), strict=True):
        told = _stopped(flags, hits)
        found[told] = found.get(told, 0.0) + float(p)
    return found


def _flags(
    pair: Pair, scales: tuple[float, float], threshold: float = 1.0, hits: int | None = 1
) -> Masses:
    first, second = (_of_flags(q, scales, threshold, hits) for q in pair)
    return np.array(list(first.values())), np.array([second[told] for told in first])


def _svt_5(pair: Pair) -> Masses:
    """Flags change where the threshold's noise passes an answer of either dataset."""
    cuts = np.unique(np.concatenate(pair)) - 1
    mass = _of_cells(_laplace_cdf(cuts, 2 / EPSILON))
    inside = np.concatenate([cuts - 0.25, [cuts[-1] + 0.25]])
    found: list[dict[bytes, float]] = [{}, {}]
    for rho, p in zip(inside, mass, strict=True):
        for q, known in zip(pair, found, strict=True):
            told = (q >= 1 + rho).tobytes()
            known[told] = known.get(told, 0.0) + float(p)
    outcomes = sorted({*found[0], *found[1]})
    first, second = (np.array([known.get(told, 0.0) for told in outcomes]) for known in found)
    return first, second


def _simulated(
    pair: Pair,
    mechanism: Callable[[Answers, int, np.random.Generator], NDArray[np.float64]],
    loss: Callable[[Floats], Floats],
) -> Masses:
    """Return weights of samples of both datasets in equal parts, from their exact losses."""
    rng = np.random.default_rng(0)
    losses = np.concatenate([loss(mechanism(q, SAMPLES, rng)) for q in pair])
    return expit(losses) / SAMPLES, expit(-losses) / SAMPLES


def _prefix_sum(pair: Pair) -> Masses:
    def loss(outputs: Floats) -> Floats:
        noisy = np.diff(outputs, axis=1, prepend=0)
        return np.asarray(_laplace_loss(noisy, *pair, 1 / EPSILON).sum(axis=1))

    return _simulated(pair, prefix_sum, loss)


def _laplace_parallel(pair: Pair) -> Masses:
    def loss(outputs: Floats) -> Floats:
        return np.asarray(_laplace_loss(outputs, *pair, 1 / 0.005).sum(axis=1))

    def mechanism(q: Answers, size: int, rng: np.random.Generator) -> Floats:
        return q[0] + rng.laplace(scale=1 / 0.005, size=(size, 20))

    return _simulated(pair, mechanism, loss)


def _table(known: dict[tuple[int, ...], float]) -> Callable[[Floats], Floats]:
    """Return a function that looks up the log probability of each row of flags."""
    width = len(next(iter(known)))
    places = 3 ** np.arange(width)
    logs = np.full(3**width, -np.inf)
    for told, p in known.items():
        logs[int((np.array(told) - ABORTED) @ places)] = np.log(p)
    return lambda flags: logs[(flags - ABORTED).astype(np.int64) @ places]


def _numerical_svt(pair: Pair) -> Masses:
    scales = (3 / EPSILON, 12 / EPSILON)
    tables = [_table(_of_flags(q, scales, 1.0, 2)) for q in pair]

    def loss(outputs: Floats) -> Floats:
        hit = (outputs != 0) & (outputs != NOT_ABOVE)
        flags = np.where(outputs == NOT_ABOVE, ABORTED, np.where(hit, TRUE, FALSE))
        values = np.where(hit, _laplace_loss(outputs, *pair, 6 / EPSILON), 0.0)
        return np.asarray(tables[0](flags) - tables[1](flags) + values.sum(axis=1))

    return _simulated(pair, numerical_svt, loss)


def _svt_3_loss(pair: Pair, hits: int) -> Callable[[Floats], Floats]:
    """Return the loss of SVT3: released values say how low the noisy threshold was at most."""
    value_scale = 2 * hits / EPSILON
    rho = _grid(2 / EPSILON)
    mass, middle = np.diff(_laplace_cdf(rho, 2 / EPSILON)), (rho[1:] + rho[:-1]) / 2

    def log_part(q: Answers, not_above: NDArray[np.bool_], least: Floats) -> Floats:
        below = [_laplace_cdf(1 + middle - a, value_scale) for a in q[not_above]]
        joint = np.concatenate([[0.0], (mass * np.prod(below, axis=0)).cumsum()])
        return np.asarray(np.log(np.interp(least - 1, rho, joint)))

    def loss(outputs: Floats) -> Floats:
        below, over = outputs == NOT_ABOVE, outputs == NO_MORE
        hit = ~below & ~over
        values = np.where(hit, _laplace_loss(outputs, *pair, value_scale), 0.0).sum(axis=1)
        least = np.where(hit, outputs, np.inf).min(axis=1)
        kinds, kind = np.unique(below @ (2 ** np.arange(outputs.shape[1])), return_inverse=True)
        for i in range(len(kinds)):
            rows = np.flatnonzero(kind == i)
            first, second = (log_part(q, below[rows[0]], least[rows]) for q in pair)
            values[rows] += first - second
        return np.asarray(values)

    return loss


def _svt_3(pair: Pair) -> Masses:
    return _simulated(pair, svt_3, _svt_3_loss(pair, 1))


def _svt_34_parallel(pair: Pair) -> Masses:
    values = _svt_3_loss(pair, 2)
    scales = (4 / EPSILON, 4 / (3 * EPSILON))
    tables = [_table(_of_flags(q, scales, 1.0, 2)) for q in pair]

    def mechanism(q: Answers, size: int, rng: np.random.Generator) -> Floats:
        return np.concatenate([svt_3(q, size, rng, hits=2), svt_4(q, size, rng, hits=2)], axis=1)

    def loss(outputs: Floats) -> Floats:
        one, two = np.hsplit(outputs, 2)
        return np.asarray(values(one) + tables[0](two) - tables[1](two))

    return _simulated(pair, mechanism, loss)


def _rappor(pair: Pair, f: float, p: float = 0.0, q: float = 1.0) -> Masses:
    """The number of differing bits that agree with the first filter."""
    bits = int(np.abs(bloom_filter(int(pair[0][0])) - bloom_filter(int(pair[1][0]))).sum())
    agree = marginals(f, p, q)[1]
    k = np.arange(bits + 1)
    first = np.array([comb(bits, i) for i in k]) * agree**k * (1 - agree) ** (bits - k)
    return first, first[::-1]


LAWS: dict[str, Law] = {
    "Laplace": partial(_one_answer, scale=1 / EPSILON),
    "TruncatedGeometric": _truncated_geometric,
    "NoisyHist1": partial(_one_answer, scale=1 / EPSILON),
    "NoisyHist2": partial(_one_answer, scale=EPSILON),
    "ReportNoisyMax1": partial(_noisy_max_index, cdf=_laplace_cdf),
    "ReportNoisyMax2": partial(_noisy_max_index, cdf=_exponential_cdf),
    "ReportNoisyMax3": partial(_noisy_max_value, cdf=_laplace_cdf),
    "ReportNoisyMax4": partial(_noisy_max_value, cdf=_exponential_cdf),
    "SVT1": partial(_flags, scales=(2 / EPSILON, 4 / EPSILON), threshold=0.5),
    "SVT2": partial(_flags, scales=(2 / EPSILON, 4 / EPSILON)),
    "SVT3": _svt_3,
    "SVT4": partial(_flags, scales=(4 / EPSILON, 4 / (3 * EPSILON))),
    "SVT5": _svt_5,
    "SVT6": partial(_flags, scales=(2 / EPSILON, 2 / EPSILON), hits=None),
    "NumericalSVT": _numerical_svt,
    "PrefixSum": _prefix_sum,
    "OneTimeRappor": partial(_rappor, f=0.95),
    "Rappor": partial(_rappor, f=0.75, p=0.45, q=0.55),
    "LaplaceParallel": _laplace_parallel,
    "SVT34Parallel": _svt_34_parallel,
}
