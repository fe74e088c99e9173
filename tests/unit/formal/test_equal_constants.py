"""Constants that differ, and that are the same once NumPy compares records with them."""

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP, Real
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.checking import check
from tests.unit.checker.forged import forged

large, small = AddRemove(Real(0, 2**54)), AddRemove(Real(0, 100))
texts = AddRemove(Categorical(["a", "b"]))


def whole(data, rng):
    sizes = [len(data[data == 9007199254740992]), len(data[data == 9007199254740993])]
    return np.array(sizes) + rng.laplace(size=2)


def single(data, rng):
    short = data.astype(np.float32)
    sizes = [len(data[short == 0.1]), len(data[short == 0.1000000001])]
    return np.array(sizes) + rng.laplace(size=2)


def half(data, rng):
    short = data.astype("float16")
    return np.array([len(data[short == 1.0]), len(data[short == 1.00000001])]) + rng.laplace(size=2)


def rounded(data, rng):
    sizes = [len(data[data == 0.1 + 0.2]), len(data[data == 0.30000000000000004])]
    return np.array(sizes) + rng.laplace(size=2)


def zero_at_the_end(data, rng):
    return np.array([len(data[data == "a"]), len(data[data == "a\0"])]) + rng.laplace(size=2)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(whole, large), (single, small), (half, small), (rounded, small), (zero_at_the_end, texts)],
)
def test_parts_by_constants_that_are_the_same_in_numpy_overlap(mechanism, neighbors):
    with pytest.raises(Unsupported):
        prove_by_cost(lift(mechanism), PureDP(1.0), neighbors)
    assert not check(forged(mechanism, PureDP(1.0), neighbors)).accepted


def two_parts(data, rng):
    return np.array([len(data[data == 0.1]), len(data[data == 3])]) + rng.laplace(size=2)


def two_texts(data, rng):
    return np.array([len(data[data == "a"]), len(data[data == "b"])]) + rng.laplace(size=2)


@pytest.mark.parametrize(("mechanism", "neighbors"), [(two_parts, small), (two_texts, texts)])
def test_parts_by_constants_that_differ_do_not(mechanism, neighbors):
    prove_by_cost(lift(mechanism), PureDP(1.0), neighbors)
    assert check(forged(mechanism, PureDP(1.0), neighbors)).accepted


def parts_by_a_folded_constant(data, rng):
    sizes = [len(data[data == 0.1 + 0.2 - 0.2]), len(data[data == 0.10000000000000003])]
    return np.array(sizes) + rng.laplace(size=2)


def parts_that_meet_in_floats(data, rng):
    sizes = [len(data[data <= 0.1 + 0.2]), len(data[data >= 0.30000000000000004])]
    return np.array(sizes) + rng.laplace(size=2)


@pytest.mark.parametrize("mechanism", [parts_by_a_folded_constant, parts_that_meet_in_floats])
def test_constants_that_are_computed_are_those_of_floats(mechanism):
    records = AddRemove(Real(0, 100))
    with pytest.raises(Unsupported):
        prove_by_cost(lift(mechanism), PureDP(1.01), records)
    assert not check(forged(mechanism, PureDP(1.01), records)).accepted
