"""The laws of noise that can be steered: their masses, tails first, and their quantiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.trace.draws import Request

Floats = NDArray[np.float64]
Function = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Family:
    """A continuous law in its standard form.

    Attributes
    ----------
    below, above : callable
        The probability of values below, and above, a number.
    from_below, from_above : callable
        The numbers below, and above, which a probability of at most one half lies.
    """

    below: Function
    above: Function
    from_below: Function
    from_above: Function


def _of_scipy(name: str) -> Function:
    """Return a function of scipy.special, which takes long to import, and is seldom needed."""

    def function(x: Any) -> Any:
        from scipy import special

        return getattr(special, name)(x)

    return function


def _laplace_tail(x: Any) -> Any:
    far = 0.5 * np.exp(-np.abs(x))
    return np.where(x < 0, 1.0 - far, far)


_ndtr, _ndtri, _expit, _logit = map(_of_scipy, ("ndtr", "ndtri", "expit", "logit"))
FAMILIES: Mapping[str, Family] = {
    "uniform": Family(
        lambda x: np.clip(x, 0.0, 1.0),
        lambda x: 1.0 - np.clip(x, 0.0, 1.0),
        lambda r: r,
        lambda r: 1.0 - r,
    ),
    "normal": Family(_ndtr, lambda x: _ndtr(-x), _ndtri, lambda r: -_ndtri(r)),
    "laplace": Family(
        lambda x: _laplace_tail(-x),
        _laplace_tail,
        lambda r: np.log(2.0 * r),
        lambda r: -np.log(2.0 * r),
    ),
    "logistic": Family(_expit, lambda x: _expit(-x), _logit, lambda r: -_logit(r)),
    "exponential": Family(
        lambda x: -np.expm1(-np.maximum(x, 0.0)),
        lambda x: np.exp(-np.maximum(x, 0.0)),
        lambda r: -np.log1p(-r),
        lambda r: -np.log(r),
    ),
    "gumbel": Family(
        lambda x: np.exp(-np.exp(-x)),
        lambda x: -np.expm1(-np.exp(-x)),
        lambda r: -np.log(-np.log(r)),
        lambda r: -np.log(-np.log1p(-r)),
    ),
}
_KINDS = {
    **dict.fromkeys(("normal", "standard_normal", "gauss", "normalvariate"), "normal"),
    **dict.fromkeys(("random", "random_sample", "uniform", "rand"), "uniform"),
    **dict.fromkeys(("exponential", "standard_exponential", "expovariate"), "exponential"),
    **dict.fromkeys(("laplace", "logistic", "gumbel"), ""),
    "randn": "normal",
}
_KNOWN = {"loc", "scale", "size", "mu", "sigma", "low", "high", "a", "b", "lambd", "random_state"}


@dataclass(frozen=True, slots=True)
class Noise:
    """The law of one number: ``loc + scale · standard``.

    Attributes
    ----------
    family : str
    loc, scale : float
    """

    family: str
    loc: float
    scale: float

    @staticmethod
    def of(request: Request) -> Noise | None:
        """Return the law of a noise call for one number; None where it cannot be steered."""
        family = _KINDS.get(request.kind)
        arguments = request.arguments
        if family is None or not arguments.keys() <= _KNOWN or arguments.get("size") is not None:
            return None
        try:
            loc, scale = _placed(request.kind, arguments)
        except (TypeError, ValueError):
            return None
        if not (math.isfinite(loc) and math.isfinite(scale) and scale > 0):
            return None
        return Noise(family or request.kind, loc, scale)

    def tails(self, value: Any) -> tuple[Any, Any]:
        """Return the probability of smaller and of larger values."""
        standard = (value - self.loc) / self.scale
        family = FAMILIES[self.family]
        with np.errstate(all="ignore"):
            return family.below(standard), family.above(standard)

    def mass(self, low: Any, high: Any) -> Any:
        """Return the probability of an interval, precisely in either tail; 0 where it is empty."""
        (below, above), (under, over) = self.tails(low), self.tails(high)
        return np.maximum(np.where(below > 0.5, above - over, under - below), 0.0)

    def at(self, rank: float, *, upper: bool) -> float:
        """Return the value above which (below which) lies a probability of at most one half."""
        family = FAMILIES[self.family]
        standard = family.from_above(rank) if upper else family.from_below(rank)
        return float(self.loc + self.scale * standard)


def _placed(kind: str, arguments: Mapping[str, Any]) -> tuple[float, float]:
    """Return location and scale."""
    if kind == "uniform" and "scale" not in arguments:
        low = float(arguments["a"] if "a" in arguments else arguments["low"])
        return low, float(arguments["b"] if "b" in arguments else arguments["high"]) - low
    if kind == "expovariate":
        return 0.0, 1.0 / float(arguments["lambd"])
    loc = arguments.get("loc", arguments.get("mu", 0.0))
    return float(loc), float(arguments.get("scale", arguments.get("sigma", 1.0)))
