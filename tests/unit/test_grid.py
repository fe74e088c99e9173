"""Grids of settings: what is audited where, and what is refused at the door."""

from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, ApproxDP, Audit, Derivation, PureDP, Real, ReplaceOne
from dpaudit.grid import cells_of, written

ANY = AddRemove(Real(0, 1))


def total(data, rng, epsilon=1.0, scale=1.0):
    return data.sum() + rng.laplace(scale=scale / epsilon)


@dpaudit.vectorized
def rows(data, size, rng, epsilon=1.0):
    return data.sum() + rng.laplace(scale=1 / epsilon, size=size)


def test_every_combination_is_a_setting_and_each_function_gets_what_it_names():
    over = {"epsilon": [0.1, 2], "size": range(1, 4)}
    cells = cells_of(total, PureDP, lambda size: ReplaceOne(Real(0, 1), size=size), over)
    assert [str(cell) for cell in cells[:2]] == ["epsilon=0.1, size=1", "epsilon=0.1, size=2"]
    assert [cell.claim for cell in cells] == [PureDP(0.1)] * 3 + [PureDP(2)] * 3
    assert str(cells[-1].neighbors) == "ReplaceOne(Real(0, 1), size=3)"
    assert cells[-1].mechanism.keywords == {"epsilon": 2}


def test_values_of_arrays_are_plain_numbers():
    first, *_ = cells_of(total, PureDP, ANY, {"epsilon": np.array([0.5, 1.0])})
    assert str(first) == "epsilon=0.5"


@pytest.mark.parametrize(
    ("over", "claim", "said"),
    [
        ({"epsilonn": [1]}, PureDP(1), "did you mean 'epsilon'"),
        ({"epsilon": []}, PureDP(1), "is empty; list at least one value"),
        ({"epsilon": 1}, PureDP(1), r"put a single value in brackets: \[1\]"),
        ({"epsilon": [1, 1]}, PureDP(1), "lists 1 twice"),
        ({}, PureDP(1), "names no parameter"),
        (["epsilon"], PureDP(1), "must map names of parameters to lists"),
        ({"data": [1]}, PureDP(1), "'data', which dpaudit itself passes"),
        ({"rng": [1]}, PureDP(1), "'rng', which dpaudit itself passes"),
        ({"epsilon": [1, -1]}, PureDP, "raised ValueError at epsilon=-1 .*mend the function"),
        ({"epsilon": [1]}, lambda eps: PureDP(eps), "takes 'eps', which `over` does not have"),
        ({"epsilon": [1]}, lambda epsilon: epsilon, "must be, or return, claim such as PureDP"),
    ],
)  # fmt: skip
def test_what_is_no_grid_is_refused_where_it_is_declared(over, claim, said):
    for declare in (Audit, dpaudit.audit):
        with pytest.raises((TypeError, ValueError), match=said):
            declare(total, claim, ANY, over=over)


def test_the_size_of_a_vectorized_call_is_no_setting():
    with pytest.raises(ValueError, match="'size', which dpaudit itself passes"):
        Audit(rows, PureDP(1), ANY, over={"size": [1]})


def test_a_derivation_has_no_settings():
    with pytest.raises(TypeError, match="its variables stand for all their values"):
        Audit(Derivation({"n": "integer"}, ["n >= 2"], [("1", "<=", "n")]), over={"n": [1]})


def test_functions_are_written_by_their_names_and_parameters():
    assert written(PureDP) == "PureDP(epsilon)"
    assert written(partial(ApproxDP, delta=1e-6)).startswith("partial(epsilon")
    assert written(PureDP(1.0)) == "PureDP(1.0)"
