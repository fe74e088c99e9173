"""Columns with missing values, and functions of each value, for `test_missing_values`."""

import math
from collections import Counter

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, Row

MISSING = AddRemove(
    Row(x=Real(-1000, 1000, allow_missing=True), g=Categorical(["a", "b"])),
    max_size=6,
    container="pandas",
)
AGES = AddRemove(Row(age=Integer(0, 120)), max_size=6, container="pandas")
ONE = PureDP(1.0)
CAP = 100.0
BANDS = ("child", "young", "old")


def filled(df, rng):
    return df["x"].fillna(0).clip(0, CAP).sum() + rng.laplace(0, CAP)


def filled_by_keyword(df, rng):
    return df["x"].fillna(value=0.0).clip(0, CAP).sum() + rng.laplace(0, CAP)


def filled_by_column(df, rng):
    df = df.fillna({"x": 0})
    return df["x"].clip(0, CAP).sum() + rng.laplace(0, CAP)


def dropped(df, rng):
    known = df["x"].dropna().clip(lower=0, upper=CAP)
    return known.sum() + rng.laplace(0, 2 * CAP), len(known) + rng.laplace(0, 2.0)


def dropped_rows(df, rng):
    return len(df.dropna(subset=["x"])) + rng.laplace(0, 1.0)


def located_where_known(df, rng):
    return df.loc[df["x"].notna(), "x"].clip(0, CAP).sum() + rng.laplace(0, CAP)


def missing_ones(df, rng):
    return pd.isna(df["x"]).sum() + rng.laplace(0, 1.0)


def known_ones(df, rng):
    return df["x"][pd.notna(df["x"])].clip(0, CAP).sum() + rng.laplace(0, CAP)


def sum_of_known(df, rng):
    return np.nansum(df["x"].clip(0, CAP)) + rng.laplace(0, CAP)


def skipped_in_a_loop(df, rng):
    total = 0.0
    for v in df["x"]:
        if pd.isna(v):
            continue
        total += min(max(v, 0.0), CAP)
    return total + rng.laplace(0, CAP)


def skipped_rows(df, rng):
    total = 0.0
    for _, row in df.iterrows():
        if not math.isnan(row["x"]):
            total += min(max(row["x"], 0.0), CAP)
    return total + rng.laplace(0, CAP)


def limited_where(df, rng):
    df = df.copy()
    df["x"] = df["x"].fillna(0)
    df.loc[df["x"] > CAP, "x"] = CAP
    df.loc[df["x"] < 0, "x"] = 0
    return df["x"].sum() + rng.laplace(0, CAP)


# --- broken


def filled_after_the_clip(df, rng):
    return df["x"].clip(0, CAP).fillna(2 * CAP).sum() + rng.laplace(0, CAP)


def filled_with_the_mean(df, rng):
    x = df["x"].clip(0, CAP)
    return x.fillna(x.mean()).sum() + rng.laplace(0, CAP)


def filled_from_above(df, rng):
    return df["x"].ffill().fillna(0).clip(0, CAP).sum() + rng.laplace(0, CAP)


def not_skipped(df, rng):
    return np.clip(df["x"].to_numpy(), 0, CAP).sum() + rng.laplace(0, CAP)


def not_skipped_by_python(df, rng):
    return sum(df["x"].clip(0, CAP)) + rng.laplace(0, CAP)


def not_skipped_in_a_loop(df, rng):
    total = 0.0
    for v in df["x"]:
        if pd.notna(v):
            pass
        total += min(max(v, 0.0), CAP)
    return total + rng.laplace(0, CAP)


def mean_of_known(df, rng):
    known = df["x"].dropna().clip(0, CAP)
    n = max(len(known), 1)
    return known.sum() / n + rng.laplace(0, CAP / n)


def both_counts_for_one(df, rng):
    return df["x"].notna().sum() + rng.laplace(0, 1.0), len(df) + rng.laplace(0, 1.0)


def tells_whether_one_is_missing(df, rng):
    return bool(df["x"].isna().any()), df["x"].fillna(0).clip(0, CAP).sum() + rng.laplace(0, CAP)


def raises_if_missing(df, rng):
    return df["x"].clip(0, CAP).astype(int).sum() + rng.laplace(0, CAP)


def less_and_not_more(df, rng):
    less, rest = df["x"] < 50, ~(df["x"] > 50)
    return less.sum() + rng.laplace(0, 1.0), rest.sum() + rng.laplace(0, 1.0)


def limited_after_it_was_read(df, rng):
    df = df.copy()
    df["x"] = df["x"].fillna(0)
    x = df["x"]
    df.loc[df["x"] > CAP, "x"] = CAP
    df.loc[df["x"] < 0, "x"] = 0
    return x.sum() + rng.laplace(0, CAP)


def limited_after_a_copy(df, rng):
    df = df.copy()
    df["x"] = df["x"].fillna(0)
    other = df.copy()
    df.loc[df["x"] > CAP, "x"] = CAP
    df.loc[df["x"] < 0, "x"] = 0
    return other["x"].sum() + rng.laplace(0, CAP)


def limited_to_more(df, rng):
    df = df.copy()
    df["x"] = df["x"].fillna(0)
    df.loc[df["x"] > CAP, "x"] = 2 * CAP
    df.loc[df["x"] < 0, "x"] = 0
    return df["x"].sum() + rng.laplace(0, CAP)


