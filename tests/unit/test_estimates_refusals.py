"""What the estimates refuse, and in which words: the fact, the value, the remedy."""

import math

import numpy as np
import pytest

import dpaudit

P = np.random.default_rng(0).integers(0, 3, 300)
Q = np.random.default_rng(1).integers(0, 3, 300)
CHANNEL = [[0.75, 0.25], [0.25, 0.75]]
SCORES, COINS = np.linspace(-1, 1, 100), np.arange(100) % 2 == 0

OF_TWO_SAMPLES = (
    dpaudit.max_divergence,
    dpaudit.kl_divergence,
    dpaudit.total_variation,
    dpaudit.tradeoff_curve,
    dpaudit.privacy_profile,
    dpaudit.zcdp_parameter,
    dpaudit.gdp_parameter,
    lambda p, q, **options: dpaudit.approximate_max_divergence(p, q, 0.1, **options),
    lambda p, q, **options: dpaudit.hockey_stick(p, q, 0.1, **options),
    lambda p, q, **options: dpaudit.renyi_divergence(p, q, 2.0, **options),
)
SAMPLES = {
    "empty": ([], ValueError, "`p` holds no output; pass at least one draw"),
    "an empty array": (np.zeros(0), ValueError, "`p` holds no output"),
    "a number": (1.0, TypeError, "`p` must be a sequence of outputs or a callable .* got float"),
    "no dimension": (np.array(1.0), TypeError, "`p` must be a sequence .* got ndarray; pass one"),
    "a text": ("abc", TypeError, "`p` must be a sequence .* got str; pass one"),
    "None": (None, TypeError, "`p` must be a sequence .* got NoneType; pass one"),
    "an iterator": (iter([1, 2]), TypeError, "`p` must be a sequence .* got list_iterator"),
    "a mapping": ({1: 2}, TypeError, "`p` must hold one output a draw, .* got dict; pass a list"),
}
OPTIONS = {
    "a confidence above 1": (
        {"confidence": 1.5},
        ValueError,
        "between 0 and 1, got 1.5; pass e.g.",
    ),
    "a confidence of 95": ({"confidence": 95}, ValueError, "got 95; pass e.g. 0.95"),
    "no confidence": ({"confidence": math.nan}, ValueError, "must be a number, got nan; pass e.g."),
    "a confidence in words": ({"confidence": "high"}, TypeError, "real number, got 'high'; pass"),
    "a seed in words": (
        {"seed": "x"},
        TypeError,
        "`seed` must be a whole number, got 'x'; .* pass",
    ),
    "a negative seed": ({"seed": -1}, ValueError, "`seed` must be at least 0, got -1; .* pass"),
    "an unknown method": ({"method": "x"}, ValueError, '"fixed" or "anytime", got \'x\'; "fixed"'),
    "part of the support": ({"support": [0, 1]}, ValueError, "draws are none of them; add them"),
    "no support": ({"support": []}, ValueError, "`support` holds no output; pass at least one"),
    "a support in words": (
        {"support": "ab"},
        TypeError,
        "list all outcomes .*, got 'ab'; pass e.g.",
    ),
    "a single outcome": ({"support": 3}, TypeError, "list all outcomes .*, got 3; pass e.g."),
}


@pytest.mark.parametrize("estimate", OF_TWO_SAMPLES)
@pytest.mark.parametrize(("sample", "error", "words"), SAMPLES.values(), ids=SAMPLES)
def test_what_is_no_sample_is_refused(estimate, sample, error, words):
    with pytest.raises(error, match=words):
        estimate(sample, Q)


@pytest.mark.parametrize("estimate", OF_TWO_SAMPLES)
@pytest.mark.parametrize(("options", "error", "words"), OPTIONS.values(), ids=OPTIONS)
def test_what_is_no_option_is_refused(estimate, options, error, words):
    with pytest.raises(error, match=words):
        estimate(P, Q, **options)


@pytest.mark.parametrize("wrong", ["many", 10.5, True])
def test_calls_are_a_whole_number(wrong):
    with pytest.raises(TypeError, match=r"`n` must be a whole number, got .*; pass the draws"):
        dpaudit.max_divergence(lambda rng: 0, lambda rng: 0, n=wrong)


