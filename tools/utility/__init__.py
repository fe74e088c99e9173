"""How far each reference mechanism's answer lies from the truth: as its paper says, as measured.

One table serves the accuracy tests and the plots of the gallery; a module a family.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Utility:
    """The expected loss of a mechanism as a function of epsilon.

    Parameters
    ----------
    mechanism : str
        Name of the module in `mechanisms`.
    loss : str
        What one draw measures, as the label of an axis.
    measure : callable
        ``(epsilon, rng)`` to the loss of one draw.
    expected : callable
        epsilon to the expectation of the loss, or to a bound on it.
    source : str
        Where the closed form is from.
    exact : bool, default: True
        Whether `expected` is the expectation itself; an upper bound on it otherwise.
    epsilons : tuple of float
        Where the loss is measured, in nats.
    draws : int, default: 2000
        How many draws each point has.
    """

    mechanism: str
    loss: str
    measure: Callable[[float, np.random.Generator], float]
    expected: Callable[[float], float]
    source: str
    exact: bool = True
    epsilons: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    draws: int = 2000

    def measured(self, epsilon: float, seed: int = 0) -> tuple[float, float]:
        """Measure the mean loss.

        Parameters
        ----------
        epsilon : float
            In nats.
        seed : int, default: 0

        Returns
        -------
        mean : float
        error : float
            Its standard error.
        """
        rng = np.random.default_rng(seed)
        losses = np.array([self.measure(epsilon, rng) for _ in range(self.draws)])
        return float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(self.draws))


def all_utilities() -> tuple[Utility, ...]:
    """Return the utilities of every family.

    Returns
    -------
    tuple of Utility
    """
    families = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{family}") for family in families]
    return tuple(utility for module in modules for utility in module.UTILITIES)
