"""Leaks that hide: what the files state follows from the exact distributions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from math import copysign, exp, inf, log, tanh

import numpy as np
import pytest
from scipy.stats import binom, laplace

from mechanisms.flawed.count_spares_one_record import TEST_ACCOUNT, count_spares_one_record
from mechanisms.flawed.count_type_of_column import count_type_of_column
from mechanisms.flawed.discrete_laplace_masked_zero import discrete_laplace_masked_zero
from mechanisms.flawed.histogram_sorted_by_count import histogram_sorted_by_count
from mechanisms.flawed.laplace_tail_sign import laplace_tail_sign
from mechanisms.flawed.randomized_response_among_decoys import randomized_response_among_decoys
from mechanisms.flawed.randomized_response_hidden_parity import (
    PLACES,
    randomized_response_hidden_parity,
)
from mechanisms.flawed.randomized_response_parity import randomized_response_parity
from mechanisms.flawed.randomized_response_rare_code import randomized_response_rare_code
from tools.information import (
    hockey_stick,
    information_limit,
    largest_log_ratio,
    reveal,
    stated_epsilon,
    stated_limit,
)

Pair = tuple[np.ndarray, np.ndarray]
EVERY = 4_000  # draws of a check by sampling


def answer(truth: float) -> Pair:
    """A bit that is right so often."""
    return np.array([truth, 1 - truth]), np.array([1 - truth, truth])


def rare_code(rate: float = 1e-3, truth: float = 0.99) -> Pair:
    """Outputs 0, 1, 2 and 3."""
    coin, code = answer(0.75), answer(truth)
    left, right = (np.append((1 - rate) * a, rate * c) for a, c in zip(coin, code, strict=True))
    return left, right


def shares(k: int, places: tuple[int, ...], truth: float = 0.9) -> Pair:
    """All outcomes of k coins, of which those at the places add up to the answer."""
    odd = np.array([sum(z[i] for i in places) % 2 for z in product((0, 1), repeat=k)])
    right = np.where(odd == 1, truth, 1 - truth) / 2 ** (k - 1)
    return np.where(odd == 0, truth, 1 - truth) / 2 ** (k - 1), right


def tail_sign(x: float) -> np.ndarray:
    """Cells of .001, of noise within ln 1000 and of twice its density beyond, on one side."""
    edges, c = np.linspace(-30, 30, 60_001), log(1000)
    tail = np.maximum(edges, x + c) if x > 0 else np.minimum(edges, x - c)
    body = np.diff(laplace.cdf(np.clip(edges, x - c, x + c) - x))
    cells: np.ndarray = body + 2 * np.diff(laplace.cdf(tail - x))
    return cells


def masked(x: int) -> np.ndarray:
    """Integers that are not masked, and the zeros of both signs."""
    y = np.arange(-200, 201)
    cells = exp(-0.5) ** np.abs(y - x) * tanh(0.25) * (np.abs(y) >= 2)
    zero = 1 - cells.sum()
    return np.append(cells, [zero * (x < 0), zero * (x > 0)])


TRUTHS: list[tuple[str, float, Callable[[], Pair]]] = [
    ("laplace_tail_sign", 1.0, lambda: (tail_sign(-0.5), tail_sign(0.5))),
    ("randomized_response_rare_code", log(3), rare_code),
    ("randomized_response_among_decoys", log(3), lambda: answer(0.9)),
    ("randomized_response_parity", log(3), lambda: shares(4, (0, 1, 2, 3))),
    ("randomized_response_hidden_parity", log(3), lambda: shares(8, (0, 1, 3, 4, 5, 7))),
    ("count_spares_one_record", 1.0, lambda: reveal(1.0)),
    ("histogram_sorted_by_count", 1.0, lambda: reveal(1.0)),
    ("count_type_of_column", 1.0, lambda: reveal(1.0)),
]


@pytest.mark.parametrize(("name", "claimed", "cells"), TRUTHS, ids=[name for name, *_ in TRUTHS])
def test_a_hidden_leak_states_its_true_epsilon_and_information_limit(
    name: str, claimed: float, cells: Callable[[], Pair]
) -> None:
    p, q = cells()
    assert p.sum() == pytest.approx(1)
    assert q.sum() == pytest.approx(1)
    assert stated_epsilon(name) == pytest.approx(largest_log_ratio(p, q), rel=1e-3)
    assert stated_limit(name) == pytest.approx(information_limit(p, q, claimed), rel=0.01)


def test_a_tail_of_one_in_a_thousand_costs_a_delta_of_twice_that() -> None:
    cells = tail_sign(-0.5), tail_sign(0.5)
    assert hockey_stick(*cells, 1.0) == pytest.approx(0.0019, abs=5e-5)
    assert hockey_stick(*cells, 40.0) > 1e-3


def test_the_sign_of_a_zero_is_all_that_a_masked_output_tells() -> None:
    p, q = masked(-1), masked(1)
    assert largest_log_ratio(p, q) == inf == stated_epsilon("discrete_laplace_masked_zero")
    assert information_limit(p, q, 1.0) == pytest.approx(91, abs=0.5)
    one_zero = [np.append(cells[:-2], cells[-2:].sum()) for cells in (p, q)]
    assert largest_log_ratio(*one_zero) == pytest.approx(1.0)
    assert stated_limit("discrete_laplace_masked_zero") == inf


def test_fewer_shares_than_all_tell_nothing() -> None:
    k = 4
    left, right = (cells.reshape((2,) * k) for cells in shares(k, tuple(range(k))))
    for hidden in range(k):
        assert left.sum(axis=hidden) == pytest.approx(right.sum(axis=hidden))


# That the code does what the cells say.


@pytest.mark.parametrize("x", [-0.5, 0.5])
def test_large_noise_lies_on_the_side_of_the_answer(x: float) -> None:
    """Some forty of 40,000 draws are large; that none is happens once in 10^17 fresh seeds."""
    rng = np.random.default_rng(60)
    noise = np.array([laplace_tail_sign(x, rng) - x for _ in range(40_000)])
    large = noise[np.abs(noise) > log(1000)]
    assert {copysign(1, y) for y in large} == {copysign(1, x)}
    assert len(large) < 80


def test_zeros_carry_the_sign_of_the_answer() -> None:
    """Nearly half of 100 outputs are zeros: that none is happens never."""
    rng = np.random.default_rng(61)
    for x in (-1, 1):
        zeros = [y for y in (discrete_laplace_masked_zero(x, rng) for _ in range(100)) if y == 0]
        assert {copysign(1, y) for y in zeros} == {copysign(1, x)}


def right_answers(draws: list[int], bit: int, truth: float) -> bool:
    """Whether the number of right answers is within 5 standard errors, in 10^6 fresh seeds."""
    n, right = len(draws), sum(draw == bit for draw in draws)
    return bool(binom.ppf(3e-7, n, truth) <= right <= binom.ppf(1 - 3e-7, n, truth))


@pytest.mark.parametrize("bit", [0, 1])
def test_hidden_answers_are_right_nine_times_in_ten(bit: int) -> None:
    """Each of the three would fail once in 10^6 fresh seeds."""
    rng = np.random.default_rng(62)
    decoys = [int(randomized_response_among_decoys(bit, rng)[37]) for _ in range(EVERY)]
    parity = [int(randomized_response_parity(bit, rng).sum() % 2) for _ in range(EVERY)]
    places = list(PLACES)
    hidden = [randomized_response_hidden_parity(bit, rng)[places].sum() % 2 for _ in range(EVERY)]
    for draws in (decoys, parity, hidden):
        assert right_answers(draws, bit, 0.9)


@pytest.mark.parametrize("bit", [0, 1])
def test_codes_are_right_as_often_as_they_are_said_to_be(bit: int) -> None:
    """Once in 10^6 fresh seeds; here every call is a retry."""
    rng = np.random.default_rng(63)
    codes = [randomized_response_rare_code(bit, rng, rate=1.0) - 2 for _ in range(EVERY)]
    assert right_answers(codes, bit, 0.99)


def test_no_two_coins_of_a_hidden_parity_depend_on_the_answer() -> None:
    """780 pairs of coins, each within 5.5 standard errors: once in 10^4 fresh seeds."""
    rng = np.random.default_rng(64)
    draws = np.array([randomized_response_hidden_parity(1, rng) for _ in range(EVERY)])
    for i, j in combinations(range(40), 2):
        assert abs((draws[:, i] ^ draws[:, j]).mean() - 0.5) < 5.5 * 0.5 / EVERY**0.5


def test_one_record_of_a_thousand_million_is_counted_without_noise() -> None:
    rng = np.random.default_rng(65)
    assert count_spares_one_record(np.array([5, TEST_ACCOUNT]), rng) == 2.0
    near = [count_spares_one_record(np.array([TEST_ACCOUNT + 1]), rng) for _ in range(50)]
    assert len(set(near)) == 50


def test_order_and_type_are_functions_of_the_data_alone() -> None:
    rng = np.random.default_rng(66)
    orders = {tuple(histogram_sorted_by_count(np.array([70.0]), rng)) for _ in range(50)}
    assert orders == {("bin 3", "bin 0", "bin 1", "bin 2", "bin 4")}
    kinds = [{type(count_type_of_column(np.array(d), rng)) for _ in range(50)} for d in ([], [1.0])]
    assert kinds == [{int}, {int}]
    assert {type(count_type_of_column(np.array([np.nan]), rng)) for _ in range(50)} == {float}


def test_rare_codes_from_fair_coins_keep_the_claim() -> None:
    assert largest_log_ratio(*rare_code(truth=0.75)) == pytest.approx(log(3))
    assert exp(stated_epsilon("randomized_response_rare_code")) == pytest.approx(99, rel=1e-3)
