"""Further forms of public DP code: how it is put together, and what it computes from noisy answers.

As in `tests/constructs.py`, each has a sound mechanism and a broken one with one defect.
"""

from __future__ import annotations

import asyncio

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, Real, ReplaceOne, Row
from tests.constructs import Construct

COLORS = ("red", "green", "blue")
PRICES = pd.DataFrame({"color": COLORS, "price": [1.0, 0.5, 0.25]})
QUERIES = [lambda data: len(data), lambda data: sum(min(max(x, 0), 1) for x in data)]


def list_of_queries(data, rng):
    share = 1.0 / len(QUERIES)
    return [query(data) + rng.laplace(scale=1 / share) for query in QUERIES]


def list_of_queries_that_spends_twice(data, rng):
    return [query(data) + rng.laplace(scale=1) for query in QUERIES]


def above_threshold(answers, threshold, epsilon, rng):
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for i, answer in enumerate(answers):
        if answer + rng.laplace(scale=4 / epsilon) >= noisy:
            return i
    return None


def helper_of_sparse_vector(data, rng):
    return above_threshold([np.sum(data < t) for t in (2, 4, 6)], 3, 1.0, rng)


def above_threshold_raw(answers, threshold, epsilon, rng):
    noisy = threshold + rng.laplace(scale=2 / epsilon)
    for i, answer in enumerate(answers):
        if answer >= noisy:
            return i
    return None


def helper_of_sparse_vector_raw(data, rng):
    return above_threshold_raw([np.sum(data < t) for t in (2, 4, 6)], 3, 1.0, rng)


class Session:
    def __init__(self, data, epsilon, rng):
        self.data, self.left, self.rng = data, epsilon, rng

    def count(self, epsilon):
        return len(self.data) + self._noise(1, epsilon)

    def total(self, epsilon):
        return np.clip(self.data, 0, 1).sum() + self._noise(1, epsilon)

    def mean(self, epsilon):
        return self.total(epsilon) / max(len(self.data), 1)

    def _noise(self, sensitivity, epsilon):
        if epsilon > self.left:
            raise RuntimeError("the budget is spent")
        self.left -= epsilon
        return self.rng.laplace(scale=sensitivity / epsilon)


def session(data, rng):
    kept = Session(data, 1.0, rng)
    return kept.count(0.5), kept.total(0.5)


def session_with_a_raw_size(data, rng):
    kept = Session(data, 1.0, rng)
    return kept.count(0.5), kept.mean(0.5)


def result_as_dict(data, rng):
    return {"query": "count", "value": len(data) + rng.laplace(scale=1), "epsilon": 1.0}


def result_as_dict_with_raw_size(data, rng):
    return {"query": "count", "value": len(data) + rng.laplace(scale=1), "rows": len(data)}


async def fetch(data):
    await asyncio.sleep(0)
    return len(data)


async def two_counts(data, scale, rng):
    first = await fetch(data) + rng.laplace(scale=scale)
    return first, await fetch(data) + rng.laplace(scale=scale)


def asynchronous(data, rng):
    return asyncio.run(two_counts(data, 2, rng))


def asynchronous_spends_twice(data, rng):
    return asyncio.run(two_counts(data, 1, rng))


def stream(data, rng):
    for low in (0, 5):
        yield np.sum((data >= low) & (data < low + 5)) + rng.laplace(scale=1)


def generated(data, rng):
    return list(stream(data, rng))


def stream_of_records(data, rng):
    for x in data:
        yield x + rng.laplace(scale=10)


def generated_by_record(data, rng):
    return list(stream_of_records(data, rng))


def global_frame(data, rng):
    total = 0.0
    for color, price in zip(PRICES["color"], PRICES["price"], strict=True):
        total += price * data.count(color)
    return total + rng.laplace(scale=1)


def global_frame_too_dear(data, rng):
    total = 0.0
    for color, price in zip(PRICES["color"], PRICES["price"], strict=True):
        total += 2 * price * data.count(color)
    return total + rng.laplace(scale=1)


def choice_over_candidates(data, rng):
    candidates = np.arange(5)
    scores = np.array([-abs(np.sum(data < c) - np.sum(data > c)) for c in candidates])
    weights = np.exp(scores / 4)
    return rng.choice(candidates, p=weights / weights.sum())


def choice_over_candidates_of_the_data(data, rng):
    candidates = np.unique(data)
    scores = np.array([-abs(np.sum(data < c) - np.sum(data > c)) for c in candidates])
    weights = np.exp(scores / 4)
    return rng.choice(candidates, p=weights / weights.sum())


