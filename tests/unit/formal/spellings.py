"""Counts, sums, means and loops as people write them, each with the claim that it keeps.

Every sound mechanism holds its claim by a sensitivity that is proved in some other spelling.
The broken twins look the same and break the claim.
"""

import functools
import math
import operator
import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    ZeroConcentratedDP,
)

REALS = AddRemove(Real(0, 10))
UNIT = AddRemove(Real(0, 1))
SIGNED = AddRemove(Real(-10, 10))
WILD = AddRemove(Real(0, 10, enforced=False))
LIST = AddRemove(Real(0, 10), container="list")
WILD_LIST = AddRemove(Real(0, 10, enforced=False), container="list")
DIGITS = AddRemove(Integer(0, 4))
DIGIT_LIST = AddRemove(Integer(0, 4), container="list")
WORDS = AddRemove(Categorical(["a", "b", "c"]), container="list")
PLANE = AddRemove(Row(x=Real(0, 1), y=Real(0, 1)))
PLANE_LIST = AddRemove(Row(x=Real(0, 1), y=Real(0, 1)), container="list")
EIGHT = ReplaceOne(Real(0, 1), size=8)
EIGHT_LIST = ReplaceOne(Real(0, 1), size=8, container="list")
SINGLE = ReplaceOne(Real(0, 10), size=1)
ONE_VALUE = AnyPair(Real(0, 10))
WILD_VALUE = AnyPair(Real(0, 10, enforced=False))
ANSWERS = QueryAnswers(4)
ROUNDED = QueryAnswers(4, norm="l2")
ONE = PureDP(1.0)


@dataclass(frozen=True)
class Case:
    mechanism: Any
    claim: Any
    neighbors: Any


SOUND: dict[str, Case] = {}
BROKEN: dict[str, Case] = {}


def sound(neighbors, claim=ONE):
    def kept(mechanism):
        SOUND[mechanism.__name__] = Case(mechanism, claim, neighbors)
        return mechanism

    return kept


def broken(neighbors, claim=ONE):
    def kept(mechanism):
        BROKEN[mechanism.__name__] = Case(mechanism, claim, neighbors)
        return mechanism

    return kept


# --- cells


@sound(DIGITS)
def cells_in_a_comprehension(data, rng):
    return [np.sum(data == k) + rng.laplace(scale=1.0) for k in range(5)]


@broken(DIGITS)
def cells_that_overlap(data, rng):
    return [np.sum(data >= k) + rng.laplace(scale=1.0) for k in range(5)]


@sound(REALS)
def two_halves(data, rng):
    low, high = data[data < 5], data[data >= 5]
    return len(low) + rng.laplace(scale=1.0), len(high) + rng.laplace(scale=1.0)


@broken(REALS)
def two_halves_that_share_a_point(data, rng):
    low, high = data[data <= 5], data[data >= 5]
    return len(low) + rng.laplace(scale=1.0), len(high) + rng.laplace(scale=1.0)


@sound(REALS)
def mask_and_complement(data, rng):
    mask = data > 3
    return data[mask].sum() + rng.laplace(scale=10.0), data[~mask].sum() + rng.laplace(scale=3.0)


@broken(REALS)
def mask_and_another(data, rng):
    mask = data > 3
    other = ~(data > 4)
    return data[mask].sum() + rng.laplace(scale=10.0), data[other].sum() + rng.laplace(scale=4.0)


@sound(REALS)
def bins_by_zip(data, rng, edges=(0, 2, 4, 6, 8, 11)):
    released = []
    for low, high in zip(edges, edges[1:], strict=False):
        released.append(np.sum((data >= low) & (data < high)) + rng.laplace(scale=1.0))
    return released


@broken(REALS)
def bins_closed_on_both_sides(data, rng, edges=(0, 2, 4, 6, 8, 11)):
    released = []
    for low, high in zip(edges, edges[1:], strict=False):
        released.append(np.sum((data >= low) & (data <= high)) + rng.laplace(scale=1.0))
    return released


