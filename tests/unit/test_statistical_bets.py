"""Every bet is a test supermartingale: no distribution that the claim allows makes it grow.

These checks are exact. From a state of the counts, one more draw must not raise the expected
wealth, whatever allowed distribution it comes from. Expectations are linear in that distribution,
so vertices, a linear program, or the boundary of the region decide.
"""

import copy
import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpaudit.outputs import encode
from dpaudit.statistical.book import Book, Labels, PairsOfDraws, Stakes
from dpaudit.statistical.features import plain_partitions
from dpaudit.statistical.halfplane import half_plane_log_wealth
from dpaudit.statistical.label import label_log_wealth
from dpaudit.statistical.ledger import Ledger
from dpaudit.statistical.moment import MomentBets, moment_bets, moment_log_wealth
from dpaudit.statistical.partition import folded

ROUNDING = 1e-9


def orders_of(cells):
    natural = np.arange(cells)
    return (natural, natural[folded(cells)], natural[::-1])


def states_of(shape, seed, sizes):
    """Counts of all kinds: none, few, many, on the diagonal, piled up in one corner."""
    rng = np.random.default_rng(seed)
    yield np.zeros(shape, dtype=np.int64)
    for size in sizes:
        for concentration in (0.05, 1.0):
            weights = rng.dirichlet(np.full(math.prod(shape), concentration))
            yield rng.multinomial(size, weights).reshape(shape)
        corner = np.zeros(shape, dtype=np.int64)
        corner[0, -1] = size
        yield corner
        if shape[0] == shape[1]:
            yield np.diag(rng.multinomial(size, np.full(shape[0], 1 / shape[0])))


def after_one_more(counts):
    """The counts after one more draw in each place, stacked."""
    places = np.eye(counts.size, dtype=np.int64).reshape(counts.size, *counts.shape)
    return counts + places


# Labels.


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0])
def test_one_more_label_gains_nothing_at_any_allowed_posterior(epsilon):
    posterior = 1 / (1 + math.exp(-epsilon))
    for cells in (1, 2, 3, 5):
        for counts in states_of((2, cells), cells, (1, 2, 7, 60, 2_000)):
            before = label_log_wealth(counts, orders_of(cells), epsilon)
            after = label_log_wealth(after_one_more(counts), orders_of(cells), epsilon)
            for_zero, for_one = np.exp(after - before).reshape(2, cells)
            for pi in (posterior, 1 - posterior):  # linear between
                assert np.all(pi * for_one + (1 - pi) * for_zero <= 1 + ROUNDING)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_expected_wealth_of_labels_is_at_most_one_by_enumeration(epsilon):
    draws, cells = 3, 3
    high = 1 / (1 + math.exp(-epsilon))
    counts = np.array(list(product(range(draws + 1), repeat=cells)))
    wealth = np.exp(
        label_log_wealth(np.stack([draws - counts, counts], axis=1), orders_of(cells), epsilon)
    ).reshape((draws + 1,) * cells)
    # A row for each number of draws that come at the high posterior, the rest at the low one.
    chances = np.array(
        [
            np.convolve(
                binom.pmf(np.arange(h + 1), h, high),
                binom.pmf(np.arange(draws - h + 1), draws - h, 1 - high),
            )
            for h in range(draws + 1)
        ]
    )
    expected = np.einsum("abc,ia,jb,kc->ijk", wealth, chances, chances, chances)
    assert expected.max() <= 1 + ROUNDING


def test_labels_beyond_the_claim_do_earn():
    counts = np.array([[10, 190], [190, 10]])
    assert label_log_wealth(counts, orders_of(2), 1.0) > 50


def test_wealth_of_no_draws_is_one():
    assert label_log_wealth(np.zeros((2, 4), dtype=np.int64), orders_of(4), 1.0) == pytest.approx(0)
    none = np.zeros((4, 4), dtype=np.int64)
    stakes = Stakes.of(ApproxDP(1.0, 0.01))
    events = half_plane_log_wealth(none, orders_of(4), stakes.slopes, stakes.deltas)
    assert events == pytest.approx(0)
    assert moment_log_wealth(none, MomentBets(np.ones(4)), ((2.0, 1.0),)) == pytest.approx(0)


# Half-planes.


