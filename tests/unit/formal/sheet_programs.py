"""Columns by parts, missing rows, and frames of results: in the spellings of notebooks.

Each sound mechanism has twins that differ from it by one defect.
"""

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, Row

TOWNS = ["Rome", "Oslo", "Bern"]
BANDS = ["child", "young", "old"]
_NUMBERS = {"age": Integer(0, 99), "pay": Real(0, 1000)}
PEOPLE = AddRemove(Row(town=Categorical(list(TOWNS)), **_NUMBERS), max_size=6, container="pandas")
HOLES = AddRemove(Row(pay=Real(0, 1000, allow_nan=True)), max_size=6, container="pandas")
ONE = PureDP(1.0)
SOUND, BROKEN = [], []


def sound(neighbors):
    return lambda mechanism: SOUND.append((mechanism, ONE, neighbors)) or mechanism


def broken(neighbors):
    return lambda mechanism: BROKEN.append((mechanism, ONE, neighbors)) or mechanism


# --- parts of a column


@sound(PEOPLE)
def bands_in_their_order(df, rng):
    df = df.copy()
    df["band"] = pd.cut(df["age"], bins=[-1, 17, 64, 120], labels=BANDS)
    return df["band"].value_counts(sort=False) + rng.laplace(size=3)


@broken(PEOPLE)
def bands_by_their_counts(df, rng):
    df = df.copy()
    df["band"] = pd.cut(df["age"], bins=[-1, 17, 64, 120], labels=BANDS)
    return df["band"].value_counts() + rng.laplace(size=3)


@broken(PEOPLE)
def bands_of_the_data(df, rng):
    bands = pd.cut(df["age"], bins=3, labels=BANDS)
    return bands.value_counts(sort=False) + rng.laplace(size=3)


@broken(PEOPLE)
def bands_up_to_the_oldest(df, rng):
    bands = pd.cut(df["age"], [-1, 17, 64, df["age"].max() + 100], labels=BANDS)
    return bands.value_counts(sort=False) + rng.laplace(size=3)


@broken(PEOPLE)
def bands_that_leave_out_the_first(df, rng):  # an age of 0 is missing
    bands = pd.cut(df["age"], [0, 18, 65, 120], labels=BANDS)
    return 3 * bands.isna().sum() + rng.laplace()


@sound(PEOPLE)
def pay_of_bands(df, rng):
    df = df.assign(band=pd.cut(df["age"], [0, 18, 65, 100], right=False, labels=BANDS))
    return df.groupby("band", observed=False)["pay"].sum() + rng.laplace(scale=1000, size=3)


@broken(PEOPLE)
def pay_of_bands_that_occur(df, rng):
    df = df.assign(band=pd.cut(df["age"], [0, 18, 65, 100], right=False, labels=BANDS))
    sums = df.groupby("band", observed=True)["pay"].sum().to_dict()
    return {band: sums[band] + rng.laplace(scale=1000) for band in BANDS}


@sound(PEOPLE)
def counts_by_band(df, rng):
    counts = pd.cut(df["age"], [0, 18, 65, 100], right=False, labels=BANDS).value_counts()
    return {band: counts[band] + rng.laplace() for band in BANDS}


@sound(PEOPLE)
def counts_by_interval(df, rng):
    parts = pd.cut(df["pay"], bins=np.linspace(0, 1000, 5), include_lowest=True)
    return parts.value_counts(sort=False).values + rng.laplace(size=4)


@sound(PEOPLE)
def counts_by_code(df, rng):
    codes = pd.cut(df["age"], [0, 25, 50, 100], right=False, labels=False)
    return np.bincount(codes, minlength=3) + rng.laplace(size=3)


@broken(PEOPLE)
def sum_of_codes(df, rng):
    codes = pd.cut(df["age"], [0, 25, 50, 100], right=False, labels=False)
    return codes.sum() + rng.laplace()


@sound(PEOPLE)
def categories(df, rng):
    towns = pd.Series(pd.Categorical(df["town"], categories=TOWNS))
    return towns.value_counts().sort_index() + rng.laplace(size=3)


@broken(PEOPLE)
def categories_that_occur(df, rng):
    towns = pd.Series(pd.Categorical(df["town"]))
    return towns.value_counts(sort=False) + rng.laplace(size=3)


@broken(PEOPLE)
def fewer_categories(df, rng):
    towns = pd.Series(pd.Categorical(df["town"], categories=["Rome"]))
    return 3 * towns.isna().sum() + rng.laplace()


