"""Iterators in a variable: gone through once, and of what did not change meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, Row
from dpaudit.formal.clock import now
from dpaudit.formal.cost import CostProof, prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.program import Call, walk
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved

ONE = PureDP(1.0)
REALS = AddRemove(Real(0, 10))


def is_cheap(mechanism):
    """Return whether there is a proof by cost."""
    try:
        found = prove_by_cost(lift(mechanism), ONE, REALS, deadline=now() + 300)
    except Unsupported:
        return False
    return isinstance(found, CostProof)


def kept_iter(data, rng):
    each = iter(data)
    total = 0.0
    for x in each:
        total += min(x, 5)
    return total + rng.laplace(scale=5)


def kept_generator(data, rng):
    clipped = (min(x, 5) for x in data)
    return sum(clipped) + rng.laplace(scale=5)


def kept_map(data, rng):
    def at_most_five(x):
        return min(x, 5)

    clipped = map(at_most_five, data)
    return sum(clipped) + rng.laplace(scale=5)


def kept_zip(data, rng):
    pairs = zip(range(3), [1.0, 2.0, 3.0], strict=True)
    return [(data > cut).sum() + rng.laplace(scale=3) for _, cut in pairs]


def unzipped(data, rng):
    pairs = [(cut, (data > cut).sum() + rng.laplace(scale=3)) for cut in (1.0, 2.0, 3.0)]
    cuts, counts = zip(*pairs, strict=True)
    return list(cuts), list(counts)


@pytest.mark.parametrize("mechanism", [kept_iter, kept_generator, kept_map, kept_zip, unzipped])
def test_an_iterator_that_is_kept_is_gone_through(mechanism):
    assert is_cheap(mechanism)


def summed_twice(data, rng):
    clipped = (min(x, 5) for x in data)
    return sum(clipped) + rng.laplace(scale=10), sum(clipped) + rng.laplace(scale=10)


def empty_the_second_time(data, rng):
    pairs = zip([1.0, 2.0], [0, 1], strict=True)
    first, second = list(pairs), list(pairs)
    return len(first) * len(second) * data.sum()


def under_two_names(data, rng):
    one = other = iter([1.0, 2.0])
    return sum(one), sum(other)


def beside_itself(data, rng):
    each = iter([1.0, 2.0, 3.0])
    return list(zip(each, each, strict=False))


def list_that_changes(data, rng):
    held = [0.0, 0.0]
    each = iter(held)
    held[0] = data.sum()
    return list(each)


def array_that_changes(data, rng):
    held = np.zeros(2)
    pairs = zip(enumerate(held), [0, 1], strict=True)
    held[0] = data.sum()
    return [x for (_, x), _ in pairs]


def bound_that_changes(data, rng):
    most = 5
    clipped = (min(x, most) for x in data)
    most = 50
    return sum(clipped) + rng.laplace(scale=5)


def bound_of_a_map_that_changes(data, rng):
    most = 5

    def clip(x):
        return min(x, most)

    clipped = map(clip, data)
    most = 50
    return sum(clipped) + rng.laplace(scale=5)


def bound_in_a_list_that_changes(data, rng):
    most = [[5]]
    clipped = (min(x, most[0][0]) for x in data)
    most[0][0] = 50
    return sum(clipped) + rng.laplace(scale=5)


def bound_of_a_function_that_changes(data, rng):
    most = 5

    def clip(x):
        return min(x, most)

    clipped = (clip(x) for x in data)
    most = 50
    return sum(clipped) + rng.laplace(scale=5)


def bound_that_changes_in_one_expression(data, rng):
    most = 5
    return [each := (min(x, most) for x in data), most := 50, sum(each) + rng.laplace(scale=5)][2]


def bound_that_the_loop_changes(data, rng):
    most, total = 5, 0.0
    clipped = (min(x, most) for x in [1.0, 9.0, 9.0])
    for x in clipped:
        total += x
        most = data.sum()
    return total


def inside_a_zip(data, rng):
    most = 5
    pairs = zip((min(x, most) for x in [1.0, 9.0]), [0, 0], strict=True)
    most = data.sum()
    return [x for x, _ in pairs]


def returned(data, rng):
    return zip([1, 2], [data.sum(), 0.0], strict=True)


@pytest.mark.parametrize(
    "mechanism",
    [summed_twice, empty_the_second_time, under_two_names, beside_itself, list_that_changes,
     array_that_changes, bound_that_changes, bound_of_a_map_that_changes,
     bound_in_a_list_that_changes, bound_of_a_function_that_changes,
     bound_that_changes_in_one_expression, bound_that_the_loop_changes, inside_a_zip, returned],
)  # fmt: skip
def test_one_that_is_not_as_good_as_a_list_is_refused(mechanism):
    assert not is_cheap(mechanism)


POINT = Row(x=Real(0, 1), y=Real(0, 1))
POINTS = AddRemove(POINT, max_size=6, container="list")


def sums_of_rows(data, rng):
    rows = iter(data)
    x = y = 0.0
    for row in rows:
        x += row["x"]
        y += row["y"]
    return x + rng.laplace(scale=2), y + rng.laplace(scale=2)


@pytest.mark.parametrize("container", ["list", "array"])
def test_an_iterator_of_rows_is_gone_through(container):
    assert is_proved(sums_of_rows, ONE, AddRemove(POINT, max_size=6, container=container))


def rows_twice(data, rng):
    rows = iter(data)
    first = sum(row["x"] for row in rows)
    return first + sum(row["x"] for row in rows) + rng.laplace()


def rows_that_grow(data, rng):
    pairs = [[row["x"], row["y"]] for row in data]
    rows = iter(pairs)
    pairs.append([1e9, 0.0])
    return sum(x for x, _ in rows) + rng.laplace()


def rows_that_change(data, rng):
    rows = iter(data)
    for row in data:
        row["x"] = 1e9
    return sum(row["x"] for row in rows) + rng.laplace()


@pytest.mark.parametrize("mechanism", [rows_twice, rows_that_grow, rows_that_change])
def test_an_iterator_of_rows_that_is_as_good_as_no_list_is_refused(mechanism):
    assert not is_proved(mechanism, ONE, POINTS)


def array_of_an_iterator(data, rng):
    rows = iter(data)
    points = np.array([(row["x"], row["y"]) for row in rows]).reshape(-1, 2)
    return points.sum() + rng.laplace(scale=2)


def test_an_iterator_is_not_gone_through_once_a_column():
    read = [node.function for node in walk(lift(array_of_an_iterator).entry)
            if isinstance(node, Call)]  # fmt: skip
    assert "numpy.stack" not in read