@sound(REALS)
def bins_by_index(data, rng):
    edges = np.linspace(0, 10, 6)
    counts = []
    for i in range(len(edges) - 1):
        count = ((data >= edges[i]) & (data < edges[i + 1])).sum()
        counts.append(count + rng.laplace(0, 1.0))
    return np.array(counts)


@sound(PLANE)
def cells_by_two_keys(data, rng):
    table = {}
    for left in (True, False):
        for low in (True, False):
            inside = ((data["x"] < 0.5) == left) & ((data["y"] < 0.5) == low)
            table[left, low] = np.sum(inside) + rng.laplace(scale=1.0)
    return table


@sound(WORDS)
def count_of_each_word(data, rng):
    return {word: data.count(word) + rng.laplace(scale=1.0) for word in ("a", "b", "c")}


@broken(WORDS)
def count_of_words_twice(data, rng):
    return {k: data.count(word) + rng.laplace(scale=1.0) for k, word in enumerate("aab")}


@sound(DIGITS)
def cells_counted_then_noised(data, rng):
    counts = np.zeros(5)
    for k in range(5):
        counts[k] = np.sum(data == k)
    return counts + rng.laplace(scale=1.0, size=5)


@sound(DIGIT_LIST)
def cells_by_increment(data, rng):
    counts = [0] * 5
    for x in data:
        counts[x] += 1
    return [c + rng.laplace(scale=1.0) for c in counts]


@broken(DIGIT_LIST)
def cells_by_increment_of_two(data, rng):
    counts = [0] * 6
    for x in data:
        counts[x] += 1
        counts[x + 1] += 1
    return [c + rng.laplace(scale=1.0) for c in counts]


@sound(DIGITS)
def array_of_cells_by_increment(data, rng):
    counts = np.zeros(5)
    for x in data:
        counts[int(x)] += 1
    noisy = np.zeros(5)
    for i in range(5):
        noisy[i] = counts[i] + rng.laplace(0.0, 1.0)
    return noisy


@sound(WORDS)
def dictionary_of_counts(data, rng):
    counts = {"a": 0, "b": 0, "c": 0}
    for word in data:
        counts[word] += 1
    return {word: n + rng.laplace(scale=1.0) for word, n in counts.items()}


@sound(REALS)
def histogram_of_numpy(data, rng):
    counts, _ = np.histogram(data, bins=[0, 2, 4, 6, 8, 10])
    return counts + rng.laplace(scale=1.0, size=len(counts))


@sound(REALS)
def histogram_with_a_range(data, rng):
    counts, edges = np.histogram(data, bins=5, range=(0, 10))
    return counts + rng.laplace(scale=1.0, size=5), edges


@broken(REALS)
def histogram_with_edges_from_data(data, rng):
    counts, edges = np.histogram(data, bins=5)
    return counts + rng.laplace(scale=1.0, size=5), edges


@sound(REALS)
def digitized(data, rng):
    cell = np.digitize(data, [2, 4, 6, 8])
    return [np.sum(cell == k) + rng.laplace(scale=1.0) for k in range(5)]


@sound(REALS)
def floored(data, rng):
    cell = np.floor(data / 2).astype(int)
    return [np.sum(cell == k) + rng.laplace(scale=1.0) for k in range(6)]


@sound(REALS)
def cumulative_counts_of_noisy_cells(data, rng):
    counts = np.array([np.sum(data < 3), np.sum((data >= 3) & (data < 6)), np.sum(data >= 6)])
    return np.cumsum(counts + rng.laplace(scale=1.0, size=3))


@sound(REALS)
def cumulative_counts_then_noise(data, rng):
    counts, _ = np.histogram(data, bins=[0, 3, 6, 10])
    return np.cumsum(counts) + rng.laplace(scale=3.0, size=3)


@broken(REALS)
def cumulative_counts_with_noise_of_one(data, rng):
    counts, _ = np.histogram(data, bins=[0, 3, 6, 10])
    return np.cumsum(counts) + rng.laplace(scale=1.0, size=3)


# --- loops over records


