"""Relations between whole numbers, which one solver decides: sums, floors, larger and smaller."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import sympy

_RELATIONS = {
    sympy.Le: lambda a, b: a <= b,
    sympy.Lt: lambda a, b: a < b,
    sympy.Ge: lambda a, b: a >= b,
    sympy.Gt: lambda a, b: a > b,
}


def refuting(goal: Any, given: Sequence[Any]) -> Any:
    """Return a solver whose formulas say that the goal fails, None for other relations.

    Parameters
    ----------
    goal : sympy relational
    given : sequence of sympy relationals

    Notes
    -----
    Symbols must be integers; one that sympy knows to be nonnegative is. ``floor(e)`` of an
    expression with denominator q is the integer quotient (q·e) div q, which rounds down.
    """
    import z3

    solver = z3.SolverFor("QF_LIA")
    try:
        for condition in given:
            solver.add(_relation(condition))
        solver.add(z3.Not(_relation(goal)))
    except _NotLinearError:
        return None
    symbols = set().union(*(each.free_symbols for each in (goal, *given)))
    for symbol in sorted(symbols, key=str):
        if symbol.is_nonnegative:
            solver.add(z3.Int(symbol.name) >= 0)
    return solver


def unsatisfiable(solver: Any, seconds: float) -> bool:
    """Whether a solver finds in time that its formulas contradict each other."""
    import z3

    from dpaudit.formal.solver import asked

    return bool(asked(solver, seconds) == z3.unsat)


class _NotLinearError(Exception):
    """An expression is no linear one of integers."""


def _relation(relation: Any) -> Any:
    import z3

    if relation in (sympy.true, sympy.false):
        return z3.BoolVal(bool(relation))
    compare = _RELATIONS.get(relation.func)
    if compare is None:
        raise _NotLinearError
    whole = sympy.denom(sympy.together(_without_floors(relation.lhs - relation.rhs)))
    if not whole.is_Integer:
        raise _NotLinearError
    return compare(_term(relation.lhs, whole), _term(relation.rhs, whole))


def _without_floors(expr: Any) -> Any:
    """Return an expression whose denominators are those outside of floors and extremes."""
    inner = [e for e in sympy.preorder_traversal(expr)
             if isinstance(e, sympy.floor | sympy.Max | sympy.Min)]  # fmt: skip
    return expr.xreplace({e: sympy.Dummy(integer=True) for e in inner})


def _term(expr: Any, times: Any = 1) -> Any:
    """Return times·expr, which must be whole, as a term of the solver."""
    import z3

    times = sympy.Integer(times)
    if expr.is_Rational:
        value = expr * times
        if not value.is_Integer:
            raise _NotLinearError
        return z3.IntVal(int(value))
    if expr.is_Symbol and expr.is_integer:
        return int(times) * z3.Int(expr.name)
    if isinstance(expr, sympy.Add):
        return reduce(lambda a, b: a + b, (_term(part, times) for part in expr.args))
    if isinstance(expr, sympy.Mul):
        factor, rest = expr.as_coeff_Mul()
        if factor == 1 or not (factor * times).is_Integer:
            raise _NotLinearError
        return _term(rest, factor * times)
    if isinstance(expr, sympy.floor):
        inner = expr.args[0]
        below = sympy.denom(sympy.together(_without_floors(inner)))
        if not below.is_Integer:
            raise _NotLinearError
        return int(times) * (_term(inner, below) / z3.IntVal(int(below)))
    if isinstance(expr, sympy.Max | sympy.Min):
        larger = isinstance(expr, sympy.Max)
        parts = [_term(part) for part in expr.args]
        pick = (lambda a, b: z3.If(a >= b, a, b)) if larger else (lambda a, b: z3.If(a <= b, a, b))
        return int(times) * reduce(pick, parts)
    raise _NotLinearError
