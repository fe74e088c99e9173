"""The unit of costs, in which all prices are polynomials."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

import sympy

from dpaudit.checker.alignment.ratios import Ratio, parsed


def unit_of(values: Iterable[Ratio], names: Iterable[str]) -> Ratio:
    """Return the largest number of which all values are polynomial multiples.

    Parameters
    ----------
    values : iterable of Ratio
        Prices and the claim, in nats.
    names : iterable of str
        Their parameters.
    """
    symbols = {name: sympy.Symbol(name, positive=True) for name in names}
    top, bottom = sympy.Integer(0), sympy.Integer(1)
    for value in values:
        above, below = sympy.fraction(sympy.together(formula(str(value), symbols)))
        top, bottom = sympy.gcd(top, above), sympy.lcm(bottom, below)
    unit = sympy.cancel(top / bottom)
    return Ratio.of(1) if unit == 0 else parsed(str(unit), symbols, "the unit of costs")


def formula(text: str, values: dict[str, Any]) -> Any:
    """Read a formula with values or symbols for its names; a decimal is the number it stands for.

    ``Rational("p/q")`` is exact, and so is the text of a Fraction: ``p/q``.
    """
    return sympy.sympify(text, locals=values, rational=True)


def named(text: str) -> frozenset[str]:
    """Return the names in a formula."""
    nodes = ast.walk(ast.parse(text.strip(), mode="eval"))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))
