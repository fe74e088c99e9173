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
from tests.calibration.edge_laws import EPSILON, LAWS, no_difference
from tests.sweeps import repeated

LEVEL, SURE = 0.05, 1e-4
RUNS = repeated(20, full=400)  # of each law
BATCHES = (32, 24, 4, 30, 50, 80, 6, 130, 200, 300)


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
