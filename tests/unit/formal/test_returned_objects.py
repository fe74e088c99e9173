"""Refutations whose outputs are objects: their events name fields, as the code returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Integer, PureDP, Real, Verdict

UNIT = AddRemove(Real(0, 1), max_size=3)


@dataclass(frozen=True)
class Answer:
    value: float
    size: int | None


class Named(NamedTuple):
    value: float
    size: int | None


class Plain:
    def __init__(self, value, size):
        self.value = value
        self.size = size


@dataclass(frozen=True)
class Outer:
    inner: Answer
    note: str | None


def module_noise(data):
    return Answer(data.sum() + np.random.laplace(), len(data))  # noqa: NPY002


def named(data, rng):
    return Named(data.sum() + rng.laplace(), len(data))


def plain(data, rng):
    return Plain(data.sum() + rng.laplace(), len(data))


def inside(data, rng):
    return [Outer(Answer(data.sum() + rng.laplace(scale=0.5), None), "all")]


def missing(data, rng):
    return Outer(Answer(data.sum() + rng.laplace(), 3), "many" if len(data) > 1 else None)


def coin(bit):
    return Answer(int(bit) if np.random.random() < 0.9 else 1 - int(bit), 3)  # noqa: NPY002


CASES = (
    (module_noise, UNIT, "output.size"),
    (named, UNIT, "output.size"),
    (plain, UNIT, "output.size"),
    (inside, UNIT, "output[0].inner.value"),
    (missing, UNIT, "output.note"),
    (coin, AnyPair(Integer(0, 1)), "output.value"),
)


@pytest.mark.parametrize(("mechanism", "neighbors", "part"), CASES)
def test_a_refutation_of_an_object_is_confirmed_and_names_its_field(mechanism, neighbors, part):
    report = dpaudit.verify(mechanism, PureDP(1.0), neighbors)
    assert report.verdict is Verdict.REFUTED
    assert part in report.witness.event.source
    assert "['" not in report.witness.event.source
    assert report.evidence[0].replay in ("replayed", "sampled")


def test_an_object_that_holds_the_claim_is_verified():
    def sound(data, rng):
        return Named(data.sum() + rng.laplace(), 3)

    assert dpaudit.verify(sound, PureDP(1.0), UNIT).verdict is Verdict.VERIFIED


def by_value(data, rng):
    return {x: 1 + rng.laplace() for x in sorted(set(data.tolist()))}


def by_value_inside(data, rng):
    return Answer(by_value(data, rng), 3)


@pytest.mark.parametrize("mechanism", [by_value, by_value_inside])
def test_a_dict_whose_keys_are_the_data_is_refuted_by_them(mechanism):
    report = dpaudit.verify(mechanism, PureDP(1.0), UNIT)
    assert report.verdict is Verdict.REFUTED, report


def test_a_dict_inside_an_object_keeps_its_keys():
    def counted(data, rng):
        return Answer({"size": len(data), "noise": rng.laplace()}, None)

    report = dpaudit.verify(counted, PureDP(1.0), UNIT)
    assert report.verdict is Verdict.REFUTED
    assert "output.value['size']" in report.witness.event.source
