"""What moves, what it costs, and which couplings are found."""

import math

import numpy as np
import pytest

from dpaudit import ApproxDP, PureDP
from dpaudit.neighbors import Pair
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from dpaudit.trace.replay import Allowance, replayed
from mechanisms.above_threshold import above_threshold
from mechanisms.flawed.laplace_shared_noise import laplace_shared_noise
from mechanisms.flawed.mean_local_sensitivity import mean_local_sensitivity
from mechanisms.flawed.svt_unbalanced import svt_unbalanced
from mechanisms.matrix_factorization import matrix_factorization
from mechanisms.noisy_max import report_noisy_max


def compared(mechanism, left, right, key=1):
    allowance = Allowance.of(PureDP(1.0))
    with Bench(Subject.of(mechanism)) as bench:
        return replayed(bench, Pair(left, right), (key,), allowance, rounds=8)


def cost(mechanism, left, right, key=1):
    datasets = np.asarray(left, float), np.asarray(right, float)
    return compared(mechanism, *datasets, key=key).comparison.pure


def test_laplace_noise_costs_the_move_over_its_scale():
    assert cost(lambda x, rng: x.sum() + rng.laplace(scale=2.0), [1, 2], [1, 5]) == 1.5


@pytest.mark.parametrize("data", ["no record", "one record"])
def test_noise_that_is_multiplied_by_nought_moves_nothing(data):
    def erased(x, rng):
        return x.sum() + rng.laplace(size=2) * [0.0, 1.0]

    left = np.zeros(0 if data == "no record" else 1)
    found = compared(erased, left, np.ones(1)).comparison
    assert found.pure == math.inf or found.coupling.unpaid


def test_gaussian_costs_add_in_squares():
    trial = compared(lambda x, rng: x + rng.normal(size=2), np.zeros(2), np.array([3.0, 4.0]))
    assert math.isclose(trial.comparison.mu, 5.0)


def test_noise_through_a_matrix_costs_what_its_shortest_move_does():
    left, right = np.zeros(4), np.eye(4)[0]
    trial = compared(matrix_factorization, left, right)
    assert math.isclose(trial.comparison.mu, 1.0, rel_tol=1e-6)


def test_geometric_noise_pays_in_both_directions():
    def count(x, rng):
        return len(x) + rng.geometric(0.5) - rng.geometric(0.5)

    assert math.isclose(cost(count, [0], [0, 0]), math.log(2))
    assert math.isclose(cost(count, [0, 0], [0]), math.log(2))


def test_the_winner_of_a_noisy_maximum_costs_epsilon():
    assert cost(report_noisy_max, [1, 2, 2], [2, 1, 1]) <= 1 + 1e-9


def test_a_sparse_vector_costs_epsilon_however_many_answers_are_below():
    assert cost(above_threshold, [0] * 5 + [1] * 5, [1] * 5 + [0] * 5) <= 1 + 1e-9


def test_a_sparse_vector_with_too_little_noise_costs_more():
    left, right = [0] * 5 + [1] * 5, [1] * 5 + [0] * 5
    assert any(cost(svt_unbalanced, left, right, key) > 1.2 for key in range(12))


def test_a_fair_coin_and_a_loaded_one_cost_the_ratio_of_their_chances():
    def loaded(x, rng):
        return bool(rng.random() < x)

    assert math.isclose(cost(loaded, 0.5, 0.75), abs(math.log(0.5 / 0.75))) or math.isclose(
        cost(loaded, 0.5, 0.75), math.log(0.5 / 0.25)
    )


def test_noise_of_another_scale_is_noticed():
    trial = compared(mean_local_sensitivity, np.array([0.0]), np.array([0.0, 100.0]))
    (found,) = trial.comparison.rescaled
    assert (found.left, found.right) == (100.0, 50.0)
    assert trial.comparison.pure == math.inf


def test_one_noise_cannot_hide_two_moves():
    trial = compared(laplace_shared_noise, np.zeros(2), np.array([1.0, 0.0]))
    assert trial.comparison.coupling.conflicts


def test_later_noise_is_coupled_after_earlier_noise():
    def adaptive(x, rng):
        first = x[0] + rng.laplace()
        return first, np.sin(first) * x[1] + rng.laplace()

    trial = compared(adaptive, np.array([0.0, 2.0]), np.array([1.0, 2.0]))
    assert math.isclose(trial.comparison.pure, 1.0)
    assert trial.differences == []


@pytest.mark.parametrize("claim", [PureDP(0.5), ApproxDP(1.0, 1e-5)])
def test_an_allowance_is_what_the_claim_allows(claim):
    allowed = Allowance.of(claim)
    assert math.isclose(allowed.pure, claim.epsilon, rel_tol=1e-5) or allowed.pure > claim.epsilon
    assert PureDP(allowed.pure).implies(claim)
