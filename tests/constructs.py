"""Constructs of public DP code, each in a short sound mechanism and in a broken one.

They stand in the order of how often public code has them. A broken one has one defect.
"""

from __future__ import annotations

import logging
import math
import random
import secrets
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.stats

from dpaudit import AddRemove, AnyPair, Categorical, PureDP, Real, Row, ZeroConcentratedDP

log = logging.getLogger(__name__)
COLORS = ("red", "green", "blue")

# ruff: noqa: NPY002


def global_draw(data):
    return np.sum(np.clip(data, 0, 1)) + np.random.laplace(0, 1)


def global_draw_too_small(data):
    return np.sum(np.clip(data, 0, 1)) + np.random.laplace(0, 0.25)


class Engine:
    def __init__(self, data, epsilon):
        self.data, self.epsilon = data, epsilon

    def count(self, share):
        return len(self.data) + self.noise(1 / (share * self.epsilon))

    def total(self, share):
        return np.clip(self.data, 0, 1).sum() + self.noise(1 / (share * self.epsilon))

    def noise(self, scale):
        return np.random.laplace(0, scale)


def object_inside(data):
    engine = Engine(data, 1.0)
    return engine.count(0.5), engine.total(0.5)


def object_inside_spends_twice(data):
    engine = Engine(data, 1.0)
    return engine.count(1.0), engine.total(1.0)


def python_gauss(data):
    return sum(min(max(x, 0.0), 1.0) for x in data) + random.gauss(0, 1)


def python_gauss_too_small(data):
    return sum(min(max(x, 0.0), 1.0) for x in data) + random.gauss(0, 0.5)


def inverse_laplace(scale):
    u = random.random() - 0.5
    return -scale * math.copysign(1, u) * math.log(1 - 2 * abs(u))


def inverse_distribution(data):
    return len(data) + inverse_laplace(1)


def inverse_distribution_too_small(data):
    return len(data) + inverse_laplace(1 / 3)


def weighted_choice(data):
    scores = np.array([data.count(color) for color in COLORS])
    weights = np.exp(scores / 2)
    return np.random.choice(COLORS, p=weights / weights.sum())


def weighted_choice_without_half(data):
    scores = np.array([data.count(color) for color in COLORS])
    weights = np.exp(2 * scores)
    return np.random.choice(COLORS, p=weights / weights.sum())


class Budget:
    def __init__(self, total):
        self.total, self.spent = total, 0.0

    def spend(self, epsilon):
        if self.spent + epsilon > self.total:
            raise ValueError("the budget is spent")
        self.spent += epsilon
        return 1 / epsilon


def budget_kept(data, rng):
    budget = Budget(1.0)
    first = len(data) + rng.laplace(scale=budget.spend(0.5))
    return first, data.clip(0, 1).sum() + rng.laplace(scale=budget.spend(0.5))


def budget_overspent(data, rng):
    budget = Budget(2.0)
    first = len(data) + rng.laplace(scale=budget.spend(1.0))
    return first, data.clip(0, 1).sum() + rng.laplace(scale=budget.spend(1.0))


@dataclass
class Parameters:
    epsilon: float = 1.0
    bound: float = 1.0


@dataclass
class Result:
    total: float
    size: float


def parameters_and_result(data, rng):
    given = Parameters(epsilon=0.5)
    total = data.clip(0, given.bound).sum() + rng.laplace(scale=given.bound / given.epsilon)
    return Result(total, len(data) + rng.laplace(scale=1 / given.epsilon))


def parameters_and_raw_result(data, rng):
    given = Parameters()
    total = data.clip(0, given.bound).sum() + rng.laplace(scale=given.bound / given.epsilon)
    return Result(total, len(data))


def logged(data, rng):
    noisy = len(data) + rng.laplace(scale=1)
    log.info("released %.3f", noisy)
    print("done:", noisy)
    return noisy


