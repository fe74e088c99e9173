"""Programs that seed if a setting says so; see `test_settings.py`."""

import numpy as np


class Model:
    def __init__(self, epsilon, seed=None, plot=False):
        self.epsilon = epsilon
        self.seed = seed
        self.plot = plot

    def fit(self, data):
        np.random.seed(self.seed)
        value = len(data) + np.random.laplace(scale=1 / self.epsilon)
        if self.plot:
            show_the_value(value)  # noqa: F821
        return value


class Seeded:
    def __init__(self, epsilon, seed=None):
        self.epsilon = epsilon
        if seed is not None:
            np.random.seed(seed)

    def fit(self, data):
        return len(data) + np.random.laplace(scale=1 / self.epsilon)


class Own:
    def __init__(self, seed=None):
        self.seed = seed
        self.rng = np.random.default_rng(self.seed)

    def fit(self, data):
        return len(data) + self.rng.laplace()


class Reseeded:
    def __init__(self, seed=None):
        self.seed = seed

    def fit(self, data):
        np.random.seed(self.seed)
        value = len(data) + np.random.laplace()
        self.seed = 3
        return value


class Later:
    def __init__(self, data):
        if len(data) > 2:
            self.seed = None
        else:
            self.seed = 1

    def fit(self, data):
        np.random.seed(self.seed)
        return len(data) + np.random.laplace()


def noisy(data, seed=None):
    if seed is not None:
        np.random.seed(seed)
    return len(data) + np.random.laplace()


def unseeded(data):
    return Model(1.0).fit(data)


def unseeded_where_it_is_made(data):
    return Seeded(1.0).fit(data)


def unseeded_of_its_own(data):
    return Own().fit(data)


def unseeded_by_name(data):
    return Own(seed=None).fit(data)


def unseeded_function(data):
    return noisy(data)


def seeded(data):
    return Model(1.0, seed=7).fit(data)


def seeded_where_it_is_made(data):
    return Seeded(1.0, 7).fit(data)


def seeded_of_its_own(data):
    return Own(7).fit(data)


def seeded_function(data):
    return noisy(data, 7)


def seeded_afterwards(data):
    value = Seeded(1.0).fit(data)
    Seeded(1.0, 7)
    return value


def seeded_another_time(data):
    return Model(1.0).fit(data) + Model(1.0, seed=7).fit(data)


def seeded_the_second_time(data):
    model = Reseeded()
    return model.fit(data) + model.fit(data)


def seeded_by_the_data(data):
    return Later(data).fit(data)


def seeded_or_not_understood(data, more=False):
    np.random.seed(7)
    if data[0]:
        tell_somebody(data)  # noqa: F821
    return len(data) + np.random.laplace()


def seeded_if_not_more(data, more=False):
    np.random.seed(7)
    if more:
        tell_somebody(data)  # noqa: F821
    return len(data) + np.random.laplace()


def coin_of_a_setting(rng, first=True):
    if first:
        return coin_of_a_setting(rng, False)
    if rng.random() > 0.5:
        return True
    return coin_of_a_setting(rng, False)


def recursive_by_a_setting(data, rng):
    return len(data) + rng.laplace() + coin_of_a_setting(rng)
