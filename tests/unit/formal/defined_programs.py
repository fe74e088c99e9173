"""Programs with library functions that others define, written as people write them."""

import math

import numpy as np


def nothing_at_first(data):
    return np.zeros(len(data)), np.zeros((2, 3), dtype=int), np.zeros(4, "float64")


def ones(data):
    return np.ones(3), np.ones(shape=3, dtype=bool), np.ones_like(data)


def copies(data):
    return np.copy(data), data.copy()


def means(data):
    return np.average(data), np.average(data, axis=0), np.average(data, weights=[1, 2])


def logarithms(data):
    return math.log(len(data), 2), math.log(len(data))


def powers(data):
    return pow(data, 2), pow(3, 2, 5)


def infinities(data):
    return np.isinf(data), np.isposinf(data)


def texts(data):
    return (
        np.zeros(3, dtype=str),
        np.zeros(3, object),
        np.zeros(3, dtype=None),
        np.ones(2, "f8", "F"),
    )


def two_errors(data):
    return math.log(len(data), 1 / len(data))


def spread(data):
    return np.zeros(*data)
