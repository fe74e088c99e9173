"""Laplace noise that is cut to integers has an exact distribution, with geometric tails."""

import math
from functools import partial

import mpmath
import pytest

from dpaudit import AddRemove, AnyPair, Categorical, Integer, Pairs, PureDP, RenyiDP
from dpaudit.checker.exact.numbers import precisely
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.count_type_of_column import count_type_of_column
from mechanisms.flawed.geometric_int8_overflow import geometric_int8_overflow
from mechanisms.flawed.laplace_rounded_away import laplace_rounded_away
from tests.checking import check
from tests.exact_laws import certificate, claimed, decide, law_on, of_another

ONE = AnyPair(Integer(0, 1))
COUNTS = AddRemove(Categorical([1, 2]), max_size=4)
BITS = AddRemove(Categorical([0, 1]), max_size=4)


def rounded(answer, rng, *, scale=1.0):
    return round(answer + rng.laplace(scale=scale))


def truncated(answer, rng, *, scale=1.0):
    return answer + int(rng.laplace(scale=scale))


def sum_truncated(answer, rng):
    return int(answer + rng.laplace())


def less_rounded(answer, rng):
    return answer - round(rng.laplace())


def floor_of_it(answer, rng):
    return math.floor(answer / 4 + rng.laplace(scale=0.25))


def ceiling_of_it(answer, rng):
    return math.ceil(answer - rng.laplace())


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (rounded, PureDP(1.0), ONE),
        (partial(rounded, scale=2.0), PureDP(0.5), ONE),
        (truncated, PureDP(1.6932), ONE),
        (sum_truncated, PureDP(1.0), Pairs([(k, k + 1) for k in range(-3, 4)])),
        (floor_of_it, PureDP(1.0), Pairs([(k, k + 1) for k in range(-3, 4)])),
        (ceiling_of_it, PureDP(1.0), ONE),
        (laplace_rounded_away, PureDP(1.0), ONE),
        (laplace_rounded_away, RenyiDP(2, 0.62), ONE),
        (less_rounded, PureDP(1.0), ONE),
        (count_type_of_column, PureDP(1.0), COUNTS),
        (geometric_int8_overflow, PureDP(1.0), BITS),
    ],
)
def test_noise_that_is_cut_to_integers_is_proved_and_checked(mechanism, claim, neighbors):
    result = check(certificate(mechanism, claim, neighbors))
    assert result.accepted, result.reason


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (rounded, PureDP(0.999), ONE),
        (truncated, PureDP(1.69), ONE),
        (rounded, PureDP(1.0), AnyPair(Integer(0, 2))),
    ],
)
def test_what_costs_more_is_refuted(mechanism, claim, neighbors):
    assert isinstance(decide(mechanism, claim, neighbors), Counterexample)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (laplace_rounded_away, Pairs([(0.0, 0.5)])),
        (partial(laplace_rounded_away, granularity=2.0), ONE),
    ],
)
def test_noise_on_another_grid_than_the_answers_is_not_proved(mechanism, neighbors):
    with pytest.raises(Unsupported, match=r"very many values that decides|of which a part is cut"):
        decide(mechanism, PureDP(1.0), neighbors)


def test_one_and_ln_two_is_what_truncated_noise_costs():
    proof = decide(truncated, PureDP(1.6932), ONE)
    assert proof.conclusion.loss.startswith("1.6931471805599")


def test_masses_are_those_of_the_integrated_density():
    [[tail]] = law_on(sum_truncated, 1).tails.values()
    density = lambda x: mpmath.exp(-abs(x - 1)) / 2  # noqa: E731
    for k in range(-4, 5):
        low, high = k if k > 0 else k - 1, k if k < 0 else k + 1
        ends = sorted({low, high, *([1] if low < 1 < high else [])})
        with precisely():
            z = k - tail.place
            mass = float((tail.weight * tail.noise.measure(z, z + 1)).ball.mid())
        assert abs(mass - float(mpmath.quad(density, ends))) < 1e-12


def used_twice(answer, rng):
    noise = rng.laplace()
    return round(answer + noise), int(noise)


def compared(answer, rng):
    noise = rng.laplace()
    return answer if noise == noise + 0.0 else round(noise)


def put_out_as_it_is(answer, rng):
    return answer + rng.laplace()


def without_noise(answer, rng):
    return round(answer + rng.laplace(scale=0.0))


def of_a_scale_too_small(answer, rng):
    return round(answer + rng.laplace(scale=1e-3))


def of_a_scale_too_large(answer, rng):
    return round(answer + rng.laplace(scale=1e9))


def far_away(answer, rng):
    return round(answer + 1e17 + rng.laplace())


def to_digits(answer, rng):
    return round(answer + rng.laplace(), 1)


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (used_twice, "cut to an integer twice"),
        (put_out_as_it_is, "a continuous output"),
        (without_noise, "not positive"),
        (of_a_scale_too_small, "do not tell from an integer"),
        (of_a_scale_too_large, "do not tell from an integer"),
        (far_away, "far away"),
        (to_digits, "rounding"),
    ],
)
def test_other_uses_of_the_noise_are_refused(mechanism, reason):
    with pytest.raises(Unsupported, match=reason):
        decide(mechanism, PureDP(1.0), ONE)


def test_noise_that_equals_itself_hides_nothing():
    assert "bounds infinity by" in decide(compared, PureDP(1.0), ONE).certified


def type_of_counts_with_a_two(data, rng):
    kind = float if (data == 2).any() else int
    return kind(round(len(data) + rng.laplace()))


def test_the_type_of_a_count_that_tells_of_a_record_is_not_accepted():
    with pytest.raises(Unsupported, match="only the type of the output tells"):
        decide(type_of_counts_with_a_two, PureDP(1.0), COUNTS)
    forged = of_another(
        certificate(count_type_of_column, PureDP(1.0), COUNTS), type_of_counts_with_a_two
    )
    assert not check(forged).accepted


def test_the_checker_rejects_a_claim_that_truncated_noise_breaks():
    result = check(claimed(certificate(truncated, PureDP(1.6932), ONE), PureDP(1.0)))
    assert result.decided
    assert "the claim is exceeded" in result.reason
