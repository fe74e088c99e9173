import dataclasses
import datetime
import enum
import pickle
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dpaudit.outputs import Columns, Raised, encode, encode_rows


def words(columns, path):
    codes, vocabulary = columns.labels[path]
    return [vocabulary[code] if code >= 0 else None for code in codes]


def test_floats_are_one_column_of_numbers():
    columns = encode([1.0, -0.0, np.float64(2.5)])
    assert list(columns.numbers) == [""]
    assert columns.numbers[""].tolist() == [1.0, 0.0, 2.5]
    assert words(columns, ":type") == ["float"] * 3


def test_nan_and_infinities_are_types_of_their_own():
    columns = encode([1.0, np.nan, np.inf, -np.inf])
    assert words(columns, ":type") == ["float", "nan", "inf", "-inf"]
    assert np.isnan(columns.numbers[""][1:]).all()


def test_none_booleans_integers_and_text_are_told_apart():
    columns = encode([None, True, 1, 1.0, "1"])
    assert words(columns, ":type") == ["None", "bool", "int", "float", "str"]
    assert columns.numbers[""][1:4].tolist() == [1.0, 1.0, 1.0]
    assert words(columns, "") == [None, None, None, None, "1"]


def test_integers_beyond_the_floats_keep_their_digits():
    columns = encode([2**53, 2**53 + 1, 10**400, -(10**5000)])
    texts = words(columns, "")
    assert texts[:2] == [None, str(2**53 + 1)]
    assert len(set(texts)) == 4
    assert words(encode([np.int64(2**60 + 1)]), "") == [str(2**60 + 1)]
    assert words(encode([np.array([2**60 + 1, 3])]), "[0]") == [str(2**60 + 1)]


def test_tuples_of_numbers_have_one_column_an_entry():
    columns = encode([(1.0, True), (2.0, False)])
    assert columns.numbers["[0]"].tolist() == [1.0, 2.0]
    assert columns.numbers["[1]"].tolist() == [1.0, 0.0]
    assert words(columns, ":type") == ["tuple(2)"] * 2


def test_lists_of_any_length_are_absent_where_they_end():
    columns = encode([[True], [False, None, 3.5], []])
    assert columns.numbers[".length"].tolist() == [1.0, 3.0, 0.0]
    assert words(columns, ":type") == ["list(1)", "list(3)", "list(0)"]
    assert words(columns, "[1]:type") == [None, "None", None]
    assert np.array_equal(columns.numbers["[2]"], [np.nan, 3.5, np.nan], equal_nan=True)


def test_arrays_have_one_column_an_entry_and_their_shape():
    columns = encode([np.zeros((2, 2)), np.array([[1.0, np.inf]]), np.array(3)])
    assert words(columns, ".shape") == ["(2, 2)", "(1, 2)", "()"]
    assert words(columns, ":type") == ["float array", "float array", "int array"]
    assert words(columns, "[0, 1]:type") == [None, "inf", None]
    assert columns.numbers[""][2] == 3.0


def test_dictionaries_have_one_column_a_key():
    columns = encode([{"a": 1.0}, {"b": [2], "a": 3.0}])
    assert columns.numbers["['a']"].tolist() == [1.0, 3.0]
    assert words(columns, ".keys") == ["'a'", "'b', 'a'"]
    assert columns.numbers["['b'][0]"][1] == 2.0


def test_exceptions_are_outputs_with_a_message():
    columns = encode([1.0, Raised(ValueError("bad row 7 at 0x7f00aa"))])
    assert words(columns, ":type") == ["float", "raises ValueError"]
    assert words(columns, ":message") == [None, "bad row 7 at 0x…"]


def test_sets_do_not_depend_on_their_order():
    assert encode([{"b", "a", "c"}]).same_as(encode([{"c", "b", "a"}]))


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Result:
    value: float
    flag: bool


class Plain:
    def __init__(self, secret):
        self.secret = secret


Point = namedtuple("Point", "x y")


