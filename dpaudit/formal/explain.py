"""Bounds in words."""

from __future__ import annotations

from dpaudit.formal.bounds import Bound


def shown(bound: Bound | None) -> str:
    """Return a bound as text; floats' exact values in short."""
    import sympy

    if bound is None:
        return "?"
    if isinstance(bound, sympy.Rational) and bound.q > 10**6:
        return repr(float(bound))
    if bound is sympy.oo:
        return "∞"
    if bound == -sympy.oo:
        return "−∞"
    text = str(bound.xreplace({
        r: sympy.Float(r, 17) for r in bound.atoms(sympy.Rational) if r.q > 10**6
    }))  # fmt: skip
    return text
