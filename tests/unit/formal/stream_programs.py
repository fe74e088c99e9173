"""Mechanisms whose generator is not passed in, or not always."""

import random
import secrets

import numpy as np
from numpy.random import default_rng
from scipy import stats
from scipy.stats import geom, laplace

own = np.random.default_rng()
older = np.random.RandomState()
system = secrets.SystemRandom()
known = np.random.default_rng(7)
rebound = np.random.default_rng()
rebound = np.random.default_rng(3)
bits = np.random.Generator(np.random.PCG64())
known_bits = np.random.Generator(np.random.PCG64(5))


def noise(scale, generator=np.random.default_rng()):
    return generator.laplace(scale=scale)


def noise_of_own(scale, *, generator=own):
    return generator.laplace(scale=scale)


def noise_with_seed(scale, generator=np.random.default_rng(4)):
    return generator.laplace(scale=scale)


def noise_or_new(scale, rng=None):
    if rng is None:
        rng = np.random.default_rng()
    return rng.laplace(0, scale)


def noise_with_settings(scale, rng=None, seed=None):
    rng = rng or np.random.default_rng(seed)
    return rng.laplace(0, scale)


def noise_with_own_seed(scale, seed=None):
    seed = seed or 7
    return np.random.default_rng(seed).laplace(0, scale)


class Sound:
    def global_numpy(data):
        return len(data) + np.random.laplace(0, 1)

    def of_the_module(data):
        return len(data) + own.laplace(0, 1)

    def older_of_the_module(data):
        return len(data) + older.laplace(0, 1)

    def bits_of_the_module(data):
        return len(data) + bits.laplace(0, 1)

    def by_default(data):
        return len(data) + noise(1.0)

    def by_default_of_the_module(data):
        return len(data) + noise_of_own(1.0)

    def made_if_none(data):
        return len(data) + noise_or_new(1.0)

    def passed_on(data, rng):
        return len(data) + noise_or_new(1.0, rng)

    def passed_or_made(data, rng=None):
        rng = rng or np.random.default_rng()
        return len(data) + rng.laplace(0, 1)

    def checked(data, rng=None):
        if rng is None:
            rng = default_rng()
        assert isinstance(rng, np.random.Generator)
        return len(data) + rng.laplace(0, 1)

    def with_settings(data):
        return len(data) + noise_with_settings(1.0)

    def module_s_passed(data):
        return len(data) + noise(1.0, own)

    def seed_that_nobody_gives(data, seed=None):
        state = np.random.RandomState(seed)
        return len(data) + state.laplace(0, 1)

    def wrapped(data, rng):
        again = np.random.default_rng(rng)
        return len(data) + again.laplace(0, 1)

    def standard_library(data):
        return len(data) + random.choice([-1, 1]) * random.expovariate(1.0)

    def of_scipy(data):
        return len(data) + stats.laplace.rvs(scale=1.0)

    def of_scipy_frozen(data):
        return len(data) + laplace(0, 1.0).rvs()

    def of_scipy_with_state(data, rng):
        return len(data) + laplace.rvs(0, 1.0, random_state=rng)

    def of_scipy_first(data):
        return len(data) + laplace(scale=1.0).rvs(size=1)[0]

    def of_scipy_geometric(data):
        return len(data) + geom.rvs(1 - np.exp(-1)) - geom.rvs(1 - np.exp(-1))

    def around_the_value(data):
        return np.random.laplace(len(data), 1.0)


class Broken:
    def half_the_noise(data):
        return len(data) + np.random.laplace(0, 0.5)

    def half_by_default(data):
        return len(data) + noise(0.5)

    def known_seed(data):
        return len(data) + known.laplace(0, 1)

    def known_seed_of_bits(data):
        return len(data) + known_bits.laplace(0, 1)

    def bound_twice(data):
        return len(data) + rebound.laplace(0, 1)

    def known_default(data):
        return len(data) + noise_with_seed(1.0)

    def known_passed(data):
        return len(data) + noise(1.0, known)

    def known_made(data):
        return len(data) + noise_or_new(1.0, np.random.default_rng(7))

    def seed_of_the_data(data):
        return len(data) + np.random.default_rng(len(data)).laplace(0, 1)

    def settings_with_a_seed(data):
        return len(data) + noise_with_settings(1.0, seed=3)

    def own_seed(data):
        return len(data) + noise_with_own_seed(1.0)

    def scipy_half(data):
        return len(data) + stats.laplace.rvs(scale=0.5)

    def scipy_with_a_seed(data):
        return len(data) + laplace.rvs(scale=1.0, random_state=3)

    def two_entries_around(data):
        return np.random.laplace([len(data), len(data)], 1.0)

    def two_entries_of_an_array(data):
        answers = np.array([len(data), len(data)])
        return np.random.laplace(answers, 1.0)

    def no_generator_at_all(data):
        return len(data) + 0 * noise_or_new(1.0)
