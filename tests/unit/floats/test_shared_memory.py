"""Arrays, lists and dicts under several names: a change by one of them is seen by all."""

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from dpaudit.floats import Refused, float_bounds
from dpaudit.floats.interpret import _COPIES
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift

UNIT = AddRemove(Real(0, 1))


def is_bounded(mechanism):
    try:
        float_bounds(to_dict(lift(mechanism)), PureDP(1.0), UNIT, "cost")
    except Refused:
        return False
    return True


def absorbed(data, k, rng):
    return (data.sum() + k) - k + rng.laplace(scale=1.0)


def rows_of_a_loop(data, rng):
    h = np.zeros((2, 2))
    for row in h:
        row += 1e17
    return absorbed(data, h[0][0], rng)


def rows_that_are_unpacked(data, rng):
    h = np.zeros((2, 2))
    _, b = h
    b[:] = 1e17
    return absorbed(data, h[1][0], rng)


def an_entry_of_a_row(data, rng):
    h = np.zeros((2, 2))
    h[0][1] = 1e17
    return absorbed(data, h[0][1], rng)


def a_part(data, rng):
    h = np.zeros(2)
    g = h[:1]
    g[0] = 1e17
    return absorbed(data, h[0], rng)


def the_whole_of_a_part(data, rng):
    h = np.zeros(2)
    g = h[:1]
    h[0] = 1e17
    return absorbed(data, g[0], rng)


def a_transposed_array(data, rng):
    h = np.zeros((2, 2))
    h.T[0] += 1e17
    return absorbed(data, h[0, 0], rng)


def a_reshaped_array(data, rng):
    h = np.zeros(2)
    g = h.reshape(2, 1)
    g += 1e17
    return absorbed(data, h[0], rng)


def parts_in_a_list(data, rng):
    h = np.zeros(3)
    for part in [h[:1], h[1:]]:
        part[0] = 1e17
    return absorbed(data, h[0], rng)


def a_part_that_a_function_returns(data, rng):
    h = np.zeros(3)

    def whole():
        return h[:]

    g = whole()
    g += 1e17
    return absorbed(data, h[0], rng)


def two_names_before_a_branch(data, rng):
    h = np.zeros(2)
    g = h
    if rng.random() < 0.5:
        h[0] = 1.0
    g += 1e17
    return absorbed(data, h[0], rng)


def two_names_of_a_list_before_a_branch(data, rng):
    h = [0.0]
    g = h
    if rng.random() < 0.5:
        h[0] = 1.0
    g[0] = 1e17
    return absorbed(data, h[0], rng)


def a_name_on_one_side_of_a_branch(data, rng):
    h = [0.0]
    g = h if rng.random() < 0.5 else [0.0]
    g[0] = 1e17
    return absorbed(data, h[0], rng)


def a_dict_on_one_side_of_a_branch(data, rng):
    h = {"k": 0.0}
    if rng.random() < 0.5:  # noqa: SIM108 - the statement is tried
        g = h
    else:
        g = {"k": 0.0}
    g["k"] = 1e17
    return absorbed(data, h["k"], rng)


def a_list_that_is_picked(data, rng):
    lists = [[0.0], [0.0]]
    one = lists[int(rng.integers(0, 2))]
    one[0] = 1e17
    return absorbed(data, lists[0][0], rng)


def two_names_before_many_rounds(data, rng):
    h = np.zeros(1)
    g = [h]
    for _ in range(5000):
        h[0] = 0.5
    g[0][0] = 1e17
    return absorbed(data, h[0], rng)


def longer_on_one_side_of_a_branch(data, rng):
    h = [0.0]

    def push(x):
        if rng.random() < 0.5:
            x.append(1e17)

    push(h)
    return absorbed(data, h[-1], rng)


def given_under_a_name_that_changes(data, rng):
    h = {"a": [0.0]}
    values = h["a"]

    def push(x):
        if rng.random() < 0.5:
            x["a"][0] = 1e17
        x = 0
        return x

    push(h)
    return absorbed(data, values[0], rng)


def changed_or_not_in_an_expression(data, rng):
    h = [1e17]

    def lower():
        h[0] = 0.0
        return True

    _ = 1 if rng.random() < 0.5 else lower()
    return absorbed(data, h[0], rng)


def changed_or_not_by_a_function_that_is_given(data, rng):
    h = [1e17]

    def lower():
        h[0] = 0.0
        return 1

    def perhaps():
        return 1 if rng.random() < 0.5 else lower()

    perhaps()
    return absorbed(data, h[0], rng)


