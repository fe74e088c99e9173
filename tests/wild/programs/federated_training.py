"""Client updates, clipping, noise: the pieces of a small federated learner."""

import math

import numpy as np


def clip_update(u, C):
    norm = np.linalg.norm(u)
    if norm > C:
        u = u * (C / norm)
    return u


def flat_clip(update, clip):
    return update / max(1.0, np.linalg.norm(update) / clip)


def aggregate(updates, C=1.0, sigma=4.0, rng=None):
    if rng is None:
        rng = np.random.default_rng()
    total = np.zeros(2)
    for u in updates:
        total = total + clip_update(u, C)
    return total + rng.normal(0, sigma * C, size=2)


def aggregate_then_clip(updates, C=1.0, sigma=4.0):
    mean = np.zeros(2)
    for u in updates:
        mean += u
    mean = clip_update(mean, 100 * C)
    return mean + np.random.normal(0, sigma * C, size=2)


def average_of_updates(updates, clip=1.0, noise_multiplier=4.0):
    clipped = np.array([flat_clip(u, clip) for u in updates])
    avg = clipped.sum(axis=0) / max(len(updates), 1)
    return avg + np.random.normal(0, noise_multiplier * clip / max(len(updates), 1), size=2)


def average_over_expected(updates, clip=1.0, noise_multiplier=4.0, expected=10):
    clipped = [flat_clip(u, clip) for u in updates]
    total = np.sum(clipped, axis=0) if clipped else np.zeros(2)
    noise = np.random.normal(0, noise_multiplier * clip, size=2)
    return (total + noise) / expected


def clip_per_coordinate(updates, clip=1.0, noise_multiplier=4.0):
    total = np.zeros(2)
    for u in updates:
        total += np.clip(u, -clip, clip)
    return total + np.random.normal(0, noise_multiplier * clip, size=2)


def gradient_steps(x, steps=3, lr=0.1, C=1.0, sigma=8.0):
    theta = 0.0
    for _ in range(steps):
        grads = [max(-C, min(C, theta - xi)) for xi in x]
        theta = theta - lr * (sum(grads) + np.random.normal(0, sigma * C))
    return theta


def gradient_steps_trace(x, steps=3, lr=0.1, C=1.0, sigma=8.0):
    theta, history = 0.0, []
    for _ in range(steps):
        grads = np.clip(theta - x, -C, C)
        history.append(float(np.abs(grads).sum()))
        theta -= lr * (grads.sum() + np.random.normal(0, sigma * C))
    return theta, history


def gradient_steps_batch(x, steps=2, lr=0.1, C=1.0, sigma=4.0, batch=2):
    thetas = [0.0]
    for t in range(steps):
        part = x[t * batch : (t + 1) * batch]
        g = np.clip(thetas[-1] - part, -C, C).sum()
        thetas.append(thetas[-1] - lr * (g + np.random.normal(scale=sigma * C)))
    return thetas


def vote(votes, gamma=0.5):
    """PATE: noisy plurality of teachers' labels."""
    counts = np.bincount(np.asarray(votes, dtype=int), minlength=3)[:3].astype(float)
    for i in range(len(counts)):
        counts[i] += np.random.laplace(loc=0.0, scale=1 / gamma)
    return int(np.argmax(counts))


def vote_with_agreement(votes, gamma=0.5):
    counts = np.bincount(np.asarray(votes, dtype=int), minlength=3)[:3].astype(float)
    noisy = counts + np.random.laplace(scale=1 / gamma, size=3)
    return int(np.argmax(noisy)), counts.max() > len(votes) / 2


def linear_fit(points, epsilon=1.0, rng=None):
    """Noisy sufficient statistics of y = w x with x and y in [0, 1]."""
    rng = rng or np.random.default_rng()
    xx = sum(p["x"] * p["x"] for p in points)
    xy = sum(p["x"] * p["y"] for p in points)
    noisy_xx = xx + rng.laplace(scale=2 / epsilon)
    noisy_xy = xy + rng.laplace(scale=2 / epsilon)
    return noisy_xy / max(noisy_xx, 1e-3)


def linear_fit_output(points, epsilon=1.0, rng=None):
    rng = rng or np.random.default_rng()
    xx = sum(p["x"] ** 2 for p in points)
    xy = sum(p["x"] * p["y"] for p in points)
    w = xy / max(xx, 1e-3)
    return w + rng.laplace(scale=1 / (epsilon * max(len(points), 1)))


def sampled_count(data, q=0.5, epsilon=1.0):
    """Count on a random half; the noise counts on amplification."""
    chosen = [x for x in data if np.random.random() < q]
    inner = math.log(1 + (math.exp(epsilon) - 1) / q)
    return len(chosen) + np.random.laplace(scale=1 / inner)


def unsampled_count(data, q=0.5, epsilon=1.0):
    inner = math.log(1 + (math.exp(epsilon) - 1) / q)
    return len(data) + np.random.laplace(scale=1 / inner)
