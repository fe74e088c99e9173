"""Mechanisms exactly at their claim whose noise is steered, and what the bets on it do.

Half of them leave their noise unread, so that it is integrated; the others read it, so that bets
rest on weights of at most four. Rare branches pay for rare branches: what D' does with noise from
the middle is all that keeps the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit import ApproxDP, GaussianDP, Pairs, PureDP
from dpaudit.statistical.book import Stakes
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from dpaudit.trace.steered.steer import Steering

KEPT = math.e / (1 + math.e)
RARE = 1e-3


def gaussian(answer: int, rng: np.random.Generator) -> float:
    return answer + rng.normal()


def whole_laplace(answer: int, rng: np.random.Generator) -> float:
    return float(round(answer + rng.laplace()))


def response(answer: int, rng: np.random.Generator) -> int:
    return answer if rng.random() < KEPT else 1 - answer


def read_response(answer: int, rng: np.random.Generator) -> int:
    return answer if float(rng.random()) < KEPT else 1 - answer


def box_muller(answer: int, rng: np.random.Generator) -> float:
    radius = math.sqrt(-2 * math.log(1 - rng.random()))
    return answer + radius * math.cos(2 * math.pi * rng.random())


def allowed_catastrophe(answer: int, rng: np.random.Generator) -> float:
    return 10.0 + answer if float(rng.random()) < 0.01 else answer + rng.laplace()


def middle(answer: int, rng: np.random.Generator) -> str:
    """One dataset says so for the smallest noise, the other for some in the middle."""
    u = rng.random()
    if answer:
        return "rare" if u < math.e * RARE else "usual"
    return "rare" if 0.5 < u < 0.5 + RARE else "usual"


def read_middle(answer: int, rng: np.random.Generator) -> str:
    u = float(rng.random())
    if answer:
        return "rare" if u < math.e * RARE else "usual"
    return "rare" if 0.5 < u < 0.5 + RARE else "usual"


@dataclass(frozen=True, slots=True)
class Law:
    """A mechanism with the strongest claim that it keeps."""

    name: str
    mechanism: Callable[..., Any]
    claim: Any


LAWS = (
    Law("Gaussian", gaussian, GaussianDP(1.0)),
    Law("Laplace, rounded", whole_laplace, PureDP(1.0)),
    Law("randomized response", response, PureDP(1.0)),
    Law("randomized response, read", read_response, PureDP(1.0)),
    Law("Box-Muller", box_muller, GaussianDP(1.0)),
    Law("catastrophe of probability δ, read", allowed_catastrophe, ApproxDP(1.0, 0.01)),
    Law("a branch in the middle", middle, PureDP(1.0)),
    Law("a branch in the middle, read", read_middle, PureDP(1.0)),
)


def steered_audits(
    work: tuple[int, int], audits: int, calls: int, level: float
) -> list[tuple[bool, float, int, int]]:
    """Return (refuted, log e-value, pairs, calls) of audits by steered noise alone.

    Parameters
    ----------
    work : (int, int)
        Number of the law, and of the first seed.
    audits, calls : int
    level : float
        All of it is spent on the bets of the one pair, so that each alarm shows.
    """
    index, first = work
    law, found = LAWS[index], []
    [pair] = Pairs([(1, 0)]).pairs(np.random.default_rng(0))
    stakes, threshold = Stakes.of(law.claim), -math.log(level)
    with Bench(Subject.of(law.mechanism)) as bench:
        for seed in range(first, first + audits):
            before = bench.calls
            made = Steering(bench, pair, stakes, threshold, (seed, index))
            made.run(calls)
            if made.refused:
                raise RuntimeError(f"{law.name} was not steered: {made.refused}")
            found.append((made.rejects, made.wealth.log, 1, bench.calls - before))
    return found
