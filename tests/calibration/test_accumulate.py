"""Nights that add up: where the claim just holds, a row of nights is no false alarm.

`benchmarks/bench_accumulate.py` plays more of them. H0: the wealth of all nights together is
a test supermartingale, so that a row of nights is ever refuted with probability at most α.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit import GaussianDP, Pairs, PureDP, vectorized
from dpaudit.evidence import Budget
from dpaudit.statistical.nightly import take_up
from dpaudit.statistical.race import Race
from dpaudit.subject import Subject
from dpaudit.worker import InPlace
from tests.nights import Kept
from tests.sweeps import repeated

LEVEL = 0.05
ROWS, NIGHTS, CALLS = repeated(4, full=8), 5, 240
SURE = 1e-4


@vectorized
def laplace(x, size, rng):
    return x + rng.laplace(size=size)


@vectorized
def gaussian(x, size, rng):
    return x + rng.normal(size=size)


@vectorized
def response(x, size, rng):
    return np.where(rng.random(size) < math.e / (1 + math.e), x, 1 - x)


AT_THEIR_CLAIM = {
    "Laplace": (laplace, PureDP(1.0)),
    "Gaussian": (gaussian, GaussianDP(1.0)),
    "randomized response": (response, PureDP(1.0)),
}


def row_of_nights(mechanism, claim, row):
    """Return whether a row of nights is ever refuted, and its e-value in the end."""
    subject, memory, evidence = Subject.of(mechanism), Kept(), 0.0
    streams = ("label", "coupled") if isinstance(claim, PureDP) else ("coupled", "independent")
    for memory.night in range(1, NIGHTS + 1):
        budget = Budget(LEVEL, CALLS, None, row * NIGHTS + memory.night)
        race = Race(subject, claim, Pairs([(0, 1)]), budget, InPlace(subject), streams, None)
        take_up(race, memory, ())
        [entry] = race.entries or [race.enter(next(race.proposals), 0.98)]
        turn = memory.night
        while race.room >= 2 and not race.settled:
            evidence = race.draw(entry, streams[turn % 2], race.room)
            turn += 1
        if race.settled:
            break
    return race.settled, math.exp(evidence)


@pytest.mark.parametrize("law", AT_THEIR_CLAIM)
def test_rows_of_nights_of_a_mechanism_at_its_claim_are_no_false_alarms(law):
    """Fails with a fresh seed at most once in 10,000."""
    found = [row_of_nights(*AT_THEIR_CLAIM[law], row) for row in range(ROWS)]
    alarms = sum(refuted for refuted, _ in found)
    assert alarms <= binom.isf(SURE, ROWS, LEVEL), f"{alarms} of {ROWS} rows of {NIGHTS} nights"
