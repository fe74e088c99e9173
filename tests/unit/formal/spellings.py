"""Counts, sums, means and loops as people write them, each with the claim that it keeps.

Every sound mechanism holds its claim by a sensitivity that is proved in some other spelling.
The broken twins look the same and break the claim.
"""

import functools
import math
import operator
import statistics

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


# --- cells


def cells_in_a_comprehension(data, rng):
    return [np.sum(data == k) + rng.laplace(scale=1.0) for k in range(5)]


def cells_that_overlap(data, rng):
    return [np.sum(data >= k) + rng.laplace(scale=1.0) for k in range(5)]


def two_halves(data, rng):
    low, high = data[data < 5], data[data >= 5]
    return len(low) + rng.laplace(scale=1.0), len(high) + rng.laplace(scale=1.0)


def two_halves_that_share_a_point(data, rng):
    low, high = data[data <= 5], data[data >= 5]
    return len(low) + rng.laplace(scale=1.0), len(high) + rng.laplace(scale=1.0)


def mask_and_complement(data, rng):
    mask = data > 3
    return data[mask].sum() + rng.laplace(scale=11.0), data[~mask].sum() + rng.laplace(scale=11.0)


def mask_and_another(data, rng):
    mask = data > 3
    other = ~(data > 4)
    return data[mask].sum() + rng.laplace(scale=10.0), data[other].sum() + rng.laplace(scale=4.0)


def bins_by_zip(data, rng, edges=(0, 2, 4, 6, 8, 11)):
    released = []
    for low, high in zip(edges, edges[1:], strict=False):
        released.append(np.sum((data >= low) & (data < high)) + rng.laplace(scale=1.0))
    return released


def bins_closed_on_both_sides(data, rng, edges=(0, 2, 4, 6, 8, 11)):
    released = []
    for low, high in zip(edges, edges[1:], strict=False):
        released.append(np.sum((data >= low) & (data <= high)) + rng.laplace(scale=1.0))
    return released


def bins_by_index(data, rng):
    edges = np.linspace(0, 10, 6)
    counts = []
    for i in range(len(edges) - 1):
        count = ((data >= edges[i]) & (data < edges[i + 1])).sum()
        counts.append(count + rng.laplace(0, 1.0))
    return np.array(counts)


def cells_by_two_keys(data, rng):
    table = {}
    for left in (True, False):
        for low in (True, False):
            inside = ((data["x"] < 0.5) == left) & ((data["y"] < 0.5) == low)
            table[left, low] = np.sum(inside) + rng.laplace(scale=1.0)
    return table


def count_of_each_word(data, rng):
    return {word: data.count(word) + rng.laplace(scale=1.0) for word in ("a", "b", "c")}


def count_of_words_twice(data, rng):
    return {k: data.count(word) + rng.laplace(scale=1.0) for k, word in enumerate("aab")}


def cells_counted_then_noised(data, rng):
    counts = np.zeros(5)
    for k in range(5):
        counts[k] = np.sum(data == k)
    return counts + rng.laplace(scale=1.0, size=5)


def cells_by_increment(data, rng):
    counts = [0] * 5
    for x in data:
        counts[x] += 1
    return [c + rng.laplace(scale=1.0) for c in counts]


def cells_by_increment_of_two(data, rng):
    counts = [0] * 6
    for x in data:
        counts[x] += 1
        counts[x + 1] += 1
    return [c + rng.laplace(scale=1.0) for c in counts]


def array_of_cells_by_increment(data, rng):
    counts = np.zeros(5)
    for x in data:
        counts[int(x)] += 1
    noisy = np.zeros(5)
    for i in range(5):
        noisy[i] = counts[i] + rng.laplace(0.0, 1.0)
    return noisy


def dictionary_of_counts(data, rng):
    counts = {"a": 0, "b": 0, "c": 0}
    for word in data:
        counts[word] += 1
    return {word: n + rng.laplace(scale=1.0) for word, n in counts.items()}


def histogram_of_numpy(data, rng):
    counts, _ = np.histogram(data, bins=[0, 2, 4, 6, 8, 10])
    return counts + rng.laplace(scale=1.0, size=len(counts))


def histogram_with_a_range(data, rng):
    counts, edges = np.histogram(data, bins=5, range=(0, 10))
    return counts + rng.laplace(scale=1.0, size=5), edges


def histogram_with_edges_from_data(data, rng):
    counts, edges = np.histogram(data, bins=5)
    return counts + rng.laplace(scale=1.0, size=5), edges


def digitized(data, rng):
    cell = np.digitize(data, [2, 4, 6, 8])
    return [np.sum(cell == k) + rng.laplace(scale=1.0) for k in range(5)]


def floored(data, rng):
    cell = np.floor(data / 2).astype(int)
    return [np.sum(cell == k) + rng.laplace(scale=1.0) for k in range(6)]


def floored_with_half_the_noise(data, rng):
    cell = np.floor(data / 2).astype(int)
    return [np.sum(cell == k) + rng.laplace(scale=0.5) for k in range(6)]


def least_negative_in_two_cells(data, rng):  # half of it is -0.0, of which the floor is 0
    cell = np.floor(data / 2)
    return np.sum(cell == 0) + rng.laplace(), np.sum(data < 0) + rng.laplace()


