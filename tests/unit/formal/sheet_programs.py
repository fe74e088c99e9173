"""Columns by parts, missing rows, and frames of results: in the spellings of notebooks.

Each sound mechanism has twins that differ from it by one defect.
"""

import numpy as np
import pandas as pd

from dpaudit import AddRemove, Categorical, Integer, PureDP, Real, ReplaceOne, Row

TOWNS = ["Rome", "Oslo", "Bern"]
BANDS = ["child", "young", "old"]
_NUMBERS = {"age": Integer(0, 99), "pay": Real(0, 1000)}
PEOPLE = AddRemove(Row(town=Categorical(list(TOWNS)), **_NUMBERS), max_size=6, container="pandas")
HOLES = AddRemove(Row(pay=Real(0, 1000, allow_nan=True)), max_size=6, container="pandas")
FIXED = ReplaceOne(Row(**_NUMBERS), size=5, container="pandas")
PAY = AddRemove(Real(0, 1000), max_size=6)
FIELDS = AddRemove(Row(age=Integer(0, 99), pay=Real(0, 1000)), max_size=6)
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


@broken(PEOPLE)
def categories_of_an_array(df, rng):  # which has lost its categories
    towns = pd.Series(pd.Categorical(df["town"], categories=TOWNS))
    return pd.Series(towns.to_numpy()).value_counts(sort=False) + rng.laplace(size=3)


@broken(PEOPLE)
def categories_of_texts(df, rng):
    towns = pd.Series(pd.Categorical(df["town"], categories=TOWNS)).astype(str)
    return towns.value_counts(sort=False) + rng.laplace(size=3)


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


# --- frames and series that are made of arrays


@sound(PAY)
def series_of_an_array(data, rng):
    return pd.Series(data).clip(0, 50).sum() + rng.laplace(scale=50)


@broken(PAY)
def series_up_to_its_largest(data, rng):
    pay = pd.Series(data)
    return pay.clip(0, pay.max()).sum() + rng.laplace(scale=50)


@broken(PAY)
def series_of_an_array_that_changes(data, rng):
    scaled = data / 1000
    pay = pd.Series(scaled)
    scaled *= 1000
    return pay.sum() + rng.laplace()


@sound(PAY)
def frame_of_two_columns(data, rng):
    df = pd.DataFrame({"pay": data, "high": data > 500})
    return df[df["high"]]["pay"].sum() + rng.laplace(scale=1000)


@broken(PAY)
def frame_of_a_turned_column(data, rng):
    df = pd.DataFrame({"pay": data, "other": data[::-1]})
    return df[df["pay"] > 500]["other"].sum() + rng.laplace(scale=1000)


@sound(FIELDS)
def frame_of_fields(data, rng):
    df = pd.DataFrame(data)
    return df.loc[df["age"] > 30, "pay"].sum() + rng.laplace(scale=1000)


@sound(PAY)
def frame_with_a_name(data, rng):
    return pd.DataFrame(data, columns=["pay"])["pay"].clip(0, 5).sum() + rng.laplace(scale=5)


@broken(PAY)
def frame_with_a_name_too_quiet(data, rng):
    return pd.DataFrame(data, columns=["pay"])["pay"].clip(0, 5).sum() + rng.laplace(scale=4)


# --- noise for each row


@sound(FIXED)
def noisy_column(df, rng):
    noisy = df[["age"]].copy()
    noisy["told"] = noisy["age"] + rng.laplace(scale=99, size=len(noisy))
    return noisy.drop(columns=["age"])


@broken(FIXED)
def noisy_column_beside_the_true_one(df, rng):
    noisy = df[["age"]].copy()
    noisy["told"] = noisy["age"] + rng.laplace(scale=99, size=len(noisy))
    return noisy


@broken(FIXED)
def noisy_rows_chosen_by_the_true_ones(df, rng):
    noisy = df[["age"]].copy()
    noisy["told"] = noisy["age"] + rng.laplace(scale=99, size=len(noisy))
    return noisy[noisy["age"] > 50].drop(columns=["age"])


@broken(PEOPLE)
def noisy_column_of_any_length(df, rng):
    noisy = df[["age"]].copy()
    noisy["told"] = noisy["age"] + rng.laplace(scale=99, size=len(noisy))
    return noisy["told"]


@sound(FIXED)
def noise_in_place_of_the_column(df, rng):
    df = df[["age"]].copy()
    df["age"] = df["age"].apply(lambda age: age + rng.laplace(scale=99))
    return df.to_csv(index=False)


@broken(FIXED)
def one_noise_for_all_rows(df, rng):
    df, noise = df[["age"]].copy(), rng.laplace(scale=99)
    df["age"] = df["age"].apply(lambda age: age + noise)
    return df


@sound(FIXED)
def variance(df, rng):
    return df["pay"].clip(0, 10).var() + rng.laplace(scale=20)


@broken(FIXED)
def variance_of_one_less(df, rng):  # 20 over n - 1, and no more than 16 over n
    return df["pay"].clip(0, 10).var() + rng.laplace(scale=17)


@sound(PEOPLE)
def columns_of_numbers(df, rng):
    numbers = df.select_dtypes("number")
    return {name: numbers[name].clip(0, 10).sum() + rng.laplace(scale=20) for name in numbers}


@broken(PEOPLE)
def columns_of_numbers_paid_once(df, rng):
    numbers = df.select_dtypes("number")
    return {name: numbers[name].clip(0, 10).sum() + rng.laplace(scale=10) for name in numbers}


@sound(PEOPLE)
def counts_of_two_columns(df, rng):
    counts = df.assign(old=df["age"] > 60)[["town", "old"]].value_counts()
    pairs = [(town, old) for town in TOWNS for old in (False, True)]
    return [counts.get(pair, 0) + rng.laplace() for pair in pairs]


@broken(PEOPLE)
def counts_of_a_column_by_itself(df, rng):  # whose labels are tuples
    counts = df[["town"]].value_counts()
    return [counts.get(town, 0) + rng.laplace() for town in TOWNS]


@broken(PEOPLE)
def counts_of_two_columns_that_occur(df, rng):
    counts = df.assign(old=df["age"] > 60)[["town", "old"]].value_counts()
    return counts + rng.laplace(size=len(counts))
