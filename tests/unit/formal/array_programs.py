"""Programs on arrays in the spellings of NumPy, SciPy and pandas, and the same with one mistake."""

import math

import numpy as np
import scipy.linalg
from scipy import special, stats

from dpaudit import AddRemove, GaussianDP, Integer, PureDP, Real, ReplaceOne, Row

SIDE = Real(-3, 3)
PURE, GAUSSIAN = PureDP(1.0), GaussianDP(1.0)
COUNTED = AddRemove(Integer(0, 2), max_size=6)
NUMBERS = AddRemove(Real(0, 1), max_size=8)
ANYTHING = AddRemove(Real(0, 1, enforced=False, allow_nan=True, allow_infinity=True), max_size=8)
WHOLE = AddRemove(Integer(0, 3), max_size=8)
POINTS = AddRemove(Row(x=SIDE, y=SIDE), container="pandas", max_size=8)
LABELLED = ReplaceOne(
    Row(x=Real(-1, 1), y=Real(-1, 1), label=Integer(0, 1)), container="pandas", size=4
)
ONE = ReplaceOne(Row(p=Integer(0, 1), q=Integer(0, 1)), container="pandas", size=1)
TWO = ReplaceOne(Row(p=Integer(0, 1), q=Integer(0, 1)), container="pandas", size=2)


def norms(points, order=None):
    return np.linalg.norm(points, ord=order, axis=1, keepdims=True)


# --- rows that are shortened


def shortened_where_longer(frame, rng):
    points = frame.to_numpy()
    far = norms(points)
    return np.where(far > 1.0, points / far, points).sum(axis=0) + rng.normal(0, 1, 2)


def shortened_where_longer_guarded(frame, rng):
    points = frame.to_numpy()
    far = norms(points)
    inside = np.where(far <= 1.0, points, points / np.maximum(far, 1e-9))
    return inside.sum(axis=0) + rng.normal(0, 1, 2)


def shortened_by_share(frame, rng):
    points = frame.to_numpy()
    return (points * np.minimum(1.0, 1.0 / norms(points))).sum(axis=0) + rng.normal(0, 1, 2)


def shortened_by_share_with_a_little_more(frame, rng):
    points = frame.to_numpy()
    share = np.minimum(1.0, 1.0 / (norms(points) + 1e-12))
    return (points * share).sum(axis=0) + rng.normal(0, 1, 2)


def shortened_by_magnitudes(frame, rng):
    points = frame.to_numpy()
    return (points / np.maximum(1.0, norms(points, 1))).sum(axis=0) + rng.laplace(0, 1, 2)


def shortened_by_sum_of_magnitudes(frame, rng):
    points = frame.to_numpy()
    far = np.sum(np.abs(points), axis=1, keepdims=True)
    return (points / np.maximum(1.0, far)).sum(axis=0) + rng.laplace(0, 1, 2)


def shortened_by_the_largest(frame, rng):
    points = frame.to_numpy()
    far = norms(points, np.inf)
    return (points / np.maximum(1.0, far)).sum(axis=0) + rng.laplace(0, 2, 2)


def shortened_by_the_largest_magnitude(frame, rng):
    points = frame.to_numpy()
    far = np.abs(points).max(axis=1, keepdims=True)
    return (points / np.maximum(1.0, far)).sum(axis=0, keepdims=True) + rng.laplace(0, 2, (1, 2))


def logistic_steps(frame, rng):
    points, labels = frame[["x", "y"]].to_numpy(), frame["label"].to_numpy()
    weights = np.zeros(2)
    for _ in range(2):
        chances = 1 / (1 + np.exp(-points @ weights))
        slopes = points * (chances - labels)[:, None]
        slopes = slopes / np.maximum(1.0, norms(slopes))
        weights = weights - 0.1 * (slopes.sum(axis=0) + rng.normal(0, 8**0.5, 2)) / 4
    return weights


def where_shorter(frame, rng):
    points = frame.to_numpy()
    far = norms(points)
    return np.where(far < 1.0, points / far, points).sum(axis=0) + rng.normal(0, 1, 2)


