"""Frames as containers of columns or rows, for `test_frame_containers`: sound ones and twins."""

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, ReplaceOne, Row

WARDS = ("east", "north", "west")
_ROW = Row(a=Integer(0, 10), b=Real(0, 5), ward=Categorical(WARDS))
ANY = AddRemove(_ROW, max_size=6, container="pandas")
FOUR = ReplaceOne(_ROW, size=4, container="pandas")
HIDDEN = AddRemove(
    Row(count=Integer(0, 10), index=Integer(0, 10), name=Integer(0, 5)),
    max_size=6,
    container="pandas",
)
ONE = PureDP(1.0)


# --- containers of columns


def loop_over_columns(df, rng):
    return {c: df[c].sum() + rng.laplace(0, 20) for c in df.drop(columns=["ward"])}


def list_of_values_of_columns(df, rng):
    names = df[["a", "b"]].columns.values.tolist()
    return [df[name].sum() + rng.laplace(0, 20) for name in names]


def items_of_a_frame(df, rng):
    out = {}
    for name, column in df[["a", "b"]].items():
        out[name] = column.sum() + rng.laplace(0, 20)
    return out


def assigned_and_chosen_by_number(df, rng):
    return df.assign(c=df["b"].clip(0, 2)).iloc[:, -1].sum() + rng.laplace(0, 2)


# --- containers of rows


def count_of(df, column):
    found = 0
    for _, row in df.iterrows():
        if row[column] == 10:
            found += 1
    return found


def rows_by_a_name_that_is_passed(df, rng):
    return [count_of(df, column) + rng.laplace(0, 2) for column in ("a", "b")]


def tuples_taken_apart(df, rng):
    total = 0.0
    for _, b, _ in df.itertuples(index=False):
        total += b
    return total + rng.laplace(0, 5)


def applied_to_rows(df, rng):
    return df.apply(lambda row: row["a"] + row.b, axis=1).sum() + rng.laplace(0, 15)


def renumbered(df, rng):
    return df[df["a"] > 2].reset_index(drop=True)["b"].sum() + rng.laplace(0, 5)


def group_sizes_in_a_dict(df, rng):
    sizes = df.groupby("ward").size().to_dict()
    return [sizes.get(ward, 0) + rng.laplace(0, 1) for ward in WARDS]


# --- records of public length


def noise_for_each_of_four(df, rng):
    return df["a"].apply(lambda x: x + rng.laplace(0, 10))


def vector_of_noise(df, rng):
    return (df["a"] + rng.laplace(0, 10, size=len(df))).tolist()


def first_of_four(df, rng):
    return df["b"].iloc[0] + rng.laplace(0, 5)


def largest_and_middle(df, rng):
    return df["b"].max() + rng.laplace(0, 10), df["b"].median() + rng.laplace(0, 10)


def mean_of_each_column(df, rng):
    return df[["a", "b"]].to_numpy().mean(axis=0) + rng.laplace(0, 15 / 4, size=2)


def sum_of_squares_in_a_list(df, rng):
    b = df["b"].to_numpy()
    return float(np.sum([np.square(b[i]) for i in range(len(b))])) + rng.laplace(0, 25)


def noise_cut_by_an_array_of_integers(df, rng):
    counts = np.array([int((df["ward"] == ward).sum()) for ward in WARDS])
    for i in range(3):
        counts[i] += rng.laplace(0, 1)
    return counts


SOUND = (
    (loop_over_columns, ANY),
    (list_of_values_of_columns, ANY),
    (items_of_a_frame, ANY),
    (assigned_and_chosen_by_number, ANY),
    (rows_by_a_name_that_is_passed, ANY),
    (tuples_taken_apart, ANY),
    (applied_to_rows, FOUR),
    (renumbered, ANY),
    (group_sizes_in_a_dict, ANY),
    (noise_for_each_of_four, FOUR),
    (vector_of_noise, FOUR),
    (first_of_four, FOUR),
    (largest_and_middle, FOUR),
    (mean_of_each_column, FOUR),
    (sum_of_squares_in_a_list, FOUR),
    (noise_cut_by_an_array_of_integers, ANY),
)


# --- twins


def floats_as_an_index(df, rng):
    counts = [0] * 11
    for _, row in df[["a", "b"]].iterrows():
        counts[row["a"]] += 1
    return [count + rng.laplace(0, 1) for count in counts]


def labels_summed(df, rng):
    total = 0
    for row in df.itertuples():
        total += row[0]
    return total + rng.laplace(0, 1)


def fields_after_the_label(df, rng):
    total = 0.0
    for row in df.itertuples():
        total += row[1]
    return total + rng.laplace(0, 5)


def attribute_of_a_tuple(df, rng):
    total = 0
    for row in df.itertuples():
        total += row.index
    return total + rng.laplace(0, 10)


def attribute_of_a_series(df, rng):
    total = 0
    for _, row in df.iterrows():
        total += row.name
    return total + rng.laplace(0, 5)


def values_of_a_row(df, rng):
    total = 0.0
    for _, row in df[["a", "b"]].iterrows():
        for x in row:
            total += x
    return total + rng.laplace(0, 5)


def rows_that_are_kept(df, rng):
    kept = []
    for row in df.itertuples():
        if row.a > 3:
            kept.append((row, 1))
    return len(kept) + rng.laplace(0, 0.5)


def applied_to_rows_of_none(df, rng):  # then it is a frame
    return df.apply(lambda row: row["a"], axis=1).sum() + rng.laplace(0, 10)


