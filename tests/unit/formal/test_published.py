"""Draws from very many integers, such as those of a hash function, are looked at as published."""

import math

import numpy as np
import pytest

from dpaudit import AnyPair, ApproxDP, Categorical, Integer, PureDP, RenyiDP
from dpaudit.checker.exact import drawn, fixed
from dpaudit.checker.exact.fixed import agree
from dpaudit.checker.exact.laws import finite, laws_of
from dpaudit.checker.exact.mechanism import Mechanism
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.exact.spending import largest_ratio
from dpaudit.formal.exact import ExactProof
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.local_hashing_resampled import local_hashing_resampled
from mechanisms.local_hashing import PRIME, local_hashing, universal_hash
from mechanisms.randomized_response import k_randomized_response
from tests.checking import check
from tests.exact_laws import (
    UNLIMITED,
    certificate,
    claimed,
    decide,
    laws,
    of_another,
    program_of,
)
from tests.sweeps import sampled

FOUR = AnyPair(Integer(0, 3))
BITS = AnyPair(Categorical([0, 1]))


def hashes_that_fit(value, rng):
    a, b, y = local_hashing(value, rng)
    return tuple(universal_hash(a, b, v, 4) == y for v in range(4))


def hashes_that_fit_resampled(value, rng):
    a, b, y = local_hashing_resampled(value, rng)
    return tuple(universal_hash(a, b, v, 4) == y for v in range(4))


def the_response_alone(value, rng):
    a, b = int(rng.integers(PRIME)), int(rng.integers(PRIME))
    return k_randomized_response(universal_hash(a, b, value, 2), rng, k=2)


def with_numbers_of_numpy(value, rng):
    a, b = rng.integers(PRIME), rng.integers(PRIME)
    return a, b, k_randomized_response((a * value + b) % PRIME % 3, rng, k=3)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    sampled(
        [
            (local_hashing, PureDP(1.0)),
            (hashes_that_fit, PureDP(1.0)),
            (the_response_alone, PureDP(1.0)),
            (with_numbers_of_numpy, PureDP(1.0)),
            (local_hashing, ApproxDP(0.5, 0.2)),
            (local_hashing, RenyiDP(2, 0.7)),
        ],
        3,
    ),
)
def test_a_response_to_a_hash_costs_what_it_costs_for_every_hash(mechanism, claim):
    found = certificate(mechanism, claim, FOUR)
    result = check(found)
    assert result.accepted, result.reason


def test_a_smaller_claim_is_neither_proved_nor_refuted_and_its_certificate_rejected():
    with pytest.raises(Unsupported, match="all draws from very many integers are known"):
        decide(local_hashing, PureDP(0.99), FOUR)
    found = certificate(local_hashing, PureDP(1.0), FOUR)
    assert not check(claimed(found, PureDP(0.99))).accepted


def value_in_the_draw(value, rng):
    return int(rng.integers(PRIME)) + value


def value_in_a_padded_draw(value, rng):
    return (int(rng.integers(PRIME)) + value) % PRIME


def hash_in_the_clear(value, rng):
    a, b = int(rng.integers(PRIME)), int(rng.integers(PRIME))
    return universal_hash(a, b, value, 4)


def number_of_draws(value, rng):
    draws = [int(rng.integers(PRIME)) for _ in range(value + 1)]
    return draws[-1] % 3, len(draws)


@pytest.mark.parametrize(
    "mechanism",
    [
        local_hashing_resampled,
        hashes_that_fit_resampled,
        value_in_the_draw,
        value_in_a_padded_draw,
        hash_in_the_clear,
        number_of_draws,
    ],
)
def test_what_every_draw_would_tell_is_not_proved(mechanism):
    with pytest.raises(Unsupported, match="all draws from very many integers are known"):
        decide(mechanism, PureDP(1.0), FOUR)


def compared_and_computed_with(value, rng):
    a, b = int(rng.integers(PRIME)), int(rng.integers(PRIME))
    bucket = (a + b) % 2
    return bucket, a < PRIME // 2, value * 0


def compared_first(value, rng):
    a, b = int(rng.integers(PRIME)), int(rng.integers(PRIME))
    low = 1 if a < PRIME // 2 else 0
    return low, (a + b) % 2, value * 0


def that_may_wrap_around(value, rng):
    a, b = rng.integers(PRIME), rng.integers(PRIME)
    return (((a + b) * PRIME * PRIME) + value) % 2


