"""Functions fitted to past pairs of draws: fair bets, near the best, and no look at the future."""

import copy
import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from dpaudit.claims import ApproxDP, PureDP
from dpaudit.neighbors import Pair
from dpaudit.outputs import encode
from dpaudit.statistical import tuned
from dpaudit.statistical.bandit import Outlook, next_arm
from dpaudit.statistical.book import LEND, Book, PairsOfDraws, Stakes
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.features import plain_partitions
from dpaudit.statistical.halfplane import half_plane_hindsight
from dpaudit.statistical.partition import ValuePartition
from dpaudit.statistical.prospect import Prospect, prospect
from dpaudit.statistical.tuned import Functions, Tuned, fitted

ROUNDING = 1e-9
CELLS = 5
ORDERS = [np.arange(CELLS)]
CLAIMS = [PureDP(0.0), PureDP(0.1), PureDP(2.0), ApproxDP(0.0, 0.1), ApproxDP(1.0, 0.05)]


def allowed(cells, slope, delta):
    """Rows A and bounds b with A(p, q) ≤ b for the laws that the claim allows on each event."""
    rows = []
    for event in product((0.0, 1.0), repeat=cells):
        inside = np.array(event)
        rows += [np.concatenate([inside, -math.exp(slope) * inside])]
        rows += [np.concatenate([-math.exp(slope) * inside, inside])]
    return np.array(rows), np.full(len(rows), delta)


def most_expected(gains, slope, delta):
    """The largest mean of gains that are a part on x plus a part on y."""
    cells = len(gains)
    rows, bounds = allowed(cells, slope, delta)
    on_x, on_y = gains[:, 0], gains[0] - gains[0, 0]
    assert np.allclose(on_x[:, None] + on_y[None, :], gains, atol=1e-12)
    each = np.kron(np.eye(2), np.ones(cells))
    found = linprog(
        -np.concatenate([on_x, on_y]), A_ub=rows, b_ub=bounds, A_eq=each, b_eq=np.ones(2)
    )
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_no_laws_that_the_claim_allows_make_functions_grow(claim, seed):
    rng = np.random.default_rng(seed)
    joint = rng.integers(0, 60, (CELLS, CELLS)) * rng.integers(0, 2, (CELLS, CELLS))
    for slope, delta in (Stakes.of(claim).half_plane, (0.0, 0.0)):
        _, functions = fitted(joint, ORDERS, slope, delta)
        assert functions.u.min() >= 0
        assert functions.v.min() >= 0
        assert functions.u.max() + functions.v.max() <= tuned.MOST + ROUNDING
        # Against the claim they are fitted to, and against others: bounds invert the test.
        for other in CLAIMS:
            at = Stakes.of(other).half_plane
            gains = np.exp(functions.log_factors(*at))
            assert gains.min() >= 1 - tuned.MOST - ROUNDING
            assert most_expected(gains, *at) <= 1 + ROUNDING


def test_functions_of_one_event_are_the_bet_on_that_event():
    event = np.array([0.0, 0.0, 1.0])
    slope, delta, stake = 0.3, 0.1, 0.6
    factors = np.exp(Functions(stake * event, 0 * event).log_factors(slope, delta))
    gains = (event[:, None] - math.exp(slope) * event[None, :] - delta) / (math.exp(slope) + delta)
    assert factors == pytest.approx(1 + stake * gains)


def coupled_counts(draws=4_000, seed=0):
    """Laplace noise of scale 5 with a common seed: 0.2 nats between 0 and 1, in twelve cells."""
    noise = np.random.default_rng(seed).laplace(scale=5.0, size=draws)
    edges = np.linspace(-12, 13, 11)
    cells = len(edges) + 1
    x, y = np.searchsorted(edges, noise), np.searchsorted(edges, noise + 1)
    return np.bincount(x * cells + y, minlength=cells**2).reshape(cells, cells)


