"""Mechanisms with parameters in an object of a module or in a default, some of them computed."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Levels:
    cutoffs: tuple = (5, 10, 15)
    epsilon: float = 1.0

    @property
    def share(self):
        return self.epsilon / len(self.cutoffs)


@dataclass
class Settings:
    bounds: tuple = (0, 50)
    eps: float = 1.0

    @property
    def width(self):
        return self.bounds[1] - self.bounds[0]

    @property
    def scale(self):
        return self.width / self.eps


class Overriding(Settings):
    @property
    def scale(self):
        return super().scale / 2


class OfTheClass(Settings):
    bounds = (0, 500)  # the objects have bounds of their own


class Seen(Settings):
    def __getattribute__(self, name):
        return 25.0 if name == "width" else super().__getattribute__(name)


class Kept(Settings):
    @cached_property
    def half(self):
        return self.scale / 2


SETTINGS = Settings()
NARROW = Settings(bounds=(0, 5))
OVERRIDING = Overriding()
OF_THE_CLASS = OfTheClass()
SEEN = Seen()
KEPT = Kept()


def total(values, settings):
    return np.clip(values, 0, 50).sum() + np.random.laplace(0, settings.scale)


def sound_levels(data, levels=Levels()):
    answers = {}
    for cutoff in levels.cutoffs:
        count = np.count_nonzero(np.asarray(data) >= cutoff)
        answers[f">={cutoff}"] = count + np.random.laplace(0, 1 / levels.share)
    return answers


def sound_of_the_module(data):
    return np.clip(data, *SETTINGS.bounds).sum() + np.random.laplace(0, SETTINGS.scale)


def sound_in_a_default(data, settings=SETTINGS):
    return total(data, settings)


def sound_bounds_of_the_object(data):
    return np.clip(data, *OF_THE_CLASS.bounds).sum() + np.random.laplace(0, OF_THE_CLASS.scale)


def broken_narrow(data):
    return total(data, NARROW)


def broken_overridden(data):
    return total(data, OVERRIDING)


def broken_seen(data):
    return total(data, SEEN)


def broken_kept(data):
    return np.clip(data, 0, 50).sum() + np.random.laplace(0, KEPT.half)


def broken_levels(data, levels=Levels(epsilon=2.0)):
    return sound_levels(data, levels)