def divided_by_a_draw(value, rng):
    a, b = int(rng.integers(PRIME)), int(rng.integers(PRIME))
    return (a + b) % (a + 1) + value


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (compared_and_computed_with, "compared and computed with"),
        (compared_first, "compared and computed with"),
        (that_may_wrap_around, "may wrap"),
        (divided_by_a_draw, "divided by this"),
    ],
)
def test_other_uses_of_a_published_draw_are_refused(mechanism, reason):
    with pytest.raises(Unsupported, match=reason):
        decide(mechanism, PureDP(1.0), BITS)


SMALL = 11


def small_hashing(value, rng):
    a, b = int(rng.integers(SMALL)), int(rng.integers(SMALL))
    return a, b, k_randomized_response((a * value + b) % SMALL % 3, rng, k=3)


def small_hash_that_fits(value, rng):
    a, b = int(rng.integers(SMALL)), int(rng.integers(SMALL))
    y = k_randomized_response((a * value + b) % SMALL % 3, rng, k=3)
    return [((a * v + b) % SMALL % 3 - y) % 3 == 0 for v in range(2)]


def small_resampled(value, rng):
    a, b = int(rng.integers(SMALL)), int(rng.integers(SMALL))
    hashed = (a * value + b) % SMALL % 3
    return b, hashed if rng.random() < 0.5 else int(rng.integers(3))


def small_after_a_coin(value, rng):
    if rng.random() < 0.25:
        return int(rng.integers(SMALL)) % 3, 0
    a, b = int(rng.integers(SMALL)), int(rng.integers(SMALL))
    y = int((a + b * value) % SMALL % 2)
    return y if rng.random() < 0.75 else 1 - y, a


SMALL_ONES = [small_hashing, small_hash_that_fits, small_resampled, small_after_a_coin]


def known_draws(monkeypatch):
    """Let draws from few integers be looked at by themselves, as those from many are."""
    for module in (fixed, drawn):
        monkeypatch.setattr(module, "MANY", 4)
    monkeypatch.setattr(fixed, "_REMAINDERS", 4)


@pytest.mark.parametrize("mechanism", sampled(SMALL_ONES, 2))
def test_the_bound_for_known_draws_is_above_the_loss(mechanism, monkeypatch):
    values = range(4)
    true = laws(mechanism, values)
    known_draws(monkeypatch)
    made = Mechanism(program_of(mechanism), UNLIMITED)
    with precisely():
        given = [
            [(chosen, *finite([law])) for chosen, law in laws_of(made.runner(value), UNLIMITED)]
            for value in values
        ]
        for i in values:
            for j in values:
                bounds = [
                    largest_ratio(one, other)
                    for chosen, one in given[i]
                    for others, other in given[j]
                    if agree(chosen, others)
                ]
                loss = largest_ratio(true[i], true[j])
                assert None in bounds or (loss is not None and loss <= max(bounds))
                if i == j:
                    assert max(bounds) == 1


@pytest.mark.parametrize("mechanism", [small_hashing, small_hash_that_fits])
def test_a_proof_with_known_draws_says_what_one_through_all_of_them_says(mechanism, monkeypatch):
    exact = certificate(mechanism, PureDP(1.0), FOUR)
    assert check(exact).accepted
    known_draws(monkeypatch)
    result = check(exact)
    assert result.accepted, result.reason


@pytest.mark.parametrize("mechanism", [hash_in_the_clear, value_in_the_draw, number_of_draws])
def test_the_checker_rejects_what_every_draw_would_tell(mechanism):
    found = certificate(local_hashing, PureDP(1.0), FOUR)
    result = check(of_another(found, mechanism))
    assert not result.accepted


@pytest.mark.parametrize("mechanism", [compared_and_computed_with, compared_first])
def test_the_checker_refuses_a_draw_that_is_compared_and_computed_with(mechanism):
    found = certificate(local_hashing, PureDP(1.0), FOUR)
    result = check(of_another(found, mechanism))
    assert not result.accepted
    assert "compared and computed with" in result.reason


def test_runs_of_hashing_have_the_chances_that_are_proved():
    rng = np.random.default_rng(7)
    matched = sum(
        universal_hash(a, b, 2, 4) == y
        for a, b, y in (local_hashing(2, rng) for _ in range(20_000))
    )
    assert abs(matched / 20_000 - math.e / (math.e + 3)) < 0.02


def test_a_proof_about_hashing_is_an_exact_one():
    assert isinstance(decide(local_hashing, PureDP(1.0), FOUR), ExactProof)