def where_twice_as_long(frame, rng):
    points = frame.to_numpy()
    far = norms(points)
    return np.where(far > 2.0, points / far, points).sum(axis=0) + rng.normal(0, 1, 2)


def where_another_norm_is_longer(frame, rng):
    points = frame.to_numpy()
    longer = norms(points, np.inf) > 1.0
    return np.where(longer, points / norms(points), points).sum(axis=0) + rng.normal(0, 1, 2)


def where_perhaps_zero(frame, rng):
    points = frame.to_numpy()
    far = norms(points)
    return np.where(far >= 0.0, points / far, points).sum(axis=0) + rng.normal(0, 1, 2)


def over_a_norm_that_may_be_zero(frame, rng):
    points = frame.to_numpy()
    return (points / norms(points)).sum(axis=0) + rng.normal(0, 1, 2)


def share_of_two(frame, rng):
    points = frame.to_numpy()
    return (points * np.minimum(1.0, 2.0 / norms(points))).sum(axis=0) + rng.normal(0, 1, 2)


def share_beyond_the_floats(frame, rng):  # squares of tiny rows are 0, and so are their norms
    points = frame.to_numpy()
    return (points * np.minimum(1e300, 1.0 / norms(points))).sum(axis=0) + rng.normal(0, 1, 2)


def norms_of_columns(frame, rng):
    points = frame.to_numpy()
    far = np.linalg.norm(points, axis=0, keepdims=True)
    return (points / np.maximum(1.0, far)).sum(axis=0) + rng.normal(0, 1, 2)


def euclidean_for_magnitudes(frame, rng):
    points = frame.to_numpy()
    return (points / np.maximum(1.0, norms(points))).sum(axis=0) + rng.laplace(0, 1, 2)


def largest_for_magnitudes(frame, rng):
    points = frame.to_numpy()
    return (points / np.maximum(1.0, norms(points, np.inf))).sum(axis=0) + rng.laplace(0, 1, 2)


def largest_for_euclidean(frame, rng):
    points = frame.to_numpy()
    far = np.abs(points).max(axis=1, keepdims=True)
    return (points / np.maximum(1.0, far)).sum(axis=0) + rng.normal(0, 1, 2)


def smallest_magnitude(frame, rng):
    points = frame.to_numpy()
    return (points / np.maximum(1.0, norms(points, -np.inf))).sum(axis=0) + rng.laplace(0, 2, 2)


def sums_with_signs(frame, rng):
    points = frame.to_numpy()
    far = points.sum(axis=1, keepdims=True)
    return (points / np.maximum(1.0, far)).sum(axis=0) + rng.laplace(0, 1, 2)


def magnitude_of_one_column(frame, rng):
    points = frame.to_numpy()
    far = np.abs(points[:, :1]).sum(axis=1, keepdims=True)
    return (points / np.maximum(1.0, far)).sum(axis=0) + rng.laplace(0, 1, 2)


def magnitudes_of_halves(frame, rng):
    points = frame.to_numpy()
    far = np.abs(points / 2).sum(axis=1, keepdims=True)
    return (points / np.maximum(1.0, far)).sum(axis=0) + rng.laplace(0, 1, 2)


# --- numbers put where a test is true


def put_by_masks(data, rng):
    inside = data.copy()
    inside[inside < 0.2] = 0.2
    inside[inside > 0.8] = 0.8
    return inside.sum() + rng.laplace(0, 0.8)


def put_for_missing(data, rng):
    inside = data.copy()
    inside[np.isnan(inside)] = 0.0
    inside[inside > 1] = 1.0
    inside[inside < 0] = 0.0
    return inside.sum() + rng.laplace(0, 1.0)


def numbers_for_missing(data, rng):
    return np.nan_to_num(data).clip(0, 1).sum() + rng.laplace(0, 1.0)


def put_and_missing_stays(data, rng):
    inside = data.copy()
    inside[inside < 0] = 0.0
    inside[inside > 1] = 1.0
    return inside.sum() + rng.laplace(0, 1.0)


def put_into_the_data(data, rng):
    data[data > 0.5] = 0.5
    return data.sum() + rng.laplace(0, 0.5)


