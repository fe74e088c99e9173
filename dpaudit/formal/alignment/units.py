"""The price of moving a draw, in a unit that leaves all prices polynomial."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.trace import Drawn
from dpaudit.formal.unsupported import Unsupported


@dataclass(frozen=True, slots=True)
class Prices:
    """What shifts cost.

    Attributes
    ----------
    unit : str
        What one unit is, in nats.
    rates : dict of Poly to Poly
        Units per unit of shift, by the scale of the noise.
    claim : Poly
        The budget in units.
    """

    unit: str
    rates: dict[Poly, Poly]
    claim: Poly


def prices(draws: Iterable[Drawn], claim: Fraction | str, parameters: Iterable[Symbol]) -> Prices:
    """Return the prices of all draws, and the claim, in units of which each is a polynomial.

    The density of Laplace, exponential and Gumbel noise of scale b falls by a factor of at most
    e^(|s|/b) on a shift s (up to its sign, see `noise`), so that a shift costs 1/b nats a unit; the
    law of geometric noise falls by e^(s/b) on a whole shift s >= 0.
    """
    names = {p.name: p for p in parameters}
    if missing := sorted(named(str(claim)) - set(names)):
        raise Unsupported(f"the claim {claim} names {missing[0]}, which is not symbolic", None)
    local = {name: sympy.Symbol(name, positive=True) for name in names}
    scales = {d.scale for d in draws}
    budget = formula(str(claim), local)
    rates = {scale: sympy.cancel(1 / formula(str(scale), local)) for scale in scales}
    for value in (budget, *rates.values()):
        if not value.is_finite or not _is_fraction(value, local):
            raise Unsupported(f"{value} is no fraction of polynomials of the parameters", None)
    unit = _unit([*rates.values(), budget])
    if not unit.is_positive:
        raise Unsupported(f"costs in units of {unit}, which may be negative", None)
    return Prices(
        str(unit),
        {scale: _poly(rate / unit, names) for scale, rate in rates.items()},
        _poly(budget / unit, names),
    )


def formula(text: str, values: dict[str, Any]) -> Any:
    """Read a formula with values or symbols for its names; a decimal is the number it stands for.

    ``Rational("p/q")`` is exact, and so is the text of a Fraction: ``p/q``.
    """
    return sympy.sympify(text, locals=values, rational=True)


def named(text: str) -> frozenset[str]:
    """Return the names in a formula."""
    nodes = ast.walk(ast.parse(text.strip(), mode="eval"))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _is_fraction(value: Any, local: dict[str, Any]) -> bool:
    """Whether a value is a fraction of polynomials, its coefficients rational."""
    if not value.is_rational_function(*local.values()):
        return False
    parts = sympy.fraction(sympy.together(value))
    if not local:
        return all(part.is_Rational for part in parts)
    return all(c.is_Rational for p in parts for c in sympy.Poly(p, *local.values()).coeffs())


def _unit(values: list[Any]) -> Any:
    tops, bottoms = zip(*(sympy.fraction(sympy.together(v)) for v in values), strict=True)
    top, bottom = sympy.Integer(0), sympy.Integer(1)
    for value in tops:
        top = sympy.gcd(top, value)
    for value in bottoms:
        bottom = sympy.lcm(bottom, value)
    unit = sympy.cancel(top / bottom)
    return unit if unit != 0 else sympy.Integer(1)


def _poly(value: Any, names: dict[str, Symbol]) -> Poly:
    expanded = (
        sympy.Poly(sympy.cancel(value), *[sympy.Symbol(n, positive=True) for n in names])
        if names
        else None
    )
    if expanded is None:
        rational = sympy.Rational(sympy.cancel(value))
        return Poly.of(Fraction(int(rational.p), int(rational.q)))
    symbols = list(names.values())
    total = Poly({})
    for powers, coefficient in expanded.terms():
        rational = sympy.Rational(coefficient)
        term = Poly.of(Fraction(int(rational.p), int(rational.q)))
        for symbol, power in zip(symbols, powers, strict=True):
            for _ in range(power):
                term = term * Poly.of(symbol)
        total = total + term
    return total
