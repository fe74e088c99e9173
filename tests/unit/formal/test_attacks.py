"""Programs made to look private that are not: no way of reasoning proves one of them."""

# ruff: noqa: SIM108, RUF017 - the programs are written as their authors would

import functools

import numpy as np
import pandas as pd
import pytest

from dpaudit.claims import PureDP
from dpaudit.formal.alignment.prove import prove_by_alignment
from dpaudit.formal.clock import now
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.exact import prove_exact
from dpaudit.formal.lift import lift
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.sensitivity import sensitivity
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import (
    AddRemove,
    AnyPair,
    Categorical,
    Integer,
    Pairs,
    Real,
    ReplaceOne,
    Row,
)
from tests.proving import is_proved

records = AddRemove(Real(0, 1), max_size=8)
five = ReplaceOne(Real(0, 1), size=5)
bit = AnyPair(Integer(0, 1))


def rounded_to_hundreds(data, rng):
    return round(data.sum(), ndigits=-2) + rng.laplace(0, 2.0)


def entries_rounded_to_hundreds(data, rng):
    return np.round(data * 60, -2).sum() + rng.laplace(0, 60.0)


def sum_in_an_array_without_axes(data, rng):
    total = np.array(0.0)
    same = total
    same += 5 * data.sum()
    return total + rng.laplace(0, 1.0)


def number_stored_as_a_truth_value(data, rng):
    answers = np.zeros(2, dtype=bool)
    answers[0] = data.sum() / 10
    return answers.astype(float) + rng.laplace(0, 0.2, 2)


def count_stored_in_eight_bits(data, rng):
    answers = np.zeros(2, dtype=np.int8)
    answers[0] = np.count_nonzero(data > 0.5) * 100
    return answers + rng.laplace(0, 100.0, 2)


def truth_inverted_bit_by_bit(data, rng):
    return sum([~(value > 0.5) for value in data.tolist()]) + rng.laplace(0, 1.0)


def one_entry_stored_in_five(data, rng):
    answers = np.zeros(5)
    answers[:] = np.array([len(data)])
    return answers + rng.laplace(size=5)


def array_in_a_list(data, rng):
    answers = np.zeros(2)
    held = [answers]
    held[0] += 5 * len(data)
    return answers + rng.laplace(size=2)


def array_twice_in_a_dict(data, rng):
    answers = np.zeros(2)
    held = {"a": answers, "b": answers}
    held["a"] += 5 * len(data)
    return held["b"] + rng.laplace(size=2)


def cast_without_a_copy(data, rng):
    answers = np.full(2, 1.0 * len(data))
    same = answers.astype(float, copy=False)
    same *= 5
    return answers + rng.laplace(0, 2.0, 2)


def missing_values_replaced_without_a_copy(data, rng):
    answers = np.full(2, 1.0 * len(data))
    same = np.nan_to_num(answers, copy=False)
    same *= 5
    return answers + rng.laplace(0, 2.0, 2)


def range_that_one_side_alone_has(data, rng):
    count = len(data)
    _ = count + 1 if count < 1 else 0
    total = 2 * np.nan_to_num(data.clip(0, 1)).sum()
    return (total if total <= count + 1 else 0) + rng.laplace(0, 2.0)


def sign_of_a_zero(data, rng):
    return (data.clip(0, 1).sum() - 3) * 0.0


def sign_of_a_zero_that_is_printed(data, rng):
    print((data.clip(0, 1).sum() - 3) * 0.0)
    return rng.laplace()


def sign_of_a_constant(x, rng):
    return 0.0 if x else -0.0


def column_that_an_attribute_hides(data, rng):
    return np.sum(data.size) + rng.laplace(0, 1.0)


def scale_in_the_longest_of_lists(data, rng):
    scales = [10.0]
    chosen = max([scales], key=len)
    chosen[0] = 0.5
    return data.clip(0, 1).sum() + rng.laplace(0, scales[0])


