"""Loops that draw until a coin says so: which laws are derived, and which programs are refused."""

import math
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, ApproxDP, GaussianDP, Integer, PureDP, Real, RenyiDP
from dpaudit.claims import ZeroConcentratedDP
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms import discrete_gaussian as gaussian_module
from mechanisms import discrete_laplace as laplace_module
from mechanisms.discrete_gaussian import discrete_gaussian, tight_delta
from mechanisms.discrete_laplace import bernoulli_exp, discrete_laplace, two_sided_geometric
from mechanisms.flawed.discrete_gaussian_sigma_for_variance import (
    discrete_gaussian_sigma_for_variance,
)
from tests.sampling_programs import (
    REWRITTEN,
    WRONG_GAUSSIAN,
    WRONG_LAPLACE,
    changed,
    gaussian_in_the_first_round,
    gaussian_of_rates_taken_one_by_one,
)
from tests.sweeps import sampled

INTEGERS = AnyPair(Integer(0, 1))
TWO_THIRDS = Fraction(2, 3)


def paid_for(mechanism, claim, neighbors=INTEGERS):
    """Return whether a proof is found; no other way of reasoning knows this noise."""
    try:
        prove_by_cost(lift(mechanism), claim, neighbors)
    except Unsupported:
        return False
    return True


def proved(mechanism, claim, neighbors=INTEGERS):
    report = dpaudit.verify(mechanism, claim, neighbors)
    return report.checked


def test_the_exact_samplers_are_proved_and_the_proofs_checked():
    assert proved(discrete_laplace, PureDP(1.0))
    assert proved(partial(discrete_laplace, epsilon=Fraction(1, 10)), PureDP(0.1))
    assert proved(partial(discrete_laplace, sensitivity=3), PureDP(1.0), AnyPair(Integer(0, 3)))
    assert proved(partial(discrete_gaussian, variance=Fraction(4)), ZeroConcentratedDP(1 / 8))
    assert proved(partial(discrete_gaussian, variance=Fraction(4)), RenyiDP(3.0, 3 / 8))
    assert proved(partial(discrete_gaussian, variance=Fraction(14)), ApproxDP(1.0, 1e-5))


def test_less_than_the_noise_costs_is_not_proved():
    assert not paid_for(discrete_laplace, PureDP(0.999))
    wide = AnyPair(Integer(0, 2))
    assert not paid_for(discrete_laplace, PureDP(1.0), wide)
    four = partial(discrete_gaussian, variance=Fraction(4))
    for claim, neighbors in (
        (ZeroConcentratedDP(0.1249), INTEGERS),
        (ZeroConcentratedDP(0.125), wide),
        (ApproxDP(1.0, tight_delta(1.0, 4.0) * 0.999), INTEGERS),
        (PureDP(10.0), INTEGERS),
        (GaussianDP(0.5), INTEGERS),
    ):
        assert not paid_for(four, claim, neighbors)


def test_a_deviation_in_the_place_of_the_variance_is_not_proved():
    flawed = discrete_gaussian_sigma_for_variance
    assert not paid_for(flawed, ApproxDP(1.0, 1e-5))


@pytest.mark.parametrize(("old", "new"), WRONG_LAPLACE)
def test_no_other_sampler_passes_for_discrete_laplace_noise(old, new, tmp_path):
    module = changed(laplace_module, old, new, tmp_path)
    mechanism = partial(module.discrete_laplace, epsilon=TWO_THIRDS)
    assert not paid_for(mechanism, PureDP(2 / 3 + 1e-9))


@pytest.mark.parametrize(
    ("old", "new"),
    sampled(REWRITTEN, 1),
)
def test_what_is_written_otherwise_is_proved_too(old, new, tmp_path):
    module = changed(laplace_module, old, new, tmp_path)
    for epsilon in (Fraction(1), TWO_THIRDS):
        mechanism = partial(module.discrete_laplace, epsilon=epsilon)
        assert proved(mechanism, PureDP(float(epsilon) * (1 + 1e-9)))


@pytest.mark.parametrize(("old", "new"), WRONG_GAUSSIAN)
def test_no_other_sampler_passes_for_discrete_gaussian_noise(old, new, tmp_path):
    module = changed(gaussian_module, old, new, tmp_path)
    mechanism = partial(module.discrete_gaussian, variance=Fraction(7, 2))
    assert not paid_for(mechanism, ZeroConcentratedDP(1 / 7 + 1e-9))


@pytest.mark.parametrize(
    "mechanism", [gaussian_in_the_first_round, gaussian_of_rates_taken_one_by_one]
)
def test_a_sampler_that_another_round_finds_changed_is_not_proved(mechanism):
    assert not paid_for(mechanism, ZeroConcentratedDP(0.005))
    assert not paid_for(mechanism, ApproxDP(1.0, 1e-5))


