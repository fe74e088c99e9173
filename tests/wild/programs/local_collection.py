"""Frequency estimation under LDP: client and server side."""

import hashlib
import math
import random
import secrets

import numpy as np

DOMAIN = ["red", "green", "blue", "black"]


def grr(value, epsilon=1.0, k=4):
    p = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    if random.random() < p:
        return value
    others = [v for v in range(k) if v != value]
    return random.choice(others)


def grr_without_exclusion(value, epsilon=1.0, k=4):
    p = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    if random.random() < p:
        return value
    return random.randint(0, k - 1)


def grr_wrong_k(value, epsilon=1.0, k=4):
    p = math.exp(epsilon) / (math.exp(epsilon) + 1)
    if np.random.random() < p:
        return value
    y = value
    while y == value:
        y = np.random.randint(k)
    return y


def oue(color, epsilon=1.0):
    bits = [1 if color == c else 0 for c in DOMAIN]
    q = 1 / (math.exp(epsilon) + 1)
    return [int(np.random.rand() < (0.5 if b else q)) for b in bits]


def sue(index, epsilon=1.0):
    v = np.zeros(4)
    v[index] = 1
    p = math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1)
    flips = np.random.rand(4)
    return np.where(v == 1, flips < p, flips < 1 - p).astype(int)


def sue_full_budget(index, epsilon=1.0):
    v = np.zeros(4)
    v[index] = 1
    p = math.exp(epsilon) / (math.exp(epsilon) + 1)
    flips = np.random.rand(4)
    return np.where(v == 1, flips < p, flips < 1 - p).astype(int)


def local_laplace(salary, epsilon=1.0):
    x = min(max(salary, 0), 10)
    return np.random.laplace(x, 10 / epsilon)


def local_laplace_one_sided_clip(salary, epsilon=1.0):
    x = min(salary, 10)
    return np.random.laplace(x, 10 / epsilon)


def duchi(x, epsilon=1.0):
    """Duchi et al., one numeric attribute in [-1, 1]."""
    e = math.exp(epsilon)
    p = (e - 1) / (2 * e + 2) * x + 0.5
    bound = (e + 1) / (e - 1)
    return bound if random.random() < p else -bound


def duchi_one_output(x, epsilon=1.0):
    e = math.exp(epsilon)
    p = (x + 1) / 2
    bound = (e + 1) / (e - 1)
    return bound if random.random() < p else -bound


def secret_coin(bit):
    if secrets.randbelow(4) < 3:
        return bit
    return 1 - bit


def secret_coin_biased(bit):
    rng = secrets.SystemRandom()
    return bit if rng.random() < 0.9 else 1 - bit


def hashed(value):
    salt = secrets.token_hex(8)
    return hashlib.sha256(b"pepper" + str(value).encode()).hexdigest()[:8], salt


def keep_or_random(value, k=4, keep=0.4):
    """Report the truth with probability keep, else something uniform."""
    return value if random.uniform(0, 1) < keep else random.choice(range(k))


def two_attributes(pair, epsilon=1.0):
    a, b = divmod(pair, 2)
    p = math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2))
    return tuple(x if random.random() < p else 1 - x for x in (a, b))


def two_attributes_full(pair, epsilon=1.0):
    a, b = divmod(pair, 2)
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    return tuple(x if random.random() < p else 1 - x for x in (a, b))
