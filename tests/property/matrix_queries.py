"""Queries of rows of several numbers, taken as the rows or the columns of a matrix."""

import numpy as np

WEIGHTS = np.array([0.5, -2.0, 1.0])


def rows_of(data):
    return data.view(np.float64).reshape(len(data), 3)


def as_a_matrix(data):
    return np.clip(rows_of(data), -1.0, 2.0).sum(axis=0)


def rows_without_a_number_of_them(data):
    return np.clip(data.view(np.float64).reshape(-1, 3), -1.0, 2.0).sum(axis=0)


def shortened_rows(data):
    rows = np.fmin(np.fmax(rows_of(data), -50.0), 50.0)
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return (rows / np.maximum(1.0, lengths / 0.5)).sum(axis=0)


def shortened_columns(data):
    a = np.fmin(np.fmax([data[name] for name in data.dtype.names], -3.0), 3.0)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    return a.sum(axis=1)


def second_moments(data):
    a = np.fmin(np.fmax([data[name] for name in data.dtype.names], -3.0), 3.0)
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    return a @ a.T


def gradients(data):
    rows = np.fmin(np.fmax(rows_of(data), -50.0), 50.0)
    slopes = 0.5 * np.tanh(rows @ WEIGHTS / 2) - 0.5
    moved = rows * slopes[:, None]
    return (moved / np.maximum(1.0, np.sqrt((moved * moved).sum(axis=1))[:, None])).sum(axis=0)


def shortened_features_beside_a_label(data):
    rows = np.fmin(np.fmax(rows_of(data), -50.0), 50.0)
    features = rows[:, :-1]
    lengths = np.linalg.norm(features, axis=1, keepdims=True)
    return (features / np.maximum(1.0, lengths)).sum(axis=0), len(data)


def shortened_by_another_length(data):
    rows = np.fmin(np.fmax(rows_of(data), -50.0), 50.0)
    lengths = np.sqrt((rows[:, :-1] ** 2).sum(axis=1, keepdims=True))
    return (rows / np.maximum(1.0, lengths)).sum(axis=0)


def shortened_by_the_length_of_columns(data):
    a = np.fmin(np.fmax([data[name] for name in data.dtype.names], -3.0), 3.0)
    a = a / np.maximum(1.0, np.sqrt((a * a).sum(axis=1, keepdims=True)))
    return a.sum(axis=1)


def shortened_after_a_change(data):
    rows = np.fmin(np.fmax(rows_of(data), -50.0), 50.0)
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    rows = rows + 3.0
    return (rows / np.maximum(1.0, lengths)).sum(axis=0)


def too_long_squared(data):
    rows = rows_of(data)
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return (rows / np.maximum(1.0, lengths)).sum(axis=0)
