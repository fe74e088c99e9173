"""Bets on learned functions: fair at the edge of a claim, and larger where past draws say so."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit.claims import RenyiDP, ZeroConcentratedDP
from dpaudit.outputs import encode
from dpaudit.statistical.features import plain_partitions
from dpaudit.statistical.moment import MomentBets, moment_bets, moment_log_wealth

ROUNDING = 1e-9


def renyi(p, q, order):
    return np.log(np.sum(p**order * q ** (1 - order), axis=-1)) / (order - 1)


def edge_of(moments, cells, rng, count):
    """Pairs of distributions where one of the bounds, in one direction, is met."""
    p, far = (rng.dirichlet(np.full(cells, 0.7), count) for _ in range(2))
    low, high = np.zeros(count), np.ones(count)
    for _ in range(50):
        middle = (low + high) / 2
        q = p + middle[:, None] * (far - p)
        bounds = [(renyi(p, q, a) <= e) & (renyi(q, p, a) <= e) for a, e in moments]
        within = np.all(bounds, axis=0)
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return p, p + low[:, None] * (far - p)


@pytest.mark.parametrize(
    "claim", [RenyiDP(2.0, 0.5), RenyiDP(1.2, 0.1), RenyiDP(16.0, 1.0), ZeroConcentratedDP(0.1)],
    ids=str,
)  # fmt: skip
def test_bets_sized_by_past_draws_gain_nothing_at_the_edge_of_the_claim(claim):
    moments = claim.renyi_bounds()
    rng = np.random.default_rng(1)
    p, q = edge_of(moments, 3, rng, 1_000)
    grown = np.eye(9, dtype=np.int64).reshape(9, 3, 3)
    for _ in range(20):
        ratios = rng.lognormal(sigma=1.5, size=3)
        bets = MomentBets(ratios, *rng.dirichlet(np.ones(3), 2))
        counts = rng.integers(0, 200, (3, 3))
        before = moment_log_wealth(counts, bets, moments)
        gains = np.exp(moment_log_wealth(counts + grown, bets, moments) - before).reshape(3, 3)
        assert gains.min() >= 0
        for one, two in ((p, q), (q, p)):
            assert np.einsum("ij,ni,nj->n", gains, one, two).max() <= 1 + ROUNDING


def test_past_draws_that_promise_growth_make_bets_grow_faster():
    rng = np.random.default_rng(2)
    past = [encode((rng.normal(size=2_000) + shift).tolist()) for shift in (1.0, 0.0)]
    (partition,) = plain_partitions(encode(rng.normal(0.5, 1.1, 4_000).tolist()), 14)
    bets = moment_bets(partition, *past)
    assert bets.left is not None
    cells = [
        partition.assign(encode((rng.normal(size=20_000) + shift).tolist())) for shift in (1.0, 0.0)
    ]
    joint = np.zeros((partition.cells, partition.cells), dtype=np.int64)
    np.add.at(joint, tuple(cells), 1)
    moments = RenyiDP(4.0, 1.0).renyi_bounds()
    assert moment_log_wealth(joint, bets, moments) > 50
    alike = MomentBets(bets.ratios)
    assert moment_log_wealth(joint, bets, moments) > moment_log_wealth(joint, alike, moments)


def test_no_past_draws_leave_every_ratio_at_one():
    (partition,) = plain_partitions(encode([0.0, 1.0, 2.0, 3.0] * 8), 4)
    bets = moment_bets(partition, encode([0.0]), encode([1.0]))
    assert bets.left is None
    assert np.all((bets.ratios > 0.5) & (bets.ratios < 2))


def test_a_claim_too_large_for_doubles_offers_no_bet():
    joint = np.full((3, 3), 5, dtype=np.int64)
    bets = MomentBets(np.array([0.1, 1.0, 10.0]), np.full(3, 1 / 3), np.full(3, 1 / 3))
    assert moment_log_wealth(joint, bets, ((2.0, 1e5),)) == 0.0


def test_a_claim_that_nothing_changes_is_bet_on_where_nothing_is_known():
    joint = np.full((2, 2), 5, dtype=np.int64)
    assert moment_log_wealth(joint, MomentBets(np.ones(2)), ((2.0, 0.0),)) == pytest.approx(0.0)