OTHERS = {
    "a delta of 1": (
        lambda: dpaudit.approximate_max_divergence(P, Q, 1.0),
        ValueError, r"`delta` must be in \[0, 1\), got 1.0; pass e.g. 1e-6",
    ),
    "a delta in words": (
        lambda: dpaudit.approximate_max_divergence(P, Q, "x"), TypeError, "got 'x'; pass e.g. 1e-6",
    ),
    "an infinite epsilon": (
        lambda: dpaudit.hockey_stick(P, Q, math.inf), ValueError, "from −700 to 700, got inf; pass",
    ),
    "an epsilon in words": (
        lambda: dpaudit.hockey_stick(P, Q, "x"), TypeError, "`epsilon` must be a real number",
    ),
    "order 1": (
        lambda: dpaudit.renyi_divergence(P, Q, 1.0),
        ValueError, "above 1, got 1.0; order 1 is kl_divergence, and order infinity max_divergence",
    ),
    "an order in words": (
        lambda: dpaudit.renyi_divergence(P, Q, [2.0, "x"]), TypeError, "got 'x'; order 1 is",
    ),
    "alphas in words": (
        lambda: dpaudit.tradeoff_curve(P, Q, alphas="x"),
        TypeError, "`alphas` must hold numbers, got 'x'; pass rates",
    ),
    "a table of alphas": (
        lambda: dpaudit.tradeoff_curve(P, Q, alphas=[[0.1, 0.2]]),
        ValueError, r"a row of numbers, got shape \(1, 2\); pass rates",
    ),
    "no epsilons": (
        lambda: dpaudit.privacy_profile(P, Q, epsilons=[]), ValueError, r"shape \(0,\); pass nats",
    ),
    "a negative probability": (
        lambda: dpaudit.channel_capacity([[1.2, -0.2], [0.0, 1.0]]),
        ValueError, "-0.2 as the least entry; samples go in as a mapping",
    ),
    "a channel in words": (
        lambda: dpaudit.mutual_information("abc"), TypeError, "`channel` must hold numbers",
    ),
    "a prior in words": (
        lambda: dpaudit.conditional_entropy(CHANNEL, "x"), TypeError, "`prior` must hold numbers",
    ),
    "a claim in words": (
        lambda: dpaudit.min_entropy_leakage(CHANNEL, claim="PureDP(1)"),
        TypeError, r"`claim` must be a claim, got 'PureDP\(1\)'; pass e.g.",
    ),
    "inputs that are a number": (
        lambda: dpaudit.channel_capacity(lambda x, rng: 0, inputs=2),
        ValueError, "`inputs` must list the mechanism's inputs, got 2; pass e.g.",
    ),
    "probabilities that do not sum to one": (
        lambda: dpaudit.entropy(probabilities=[0.5, 0.6]),
        ValueError, "`probabilities` must .* samples go in as `outputs`",
    ),
    "no outputs": (lambda: dpaudit.entropy([]), ValueError, "`outputs` holds no output; pass"),
    "neither": (lambda: dpaudit.entropy(), ValueError, "got none of them; pass one"),
    "half a value": (
        lambda: dpaudit.maximum_entropy_prior((2.5,), {}), TypeError, "whole number, got 2.5; give",
    ),
    "tables without attributes": (
        lambda: dpaudit.maximum_entropy_prior((2,), [0.5, 0.5]), TypeError, "must map attributes",
    ),
    "guesses in words": (
        lambda: dpaudit.one_run(SCORES, COINS, guesses="x"), TypeError, "got 'x'; pass how many",
    ),
    "a family that is none": (
        lambda: dpaudit.one_run(SCORES, COINS, family=3), TypeError, "must be a claim, got 3",
    ),
    "scores in words": (
        lambda: dpaudit.one_run("x", COINS), TypeError, "`scores` must hold numbers, got 'x'; give",
    ),
    "an infinite count": (
        lambda: dpaudit.epsilon_from_rates(math.inf, 1, 1, 1), ValueError, "got inf; pass a count",
    ),
    "a count in words": (
        lambda: dpaudit.epsilon_from_rates("x", 1, 1, 1), TypeError, "got 'x'; pass a count",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), OTHERS.values(), ids=OTHERS)
def test_other_wrong_input_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_an_interval_does_not_begin_at_minus_zero():
    assert "[-0" not in str(dpaudit.total_variation(P, P))


def test_nan_is_an_outcome_like_any_other():
    nothing = [math.nan] * 300
    assert dpaudit.total_variation(nothing, nothing).value == 0
    assert dpaudit.total_variation(nothing, [0.0] * 300).confidence_interval.low > 0.9
