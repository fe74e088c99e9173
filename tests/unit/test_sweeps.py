"""What `make test` tries of the tests: each case in one of five turns."""

from types import SimpleNamespace

import pytest

from tests import sweeps
from tests.sweeps import TURNS, alternated, in_turn


def named(count):
    if count == 0:
        return [SimpleNamespace(nodeid="test_a.py::test_alone")]
    return [SimpleNamespace(nodeid=f"test_a.py::test_{count}[{i}]") for i in range(count)]


ITEMS = [item for count in (0, 1, 2, 5, 6, 16) for item in named(count)]


def test_each_case_is_tried_in_some_turn():
    tried = {item.nodeid for taken in range(1, TURNS + 1) for item in in_turn(ITEMS, taken, {})}
    assert tried == {item.nodeid for item in ITEMS}


@pytest.mark.parametrize("taken", range(1, TURNS + 1))
def test_each_test_is_tried_in_every_turn_and_a_long_one_with_a_fifth_of_its_cases(taken):
    names = [item.nodeid.partition("[")[0] for item in in_turn(ITEMS, taken, {})]
    assert set(names) == {item.nodeid.partition("[")[0] for item in ITEMS}
    assert names.count("test_a.py::test_5") == 1
    assert names.count("test_a.py::test_16") in (3, 4)


def test_a_costly_test_with_few_cases_is_tried_in_one_turn_a_case():
    durations = {"test_a.py": {"test_alone": 2.0, "test_1": 1.9, "test_2": 4.0, "test_16": 99.0}}
    turns = [
        [item.nodeid.partition("::")[2] for item in in_turn(ITEMS, taken, durations)]
        for taken in range(1, TURNS + 1)
    ]
    found = {name: sum(turn.count(name) for turn in turns) for turn in turns for name in turn}
    assert found.keys() == {item.nodeid.partition("::")[2] for item in ITEMS}
    assert (found["test_alone"], found["test_1[0]"]) == (1, TURNS)
    assert found["test_2[0]"] == found["test_2[1]"] == found["test_16[7]"] == 1


def test_the_order_of_the_tests_is_kept():
    kept = in_turn(ITEMS, 2, {})
    assert [ITEMS.index(item) for item in kept] == sorted(ITEMS.index(item) for item in kept)


def test_commits_take_turns_with_costly_cases_until_each_was_tried(monkeypatch):
    tried = []
    for commit in range(len(ITEMS)):
        monkeypatch.setattr(sweeps, "_commit", lambda commit=commit: commit)
        tried += alternated(ITEMS)
    assert tried == ITEMS or sweeps.FULL
