"""Plain NumPy and pandas code with one bug each in the glue; the line of its cause ends in `# !`.

Five kinds, those that an annotated predecessor was shown on (Cebere et al., "Privacy in Theory,
Bugs in Practice", PETS 2026): NaN that passes a clip, a domain inferred from the data, a budget
spent twice, an understated sensitivity, and miscalibrated noise. Nothing here knows that it is
audited.
"""

from __future__ import annotations

import math
import random

import numpy as np

CITIES = ("a", "b", "c")
PRICES = {"a": 10.0, "b": 20.0, "c": 300.0}


# NaN that passes


def nan_through_minimum(data, rng):
    clipped = np.minimum(np.maximum(data, 0.0), 100.0)
    total = clipped.sum()  # !
    return total + rng.laplace(scale=100.0)


def nan_through_pandas(frame, rng):
    ages = frame["age"].clip(0.0, 100.0)
    total = float(ages.to_numpy().sum())  # !
    return total + rng.laplace(scale=100.0)


def nan_through_python(data, rng):
    total = 0.0
    for value in data:
        total += min(max(value, 0.0), 100.0)  # !
    return total + rng.laplace(scale=100.0)


def nan_in_a_group(frame, rng):
    totals = []
    for city in CITIES:
        ages = frame.loc[frame["city"] == city, "age"].to_numpy()
        totals.append(np.clip(ages, 0.0, 100.0).sum())  # !
    return np.array(totals) + rng.laplace(scale=100.0, size=len(CITIES))


# A domain from the data


def bins_from_the_data(data, rng):
    counts, edges = np.histogram(data, bins=4)  # !
    return counts + rng.laplace(scale=1.0, size=len(edges) - 1)


def keys_from_the_data(frame, rng):
    counts = frame["city"].value_counts()  # !
    return {city: count + rng.laplace() for city, count in counts.items()}


def groups_from_the_data(frame, rng):
    totals = frame.assign(age=frame["age"].clip(0, 100)).groupby("city")["age"].sum()  # !
    return totals + rng.laplace(scale=100.0, size=len(totals))


def unique_from_the_data(data, rng):
    values, counts = np.unique(data, return_counts=True)  # !
    return values, counts + rng.laplace(size=len(values))


def bounds_from_the_data(data, rng):
    low, high = (data.min(), data.max()) if len(data) else (0.0, 1.0)  # !
    total = data.clip(low, high).sum()
    return total + rng.laplace(scale=max(abs(low), abs(high)))


# A budget spent twice


def sum_and_count(data, rng, epsilon=1.0):
    total = data.clip(0.0, 100.0).sum() + rng.laplace(scale=100.0 / epsilon)
    size = len(data) + rng.laplace(scale=1.0 / epsilon)  # !
    return total / max(1.0, size)


def two_tables(frame, rng, epsilon=1.0):
    cities = frame["city"].value_counts().reindex(CITIES, fill_value=0).to_numpy()
    decades = np.histogram(frame["age"], bins=10, range=(0.0, 100.0))[0]
    one = cities + rng.laplace(scale=1.0 / epsilon, size=len(cities))
    two = decades + rng.laplace(scale=1.0 / epsilon, size=len(decades))  # !
    return one, two


def every_query(data, rng, epsilon=1.0):
    answers = []
    for bound in (25.0, 50.0, 75.0):
        below = np.count_nonzero(data <= bound)
        answers.append(below + rng.laplace(scale=1.0 / epsilon))  # !
    return answers


# Understated sensitivity


def range_for_magnitude(data, rng):
    total = data.clip(50.0, 100.0).sum()  # !
    return total + rng.laplace(scale=100.0 - 50.0)


def prices_by_map(frame, rng):
    spent = frame["city"].map(PRICES)
    total = float(spent.sum())  # !
    return total + rng.laplace(scale=PRICES["a"])


def rows_of_a_join(frame, rng):
    pairs = frame.merge(frame, on="city")
    matches = len(pairs)  # !
    return matches + rng.laplace(scale=1.0)


def clip_after_the_sum(frame, rng):
    totals = frame.groupby("city")["age"].sum().reindex(CITIES, fill_value=0.0)
    capped = totals.clip(0.0, 1000.0).sum()  # !
    return capped + rng.laplace(scale=PRICES["a"])


# Miscalibrated noise


def inverted_scale(data, rng, epsilon=0.25):
    sensitivity = 1.0
    count = len(data)
    scale = epsilon / sensitivity  # !
    return count + rng.laplace(scale=scale)


def deviation_for_scale(frame, rng, epsilon=1.0):
    sensitivity = 100.0
    total = frame["age"].clip(0.0, sensitivity).sum()
    return total + rng.laplace(scale=sensitivity / epsilon / math.sqrt(2))  # !


def noise_of_python(data, rng):
    sensitivity, epsilon = 1.0, 1.0
    return len(data) + random.expovariate(1) * sensitivity / epsilon  # !


def noise_averaged_away(data, rng, epsilon=1.0):
    sensitivity = 1.0
    noise = rng.laplace(scale=sensitivity / epsilon, size=16).mean()  # !
    return len(data) + noise
