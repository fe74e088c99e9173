"""Counts by known labels, first values of generators, noisy values after the place of the largest.

Each sound mechanism has twins that differ from it by one defect.
"""

import math
import random
from collections import Counter

import numpy as np

from dpaudit import (
    AddRemove,
    Categorical,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    Row,
    ZeroConcentratedDP,
)

REGIONS = ("north", "south", "west")
_row = Row(region=Categorical(list(REGIONS)), amount=Real(0, 10), visits=Integer(0, 9))
SALES = AddRemove(_row, max_size=6, container="pandas")
HOLES = AddRemove(
    Row(region=Categorical(list(REGIONS)), amount=Real(0, 10, allow_nan=True)),
    max_size=6,
    container="pandas",
)
NAMES = AddRemove(Categorical(list(REGIONS)), max_size=6, container="list")
AGES = AddRemove(Integer(0, 23), max_size=6, container="list")
POINTS = AddRemove(Row(x=Real(-1, 1), y=Real(-1, 1)), max_size=6)
ANSWERS = QueryAnswers(5)
ONE, QUARTER = PureDP(1.0), ZeroConcentratedDP(0.25)


def counts_in_order(frame, rng, scale=1.0, fill=0, labels=("north", "south", "west")):
    counts = frame["region"].value_counts().reindex(list(labels), fill_value=fill)
    noisy = counts + rng.laplace(scale=scale, size=len(counts))
    return noisy.round(1).clip(lower=0).to_dict()


def counts_too_loud(frame, rng):
    return counts_in_order(frame, rng, scale=0.5)


def counts_from_one(frame, rng):
    return counts_in_order(frame, rng, fill=1)


def counts_twice(frame, rng):
    return counts_in_order(frame, rng, labels=("north", "north", "west"))


def counts_of_data(frame, rng):
    counts = frame["region"].value_counts()
    return (counts + rng.laplace(size=len(counts))).to_dict()


def counts_that_may_be_missing(frame, rng):
    counts = frame["region"].value_counts().reindex(REGIONS)
    return (counts + rng.laplace(size=3)).to_dict()


def whole_or_not(frame, rng, fill=0.0):
    counts = frame["region"].value_counts().reindex(REGIONS, fill_value=fill)
    noise = rng.geometric(0.6, size=3) - rng.geometric(0.6, size=3)
    return (counts + noise).to_dict()


def label_that_may_not_occur(frame, rng):
    return frame["region"].value_counts()["north"] + rng.laplace()


def totals(frame, rng, scale=10.0):
    per_region = frame.groupby("region")["amount"].sum().reindex(REGIONS, fill_value=0.0)
    noisy = {}
    for region in REGIONS:
        noisy[region] = per_region[region] + rng.laplace(scale=scale)
    return noisy


def totals_too_loud(frame, rng):
    return totals(frame, rng, scale=5.0)


def totals_of_one(frame, rng):
    per_region = frame.groupby("region")["amount"].sum().reindex(REGIONS, fill_value=0.0)
    per_region["north"] = 0.0
    return (per_region + rng.laplace(scale=10.0, size=3)).tolist()


def counter(names, rng, scale=1.0):
    tally = Counter(names)
    noisy = [tally[region] + rng.laplace(scale=scale) for region in REGIONS]
    return dict(zip(REGIONS, noisy, strict=True))


def counter_too_loud(names, rng):
    return counter(names, rng, scale=0.5)


def counter_of_data(names, rng):
    return {name: n + rng.laplace() for name, n in Counter(names).items()}


def counter_that_grows(names, rng):
    tally = Counter(names)
    tally["north"] += len(names)
    return [tally[region] + rng.laplace() for region in REGIONS]


def best_and_its_count(names, rng):
    noisy = {region: names.count(region) + rng.laplace() for region in REGIONS}
    best = max(noisy, key=noisy.get)
    return best, noisy[best]


def best_and_the_count(names, rng):
    counts = {region: names.count(region) for region in REGIONS}
    noisy = {region: count + rng.laplace() for region, count in counts.items()}
    best = max(noisy, key=noisy.get)
    return best, counts[best]


def place_and_value(answers, rng, scale=5.0):
    noisy = np.array([answer + rng.laplace(scale=scale) for answer in answers])
    place = int(np.argmax(noisy))
    return place, noisy[place]


def place_and_value_for_one(answers, rng):
    return place_and_value(answers, rng, scale=2.0)


