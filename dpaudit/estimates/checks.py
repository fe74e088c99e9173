"""What the estimates are given besides samples: each is checked at the door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims.validation import real

Floats = NDArray[np.float64]

LARGEST_EPSILON = 700.0  # beyond it exp overflows


def check_confidence(confidence: float) -> None:
    """Raise unless a confidence lies strictly between 0 and 1."""
    if not 0 < real("confidence", confidence, "pass e.g. 0.95") < 1:
        raise ValueError(
            f"`confidence` must lie strictly between 0 and 1, got {confidence!r}; pass e.g. 0.95"
        )


def check_delta(delta: float) -> None:
    """Raise unless a δ is in [0, 1)."""
    if not 0 <= real("delta", delta, "pass e.g. 1e-6") < 1:
        raise ValueError(f"`delta` must be in [0, 1), got {delta!r}; pass e.g. 1e-6")


def check_epsilon(epsilon: float) -> None:
    """Raise unless an ε can be exponentiated."""
    if not abs(real("epsilon", epsilon, "pass nats")) <= LARGEST_EPSILON:
        raise ValueError(
            f"`epsilon` must be a number from −{LARGEST_EPSILON:g} to {LARGEST_EPSILON:g}, "
            f"got {epsilon!r}; pass nats"
        )


def whole(name: str, value: Any, least: int, remedy: str) -> int:
    """Return a whole number of at least `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"`{name}` must be a whole number, got {value!r}; {remedy}")
    if int(value.__index__()) < least:
        raise ValueError(f"`{name}` must be at least {least}, got {value!r}; {remedy}")
    return int(value.__index__())


def check_seed(seed: int) -> None:
    """Raise unless a seed is a whole number of at least 0."""
    whole("seed", seed, 0, "the same number gives the same estimate, pass e.g. 0")


def floats(name: str, values: Any, remedy: str) -> Floats:
    """Return an array of numbers."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must hold numbers, got {values!r}; {remedy}") from None


def curve(name: str, values: Any, remedy: str) -> Floats:
    """Return where a curve is wanted: one number, or several in one row."""
    at = np.atleast_1d(floats(name, values, remedy))
    if at.ndim > 1 or not at.size:
        raise ValueError(
            f"`{name}` must be a number or a row of numbers, got shape {at.shape}; {remedy}"
        )
    return at


def outcomes(support: Any) -> list[Any]:
    """Return all outcomes that the caller names."""
    if isinstance(support, str | bytes | Mapping) or not isinstance(support, Iterable):
        raise TypeError(
            f"`support` must list all outcomes there are, got {support!r}; pass e.g. [False, True]"
        )
    return list(support)


def check_claim(name: str, claim: Any) -> None:
    """Raise unless something is a claim, or None."""
    if claim is not None and not hasattr(claim, "log_slopes"):
        raise TypeError(f"`{name}` must be a claim, got {claim!r}; pass e.g. PureDP(1.0)")
