"""Draws of noise in the float analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.floats import arithmetic
from dpaudit.floats.functions import numbers
from dpaudit.floats.ledger import RELATIVE, Ledger
from dpaudit.floats.values import (
    DOUBLE,
    FRESH,
    INF,
    Many,
    Noise,
    Num,
    Refused,
    Thing,
    Unknown,
    beyond,
    flat,
    point,
)

TAIL = 64.0  # scales; beyond lies less than e^-64 of Laplace, Gumbel or exponential noise
_CONTINUOUS = frozenset(["laplace", "normal", "exponential", "gumbel", "logistic"])
_STANDARD = {"standard_normal": "normal", "standard_exponential": "exponential"}


def draw(
    family: str, given: dict[str, Any], serial: int, size: float, ledger: Ledger, place: str
) -> Any:
    """Return a draw.

    Parameters
    ----------
    family : str
    given : dict of str to value
        As in `numpy.random.Generator`.
    serial : int
        By which draws are told apart.
    size : float
        How many numbers are drawn.
    ledger : Ledger
    place : str
    """
    draws = frozenset({serial})
    family = _STANDARD.get(family, family)
    scalar = family != "permutation" and "size" not in given

    def argument(name: str, default: float) -> Num:
        (number,) = numbers([given.get(name, point(default))], place)
        return number

    if family in _CONTINUOUS:
        scale, loc = argument("scale", 1.0), argument("loc", 0.0)
        width = _scale(scale, place)
        if scale.known and scale.low == 0:
            return loc
        ledger.show(given.get("scale"))
        tail = TAIL * scale.high
        grows = scale.noise is not None and scale.high == INF and not scale.private
        scaled_by = scale.noise.draws if scale.noise is not None and grows else frozenset()
        low = 0.0 if family == "exponential" else -tail
        kind = Noise(width, draws, role=FRESH, scaled_by=scaled_by, normal=family == "normal")
        size, scalar = max(size, scale.size, loc.size), scalar and scale.scalar
        noise = Num(low, tail, size=size, scalar=scalar, noise=kind, private=False)
        noise = beyond(noise)
        return noise if "loc" not in given else arithmetic.add(loc, noise, ledger, place)
    if family in ("random", "uniform"):
        least, greatest = argument("low", 0.0), argument("high", 1.0)
        ledger.uniform |= draws
        width = greatest.low - least.high
        ends = (least.low, greatest.high) if least.known and greatest.known else None
        plain = Noise(max(0.0, width), draws, uniform=ends, role=FRESH)
        error = DOUBLE * max(abs(least.low), greatest.high)
        return Num(least.low, greatest.high, error, private=False, size=size, scalar=scalar,
                   noise=plain, rel=2.0**-52)  # fmt: skip
    if family in ("standard_cauchy", "gamma", "standard_gamma", "standard_t", "beta"):
        width = 1.0 if family == "standard_cauchy" else 0.0
        for value in given.values():
            numbers([value], place)
        return Num(
            -(2.0**90),
            2.0**90,
            size=size,
            scalar=scalar,
            noise=Noise(width, draws, role=FRESH),
            private=False,
        )
    return _discrete(family, given, draws, size, scalar, ledger, place)


def _scale(scale: Num, place: str) -> float:
    """Return the least scale; its own error must not matter."""
    if scale.low <= 0 and not (scale.known and scale.low == 0):
        return 0.0
    if scale.noise is None and scale.error > RELATIVE * scale.low:
        raise Refused(
            f"a noise scale of {scale.low:.3g} with an error up to {scale.error:.2g}", place
        )
    if scale.low > 0:
        arithmetic.validate_width(scale.low, place)
    return scale.low


def _discrete(
    family: str, given: dict[str, Any], draws: frozenset[int], size: float, scalar: bool,
    ledger: Ledger, place: str,
) -> Any:  # fmt: skip
    if family == "geometric":
        (p,) = numbers([given["p"]], place)
        ledger.probability(p, place, step=0.0)
        low = max(p.low, 2.0**-40)
        return Num(1.0, TAIL / low, whole=True, size=size, scalar=scalar,
                   noise=Noise(1.0, draws, discrete=True, role=FRESH), private=False)  # fmt: skip
    if family == "binomial":
        p, n = (numbers([given[name]], place)[0] for name in ("p", "n"))
        ledger.probability(p, place)
        return Num(0.0, n.high, whole=True, size=size, scalar=scalar,
                   noise=Noise(1.0, draws, discrete=True, role=FRESH), private=False)  # fmt: skip
    if family == "integers":
        limits = [given.get(name) for name in ("low", "high")]
        ends = numbers([v for v in limits if v is not None and flat(v) is not None], place)
        first, last = (point(0), ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        return Num(first.low, last.high, whole=True, size=size, scalar=scalar, unit=DOUBLE,
                   noise=Noise(1.0, draws, discrete=True, role=FRESH), private=False)  # fmt: skip
    if family == "bytes":
        return Thing(("some", None))
    if family in ("choice", "permutation", "permuted", "shuffle"):
        return _chosen(given, draws, size, scalar, ledger, place)
    return Unknown(f"the float analysis does not know {family} noise")


def _chosen(
    given: dict[str, Any], draws: frozenset[int], size: float, scalar: bool, ledger: Ledger,
    place: str,
) -> Any:  # fmt: skip
    weights = given.get("p")
    if weights is not None and not (isinstance(weights, Thing) and weights.value is None):
        items = weights.items if isinstance(weights, Many) else [weights]
        shares = [arithmetic.share(p) for p in numbers(items, place)]
        ledger.loss += 4 * max((p.tilt for p in shares), default=0.0) * ledger.repeats[-1]
        for p in shares:
            ledger.probability(p, place)
    among = given.get("a", given.get("x"))
    value = flat(among)
    if not isinstance(value, Num):
        return among if value is None else value
    noise = Noise(0.0, draws, discrete=True)
    if value.scalar and not isinstance(among, Many):
        return Num(0.0, max(value.high, 0.0), whole=True, size=max(size, value.high), scalar=scalar,
                   noise=noise, private=value.private)  # fmt: skip
    return replace(value, scalar=scalar and "size" not in given and weights is not None)
