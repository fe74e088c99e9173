"""Products of records with released weights are numbers, unless floats may not hold them."""

import types

import numpy as np
import pytest

from dpaudit import AddRemove, Real, Row, Verdict, ZeroConcentratedDP, verify
from tests.sweeps import sampled
from tests.unit.formal import descent_programs

PAIRS = AddRemove(Row(x=Real(-3, 3), y=Real(-3, 3)), max_size=8)
ALL = [
    f for name, f in vars(descent_programs).items()
    if isinstance(f, types.FunctionType) and name.startswith(("sound", "broken"))
]  # fmt: skip


@pytest.mark.parametrize("mechanism", sampled(ALL, 2), ids=lambda f: f.__name__)
def test_steps_with_clipped_gradients_are_proved_and_overflows_are_not(mechanism):
    report = verify(mechanism, ZeroConcentratedDP(np.nextafter(2 / 32, 1)), PAIRS)
    sound = mechanism.__name__.startswith("sound")
    assert (report.verdict is Verdict.VERIFIED) is sound, report.reason
