"""Exponentials as powers of a few units, so that exp(2x) is the square of exp(x)."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm

import sympy

Exponent = dict[sympy.Expr, sympy.Rational]


def exponent_of(node: sympy.Expr) -> Exponent | None:
    """Return the exponent of a power of e as a sum of rational multiples.

    Parameters
    ----------
    node : sympy expression

    Returns
    -------
    dict of expression to rational, or None
        None where the node is no exponential and no power with a variable exponent.
    """
    if isinstance(node, sympy.exp):
        total = node.args[0]
    elif isinstance(node, sympy.Pow) and not node.args[1].is_Rational:
        base, exponent = node.args
        if base is sympy.E:
            total = exponent
        else:
            total = sympy.expand(exponent) * sympy.Symbol("log(base)")
            found = _terms(sympy.expand(total))
            name, actual = sympy.Symbol("log(base)"), sympy.log(base)
            # sympy turns exp(n log x) back into x**n, so the product is kept apart from exp.
            return {term.xreplace({name: actual}): factor for term, factor in found.items()}
    else:
        return None
    return _terms(sympy.expand(total))


def units(nodes: Iterable[sympy.Expr]) -> dict[sympy.Expr, int]:
    """Return for each term that occurs in an exponent the common denominator of its multiples."""
    found: dict[sympy.Expr, int] = {}
    for node in nodes:
        for part in sympy.preorder_traversal(node):
            exponent = exponent_of(part) if isinstance(part, sympy.Expr) else None
            for term, factor in (exponent or {}).items():
                found[term] = lcm(found.get(term, 1), int(factor.q))
    return found


def _terms(total: sympy.Expr) -> Exponent:
    found: Exponent = {}
    for term in sympy.Add.make_args(total):
        factor, rest = term.as_coeff_Mul(rational=True)
        found[rest] = found.get(rest, sympy.Integer(0)) + factor
    return {term: factor for term, factor in found.items() if factor != 0}
