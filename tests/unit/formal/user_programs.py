"""Users with any number of rows, bounded by the mechanism itself: sound ones and evil twins."""

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, Row

ITEMS = ["book", "food", "game"]
BUY = Row(user=Integer(0, 20), item=Categorical(("book", "food", "game")), amount=Real(-9, 50))
USERS = AddRemove(BUY, unit="user", max_size=5, container="pandas")
ARRAY = AddRemove(BUY, unit="user", max_size=5)
MISSING = AddRemove(
    Row(user=Integer(0, 20), amount=Real(0, 50, allow_nan=True)),
    unit="user",
    max_size=5,
    container="pandas",
)
NAMED = AddRemove(
    Row(user=Categorical(("a", "b", "c")), amount=Real(0, 50, enforced=False)),
    unit="user",
    max_size=3,
    container="pandas",
)
LARGE = AddRemove(
    Row(user=Integer(0, 20), amount=Integer(0, 2**62)),
    unit="user",
    max_size=5,
    container="pandas",
)
HUGE = AddRemove(
    Row(user=Integer(0, 20), amount=Real(-1.7e308, 1.7e308)), unit="user", container="pandas"
)
ONE = PureDP(1.0)


# --- one record a user


def capped_sums(df, scale=80.0):
    d = df.copy()
    d["amount"] = d["amount"].clip(0, 30)
    per_user = d.groupby("user")["amount"].sum()
    return per_user.clip(upper=80.0).sum() + np.random.laplace(0, scale)


def capped_sums_of_a_column(df):
    per_user = df["amount"].clip(lower=0, upper=50).groupby(df["user"]).sum()
    return np.minimum(per_user, 80.0).sum() + np.random.laplace(0, 80)


def both_signs(df, low=-5.0):
    per_user = df.groupby("user")["amount"].sum().clip(low, 80.0)
    return per_user.sum() + np.random.laplace(0, 80)


def capped_sizes(df):
    return df.groupby("user").size().clip(upper=3).sum() + np.random.laplace(0, 3)


def counts_of_counts(df):
    n = df.groupby("user")["amount"].count().clip(upper=3)
    return n.value_counts().reindex([1, 2, 3], fill_value=0) + np.random.laplace(0, 1, 3)


def largest(df):
    d = df[df["amount"] > 0]
    d = d[d["item"] == "food"]
    return d.groupby("user")["amount"].max().sum() + np.random.laplace(0, 50)


def means_of_users(df):
    d = df.assign(amount=df["amount"].clip(0, 5))
    p = d.groupby("user", as_index=False)["amount"].mean()
    return p["amount"].sum() + np.random.laplace(0, 10), len(p) + np.random.laplace(0, 2)


def mean_over_users(df, scale=50.0):
    d = df.assign(amount=df["amount"].clip(0, 50))
    per_user = d.groupby("user")["amount"].max()
    return per_user.sum() / max(1, len(per_user)) + np.random.laplace(0, scale)


def several_at_once(df):
    p = df.groupby("user").agg(n=("amount", "size"), most=("amount", "max"))
    heavy = (p["n"] > 10).sum() + np.random.laplace(0, 2)
    return heavy, p["most"].clip(0, 9).sum() + np.random.laplace(0, 18)


def users_in_a_loop(df):
    total = 0.0
    for _, rows in df.groupby("user"):
        total += min(rows["amount"].clip(0, 10).sum(), 80.0)
    return total + np.random.laplace(0, 80)


def how_many(df, scale=1.0):
    return df["user"].nunique() + np.random.laplace(0, scale)


def how_many_otherwise(df):
    d = df[["user", "amount"]].dropna()
    n, m = len(d["user"].unique()), len(df.groupby("user"))
    return n + np.random.laplace(0, 2), m + np.random.laplace(0, 2)


def how_many_of_an_array(x):
    some = x[x["amount"] > 3]
    return len(np.unique(some["user"])) + np.random.laplace(0, 1)


def sums_of_an_array(x):
    df = pd.DataFrame(x)
    return capped_sums(df)


