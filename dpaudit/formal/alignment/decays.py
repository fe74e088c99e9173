"""Public numbers of the form a + b·e^X, from which the chance of a geometric draw is made."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.formal import rounding
from dpaudit.formal.alignment.poly import Poly
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported


@dataclass(frozen=True, slots=True)
class Decay:
    """``constant + factor · exp(exponent)``, the same in both runs.

    Attributes
    ----------
    constant, factor : Fraction
    exponent : Poly
        Of parameters alone.
    """

    constant: Fraction
    factor: Fraction
    exponent: Poly


def exponential(value: Any, place: Place, *, less: int = 0) -> Decay:
    """Return ``exp(value) - less``."""
    if not isinstance(value, Poly) or any(s.kind != "parameter" for s in value.symbols()):
        raise Unsupported("the exponential of what depends on data or noise", place)
    return Decay(Fraction(-less), Fraction(1), value)


def negated(value: Decay) -> Decay:
    """Return ``-value``."""
    return Decay(-value.constant, -value.factor, value.exponent)


def combined(name: str, left: Any, right: Any, place: Place) -> Decay:
    """Return a sum or a difference of such a number and a known one."""
    operation = name.removeprefix("operator.")
    if operation == "sub" and isinstance(right, Decay):
        operation, right = "add", negated(right)
    elif operation == "sub" and isinstance(right, Poly):
        operation, right = "add", -right
    decay, other = (left, right) if isinstance(left, Decay) else (right, left)
    known = other.constant if isinstance(other, Poly) else None
    if operation != "add" or known is None or abs(known) > 1:  # large ones swallow it in floats
        raise Unsupported(f"{operation} of an exponential and this value", place)
    return Decay(decay.constant + known, decay.factor, decay.exponent)


def rate_of(chance: Any, place: Place) -> Poly:
    """Return r where a geometric draw succeeds with chance 1 − e^(−r): each further try costs r.

    Pr[G = k] is proportional to e^(−rk) for k = 1, 2, … In floats 1 − e^(−40) is 1: no noise.
    """
    if not isinstance(chance, Decay) or chance.constant != 1 or chance.factor != -1:
        raise Unsupported("a geometric draw whose chance is not 1 - exp(-rate)", place)
    rate = -chance.exponent
    if (known := rate.constant) is not None and not rounding.keeps_rate(known):
        raise Unsupported("a geometric draw whose chance floats do not tell from 0 or 1", place)
    return rate