def least_in_two_cells(data, rng):  # half of it is 0
    return np.sum(data / 2 == 0) + rng.laplace(), np.sum(data > 0) + rng.laplace()


def cumulative_counts_of_noisy_cells(data, rng):
    counts = np.array([np.sum(data < 3), np.sum((data >= 3) & (data < 6)), np.sum(data >= 6)])
    return np.cumsum(counts + rng.laplace(scale=1.0, size=3))


def cumulative_counts_then_noise(data, rng):
    counts, _ = np.histogram(data, bins=[0, 3, 6, 10])
    return np.cumsum(counts) + rng.laplace(scale=3.0, size=3)


def cumulative_counts_with_noise_of_one(data, rng):
    counts, _ = np.histogram(data, bins=[0, 3, 6, 10])
    return np.cumsum(counts) + rng.laplace(scale=1.0, size=3)


# --- loops over records


def running_sum(data, rng):
    total = 0.0
    for x in data:
        total += x
    return total + rng.laplace(scale=10.0)


def running_clipped_sum(data, rng):
    total = 0.0
    for x in data:
        total += min(max(x, 0), 10)
    return total + rng.laplace(scale=10.0)


def running_sum_clipped_above(data, rng):
    total = 0.0
    for x in data:
        total += min(x, 10)
    return total + rng.laplace(scale=10.0)


def count_in_an_if(data, rng):
    count = 0
    for x in data:
        if x > 5:
            count += 1
    return count + rng.laplace(scale=1.0)


def count_in_an_if_by_two(data, rng):
    count = 0
    for x in data:
        if x > 5:
            count += 2
        else:
            count += 1
    return count + rng.laplace(scale=1.0)


def sum_by_range(data, rng):
    total = 0.0
    for i in range(len(data)):
        total = total + data[i]
    return total + rng.laplace(scale=10.0)


def sum_by_range_of_neighbors(data, rng):
    total = 0.0
    for i in range(1, len(data)):
        total = total + data[i] * data[i - 1]
    return total + rng.laplace(scale=10.0)


def sum_by_enumerate(data, rng):
    total = 0.0
    for _, x in enumerate(data):
        total += x
    return total + rng.laplace(scale=10.0)


def sum_by_enumerate_with_weights(data, rng):
    total = 0.0
    for i, x in enumerate(data):
        total += i * x
    return total + rng.laplace(scale=10.0)


def sum_by_while(data, rng):
    total, i = 0.0, 0
    while i < len(data):
        total += data[i]
        i += 1
    return total + rng.laplace(scale=10.0)


def sum_by_zip_of_columns(data, rng):
    total = 0.0
    for x, y in zip(data["x"], data["y"], strict=True):
        total += x * y
    return total + rng.laplace(scale=1.0)


def sum_of_rows_as_dicts(data, rng):
    total = 0.0
    for row in data:
        total += row["x"] + row["y"]
    return total + rng.laplace(scale=2.0)


def loop_that_clips_by_ifs(data, rng):
    total = 0.0
    for x in data:
        if x < 0:
            x = 0
        elif x > 10:
            x = 10
        total += x
    return total + rng.laplace(scale=10.0)


def loop_with_continue(data, rng):
    total = 0.0
    for x in data:
        if x > 5:
            continue
        total += x
    return total + rng.laplace(scale=9.0)


def list_that_grows(data, rng):
    kept = []
    for x in data:
        if x > 5:
            kept.append(x)
    return len(kept) + rng.laplace(scale=1.0), sum(kept) + rng.laplace(scale=10.0)


def sum_and_count_of_one_loop(data, rng):
    total, count = 0.0, 0
    for x in data:
        total += x
        count += 1
    return (total + rng.laplace(scale=10.0)) / max(count + rng.laplace(scale=1.0), 1.0)


def loop_with_break(data, rng):
    total = 0.0
    for x in data:
        if x > 9:
            break
        total += x
    return total + rng.laplace(scale=10.0)


def a_helper_that_sums(data, rng):
    def add_up(values):
        s = 0
        for v in values:
            s += v
        return s

    return add_up(data) + rng.laplace(scale=10.0)


# --- lists, maps, reductions


def sum_of_a_map(data, rng):
    return sum(map(lambda x: min(x, 5), data)) + rng.laplace(scale=5.0)


def length_of_a_filter(data, rng):
    return len(list(filter(lambda x: x > 5, data))) + rng.laplace(scale=1.0)


def reduced_by_lambda(data, rng):
    return functools.reduce(lambda a, b: a + b, data, 0) + rng.laplace(scale=10.0)


def reduced_by_operator(data, rng):
    return functools.reduce(operator.add, data, 0.0) + rng.laplace(scale=10.0)


def reduced_by_product(data, rng):
    return functools.reduce(lambda a, b: a * b, data, 1) + rng.laplace(scale=10.0)


def sum_of_a_generator(data, rng):
    return sum(1 for x in data if x > 5) + rng.laplace(scale=1.0)


def sum_of_booleans(data, rng):
    return sum(x > 5 for x in data) + rng.laplace(scale=1.0)


def array_of_a_list(data, rng):
    return np.array(list(data)).sum() + rng.laplace(scale=10.0)


def asarray_with_dtype(data, rng):
    values = np.asarray(data, dtype=float)
    return np.clip(values, 0, 10).sum() + rng.laplace(scale=10.0)