def scale_in_a_row_that_a_draw_chooses(data, rng):
    scales = np.array([[10.0, 10.0], [10.0, 10.0]])
    row = scales[rng.integers(2)]
    row[0] = 0.5
    return data.clip(0, 1).sum() + rng.laplace(0, scales[0, 0])


def scale_in_a_row_that_a_draw_reads(data, rng):
    scales = np.array([[10.0, 10.0], [10.0, 10.0]])
    row = scales[rng.integers(2)]
    scales[:] = 0.5
    return data.clip(0, 1).sum() + rng.laplace(0, row[0])


sizes = AddRemove.around(pd.DataFrame({"size": [0.0, 0.5, 1.0], "x": [1.0, 0.0, 0.5]}))


OF_RECORDS = [
    (sign_of_a_zero, records),
    (sign_of_a_zero_that_is_printed, records),
    (rounded_to_hundreds, records),
    (entries_rounded_to_hundreds, five),
    (sum_in_an_array_without_axes, records),
    (number_stored_as_a_truth_value, records),
    (count_stored_in_eight_bits, records),
    (truth_inverted_bit_by_bit, records),
    (one_entry_stored_in_five, records),
    (array_in_a_list, records),
    (array_twice_in_a_dict, records),
    (cast_without_a_copy, records),
    (missing_values_replaced_without_a_copy, records),
    (range_that_one_side_alone_has, records),
    (scale_in_the_longest_of_lists, records),
    (scale_in_a_row_that_a_draw_chooses, records),
    (scale_in_a_row_that_a_draw_reads, records),
]


def coin_inverted_bit_by_bit(x, rng):
    coin = rng.random() < 0.25
    return x if ~coin else 1 - x


def truth_values_added(x, rng):
    flips = rng.random(1) < 0.25
    return int((np.array([x == 1]) + flips)[0]) % 2


def one_list_twice(x, rng):
    lists = [[0]] * 2
    lists[0][0] = x
    return lists[1][0]


def list_in_the_values_of_a_dict(x, rng):
    held = {"a": [0]}
    for value in held.values():
        value.append(x)
    return held["a"]


def list_in_a_sum(x, rng):
    lists = [[0], [1]]
    added = sum([lists], [])
    added[0][0] = x
    return lists


def dict_that_takes_in_another(x, rng):
    held = {"a": 0}
    same = held
    same |= {"a": x}
    return held["a"]


def generator_that_waits(x, rng):
    y = 0
    waiting = (y for _ in range(2))
    y = x
    return list(waiting)


def generator_read_twice(x, rng):
    values = (v for v in [1, 2])
    sum(values)
    return sum(values) if x else 3


def zip_read_twice(x, rng):
    pairs = zip([1], [2], strict=True)
    len(list(pairs))
    return x * (1 - len(list(pairs)))


def change_behind_and(x, rng):
    seen = [0]

    def note():
        seen[0] = 1
        return True

    x == 1 and note()
    return seen[0]


def change_in_a_choice(x, rng):
    seen = [0]

    def note():
        seen[0] = 1
        return True

    note() if x else 0
    return seen[0]


def change_before_a_return(x, rng):
    seen = [0]

    def note(where):
        if x:
            where[0] = 1
            return 0
        return 0

    note(seen)
    return seen[0]


def variable_of_a_returned_function(x, rng):
    def make():
        y = 0

        def read():
            return y

        if x:
            y = 1
            return read
        return read

    return make()()


def one_of_two_lists(x, rng):
    a, b = [0], [0]
    if x:
        chosen = a
    else:
        chosen = b
    chosen[0] = 1
    return a[0], b[0]


def one_of_two_lists_in_a_choice(x, rng):
    a, b = [0], [0]
    chosen = a if x else b
    chosen[0] = 1
    return a[0], b[0]


def one_of_two_lists_by_index(x, rng):
    a, b = [0], [0]
    chosen = [a, b][x]
    chosen[0] = 1
    return a[0], b[0]


