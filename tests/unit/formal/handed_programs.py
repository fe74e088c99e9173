"""Code under audit in a module that declares no audits."""

import numpy as np


class Sensitivity:
    def __init__(self, size):
        self.size = size

    def get(self):
        return self.size


class Noisy:
    def __init__(self, epsilon):
        sensitivity = Sensitivity(1.0)
        self.scale = self.scale_of(sensitivity, epsilon)

    @staticmethod
    def scale_of(sensitivity, epsilon):
        scale = sensitivity.get() / epsilon
        return scale

    def answer(self, value):
        return np.random.laplace(loc=value, scale=self.scale)


def with_noise(value):
    noise = np.random.laplace(scale=0.01)
    return value + noise


def spread_by_halves(data):
    halves = [abs(float(data[:3].sum()) - float(data[3:].sum()))]
    widest = max(halves) + 1
    return widest


def spread(value, width, epsilon):
    return value + np.random.laplace(scale=width / epsilon)
