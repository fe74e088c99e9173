"""Certificates by alignment of geometric noise: the rule is applied anew, and nothing believed."""

from __future__ import annotations

import json

import pytest

from tests import discrete_programs as programs
from tests.alignments import certificate
from tests.checking import check
from tests.unit.checker.mutations import changed, leaves, sealed

pytest.importorskip("cvc5")


@pytest.fixture(scope="module")
def threshold():
    return certificate(programs.above)


@pytest.fixture(scope="module")
def winner():
    return certificate(programs.noisy_max)


def reason(found, change):
    """Return why a changed certificate is not accepted."""
    copied = json.loads(json.dumps(found))
    change(copied)
    result = check(sealed(copied))
    assert not result.accepted
    return result.reason


def relation(found):
    return found["proof"]["relations"][0]


def test_certificates_are_accepted(threshold, winner):
    for found in (threshold, winner, certificate(programs.noisy_max_one_sided)):
        result = check(found)
        assert result.accepted, result.reason


def test_a_proof_for_all_parameters_is_accepted():
    result = check(certificate(programs.sparse, "epsilon"))
    assert result.accepted, result.reason
    assert "the parameter epsilon is positive" in result.trusted


def first_shift(found, form):
    path = next(path for path in relation(found)["paths"] if path["shifts"])
    path["shifts"][0]["shift"] = form


@pytest.mark.parametrize("value", ["1/2", "3/2", "2001/1000"])
def test_a_shift_that_is_not_whole_is_rejected(threshold, value):
    why = reason(threshold, lambda f: first_shift(f, ["number", value]))
    assert "may not be whole" in why


def test_a_shift_by_an_answer_that_need_not_be_whole_is_rejected(threshold):
    def change(found):
        path = next(p for p in relation(found)["paths"] if p["start"] != "start" and p["shifts"])
        path["shifts"][0]["shift"] = ["input change", "q[%i0]"]

    assert "may not be whole" in reason(threshold, change)


def test_a_shift_to_the_left_leaves_the_range_of_the_noise(threshold):
    why = reason(threshold, lambda f: first_shift(f, ["number", "-1"]))
    assert "noise stays in its range does not follow" in why


def test_a_shift_of_half_for_the_winner_is_rejected(winner):
    def change(found):
        relation(found)["winner"][0]["own"] = "3/2"

    assert "may not be whole" in reason(winner, change)


def test_the_shifts_of_two_draws_of_one_line_are_not_one(winner):
    assert len({shift["place"] for shift in relation(winner)["winner"]}) == 1

    def swapped(found):
        relation(found)["winner"].reverse()

    def dropped(found):
        del relation(found)["winner"][1], relation(found)["alignment"][2:]

    assert "does not follow" in reason(winner, swapped)
    assert "lacks the draw" in reason(winner, dropped)


def called(value, name):
    """Yield every call of a function in a program."""
    inside = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, dict) and value.get("function") == name:
        yield value
    for part in inside if isinstance(inside, list) else ():
        yield from called(part, name)


def test_another_function_in_the_chance_is_not_the_law_that_was_priced(threshold):
    def other(found):
        next(called(found["program"], "math.exp"))["function"] = "math.expm1"

    def unknown(found):
        next(called(found["program"], "math.exp"))["function"] = "math.sqrt"

    assert "the chance of the geometric draw" in reason(threshold, other)
    assert reason(threshold, unknown)


def test_every_change_of_a_number_in_the_program_is_rejected_or_does_no_harm(threshold):
    """The threshold may be any number; each other constant is part of the price."""
    for path in leaves(threshold["program"]):
        value = threshold["program"]
        for key in path:
            value = value[key]
        number = path[-1] in ("int", "float")
        if not number or {"threshold", "defaults", "place"} & set(map(str, path)):
            continue
        make = (lambda v: str(int(v) + 1)) if path[-1] == "int" else (lambda v: (1.5).hex())
        assert not check(changed(threshold, ("program", *path), make)).accepted, path
