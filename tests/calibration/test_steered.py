"""Bets on steered noise: mechanisms exactly at their claim, with all of α on one pair.

`benchmarks/bench_false_alarms.py --kind steered` runs more of them. Where noise is not read the
bets are exact, and none is placed; so the laws here read theirs, and half of them keep their claim
by what noise from the middle does.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit import ApproxDP, Pairs, PureDP
from dpaudit.statistical.book import Stakes
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from dpaudit.trace.steered.steer import Steering
from tests.sweeps import repeated

LEVEL = 0.05
RUNS = repeated(4, full=12)  # for each law
CALLS = 400
SURE = 1e-4
RARE = 0.01


def response(answer, rng):
    return answer if float(rng.random()) < math.e / (1 + math.e) else 1 - answer


def whole_laplace(answer, rng):
    return float(round(answer + rng.laplace()))


def allowed_catastrophe(answer, rng):
    return 10.0 + answer if float(rng.random()) < RARE else answer + rng.laplace()


def middle(answer, rng):
    """One dataset says so for the smallest noise, the other for some in the middle."""
    u = float(rng.random())
    low = 0.0 if answer else 0.5
    return "rare" if low < u < low + (math.e if answer else 1.0) * RARE else "usual"


AT_THEIR_CLAIM = {
    "randomized response": (response, PureDP(1.0)),
    "Laplace, rounded": (whole_laplace, PureDP(1.0)),
    "a catastrophe of probability δ": (allowed_catastrophe, ApproxDP(1.0, RARE)),
    "a branch in the middle": (middle, PureDP(1.0)),
}


@pytest.fixture(scope="module")
def wealths():
    [pair] = Pairs([(1, 0)]).pairs(np.random.default_rng(0))
    found = {}
    for at, (name, (mechanism, claim)) in enumerate(AT_THEIR_CLAIM.items()):
        found[name] = []
        with Bench(Subject.of(mechanism)) as bench:
            for seed in range(RUNS):
                made = Steering(bench, pair, Stakes.of(claim), -math.log(LEVEL), (seed, at))
                made.run(CALLS)
                assert not made.refused
                found[name].append((made.rejects, made.wealth.log, len(made.wealth.rows)))
    return found


def test_steered_noise_is_no_false_alarm(wealths):
    """H0: each of 16 wealths, 48 in a full sweep, ever reaches 20 with probability at most .05.

    More than a binomial test at 1e-4 allows would come up with fresh seeds in less than one run of
    10,000.
    """
    alarms = [rejects for runs in wealths.values() for rejects, _, _ in runs]
    assert sum(alarms) <= binom.isf(SURE, len(alarms), LEVEL)
    assert sum(bets for runs in wealths.values() for *_, bets in runs) > 10 * RUNS


def test_wealth_has_mean_at_most_one(wealths):
    """H0: E[wealth] ≤ 1. Four standard errors above one would come up less than once in 10,000
    runs with fresh seeds, as far as the normal approximation goes."""
    last = np.exp([log for runs in wealths.values() for _, log, _ in runs])
    assert last.mean() <= 1 + 4 * last.std(ddof=1) / math.sqrt(len(last))
