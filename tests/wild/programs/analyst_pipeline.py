"""Releases of a data team: frames, dictionaries, helpers."""

from collections import Counter, defaultdict
from functools import partial

import numpy as np
from scipy import stats

REGIONS = ("north", "south", "west")
rng = np.random.default_rng()


def noisy(value, scale, generator=rng):
    return value + generator.laplace(0.0, scale)


def revenue_by_region(df, epsilon=1.0):
    df = df.copy()
    df["amount"] = df["amount"].clip(0, 10)
    sums = {}
    for region in REGIONS:
        sums[region] = noisy(df.loc[df["region"] == region, "amount"].sum(), 10 / epsilon)
    return sums


def revenue_by_region_grouped(df, epsilon=1.0):
    df = df.assign(amount=df["amount"].clip(0, 10))
    grouped = df.groupby("region")["amount"].sum()
    return {region: noisy(total, 10 / epsilon) for region, total in grouped.items()}


def revenue_by_region_reindexed(df, epsilon=1.0):
    df = df.assign(amount=df["amount"].clip(0, 10))
    grouped = df.groupby("region")["amount"].sum().reindex(REGIONS, fill_value=0.0)
    return [noisy(total, 10 / epsilon) for total in grouped]


def mean_amount(df, epsilon=1.0):
    n = max(len(df), 1)
    total = df["amount"].clip(upper=10).clip(lower=0).sum()
    return total / n + np.random.laplace(scale=10 / n / epsilon)


def mean_amount_known_size(df, epsilon=1.0, n=5):
    total = df["amount"].clip(0, 10).sum()
    return total / n + np.random.laplace(scale=10 / n / epsilon)


def large_orders(df, epsilon=1.0):
    return len(df.query("amount > 5")) + np.random.laplace(scale=1 / epsilon)


def share_of_large(df, epsilon=1.0):
    large = (df["amount"] > 5).sum() + np.random.laplace(scale=2 / epsilon)
    total = len(df) + np.random.laplace(scale=2 / epsilon)
    return float(np.clip(large / total, 0, 1)) if total > 1 else 0.0


def share_of_large_exact_total(df, epsilon=1.0):
    large = (df["amount"] > 5).sum() + np.random.laplace(scale=1 / epsilon)
    return large, len(df)


def word_counts(words, epsilon=1.0):
    counts = Counter(words)
    return {w: c + np.random.laplace(0, 1 / epsilon) for w, c in counts.items()}


def word_counts_vocabulary(words, epsilon=1.0, vocabulary=("a", "b", "c")):
    counts = defaultdict(int)
    for w in words:
        counts[w] += 1
    return [counts[w] + np.random.laplace(0, 1 / epsilon) for w in vocabulary]


def word_counts_thresholded(words, epsilon=1.0, threshold=3.0):
    counts = Counter(words)
    released = {}
    for w in sorted(counts):
        c = counts[w] + np.random.laplace(0, 1 / epsilon)
        if c > threshold:
            released[w] = c
    return released


def median_income(incomes, epsilon=1.0):
    """Exponential mechanism over a grid."""
    grid = np.arange(0, 101, 10)
    utility = [-abs((incomes < g).sum() - (incomes > g).sum()) for g in grid]
    weights = np.exp(epsilon * np.array(utility) / 2)
    return rng.choice(grid, p=weights / weights.sum())


def median_income_noisy(incomes, epsilon=1.0):
    if len(incomes) == 0:
        return 50.0
    return np.median(np.clip(incomes, 0, 100)) + np.random.laplace(scale=100 / len(incomes))


def max_income(incomes, epsilon=1.0):
    top = max(incomes, default=0.0)
    return min(top, 100) + np.random.laplace(scale=100 / epsilon)


def max_income_cheap(incomes, epsilon=1.0):
    top = max(incomes, default=0.0)
    return min(top, 100) + np.random.laplace(scale=10 / epsilon)


def truncated_count(data, epsilon=1.0):
    value = len(data) + stats.laplace.rvs(scale=1 / epsilon)
    return int(np.clip(round(value), 0, 50))


def retried_count(data, epsilon=1.0):
    """Draw again until the answer is not negative."""
    while True:
        value = len(data) + stats.laplace.rvs(scale=1 / epsilon)
        if value >= 0:
            return value


def seeded_count(data, epsilon=1.0, seed=42):
    generator = np.random.default_rng(seed)
    return len(data) + generator.laplace(scale=1 / epsilon)


def optional_seed_count(data, epsilon=1.0, seed=None):
    generator = np.random.default_rng(seed)
    return len(data) + generator.laplace(scale=1 / epsilon)


def same_noise_twice(df, epsilon=1.0):
    noise = np.random.laplace(scale=2 / epsilon)
    return len(df) + noise, (df["amount"] > 5).sum() + noise


count_at_one = partial(noisy, scale=1.0)


def partial_count(data):
    return count_at_one(len(data))


def variance(values, epsilon=1.0):
    """E[x^2] - E[x]^2 from noisy moments, values in [0, 1]."""
    x = np.clip(values, 0, 1)
    n = max(1.0, len(x) + np.random.laplace(scale=3 / epsilon))
    s1 = x.sum() + np.random.laplace(scale=3 / epsilon)
    s2 = (x**2).sum() + np.random.laplace(scale=3 / epsilon)
    return s2 / n - (s1 / n) ** 2


def variance_direct(values, epsilon=1.0):
    x = np.clip(values, 0, 1)
    v = x.var() if len(x) else 0.0
    return v + np.random.laplace(scale=0.1 / epsilon)


def chunked_means(values, epsilon=1.0):
    """Sample and aggregate by position: means of chunks of two."""
    chunks = [values[i : i + 2] for i in range(0, 6, 2)]
    means = [float(np.mean(np.clip(c, 0, 1))) if len(c) else 0.5 for c in chunks]
    return [m + np.random.laplace(scale=1 / epsilon) for m in means]


def cumulative_counts(flags, epsilon=1.0):
    """A running count of a stream: every prefix with noise of its own."""
    out, running = [], 0
    for f in flags:
        running += int(f)
        out.append(running + np.random.laplace(scale=len(flags) / epsilon))
    return out


def cumulative_counts_cheap(flags, epsilon=1.0):
    out, running = [], 0
    for f in flags:
        running += int(f)
        out.append(running + np.random.laplace(scale=1 / epsilon))
    return out


def top_products(answers, k=2, epsilon=1.0):
    noisy_answers = {i: a + np.random.laplace(scale=2 * k / epsilon) for i, a in enumerate(answers)}
    return sorted(noisy_answers, key=noisy_answers.get, reverse=True)[:k]


def top_products_exact_tail(answers, k=2, epsilon=1.0):
    noisy_answers = [a + np.random.laplace(scale=2 * k / epsilon) for a in answers]
    order = np.argsort(noisy_answers)[::-1][:k]
    return [(int(i), float(answers[i])) for i in order]


def revenue_of_customers(df, epsilon=1.0):
    per_customer = df.groupby("customer")["amount"].sum()
    capped = per_customer.clip(upper=20)
    return capped.sum() + np.random.laplace(scale=20 / epsilon)


def revenue_of_customers_capped_by_order(df, epsilon=1.0):
    capped = df["amount"].clip(upper=20)
    return capped.sum() + np.random.laplace(scale=20 / epsilon)
