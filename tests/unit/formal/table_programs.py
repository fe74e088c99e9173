"""Tables, sets and orders as analysts write them, for `test_tables`: sound ones and broken ones."""

import numpy as np

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, ReplaceOne, Row

EVENT = Row(user=Integer(0, 5), country=Categorical(("DE", "US")), minutes=Real(0, 100))
USERS = AddRemove(EVENT, unit="user", rows_per_unit=3, max_size=8, container="pandas")
PAIRS_OF_USERS = AddRemove(
    EVENT, unit="user", rows_per_unit=2, group=2, max_size=8, container="pandas"
)
EVENTS = AddRemove(EVENT, max_size=8, container="pandas")
REPLACED = ReplaceOne(EVENT, size=4, container="pandas")
POINTS = AddRemove(Row(x=Real(0, 1), y=Real(0, 1)), max_size=6, container="pandas")
HOLES = AddRemove(
    Row(user=Integer(0, 5), x=Real(0, 1, allow_nan=True)),
    unit="user",
    rows_per_unit=2,
    max_size=6,
    container="pandas",
)
WORDS = AddRemove(Categorical(("a", "b", "c")), max_size=6, container="list")
VISITS = AddRemove(Row(city=Categorical(("DE", "US")), x=Real(0, 10)), max_size=6, container="list")
ONE, TWO, HALF = PureDP(1.0), PureDP(2.0), PureDP(0.5)


def capped_total_of_users(df, rng):
    per_user = df.groupby("user")["minutes"].sum()
    return per_user.clip(upper=50).sum() + rng.laplace(0, 50)


def first_rows_of_users_by_country(df, rng):
    users = df.drop_duplicates(subset="user", keep="first")
    counts = users["country"].value_counts().reindex(("DE", "US"), fill_value=0)
    return counts + rng.laplace(0, 1, 2)


def two_rows_of_each_user(df, rng):
    return df.groupby("user").head(2)["minutes"].sum() + rng.laplace(0, 200)


def users_of_each_country(df, rng):
    users = df.groupby("country")["user"].nunique().reindex(["DE", "US"], fill_value=0)
    return users + rng.laplace(0, 2, 2)


def active_users(df, rng):
    longest = df[df["minutes"] > 1].groupby("user").agg({"minutes": "max"})
    return (longest["minutes"] > 30).sum() + rng.laplace(0, 1)


def users_in_a_loop(df, rng):
    per_user = df.groupby("user")["minutes"].sum()
    return sum(min(v, 50) for v in per_user) + rng.laplace(0, 50)


def number_of_users(df, rng):
    return df["user"].nunique() + rng.laplace(0, 1)


def one_record_among_users(df, rng):
    return df.groupby("user")["minutes"].max().clip(0, 50).sum() + rng.laplace(0, 50)


def distinct_rows(df, rng):
    return len(df.drop_duplicates()) + rng.laplace(0, 1)


def columns_as_an_array(df, rng):
    total = np.zeros(2)
    for row in df[["x", "y"]].to_numpy(dtype=float):
        total += row
    return total + rng.laplace(0, 1, 2)


def pairs_of_columns(df, rng):
    return sum(x * y for x, y in zip(df["x"], df["y"], strict=True)) + rng.laplace(0, 1)


def distinct_values(data, rng):
    return len({row["city"] for row in data}) + rng.laplace(0, 1)


def keys_of_a_counter(data, rng):
    from collections import Counter

    return len(Counter(data)) + rng.laplace(0, 1)


def sorted_release(data, rng):
    noisy = {word: data.count(word) + rng.laplace(0, 1) for word in ("a", "b", "c")}
    return sorted(noisy.items(), key=lambda item: item[1], reverse=True)[:2]


def names_by_a_drawn_key(data, rng):
    tally = [(word, data.count(word)) for word in ("a", "b", "c")]
    ranked = sorted(tally, key=lambda item: item[1] + rng.laplace(0, 1))
    return [word for word, _ in ranked]


def nothing_is_kept(data, rng):
    return len([row for row in data if row["x"] > 20]) + rng.laplace(0, 1)


def total_without_a_cap(df, rng):
    return df.groupby("user")["minutes"].sum().sum() + rng.laplace(0, 100)


def capped_by_another_key(df, rng):
    return df.groupby("country")["minutes"].sum().clip(0, 50).sum() + rng.laplace(0, 50)


def capped_by_user_and_country(df, rng):
    per = df.groupby(["user", "country"])["minutes"].sum()
    return per.clip(0, 50).sum() + rng.laplace(0, 50)


def key_that_was_replaced(df, rng):
    df["user"] = df["country"]
    return df.groupby("user")["minutes"].sum().clip(0, 50).sum() + rng.laplace(0, 50)


def two_users_at_once(df, rng):
    return df["user"].nunique() + rng.laplace(0, 1)


def two_users_capped(df, rng):
    return df.groupby("user")["minutes"].sum().clip(0, 50).sum() + rng.laplace(0, 50)


def missing_values_of_users(df, rng):
    return df.groupby("user")["x"].mean().clip(0, 1).sum() + rng.laplace(0, 1)


def more_rows_than_paid(df, rng):
    return df.groupby("user").head(3)["minutes"].sum() + rng.laplace(0, 200)


def first_rows_by_country(df, rng):
    return df.groupby("country").head(1)["minutes"].sum() + rng.laplace(0, 100)


