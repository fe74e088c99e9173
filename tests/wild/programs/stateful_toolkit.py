"""A toolkit with objects that keep a list of the module, a log and a generator."""

from dataclasses import dataclass, field

import numpy as np

COLORS = ["red", "green", "blue", "black"]


@dataclass
class Survey:
    colors: list
    epsilon: float = 1.0
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    log: list = field(default_factory=list)

    def count(self, votes, color):
        self.log.append(color)
        exact = sum(1 for vote in votes if vote == color)
        return exact + self.rng.laplace(0, 2 / self.epsilon)

    def table(self, votes):
        return [self.count(votes, color) for color in self.colors]


class Turnout:
    def __init__(self, votes, epsilon=1.0, seed=2023):
        self.votes = votes
        self.epsilon = epsilon
        self.rng = np.random.RandomState(seed)

    def release(self):
        return len(self.votes) + self.rng.laplace(0, 1 / self.epsilon)


def shuffled(votes):
    np.random.seed(1)
    return np.random.permutation(votes)


def color_table(votes):
    return Survey(COLORS).table(votes)


def turnout(votes):
    return Turnout(votes).release()


def noisy_turnout(votes):
    return len(votes) + np.random.laplace(0, 1)
