"""Generators that a mechanism keeps for itself, and how to seed them.

A forked process inherits the state of every generator that exists. Two forks would draw the same
numbers, and what they return would be no two samples.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

_KINDS = (np.random.BitGenerator, np.random.RandomState, random.Random)


def owned_generators() -> list[Any]:
    """Return all bit generators and `random.Random` objects that are alive, in a fixed order."""
    found = [each for each in gc.get_objects() if isinstance(each, _KINDS)]
    wrapped = [
        each.bit_generator for each in gc.get_objects() if isinstance(each, np.random.Generator)
    ]
    return list({id(each): each for each in [*found, *wrapped]}.values())


def reseed(generators: Sequence[Any], key: tuple[int, ...]) -> None:
    """Seed each generator from the key and its place in the list.

    The system's own randomness (`random.SystemRandom`) keeps nothing, and stays as it is.
    """
    for place, generator in enumerate(generators):
        seeds = np.random.SeedSequence([*key, place])
        if isinstance(generator, np.random.BitGenerator):
            generator.state = type(generator)(seeds).state
        elif isinstance(generator, np.random.RandomState):
            generator.seed(seeds.generate_state(8))
        elif not isinstance(generator, random.SystemRandom):
            generator.seed(int.from_bytes(seeds.generate_state(8).tobytes(), "little"))
