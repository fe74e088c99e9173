"""Records that leave as dicts and tuples, guards on sizes, generators that are seeded anew."""

from __future__ import annotations

import math
import random
from collections import OrderedDict, namedtuple
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, ReplaceOne
from tests.proving import is_proved
from tests.unit.formal.seeded_anew_programs import seeded_anew, seeded_anew_by_numpy

CLAIM, PEOPLE = PureDP(1.0), AddRemove(Real(0, 1))
WIDE = AddRemove(Real(-1e308, 1e308))
MISSING = AddRemove(Real(0, 1, allow_nan=True))
FIXED = ReplaceOne(Real(0, 1), size=3)


@dataclass
class Answer:
    value: Any
    epsilon: float = 1.0
    count: int | None = None


@dataclass
class Report:
    answer: Answer
    name: str = "count"


Pair = namedtuple("Pair", "value epsilon")


def noisy(data, rng):
    return Answer(len(data) + rng.laplace())


def as_dict(data, rng):
    return asdict(Answer(len(data) + rng.laplace()))


def as_tuple_of_a_call(data, rng):
    return astuple(noisy(data, rng))


def inside_another(data, rng):
    return asdict(Report(noisy(data, rng)))


def with_a_list(data, rng):
    answer = Answer([len(data) + rng.laplace(), 0.0])
    return asdict(answer)


def named_pair(data, rng):
    return Pair(len(data) + rng.laplace(), 1.0)._asdict()


def replaced(data, rng):
    return astuple(replace(Answer(0.0), value=len(data) + rng.laplace()))


def replaced_by_a_call(data, rng):
    return asdict(replace(noisy(data, rng), count=max(0, 3)))


def in_an_ordered_dict(data, rng):
    held = OrderedDict()
    held["count"] = len(data) + rng.laplace()
    return held


def finite_count(data, rng):
    count = float(len(data))
    if not math.isfinite(count):
        raise ValueError("the count is not finite")
    return count + rng.laplace()


def finite_sum(data, rng):
    total = float(np.sum(data))
    if not math.isfinite(total):
        return 0.0
    return total + rng.laplace()


def true_values(data, rng):
    return np.asarray(data).astype(bool).sum() + rng.laplace()


def own_generator_seeded_anew(data):
    prng = np.random.RandomState()
    prng.seed()
    return len(data) + prng.laplace()


SOUND = [
    in_an_ordered_dict,
    as_dict, as_tuple_of_a_call, inside_another, with_a_list, named_pair, replaced,
    replaced_by_a_call, finite_count, finite_sum, true_values, seeded_anew, seeded_anew_by_numpy,
    own_generator_seeded_anew,
]  # fmt: skip


def with_the_count(data, rng):
    return asdict(Answer(len(data) + rng.laplace(), count=len(data)))


def count_in_an_ordered_dict(data, rng):
    held = OrderedDict([("noisy", len(data) + rng.laplace())])
    held["count"] = len(data)
    return held


def with_the_count_inside(data, rng):
    return asdict(Report(Answer(len(data) + rng.laplace(), count=len(data))))


def emptied_copy(data, rng):
    answer = Answer(np.array([float(len(data))]))
    copy = asdict(answer)
    copy["value"] *= 0
    return answer.value


def copied_list_emptied(data, rng):
    answer = Answer([float(len(data))])
    copy = asdict(answer)
    copy["value"][0] = 0.0
    return answer.value


def copied_before_the_noise(data, rng):
    answer = Answer(np.array([float(len(data))]))
    copy = asdict(answer)
    answer.value += rng.laplace()
    return copy["value"]


def pair_that_is_no_copy(data, rng):
    pair = Pair(np.array([len(data) + rng.laplace()]), 1.0)
    out = pair._asdict()
    pair.value[0] = len(data)
    return out["value"]


def counted(answer, data):
    answer.count = len(data)
    return 0.0


def replaced_by_what_changes_it(data, rng):
    answer = Answer(len(data) + rng.laplace())
    return astuple(replace(answer, epsilon=counted(answer, data)))


def replaced_value_of_the_count(data, rng):
    return astuple(replace(noisy(data, rng), count=len(data)))


def twice_the_true_values(data, rng):
    return 2 * np.asarray(data).astype(bool).sum() + rng.laplace()


def seeded_anew_then_fixed(data):
    random.seed()
    random.seed(7)
    return len(data) + random.expovariate(1.0) - random.expovariate(1.0)


BROKEN = [
    count_in_an_ordered_dict,
    with_the_count, with_the_count_inside, emptied_copy, copied_list_emptied,
    copied_before_the_noise, pair_that_is_no_copy, replaced_by_what_changes_it,
    replaced_value_of_the_count, twice_the_true_values, seeded_anew_then_fixed,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", SOUND)
def test_a_sound_release_is_proved(mechanism):
    assert is_proved(mechanism, CLAIM, PEOPLE)


@pytest.mark.parametrize("mechanism", BROKEN)
def test_a_broken_release_is_not_proved(mechanism):
    assert not is_proved(mechanism, CLAIM, PEOPLE)


@pytest.mark.parametrize("neighbors", [WIDE, MISSING])
def test_a_sum_that_need_not_be_finite_is_not_taken_to_be(neighbors):
    assert not is_proved(finite_sum, CLAIM, neighbors)
