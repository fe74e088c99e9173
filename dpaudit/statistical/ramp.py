"""Bets on labels whose log-odds follow the curve of two laws of one family along an order.

A tree (see `label`) learns any posterior, and pays for each cell that it tells from the next. Most
violations have a plainer shape: the same noise about two answers, or noise of two scales. For two
such laws the log-odds are a function of the quantiles of their even mixture, whatever the unit of
the outputs, and cells of known mass have such quantiles. A few curves of that kind need not learn
the cells one by one.

The quantiles are estimated, and better ones come with more draws. So cells are made anew from time
to time, and each bet goes on in the new ones with what it has earned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.statistical.partition import Cells, DistancePartition, OutcomePartition, Partition

Counts = NDArray[np.int64]

SHARE = 0.4  # of the capital of a stream of labels
EMPTY = 0.2  # outputs are taken to be in a cell without any: of few, none is not never
HEAVY = 0.5  # exponent of tails that fall like a power
REACH = 30.0  # −log of the probability beyond which a law has no points

# (family, part of the capital, log-odds of a shift beyond those of the claim)
SHIFTS = (
    ("laplace", 0.06, 0.03),
    ("laplace", 0.06, 0.1),
    ("laplace", 0.07, 0.3),
    ("laplace", 0.16, 1.0),
    ("normal", 0.03, 0.2),
    ("normal", 0.03, 0.6),
    ("heavy", 0.14, 0.6),
)
# (family, part of the capital, ratio of two scales); noise in inverse proportion to a number of
# records has the scales 1 and 1/2 on the smallest datasets.
SCALES = (("laplace", 0.07, 1.4), ("laplace", 0.21, 2.0), ("laplace", 0.07, 4.0))


@dataclass(frozen=True, slots=True)
class Family:
    """A symmetric law about 0.

    Attributes
    ----------
    log_density : callable
        Up to a constant.
    tail : callable
        Probability beyond points that are not below 0.
    beyond : callable
        The point that has about e^(−t) beyond it.
    apart : callable
        Distance of two answers whose log-odds are at most, or typically, as large as is asked.
    """

    log_density: Callable[[Floats], Floats]
    tail: Callable[[Floats], Floats]
    beyond: Callable[[Floats], Floats]
    apart: Callable[[float], float]

    def cumulative(self, z: Floats) -> Floats:
        """Return the probability below each point."""
        tail = self.tail(np.abs(z))
        return np.where(z < 0, tail, 1 - tail)


def _normal_tail(z: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(-z), dtype=float)


FAMILIES = {
    "laplace": Family(
        lambda z: -np.abs(z), lambda z: np.exp(-z) / 2, lambda t: t, lambda odds: odds
    ),
    "normal": Family(
        lambda z: -(z**2) / 2, _normal_tail, lambda t: np.sqrt(2 * t), lambda odds: odds
    ),
    "heavy": Family(
        lambda z: -(1 + HEAVY) * np.log1p(np.abs(z)),
        lambda z: (1 + z) ** -HEAVY / 2,
        lambda t: np.expm1(t / HEAVY),
        lambda odds: float(np.expm1(min(odds, REACH) / (1 + HEAVY))),
    ),
}


@cache
def _points(family: str) -> Floats:
    """Return points from one end of a law to the other."""
    out = FAMILIES[family].beyond(REACH * np.linspace(0, 1, 81)[1:] ** 1.5)
    return np.concatenate([-out[::-1], [0.0], out])


def _shift(family: str, odds: float, places: Floats) -> Floats:
    """Return the log-odds of the larger of two answers at quantiles of the even mixture."""
    law, points = FAMILIES[family], _points(family)
    half = law.apart(odds) / 2
    z = np.sort(np.concatenate([points - half, np.linspace(-half, half, 9), points + half]))
    mixture = (law.cumulative(z - half) + law.cumulative(z + half)) / 2
    curve = law.log_density(z - half) - law.log_density(z + half)
    return np.asarray(np.interp(places, mixture, curve))


@lru_cache(maxsize=256)
def _scale(family: str, ratio: float, places: bytes) -> Floats:
    """Return the log-odds of the larger of two scales, by quantiles of the distance from 0."""
    law = FAMILIES[family]
    z = law.beyond(REACH * np.linspace(0, 1, 200) ** 1.5) * ratio
    mixture = 1 - law.tail(z) - law.tail(z / ratio)
    curve = law.log_density(z / ratio) - law.log_density(z) - np.log(ratio)
    return np.asarray(np.interp(np.frombuffer(places), mixture, curve))


@lru_cache(maxsize=512)
def _payoffs(epsilon: float, places: bytes, distances: bool) -> Floats:
    """Return the log payoff of labels 0 and 1 in each place, shape (2 * places, bets)."""
    if distances:
        curves = [_scale(family, ratio, places) for family, _, ratio in SCALES]
    else:
        at = np.frombuffer(places)
        curves = [_shift(family, epsilon + excess, at) for family, _, excess in SHIFTS]
    odds = np.stack(curves + [-curve for curve in curves], axis=1)
    allowed = np.clip(odds, -epsilon, epsilon)  # log r/π*, r being the posterior that is bet
    zero = np.logaddexp(0, allowed) - np.logaddexp(0, odds)
    one = np.logaddexp(0, -allowed) - np.logaddexp(0, -odds)
    return np.concatenate([zero, one])


def _log_weights() -> list[Floats]:
    """Return the logs of the parts of the bets on shifts, and of those on scales."""
    kinds = [np.array([weight for _, weight, _ in kind]) for kind in (SHIFTS, SCALES)]
    total = sum(float(kind.sum()) for kind in kinds)
    return [np.log(np.tile(kind, 2) / (2 * total)) for kind in kinds]


@dataclass(slots=True)
class Period:
    """An order of cells that curves followed for a while, and what came meanwhile."""

    partition: Partition
    order: Cells
    places: bytes  # quantiles of the cells, in that order
    counts: Counts

    @property
    def distances(self) -> bool:
        """Whether the order is by the distance from a center."""
        return isinstance(self.partition, DistancePartition)


class Curves:
    """Curves along orders of cells that are made anew from time to time."""

    def __init__(self) -> None:
        self.periods: list[Period] = []
        self._now: list[Period] = []

    def follow(self, partitions: Sequence[Partition], sample: Columns) -> None:
        """Follow partitions from here on: at most one by values, and one by distances.

        They may be made from the unlabelled outputs of the draws to be counted next.

        Parameters
        ----------
        partitions : sequence of Partition
            Of each the first order is followed; of outcomes the last, which is learned if any is.
        sample : Columns
            Outputs that the partitions were made from.
        """
        self._now = []
        for partition in partitions:
            order = partition.orders[-1 if isinstance(partition, OutcomePartition) else 0]
            cells = partition.cells
            held = np.bincount(partition.assign(sample), minlength=cells)[order] + EMPTY
            places = (held.cumsum() - held / 2) / held.sum()
            counts = np.zeros((2, cells), dtype=np.int64)
            self._now.append(Period(partition, order, places.tobytes(), counts))
        self.periods += self._now

    def add_labelled(self, outputs: Columns, labels: NDArray[np.uint8]) -> None:
        """Count outputs with their labels."""
        for period in self._now:
            cells = period.partition.cells
            flat = labels.astype(np.intp) * cells + period.partition.assign(outputs)
            period.counts += np.bincount(flat, minlength=2 * cells).reshape(2, cells)

    def log_wealth(self, epsilon: float) -> float:
        """Return the log wealth of the mixture of curves against ε-DP."""
        earned = _log_weights()
        for period in self.periods:
            counts = period.counts[:, period.order].ravel().astype(float)
            payoffs = _payoffs(epsilon, period.places, period.distances)
            earned[period.distances] += counts @ payoffs
        return float(log_sum_exp(np.concatenate(earned)))
