"""Records that a sample takes: what is computed of them, and what noise on that costs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss

from dpaudit import (
    AddRemove,
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    Real,
    RenyiDP,
    ReplaceOne,
    Row,
    ZeroConcentratedDP,
)
from dpaudit.checker.cost import moments
from dpaudit.checker.exact.numbers import number, precisely
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

AGES = AddRemove(Real(0, 1), max_size=8)
SIGNED = AddRemove(Real(-1, 1), max_size=8)
ROWS = AddRemove(Row(x=Real(-20, 20), y=Real(-20, 20)), max_size=8)
TENTH = PureDP(1.0).amplified(0.1)


def is_proved(mechanism, claim, neighbors):
    try:
        prove_by_cost(lift(mechanism), claim, neighbors)
    except Unsupported:
        return False
    return True


def renyi(rate, sigma, order):
    """Return the divergence of one step, by its sum over whole orders."""
    terms = (
        math.comb(order, k) * (1 - rate) ** (order - k) * rate**k
        * math.exp((k * k - k) / (2 * sigma**2))
        for k in range(order + 1)
    )  # fmt: skip
    return math.log(sum(terms)) / (order - 1)


def approximate(rate, sigma, steps, delta):
    """Return epsilon of several steps by the best order."""
    return min(
        steps * renyi(rate, sigma, a) + math.log1p(-1 / a) - math.log(delta * a) / (a - 1)
        for a in range(2, 40)
    )


def sampled_sum(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return np.clip(batch, 0.0, 1.0).sum() + rng.laplace(scale=1.0)


def sampled_by_a_named_mask(data, rng):
    keep = rng.uniform(size=len(data)) < 0.1
    clipped = np.minimum(np.maximum(data, 0.0), 1.0)
    return float(np.sum(clipped[keep])) + rng.laplace(0, 1.0)


def count_and_sum_of_one_sample(data, rng):
    keep = rng.random(len(data)) < 0.1
    size = keep.sum() + rng.laplace(scale=2.0)
    return size, np.clip(data[keep], 0, 1).sum() + rng.laplace(scale=2.0)


def two_samples(data, rng):
    total = 0.0
    for _ in range(2):
        batch = data[rng.random(len(data)) < 0.1]
        total += batch.sum() + rng.laplace(scale=1.0)
    return total


def clipped_rows(batch, bound):
    norms = np.linalg.norm(batch, axis=1)
    return batch / np.maximum(1.0, norms / bound)[:, None]


def descent(data, rng):
    theta = np.zeros(2)
    points = np.column_stack((data["x"], data["y"]))
    for _ in range(3):
        batch = points[rng.random(len(points)) < 0.25]
        gradients = clipped_rows(batch - theta, 1.0)
        theta = theta - 0.1 * (gradients.sum(axis=0) + rng.normal(0, 2.0, size=2))
    return theta


def one_part_of_a_sample(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return batch[batch > 0].sum() + rng.laplace(scale=1.0)


SOUND = [
    (sampled_sum, TENTH, AGES),
    (sampled_by_a_named_mask, TENTH, AGES),
    (count_and_sum_of_one_sample, TENTH, AGES),
    (two_samples, PureDP(2 * TENTH.epsilon + 1e-12), AGES),
    (one_part_of_a_sample, TENTH, SIGNED),
    (descent, ApproxDP(approximate(0.25, 2.0, 3, 1e-5) + 1e-9, 1e-5), ROWS),
    (descent, RenyiDP(8.0, 3 * renyi(0.25, 2.0, 8) + 1e-9), ROWS),
    (descent, GaussianDP(0.8660255), ROWS),
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), SOUND)
def test_noise_on_what_a_sample_takes_is_cheaper(mechanism, claim, neighbors):
    assert is_proved(mechanism, claim, neighbors)


TOO_GOOD = [
    (sampled_sum, PureDP(1.0).amplified(0.0999), AGES),
    (count_and_sum_of_one_sample, PureDP(0.999).amplified(0.1), AGES),
    (two_samples, TENTH, AGES),
    (descent, ApproxDP(approximate(0.25, 2.0, 3, 1e-5) - 1e-4, 1e-5), ROWS),
    (descent, RenyiDP(8.0, 3 * renyi(0.25, 2.0, 8) - 1e-6), ROWS),
    (descent, GaussianDP(0.86), ROWS),
    (descent, ZeroConcentratedDP(0.37), ROWS),
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), TOO_GOOD)
def test_no_less_than_a_sample_costs_is_proved(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def shows_the_sample(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return batch.sum() + rng.laplace(scale=1.0), batch


def shows_its_size(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return batch.sum() + rng.laplace(scale=1.0), len(batch)


def shows_the_mask(data, rng):
    keep = rng.random(len(data)) < 0.1
    return data[keep].sum() + rng.laplace(scale=1.0), keep


def mean_of_the_sample(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return batch.mean() + rng.laplace(scale=1.0)


def sum_over_its_size(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return batch.sum() / max(1, len(batch)) + rng.laplace(scale=0.5)


def sample_and_the_rest(data, rng):
    keep = rng.random(len(data)) < 0.1
    return data[keep].sum() + data.sum() + rng.laplace(scale=2.0)


def less_the_rest(data, rng):
    keep = rng.random(len(data)) < 0.5
    return len(data) - len(data[keep]) + rng.laplace(scale=1.0)


def one_sample_for_two_steps(data, rng):
    keep = rng.random(len(data)) < 0.1
    return [data[keep].sum() + rng.laplace(scale=1.0) for _ in range(2)]


def both_by_the_same_draws(data, rng):
    draws = rng.random(len(data))
    one, other = data[draws < 0.1], data[draws < 0.1]
    return one.sum() + rng.laplace(scale=1.0), other.sum() + rng.laplace(scale=1.0)


def the_first_of_the_sample(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return batch[0] + rng.laplace(scale=1.0)


def largest_of_the_sample(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    return batch.max() + rng.laplace(scale=1.0)


def nothing_where_it_is_empty(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    if len(batch) == 0:
        return None
    return batch.sum() + rng.laplace(scale=1.0)


def as_many_draws_as_taken(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    noise = rng.laplace(scale=1.0, size=len(batch))
    return (batch + noise).sum()


def changed_in_place(data, rng):
    batch = data[rng.random(len(data)) < 0.1]
    batch *= 2
    return batch.sum() + rng.laplace(scale=1.0)


def stored_by_the_mask(data, rng):
    keep = rng.random(len(data)) < 0.1
    data[keep] = 5.0
    return data.sum() + rng.laplace(scale=5.0)


def the_same_column_twice(data, rng):
    points = np.column_stack((data["x"], data["y"]))
    batch = clipped_rows(points[rng.random(len(points)) < 0.25], 1.0)
    return np.concatenate((batch.sum(axis=0), batch.sum(axis=0))) + rng.normal(0, 2.0, size=4)


def sampled_rows_that_are_not_clipped(data, rng):
    points = np.column_stack((data["x"], data["y"]))
    batch = points[rng.random(len(points)) < 0.25]
    return batch.sum(axis=0) + rng.normal(0, 2.0, size=2)


SEEN = GaussianDP(0.5).amplified(0.25)
BROKEN = [
    (shows_the_sample, TENTH, AGES),
    (shows_its_size, TENTH, AGES),
    (shows_the_mask, TENTH, AGES),
    (mean_of_the_sample, TENTH, AGES),
    (sum_over_its_size, TENTH, AGES),
    (sample_and_the_rest, TENTH, AGES),
    (less_the_rest, PureDP(1.0).amplified(0.5), AGES),
    (one_sample_for_two_steps, PureDP(2 * TENTH.epsilon), AGES),
    (both_by_the_same_draws, PureDP(2 * TENTH.epsilon), AGES),
    (the_first_of_the_sample, TENTH, AGES),
    (largest_of_the_sample, TENTH, AGES),
    (nothing_where_it_is_empty, TENTH, AGES),
    (as_many_draws_as_taken, TENTH, AGES),
    (changed_in_place, TENTH, AGES),
    (stored_by_the_mask, TENTH, AGES),
    (the_same_column_twice, SEEN, ROWS),
    (sampled_rows_that_are_not_clipped, SEEN, ROWS),
    (sampled_sum, TENTH, ReplaceOne(Real(0, 1), size=8)),
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), BROKEN)
def test_what_depends_on_more_than_the_sample_is_not_proved(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def test_what_a_sample_shows_of_others_costs_what_it_does_without_it():
    assert is_proved(less_the_rest, PureDP(1.0), AGES)
    assert is_proved(the_same_column_twice, GaussianDP(1.0).amplified(0.25), ROWS)


@pytest.mark.parametrize("order", [2, 3, 5, 2.5, 7.25])
@pytest.mark.parametrize(("rate", "sigma"), [(0.01, 1.0), (0.25, 2.0), (0.9, 0.7)])
def test_moments_are_at_least_what_quadrature_gives_in_either_direction(rate, sigma, order):
    """Gauss and Hermite's quadrature with 80 nodes is exact to 1e-9 for these."""
    nodes, weights = hermegauss(80)
    weights = weights / weights.sum()
    ratios = 1 - rate + rate * np.exp(nodes / sigma - 1 / (2 * sigma**2))
    added = math.log(weights @ ratios**order) / (order - 1)
    removed = math.log(weights @ ratios ** (1 - order)) / (order - 1)
    squared = number(1) / number(sigma) ** 2
    found = float(moments.of_sample(number(rate), squared, number(order)).ball)
    assert found >= max(added, removed) - 1e-9
    if float(order).is_integer():
        assert found == pytest.approx(added, abs=1e-9)


