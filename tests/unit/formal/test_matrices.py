"""Rows of several numbers: what is over its own length, and noise that is its own mirror image."""

from functools import partial

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, GaussianDP, Real, Row
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.noisy_gradient_descent import noisy_gradient_descent
from mechanisms.principal_components import noisy_covariance
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal.matrix_programs import FALSE, REPLACED, ROWS

LABELLED = Row(a=Real(-20, 20), b=Real(-20, 20), label=Categorical([-1.0, 1.0]))


def tabled(data, rng, *, steps=2, rate=1.0, noise=1.0):
    rows = data.view(np.float64).reshape(len(data), 3)
    return noisy_gradient_descent(rows, rng, steps=steps, rate=rate, noise=noise)


def proved(mechanism, claim, neighbors):
    prove_by_cost(lift(mechanism), claim, neighbors)


@pytest.mark.parametrize(
    ("mechanism", "mu", "neighbors"),
    [
        (tabled, 2**0.5, AddRemove(LABELLED, max_size=8)),
        (partial(tabled, steps=1), 1.0, AddRemove(LABELLED, max_size=8)),
        (partial(tabled, steps=1), 2.0, AddRemove(LABELLED, max_size=8, group=2)),
        (noisy_covariance, 1.0, ROWS),
        (noisy_covariance, 2.0, REPLACED),
    ],
)
def test_a_row_moves_a_sum_by_its_length_and_no_less_is_proved(mechanism, mu, neighbors):
    proved(mechanism, GaussianDP(mu * (1 + 1e-12)), neighbors)
    with pytest.raises(Unsupported, match="the claim allows"):
        proved(mechanism, GaussianDP(mu * 0.99), neighbors)


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(FALSE))
def test_a_mistake_about_rows_is_not_proved(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def smallest_clip(data, rng):
    rows = data.view(np.float64).reshape(len(data), 3)
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    short = rows / np.maximum(1.0, lengths / 1e-160)  # squares of such rows are 0 in floats
    return short.sum(axis=0) + rng.normal(scale=1e-160, size=3)


def test_a_length_of_which_floats_lose_the_squares_bounds_nothing():
    with pytest.raises(Unsupported):
        proved(smallest_clip, GaussianDP(1.0), AddRemove(LABELLED, max_size=8))
