"""Reports whose noise and sensitivities are computed in helpers, behind a function that calls them.

Own samplers, weighted choices, votes with a marker, fallbacks and modes of a report.
"""

import math
import random
from collections import defaultdict

import numpy as np


class Survey:
    def __init__(self, rows):
        self.rows = rows

    def adults(self):
        found = 0
        for age in self.rows:
            if age >= 2:
                found += 1
        return found


class Publisher:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def publish(self, survey, answer):
        width = 1.0 / (len(survey.rows) * self.epsilon)
        return answer + np.random.laplace(scale=width)


def adults_by_survey(data):
    survey, publisher = Survey(list(data)), Publisher(1.0)
    return publisher.publish(survey, survey.adults())


def release(value, sensitivity, epsilon):
    return value + np.random.laplace(0.0, sensitivity / epsilon)


def bounded_total(values, lower, upper, epsilon):
    sensitivity = abs(upper - lower)
    total = sum(min(max(v, lower), upper) for v in values)
    return release(total, sensitivity, epsilon)


def late_fees(data):
    return bounded_total([float(v) for v in data], 6.0, 10.0, 1.0)


def tile_means(image, side, epsilon):
    sensitivity = 9 / (side**2)
    tile = image[:side, :side]
    means = tile.mean(axis=(0, 1))
    return means + np.random.laplace(0, sensitivity / epsilon, size=2)


def colored_tile(data):
    return tile_means(np.stack([data["x"], data["y"]], axis=-1).reshape(2, 2, 2), 2, 1.0)


def vote(choice, epsilon):
    honest = math.exp(epsilon) / (1 + math.exp(epsilon))
    if random.random() < honest:
        return choice, "kept"
    return 1 - choice, "turned"


def marked_vote(choice):
    return vote(choice, 1.0)


def draw_weighted(visits, epsilon):
    tally = defaultdict(int)
    for page in visits:
        tally[page] += 1
    weights = {page: math.exp(epsilon * n / 2) for page, n in tally.items()}
    return random.choices(list(weights), list(weights.values()))[0]


def popular_page(data):
    return draw_weighted(list(data), 1.0)


def bounded_error(data):
    values = np.clip(data, 0, 10)
    width = 10 / len(values)
    error = np.random.laplace(scale=width)
    error = np.clip(error, -8, 8)
    return values.mean() + error


def two_sided():
    sign = np.random.choice([1, -1])
    steps = np.random.geometric(1 - math.exp(-0.5))
    return sign * (steps - 0.5 * np.random.uniform(0, 1))


def stepped(value):
    return value + two_sided()


def typical(data, bins, rng):
    counts, edges = np.histogram(data, bins=bins, range=(0, 10))
    noisy = np.maximum(counts + rng.laplace(scale=1.0, size=bins) - 2, 0.0)
    if noisy.sum() == 0:
        return float(np.max(data))
    best = int(np.argmax(noisy))
    return float((edges[best] + edges[best + 1]) / 2)


def typical_amount(data, rng):
    return typical(data, 2, rng)


def profile(values, kind, parts):
    if kind == "amounts":
        counts, edges = np.histogram(values, bins=parts)
        labels = [float(edge) for edge in edges[:-1]]
    else:
        kinds, counts = np.unique(values, return_counts=True)
        labels = kinds.tolist()
    return {"labels": labels, "counts": [c + np.random.laplace(0, 1.0) for c in counts]}


def amounts_profile(data):
    return profile([float(x) for x in data], "amounts", 3)


def alarms(readings, limit, epsilon, allowed):
    share = epsilon / (2 * allowed)
    level = limit + np.random.laplace(0, 2 / epsilon)
    found = []
    for reading in readings:
        noisy = reading + np.random.laplace(0, 0.5 / share)
        found.append(bool(noisy >= level))
    return found


def first_alarms(data):
    return alarms(data, 0.0, 1.0, 1)