@sound(REALS)
def running_sum(data, rng):
    total = 0.0
    for x in data:
        total += x
    return total + rng.laplace(scale=10.0)


@sound(WILD_LIST)
def running_clipped_sum(data, rng):
    total = 0.0
    for x in data:
        total += min(max(x, 0), 10)
    return total + rng.laplace(scale=10.0)


@broken(WILD_LIST)
def running_sum_clipped_above(data, rng):
    total = 0.0
    for x in data:
        total += min(x, 10)
    return total + rng.laplace(scale=10.0)


@sound(REALS)
def count_in_an_if(data, rng):
    count = 0
    for x in data:
        if x > 5:
            count += 1
    return count + rng.laplace(scale=1.0)


@broken(REALS)
def count_in_an_if_by_two(data, rng):
    count = 0
    for x in data:
        if x > 5:
            count += 2
        else:
            count += 1
    return count + rng.laplace(scale=1.0)


@sound(REALS)
def sum_by_range(data, rng):
    total = 0.0
    for i in range(len(data)):
        total = total + data[i]
    return total + rng.laplace(scale=10.0)


@broken(REALS)
def sum_by_range_of_neighbors(data, rng):
    total = 0.0
    for i in range(1, len(data)):
        total = total + data[i] * data[i - 1]
    return total + rng.laplace(scale=10.0)


@sound(REALS)
def sum_by_enumerate(data, rng):
    total = 0.0
    for _, x in enumerate(data):
        total += x
    return total + rng.laplace(scale=10.0)


@broken(REALS)
def sum_by_enumerate_with_weights(data, rng):
    total = 0.0
    for i, x in enumerate(data):
        total += i * x
    return total + rng.laplace(scale=10.0)


@sound(REALS)
def sum_by_while(data, rng):
    total, i = 0.0, 0
    while i < len(data):
        total += data[i]
        i += 1
    return total + rng.laplace(scale=10.0)


@sound(PLANE)
def sum_by_zip_of_columns(data, rng):
    total = 0.0
    for x, y in zip(data["x"], data["y"], strict=True):
        total += x * y
    return total + rng.laplace(scale=1.0)


@sound(PLANE_LIST)
def sum_of_rows_as_dicts(data, rng):
    total = 0.0
    for row in data:
        total += row["x"] + row["y"]
    return total + rng.laplace(scale=2.0)


@sound(WILD_LIST)
def loop_that_clips_by_ifs(data, rng):
    total = 0.0
    for x in data:
        if x < 0:
            x = 0
        elif x > 10:
            x = 10
        total += x
    return total + rng.laplace(scale=10.0)


@sound(LIST)
def loop_with_continue(data, rng):
    total = 0.0
    for x in data:
        if x > 5:
            continue
        total += x
    return total + rng.laplace(scale=5.0)


@sound(LIST)
def list_that_grows(data, rng):
    kept = []
    for x in data:
        if x > 5:
            kept.append(x)
    return len(kept) + rng.laplace(scale=1.0), sum(kept) + rng.laplace(scale=10.0)


SOUND["list_that_grows"] = Case(list_that_grows, PureDP(2.0), LIST)


@sound(REALS, PureDP(2.0))
def sum_and_count_of_one_loop(data, rng):
    total, count = 0.0, 0
    for x in data:
        total += x
        count += 1
    return (total + rng.laplace(scale=10.0)) / max(count + rng.laplace(scale=1.0), 1.0)


@broken(LIST)
def loop_with_break(data, rng):
    total = 0.0
    for x in data:
        if x > 9:
            break
        total += x
    return total + rng.laplace(scale=10.0)


@sound(REALS)
def a_helper_that_sums(data, rng):
    def add_up(values):
        s = 0
        for v in values:
            s += v
        return s

    return add_up(data) + rng.laplace(scale=10.0)


# --- lists, maps, reductions


@sound(LIST)
def sum_of_a_map(data, rng):
    return sum(map(lambda x: min(x, 5), data)) + rng.laplace(scale=5.0)


@sound(LIST)
def length_of_a_filter(data, rng):
    return len(list(filter(lambda x: x > 5, data))) + rng.laplace(scale=1.0)