def one_of_two_lists_returned(x, rng):
    a, b = [0], [0]

    def pick():
        if x:
            return a
        return b

    chosen = pick()
    chosen[0] = 1
    return a[0], b[0]


def one_of_two_dicts(x, rng):
    a, b = {"k": 0}, {"k": 0}
    if x:
        chosen = a
    else:
        chosen = b
    chosen["k"] = 1
    return a["k"], b["k"]


def one_of_two_arrays(x, rng):
    a, b = np.zeros(2), np.zeros(2)
    if x:
        chosen = a
    else:
        chosen = b
    chosen[0] = 1
    return a[0], b[0]


def one_list_in_the_place_of_another(x, rng):
    lists = [[0], [1]]
    if x:
        lists[0] = lists[1]
    lists[0][0] = 5
    return lists[1][0]


def branches(x):
    if x:
        y = 1
    else:
        y = 2
    return 0 * y


def put(where, value, _):
    where[0] = value


def argument_older_than_a_branch(x, rng):
    held = [0]
    put(held, x, branches(x))
    return held[0]


def type_of_a_number(x, rng):
    return 1.0 if x else 1


def truth_value_or_number(x, rng):
    return True if x else 1


def order_of_a_dict(x, rng):
    return {0: 1, 1: 2} if x else {1: 2, 0: 1}


def copy_of_a_list_of_lists(x, rng):
    rows = [[0]]
    rows.copy()[0][0] = x
    return rows[0][0]


def copy_of_a_list_that_grows(x, rng):
    return x if len([1, 2].copy() * 2) == 4 else 0


def type_of_what_is_in_a_copy(x, rng):
    return x if str([1, True].copy()[1]) == "True" else 0


def type_of_a_rounded_number(x, rng):
    return x if isinstance(round(2.5), int) else 0


def type_of_the_larger_of_a_truth_value_and_a_number(x, rng):
    return x if isinstance(max(True, 0), bool) else 0


OF_A_BIT = [
    copy_of_a_list_of_lists, copy_of_a_list_that_grows, type_of_what_is_in_a_copy,
    type_of_a_rounded_number, type_of_the_larger_of_a_truth_value_and_a_number, sign_of_a_constant,
    coin_inverted_bit_by_bit, truth_values_added, one_list_twice, list_in_the_values_of_a_dict,
    list_in_a_sum, dict_that_takes_in_another, generator_that_waits, generator_read_twice,
    zip_read_twice, change_behind_and, change_in_a_choice, change_before_a_return,
    variable_of_a_returned_function, one_of_two_lists, one_of_two_lists_in_a_choice,
    one_of_two_lists_by_index, one_of_two_lists_returned, one_of_two_dicts, one_of_two_arrays,
    one_list_in_the_place_of_another, argument_older_than_a_branch, type_of_a_number,
    truth_value_or_number, order_of_a_dict,
]  # fmt: skip


@pytest.mark.parametrize("prove", [prove_by_cost, prove_by_alignment, prove_exact])
@pytest.mark.parametrize(
    ("mechanism", "neighbors"), [*OF_RECORDS, *((mechanism, bit) for mechanism in OF_A_BIT)]
)
def test_no_way_of_reasoning_proves_it(mechanism, neighbors, prove):
    try:
        found = prove(lift(mechanism), PureDP(1.0), neighbors, deadline=now() + 5)
    except Unsupported:
        return
    assert isinstance(found, Counterexample)


listed = Pairs([([0.0, 1.0], [5.0, 9.0])])
digits = Pairs([([0, 1], [1, 1])])


@pytest.mark.parametrize(
    ("query", "neighbors", "change"),
    [
        (lambda data: max([data[0], 3.0]), listed, 2),
        (lambda data: sum([2 * value for value in data]), listed, 26),
        (lambda data: np.array([data[0], data[1]]).sum(), listed, 13),
        (lambda data: sorted((data[0], data[1]))[1], listed, 8),
        (lambda data: [1, 5][data[0]], digits, 4),
        (lambda data: {0: 1, 1: 5}[data[0]], digits, 4),
        (lambda data: len({data[0], 1}), digits, 1),
        (lambda data: {data[0]: 2}.get(1, 7), digits, 5),
    ],
)
def test_both_listed_datasets_are_seen_within_lists(query, neighbors, change):
    bound = sensitivity(query, neighbors).bound
    assert bound is None or bound >= change


