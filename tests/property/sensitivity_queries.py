"""Queries that between them use every rule of sensitivity, to be run on neighboring datasets."""

import math

import numpy as np

EDGES = np.array([-1.0, 0.5, 2.0])
MATRIX = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])
PUBLIC = np.array([1.5, -2.0])


def clipped_sum(data):
    return np.clip(data, -1.5, 2.0).sum()


def clipped_by_method(data):
    return data.clip(-1.0, 0.5).sum()


def upper_clip(data):
    return np.minimum(data, 1.0).sum()


def fmin_fmax(data):
    return np.fmin(np.fmax(data, -1.0), 2.0).sum()


def minimum_maximum(data):
    return np.minimum(np.maximum(data, -1.0), 2.0).sum()


def count(data):
    return len(data)


def count_positive(data):
    return np.count_nonzero(data > 0.5)


def tests_together(data):
    return ((data > 0.0) & (data < 2.0) | ~(data >= 1.0)).sum()


def thresholds(data):
    return np.count_nonzero(data[:, None] >= EDGES, axis=0)


def histogram(data):
    return np.histogram(data, bins=4, range=(-2.0, 3.0))[0]


def histogram_of_edges(data):
    return np.histogram(data, bins=EDGES)[0]


def bin_counts(data):
    return np.bincount(EDGES.searchsorted(data), minlength=4)


def digitized(data):
    return np.bincount(np.digitize(data, EDGES), minlength=5)


def weighted_bins(data):
    return np.bincount(np.searchsorted(EDGES, data), weights=data, minlength=4)


def one_hot(data):
    return (np.floor(data)[:, None] == np.arange(-2.0, 4.0)).sum(axis=0)


def distinct(data):
    return len(np.unique(data))


def guarded_mean(data):
    return data.sum() / max(1, len(data))


def offset_mean(data):
    return -2.0 + (data + 2.0).sum() / max(1, len(data))


def plain_mean(data):
    return data.mean() if len(data) > 0 else 0.5


def mean_of_larger(data):
    kept = data[data > 0.0]
    return kept.mean() if len(kept) > 0 else 1.0


def guarded_median(data):
    return np.median(data) if len(data) > 0 else 0.0


def guarded_quantile(data):
    return np.quantile(data, 0.3) if len(data) > 0 else 0.0


def largest(data):
    return data.max(initial=-1.0)


def smallest(data):
    return np.min(data, initial=1.0)


def largest_by_python(data):
    return max(0.0, max(data.tolist()) if len(data) > 0 else 0.0)


def sum_of_squares(data):
    return (data**2).sum()


def sum_of_cubes(data):
    return (data**3).sum()


def sum_times_count(data):
    return len(data) * data.sum()


def square_of_sum(data):
    return np.clip(data.sum(), -3.0, 4.0) ** 2


def ratio(data):
    return data.sum() / (len(data) + 3)


def ratio_of_entries(data):
    return (data / (3.0 + data)).sum()


def over_constant(data):
    return (data / -2.0).sum() - len(data) / 4


def centred_squares(data):
    centred = data - data.sum() / max(1, len(data))
    return centred @ centred


def centred_power(data):
    return ((data - data.sum() / max(1, len(data))) ** 2).sum()


def sample_variance(data):
    centred = data - data.sum() / max(1, len(data))
    return centred @ centred / (max(2, len(data)) - 1)


def variance_by_numpy(data):
    return data.var() if len(data) > 0 else 0.0


def deviation_by_numpy(data):
    return data.std() if len(data) > 0 else 0.0


def length(data):
    return np.linalg.norm(data)


def root_of_sum(data):
    return math.sqrt((data + 2.0).sum())


def functions(data):
    return (np.exp(data) + np.tanh(data) - np.sqrt(data + 2.0) + np.log1p(data + 3.0)).sum()


def waves(data):
    return (np.sin(data) * np.cos(data) + np.sign(data)).sum()


def absolute(data):
    return abs(data.sum()) + np.abs(data).sum()


def whole_parts(data):
    return int(data.sum()) + round(float(data.sum())) + math.floor(data.sum())


def rounded(data):
    return np.round(data, 1).sum() + np.floor(data).sum()


def cast(data):
    return data.astype(int).sum() + data.astype(np.float32).astype(np.float64).sum()


def cast_to_bool(data):
    return data.astype(bool).sum()


def wrapped(data):
    return (100 * data).astype(np.int64).astype(np.int8).sum()