def the_same_sample_or_another(data, rng):
    keep = rng.random(len(data)) < 0.5
    first = data[keep].sum() + rng.normal(0, 1.0)
    if first <= 0.5:
        keep = rng.random(len(data)) < 0.5
    return first, data[keep].sum() + rng.normal(0, 1.0)


def test_a_sample_chosen_by_what_it_released_costs_more_than_either_path():
    """Of no record and one that is 1, the likelier the record, the more its sample is used."""
    nodes, weights = hermegauss(80)
    ratio = 0.5 + 0.5 * np.exp(nodes - 0.5)
    again = ratio**2 + 0.25 * np.exp(2 * nodes - 1) * math.expm1(1)
    other = ratio**2 * (1 + 0.25 * math.expm1(1))
    chosen = np.where(nodes > 0.5, again, other)
    least = math.log(weights @ chosen / weights.sum())
    paths = renyi(0.5, math.sqrt(0.5), 2), 2 * renyi(0.5, 1.0, 2)
    assert least > max(paths) + 0.02
    assert not is_proved(the_same_sample_or_another, RenyiDP(2.0, max(paths) + 0.02), AGES)
    assert is_proved(the_same_sample_or_another, RenyiDP(2.0, paths[0] + paths[1] / 2 + 1e-9), AGES)


