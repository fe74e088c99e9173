"""Counts by key and frames as analysts write them, for `test_frames`: sound ones and evil twins."""

from collections import Counter, defaultdict

from dpaudit import AddRemove, Categorical, PureDP, Real, ReplaceOne, Row

REGIONS = ("north", "south", "west")
SOME = ("north", "south")
FRAME = AddRemove(
    Row(amount=Real(0, 10), region=Categorical(("north", "south", "west"))),
    max_size=6,
    container="pandas",
)
MISSING = AddRemove(
    Row(amount=Real(0, 10, allow_nan=True), region=Categorical(("north", "south", "west"))),
    max_size=6,
    container="pandas",
)
POLARS = AddRemove(
    Row(amount=Real(0, 10), region=Categorical(("north", "south", "west"))),
    max_size=6,
    container="polars",
)
ROWS = AddRemove(
    Row(amount=Real(0, 10), region=Categorical(("north", "south", "west"))),
    max_size=6,
    container="list",
)
LISTED = AddRemove(Categorical(("north", "south", "west")), max_size=6, container="list")
NAN_LIST = AddRemove(Real(0, 10, allow_nan=True), max_size=6, container="list")
REPLACED_LIST = ReplaceOne(Categorical(("north", "south", "west")), size=4, container="list")
REPLACED = ReplaceOne(
    Row(amount=Real(0, 10), region=Categorical(("north", "south", "west"))),
    size=4,
    container="pandas",
)
ONE, HALF = PureDP(1.0), PureDP(0.5)


def masked_length(df, rng):
    return len(df[df["amount"] > 3]) + rng.laplace(0, 1.0)


def clipped_column_of_a_copy(df, rng):
    d = df.copy()
    d["amount"] = d["amount"].clip(0, 5)
    return d["amount"].sum() + rng.laplace(0, 5.0)


def query(df, rng):
    return df.query("amount > 5 and region == 'north'").shape[0] + rng.laplace(0, 1.0)


def loc_of_mask_and_column(df, rng):
    return df.loc[df.region == "north", "amount"].sum() + rng.laplace(0, 10.0)


def applied_lambda(df, rng):
    return df["amount"].apply(lambda v: min(v, 4)).sum() + rng.laplace(0, 4.0)


def value_counts_by_get(df, rng):
    c = df["region"].value_counts()
    return {r: c.get(r, 0) + rng.laplace(0, 1.0) for r in REGIONS}


def value_counts_reindexed(df, rng):
    c = df["region"].value_counts().reindex(REGIONS, fill_value=0)
    return c.to_numpy() + rng.laplace(0, 1.0, size=len(REGIONS))


def group_sizes_reindexed(df, rng):
    c = df.groupby("region").size().reindex(REGIONS, fill_value=0)
    return c.values + rng.laplace(0, 1.0, size=3)


def group_sums_by_get(df, rng):
    s = df.groupby("region")["amount"].sum()
    return [s.get(r, 0.0) + rng.laplace(0, 10.0) for r in REGIONS]


def count_of_series(df, rng):
    return df["amount"].count() + rng.laplace(0, 1.0)


def isin_of_texts(df, rng):
    return df[df.region.isin(["north", "south"])].shape[0] + rng.laplace(0, 1.0)


def between(df, rng):
    return df.amount.between(2, 4).sum() + rng.laplace(0, 1.0)


def iterrows(df, rng):
    n = 0
    for _, row in df.iterrows():
        if row["amount"] > 3:
            n += 1
    return n + rng.laplace(0, 1.0)


def itertuples(df, rng):
    n = 0
    for row in df.itertuples():
        if row.amount > 3:
            n += 1
    return n + rng.laplace(0, 1.0)


def filled_and_clipped(df, rng):
    return df["amount"].fillna(0).clip(0, 10).sum() + rng.laplace(0, 10.0)


def dicts_of_rows(df, rng):
    t = [r for r in df.to_dict("records") if r["region"] == "west"]
    return len(t) + rng.laplace(0, 1.0)


