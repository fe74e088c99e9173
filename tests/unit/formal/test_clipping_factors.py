"""Vectors that are shortened by a choice: where they are too long, or are no zero."""

import math
import random

import numpy as np
import pytest

from dpaudit import AddRemove, GaussianDP, Real, Row
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.concrete import Concrete
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

FIFTH = GaussianDP(0.2)
POINT = Row(x=Real(-1000, 1000), y=Real(-1000, 1000))
POINTS = AddRemove(POINT, max_size=4)
LISTED = AddRemove(POINT, max_size=4, container="list")
MISSING = AddRemove(Row(x=Real(-9, 9, allow_nan=True), y=Real(-9, 9, allow_nan=True)), max_size=4)


def is_proved(mechanism, neighbors, *, floats=False):
    program = lift(mechanism)
    try:
        prove_by_cost(program, FIFTH, neighbors)
        if floats:
            float_bounds(to_dict(program), FIFTH, neighbors, "cost")
    except (Unsupported, Refused):
        return False
    return True


def rows(data):
    return np.column_stack([data["x"], data["y"]])


def where_rows(data, rng):
    C = 1.0
    G = rows(data)
    n = np.linalg.norm(G, axis=1, keepdims=True)
    G = np.where(n > C, G * C / n, G)
    return np.sum(G, axis=0) + rng.normal(0, 5.0 * C, 2)


def where_rows_paren(data, rng, C=1.0):
    G = rows(data)
    n = np.linalg.norm(G, axis=1, keepdims=True)
    G = np.where(n <= C, G, G * (C / n))
    return np.sum(G, axis=0) + rng.normal(0, 5.0 * C, 2)


def where_factor(data, rng):
    C = 1.0
    G = rows(data)
    norms = np.linalg.norm(G, axis=1)
    scale = np.where(norms > C, C / norms, 1.0)
    return (G * scale[:, None]).sum(axis=0) + rng.normal(0, 5.0 * C, 2)


def guard(data):
    C = 1.0
    sx = sy = 0.0
    for row in data:
        n = math.sqrt(row["x"] ** 2 + row["y"] ** 2)
        scale = min(1.0, C / n) if n > 0 else 1.0
        sx += row["x"] * scale
        sy += row["y"] * scale
    return sx + random.gauss(0, 5.0), sy + random.gauss(0, 5.0)


def guard_above(data):
    sx = sy = 0.0
    for row in data:
        n = math.hypot(row["x"], row["y"])
        f = 1.0 / n if n > 1.0 else 1.0
        sx += row["x"] * f
        sy += row["y"] * f
    return sx + random.gauss(0, 5.0), sy + random.gauss(0, 5.0)


def loop_guard(data, rng):
    C = 1.0
    total = np.zeros(2)
    for r in data:
        g = np.array([r["x"], r["y"]])
        n = np.linalg.norm(g)
        total += g * (min(1.0, C / n) if n > 0 else 1.0)
    return total + rng.normal(0, 5.0, 2)


