"""Claims and neighboring relations as text."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.claims import ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.neighbors import AddRemove, Integer, Pairs, Real, ReplaceOne, Row
from dpaudit.notation import NotationError, parse_claim, parse_neighbors


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("PureDP(1.0)", PureDP(1.0)),
        ("  PureDP( epsilon = 0.5 )\n", PureDP(0.5)),
        ("PureDP(1e-6)", PureDP(1e-6)),
        ("ApproxDP(1, delta=1e-6)", ApproxDP(1, 1e-6)),
        ("RenyiDP(order=2, epsilon=.5)", RenyiDP(order=2, epsilon=0.5)),
        ("ZeroConcentratedDP(.1)", ZeroConcentratedDP(0.1)),
        ("GaussianDP(+1.0)", GaussianDP(1.0)),
    ],
)
def test_claim_is_read_as_python_would(text, claim):
    assert parse_claim(text) == claim


@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(0.5, 1e-6), RenyiDP(2.0, 0.1)])
def test_claim_reads_back_from_its_own_text(claim):
    assert parse_claim(str(claim)) == claim


@pytest.mark.parametrize(
    "relation",
    [
        AddRemove(Real(0, 100), max_size=20),
        ReplaceOne(Integer(-3, 3), 5),
        AddRemove(Row(age=Integer(0, 120), income=Real(0, 1e6)), container="pandas"),
        AddRemove(
            Row(age=Integer(0, 9), **{"a b": Real(0, 1), "class": Real(0, 1), "ﬁ": Real(0, 1)})
        ),
    ],
)
def test_neighbors_read_back_from_their_own_text(relation):
    assert str(parse_neighbors(str(relation))) == str(relation)


def test_listed_pairs_are_read_with_numbers_strings_and_containers():
    read = parse_neighbors("Pairs([([1, 2.5], [1]), ((), (-1,)), ({'a': None}, {'a': True})])")
    assert isinstance(read, Pairs)
    assert read.fixed_count == 3


@pytest.mark.parametrize(
    "dataset",
    [
        np.array([1.0, -2.5]),
        np.array([]),
        np.array([3, 4], dtype=np.int64),
        np.array([True, False]),
        np.array([np.inf, np.nan]),
        np.array([[1.0], [2.0]], dtype=np.float32),
    ],
)
def test_pairs_of_arrays_read_back_from_their_own_text(dataset):
    relation = Pairs([(dataset, np.array([7.0]))])
    again = parse_neighbors(str(relation))
    assert str(again) == str(relation)
    [pair] = again.listed
    assert pair.left.dtype == dataset.dtype
    assert np.array_equal(pair.left, dataset, equal_nan=dataset.dtype.kind == "f")


@pytest.mark.parametrize(
    "text",
    [
        "np.array([1.0], dtype=object)",
        "np.array([1.0], dtype=np.object_)",
        "np.array(['a'], dtype='U999999999')",
        "np.array([1.0], copy=False)",
        "np.array([[1.0], [1.0, 2.0]])",
        "np.array([None])",
        "np.load('file')",
        "np.array",
    ],
)
def test_no_array_but_one_of_numbers_and_texts_is_read(text):
    with pytest.raises(NotationError):
        parse_neighbors(f"Pairs([({text}, 1)])")


def test_infinity_and_nan_have_names():
    assert parse_neighbors("Pairs([([inf], [-inf])])").fixed_count == 1
    with pytest.raises(NotationError, match="nan"):
        parse_claim("PureDP(nan)")


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("PureDp(1.0)", "did you mean PureDP", 1),
        ("Laplace(1.0)", "there are PureDP", 1),
        ("ApproxDP(1, epslon=2)", "did you mean epsilon", 1),
        ("PureDP()", "missing a required argument", 1),
        ("PureDP(-1)", "epsilon", 1),
        ("PureDP(1 + 1)", "only names, numbers", 8),
        ("PureDP(x)", "unknown name 'x'", 8),
        ("PureDP(-'a')", "sign", 8),
        ("PureDP(*[1])", "is not read", 8),
        ("PureDP(**{'epsilon': 1})", "is not read", 10),
        ("PureDP(1.0", "never closed", 7),
        ("1.0", "write one such as PureDP", 1),
        ("", "no text", 1),
        ("AddRemove(Real(0, 1))", "not a claim", 1),
        ("TradeOff(f)", "takes a function", 1),
        ("PureDP(('é', x))", "unknown name 'x'", 14),
    ],
)
def test_error_names_the_trouble_and_its_column(text, message, column):
    with pytest.raises(NotationError, match=message) as raised:
        parse_claim(text)
    assert raised.value.column == column
    assert f"(column {column})" in str(raised.value)


@pytest.mark.parametrize(
    "columns",
    [
        "**{'a b': Real(0, 1), 1: Real(0, 1)}",
        "a=Real(0, 1), **{'a': Real(0, 1)}",
        "a=Real(0, 1), a=Real(0, 2)",
        "**columns",
        "**{**{'a': Real(0, 1)}}",
    ],
)
def test_columns_are_read_from_a_dict_of_names_that_stand_once(columns):
    with pytest.raises(NotationError):
        parse_neighbors(f"AddRemove(Row({columns}))")


def test_unknown_record_domain_is_pointed_at_inside_the_call():
    with pytest.raises(NotationError, match="did you mean Real") as raised:
        parse_neighbors("AddRemove(real(0, 1))")
    assert raised.value.column == 11


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "PureDP(__import__('os'))",
        "PureDP((lambda: 1)())",
        "PureDP([x for x in (1,)][0])",
        "PureDP.__init__(1)",
        "PureDP(1.0).delta(0)",
        "PureDP(f'{1}')",
        "PureDP(1 if True else 2)",
        "PureDP(" * 5_000,
        "PureDP(" + "-" * 5_000 + "1)",
        "PureDP(\0)",
        "PureDP(1" + "0" * 6_000 + ")",
        "x" * 100_000,
    ],
)
def test_nothing_but_values_and_known_constructors_is_read(text):
    with pytest.raises(NotationError):
        parse_claim(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_notation_error(text):
    for parse in (parse_claim, parse_neighbors):
        with pytest.raises(NotationError):
            parse(text)


@given(st.floats(min_value=0, max_value=1e6), st.floats(min_value=0, max_value=0.999))
def test_numbers_arrive_exactly(epsilon, delta):
    read = parse_claim(f"ApproxDP({epsilon!r}, {delta!r})")
    assert math.isclose(read.declared_delta, delta, rel_tol=0, abs_tol=0)
    assert read.parameter == ("epsilon", epsilon)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("AddRemove(Real(0, 1), size=5)", "did you mean max_size or min_size?"),
        ("ReplaceOne(Real(0, 1), max_size=5)", "did you mean size?"),
    ],
)
def test_every_option_that_a_wrong_one_is_part_of_is_named(text, hint):
    with pytest.raises(NotationError, match=re.escape(hint)):
        parse_neighbors(text)


@pytest.mark.parametrize(
    "text",
    [
        "AddRemove(shop.records:Person, max_size=3)",
        "AddRemove('shop.records:Person', max_size=3)",
        " AddRemove( shop.records:Person , max_size=3)",
    ],
)
def test_a_schema_is_named_in_place_of_the_records(text):
    schemas = {"shop.records:Person": Row(age=Integer(0, 9))}
    expected = AddRemove(Row(age=Integer(0, 9)), max_size=3)
    assert parse_neighbors(text, schemas.__getitem__) == expected
    with pytest.raises(NotationError):  # nothing that a file names is imported
        parse_neighbors(text)
