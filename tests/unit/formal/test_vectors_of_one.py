"""Vectors of one person, who trusts nobody: any against any other, shortened by a test or not."""

import numpy as np
import pytest

from dpaudit import AnyPair, GaussianDP, PureDP, Real, Row
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

ONE = GaussianDP(1.0)
POINT = AnyPair(Row(a=Real(-5, 5), b=Real(-5, 5)))
_free = Real(-1, 1, enforced=False, allow_nan=True, allow_infinity=True)
FREE = AnyPair(Row(a=_free, b=_free))


def is_proved(mechanism, claim=ONE, neighbors=POINT):
    try:
        prove_by_cost(lift(mechanism), claim, neighbors)
    except Unsupported:
        return False
    return True


def vector(point):
    return np.array([point["a"], point["b"]])


def by_an_expression(point, rng):
    g = vector(point)
    norm = np.linalg.norm(g)
    return (g * (1.0 / norm) if norm > 1.0 else g) + rng.normal(0, 2.0, size=2)


def by_the_other_test(point, rng):
    g = vector(point)
    norm = float(np.linalg.norm(g))
    g = g if norm <= 1.0 else g / norm
    return g + rng.normal(0, 2.0, size=2)


def by_the_norm_itself(point, rng):
    g = vector(point)
    if np.linalg.norm(g) > 1.0:
        g = g / np.linalg.norm(g)
    return g + rng.normal(0, 2.0, size=2)


def in_place(point, rng):
    g = vector(point)
    if np.linalg.norm(g) > 1.0:
        g *= 1.0 / np.linalg.norm(g)
    return g + rng.normal(0, 2.0, size=2)


def under_two_names(point, rng):
    g = vector(point)
    norm = np.sqrt(np.sum(g**2))
    if norm > 1.0:  # noqa: SIM108 - the branch is what is tested
        h = g / norm
    else:
        h = g
    return h + rng.normal(0, 2.0, size=2)


def clip(g, bound):
    norm = np.linalg.norm(g)
    return g * (bound / norm) if norm > bound else g


def in_a_function(point, rng):
    return clip(vector(point), 1.0) + rng.normal(0, 2.0, size=2)


def seen_under_the_old_name(point, rng):
    g = vector(point)
    h = g
    if np.linalg.norm(g) > 1.0:
        g *= 1.0 / np.linalg.norm(g)
    return h + rng.normal(0, 2.0, size=2)


def without_nan(point, rng):
    g = np.nan_to_num(vector(point), posinf=1e100, neginf=-1e100).clip(-1e100, 1e100)
    return clip(g, 1.0) + rng.normal(0, 2.0, size=2)


def entry_by_entry(point, rng):
    return [
        np.clip(point["a"], 0, 1) + rng.laplace(scale=2.0),
        point["b"] + rng.laplace(scale=20.0),
    ]


@pytest.mark.parametrize(
    "mechanism",
    [by_an_expression, by_the_other_test, by_the_norm_itself, in_place, under_two_names,
     in_a_function, seen_under_the_old_name],
)  # fmt: skip
def test_a_vector_that_is_shortened_is_proved_however_that_is_written(mechanism):
    assert is_proved(mechanism)
    assert not is_proved(mechanism, GaussianDP(0.99))


def test_vectors_of_any_numbers_are_proved_once_they_are_numbers():
    assert is_proved(without_nan, neighbors=FREE)
    assert not is_proved(in_a_function, neighbors=FREE)


def test_entries_are_paid_for_one_by_one():
    assert is_proved(entry_by_entry, PureDP(1.0))
    assert not is_proved(entry_by_entry, PureDP(0.99))


def where_it_is_shorter(point, rng):
    g = vector(point)
    norm = np.linalg.norm(g)
    return (g * (1.0 / norm) if norm < 1.0 else g) + rng.normal(0, 2.0, size=2)


def another_vector(point, rng):
    g = vector(point)
    h = g * 3
    if np.linalg.norm(g) > 1.0:
        h = h / np.linalg.norm(g)
    return h + rng.normal(0, 2.0, size=2)


def by_a_larger_limit(point, rng):
    g = vector(point)
    if np.linalg.norm(g) > 2.0:
        g = g / np.linalg.norm(g)
    return g + rng.normal(0, 2.0, size=2)


def three_times_the_old_name(point, rng):
    g = vector(point)
    h = g
    if np.linalg.norm(g) > 1.0:
        g *= 1.0 / np.linalg.norm(g)
    return h * 3 + rng.normal(0, 2.0, size=2)


def twice_where_it_is_short(point, rng):
    g = vector(point)
    norm = np.linalg.norm(g)
    if norm > 1.0:  # noqa: SIM108 - the branch is what is tested
        h = g / norm
    else:
        h = 2 * g
    return h + rng.normal(0, 2.0, size=2)


def by_the_norm_of_another(point, rng):
    g = vector(point)
    norm = np.linalg.norm(g)
    g = g * 10
    return (g / norm if norm > 1.0 else g) + rng.normal(0, 2.0, size=2)


def by_a_norm_with_noise(point, rng):
    g = vector(point)
    if np.linalg.norm(g) + rng.normal() > 1.0:
        g = g / (np.linalg.norm(g) + rng.normal())
    return g + rng.normal(0, 2.0, size=2)


def both_kept(point, rng):
    g = vector(point)
    h = clip(g, 1.0)
    return np.concatenate((g, h)) + rng.normal(0, 2.0, size=4)


@pytest.mark.parametrize(
    "mechanism",
    [where_it_is_shorter, another_vector, by_a_larger_limit, three_times_the_old_name,
     twice_where_it_is_short, by_the_norm_of_another, by_a_norm_with_noise, both_kept],
)  # fmt: skip
def test_other_branches_do_not_shorten_a_vector(mechanism):
    assert not is_proved(mechanism)


def by_a_shorter_norm(point, rng):
    g = vector(point)
    if np.abs(g).sum() > 1.0:
        g = g / np.maximum(1.0, np.linalg.norm(g))
    return g + rng.laplace(scale=2.0, size=2)


def by_the_norm_of_the_test(point, rng):
    g = vector(point)
    norm = np.abs(g).sum()
    if norm > 1.0:
        g = g / norm
    return g + rng.laplace(scale=2.0, size=2)


def test_a_vector_is_shortened_in_the_norm_of_the_test():
    assert is_proved(by_the_norm_of_the_test, PureDP(1.0))
    assert not is_proved(by_a_shorter_norm, PureDP(1.0))
