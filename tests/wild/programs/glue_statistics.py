"""Statistics that a study publishes: samplers of its own, clipped gradients, lists of what occurs.

Reports as dictionaries, exponential mechanisms over records, responses of several categories.
"""

import math
import random
from collections import Counter

import numpy as np


def response_of_four(answer):
    keep = math.exp(1.0) / (math.exp(1.0) + 1)
    if random.random() < keep:
        return answer
    other = random.randrange(3)
    return other if other < answer else other + 1


class Regression:
    def __init__(self, bound=1.0, multiplier=5.0):
        self.bound, self.multiplier = bound, multiplier
        self.weights = np.zeros(2)

    def step(self, features, targets):
        residuals = features @ self.weights - targets
        gradient = (residuals[:, None] * features).mean(axis=0)
        length = np.linalg.norm(gradient)
        gradient = gradient / max(1.0, length / self.bound)
        gradient = gradient + np.random.normal(
            0, self.multiplier * self.bound / len(features), size=2
        )
        self.weights = self.weights - 0.1 * gradient
        return self.weights


def regression_step(data):
    return Regression().step(np.column_stack([data["x"], np.ones(len(data))]), data["y"])


def noisy_size(exact, epsilon=0.5):
    u = random.random() - 0.5
    return max(0, round(exact - math.copysign(1, u) * math.log(1 - 2 * abs(u)) / epsilon))


def shown(items, least=5):
    kept = []
    for name, size in items:
        if size >= least:
            kept.append((name, size))
    return kept


def dashboard(data):
    words = Counter(data)
    largest = shown([(word, noisy_size(n)) for word, n in words.most_common(10)])
    return {
        "visits": noisy_size(len(data)),
        "largest": largest[:5],
        "source": "web",
    }


def typical_record(data):
    ordered = np.sort(data)
    middle = len(ordered) / 2
    weights = np.array([np.exp(-abs(rank - middle) / 2) for rank in range(len(ordered))])
    return np.random.choice(ordered, p=weights / weights.sum())


def limited_by_the_largest_user(data):
    rows = {}
    for user in data:
        rows[user] = rows.get(user, 0) + 1
    limit = max(rows.values(), default=1)
    total = 0
    for each in rows.values():
        size = 0 + each
        total += min(size, limit)
    spread = 2 * limit
    return total + np.random.laplace(0.0, spread / 1.0)


def amplitude(value):
    wave = np.random.normal() + 1j * np.random.normal()
    return value + wave.real


def blurred_place(point):
    angle = np.random.uniform(0, 2 * np.pi)
    radius = np.random.exponential(8.0)
    return point["x"] + radius * np.cos(angle), point["y"] + radius * np.sin(angle)


def votes_in_favor(data):
    decay = math.exp(-0.3)
    noise = np.random.geometric(decay) - np.random.geometric(decay)
    return int(np.sum(data)) + int(noise)


def blended_centers(data, centers=(2.0, 8.0)):
    nearest = np.abs(np.asarray(data, dtype=float)[:, None] - np.array(centers)).argmin(axis=1)
    blur, more = np.random.laplace(), np.random.laplace()
    return [
        (float(data[nearest == i].sum()) + blur) / (int((nearest == i).sum()) + more)
        for i in range(len(centers))
    ]
