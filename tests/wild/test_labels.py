"""The labels of the wild set hold: each is compared with what the code really does."""

from __future__ import annotations

import inspect
import logging
import math
import random

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from dpaudit import ApproxDP, GaussianDP, PureDP
from dpaudit.neighbors import Pair
from tests.sweeps import repeated, sampled
from tests.wild.cases import CASES

RUNS = repeated(750, full=1_500)
LEVEL = 1e-6
BROKEN = [case for case in CASES if not case.sound]


def named(case):
    return case.name


def exceeds(claim, p, q):
    """Whether (p, q) lies outside of what a claim allows, by the definition of its family."""
    match claim:
        case PureDP():
            return p > math.exp(claim.epsilon) * q
        case ApproxDP():
            return p > math.exp(claim.epsilon) * q + claim.declared_delta
        case GaussianDP():
            return 1 - p < norm.cdf(norm.isf(q) - claim.mu)
    raise AssertionError(claim)


def ran(case, data, generator):
    """Return the output, or the exception, or what was logged."""
    texts = []
    handler = logging.Handler()
    handler.emit = lambda record: texts.append(record.getMessage())
    logger = logging.getLogger(inspect.getmodule(case.mechanism).__name__)
    logged = not case.sound and case.label.logged
    if logged:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    takes_rng = "rng" in inspect.signature(case.mechanism).parameters
    try:
        out = case.mechanism(data, generator) if takes_rng else case.mechanism(data)
    except Exception as error:
        out = error
    finally:
        if logged:
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)
    return "\n".join(texts) if logged else out


def test_there_are_enough_cases_of_either_kind_and_each_has_its_own_name():
    assert len(CASES) >= 80
    assert len(CASES) * 2 // 5 <= len(BROKEN) <= len(CASES) * 3 // 5
    assert len({case.name for case in CASES}) == len(CASES)


def test_the_reason_is_given():
    for case in CASES:
        if case.sound:
            assert len(case.label.split()) >= 2, case.name
        else:
            assert case.label.cause in case.source, case.name


@pytest.mark.parametrize("case", BROKEN, ids=named)
def test_the_datasets_are_neighbors_and_the_event_breaks_the_claim(case):
    label = case.label
    assert exceeds(case.claim, label.p, label.q)
    if hasattr(case.neighbors, "contains"):
        one_way = Pair(label.left, label.right, "label")
        other_way = Pair(label.right, label.left, "label")
        assert case.neighbors.contains(one_way) or case.neighbors.contains(other_way)


@pytest.mark.parametrize("case", sampled(BROKEN, 2), ids=named)
def test_the_event_is_as_likely_as_the_label_says(case):
    """H0: the probabilities are those of the label; with a fresh seed 1 in 5,000 runs fails."""
    label = case.label
    np.random.seed(7)
    random.seed(7)
    generator = np.random.default_rng(7)
    for data, chance in ((label.left, label.p), (label.right, label.q)):
        seen = sum(bool(label.event(ran(case, data, generator))) for _ in range(RUNS))
        chance = min(max(chance, 1e-12), 1 - 1e-12)
        assert binomtest(seen, RUNS, chance).pvalue > LEVEL, (seen / RUNS, chance)
