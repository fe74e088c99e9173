"""Classes and shared variables inside of a function, and enumerations: proved, or not."""

import enum
import math
from dataclasses import dataclass

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP
from tests.proving import is_proved
from tests.sweeps import thinned

MANY = AddRemove(Integer(0, 9), container="list")
ONE = PureDP(np.nextafter(1.0, 2))


class Base:
    def __init__(self, epsilon, rng):
        self.epsilon, self.rng = epsilon, rng

    def release(self, value):
        return value + self.rng.laplace(0, self.scale())


class Kind(str, enum.Enum):  # noqa: UP042
    EXPONENTIAL = "laplace"
    NORMAL = "gauss"


class Lying(str, enum.Enum):  # noqa: UP042
    EXPONENTIAL = "laplace"
    NORMAL = "gauss"

    def __eq__(self, other):
        return False

    def __hash__(self):
        return 0


class Source:
    def __init__(self, kind):
        self.kind = Kind(kind)

    def noise(self, rng):
        if self.kind == Kind.EXPONENTIAL:
            return rng.laplace()
        elif self.kind == Kind.NORMAL:
            return rng.normal()
        raise ValueError(f"no noise is called {self.kind}")


def a_class(data, rng):
    class Noise(Base):
        factor = 1.0

        def scale(self):
            return self.factor / self.epsilon

        def __call__(self, value):
            return self.release(value)

    return Noise(1.0, rng)(len(data))


def a_record_of_results(data, rng):
    @dataclass
    class Result:
        value: float
        epsilon: float = 1.0

        def shown(self):
            return round(self.value, 2)

    return Result(len(data) + rng.laplace()).shown()


def a_shared_budget(data, rng):
    left = 1.0

    def ask(number, epsilon):
        nonlocal left
        if left < epsilon:
            return None
        left -= epsilon
        return len(data) + number + rng.laplace(0, 1 / epsilon)

    return [ask(0, 0.5), ask(1, 0.5), ask(2, 0.5)]


def a_kind(data, rng):
    return len(data) + Source("laplace").noise(rng)


def answers(data, rng):
    for key in range(10):
        yield key, sum(1 for value in data if value == key) + rng.laplace()


def a_dict_of_what_is_yielded(data, rng):
    return dict(answers(data, rng))


def a_comprehension_of_what_is_yielded(data, rng):
    def counts():
        for key in range(10):
            yield data.count(key) + rng.laplace()

    return [round(noisy) for noisy in counts()]


@pytest.mark.parametrize(
    "mechanism",
    [
        a_dict_of_what_is_yielded,
        a_comprehension_of_what_is_yielded,
        a_class,
        a_record_of_results,
        a_shared_budget,
        a_kind,
    ],
    ids=lambda m: m.__name__,
)
def test_what_is_defined_inside_is_followed(mechanism):
    assert is_proved(mechanism, ONE, MANY)


def a_class_of_the_data(data, rng):
    class Counted:
        def count(self):
            return len(data)

    return Counted().count() + rng.laplace(0, 0.5)


def a_default_of_the_data(data, rng):
    class Counted:
        def count(self, n=len(data)):  # noqa: B008
            return n

    return Counted().count()


def a_class_with_the_data(data, rng):
    class Kept:
        def __init__(self, value):
            self.value = value

        def noisy(self):
            return self.value + rng.laplace()

    kept = Kept(len(data))
    return kept.noisy(), kept.value


def two_classes_of_one_name(data, rng):
    class Noise:
        def of(self, rng):
            return rng.laplace()

    if rng.random() < 0.5:

        class Noise:
            def of(self, rng):
                return 0.0

    return len(data) + Noise().of(rng)


def a_shared_count(data, rng):
    seen = 0

    def ask():
        nonlocal seen
        seen = len(data)
        return seen + rng.laplace()

    answer = ask()
    return answer, seen


def a_budget_that_is_filled_up(data, rng):
    left = 1.0

    def ask():
        nonlocal left
        if left < 1.0:
            return None
        left -= 1.0
        return len(data) + rng.laplace()

    def fill_up():
        nonlocal left
        left = 1.0

    first = ask()
    fill_up()
    return first, ask()


def a_count_before_an_exception(data, rng):
    seen = 0

    def ask(rng):
        nonlocal seen
        seen = len(data)
        math.log(rng.laplace())
        seen = 0

    try:
        ask(rng)
    except ValueError:
        return seen
    return 0


def made():
    calls = 0

    def forgets_its_noise(data, rng):
        nonlocal calls
        calls += 1
        return len(data) + (rng.laplace() if calls < 3 else 0)

    return forgets_its_noise


def another_kind(data, rng):
    return len(data) + Source("gauss").noise(rng)


def a_kind_that_equals_nothing(data, rng, kind=Lying.EXPONENTIAL):
    return len(data) + (rng.laplace() if kind == Lying.EXPONENTIAL else 0)


def a_count_that_is_yielded_too_often(data, rng):
    def counts():
        for _ in range(10):
            yield len(data) + rng.laplace()

    return sum(counts())


def a_look_between_two_values(data, rng):
    box = [0]

    def values():
        for key in range(3):
            box[0] = len(data)
            yield key
            box[0] = 0

    return [box[0] for _ in values()]


def a_key_that_looks_between(data, rng):
    box = [0]

    def values():
        for key in range(3):
            box[0] = len(data)
            yield key
            box[0] = 0

    return max(values(), key=lambda key: (box[0] > 3) * key)


LEAKING = [a_count_that_is_yielded_too_often, a_look_between_two_values, a_key_that_looks_between,
    a_class_of_the_data, a_default_of_the_data, a_class_with_the_data, two_classes_of_one_name,
    a_shared_count, a_budget_that_is_filled_up, a_count_before_an_exception, made(), another_kind,
    a_kind_that_equals_nothing,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", thinned(LEAKING), ids=lambda m: m.__name__)
def test_what_a_definition_inside_tells_is_not_proved(mechanism):
    assert not is_proved(mechanism, ONE, MANY)