def first_full_hour(ages, rng, noise=1.0):
    tests = [lambda age, start=start: start <= age < start + 6 for start in range(0, 24, 6)]
    counts = [sum(1 for age in ages if test(age)) + rng.laplace(scale=noise) for test in tests]
    return next((i for i, count in enumerate(counts) if count > 2), None)


def first_full_hour_too_loud(ages, rng):
    return first_full_hour(ages, rng, noise=0.5)


def above_the_mean(ages, rng):
    tests = [lambda age, limit=sum(ages): age > limit]
    return [sum(1 for age in ages if test(age)) + rng.laplace() for test in tests]


def first_above(answers, rng, first=2.0):
    limit = 1.0 + rng.laplace(scale=first)
    above = next((i for i, a in enumerate(answers) if a + rng.laplace(scale=4.0) >= limit), None)
    return above


def first_above_exactly(answers, rng):
    return next((i for i, a in enumerate(answers) if a + rng.laplace(scale=4.0) >= 1.0), None)


def running_counts(ages, rng, epsilon=1.0):
    p = 1 - math.exp(-epsilon)
    so_far, shown = 0, []
    for start in (0, 12):
        inside = sum(1 for age in ages if start <= age < start + 12)
        so_far += inside + int(rng.geometric(p)) - int(rng.geometric(p))
        shown.append(so_far)
    return shown


def running_counts_of_one_noise(ages, rng):
    noise = int(rng.geometric(0.5)) - int(rng.geometric(0.5))
    return [sum(1 for age in ages if age < end) + noise for end in (12, 24)]


def most_frequent(names, rng, epsilon=1.0):
    scores = [sum(1 for name in names if name == region) for region in REGIONS]
    best = max(scores)
    weights = [np.exp(epsilon * (score - best)) for score in scores]
    return random.choices(REGIONS, weights=weights, k=1)[0]


def nearest_to_half(ages, rng, epsilon=1.0):
    scores = [-abs(2 * sum(1 for age in ages if age < end) - len(ages)) for end in (6, 12, 18)]
    best = max(scores)
    weights = [np.exp(epsilon * (score - best)) for score in scores]
    return random.choices((6, 12, 18), weights=weights, k=1)[0]


def top_two(names, rng, scale=2.0):
    scores = {region: names.count(region) + rng.gumbel(scale=scale) for region in REGIONS}
    return sorted(scores, key=scores.get, reverse=True)[:2]


def top_two_too_loud(names, rng):
    return top_two(names, rng, scale=1.0)


def top_two_with_scores(names, rng):
    scores = {region: names.count(region) + rng.gumbel(scale=2.0) for region in REGIONS}
    return sorted(scores, key=scores.get, reverse=True)[:2], scores


def from_a_random_start(data, rng, sigma=2.0):
    theta = rng.normal(size=2)
    for _ in range(2):
        x = np.stack([data["x"], data["y"]], axis=1)
        slopes = (1 / (1 + np.exp(-(x @ theta))) - 0.5)[:, None] * x
        lengths = np.linalg.norm(slopes, axis=1, keepdims=True)
        slopes = slopes * np.minimum(1.0, 1.0 / np.maximum(lengths, 1e-6))
        theta = theta - 0.1 * (slopes.sum(axis=0) + rng.normal(scale=sigma, size=2))
    return theta


def from_a_random_start_too_loud(data, rng):
    return from_a_random_start(data, rng, sigma=1.0)


class Spent(Exception):
    pass


class Account:
    def __init__(self, names, rng, left=1.0):
        self.names, self.rng, self.left = names, rng, left

    def count(self, name, epsilon):
        if epsilon > self.left:
            raise Spent(f"{epsilon} asked, {self.left} left")
        self.left -= epsilon
        return self.names.count(name) + self.rng.laplace(scale=1 / epsilon)

    def refused(self):
        raise Spent(f"{len(self.names)} names")


def told_why(names, rng):
    account, shown = Account(names, rng), []
    shown.append(account.count("north", 1.0))
    try:
        shown.append(account.count("south", 1.0))
    except Spent as spent:
        shown.append(f"no more: {spent}")
    return shown


def told_how_many(names, rng):
    account = Account(names, rng)
    try:
        return account.refused()
    except Spent as spent:
        return str(spent)


def like_counts(names, rng, scale=1.0):
    counts = np.array([names.count(region) for region in REGIONS])
    noisy = np.zeros_like(counts, dtype=float)
    for i, count in enumerate(counts):
        noisy[i] = count + rng.laplace(scale=scale)
    return np.round(noisy, 1) + np.full_like(noisy, 2.0)