def test_a_profile_is_of_one_sample_not_of_a_sample_of_a_sample():
    def noisy(data, rng):
        return data[rng.random(len(data)) < 0.5].sum() + rng.normal(0, 1.0)

    once = GaussianDP(1.0).amplified(0.5)
    assert is_proved(noisy, once, AGES)
    assert not is_proved(noisy, once.amplified(0.5), AGES)


TEN = ReplaceOne(Real(0, 1), size=10)
TWO_OF_TEN = PureDP(1.0).amplified(0.2, relation="replace-one")


def by_a_permutation(data, rng):
    return np.clip(rng.permutation(data)[:2], 0, 1).sum() + rng.laplace(scale=1.0)


def by_a_permutation_of_places(data, rng):
    places = rng.permutation(len(data))
    return data[places[:2]].sum() + rng.laplace(scale=1.0)


def by_a_choice_of_places(data, rng):
    places = rng.choice(len(data), size=2, replace=False)
    return data[places].mean() + rng.laplace(scale=0.5)


def by_a_choice_of_records(data, rng):
    return np.sum(rng.choice(data, 2, replace=False)) + rng.laplace(scale=1.0)


def normal_noise_on_a_choice(data, rng):
    batch = data[rng.choice(len(data), 5, replace=False)]
    return batch.sum() + rng.normal(0, 2.0)


def two_choices(data, rng):
    total = 0.0
    for _ in range(2):
        total += data[rng.choice(len(data), 2, replace=False)].sum() + rng.laplace(scale=1.0)
    return total


def two_batches_of_one_order(data, rng):
    order = rng.permutation(len(data))
    parts = order[:5], order[5:]
    return [data[part].sum() + rng.laplace(scale=1.0) for part in parts]


def with_replacement(data, rng):
    return data[rng.choice(len(data), size=2)].sum() + rng.laplace(scale=1.0)


def all_records(data, rng):
    return rng.permutation(data)[:10].sum() + rng.laplace(scale=1.0)