def fsum_of_a_list(data, rng):
    return math.fsum(data) + rng.laplace(scale=10.0)


def mean_by_length(data, rng):
    return sum(data) / len(data) + rng.laplace(scale=1 / 8)


def mean_by_length_of_sum_noise(data, rng):
    return sum(data) / (len(data) - 1) + rng.laplace(scale=1 / 8)


def mean_by_statistics(data, rng):
    return statistics.fmean(data) + rng.laplace(scale=1 / 8)


def mean_by_plain_statistics(data, rng):
    return statistics.mean(data) + rng.laplace(scale=1 / 8)


def mean_by_average(data, rng):
    return np.average(data) + rng.laplace(scale=1 / 8)


def variance_of_known_size(data, rng):
    return np.var(data) + rng.laplace(scale=7 / 64)


def variance_with_too_little_noise(data, rng):
    return np.var(data) + rng.laplace(scale=6 / 64)


def variance_by_hand(data, rng):
    mean = data.mean()
    return np.mean((data - mean) ** 2) + rng.laplace(scale=1 / 8)


def deviation_of_known_size(data, rng):
    return np.std(data) + rng.laplace(scale=0.5)


def median_by_statistics(data, rng):
    return statistics.median(data) + rng.laplace(scale=1.0)


def largest_with_initial(data, rng):
    return np.max(data, initial=0.0) + rng.laplace(scale=10.0)


def largest_with_default(data, rng):
    return max(data, default=0.0) + rng.laplace(scale=10.0)


def largest_with_a_far_default(data, rng):
    return max(data, default=-5.0) + rng.laplace(scale=10.0)