def test_objects_with_fields_have_one_column_a_field():
    assert encode([Result(1.5, True)]).numbers[".value"].tolist() == [1.5]
    assert encode([Point(1, 2)]).numbers[".y"].tolist() == [2.0]
    assert encode([Plain(7)]).numbers[".secret"].tolist() == [7.0]


@pytest.mark.parametrize(
    ("value", "path", "number"),
    [
        (Decimal("1.5"), "", 1.5),
        (Fraction(1, 4), "", 0.25),
        (2 - 3j, ".imag", -3.0),
        (datetime.timedelta(minutes=1), ".total_seconds()", 60.0),
        (datetime.datetime(1970, 1, 2), ".timestamp()", 86400.0),
        (datetime.date(1, 1, 3), ".toordinal()", 3.0),
        (np.float32(0.5), "", 0.5),
        (np.uint8(200), "", 200.0),
        (np.timedelta64(5, "s"), "", 5.0),
    ],
)
def test_other_quantities_are_numbers_too(value, path, number):
    assert encode([value]).numbers[path].tolist() == [number]


class Hostile:
    def __repr__(self):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    def __hash__(self):
        raise RuntimeError("no")


class HostileList(list):
    def __len__(self):
        raise RuntimeError("no")


class HostileError(Exception):
    def __str__(self):
        raise RuntimeError("no")


def cycle():
    ring = [1.0]
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    "value",
    [
        Hostile(),
        HostileList(),
        Raised(HostileError()),
        {1: Hostile()},
        [Hostile()],
        cycle(),
        (i for i in range(3)),
        lambda: 0,
        open,
        Hostile,
        b"bytes",
        np.array([Hostile(), None], dtype=object),
        np.array("text"),
        np.zeros(2, dtype=[("a", float), ("b", "U3")]),
        np.zeros((0, 3)),
        np.datetime64("NaT"),
        Decimal("sNaN"),
        Colour.RED,
        float,
        ...,
        "\ud800 lone surrogate",
        pd.NaT,
        pd.NA,
    ],
)
def test_no_value_is_too_strange_and_its_neighbors_do_not_suffer(value):
    columns = encode([1.0, value, 2.0])
    assert columns.size == 3
    assert columns.numbers[""][[0, 2]].tolist() == [1.0, 2.0]
    assert words(columns, ":type")[1] is not None
    assert columns.take([1]).same_as(encode([value]))


def test_texts_do_not_contain_addresses():
    first, second = encode([object(), lambda: 0]), encode([object(), lambda: 0])
    assert words(first, "")[0] == "<object object at 0x…>"
    assert first.same_as(second)


def test_huge_outputs_are_cut_and_still_told_apart():
    same, again, other = np.zeros(1000), np.zeros(1000), np.zeros(1000)
    other[999] = 1.0
    columns = encode([same, again, other])
    assert len(columns.numbers) == 256
    texts = words(columns, ".truncated")
    assert texts[0] == texts[1] != texts[2]
    columns = encode([list(same), list(again), list(other)])
    texts = words(columns, ".truncated")
    assert texts[0] == texts[1] != texts[2]
    assert len(encode([{i: i for i in range(10_000)}]).numbers) <= 257


def test_long_texts_are_cut_and_still_told_apart():
    texts = words(encode(["x" * 100_000 + "a", "x" * 100_000 + "b"]), "")
    assert texts[0] != texts[1]
    assert max(map(len, texts)) < 220


def test_nested_outputs_stay_below_the_limit_of_columns():
    nested = [[[[float(i) for i in range(10)]] * 10] * 10] * 10
    columns = encode([nested])
    assert sum(path.count("[") == 4 for path in columns.numbers) <= 256


@pytest.mark.parametrize("library", [pd, pl])
def test_data_frames_show_columns_types_and_values(library):
    first = library.DataFrame({"age": [1.0, 2.0], "name": ["a", "b"]})
    second = library.DataFrame({"age": [1.0], "name": ["a"]})
    columns = encode([first, second])
    entry = "['age'].iloc[0]" if library is pd else "['age'][0]"
    assert columns.numbers[entry].tolist() == [1.0, 1.0]
    assert columns.numbers[".length"].tolist() == [2.0, 1.0]
    assert "'age': float64" in words(columns, ".keys")[0].lower()
    assert encode([first["age"]]).numbers[".length"].tolist() == [2.0]


