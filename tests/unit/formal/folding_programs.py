"""Programs that public constants choose among, and twins in which something else chooses.

`counted` is private by its noise, `told` is not; see `test_folding.py`.
"""

import enum
import functools
import math
from dataclasses import dataclass

import numpy as np


def counted(data, rng, scale=1.0):
    return len(data) + rng.laplace(0, scale)


def told(data, rng, scale=1.0):
    return len(data)


class Noise(enum.Enum):
    LAPLACE = "laplace"
    NONE = "none"


class Word(str, enum.Enum):  # noqa: UP042
    LAPLACE = "laplace"
    NONE = "none"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


CHOICES = {"laplace": counted, "none": told}
BY_MEMBER = {Noise.LAPLACE: counted, Noise.NONE: told}
SCALES = {"narrow": 1.0, "none": 0.0}
ADDED = {"laplace": np.add, "none": np.subtract}


# --- enumerations


def member_by_identity(data, rng, noise=Noise.LAPLACE):
    if noise is Noise.LAPLACE:
        return counted(data, rng)
    return told(data, rng)


def member_among_several(data, rng, noise=Noise.LAPLACE):
    return told(data, rng) if noise not in (Noise.LAPLACE,) else counted(data, rng)


def value_of_a_member(data, rng, noise=Noise.LAPLACE):
    return counted(data, rng) if noise.value == "laplace" else told(data, rng)


def name_of_a_member(data, rng, noise=Word.LAPLACE):
    return counted(data, rng) if noise.name.lower() == "laplace" else told(data, rng)


def member_equal_to_its_text(data, rng, noise=Word.LAPLACE):
    return counted(data, rng) if noise == "laplace" else told(data, rng)


def member_by_its_value(data, rng, noise="laplace"):
    noise = Noise(noise)
    return counted(data, rng) if noise == Noise.LAPLACE else told(data, rng)


def member_by_its_name(data, rng, noise="LAPLACE"):
    return counted(data, rng) if Noise[noise] is Noise.LAPLACE else told(data, rng)


def member_in_an_order(data, rng, level=Level.HIGH):
    return counted(data, rng) if level >= Level.HIGH else told(data, rng)


def member_as_a_key(data, rng, noise=Noise.LAPLACE):
    return BY_MEMBER[noise](data, rng)


@dataclass(frozen=True)
class Settings:
    noise: Noise = Noise.LAPLACE
    epsilon: float = 1.0

    @property
    def scale(self):
        return 1 / self.epsilon


def member_of_settings(data, rng, settings=Settings()):
    return (counted if settings.noise is Noise.LAPLACE else told)(data, rng, settings.scale)


def member_of_settings_made_here(data, rng):
    settings = Settings(epsilon=2.0)
    return (counted if settings.noise is Noise.LAPLACE else told)(data, rng, settings.scale * 2)


# --- tables, names and partial functions


def table_of_the_module(data, rng, noise="laplace"):
    return CHOICES[noise](data, rng)


def table_that_is_asked(data, rng, noise="laplace"):
    release = CHOICES.get(noise)
    if release is None:
        raise ValueError(noise)
    return release(data, rng)


def table_in_the_function(data, rng, noise="laplace"):
    table = {"laplace": counted, "none": told}
    return table[noise](data, rng)


def table_of_lambdas(data, rng, noise="laplace"):
    table = {"laplace": lambda n: n + rng.laplace(), "none": lambda n: n}
    return table[noise](len(data))


def table_of_numbers(data, rng, width="narrow"):
    return counted(data, rng, SCALES[width])


def table_of_a_library(data, rng, noise="laplace"):
    return ADDED[noise](len(data), rng.laplace())


class Engine:
    def __init__(self, noise, epsilon):
        self.noise = noise
        self.epsilon = epsilon

    def add_laplace(self, value, rng):
        return value + rng.laplace(0, 1 / self.epsilon)

    def add_none(self, value, rng):
        return value

    def by_format(self, value, rng):
        return getattr(self, f"add_{self.noise}")(value, rng)

    def by_table(self, value, rng):
        adds = {"laplace": self.add_laplace, "none": self.add_none}[self.noise]
        return adds(value, rng)


def method_by_a_format(data, rng):
    return Engine("laplace", 1.0).by_format(len(data), rng)


def method_in_a_table(data, rng):
    return Engine("laplace", 1.0).by_table(len(data), rng)


def method_of_the_generator(data, rng, noise="laplace"):
    draw = rng.laplace if noise == "laplace" else rng.normal
    return len(data) + draw(0, 1.0)


def method_of_the_generator_by_name(data, rng, noise="laplace"):
    return len(data) + getattr(rng, noise)(0, 1.0)


def partial_by_name(data, rng, epsilon=1.0):
    release = functools.partial(counted, scale=1 / epsilon)
    return release(data, rng)


def partial_by_position(data, rng, epsilon=1.0):
    return functools.partial(counted, data)(rng, 1 / epsilon)


STEPS = [("laplace", counted), ("again", counted)]


def loop_over_functions(data, rng):
    return _released(data, rng)


def _released(data, rng):
    found = []
    for name, release in STEPS:
        value = release(data, rng, 2.0)
        found.append((name, value))
    return found


def dict_over_functions(data, rng, steps=STEPS):
    return {name: release(data, rng, 2.0) for name, release in steps}


def loop_over_members(data, rng):
    found = 0.0
    for noise in Noise:
        if noise is Noise.LAPLACE:
            found += counted(data, rng)
    return found


# --- numbers and texts


def text_in_other_letters(data, rng, noise=" Laplace"):
    noise = noise.strip().lower()
    return counted(data, rng) if noise.startswith("lap") else told(data, rng)


def sum_of_floats(data, rng, epsilon=0.30000000000000004):
    return counted(data, rng) if epsilon == 0.1 + 0.2 else told(data, rng)


def rounded_logarithm(data, rng, leaves=8):
    return counted(data, rng) if math.ceil(math.log2(leaves)) == 3 else told(data, rng)


def known_in_one_arm(data, rng, noise="laplace"):
    if rng.random() < 0.5:
        noise = "laplace"
    return counted(data, rng) if noise == "laplace" else told(data, rng)


def known_in_the_arm_that_goes_on(data, rng, noise="laplace"):
    if rng.random() < 0.5:
        noise = "none"
        return 0
    return counted(data, rng) if noise == "laplace" else told(data, rng)


def type_of_a_number(data, rng, epsilon=1.0):
    if type(epsilon) != float:  # noqa: E721
        return told(data, rng)
    return counted(data, rng) if type(epsilon) is float else told(data, rng)


SOUND = [
    type_of_a_number,
    member_by_identity, member_among_several, value_of_a_member, name_of_a_member,
    member_equal_to_its_text, member_by_its_value, member_by_its_name, member_in_an_order,
    loop_over_functions, dict_over_functions, loop_over_members, member_as_a_key,
    member_of_settings, member_of_settings_made_here, table_of_the_module, table_that_is_asked,
    table_in_the_function, table_of_lambdas, table_of_numbers, table_of_a_library,
    method_by_a_format, method_in_a_table, method_of_the_generator,
    method_of_the_generator_by_name, partial_by_name, partial_by_position, text_in_other_letters,
    sum_of_floats, rounded_logarithm, known_in_one_arm, known_in_the_arm_that_goes_on,
]  # fmt: skip
