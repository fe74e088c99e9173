"""Further forms of public DP code: how it takes data apart and adds it up.

As in `tests/constructs.py`, each has a sound mechanism and a broken one with one defect.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpaudit import AddRemove, Categorical, Integer, Real, ReplaceOne, Row
from dpaudit import ZeroConcentratedDP as Zcdp
from tests.constructs import Construct

COLORS = ("red", "green")
SIZES = ("S", "L")


def parts_by_threshold(data, rng):
    young = [x for x in data if x < 5]
    old = [x for x in data if x >= 5]
    return len(young) + rng.laplace(scale=1), len(old) + rng.laplace(scale=1)


def parts_by_threshold_overlap(data, rng):
    young = [x for x in data if x <= 5]
    old = [x for x in data if x >= 5]
    return len(young) + rng.laplace(scale=1), len(old) + rng.laplace(scale=1)


def mask_and_complement(data, rng):
    high = data > 5
    first = data[high].clip(0, 10).sum() + rng.laplace(scale=10)
    return first, data[~high].clip(0, 10).sum() + rng.laplace(scale=10)


def mask_and_everything(data, rng):
    high = data > 5
    first = data[high].clip(0, 10).sum() + rng.laplace(scale=10)
    return first, data.clip(0, 10).sum() + rng.laplace(scale=10)


def bins_in_a_loop(data, rng):
    edges = [0, 2, 4, 6, 8, 11]
    counts = []
    for low, high in itertools.pairwise(edges):
        counts.append(np.sum((data >= low) & (data < high)) + rng.laplace(scale=1))
    return counts


def bins_by_or_in_a_loop(data, rng):
    edges = [0, 2, 4, 6, 8, 11]
    counts = []
    for low, high in itertools.pairwise(edges):
        counts.append(np.sum((data >= low) | (data < high)) + rng.laplace(scale=1))
    return counts


def keys_by_two_columns(frame, rng):
    counts = {}
    for color in COLORS:
        for size in SIZES:
            group = frame[(frame["color"] == color) & (frame["size"] == size)]
            counts[color, size] = len(group) + rng.laplace(scale=1)
    return counts


def keys_by_two_columns_of_the_data(frame, rng):
    counts = {}
    for key, group in frame.groupby(["color", "size"]):
        counts[key] = len(group) + rng.laplace(scale=1)
    return counts


def weighted_sum_by_dot(data, rng):
    weights = np.array([0.5, 1.0, 0.25])
    return np.dot(weights, np.clip(data, 0, 1)) + rng.laplace(scale=1)


def weighted_sum_by_dot_too_heavy(data, rng):
    weights = np.array([0.5, 2.0, 0.25])
    return np.dot(weights, np.clip(data, 0, 1)) + rng.laplace(scale=1)


def rows_clipped_by_if(data, rng):
    total = np.zeros(2)
    for row in data:
        point = np.array([row["x"], row["y"]])
        norm = np.linalg.norm(point)
        if norm > 1:
            point = point / norm
        total += point
    return total + rng.normal(scale=1, size=2)


def rows_clipped_by_if_late(data, rng):
    total = np.zeros(2)
    for row in data:
        point = np.array([row["x"], row["y"]])
        norm = np.linalg.norm(point)
        if norm > 5:
            point = point / norm
        total += point
    return total + rng.normal(scale=1, size=2)


def dataset_of_one(data, rng):
    value = min(max(data[0], 0), 10)
    return value + rng.laplace(scale=10)


def dataset_of_one_too_small(data, rng):
    value = min(max(data[0], 0), 10)
    return value + rng.laplace(scale=5)


def entry_by_entry(data, rng):
    sums = np.zeros(2)
    for row in data:
        sums[0] += row["x"]
        sums[1] += row["y"]
    for j in range(2):
        sums[j] += rng.laplace(scale=2)
    return sums


def entry_by_entry_half_the_noise(data, rng):
    sums = np.zeros(2)
    for row in data:
        sums[0] += row["x"]
        sums[1] += row["y"]
    for j in range(2):
        sums[j] += rng.laplace(scale=1)
    return sums


def at_least_two_dimensions(data, rng):
    table = np.atleast_2d(np.clip(data, 0, 1))
    return table.sum(axis=1) + rng.laplace(scale=1, size=1)


def at_least_two_dimensions_too_small(data, rng):
    table = np.atleast_2d(np.clip(data, 0, 1))
    return table.sum(axis=1) + rng.laplace(scale=0.5, size=1)


def types_checked(data, rng):
    if not isinstance(data, list):
        raise TypeError("data must be a list")
    total = 0.0
    for x in data:
        if isinstance(x, (int, float)):
            total += min(max(float(x), 0.0), 1.0)
    return total + rng.laplace(scale=1)


def types_told(data, rng):
    if not all(isinstance(x, int) for x in data):
        raise TypeError("records must be integers")
    return len([x for x in data if x is not None]) + rng.laplace(scale=1)


def clipped_by_hypot(data, rng):
    east = north = 0.0
    for row in data:
        factor = min(1.0, 1.0 / max(math.hypot(row["x"], row["y"]), 1e-12))
        east += factor * row["x"]
        north += factor * row["y"]
    return east + rng.normal(0, 1), north + rng.normal(0, 1)


def clipped_by_hypot_of_one(data, rng):
    east = north = 0.0
    for row in data:
        factor = min(1.0, 1.0 / max(math.hypot(row["x"]), 1e-12))
        east += factor * row["x"]
        north += factor * row["y"]
    return east + rng.normal(0, 1), north + rng.normal(0, 1)


TEN = AddRemove(Real(0, 10), max_size=6)
PLANE = AddRemove(Row(x=Real(-5, 5), y=Real(-5, 5)), max_size=6)
SQUARE = AddRemove(Row(x=Real(0, 1), y=Real(0, 1)), max_size=6)
FRAME = AddRemove(
    Row(color=Categorical(list(COLORS)), size=Categorical(list(SIZES))),
    max_size=6,
    container="pandas",
)
MAYBE = AddRemove(Integer(0, 9, allow_missing=True), max_size=6, container="list")
OF_DATA = (
    Construct(
        "parts by `x < 5` and `x >= 5`",
        parts_by_threshold,
        parts_by_threshold_overlap,
        ("DPA107",),
        neighbors=TEN,
    ),
    Construct(
        "a mask and `~mask`", mask_and_complement, mask_and_everything, ("DPA107",), neighbors=TEN
    ),
    Construct("bins in a loop", bins_in_a_loop, bins_by_or_in_a_loop, ("DPA107",), neighbors=TEN),
    Construct(
        "keys by two columns",
        keys_by_two_columns,
        keys_by_two_columns_of_the_data,
        ("DPA109",),
        neighbors=FRAME,
    ),
    Construct(
        "a weighted sum by `np.dot`",
        weighted_sum_by_dot,
        weighted_sum_by_dot_too_heavy,
        ("DPA105", "DPA106"),
        neighbors=ReplaceOne(Real(0, 1), size=3),
    ),
    Construct(
        "rows clipped by `if norm > C`",
        rows_clipped_by_if,
        rows_clipped_by_if_late,
        ("DPA105", "DPA106"),
        Zcdp(0.5),
        PLANE,
    ),
    Construct(
        "`data[0]` of a dataset of one",
        dataset_of_one,
        dataset_of_one_too_small,
        ("DPA105", "DPA106"),
        neighbors=ReplaceOne(Real(0, 10), size=1),
    ),
    Construct(
        "sums entry by entry, noise entry by entry",
        entry_by_entry,
        entry_by_entry_half_the_noise,
        ("DPA105", "DPA107"),
        neighbors=SQUARE,
    ),
    Construct(
        "`np.atleast_2d`",
        at_least_two_dimensions,
        at_least_two_dimensions_too_small,
        ("DPA105", "DPA106"),
    ),
    Construct(
        "type checks",
        types_checked,
        types_told,
        ("DPA108",),
        neighbors=MAYBE,
    ),
    Construct(
        "`math.hypot`",
        clipped_by_hypot,
        clipped_by_hypot_of_one,
        ("DPA105", "DPA106"),
        Zcdp(0.5),
        PLANE,
    ),
)
