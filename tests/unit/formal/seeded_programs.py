"""Releases that seed their noise themselves, and others that only look alike."""

import math
import random
from dataclasses import dataclass, field

import numpy as np


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)


def seed_if_given(seed=None):
    if seed is None:
        return
    np.random.seed(seed)


class OfNumpy:
    def __init__(self, data):
        self.data = data
        self.rng = np.random.RandomState(2023)

    def total(self):
        return np.clip(self.data, 0, 100).sum() + self.rng.laplace(0, 100)


class OfPython:
    def __init__(self, data, seed=3):
        self.data = data
        self.rng = random.Random(seed)

    def count(self):
        return len(self.data) + self.rng.expovariate(1.0) - self.rng.expovariate(1.0)


@dataclass
class Unseeded:
    data: list
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    log: list = field(default_factory=list)

    def count(self):
        self.log.append("count")
        return len(self.data) + self.rng.laplace(0, 1)


@dataclass
class Seeded:
    data: list
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def count(self):
        return len(self.data) + self.rng.laplace(0, 1)


class Fixed:
    """Noise that everybody can compute."""

    def global_state(data):
        np.random.seed(42)
        return len(data) + np.random.laplace(0, 1)

    def python_state(data):
        random.seed(7)
        u = random.random() - 0.5
        return len(data) - math.copysign(1, u) * math.log(1 - 2 * abs(u))

    def by_a_helper(data):
        seed_all(11)
        return {"count": len(data) + np.random.laplace(0, 1)}

    def by_a_default(data, seed=5):
        np.random.seed(seed)
        return len(data) + np.random.laplace(0, 1)

    def state_of_an_object(data):
        return OfNumpy(data).total()

    def seed_of_an_object(data):
        return OfPython(data).count()

    def if_given(data):
        seed_if_given(4)
        return len(data) + np.random.laplace(0, 1)

    def vector(data):
        np.random.seed(0)
        counts, _ = np.histogram(data, bins=4, range=(0, 100))
        return counts + np.random.laplace(0, 1, size=4)


class Random:
    """Noise of which a part is, or may be, unknown: no refutation."""

    def seeded_if_asked(data, again=False):
        if again:
            np.random.seed(3)
        return len(data) + np.random.laplace(0, 1)

    def seeded_by_the_system(data):
        np.random.seed(None)
        return len(data) + np.random.laplace(0, 1)

    def seeded_afterwards(data):
        noisy = len(data) + np.random.laplace(0, 1)
        np.random.seed(3)
        return noisy

    def seeded_elsewhere(data):
        random.seed(3)
        return len(data) + np.random.laplace(0, 1)

    def seeded_and_again_by_the_system(data):
        seed_all(1)
        seed_all(None)
        return len(data) + np.random.laplace(0, 1)

    def returns_before(data):
        seed_if_given()
        return len(data) + np.random.laplace(0, 1)

    def short_circuit(data):
        data is None and np.random.seed(3)
        return len(data) + np.random.laplace(0, 1)

    def none_of_the_data(data):
        np.random.seed(3)
        return np.random.laplace(0, 1)
