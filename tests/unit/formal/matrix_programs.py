"""Programs on rows of several numbers, each with one mistake; the checker is given them too."""

import numpy as np

from dpaudit import AddRemove, GaussianDP, Integer, PureDP, Real, ReplaceOne, Row

SIDE = Real(-1, 1)
ANY = Real(-1, 1, enforced=False, allow_nan=True, allow_infinity=True)
ROWS = AddRemove(Row(x=SIDE, y=SIDE), max_size=8)
ANY_ROWS = AddRemove(Row(x=ANY, y=ANY), max_size=8)
MIXED = AddRemove(Row(x=SIDE, k=Integer(0, 1)), max_size=8)
REPLACED = ReplaceOne(Row(x=SIDE, y=SIDE), size=5)
ONE = GaussianDP(1.0)
LESS = GaussianDP(0.9)  # of programs that cost 1


def columns(data, bound=1.0):
    return np.fmin(np.fmax([data["x"], data["y"]], -bound), bound)


def rows(data):
    return data.view(np.float64).reshape(len(data), 2)


def noise_of(rng, a):
    return np.triu(rng.normal(size=(len(a), len(a))))


def half_of_the_mirror(data, rng):
    a = columns(data)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    return a @ a.T + noise_of(rng, a)


def mirror_of_another_noise(data, rng):
    a = columns(data)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    return a @ a.T + noise_of(rng, a) + np.triu(noise_of(rng, a), 1).T


def noise_not_turned(data, rng):
    a = columns(data)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    noise = noise_of(rng, a)
    return a @ a.T + noise + np.triu(noise, 1)


def mirror_on_no_symmetric_matrix(data, rng):
    a = columns(data)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    b = np.fmin(np.fmax([data["y"], data["x"]], -1.0), 0.0)
    b /= np.maximum(1.0, np.sqrt((b * b).sum(axis=0)))
    noise = noise_of(rng, a)
    return a @ b.T + noise + np.triu(noise, 1).T


def noise_shown_too(data, rng):
    a = columns(data)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    noise = noise_of(rng, a)
    return a @ a.T + noise + np.triu(noise, 1).T, noise


def laplace_mirrored(data, rng):
    a = columns(data)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    noise = np.triu(rng.laplace(size=(2, 2)))
    return a @ a.T + noise + np.triu(noise, 1).T


def length_not_of_the_rows(data, rng):
    a = columns(data)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=1, keepdims=True)))
    return a.sum(axis=1) + rng.normal(size=2)


def length_without_an_entry(data, rng):
    a = rows(data)
    lengths = np.sqrt((a[:, :1] ** 2).sum(axis=1, keepdims=True))
    return (a / np.maximum(1.0, lengths)).sum(axis=0) + rng.normal(size=2)


def length_of_old_rows(data, rng):
    a = columns(data)
    lengths = np.sqrt((a * a).sum(axis=0))
    a *= 2.0
    return (a / np.maximum(1.0, lengths)).sum(axis=1) + rng.normal(size=2)


def shorter_than_the_length(data, rng):
    a = columns(data)
    return (a / np.maximum(1.0, np.sqrt((a * a).sum(axis=0)) / 2.0)).sum(axis=1) + rng.normal(
        size=2
    )


def no_longer_than_one(data, rng):
    a = columns(data)
    return (a / np.minimum(1.0, np.sqrt((a * a).sum(axis=0)))).sum(axis=1) + rng.normal(size=2)


def long_rows_squared(data, rng):
    a = rows(data)
    a = a / np.maximum(1.0, np.sqrt((a * a).sum(axis=1, keepdims=True)))
    return a.sum(axis=0) + rng.normal(size=2)


def truncated_lengths(data, rng):
    a = columns(data)
    return (a / np.maximum(1.0, np.sqrt((a * a).sum(axis=0, dtype=int)))).sum(axis=1) + rng.normal(
        size=2
    )


def integers_seen_as_floats(data, rng):
    return rows(data).clip(0.0, 0.5).sum(axis=0) + rng.normal(size=2)


def rows_of_another_length(data, rng):
    flat = data.view(np.float64).reshape(len(data), 1)
    return flat.clip(0.0, 1.0).sum(axis=0) + rng.normal(size=1)


def changed_under_two_names(data, rng):
    a = columns(data) / 1.0
    b = a
    b /= np.maximum(1.0, np.sqrt((b * b).sum(axis=0)))
    b *= 3.0
    return a.sum(axis=1) + rng.normal(size=2)


def changed_by_a_helper(data, rng):
    a = columns(data) / 2.0
    _triple(a)
    return a.sum(axis=1) + rng.normal(size=2)


def _triple(b):
    b *= 3.0


def changed_through_a_view(data, rng):
    a = columns(data) / 2.0
    b = a.T
    b *= 3.0
    return a.sum(axis=1) + rng.normal(size=2)


def raw_slope(data, rng):
    a = rows(data)
    first = a.sum(axis=0) + rng.normal(scale=2.0, size=2)
    slopes = np.tanh(a @ first)
    return first, (a * slopes[:, None]).sum(axis=0) + rng.normal(scale=2.0, size=2)


FALSE = [
    (half_of_the_mirror, ONE, ROWS),
    (mirror_of_another_noise, LESS, ROWS),
    (noise_not_turned, ONE, ROWS),
    (mirror_on_no_symmetric_matrix, ONE, ROWS),
    (noise_shown_too, ONE, ROWS),
    (laplace_mirrored, PureDP(1.0), ROWS),
    (length_not_of_the_rows, ONE, ROWS),
    (length_without_an_entry, ONE, ROWS),
    (length_of_old_rows, ONE, ROWS),
    (shorter_than_the_length, ONE, ROWS),
    (no_longer_than_one, ONE, ROWS),
    (long_rows_squared, ONE, ANY_ROWS),
    (truncated_lengths, ONE, ROWS),
    (integers_seen_as_floats, ONE, MIXED),
    (rows_of_another_length, ONE, ROWS),
    (changed_under_two_names, ONE, ROWS),
    (changed_by_a_helper, ONE, ROWS),
    (changed_through_a_view, ONE, ROWS),
    (raw_slope, LESS, ROWS),
]
