"""Local privacy and the shuffle model: what the files state is computed again by enumeration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations, product
from math import e, exp, inf, log, nan, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chi2

from mechanisms import (
    count_mean_sketch,
    frequency_oracle,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    rappor_decoding,
    shuffled_reports,
    unary_encoding,
)
from mechanisms.count_mean_sketch import PUBLIC
from mechanisms.duchi_mean import duchi_mean
from mechanisms.duchi_mean import estimated_mean as duchi_estimate
from mechanisms.flawed.duchi_mean_unclipped import duchi_mean_unclipped
from mechanisms.flawed.local_hashing_seed_from_value import local_hashing_seed_from_value
from mechanisms.flawed.randomized_response_user_seed import randomized_response_user_seed
from mechanisms.flawed.rappor_without_memo import rappor_without_memo
from mechanisms.hadamard_response import hadamard, hadamard_response, one_bit_hadamard
from mechanisms.local_hashing import hash_range, universal_hash
from mechanisms.piecewise_mean import estimated_mean, piecewise_mean
from mechanisms.rappor import bloom_filter, marginals, permanent_response, rappor, spent
from tools.information import (
    hockey_stick,
    information_limit,
    largest_log_ratio,
    reveal,
    stated_epsilon,
    stated_limit,
)

Cells = np.ndarray
EPSILONS = [0.1, 0.5, 1.0, log(3), 2.0, 5.0]
ROOT = exp(0.5)
AMPLIFIED = shuffled_reports.amplified_delta(100, 1.0, 0.25)


def bit_cells(ones: list[float]) -> Cells:
    """Probabilities of all outcomes of independent bits."""
    cells = [np.prod(p) for p in product(*((1 - one, one) for one in ones))]
    return np.array(cells)


def weights(k: int, truth: float, held: int = 0) -> Cells:
    cells = np.full(k, (1 - truth) / (k - 1))
    cells[held] = truth
    return cells


def two(cells: Callable[..., Cells], *arguments: Any) -> tuple[Cells, Cells]:
    return cells(*arguments, 0), cells(*arguments, 1)


def unary_cells(k: int, p: float, q: float, held: int) -> Cells:
    return bit_cells([p if i == held else q for i in range(k)])


def differing_bits(count: int, likelier: float) -> tuple[Cells, Cells]:
    """How many of the bits in which two filters differ look like the left one."""
    z = np.arange(count + 1)
    return binom.pmf(z, count, likelier), binom.pmf(z, count, 1 - likelier)


def resampled() -> tuple[Cells, Cells]:
    """Hashes agree with probability 1/4 and tell nothing; else the truth has a fourth of lies."""
    keep = e / (e + 3)
    left, right = two(weights, 4, keep + (1 - keep) / 4)
    return np.append(left * 3 / 4, 1 / 4), np.append(right * 3 / 4, 1 / 4)


def piecewise_cells(c: float, inside: float) -> tuple[Cells, Cells]:
    """Reports for −1 and 1 in [−C, −1], [−1, 1] and [1, C]."""
    cells = np.array([inside, (1 - inside) * 2 / (c + 1), (1 - inside) * (c - 1) / (c + 1)])
    return cells, cells[::-1]


def debug_build(share: float) -> tuple[Cells, Cells]:
    left, right = piecewise_cells((ROOT + 1) / (ROOT - 1), ROOT / (ROOT + 1))
    shown = reveal(share)
    return tuple(  # type: ignore[return-value]
        np.append(s[:2], s[2] * cells) for s, cells in zip(shown, (left, right), strict=True)
    )


def tally_cells(n: int, truth: float, holders: int) -> Cells:
    """Probabilities of how many of n reports are 1 when so many respondents hold 1."""
    ones = binom.pmf(np.arange(holders + 1), holders, truth)
    return np.convolve(ones, binom.pmf(np.arange(n - holders + 1), n - holders, 1 - truth))


TRUTHS: list[tuple[str, float, float, Callable[[], tuple[Cells, Cells]]]] = [
    ("randomized_response_wrong_coin", log(3), 0.0, lambda: two(weights, 2, 7 / 8)),
    ("randomized_response_binary_weight", 1.0, 0.0, lambda: two(weights, 4, e / (1 + e))),
    ("randomized_response_skips_missing", log(3), 0.0, lambda: reveal(1.0)),
    ("randomized_response_user_seed", log(3), 0.0, lambda: reveal(1.0)),
    ("randomized_response_dont_know", log(3), 0.0, lambda: reveal(0.5)),
    ("unary_encoding_one_bit", 1.0, 0.0, lambda: two(unary_cells, 4, e / (1 + e), 1 / (1 + e))),
    (
        "optimized_unary_encoding_mixed",
        1.0,
        0.0,
        lambda: two(unary_cells, 4, ROOT / (1 + ROOT), 1 / (1 + e)),
    ),
    ("rappor_wrong_epsilon", 0.1, 0.0, lambda: differing_bits(8, 0.525)),
    ("local_hashing_seed_from_value", 1.0, 0.0, lambda: reveal(1.0)),
    ("local_hashing_resampled", 1.0, 0.0, resampled),
    ("count_mean_sketch_one_entry", 1.0, 0.0, lambda: reveal(ROOT / (1 + ROOT))),
    ("hadamard_response_column_from_value", 1.0, 0.0, lambda: reveal(1.0)),
    ("duchi_mean_unclipped", 1.0, 0.0, lambda: reveal(1.0)),
    (
        "piecewise_mean_wrong_c",
        1.0,
        0.0,
        lambda: piecewise_cells((e + 1) / (e - 1), ROOT / (ROOT + 1)),
    ),
    ("piecewise_mean_debug_build", 1.0, 0.0, lambda: debug_build(0.02)),
    ("shuffled_reports_in_order", 0.25, AMPLIFIED, lambda: two(weights, 2, e / (1 + e))),
]


@pytest.mark.parametrize(
    ("name", "claimed", "delta", "cells"), TRUTHS, ids=[name for name, *_ in TRUTHS]
)
def test_a_flawed_twin_states_its_true_epsilon_and_information_limit(
    name: str, claimed: float, delta: float, cells: Callable[[], tuple[Cells, Cells]]
) -> None:
    p, q = cells()
    assert p.sum() == pytest.approx(1)
    assert q.sum() == pytest.approx(1)
    assert largest_log_ratio(p, q) > 1.2 * claimed
    assert stated_epsilon(name) == pytest.approx(largest_log_ratio(p, q), rel=1e-3)
    assert stated_limit(name) == pytest.approx(information_limit(p, q, claimed, delta), rel=0.01)


def test_forgetting_the_permanent_response_costs_every_report() -> None:
    _, likelier = marginals(0.9, 0.25, 0.75)
    cells = differing_bits(8 * 30, likelier)
    assert stated_epsilon("rappor_without_memo") == pytest.approx(
        30 * spent(0.9, 0.25, 0.75), rel=1e-3
    )
    assert stated_limit("rappor_without_memo") == pytest.approx(
        information_limit(*cells, spent(0.9)), rel=0.01
    )


def test_a_quarter_of_the_respondents_is_a_smaller_crowd() -> None:
    name, truth = "shuffled_reports_responders", e / (1 + e)
    nobody, one = tally_cells(25, truth, 0), tally_cells(25, truth, 1)
    assert hockey_stick(nobody, one, stated_epsilon(name)) == pytest.approx(AMPLIFIED, rel=1e-3)
    assert stated_limit(name) == pytest.approx(
        information_limit(nobody, one, 0.25, AMPLIFIED), rel=0.01
    )


@pytest.mark.parametrize(
    ("bits", "likelier", "truth", "limit"),
    [
        (6, 0.525, 0.6005, 3797),
        (8, 0.525, 0.8007, 2571),
        (6, 0.5125, 0.30006, 35_493),
        (8, 0.5125, 0.40008, 20_595),
    ],
)
def test_rappor_at_a_tenth_is_broken_by_as_much_as_filters_differ(
    bits: int, likelier: float, truth: float, limit: float
) -> None:
    cells = differing_bits(bits, likelier)
    assert largest_log_ratio(*cells) == pytest.approx(truth, abs=5e-5)
    assert information_limit(*cells, 0.1) == pytest.approx(limit, rel=1e-3)


def test_paying_for_one_bit_at_log_three_costs_log_nine() -> None:
    assert largest_log_ratio(*two(unary_cells, 4, 3 / 4, 1 / 4)) == pytest.approx(log(9))


# Sound mechanisms: the largest log-ratio over all neighboring inputs.


def k_ary_cells(k: int, epsilon: float, held: int) -> Cells:
    return weights(k, exp(epsilon) / (exp(epsilon) + k - 1), held)


def hadamard_cells(epsilon: float, held: int) -> Cells:
    likelier = [hadamard(held + 1, y) == 1 for y in range(8)]
    return np.where(likelier, exp(epsilon), 1.0) / (4 * (exp(epsilon) + 1))


def one_bit_cells(epsilon: float, held: int) -> Cells:
    """Columns 0, ..., 7 with a bit of 1, then with −1."""
    entries = np.array([hadamard(held + 1, y) for y in range(8)])
    return np.where(np.append(entries, -entries) == 1, exp(epsilon), 1.0) / (8 * (exp(epsilon) + 1))


def hashing_cells(epsilon: float, held: int) -> Cells:
    g, cells = hash_range(epsilon), []
    for a, b in np.random.default_rng(40).integers(local_hashing.PRIME, size=(50, 2)).tolist():
        cells.append(k_ary_cells(g, epsilon, universal_hash(a, b, held, g)) / 50)
    return np.concatenate(cells)


def sketch_cells(epsilon: float, held: int) -> Cells:
    keep = 1 / (1 + exp(-epsilon / 2))
    cells = [unary_cells(8, keep, 1 - keep, universal_hash(*seed, held, 8)) for seed in PUBLIC]
    return np.concatenate(cells) / len(PUBLIC)


SOUND: dict[str, Callable[[float, int], Cells]] = {
    "k-ary": lambda epsilon, held: k_ary_cells(4, epsilon, held),
    "unary": lambda epsilon, held: unary_cells(4, *unary_encoding.probabilities(epsilon), held),
    "optimized unary": lambda epsilon, held: unary_cells(
        4, *optimized_unary_encoding.probabilities(epsilon), held
    ),
    "local hashing": hashing_cells,
    "sketch": sketch_cells,
    "hadamard": hadamard_cells,
    "one bit hadamard": one_bit_cells,
}


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", SOUND)
def test_the_largest_log_ratio_over_all_pairs_is_epsilon(name: str, epsilon: float) -> None:
    cells = [SOUND[name](epsilon, held) for held in range(4)]
    ratios = [largest_log_ratio(p, q) for p, q in combinations(cells, 2)]
    assert max(ratios) == pytest.approx(epsilon, rel=1e-9)


def test_two_fair_coins_are_log_three() -> None:
    assert largest_log_ratio(*two(weights, 2, 3 / 4)) == pytest.approx(log(3))


@pytest.mark.parametrize(
    ("f", "p", "q", "truth"),
    [(0.95, 0.0, 1.0, 0.8007), (0.75, 0.45, 0.55, 0.40008), (0.5, 0.5, 0.75, None)],
)
def test_rappor_costs_what_its_theorem_says_and_filters_attain_it(
    f: float, p: float, q: float, truth: float | None
) -> None:
    low, high = marginals(f, p, q)
    filters = [bloom_filter(v) for v in range(10)]
    largest = 0.0
    for left, right in permutations(filters, 2):
        ones = [np.where(bits, high, low) for bits in (left, right)]
        largest = max(
            largest,
            float(
                np.maximum(np.log(ones[0] / ones[1]), np.log((1 - ones[0]) / (1 - ones[1]))).sum()
            ),
        )
    assert largest == pytest.approx(spent(f, p, q), rel=1e-12)
    if truth is not None:
        assert largest == pytest.approx(truth, abs=5e-5)


@pytest.mark.parametrize("reports", [1, 2, 5, 20])
def test_many_reports_of_one_permanent_response_cost_no_more_than_it(reports: int) -> None:
    f, p, q = 0.75, 0.45, 0.55
    z = np.arange(reports + 1)
    one, zero = binom.pmf(z, reports, q), binom.pmf(z, reports, p)
    bit = [(1 - f / 2) * a + f / 2 * b for a, b in ((one, zero), (zero, one))]
    assert 8 * largest_log_ratio(*bit) < spent(f)
    assert 8 * largest_log_ratio(*bit) >= spent(f, p, q) * (1 - 1e-9)


def test_filters_are_the_same_in_every_process() -> None:
    assert np.flatnonzero(bloom_filter(1)).tolist() == [0, 2, 11, 13]
    assert np.abs(bloom_filter(1) - bloom_filter(5)).sum() == 8


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_duchi_probabilities_stay_within_those_of_randomized_response(epsilon: float) -> None:
    b = (exp(epsilon) + 1) / (exp(epsilon) - 1)
    likely = [1 / 2 + x / (2 * b) for x in (-1.0, 1.0)]
    assert log(likely[1] / likely[0]) == pytest.approx(epsilon)
    assert log((1 - likely[0]) / (1 - likely[1])) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_piecewise_density_has_the_ratio_mean_and_variance_of_its_paper(epsilon: float) -> None:
    root = exp(epsilon / 2)
    c = (root + 1) / (root - 1)
    near, far = root / (root + 1) / (c - 1), 1 / (root + 1) / (c + 1)
    assert log(near / far) == pytest.approx(epsilon)
    for t in np.linspace(-1, 1, 9):
        left = (c + 1) * t / 2 - (c - 1) / 2
        right = left + c - 1
        assert -c - 1e-12 <= left <= right <= c + 1e-12
        mean = (near - far) * (right**2 - left**2) / 2
        square = far * 2 * c**3 / 3 + (near - far) * (right**3 - left**3) / 3
        assert mean == pytest.approx(t, abs=1e-9)
        variance = t**2 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)
        assert square - mean**2 == pytest.approx(variance, rel=1e-9)


# Closed forms against brute force.


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_unary_encodings_have_the_variances_of_their_paper(epsilon: float) -> None:
    root = exp(epsilon / 2)
    p, q = unary_encoding.probabilities(epsilon)
    assert frequency_oracle.variance(7, 0, p=p, q=q) == pytest.approx(7 * root / (root - 1) ** 2)
    p, q = optimized_unary_encoding.probabilities(epsilon)
    closed = 4 * 7 * exp(epsilon) / (exp(epsilon) - 1) ** 2
    assert frequency_oracle.variance(7, 0, p=p, q=q) == pytest.approx(closed)


def test_the_variance_of_a_count_is_that_of_a_sum_of_coins() -> None:
    n, held, p, q = 9, 4, 0.6, 0.2
    coins = held * p * (1 - p) + (n - held) * q * (1 - q)
    assert frequency_oracle.variance(n, held, p=p, q=q) == pytest.approx(coins / (p - q) ** 2)


def test_optimized_unary_encoding_has_the_least_variance_at_its_epsilon() -> None:
    p, q = optimized_unary_encoding.probabilities(1.0)
    least = frequency_oracle.variance(1, 0, p=p, q=q)
    for other in np.linspace(0.05, 0.95, 91):
        odds = other / (1 - other) / e
        q = odds / (1 + odds)
        assert frequency_oracle.variance(1, 0, p=other, q=q) >= least * (1 - 1e-12)


def test_the_hash_family_is_pairwise_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a field of 7 elements hashed onto all of it, every pair of hashes is as likely."""
    monkeypatch.setattr(local_hashing, "PRIME", 7)
    for x, y in combinations(range(7), 2):
        pairs = {(universal_hash(a, b, x, 7), universal_hash(a, b, y, 7)) for a, b in FIELD}
        assert len(pairs) == 49


