"""Scripts of an analyst: functions, loops, frames and library calls."""

import math
import random

import numpy as np


def add_noise(value, sensitivity, epsilon, rng):
    return value + rng.laplace(loc=0.0, scale=sensitivity / epsilon)


def mean_income(df, rng):
    incomes = df["income"].clip(0, 100)
    n = len(df) if len(df) else 1
    sensitivity = 100 / n
    mean = incomes.sum() / n
    return add_noise(mean, sensitivity, 1.0, rng)


def income_by_region(df, rng):
    result = {}
    for region, group in df.groupby("region"):
        total = group["income"].clip(0, 100).sum()
        result[region] = add_noise(total, 100, 1.0, rng)
    return result


def region_sizes(df, rng):
    sizes = df["region"].value_counts()
    noisy = sizes + rng.laplace(scale=1.0, size=len(sizes))
    return noisy.to_dict()


def total_unclipped(df, rng):
    rich = df[df["income"] > 50]
    total = rich["income"].sum()
    return add_noise(total, 100, 1.0, rng)


def filled_total(df, rng):
    incomes = df["income"].fillna(df["income"].max())
    return add_noise(incomes.clip(0, 100).sum(), 100, 1.0, rng)


def query_and_share(df, rng):
    north = df.query("region == 'north'")
    share = len(north) / max(len(df), 1)
    return add_noise(share, 1 / 10, 1.0, rng)


def two_overlapping(df, rng):
    adults = df.loc[df["age"] >= 18]
    seniors = df.loc[df["age"] >= 65]
    return [
        add_noise(len(adults), 1, 1.0, rng),
        add_noise(len(seniors), 1, 1.0, rng),
    ]


def equal_width(data, rng):
    edges = np.linspace(data.min() if len(data) else 0, data.max() if len(data) else 1, 5)
    counts, _ = np.histogram(data, bins=edges)
    return counts + rng.laplace(scale=1.0, size=4), edges


def median_by_exponential(data, rng):
    grid = np.arange(0, 101, 10)
    utility = np.array([-abs(np.sum(data < g) - np.sum(data > g)) for g in grid])
    weights = np.exp(1.0 * utility)
    weights = weights / weights.sum()
    return float(rng.choice(grid, p=weights))


def pick_product(data, rng):
    products = sorted(set(data))
    if not products:
        return None
    scores = [data.count(p) for p in products]
    weights = [math.exp(0.5 * s) for s in scores]
    pick = rng.random() * sum(weights)
    for product, weight in zip(products, weights):
        pick -= weight
        if pick <= 0:
            return product
    return products[-1]


def above(data, rng, threshold=3.0):
    noisy_threshold = threshold + rng.laplace(scale=2.0)
    answers = []
    for value in data:
        if value + rng.laplace(scale=4.0) >= noisy_threshold:
            answers.append(float(value))
            break
        answers.append(None)
    return answers


def sampled_sum(data, rng):
    clipped = np.clip(data, 0, 1)
    sampled = clipped[: len(clipped)]
    epsilon_amplified = math.log(1 + (math.e - 1) / 0.1)
    return sampled.sum() + rng.laplace(scale=1 / epsilon_amplified)


def per_coordinate(data, rng):
    sums = np.array([np.clip(data["x"], 0, 1).sum(), np.clip(data["y"], 0, 1).sum()])
    return sums + rng.laplace(scale=1.0, size=2)


def gaussian_sum(data, rng):
    epsilon, delta = 1.0, 1e-5
    sigma = math.sqrt(math.log(1.25 / delta)) / epsilon
    total = np.clip(data, 0, 1).sum()
    return total + rng.normal(0, sigma)


def inverse_laplace(scale, uniform):
    u = uniform - 0.5
    return -scale * math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def python_sum(data):
    random.seed(42)
    total = sum(min(10.0, max(0.0, x)) for x in data)
    return total + inverse_laplace(10.0, random.random())


def correlated(df, rng):
    noise = rng.laplace(scale=1.0)
    counts = {}
    for region in ("north", "south"):
        counts[region] = int((df["region"] == region).sum()) + noise
    return counts


def published_maximum(df, rng):
    totals = [float(df[df["region"] == r]["income"].clip(0, 100).sum()) for r in ("north", "south")]
    noisy = [t + rng.laplace(scale=100.0) for t in totals]
    winner = max(range(2), key=lambda i: noisy[i])
    return winner, noisy[winner], max(totals)


def chunk_means(data, rng):
    out = []
    for start in range(0, 8, 2):
        block = data[start : start + 2]
        out.append(float(np.clip(block, 0, 10).sum()) + rng.laplace(scale=10.0))
    return out


def visits(data, rng):
    per_user = {}
    for row in data:
        per_user.setdefault(int(row["user"]), []).append(float(row["amount"]))
    total = sum(min(10.0, a) for amounts in per_user.values() for a in amounts)
    return total + rng.laplace(scale=10.0)


def weekly(df, rng):
    frame = df.copy()
    frame["capped"] = frame["income"].apply(lambda v: min(v, 100))
    pivot = frame.groupby("region")["capped"].mean()
    means = pivot.reindex(["north", "south"]).fillna(0.0)
    return [m + rng.laplace(scale=10.0) for m in means]