def put_beside_a_view(data, rng):
    inside = data.copy()
    column = inside.reshape(-1, 1)
    inside[inside > 0.5] = 0.5
    return column.sum() + rng.laplace(0, 0.5)


def put_by_an_older_mask(data, rng):
    wide = data.copy() * 4
    larger = wide > 1
    wide = wide * 2
    wide[larger] = 1
    return wide.sum() + rng.laplace(0, 1)


def put_half_into_whole(data, rng):
    inside = data.copy()
    inside[inside > 0] = 0.5
    return inside.sum() + rng.laplace(0, 0.5)


def numbers_for_missing_afterwards(data, rng):
    return np.nan_to_num(data.clip(0, 1), nan=5).sum() + rng.laplace(0, 1.0)


# --- smooth functions


def logarithm_of_the_count(data, rng):
    return math.log(len(data) + 1) + rng.laplace(0, 0.7)


def root_of_the_sum(data, rng):
    return np.sqrt(data.sum() + 1) + rng.laplace(0, 0.5)


def sine_of_the_sum(data, rng):
    return np.sin(data.sum()) + rng.laplace(0, 1)


def angles(data, rng):
    return np.arctan(data).sum() + rng.laplace(0, 1)


def bounded_mean(data, rng):
    return np.tanh(data.sum() / 4) + rng.laplace(0, 0.25)


def cubes_and_roots(data, rng):
    return np.sum(np.power(data, 3)) + rng.laplace(0, 2), (data**0.5).sum() + rng.laplace(0, 2)


def cubes_with_less_noise(data, rng):
    return np.sum((2 * data) ** 3) + rng.laplace(0, 7)


def roots_of_perhaps_negative(data, rng):
    return ((data - 0.5) ** 0.5).sum() + rng.laplace(0, 1)


def logarithm_of_perhaps_zero(data, rng):
    return np.log(data.sum()) + rng.laplace(0, 1)


def logarithm_with_less_noise(data, rng):
    return math.log(len(data) + 1) + rng.laplace(0, 0.69)


def root_with_less_noise(data, rng):
    return np.sqrt(data.sum() + 0.01) + rng.laplace(0, 0.5)


def sine_of_twice_the_sum(data, rng):
    return np.sin(2 * data.sum()) + rng.laplace(0, 1)


def powers(data, rng):
    return np.expm1(data).sum() + rng.laplace(0, 1)


def tangent_of_thrice(data, rng):
    return np.tanh(3 * (data.sum() - 4)) + rng.laplace(0, 1)


# --- arrays made of others


def from_a_generator(data, rng):
    counts = np.fromiter((np.sum(data == k) for k in range(4)), dtype=float, count=4)
    return counts + rng.laplace(0, 1, 4)


def bins_of_two(frame, rng):
    counts, _ = np.histogramdd(frame.to_numpy(), bins=(2, 3), range=[(-3, 3), (-3, 3)])
    return counts + rng.laplace(0, 1, (2, 3))


def columns_of_series(frame, rng):
    table = np.column_stack([np.ones(len(frame)), frame["x"].clip(-1, 1)])
    return table.sum(axis=0) + rng.laplace(0, 2, 2)


def triangle(frame, rng):
    points = frame.to_numpy()
    points = points / np.maximum(1.0, norms(points))
    upper = np.triu_indices(2)
    return (points.T @ points)[upper] + rng.normal(0, 1, 3)


def too_short_a_generator(data, rng):
    counts = np.fromiter((np.sum(data == k) for k in range(4)), dtype=float, count=len(data))
    return counts + rng.laplace(0, 1, len(data))


def bins_of_two_with_less_noise(frame, rng):
    counts, _ = np.histogramdd(frame.to_numpy(), bins=(2, 3), range=[(-3, 3), (-3, 3)])
    return counts + rng.laplace(0, 0.9, (2, 3))


def both_margins_for_one(frame, rng):
    counts, _ = np.histogramdd(frame.to_numpy(), bins=(2, 2), range=[(-3, 3), (-3, 3)])
    return np.concatenate([counts.sum(axis=0), counts.sum(axis=1)]) + rng.laplace(0, 1, 4)


