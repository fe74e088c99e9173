"""Mechanisms that keep their claims, in other styles than that of `mechanisms/`."""

import functools
import math
import os
import random
import secrets
import struct

import numpy as np
import pandas as pd

CATEGORIES = ["a", "b", "c"]
SYSTEM = random.SystemRandom()


def noisy_value_counts(df: pd.DataFrame, column: str, epsilon: float, rng):
    counts = df[column].value_counts().reindex(CATEGORIES, fill_value=0)
    return counts + rng.laplace(scale=1 / epsilon, size=len(CATEGORIES))


def svt_while(queries, data, epsilon, threshold, rng):
    rho = rng.laplace(scale=2 / epsilon)
    i = 0
    while i < len(queries):
        nu = rng.laplace(scale=4 / epsilon)
        if queries[i](data) + nu >= threshold + rho:
            return i
        i += 1
    return None


def choose(data, candidates, utility, sensitivity, epsilon, rng):
    scores = np.array([utility(data, c) for c in candidates])
    weights = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    return rng.choice(candidates, p=weights / weights.sum())


def noisy_max_loop(counts, epsilon, rng):
    best, best_i = -math.inf, -1
    for i, c in enumerate(counts):
        noisy = c + rng.laplace(scale=2 / epsilon)
        if noisy > best:
            best, best_i = noisy, i
    return best_i


class Accountant:
    def __init__(self, epsilon, rng):
        self.epsilon, self.rng = epsilon, rng

    def release_sum(self, values, low=0.0, high=1.0):
        clipped = np.nan_to_num(np.clip(values, low, high))
        noise = self.rng.laplace(scale=max(abs(low), abs(high)) / self.epsilon)
        return clipped.sum() + noise


def dp_sgd_step(params, grads, clip_norm, noise_multiplier, lot_size, lr, rng):
    norms = np.linalg.norm(grads, axis=1)
    factors = np.minimum(1.0, clip_norm / np.maximum(norms, 1e-12))
    summed = (grads * factors[:, None]).sum(axis=0)
    noisy = summed + rng.normal(0, noise_multiplier * clip_norm, size=summed.shape)
    return params - lr * noisy / lot_size


def rr(answer: bool, epsilon: float) -> bool:
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    if secrets.randbelow(10**9) / 10**9 < p:
        return answer
    return not answer


def rr_many(bits, epsilon, rng):
    out = []
    for b in bits:
        flip = rng.random() > 1 / (1 + math.exp(-epsilon))
        out.append(1 - b if flip else b)
    return out


def dp_mean(xs, epsilon, lo, hi, rng):
    n = len(xs) + rng.laplace(scale=2 / epsilon)
    s = sum(min(max(lo, x), hi) for x in xs)
    s += rng.laplace(scale=2 * max(abs(lo), abs(hi)) / epsilon)
    return min(max(s / max(n, 1), lo), hi)


def gaussian(vector, sensitivity, epsilon, delta, rng):
    sigma = sensitivity * np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    return vector + rng.normal(0.0, sigma, vector.shape)


def geometric_count(rows, epsilon):
    q = math.exp(-epsilon)

    def geo():
        return math.floor(math.log(1 - random.random()) / math.log(q))

    return len(rows) + geo() - geo()


def threshold_release(users, epsilon, delta, rng):
    tau = 1 + math.log(1 / (2 * delta)) / epsilon
    out = {}
    for key, group in users.groupby("item"):
        noisy = len(group) + rng.laplace(scale=1 / epsilon)
        if noisy > tau:
            out[key] = noisy
    return out


def noisy_histogram(values, epsilon, rng):
    edges = np.linspace(0, 100, 11)
    counts, _ = np.histogram(values, bins=edges)
    noisy = counts + rng.laplace(scale=1.0 / epsilon, size=counts.shape)
    return np.maximum(noisy, 0)


def tree(x, epsilon, rng):
    levels = int(np.ceil(np.log2(len(x)))) + 1
    out = []
    for level in range(levels):
        width = 2**level
        blocks = [x[s : s + width].sum() for s in range(0, len(x), width)]
        out += [block + rng.laplace(scale=levels / epsilon) for block in blocks]
    return out


def two_queries(data, epsilon, rng):
    eps_each = epsilon / 2
    a = np.count_nonzero(data > 5) + rng.laplace(scale=1 / eps_each)
    b = np.count_nonzero(data > 7) + rng.laplace(scale=1 / eps_each)
    return a, b


def validated_count(data, epsilon, rng):
    if epsilon <= 0:
        raise ValueError(f"epsilon must be positive, got {epsilon}")
    if not isinstance(data, np.ndarray):
        raise TypeError(f"need an array, got {type(data)}")
    if data.ndim != 1:
        raise ValueError(f"need one dimension, got {data.ndim}")
    return data.size + rng.laplace(scale=1 / epsilon)


def analyst_loop(data, epsilon, rng, queries=10):
    results = []
    per = epsilon / queries
    for q in range(queries):
        noise = rng.laplace(scale=1 / per)
        results.append(np.count_nonzero(data > q) + noise)
    return results


def inverse(u, scale):
    return -scale * math.copysign(math.log(1 - 2 * abs(u - 0.5)), u - 0.5)


def count_by_system(data, epsilon):
    u = struct.unpack("<Q", os.urandom(8))[0] / 2**64
    return len(data) + inverse(u, 1 / epsilon)


def count_by_hexadecimal_text(data, epsilon):
    return len(data) + inverse(int(secrets.token_hex(6), 16) / 2**48, 1 / epsilon)


def count_by_device(data, epsilon):
    with open("/dev/urandom", "rb") as device:
        u = int.from_bytes(device.read(8), "little") / 2**64
    return len(data) + inverse(u, 1 / epsilon)


def count_by_raw_bits(data, epsilon):
    return len(data) + inverse(np.random.PCG64().random_raw() / 2**64, 1 / epsilon)


def count_by_tosses(data, epsilon):
    up = down = 0
    while SYSTEM.random() < math.exp(-epsilon):
        up += 1
    while True:
        if SYSTEM.random() > math.exp(-epsilon):
            break
        down += 1
    return len(data) + up - down


def noise_by_partial(data, epsilon, rng):
    noise = functools.partial(rng.laplace, 0.0)
    return len(data) + noise(1 / epsilon)


def noise_by_bound_method(data, epsilon, rng):
    draw = rng.laplace
    return len(data) + draw(scale=1 / epsilon)


def counts_of_known_keys(votes, epsilon, rng):
    tallies = dict.fromkeys(range(4), 0)
    for vote in votes:
        tallies[int(vote)] += 1
    return {key: count + rng.laplace(scale=1 / epsilon) for key, count in tallies.items()}


def choice_of_known_candidates(data, epsilon):
    weights = [math.exp(epsilon * data.count(c) / 2) for c in CATEGORIES]
    return random.choices(CATEGORIES, weights=weights)[0]


def noisy_top_two(data, epsilon, rng):
    noisy = {c: data.count(c) + rng.laplace(scale=4 / epsilon) for c in CATEGORIES}
    return sorted(noisy, key=noisy.get, reverse=True)[:2]
