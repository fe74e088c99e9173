"""Local mechanisms that draw from generators which all code of a process shares."""

# ruff: noqa: NPY002 - the older functions are what is tested

import random
import secrets
from random import randint
from random import random as draw

import numpy as np
from numpy.random import default_rng, rand


def by_random(x):
    return x if random.random() < 0.7 else 1 - x


def by_its_function(x):
    return x if draw() < 0.7 else 1 - x


def by_uniform(x):
    return x if random.uniform(0, 10) < 7 else 1 - x


def by_randint(x):
    return x if randint(0, 9) < 7 else 1 - x


def by_randrange(x):
    return x if random.randrange(10) < 7 else 1 - x


def by_getrandbits(x):
    return x if random.getrandbits(4) < 11 else 1 - x


def by_a_random_of_its_own(x):
    return x if random.Random().random() < 0.7 else 1 - x


def by_the_system(x):
    return x if secrets.SystemRandom().random() < 0.7 else 1 - x


def by_randbelow(x):
    return x if secrets.randbelow(10) < 7 else 1 - x


def by_randbits(x):
    return x if secrets.randbits(4) < 11 else 1 - x


def by_numpy(x):
    return x if np.random.random() < 0.7 else 1 - x


def by_rand(x):
    return x if rand() < 0.7 else 1 - x


def by_numpy_uniform(x):
    return x if np.random.uniform(0, 1) < 0.7 else 1 - x


def by_numpy_randint(x):
    return x if np.random.randint(10) < 7 else 1 - x


def by_binomial(x):
    return x if np.random.binomial(1, 0.7) else 1 - x


def by_a_new_generator(x):
    return x if default_rng().random() < 0.7 else 1 - x


def with_a_default(x, keep=0.7):
    return x if random.random() < keep else 1 - x


# --- the law of each stand-in, as an output


def a_choice(x):
    return random.choice([0, 1, 1, 2])


def a_secret_choice(x):
    return secrets.choice((0, 1, 1, 2))


def an_integer(x):
    return random.randint(1, 3)


def an_integer_of_numpy(x):
    return np.random.randint(1, 3)


def a_geometric_number(x):
    return min(np.random.geometric(0.5), 4)


def heads(x):
    return np.random.binomial(3, 0.25)


def of_many(x):
    return np.random.choice(4)


# --- what is not checked


def of_a_known_seed(x):
    return x if default_rng(3).random() < 0.7 else 1 - x


def takes_a_generator(x, rng):
    return x if rng.random() < 0.7 else 1 - x