@sound(LIST)
def reduced_by_lambda(data, rng):
    return functools.reduce(lambda a, b: a + b, data, 0) + rng.laplace(scale=10.0)


@sound(LIST)
def reduced_by_operator(data, rng):
    return functools.reduce(operator.add, data, 0.0) + rng.laplace(scale=10.0)


@broken(LIST)
def reduced_by_product(data, rng):
    return functools.reduce(lambda a, b: a * b, data, 1) + rng.laplace(scale=10.0)


@sound(LIST)
def sum_of_a_generator(data, rng):
    return sum(1 for x in data if x > 5) + rng.laplace(scale=1.0)


@sound(LIST)
def sum_of_booleans(data, rng):
    return sum(x > 5 for x in data) + rng.laplace(scale=1.0)


@sound(LIST)
def array_of_a_list(data, rng):
    return np.array(list(data)).sum() + rng.laplace(scale=10.0)


@sound(WILD_LIST)
def asarray_with_dtype(data, rng):
    values = np.asarray(data, dtype=float)
    return np.clip(values, 0, 10).sum() + rng.laplace(scale=10.0)


@sound(LIST)
def fsum_of_a_list(data, rng):
    return math.fsum(data) + rng.laplace(scale=10.0)


@sound(EIGHT_LIST)
def mean_by_length(data, rng):
    return sum(data) / len(data) + rng.laplace(scale=1 / 8)


@broken(EIGHT_LIST)
def mean_by_length_of_sum_noise(data, rng):
    return sum(data) / (len(data) - 1) + rng.laplace(scale=1 / 8)


@sound(EIGHT_LIST)
def mean_by_statistics(data, rng):
    return statistics.fmean(data) + rng.laplace(scale=1 / 8)


@sound(EIGHT_LIST)
def mean_by_plain_statistics(data, rng):
    return statistics.mean(data) + rng.laplace(scale=1 / 8)


@sound(EIGHT)
def mean_by_average(data, rng):
    return np.average(data) + rng.laplace(scale=1 / 8)


@sound(EIGHT)
def variance_of_known_size(data, rng):
    return np.var(data) + rng.laplace(scale=7 / 64)


@broken(EIGHT)
def variance_with_too_little_noise(data, rng):
    return np.var(data) + rng.laplace(scale=6 / 64)


@sound(EIGHT)
def variance_by_hand(data, rng):
    mean = data.mean()
    return np.mean((data - mean) ** 2) + rng.laplace(scale=1 / 8)


@sound(EIGHT)
def deviation_of_known_size(data, rng):
    return np.std(data) + rng.laplace(scale=0.5)


@sound(EIGHT)
def median_by_statistics(data, rng):
    return statistics.median(data) + rng.laplace(scale=1.0)


@sound(REALS)
def largest_with_initial(data, rng):
    return np.max(data, initial=0.0) + rng.laplace(scale=10.0)


@sound(LIST)
def largest_with_default(data, rng):
    return max(data, default=0.0) + rng.laplace(scale=10.0)


@broken(LIST)
def largest_with_a_far_default(data, rng):
    return max(data, default=-5.0) + rng.laplace(scale=10.0)


