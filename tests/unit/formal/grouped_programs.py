"""Grouped tables, merges and capped users as analysts write them: sound ones and evil twins."""

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, ReplaceOne, Row

DEPTS = ["eng", "hr", "ops"]
SEXES = ["f", "m"]
STAFF = Row(dept=Categorical(("eng", "hr", "ops")), sex=Categorical(("f", "m")), pay=Real(0, 200))
TABLE = AddRemove(STAFF, max_size=6, container="pandas")
SWAPPED = ReplaceOne(STAFF, size=4, container="pandas")
USERS = AddRemove(
    Row(user=Integer(0, 5), dept=Categorical(("eng", "hr", "ops")), pay=Real(0, 200)),
    unit="user",
    rows_per_unit=3,
    max_size=6,
    container="pandas",
)
ONE = PureDP(1.0)
BONUS = pd.DataFrame(
    {"dept": ["eng", "hr", "ops"], "bonus": [3.0, 1.0, 2.0], "site": ["x", "y", "x"]}
)
TWICE = pd.DataFrame({"dept": ["eng", "eng", "hr", "ops"], "bonus": [3.0, 3.0, 1.0, 2.0]})
NAMES_TWICE = pd.DataFrame([[1, 2]], columns=["a", "a"])
SHARES = pd.Series([1.0, 0.5, 2.0], index=["eng", "hr", "ops"])


# --- means of groups


def means(df, scale=100.0):
    found = df["pay"].clip(0, 100).groupby(df["dept"]).mean().reindex(DEPTS, fill_value=0)
    return (found + np.random.laplace(0, scale, size=3)).to_dict()


def means_of_a_column(df):
    d = df.assign(pay=df["pay"].clip(upper=100))
    found = d.groupby("dept")["pay"].mean().reindex(DEPTS).fillna(0)
    return found + np.random.laplace(0, 100, size=3)


def means_and_counts(df):
    d = df.assign(pay=df["pay"].clip(0, 100))
    a = d.groupby("dept").agg(mean=("pay", "mean"), n=("pay", "count")).reindex(DEPTS, fill_value=0)
    return a["mean"] + np.random.laplace(0, 200, 3), a["n"] + np.random.laplace(0, 2, 3)


def means_too_loud(df):
    return means(df, scale=99.0)


def means_that_may_be_missing(df):
    found = df["pay"].clip(0, 100).groupby(df["dept"]).mean().reindex(DEPTS)
    return found + np.random.laplace(0, 100, size=3)


def means_of_groups_that_occur(df):
    found = df["pay"].clip(0, 100).groupby(df["dept"]).mean()
    return found + np.random.laplace(0, 100, size=len(found))


def means_without_a_range(df):
    found = df["pay"].groupby(df["dept"]).mean().reindex(DEPTS, fill_value=0)
    return found + np.random.laplace(0, 100, size=3)


def means_of_categories(df):  # an empty category has no mean, and is not filled
    d = df.assign(dept=pd.Categorical(df["dept"], categories=DEPTS), pay=df["pay"].clip(0, 100))
    found = d.groupby("dept", observed=False)["pay"].mean().reindex(DEPTS, fill_value=0)
    return found + np.random.laplace(0, 100, size=3)


def means_beside_zero(df):  # from 0 to 200 where the only one comes
    found = df["pay"].clip(100, 200).groupby(df["dept"]).mean().reindex(DEPTS, fill_value=0)
    return found + np.random.laplace(0, 100, size=3)


def clipped_means(df):
    found = df["pay"].groupby(df["dept"]).mean().clip(0, 50).reindex(DEPTS, fill_value=0)
    return found + np.random.laplace(0, 200, size=3)


def means_of_what_changes_later(df):
    d = df.assign(pay=df["pay"].clip(0, 1))[["dept", "pay"]]
    groups = d.groupby("dept")
    d["pay"] = d["pay"] * 64
    return groups.mean().reindex(DEPTS, fill_value=0)["pay"] + np.random.laplace(0, 1, size=3)


def sums_of_what_changes_later(df):
    d = df.assign(pay=df["pay"].clip(0, 1))
    groups = d.groupby("dept")[["pay"]]
    d["pay"] = d["pay"] * 64
    return groups.sum().reindex(DEPTS, fill_value=0)["pay"] + np.random.laplace(0, 1, size=3)