def mapped_by_dict(df, rng):
    return df["region"].map({"north": 1, "south": 0, "west": 0}).sum() + rng.laplace(0, 1.0)


def dropped_missing(df, rng):
    return df["amount"].dropna().clip(lower=0, upper=10).sum() + rng.laplace(0, 10.0)


def different_regions(df, rng):
    return df["region"].nunique() + rng.laplace(0, 1.0)


def negated_mask(df, rng):
    m = (df["amount"] >= 2) & ~(df["region"] == "west")
    return int(m.sum()) + rng.laplace(0, 1.0)


def counter_in_dict(data, rng):
    c = Counter(data)
    return {r: c[r] + rng.laplace(0, 1.0) for r in REGIONS}


def counter_by_get(data, rng):
    c = Counter(data)
    return [c.get(r, 0) + rng.laplace(0, 1.0) for r in REGIONS]


def defaultdict_in_loop(data, rng):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
    return [d[r] + rng.laplace(0, 1.0) for r in REGIONS]


def dict_get_plus_one(data, rng):
    d = {}
    for x in data:
        d[x] = d.get(x, 0) + 1
    return [d.get(r, 0) + rng.laplace(0, 1.0) for r in REGIONS]


def zeros_for_public_keys(data, rng):
    d = dict.fromkeys(REGIONS, 0)
    for x in data:
        d[x] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in d.items()}


def counted_if_public(data, rng):
    d = dict.fromkeys(REGIONS, 0)
    for x in data:
        if x in d:
            d[x] += 1
    return {k: d[k] + rng.laplace(0, 1.0) for k in d}


def list_count(data, rng):
    return [data.count(r) + rng.laplace(0, 1.0) for r in REGIONS]


def counter_of_column(data, rng):
    c = Counter(x["region"] for x in data)
    return {r: c[r] + rng.laplace(0, 1.0) for r in REGIONS}


def count_of_list(data, rng):
    return list(data).count("north") + rng.laplace(0, 1.0)


def rounded_counter(data, rng):
    c = Counter(data)
    return [max(0, round(c[r] + rng.laplace(0, 1.0))) for r in REGIONS]


def keys_of_value_counts(df, rng):
    c = df["region"].value_counts()
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


def missing_key_raises(df, rng):
    c = df["region"].value_counts()
    return c["north"] + rng.laplace(0, 1.0)


def mask_on_counts(df, rng):
    c = df["amount"].value_counts()
    return len(c[c == 1]) + rng.laplace(0, 0.5)


def counts_of_frame(df, rng):
    return df[["region"]].value_counts().get("north", 0) + rng.laplace(0, 0.1)


def counter_of_a_dict_of_counts(data, rng):
    d = {r: data.count(r) for r in REGIONS}
    c = Counter(d)
    return c["north"]


def whole_counter(data, rng):
    return dict(Counter(data))


def most_common(data, rng):
    c = Counter(data)
    return c.most_common(1)[0][0] if c else ""


def number_of_keys(data, rng):
    c = Counter(data)
    return len(c)


def key_outside_raises(data, rng):
    d = dict.fromkeys(SOME, 0)
    for x in data:
        d[x] += 1
    return [d[k] + rng.laplace(0, 1.0) for k in SOME]


def counted_twice(data, rng):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
        d[x] += 1
    return [d[k] + rng.laplace(0, 1.0) for k in REGIONS]


def one_noise_for_all(data, rng):
    c = Counter(data)
    z = rng.laplace(0, 1.0)
    return [c[k] + z for k in REGIONS]


def replaced_counts(data, rng):
    c = Counter(data)
    return [c[k] + rng.laplace(0, 1.0) for k in REGIONS]


def replaced_value_counts(df, rng):
    c = df["region"].value_counts().reindex(REGIONS, fill_value=0)
    return c.to_numpy() + rng.laplace(0, 1.0, size=3)


def query_with_little_noise(df, rng):
    return df.query("amount > 5 or region == 'north'").shape[0] + rng.laplace(0, 0.5)


