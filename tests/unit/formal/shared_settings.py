"""Settings that other modules read, and one of them changes (`changed_settings`)."""

import numpy as np

BOUND = 100.0
SCALES = {"count": 1.0}


class Settings:
    EPSILON = 1.0


class Engine:
    def __init__(self, scale):
        self.scale = scale

    def count(self, data):
        return len(data) + np.random.laplace(0, self.scale)


settings = Settings()
ENGINE = Engine(1.0)


def noise(scale):
    return np.random.laplace(0, scale)


def total(data):
    return sum(min(x, BOUND) for x in data) + np.random.laplace(0, 100.0)


def count(data):
    return len(data) + noise(1.0)


def scaled_count(data):
    return len(data) + np.random.laplace(0, SCALES["count"])


def count_by_settings(data):
    return len(data) + np.random.laplace(0, 1 / settings.EPSILON)


def count_of(engine, data):
    return engine.count(data)


ALL = [total, count, scaled_count, count_by_settings]