def sums_of_what_was(df):
    d = df.assign(pay=df["pay"].clip(0, 1))
    groups = d.groupby("dept")["pay"]
    d["pay"] = d["pay"] * 64
    return groups.sum().reindex(DEPTS, fill_value=0) + np.random.laplace(0, 1, size=3)


# --- tables of two keys


def cross_table(df, scale=1.0):
    t = pd.crosstab(df["dept"], df["sex"])
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return t + np.random.laplace(0, scale, size=t.shape)


def cross_table_in_two_steps(df):
    t = pd.crosstab(df["dept"], df["sex"]).reindex(DEPTS, fill_value=0)
    return t.reindex(columns=SEXES, fill_value=0).values + np.random.laplace(0, 1, size=(3, 2))


def sizes_unstacked(df):
    t = df.groupby(["dept", "sex"]).size().unstack(fill_value=0)
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return t.to_numpy() + np.random.laplace(0, 1, size=t.shape)


def pivot_of_sums(df, scale=100.0):
    d = df.assign(pay=df["pay"].clip(0, 100))
    t = d.pivot_table(index="dept", columns="sex", values="pay", aggfunc="sum")
    t = t.reindex(index=DEPTS, columns=SEXES).fillna(0)
    return t + np.random.laplace(0, scale, size=(3, 2))


def pivot_of_means(df):
    d = df.assign(pay=df["pay"].clip(0, 100))
    t = pd.pivot_table(d, index="dept", columns="sex", values="pay")
    return t.reindex(index=DEPTS, columns=SEXES).fillna(0) + np.random.laplace(0, 100, size=(3, 2))


def whole_counts(df):
    n = df["dept"].value_counts().reindex(DEPTS).fillna(0).astype(int)
    return np.maximum(n + np.random.laplace(0, 1, 3), 0)


def cross_table_too_loud(df):
    return cross_table(df, scale=0.9)


def cross_table_that_occurs(df):
    t = pd.crosstab(df["dept"], df["sex"])
    return t + np.random.laplace(0, 1, size=t.shape)


def cross_table_of_columns_that_occur(df):
    t = pd.crosstab(df["dept"], df["sex"]).reindex(index=DEPTS, fill_value=0)
    return t.values + np.random.laplace(0, 1, size=t.shape)


def cross_table_of_one_noise_a_column(df):
    t = pd.crosstab(df["dept"], df["sex"])
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return t + np.random.laplace(0, 1, size=2)


def cross_table_of_shares(df):
    t = pd.crosstab(df["dept"], df["sex"], normalize=True)
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return t + np.random.laplace(0, 0.1, size=t.shape)


def cross_table_with_its_sums(df):
    t = pd.crosstab(df["dept"], df["sex"], margins=True)
    t = t.reindex(index=[*DEPTS, "All"], columns=[*SEXES, "All"], fill_value=0)
    return t + np.random.laplace(0, 1, size=t.shape)


def cross_table_from_one(df):
    t = pd.crosstab(df["dept"], df["sex"])
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=1)
    return t + np.random.laplace(0, 0.5, size=t.shape)


def cross_table_that_changed_before(df):
    d = df.copy()
    t = pd.crosstab(d["dept"], d["sex"])
    d["dept"] = "eng"
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return t, np.random.laplace(0, 1, size=t.shape)


def sizes_with_holes(df):  # NaN where both labels occur, but not together
    t = df.groupby(["dept", "sex"]).size().unstack()
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return t.to_numpy() + np.random.laplace(0, 1, size=t.shape)


def pivot_with_holes(df):
    d = df.assign(pay=df["pay"].clip(0, 100))
    t = d.pivot_table(index="dept", columns="sex", values="pay", aggfunc="sum")
    return t.reindex(index=DEPTS, columns=SEXES, fill_value=0).values + np.random.laplace(
        0, 100, size=(3, 2)
    )


def pivot_too_loud(df):
    return pivot_of_sums(df, scale=90.0)


def pivot_without_a_range(df):
    t = df.pivot_table(index="dept", columns="sex", values="pay", aggfunc="sum")
    return t.reindex(index=DEPTS, columns=SEXES).fillna(0) + np.random.laplace(0, 100, size=(3, 2))