def mean_of_query(df, rng):
    return df.query("amount > 5")["amount"].mean() + rng.laplace(0, 10.0)


def clipped_from_below(df, rng):
    return df["amount"].apply(lambda v: max(v, 4)).sum() + rng.laplace(0, 4.0)


def filled_with_too_much(df, rng):
    return df["amount"].fillna(100).sum() + rng.laplace(0, 10.0)


def count_with_little_noise(df, rng):
    return df["amount"].count() + rng.laplace(0, 0.5)


def alias_of_frame(df, rng):
    d = df
    d["amount"] = d["amount"].clip(0, 5)
    return df["amount"].sum() + rng.laplace(0, 4.0)


def clipped_copy_but_not_itself(df, rng):
    d = df.copy()
    d["amount"] = d["amount"].clip(0, 5)
    return df["amount"].sum() + rng.laplace(0, 5.0)


def column_of_other_rows(df, rng):
    d = df[df["amount"] > 5].copy()
    d["amount"] = df["amount"]
    return d["amount"].sum() + rng.laplace(0, 9.0)


def sum_of_labels(df, rng):
    n = 0
    for i, _ in df.iterrows():
        n += i
    return n + rng.laplace(0, 1.0)


def rows_counted_twice(df, rng):
    n = 0
    for row in df.itertuples():
        if row.amount > 3:
            n += 2
    return n + rng.laplace(0, 1.0)


def values_of_the_data(df, rng):
    return sorted(df["region"].unique())


def mapped_to_missing(df, rng):
    return df["region"].map({"north": 1}).sum() + rng.laplace(0, 0.5)


def mapped_to_five(df, rng):
    return df["region"].map({"north": 5, "south": 0, "west": 0}).sum() + rng.laplace(0, 1.0)


def mean_of_present(df, rng):
    return df["amount"].dropna().mean() + rng.laplace(0, 1.0)


def counter_overwritten(data, rng):
    c = Counter(data)
    c["north"] = len(data) * 5
    return c["north"] + rng.laplace(0, 1.0)


def counter_under_two_names(data, rng):
    c = Counter(data)
    d = c
    d["north"] += 5 * len(data)
    return c["north"] + rng.laplace(0, 1.0)


def key_from_the_data(data, rng):
    keys = ["north"]
    c = Counter(data)
    keys.append(max(c) if c else "x")
    return {k: c[k] + rng.laplace(0, 1.0) for k in keys}


def group_sums_with_little_noise(df, rng):
    s = df.groupby("region")["amount"].sum()
    return [s.get(r, 0.0) + rng.laplace(0, 1.0) for r in REGIONS]


def groups_in_a_loop(df, rng):
    return {r: len(g) + rng.laplace(0, 1.0) for r, g in df.groupby("region")}


def group_sizes_of_private_length(df, rng):
    g = df.groupby("region").size()
    return g.values + rng.laplace(0, 1.0, size=len(g))


def loc_with_little_noise(df, rng):
    return df.loc[df["amount"] > 5, "amount"].sum() + rng.laplace(0, 5.0)


def isin_without_noise(df, rng):
    return df.isin(["north"]).shape[0] * 0.0 + df["region"].isin(["north", "south"]).sum()


def mask_as_a_column(df, rng):
    m = df["amount"].between(2, 4)
    df["m"] = m
    return df["m"].sum() + rng.laplace(0, 0.9)


def shadowed_dict(data, rng):
    d = defaultdict(int)
    for d in data:  # noqa: B007
        pass
    return rng.laplace(0, 1.0) if d else 0


def data_twice(data, rng):
    c = Counter(data + data)
    return [c[k] + rng.laplace(0, 1.0) for k in REGIONS]


def key_set_and_another_counted(data, rng):
    d = {}
    for x in data:
        if x not in d:
            d[x] = 0
        x = "north"
        d[x] += 1
    return d.get("north", 0) + rng.laplace(0, 1.0)


def polars_filter(df, rng):
    return df.filter(df["amount"] > 3).height + rng.laplace(0, 0.5)


