"""Rows as learning mechanisms take them; apart, so that a worker need not import the audits."""

from collections.abc import Callable
from typing import Any

import numpy as np


def labelled(mechanism: Callable[..., Any], data: np.ndarray, rng: np.random.Generator) -> Any:
    """Run a mechanism on the rows (x, 1)."""
    return mechanism(np.column_stack((data, np.ones(len(data)))), rng)


def tabled(mechanism: Callable[..., Any], data: np.ndarray, rng: np.random.Generator) -> Any:
    """Run a mechanism on the rows of a structured array of floats."""
    width = len(data.dtype.names)
    return mechanism(data.view(np.float64).reshape(len(data), width), rng)