def changed_after_a_view_of_it(data, rng):
    zeros = np.zeros((2, 2))
    turned = np.linalg.matrix_transpose(zeros)
    zeros[0, 0] = data.sum()
    return turned


def rows_for_columns(frame, rng):
    points = frame.to_numpy().clip(-1, 1)
    return points.max(axis=0) + rng.laplace(0, 1, 2)


# --- frames by numbers


def row_by_number(frame, rng):
    row = frame.iloc[0]
    return [row["p"] + rng.laplace(0, 2), row["q"] + rng.laplace(0, 2)]


def entries_by_number(frame, rng):
    return [frame.iloc[0, 0] + rng.laplace(0, 2), frame.iloc[0, 1] + rng.laplace(0, 2)]


def row_that_pays_once(frame, rng):
    row = frame.iloc[0]
    return [row["p"] + rng.laplace(0, 1), row["q"] + rng.laplace(0, 1)]


def rows_with_one_noise(frame, rng):
    noise = rng.laplace(0, 1)
    return [frame.iloc[at]["p"] + noise for at in range(2)]


def entry_without_noise(frame, rng):
    return [frame.iloc[1, 0] + rng.laplace(0, 1), frame.iloc[0, 1]]


# --- what is released


def special_functions(data, rng):
    noisy = data.sum() + rng.laplace(0, 1)
    return special.lambertw(noisy).real, special.erf(noisy), special.gammaln(noisy)


def laws_and_draws(data, rng):
    noisy = data.sum() + rng.laplace(0, 1)
    return stats.norm.cdf(noisy), stats.expon.ppf(0.5, scale=abs(noisy) + 1), rng.choice(3)


def law_and_an_order(data, rng):  # an order of places may tell which records a sample took
    return stats.norm.cdf(data.sum() + rng.laplace(0, 1)), rng.permutation(3)


def drawn_by_a_law(data, rng):
    return data.sum() + stats.laplace.ppf(0.3)


def decompositions(frame, rng):
    noisy = frame.to_numpy().clip(-1, 1).sum(axis=0) + rng.laplace(0, 2, 2)
    return scipy.linalg.toeplitz(noisy), scipy.linalg.expm(np.outer(noisy, noisy))


def function_of_the_sum(data, rng):
    return special.erf(data.sum()) + 0 * rng.laplace(0, 1)


def changed_errors(data, rng):
    noisy = data.sum() + rng.laplace(0, 1)
    special.seterr(all="raise")
    return noisy


def with_a_private_seed(data, rng):
    noisy = np.ones((2, 2)) * (data.sum() + rng.laplace(0, 1))
    return scipy.linalg.clarkson_woodruff_transform(noisy, 2, seed=int(data.sum()))


def overwritten(data, rng):
    kept = np.eye(2) * (data.sum() + rng.laplace(0, 1))
    scipy.linalg.inv(kept, True)
    kept[0, 0] = data.sum()
    return kept


def chosen_where_a_number_is_not_0(data, rng):
    noise = rng.gumbel(0, 2.0, size=3)
    allowed = np.where(np.array([1, 1, 1]), noise, -100.0)
    counts = np.bincount(data, minlength=3)
    return (allowed + counts).argmax()


def counted_where_a_number_is_not_0(data, rng):
    return np.where(data, 1, 0).sum() + rng.laplace(0, 1.0)


def doubled_where_a_number_is_not_0(data, rng):
    return np.where(data, 2, 0).sum() + rng.laplace(0, 1.0)


def where_a_number_is_lost(data, rng):  # (0.0 * data) + 1e-17 - 1.0 has no digit for 1e-17
    lost = (0.0 * data + 1.0) + 1e-17 - 1.0
    return np.where(lost, 0.0, 100.0).sum() + rng.laplace(0, 1.0)