def count_of_one_value(df, rng):
    return df["amount"].value_counts().get(3, 0) + rng.laplace(0, 0.1)


def sum_of_dicts(df, rng):
    n = 0
    for row in df.to_dict("records"):
        n += row["amount"]
    return n + rng.laplace(0, 9.0)


def noise_for_each(df, rng):
    return df["amount"].apply(lambda v: rng.laplace(v, 1.0)).sum()


def total_beside_apply(df, rng):
    total = [0]

    def f(v):
        total[0] += v
        return 0

    df["amount"].apply(f)
    return total[0]


def doubled_beside_apply(df, rng):
    total = [0]

    def f(v):
        total[0] = total[0] * 2 + v
        return 0

    df["amount"].apply(f)
    return total[0] + rng.laplace(0, 10.0)


def deviation(df, rng):
    return df["amount"].std() + rng.laplace(0, 1.0)


def series_of_other_labels(df, rng):
    return (df["amount"].clip(0, 5) + df[df.amount > 5]["amount"]).sum() + rng.laplace(0, 5.0)


def missing_where_small(df, rng):
    z = df["amount"].map(lambda v: v if v > 3 else float("nan"))
    return z.count() + z.sum() + rng.laplace(0, 10.0)


def reindexed_overwritten(df, rng):
    c = df["region"].value_counts().reindex(REGIONS, fill_value=0)
    c["north"] = len(df) * 7
    return c.to_numpy() + rng.laplace(0, 1.0, size=3)


def keys_changed_after_grouping(df, rng):
    g = df.groupby("region").size()
    df["region"] = df["region"].map({"north": "north", "south": "north", "west": "north"})
    return g.get("north", 0) + rng.laplace(0, 0.5)


def counter_items_left_out(data, rng):
    c = Counter(data)
    return [c.get(k) + rng.laplace(0, 1.0) for k in REGIONS if c.get(k)]


def nan_as_key(data, rng):
    c = Counter(data)
    return c[float("nan")]


def stopped_early(data, rng):
    d = defaultdict(int)
    for x in data:
        d[x] += 1
        if d[x] > 1:
            break
    return d["north"] + rng.laplace(0, 0.5)


def not_of_and(df, rng):
    return df.query("not (amount > 3) & (region == 'north')").shape[0] + rng.laplace(0, 0.2)


def row_by_row(df, rng):
    return df.apply(lambda row: min(row["amount"], 3), axis=1).sum() + rng.laplace(0, 3.0)


def whole_amounts_row_by_row(df, rng):
    return df.apply(lambda row: int(row["amount"]), axis=1).sum() + rng.laplace(0, 10.0)


def rounded_row_by_row(df, rng):
    return df.apply(lambda row: round(row["amount"]), axis=1).sum() + rng.laplace(0, 10.0)


def rows_beyond(df, rng):
    return df.apply(lambda row: row["amount"] * 2, axis=1).sum() + rng.laplace(0, 10.0)


def isin_numbers(df, rng):
    mask = df["region"].isin(SOME)
    return df.loc[mask, "amount"].clip(0, 2).sum() + rng.laplace(0, 2.0)


def first_or_next(data, rng):
    counts = {}
    for value in data:
        if value in counts:
            counts[value] += 1
        else:
            counts[value] = 1
    return [counts.get(key, 0) + rng.laplace(0, 1.0) for key in REGIONS]


def set_to_zero_first(data, rng):
    counts = {}
    for value in data:
        if value not in counts:
            counts[value] = 0
        counts[value] += 1
    return [counts.get(key, 0) + rng.laplace(0, 1.0) for key in REGIONS]


def items_of_zeros(data, rng):
    counts = {"north": 0, "south": 0, "west": 0}
    for value in data:
        counts[value] += 1
    noisy = {}
    for key, count in counts.items():
        noisy[key] = count + rng.laplace(0, 1.0)
    return noisy


