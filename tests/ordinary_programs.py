"""Discrete mechanisms in the style of ordinary code, which draws where it likes."""

# ruff: noqa: NPY002 - the older functions are among what is tested

import random
import secrets
from dataclasses import dataclass

import numpy as np


class Survey:
    def __init__(self, truth, answers):
        self.truth = truth
        self.answers = answers

    def chance_of(self, answer, value):
        others = len(self.answers) - 1
        return self.truth if answer == value else (1 - self.truth) / others

    def respond(self, value):
        left = random.random()
        for answer in self.answers[:-1]:
            chance = self.chance_of(answer, value)
            if left < chance:
                return answer
            left -= chance
        return self.answers[-1]


def by_a_class_with_methods(value, rng):
    return Survey(0.5, ["yes", "no", "maybe"]).respond(value)


@dataclass(frozen=True)
class Coins:
    first: float = 0.5
    second: float = 0.25

    @property
    def either(self):
        return 1 - (1 - self.first) * (1 - self.second)


def by_a_dataclass(value, rng, *, coins=Coins()):
    told = value if np.random.rand() < coins.first else int(np.random.uniform() < coins.second)
    return told, bool(np.random.random() < coins.either)


def by_counting_in_a_dict(data, rng):
    counts = {}
    for x in data:
        kept = x if rng.random() < 0.75 else "other"
        counts[kept] = counts.get(kept, 0) + 1
    return sorted(counts.items())


def by_an_array_of_zeros(value, rng):
    v = np.zeros(3, dtype=int)
    v[value] = 1
    for i in range(3):
        if random.random() < 0.25:
            v[i] = 1 - v[i]
    return v.tolist()


def by_weighted_choices(value, rng):
    weights = [3 if x == value else 1 for x in range(3)]
    return random.choices(range(3), weights=weights)[0]


def by_an_early_return(data, rng):
    total = sum(data)
    if total > 3:
        return "many"
    for x in data:
        if secrets.randbelow(4) == 0:
            return x
    return None


def by_a_loop_that_ends(value, rng):
    tries = 0
    while tries < 4:
        tries += 1
        if rng.random() < 0.5:
            break
    else:
        tries = -1
    return value + tries


def by_lambdas_in_a_list(value, rng):
    rules = [lambda x: x, lambda x: 1 - x, lambda x: 0]
    rule = rules[rng.integers(3)]
    keep = lambda x: x if rng.random() < 0.75 else 7  # noqa: E731
    return keep(rule(value))


def flipped(bit, chance):
    return not bit if np.random.binomial(1, chance) else bit


def by_helper_functions(bits, rng):
    changed = [flipped(bit, 0.25) for bit in bits]
    first, *rest = changed
    return first, any(rest)


def by_one_draw_used_twice(value, rng):
    u = rng.random()
    low = u < 0.25
    shifted = u * 2 - 0.5
    return [low, shifted > value, 1 - u <= 0.5]


def by_a_permutation(data, rng):
    items = [data[i] for i in rng.permutation(len(data))]
    return items[0] - items[-1]


def by_a_list_that_is_shared(data, rng):
    row = [0, 0]
    table = [row, row, list(row)]
    i, j = int(rng.random() < 0.25), rng.integers(2)
    table[0][i] += 1
    table[2][j] -= 1
    return table


def by_a_closure_that_counts(data, rng):
    counts = [0]

    def toss(chance):
        counts[0] += 1
        return rng.random() < chance

    heads = [x for x in data if toss(0.5) and toss(0.75)]
    return len(heads), counts[0]


def by_clamped_noise(count, rng):
    noise = rng.geometric(0.5) - rng.geometric(0.5)
    return max(0, min(count + noise, 4))
