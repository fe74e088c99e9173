"""Numbers by two known labels, and numbers of each column of a frame.

Each sound mechanism has twins that differ from it by one defect.
"""

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


def product_of_labels_twice(frame, rng):
    return product_of_labels(frame, rng, kinds=(1, 1))


def unstacked(frame, rng):
    sizes = frame.groupby(["region", "kind"]).size().unstack(fill_value=0)
    sizes = sizes.reindex(index=REGIONS, columns=KINDS, fill_value=0)
    return sizes.to_numpy() + rng.laplace(size=(3, 2))


def unstacked_with_holes(frame, rng):
    sizes = frame.groupby(["region", "kind"]).size().unstack()
    sizes = sizes.reindex(index=REGIONS, columns=KINDS, fill_value=0)
    return sizes.to_numpy() + rng.laplace(size=(3, 2))


def unstacked_and_filled(frame, rng):
    sizes = frame.groupby(["region", "kind"]).size().unstack()
    sizes = sizes.reindex(index=REGIONS, columns=KINDS).fillna(0)
    return sizes.to_numpy() + rng.laplace(size=(3, 2))


def whole_or_filled(frame, rng):  # whole numbers where none is missing, else floats
    sizes = frame.groupby(["region", "kind"]).size().unstack()
    sizes = sizes.reindex(index=REGIONS, columns=KINDS).fillna(0)
    return sizes.to_numpy() + rng.geometric(0.6, size=(3, 2)) - rng.geometric(0.6, size=(3, 2))


def whole_where_filled(frame, rng):  # whole numbers where a column does not occur, else floats
    sums = frame.groupby(["region", "kind"])["amount"].sum().unstack(fill_value=0)
    column = sums.reindex(index=REGIONS, columns=KINDS, fill_value=0)[1].to_numpy().copy()
    column += rng.laplace(scale=10.0, size=3)
    return column


def whole_or_missing(frame, rng):
    sizes = frame["region"].value_counts().reindex(list(REGIONS)).fillna(0)
    noisy = np.array(sizes)
    noisy += rng.laplace(size=3)
    return noisy


def crossed(frame, rng):
    table = pd.crosstab(frame["region"], frame["kind"])
    table = table.reindex(index=REGIONS, columns=KINDS, fill_value=0)
    return (table + rng.laplace(size=(3, 2))).clip(lower=0)


def crossed_cell_by_cell(frame, rng):
    table = pd.crosstab(frame["region"], frame["kind"])
    table = table.reindex(index=REGIONS, columns=KINDS, fill_value=0)
    return {(r, k): table.loc[r, k] + rng.laplace() for r in REGIONS for k in KINDS}


def crossed_column_by_column(frame, rng, columns=KINDS):
    table = pd.crosstab(frame["region"], frame["kind"])
    table = table.reindex(index=REGIONS, columns=KINDS, fill_value=0)
    return [(table[kind] + rng.laplace(size=3)).to_dict() for kind in columns]


def crossed_column_twice(frame, rng):
    return crossed_column_by_column(frame, rng, columns=(1, 1))


def crossed_as_it_occurs(frame, rng):
    table = pd.crosstab(frame["region"], frame["kind"])
    return table + rng.laplace(size=table.shape)


def crossed_rows_alone(frame, rng):
    table = pd.crosstab(frame["region"], frame["kind"]).reindex(index=REGIONS, fill_value=0)
    return table + rng.laplace(size=table.shape)


def crossed_with_one_noise(frame, rng):
    table = pd.crosstab(frame["region"], frame["kind"])
    return table.reindex(index=REGIONS, columns=KINDS, fill_value=0) + rng.laplace()


def crossed_with_others(frame, rng):
    large = frame[frame["amount"] > 1]
    table = pd.crosstab(large["region"], frame["kind"])
    table = table.reindex(index=REGIONS, columns=KINDS, fill_value=0)
    return table + rng.laplace(size=(3, 2))


def sums_of_crossed(frame, rng):
    table = pd.crosstab(frame["region"], frame["kind"])
    return table.reindex(index=REGIONS, columns=KINDS, fill_value=0).sum() + rng.laplace(size=6)


def pivoted(frame, rng, scale=10.0, how="sum"):
    table = frame.pivot_table(
        index="region", columns="kind", values="amount", aggfunc=how, fill_value=0
    )
    table = table.reindex(index=REGIONS, columns=KINDS, fill_value=0)
    return table.to_numpy() + rng.laplace(scale=scale, size=(3, 2))


def pivoted_too_loud(frame, rng):
    return pivoted(frame, rng, scale=9.0)


def pivoted_means(frame, rng):
    return pivoted(frame, rng, how="mean")


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
    (unstacked, ONE, SALES),
    (unstacked_and_filled, ONE, SALES),
    (crossed, ONE, SALES),
    (crossed_cell_by_cell, ONE, SALES),
    (crossed_column_by_column, ONE, SALES),
    (pivoted, ONE, SALES),
    (means_of_columns, ONE, CLASS),
    (sums_of_columns, ONE, SALES),
]
BROKEN = [
    (sizes_by_two_too_loud, ONE, SALES),
    (sizes_that_may_be_missing, ONE, SALES),
    (product_of_labels_twice, ONE, SALES),
    (unstacked_with_holes, ONE, SALES),
    (whole_or_filled, ONE, SALES),
    (whole_where_filled, ONE, SALES),
    (whole_or_missing, ONE, SALES),
    (crossed_column_twice, ONE, SALES),
    (crossed_as_it_occurs, ONE, SALES),
    (crossed_rows_alone, ONE, SALES),
    (crossed_with_one_noise, ONE, SALES),
    (crossed_with_others, ONE, SALES),
    (sums_of_crossed, ONE, SALES),
    (pivoted_too_loud, ONE, SALES),
    (pivoted_means, ONE, SALES),
    (means_of_columns_too_loud, ONE, CLASS),
    (sums_of_columns_too_loud, ONE, SALES),
]
