"""Mechanisms that go through lists of records of the module; those that are not sound are twins."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Question(NamedTuple):
    name: str
    limit: int
    epsilon: float = 0.5

    @property
    def scale(self):
        return 1 / self.epsilon


@dataclass(frozen=True)
class Bin:
    low: int
    high: int

    def holds(self, data):
        return (data >= self.low) & (data < self.high)


@dataclass
class Open:
    limit: int
    epsilon: float = 0.5


class Loose(Question):
    pass


class Wide(NamedTuple):
    epsilon: float

    factor = 1.0


def _widen():
    Wide.factor = 0.1


QUESTIONS = (Question("young", 30), Question("old", 60))
BINS = [Bin(0, 30), Bin(30, 60), Bin(60, 121)]
GROWN = [Question("young", 30), Question("old", 60)]
OPEN = [Open(30), Open(60)]
LOOSE = [Loose("young", 30), Loose("old", 60)]
WIDE = [Wide(1.0)]


def grow():
    GROWN.append(Question("all", 0, 5.0))


def loosen():
    for each in OPEN:
        each.epsilon = 5.0


def shift():
    for each in LOOSE:
        each.shift = 3


def sound_named_tuples(data, rng):
    return {q.name: np.sum(data > q.limit) + rng.laplace(scale=q.scale) for q in QUESTIONS}


def sound_frozen_records(data, rng):
    return [each.holds(data).sum() + rng.laplace(scale=1.0) for each in BINS]


def sound_loop(data, rng):
    out = {}
    for each in BINS:
        out[each.low] = np.sum((data >= each.low) & (data < each.high)) + rng.laplace(scale=1.0)
    return out, len(BINS)


def of_too_many(data, rng):
    every = [q for q in QUESTIONS]  # noqa: C416
    return [np.sum(data > q.limit) + rng.laplace(scale=0.9 / q.epsilon) for q in every]


def of_a_list_that_grows(data, rng):
    return [np.sum(data > q.limit) + rng.laplace(scale=q.scale) for q in GROWN]


def of_records_that_change(data, rng):
    return [np.sum(data > q.limit) + rng.laplace(scale=1 / q.epsilon) for q in OPEN]


def of_a_class_that_changes(data, rng):
    return [len(data) + rng.laplace(scale=q.factor / q.epsilon) for q in WIDE]


def of_attributes_beside(data, rng):
    shift()
    return [len(data) + rng.laplace(scale=2) * getattr(q, "shift", 0) for q in LOOSE]
