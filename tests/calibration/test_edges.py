"""Thresholds at the ends of the outputs: at the claim they are no false alarm.

The bet is played by itself, with all of its capital, on batches as within an audit. Between them
come coupled draws, which are not bet on and say where to bet next. H0: the wealth is a test
supermartingale, so that it ever reaches 1/α with probability at most α.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit.outputs import Columns, encode_rows
from dpaudit.statistical.edges import Edges
from tests.sweeps import repeated

LEVEL, SURE, EPSILON = 0.05, 1e-4, 1.0
RUNS = repeated(20, full=400)  # of each law
BATCHES = (32, 24, 4, 30, 50, 80, 6, 130, 200, 300)
LIKELY = math.e / (1 + math.e)


def laplace(x, size, rng):
    """Both tails are as uneven as the claim allows, and far outputs come on any side."""
    return x + rng.laplace(size=size)


def geometric(x, size, rng):
    ratio = math.exp(-1)
    return x + rng.geometric(1 - ratio, size) - rng.geometric(1 - ratio, size)


def uneven_ends(x, size, rng):
    """A tenth at either end comes e times as often from one side as from the other."""
    mine = rng.random(size) < LIKELY
    beyond = np.where(mine, 2 * x - 1, 1 - 2 * x) * (1 + rng.random(size))
    return np.where(rng.random(size) < 0.2, beyond, rng.random(size) - 0.5)


def randomized_response(x, size, rng):
    return np.where(rng.random(size) < LIKELY, x, 1 - x).astype(float)


def uneven_at_every_scale(x, size, rng):
    """Every third of a dyadic scale at either end is uneven, by turns for one side and the other."""
    depth = 3 * rng.geometric(0.5, size) + rng.integers(0, 3, size)
    up = np.where(rng.random(size) < LIKELY, x, 1 - x) == depth % 2
    return np.where(up, 1, -1) * (depth + rng.random(size))


def ties_and_what_is_no_number(x, size, rng):
    """The ends are infinite and NaN comes too, all of them as uneven as the claim allows."""
    mine = rng.random(size) < LIKELY
    ends = np.array([[np.inf, -np.inf, np.nan], [-np.inf, np.inf, np.nan]])
    rare = ends[np.where(mine, x, 1 - x), rng.integers(0, 3, size)]
    return np.where(rng.random(size) < 0.3, rare, rng.integers(0, 3, size))


def no_difference(x, size, rng):
    return rng.normal(size=size)


LAWS = (
    laplace,
    geometric,
    uneven_ends,
    randomized_response,
    uneven_at_every_scale,
    ties_and_what_is_no_number,
    no_difference,
)


def played(law, key):
    """Return the wealth after each batch, against the claim or, of no difference, against ε = 0."""
    rng, edges, past = np.random.default_rng(key), Edges(), [Columns(0), Columns(0)]
    wealth = []
    for number, size in enumerate(BATCHES):
        if number % 3 == 2:
            seed = rng.integers(2**32)
            new = [encode_rows(law(x, size, np.random.default_rng(seed))) for x in (0, 1)]
        else:
            labels = rng.integers(0, 2, size).astype(np.uint8)
            sides = [law(x, size, rng) for x in (0, 1)]
            outputs = encode_rows(np.where(labels == 1, sides[1], sides[0]))
            edges.add(outputs, labels, *past)
            new = [outputs.take(labels == x) for x in (0, 1)]
        past = [Columns.concat([old, each]) for old, each in zip(past, new, strict=True)]
        wealth.append(math.exp(edges.log_wealth(0.0 if law is no_difference else EPSILON)))
    return wealth


@pytest.fixture(scope="module")
def wealths():
    return np.array([[played(law, (at, i)) for i in range(RUNS)] for at, law in enumerate(LAWS)])


def test_ends_that_the_claim_allows_are_no_false_alarm(wealths):
    """Per law, a binomial test at 1e-4: with fresh seeds less than one run of 2,000 fails."""
    alarms = (wealths.max(axis=-1) >= 1 / LEVEL).sum(axis=-1)
    assert np.all(alarms <= binom.isf(SURE, RUNS, LEVEL))


def test_wealth_has_mean_at_most_one(wealths):
    """Four standard errors above one would come up less than once in 10,000 runs."""
    last = wealths[..., -1].ravel()
    assert last.mean() <= 1 + 4 * last.std(ddof=1) / math.sqrt(len(last))