def first_row_may_change(df, rng):
    users = df.drop_duplicates(subset="user")
    counts = users["country"].value_counts().reindex(("DE", "US"), fill_value=0)
    return counts + rng.laplace(0, 1, 2)


def rows_that_occur_once(df, rng):
    return len(df.drop_duplicates("user", keep=False)) + rng.laplace(0, 1)


def a_record_changes_a_mean(df, rng):
    return df.groupby("user")["minutes"].mean().sum() + rng.laplace(0, 50)


def replaced_between_groups(df, rng):
    return df.groupby("user")["minutes"].max().sum() + rng.laplace(0, 150)


def keys_as_numbers(df, rng):
    per_user = df.groupby("user", as_index=False)["minutes"].max()
    return per_user.to_numpy().sum() + rng.laplace(0, 101)


def release_of_each_user(df, rng):
    return [v + rng.laplace(0, 100) for v in df.groupby("user")["minutes"].max()]


def keys_of_groups(df, rng):
    sums = df.groupby("country")["minutes"].sum().clip(0, 1)
    return {k: v + rng.laplace(0, 3) for k, v in sums.items()}


def users_by_country_counted_twice(df, rng):
    users = df.groupby("country")["user"].nunique().reindex(["DE", "US"], fill_value=0)
    return users + rng.laplace(0, 1, 2)


def two_columns_for_one(df, rng):
    return df[["x", "y"]].to_numpy().sum() + rng.laplace(0, 1)


def one_column_twice(df, rng):
    return df[["x", "x"]].to_numpy().sum() + rng.laplace(0, 1)


def array_that_was_changed(df, rng):
    array = df[["x", "y"]].to_numpy()
    array[:, 0] *= 2
    return array[:, 0].sum() + rng.laplace(0, 1)


def truth_of_an_empty_column(df, rng):
    return len(df[df["x"].apply(lambda v: v > 0.5)]) + rng.laplace(0, 1)


def sum_with_missing_values(df, rng):
    return sum(df["x"]) + rng.laplace(0, 2)


def members_of_a_set(data, rng):
    seen = set(data)
    return [rng.laplace(0, 1) for word in ("a", "b") if word in seen]


def distinct_twice(data, rng):
    return 2 * len(set(data)) + rng.laplace(0, 1)


def order_by_counts(data, rng):
    return sorted(["a", "b", "c"], key=lambda word: data.count(word))


def order_of_a_release_by_counts(data, rng):
    noisy = {word: data.count(word) + rng.laplace(0, 1) for word in ("a", "b", "c")}
    return sorted(noisy, key=lambda word: data.count(word))


def count_of_the_chosen(data, rng):
    tally = [(word, data.count(word)) for word in ("a", "b", "c")]
    ranked = sorted(tally, key=lambda item: item[1] + rng.laplace(0, 1))
    return ranked[0][1]


def slice_by_a_count(data, rng):
    noisy = [data.count(word) + rng.laplace(0, 1) for word in ("a", "b", "c")]
    return noisy[: data.count("a")]


SOUND = [
    (capped_total_of_users, ONE, USERS),
    (first_rows_of_users_by_country, ONE, USERS),
    (two_rows_of_each_user, ONE, USERS),
    (users_of_each_country, ONE, USERS),
    (active_users, ONE, USERS),
    (users_in_a_loop, ONE, USERS),
    (number_of_users, ONE, USERS),
    (one_record_among_users, ONE, EVENTS),
    (distinct_rows, ONE, EVENTS),
    (columns_as_an_array, TWO, POINTS),
    (pairs_of_columns, ONE, POINTS),
    (distinct_values, ONE, VISITS),
    (keys_of_a_counter, ONE, WORDS),
    (sorted_release, ONE, WORDS),
    (names_by_a_drawn_key, ONE, WORDS),
    (nothing_is_kept, ONE, VISITS),
]

BROKEN = [
    (total_without_a_cap, ONE, USERS),
    (capped_by_another_key, ONE, USERS),
    (capped_by_user_and_country, ONE, USERS),
    (key_that_was_replaced, ONE, USERS),
    (two_users_at_once, ONE, PAIRS_OF_USERS),
    (two_users_capped, ONE, PAIRS_OF_USERS),
    (missing_values_of_users, ONE, HOLES),
    (more_rows_than_paid, ONE, USERS),
    (first_rows_by_country, ONE, USERS),
    (first_row_may_change, ONE, EVENTS),
    (rows_that_occur_once, HALF, EVENTS),
    (a_record_changes_a_mean, ONE, EVENTS),
    (replaced_between_groups, ONE, REPLACED),
    (keys_as_numbers, ONE, USERS),
    (release_of_each_user, ONE, USERS),
    (keys_of_groups, ONE, USERS),
    (users_by_country_counted_twice, ONE, USERS),
    (two_columns_for_one, ONE, POINTS),
    (one_column_twice, ONE, POINTS),
    (array_that_was_changed, ONE, POINTS),
    (truth_of_an_empty_column, ONE, POINTS),
    (sum_with_missing_values, ONE, HOLES),
    (members_of_a_set, ONE, WORDS),
    (distinct_twice, ONE, WORDS),
    (order_by_counts, ONE, WORDS),
    (order_of_a_release_by_counts, ONE, WORDS),
    (count_of_the_chosen, ONE, WORDS),
    (slice_by_a_count, ONE, WORDS),
]