def most_expected(gains, slopes, deltas):
    """The largest expectation over joint distributions whose marginals the claim allows."""
    cells = gains.shape[0]
    rows, bounds = [], []
    for size in range(1, cells):
        for event in combinations(range(cells), size):
            inside = np.isin(np.arange(cells), event).astype(float)
            x, y = np.repeat(inside, cells), np.tile(inside, cells)
            for slope, delta in zip(slopes, deltas, strict=True):
                rows += [x - math.exp(slope) * y, y - math.exp(slope) * x]
                bounds += [delta, delta]
    found = linprog(
        -gains.ravel(), A_ub=np.array(rows), b_ub=bounds, A_eq=np.ones((1, cells**2)), b_eq=[1.0]
    )
    assert found.status == 0
    return -found.fun


EVENT_CLAIMS = [
    PureDP(0.0),
    PureDP(0.1),
    PureDP(2.0),
    ApproxDP(0.0, 0.1),
    ApproxDP(1.0, 1e-5),
    GaussianDP(0.0),
    GaussianDP(0.5),
    GaussianDP(3.0),
    RenyiDP(2.0, 0.5),
    ZeroConcentratedDP(0.1),
]


@pytest.mark.parametrize("claim", EVENT_CLAIMS, ids=str)
def test_one_more_pair_of_draws_gains_nothing_under_any_allowed_distribution(claim):
    stakes = Stakes.of(claim)
    for cells, sizes in ((2, (1, 30, 3_000)), (3, (2, 40))):
        for counts in states_of((cells, cells), cells, sizes):
            arguments = orders_of(cells), stakes.slopes, stakes.deltas
            before = half_plane_log_wealth(counts, *arguments)
            after = half_plane_log_wealth(after_one_more(counts), *arguments)
            gains = np.exp(after - before).reshape(cells, cells)
            assert gains.min() >= 0
            # The solver is exact to 1e-7 in what it calls feasible.
            slack = 1e-7 * max(1.0, gains.max())
            assert most_expected(gains, stakes.slopes, stakes.deltas) <= 1 + slack


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_expected_wealth_of_events_at_the_boundary_is_at_most_one_by_enumeration(epsilon):
    """All sequences of three pairs from the extreme pair of coins, coupled and independent."""
    p = 1 / (1 + math.exp(-epsilon))
    marginals = np.array([p, 1 - p]), np.array([1 - p, p])
    shared = np.minimum(*marginals)
    coupled = np.diag(shared)
    coupled[0, 1] = p - (1 - p)
    for joint in (np.outer(*marginals), coupled):
        expected = 0.0
        for places in product(range(4), repeat=3):
            counts = np.bincount(places, minlength=4).reshape(2, 2)
            log = half_plane_log_wealth(counts, (np.arange(2),), np.array([epsilon]), np.zeros(1))
            expected += math.exp(log) * math.prod(joint.ravel()[i] for i in places)
        assert expected <= 1 + ROUNDING


def test_pairs_of_draws_beyond_the_claim_do_earn():
    stakes = Stakes.of(GaussianDP(0.5))
    counts = np.array([[20, 900], [60, 20]])
    assert half_plane_log_wealth(counts, orders_of(2), stakes.slopes, stakes.deltas) > 50


# Functions of the output, for Rényi claims.


def renyi(p, q, order):
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = np.where(p > 0, p**order * q ** (1 - order), 0.0)
        return np.log(terms.sum(axis=-1)) / (order - 1)


def boundary_pairs(cells, moments, rng, count):
    """Pairs of distributions at the edge of what Rényi bounds in both directions allow."""
    p = rng.dirichlet(np.full(cells, 0.5), count)
    far = rng.dirichlet(np.full(cells, 0.5), count)
    low, high = np.zeros(count), np.ones(count)
    for _ in range(60):
        middle = (low + high) / 2
        q = p + middle[:, None] * (far - p)
        within = np.all(
            [
                (renyi(p, q, order) <= epsilon) & (renyi(q, p, order) <= epsilon)
                for order, epsilon in moments
            ],
            axis=0,
        )
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return p, p + low[:, None] * (far - p)


