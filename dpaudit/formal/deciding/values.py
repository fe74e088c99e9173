"""The value of an expression at a point or on a box: a rational where it is one, else a ball."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy
from flint import arb, fmpq

from dpaudit.formal.clock import charge
from dpaudit.formal.deciding.functions import FUNCTIONS
from dpaudit.formal.deciding.numbers import (
    PRECISIONS,
    Number,
    UndefinedError,
    UnfamiliarError,
    ball,
    precision,
    rational,
)

Point = Mapping[sympy.Symbol, Number]

_LARGEST_POWER = 10_000
_LARGEST_NUMBER = 200_000  # bits


def value(expression: sympy.Expr, at: Point) -> Number:
    """Return the value of an expression: exact, or a ball that holds it.

    Parameters
    ----------
    expression : sympy expression
    at : mapping of symbol to fmpq or arb
        A point, or a box where the numbers are balls.

    Returns
    -------
    fmpq or arb
        Over a box, a ball that holds every value; it is not a number where some value may be
        undefined.

    Raises
    ------
    UndefinedError
        Where it certainly has no real value.
    UnfamiliarError
        For functions that are not known, and for floats, which the caller must make exact.
    """
    charge(20)
    if isinstance(expression, sympy.Symbol):
        return at[expression]
    if isinstance(expression, sympy.Rational):
        return rational(expression)
    if isinstance(expression, sympy.Add):
        total: Number = fmpq(0)
        for term in expression.args:
            total = _plus(total, value(term, at))
        return total
    if isinstance(expression, sympy.Mul):
        product: Number = fmpq(1)
        for factor in expression.args:
            product = _times(product, value(factor, at))
        return product
    if isinstance(expression, sympy.Pow):
        return _power(expression, at)
    if isinstance(expression, sympy.Piecewise):
        return _piecewise(expression.args, at)
    if expression is sympy.pi:
        return arb.pi()
    if expression is sympy.E:
        return arb.const_e()
    for kind, function in FUNCTIONS:
        if isinstance(expression, kind):
            return function(*(value(argument, at) for argument in expression.args))
    raise UnfamiliarError(f"{expression.func.__name__} is not known in {expression}")


def holds(condition: sympy.Basic, at: Point) -> bool | None:
    """Return whether a condition holds at a point, or on all of a box.

    Parameters
    ----------
    condition : sympy relational or Boolean
    at : mapping of symbol to fmpq or arb

    Returns
    -------
    bool or None
        None where it cannot be told at this precision, or differs over the box.

    Raises
    ------
    UndefinedError, UnfamiliarError
        As `value`.
    """
    if condition is sympy.true or condition is sympy.false:
        return bool(condition)
    if isinstance(condition, sympy.Not):
        inner = holds(condition.args[0], at)
        return None if inner is None else not inner
    if isinstance(condition, sympy.And):
        return _every([_quietly(part, at) for part in condition.args])
    if isinstance(condition, sympy.Or):
        some = _every([_not(_quietly(part, at)) for part in condition.args])
        return _not(some)
    if isinstance(condition, sympy.Implies):
        premise, conclusion = condition.args
        return holds(sympy.Or(sympy.Not(premise), conclusion, evaluate=False), at)
    if isinstance(condition, sympy.core.relational.Relational):
        left, right = (value(side, at) for side in condition.args)
        return _compared(condition.rel_op, left, right)
    raise UnfamiliarError(f"{condition} is no relation that is known")


def holds_exactly(condition: sympy.Basic, at: Point) -> bool | None:
    """Return whether a condition holds at a rational point, in balls of rising precision."""
    for bits in PRECISIONS:
        with precision(bits):
            answer = holds(condition, at)
        if answer is not None:
            return answer
    return None


def _every(answers: Sequence[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _quietly(condition: sympy.Basic, at: Point) -> bool | None:
    try:
        return holds(condition, at)
    except UndefinedError:
        return None


def _compared(operator: str, left: Number, right: Number) -> bool | None:
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return bool(_EXACT[operator](left, right))
    a, b = ball(left), ball(right)
    if not (a.is_finite() and b.is_finite()):
        return None
    # Comparisons of balls are true only where they hold for all their members.
    if operator in ("==", "!="):
        if a < b or a > b:
            return operator == "!="
        return (operator == "==") if a.is_exact() and b.is_exact() and a == b else None
    if _EXACT[operator](a, b):
        return True
    return False if _EXACT[_OPPOSITE[operator]](a, b) else None


_EXACT: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}
_OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<="}


def _plus(a: Number, b: Number) -> Number:
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return a + b
    return ball(a) + ball(b)


def _times(a: Number, b: Number) -> Number:
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return a * b
    return ball(a) * ball(b)


def _power(expression: sympy.Pow, at: Point) -> Number:
    base, exponent = (value(argument, at) for argument in expression.args)
    if isinstance(exponent, fmpq):
        if exponent.q == 1:
            return _integer_power(base, int(exponent.p))
        return _rational_power(base, exponent)
    if isinstance(base, fmpq) and base <= 0:
        raise UndefinedError(f"{expression} needs a positive base")
    return (ball(exponent) * ball(base).log()).exp()


def _integer_power(base: Number, exponent: int) -> Number:
    if abs(exponent) > _LARGEST_POWER:
        raise UnfamiliarError(f"the power {exponent} is too large to be computed")
    if isinstance(base, fmpq):
        if base == 0 and exponent < 0:
            raise UndefinedError("division by zero")
        if base.height_bits() * abs(exponent) > _LARGEST_NUMBER:
            return ball(base) ** exponent
        return base**exponent
    return base**exponent


def _rational_power(base: Number, exponent: fmpq) -> Number:
    """Return the real root of a number that is not negative."""
    q, p = int(exponent.q), int(exponent.p)
    if isinstance(base, fmpq):
        if base < 0 or (base == 0 and p < 0):
            raise UndefinedError(f"{base} to the power {exponent} is no real number")
        roots = [_exact_root(int(part), q) for part in (base.p, base.q)]
        if None not in roots:
            return _integer_power(fmpq(*roots), p)
    enclosed = ball(base)
    root = enclosed.sqrt() if q == 2 else enclosed.root(q)
    return root**p


def _exact_root(number: int, degree: int) -> int | None:
    root, exact = sympy.integer_nthroot(number, degree)
    return int(root) if exact else None


def _piecewise(branches: Sequence[Any], at: Point) -> Number:
    """Return the value of the first branch that applies; of all that may apply, their union."""
    possible: list[Number] = []
    for branch, condition in branches:
        applies = holds(condition, at)
        if applies is False:
            continue
        possible.append(value(branch, at))
        if applies:
            return _union(possible)
    raise UndefinedError("no case of the piecewise expression applies")


def _union(possible: list[Number]) -> Number:
    if len(possible) == 1:
        return possible[0]
    joined = ball(possible[0])
    for other in possible[1:]:
        joined = joined.union(ball(other))
    return joined
