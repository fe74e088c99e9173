"""Arrays of a public number of records, and sums by an index, with what one record moves them by.

Each is a query and its sensitivity in the L1 norm: with Laplace noise of that scale a claim of
epsilon 1 holds, and with any smaller noise it does not.
"""

import numpy as np

from dpaudit import AddRemove, Integer, Real, ReplaceOne, Row

FOUR = ReplaceOne(Real(-2, 3), size=4)  # one of four records moves by up to 5
ROWS = AddRemove(Row(k=Integer(0, 2), j=Integer(0, 1), v=Real(-1, 2)), container="pandas")
KEYED = ReplaceOne(Row(k=Integer(0, 2), v=Real(-1, 2)), size=4, container="pandas")
WHOLE = ReplaceOne(Integer(0, 9), size=4)
WEIGHTS = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0], [0.0, 0.0]])


def as_a_matrix(data):
    return data.reshape(2, 2).sum(axis=1)


def beside_the_next(data):
    return (data * np.roll(data, 1)).sum()


def steps(data):
    return np.diff(data)


def from_first_to_last(data):
    return np.diff(data).sum()


def so_far(data):
    return np.cumsum(data)


def three_times(data):
    return np.tile(data, 3)


def each_twice(data):
    return np.repeat(data, 2)


def turned(data):
    return np.flip(data)


def and_negated(data):
    return np.vstack([data, -data])


def by_two_numbers(data):
    return np.outer(data, [1.0, 2.0])


def product(data):
    return np.prod(data / 4)


def smoothed(data):
    return np.convolve(data, [1.0, -1.0])


def on_a_diagonal(data):
    return np.trace(np.diag(data))


def lengthened(data):
    return np.concatenate([data, np.zeros(2)])


def by_a_matrix(data):
    return data @ WEIGHTS


def by_their_places(data):
    return (data * np.arange(4.0)).sum()


def some_of_them(data):
    return data[[3, 1]] * 2


def against_the_others(data):
    return data[::-1] - data


def of_one_place_twice(data):
    return np.take(data, [0, 0])


def half(data):
    return np.split(data, 2)[1].sum()


def of_objects(data):
    parts = np.array_split(np.array([float(x) for x in data], dtype=object), 3)
    return np.array([part.sum() for part in parts])


def clipped_in_a_copy(data):
    kept = data.copy()
    for i in range(len(kept)):
        kept[i] = min(max(kept[i], 0.0), 1.0)
    return kept


def of_one_record(data):
    return data[2] * (1 - data[0] * data[1])


def halved(data):
    return data.sum() // 2


def sums_by_index(data):
    return np.bincount(data["k"].to_numpy(), weights=data["v"].to_numpy(), minlength=3)


def sums_put_in(data):
    sums = np.zeros(3)
    np.add.at(sums, data["k"].to_numpy(), data["v"].to_numpy())
    return sums


def counts_by_two(data):
    counts = np.zeros((3, 2), dtype=int)
    np.add.at(counts, (data["k"].to_numpy(), data["j"].to_numpy()), 1)
    return counts


def sums_by_bins(data):
    x = data["v"].to_numpy()
    return np.histogram(x, bins=[-1.0, 0.0, 1.0, 2.0], weights=x)[0]


def counts_by_two_bins(data):
    x, y = data["v"].to_numpy(), data["k"].to_numpy()
    return np.histogram2d(x, y, bins=[3, 2], range=[[-1, 2], [0, 2]])[0]


QUERIES = [
    (as_a_matrix, FOUR, 5), (beside_the_next, FOUR, 30), (steps, FOUR, 10),
    (from_first_to_last, FOUR, 5), (so_far, FOUR, 20), (three_times, FOUR, 15),
    (each_twice, FOUR, 10), (turned, FOUR, 5), (and_negated, FOUR, 10),
    (by_two_numbers, FOUR, 15), (product, FOUR, 135 / 256),
    (smoothed, FOUR, 10), (on_a_diagonal, FOUR, 5), (lengthened, FOUR, 5), (by_a_matrix, FOUR, 20),
    (by_their_places, FOUR, 15), (some_of_them, FOUR, 10), (against_the_others, FOUR, 10),
    (of_one_place_twice, FOUR, 10), (half, FOUR, 5), (of_objects, FOUR, 5),
    (clipped_in_a_copy, FOUR, 1), (of_one_record, FOUR, 45), (halved, WHOLE, 5),
 (sums_by_index, KEYED, 4), (sums_put_in, ROWS, 2),
    (counts_by_two, ROWS, 1), (sums_by_bins, ROWS, 2), (counts_by_two_bins, ROWS, 1),
]  # fmt: skip