def bound_or_not_in_an_expression(data, rng):
    k = 1e17
    _ = rng.random() < 0.5 and (k := 0.0) == 0
    return absorbed(data, k, rng)


def changed_in_a_comprehension(data, rng):
    h = [1e17]

    def lower():
        h[0] = 0.0
        return 1

    [lower() for _ in range(3) if rng.random() < 0.5]
    return absorbed(data, h[0], rng)


def appended_in_a_comprehension(data, rng):
    h = [0.0]
    [h.append(1e17) for _ in range(1)]
    return absorbed(data, h[-1], rng)


def a_part_of_a_list(data, rng):
    h = [0.0, 1e17]
    h[0:1] = []
    return absorbed(data, h[0], rng)


def the_longest_row(data, rng):
    h = np.ones((2, 2))
    longest = max(h, key=len)
    longest += 1e17
    return absorbed(data, h[0][0], rng)


def entries_of_a_dict(data, rng):
    h = np.ones(4)
    held = {"a": h}
    for key in held:
        held[key] += 1e17
    return absorbed(data, h[0], rng)


def a_copy_that_is_emptied(data, rng):
    h = np.full(4, 1e17)
    g = h.copy()
    g *= 0.0
    return absorbed(data, h[0], rng)


def a_copy_by_numpy(data, rng):
    h = np.full(2, 1e17)
    g = np.array(h)
    g *= 0.0
    return absorbed(data, h[0], rng)


def a_copy_by_a_sign(data, rng):
    h = np.full(2, 1e17)
    g = +h
    g *= 0.0
    return absorbed(data, h[0], rng)


def a_copy_of_a_list(data, rng):
    h = [1e17, 1e17]
    g = h.copy()
    g[0] = g[1] = 0.0
    return absorbed(data, h[0], rng)


def where_a_sum_is_written(data, rng):
    h = np.ones(2)
    np.add(h, 1e17, out=h)
    return absorbed(data, h[0], rng)


def one_of_two_lists(data, rng):
    h = [0.0]
    several = [h, [0.0]]
    several[int(rng.random() < 0.5)].append(1e17)
    return absorbed(data, sum(h), rng)


def the_list_of_a_record(data, rng):
    groups = {"low": [], "high": []}
    for x in data:
        groups["high" if x > 0.5 else "low"].append(x)
    total = sum(groups["high"])
    return (total + total * 1e17) - total * 1e17 + rng.laplace(scale=1.0)


def a_function_in_a_tuple(data, rng):
    def pair():
        h = [1e17]

        def lower():
            h[0] = 0.0

        def first():
            return h[0]

        return lower, first

    functions = pair()
    if rng.random() < 0.5:
        functions[0]()
    return absorbed(data, functions[1](), rng)


def entries_of_a_dict_by_numbers(data, rng):
    h = [0.0]
    held = {i + 0: h for i in range(3)}
    held[1][0] = 1e17
    return absorbed(data, held[0][0], rng)


def one_of_the_entries_by_numbers(data, rng):
    held = {0: [0.0], 1: [0.0]}
    held[int(rng.integers(0, 2))][0] = 1e17
    return absorbed(data, held[0][0], rng)


def the_greater_of_two_lists(data, rng):
    h, g = [0.0], [0.0]
    greater = max(h, g)
    greater[0] = 1e17
    return absorbed(data, h[0], rng)


def where_a_draw_is_written(data, rng):
    h = np.zeros(2)
    rng.standard_normal(out=h)
    return absorbed(data, h[0] * 1e18, rng)


def where_a_ufunc_writes_by_position(data, rng):
    h = np.zeros(2)
    np.add(h, 1e17, h)
    return absorbed(data, h[0], rng)


def where_a_method_writes_by_position(data, rng):
    h = np.zeros(2)
    h.clip(1e17, 2e17, h)
    return absorbed(data, h[0], rng)


def where_numpy_copies(data, rng):
    h = np.zeros(2)
    np.copyto(h, 1e17)
    return absorbed(data, h[0], rng)


def added_at_places(data, rng):
    h = np.zeros(2)
    np.subtract.at(h, [0], 1e17)
    return absorbed(data, h[0], rng)


def a_list_without_its_first_item(data, rng):
    h = [0.0, 1e17]
    h.pop(0)
    return absorbed(data, h[0], rng)


def a_list_with_another_first_item(data, rng):
    h = [0.0]
    h.insert(0, 1e17)
    return absorbed(data, h[0], rng)


def a_list_that_is_doubled(data, rng):
    h = [1.0]
    g = h
    g *= 2
    return absorbed(data, 1e17 * (len(h) - 1), rng)