PROVED = [
    (chosen_where_a_number_is_not_0, PURE, COUNTED),
    (counted_where_a_number_is_not_0, PURE, COUNTED),
    (shortened_where_longer, GAUSSIAN, POINTS),
    (shortened_where_longer_guarded, GAUSSIAN, POINTS),
    (shortened_by_share, GAUSSIAN, POINTS),
    (shortened_by_share_with_a_little_more, GAUSSIAN, POINTS),
    (shortened_by_magnitudes, PURE, POINTS),
    (shortened_by_sum_of_magnitudes, PURE, POINTS),
    (shortened_by_the_largest, PURE, POINTS),
    (shortened_by_the_largest_magnitude, PURE, POINTS),
    (logistic_steps, GAUSSIAN, LABELLED),
    (put_by_masks, PURE, NUMBERS),
    (put_for_missing, PURE, ANYTHING),
    (numbers_for_missing, PURE, ANYTHING),
    (logarithm_of_the_count, PURE, NUMBERS),
    (root_of_the_sum, PURE, NUMBERS),
    (sine_of_the_sum, PURE, NUMBERS),
    (angles, PURE, NUMBERS),
    (bounded_mean, PURE, NUMBERS),
    (cubes_and_roots, PURE, NUMBERS),
    (laws_and_draws, PURE, NUMBERS),
    (from_a_generator, PURE, WHOLE),
    (bins_of_two, PURE, POINTS),
    (columns_of_series, PURE, POINTS),
    (triangle, GAUSSIAN, POINTS),
    (row_by_number, PURE, ONE),
    (entries_by_number, PURE, ONE),
    (special_functions, PURE, NUMBERS),
    (decompositions, PURE, POINTS),
]
FALSE = [
    (doubled_where_a_number_is_not_0, PURE, COUNTED),
    (where_a_number_is_lost, PURE, COUNTED),
    (where_shorter, GAUSSIAN, POINTS),
    (where_twice_as_long, GAUSSIAN, POINTS),
    (where_another_norm_is_longer, GAUSSIAN, POINTS),
    (where_perhaps_zero, GAUSSIAN, POINTS),
    (over_a_norm_that_may_be_zero, GAUSSIAN, POINTS),
    (share_of_two, GAUSSIAN, POINTS),
    (share_beyond_the_floats, GAUSSIAN, POINTS),
    (norms_of_columns, GAUSSIAN, POINTS),
    (euclidean_for_magnitudes, PURE, POINTS),
    (largest_for_magnitudes, PURE, POINTS),
    (largest_for_euclidean, GAUSSIAN, POINTS),
    (smallest_magnitude, PURE, POINTS),
    (sums_with_signs, PURE, POINTS),
    (magnitude_of_one_column, PURE, POINTS),
    (magnitudes_of_halves, PURE, POINTS),
    (put_and_missing_stays, PURE, ANYTHING),
    (put_into_the_data, PURE, NUMBERS),
    (put_beside_a_view, PURE, NUMBERS),
    (put_by_an_older_mask, PURE, NUMBERS),
    (put_half_into_whole, PURE, WHOLE),
    (numbers_for_missing_afterwards, PURE, ANYTHING),
    (logarithm_of_perhaps_zero, PURE, NUMBERS),
    (logarithm_with_less_noise, PURE, NUMBERS),
    (root_with_less_noise, PURE, NUMBERS),
    (sine_of_twice_the_sum, PURE, NUMBERS),
    (powers, PURE, NUMBERS),
    (cubes_with_less_noise, PURE, NUMBERS),
    (roots_of_perhaps_negative, PURE, NUMBERS),
    (drawn_by_a_law, PURE, NUMBERS),
    (tangent_of_thrice, PURE, NUMBERS),
    (too_short_a_generator, PURE, WHOLE),
    (bins_of_two_with_less_noise, PURE, POINTS),
    (both_margins_for_one, PURE, POINTS),
    (changed_after_a_view_of_it, PURE, NUMBERS),
    (rows_for_columns, PURE, POINTS),
    (row_that_pays_once, PURE, ONE),
    (rows_with_one_noise, PURE, TWO),
    (entry_without_noise, PURE, TWO),
    (function_of_the_sum, PURE, NUMBERS),
    (changed_errors, PURE, NUMBERS),
    (with_a_private_seed, PURE, NUMBERS),
    (overwritten, PURE, NUMBERS),
]