def test_a_partial_holds_the_list_that_changes():
    def of_a_list(x, rng):
        held = [0]
        read = functools.partial(lambda values: values[0], held)
        held[0] = x
        return read()

    with pytest.raises(Unsupported):
        prove_by_cost(lift(of_a_list), PureDP(1.0), bit, deadline=now() + 5)


def test_a_column_that_an_attribute_of_the_frame_hides_is_not_read():
    with pytest.raises(Unsupported):
        prove_by_cost(lift(column_that_an_attribute_hides), PureDP(1.0), sizes, deadline=now() + 5)


def test_a_frame_may_be_cut_by_a_mask():
    def count(data, rng):
        return len(data[data["x"] <= 0.5]) + rng.laplace(0, 1.0)

    assert prove_by_cost(lift(count), PureDP(1.0), sizes, deadline=now() + 5)


def test_what_type_records_give_an_array_is_private():
    """All ones make an array of integers, one zero makes one of floats."""
    bits = ReplaceOne(Integer(0, 1), size=50)

    def of_answers(data, rng):
        return str(np.array([1 if v else 0.0 for v in data]).dtype)

    def of_a_sum(data, rng):
        return str(np.array([sum([1 if v else 0.0 for v in data])]).dtype)

    def of_noise(data, rng):
        return str(np.array([sum([1 if v else 0.0 for v in data]) + rng.laplace(0, 1.0)]).dtype)

    def in_a_text(data, rng):
        return np.array([sum([0 if v else 0.0 for v in data]), "a"])

    for mechanism in (of_answers, of_a_sum, of_noise, in_a_text):
        assert not is_proved(mechanism, PureDP(1.0), bits)


def test_records_that_tell_whether_numbers_are_integers_are_not_asked_for_it():
    bits, some = ReplaceOne(Integer(0, 1), size=50), AddRemove(Integer(0, 1), max_size=50)
    rows = Row(key=Categorical(["a", "b"]), value=Integer(0, 1))
    frame = AddRemove(rows, max_size=6, container="pandas")

    def counts(df):
        return df.groupby("key").size().reindex(["a", "b"]).fillna(0)

    def quotient(df, rng):
        return counts(df).to_numpy() * 0 // 0

    def index(df, rng):
        return [0, 1][(counts(df).to_numpy() * 0)[0]]

    def type_of_noise(df, rng):
        noisy = counts(df) + (rng.geometric(0.4, 2) - rng.geometric(0.4, 2))
        return isinstance(noisy["a"], np.integer)

    def inverse(data, rng):
        return np.sum(np.array([2 if v else 2.0 for v in data]) ** -1) + rng.laplace(0, 1.0)

    def truth_as_an_index(data, rng):
        return np.full(3, 5)[np.array([True if v else 1 for v in data])[0]].sum()

    def type_of_a_sum(data, rng):
        return isinstance(np.array(data.tolist()).sum(), np.integer)

    for mechanism in (quotient, index, type_of_noise):
        assert not is_proved(mechanism, PureDP(1.0), frame)
    assert not is_proved(inverse, PureDP(1.0), bits)
    assert not is_proved(truth_as_an_index, PureDP(1.0), bits)
    assert not is_proved(type_of_a_sum, PureDP(1.0), some)

    def half(data, rng):
        return int(sum([0.5 if v else 1 for v in data])) + rng.laplace(0, 0.6)

    assert not is_proved(half, PureDP(1.0), bits)

    def clipped(data, rng):
        noisy = np.array([min(v, 1.0) for v in data]).sum() + rng.laplace(0, 1.0)
        return noisy if isinstance(noisy, float) else 0.0

    assert is_proved(clipped, PureDP(1.0), some)