FIELD = list(product(range(7), repeat=2))


def test_a_hash_of_a_huge_number_does_not_overflow() -> None:
    a = b = local_hashing.PRIME - 1
    for value in (2**63 - 1, -(2**63), 2**31 - 1):
        exact = (a * value + b) % local_hashing.PRIME % 16
        assert universal_hash(np.int64(a), np.int64(b), np.int64(value), 16) == exact


def test_rows_of_the_hadamard_matrix_are_orthogonal() -> None:
    matrix = np.array([[hadamard(x, y) for y in range(16)] for x in range(16)])
    assert np.array_equal(matrix @ matrix.T, 16 * np.eye(16))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_amplification_is_the_worst_case_over_all_datasets_and_outputs(n: int) -> None:
    """All 2^n datasets; an output is the tuple of reports, averaged over all permutations."""
    truth, orders = 1 / (1 + exp(-1.0)), list(permutations(range(n)))

    def cells(data: tuple[int, ...]) -> Cells:
        likely = np.zeros(2**n)
        for index, reports in enumerate(product((0, 1), repeat=n)):
            for order in orders:
                held = [data[i] for i in order]
                agree = sum(y == x for y, x in zip(reports, held, strict=True))
                likely[index] += truth**agree * (1 - truth) ** (n - agree) / len(orders)
        return likely

    outputs = {data: cells(data) for data in product((0, 1), repeat=n)}
    worst = max(
        hockey_stick(outputs[left], outputs[right], 0.25)
        for left, right in combinations(outputs, 2)
        if sum(a != b for a, b in zip(left, right, strict=True)) == 1
    )
    assert shuffled_reports.amplified_delta(n, 1.0, 0.25) == pytest.approx(worst, rel=1e-6)
    assert shuffled_reports.amplified_delta(n, 1.0, 0.25) >= worst


