"""Laws exactly at their claim that are audited in tiers, with sizes so small that all tiers play.

Their noise can be steered, and what a trace tells of some suspects them, so that traces, steered
noise and sampling all work in later tiers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from dpaudit import AddRemove, Pairs, PureDP, QueryAnswers, Real, Verdict, tiers
from dpaudit.auditor import audit_in_stages
from dpaudit.staged import Limit
from dpaudit.trace import engine
from dpaudit.trace.steered import conclude
from mechanisms.noisy_max import report_noisy_max_exponential

RARE = 0.01
CALLS = 2_400  # three tiers, which end after 200 calls, 800 and what is left


def whole_laplace(answer: float, rng: np.random.Generator) -> float:
    return float(round(answer + rng.laplace()))


def response(answer: int, rng: np.random.Generator) -> int:
    return answer if float(rng.random()) < math.e / (1 + math.e) else 1 - answer


def middle(answer: int, rng: np.random.Generator) -> str:
    """One dataset says so for the smallest noise, the other for some in the middle."""
    u = float(rng.random())
    low = 0.0 if answer else 0.5
    return "rare" if low < u < low + (math.e if answer else 1.0) * RARE else "usual"


def count(data: Any, rng: np.random.Generator) -> float:
    return len(data) + float(rng.laplace())


ONE_PAIR = Pairs([(0, 1)])
LAWS = {
    "Laplace, rounded": (whole_laplace, PureDP(1.0), ONE_PAIR),
    "randomized response": (response, PureDP(1.0), ONE_PAIR),
    "a branch in the middle": (middle, PureDP(1.0), ONE_PAIR),
    "Laplace count": (count, PureDP(1.0), AddRemove(Real(0, 1), max_size=4)),
    "report noisy max": (report_noisy_max_exponential, PureDP(1.0), QueryAnswers(4)),
}


@dataclass(frozen=True, slots=True)
class Played:
    """What an audit in tiers found.

    Attributes
    ----------
    refuted : bool
    tiers : int
        Those that are complete.
    traced : int
        Those in which traces or steered noise made calls.
    calls : int
    """

    refuted: bool
    tiers: int
    traced: int
    calls: int


@contextmanager
def small_tiers() -> Iterator[None]:
    """Let tiers have sizes that a test can afford."""
    with (
        patch.multiple(tiers, FIRST=200),
        patch.multiple(engine, FIRST_PAIRS=4),
        patch.multiple(conclude, TIER_CALLS=300),
    ):
        yield


def played(name: str, seed: int, alpha: float, calls: int = CALLS) -> Played:
    """Audit a law by traces and sampling, tier by tier, and with an α that lets alarms show.

    Parameters
    ----------
    name : str
        Of the law.
    seed : int
    alpha : float
    calls : int
    """
    mechanism, claim, neighbors = LAWS[name]
    given = {"engines": ["trace", "statistical"], "max_calls": calls, "max_seconds": None}
    with small_tiers():
        found = list(
            audit_in_stages(
                mechanism, claim, neighbors, Limit(), lambda progress: None, alpha=alpha, seed=seed,
                **given,
            )
        )  # fmt: skip
    traced = [stage.report.evidence[0].calls for stage in found]
    last = found[-1]
    return Played(
        last.report.verdict is Verdict.REFUTED, last.tier, len(set(traced)), last.report.calls
    )
