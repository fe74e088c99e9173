"""What may be claimed: every parameter is checked before a claim exists."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any


def real(name: str, value: Any, remedy: str) -> float:
    """Return `value` as a float, refusing what is not a real number, or NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"`{name}` must be a real number, got {value!r}; {remedy}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf  # too large for a double, of either sign
    if math.isnan(number):
        raise ValueError(f"`{name}` must be a number, got nan; {remedy}")
    return number


def nonnegative(name: str, value: Any, remedy: str) -> float:
    """Return `value` as a finite float of at least 0."""
    number = real(name, value, remedy)
    if number < 0 or math.isinf(number):
        raise ValueError(f"`{name}` must be finite and at least 0, got {value!r}; {remedy}")
    return abs(number)  # -0.0 becomes 0.0


def delta(value: Any) -> float:
    """Return `value` as a float in [0, 1)."""
    remedy = "for pure DP use PureDP(epsilon)"
    number = real("delta", value, remedy)
    if not 0 <= number < 1:
        raise ValueError(f"`delta` must be in [0, 1), got {value!r}; {remedy}")
    return abs(number)


TOO_LOW = "order infinity is PureDP(epsilon), and order 1 (KL) bounds too little to be audited"


def order(value: Any, remedy: str = TOO_LOW) -> float:
    """Return `value` as a finite Rényi order above 1."""
    number = real("order", value, remedy)
    if not 1 < number < math.inf:
        raise ValueError(f"`order` must be finite and above 1, got {value!r}; {remedy}")
    return number


def rate(value: Any) -> float:
    """Return a sampling rate in (0, 1]."""
    remedy = "give the share of records that is sampled, such as 0.01"
    number = real("rate", value, remedy)
    if not 0 < number <= 1:
        raise ValueError(f"`rate` must be in (0, 1], got {value!r}; {remedy}")
    return number


def group(value: Any) -> int:
    """Return a group size of at least 1."""
    remedy = "give the number of records that one group holds"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"`k` must be an integer, got {value!r}; {remedy}")
    size = int(value.__index__())
    if size < 1:
        raise ValueError(f"`k` must be at least 1, got {value!r}; {remedy}")
    return size


def relation(value: Any) -> str:
    """Return the name of a neighboring relation."""
    if value not in ("add/remove", "replace-one"):
        raise ValueError(
            f"`relation` must be 'add/remove' or 'replace-one', got {value!r}; "
            "name the relation that the claim is stated for"
        )
    return str(value)


def function(name: str, value: Any, example: str) -> Callable[..., Any]:
    """Return `value`, refusing what cannot be called."""
    if not callable(value):
        raise TypeError(f"`{name}` must be callable, got {value!r}; give one such as {example}")
    checked: Callable[..., Any] = value
    return checked
