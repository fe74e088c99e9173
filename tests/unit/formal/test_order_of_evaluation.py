"""What is evaluated in another order than Python's, or in another place, is never proved."""

import inspect

import pytest

from dpaudit import AddRemove, PureDP, Real
from tests.proving import is_proved
from tests.unit.formal import order_twins

MECHANISMS = [
    function
    for function in vars(order_twins).values()
    if inspect.isfunction(function) and "data" in inspect.signature(function).parameters
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.__name__)
def test_a_mechanism_that_leaks_by_the_order_of_evaluation_is_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(2.1), AddRemove(Real(0, 10), max_size=6))


def test_all_of_them_are_tried():
    assert len(MECHANISMS) == 11