def pivot_with_whole_noise(df):  # of no records whole numbers come, which tell that there are none
    d = df.assign(pay=df["pay"].clip(0, 100))
    t = d.pivot_table(index="dept", columns="sex", values="pay", aggfunc="sum", fill_value=0)
    t = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return t.values + np.random.geometric(0.001, size=(3, 2))


def whole_counts_that_may_be_missing(df):
    n = df["dept"].value_counts().reindex(DEPTS)
    return np.maximum(n + np.random.laplace(0, 1, 3), 0)


def counts_of_users(df):  # who have up to three rows
    n = df["dept"].value_counts().reindex(DEPTS).fillna(0).astype(int)
    return n + np.random.laplace(0, 1, 3)


# --- merges


def merged_left(df):
    m = df.merge(BONUS, on="dept", how="left")
    return m["bonus"].sum() + np.random.laplace(0, 3)


def merged_with_its_own(df):
    prices = pd.DataFrame({"name": ["eng", "hr"], "price": [3, 1]})
    m = pd.merge(df, prices, left_on="dept", right_on="name")
    return (m["price"] * m["pay"].clip(0, 10)).sum() + np.random.laplace(0, 30)


def merged_and_counted(df):
    m = df.merge(BONUS, on="dept", validate="m:1")
    n = m.groupby("site").size().reindex(["x", "y"], fill_value=0)
    return n + np.random.laplace(0, 1, 2)


def joined(df):
    m = df.join(BONUS.set_index("dept"), on="dept")
    return m["bonus"].sum() + np.random.laplace(0, 3)


def mapped_by_a_series(df):
    return (df["dept"].map(SHARES) * df["pay"].clip(0, 100)).sum() + np.random.laplace(0, 200)


def weighted_by_a_series(df):
    n = df["dept"].value_counts().reindex(DEPTS, fill_value=0)
    return (n * SHARES).sum() + np.random.laplace(0, 2)


def merged_with_twins(df):
    return df.merge(TWICE, on="dept")["bonus"].sum() + np.random.laplace(0, 3)


def counted_with_twins(df):
    return len(df.merge(TWICE, on="dept", how="left")) + np.random.laplace(0, 1)


def merged_too_loud(df):
    return df.merge(BONUS, on="dept")["bonus"].sum() + np.random.laplace(0, 2)


def merged_with_holes(df):
    some = pd.DataFrame({"dept": ["eng", "hr"], "bonus": [3.0, 1.0]})
    return df.merge(some, on="dept", how="left")["bonus"].max() + np.random.laplace(0, 3)


def merged_from_the_right(df):
    return len(df.merge(BONUS, on="dept", how="right")) + np.random.laplace(0, 0.5)


def merged_crosswise(df):
    return len(df.merge(BONUS, how="cross")) + np.random.laplace(0, 1)


def merged_with_one_name(df):  # the column of the frame is not the one of the table
    pays = pd.DataFrame({"dept": DEPTS, "pay": [1.0, 1.0, 1.0]})
    return df.merge(pays, on="dept")["pay_x"].sum() + np.random.laplace(0, 1)


def merged_with_itself(df):
    return len(df.merge(df, on="dept")) + np.random.laplace(0, 1)


def merged_with_means(df):
    t = df.groupby("dept", as_index=False)["pay"].mean()
    return df[["dept", "sex"]].merge(t, on="dept")["pay"].sum() + np.random.laplace(0, 200)


def merged_rows_beside_others(df):  # which have other labels
    m = df[df["pay"] > 3].merge(BONUS, on="dept")
    return (m["bonus"] * df["pay"].clip(0, 10)).count() + np.random.laplace(0, 0.5)


def mapped_too_loud(df):
    return df["dept"].map(SHARES).sum() + np.random.laplace(0, 1)


def mapped_with_a_hole(df):
    return df["dept"].map(pd.Series([1.0, 0.5], index=DEPTS[:2])).max() + np.random.laplace(0, 1)


def weighted_by_records(df):
    n = df["dept"].value_counts().reindex(DEPTS, fill_value=0)
    top = df["pay"].clip(0, 100).groupby(df["dept"]).max().reindex(DEPTS, fill_value=0)
    return (n * top).sum() + np.random.laplace(0, 100)


# --- rows of users, columns by functions, numbers of labels


