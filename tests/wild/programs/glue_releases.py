"""Releases as people write them: own clips and samplers, parts, dicts of answers, state."""

import math
import random
from collections import Counter

import numpy as np


class Clipper:
    def __init__(self, bound):
        self.bound = bound

    def __call__(self, v):
        return v if v < self.bound else self.bound


def one_side(data, rng):
    clip = Clipper(10.0)
    total = 0.0
    for v in data:
        total += clip(v)
    return total + rng.laplace(0, 10.0)


def clip_nan(data, rng):
    lower, upper = 0.0, 10.0
    vals = np.minimum(np.maximum(data, lower), upper)
    return vals.sum() + rng.laplace(0, upper)


def column_sums(data, rng):
    x = np.column_stack([np.clip(data["x"], 0, 1), np.clip(data["y"], 0, 1)])
    noisy = x.sum(axis=0) + rng.laplace(0, 2.0)
    return noisy


def private_mode(data):
    options = sorted(set(data)) or [0]
    scores = [data.count(o) if isinstance(data, list) else int((data == o).sum()) for o in options]
    weights = [math.exp(s / 2) for s in scores]
    return random.choices(options, weights=weights)[0]


def popular_words(data, rng):
    counts = Counter(data)
    out = {}
    for word, n in counts.items():
        noisy = n + rng.laplace(0, 1.0)
        if noisy > 2.0:
            out[word] = noisy
    return out


def sample_laplace(scale, rng):
    u = rng.random() - 0.5
    return -scale * math.log(1 - 2 * abs(u)) / 2 * (1 if u > 0 else -1)


def own_sampler(data, rng):
    return len(data) + sample_laplace(1.0, rng)


def rounded_noise(data, rng):
    noise = round(rng.laplace(0, 0.2))
    return len(data) + noise


def chunk_sums(data, rng):
    chunks = np.array_split(data, 3)
    out = []
    for c in chunks:
        s = np.clip(c, 0, 10).sum()
        out.append(s + rng.laplace(0, 10.0))
    return out


def median_clip(data, rng):
    grads = 2 * data["x"] * data["y"]
    c = float(np.median(np.abs(grads))) if len(grads) else 1.0
    clipped = np.clip(grads, -c, c)
    return clipped.sum() + rng.laplace(0, 25.0)


def debug_sample(data, rng):
    report = {"count": len(data) + rng.laplace(0, 1.0)}
    if len(data) and rng.random() < 0.05:
        report["example"] = float(data[0])
    return report


def winner_and_votes(votes, rng):
    tallies = dict.fromkeys(range(4), 0)
    for v in votes:
        tallies[int(v)] += 1
    noisy = {k: c + rng.laplace(0, 2.0) for k, c in tallies.items()}
    winner = max(tallies, key=tallies.get)
    return winner, noisy[winner]


def settled_estimate(data, rng):
    est = 5.0
    history = []
    while len(history) < 2:
        err = np.clip(data - est, -5, 5).sum()
        est = est + 0.05 * (err + rng.laplace(0, 20.0))
        history.append(est)
        if np.abs(data - est).sum() < 10:
            break
    return history