@sound(LIST)
def median_of_a_sorted_list(data, rng):
    if len(data) == 0:
        return 5.0 + rng.laplace(scale=10.0)
    return sorted(data)[len(data) // 2] + rng.laplace(scale=10.0)


@broken(LIST)
def nothing_without_data(data, rng):
    if len(data) == 0:
        return 0.0
    return sum(data) + rng.laplace(scale=10.0)


# --- linear algebra


@sound(EIGHT)
def weighted_by_dot(data, rng):
    weights = np.array([1.0, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25])
    return np.dot(weights, data) + rng.laplace(scale=1.0)


@broken(EIGHT)
def weighted_by_dot_of_more(data, rng):
    weights = np.array([1.0, 0.5, 0.5, 2.25, 0.25, 0.25, 0.25, 0.25])
    return np.dot(weights, data) + rng.laplace(scale=1.0)


@sound(EIGHT)
def weighted_by_at(data, rng):
    weights = np.arange(8) / 7
    return weights @ data + rng.laplace(scale=1.0)


@sound(EIGHT)
def average_with_weights(data, rng):
    return np.average(data, weights=[2, 1, 1, 1, 1, 1, 1, 0]) + rng.laplace(scale=0.25)


@sound(PLANE)
def columns_by_dot(data, rng):
    return np.dot(data["x"], data["y"]) + rng.laplace(scale=1.0)


@sound(REALS)
def ones_by_dot(data, rng):
    return np.dot(np.ones(len(data)), data) + rng.laplace(scale=10.0)


@sound(REALS)
def squares_by_dot(data, rng):
    return data @ data + rng.laplace(scale=100.0)


def gradients(data):
    return np.column_stack([data["x"] - 0.5, 3 * data["y"]])


@sound(PLANE, ZeroConcentratedDP(0.5))
def rows_clipped_in_a_loop(data, rng):
    total = np.zeros(2)
    for row in gradients(data):
        norm = np.linalg.norm(row)
        if norm > 1.0:
            row = row * (1.0 / norm)
        total += row
    return total + rng.normal(scale=1.0, size=2)


@broken(PLANE, ZeroConcentratedDP(0.5))
def rows_clipped_in_a_loop_after_use(data, rng):
    total = np.zeros(2)
    for row in gradients(data):
        norm = np.linalg.norm(row)
        total += row
        if norm > 1.0:
            row = row * (1.0 / norm)
    return total + rng.normal(scale=1.0, size=2)


@sound(PLANE, ZeroConcentratedDP(0.5))
def rows_clipped_by_minimum(data, rng):
    rows = gradients(data)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    clipped = rows * np.minimum(1.0, 1.0 / np.maximum(norms, 1e-12))
    return clipped.sum(axis=0) + rng.normal(scale=1.0, size=2)


@sound(PLANE, ZeroConcentratedDP(0.5))
def rows_clipped_by_maximum(data, rng):
    rows = gradients(data)
    norms = np.linalg.norm(rows, axis=1)
    clipped = rows / np.maximum(1.0, norms / 1.0)[:, None]
    return np.sum(clipped, axis=0) + rng.normal(0, 1.0, size=2)


@sound(PLANE, ZeroConcentratedDP(0.5))
def rows_clipped_by_root_of_squares(data, rng):
    rows = gradients(data)
    norms = np.sqrt((rows**2).sum(axis=1))
    clipped = rows * np.minimum(1.0, 1.0 / (norms + 1e-9))[:, np.newaxis]
    return np.sum(clipped, axis=0) + rng.normal(0, 1.0, size=2)


@broken(PLANE, ZeroConcentratedDP(0.5))
def rows_clipped_by_each_entry(data, rng):
    rows = np.clip(gradients(data), -1, 1)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2)


@sound(PLANE_LIST, ZeroConcentratedDP(0.5))
def rows_clipped_by_hypot(data, rng):
    a = b = 0.0
    for row in data:
        size = math.hypot(row["x"], row["y"])
        factor = 1.0 / max(1.0, size)
        a += row["x"] * factor
        b += row["y"] * factor
    return np.array([a, b]) + rng.normal(scale=1.0, size=2)


@sound(PLANE_LIST, ZeroConcentratedDP(0.5))
def rows_clipped_by_math(data, rng):
    total = np.zeros(2)
    for row in data:
        v = [row["x"], row["y"]]
        size = math.sqrt(sum(c * c for c in v))
        factor = min(1.0, 1.0 / size) if size > 0 else 1.0
        total += np.array([c * factor for c in v])
    return total + rng.normal(scale=1.0, size=2)


# --- local mechanisms and answers


@sound(SINGLE)
def the_only_record(data, rng):
    return data[0] + rng.laplace(scale=10.0)


@sound(ONE_VALUE)
def one_value(x, rng, low=0.0, high=10.0, epsilon=1.0):
    return x + rng.laplace(0, (high - low) / epsilon)


