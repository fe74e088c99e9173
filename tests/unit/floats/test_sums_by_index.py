"""Sums of weights by an index: of a bin there may be no record."""

import pytest

from dpaudit.floats.functions import Functions
from dpaudit.floats.ledger import Ledger
from dpaudit.floats.values import Num

PLACES = Num(0.0, 2.0, whole=True, size=10.0, scalar=False, fewest=10.0)
WEIGHTS = Num(1.0, 2.0, size=10.0, scalar=False, fewest=10.0)


@pytest.mark.parametrize("named", [False, True])
def test_the_least_of_all_weights_is_none_of_a_bin(named):
    functions = Functions(Ledger(), False, 10.0, True)
    given, keywords = ([PLACES], {"weights": WEIGHTS}) if named else ([PLACES, WEIGHTS], {})
    found = functions.apply("numpy.bincount", given, keywords, "line 1")
    assert found.low <= 0
    assert found.high >= 20
