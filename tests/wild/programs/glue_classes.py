"""Estimators, query engines and helpers that keep their data in attributes."""

import logging
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

log = logging.getLogger(__name__)


class MeanEstimator:
    def __init__(self, epsilon, low=0.0, high=100.0):
        self.epsilon = epsilon
        self.low = low
        self.high = high

    def fit(self, values, rng):
        clipped = np.clip(values, self.low, self.high)
        self.n_ = max(1, len(clipped))
        self.sensitivity_ = (self.high - self.low) / self.n_
        self.mean_ = clipped.sum() / self.n_ + rng.laplace(0, self.sensitivity_ / self.epsilon)
        return self


def mean_by_estimator(data, rng):
    return MeanEstimator(1.0).fit(data, rng).mean_


class Standardizer:
    """Releases a noisy mean, after scaling by the range that it has seen."""

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def _learn(self, values):
        self.min_ = values.min() if len(values) else 0.0
        self.max_ = values.max() if len(values) else 1.0

    def transform(self, values):
        width = max(self.max_ - self.min_, 1e-9)
        return (values - self.min_) / width

    def release(self, values, rng):
        self._learn(values)
        scaled = self.transform(values)
        return scaled.sum() + rng.laplace(scale=1.0 / self.epsilon)


def scaled_sum(data, rng):
    return Standardizer(1.0).release(data, rng)


class QueryServer:
    def __init__(self, records, budget, rng):
        self._records = records
        self._budget = budget
        self._spent = 0.0
        self._rng = rng

    def _charge(self, epsilon):
        self._spent += epsilon

    def count(self, predicate, epsilon):
        self._charge(epsilon)
        matching = [r for r in self._records if predicate(r)]
        return len(matching) + self._rng.laplace(scale=1.0 / epsilon)

    def total(self, epsilon):
        self._charge(epsilon)
        amount = 0.0
        for r in self._records:
            amount += min(max(r, 0.0), 10.0)
        return amount + self._rng.laplace(scale=10.0 / epsilon)


def three_answers(data, rng):
    server = QueryServer(data, 1.0, rng)
    return [
        server.count(lambda r: r > 2, epsilon=1.0),
        server.count(lambda r: r > 5, epsilon=1.0),
        server.total(epsilon=1.0),
    ]


class Ledger:
    def __init__(self, total):
        self.total = total
        self.used = 0.0

    def spend(self, amount):
        if self.used > self.total:
            raise RuntimeError("privacy budget exhausted")
        self.used += amount


def late_ledger(data, rng):
    ledger = Ledger(1.0)
    answers = []
    try:
        for limit in (2, 4, 6, 8):
            ledger.spend(0.5)
            answers.append(int((data > limit).sum()) + rng.laplace(scale=1 / 0.5))
    except RuntimeError:
        pass
    return answers


@dataclass
class Summary:
    total: float
    records: int


def summarize(data, rng):
    total = float(np.clip(data, 0, 10).sum())
    return Summary(total=total + rng.laplace(scale=10.0), records=len(data))


class Histogram:
    def __init__(self, bins):
        self.bins = bins
        self.counts = defaultdict(int)

    def add(self, value):
        self.counts[value] += 1

    def noisy(self, epsilon, rng):
        return {k: c + rng.laplace(scale=1 / epsilon) for k, c in self.counts.items()}


def word_counts(data, rng):
    histogram = Histogram(["a", "b", "c"])
    for word in data:
        histogram.add(word)
    return histogram.noisy(1.0, rng)


def counter_counts(data, rng):
    counts = Counter(data)
    words = sorted(counts)
    return [(w, counts[w] + rng.laplace(scale=1.0)) for w in words]


class Mechanism:
    def __init__(self, sensitivity, epsilon, seed=1234):
        self.scale = sensitivity / epsilon
        self.rng = np.random.default_rng(seed)

    def __call__(self, value):
        return value + self.rng.laplace(scale=self.scale)


def seeded_count(data):
    mechanism = Mechanism(1.0, 1.0)
    return mechanism(len(data))


class Clipper:
    def __init__(self, bound):
        self.bound = bound

    def clip(self, values):
        return np.minimum(values, self.bound)


def clipped_total(data, rng):
    clipper = Clipper(50.0)
    total = clipper.clip(data).sum()
    return total + rng.laplace(scale=50.0)


def logged_count(data, rng):
    over = sum(1 for x in data if x > 5)
    log.info("records over the limit: %d", over)
    return over + rng.laplace(scale=1.0)


class Model:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def fit(self, x, rng):
        self._check(x)
        self.total_ = self._total(x)
        self.noisy_ = self.total_ + rng.laplace(scale=1.0 / self.epsilon)
        return self

    def _check(self, x):
        if len(x) < 2:
            raise ValueError("need at least two records")

    def _total(self, x):
        return float(np.clip(x, 0, 1).sum())


def model_total(data, rng):
    return Model(1.0).fit(data, rng).noisy_


class VarianceReport:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def compute(self, values, rng):
        x = np.clip(values, 0.0, 10.0)
        self.sum_ = x.sum() + rng.laplace(scale=10.0 / (self.epsilon / 2))
        self.squares_ = (x**2).sum() + rng.laplace(scale=10.0 / (self.epsilon / 2))
        return self.sum_, self.squares_


def variance_report(data, rng):
    return VarianceReport(1.0).compute(data, rng)


def safe_average(data, rng):
    def average(values):
        if len(values) == 0:
            return 0.0
        return float(np.sum(values)) / len(values)

    def laplace(value, scale):
        return value + rng.laplace(0.0, scale)

    bounded = np.clip(data, 0, 20)
    return laplace(average(bounded), 20 / 8)


def best_seller(data, rng):
    counts = [int((data == item).sum()) for item in range(4)]
    noisy = [c + rng.laplace(scale=1.0) for c in counts]
    best = int(np.argmax(noisy))
    return best, counts[best]
