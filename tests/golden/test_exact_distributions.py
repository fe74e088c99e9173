"""Finite discrete mechanisms whose privacy loss is known exactly."""

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from dpaudit import AnyPair, ApproxDP, Categorical, Integer, Pairs, PureDP, RenyiDP, ReplaceOne
from dpaudit.checker.exact.numbers import Number, precisely
from dpaudit.checker.exact.spending import largest_ratio
from dpaudit.formal.exact import ExactProof
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.unsupported import Unsupported
from mechanisms.exponential import exponential
from mechanisms.randomized_response import randomized_response
from mechanisms.shuffled_reports import amplified_delta, shuffled_reports
from tests.exact_laws import decide, laws


def unary_encoding(value, rng, *, k=3, p=0.75, q=0.25):
    return (rng.random(k) < np.where(np.arange(k) == value, p, q)).astype(np.int64)


def clamped_geometric(count, rng, *, m=20, epsilon=1.0):
    alpha = np.exp(-epsilon)
    noise = rng.geometric(1 - alpha) - rng.geometric(1 - alpha)
    return min(max(count + noise, 0), m)


def noisy_max(answers, rng, *, p):
    noise = rng.geometric(p, size=len(answers)) - rng.geometric(p, size=len(answers))
    return int(np.argmax(answers + noise))


def largest(mechanism, pairs):
    """Return the largest ratio over both directions of all pairs, and where it is."""
    sides = list(dict.fromkeys(itertools.chain(*pairs)))
    found = dict(zip(sides, laws(mechanism, map(np.array, sides)), strict=True))
    with precisely():
        return max(
            ((largest_ratio(found[a], found[b]), a, b) for a, b in pairs),
            key=lambda entry: entry[0],
        )


def moved(vectors, size, keep=lambda v: True):
    steps = list(itertools.product((-1, 0, 1), repeat=size))
    near = (
        (v, tuple(a + s for a, s in zip(v, step, strict=True))) for v in vectors for step in steps
    )
    return [(v, w) for v, w in near if keep(w)]


def test_randomized_response_with_truth_three_times_in_four_loses_log_3():
    bits = AnyPair(Categorical([0, 1]))
    proof = decide(randomized_response, PureDP(math.log(3)), bits)
    assert isinstance(proof, ExactProof)
    assert proof.conclusion.spent == "3"


def test_unary_encoding_with_three_quarters_and_one_quarter_loses_log_9():
    proof = decide(unary_encoding, PureDP(math.log(9) + 1e-15), AnyPair(Integer(0, 2)))
    assert proof.conclusion.spent == "9"


def test_the_clamped_geometric_mechanism_loses_exactly_epsilon():
    counts = Pairs([(i, i + 1) for i in range(20)])
    proof = decide(clamped_geometric, PureDP(1.0), counts)
    assert isinstance(proof, ExactProof)
    assert (proof.conclusion.loss, proof.conclusion.spent) == ("1", proof.conclusion.allowed)
    below = decide(clamped_geometric, PureDP(math.nextafter(1.0, 0.0) - 1e-9), counts)
    assert isinstance(below, Counterexample)
    assert float(below.certified.split()[3]) == pytest.approx(math.e)
    assert below.epsilon == pytest.approx(1.0)


def test_the_exponential_mechanism_on_four_candidates():
    scores = list(itertools.product((0, 1), (3, 4), (3, 4), (3, 4)))
    pairs = moved(scores, 4, lambda w: all(0 <= x <= 4 for x in w))
    ratio, left, right = largest(exponential, pairs)
    assert float(ratio.log().ball) == pytest.approx(0.92845, abs=5e-6)
    assert {left, right} == {(0, 4, 4, 4), (1, 3, 3, 3)}


def test_the_exponential_mechanism_on_scores_up_to_eight():
    pairs = moved([(0, 8, 8, 8), (1, 7, 7, 7)], 4, lambda w: all(0 <= x <= 8 for x in w))
    ratio, _, _ = largest(exponential, pairs)
    assert float(ratio.log().ball) == pytest.approx(0.98963, abs=5e-6)


def test_the_exponential_mechanism_on_counts_where_one_record_is_replaced():
    counts = [c for c in itertools.product(range(9), repeat=4) if sum(c) == 8]
    pairs = []
    for c, i, j in itertools.product(counts, range(4), range(4)):
        if i != j and c[i]:
            other = list(c)
            other[i], other[j] = other[i] - 1, other[j] + 1
            pairs.append((c, tuple(other)))
    ratio, _, _ = largest(exponential, pairs)
    assert float(ratio.log().ball) == pytest.approx(0.94897, abs=5e-6)


def test_the_largest_of_integers_with_noise_is_not_followed():
    """Two integers without bound are compared, of which neither is gone through."""
    pair = Pairs([(np.array([2, 2, 0]), np.array([3, 3, -1]))])
    with pytest.raises(Unsupported, match="very many values"):
        decide(partial(noisy_max, p=0.5), PureDP(1.0), pair)


def test_two_fair_coins_have_the_closed_form_renyi_divergence():
    # D_2 = log(sum p²/q) of (3/4, 1/4) and (1/4, 3/4) = log(9/4 + 1/12) = log(7/3)
    bits = AnyPair(Categorical([0, 1]))
    assert isinstance(
        decide(randomized_response, RenyiDP(2, math.log(7 / 3) + 1e-9), bits), ExactProof
    )
    refuted = decide(randomized_response, RenyiDP(2, math.log(7 / 3) - 1e-8), bits)
    assert isinstance(refuted, Counterexample)
    assert "bounds 7/3 by" in refuted.certified


def test_shuffled_reports_have_the_delta_of_their_paper():
    delta = amplified_delta(3, 1.0, 0.5)
    bits = ReplaceOne(Categorical([0, 1]), size=3)
    assert isinstance(decide(shuffled_reports, ApproxDP(0.5, delta + 1e-9), bits), ExactProof)
    refuted = decide(shuffled_reports, ApproxDP(0.5, delta - 1e-6), bits)
    assert isinstance(refuted, Counterexample)


def test_a_parameter_that_was_rounded_down_decides_nothing():
    with pytest.raises(Unsupported, match="by rounding"):
        decide(
            randomized_response,
            PureDP(math.nextafter(math.log(3), 0.0)),
            AnyPair(Categorical([0, 1])),
        )


def test_numbers_in_powers_of_e_are_compared_exactly():
    with precisely():
        e, root = Number(Fraction(1)).exp(), Number(Fraction(1, 2)).exp()
        assert root * root == e
        assert 1 / (1 + Number(Fraction(-1, 2)).exp()) == root / (root + 1)
        assert (e + 1) / (e - 1) > 2
        assert sorted([e, Number(Fraction(3)), root]) == [root, e, 3]
