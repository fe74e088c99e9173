"""A tiny query engine with a privacy budget."""

import logging
import math
import random
from dataclasses import dataclass, field

import numpy as np

logger = logging.getLogger(__name__)


class BudgetExceeded(Exception):
    pass


@dataclass(frozen=True)
class PrivacyParams:
    epsilon: float = 1.0
    delta: float = 0.0
    bounds: tuple = (0.0, 100.0)


class LaplaceMechanism:
    def __init__(self, epsilon, sensitivity):
        if epsilon <= 0:
            raise ValueError("epsilon must be positive")
        self.epsilon = epsilon
        self.sensitivity = sensitivity

    @property
    def scale(self):
        return self.sensitivity / self.epsilon

    def sample(self):
        u = random.random() - 0.5
        return -self.scale * math.copysign(1.0, u) * math.log(1 - 2 * abs(u))

    def randomise(self, value):
        return value + self.sample()


class QueryEngine:
    def __init__(self, data, epsilon=1.0):
        self.data = data
        self.epsilon = epsilon
        self.spent = 0.0

    def _charge(self, eps):
        if self.spent + eps > self.epsilon + 1e-9:
            raise BudgetExceeded(f"only {self.epsilon - self.spent} left")
        self.spent += eps

    def count(self, eps):
        self._charge(eps)
        return LaplaceMechanism(eps, 1).randomise(len(self.data))

    def total(self, eps, low, high):
        self._charge(eps)
        width = max(abs(low), abs(high))
        clipped = [min(max(x, low), high) for x in self.data]
        return LaplaceMechanism(eps, width).randomise(sum(clipped))

    def total_by_width(self, eps, low, high):
        self._charge(eps)
        clipped = [min(max(x, low), high) for x in self.data]
        return LaplaceMechanism(eps, high - low).randomise(sum(clipped))


def count_release(data):
    return QueryEngine(data, epsilon=1.0).count(1.0)


def count_and_total(data):
    engine = QueryEngine(data, epsilon=1.0)
    return engine.count(0.5), engine.total(0.5, 0, 100)


def total_release(data):
    engine = QueryEngine(data)
    return engine.total_by_width(1.0, 50, 100)


def until_exhausted(data):
    engine = QueryEngine(data, epsilon=1.0)
    answers = []
    try:
        while True:
            answers.append(engine.count(0.25))
    except BudgetExceeded:
        return answers


class ForgetfulEngine(QueryEngine):
    def _charge(self, eps):
        if self.spent > self.epsilon:
            raise BudgetExceeded()
        self.spent += eps


def forgetful_release(data):
    engine = ForgetfulEngine(data, epsilon=1.0)
    return [engine.count(1.0), engine.count(1.0)]


@dataclass
class Result:
    value: float
    epsilon: float
    n_records: int = 0


def bounded_mean(data, params=PrivacyParams()):
    lo, hi = params.bounds
    values = np.clip(data, lo, hi)
    half = params.epsilon / 2
    count = len(values) + np.random.laplace(scale=1 / half)
    total = values.sum() + np.random.laplace(scale=hi / half)
    return Result(value=total / max(count, 1.0), epsilon=params.epsilon)


def bounded_mean_verbose(data, params=PrivacyParams()):
    lo, hi = params.bounds
    values = np.clip(data, lo, hi)
    half = params.epsilon / 2
    count = len(values) + np.random.laplace(scale=1 / half)
    total = values.sum() + np.random.laplace(scale=hi / half)
    return Result(total / max(count, 1.0), params.epsilon, n_records=len(values))


def logged_count(data, epsilon=1.0):
    logger.info("releasing a count with epsilon=%s", epsilon)
    noisy = len(data) + np.random.laplace(0, 1 / epsilon)
    logger.debug("noisy count %.2f", noisy)
    return noisy


def logged_exact_count(data, epsilon=1.0):
    logger.info("processing %d rows", len(data))
    return len(data) + np.random.laplace(0, 1 / epsilon)


class Standardizer:
    """fit() learns bounds, transform() scales to them."""

    def fit(self, x):
        self.low_ = x.min() if len(x) else 0.0
        self.high_ = x.max() if len(x) else 1.0
        return self

    def noisy_sum(self, x, epsilon):
        width = max(abs(self.low_), abs(self.high_))
        return x.sum() + np.random.laplace(0, width / epsilon)


def standardized_sum(data):
    return Standardizer().fit(data).noisy_sum(data, 1.0)


@dataclass
class Accountant:
    epsilon: float
    spent: float = 0.0
    log: list = field(default_factory=list)

    def spend(self, eps, what):
        if self.spent + eps > self.epsilon * (1 + 1e-12):
            raise BudgetExceeded(what)
        self.spent += eps
        self.log.append((what, eps))


def quarterly_report(data, epsilon=1.0):
    acc = Accountant(epsilon)
    out = {}
    for name, low, high in [("q1", 0, 25), ("q2", 25, 50), ("q3", 50, 75), ("q4", 75, 101)]:
        acc.spend(epsilon / 4, name)
        mask = (data >= low) & (data < high)
        out[name] = round(mask.sum() + np.random.laplace(0, 4 / epsilon), 2)
    return out


def quarterly_report_bad_budget(data, epsilon=1.0):
    out = {}
    for name, low in [("q1", 0), ("q2", 25), ("q3", 50), ("q4", 75)]:
        out[name] = (data >= low).sum() + np.random.laplace(0, 1 / epsilon)
    return out


def mean_or_error(data, epsilon=1.0):
    if len(data) == 0:
        raise ValueError("no data")
    return len(data) + np.random.laplace(0, 1 / epsilon)