def active(df):
    return (df["user"].value_counts() > 3).sum() + np.random.laplace(0, 1)


# --- some rows of each user


def first_two(df, scale=40.0):
    d = df.groupby("user").head(2)
    return d["amount"].clip(0, 20).sum() + np.random.laplace(0, scale)


def first_two_by_item(df):
    d = df.assign(amount=df["amount"].clip(0.0, 20.0)).groupby("user").head(2)
    sums = d.groupby("item")["amount"].sum().reindex(ITEMS, fill_value=0.0)
    return sums + np.random.laplace(0, 40, 3)


def fewer_than_two_before(df):
    d = df[df["amount"] >= 0]
    d = d[d.groupby("user").cumcount() < 2]
    return len(d) + np.random.laplace(0, 2)


def once(df):
    d = df.drop_duplicates("user", keep="last")
    n = d["item"].value_counts().reindex(ITEMS, fill_value=0)
    return n + np.random.laplace(0, 1, 3)


def first_of_each(df):
    d = df.groupby("user").first()
    return d["amount"].clip(0, 20).sum() + np.random.laplace(0, 20)


def capped_twice(df):
    d = df.groupby("user").tail(3)
    per_user = d.assign(amount=d["amount"].clip(0, 10)).groupby("user")["amount"].sum()
    return per_user.clip(upper=15).sum() + np.random.laplace(0, 15)


def latest_two(df, kind="stable"):
    d = df.sort_values("amount", ascending=False, kind=kind).groupby("user").head(2)
    return d["amount"].clip(0, 5).sum() + np.random.laplace(0, 10)


def in_order_of_two_keys(df):
    d = df.sort_values(["user", "amount"]).groupby("user").head(1)
    return (d["item"] == "food").sum() + np.random.laplace(0, 1)


# --- one row of each user and each value of another key


def users_of_each_item(df, scale=3.0):
    n = df.groupby("item")["user"].nunique().reindex(ITEMS, fill_value=0)
    return n + np.random.laplace(0, scale, 3)


def users_of_one_item(df):
    d = df.drop_duplicates(["item", "user"])
    return (d["item"] == "food").sum() + np.random.laplace(0, 1)


def different_pairs(df, scale=3.0):
    return len(df[["user", "item"]].drop_duplicates()) + np.random.laplace(0, scale)


def amounts_of_pairs(df):
    d = df.assign(amount=df["amount"].clip(0, 5)).drop_duplicates(["user", "item"])
    return d["amount"].sum() + np.random.laplace(0, 15)


def flagged(df):
    d = df.assign(big=df["amount"] > 9).drop_duplicates(["user", "big"])
    return d["big"].sum() + np.random.laplace(0, 1)


def grouped_before_the_key_changes(df):
    d = df.assign(big=df["amount"] > 9)
    groups = d.groupby("big")
    d["big"] = d["amount"]
    n = groups["user"].nunique().reindex([False, True], fill_value=0)
    return n + np.random.laplace(0, 2, 2)


# --- evil twins


def sums_of_rows(df):
    return df["amount"].clip(0, 20).sum() + np.random.laplace(0, 20)


def number_of_rows(df):
    return len(df) + np.random.laplace(0, 20)


def mean_of_rows(df):
    return df["amount"].clip(0, 20).mean() + np.random.laplace(0, 200)


def too_loud(df):
    return capped_sums(df, scale=79.0)


def capped_rows_only(df):
    d = df.assign(amount=df["amount"].clip(0, 20))
    return d.groupby("user")["amount"].sum().sum() + np.random.laplace(0, 20)


def capped_above_only(df):
    return df.groupby("user")["amount"].sum().clip(upper=80).sum() + np.random.laplace(0, 80)


def both_signs_too_far(df):
    return both_signs(df, low=-81.0)


def sums_that_may_overflow(df):  # 2**62 twice is the least integer of 64 bits
    return df.groupby("user")["amount"].sum().clip(upper=80).sum() + np.random.laplace(0, 80)