def test_an_index_is_shown_unless_it_only_counts():
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert ".index" not in encode([frame]).labels
    assert words(encode([frame.drop(index=1)]), ".index") == ["[0, 2]"]


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.0, np.nan, 3.0]),
        np.array([1, 2, 2**60]),
        np.array([True, False]),
        np.array([1.0, 2.0], dtype=np.float32),
        np.arange(12.0).reshape(3, 4),
        np.arange(12).reshape(3, 2, 2),
        np.array(["a", "b"]),
        np.zeros((2, 300)),
        np.array([1.0, None], dtype=object),
        np.array([[1.0, np.inf], [2.0, 3.0]]),
    ],
)
def test_rows_of_an_array_are_encoded_as_if_one_by_one(array):
    assert encode_rows(array).same_as(encode(list(array)))


def test_columns_of_batches_are_joined_with_their_vocabularies():
    outputs = [1.0, None, "b", (1, 2), "a", "b", 2.0]
    joined = Columns.concat([encode(outputs[:2]), encode(outputs[2:5]), encode(outputs[5:])])
    assert joined.same_as(encode(outputs))


def test_columns_survive_pickling():
    columns = encode([1.0, "a", None])
    assert pickle.loads(pickle.dumps(columns)).same_as(columns)


def test_no_outputs_are_no_columns():
    columns = encode([])
    assert columns.size == 0
    assert not columns.numbers


@pytest.mark.parametrize("container", [np.array, lambda x: np.array(x, dtype=np.float32), list])
def test_both_zeros_are_one_number_in_columns_and_beyond(container):
    entries = [1.5] * 5_000
    one, other = encode([container([*entries, 0.0])]), encode([container([*entries, -0.0])])
    assert words(one, ".truncated") == words(other, ".truncated") != []
    assert one.same_as(other)
    assert encode([0.0]).same_as(encode([-0.0]))


class Slotted:
    __slots__ = ("__hidden", "value")

    def __init__(self, value):
        self.value = value
        self.__hidden = -value


class Described:
    """Says something of itself, and stores more."""

    def __init__(self, value):
        self.weight = value

    def __repr__(self):
        return "Described()"


class Tensor:
    def __init__(self, values):
        self._values = values

    def __repr__(self):
        return "Tensor(…)"

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values)


class Closed:
    __slots__ = ()


def test_slots_are_read_as_attributes_are():
    columns = encode([Slotted(1.0), Slotted(2.0)])
    assert columns.numbers[".value"].tolist() == [1.0, 2.0]
    assert columns.numbers["._Slotted__hidden"].tolist() == [-1.0, -2.0]
    assert columns.unread() is None


def test_an_object_with_a_repr_of_its_own_is_read_all_the_same():
    columns = encode([Described(1.0), Described(2.0)])
    assert columns.numbers[".weight"].tolist() == [1.0, 2.0]
    assert columns.labels[""][1] == ("Described()",)


def test_what_numpy_can_read_is_read_by_it():
    columns = encode([Tensor([1.0, 2.0]), Tensor([3.0, 4.0])])
    assert columns.numbers[".__array__()[1]"].tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (Closed(), "output is <"),
        (lambda: 1.0, "output is <function"),
        ((x for x in [1.0]), "output is <generator"),
        ([1.0, iter([2.0])], "output[1] is <list_iterator"),
        (Described(object()), "output.weight is <object object at"),
    ],
)
def test_what_does_not_show_what_it_holds_is_known_to_be_unread(output, said):
    assert encode([1.0, output]).unread().startswith(said)
    assert encode([1.0, output]).take(np.array([0])).unread() is None


@pytest.mark.parametrize(
    "output", [1.0, "at 0x7f", None, [1, {"a": 2}], {1, 2}, Raised(ValueError(object())), float]
)
def test_plain_outputs_are_read(output):
    assert encode([output]).unread() is None