def set_to_one_first(data, rng):
    counts = {}
    for value in data:
        if value not in counts:
            counts[value] = 1
        counts[value] += 1
    return [counts.get(key, 0) + rng.laplace(0, 1.0) for key in REGIONS]


def other_key_counted(data, rng):
    counts = dict.fromkeys(REGIONS, 0)
    for value in data:
        if value in counts:
            counts["north"] += 1
            counts[value] += 1
    return [counts[key] + rng.laplace(0, 1.0) for key in REGIONS]


def keys_added_later(df, rng):
    keys = ["north"]
    counts = df["region"].value_counts().reindex(keys, fill_value=0)
    keys.extend(["south"] * len(df))
    return counts.to_numpy() + rng.laplace(0, 0.5, size=len(counts))


def series_with_noise(df, rng):
    counts = df.groupby("region").size().reindex(REGIONS, fill_value=0)
    return counts + rng.laplace(0, 1.0, size=len(REGIONS))


def series_filled_with_noise(df, rng):
    return df["region"].value_counts().reindex(REGIONS).fillna(0) + rng.laplace(0, 1.0, size=3)


def sums_with_noise(df, rng):
    sums = df.groupby("region")["amount"].sum().reindex(REGIONS, fill_value=0)
    return sums + rng.laplace(0, 10.0, size=len(REGIONS))


def aggregated(df, rng):
    return df["amount"].agg("sum") + rng.laplace(0, 10.0)


def assigned_column(df, rng):
    clipped = df.assign(amount=df["amount"].clip(0, 5))
    return clipped["amount"].sum() + rng.laplace(0, 5.0)


def assigned_to_itself(df, rng):
    df = df.assign(low=df["amount"].clip(0, 5))
    return df["low"].sum() + rng.laplace(0, 5.0)


SOUND = (
    (series_with_noise, ONE, FRAME),
    (series_filled_with_noise, ONE, FRAME),
    (sums_with_noise, ONE, FRAME),
    (aggregated, ONE, FRAME),
    (assigned_column, ONE, FRAME),
    (assigned_to_itself, ONE, FRAME),
    (row_by_row, ONE, FRAME),
    (isin_numbers, ONE, FRAME),
    (first_or_next, ONE, LISTED),
    (set_to_zero_first, ONE, LISTED),
    (items_of_zeros, ONE, LISTED),
    (masked_length, ONE, FRAME),
    (clipped_column_of_a_copy, ONE, FRAME),
    (query, ONE, FRAME),
    (loc_of_mask_and_column, ONE, FRAME),
    (applied_lambda, ONE, FRAME),
    (value_counts_by_get, ONE, FRAME),
    (value_counts_reindexed, ONE, FRAME),
    (group_sizes_reindexed, ONE, FRAME),
    (group_sums_by_get, ONE, FRAME),
    (count_of_series, ONE, FRAME),
    (isin_of_texts, ONE, FRAME),
    (between, ONE, FRAME),
    (iterrows, ONE, FRAME),
    (itertuples, ONE, FRAME),
    (filled_and_clipped, ONE, FRAME),
    (dicts_of_rows, ONE, FRAME),
    (mapped_by_dict, ONE, FRAME),
    (dropped_missing, ONE, FRAME),
    (different_regions, ONE, FRAME),
    (negated_mask, ONE, FRAME),
    (counter_in_dict, ONE, LISTED),
    (counter_by_get, ONE, LISTED),
    (defaultdict_in_loop, ONE, LISTED),
    (dict_get_plus_one, ONE, LISTED),
    (zeros_for_public_keys, ONE, LISTED),
    (counted_if_public, ONE, LISTED),
    (list_count, ONE, LISTED),
    (counter_of_column, ONE, ROWS),
    (count_of_list, ONE, LISTED),
    (rounded_counter, ONE, LISTED),
)


def series_with_one_noise(df, rng):
    counts = df.groupby("region").size().reindex(REGIONS, fill_value=0)
    return counts + rng.laplace(0, 1.0)


