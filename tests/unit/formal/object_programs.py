"""Mechanisms that make objects: engines, accountants, estimators, parameters, results."""

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


def with_a_generator(data, rng):
    e = Engine(data, 1.0, rng)
    return e.count(0.5), e.total(0.5)


def with_a_property(data):
    e = Engine(data, 1.0)
    return e.count(0.5), e.total(0.5), e.left


def of_a_subclass(data):
    e = Sub(data, 1.0)
    return [e.count(0.25) for _ in range(4)]


def with_an_accountant(data):
    acc = Accountant(1.0)
    t = Two(data, acc)
    a = t.q(0.5)
    b = t.q(0.5)
    return a, b, acc.used


def with_parameters(data):
    p = Params()
    return np.clip(data, p.low, p.high).sum() + np.random.laplace(0, p.scale())


def that_is_returned(data):
    p = Params(epsilon=1.0, high=10)
    return Result(np.clip(data, p.low, p.high).sum() + np.random.laplace(0, p.scale()), p.epsilon)


def that_is_fitted(data):
    return Est(epsilon=1.0).fit(data).total_


def of_a_class_method(data):
    e = Est.default().fit(data)
    return Est.half(e.total_), e.half(3)


def that_is_called(data):
    n = Call(1.0)
    return n(len(data))


def while_budget_is_left(data):
    e = Engine(data, 1.0)
    out = []
    while e.left > 1e-6:
        out.append(e.count(0.25))
    return out


def of_a_named_tuple(data):
    r = Pair(len(data) + np.random.laplace(0, 1))
    return r.v * r.s


def helper(engine, e):
    return engine.count(e)


def under_two_names(data):
    e = Engine(data, 1.0)
    f = e
    x = helper(e, 0.5)
    y = helper(f, 0.5)
    return x, y, e.spent