def like_counts_too_loud(names, rng):
    return like_counts(names, rng, scale=0.5)


def one_of_public_rounds(names, rng):
    rounds = int(rng.integers(1, 4))
    return rounds, len(names) + rng.laplace()


def one_of_private_rounds(names, rng):
    rounds = int(rng.integers(1, 2 + len(names)))
    return rounds, len(names) + rng.laplace()


# --- records of several parts, counted by all of them

PEOPLE = Row(sex=Categorical(["F", "M"]), band=Integer(0, 2))
PERSONS = AddRemove(PEOPLE, max_size=6, container="list")
PERSON_FRAME = AddRemove(PEOPLE, max_size=6, container="pandas")
CELLS = [(sex, band) for sex in ("F", "M") for band in range(3)]


def pairs_in_a_list(rows, rng):
    pairs = [(row["sex"], row["band"]) for row in rows]
    return {cell: pairs.count(cell) + rng.laplace() for cell in CELLS}


def pairs_of_columns(frame, rng):
    pairs = list(zip(frame["sex"], frame["band"], strict=True))
    return [pairs.count((sex, band)) + rng.laplace() for sex in ("F", "M") for band in range(3)]


def tally_of_pairs(rows, rng):
    tally = Counter((row["sex"], row["band"]) for row in rows)
    return [tally[sex, band] + rng.laplace() for sex in ("F", "M") for band in range(3)]


def tally_of_columns(frame, rng):
    tally = Counter(zip(frame["sex"], frame["band"], strict=True))
    return {cell: tally.get(cell, 0) + rng.laplace() for cell in CELLS}


def size_of_sorted(data, rng):
    ages = np.sort(data)
    return ages.size + rng.laplace(scale=2), ages.shape[0] + rng.laplace(scale=2)


def size_of_sorted_too_loud(data, rng):
    ages = np.sort(data)
    return ages.size + rng.laplace(), ages.shape[0] + rng.laplace()


def pairs_counted_twice(rows, rng):
    pairs = [(row["sex"], row["band"]) for row in rows]
    return [pairs.count(cell) + rng.laplace() for cell in (*CELLS, ("F", 0))]


def pairs_too_loud(rows, rng):
    pairs = [(row["sex"], row["band"]) for row in rows]
    return [2 * pairs.count(cell) + rng.laplace() for cell in CELLS]


def pairs_of_each(rows, rng):
    tally = Counter((row["sex"], row["band"]) for row in rows)
    return [tally[cell] + rng.laplace() for cell in tally]


def how_many_pairs(rows, rng):
    return len(Counter((row["sex"], row["band"]) for row in rows)) / 2 + rng.laplace()


def parts_and_pairs(rows, rng):
    tally = Counter((row["sex"], row["band"]) for row in rows)
    sexes = Counter(row["sex"] for row in rows)
    return sexes["F"] + rng.laplace(), tally["F", 0] + rng.laplace()


def private_pair(rows, rng):
    pairs = [(row["sex"], row["band"]) for row in rows]
    return pairs.count(max(pairs)) + rng.laplace()


def pairs_that_change(rows, rng):
    pairs = [(row["sex"], row["band"]) for row in rows]
    pairs.extend(pairs)
    return [pairs.count(cell) + rng.laplace() for cell in CELLS]


def counter_of_none(rows, rng):
    tally = Counter((row["sex"],) for row in rows)
    return tally["F"] + tally[("F",)] * 2 + rng.laplace()


def nearest(x, y):
    distances = [(x - cx) ** 2 + (y - cy) ** 2 for cx, cy in ((0.0, 0.0), (0.5, 0.5), (-0.5, 0.5))]
    return distances.index(min(distances))


def nearest_in_two_steps(x, y):
    distances = [(x - cx) ** 2 + (y - cy) ** 2 for cx, cy in ((0.0, 0.0), (0.5, 0.5), (-0.5, 0.5))]
    least = min(distances)
    return distances.index(least)


def sizes_of_clusters(points, rng, scale=1.0):
    labels = [nearest(x, y) for x, y in points]
    return [sum(1 for at in labels if at == j) + rng.laplace(0, scale) for j in range(3)]


def sizes_of_clusters_in_two_steps(points, rng):
    labels = [nearest_in_two_steps(x, y) for x, y in points]
    return [labels.count(j) + rng.laplace(0, 1.0) for j in range(3)]


