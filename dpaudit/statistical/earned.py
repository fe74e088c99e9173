"""What the streams of draws of one pair have earned, each by itself and all together.

A batch is drawn for one stream, and multiplies its wealth alone. So the product of wealths of
different streams is a fair game too, bet by bet, and has what violations earn that are seen in
every stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.statistical.one_sided import KINDS, SHARE, WEIGHTS

BOTH = 0.7  # of the capital of a bet on outputs of one side alone, which travels with every batch


@dataclass(frozen=True, slots=True, eq=False)
class Earned:
    """What one stream has earned (nats).

    Attributes
    ----------
    partitions : float
        By bets on partitions, fitted functions and curves.
    one_sided : ndarray of float, shape (bets,)
        By each bet on outputs of one side alone; all streams have the same bets.
    kinds : (float, float)
        The parts of their capital for tokens and for ends, the same in all streams.
    """

    partitions: float
    one_sided: Floats
    kinds: tuple[float, float] = KINDS

    @property
    def alone(self) -> float:
        """What the stream has earned, by itself."""
        return together([self])

    @property
    def by_one_side(self) -> float:
        """What bets on outputs of one side alone have earned."""
        return float(log_sum_exp(self.one_sided + self.log_weights))

    @property
    def log_weights(self) -> Floats:
        """The logs of the parts of the capital of bets on outputs of one side alone."""
        return _log_weights(len(self.one_sided), self.kinds)


@lru_cache(maxsize=64)
def _log_weights(bets: int, of_kinds: tuple[float, float]) -> Floats:
    claims = bets // (len(of_kinds) * len(WEIGHTS))
    kinds = np.repeat(of_kinds, claims * len(WEIGHTS)) / claims
    weights: Floats = np.log(kinds * np.tile(WEIGHTS, bets // len(WEIGHTS)))
    return weights


def together(streams: Sequence[Earned]) -> float:
    """Return the log wealth of a pair by all of its streams.

    Each bet on outputs of one side alone has most of its capital on what it earns in all streams:
    such an output is one in every stream, and to find which bet wins costs its nats once.
    """
    bets, shares = [each.one_sided for each in streams], [1.0]
    if len(streams) > 1:
        shares = [(1 - BOTH) / len(streams)] * len(streams) + [BOTH]
        bets.append(np.sum(bets, axis=0))
    weights = streams[0].log_weights
    mixed = [np.log(s) + b + weights for s, b in zip(shares, bets, strict=True)]
    one_sided = float(log_sum_exp(np.concatenate(mixed)))
    partitions = either_or_both([each.partitions for each in streams])
    total = np.logaddexp(np.log1p(-SHARE) + partitions, np.log(SHARE) + one_sided)
    if np.isnan(total):
        raise ArithmeticError("the wealth is NaN")
    return float(total)


def either_or_both(logs: Sequence[float]) -> float:
    """Return the log of the average of some wealths and of their product."""
    if len(logs) == 1:
        return logs[0]
    every = np.array([*logs, sum(logs)])
    return float(log_sum_exp(every) - np.log(len(every)))
