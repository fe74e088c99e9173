"""One training run: the papers' bounds, the worst mechanisms there are, and what is refused."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity, vstack
from scipy.stats import binom

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    TradeOff,
    ZeroConcentratedDP,
)
from dpaudit.estimates.one_run import (
    binomial_p_value,
    one_run,
    recursive_p_value,
    worst_p_value,
)
from dpaudit.estimates.one_run.audit import epsilon_at
from dpaudit.estimates.one_run.pvalues import least_level, rejects
from dpaudit.estimates.one_run.rules import declared_rules, ranked_coins, single_rule

# (canaries, guesses, correct), epsilon, delta
CASES = [
    ((20, 20, 15), 0.5, 0.0),
    ((20, 20, 18), 1.0, 1e-2),
    ((20, 10, 9), 1.0, 1e-2),
    ((5, 5, 5), 0.5, 0.05),
    ((5, 3, 3), 0.1, 0.01),
    ((3, 3, 2), 0.5, 0.05),
    ((50, 50, 30), 0.1, 0.02),
    ((60, 20, 17), 0.7, 1e-3),
    ((60, 60, 40), 0.0, 0.0),
]
LIKELY = [((2, 2, 1), 1.0, 0.01), ((40, 40, 30), 1.0, 1e-4), ((6, 6, 3), 4.0, 1e-4)]


def worst_probability(counts, claims):
    """Return the largest Pr[correct >= v] of any mechanism that keeps (epsilon, delta) claims.

    Turning coins and permuting canaries changes neither the claim nor the count, so that mechanisms
    that respect both are among the worst; such a one is a distribution p of the count. Turning one
    coin carries mass j p_j / m (right guesses) to where (r − j + 1) p_(j−1) / m was (wrong ones).
    """
    m, r, v = counts
    j = np.arange(1, r + 1)
    right = csr_matrix((j / m, (j - 1, j)), shape=(r, r + 1))
    wrong = csr_matrix(((r - j + 1) / m, (j - 1, j - 1)), shape=(r, r + 1))
    rows, limits, size = [], [], r + 1 + 2 * r * len(claims)
    for k, (epsilon, delta) in enumerate(claims):
        for side, (one, other) in enumerate([(right, wrong), (wrong, right)]):
            excess = [csr_matrix((r, r))] * (2 * len(claims))
            excess[2 * k + side] = -identity(r)
            rows.append(hstack([one - math.exp(epsilon) * other, *excess]))
            limits += [0.0] * r
        total = np.zeros(size)
        total[r + 1 + 2 * k * r : r + 1 + 2 * (k + 1) * r] = 1
        rows.append(csr_matrix(total))
        limits.append(delta)
    aim, mass = np.zeros(size), np.zeros(size)
    aim[v : r + 1], mass[: r + 1] = -1, 1
    found = linprog(aim, vstack(rows).tocsr(), limits, csr_matrix(mass), [1.0], method="highs")
    assert found.status == 0
    return -found.fun


def test_the_bound_is_the_one_that_the_paper_prints():
    """Appendix D and section 7 of Steinke, Nasr & Jagielski print .673 and 2.675."""
    cases = [((75, 100, 1000), 1e-4, 0.673), ((1439, 1510, 10**5), 1e-5, 2.675)]
    for counts, delta, printed in cases:
        low, high = 0.0, 10.0
        for _ in range(40):
            middle = (low + high) / 2
            if binomial_p_value(*counts, middle, delta) < 0.05:
                low = middle
            else:
                high = middle
        assert low == pytest.approx(printed, abs=1e-3)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0, 8.0])
def test_without_delta_the_p_value_is_the_binomial_tail(epsilon):
    truth = 1 / (1 + math.exp(-epsilon))
    for v in (0, 1, 7, 19, 20):
        expected = binom.sf(v - 1, 20, truth)
        assert binomial_p_value(v, 20, 40, epsilon) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("counts", "epsilon", "delta"), CASES)
def test_no_mechanism_at_all_beats_any_p_value(counts, epsilon, delta):
    m, r, v = counts
    worst = worst_probability(counts, [(epsilon, delta)])
    claim = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    assert binomial_p_value(v, r, m, epsilon, delta) >= worst - 1e-6
    assert recursive_p_value(v, r, m, claim) >= worst - 1e-6
    if delta == 0:
        assert binomial_p_value(v, r, m, epsilon) == pytest.approx(worst, abs=1e-6)


@pytest.mark.parametrize(("counts", "epsilon", "delta"), CASES + LIKELY)
def test_the_worst_p_value_is_what_the_worst_mechanism_attains(counts, epsilon, delta):
    m, r, v = counts
    worst = worst_probability(counts, [(epsilon, delta)])
    assert worst_p_value(v, r, m, epsilon, delta) == pytest.approx(worst, abs=2e-6)


def test_a_mechanism_exceeds_the_published_p_value_of_likely_counts():
    """Two coins; (1, .01)-DP holds with equality, checked event by event."""
    epsilon, delta = 1.0, 0.01
    odds = math.exp(epsilon)
    none = (1 - (2 + odds) * delta) / (1 + odds) ** 2
    one = odds * none + delta
    by_count = np.array([none, one, odds * one])
    coins = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
    law = by_count[(coins[:, None] == coins[None, :]).sum(axis=2)]
    assert law.sum(axis=1) == pytest.approx(1.0)
    for i in range(4):
        for j in range(4):
            if (coins[i] != coins[j]).sum() == 1:
                assert np.maximum(law[i] - odds * law[j], 0).sum() <= delta + 1e-12
    assert 1 - none > binomial_p_value(1, 2, 2, epsilon, delta) + 5e-4
    assert worst_p_value(1, 2, 2, epsilon, delta) == pytest.approx(1 - none, abs=1e-8)


def test_where_the_binomial_tail_is_no_double_delta_still_counts():
    assert binom.sf(1999, 2000, 1 / (1 + math.exp(-0.1))) == 0.0
    assert worst_p_value(2000, 2000, 2000, 0.1, 1e-5) == pytest.approx(1e-5)
    assert worst_p_value(1, 5, 5, 800.0, 0.1) == 1.0


@pytest.mark.parametrize(("counts", "mu"), [((100, 100, 70), 0.5), ((100, 20, 18), 1.0)])
def test_no_gaussian_mechanism_beats_the_recursive_p_value(counts, mu):
    m, r, v = counts
    claim = GaussianDP(mu)
    grid = np.linspace(0, 6 * mu, 13)
    profile = list(zip(grid, np.asarray(claim.delta(grid)), strict=True))
    worst = worst_probability(counts, profile)
    assert worst - 1e-6 <= recursive_p_value(v, r, m, claim) <= 1.5 * worst


def test_all_right_is_where_the_recursion_is_exact():
    worst = worst_probability((5, 5, 5), [(0.5, 0.05)])
    assert recursive_p_value(5, 5, 5, ApproxDP(0.5, 0.05)) == pytest.approx(worst, abs=1e-6)


def test_p_values_grow_with_the_claim_and_fall_with_the_count():
    epsilons = np.linspace(0, 3, 13)
    plain = [binomial_p_value(30, 40, 100, e) for e in epsilons]
    curved = [recursive_p_value(30, 40, 100, ApproxDP(e, 1e-4)) for e in epsilons]
    assert np.all(np.diff(plain) > 0)
    assert np.all(np.diff(curved) >= 0)
    counts = [binomial_p_value(v, 40, 100, 0.5, 1e-4) for v in range(41)]
    curves = [recursive_p_value(v, 40, 100, GaussianDP(0.5)) for v in range(41)]
    assert np.all(np.diff(counts) <= 1e-12)
    assert np.all(np.diff(curves) <= 1e-12)


def test_randomized_response_reaches_the_p_value():
    """H0: a binomial count; four standard errors would be left by a fresh seed in less than one
    run of 10,000."""
    rng = np.random.default_rng(7)
    epsilon, runs = 1.0, 20_000
    right = rng.random((runs, 20)) < 1 / (1 + math.exp(-epsilon))
    share = np.mean(right.sum(axis=1) >= 18)
    p = binomial_p_value(18, 20, 20, epsilon)
    assert abs(share - p) < 4 * math.sqrt(p / runs)


@pytest.mark.parametrize(
    "claim",
    [
        PureDP(0.7), ApproxDP(0.7, 1e-3), GaussianDP(0.8), ZeroConcentratedDP(0.1),
        TradeOff(lambda a: max(0.0, 1 - 0.1 - a)),
        PrivacyProfile(lambda e: np.maximum(0.0, 0.2 - 0.1 * e)),
    ],
    ids=str,
)  # fmt: skip
def test_any_claim_has_the_least_level_of_its_curve(claim):
    least = least_level(claim)
    for power in (0.0, 1e-6, 0.2, 0.9, 1.0):
        curve = float(claim.beta(1 - power))
        assert least(power) <= curve + 1e-12
        assert least(power) == pytest.approx(curve, abs=1e-8)


def test_a_level_near_one_is_never_rejected():
    assert not rejects(10, 10, 10, least_level(PureDP(0.0)), 1.0)


def gaussian_scores(seed, mu, m=400):
    rng = np.random.default_rng(seed)
    included = rng.random(m) < 0.5
    return mu * included + rng.normal(size=m), included


def test_separated_canaries_give_a_large_bound_in_either_direction():
    scores, included = gaussian_scores(0, 4.0)
    right, reversed_ = one_run(scores, included), one_run(-scores, included)
    assert right.confidence_interval.low > 2.5
    assert reversed_.value == pytest.approx(right.value, rel=0.05)
    assert "taken for out" in reversed_.method
    assert right.confidence_interval.high == math.inf
    assert right.n == 400
    assert "upper end: none" in str(right)


def test_the_curve_of_the_right_family_says_more():
    scores, included = gaussian_scores(3, 2.0, m=2000)
    plain = one_run(scores, included).value
    gaussian = one_run(
        scores, included, method="fdp", family=GaussianDP(1.0), claim=GaussianDP(2.0)
    )
    truth = epsilon_at(GaussianDP(2.0), 1e-5)
    assert plain < gaussian.value < truth
    assert gaussian.bound == pytest.approx(truth, abs=1e-6)
    assert "trade-off curve is that of a GaussianDP" in gaussian.valid_for
    assert "mu at least" in gaussian.method


def test_without_a_family_the_curve_is_that_of_approximate_privacy():
    scores, included = gaussian_scores(3, 3.0)
    found = one_run(scores, included, method="fdp")
    assert 0 < found.value <= one_run(scores, included).value + 1e-6
    assert "trade-off curve is" not in found.valid_for
    claimed = one_run(scores, included, method="fdp", claim=GaussianDP(1.0))
    assert "for GaussianDP" in claimed.method


def test_a_family_at_a_smaller_delta_does_not_speak_for_a_larger_one():
    scores, included = gaussian_scores(3, 3.0)
    pure = one_run(scores, included, method="fdp", family=PureDP(1.0), delta=1e-2)
    assert "trade-off curve is that of a PureDP" in pure.valid_for
    larger = one_run(scores, included, method="fdp", family=ApproxDP(1.0, 1e-2), delta=1e-5)
    assert "trade-off curve" not in larger.valid_for


def test_equal_scores_say_nothing_even_where_the_coins_are_sorted():
    included = np.arange(300) < 150
    assert one_run(np.zeros(300), included).value == 0.0


def test_the_order_of_ties_is_not_the_stream_that_tossed_the_coins():
    included = np.random.default_rng(0).permutation(300) < 150
    assert one_run(np.zeros(300), included, seed=0).value == 0.0


def test_the_rules_depend_on_the_number_of_canaries_alone_and_share_one():
    for m in (1, 2, 7, 100, 1000):
        rules = declared_rules(m)
        assert sum(rule.share for rule in rules) == pytest.approx(1.0)
        assert all(1 <= rule.guesses <= m for rule in rules)
        assert {rule.reverse for rule in rules} == {False, True}


def test_a_fixed_number_of_guesses_is_split_between_the_ends():
    (rule,) = single_rule(7, 20)
    assert (rule.top, rule.bottom) == (4, 3)
    ranked = ranked_coins(np.arange(20.0), np.arange(20) >= 10, seed=0)
    assert rule.correct(ranked) == 7
    (one_end,) = single_rule((5, 0), 20)
    assert one_end.correct(~ranked) == 0


def test_a_claim_of_no_finite_epsilon_is_shown_as_such():
    assert epsilon_at(GaussianDP(1.0), 0.0, upper=True) == math.inf
    assert epsilon_at(PureDP(1.0), 0.0, upper=True) == pytest.approx(1.0)
    assert epsilon_at(PureDP(1.0), 0.9) == 0.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"method": "mia"}, '"dp" or "fdp"'),
        ({"delta": 1.0}, r"in \[0, 1\)"),
        ({"scores": [1.0, 2.0]}, "one entry a canary"),
        ({"scores": [math.nan] * 60}, "60 NaN"),
        ({"included": [2] * 60}, "True or False"),
        ({"included": [True] * 60}, "fair coins"),
        ({"guesses": 61}, "from 1 to 60"),
        ({"guesses": (0, 0)}, "from 1 to 60"),
        ({"confidence": 1.0}, "strictly between"),
        (
            {"method": "fdp", "family": TradeOff(lambda a: max(0.0, 0.9 - a))},
            "a parameter of its own",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(wrong, words):
    scores, included = gaussian_scores(0, 1.0, m=60)
    with pytest.raises(ValueError, match=words):
        one_run(**{"scores": scores, "included": included, **wrong})


@pytest.mark.parametrize("counts", [(5, 4, 10), (2, 11, 10), (-1, 3, 3), (0, 0, 3)])
def test_counts_that_do_not_fit_are_refused(counts):
    with pytest.raises(ValueError, match="must not fall"):
        binomial_p_value(*counts, 1.0)
    with pytest.raises(ValueError, match="must not fall"):
        recursive_p_value(*counts, PureDP(1.0))
    with pytest.raises(ValueError, match="must not fall"):
        worst_p_value(*counts, 1.0)


@pytest.mark.parametrize(("epsilon", "delta"), [(-0.1, 0.0), (1.0, 1.1), (math.nan, 0.0)])
def test_parameters_out_of_range_are_refused(epsilon, delta):
    with pytest.raises(ValueError, match="at least 0"):
        binomial_p_value(1, 2, 3, epsilon, delta)


def test_the_example_bounds_a_real_run_by_what_it_guarantees(capsys, monkeypatch):
    """H0: both bounds hold; a fresh seed fails in less than one run of 100."""
    from examples import one_run_gradient_descent as example

    small = partial(example.audit_one_run, count=200, steps=2, noise=0.5)
    for found in small().values():
        assert 0.5 < found.confidence_interval.low < found.bound
    monkeypatch.setattr(example, "audit_one_run", small)
    example.main()
    assert "guaranteed at most" in capsys.readouterr().out
