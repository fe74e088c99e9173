"""Dictionaries by several parts, and frames of which several columns are named."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from dpaudit import AddRemove, Categorical, Integer, PureDP, Row
from tests.proving import is_proved

SEXES, BANDS = ["F", "M"], [0, 1]
FRAMES = AddRemove(Row(sex=Categorical(SEXES), band=Integer(0, 1)), container="pandas")
FAR = 1e17


def cells_of(frame, rng, far=0.0):
    cells = {}
    for sex, band in itertools.product(SEXES, BANDS):
        count = ((frame["sex"] == sex) & (frame["band"] == band)).sum()
        cells[(sex, band)] = max(0.0, count + far + rng.laplace())
    return cells


def synthetic_rows(frame, rng):
    cells = cells_of(frame, rng)
    keys = list(cells)
    weights = np.array([cells[key] for key in keys])
    if weights.sum() <= 0:
        weights = np.ones(len(keys))
    picks = rng.choice(len(keys), size=5, p=weights / weights.sum())
    return pd.DataFrame([keys[i] for i in picks], columns=["sex", "band"])


def one_of_the_cells(frame, rng):
    cells = {("F", 0): FAR, ("F", 1): 0.0}
    cells["F", 1] += len(frame)
    return cells["F", 1] + rng.laplace()


def cells_of_large_numbers(frame, rng):
    return cells_of(frame, rng, FAR)


def the_cell_that_is_large(frame, rng):
    cells = {("F", 0): 0.0, ("F", 1): FAR}
    cells["F", 1] += len(frame)
    return cells["F", 1] + rng.laplace()


def a_cell_by_an_index(frame, rng):
    cells = {("F", 0): 0.0, ("F", 1): 0.0}
    for at in cells:
        cells[at] += FAR
    return cells["F", 0] + len(frame) + rng.laplace()


def two_columns_that_are_moved(frame, rng):
    moved = frame[["band"]].astype(float)
    moved["other"] = 0.0
    moved[["band", "other"]] = moved[["band", "other"]] + FAR
    return moved["band"].sum() + rng.laplace()


def moved_by_a_key(frame, rng):
    for far in {2**52: 0.0, 2**51: 1.0}:
        total = len(frame) / 2 + far
    return total + rng.laplace()


def moved_by_a_part_of_a_key(frame, rng):
    cells = {("F", 2**52): 0.0, ("M", 2**51): 1.0}
    return len(frame) / 2 + sum(far for _, far in cells) + rng.laplace()


def moved_by_a_key_beyond_doubles(frame, rng):
    for far in {10**17: 0.0}:
        total = len(frame) + far * 1.0
    return total + rng.laplace()


def moved_by_a_key_beside_none(frame, rng):
    for _, far in {(None, 10**17): 0.0}:
        total = len(frame) + far * 1.0
    return total + rng.laplace()


def moved_by_a_key_of_an_array(frame, rng):
    for far in {10**8: np.zeros(2)}:
        total = len(frame) + far * 1e9
    return total + rng.laplace()


def moved_by_a_key_after_a_star(frame, rng):
    def first(one, other):
        return one * 1e9

    return len(frame) + first(*{10**8: 0.0, 5: 1.0}) + rng.laplace()


def weighted_by_keys(frame, rng):
    cells = {band: (frame["band"] == band).sum() + rng.laplace() for band in (0, 1)}
    return sum(band * cells[band] for band in cells), max(cells, key=cells.get)


@pytest.mark.parametrize("mechanism", [synthetic_rows, one_of_the_cells, weighted_by_keys])
def test_entries_by_several_parts_are_told_apart(mechanism):
    assert is_proved(mechanism, PureDP(1.0), FRAMES)


@pytest.mark.parametrize(
    "mechanism",
    [
        cells_of_large_numbers,
        the_cell_that_is_large,
        a_cell_by_an_index,
        two_columns_that_are_moved,
        moved_by_a_key,
        moved_by_a_part_of_a_key,
        moved_by_a_key_beyond_doubles,
        moved_by_a_key_beside_none,
        moved_by_a_key_of_an_array,
        moved_by_a_key_after_a_star,
    ],
)
def test_large_numbers_lose_what_noise_hides(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), FRAMES)
