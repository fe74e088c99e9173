"""Statements of the language that are lowered to others: what they do is what is proved."""

import types

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal import language_programs

VALUES = AddRemove(Real(0, 100), max_size=8)
ONE = PureDP(np.nextafter(1.0, 2))
MECHANISMS = [
    value
    for value in vars(language_programs).values()
    if isinstance(value, types.FunctionType) and value.__module__ == language_programs.__name__
]


@pytest.mark.parametrize("mechanism", thinned(MECHANISMS), ids=lambda each: each.__name__)
def test_what_is_written_is_proved_where_it_holds_and_nowhere_else(mechanism):
    sound = mechanism.__name__.startswith("sound")
    assert is_proved(mechanism, ONE, VALUES) is sound