def sums_of_infinities(df):  # that of one sign and of the other is NaN
    total = 0.0
    for _, rows in df.groupby("user"):
        total += min(max(rows["amount"].sum(), -80), 80)
    return total + np.random.laplace(0, 80)


def mean_over_users_too_loud(df):
    return mean_over_users(df, scale=20.0)


def users_too_loud(df):
    return how_many(df, scale=0.9)


def different_items(df):
    return df["item"].nunique() + np.random.laplace(0, 1)


def different_amounts(df):
    return df["amount"].nunique() + np.random.laplace(0, 1)


def users_changed_before(df):
    d = df.assign(user=df["user"] + (df["amount"] > 3).astype(int))
    return d["user"].nunique() + np.random.laplace(0, 1)


def users_exchanged(df):
    d = df.rename(columns={"user": "u"}).rename(columns={"item": "user"})
    return len(d.groupby("user").head(1)) + np.random.laplace(0, 1)


def users_overwritten(df):
    d = df.copy()
    d["user"] = d["item"]
    return len(d.groupby("user")) + np.random.laplace(0, 1)


def two_keys(df):
    return len(df.groupby(["user", "item"])) + np.random.laplace(0, 1)


def first_two_of_items(df):
    return len(df.groupby("item").head(2)) + np.random.laplace(0, 2)


def first_two_too_loud(df):
    return first_two(df, scale=39.0)


def first_two_and_all(df):
    d = df.groupby("user").head(2)
    return len(d) + np.random.laplace(0, 4), len(df) + np.random.laplace(0, 4)


def first_two_of_a_mask(df):  # all rows are chosen from, by a mask of all
    d = df.groupby("user").head(2)
    return len(df[df["amount"] > 3]) + len(d) + np.random.laplace(0, 4)


def first_row(df):
    return len(df.head(1)) + np.random.laplace(0, 1)


def once_by_item(df):
    return len(df.drop_duplicates("item")) + np.random.laplace(0, 1)


def once_by_two(df):
    return len(df.drop_duplicates(["user", "item"])) + np.random.laplace(0, 1)


def once_or_never(df):
    return len(df.drop_duplicates()) + np.random.laplace(0, 1)


def above_the_mean(df):
    d = df[df["amount"] > df["amount"].mean()]
    return d["user"].nunique() + np.random.laplace(0, 1)


def above_the_row_before(df):
    d = df[df["amount"] > df["amount"].shift(1)]
    return len(d.groupby("user").head(1)) + np.random.laplace(0, 1)


def ranked(df):
    d = df[df["amount"].rank() <= 10]
    return d["user"].nunique() + np.random.laplace(0, 1)


def of_running_sums(df):
    d = df[df["amount"].clip(0, 1).cumsum() <= 10]
    return d["user"].nunique() + np.random.laplace(0, 1)


def fewer_than_two_items_before(df):
    return len(df[df.groupby("item").cumcount() < 2]) + np.random.laplace(0, 6)


def fewer_than_two_before_the_last(df):
    d = df[df.groupby("user").cumcount(ascending=False) < 2]
    return len(d) + np.random.laplace(0, 1)


def sorted_first(df):  # rows of one amount may come in another order
    d = df.sort_values("amount").groupby("user").head(1)
    return (d["item"] == "food").sum() + np.random.laplace(0, 1)


def latest_two_of_any_order(df):
    return latest_two(df, kind="quicksort")


def mask_of_another_order(df):
    d = df.sort_values(["user", "amount"]).reset_index(drop=True)
    return d[df["amount"] > 3]["user"].nunique() + np.random.laplace(0, 1)


def users_of_each_item_too_loud(df):
    return users_of_each_item(df, scale=2.9)


def different_pairs_too_loud(df):
    return different_pairs(df, scale=2.9)


def amounts_of_each_item(df):
    n = df.groupby("item")["amount"].nunique().reindex(ITEMS, fill_value=0)
    return n + np.random.laplace(0, 3, 3)


