"""Choices of public items, each alike likely: both runs draw alike, whatever is released beside."""

from __future__ import annotations

import pytest

from dpaudit import AddRemove, Categorical, PureDP
from dpaudit.formal.clock import now
from dpaudit.formal.cost import CostProof, prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

ITEMS = AddRemove(Categorical(["a", "b", "c"]), max_size=8, container="list")


def is_cheap(mechanism):
    """Return whether there is a proof by cost."""
    try:
        found = prove_by_cost(lift(mechanism), PureDP(0.5), ITEMS, deadline=now() + 300)
    except Unsupported:
        return False
    return isinstance(found, CostProof)


def one_item(data, rng):
    return rng.choice(["a", "b", "c"]), len(data) + rng.laplace(0, 2.0)


def two_items(data, rng):
    return rng.choice(["a", "b", "c"], size=2, replace=False), len(data) + rng.laplace(0, 2.0)


def weights_in_place_of_replace(data, rng):
    return rng.choice(["a", "b"], 3, [0.5, 0.5]), len(data) + rng.laplace(0, 2.0)


def with_less_noise(data, rng):
    return rng.choice(["a", "b", "c"], size=2), len(data) + rng.laplace(0, 1.9)


def of_private_items(data, rng):
    return rng.choice([data.count("a"), data.count("b")])


def of_records(data, rng):
    return rng.choice(data) if data else "a"


def as_many_as_records(data, rng):
    return rng.choice(["a", "b"], len(data))


def again_by_private_choice(data, rng):
    return rng.choice(["a", "b"], size=3, replace=len(data) > 2)


def again_by_a_private_list(data, rng):
    return rng.choice(["a", "b"], 3, [x for x in data if x == "a"])


@pytest.mark.parametrize("mechanism", [one_item, two_items, weights_in_place_of_replace])
def test_a_choice_of_public_items_costs_nothing(mechanism):
    assert is_cheap(mechanism)


@pytest.mark.parametrize(
    "mechanism",
    [
        with_less_noise, of_private_items, of_records, as_many_as_records,
        again_by_private_choice, again_by_a_private_list,
    ],
)  # fmt: skip
def test_a_choice_that_tells_of_records_is_not_proved(mechanism):
    assert not is_cheap(mechanism)