def one_for_each(data, rng):
    return sum(int(x) + two_sided_geometric(Fraction(1), rng) for x in data)


def one_for_both(data, rng):
    noise = two_sided_geometric(Fraction(1), rng)
    return len(data) + noise, int(data.sum()) + noise


def one_if_many(data, rng):
    if len(data) > 3:
        return len(data) + two_sided_geometric(Fraction(1), rng)
    return len(data)


def noise_of_private_scale(data, rng):
    return len(data) + two_sided_geometric(Fraction(1, 1 + len(data)), rng)


def whole_noise_on_real_numbers(data, rng):
    return float(data.sum()) + two_sided_geometric(Fraction(1), rng)


def redrawn_by_the_answer(data, rng):
    while True:
        z = two_sided_geometric(Fraction(1), rng)
        if bernoulli_exp(len(data), 1, rng):
            return len(data) + z


def counted_rounds(data, rng):
    rounds = 0
    while True:
        z = two_sided_geometric(Fraction(1), rng)
        rounds = rounds + 1
        if bernoulli_exp(1, 1, rng):
            return len(data) + z + rounds


def carried_over(data, rng):
    z = 0
    while True:
        y = z
        z = two_sided_geometric(Fraction(1), rng)
        if bernoulli_exp(1, 1, rng):
            return len(data) + y


@pytest.mark.parametrize(
    "mechanism",
    [
        one_for_each,
        one_for_both,
        one_if_many,
        noise_of_private_scale,
        whole_noise_on_real_numbers,
        redrawn_by_the_answer,
        counted_rounds,
        carried_over,
    ],
)
def test_a_sampler_on_private_numbers_or_used_twice_is_not_proved(mechanism):
    records = AddRemove(Real(0, 1), max_size=6)
    assert not paid_for(mechanism, PureDP(1.0), records)


BYTE = np.int8(100)
BYTES = np.array([100], dtype=np.int8)


def sampled_below(t, coins):
    while True:
        u = int(coins.integers(t))
        if not bernoulli_exp(u, t, coins):
            continue
        v = 0
        while bernoulli_exp(1, 1, coins):
            v += 1
        magnitude = (u + t * v) // 1
        negative = bool(coins.integers(2))
        if magnitude or not negative:
            return -magnitude if negative else magnitude


def of_a_byte(answer, rng):
    return int(answer) + sampled_below(BYTE, rng)


def of_an_entry(answer, rng):
    return int(answer) + sampled_below(BYTES[0], rng)


def of_a_call(answer, rng):
    return int(answer) + sampled_below(np.int8(100), rng)


def of_a_default(answer, rng, *, t=BYTE):
    return int(answer) + sampled_below(t, rng)


def of_a_fraction(answer, rng):
    return int(answer) + two_sided_geometric(Fraction(1, BYTE), rng)


def of_an_integer(answer, rng):
    return int(answer) + sampled_below(100, rng)


def test_integers_that_overflow_in_a_sampler_are_not_taken_for_whole_numbers():
    claim = PureDP(0.01)
    assert proved(of_an_integer, claim)
    for mechanism in (of_a_byte, of_an_entry, of_a_call, of_a_default, of_a_fraction):
        assert not paid_for(mechanism, claim)
    fixed = partial(discrete_laplace, epsilon=Fraction(1, BYTE))
    assert not paid_for(fixed, PureDP(1.0))


def test_a_count_with_sampled_noise_is_proved():
    def noisy_count(data, rng):
        return len(data) + two_sided_geometric(Fraction(1), rng)

    assert proved(noisy_count, PureDP(1.0), AddRemove(Real(0, 1), max_size=6))


def test_a_function_that_calls_itself_and_is_no_coin_is_refused():
    def halved(n, rng):
        return n if rng.integers(2) else halved(n // 2, rng)

    def mechanism(data, rng):
        return halved(len(data), rng)

    assert not paid_for(mechanism, PureDP(1.0), AddRemove(Real(0, 1), max_size=6))


@pytest.mark.parametrize("decay", [Fraction(1), TWO_THIRDS, Fraction(3, 2)])
def test_the_sampler_draws_by_the_law_that_is_derived(decay):
    rng, calls = np.random.default_rng(1), 20_000
    seen = Counter(two_sided_geometric(decay, rng) for _ in range(calls))
    alpha = math.exp(-decay)
    for z in range(-3, 4):
        p = (1 - alpha) / (1 + alpha) * alpha ** abs(z)
        assert abs(seen[z] / calls - p) < 5 * math.sqrt(p / calls)