@broken(ONE_VALUE)
def one_value_with_noise_for_its_middle(x, rng, low=0.0, high=10.0, epsilon=1.0):
    return x + rng.laplace(0, (high - low) / 2 / epsilon)


@sound(WILD_VALUE)
def one_value_clipped(x, rng):
    return min(max(x, 0.0), 10.0) + rng.laplace(scale=10.0)


@sound(WILD_VALUE)
def one_value_clipped_by_numpy(x, rng):
    return np.clip(x, 0.0, 10.0) + rng.laplace(scale=10.0)


@broken(WILD_VALUE)
def one_value_not_clipped(x, rng):
    return x + rng.laplace(scale=10.0)


@sound(ONE_VALUE)
def one_value_of_at_least_one_dimension(x, rng):
    return np.atleast_1d(x) + rng.laplace(scale=10.0, size=1)


@sound(ANSWERS)
def noise_entry_by_entry(answers, rng):
    return [a + rng.laplace(scale=4.0) for a in answers]


@sound(ANSWERS)
def noise_by_position(answers, rng):
    noisy = np.zeros(len(answers))
    for i in range(len(answers)):
        noisy[i] = answers[i] + rng.laplace(scale=4.0)
    return noisy


@broken(ANSWERS)
def one_noise_for_all_entries(answers, rng):
    noise = rng.laplace(scale=4.0)
    return [a + noise for a in answers]


@sound(ROUNDED, ApproxDP(1.0, 1e-5))
def gaussian_answers(answers, rng, epsilon=1.0, delta=1e-5):
    sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    return np.array([a + rng.normal(0, sigma) for a in answers])


@sound(ROUNDED, ZeroConcentratedDP(0.5))
def answers_of_two_dimensions(answers, rng):
    return np.atleast_2d(answers) + rng.normal(size=(1, 4))


# --- what comes after, and before


@sound(REALS, PureDP(2.0))
def mean_of_noisy_values(data, rng):
    s = data.sum() + rng.laplace(scale=10.0)
    n = len(data) + rng.laplace(scale=1.0)
    return s / n if n > 1 else 0.0


@broken(REALS, PureDP(2.0))
def mean_by_a_private_test(data, rng):
    s = data.sum() + rng.laplace(scale=10.0)
    n = len(data) + rng.laplace(scale=1.0)
    return s / n if len(data) > 1 else 0.0