def stored_from_an_array(df, rng):
    """Raise unless as many values are between these as there are records."""
    df = df.copy()
    df["x"] = df["x"].fillna(0)
    known = df["x"].to_numpy()
    df.loc[(df["x"] > 33.31) & (df["x"] < 33.32), "x"] = known
    return df["x"].clip(0, CAP).sum() + rng.laplace(0, CAP)


# --- functions of each value


def band(age):
    if age < 18:
        return "child"
    if age < 65:
        return "young"
    return "old"


def band_by_loop(age):
    label = BANDS[0]
    for start, name in zip((0, 18, 65), BANDS, strict=True):
        if age >= start:
            label = name
    return label


def no_band_for_some(age):
    return None if age < 18 else "old"


def error_for_some(age):
    if age > 100:
        raise ValueError("too old")
    return "old"


def place_among(age, edges):
    return sum(age >= edge for edge in edges)


def counted_so_far(age, seen):
    seen.append(age)
    return len(seen)


class Bands:
    def __init__(self, edges):
        self.edges = edges
        self.asked = 0

    def label(self, age):
        for name, edge in zip(BANDS, self.edges, strict=False):
            if age < edge:
                return name
        return "old"

    def alternating(self, age):
        self.asked += 1
        return "old" if self.asked % 2 else "young"


def counted_by_band(df, rng):
    counts = df["age"].apply(band).value_counts()
    return {name: counts.get(name, 0) + rng.laplace(0, 1.0) for name in BANDS}


def counted_by_map(df, rng):
    counts = df["age"].map(band_by_loop).value_counts().reindex(BANDS, fill_value=0)
    return counts.to_numpy() + rng.laplace(0, 1.0, size=3)


def counted_in_a_column(df, rng):
    df = df.copy()
    df["band"] = df["age"].apply(band)
    return [len(df[df["band"] == name]) + rng.laplace(0, 1.0) for name in BANDS]


def counted_by_counter(df, rng):
    counts = Counter(df["age"].apply(band))
    return [counts[name] + rng.laplace(0, 1.0) for name in BANDS]


def counted_by_a_method(df, rng):
    bands = Bands((18, 65))
    counts = df["age"].apply(bands.label).value_counts()
    return [counts.get(name, 0) + rng.laplace(0, 1.0) for name in BANDS]


def counted_by_place(df, rng):
    edges = [18, 65]
    counts = df["age"].apply(place_among, edges=edges).value_counts()
    return [counts.get(i, 0) + rng.laplace(0, 1.0) for i in range(3)]


def one_band_twice(df, rng):
    counts = df["age"].apply(band).value_counts()
    return [float(counts.get(name, 0)) + rng.laplace(0, 1.0) for name in (*BANDS, "old")]


def bands_of_the_data(df, rng):
    return {k: n + rng.laplace(0, 1.0) for k, n in df["age"].apply(band).value_counts().items()}


def most_bands(df, rng):
    return df["age"].apply(band).value_counts().get("old", 0) + rng.laplace(0, 0.5)


def some_without_band(df, rng):
    counts = df["age"].apply(no_band_for_some)
    return counts.value_counts().get("old", 0) + rng.laplace(0, 1.0), counts.isna().sum()


def some_raise(df, rng):
    return df["age"].apply(error_for_some).value_counts().get("old", 0) + rng.laplace(0, 1.0)


def counted_with_a_list(df, rng):
    counts = df["age"].apply(counted_so_far, args=([],)).value_counts()
    return counts.get(1, 0) + rng.laplace(0, 1.0), counts.get(2, 0)


def counted_with_a_kept_list(df, rng):
    seen = []
    counts = df["age"].apply(counted_so_far, seen=seen).value_counts()
    return counts.get(1, 0) + rng.laplace(0, 1.0), counts.get(2, 0)


def by_order(df, rng):
    bands = Bands((18, 65))
    return (df["age"].apply(bands.alternating) == "old").sum() + rng.laplace(0, 1.0)


def first_band(df, rng):
    bands = df["age"].apply(band)
    return bands.iloc[0], (bands == "old").sum() + rng.laplace(0, 1.0)


_SOUND_MISSING = (
    filled,
    filled_by_keyword,
    filled_by_column,
    dropped,
    dropped_rows,
    located_where_known,
    missing_ones,
    known_ones,
    sum_of_known,
    skipped_in_a_loop,
    skipped_rows,
    limited_where,
)
_BROKEN_MISSING = (
    filled_after_the_clip,
    filled_with_the_mean,
    filled_from_above,
    not_skipped,
    not_skipped_by_python,
    not_skipped_in_a_loop,
    mean_of_known,
    both_counts_for_one,
    tells_whether_one_is_missing,
    raises_if_missing,
    less_and_not_more,
    limited_after_it_was_read,
    limited_after_a_copy,
    limited_to_more,
    stored_from_an_array,
)
_SOUND_APPLIED = (
    counted_by_band,
    counted_by_map,
    counted_in_a_column,
    counted_by_counter,
    counted_by_a_method,
    counted_by_place,
)
_BROKEN_APPLIED = (
    one_band_twice,
    bands_of_the_data,
    most_bands,
    some_without_band,
    some_raise,
    counted_with_a_list,
    counted_with_a_kept_list,
    by_order,
    first_band,
)
SOUND = [(f, ONE, MISSING) for f in _SOUND_MISSING] + [(f, ONE, AGES) for f in _SOUND_APPLIED]
BROKEN = [(f, ONE, MISSING) for f in _BROKEN_MISSING] + [(f, ONE, AGES) for f in _BROKEN_APPLIED]
