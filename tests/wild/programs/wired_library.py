"""A small library as people write it: others hand it statistics that they have computed."""

import numpy as np


class Releaser:
    def __init__(self, epsilon=1.0, sensitivity=1.0):
        self.epsilon = epsilon
        self.sensitivity = sensitivity

    def release(self, statistic):
        scale = self.sensitivity / self.epsilon
        return statistic + np.random.laplace(0.0, scale, size=np.shape(statistic))


def dropped_one_by_one(records):
    answers = [records.sum() - record for record in records]
    widest = max(answers) - min(answers) if len(answers) else 0.0
    return widest


def noisy(answer, scale):
    return answer + np.random.laplace(scale=scale)


def describe(visits, total):
    summary = {"visits": visits, "total": total + np.random.laplace(scale=10.0)}
    return summary


def shuffled(records):
    return np.random.choice(records, size=len(records), replace=False)


def drawn_around(value, width):
    return float(np.random.uniform(value - width, value + width))


def table_noise(answer, width=10.0):
    step = np.random.randint(1000, size=1)[0]
    half = step / 1000 - 0.5
    return answer - width * np.sign(half) * np.log(1.001 - 2 * abs(half))


def other_than_first(values):
    kinds = sorted(set(values))
    place = np.random.randint(0, len(kinds) - 1)
    return place >= 0


def fading(answers, epsilon=1.0):
    released = []
    for number, answer in enumerate(answers):
        scale = number / epsilon
        released.append(answer + np.random.laplace(scale=scale))
    return released
