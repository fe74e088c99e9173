"""The checker derives by itself what a sampling loop returns."""

import json
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from dpaudit import AnyPair, ApproxDP, Integer, PureDP
from dpaudit.checker.cost import discrete
from dpaudit.checker.exact.numbers import Number
from dpaudit.claims import ZeroConcentratedDP
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject
from mechanisms import discrete_gaussian as gaussian_module
from mechanisms import discrete_laplace as laplace_module
from mechanisms.discrete_gaussian import discrete_gaussian, tight_delta
from mechanisms.discrete_laplace import discrete_laplace
from tests.checking import check
from tests.sampling_programs import (
    REWRITTEN,
    WRONG_GAUSSIAN,
    WRONG_LAPLACE,
    changed,
)
from tests.sweeps import sampled
from tests.unit.checker.mutations import changed as altered
from tests.unit.checker.mutations import sealed

INTEGERS = AnyPair(Integer(0, 1))
LAPLACE = PureDP(2 / 3 + 1e-9)
GAUSSIAN = ZeroConcentratedDP(1 / 7 + 1e-9)


def certificate(mechanism, claim, told=None):
    """Return a certificate of a mechanism, with the proof that is told of another one."""
    subject = Subject.of(mechanism)
    program = lift(subject)
    proof = prove_by_cost(lift(told or mechanism), claim, INTEGERS)
    return json.loads(
        json.dumps(certificate_of(subject, claim, INTEGERS, program, proof).to_dict())
    )


def retold(module, right, old, new, folder):
    """Return a changed module, and what moves a proof of the right one to its file."""
    other = changed(module, old, new, folder)

    def moved(content):
        named = Path(right.__file__).relative_to(Path.cwd()).as_posix()
        text = json.dumps(content["proof"]).replace(named, other.__file__)
        return sealed({**content, "proof": json.loads(text)})

    return other, moved


def told(mechanism, right, claim, moved):
    return moved(certificate(mechanism, claim, told=right))


@pytest.mark.parametrize(("old", "new"), sampled([("    k = 1", "    k = 1"), *WRONG_LAPLACE], 16))
def test_only_the_right_sampler_passes_for_discrete_laplace_noise(old, new, tmp_path):
    other, moved = retold(laplace_module, laplace_module, old, new, tmp_path)
    right = partial(discrete_laplace, epsilon=Fraction(2, 3))
    wrong = partial(other.discrete_laplace, epsilon=Fraction(2, 3))
    checked = check(told(wrong, right, LAPLACE, moved), source=False)
    assert checked.accepted is (old == new), checked.reason


@pytest.mark.parametrize(("old", "new"), sampled(REWRITTEN, 2))
def test_a_sampler_that_is_written_otherwise_passes(old, new, tmp_path):
    other = changed(laplace_module, old, new, tmp_path)
    mechanism = partial(other.discrete_laplace, epsilon=Fraction(2, 3))
    assert check(certificate(mechanism, LAPLACE), source=False).accepted


@pytest.mark.parametrize(("old", "new"), [("int(answer) + z", "int(answer) + z"), *WRONG_GAUSSIAN])
def test_only_the_right_sampler_passes_for_discrete_gaussian_noise(old, new, tmp_path):
    other, moved = retold(gaussian_module, gaussian_module, old, new, tmp_path)
    right = partial(discrete_gaussian, variance=Fraction(7, 2))
    wrong = partial(other.discrete_gaussian, variance=Fraction(7, 2))
    checked = check(told(wrong, right, GAUSSIAN, moved), source=False)
    assert checked.accepted is (old == new), checked.reason


def constants(value, path=()):
    """Yield the paths of the numbers that a program is written with."""
    if isinstance(value, dict):
        if set(value) in ({"int"}, {"fraction"}):
            yield (*path, *value)
            return
        for key, inside in value.items():
            yield from constants(inside, (*path, key))
    elif isinstance(value, list):
        for at, inside in enumerate(value):
            yield from constants(inside, (*path, at))


def test_no_constant_of_a_sampler_can_be_another():
    content = certificate(partial(discrete_laplace, epsilon=Fraction(2, 3)), LAPLACE)
    places = ("program", "entry", "body")
    paths = list(constants(content["program"]["entry"]["body"], places))
    assert len(paths) > 8
    for path in paths:
        for make in (lambda text: str(int(text) + 1), lambda text: "0" if text != "0" else "2"):
            assert not check(altered(content, path, make), source=False).accepted, path


def test_the_noise_is_not_told_to_be_wider_than_it_is():
    content = certificate(partial(discrete_gaussian, variance=Fraction(14)), ApproxDP(1.0, 1e-5))
    assert check(content).accepted
    path = ("proof", "releases", 0, "twice_rho")
    assert not check(altered(content, path, lambda text: "1/15")).accepted
    assert not check(altered(content, ("proof", "spent"), lambda text: text + "5")).accepted


@pytest.mark.parametrize("variance", [Fraction(1), Fraction(14), Fraction(7, 2)])
@pytest.mark.parametrize("epsilon", [0, 1, 2])
def test_the_profile_is_that_of_the_theorem(variance, epsilon):
    rate, slope = Number(1 / variance), Number(Fraction(epsilon))
    found = discrete.delta(Number(Fraction(1)), rate, slope)
    assert float(found.mid()) == pytest.approx(tight_delta(float(epsilon), float(variance)))
    assert discrete.delta(Number(Fraction(3)), rate, slope) > found