def logged_raw(data, rng):
    log.info("counting %d records", len(data))
    return len(data) + rng.laplace(scale=1)


SYSTEM = secrets.SystemRandom()


def system_coin(answer):
    if SYSTEM.random() < 0.5:
        return answer
    return secrets.choice(["yes", "no"])


def system_coin_too_honest(answer):
    if SYSTEM.random() < 0.9:
        return answer
    return secrets.choice(["yes", "no"])


def counted_by_key(data, rng):
    counts = dict.fromkeys(COLORS, 0)
    for color in data:
        counts[color] += 1
    return {color: count + rng.laplace(scale=1) for color, count in counts.items()}


def counted_by_private_key(data, rng):
    counts = Counter(data)
    return {color: count + rng.laplace(scale=1) for color, count in counts.items()}


def computed_default(data, rng=np.random.default_rng()):  # noqa: B008
    return len(data) + rng.laplace(0, 1)


def computed_default_with_a_seed(data, generator=np.random.default_rng(7)):  # noqa: B008
    return len(data) + generator.laplace(0, 1)


def index_of_largest(data, rng):
    noisy = [data.count(color) + rng.laplace(scale=2) for color in COLORS]
    return COLORS[noisy.index(max(noisy))]


def index_of_largest_raw(data):
    counts = {color: data.count(color) for color in COLORS}
    return max(counts, key=lambda color: counts[color])


def frame_groups(frame, rng):
    sizes = frame.groupby("color").size().reindex(COLORS, fill_value=0)
    return sizes + rng.laplace(scale=1, size=len(COLORS))


def frame_groups_of_the_data(frame, rng):
    sizes = frame["color"].value_counts()
    return sizes + rng.laplace(scale=1, size=len(sizes))


def seed_parameter(data, seed=None):
    rng = np.random.default_rng(seed)
    return len(data) + rng.laplace(0, 1)


def seed_in_the_file(data):
    rng = np.random.default_rng(42)
    return len(data) + rng.laplace(0, 1)


def scipy_draw(data):
    return len(data) + scipy.stats.laplace.rvs(loc=0, scale=1)


def scipy_draw_too_small(data):
    return len(data) + scipy.stats.laplace.rvs(loc=0, scale=0.25)


def value_as_location(data):
    return np.random.laplace(loc=len(data), scale=1)


def value_as_location_range_over_size(data):
    mean = np.clip(data, 0, 1).mean() if len(data) else 0.5
    return np.random.laplace(loc=mean, scale=1 / max(len(data), 1))


def frame_expression(frame, rng):
    total = frame.select(pl.col("amount").clip(0, 1).sum()).item()
    return total + rng.laplace(scale=1)


def frame_expression_unclipped(frame, rng):
    total = frame.select(pl.col("amount").sum()).item()
    return total + rng.laplace(scale=1)


def with_options(data, rng, **options):
    try:
        scale = 1 / options.get("epsilon", 1.0)
    except ZeroDivisionError:
        warnings.warn("epsilon must not be 0", stacklevel=2)
        raise
    yield len(data) + rng.laplace(scale=scale)


def listed(data, rng):
    return list(with_options(data, rng))


def with_an_error_that_tells(data, rng, **options):
    try:
        share = 1 / len(data)
    except ZeroDivisionError:
        return None
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=options.get("scale", 1.0)), share < 2


def unary_encoding(value, rng):
    bits = np.zeros(3)
    bits[COLORS.index(value)] = 1
    flips = rng.random(3) < 1 / (1 + math.exp(0.5))
    return np.where(flips, 1 - bits, bits)


