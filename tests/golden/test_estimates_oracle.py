"""Epsilon from error rates against published figures for Clopper–Pearson limits."""

import math

import pytest

from dpaudit.estimates.rates import epsilon_from_rates

# True positives, false negatives, false positives, true negatives; δ; ε lower and upper.
ORACLE = [
    ((900, 100, 100, 900), 0.0, 1.989706, 2.414080),
    ((990, 10, 10, 990), 0.0, 3.981648, 5.333175),
    ((9000, 1000, 1000, 9000), 1e-5, 2.131761, 2.263537),
    ((100, 900, 1, 999), 0.0, 2.692598, 8.466148),
    ((100, 0, 0, 100), 1e-5, 3.281336, math.inf),
    ((73106, 26894, 26894, 73106), 0.0, 0.986015, 1.014022),
]


@pytest.mark.parametrize(("counts", "delta", "low", "high"), ORACLE)
def test_epsilon_from_rates_agrees_to_six_digits(counts, delta, low, high):
    found = epsilon_from_rates(*counts, delta=delta)
    assert found.low == pytest.approx(low, abs=6e-7)
    assert found.high == pytest.approx(high, abs=6e-7)


def test_exchanging_the_datasets_changes_nothing():
    tp, fn, fp, tn = 100, 900, 1, 999
    assert epsilon_from_rates(tp, fn, fp, tn) == epsilon_from_rates(tn, fp, fn, tp)


def test_rates_at_any_time_are_wider():
    fixed = epsilon_from_rates(900, 100, 100, 900)
    anytime = epsilon_from_rates(900, 100, 100, 900, method="anytime")
    assert 0 < anytime.low < fixed.low < fixed.high < anytime.high


def test_equal_rates_show_no_epsilon():
    assert epsilon_from_rates(50, 50, 50, 50).low == 0.0


def test_a_test_worse_than_chance_shows_the_same_at_most_as_the_reversed_one():
    worse, better = epsilon_from_rates(100, 900, 900, 100), epsilon_from_rates(900, 100, 100, 900)
    assert worse.low == 0.0
    assert worse.high == pytest.approx(better.high, abs=1e-9)
    assert worse.high > math.log(9)


@pytest.mark.parametrize(
    ("counts", "delta", "said"),
    [((-1, 1, 1, 1), 0.0, "pass a count"), ((0, 0, 1, 1), 0.0, "needs a draw"),
     ((1, 1, 1, 1), 1.0, "delta")],
)  # fmt: skip
def test_impossible_rates_are_refused(counts, delta, said):
    with pytest.raises(ValueError, match=said):
        epsilon_from_rates(*counts, delta=delta)
