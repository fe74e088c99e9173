"""Formulas of certificates: numbers and statements about both runs, as lists.

A number is ``["number", "p/q"]``, ``["parameter", name]``, ``["length"]``, a variable of the loop's
head in the first run ``["state", name]`` and what it is more in the second ``["change", name]``, an
entry of the data ``["input", "q[%i0]"]`` and ``["input change", "q[%i0]"]``, the k-th draw of the
path and its shift ``["draw", k]`` and ``["shift", k]``, ``["cost"]``, ``["changes"]`` (of all
entries so far), or ``+``, ``-``, ``*``, ``if`` of such. A truth is ``["same", list]`` (one in both
runs), or ``<=``, ``<``, ``>=``, ``>``, ``=`` of two numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dpaudit.checker.alignment.content import Form
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.terms import LENGTH

COST, CHANGES = ["cost"], ["changes"]


def number(value: Fraction | int) -> Form:
    """Return a known number."""
    return ["number", str(Fraction(value))]


def size(value: Form) -> Form:
    """Return an absolute value."""
    return ["if", [">=", value, number(0)], value, ["-", number(0), value]]


def of_polynomial(poly: Ratio, names: Mapping[str, Form] = {}) -> Form:
    """Return a polynomial; what is not among the names is a parameter."""
    parts: list[Form] = []
    for monomial, coefficient in sorted((poly.polynomial or {}).items()):
        factors = [names.get(n) or _parameter(n) for n, power in monomial for _ in range(power)]
        if coefficient != 1 or not factors:
            factors.insert(0, number(coefficient))
        parts.append(factors[0] if len(factors) == 1 else ["*", *factors])
    return number(0) if not parts else parts[0] if len(parts) == 1 else ["+", *parts]


def _parameter(name: str) -> Form:
    return ["length"] if name == LENGTH else ["parameter", name]


def shown(form: Form) -> str:
    """Return a formula as people read it."""
    match form:
        case ["number" | "parameter" | "state" | "input", what]:
            return str(what)
        case ["change" | "input change", what]:
            return f"Δ{what}"
        case ["length"]:
            return "n"
        case ["draw", at]:
            return f"draw {at}"
        case [("shift" | "same") as name, what]:
            return f"{name} of {what}"
        case ["if", [_, value, ["number", "0"]], other, _] if value == other:
            return f"|{shown(value)}|"
        case [_]:
            return str(form[0])
        case ["*", *parts]:
            return "*".join(f"({shown(p)})" if p[0] == "+" else shown(p) for p in parts)
        case [name, *parts]:
            return f" {name} ".join(map(shown, parts))
    return ""
