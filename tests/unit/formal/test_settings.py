"""What parameters and attributes are set to, where that is told, decides what is read."""

import pytest

from dpaudit import AddRemove, Integer, PureDP, verify
from dpaudit.formal.lift import lift
from dpaudit.formal.program import Call, walk
from tests.proving import is_proved
from tests.unit.formal import setting_programs as programs

NEIGHBORS = AddRemove(Integer(0, 3), max_size=6)


@pytest.mark.parametrize(
    "mechanism",
    [
        programs.unseeded,
        programs.unseeded_where_it_is_made,
        programs.unseeded_of_its_own,
        programs.unseeded_by_name,
        programs.unseeded_function,
    ],
)
def test_a_seed_that_is_none_is_no_seed(mechanism):
    assert is_proved(mechanism, PureDP(1.0), NEIGHBORS)


@pytest.mark.parametrize(
    "mechanism",
    [
        programs.seeded,
        programs.seeded_where_it_is_made,
        programs.seeded_of_its_own,
        programs.seeded_function,
    ],
)
def test_a_seed_that_is_told_refutes(mechanism):
    report = verify(mechanism, PureDP(1.0), NEIGHBORS)
    assert [finding.id for finding in report.findings] == ["DPA110"]


@pytest.mark.parametrize(
    "mechanism",
    [
        programs.seeded_afterwards,
        programs.seeded_another_time,
        programs.seeded_the_second_time,
        programs.seeded_by_the_data,
    ],
)
def test_a_setting_that_varies_tells_nothing(mechanism):
    assert not is_proved(mechanism, PureDP(2.0), NEIGHBORS)


def test_a_function_that_calls_itself_is_read_for_all_of_its_settings():
    program = lift(programs.recursive_by_a_setting)
    called = [node.function for node in walk(program.entry) if isinstance(node, Call)]
    assert called.count("recursion:coin_of_a_setting") == 2  # neither branch is left out
