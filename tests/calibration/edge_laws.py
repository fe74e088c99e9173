"""Laws of single numbers that are as uneven at their ends as a claim of `EPSILON` allows.

Fresh processes of an audit import this module, which is therefore light.
"""

import math

import numpy as np

EPSILON = 1.0
LIKELY = math.e / (1 + math.e)


def laplace(x, size, rng):
    """Both tails are as uneven as the claim allows, and far outputs come on any side."""
    return x + rng.laplace(size=size)


def geometric(x, size, rng):
    ratio = math.exp(-1)
    return x + rng.geometric(1 - ratio, size) - rng.geometric(1 - ratio, size)


def uneven_ends(x, size, rng):
    """A tenth at either end comes e times as often from one side as from the other."""
    mine = rng.random(size) < LIKELY
    beyond = np.where(mine, 2 * x - 1, 1 - 2 * x) * (1 + rng.random(size))
    return np.where(rng.random(size) < 0.2, beyond, rng.random(size) - 0.5)


def randomized_response(x, size, rng):
    return np.where(rng.random(size) < LIKELY, x, 1 - x).astype(float)


def uneven_at_every_scale(x, size, rng):
    """Thirds of each dyadic scale at either end are uneven, for one side and the other by turns."""
    depth = 3 * rng.geometric(0.5, size) + rng.integers(0, 3, size)
    up = np.where(rng.random(size) < LIKELY, x, 1 - x) == depth % 2
    return np.where(up, 1, -1) * (depth + rng.random(size))


def ties_and_what_is_no_number(x, size, rng):
    """The ends are infinite and NaN comes too, all of them as uneven as the claim allows."""
    mine = rng.random(size) < LIKELY
    ends = np.array([[np.inf, -np.inf, np.nan], [-np.inf, np.inf, np.nan]])
    rare = ends[np.where(mine, x, 1 - x), rng.integers(0, 3, size)]
    return np.where(rng.random(size) < 0.3, rare, rng.integers(0, 3, size))


def no_difference(x, size, rng):
    return rng.normal(size=size)


LAWS = (
    laplace,
    geometric,
    uneven_ends,
    randomized_response,
    uneven_at_every_scale,
    ties_and_what_is_no_number,
    no_difference,
)
