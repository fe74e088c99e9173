"""Closed testing of averages, beside the definition over all sets of hypotheses."""

import itertools
import math

import numpy as np
import pytest

from dpaudit.statistical.closed_testing import log_mean, log_needed

ALPHA = 0.05


def rejected(e_values, index):
    """Whether the average over every set that holds a hypothesis reaches 1/α."""
    others = [j for j in range(len(e_values)) if j != index]
    sets = itertools.chain.from_iterable(
        itertools.combinations(others, k) for k in range(len(e_values))
    )
    return all(np.mean([e_values[j] for j in (index, *s)]) >= 1 / ALPHA for s in sets)


def test_what_is_needed_is_what_every_set_of_hypotheses_needs():
    rng = np.random.default_rng(0)
    for _ in range(300):
        e_values = np.exp(rng.normal(2, 2, rng.integers(1, 6)))
        for i, own in enumerate(e_values):
            needed = log_needed(np.log(np.delete(e_values, i)), ALPHA)
            assert rejected(e_values, i) == (math.log(own) >= needed)


def test_no_hypothesis_needs_more_than_bonferroni_asks():
    rng = np.random.default_rng(1)
    for _ in range(300):
        others = rng.normal(0, 5, rng.integers(0, 9))
        needed = log_needed(others, ALPHA)
        assert -math.log(ALPHA) <= needed <= math.log((len(others) + 1) / ALPHA)


def test_evidence_that_no_float_holds_is_averaged():
    assert log_needed([1e4, math.inf, -math.inf], ALPHA) == pytest.approx(math.log(2 / ALPHA))
    assert log_mean([1e4, -math.inf]) == pytest.approx(1e4 - math.log(2))
    assert log_mean([-math.inf, -math.inf]) == -math.inf