def sums_with_noise_of_counts(df, rng):
    sums = df.groupby("region")["amount"].sum().reindex(REGIONS, fill_value=0)
    return sums + rng.laplace(0, 1.0, size=len(REGIONS))


def column_before_it_was_assigned(df, rng):
    clipped = df.assign(amount=df["amount"].clip(0, 5))
    return df["amount"].sum() + rng.laplace(0, 5.0) + 0 * clipped["amount"].size


def wider_column(df, rng):
    df = df.assign(amount=2 * df["amount"])
    return df["amount"].sum() + rng.laplace(0, 10.0)


def aggregated_mean(df, rng):
    return df["amount"].agg("mean") + rng.laplace(0, 10.0)


BROKEN = (
    (series_with_one_noise, ONE, FRAME),
    (sums_with_noise_of_counts, ONE, FRAME),
    (column_before_it_was_assigned, ONE, FRAME),
    (wider_column, ONE, FRAME),
    (aggregated_mean, ONE, FRAME),
    (keys_added_later, ONE, FRAME),
    (whole_amounts_row_by_row, ONE, FRAME),
    (rounded_row_by_row, ONE, FRAME),
    (rows_beyond, ONE, FRAME),
    (set_to_one_first, ONE, LISTED),
    (other_key_counted, ONE, LISTED),
    (keys_of_value_counts, ONE, FRAME),
    (missing_key_raises, ONE, FRAME),
    (mask_on_counts, ONE, FRAME),
    (counts_of_frame, ONE, FRAME),
    (counter_of_a_dict_of_counts, ONE, LISTED),
    (whole_counter, ONE, LISTED),
    (most_common, ONE, LISTED),
    (number_of_keys, ONE, LISTED),
    (key_outside_raises, ONE, LISTED),
    (counted_twice, ONE, LISTED),
    (one_noise_for_all, ONE, LISTED),
    (replaced_counts, ONE, REPLACED_LIST),
    (replaced_value_counts, ONE, REPLACED),
    (query_with_little_noise, ONE, FRAME),
    (mean_of_query, ONE, FRAME),
    (clipped_from_below, ONE, FRAME),
    (filled_with_too_much, ONE, MISSING),
    (count_with_little_noise, ONE, MISSING),
    (alias_of_frame, ONE, FRAME),
    (clipped_copy_but_not_itself, ONE, FRAME),
    (column_of_other_rows, ONE, FRAME),
    (sum_of_labels, ONE, FRAME),
    (rows_counted_twice, ONE, FRAME),
    (values_of_the_data, ONE, FRAME),
    (mapped_to_missing, ONE, FRAME),
    (mapped_to_five, ONE, FRAME),
    (mean_of_present, ONE, MISSING),
    (counter_overwritten, ONE, LISTED),
    (counter_under_two_names, ONE, LISTED),
    (key_from_the_data, ONE, LISTED),
    (group_sums_with_little_noise, ONE, FRAME),
    (groups_in_a_loop, ONE, FRAME),
    (group_sizes_of_private_length, ONE, FRAME),
    (loc_with_little_noise, ONE, FRAME),
    (isin_without_noise, ONE, FRAME),
    (mask_as_a_column, ONE, FRAME),
    (shadowed_dict, ONE, LISTED),
    (data_twice, ONE, LISTED),
    (key_set_and_another_counted, HALF, LISTED),
    (polars_filter, ONE, POLARS),
    (count_of_one_value, ONE, FRAME),
    (sum_of_dicts, ONE, FRAME),
    (noise_for_each, ONE, FRAME),
    (total_beside_apply, ONE, FRAME),
    (doubled_beside_apply, ONE, FRAME),
    (deviation, ONE, FRAME),
    (series_of_other_labels, ONE, FRAME),
    (missing_where_small, ONE, FRAME),
    (reindexed_overwritten, ONE, FRAME),
    (keys_changed_after_grouping, ONE, FRAME),
    (counter_items_left_out, ONE, LISTED),
    (nan_as_key, ONE, NAN_LIST),
    (stopped_early, ONE, LISTED),
    (not_of_and, ONE, FRAME),
)
