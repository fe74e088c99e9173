"""Training loops, streams, local reports and small services."""

import hashlib
import warnings
from functools import lru_cache, partial

import numpy as np

PUBLIC_LIMIT = 10.0
_cache = {}


def clip_norm(g, bound):
    norm = np.linalg.norm(g)
    if norm > bound:
        g = g * bound / norm
    return g


def sgd_step(data, rng):
    gradients = [np.array([row["x"], row["y"]]) for row in data]
    average = np.sum(gradients, axis=0) / 8 if gradients else np.zeros(2)
    average = clip_norm(average, 1.0)
    return average + rng.laplace(scale=0.25, size=2)


def sgd_private_batch(data, rng):
    clipped = [clip_norm(np.array([row["x"], row["y"]]), 1.0) for row in data]
    total = np.sum(clipped, axis=0) if clipped else np.zeros(2)
    noisy = total + rng.laplace(scale=2.0, size=2)
    batch = max(1, len(data))
    return noisy / batch, batch


def noise_once(data, rng):
    noise = rng.laplace(scale=10.0)
    weights = []
    for step in range(3):
        chunk = data[data > step]
        weights.append(float(np.clip(chunk, 0, 10).sum()) + noise)
    return weights


def steps_without_split(data, rng, steps=4, epsilon=1.0):
    theta = 0.0
    for _ in range(steps):
        gradient = np.sum(np.clip(data - theta, -1, 1))
        theta = theta + 0.1 * (gradient + rng.laplace(scale=2.0 / epsilon))
    return theta


def stop_when_small(data, rng):
    theta = 0.0
    values = np.clip(data, 0, 10)
    rounds = 0
    while abs(values.sum() - theta) > 5.0 and rounds < 10:
        theta += 0.5 * (values.sum() - theta)
        rounds += 1
    return rounds


def running_totals(data, rng):
    def stream():
        total = 0.0
        for x in data:
            total += min(max(x, 0.0), 1.0)
            yield total + rng.laplace(scale=1.0)

    return list(stream())


def stream_counts(data, rng):
    seen = set()
    for x in data:
        seen.add(int(x))
    return {x: 1.0 + rng.laplace(scale=1.0) for x in sorted(seen)}


def warned_mean(data, rng):
    total = float(np.clip(data, 0, 10).sum())
    if total == 0:
        warnings.warn("all values are zero", stacklevel=2)
        return 0.0
    return total + rng.laplace(scale=10.0)


def cached_count(data, rng):
    key = "count"
    if key not in _cache:
        _cache[key] = len(data)
    return _cache[key] + rng.laplace(scale=1.0)


def report_bit(value, rng):
    p = 0.9
    if rng.random() < p:
        return value
    return 1 - value


def report_unary(value, rng, k=4):
    vector = np.zeros(k, dtype=int)
    vector[value] = 1
    flips = rng.random(k) < 1 / (1 + np.e)
    return [int(b ^ f) for b, f in zip(vector, flips)]


def report_hash(value, rng):
    digest = hashlib.sha256(str(value).encode()).hexdigest()[:8]
    coin = rng.random()
    return digest if coin < 0.5 else "00000000"


def report_number(value, rng):
    return float(value) + rng.laplace(scale=2.0)


def ratio(data, rng):
    high = np.count_nonzero(data > 5)
    low = np.count_nonzero(data <= 5)
    fraction = high / (high + low) if high + low else 0.0
    scale = 1.0 / (high + low) if high + low else 1.0
    return fraction + rng.laplace(scale=scale)


def inverse_ratio(data, rng):
    weights = 1.0 / np.where(data == 0, 1e-12, data)
    return weights.sum() + rng.laplace(scale=10.0)


def rounded_noise(data, rng):
    noise = rng.laplace(scale=1.0)
    noise = max(-3.0, min(3.0, noise))
    return len(data) + noise