def sizes_of_clusters_by_numpy(points, rng):
    labels = [int(np.argmin([abs(x), abs(y)])) for x, y in points]
    return [
        sum(1 for at, p in zip(labels, points, strict=True) if at == j) + rng.laplace()
        for j in (0, 1)
    ]


def sizes_of_clusters_too_loud(points, rng):
    return sizes_of_clusters(points, rng, 0.9)


def sizes_up_to_a_cluster(points, rng):
    labels = [nearest(x, y) for x, y in points]
    return [sum(1 for at in labels if at <= j) + rng.laplace(0, 1.0) for j in range(3)]


def sizes_of_two_clusterings(points, rng):
    one = [int(np.argmin([x, y])) for x, y in points]
    other = [int(np.argmin([y, x])) for x, y in points]
    return [sum(1 for at in one if at == 0) + rng.laplace(), other.count(1) + rng.laplace()]


SOUND = [
    (pairs_in_a_list, ONE, PERSONS),
    (size_of_sorted, ONE, AGES),
    (pairs_of_columns, ONE, PERSON_FRAME),
    (tally_of_pairs, ONE, PERSONS),
    (tally_of_columns, ONE, PERSON_FRAME),
    (counts_in_order, ONE, SALES),
    (totals, ONE, SALES),
    (counter, ONE, NAMES),
    (best_and_its_count, ONE, NAMES),
    (place_and_value, ONE, ANSWERS),
    (first_full_hour, ONE, AGES),
    (running_counts, PureDP(1.0), AGES),
    (most_frequent, ONE, NAMES),
    (top_two, ONE, NAMES),
    (from_a_random_start, QUARTER, POINTS),
    (told_why, ONE, NAMES),
    (like_counts, ONE, NAMES),
    (one_of_public_rounds, ONE, NAMES),
    (sizes_of_clusters, ONE, POINTS),
    (sizes_of_clusters_in_two_steps, ONE, POINTS),
    (sizes_of_clusters_by_numpy, ONE, POINTS),
]


def counts_of_other_names(frame, rng):
    counts = frame["region"].value_counts().reindex(["north", "south"], fill_value=0)
    other = counts.rename({"north": "south", "south": "north"}).to_dict()
    return counts.to_dict()["north"] - other["north"]


def counts_by_other_names(frame, rng):
    counts = frame["region"].value_counts().reindex(["north", "south"], fill_value=0)
    other = counts.rename(index=str.upper)
    return counts["north"] - other["north"] + rng.laplace()


BROKEN = [
    (pairs_counted_twice, ONE, PERSONS),
    (size_of_sorted_too_loud, ONE, AGES),
    (pairs_too_loud, ONE, PERSONS),
    (pairs_of_each, ONE, PERSONS),
    (how_many_pairs, ONE, PERSONS),
    (parts_and_pairs, ONE, PERSONS),
    (private_pair, ONE, PERSONS),
    (pairs_that_change, ONE, PERSONS),
    (counter_of_none, ONE, PERSONS),
    (counts_of_other_names, ONE, SALES),
    (counts_by_other_names, ONE, SALES),
    (counts_too_loud, ONE, SALES),
    (counts_from_one, ONE, SALES),
    (counts_twice, ONE, SALES),
    (counts_of_data, ONE, SALES),
    (counts_that_may_be_missing, ONE, SALES),
    (whole_or_not, PureDP(1.0), SALES),
    (label_that_may_not_occur, ONE, SALES),
    (totals_too_loud, ONE, SALES),
    (totals_of_one, PureDP(0.5), SALES),
    (totals_too_loud, ONE, HOLES),
    (counter_too_loud, ONE, NAMES),
    (counter_of_data, ONE, NAMES),
    (counter_that_grows, ONE, NAMES),
    (best_and_the_count, ONE, NAMES),
    (place_and_value_for_one, ONE, ANSWERS),
    (first_full_hour_too_loud, ONE, AGES),
    (above_the_mean, ONE, AGES),
    (running_counts_of_one_noise, ONE, AGES),
    (nearest_to_half, ONE, AGES),
    (top_two_too_loud, ONE, NAMES),
    (top_two_with_scores, ONE, NAMES),
    (from_a_random_start_too_loud, QUARTER, POINTS),
    (told_how_many, ONE, NAMES),
    (like_counts_too_loud, ONE, NAMES),
    (one_of_private_rounds, ONE, NAMES),
    (sizes_of_clusters_too_loud, ONE, POINTS),
    (sizes_up_to_a_cluster, ONE, POINTS),
    (sizes_of_two_clusterings, ONE, POINTS),
]