@sound(REALS)
def halved_while_noisy(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    steps = 0
    while n > 1 and steps < 20:
        n = n / 2
        steps += 1
    return steps


@sound(REALS)
def validated_arguments(data, rng, epsilon=1.0, upper=10.0):
    if epsilon <= 0:
        raise ValueError("epsilon must be positive")
    if not isinstance(upper, int | float):
        raise TypeError("upper must be a number")
    assert upper > 0
    clipped = np.clip(data, 0, upper)
    return float(clipped.sum() + rng.laplace(0.0, upper / epsilon))


@sound(REALS)
def early_return_on_a_public_test(data, rng, epsilon=1.0):
    if epsilon == 0:
        return 0.0
    return np.sum(data) + rng.laplace(scale=10.0 / epsilon)


def noisy(value, rng, *, sensitivity=1.0, epsilon=1.0):
    return value + rng.laplace(scale=sensitivity / epsilon)


@sound(REALS)
def keywords_unpacked(data, rng):
    options = {"sensitivity": 10.0, "epsilon": 1.0}
    return noisy(data.sum(), rng, **options)


@sound(REALS)
def rounded_noise(data, rng):
    return round(len(data) + rng.laplace(scale=1.0)), int(len(data) // 1)


del SOUND["rounded_noise"]
BROKEN["rounded_noise"] = Case(rounded_noise, ONE, REALS)


@sound(REALS)
def any_over_a_threshold(data, rng):
    return float(np.any(data > 9)) + rng.laplace(scale=1.0)


@sound(REALS)
def all_over_a_threshold(data, rng):
    return int(np.all(data > 1)) + rng.laplace(scale=1.0)


@sound(SIGNED)
def sum_of_signs(data, rng):
    return np.sign(data).sum() + rng.laplace(scale=1.0)


@sound(AddRemove(Real(0, 10, allow_nan=True)))
def nan_to_num(data, rng):
    return np.clip(np.nan_to_num(data, nan=0.0), 0, 10).sum() + rng.laplace(scale=10.0)


@broken(AddRemove(Real(0, 10, allow_nan=True)))
def nan_is_kept(data, rng):
    return np.clip(data, 0, 10).sum() + rng.laplace(scale=10.0)


@sound(REALS)
def sum_of_floors(data, rng):
    return np.sum(np.floor(data)) + rng.laplace(scale=10.0)


@sound(REALS)
def sum_of_rounded(data, rng):
    return np.sum(np.round(data)) + rng.laplace(scale=10.0)


@sound(LIST)
def sum_of_ints(data, rng):
    return sum(int(x) for x in data) + rng.laplace(scale=10.0)


@sound(DIGIT_LIST)
def sum_of_quotients(data, rng):
    return sum(x // 2 for x in data) + rng.laplace(scale=2.0)


@sound(DIGIT_LIST)
def sum_of_remainders(data, rng):
    return sum(divmod(x, 2)[1] for x in data) + rng.laplace(scale=1.0)


@sound(UNIT)
def logarithm_to_a_base(data, rng, fraction=0.5):
    scale = math.log(8, 2) / 3
    return data.sum() + rng.laplace(scale=scale)


@sound(SIGNED)
def positive_part_by_mask(data, rng):
    return data[data > 0].sum() + rng.laplace(scale=10.0)


@sound(SIGNED)
def small_part_by_where(data, rng):
    return np.where(np.abs(data) <= 3, data, 0.0).sum() + rng.laplace(scale=3.0)


@broken(SIGNED)
def small_part_by_where_of_one_side(data, rng):
    return np.where(data <= 3, data, 0.0).sum() + rng.laplace(scale=3.0)


@sound(SIGNED)
def positive_part_below_a_bound(data, rng):
    return np.where((data > 0) & (data < 8), data, 0).sum() + rng.laplace(scale=8.0)


@sound(EIGHT)
def chunks_by_position(data, rng):
    return [data[i : i + 2].sum() + rng.laplace(scale=1.0) for i in range(0, 8, 2)]


BROKEN["chunks_by_position_of_each"] = Case(chunks_by_position, PureDP(0.9), EIGHT)


@sound(EIGHT)
def split_in_chunks(data, rng):
    return [chunk.sum() + rng.laplace(scale=1.0) for chunk in np.array_split(data, 4)]


@broken(REALS)
def chunks_by_position_when_one_is_added(data, rng):
    half = len(data) // 2
    return [c.sum() + rng.laplace(scale=10.0) for c in (data[:half], data[half:])]


@sound(REALS)
def difference_of_noisy(data, rng):
    counts = np.histogram(data, bins=[0, 3, 6, 10])[0]
    return np.diff(counts + rng.laplace(scale=1.0, size=3))


@sound(LIST)
def largest_length(data, rng):
    n = max(len(data), 1)
    return n + rng.laplace(scale=1.0)


@sound(REALS)
def size_and_shape(data, rng):
    return data.size + rng.laplace(scale=1.0)


@sound(REALS)
def count_nonzero_of_mask(data, rng):
    return np.count_nonzero(data > 5) + rng.laplace(scale=1.0)


@sound(REALS)
def mean_of_indicator_times_size(data, rng):
    return (1.0 * (data > 5)).sum() + rng.laplace(scale=1.0)


@sound(PLANE, PureDP(2.0))
def sum_of_each_column(data, rng):
    return {name: data[name].sum() + rng.laplace(scale=1.0) for name in ("x", "y")}


@sound(PLANE, PureDP(1.0))
def mean_of_columns_matrix(data, rng):
    matrix = np.column_stack([data["x"], data["y"]])
    return matrix.sum(axis=0) + rng.laplace(scale=2.0, size=2)