def top_two(data, rng):
    counts = {c: sum(1 for x in data if x == c) for c in range(4)}
    noisy = {c: n + rng.laplace(scale=2.0) for c, n in counts.items()}
    order = sorted(noisy, key=noisy.get, reverse=True)
    return order[:2], [counts[c] for c in order[:2]]


def check_outliers(data, rng):
    for x in data:
        if x > 90:
            raise ValueError(f"outlier: {x}")
    return len(data) + rng.laplace(scale=1.0)


def empty_is_none(data, rng):
    values = [x for x in data if x > 3]
    if not values:
        return None
    return sum(min(x, 10) for x in values) + rng.laplace(scale=10)


def sum_of_deviations(data, rng):
    x = np.clip(data, 0, 10)
    center = x.mean() if len(x) else 0.0
    spread = np.abs(x - center).sum()
    return center, spread + rng.laplace(scale=20.0)


class Accountant:
    def __init__(self, epsilon, parts):
        self.each = epsilon / (parts - 1)

    def scale(self, sensitivity):
        return sensitivity / self.each


def split_wrongly(data, rng):
    accountant = Accountant(1.0, 3)
    release = partial(rng.laplace, 0.0)
    out = []
    for lower in (0, 3, 6):
        n = int(np.sum(data >= lower))
        out.append(n + release(accountant.scale(1.0)))
    return out


class Winsorizer:
    def __init__(self, quantile=0.9):
        self.quantile = quantile
        self.cap = None

    def learn(self, data):
        self.cap = float(np.quantile(data, self.quantile)) if len(data) else 1.0
        return self

    def total(self, data, rng):
        capped = [min(x, self.cap) for x in data]
        noise = rng.laplace(scale=self.cap)
        return sum(capped) + noise


def winsorized(data, rng):
    return Winsorizer().learn(data).total(data, rng)


@lru_cache(maxsize=None)
def scale_for(epsilon, sensitivity):
    return epsilon / sensitivity


def inverted(data, rng):
    answer = np.clip(data, 0, 4).sum()
    return answer + rng.laplace(scale=scale_for(1.0, 4.0))


def dropped_ends(data, rng):
    ordered = np.sort(np.clip(data, 0, 10))
    trimmed = ordered[1:-1]
    return [len(trimmed), trimmed.sum() + rng.laplace(scale=10.0)]


def batches_by_size(data, rng):
    batches = np.array_split(data, 3)
    return [float(np.clip(b, 0, 1).sum()) + rng.laplace(scale=1.0) for b in batches]


def busy_levels(data, rng, levels=range(1, 10), at_least=2):
    busy = []
    for level in levels:
        visitors = sum(1 for x in data if x >= level)
        busy.append(visitors + rng.laplace(scale=2.0) >= at_least)
    return busy


class SlopeFitter:
    def __init__(self, spread=3.0, rate=0.2):
        self.spread, self.rate = spread, rate
        self.theta = np.zeros(2)

    def noisy_gradient(self, points):
        total = np.zeros(2)
        for point in points:
            features = np.array([1.0, point["x"]])
            total += clip_norm((self.theta @ features - point["y"]) * features, 1.0)
        return total + np.random.normal(0, self.spread)

    def fit(self, points, rounds=2):
        for _ in range(rounds):
            self.theta = self.theta - self.rate * self.noisy_gradient(points)
        return self.theta


def slope(data):
    return SlopeFitter().fit(data)


def ticked_boxes(data, boxes=4):
    ticked = (np.arange(boxes) == int(data[0])).astype(int)
    keep = np.exp(1.0) / (1 + np.exp(1.0))
    return np.where(np.random.rand(boxes) < keep, ticked, 1 - ticked).tolist()


class Alarm:
    def __init__(self, limit):
        self.limit = limit + np.random.laplace(scale=1.0)

    def rings(self, number):
        return number > self.limit


def first_crowded(data):
    alarm = Alarm(1)
    for item in range(4):
        if alarm.rings(np.count_nonzero(data == item)):
            return item
    return None