def applied_to_rows_with_little_noise(df, rng):
    return df.apply(lambda row: row["a"] * row["b"], axis=1).sum() + rng.laplace(0, 40)


def items_with_little_noise(df, rng):
    return {name: c.sum() + rng.laplace(0, 10) for name, c in df[["a", "b"]].items()}


def wider_once_assigned(df, rng):
    return df.assign(b=df["b"] * 2)["b"].sum() + rng.laplace(0, 5)


def assigned_to_another(df, rng):
    df.assign(b=df["b"].clip(0, 1))
    return df["b"].sum() + rng.laplace(0, 1)


def rows_dropped(df, rng):
    return len(df.drop(0)) + rng.laplace(0, 1)


def mask_of_other_labels(df, rng):
    renumbered = df[df["a"] > 3].reset_index(drop=True)
    return len(renumbered[df["a"] > 5]) + rng.laplace(0, 1)


def column_of_other_labels(df, rng):
    renumbered = df[df["a"] > 3].reset_index(drop=True)
    renumbered["c"] = df["a"]
    return renumbered["c"].sum() + rng.laplace(0, 10)


def other_column_by_number(df, rng):
    return df[["b", "a"]].iloc[:, -1].sum() + rng.laplace(0, 5)


def first_of_any(df, rng):
    return df["b"].iloc[0] + rng.laplace(0, 5)


def first_of_some(df, rng):
    return df[df["a"] > 3]["b"].iloc[0] + rng.laplace(0, 5)


def one_noise_for_all(df, rng):
    noise = rng.laplace(0, 10)
    return df["a"].apply(lambda x: x + noise)


def noise_for_each_of_any(df, rng):
    return df["a"].apply(lambda x: x + rng.laplace(0, 10))


def noise_for_some(df, rng):
    return df["a"].apply(lambda x: x + rng.laplace(0, 10) if x > 3 else x)


def noise_for_each_twice(df, rng):
    noisy = df["a"].apply(lambda x: x + rng.laplace(0, 10))
    return noisy, df["a"].apply(lambda x: x + rng.laplace(0, 10))


def vector_of_noise_used_twice(df, rng):
    noise = rng.laplace(0, 20, size=4)
    return df["a"] + noise, df["b"] + noise


def vector_of_noise_for_some(df, rng):
    some = df[df["a"] > 3]["a"]
    return (some + rng.laplace(0, 10, size=len(some))).tolist()


def largest_of_any(df, rng):
    return df["b"].max() + rng.laplace(0, 5)


def middle_with_little_noise(df, rng):
    return df["b"].median() + rng.laplace(0, 2)


def mean_of_each_column_of_any(df, rng):
    return df[["a", "b"]].to_numpy().mean(axis=0) + rng.laplace(0, 15 / 4, size=2)


def sum_of_squares_about_a_number(df, rng):
    return np.sum([np.square(x) for x in df["b"].to_numpy() - 2.5]) + rng.laplace(0, 5)


def product_of_sums(df, rng):
    return df["a"].sum() * df["b"].sum() + rng.laplace(0, 300)


def groups_that_are_there(df, rng):
    return {k: n + rng.laplace(0, 1) for k, n in df.groupby("ward").size().to_dict().items()}


def groups_that_may_be_missing(df, rng):
    sizes = df.groupby("ward").size().to_dict()
    return [sizes[ward] + rng.laplace(0, 1) for ward in WARDS]


def count_beside_noise_in_integers(df, rng):
    counts = np.zeros(2, dtype=int)
    counts[0] += len(df)
    counts[1] += rng.laplace(0, 1)
    return counts


def series_of_an_array_of_some(df, rng):
    some = df[df["a"] > 2]
    values = pd.Series(some["a"].to_numpy())
    return (values * some["a"]).sum() + rng.laplace(0, 100)


def frame_of_an_array_of_some(df, rng):
    some = df[df["a"] > 2]
    values = pd.DataFrame({"a": some["a"].to_numpy()})
    return (values["a"] * some["a"]).sum() + rng.laplace(0, 100)


BROKEN = (
    (series_of_an_array_of_some, ANY),
    (frame_of_an_array_of_some, ANY),
    (floats_as_an_index, ANY),
    (labels_summed, ANY),
    (fields_after_the_label, ANY),
    (attribute_of_a_tuple, HIDDEN),
    (attribute_of_a_series, HIDDEN),
    (values_of_a_row, ANY),
    (rows_that_are_kept, ANY),
    (applied_to_rows_of_none, ANY),
    (applied_to_rows_with_little_noise, FOUR),
    (items_with_little_noise, ANY),
    (wider_once_assigned, ANY),
    (assigned_to_another, ANY),
    (rows_dropped, ANY),
    (mask_of_other_labels, ANY),
    (column_of_other_labels, ANY),
    (other_column_by_number, ANY),
    (first_of_any, ANY),
    (first_of_some, FOUR),
    (one_noise_for_all, FOUR),
    (noise_for_each_of_any, ANY),
    (noise_for_some, FOUR),
    (noise_for_each_twice, FOUR),
    (vector_of_noise_used_twice, FOUR),
    (vector_of_noise_for_some, FOUR),
    (largest_of_any, ANY),
    (middle_with_little_noise, FOUR),
    (mean_of_each_column_of_any, ANY),
    (sum_of_squares_about_a_number, FOUR),
    (product_of_sums, FOUR),
    (groups_that_are_there, ANY),
    (groups_that_may_be_missing, ANY),
    (count_beside_noise_in_integers, ANY),
)
