"""Numbers by two known labels, and numbers of each column of a frame.

Each sound mechanism has twins that differ from it by one defect.
"""

import itertools

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, ReplaceOne, Row

REGIONS, KINDS = ("north", "south", "west"), (1, 2)
_row = Row(
    region=Categorical(list(REGIONS)),
    kind=Integer(1, 2),
    amount=Real(0, 10),
    visits=Integer(0, 9),
)
SALES = AddRemove(_row, max_size=6, container="pandas")
CLASS = ReplaceOne(Row(sleep=Real(0, 10), mood=Real(0, 10)), size=10, container="pandas")
ONE = PureDP(1.0)
INDEX = pd.MultiIndex.from_tuples(list(itertools.product(REGIONS, KINDS)), names=["region", "kind"])
CODES = pd.Index([1, 2])


def sizes_by_two(frame, rng, scale=1.0):
    sizes = frame.groupby(["region", "kind"]).size()
    return [sizes.get((r, k), 0) + rng.laplace(scale=scale) for r in REGIONS for k in KINDS]


def sizes_by_two_too_loud(frame, rng):
    return sizes_by_two(frame, rng, scale=0.5)


def sizes_that_may_be_missing(frame, rng):
    sizes = frame.groupby(["region", "kind"]).size()
    return [sizes[r, k] + rng.laplace() for r in REGIONS for k in KINDS]


def product_of_labels(frame, rng, kinds=KINDS):
    every = pd.MultiIndex.from_product([REGIONS, kinds])
    sizes = frame.groupby(["region", "kind"]).size().reindex(every, fill_value=0)
    return (sizes + rng.laplace(size=len(sizes))).to_dict()


def index_that_exists(frame, rng, scale=1.0):
    sizes = frame.groupby(["region", "kind"]).size().reindex(INDEX).fillna(0)
    noisy = sizes.to_numpy() + rng.laplace(scale=scale, size=sizes.shape)
    return dict(zip(INDEX, noisy, strict=True))


def labels_by_product(frame, rng):
    sizes = frame.groupby(["region", "kind"]).size()
    return {k: sizes.get(k, 0) + rng.laplace() for k in itertools.product(REGIONS, KINDS)}


def index_that_exists_too_loud(frame, rng):
    return index_that_exists(frame, rng, scale=0.5)


def index_without_the_zeros(frame, rng):
    sizes = frame.groupby(["region", "kind"]).size().reindex(INDEX)
    return sizes.to_numpy() + rng.laplace(size=len(INDEX))


def labels_that_occur(frame, rng):
    every = list(itertools.product(frame["region"].unique(), KINDS))
    sizes = frame.groupby(["region", "kind"]).size().reindex(every, fill_value=0)
    return sizes.to_numpy() + rng.laplace(size=len(every))


def choices_gone_through_twice(frame, rng):
    every = itertools.product(REGIONS, KINDS)
    known = list(every)
    sizes = frame.groupby(["region", "kind"]).size().reindex(known, fill_value=0)
    left = min(1, len(list(every)))
    return [n * (2 - left) + rng.laplace() for n in sizes.to_numpy()]


def index_times_two(frame, rng):
    return (len(frame) * (CODES * 2)).sum() / 3 + rng.laplace()


def product_of_labels_twice(frame, rng):
    return product_of_labels(frame, rng, kinds=(1, 1))


def whole_or_missing(frame, rng):
    sizes = frame["region"].value_counts().reindex(list(REGIONS)).fillna(0)
    noisy = np.array(sizes)
    noisy += rng.laplace(size=3)
    return noisy


def unstacked_as_it_occurs(frame, rng):
    table = frame.groupby(["region", "kind"]).size().unstack(fill_value=0)
    return table + rng.laplace(size=table.shape)


def crossed_as_it_occurs(frame, rng):
    table = pd.crosstab(frame["region"], frame["kind"])
    return table + rng.laplace(size=table.shape)


def means_of_columns(frame, rng, scale=2.0):
    means = frame[["sleep", "mood"]].clip(0, 10).mean()
    return [mean + rng.laplace(scale=scale) for mean in means]


def means_of_columns_too_loud(frame, rng):
    return means_of_columns(frame, rng, scale=1.0)


def sums_of_columns(frame, rng, scale=20.0):
    sums = frame[["amount", "visits"]].sum()
    return sums["amount"] + rng.laplace(scale=scale), sums["visits"] + rng.laplace(scale=18.0)


def sums_of_columns_too_loud(frame, rng):
    return sums_of_columns(frame, rng, scale=10.0)


SOUND = [
    (sizes_by_two, ONE, SALES),
    (product_of_labels, ONE, SALES),
    (index_that_exists, ONE, SALES),
    (labels_by_product, ONE, SALES),
    (means_of_columns, ONE, CLASS),
    (sums_of_columns, ONE, SALES),
]
BROKEN = [
    (sizes_by_two_too_loud, ONE, SALES),
    (sizes_that_may_be_missing, ONE, SALES),
    (product_of_labels_twice, ONE, SALES),
    (index_that_exists_too_loud, ONE, SALES),
    (index_without_the_zeros, ONE, SALES),
    (labels_that_occur, ONE, SALES),
    (choices_gone_through_twice, ONE, SALES),
    (index_times_two, ONE, SALES),
    (whole_or_missing, ONE, SALES),
    (unstacked_as_it_occurs, ONE, SALES),
    (crossed_as_it_occurs, ONE, SALES),
    (means_of_columns_too_loud, ONE, CLASS),
    (sums_of_columns_too_loud, ONE, SALES),
]
