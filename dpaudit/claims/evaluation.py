"""Functions that users hand over: how they are called, and what they must satisfy on a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.claims.rounding import Array

_TOLERANCE = 1e-9


def evaluate(function: Callable[[Any], Any], points: Array) -> Array:
    """Return the function at every point, one call for all where it takes arrays."""
    flat = points.ravel()
    if flat.size > 1:
        try:
            values = np.asarray(function(flat), dtype=np.float64)
        except Exception:  # a function of scalars may fail in any way on an array
            values = np.empty(0)
        middle = flat.size // 2
        if values.shape == flat.shape and values[middle] == _number(function(float(flat[middle]))):
            return _finite(values).reshape(points.shape)
    values = np.array([_number(function(float(point))) for point in flat], dtype=np.float64)
    return _finite(values).reshape(points.shape)


def _number(value: Any) -> float:
    try:
        # a string would pass float(), though it is no number
        return float(value if not isinstance(value, str | bytes) else "not a number")
    except (TypeError, ValueError):
        raise TypeError(
            f"`function` must return numbers, got {value!r}; return a float for every argument"
        ) from None


def _finite(values: Array) -> Array:
    if np.isnan(values).any():
        raise ValueError("`function` must return numbers, got nan; return a float everywhere")
    return values


def validate_tradeoff(values_at: Callable[[Array], Array]) -> None:
    """Refuse what is seen not to be convex, falling, in [0, 1] and at most 1 - alpha."""
    tails = np.logspace(-12, -2.2, 30)
    alpha = np.concatenate([[0.0], tails, np.linspace(0.01, 0.99, 99), 1.0 - tails[::-1], [1.0]])
    values = values_at(alpha)
    remedy = "give a trade-off function such as GaussianDP(1.0).beta"
    _validate_range(alpha, values, "alpha", remedy)
    _validate_falling(alpha, values, "alpha", remedy)
    over = values > 1.0 - alpha + _TOLERANCE
    if over.any():
        i = int(over.argmax())
        raise ValueError(
            f"`function` must be at most 1 - alpha, got {values[i]!r} at alpha = {alpha[i]!r}: "
            f"guessing does better; {remedy}"
        )
    _validate_convex(alpha, values, alpha, "alpha", remedy)


def validate_profile(values_at: Callable[[Array], Array]) -> None:
    """Refuse what is seen not to be falling, in [0, 1] and convex in exp(epsilon)."""
    epsilon = np.concatenate([np.linspace(0.0, 6.0, 121), np.linspace(6.5, 30.0, 48)])
    values = values_at(epsilon)
    remedy = "give a privacy profile such as GaussianDP(1.0).delta, or use ApproxDP(epsilon, delta)"
    _validate_range(epsilon, values, "epsilon", remedy)
    _validate_falling(epsilon, values, "epsilon", remedy)
    _validate_convex(np.exp(epsilon), values, epsilon, "exp(epsilon)", remedy)


def _validate_range(points: Array, values: Array, name: str, remedy: str) -> None:
    outside = (values < 0) | (values > 1)
    if outside.any():
        i = int(outside.argmax())
        raise ValueError(
            f"`function` must stay in [0, 1], got {float(values[i])!r} at {name} = "
            f"{float(points[i])!r}; {remedy}"
        )


def _validate_falling(points: Array, values: Array, name: str, remedy: str) -> None:
    rises = np.diff(values) > _TOLERANCE
    if rises.any():
        i = int(rises.argmax()) + 1
        raise ValueError(
            f"`function` must be non-increasing, got a rise to {float(values[i])!r} at {name} = "
            f"{float(points[i])!r}; {remedy}"
        )


def _validate_convex(x: Array, values: Array, points: Array, name: str, remedy: str) -> None:
    share = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    chord = (1.0 - share) * values[:-2] + share * values[2:]
    above = values[1:-1] > chord + _TOLERANCE
    if above.any():
        i = int(above.argmax()) + 1
        raise ValueError(
            f"`function` must be convex in {name}, got {float(values[i])!r} at "
            f"{float(points[i])!r}, above its chord: no mechanism has it; {remedy}"
        )