SOUND = [
    (where_rows, POINTS),
    (where_rows_paren, POINTS),
    (where_factor, POINTS),
    (guard, LISTED),
    (guard_above, LISTED),
    (loop_guard, POINTS),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_sums_of_vectors_that_a_choice_shortens_are_proved(mechanism, neighbors):
    arrays = neighbors is POINTS  # of other numbers the analysis of floats keeps no length
    assert is_proved(mechanism, neighbors, floats=arrays)


def twice_as_long(data, rng):
    C, D = 1.0, 2.0
    G = rows(data)
    n = np.linalg.norm(G, axis=1, keepdims=True)
    G = np.where(n > C, G * D / n, G)
    return np.sum(G, axis=0) + rng.normal(0, 5.0 * C, 2)


def turned(data, rng):
    C = 1.0
    G = rows(data)
    n = np.linalg.norm(G, axis=1, keepdims=True)
    G = np.where(n < C, G * C / n, G)
    return np.sum(G, axis=0) + rng.normal(0, 5.0 * C, 2)


def negative(data, rng):
    C = -1.0
    G = rows(data)
    n = np.linalg.norm(G, axis=1, keepdims=True)
    G = np.where(n <= C, G * C / n, G)
    return np.sum(G, axis=0) + rng.normal(0, 5.0, 2)


def private_bound(data, rng):
    G = rows(data)
    n = np.linalg.norm(G, axis=1, keepdims=True)
    C = 0.1 * len(G)
    G = np.where(n > C, G * C / n, G)
    return np.sum(G, axis=0) + rng.normal(0, 5.0, 2)


def squared_norm(data, rng):
    C = 1.0
    G = rows(data)
    n = (G**2).sum(axis=1, keepdims=True)
    G = np.where(n > C, G * C / n * 2, G)
    return np.sum(G, axis=0) + rng.normal(0, 5.0, 2)


def other_norm(data, rng):
    C = 1.0
    G = rows(data)
    n = np.linalg.norm(G, axis=1, ord=np.inf, keepdims=True)
    G = np.where(n > C, G * C / n, G)
    return np.sum(G, axis=0) + rng.normal(0, 5.0, 2)


def guard_raises(data):
    sx = sy = 0.0
    for row in data:
        n = math.hypot(row["x"], row["y"])
        f = min(1.0, 1.0 / n)
        sx += row["x"] * f
        sy += row["y"] * f
    return sx + random.gauss(0, 5.0), sy + random.gauss(0, 5.0)


def guard_max(data):
    sx = sy = 0.0
    for row in data:
        n = math.hypot(row["x"], row["y"])
        f = max(1.0, 1.0 / n) if n > 0 else 1.0
        sx += row["x"] * f
        sy += row["y"] * f
    return sx + random.gauss(0, 5.0), sy + random.gauss(0, 5.0)


def sums_without_nan(data, rng):
    C = 1.0
    G = rows(data)
    n = np.linalg.norm(G, axis=1, keepdims=True)
    G = np.where(n > C, G * C / n, G)
    return np.nansum(G, axis=0) + rng.normal(0, 5.0 * C, 2)


def at_least_zero(data):
    sx = sy = 0.0
    for row in data:
        n = math.hypot(row["x"], row["y"])
        f = min(1.0, 1.0 / n) if n >= 0 else 1.0
        sx += row["x"] * f
        sy += row["y"] * f
    return sx + random.gauss(0, 5.0), sy + random.gauss(0, 5.0)


def below_zero(data):
    sx = sy = 0.0
    for row in data:
        n = math.hypot(row["x"], row["y"])
        f = 1.0 if n < 0 else min(1.0, 1.0 / n)
        sx += row["x"] * f
        sy += row["y"] * f
    return sx + random.gauss(0, 5.0), sy + random.gauss(0, 5.0)


def missing_ones_are_long(data, rng):
    total = 0.0
    for x, y in zip(data["x"], data["y"], strict=True):
        f = 1.0 if y <= 1.0 else 1.0 / y
        total += min(max(x, 0.0), 1.0) * f
    return total + rng.normal(0, 5.0)


def divided_by_pythons_zero(data):
    sx = sy = 0.0
    for row in data:
        n = math.hypot(row["x"], row["y"])
        f = float(np.where(n > 1.0, 1.0 / n, 1.0))
        sx += row["x"] * f
        sy += row["y"] * f
    return sx + random.gauss(0, 5.0), sy + random.gauss(0, 5.0)


BROKEN = [
    (divided_by_pythons_zero, LISTED),
    (at_least_zero, LISTED),
    (below_zero, LISTED),
    (missing_ones_are_long, MISSING),
    (twice_as_long, POINTS),
    (turned, POINTS),
    (negative, POINTS),
    (private_bound, POINTS),
    (squared_norm, POINTS),
    (other_norm, POINTS),
    (guard_raises, LISTED),
    (guard_max, LISTED),
    (sums_without_nan, MISSING),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), BROKEN)
def test_other_choices_are_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, neighbors)


@pytest.mark.parametrize("bound", [-1.0, 0.0, 0.5, 2])
@pytest.mark.parametrize("length", [0.0, 0.25, 0.5, 3.0, 1e-320, math.inf, math.nan, -1.0])
def test_what_stands_for_a_choice_is_the_same_number(bound, length):
    def factor(data):
        c, n = bound, data[0]
        return min(1.0, c / n) if n > 0 else 1.0

    def above(data):
        c, n = bound, np.sqrt(data)
        with np.errstate(all="ignore"):
            return np.where(n > c, c / n, 1.0)

    def vector(data):
        c, n, v = bound, np.sqrt(data), data * 2
        with np.errstate(all="ignore"):
            return np.where(n > c, v * c / n, v)

    def at_most(data):
        c, n, v = bound, np.sqrt(data), data * 2
        with np.errstate(all="ignore"):
            return np.where(n <= c, v, v * c / n)

    def at_most_alone(data):
        c, n = bound, data[0]
        return 1.0 if n <= c else c / n

    data = np.array([length])
    for function in (factor, above, vector, at_most, at_most_alone):
        with np.errstate(all="ignore"):
            found = Concrete(lift(function)).run(data, np.random.default_rng(0))
            assert found == pytest.approx(function(data), nan_ok=True)