def median_of_a_sorted_list(data, rng):
    if len(data) == 0:
        return 5.0 + rng.laplace(scale=10.0)
    return sorted(data)[len(data) // 2] + rng.laplace(scale=10.0)


def nothing_without_data(data, rng):
    if len(data) == 0:
        return 0.0
    return sum(data) + rng.laplace(scale=10.0)


# --- linear algebra


def weighted_by_dot(data, rng):
    weights = np.array([1.0, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25])
    return np.dot(weights, data) + rng.laplace(scale=1.0)


def weighted_by_dot_of_more(data, rng):
    weights = np.array([1.0, 0.5, 0.5, 2.25, 0.25, 0.25, 0.25, 0.25])
    return np.dot(weights, data) + rng.laplace(scale=1.0)


def weighted_by_at(data, rng):
    weights = np.arange(8) / 7
    return weights @ data + rng.laplace(scale=1.0)


def average_with_weights(data, rng):
    return np.average(data, weights=[2, 1, 1, 1, 1, 1, 1, 0]) + rng.laplace(scale=0.25)


def columns_by_dot(data, rng):
    return np.dot(data["x"], data["y"]) + rng.laplace(scale=1.0)


def ones_by_dot(data, rng):
    return np.dot(np.ones(len(data)), data) + rng.laplace(scale=10.0)


def squares_by_dot(data, rng):
    return data @ data + rng.laplace(scale=100.0)


def gradients(data):
    return np.column_stack([data["x"] - 0.5, 3 * data["y"]])


def rows_clipped_in_a_loop(data, rng):
    total = np.zeros(2)
    for row in gradients(data):
        norm = np.linalg.norm(row)
        if norm > 1.0:
            row = row * (1.0 / norm)
        total += row
    return total + rng.normal(scale=1.0, size=2)


def rows_clipped_in_a_loop_after_use(data, rng):
    total = np.zeros(2)
    for row in gradients(data):
        norm = np.linalg.norm(row)
        total += row
        if norm > 1.0:
            row = row * (1.0 / norm)
    return total + rng.normal(scale=1.0, size=2)


def rows_clipped_by_minimum(data, rng):
    rows = gradients(data)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    clipped = rows * np.minimum(1.0, 1.0 / np.maximum(norms, 1e-12))
    return clipped.sum(axis=0) + rng.normal(scale=1.0, size=2)


def rows_clipped_by_maximum(data, rng):
    rows = gradients(data)
    norms = np.linalg.norm(rows, axis=1)
    clipped = rows / np.maximum(1.0, norms / 1.0)[:, None]
    return np.sum(clipped, axis=0) + rng.normal(0, 1.0, size=2)


def rows_clipped_by_root_of_squares(data, rng):
    rows = gradients(data)
    norms = np.sqrt((rows**2).sum(axis=1))
    clipped = rows * np.minimum(1.0, 1.0 / (norms + 1e-9))[:, np.newaxis]
    return np.sum(clipped, axis=0) + rng.normal(0, 1.0, size=2)


def rows_clipped_by_each_entry(data, rng):
    rows = np.clip(gradients(data), -1, 1)
    return np.sum(rows, axis=0) + rng.normal(0, 1.0, size=2)


def rows_clipped_by_hypot(data, rng):
    a = b = 0.0
    for row in data:
        size = math.hypot(row["x"], row["y"])
        factor = 1.0 / max(1.0, size)
        a += row["x"] * factor
        b += row["y"] * factor
    return np.array([a, b]) + rng.normal(scale=1.0, size=2)


def rows_clipped_by_math(data, rng):
    total = np.zeros(2)
    for row in data:
        v = [row["x"], row["y"]]
        size = math.sqrt(sum(c * c for c in v))
        factor = min(1.0, 1.0 / size) if size > 0 else 1.0
        total += np.array([c * factor for c in v])
    return total + rng.normal(scale=1.0, size=2)


# --- local mechanisms and answers


def the_only_record(data, rng):
    return data[0] + rng.laplace(scale=10.0)


def one_value(x, rng, low=0.0, high=10.0, epsilon=1.0):
    return x + rng.laplace(0, (high - low) / epsilon)


def one_value_with_noise_for_its_middle(x, rng, low=0.0, high=10.0, epsilon=1.0):
    return x + rng.laplace(0, (high - low) / 2 / epsilon)


def one_value_clipped(x, rng):
    return min(max(x, 0.0), 10.0) + rng.laplace(scale=10.0)


def one_value_clipped_by_numpy(x, rng):
    return np.clip(x, 0.0, 10.0) + rng.laplace(scale=10.0)


def one_value_not_clipped(x, rng):
    return x + rng.laplace(scale=10.0)


def one_value_of_at_least_one_dimension(x, rng):
    return np.atleast_1d(x) + rng.laplace(scale=10.0, size=1)


def noise_entry_by_entry(answers, rng):
    return [a + rng.laplace(scale=4.0) for a in answers]


def noise_by_position(answers, rng):
    noisy = np.zeros(len(answers))
    for i in range(len(answers)):
        noisy[i] = answers[i] + rng.laplace(scale=4.0)
    return noisy


def one_noise_for_all_entries(answers, rng):
    noise = rng.laplace(scale=4.0)
    return [a + noise for a in answers]


def gaussian_answers(answers, rng, epsilon=1.0, delta=1e-5):
    sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    return np.array([a + rng.normal(0, sigma) for a in answers])


def answers_of_two_dimensions(answers, rng):
    return np.atleast_2d(answers) + rng.normal(size=(1, 4))


# --- what comes after, and before


def mean_of_noisy_values(data, rng):
    s = data.sum() + rng.laplace(scale=10.0)
    n = len(data) + rng.laplace(scale=1.0)
    return s / n if n > 1 else 0.0


def mean_by_a_private_test(data, rng):
    s = data.sum() + rng.laplace(scale=10.0)
    n = len(data) + rng.laplace(scale=1.0)
    return s / n if len(data) > 1 else 0.0


def halved_while_noisy(data, rng):
    n = len(data) + rng.laplace(scale=1.0)
    steps = 0
    while n > 1 and steps < 20:
        n = n / 2
        steps += 1
    return steps


def validated_arguments(data, rng, epsilon=1.0, upper=10.0):
    if epsilon <= 0:
        raise ValueError("epsilon must be positive")
    if not isinstance(upper, int | float):
        raise TypeError("upper must be a number")
    assert upper > 0
    clipped = np.clip(data, 0, upper)
    return float(clipped.sum() + rng.laplace(0.0, upper / epsilon))


def early_return_on_a_public_test(data, rng, epsilon=1.0):
    if epsilon == 0:
        return 0.0
    return np.sum(data) + rng.laplace(scale=10.0 / epsilon)


def noisy(value, rng, *, sensitivity=1.0, epsilon=1.0):
    return value + rng.laplace(scale=sensitivity / epsilon)


def keywords_unpacked(data, rng):
    options = {"sensitivity": 10.0, "epsilon": 1.0}
    return noisy(data.sum(), rng, **options)


def rounded_noise(data, rng):
    return round(len(data) + rng.laplace(scale=1.0)), int(len(data) // 1)


def any_over_a_threshold(data, rng):
    return float(np.any(data > 9)) + rng.laplace(scale=1.0)


def all_over_a_threshold(data, rng):
    return int(np.all(data > 1)) + rng.laplace(scale=1.0)


def sum_of_signs(data, rng):
    return np.sign(data).sum() + rng.laplace(scale=1.0)


def nan_to_num(data, rng):
    return np.clip(np.nan_to_num(data, nan=0.0), 0, 10).sum() + rng.laplace(scale=10.0)


def nan_is_kept(data, rng):
    return np.clip(data, 0, 10).sum() + rng.laplace(scale=10.0)


def sum_of_floors(data, rng):
    return np.sum(np.floor(data)) + rng.laplace(scale=10.0)


def sum_of_rounded(data, rng):
    return np.sum(np.round(data)) + rng.laplace(scale=10.0)


def sum_of_ints(data, rng):
    return sum(int(x) for x in data) + rng.laplace(scale=10.0)


def sum_of_quotients(data, rng):
    return sum(x // 2 for x in data) + rng.laplace(scale=2.0)


def sum_of_remainders(data, rng):
    return sum(divmod(x, 2)[1] for x in data) + rng.laplace(scale=1.0)


def logarithm_to_a_base(data, rng, fraction=0.5):
    scale = math.log(8, 2) / 2
    return data.sum() + rng.laplace(scale=scale)


def positive_part_by_mask(data, rng):
    return data[data > 0].sum() + rng.laplace(scale=10.0)


def small_part_by_where(data, rng):
    return np.where(np.abs(data) <= 3, data, 0.0).sum() + rng.laplace(scale=3.0)


def small_part_by_where_of_one_side(data, rng):
    return np.where(data <= 3, data, 0.0).sum() + rng.laplace(scale=3.0)


def positive_part_below_a_bound(data, rng):
    return np.where((data > 0) & (data < 8), data, 0).sum() + rng.laplace(scale=8.0)


def chunks_by_position(data, rng):
    return [data[i : i + 2].sum() + rng.laplace(scale=1.0) for i in range(0, 8, 2)]


def split_in_chunks(data, rng):
    return [chunk.sum() + rng.laplace(scale=1.0) for chunk in np.array_split(data, 4)]


def chunks_by_position_when_one_is_added(data, rng):
    half = len(data) // 2
    return [c.sum() + rng.laplace(scale=10.0) for c in (data[:half], data[half:])]


def difference_of_noisy(data, rng):
    counts = np.histogram(data, bins=[0, 3, 6, 10])[0]
    return np.diff(counts + rng.laplace(scale=1.0, size=3))


def largest_length(data, rng):
    n = max(len(data), 1)
    return n + rng.laplace(scale=1.0)


def size_and_shape(data, rng):
    return data.size + rng.laplace(scale=1.0)


def count_nonzero_of_mask(data, rng):
    return np.count_nonzero(data > 5) + rng.laplace(scale=1.0)


def mean_of_indicator_times_size(data, rng):
    return (1.0 * (data > 5)).sum() + rng.laplace(scale=1.0)


def sum_of_each_column(data, rng):
    return {name: data[name].sum() + rng.laplace(scale=1.0) for name in ("x", "y")}


def mean_of_columns_matrix(data, rng):
    matrix = np.column_stack([data["x"], data["y"]])
    return matrix.sum(axis=0) + rng.laplace(scale=2.0, size=2)


# --- twins of loops


def a_closure_sees_the_sum(data, rng):
    total = 0.0

    def seen():
        return total

    for x in data:
        total += x if seen() < 50 else -x
    return total + rng.laplace(scale=10.0)


def another_name_of_the_counts(data, rng):
    counts = [0, 0]
    same = counts
    for _ in data:
        counts[0] += 1
        if same[0] % 2 == 0:
            counts[1] += 1
    return counts[1] * 2 + rng.laplace(scale=1.0)


def another_name_in_a_closure(data, rng):
    counts = [0, 0]
    same = counts

    def odd():
        return same[0] % 2 == 0

    for _ in data:
        counts[0] += 1
        counts[1] += 1 if odd() else -1
    return counts[1] * 5 + rng.laplace(scale=1.0)


def a_view_of_the_counts(data, rng):
    counts = np.zeros(2)
    first = counts[:1]
    for _ in data:
        counts[0] += 1
        if first[0] > 3:
            counts[1] += 5
    return counts[1] + rng.laplace(scale=1.0)


def steps_between_records(data, rng):
    total, before = 0.0, 0.0
    for x in data:
        total += abs(x - before)
        before = x
    return total + rng.laplace(scale=10.0)


def doubled_at_each_record(data, rng):
    total = 1.0
    for x in data:
        total += total
    return total + rng.laplace(scale=10.0)


def alternating_signs(data, rng):
    total, sign = 0.0, 1
    for x in data:
        total += sign * x
        sign = -sign
    return total + rng.laplace(scale=10.0)


def noise_at_each_record(data, rng):
    return [x + rng.laplace(scale=10.0) for x in data]


def returned_in_the_loop(data, rng):
    for x in data:
        if x > 9:
            return 1.0
    return len(data) + rng.laplace(scale=1.0)


def raised_in_the_loop(data, rng):
    total = 0.0
    for x in data:
        if x > 9:
            raise ValueError("too large")
        total += x
    return total + rng.laplace(scale=10.0)


def an_index_beyond_the_table(data, rng):
    table, total = (0, 1, 1, 0), 0
    for x in data:
        total += table[int(x)]
    return total + rng.laplace(scale=1.0)


def a_key_that_is_missing(data, rng):
    counts = {0: 0, 1: 0, 2: 0, 3: 0}
    for x in data:
        counts[x] += 1
    return [n + rng.laplace(scale=1.0) for n in counts.values()]


def keys_from_the_data(data, rng):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    return {k: n + rng.laplace(scale=1.0) for k, n in counts.items()}


def rows_changed_in_place(data, rng):
    matrix = np.column_stack([data["x"], data["y"]])
    for row in matrix:
        row *= 10.0
    return matrix.sum(axis=0) + rng.laplace(scale=2.0, size=2)


def the_last_record(data, rng):
    last, total = 0.0, 0.0
    for x in data:
        total += x
        last = x
    return total + last + rng.laplace(scale=10.0)


def the_variable_of_the_loop(data, rng):
    total = 0.0
    x = 0.0
    for x in data:
        total += x
    return total + x + rng.laplace(scale=10.0)


def zipped_with_the_reverse(data, rng):
    return sum(x * y for x, y in zip(data, data[::-1], strict=True)) / 10 + rng.laplace(scale=10.0)


def zipped_with_the_sorted(data, rng):
    together = zip(data, sorted(data), strict=True)
    return sum(abs(x - y) for x, y in together) + rng.laplace(scale=10.0)


def pairs_of_records(data, rng):
    total = 0.0
    for x in data:
        for y in data:
            total += min(x, y)
    return total + rng.laplace(scale=10.0)


def weights_by_the_size(data, rng):
    n = len(data)
    return sum(x * n for x in data) + rng.laplace(scale=10.0)


def differences_from_the_private_mean(data, rng):
    mean = data.sum() / 10
    return sum(abs(x - mean) for x in data) + rng.laplace(scale=10.0)


def a_list_that_grows_twice(data, rng):
    kept = []
    for x in data:
        kept.append(x)
        kept.append(x)
    return len(kept) + rng.laplace(scale=1.0)


def the_first_of_a_list_that_grows(data, rng):
    kept = [0.0]
    for x in data:
        if x > 5:
            kept.append(x)
    return kept[-1] + rng.laplace(scale=1.0)


def two_lists_of_one_object(data, rng):
    kept = []
    both = kept
    for x in data:
        kept.append(x)
        both.append(x)
    return len(kept) + rng.laplace(scale=1.0)


def whole_cells_that_lose_fractions(data, rng):
    counts = np.zeros(2, dtype=int)
    for _ in data:
        counts[0] = counts[0] * 0.9 + 1.9
    return counts[0] + rng.laplace(scale=1.9)


def a_default_that_is_shared(data, rng, kept=[0]):  # noqa: B006
    for _ in data:
        kept[0] += 1
    return kept[0] + rng.laplace(scale=1.0)


def a_sum_of_all_the_sums(data, rng):
    sums, total = [], 0.0
    for x in data:
        total += x
        sums.append(total)
    return sum(sums) + rng.laplace(scale=10.0)


def one_cell_is_counted_in_both(data, rng):
    low = high = 0
    for x in data:
        if x <= 5:
            low += 1
        if x >= 5:
            high += 1
    return low + rng.laplace(scale=1.0), high + rng.laplace(scale=1.0)


def two_counts_of_one_loop(data, rng):
    low = high = 0
    for x in data:
        if x < 5:
            low += 1
        else:
            high += 1
    return low + rng.laplace(scale=1.0), high + rng.laplace(scale=1.0)


def a_helper_that_counts(data, rng):
    def bump(counts, at):
        counts[at] += 1

    cells = [0] * 5
    for x in data:
        bump(cells, int(x))
    return [c + rng.laplace(scale=1.0) for c in cells]


def a_helper_that_counts_twice(data, rng):
    def bump(counts, at):
        counts[at] += 1

    cells = [0] * 5
    for x in data:
        bump(cells, int(x))
        bump(cells, 0)
    return [c + rng.laplace(scale=1.0) for c in cells]


def counts_by_get(data, rng):
    counts = {"a": 0, "b": 0, "c": 0}
    for word in data:
        counts[word] = counts.get(word, 0) + 1
    return [counts[k] + rng.laplace(scale=1.0) for k in ("a", "b", "c")]


def a_clipped_list(data, rng):
    clipped = [max(0.0, min(10.0, x)) for x in data]
    return sum(clipped) + rng.laplace(scale=10.0)


def squares_of_a_list(data, rng):
    squares = []
    for x in data:
        squares.append(x * x)
    return np.sum(squares) + rng.laplace(scale=110.0)


def prefixes_of_a_known_number(data, rng):
    released, running = [], 0.0
    for x in data:
        running += x
        released.append(running + rng.laplace(scale=8.0))
    return released


def noise_at_each_of_a_known_number(data, rng):
    return [x + rng.laplace(scale=1.0) for x in data]


def prefixes_with_noise_of_one(data, rng):
    released, running = [], 0.0
    for x in data:
        running += x
        released.append(running + rng.laplace(scale=1.0))
    return released


def one_noise_at_each_of_a_known_number(data, rng):
    noise = rng.laplace(scale=1.0)
    return [x + noise for x in data]


def another_name_of_a_list_that_grows(data, rng):
    kept = []
    both = kept
    for x in data:
        kept.append(x)
    return len(both) + rng.laplace(scale=0.1)


def a_list_that_a_helper_grows(data, rng):
    def fill(to):
        for x in data:
            to.append(x)

    kept = []
    fill(kept)
    return len(kept) + rng.laplace(scale=0.1)


def all_records_are_taken_for_large(data, rng):
    listed = [x for x in data]
    return (np.array(listed) > 5).sum() * 5 + rng.laplace(scale=4.0)


def nan_in_a_list(data, rng):
    clipped = [min(max(x, 0.0), 10.0) for x in data]
    return sum(clipped) + rng.laplace(scale=10.0)


def nan_in_a_list_as_it_is(data, rng):
    listed = [x for x in data]
    return np.clip(np.array(listed), 0, 10).sum() + rng.laplace(scale=10.0)


def nan_in_a_list_that_grows(data, rng):
    listed = []
    for x in data:
        listed.append(x)
    return np.clip(np.array(listed), 0, 10).sum() + rng.laplace(scale=10.0)


def whole_numbers_replaced_by_floats(data, rng):
    counts = np.zeros(1, dtype=int)
    for x in data:
        counts = counts + x
    return counts[0] // 1 + rng.laplace(scale=1.0)


SOUND = (
    (prefixes_of_a_known_number, ONE, EIGHT),
    (noise_at_each_of_a_known_number, ONE, EIGHT_LIST),
    (cells_in_a_comprehension, ONE, DIGITS),
    (two_halves, ONE, REALS),
    (mask_and_complement, ONE, REALS),
    (bins_by_zip, ONE, REALS),
    (bins_by_index, ONE, REALS),
    (cells_by_two_keys, ONE, PLANE),
    (count_of_each_word, ONE, WORDS),
    (cells_counted_then_noised, ONE, DIGITS),
    (cells_by_increment, ONE, DIGIT_LIST),
    (array_of_cells_by_increment, ONE, DIGITS),
    (dictionary_of_counts, ONE, WORDS),
    (histogram_of_numpy, ONE, REALS),
    (histogram_with_a_range, ONE, REALS),
    (digitized, ONE, REALS),
    (floored, ONE, REALS),
    (cumulative_counts_of_noisy_cells, ONE, REALS),
    (cumulative_counts_then_noise, ONE, REALS),
    (running_sum, ONE, REALS),
    (running_clipped_sum, ONE, WILD_LIST),
    (count_in_an_if, ONE, REALS),
    (sum_by_range, ONE, REALS),
    (sum_by_enumerate, ONE, REALS),
    (sum_by_zip_of_columns, ONE, PLANE),
    (sum_of_rows_as_dicts, ONE, PLANE_LIST),
    (loop_that_clips_by_ifs, ONE, WILD_LIST),
    (loop_with_continue, ONE, LIST),
    (list_that_grows, PureDP(2.0), LIST),
    (sum_and_count_of_one_loop, PureDP(2.0), REALS),
    (a_helper_that_sums, ONE, REALS),
    (sum_of_a_map, ONE, LIST),
    (length_of_a_filter, ONE, LIST),
    (sum_of_a_generator, ONE, LIST),
    (sum_of_booleans, ONE, LIST),
    (array_of_a_list, ONE, LIST),
    (asarray_with_dtype, ONE, WILD_LIST),
    (fsum_of_a_list, ONE, LIST),
    (mean_by_length, ONE, EIGHT_LIST),
    (mean_by_statistics, ONE, EIGHT_LIST),
    (mean_by_plain_statistics, ONE, EIGHT_LIST),
    (mean_by_average, ONE, EIGHT),
    (variance_of_known_size, ONE, EIGHT),
    (variance_by_hand, ONE, EIGHT),
    (deviation_of_known_size, ONE, EIGHT),
    (median_by_statistics, ONE, EIGHT),
    (largest_with_initial, ONE, REALS),
    (largest_with_default, ONE, LIST),
    (weighted_by_dot, ONE, EIGHT),
    (weighted_by_at, ONE, EIGHT),
    (average_with_weights, ONE, EIGHT),
    (columns_by_dot, ONE, PLANE),
    (ones_by_dot, ONE, REALS),
    (squares_by_dot, ONE, REALS),
    (rows_clipped_by_maximum, ZeroConcentratedDP(0.5), PLANE),
    (the_only_record, ONE, SINGLE),
    (one_value, ONE, ONE_VALUE),
    (one_value_clipped, ONE, WILD_VALUE),
    (one_value_clipped_by_numpy, ONE, WILD_VALUE),
    (one_value_of_at_least_one_dimension, ONE, ONE_VALUE),
    (noise_entry_by_entry, ONE, ANSWERS),
    (noise_by_position, ONE, ANSWERS),
    (gaussian_answers, ApproxDP(1.0, 1e-5), ROUNDED),
    (answers_of_two_dimensions, ZeroConcentratedDP(0.5), ROUNDED),
    (mean_of_noisy_values, PureDP(2.0), REALS),
    (validated_arguments, ONE, REALS),
    (early_return_on_a_public_test, ONE, REALS),
    (any_over_a_threshold, ONE, REALS),
    (all_over_a_threshold, ONE, REALS),
    (sum_of_signs, ONE, SIGNED),
    (nan_to_num, ONE, AddRemove(Real(0, 10, allow_nan=True))),
    (sum_of_floors, ONE, REALS),
    (sum_of_rounded, ONE, REALS),
    (sum_of_ints, ONE, LIST),
    (sum_of_quotients, ONE, DIGIT_LIST),
    (sum_of_remainders, ONE, DIGIT_LIST),
    (logarithm_to_a_base, ONE, UNIT),
    (positive_part_by_mask, ONE, SIGNED),
    (positive_part_below_a_bound, ONE, SIGNED),
    (chunks_by_position, ONE, EIGHT),
    (split_in_chunks, ONE, EIGHT),
    (difference_of_noisy, ONE, REALS),
    (size_and_shape, ONE, REALS),
    (count_nonzero_of_mask, ONE, REALS),
    (mean_of_indicator_times_size, ONE, REALS),
    (sum_of_each_column, PureDP(2.0), PLANE),
    (mean_of_columns_matrix, PureDP(1.0), PLANE),
    (two_counts_of_one_loop, ONE, REALS),
    (counts_by_get, ONE, WORDS),
    (a_clipped_list, ONE, WILD_LIST),
    (squares_of_a_list, ONE, REALS),
    (reduced_by_lambda, ONE, LIST),
    (reduced_by_operator, ONE, LIST),
)


# Sound, and not proved, or not checked, yet.
OPEN = (
    (sum_by_while, ONE, REALS),
    (median_of_a_sorted_list, ONE, LIST),
    (rows_clipped_in_a_loop, ZeroConcentratedDP(0.5), PLANE),
    (rows_clipped_by_minimum, ZeroConcentratedDP(0.5), PLANE),
    (rows_clipped_by_root_of_squares, ZeroConcentratedDP(0.5), PLANE),
    (rows_clipped_by_hypot, ZeroConcentratedDP(0.5), PLANE_LIST),
    (rows_clipped_by_math, ZeroConcentratedDP(0.5), PLANE_LIST),
    (halved_while_noisy, ONE, REALS),
    (keywords_unpacked, ONE, REALS),
    (small_part_by_where, ONE, SIGNED),
    (a_helper_that_counts, ONE, DIGITS),
    (largest_length, ONE, LIST),
)

BROKEN = (
    (floored_with_half_the_noise, ONE, REALS),
    (least_negative_in_two_cells, ONE, SIGNED),
    (least_in_two_cells, ONE, REALS),
    (another_name_of_a_list_that_grows, ONE, REALS),
    (a_list_that_a_helper_grows, ONE, REALS),
    (all_records_are_taken_for_large, ONE, REALS),
    (nan_in_a_list, ONE, AddRemove(Real(0, 10, allow_nan=True))),
    (nan_in_a_list_as_it_is, ONE, AddRemove(Real(0, 10, allow_nan=True))),
    (nan_in_a_list_that_grows, ONE, AddRemove(Real(0, 10, allow_nan=True))),
    (whole_numbers_replaced_by_floats, ONE, UNIT),
    (prefixes_with_noise_of_one, ONE, EIGHT),
    (one_noise_at_each_of_a_known_number, ONE, EIGHT),
    (prefixes_of_a_known_number, PureDP(0.9), EIGHT),
    (noise_at_each_of_a_known_number, ONE, REALS),
    (cells_that_overlap, ONE, DIGITS),
    (two_halves_that_share_a_point, ONE, REALS),
    (mask_and_another, ONE, REALS),
    (bins_closed_on_both_sides, ONE, REALS),
    (count_of_words_twice, ONE, WORDS),
    (cells_by_increment_of_two, ONE, DIGIT_LIST),
    (histogram_with_edges_from_data, ONE, REALS),
    (cumulative_counts_with_noise_of_one, ONE, REALS),
    (running_sum_clipped_above, ONE, WILD_LIST),
    (count_in_an_if_by_two, ONE, REALS),
    (sum_by_range_of_neighbors, ONE, REALS),
    (sum_by_enumerate_with_weights, ONE, REALS),
    (loop_with_break, ONE, LIST),
    (reduced_by_product, ONE, LIST),
    (mean_by_length_of_sum_noise, ONE, EIGHT_LIST),
    (variance_with_too_little_noise, ONE, EIGHT),
    (largest_with_a_far_default, ONE, LIST),
    (nothing_without_data, ONE, LIST),
    (weighted_by_dot_of_more, ONE, EIGHT),
    (rows_clipped_in_a_loop_after_use, ZeroConcentratedDP(0.5), PLANE),
    (rows_clipped_by_each_entry, ZeroConcentratedDP(0.5), PLANE),
    (one_value_with_noise_for_its_middle, ONE, ONE_VALUE),
    (one_value_not_clipped, ONE, WILD_VALUE),
    (one_noise_for_all_entries, ONE, ANSWERS),
    (mean_by_a_private_test, PureDP(2.0), REALS),
    (nan_is_kept, ONE, AddRemove(Real(0, 10, allow_nan=True))),
    (small_part_by_where_of_one_side, ONE, SIGNED),
    (chunks_by_position_when_one_is_added, ONE, REALS),
    (a_closure_sees_the_sum, ONE, REALS),
    (another_name_of_the_counts, ONE, REALS),
    (another_name_in_a_closure, ONE, REALS),
    (a_view_of_the_counts, ONE, REALS),
    (steps_between_records, ONE, REALS),
    (doubled_at_each_record, ONE, REALS),
    (alternating_signs, ONE, REALS),
    (noise_at_each_record, ONE, REALS),
    (returned_in_the_loop, ONE, REALS),
    (raised_in_the_loop, ONE, REALS),
    (an_index_beyond_the_table, ONE, DIGITS),
    (a_key_that_is_missing, ONE, DIGIT_LIST),
    (keys_from_the_data, ONE, DIGIT_LIST),
    (rows_changed_in_place, ONE, PLANE),
    (the_last_record, ONE, REALS),
    (the_variable_of_the_loop, ONE, REALS),
    (zipped_with_the_reverse, ONE, REALS),
    (zipped_with_the_sorted, ONE, LIST),
    (pairs_of_records, ONE, REALS),
    (weights_by_the_size, ONE, REALS),
    (differences_from_the_private_mean, ONE, REALS),
    (a_list_that_grows_twice, ONE, LIST),
    (the_first_of_a_list_that_grows, ONE, LIST),
    (two_lists_of_one_object, ONE, LIST),
    (whole_cells_that_lose_fractions, ONE, DIGITS),
    (a_default_that_is_shared, ONE, REALS),
    (a_sum_of_all_the_sums, ONE, REALS),
    (one_cell_is_counted_in_both, ONE, REALS),
    (a_helper_that_counts_twice, ONE, DIGITS),
    (rounded_noise, ONE, REALS),
    (chunks_by_position, PureDP(0.9), EIGHT),
)