@pytest.mark.parametrize(
    "claim",
    [RenyiDP(1.5, 0.2), RenyiDP(2.0, 0.0), RenyiDP(2.0, 1.0), RenyiDP(16.0, 2.0),
     ZeroConcentratedDP(0.05), ZeroConcentratedDP(0.5)],
    ids=str,
)  # fmt: skip
def test_one_more_pair_gains_nothing_on_functions_at_the_edge_of_a_renyi_claim(claim):
    moments = claim.renyi_bounds()
    rng = np.random.default_rng(5)
    for cells in (2, 3, 4):
        p, q = boundary_pairs(cells, moments, rng, 2_000)
        for counts in states_of((cells, cells), cells, (1, 20, 500)):
            bets = MomentBets(rng.lognormal(sigma=1.5, size=cells))
            before = moment_log_wealth(counts, bets, moments)
            after = moment_log_wealth(after_one_more(counts), bets, moments)
            gains = np.exp(after - before).reshape(cells, cells)
            assert gains.min() >= 0
            assert np.einsum("ij,ni,nj->n", gains, p, q).max() <= 1 + ROUNDING
            assert np.einsum("ij,ni,nj->n", gains, q, p).max() <= 1 + ROUNDING


def test_functions_earn_where_the_divergence_is_beyond_the_claim():
    counts = np.array([[400, 2_000], [20, 400]])
    bets = MomentBets(np.array([5.0, 0.2]))
    assert moment_log_wealth(counts, bets, ((2.0, 0.5),)) > 20


# Books.


def partitions(cells):
    """Two partitions of the integers, one of them a different shape."""
    sample = encode([float(i % 5) for i in range(40)])
    fine = encode([float(i % 3) for i in range(40)])
    return plain_partitions(sample, cells) + plain_partitions(fine, cells)


def label_book(rng):
    book = Book(Labels())
    book.join([(partitions(4)[0], None)], 1.0)
    for _ in range(3):
        outputs = encode([float(i) for i in rng.integers(0, 5, 30)])
        book.add_labelled(outputs, rng.integers(0, 2, 30).astype(np.uint8))
        book.join([(p, None) for p in partitions(4)], 0.2)
    return book