def test_functions_would_have_earned_more_than_the_best_bet_on_an_event():
    joint = coupled_counts()
    order = [np.arange(len(joint))]
    event = half_plane_hindsight(joint, order, np.array([0.1]), np.zeros(1))
    gain, functions = fitted(joint, order, 0.1, 0.0)
    assert gain > event > 10
    # What is counted on top is half a pair of draws that loses on all bets.
    least = 1 - functions.u.max() - functions.v.max()
    earned = float((joint * functions.log_factors(0.1, 0.0)).sum())
    assert gain == pytest.approx(earned + tuned.LOST * math.log(least), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_no_step_that_is_added_to_the_fit_would_have_earned_more(seed):
    """The growth is concave: that no small step helps says that nothing does."""
    joint = coupled_counts(seed=seed)
    cells = len(joint)
    gain, best = fitted(joint, [np.arange(cells)], 0.1, 0.0)
    for end, side, up in product(range(1, cells), "uv", (False, True)):
        step = (np.arange(cells) >= end) == up
        parts = {name: 0.999 * getattr(best, name) for name in "uv"}
        parts[side] = parts[side] + 0.001 * tuned.MOST * step
        moved = Functions(**parts)
        least = 1 - moved.u.max() - moved.v.max()
        earned = float((joint * moved.log_factors(0.1, 0.0)).sum())
        # The largest values add up for nested steps, and to no more for others.
        assert earned + tuned.LOST * math.log(least) <= gain + 0.02


def test_nothing_is_bet_on_counts_that_luck_explains():
    joint = np.outer(np.full(CELLS, 4), np.full(CELLS, 4))
    gain, functions = fitted(joint, ORDERS, 0.1, 0.0)
    assert gain == 0
    assert functions.u.max() == functions.v.max() == 0
    past = tuned_book(np.random.default_rng(0), shift=0).tuned
    assert past.periods == []


def tuned_book(rng, shift, batches=4, size=200):
    """A book of pairs of draws whose y is x plus a shift, every other time."""
    book = Book(PairsOfDraws(), None, Tuned())
    book.join(
        [(p, None) for p in plain_partitions(encode([float(i % 4) for i in range(40)]), 3)], 1
    )
    for _ in range(batches):
        x = rng.integers(0, 4, size)
        y = np.minimum(3, x + shift * (rng.random(size) < 0.5))
        book.add_pairs(encode([float(i) for i in x]), encode([float(i) for i in y]))
        book.tune(Stakes.of(PureDP(0.3)))
    return book


def test_a_batch_does_not_change_what_is_bet_on_it():
    book = tuned_book(np.random.default_rng(1), shift=2)
    before = [(id(p.functions), p.counts.sum()) for p in book.tuned.periods]
    assert before[-1][1] == 0  # fitted after the last batch
    many = encode([3.0] * 1_000), encode([0.0] * 1_000)
    book.add_pairs(*many)
    after = book.tuned.periods
    assert [id(p.functions) for p in after] == [name for name, _ in before]
    assert after[-1].counts.sum() == 1_000
    book.tune(Stakes.of(PureDP(0.3)))
    assert [p.counts.sum() for p in after[-2:]] == [1_000, 0]


@pytest.mark.parametrize("claim", [PureDP(0.3), PureDP(0.0), ApproxDP(0.3, 0.05)], ids=str)
def test_a_book_with_fitted_functions_stays_a_supermartingale(claim):
    book = tuned_book(np.random.default_rng(1), shift=2)
    assert len(book.tuned.periods) >= 2
    stakes = Stakes.of(claim)
    gains = np.empty((4, 4))
    for x, y in product(range(4), repeat=2):
        later = copy.deepcopy(book)
        later.add_pairs(encode([float(x)]), encode([float(y)]))
        gains[x, y] = math.exp(later.log_wealth(stakes) - book.log_wealth(stakes))
    assert most_expected(gains, *stakes.half_plane) <= 1 + 1e-7


def copied(values, shift):
    """Pairs of draws that differ by a shift."""
    return encode([float(v) for v in values]), encode([float(v + shift) for v in values])


@pytest.mark.parametrize("joins", [False, True], ids=["one mark", "a mark before"])
def test_capital_of_functions_is_with_the_partitions_until_some_can_be_fitted(joins):
    stakes, other = Stakes.of(PureDP(0.3)), Stakes.of(PureDP(0.1))
    book, alone = Book(PairsOfDraws(), None, Tuned()), Book(PairsOfDraws())
    values = [i % 4 for i in range(40)]
    for each in (book, alone):
        each.join([(p, None) for p in plain_partitions(copied(values, 0)[0], 3)], 1.0)

    def come(pairs):
        for each in (book, alone):
            each.add_pairs(*copied([i % 2 for i in range(pairs)], 2))
            each.tune(stakes)

    come(tuned.LEAST // 2)
    if joins:
        for each in (book, alone):
            each.join([(p, None) for p in plain_partitions(copied(values, 0)[0], 2)], 0.2)
    come(tuned.LEAST // 2 - 1)
    for claim in (stakes, other):
        assert book.log_wealth(claim) == pytest.approx(alone.log_wealth(claim), rel=1e-12)
        assert book.log_wealth(claim) > 5
    come(1)
    lent = {claim.epsilon: alone.log_wealth(claim) for claim in (stakes, other)}
    come(100)
    for each in (book, alone):
        each.join([(p, None) for p in plain_partitions(copied(values, 0)[0], 4)], 0.2)
    come(100)
    assert book.tuned.periods
    for claim in (stakes, other, stakes):
        fitted_ones = lent[claim.epsilon] + book.tuned.log_wealth(*claim.half_plane)
        spread = np.log1p(-tuned.SHARE) + alone.log_wealth(claim)
        expected = np.logaddexp(spread, np.log(tuned.SHARE) + fitted_ones)
        assert book.log_wealth(claim) == pytest.approx(expected, rel=1e-9)


def test_partitions_that_lose_give_the_capital_of_functions_back():
    stakes, rng = Stakes.of(PureDP(0.3)), np.random.default_rng(2)
    book, alone = Book(PairsOfDraws(), None, Tuned()), Book(PairsOfDraws())
    values, _ = copied([i % 4 for i in range(40)], 0)
    for each in (book, alone):
        each.join([(p, None) for p in plain_partitions(values, 3)], 1.0)
    held = []
    for _ in range(tuned.LEAST // 20 - 1):
        batch = [encode(rng.integers(0, 4, 20).astype(float).tolist()) for _ in range(2)]
        for each in (book, alone):
            each.add_pairs(*batch)
            each.tune(stakes)
        held.append(alone.log_wealth(stakes))
    kept = next(value for value in held if value < -LEND)
    assert min(held) < kept - 0.1
    expected = np.logaddexp(np.log1p(-tuned.SHARE) + held[-1], np.log(tuned.SHARE) + kept)
    assert book.log_wealth(stakes) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("earned", "needed", "size"),
    [(0.0, 14, 6_000), (5.0, 14, 700), (12.0, 14, 700), (13.0, 14, 200), (-2.0, 3, 2_000)],
)
def test_the_nearer_rejection_is_the_fewer_calls_are_made_between_two_looks(earned, needed, size):
    contender = Contender(Pair(0.0, 1.0, ""), 0, ("label", "coupled"), (0,), vectorized=True)
    contender._plain = [None]
    contender.calls["label"] = 10_000
    (task,) = contender.plan("label", 10**6, earned, needed)
    assert task.size == size


# Where to draw.


def test_coupled_draws_that_vary_little_say_that_others_need_more_calls():
    joint = coupled_counts()
    orders = [np.arange(len(joint))]
    assert prospect(joint, orders, 0.1, 0.0).uncoupled < 0.5
    alone = np.outer(joint.sum(axis=1), joint.sum(axis=0)) // joint.sum()
    assert prospect(alone, orders, 0.1, 0.0).uncoupled == 1.0


def test_events_far_inside_the_claim_speak_against_a_pair_and_one_outside_does_not():
    joint = coupled_counts()
    orders = [np.arange(len(joint))]
    assert prospect(joint, orders, 0.1, 0.0).deviation == 0.0
    assert prospect(joint, orders, 1.0, 0.0).deviation < -3
    assert prospect(joint // 400, orders, 1.0, 0.0) == Prospect()


def played(spent):
    """Return calls by stream of one pair whose coupled draws vary little, and of one without."""
    rivals = [Contender(None, i, ("label", "coupled"), (0,), vectorized=False) for i in range(2)]
    joint, none = coupled_counts(), np.zeros(0)
    edges = np.arange(len(joint) - 2, dtype=float)
    partition = ValuePartition("", edges, none, none.astype(np.uint64))
    book = rivals[0].books["coupled"]
    book.join([(partition, None)], 1.0)
    book.experts[0].counts[:] = joint
    outlook = Outlook(Stakes.of(PureDP(0.1)), 14.0, spent)
    for _ in range(400):
        arm = next_arm(rivals, {}, 14.0, outlook)
        arm.contender.calls[arm.mode] += 50
    return [[rival.calls[mode] for mode in rival.modes] for rival in rivals]


def test_early_calls_go_to_draws_that_vary_little_and_late_ones_to_all_alike():
    (label, coupled), others = played(0.0)
    assert label < 0.5 * coupled
    assert others == pytest.approx([coupled, coupled], rel=0.05)
    (label, coupled), others = played(0.5)
    assert [label, coupled, *others] == pytest.approx([coupled] * 4, rel=0.05)
