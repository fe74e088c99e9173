"""Generators, coroutines and handled exceptions are proved where they run in order, only there."""

import pytest

import dpaudit
from dpaudit import AddRemove, Integer, PureDP
from tests.proving import is_proved
from tests.sweeps import sampled, thinned
from tests.unit.formal import ended_programs
from tests.unit.formal.sequential_programs import SOUND, mean_of_an_engine
from tests.unit.formal.sequential_twins import BROKEN

RECORDS = AddRemove(Integer(0, 10), max_size=6)
named = pytest.mark.parametrize


def name(mechanism):
    return getattr(mechanism, "__name__", type(mechanism).__name__)


@named("mechanism", sampled([*SOUND, *ended_programs.SOUND], 8), ids=name)
def test_what_runs_in_order_is_proved_and_checked(mechanism):
    report = dpaudit.verify(mechanism, PureDP(1.0), RECORDS)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@named("mechanism", thinned([*BROKEN, *ended_programs.BROKEN]), ids=name)
def test_no_order_is_assumed_that_python_does_not_keep(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), RECORDS)


def test_a_list_of_what_a_generator_yields_is_not_followed_where_its_length_is_used():
    report = dpaudit.verify(mean_of_an_engine, PureDP(1.0), RECORDS)
    assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
    assert "generator" in report.reason