def redrawn_answer(value, rng):
    if rng.random() < 0.9:
        return value
    other = value
    while other == value:
        other = COLORS[rng.integers(3)]
    return other


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct with its two mechanisms.

    Attributes
    ----------
    name : str
        As Markdown.
    sound, broken : callable
    ids : tuple of str
        Kinds of violation that name the defect.
    claim : Claim
    neighbors : Neighbors
    """

    name: str
    sound: Callable[..., Any]
    broken: Callable[..., Any]
    ids: tuple[str, ...]
    claim: Any = PureDP(1.0)  # noqa: RUF009
    neighbors: Any = AddRemove(Real(0, 1), max_size=6)  # noqa: RUF009


WORDS = AddRemove(Categorical(list(COLORS)), max_size=6, container="list")
FRAME = AddRemove(Row(color=Categorical(list(COLORS))), max_size=6, container="pandas")
AMOUNTS = AddRemove(Row(amount=Real(0, 1, enforced=False)), max_size=6, container="polars")
CONSTRUCTS = (
    Construct(
        "`np.random.laplace` and other draws of `np.random`",
        global_draw,
        global_draw_too_small,
        ("DPA105", "DPA106"),
    ),
    Construct(
        "an object that is made inside the release",
        object_inside,
        object_inside_spends_twice,
        ("DPA107",),
    ),
    Construct(
        "functions of `random` (`gauss`)",
        python_gauss,
        python_gauss_too_small,
        ("DPA105", "DPA106"),
        ZeroConcentratedDP(0.5),
    ),
    Construct(
        "Laplace noise by the inverse distribution function",
        inverse_distribution,
        inverse_distribution_too_small,
        ("DPA105", "DPA106"),
    ),
    Construct(
        "a choice with `p=` (exponential mechanism)",
        weighted_choice,
        weighted_choice_without_half,
        ("DPA105", "DPA106"),
        neighbors=WORDS,
    ),
    Construct(
        "`self.spent += …`, a budget that raises",
        budget_kept,
        budget_overspent,
        ("DPA107",),
    ),
    Construct(
        "a dataclass of parameters or results",
        parameters_and_result,
        parameters_and_raw_result,
        ("DPA101",),
    ),
    Construct("`logging`, `print`", logged, logged_raw, ("DPA101",)),
    Construct(
        "`secrets`, `SystemRandom`",
        system_coin,
        system_coin_too_honest,
        ("DPA106",),
        PureDP(math.log(3)),
        AnyPair(Categorical(["yes", "no"])),
    ),
    Construct(
        "`d[k] += 1`, `.items()`, `Counter`",
        counted_by_key,
        counted_by_private_key,
        ("DPA109",),
        neighbors=WORDS,
    ),
    Construct(
        "a default that is computed (`rng=default_rng()`)",
        computed_default,
        computed_default_with_a_seed,
        ("DPA110",),
    ),
    Construct(
        "`index(max(…))`, `max(key=…)`",
        index_of_largest,
        index_of_largest_raw,
        ("DPA101",),
        neighbors=WORDS,
    ),
    Construct(
        "pandas: `groupby`, `value_counts`",
        frame_groups,
        frame_groups_of_the_data,
        ("DPA109",),
        neighbors=FRAME,
    ),
    Construct(
        "`seed=None` as a parameter; a seed in the file",
        seed_parameter,
        seed_in_the_file,
        ("DPA110",),
    ),
    Construct("`scipy.stats.laplace.rvs`", scipy_draw, scipy_draw_too_small, ("DPA105", "DPA106")),
    Construct(
        "the value as the noise's `loc`",
        value_as_location,
        value_as_location_range_over_size,
        ("DPA103",),
    ),
    Construct(
        "polars expressions",
        frame_expression,
        frame_expression_unclipped,
        ("DPA104",),
        neighbors=AMOUNTS,
    ),
    Construct(
        "`try`/`except`, `yield`, `**kwargs`, `warnings`",
        listed,
        with_an_error_that_tells,
        ("DPA101", "DPA108"),
    ),
    Construct(
        "unary encoding with `v[x] = 1`; `while y == x`",
        unary_encoding,
        redrawn_answer,
        ("DPA106",),
        neighbors=AnyPair(Categorical(list(COLORS))),
    ),
)