def shows_the_places(data, rng):
    places = rng.choice(len(data), 2, replace=False)
    return places, data[places].sum() + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (by_a_permutation, TWO_OF_TEN),
        (by_a_permutation_of_places, TWO_OF_TEN),
        (by_a_choice_of_places, TWO_OF_TEN),
        (by_a_choice_of_records, TWO_OF_TEN),
        (normal_noise_on_a_choice, GaussianDP(0.5).amplified(0.5, relation="replace-one")),
        (normal_noise_on_a_choice, GaussianDP(0.5)),
        (two_choices, PureDP(2.0)),
        (two_batches_of_one_order, PureDP(2.0)),
    ],
)
def test_a_sample_of_a_fixed_size_is_cheaper_where_it_is_the_only_one(mechanism, claim):
    assert is_proved(mechanism, claim, TEN)


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (by_a_permutation, PureDP(1.0).amplified(0.19, relation="replace-one"), TEN),
        (by_a_permutation, TWO_OF_TEN, ReplaceOne(Real(0, 1), size=9)),
        (by_a_permutation, TWO_OF_TEN, AddRemove(Real(0, 1), max_size=10)),
        (normal_noise_on_a_choice, GaussianDP(0.5).amplified(0.5), TEN),
        (two_choices, PureDP(2 * TWO_OF_TEN.epsilon), TEN),
        (two_batches_of_one_order, PureDP(2 * math.log1p(0.5 * math.expm1(1.0))), TEN),
        (with_replacement, TWO_OF_TEN, TEN),
        (all_records, TWO_OF_TEN, TEN),
        (shows_the_places, TWO_OF_TEN, TEN),
    ],
)
def test_other_samples_of_a_fixed_size_are_not_cheaper(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def test_the_profile_of_a_sample_counts_it_once_even_for_a_claim_whose_costs_count_it():
    def half(data, rng):
        kept = data[rng.random(len(data)) < 0.1]
        return np.clip(kept, 0, 1).sum() + rng.laplace(scale=0.4)

    assert not is_proved(half, TENTH, AGES)
    claim = GaussianDP(1.0).amplified(0.1)
    object.__setattr__(claim.function, "claim", PureDP(1.0))
    assert isinstance(claim, PrivacyProfile)
    assert not is_proved(half, claim, AGES)


def budget_of_a_sample(epsilon, rate):
    return math.log(1 + (math.exp(epsilon) - 1) / rate)


def total_of_a_sample(data, rng, rate=0.3, planned=0.3, epsilon=0.9):
    part = data[rng.random(len(data)) < rate]
    return part.sum() + rng.laplace(scale=1 / budget_of_a_sample(epsilon, planned))


def two_totals_of_a_sample(data, rng):
    part = data[rng.random(len(data)) < 0.3]
    budget = budget_of_a_sample(0.9, 0.3)
    first = part.sum() + rng.laplace(scale=2 / budget)
    return first, len(part) + rng.laplace(scale=2 / budget)


def totals_of_two_samples(data, rng):
    return [total_of_a_sample(data, rng, epsilon=0.9 / 3) for _ in range(3)]


def of_a_larger_sample(data, rng):
    return total_of_a_sample(data, rng, rate=0.30001)


def planned_for_a_smaller_sample(data, rng):
    return total_of_a_sample(data, rng, planned=0.29999)


def with_a_larger_budget(data, rng):
    return total_of_a_sample(data, rng, epsilon=0.9 + 1e-11)


@pytest.mark.parametrize(
    "mechanism", [total_of_a_sample, two_totals_of_a_sample, totals_of_two_samples]
)
def test_noise_for_a_budget_that_is_computed_from_the_rate_costs_that_budget(mechanism):
    assert is_proved(mechanism, PureDP(0.9), AGES)
    assert not is_proved(mechanism, PureDP(0.9 - 1e-11), AGES)


@pytest.mark.parametrize(
    "mechanism", [of_a_larger_sample, planned_for_a_smaller_sample, with_a_larger_budget]
)
def test_a_budget_for_another_rate_costs_more(mechanism):
    assert not is_proved(mechanism, PureDP(0.9), AGES)


def raw_where_floats_are_below(data, rng):
    noisy = len(data) + rng.laplace(scale=1 / 0.9)
    if noisy > 1e4 and math.log(math.exp(0.125) * math.exp(0.125)) < 0.25:
        return len(data)  # math.log returns 0.24999999999999994
    return noisy


def test_no_branch_hangs_on_a_logarithm_that_floats_round():
    assert not is_proved(raw_where_floats_are_below, PureDP(0.9), AGES)


def test_a_logarithm_is_rational_only_where_its_number_is_that_power_of_e():
    with precisely():
        e = number(1).exp()
        assert ((e - 1) / number(0.3) * number(0.3) + 1).log().fraction == 1
        both = number(0.9).exp() * number(0.1).exp()
        assert both.log().fraction == Fraction(0.9) + Fraction(0.1)
        assert (e + Fraction(1, 10**100)).log().fraction is None
        assert (e + Fraction(1, 10**150)).log().fraction is None
        assert number(2).log().fraction is None
        assert ((number(2).log() * 3).exp() - 8).sign() == 0
        assert ((1 / (5 / number(2).log()) * 5).exp() - 2).sign() == 0
        assert (number(2).log() / 2).exp().fraction is None