def remainders(data):
    whole = np.floor(data).astype(np.int64)
    return (whole % 3).sum() + (whole // 2).sum() + int(data.sum()) % 5 + int(data.sum()) // 3


def bits(data):
    whole = np.floor(data).astype(np.int64)
    return ((whole ^ 1) & 3).sum() + ((whole | 1) % 4).sum()


def chosen(data):
    return np.where(data > 1.0, data, -0.5).sum() + np.where(data < 0.0, 0, data).sum()


def without_nan(data):
    return np.nan_to_num(data, nan=1.0).sum() + np.isnan(data).sum()


def cumulated(data):
    return np.cumsum(np.bincount(EDGES.searchsorted(data), minlength=4))


def matrix_of_counts(data):
    return MATRIX @ np.bincount(EDGES.searchsorted(data), minlength=4)[:3]


def counts_by_matrix(data):
    return np.bincount(EDGES.searchsorted(data), minlength=4)[1:] @ MATRIX.T


def matrix_of_tests(data):
    return MATRIX @ np.count_nonzero(data[:, None] >= EDGES, axis=0)


def tests_by_matrix(data):
    return (data[:, None] == EDGES).sum(axis=0) @ MATRIX.T


def matrix_of_absolute_values(data):
    return MATRIX @ np.abs(np.column_stack([data, data, 2.0 - data])).sum(axis=0)


def rows_by_vector(data):
    pairs = np.column_stack([data, np.fmin(data, 1.0)])
    return np.tanh(pairs @ PUBLIC).sum()


def second_moments(data):
    pairs = np.column_stack([data, np.ones(len(data)), np.abs(data)])
    return pairs.T @ pairs


def clipped_rows(data):
    pairs = np.column_stack([data, 2.0 - data])
    lengths = np.sqrt((pairs**2).sum(axis=1, keepdims=True))
    return (pairs / np.maximum(1.0, lengths / 1.5)).sum(axis=0)


def rows_clipped_by_norm(data):
    pairs = np.column_stack([data, 2.0 - data])
    lengths = np.linalg.norm(pairs, axis=1, keepdims=True)
    return (pairs / np.maximum(1.0, lengths)).sum(axis=0)


def largest_of_rows(data):
    pairs = np.column_stack([data, 1.0 - data])
    return pairs.max(axis=1).sum() + pairs.argmax(axis=1).sum()


def parts(data):
    part = np.searchsorted((-0.5, 1.0), data)
    return [np.fmin(np.fmax(data[part == j], -1.0), 1.5).sum() for j in range(3)]


def mean_of_parts(data):
    part = np.searchsorted((-0.5, 1.0), data)
    members = [data[part == j] for j in range(3)]
    return np.array([np.median(m) if len(m) else 0.5 for m in members]).mean()


def sum_of_parts(data):
    part = np.searchsorted((-0.5, 1.0), data)
    return sum([data[part == j].sum() for j in range(3)])


def loop(data):
    total, most, kept = 0.0, -1.0, []
    for x in data:
        if x > 1.0:
            total += min(x, 2.0)
        elif x < -1.0:
            continue
        total = total + 0.25
        most = max(most, float(int(x)))
        kept.append(abs(x))
    return total, most, sum(kept), len(kept)


def generator(data):
    return sum(max(-1.0, min(x, 1.0)) for x in data if x > -1.0 and not x > 2.5)


def branch(data):
    if len(data) > 2:
        return data.sum().clip(-1.0, 1.0)
    if data.sum() < 0.0:
        return 0.25
    return 3


def branch_of_variables(data):
    score, steps = np.clip(data.sum(), 0.0, 5.0), []
    if score > 2.0:
        score = 5.0 - score
        steps.append(score)
    else:
        steps.append(1.0)
    return [score, *steps]


def choice_of_totals(data):
    return np.where(data.sum() > 1.0, len(data) * 0.5, 0.25 * data.sum())


def known_membership(data):
    return (len(data) in (1, 3)) + (data.sum() > 0.0 or len(data) > 2)


def stored(data):
    counts = np.zeros(3)
    for j in range(3):
        counts[j] = (data > j - 1).sum()
    counts[1:] += 1.0
    return counts


def listed(data):
    answers = [0.0] * 2
    answers[0] = data.sum()
    answers.append(float(len(data)))
    answers.extend([1.0, 2.0])
    return [a + 0.0 for a in answers]


def named(data):
    answers = {"sum": data.sum()}
    answers["count"] = len(data)
    return dict(zip(["a", "b"], answers.values(), strict=True))


def joined(data):
    low, high = (data < 0.0).sum(), (data >= 0.0).sum()
    pairs = np.concatenate([np.array([low, high]), [1.0]])
    return np.diff(pairs).reshape(2, 1).T


def triangle(data):
    pairs = np.column_stack([data, np.ones(len(data))])
    return np.triu(pairs.T @ pairs)


def below_grid(data):
    return np.abs(np.sort(data).searchsorted(np.array([0.0, 1.0])) - 0.5 * len(data))


def sorted_in_place(data):
    ends = np.clip(data, -1.0, 1.0)
    ends.sort()
    listed = np.minimum(data, 1.0).tolist()
    listed.sort()
    return ends.sum() + sum(listed)


def copies(data):
    return np.full(3, np.clip(data, -1.0, 1.0).sum())


def sum_of_sorted(data):
    return np.sort(np.clip(data, -1.0, 1.0)).sum() + (-data).sum() + (+data).sum()


def place(data):
    return int(np.argmax(np.bincount(EDGES.searchsorted(data), minlength=4)))


def some(data):
    return bool((data > 2.0).any()) + 0.0


def powers(data):
    return float(len(data)) ** 2 / 4.0 - math.exp(-1.0) * data.sum()


def reversed_items(data):
    return list(reversed([data.sum(), len(data)]))


def first_items(data):
    for i, value in enumerate([data.sum(), len(data)]):
        if i:
            return value
    return 0


def every_place(data):
    return (np.arange(len(data)) < 2).sum()


def of_range(data):
    return isinstance(data, np.ndarray) + sum(data > 0.0 for _ in range(2)).sum()


def numbers_clipped(data):
    total = np.fmin(np.fmax(data.sum(), -1.0), 4.0)
    return -np.minimum(np.maximum(total, 0.0), 3.0)


def tests_of_totals(data):
    total = data.sum()
    return (total is not None) + (not total > 1.0) + bool(len(data) == 2) + math.isfinite(total)


def lists_joined(data):
    sums, sizes = [data.sum()], [len(data)]
    return (sums + sizes) * 2


def loop_with_tests(data):
    kept = []
    for x in data:
        y = x
        if x > 0.0:
            if x > 2.0:
                continue
            y = x / 2
        else:
            y = 1.0 if x < -1.0 else -x
        kept.append(y)
    return len(kept), sum(kept)


def loop_that_subtracts(data):
    left, least = 10.0, 3.0
    for x in data:
        left -= abs(x)
        least = min(least, x)
    return left, least


def length_of_counts(data):
    return np.linalg.norm(np.bincount(EDGES.searchsorted(data), minlength=4))


def entry_of_counts(data):
    counts = np.bincount(EDGES.searchsorted(data), minlength=4)
    return counts[1] - counts[-1], counts[1:3].max(), counts[[0, 2]].sum(), counts[::-1].min()


def mean_of_counts(data):
    return np.bincount(EDGES.searchsorted(data), minlength=4).mean()


def sum_along_rows(data):
    pairs = np.column_stack([data, np.abs(data), -data])
    return pairs.sum(axis=1).clip(-1.0, 1.0).sum() + pairs.min(axis=1).sum()


def early(data):
    n = len(data)
    if n == 0:
        return 0.0
    kept = data[data >= 0.0]
    if len(kept) < 2:
        return kept.sum() / n
    return kept.sum() / len(kept)


def nested(data):
    total = data.clip(-1.0, 1.0).sum()
    scale = 2.0 if total > 1.0 else 0.5
    return min(max(scale * total, -1.0), 1.5) + (1.0 if len(data) > 3 and total > 0.0 else 0.0)


def chosen_by_what_was_computed(data):
    total, edge = data.clip(-1.0, 1.0).sum(), data.clip(0.0, 0.5).sum()
    scale = 2.0 if total > edge else 0.5
    return scale * min(total, 3.0) + min(edge, 2.0) + total


def variance_of_pairs(data):
    x, y = np.fmin(data, 1.0), np.fmax(data, 0.0)
    return (x - x.sum() / max(1, len(data))) @ (y - y.sum() / max(1, len(data)))


def argsorted(data):
    return np.sort(data)[::-1].max(initial=0.0) + len(sorted(data.tolist()))


def share_above(data):
    return (data > 0.5).sum() - 0.25 * len(data), -len(data) + (data > 0.0).sum(), len(data) - 7


def ranks(data):
    return np.count_nonzero(data[:, None] < EDGES, axis=0) - 0.5 * len(data)


def hashed_parts(data):
    bits = (data.astype(np.float64) + 0.0).view(np.uint64) ^ np.uint64(7)
    part = (bits * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(7)) % np.uint64(3)
    return [data[part == j].sum() for j in range(3)]


def largest_of_hashed_parts(data):
    values = np.clip(data, -1.0, 2.0)
    part = (values.astype(np.float64).view(np.uint64) * np.uint64(0x9E3779B9)) % np.uint64(3)
    members = [values[part == j] for j in range(3)]
    return np.array([np.max(x) if len(x) else 0.5 for x in members]).mean()


def largest_by_place(data):
    values = np.fmin(np.fmax(data, -1.0), 2.0)
    part = np.arange(len(values)) * 3 // max(1, len(values))
    members = [values[part == j] for j in range(3)]
    return np.array([np.max(x) if len(x) else 0.5 for x in members])


def first_and_last(data):
    values = np.fmin(np.fmax(data, -1.0), 2.0)
    return np.array([values[[0]].max(), values[[-1]].min(), values[[0, -1]].sum()])


def places_that_count(data):
    return len(np.flatnonzero(data > 0.5)), np.flatnonzero(np.round(data)).size


def wide_rows(data):
    pairs = np.column_stack([data, np.abs(data)])
    return np.column_stack([pairs, np.ones(len(data))]).sum(axis=0)


def extreme_of_whole(data):
    return abs(np.round(data).min(initial=-1.5)), np.floor(data).max(initial=0.5)