def top_two(data, rng):
    noisy = {color: data.count(color) + rng.laplace(scale=1) for color in COLORS}
    return sorted(noisy, key=lambda color: noisy[color], reverse=True)[:2]


def top_two_raw(data, rng):
    noisy = {color: data.count(color) + rng.laplace(scale=1) for color in COLORS}
    top = sorted(COLORS, key=data.count, reverse=True)[:2]
    return [(color, noisy[color]) for color in top]


def redrawn_until_in_range(data, rng):
    noisy = len(data) + rng.laplace(scale=2)
    while not 0 <= noisy <= 6:
        noisy = len(data) + rng.laplace(scale=2)
    return noisy


def redrawn_until_in_range_too_small(data, rng):
    noisy = len(data) + rng.laplace(scale=1)
    while not 0 <= noisy <= 6:
        noisy = len(data) + rng.laplace(scale=1)
    return noisy


def synthetic_records(data, rng):
    noisy = np.bincount(data, minlength=3) + rng.laplace(scale=1, size=3)
    weights = np.maximum(noisy, 0.1)
    return rng.choice(3, size=4, p=weights / weights.sum())


def synthetic_records_as_many(data, rng):
    noisy = np.bincount(data, minlength=3) + rng.laplace(scale=1, size=3)
    weights = np.maximum(noisy, 0.1)
    return rng.choice(3, size=len(data), p=weights / weights.sum())


def lloyd(data, epsilon, rng):
    centers = np.array([2.0, 8.0])
    for _ in range(2):
        nearest = np.abs(data[:, None] - centers).argmin(axis=1)
        for k in range(2):
            part = data[nearest == k]
            total = part.clip(0, 10).sum() + rng.laplace(scale=10 / epsilon)
            size = len(part) + rng.laplace(scale=1 / epsilon)
            centers[k] = np.clip(total / max(size, 1), 0, 10)
    return centers


def k_means(data, rng):
    return lloyd(data, 1 / 4, rng)


def k_means_overspent(data, rng):
    return lloyd(data, 1.0, rng)


def regression(data, rng):
    x, y = data["x"], data["y"]
    square = np.sum(x * x) + rng.laplace(scale=2)
    product = np.sum(x * y) + rng.laplace(scale=2)
    return product / max(square, 1.0)


def regression_by_raw_square(data, rng):
    x, y = data["x"], data["y"]
    square = np.sum(x * x)
    product = np.sum(x * y) + rng.laplace(scale=1)
    return product / max(square, 1.0)


WORDS = AddRemove(Categorical(list(COLORS)), max_size=6, container="list")
TEN = AddRemove(Real(0, 10), max_size=6)
OF_PROGRAMS = (
    Construct(
        "lists of query functions",
        list_of_queries,
        list_of_queries_that_spends_twice,
        ("DPA107",),
    ),
    Construct(
        "a helper that wraps the sparse vector technique",
        helper_of_sparse_vector,
        helper_of_sparse_vector_raw,
        ("DPA108",),
        neighbors=TEN,
    ),
    Construct(
        "a class that keeps data, budget and generator",
        session,
        session_with_a_raw_size,
        ("DPA103",),
    ),
    Construct("a dict as the result", result_as_dict, result_as_dict_with_raw_size, ("DPA101",)),
    Construct("`async` functions", asynchronous, asynchronous_spends_twice, ("DPA107",)),
    Construct(
        "generator functions",
        generated,
        generated_by_record,
        ("DPA108", "DPA109"),
        neighbors=TEN,
    ),
    Construct(
        "a global frame",
        global_frame,
        global_frame_too_dear,
        ("DPA105", "DPA106"),
        neighbors=WORDS,
    ),
    Construct(
        "`rng.choice` over candidates",
        choice_over_candidates,
        choice_over_candidates_of_the_data,
        ("DPA109",),
        neighbors=ReplaceOne(Integer(0, 4), size=4),
    ),
    Construct("`sorted(…, key=…)[:k]`", top_two, top_two_raw, ("DPA101",), neighbors=WORDS),
    Construct(
        "rejection loops",
        redrawn_until_in_range,
        redrawn_until_in_range_too_small,
        ("DPA106",),
    ),
    Construct(
        "synthetic records sampled from noisy marginals",
        synthetic_records,
        synthetic_records_as_many,
        ("DPA101", "DPA109"),
        neighbors=AddRemove(Integer(0, 2), max_size=6),
    ),
    Construct("k-means on noisy sums", k_means, k_means_overspent, ("DPA107",), neighbors=TEN),
    Construct(
        "regression on noisy sums",
        regression,
        regression_by_raw_square,
        ("DPA103",),
        neighbors=AddRemove(Row(x=Real(0, 1), y=Real(0, 1)), max_size=6),
    ),
)
