"""Comparisons of classes and functions: exact distributions take each for the one that it is."""

import pytest

from dpaudit.claims import PureDP
from dpaudit.formal.clock import now
from dpaudit.formal.exact import prove_exact
from dpaudit.formal.lift import lift
from dpaudit.formal.refutation import Counterexample
from dpaudit.neighbors import AddRemove, Integer
from tests.unit.formal import class_programs as of

records = AddRemove(Integer(0, 1), max_size=2)
LEAKS = [
    of.dict_by_equality,
    of.dict_by_inequality,
    of.dict_by_identity,
    of.list_among_several,
    of.list_in_a_set,
    of.list_as_a_key,
    of.tuple_by_equality,
    of.function_that_a_draw_picks,
    of.function_among_several,
]


@pytest.mark.parametrize("mechanism", LEAKS, ids=lambda mechanism: mechanism.__name__)
def test_a_class_that_is_compared_equals_itself_so_that_what_follows_is_seen(mechanism):
    found = prove_exact(lift(mechanism), PureDP(1.0), records, deadline=now() + 20)
    assert isinstance(found, Counterexample)


def test_a_coin_under_a_test_of_a_class_is_proved():
    found = prove_exact(lift(of.sound), PureDP(1.0), records, deadline=now() + 20)
    assert not isinstance(found, Counterexample)
