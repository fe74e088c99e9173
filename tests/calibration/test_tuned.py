"""Functions fitted to past pairs of draws: where the claim just holds, they are no false alarm.

The fitted functions are played by themselves here, with all of the capital, on draws that come in
batches, coupled and independent ones; and they are bet on even where luck explains them, which an
audit would not do. H0: each wealth is a test supermartingale, so that it ever reaches 1/α with
probability at most α.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit import ApproxDP, PureDP
from dpaudit.outputs import encode_rows
from dpaudit.statistical import tuned
from dpaudit.statistical.book import Book, PairsOfDraws, Stakes
from dpaudit.statistical.features import plain_partitions
from dpaudit.statistical.tuned import Tuned

LEVEL = 0.05
RUNS = 20  # for each law and each way of drawing
BATCHES = [200 + 100 * i for i in range(9)]
SURE = 1e-4
P = 0.05


def laplace(x, size, rng):
    return x + rng.laplace(scale=10.0, size=size)


def opposite(x, size, rng):
    """The same law as above; a common seed moves the two sides against each other."""
    return x + (1 - 2 * x) * rng.laplace(scale=10.0, size=size)


def randomized_response(x, size, rng):
    return np.where(rng.random(size) < math.e / (1 + math.e), x, 1 - x)


def three_outcomes(x, size, rng):
    """The middle one is alike on both sides, the others are at the claim."""
    wide = math.exp(0.1)
    answer = np.where(rng.random(size) < wide / (1 + wide), 2 * x, 2 - 2 * x)
    return np.where(rng.random(size) < 0.8, 1, answer)


def geometric(x, size, rng):
    return x + rng.geometric(1 - math.exp(-1), size) - rng.geometric(1 - math.exp(-1), size)


def catastrophe(x, size, rng):
    return np.where(rng.random(size) < P, 10 + x, rng.integers(0, 3, size))


AT_THEIR_CLAIM = {
    "Laplace": (laplace, PureDP(0.1)),
    "Laplace, opposite noise": (opposite, PureDP(0.1)),
    "randomized response": (randomized_response, PureDP(1.0)),
    "three outcomes": (three_outcomes, PureDP(0.1)),
    "geometric": (geometric, PureDP(1.0)),
    "a catastrophe of probability δ": (catastrophe, ApproxDP(0.0, P)),
}


def played(law, claim, way, key):
    """Return the wealth after each batch of fitted functions alone."""
    stakes, book = Stakes.of(claim), Book(PairsOfDraws(), None, Tuned())
    wealth = []
    for batch, size in enumerate(BATCHES):
        seeds = [[*key, batch, 0], [*key, batch, 0 if way == "coupled" else 1]]
        sides = [encode_rows(law(x, size, np.random.default_rng(seeds[x]))) for x in (0, 1)]
        if batch:
            book.add_pairs(*sides)
            book.tune(stakes)
        else:
            book.join([(p, None) for p in plain_partitions(sides[0], 12)], 1.0)
        wealth.append(math.exp(book.tuned.log_wealth(*stakes.half_plane)))
    return wealth, len(book.tuned.periods)


@pytest.fixture(scope="module")
def wealths():
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuned, "LUCK", 0.0)
        for at, (name, (law, claim)) in enumerate(AT_THEIR_CLAIM.items()):
            for way in ("coupled", "independent"):
                runs = [played(law, claim, way, (seed, at, len(way))) for seed in range(RUNS)]
                assert sum(periods for _, periods in runs) >= RUNS  # something was bet on
                found[name, way] = np.array([wealth for wealth, _ in runs])
    return found


def test_functions_that_luck_shaped_are_no_false_alarm(wealths):
    """H0: each of 240 wealths ever reaches 20 with probability at most .05. More than a binomial
    test at 1e-4 allows would come up with fresh seeds in less than one run of 10,000."""
    alarms = np.concatenate([one.max(axis=1) >= 1 / LEVEL for one in wealths.values()])
    assert alarms.sum() <= binom.isf(SURE, len(alarms), LEVEL)


@pytest.mark.parametrize("name", AT_THEIR_CLAIM)
def test_no_law_is_a_false_alarm_by_itself(wealths, name):
    """H0 as above for the runs of one law."""
    own = [one for (law, _), one in wealths.items() if law == name]
    alarms = np.concatenate([one.max(axis=1) >= 1 / LEVEL for one in own])
    assert alarms.sum() <= binom.isf(SURE, len(alarms), LEVEL)


def test_wealth_has_mean_at_most_one(wealths):
    """H0: E[wealth] ≤ 1. Four standard errors above one would come up less than once in 10,000
    runs with fresh seeds, as far as the normal approximation goes."""
    last = np.concatenate([one[:, -1] for one in wealths.values()])
    assert last.mean() <= 1 + 4 * last.std(ddof=1) / math.sqrt(len(last))
