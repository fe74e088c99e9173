"""Numbers beyond the range of the other dataset: when they count, and that nothing overflows."""

import numpy as np
import pytest

from dpaudit.claims import PureDP
from dpaudit.outputs import encode_rows
from dpaudit.statistical.book import Book, Labels, Stakes
from dpaudit.statistical.ends import DEPTH
from dpaudit.statistical.one_sided import LEFT, NEAR_LEFT, NEAR_RIGHT, REST, RIGHT, OneSided

GRID = np.arange(101) / 100


def known(left, right):
    """What is known after some outputs of each side."""
    one_sided = OneSided()
    one_sided.observe(0, encode_rows(np.asarray(left)))
    one_sided.observe(1, encode_rows(np.asarray(right)))
    return one_sided


def cells(one_sided, *values):
    return one_sided.assign_ends(encode_rows(np.array(values))).tolist()


def test_a_number_beyond_the_other_range_is_of_one_side():
    one_sided = known(GRID, GRID + 0.2)
    assert one_sided.ends.found
    assert cells(one_sided, 0.1, 0.5, 1.1) == [LEFT, REST, RIGHT]


def test_a_margin_is_left_to_the_other_side():
    found = cells(known(GRID, GRID + 0.2), 0.15, 0.17, 0.19, 0.2, 1.03, 1.05)
    assert found == [LEFT, NEAR_LEFT, REST, REST, NEAR_RIGHT, RIGHT]


def test_far_outputs_need_two_of_their_own_side_as_far():
    """Two numbers 2 and 3 distances beyond the other range make near ones of one side alone."""
    assert cells(known(np.append(GRID, [1.02, 1.03]), GRID), 1.01, 1.02, 2.0) == [
        REST, NEAR_LEFT, NEAR_LEFT,
    ]  # fmt: skip


def test_one_outlier_is_no_end():
    assert not known(np.append(GRID, -5.0), GRID).ends.found


def test_of_few_numbers_no_range_is_known():
    """Those of the right lie beyond the range of the left, not the other way around."""
    assert cells(known(GRID, np.arange(DEPTH - 1) + 5.0), 0.1, 5.5) == [REST, RIGHT]


def test_numbers_that_come_on_the_other_side_after_all_are_of_neither():
    one_sided = known(GRID, GRID + 0.2)
    one_sided.observe(1, encode_rows(GRID))
    assert cells(one_sided, 0.1, 1.1) == [REST, RIGHT]


def test_of_values_that_recur_the_smallest_is_an_end():
    few, more = np.arange(10.0) // 3, np.arange(40.0) // 8
    assert cells(known(few, 1 + few), 0.0, 1.0) == [NEAR_LEFT, REST]
    assert cells(known(more, 1 + more), 0.0, 1.0) == [LEFT, REST]


def test_any_column_has_its_ends_and_two_that_differ_tell_nothing():
    left, right = np.column_stack([GRID, GRID]), np.column_stack([GRID, GRID + 0.2])
    one_sided = known(left, right)
    assert cells(one_sided, [0.5, 0.1], [0.5, 0.5], [0.5, 1.1]) == [LEFT, REST, RIGHT]
    crossed = known(np.column_stack([GRID, GRID + 0.2]), right[:, ::-1] + [0.2, 0.0])
    assert cells(crossed, [0.1, 0.1]) == [REST]


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_no_finite_number_has_no_place(odd):
    strange = np.concatenate([GRID, np.full(20, odd)])
    assert not known(strange, GRID).ends.found
    assert cells(known(GRID, GRID + 0.2), odd) == [REST]


def test_the_widest_range_of_doubles_does_not_overflow():
    most = np.finfo(float).max
    wide = np.repeat([-most, most], 5)
    assert not known(wide, wide).ends.found
    assert cells(known(wide, GRID), -most, most) == [LEFT, LEFT]


def test_ends_are_bet_on_with_the_capital_of_outputs_of_one_side_alone():
    """After 200 outputs of each side, 100 more of the left; of 30 other seeds none failed."""
    rng = np.random.default_rng(0)
    one_sided = known(rng.random(200), rng.random(200) + 0.3)
    book, stakes = Book(Labels(), one_sided), Stakes.of(PureDP(1.0))
    book.add_labelled(encode_rows(rng.random(100)), np.zeros(100, np.uint8))
    assert book.one_sided_counts.sum() == 0  # nothing recurs
    assert book.ends_counts[0, LEFT] > 15
    assert book.ends_counts[1].sum() == 0
    assert book.one_sided_bets(stakes).max() > 4
