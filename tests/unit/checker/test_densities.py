"""Certificates about densities that are constant on pieces: pieces and heights are found anew."""

import json
from functools import cache, partial

import pytest

from dpaudit import AnyPair, PureDP, Real
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.exact import prove_exact
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject
from tests.checking import check
from tests.unit.checker.mutations import changed
from tests.unit.checker.test_lemma import replaced
from tests.unit.formal.test_densities import (
    ANYTHING,
    ONE,
    UNIT,
    piecewise_mean,
    staircase,
    two_sided_geometric_and_uniform,
    with_one_number_for_coin_and_place,
)

OTHER_GAMMA = partial(staircase, gamma=0.8)


@cache
def certificate(mechanism, claim, neighbors):
    subject = Subject.of(mechanism)
    program = lift(subject)
    proof = prove_exact(program, claim, neighbors)
    return json.dumps(certificate_of(subject, claim, neighbors, program, proof).to_dict())


def loaded(*given):
    return json.loads(certificate(*given))


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (staircase, PureDP(1.0), ONE),
        (OTHER_GAMMA, PureDP(1.0), ONE),
        (partial(staircase, sensitivity=2.0), PureDP(1.0), UNIT),
        (two_sided_geometric_and_uniform, PureDP(0.5), ONE),
        (piecewise_mean, PureDP(1.0), ANYTHING),
        (partial(piecewise_mean, epsilon=0.3), PureDP(0.3), ANYTHING),
        (with_one_number_for_coin_and_place, PureDP(1.1), ONE),
    ],
)
def test_a_proof_by_a_density_is_accepted(mechanism, claim, neighbors):
    checked = check(loaded(mechanism, claim, neighbors))
    assert checked.accepted, checked.reason


STAIRCASE = (OTHER_GAMMA, PureDP(1.0), ONE)
PIECEWISE = (piecewise_mean, PureDP(1.0), ANYTHING)


@pytest.mark.parametrize(
    ("given", "old", "new"),
    [
        (STAIRCASE, '"geometric"', '"poisson"'),
        (STAIRCASE, '"0x1.0000000000000p-1"', '"0x1.4000000000000p-1"'),  # the sign's coin
        (STAIRCASE, '"random"', '"normal"'),
        (STAIRCASE, '"math.exp"', '"math.expm1"'),
        (STAIRCASE, '"operator.sub"', '"operator.add"'),
        (STAIRCASE, '"operator.mul"', '"operator.truediv"'),
        (PIECEWISE, '"builtins.min"', '"builtins.max"'),
        (PIECEWISE, '"math.exp"', '"math.sqrt"'),
        (PIECEWISE, '"operator.lt"', '"operator.gt"'),
    ],
)
def test_another_program_is_not_what_was_proved(given, old, new):
    assert not check(replaced(loaded(*given), (old, new)), source=False).accepted


def test_a_clip_that_nan_passes_is_no_clip():
    """Either of Python's two alone makes a number of it."""
    made = loaded(*PIECEWISE)
    pairs = ('"builtins.max"', '"numpy.maximum"'), ('"builtins.min"', '"numpy.minimum"')
    assert [check(replaced(made, pair), source=False).accepted for pair in pairs] == [True, True]
    assert not check(replaced(made, *pairs), source=False).accepted


@pytest.mark.parametrize("given", [STAIRCASE, PIECEWISE])
def test_no_less_is_accepted_than_was_proved(given):
    made = loaded(*given)
    others = {
        ("subject", "claim"): "PureDP(0.9)",
        ("proof", "spent"): "1/2",
        ("proof", "loss"): "1/2",
    }
    if given is STAIRCASE:
        others["subject", "neighbors"] = str(AnyPair(Real(0, 2)))
    for path, value in others.items():
        checked = check(changed(made, path, lambda _old, value=value: value), source=False)
        assert not checked.accepted, path


def test_a_number_that_may_be_nan_is_not_taken_for_one():
    made = loaded(*STAIRCASE)
    text = str(AnyPair(Real(0, 1, allow_nan=True)))
    made = changed(made, ("subject", "neighbors"), lambda _old: text)
    assert not check(json.loads(json.dumps(made)), source=False).accepted