def rows_of_each_item(df):
    n = df.groupby("item")["user"].count().reindex(ITEMS, fill_value=0)
    return n + np.random.laplace(0, 3, 3)


def pairs_of_users_and_amounts(df):
    return len(df.drop_duplicates(["user", "amount"])) + np.random.laplace(0, 3)


def users_of_items_that_occur(df):
    n = df.groupby("item")["user"].nunique()
    return n + np.random.laplace(0, 3, len(n))


def users_that_change_after_grouping(df):
    d = df.copy()
    groups = d.groupby("item")
    d["user"] = d["amount"]
    n = groups["user"].nunique().reindex(ITEMS, fill_value=0)
    return n + np.random.laplace(0, 3, 3)


def sampled(df):
    return len(df.sample(frac=0.5)) + np.random.laplace(0, 1)


def sampled_with_a_seed(df):
    d = df.sample(frac=1, random_state=0).groupby("user").head(1)
    return (d["item"] == "food").sum() + np.random.laplace(0, 1)


def ids_of_users(df):
    per_user = df.groupby("user")["amount"].sum().clip(0, 80)
    return per_user.index, per_user.sum() + np.random.laplace(0, 80)


def ids_beside_noise(df):
    per_user = df.groupby("user")["amount"].sum().clip(0, 80)
    return per_user + np.random.laplace(0, 80, len(per_user))


def known_users(df):
    per_user = df.groupby("user")["amount"].sum().clip(0, 80).reindex([1, 2], fill_value=0)
    return per_user + np.random.laplace(0, 40, 2)


def records_alone(df):
    return df[df["amount"] > 3]


def largest_user(df):
    return df.groupby("user")["amount"].sum().clip(0, 80).max() + np.random.laplace(0, 8)


def told_by_a_branch(df):
    if len(df) > 0:
        return how_many(df)
    return 0.0


def told_by_an_error(df):
    d = df.groupby("user").sample(n=2)
    return len(d) + np.random.laplace(0, 2)


def with_missing_values(df):
    return df.groupby("user")["amount"].max().clip(0, 9).sum() + np.random.laplace(0, 9)


def changed_through_another_name(df):
    d = df
    d["amount"] = d["amount"].clip(0, 5)
    per_user = df.groupby("user")["amount"].max()
    d["amount"] = df["amount"] * 10
    return df.groupby("user")["amount"].max().sum() + per_user.sum() + np.random.laplace(0, 10)


def later_rows_of_a_copy(df):
    d = df.copy()
    df["amount"] = df["amount"].clip(0, 5)
    return d.groupby("user")["amount"].max().clip(lower=0).sum() + np.random.laplace(0, 5)


def changed_after_grouping(df):
    d = df.assign(amount=df["amount"].clip(0, 1))
    groups = d.groupby("user")[["amount"]]
    d["amount"] = d["amount"] * 64
    return groups.max()["amount"].sum() + np.random.laplace(0, 1)


def rows_of_an_array(x):
    return np.bincount(x["user"], minlength=21) + np.random.laplace(0, 1, 21)