def a_dict_that_is_updated(data, rng):
    held = {"k": 0.0}
    held.update({"k": 1e17})
    return absorbed(data, held["k"], rng)


def a_dict_that_another_is_put_into(data, rng):
    held = {"k": 0.0}
    other = held
    other |= {"k": 1e17}
    return absorbed(data, held["k"], rng)


def norms_before_the_rows_are_sorted(data, rng):
    h = np.array([[1e17, 0.0], [1.0, 1.0]])
    norms = np.linalg.norm(h, axis=1)
    h.sort(axis=0)
    shares = h / norms[:, None]
    return absorbed(data, shares[1][0], rng)


def a_list_that_may_be_another_and_is_shuffled(data, rng):
    h = [0.0, 1e17]
    g = h if rng.random() < 0.5 else [1.0, 2.0]
    rng.shuffle(g)
    return absorbed(data, h[0], rng)


def a_list_in_every_row(data, rng):
    h = [0.0]
    rows = [h for _ in range(3000)]
    rows[5][0] = 1e17
    return absorbed(data, h[0], rng)


def the_list_of_every_row(data, rng):
    h = [0.0]
    rows = [h for _ in range(3000)]
    h[0] = 1e17
    return absorbed(data, rows[5][0], rng)


def an_array_in_every_row(data, rng):
    h = np.zeros(1)
    rows = [(h, 1.0) for _ in range(3000)]
    h += 1e17
    return absorbed(data, rows[5][0][0], rng)


def changed_by_a_key_of_an_order(data, rng):
    h = [0.0]

    def key(x):
        h[0] = 1e17
        return x

    sorted([1.0, 2.0], key=key)
    return absorbed(data, h[0], rng)


def changed_by_a_key_of_the_greatest(data, rng):
    h = [0.0]

    def key(x):
        h[0] = 1e17
        return x

    max([1.0, 2.0], key=key)
    return absorbed(data, h[0], rng)


def rows_that_a_key_changes(data, rng):
    h = [[0.0], [0.0]]

    def key(row):
        row[0] = 1e17
        return 0.0

    sorted(h, key=key)
    return absorbed(data, h[0][0], rng)


def changed_along_an_axis(data, rng):
    h = np.zeros((2, 2))

    def change(row):
        row += 1e17
        return 0.0

    np.apply_along_axis(change, 1, h)
    return absorbed(data, h[0][0], rng)


def an_array_without_axes(data, rng):
    x = np.array(0.0)
    y = x
    y += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_that_was_converted(data, rng):
    x = np.array(0.0)
    y = np.asarray(x)
    y += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_as_one_of_a_row(data, rng):
    x = np.array(0.0)
    y = np.atleast_1d(x)
    y += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_of_an_array(data, rng):
    x = np.zeros(1)
    y = x.reshape(())
    x += 1e17
    return absorbed(data, float(y), rng)


def an_array_without_axes_that_a_function_is_given(data, rng):
    x = np.array(0.0)

    def add(y):
        y += 1e17

    add(x)
    return absorbed(data, float(x), rng)


def an_array_without_axes_in_a_list(data, rng):
    x = np.array(0.0)
    for y in [x]:
        y += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_in_a_dict(data, rng):
    x = np.array(0.0)
    d = {"k": x}
    d["k"] += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_on_one_side(data, rng):
    x = np.array(0.0)
    y = x if rng.random() < 0.5 else 0.0
    y += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_by_a_choice(data, rng):
    x = np.where(True, 0.0, 1.0)
    y = x
    y += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_as_a_start(data, rng):
    x = np.array(0.0)
    y = sum([], x)
    y += 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_that_is_assigned(data, rng):
    x = np.array(0.0)
    y = x
    y[()] = 1e17
    return absorbed(data, float(x), rng)


def an_array_without_axes_in_a_long_list(data, rng):
    x = np.array(0.0)
    arrays = [0.0] * 5000
    arrays[3] = x
    y = arrays[3]
    y += 1e17
    return absorbed(data, float(x), rng)


def arrays_in_a_long_list(data, rng):
    arrays = [np.zeros(1) for _ in range(5000)]
    y = arrays[0]
    y += 1e17
    return absorbed(data, float(arrays[0][0]), rng)


