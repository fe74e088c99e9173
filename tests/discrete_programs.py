# ruff: noqa: PERF401 - one notation for all
"""Sparse vector and noisy max with geometric noise, and twins of them that lose more.

Answers change by at most 1. The difference of two geometric draws of chance 1 − e^(−r) is two-sided
geometric noise: Pr[Z = z] ∝ e^(−r|z|).
"""

import math

import numpy as np


def above(q, rng, *, epsilon=1.0, threshold=10, slow=0.5, fast=0.25):
    """Return the first answer above; costs (slow + 2·fast)·epsilon."""
    p = 1 - math.exp(-slow * epsilon)
    r = -np.expm1(-fast * epsilon)
    noisy = threshold + rng.geometric(p) - rng.geometric(p)
    for i, x in enumerate(q):
        if x + (rng.geometric(r) - rng.geometric(r)) >= noisy:
            return i
    return None


def sparse(q, rng, *, epsilon, N, threshold=0):
    out = []
    count = 0
    p, r = 1 - math.exp(-epsilon / 2), 1 - math.exp(-epsilon / (4 * N))
    noisy = threshold + rng.geometric(p) - rng.geometric(p)
    for x in q:
        if count >= N:
            break
        hit = x + rng.geometric(r) - rng.geometric(r) >= noisy
        out.append(hit)
        if hit:
            count += 1
    return out


def noisy_max(q, rng, *, epsilon=1.0):
    p = 1 - np.exp(-epsilon / 2)
    n = len(q)
    return int(np.argmax(q + rng.geometric(p, size=n) - rng.geometric(p, size=n)))


def noisy_max_one_sided(q, rng, *, epsilon=1.0):
    p = 1 - np.exp(-epsilon / 2)
    best = winner = 0
    for i, x in enumerate(q):
        noisy = x + rng.geometric(p)
        if i == 0 or noisy > best:
            best, winner = noisy, i
    return winner


# --- twins


def without_noise_on_answers(q, rng, *, epsilon=1.0):
    p = 1 - math.exp(-epsilon)
    noisy = rng.geometric(p) - rng.geometric(p)
    for i, x in enumerate(q):
        if x >= noisy:
            return i
    return None


def as_many_as_there_are(q, rng, *, epsilon=1.0):
    out = []
    p, r = 1 - math.exp(-epsilon / 2), 1 - math.exp(-epsilon / 4)
    noisy = rng.geometric(p) - rng.geometric(p)
    for x in q:
        out.append(x + rng.geometric(r) - rng.geometric(r) >= noisy)
    return out


def noise_subtracted(q, rng, *, epsilon=1.0):
    """Return the index of the largest answer less noise: which would have to shrink below 1."""
    p = 1 - np.exp(-epsilon / 2)
    best = winner = 0
    for i, x in enumerate(q):
        noisy = x - rng.geometric(p)
        if i == 0 or noisy > best:
            best, winner = noisy, i
    return winner


def noisy_max_of_half_the_noise(q, rng, *, epsilon=1.0):
    p = 1 - np.exp(-epsilon)
    n = len(q)
    return int(np.argmax(q + rng.geometric(p, size=n) - rng.geometric(p, size=n)))


def released(q, rng, *, epsilon=1.0):
    """Return an answer with noise: of answers that are not whole, the fraction shows."""
    p = 1 - np.exp(-epsilon)
    return q[0] + rng.geometric(p) - rng.geometric(p)


def noise_times_two(q, rng, *, epsilon=1.0):
    """Return the first answer above; its noise is even, and so is no answer's change of 1."""
    p, r = 1 - math.exp(-epsilon / 2), 1 - math.exp(-epsilon / 4)
    noisy = 2 * (rng.geometric(p) - rng.geometric(p))
    for i, x in enumerate(q):
        if x + 2 * (rng.geometric(r) - rng.geometric(r)) == noisy:
            return i
    return None


def chance_is_epsilon(q, rng, *, epsilon=0.5):
    noisy = rng.geometric(epsilon) - rng.geometric(epsilon)
    for i, x in enumerate(q):
        if x + rng.geometric(epsilon / 2) - rng.geometric(epsilon / 2) >= noisy:
            return i
    return None


TWINS = (
    without_noise_on_answers,
    as_many_as_there_are,
    noise_subtracted,
    noisy_max_of_half_the_noise,
    released,
    noise_times_two,
    chance_is_epsilon,
)