def other_users_of_an_array(x):
    return len(np.unique(x["user"] // 2)) + np.random.laplace(0, 1)


def entries_of_users(x):
    return len(np.unique(x["user"], return_counts=True)[1]) + np.random.laplace(0, 1)


def loop_over_rows(x):
    total = 0.0
    for row in x:
        total += min(max(row["amount"], 0), 1)
    return total + np.random.laplace(0, 1)


def first_rows_of_an_array(x):
    return len(np.unique(x["user"][:5])) + np.random.laplace(0, 1)


SOUND = [
    (capped_sums, ONE, USERS),
    (capped_sums_of_a_column, ONE, USERS),
    (both_signs, ONE, USERS),
    (capped_sizes, ONE, USERS),
    (counts_of_counts, ONE, USERS),
    (largest, ONE, USERS),
    (means_of_users, ONE, USERS),
    (mean_over_users, ONE, USERS),
    (several_at_once, ONE, USERS),
    (users_in_a_loop, ONE, USERS),
    (how_many, ONE, USERS),
    (how_many, ONE, MISSING),
    (how_many, ONE, NAMED),
    (how_many_otherwise, ONE, USERS),
    (how_many_of_an_array, ONE, ARRAY),
    (sums_of_an_array, ONE, ARRAY),
    (active, ONE, USERS),
    (first_two, ONE, USERS),
    (first_two, ONE, NAMED),
    (first_two_by_item, ONE, USERS),
    (fewer_than_two_before, ONE, USERS),
    (once, ONE, USERS),
    (first_of_each, ONE, USERS),
    (capped_twice, ONE, USERS),
    (latest_two, ONE, USERS),
    (in_order_of_two_keys, ONE, USERS),
    (users_of_each_item, ONE, USERS),
    (users_of_one_item, ONE, USERS),
    (different_pairs, ONE, USERS),
    (amounts_of_pairs, ONE, USERS),
    (flagged, ONE, USERS),
    (grouped_before_the_key_changes, ONE, USERS),
]
BROKEN = [
    (sums_of_rows, ONE, USERS),
    (number_of_rows, ONE, USERS),
    (mean_of_rows, ONE, USERS),
    (too_loud, ONE, USERS),
    (capped_rows_only, ONE, USERS),
    (capped_above_only, ONE, USERS),
    (both_signs_too_far, ONE, USERS),
    (sums_that_may_overflow, ONE, LARGE),
    (sums_of_infinities, ONE, HUGE),
    (mean_over_users_too_loud, ONE, USERS),
    (users_too_loud, ONE, USERS),
    (different_items, ONE, USERS),
    (different_amounts, ONE, USERS),
    (users_changed_before, ONE, USERS),
    (users_exchanged, ONE, USERS),
    (users_overwritten, ONE, USERS),
    (two_keys, ONE, USERS),
    (first_two_of_items, ONE, USERS),
    (first_two_too_loud, ONE, USERS),
    (first_two_and_all, ONE, USERS),
    (first_two_of_a_mask, ONE, USERS),
    (first_row, ONE, USERS),
    (once_by_item, ONE, USERS),
    (once_by_two, ONE, USERS),
    (once_or_never, ONE, USERS),
    (above_the_mean, ONE, USERS),
    (above_the_row_before, ONE, USERS),
    (ranked, ONE, USERS),
    (of_running_sums, ONE, USERS),
    (fewer_than_two_items_before, ONE, USERS),
    (fewer_than_two_before_the_last, ONE, USERS),
    (sorted_first, ONE, USERS),
    (sampled, ONE, USERS),
    (sampled_with_a_seed, ONE, USERS),
    (ids_of_users, ONE, USERS),
    (ids_beside_noise, ONE, USERS),
    (known_users, ONE, USERS),
    (records_alone, ONE, USERS),
    (largest_user, ONE, USERS),
    (told_by_a_branch, ONE, USERS),
    (told_by_an_error, ONE, USERS),
    (with_missing_values, ONE, MISSING),
    (changed_through_another_name, ONE, USERS),
    (later_rows_of_a_copy, ONE, USERS),
    (changed_after_grouping, ONE, USERS),
    (rows_of_an_array, ONE, ARRAY),
    (other_users_of_an_array, ONE, ARRAY),
    (entries_of_users, ONE, ARRAY),
    (loop_over_rows, ONE, ARRAY),
    (first_rows_of_an_array, ONE, ARRAY),
    (latest_two_of_any_order, ONE, USERS),
    (mask_of_another_order, ONE, USERS),
    (users_of_each_item_too_loud, ONE, USERS),
    (different_pairs_too_loud, ONE, USERS),
    (amounts_of_each_item, ONE, USERS),
    (rows_of_each_item, ONE, USERS),
    (pairs_of_users_and_amounts, ONE, USERS),
    (users_of_items_that_occur, ONE, USERS),
    (users_that_change_after_grouping, ONE, USERS),
]