def test_the_amplified_delta_is_that_of_two_binomial_sums() -> None:
    truth, worst = e / (1 + e), 0.0
    for holders in range(30):
        cells = tally_cells(30, truth, holders), tally_cells(30, truth, holders + 1)
        worst = max(worst, hockey_stick(*cells, 0.25))
    assert shuffled_reports.amplified_delta(30, 1.0, 0.25) == pytest.approx(worst, rel=1e-6)


@pytest.mark.parametrize(("local_epsilon", "delta"), [(0.2, 0.01), (0.5, 0.05), (0.8, 0.05)])
def test_the_closed_form_of_the_shuffle_is_an_upper_bound(
    local_epsilon: float, delta: float
) -> None:
    epsilon = shuffled_reports.amplified_epsilon(150, local_epsilon, delta)
    assert shuffled_reports.amplified_delta(150, local_epsilon, epsilon) <= delta


def test_the_closed_form_of_the_shuffle_amplifies_large_crowds_alone() -> None:
    assert shuffled_reports.amplified_epsilon(100_000, 1.0, 1e-6) < 0.08
    assert shuffled_reports.amplified_epsilon(100, 1.0, 1e-6) == 1.0


# The code draws from the distributions that were enumerated.


def codes(outputs: list[Any]) -> np.ndarray:
    """Bits read as a number, most significant first."""
    bits = np.array(outputs)
    return bits @ (1 << np.arange(bits.shape[1])[::-1])


