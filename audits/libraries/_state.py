"""The generator as diffprivlib takes it; apart, so that a worker need not import the audits."""

import numpy as np


def state(rng: np.random.Generator) -> np.random.RandomState:
    """Return a `RandomState` on the same stream, so that both sides of a pair can be coupled."""
    return np.random.RandomState(rng.bit_generator)