CHANGED = [
    a_list_in_every_row,
    the_list_of_every_row,
    an_array_in_every_row,
    changed_by_a_key_of_an_order,
    changed_by_a_key_of_the_greatest,
    rows_that_a_key_changes,
    changed_along_an_axis,
    a_function_in_a_tuple,
    entries_of_a_dict_by_numbers,
    one_of_the_entries_by_numbers,
    the_greater_of_two_lists,
    where_a_draw_is_written,
    where_a_ufunc_writes_by_position,
    where_a_method_writes_by_position,
    where_numpy_copies,
    added_at_places,
    a_list_without_its_first_item,
    a_list_with_another_first_item,
    a_list_that_is_doubled,
    a_dict_that_is_updated,
    a_dict_that_another_is_put_into,
    norms_before_the_rows_are_sorted,
    a_list_that_may_be_another_and_is_shuffled,
    a_copy_by_numpy,
    a_copy_by_a_sign,
    a_copy_of_a_list,
    where_a_sum_is_written,
    one_of_two_lists,
    the_list_of_a_record,
    the_longest_row,
    entries_of_a_dict,
    a_copy_that_is_emptied,
    rows_of_a_loop,
    rows_that_are_unpacked,
    an_entry_of_a_row,
    a_part,
    the_whole_of_a_part,
    a_transposed_array,
    a_reshaped_array,
    parts_in_a_list,
    a_part_that_a_function_returns,
    two_names_before_a_branch,
    two_names_of_a_list_before_a_branch,
    a_name_on_one_side_of_a_branch,
    a_dict_on_one_side_of_a_branch,
    a_list_that_is_picked,
    two_names_before_many_rounds,
    longer_on_one_side_of_a_branch,
    given_under_a_name_that_changes,
    changed_or_not_in_an_expression,
    changed_or_not_by_a_function_that_is_given,
    bound_or_not_in_an_expression,
    changed_in_a_comprehension,
    appended_in_a_comprehension,
    a_part_of_a_list,
    an_array_without_axes,
    an_array_without_axes_that_was_converted,
    an_array_without_axes_as_one_of_a_row,
    an_array_without_axes_of_an_array,
    an_array_without_axes_that_a_function_is_given,
    an_array_without_axes_in_a_list,
    an_array_without_axes_in_a_dict,
    an_array_without_axes_on_one_side,
    an_array_without_axes_by_a_choice,
    an_array_without_axes_as_a_start,
    an_array_without_axes_that_is_assigned,
    an_array_without_axes_in_a_long_list,
    arrays_in_a_long_list,
]


@pytest.mark.parametrize("mechanism", CHANGED, ids=lambda each: each.__name__)
def test_what_one_name_makes_large_is_large_under_every_name(mechanism):
    assert not is_bounded(mechanism)


def small_parts(data, rng):
    h = np.zeros(3)
    g = h[:2]
    g[0] = 1.0
    for row in h.reshape(3, 1):
        row += 1.0
    return data.sum() * h[0] + rng.laplace(scale=2.0)


def a_helper_that_appends(data, rng):
    out = []

    def add(values, value):
        if value > 0:
            values.append(value)
        else:
            values.append(0.0)

    for _ in range(2):
        add(out, data.sum() + rng.laplace(scale=2.0))
    return out


def a_copy_that_changes(data, rng):
    x = np.clip(data, 0, 0.5)
    y = x.copy()
    y *= 2
    return x.sum() + rng.laplace(scale=1.0), y.sum() + rng.laplace(scale=2.0)


def numbers_that_are_no_arrays(data, rng):
    x = np.sum(np.zeros(2))
    y = x
    y += 1e17
    z = np.array(0.0)
    z += 1.0
    return data.sum() + x + float(z) + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    "mechanism",
    [small_parts, a_helper_that_appends, a_copy_that_changes, numbers_that_are_no_arrays],
)
def test_several_names_of_small_numbers_are_bounded(mechanism):
    assert is_bounded(mechanism)


_WITH = {
    "append": (0,),
    "clip": (0, 1),
    "delete": ([],),
    "dot": (np.eye(4),),
    "full_like": (1,),
    "insert": (0, 1),
    "matmul": (np.eye(4),),
    "outer": (1,),
    "percentile": ([50],),
    "quantile": ([0.5],),
    "repeat": (1,),
    "roll": (0,),
    "take": ([0, 1, 2, 3],),
    "tile": (1,),
}


@pytest.mark.parametrize("name", sorted(_COPIES))
@pytest.mark.parametrize("array", [np.arange(4), np.ones(4), np.eye(4)], ids=["int", "1d", "2d"])
def test_copies_share_no_memory_with_what_numpy_is_given(name, array):
    if name == "where":
        found = np.where(array > -1, array, array)
    else:
        several = name == "concatenate" or name.endswith("stack")
        found = getattr(np, name)([array] if several else array, *_WITH.get(name, ()))
    assert not np.shares_memory(found, array)