def fewer_rows_of_users(df):
    d = df[df.groupby("user").cumcount() < 2]
    return d["pay"].clip(0, 100).sum() + np.random.laplace(0, 200)


def columns_by_functions(df):
    d = df.assign(pay=lambda d: d["pay"].clip(0, 50), double=lambda d: d["pay"] * 2)
    return d["double"].sum() + np.random.laplace(0, 100)


def piped(df):
    return df.pipe(lambda d, low: d[d["pay"] > low], 3).shape[0] + np.random.laplace(0, 1)


def converted(df):
    x = pd.to_numeric(df["pay"], errors="coerce").fillna(0).clip(0, 100)
    return x.sum() + np.random.laplace(0, 100)


def asked_by_label(df):
    n = df.groupby("dept").size()
    return [(n[d] if d in n.index else 0) + np.random.laplace(0, 1) for d in DEPTS]


def clipped_before_labels(df):
    s = df.groupby("dept")["pay"].sum().clip(upper=500).reindex(DEPTS, fill_value=0)
    return s + np.random.laplace(0, 200, 3)


def as_many_rows_of_users(df):
    d = df[df.groupby("user").cumcount() <= 2]
    return d["pay"].clip(0, 100).sum() + np.random.laplace(0, 200)


def fewer_rows_of_groups(df):
    d = df[df.groupby("dept").cumcount() < 2]
    return d["pay"].clip(0, 100).sum() + np.random.laplace(0, 200)


def rows_after_the_first(df):
    d = df[df.groupby("user").cumcount() > 0]
    return d["pay"].clip(0, 100).sum() + np.random.laplace(0, 100)


def columns_in_the_other_order(df):
    d = df.assign(double=lambda d: d["pay"] * 2, pay=lambda d: d["pay"].clip(0, 50))
    return d["double"].sum() + np.random.laplace(0, 100)


def column_of_one_noise(df):  # which is taken away again
    d = df.assign(z=lambda d: np.random.laplace(0, 200), y=lambda d: d["pay"] + d["z"])
    return (d["y"] - d["z"]).sum(), d["z"].sum()


def piped_too_loud(df):
    return df.pipe(lambda d: d[d["pay"] > 3]).shape[0] + np.random.laplace(0, 0.9)


def piped_in_place(df):  # the function changes what it gets, which is another frame
    d = df.copy()
    d.pipe(_brought)
    return d["pay"].sum() + np.random.laplace(0, 100)


def _brought(d):
    d["pay"] = d["pay"].clip(0, 100)
    return d


def converted_truths(df):  # truths of pandas, of which two come to one
    rich = pd.to_numeric(df["pay"] > 5)
    return (rich + rich - 2 * rich).sum()


def converted_arrays(df):  # the same array
    x = df["pay"].clip(0, 1).to_numpy(copy=True)
    y = pd.to_numeric(x)
    y *= 100
    return x.sum() + np.random.laplace(0, 1)


def table_in_a_function(df):
    d = df.copy()
    t = pd.crosstab(d["dept"], d["sex"])

    def asked():
        return t.reindex(index=DEPTS, columns=SEXES, fill_value=0).to_numpy()

    d = d[d["pay"] < 0]
    return asked() + np.random.laplace(0, 0.1, size=(3, 2))


def table_in_a_loop(df):
    d = df.copy()
    t = pd.crosstab(d["dept"], d["sex"])
    for _ in range(2):
        d = d[d["pay"] < 0]
        found = t.reindex(index=DEPTS, columns=SEXES, fill_value=0)
    return found.to_numpy() + np.random.laplace(0, 0.1, size=(3, 2))


def names_twice(df):
    return len(df) * len(NAMES_TWICE) + np.random.laplace(0, 0.5)


def converted_texts(df):  # all are missing
    return pd.to_numeric(df["dept"], errors="coerce").max() + np.random.laplace(0, 1)


def converted_too_loud(df):
    return pd.to_numeric(df["pay"]).clip(0, 100).sum() + np.random.laplace(0, 90)


def asked_by_label_from_two(df):
    n = df.groupby("dept").size()
    return [(n[d] if d in n.index else 2) + np.random.laplace(0, 0.9) for d in DEPTS]