@sound(PEOPLE)
def decades(df, rng):
    counts = (df["age"] // 10).value_counts().reindex(range(10), fill_value=0)
    return counts + rng.laplace(size=10)


@broken(PEOPLE)
def remainders(df, rng):
    return (df["age"] % 10).sum() + rng.laplace(scale=8)


# --- values that are missing or replaced


@sound(HOLES)
def squares(df, rng):
    return (df["pay"].clip(0, 10) ** 2).sum() + rng.laplace(scale=100)


@broken(HOLES)
def zeroth_powers(df, rng):  # NaN to the power 0 is 1
    return (df["pay"].clip(5, 10) ** 0).mul(2).sum() + rng.laplace()


@sound(HOLES)
def rows_without_holes(df, rng):
    known = df.dropna(subset=["pay"])
    return len(known.index) + known["pay"].to_numpy().sum() / 1000 + rng.laplace(scale=2)


@broken(HOLES)
def rows_with_holes(df, rng):
    return df["pay"].to_numpy().sum() + rng.laplace(scale=1000)


@broken(HOLES)
def share_without_holes(df, rng):
    return len(df.dropna().index) / max(1, len(df)) + rng.laplace(scale=0.1)


@sound(HOLES)
def holes(df, rng):
    return df["pay"].isna().sum() + rng.laplace()


@broken(HOLES)
def holes_and_others(df, rng):
    return df["pay"].isna().sum() - df["pay"].notna().sum() * 2 + rng.laplace()


@sound(HOLES)
def replaced(df, rng):
    return df["pay"].where(df["pay"] < 900, 0).mask(df["pay"].lt(0), 0).sum() + rng.laplace(
        scale=1000
    )


@broken(HOLES)
def replaced_by_more(df, rng):
    return df["pay"].where(df["pay"] < 900, 1100).sum() + rng.laplace(scale=1000)


@broken(HOLES)
def replaced_by_the_mean(df, rng):
    return df["pay"].where(df["pay"] < 900, df["pay"].mean()).sum() + rng.laplace(scale=1000)


@sound(PEOPLE)
def renamed(df, rng):
    return df.rename(columns={"age": "years"})["years"].clip(0, 60).sum() + rng.laplace(scale=60)


@broken(PEOPLE)
def renamed_crosswise(df, rng):
    return df.rename(columns={"age": "pay", "pay": "age"})["age"].sum() + rng.laplace(scale=99)


# --- frames of results


@sound(PEOPLE)
def table_of_counts(df, rng):
    table = pd.DataFrame({"town": TOWNS, "n": [(df.town == town).sum() for town in TOWNS]})
    table["noisy"] = table["n"] + rng.laplace(size=len(table))
    return table[["town", "noisy"]].to_csv(index=False)


@broken(PEOPLE)
def table_with_the_counts(df, rng):
    table = pd.DataFrame({"town": TOWNS, "n": [(df.town == town).sum() for town in TOWNS]})
    table["noisy"] = table["n"] + rng.laplace(size=len(table))
    return table.to_csv(index=False)


@broken(PEOPLE)
def table_of_another_name(df, rng):
    counts = [(df.town == town).sum() for town in TOWNS]
    table = pd.DataFrame({"n": counts})
    other = table
    table["n"] = table["n"] + rng.laplace(size=3)
    other["n"] = counts
    return table


@broken(PEOPLE)
def table_that_a_branch_changes(df, rng):
    noisy = len(df) + rng.laplace()
    table = pd.DataFrame({"n": [1.0, 2.0, 3.0], "m": [(df.town == town).sum() for town in TOWNS]})
    if noisy > 3:
        table["n"] = table["m"]
    return table[["n"]]


@sound(PEOPLE)
def several_of_each_town(df, rng):
    of_town = df.groupby("town").agg(n=("age", "count"), total=("pay", "sum"))
    of_town = of_town.reindex(TOWNS).fillna(0)
    n = of_town["n"] + rng.laplace(scale=2, size=3)
    return pd.DataFrame({"n": n, "mean": (of_town["total"] + rng.laplace(scale=2000, size=3)) / n})


@broken(PEOPLE)
def several_paid_once(df, rng):
    of_town = df.groupby("town").agg(n=("age", "count"), total=("pay", "sum"))
    of_town = of_town.reindex(TOWNS).fillna(0)
    n = of_town["n"] + rng.laplace(size=3)
    return pd.DataFrame({"n": n, "mean": (of_town["total"] + rng.laplace(scale=1000, size=3)) / n})


@broken(PEOPLE)
def means_of_each_town(df, rng):
    of_town = df.groupby("town")["pay"].agg(["mean"]).reindex(TOWNS).fillna(0)
    return of_town["mean"] + rng.laplace(scale=125, size=3)


@sound(PEOPLE)
def listed_of_each_town(df, rng):
    of_town = df.groupby("town")["age"].agg(["sum", "count"]).reindex(TOWNS, fill_value=0)
    of_town["sum"] = of_town["sum"] + rng.laplace(scale=198, size=3)
    of_town["count"] = of_town["count"] + rng.laplace(scale=2, size=3)
    return of_town


@sound(PEOPLE)
def noise_by_a_function(df, rng):
    counts = df["town"].value_counts().reindex(TOWNS, fill_value=0)
    return counts.apply(lambda n: max(0, round(n + rng.laplace())))


@broken(PEOPLE)
def noise_by_a_function_for_some(df, rng):
    counts = df["town"].value_counts().reindex(TOWNS, fill_value=0)
    return counts.apply(lambda n: n + rng.laplace() if n > 3 else n)
