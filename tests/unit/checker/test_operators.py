"""The table of operators says what Python and NumPy do, for every way of proving that reads it."""

import ast

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from dpaudit.checker.operators import (
    BY_SYNTAX,
    INFIX,
    MEANING,
    OF_TRUTHS,
    ORDERS,
    PREFIX,
    TURNED,
    UFUNCS,
)
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject

WHOLE = np.array([1, 2, 3, 5, 6, 7]), np.array([2, 1, 3, 4, 6, 2])


def test_symbols_are_those_of_the_syntax_and_the_meaning():
    for name, symbol in {**INFIX, **PREFIX}.items():
        text = f"{symbol} 3" if name in PREFIX else f"7 {symbol} 3"
        if name in ("matmul", "is_", "is_not"):
            continue
        tree = ast.parse(text, mode="eval").body
        kind = tree.ops[0] if isinstance(tree, ast.Compare) else tree.op
        assert BY_SYNTAX[type(kind)] == name
        assert MEANING[name](*((3,) if name in PREFIX else (7, 3))) == eval(text)


@pytest.mark.parametrize("name", UFUNCS)
def test_functions_of_numpy_do_what_the_operator_does(name):
    function, meaning = getattr(np, name.removeprefix("numpy.")), MEANING[UFUNCS[name]]
    of_whole = [WHOLE] if "bitwise" in name else [WHOLE, tuple(part / 4 for part in WHOLE)]
    for one, other in of_whole:
        given = (one, other)[: function.nin]
        assert np.array_equal(function(*given), meaning(*given))


def test_orders_and_turned_orders_are_right():
    for name, ways in ORDERS.items():
        for way, (one, other) in {"<": (1, 2), "=": (1, 1), ">": (2, 1)}.items():
            assert MEANING[name](one, other) is (way in ways)
            assert MEANING[TURNED[name]](other, one) is MEANING[name](one, other)


def _both_are_numbers(data, rng):
    if np.logical_and(2, 1):  # bit by bit that is 0
        return data.sum()
    return data.sum() + rng.laplace(scale=1.0)


def _entries_are_numbers(data, rng):
    return np.logical_and(np.array([2, 2]), 1).sum() * data.sum() + rng.laplace(scale=1.0)


@pytest.mark.parametrize("mechanism", [_both_are_numbers, _entries_are_numbers])
def test_truths_of_numbers_are_not_taken_bit_by_bit(mechanism):
    program = lift(Subject.of(mechanism))
    with pytest.raises(Unsupported):
        prove_by_cost(program, PureDP(1.0), AddRemove(Real(0, 1), max_size=5))


def _truths(data, rng):
    inside = np.logical_and(data > 0.2, data <= 0.7)
    return np.sum(np.logical_and(inside, data >= 0.3)) + rng.laplace(scale=1.0)


def test_truths_of_tests_are_proved():
    program = lift(Subject.of(_truths))
    proof = prove_by_cost(program, PureDP(1.0), AddRemove(Real(0, 1), max_size=5))
    assert proof.to_dict()["spent"] == "1"


@pytest.mark.parametrize("name", OF_TRUTHS)
def test_truths_alone_are_combined_as_operators_do(name):
    function = getattr(np, name.removeprefix("numpy."))
    for one in (False, True):
        for other in (False, True):
            assert function(one, other) == MEANING[OF_TRUTHS[name]](one, other)


def test_functions_that_do_the_same_have_one_name():
    assert canonical_name(np.amax) == canonical_name(np.max) == "numpy.max"
    assert canonical_name(np.amin) == canonical_name(np.min) == "numpy.min"
    assert canonical_name(np.around) == canonical_name(np.round) == "numpy.round"
