"""Answers that are rounded to digits, and dicts whose items are asked, are followed in runs."""

import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpaudit import AddRemove, ApproxDP, Categorical, PureDP, Real, verify
from dpaudit.evidence import Verdict
from dpaudit.formal.balls import precision
from dpaudit.formal.lift import lift
from dpaudit.formal.trial.events import _hits
from dpaudit.formal.trial.execute import Trial
from dpaudit.formal.trial.outputs import released
from dpaudit.subject import Subject

WORDS = ["rain", "snow", "sun"]
TEXTS = AddRemove(Categorical(WORDS), container="list")


def words_that_occur(data, rng):
    tally = Counter(data)
    return {word: round(count + rng.laplace(), 1) for word, count in sorted(tally.items())}


def words_of_a_list(data, rng):
    tally = Counter(data)
    return {word: round(tally[word] + rng.laplace(), 1) for word in WORDS}


def frequent_words(data, rng):
    found = {}
    for word, count in Counter(data).items():
        noisy = count + rng.laplace()
        if noisy > 2:
            found[word] = round(noisy, 1)
    return found


def mean_of_ten(data, rng):
    return np.round(np.clip(data, 0, 10).sum() / 8 + rng.laplace(), 2)


def mean_of_ten_paid(data, rng):
    return np.round(np.clip(data, 0, 10).sum() / 8 + rng.laplace(scale=1.25), 2)


def mixed(data, rng):
    return round(0.25 + rng.laplace(), 1) if len(data) else 0.3


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (words_that_occur, PureDP(1.0), TEXTS),
        (frequent_words, ApproxDP(1.0, 1e-6), TEXTS),
        (mean_of_ten, PureDP(1.0), AddRemove(Real(0, 10))),
    ],
)
def test_rounded_answers_that_cost_too_much_are_refuted(mechanism, claim, neighbors):
    report = verify(mechanism, claim, neighbors, progress=False)
    assert report.verdict is Verdict.REFUTED, report.summary()


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(words_of_a_list, TEXTS), (mean_of_ten_paid, AddRemove(Real(0, 10)))],
)
def test_rounded_answers_that_are_paid_for_are_not(mechanism, neighbors):
    report = verify(mechanism, PureDP(1.0), neighbors, progress=False)
    assert report.verdict is not Verdict.REFUTED, report.summary()


def test_a_value_that_the_other_side_never_misses_is_counted_despite_its_rounding():
    """0.3 is no float: the draw that rounds to it must not be taken for another value."""
    with precision(160):
        (run,) = Trial(lift(Subject.of(mixed))).outcomes(np.ones(1), deadline=math.inf)
        chance = _hits(released(run), {0: Fraction(0.3)})
    exact = (1 - mpmath.exp(mpmath.mpf("-0.1"))) / 2  # of a draw between 0 and 0.1
    assert float(chance) == pytest.approx(float(exact), rel=1e-6)
