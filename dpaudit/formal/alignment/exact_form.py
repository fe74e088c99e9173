"""Shifts and invariants for a machine: lists of lists, with nothing left to the reader.

A number is ``["number", "p/q"]``, ``["parameter", name]``, ``["length"]``, a variable of the loop's
head in the first run ``["state", name]`` and what it is more in the second ``["change", name]``, an
entry of the data ``["input", "q[%i0]"]`` and ``["input change", "q[%i0]"]``, the k-th draw of the
path and its shift ``["draw", k]`` and ``["shift", k]``, ``["cost"]``, ``["changes"]`` (of all
entries so far), ``["returned"]`` (the index that the first run returns), or ``+``, ``-``, ``*``,
``if`` of such. A truth is ``["same", list]`` (one in both runs), ``<=``, ``<``, ``>=``, ``>``,
``=`` of two numbers, or ``and``, ``or``, ``not``, ``implies``, ``true``, ``false`` of truths.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import z3

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.segments import LENGTH, Segment, System
from dpaudit.formal.alignment.shifts import Alignment
from dpaudit.formal.alignment.tworuns import Terms, change_of
from dpaudit.formal.alignment.views import Predicate, head_view
from dpaudit.formal.unsupported import Unsupported

Form = list[Any]

_OPERATORS = {
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_MUL: "*",
    z3.Z3_OP_ITE: "if",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_EQ: "=",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_IMPLIES: "implies",
    z3.Z3_OP_TRUE: "true",
    z3.Z3_OP_FALSE: "false",
}


def heads(system: System, kept: dict[str, list[Predicate]]) -> dict[str, Any]:
    """Return where each loop is and what holds at its head."""
    return {
        loop: {"place": str(system.places[loop]), "holds": _held(kept.get(loop, ()), loop)}
        for loop in system.shapes
    }


def paths(system: System, alignment: Alignment) -> list[dict[str, Any]]:
    """Return by how much each draw moves on each path between two cuts."""
    if alignment.winner is not None:
        return []
    return [_path(segment, alignment) for segment in system.segments]


def winner(system: System, alignment: Alignment) -> list[dict[str, str]]:
    """Return by how much the draw of the index that is returned moves, and every other."""
    drawn = {d.symbol: d for g in system.segments for d in g.draws}
    return [
        {
            "place": str(drawn[symbol].place),
            "family": drawn[symbol].family,
            "own": str(own.constant),
            "other": str(other.constant),
        }
        for symbol, (own, other) in (alignment.winner or {}).items()
    ]


def _path(segment: Segment, alignment: Alignment) -> dict[str, Any]:
    shifts = alignment.shifts[segment]
    return {
        "start": segment.start,
        "tests": [[str(d.place), d.truth] for d in segment.decisions],
        "shifts": [
            {
                "place": str(drawn.place),
                "family": drawn.family,
                "shift": _polynomial(shifts[drawn.symbol], segment),
            }
            for drawn in segment.draws
        ],
    }


def _polynomial(poly: Poly, segment: Segment) -> Form:
    order: dict[Symbol, Form] = {}
    for at, drawn in enumerate(segment.draws):
        order[drawn.symbol] = ["draw", at]
        moved = change_of(drawn.symbol)
        if moved is not None:
            order[moved] = ["shift", at]
    parts = [
        ["*", _number(coefficient), *(order.get(s) or _symbol(s, segment.start) for s in monomial)]
        if monomial
        else _number(coefficient)
        for monomial, coefficient in sorted(poly.terms.items())
    ]
    return ["+", *parts] if parts else _number(Fraction(0))


def _number(value: Fraction) -> Form:
    return ["number", str(value)]


def _symbol(symbol: Symbol, loop: str) -> Form:
    name = symbol.name.removeprefix("Δ").replace(f"@{loop}", "")
    if symbol == LENGTH:
        return ["length"]
    if symbol.kind == "parameter":
        return ["parameter", symbol.name]
    if symbol.kind == "change":
        return ["input change" if name.endswith("]") else "change", name]
    if symbol.kind == "input":
        return ["input", name]
    if symbol.kind in ("state", "shared") and symbol.name.endswith(f"@{loop}"):
        return ["state", name]
    raise Unsupported(f"a shift by {symbol}", None)


def _held(predicates: Iterable[Predicate], loop: str) -> list[Form]:
    terms = Terms()
    built = [predicate.build(head_view(terms)) for predicate in predicates]
    names = {str(variable): _symbol(s, loop) for s, variable in terms.names.items()}
    names |= {"cost": ["cost"], "changes": ["changes"], "returned": ["returned"]}
    return [_formula(term, names, loop) for term in built]


def _formula(term: Any, names: dict[str, Form], loop: str) -> Form:
    if not z3.is_expr(term):
        return ["true"] if term else ["false"]
    if z3.is_int_value(term) or z3.is_rational_value(term):
        return _number(Fraction(str(term.as_fraction() if z3.is_rational_value(term) else term)))
    if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
        text = term.decl().name()
        if z3.is_bool(term):
            return ["same", text.removeprefix("same ").removesuffix(f"@{loop}")]
        return names[text]
    parts = [_formula(part, names, loop) for part in term.children()]
    kind = term.decl().kind()
    if kind == z3.Z3_OP_TO_REAL:
        return parts[0]
    if kind == z3.Z3_OP_UMINUS:
        return ["*", _number(Fraction(-1)), *parts]
    if kind not in _OPERATORS:
        raise Unsupported(f"{term.decl()} in an invariant", None)
    return [_OPERATORS[kind], *parts]