def clipped_above_zero(df):  # from 0 to at least 150
    s = df.groupby("dept")["pay"].sum().clip(150, 160).reindex(DEPTS, fill_value=0)
    return s + np.random.laplace(0, 10, 3)


# --- groups one by one


def users_in_a_loop(df):
    s = 0.0
    for _, g in df.groupby("user"):
        s += min(g["pay"].sum(), 100)
    return s + np.random.laplace(0, 100)


def clipped_rows_in_a_loop(df):
    s = 0
    for _user, rows in df.groupby("user"):
        s += rows["pay"].clip(0, 30).sum()
    return s + np.random.laplace(0, 90)


def users_in_an_expression(df):
    total = sum(min(g["pay"].sum(), 100) for _, g in df.groupby("user"))
    return total + np.random.laplace(0, 100)


def users_by_a_function(df):
    s = df.groupby("user")["pay"].apply(lambda x: min(x.sum(), 100)).sum()
    return s + np.random.laplace(0, 100)


def sums_by_a_function(df):
    s = df.groupby("dept")["pay"].apply(lambda x: x.clip(0, 100).sum())
    return s.reindex(DEPTS, fill_value=0) + np.random.laplace(0, 100, 3)


def users_without_a_cap(df):
    s = 0.0
    for _, g in df.groupby("user"):
        s += g["pay"].sum()
    return s + np.random.laplace(0, 100)


def users_too_loud(df):
    s = 0.0
    for _, g in df.groupby("user"):
        s += min(g["pay"].sum(), 100)
    return s + np.random.laplace(0, 90)


def groups_that_are_no_users(df):
    s = 0.0
    for _, g in df.groupby("dept"):
        s += min(g["pay"].sum(), 100)
    return s + np.random.laplace(0, 100)


def keys_of_a_loop(df):
    out = {}
    for k, g in df.groupby("dept"):
        out[k] = g["pay"].clip(0, 100).sum() + np.random.laplace(0, 300)
    return out


def last_key_of_a_loop(df):
    n, k = 0, 0
    for k, g in df.groupby("user"):
        n += min(len(g), 1) + 0 * k
    return n + np.random.laplace(0, 1), k


def last_group_of_a_loop(df):
    n, g = 0, df
    for _, g in df.groupby("user"):
        n += min(len(g), 1)
    return n + np.random.laplace(0, 1), len(g)


def frame_that_a_loop_changes(df):
    s, d = 0.0, df.copy()
    for _, g in d.groupby("user"):
        s += min(g["pay"].sum(), 100)
        d["pay"] = 0.0
    return s + d["pay"].sum() + np.random.laplace(0, 100)


def frames_by_a_function(df):  # of no records this is a frame, and its sum a series
    s = df.groupby("user").apply(lambda g: min(g["pay"].sum(), 100)).sum()
    return s + np.random.laplace(0, 100)


def noise_by_a_function(df):
    return df.groupby("user")["pay"].apply(lambda x: x.sum() + np.random.laplace(0, 100)).sum()


def lengths_by_a_function(df):  # of no records these are floats
    n = df.groupby("dept")["pay"].apply(len).reindex(DEPTS, fill_value=0)
    return n + np.random.geometric(0.2, 3)


def two_numbers_of_users(df):
    s = 0.0
    for _, g in df.groupby("user"):
        s += min(g["pay"].sum(), 100) + len(g)
    return s + np.random.laplace(0, 100)


def cross_table_of_a_frame_of_that_name(df):  # the table is of all rows
    none = df[df["pay"] < -1]
    t = pd.crosstab(df["dept"], df["sex"])
    found = [t.reindex(index=DEPTS, columns=SEXES, fill_value=0) for df in [none]]
    return found[0] + np.random.laplace(0, 0.2, size=(3, 2))


def cross_table_that_a_function_asks(df):
    t = pd.crosstab(df["dept"], df["sex"])
    asked = lambda: t.reindex(index=DEPTS, columns=SEXES, fill_value=0)  # noqa: E731
    df = df[df["pay"] < -1]
    return asked() + np.random.laplace(0, 0.2, size=(3, 2))


def keys_beside_a_parameter_of_that_name(df, user=0):
    weigh = lambda user: 1.0  # noqa: E731, F841
    total = 0.0
    for user, g in df.groupby("user"):
        total += (user == 4) * 100 + min(g["pay"].clip(0, 9).sum(), 9)
    return total + np.random.laplace(0, 9)


