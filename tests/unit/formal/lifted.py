"""Mechanisms that `test_lift` lifts, good and bad, in a file of their own."""

import functools
import operator
import random
import secrets
from math import exp as exponential
from math import log

import numpy as np

EDGES = np.array([1.0, 2.0])
GRID = np.array([1.0, 2.0])
PUBLIC = np.array([1.0, 2.0])  # which nothing changes
ANSWERS: dict[int, float] = {}
SHARED = np.random.default_rng(5)
first, second = lambda data, rng: data.sum() + rng.laplace(), lambda data: data.sum()
same, again = lambda data: data.sum(), lambda data: data.sum()


def scaled(x, scale=2.0):
    return x * scale


@functools.cache
def calibrated(epsilon):
    return 1 / epsilon


@functools.cache
def remembered(rng):
    return rng.laplace()


def forever(n):
    return 1 if n == 0 else n * forever(n - 1)


def canonical_names(data):
    a = np.clip(data, 0, 1).sum() + exponential(log(2)) + operator.add(1, 2)
    return np.linalg.norm(np.add.outer(data, PUBLIC)) + a


def draws(data, rng):
    x = rng.laplace(0.0, 2.0)
    y = rng.integers(3, 7, endpoint=True)
    return x + y + rng.normal(scale=1.0, size=len(data)) + rng.choice([1, 2], p=[0.5, 0.5])


def legacy(data):
    noise = np.random.laplace(0.0, 2.0, 3)  # noqa: NPY002
    return noise + np.random.rand(2, 3).sum() + np.random.randint(4)  # noqa: NPY002


def standard_library(data):
    return (
        random.gauss(0, 2.0) + random.expovariate(4.0) + random.randint(1, 6) + secrets.randbelow(9)
    )


def fresh(data):
    rng = np.random.default_rng()
    return data.sum() + rng.laplace()


def seeded(data):
    rng = np.random.default_rng(len(data))
    return data.sum() + rng.laplace()


def given_or_fresh(data, rng=None):
    rng = np.random.default_rng() if rng is None else rng
    return data.sum() + rng.laplace()


def through_functions(data, rng):
    def noisy(x):
        return x + rng.laplace(scale=calibrated(0.5))

    return noisy(scaled(data.sum(), scale=3.0))


def passes_generator(data, rng):
    return drawn_by(data, rng)


def drawn_by(data, generator):
    return data.sum() + generator.laplace()


def chained(data, rng):
    if 0 < (n := len(data)) <= rng.integers(9) < 7:
        return n
    a = b = data.sum()
    return a + b


def writes_global(data):
    global EDGES
    EDGES = data
    return data


def changes_container(data):
    ANSWERS[1] = data.sum()
    return ANSWERS[1]


def changes_by_method(data):
    ANSWERS.update({1: data.sum()})
    return 1


def changes_under_another_name(data):
    answers = ANSWERS
    answers[1] = data.sum()
    return 1


def changes_default(data, seen=[]):  # noqa: B006
    seen.append(data)
    return len(seen)


def adds_to_default(data, edges=EDGES):
    edges += data
    return edges


def adds_through_a_call(data):
    return adds(GRID, data)


def adds(total, data):
    total += data
    return total


def sets_attribute(data):
    data.note = 3
    return data


def yields(data):
    def each():
        yield from data

    return next(each())


def opens(data):
    with open("x") as file:
        return file


def quiet(data):
    with np.errstate(divide="ignore"):
        return data / 2


def imports(data):
    from tests.unit.formal import lifted

    return lifted.ANSWERS


def evaluates(data):
    return eval("data")


def defines_class(data):
    class Box:
        def count(self):
            return len(data)

    return Box()


def seeded_generator(data):
    return SHARED.laplace()


def cached_noise(data, rng):
    return data.sum() + remembered(rng)


def recursive_on_data(data):
    return forever(data)


def recursive(data):
    return recursive(data)


def keywords(data, **options):
    options = dict(options, scale=len(data))
    return data + options["scale"]


def expands(data, rng):
    options = {"scale": 2.0}
    return rng.laplace(**options)


def uses_unknown(data):
    return not_defined_anywhere(data)  # noqa: F821


class Mechanism:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, data, rng):
        return self.clipped(data) + rng.laplace(scale=self.scale)

    def clipped(self, data):
        return data.clip(0, 1).sum()

    def counts_calls(self, data):
        self.calls = 1
        return data


def doubled(function):
    def wrapper(data, rng):
        return 2 * function(data, rng)

    return wrapper


def wrapped_blindly(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@doubled
def decorated(data, rng):
    return data.sum() + rng.laplace()


@wrapped_blindly
def decorated_blindly(data, rng):
    return data.sum() + rng.laplace()


def symbolic(data, rng, *, epsilon, clip=1.0):
    return data.clip(0, clip).sum() + rng.laplace(scale=clip / epsilon)


def blames(data):
    raise ValueError("no") from ValueError(len(data))