@pytest.mark.parametrize("seed", range(5))
def test_experts_that_join_neither_make_nor_lose_capital(seed):
    rng = np.random.default_rng(seed)
    stakes = Stakes.of(PureDP(0.5))
    book = label_book(rng)
    before = book.log_wealth(stakes)
    book.join([(p, None) for p in partitions(4)], 0.5)
    assert book.log_wealth(stakes) == pytest.approx(before, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_book_of_labels_with_joining_experts_stays_a_supermartingale(seed):
    rng = np.random.default_rng(seed)
    stakes = Stakes.of(PureDP(0.5))
    high = 1 / (1 + math.exp(-0.5))
    book = label_book(rng)
    for value in [*range(5), 17.0]:
        grown = []
        for label in (0, 1):
            later = copy.deepcopy(book)
            later.add_labelled(encode([float(value)]), np.array([label], dtype=np.uint8))
            grown.append(math.exp(later.log_wealth(stakes) - book.log_wealth(stakes)))
        for pi in (high, 1 - high):
            assert pi * grown[1] + (1 - pi) * grown[0] <= 1 + ROUNDING


@pytest.mark.parametrize("claim", [PureDP(0.3), GaussianDP(0.5), RenyiDP(2.0, 0.3)], ids=str)
def test_a_book_of_pairs_with_joining_experts_stays_a_supermartingale(claim):
    rng = np.random.default_rng(1)
    stakes = Stakes.of(claim)
    book = Book(PairsOfDraws())
    book.join([(partitions(3)[0], None)], 1.0)
    for _ in range(3):
        left, right = (encode([float(i) for i in rng.integers(0, 3, 40)]) for _ in range(2))
        book.add_pairs(left, right)
        book.join([(p, moment_bets(p, left, right)) for p in partitions(3)], 0.4)
    gains = np.empty((3, 3))
    for x, y in product(range(3), repeat=2):
        later = copy.deepcopy(book)
        later.add_pairs(encode([float(x)]), encode([float(y)]))
        gains[x, y] = math.exp(later.log_wealth(stakes) - book.log_wealth(stakes))
    if stakes.moments:
        p, q = boundary_pairs(3, stakes.moments, rng, 2_000)
        assert np.einsum("ij,ni,nj->n", gains, p, q).max() <= 1 + ROUNDING
        assert np.einsum("ij,ni,nj->n", gains, q, p).max() <= 1 + ROUNDING
    else:
        assert most_expected(gains, stakes.slopes, stakes.deltas) <= 1 + 1e-7


def test_wealth_read_against_other_claims_in_between_does_not_change():
    book = label_book(np.random.default_rng(3))
    first, second = Stakes.of(PureDP(0.5)), Stakes.of(PureDP(0.1))
    wealth = book.log_wealth(first)
    book.log_wealth(second)
    assert book.log_wealth(first) == wealth
    assert copy.deepcopy(book).log_wealth(Stakes.of(PureDP(0.5))) == wealth


class NaNBets:
    """Bets whose arithmetic has gone wrong."""

    def shape(self, cells):
        return 2, cells

    def log_wealth(self, expert, counts, stakes):
        return np.full(len(counts), math.nan)


def test_wealth_that_is_nan_is_an_error():
    book = Book(NaNBets())
    book.join([(partitions(4)[0], None)], 1.0)
    with pytest.raises(ArithmeticError, match="NaN"):
        book.log_wealth(Stakes.of(PureDP(1.0)))


def test_a_region_with_nan_in_it_is_an_error():
    class Broken:
        def log_slopes(self):
            return np.array([0.0])

        def delta(self, epsilon):
            return np.array([math.nan])

    with pytest.raises(ArithmeticError, match="NaN"):
        Stakes.of(Broken())


def test_labels_are_refused_against_a_claim_that_is_not_pure():
    book = label_book(np.random.default_rng(0))
    with pytest.raises(ValueError, match="pure DP only"):
        book.log_wealth(Stakes.of(ApproxDP(1.0, 0.1)))


def test_only_a_profile_that_vanishes_at_its_one_slope_is_read_as_pure():
    assert Stakes.of(PureDP(0.7)).epsilon == 0.7
    for claim in (ApproxDP(0.7, 1e-9), GaussianDP(0.7), RenyiDP(2.0, 0.7)):
        assert Stakes.of(claim).epsilon is None
    profile = PrivacyProfile(lambda e: max(0.0, 1 - math.exp(e - 0.7)))
    assert Stakes.of(profile).epsilon is None


# The ledger.


@pytest.mark.parametrize("seed", range(20))
def test_what_the_ledger_books_never_exceeds_alpha(seed):
    rng = np.random.default_rng(seed)
    ledger = Ledger(0.05)
    spent = 0.0
    for test in range(100):
        share = rng.exponential(0.05)
        try:
            threshold = ledger.book(str(test), share)
        except ValueError:
            continue
        spent += math.exp(-threshold)
        assert threshold == pytest.approx(-math.log(share * 0.05))
    assert spent <= 0.05 * (1 + 1e-6)
    assert ledger.spent <= 0.05


def test_the_ledger_refuses_a_second_booking_and_a_share_of_nothing():
    ledger = Ledger(0.05)
    ledger.book("pair 0", 0.5)
    with pytest.raises(ValueError, match="already"):
        ledger.book("pair 0", 0.1)
    for share in (0.0, -0.1, 0.6):
        with pytest.raises(ValueError, match="no share"):
            ledger.book("pair 1", share)
    with pytest.raises(ValueError, match="alpha"):
        Ledger(0.0)


@pytest.mark.parametrize("block", [1, 3_000, 10**9])
def test_bets_are_the_same_in_blocks_of_any_size_and_after_any_others(block, monkeypatch):
    """Products are made in blocks, in an array that the next bets write over."""
    from dpaudit.statistical import halfplane

    rng = np.random.default_rng(3)
    slopes, deltas = np.array([0.1, 0.5, 1.0]), np.array([0.02, 0.01, 0.0])
    joints = [rng.integers(0, 9, size=size) for size in ((2, 30, 30), (4, 4), (3, 12, 12))]
    asked = [(joint, orders_of(joint.shape[-1]), slopes, deltas) for joint in joints]
    expected = [half_plane_log_wealth(*each) for each in asked]
    monkeypatch.setattr(halfplane, "_OF_ONE_THREAD", block)
    for _ in range(2):
        for each, wealth in zip(asked, expected, strict=True):
            np.testing.assert_allclose(half_plane_log_wealth(*each), wealth, rtol=1e-12)
            best = halfplane.half_plane_hindsight(*each)
            assert best >= wealth.max() - 1e-12
