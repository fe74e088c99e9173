"""Mechanisms that make objects, and leak or do what a dict of attributes would not."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class Engine:
    """Answers queries as long as there is budget."""

    limit = 100

    def __init__(self, data, epsilon, rng=None):
        self.data = data
        self.epsilon = epsilon
        self.spent = 0.0
        self._rng = rng or np.random.default_rng()

    def _spend(self, e):
        if self.spent + e > self.epsilon + 1e-9:
            raise ValueError("budget")
        self.spent += e

    def count(self, e):
        self._spend(e)
        return len(self.data) + self._rng.laplace(0, 1 / e)

    def total(self, e):
        self._spend(e)
        return np.clip(self.data, 0, self.limit).sum() + self._rng.laplace(0, self.limit / e)

    @property
    def left(self):
        return self.epsilon - self.spent


class Sub(Engine):
    def __init__(self, data, epsilon):
        super().__init__(data, epsilon)
        self.calls = []

    def count(self, e):
        self.calls.append("count")
        return super().count(e)


class Accountant:
    def __init__(self, eps):
        self.eps = eps
        self.used = 0

    def spend(self, e):
        self.used += e
        assert self.used <= self.eps + 1e-6


class Two:
    def __init__(self, data, acc):
        self.data, self.k = data, 1
        self.acc = acc

    def q(self, e):
        self.acc.spend(e)
        return len(self.data) + np.random.laplace(scale=1 / e)


@dataclass
class Params:
    epsilon: float = 1.0
    low: float = 0.0
    high: float = 100.0
    used: float = 0.0
    names: list = field(default_factory=list)

    def scale(self):
        return (self.high - self.low) / self.epsilon


@dataclass(frozen=True)
class Result:
    value: float
    epsilon: float


class Est:
    def __init__(self, epsilon=1.0, bounds=(0, 100)):
        self.epsilon = epsilon
        self.bounds = bounds

    def fit(self, X):
        lo, hi = self.bounds
        self.total_ = np.clip(X, lo, hi).sum() + np.random.laplace(scale=hi / self.epsilon)
        return self

    @staticmethod
    def half(x):
        return x / 2

    @classmethod
    def default(cls):
        return cls(epsilon=1.0)


class Call:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, v):
        return v + np.random.laplace(0, self.scale)


class Pair(NamedTuple):
    v: float
    s: float = 2.0


def twice_the_budget(data):
    e = Engine(data, 2.0)
    return e.count(1.0), e.total(1.0)


def with_its_data(data):
    return Engine(data, 1.0)


def count_beside(data):
    e = Engine(data, 1.0)
    return e.count(0.5), len(e.data)


def changed_parameters(data):
    p = Params(low=0, high=100)
    p.high = 50.0
    return np.clip(data, p.low, 100).sum() + np.random.laplace(0, p.scale())


def two_names_of_parameters(data):
    a = Params()
    b = a
    b.epsilon = 2.0
    return np.clip(data, a.low, a.high).sum() + np.random.laplace(0, a.scale())


class Shared:
    seen = []

    def __init__(self, data):
        self.data = data
        self.seen.append(len(data))

    def q(self):
        return self.seen[0] + np.random.laplace(0, 1)


def list_of_the_class(data):
    return Shared(data).q()


class Cnt:
    n = 0

    def __init__(self):
        Cnt.n += 1

    def q(self, d):
        return len(d) + np.random.laplace(0, 1 / self.n)


def number_of_the_class(data):
    return Cnt().q(data)


class GA:
    def __init__(self, d):
        self.d = d

    def __getattr__(self, k):
        return 5.0

    def q(self):
        return len(self.d) + np.random.laplace(0, self.scale)


def computed_attributes(data):
    return GA(data).q()


class St:
    def __init__(self, d):
        self.d = d
        self.b = 1.0

    def __setattr__(self, k, v):
        object.__setattr__(self, k, v * 2 if k == "b" else v)

    def q(self):
        return len(self.d) + np.random.laplace(0, 1 / self.b)


def computed_stores(data):
    return St(data).q()


def compared(data):
    e = Engine(data, 1.0)
    if e == 3:
        return 1.0
    return e.count(1.0)


class Meta(type):
    def __call__(cls, *a):
        return 7


class WM(metaclass=Meta):
    def __init__(self, d):
        self.d = d


def of_a_metaclass(data):
    return WM(data)


class Log:
    def __init__(self, d):
        self.d = d
        self.log = [len(d)]

    def q(self):
        return len(self.d) + np.random.laplace(0, 1)


def list_of_its_own(data):
    l = Log(data)
    return l.q(), l.log


@dataclass
class RL:
    v: float
    d: object


def result_with_data(data):
    return RL(len(data) + np.random.laplace(0, 1), data)


def silent():
    return 0.0


class Noisy:
    def noise(self):
        return np.random.laplace(0, 1)

    @property
    def scale(self):
        return 1.0


class SilentInside(Noisy):
    def __init__(self):
        self.noise = lambda: 0.0


class SilentGiven(Noisy):
    def __init__(self, noise):
        self.noise = noise


@dataclass
class SilentField(Noisy):
    noise: object


@dataclass
class ScaleField(Noisy):
    scale: float = 0.001


def method_hidden_inside(data):
    return len(data) + SilentInside().noise()


def method_hidden_by_an_argument(data):
    return len(data) + SilentGiven(silent).noise()


def method_hidden_by_a_field(data):
    return len(data) + SilentField(silent).noise()


def property_and_field(data):
    return len(data) + np.random.laplace(0, ScaleField().scale)


class Both(NamedTuple):
    v: float
    s: float


class Secret(Both):
    @property
    def v(self):
        return self.s


class Five(Both):
    v = 5


class Swapped(Both):
    _fields = ("s", "v")


class Late(NamedTuple):
    v: float = 1.0


Late.__new__.__defaults__ = (0.001,)


def field_that_a_property_overrides(data):
    return Secret(len(data) + np.random.laplace(0, 1), len(data)).v


def field_that_a_number_overrides(data):
    return len(data) * Five(1.0, 0.0).v + np.random.laplace(0, 1)


def fields_renamed(data):
    return Swapped(len(data) + np.random.laplace(0, 1), len(data)).s


def defaults_changed_late(data):
    return len(data) + np.random.laplace(0, Late().v)


@dataclass
class Small:
    s: float = 0.001
    kept: float = field(init=False, default=1.0)


@dataclass(init=False)
class Large(Small):
    s: float = 1.0


class After(Small):
    def __post_init__(self):
        self.s = 1.0


class Kept(Small):
    kept = 0.001


def defaults_of_a_class_that_makes_no_init(data):
    return len(data) + np.random.laplace(0, Large().s)


def post_init_that_is_not_called(data):
    return len(data) + np.random.laplace(0, After().s)


def default_that_a_class_overrides(data):
    return len(data) + np.random.laplace(0, Kept().kept)
