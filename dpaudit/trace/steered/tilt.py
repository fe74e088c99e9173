"""The law that a noise call is drawn from instead of its own.

Ranks are cut into strata that halve towards both ends, and a stratum comes with a probability of
ours; within it, noise is distributed as ever. So the likelihood ratio is one number a stratum, and
with a part of the own law kept in the mixture it never exceeds one over that part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpaudit.trace.steered.noise import Floats, Noise

DEPTH = 40  # strata at each end; the last one holds a probability of 2**-40
OWN = 0.5  # of the own law is kept
LOOKED = 0.2  # of the rest is spread over all strata, also where something was learned

_EDGES = np.concatenate([[0.0], 0.5 ** np.arange(DEPTH, 0, -1.0)])  # of ranks at either end
_MASSES = np.tile(np.diff(_EDGES), 2)  # the lower end, and then the upper one
STRATA = 2 * DEPTH


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """Probabilities of the strata.

    Attributes
    ----------
    parts : ndarray of float, shape (80,)
        They sum to one.
    """

    parts: Floats

    @staticmethod
    def towards(wanted: Floats | None) -> Tilt:
        """Return the mixture of the own law, of all strata alike, and of what is wanted.

        Parameters
        ----------
        wanted : ndarray of float, shape (80,), or None
            Weights at least 0 of the strata; None where nothing is known.
        """
        aim = np.full(STRATA, 1.0 / STRATA)
        if wanted is not None and wanted.sum() > 0:
            aim = LOOKED * aim + (1 - LOOKED) * wanted / wanted.sum()
        return Tilt(OWN * _MASSES + (1 - OWN) * aim)

    def draw(self, noise: Noise, rng: np.random.Generator) -> float:
        """Draw a value of a law, steered."""
        place, within = rng.random(2)
        stratum = min(int(np.searchsorted(self.parts.cumsum(), place)), STRATA - 1)
        upper, at = divmod(stratum, DEPTH)
        rank = _EDGES[at + 1] - within * (_EDGES[at + 1] - _EDGES[at])  # never 0
        return noise.at(float(rank), upper=bool(upper))

    def ratio(self, masses: Floats) -> float:
        """Return the own probability of an interval over its steered one.

        Parameters
        ----------
        masses : ndarray of float, shape (80,)
            Of the interval in each stratum. See `spread`.
        """
        return float(masses.sum() / (masses * self.parts / _MASSES).sum())


NATURAL = Tilt(_MASSES)  # a law itself


def spread(noise: Noise, low: float, high: float) -> Floats:
    """Return the own probability of an interval, stratum by stratum."""
    (below, above), (under, over) = noise.tails(low), noise.tails(high)
    found = []
    for start, stop in ((below, under), (over, above)):
        inside = np.clip(_EDGES, min(float(start), 0.5), min(float(stop), 0.5))
        found.append(np.diff(inside))
    return np.concatenate(found)


def stratum_of(noise: Noise, value: float) -> Floats:
    """Return an interval about a value as `spread` does, so small that its size does not matter."""
    below, above = noise.tails(value)
    upper = bool(above < below)
    rank = float(above if upper else below)
    at = int(np.clip(np.searchsorted(_EDGES, rank, side="left") - 1, 0, DEPTH - 1))
    found = np.zeros(STRATA)
    found[at + DEPTH * upper] = 1.0
    return found