SOUND = [
    (sums_of_what_was, ONE, TABLE),
    (means, ONE, TABLE),
    (means_of_a_column, ONE, TABLE),
    (means_and_counts, ONE, TABLE),
    (clipped_means, PureDP(1.0), TABLE),
    (cross_table, ONE, TABLE),
    (cross_table, PureDP(2.0), SWAPPED),
    (cross_table_in_two_steps, ONE, TABLE),
    (sizes_unstacked, ONE, TABLE),
    (pivot_of_sums, ONE, TABLE),
    (pivot_of_means, ONE, TABLE),
    (whole_counts, ONE, TABLE),
    (merged_left, ONE, TABLE),
    (merged_with_its_own, ONE, TABLE),
    (merged_and_counted, ONE, TABLE),
    (merged_and_counted, PureDP(2.0), SWAPPED),
    (joined, ONE, TABLE),
    (mapped_by_a_series, ONE, TABLE),
    (weighted_by_a_series, ONE, TABLE),
    (fewer_rows_of_users, ONE, USERS),
    (users_in_a_loop, ONE, USERS),
    (clipped_rows_in_a_loop, ONE, USERS),
    (users_in_an_expression, ONE, USERS),
    (users_by_a_function, ONE, USERS),
    (sums_by_a_function, ONE, TABLE),
    (columns_by_functions, ONE, TABLE),
    (piped, ONE, TABLE),
    (converted, ONE, TABLE),
    (asked_by_label, ONE, TABLE),
    (clipped_before_labels, ONE, TABLE),
]
_BROKEN = [
    means_of_what_changes_later,
    sums_of_what_changes_later,
    means_too_loud,
    means_that_may_be_missing,
    means_of_groups_that_occur,
    means_without_a_range,
    means_of_categories,
    means_beside_zero,
    cross_table_too_loud,
    cross_table_that_occurs,
    cross_table_of_columns_that_occur,
    cross_table_of_one_noise_a_column,
    cross_table_of_shares,
    cross_table_with_its_sums,
    cross_table_from_one,
    cross_table_that_changed_before,
    cross_table_of_a_frame_of_that_name,
    cross_table_that_a_function_asks,
    sizes_with_holes,
    pivot_with_holes,
    pivot_too_loud,
    pivot_without_a_range,
    pivot_with_whole_noise,
    whole_counts_that_may_be_missing,
    merged_with_twins,
    counted_with_twins,
    merged_too_loud,
    merged_with_holes,
    merged_from_the_right,
    merged_crosswise,
    merged_with_one_name,
    merged_with_itself,
    merged_with_means,
    merged_rows_beside_others,
    mapped_too_loud,
    mapped_with_a_hole,
    weighted_by_records,
    columns_in_the_other_order,
    column_of_one_noise,
    piped_too_loud,
    piped_in_place,
    converted_truths,
    converted_arrays,
    table_in_a_function,
    table_in_a_loop,
    names_twice,
    converted_texts,
    converted_too_loud,
    asked_by_label_from_two,
    clipped_above_zero,
    fewer_rows_of_groups,
]
BROKEN = [(mechanism, ONE, TABLE) for mechanism in _BROKEN] + [
    (means, ONE, SWAPPED),
    (means, ONE, USERS),
    (cross_table, ONE, SWAPPED),
    (counts_of_users, ONE, USERS),
    (as_many_rows_of_users, ONE, USERS),
    (fewer_rows_of_groups, ONE, USERS),
    (rows_after_the_first, ONE, USERS),
    (users_without_a_cap, ONE, USERS),
    (users_too_loud, ONE, USERS),
    (groups_that_are_no_users, ONE, USERS),
    (keys_of_a_loop, ONE, USERS),
    (keys_beside_a_parameter_of_that_name, ONE, USERS),
    (last_key_of_a_loop, ONE, USERS),
    (last_group_of_a_loop, ONE, USERS),
    (frame_that_a_loop_changes, ONE, USERS),
    (frames_by_a_function, ONE, USERS),
    (noise_by_a_function, ONE, USERS),
    (lengths_by_a_function, PureDP(2.0), TABLE),
    (two_numbers_of_users, ONE, USERS),
]
