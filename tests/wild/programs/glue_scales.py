"""Releases whose scale is formed far from the noise: in helpers, objects, settings and tables."""

import math
import random
from dataclasses import dataclass

import numpy as np

SETTINGS = {"epsilon": 1.0, "top": 10.0, "scale": 10.0 / 2.0}


def two_sided(width):
    return random.expovariate(1.0 / width) - random.expovariate(1.0 / width)


def sum_with_settings(data):
    total = float(np.clip(data, 0, SETTINGS["top"]).sum())
    return total + np.random.laplace(0.0, SETTINGS["scale"])


def sum_by_helper(data, epsilon=1.0):
    total = sum(min(max(x, 0.0), 10.0) for x in data)
    spread = 10.0 * epsilon / 4
    return total + two_sided(spread)


@dataclass(frozen=True)
class Plan:
    """What a release is made with."""

    epsilon: float = 1.0
    sensitivity: float = 10.0

    @property
    def width(self):
        return self.epsilon / self.sensitivity


def sum_by_plan(data):
    plan = Plan()
    total = np.clip(data, 0, plan.sensitivity).sum()
    return total + np.random.laplace(scale=plan.width)


class Counts:
    """Counts of the values 0 to 3."""

    def __init__(self, data, epsilon=1.0):
        self.data, self.epsilon = data, epsilon
        self.table = np.zeros(4)

    def noise(self, size):
        return np.random.laplace(0.0, size, 4)

    def release(self):
        for x in self.data:
            self.table[int(x)] += 2
        return self.table + self.noise(1.0 / self.epsilon)


def doubled_counts(data):
    return Counts(data).release()


def gaussian(value, sigma):
    return value + np.random.normal(0.0, sigma)


def sigma_for(sensitivity, epsilon, delta):
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def gaussian_mean(data, epsilon=0.5, delta=1e-5):
    n = len(data)
    top = 10.0
    sigma = sigma_for(top / (n * n), epsilon, delta)
    return gaussian(float(np.clip(data, 0, top).mean()), sigma)


def flip(chance):
    return random.random() < chance


class Survey:
    """Yes and no, with a coin."""

    def __init__(self, epsilon):
        self.keep = math.exp(2 * epsilon) / (1 + math.exp(2 * epsilon))

    def answer(self, bit):
        return bit if flip(self.keep) else 1 - bit


def asked(bit):
    return Survey(1.0).answer(bit)


def noisy(value, sensitivity, epsilon):
    return value + np.random.laplace(0.0, sensitivity / epsilon)


def report(data, epsilon=1.0):
    share = epsilon
    return {
        "rows": noisy(len(data), 1.0, share),
        "total": noisy(float(np.clip(data, 0, 10).sum()), 10.0, share),
    }


def mean_step(data, bound=1.0, epsilon=1.0):
    scale = 2 * bound / len(data) / epsilon
    mean = np.mean(data)
    step = max(-bound, min(bound, mean))
    step = step + np.random.laplace(0.0, scale)
    return step