N = 20_000
DRAWN: dict[str, tuple[Callable[[np.random.Generator], Any], Cells, bool]] = {
    "two coins": (
        lambda rng: randomized_response.randomized_response(1, rng),
        np.array([1 / 4, 3 / 4]),
        False,
    ),
    "k-ary": (
        lambda rng: randomized_response.k_randomized_response(2, rng),
        k_ary_cells(4, 1.0, 2),
        False,
    ),
    "unary": (lambda rng: unary_encoding.unary_encoding(2, rng), SOUND["unary"](1.0, 2), True),
    "optimized unary": (
        lambda rng: optimized_unary_encoding.optimized_unary_encoding(2, rng),
        SOUND["optimized unary"](1.0, 2),
        True,
    ),
    "hadamard": (lambda rng: hadamard_response(2, rng), hadamard_cells(1.0, 2), False),
    "one bit hadamard": (
        lambda rng: (lambda y, bit: y if bit == 1 else y + 8)(*one_bit_hadamard(2, rng)),
        one_bit_cells(1.0, 2),
        False,
    ),
    "first bits of one-time rappor": (
        lambda rng: permanent_response(1, rng)[:7],
        bit_cells([0.525 if bit else 0.475 for bit in bloom_filter(1)[:7]]),
        True,
    ),
    "first bits of a rappor report": (
        lambda rng: rappor(1, rng, f=0.5, p=0.1, q=0.8)[0, :7],
        bit_cells([marginals(0.5, 0.1, 0.8)[bit] for bit in bloom_filter(1)[:7]]),
        True,
    ),
    "sketch": (
        lambda rng: (lambda j, x: [j >> 1, j & 1, *(x + 1) // 2])(
            *count_mean_sketch.count_mean_sketch(2, rng, m=8)
        ),
        sketch_cells(1.0, 2),
        True,
    ),
    "shuffled": (
        lambda rng: [shuffled_reports.shuffled_reports(np.array([0, 1, 1, 1]), rng).sum()],
        tally_cells(4, e / (1 + e), 3),
        False,
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_draws_follow_the_stated_distribution(name: str) -> None:
    """Chi-square at level 1e-6: ten such tests fail once in 100,000 fresh seeds."""
    draw, cells, bits = DRAWN[name]
    rng = np.random.default_rng(41)
    outputs = [draw(rng) for _ in range(N)]
    index = codes(outputs) if bits else np.array(outputs).ravel()
    seen = np.bincount(index, minlength=len(cells))
    likely = cells > 0
    assert seen[~likely].sum() == 0
    # cells with an expectation below 10 are taken together
    rare = likely & (N * cells < 10)
    common = likely & ~rare
    seen = np.append(seen[common], seen[rare].sum()) if rare.any() else seen[common]
    expected = N * (np.append(cells[common], cells[rare].sum()) if rare.any() else cells[common])
    assert ((seen - expected) ** 2 / expected).sum() < chi2.isf(1e-6, len(expected) - 1)


def test_reports_of_one_respondent_share_the_permanent_response() -> None:
    """With f = 1/2, p = 0 and q = 1 reports are the permanent response itself."""
    rng = np.random.default_rng(42)
    reports = rappor(1, rng, reports=50, f=0.5, p=0.0, q=1.0)
    assert (reports == reports[0]).all()
    fresh = rappor_without_memo(1, rng, reports=50, f=0.5, p=0.0, q=1.0)
    assert not (fresh == fresh[0]).all()


def test_the_average_of_fresh_reports_is_the_bloom_filter() -> None:
    """20 bits, each 10 standard errors from the threshold: once in 10^21 fresh seeds."""
    reports = rappor_without_memo(1, np.random.default_rng(43), reports=40_000)
    low, high = marginals(0.9, 0.25, 0.75)
    share = reports.mean(axis=0)
    assert (high - low) / 2 > 9.9 * sqrt(0.25 / 40_000)
    assert np.array_equal(share > (low + high) / 2, bloom_filter(1) == 1)


# Special inputs.


@pytest.mark.parametrize("client", [duchi_mean, piecewise_mean])
@pytest.mark.parametrize(("value", "clipped"), [(nan, -1.0), (inf, 1.0), (-inf, -1.0), (1e308, 1)])
def test_a_number_outside_the_range_counts_as_its_end(
    client: Callable[..., float], value: float, clipped: float
) -> None:
    outputs = [
        [client(x, np.random.default_rng(seed)) for seed in range(50)] for x in (value, clipped)
    ]
    assert outputs[0] == outputs[1]
    assert np.isfinite(outputs).all()


def test_without_the_clip_the_report_is_certain() -> None:
    rng = np.random.default_rng(44)
    assert len({duchi_mean_unclipped(3.0, rng) for _ in range(200)}) == 1
    assert len({duchi_mean_unclipped(1.0, rng) for _ in range(200)}) == 2


def test_a_seed_that_is_known_gives_the_answer_away() -> None:
    rng = np.random.default_rng(45)
    assert [randomized_response_user_seed(bit, rng) for bit in (0, 1) * 5] == [0, 1] * 5
    hashes = {local_hashing_seed_from_value(value, rng)[:2] for value in (0, 1) * 5}
    assert len(hashes) == 2


def test_servers_answer_where_there_are_no_reports() -> None:
    empty = np.zeros((0, 4), dtype=np.int64)
    assert unary_encoding.estimated_counts(empty).tolist() == [0, 0, 0, 0]
    assert optimized_unary_encoding.estimated_counts(empty).tolist() == [0, 0, 0, 0]
    assert local_hashing.estimated_counts(empty[:, :3], np.arange(4)).tolist() == [0, 0, 0, 0]
    assert randomized_response.estimated_ones(empty[:, 0]) == 0
    assert randomized_response.estimated_k_counts(empty[:, 0]).tolist() == [0, 0, 0, 0]
    assert count_mean_sketch.estimated_count([], 3) == 0
    assert shuffled_reports.estimated_ones(empty[:, 0]) == 0
    assert duchi_estimate(np.zeros(0)) == estimated_mean(np.zeros(0)) == 0
    assert rappor_decoding.estimated_bits(np.zeros((0, 20), dtype=np.int64)).tolist() == [0] * 20


def test_decoding_is_exact_where_there_is_no_noise() -> None:
    held = np.array([5.0, 0.0, 2.0, 7.0])
    bits = rappor_decoding.design(range(4)) @ held
    assert rappor_decoding.decoded_counts(bits, range(4)) == pytest.approx(held, abs=1e-9)


def test_shuffling_leaves_the_dataset_as_it_is() -> None:
    data = np.array([0, 1, 1, 0])
    shuffled_reports.shuffled_reports(data, np.random.default_rng(46))
    assert data.tolist() == [0, 1, 1, 0]


def test_every_order_of_reports_is_as_likely() -> None:
    """Chi-square over the places of one report among four, level 1e-6."""
    rng, places = np.random.default_rng(47), np.zeros(4)
    for _ in range(4000):
        reports = shuffled_reports.shuffled_reports(np.array([1, 0, 0, 0]), rng, local_epsilon=50.0)
        places += reports
    assert ((places - 1000) ** 2 / 1000).sum() < chi2.isf(1e-6, 3)
