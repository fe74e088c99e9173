"""Arithmetic of single numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.formal import rounding
from dpaudit.formal.bounds import (
    INFINITE,
    ONE,
    ZERO,
    Bound,
    absolute,
    at_most,
    below,
    larger,
    magnitude,
    smaller,
    tighter,
    times,
    width,
)
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import truth_number, unknown_public
from dpaudit.formal.domain import Known, Number, Value
from dpaudit.formal.effort import beyond
from dpaudit.formal.rules import rule

_RUN: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "pow", "neg")
}


def numbers(call: Application) -> list[Number] | None:
    """Return all arguments as numbers, None where one is none or there are keywords."""
    found: list[Number] = []
    for value in call.args:
        if isinstance(value, Known) and isinstance(value.value, bool):
            value = truth_number(value.value)
        if not isinstance(value, Number):
            return None
        found.append(value)
    return None if call.keywords else found


def public(call: Application, expr: Bound, numbers: list[Number], whole: bool) -> Number:
    """Return a number that both runs compute, with the Python number where it is known."""
    value: Any = None
    run = _RUN.get(call.name.removeprefix("operator."))
    if run is not None and all(number.constant for number in numbers):
        try:
            value = run(*(number.value for number in numbers))
        except (OverflowError, ZeroDivisionError, ValueError):
            value = None
        if isinstance(value, complex):
            call.refuse("a complex number")
    if expr.has(sympy.nan, sympy.zoo):
        call.refuse(f"{call.name} of {', '.join(str(n.expr) for n in numbers)}")
    result = Number(
        expr, expr, ZERO, ZERO, whole, infinite=expr in (INFINITE, -INFINITE), expr=expr,
        value=value, term=("public", expr),
    )  # fmt: skip
    return faithful(call, result)


def faithful(call: Application, number: Number) -> Number:
    """Return a public number whose float, where it is known, is the number up to rounding."""
    value, expr = number.value, number.expr
    if isinstance(value, float) and expr is not None and expr.is_number and expr.is_finite:
        real = expr if expr.is_Rational else sympy.Rational(expr.evalf(30))
        if not rounding.agrees(value, Fraction(int(real.p), int(real.q))):
            call.refuse(f"{call.name}, which is {value!r} in floats and {expr.evalf(6)} in truth")
    return number


def _kept(call: Application, one: Bound, other: Bound, result: Bound) -> Bound:
    """Return a sum of public terms of which enough is left when it is rounded."""
    parts = [term.as_coeff_Add(rational=True)[0] for term in (one, other, result)]
    if result.free_symbols and all(part.is_Rational for part in parts):
        a, b, left = (Fraction(int(part.p), int(part.q)) for part in parts)
        if a and b and rounding.cancels(a, b, left):
            call.refuse(f"{call.name} of {one} and {other}, which cancel in floats")
    return result


def _not_absorbed(call: Application, parts: list[Number], total: Number) -> Number:
    """Return a sum of which a record changes more than rounding does."""
    if not total.integer:
        sizes = [magnitude(n.low, n.high) for n in (*parts, total)]
        validate_kept(call, [*sizes, *(n.distance for n in parts)], total.distance)
    return total


def validate_kept(call: Application, sizes: list[Bound], change: Bound) -> None:
    """Refuse a sum of numbers of these sizes where it changes by less than what is rounded off."""
    if not change.is_Rational or change == 0:
        return
    most = max((size for size in sizes if size.is_Rational), default=ZERO)
    if most > rounding.LARGEST * change:
        call.refuse(f"a sum with {most}, of which a record changes {change}")


def product_range(a: Any, b: Any) -> tuple[Bound, Bound]:
    """Return the range of the products of numbers of two ranges."""
    corners = [times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return smaller(*corners), larger(*corners)


def quotient_range(a: Any, b: Any) -> tuple[Bound, Bound]:
    """Return the range of the quotients of numbers of two ranges."""
    if not (below(ZERO, b.low) or below(b.high, ZERO)):
        if at_most(ZERO, b.low) and at_most(ZERO, a.low):
            return (ZERO, INFINITE)
        return -INFINITE, INFINITE
    corners = [_over(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return smaller(*corners), larger(*corners)


def _over(x: Bound, y: Bound) -> Bound:
    if y in (INFINITE, -INFINITE):
        return ZERO
    return x / y


def tidy(number: Number) -> Number:
    """Return a number whose change is within its range, infinite where NaN may occur."""
    if number.nan or number.infinite:
        return replace(number, fall=INFINITE, rise=INFINITE, sure=ZERO)
    if number.public:
        return number
    most = width(number.low, number.high)
    return replace(number, fall=tighter(number.fall, most), rise=tighter(number.rise, most))


def _flags(*numbers: Number) -> dict[str, Any]:
    infinite = any(number.infinite for number in numbers)
    return {
        "nan": infinite or any(number.nan for number in numbers),
        "infinite": infinite or _overflows(*numbers),
        "why": next((number.why for number in numbers if number.why), ""),
    }


def _overflows(*numbers: Number) -> bool:
    """Whether a number may be as large as floats go: one that nothing bounds."""
    return any(
        n.distance is INFINITE and not n.integer and INFINITE in (n.high, -n.low) for n in numbers
    )


@rule(
    "operator.add",
    statement="(a + b)' − (a + b) is the sum of both changes.",
    proof="Linearity.",
    exact=True,
)
def sum_of_two(call: Application) -> Value | None:
    """Add: a + b."""
    found = numbers(call)
    if found is None:
        return None
    a, b = found
    if a.public and b.public and a.expr is not None and b.expr is not None:
        total = _kept(call, a.expr, b.expr, a.expr + b.expr)
        return public(call, total, found, a.integer and b.integer)
    result = Number(a.low + b.low, a.high + b.high, integer=a.integer and b.integer, **_flags(a, b))
    (down, up), (other_down, other_up) = a.change, b.change
    return _not_absorbed(call, found, tidy(result.changing(down + other_down, up + other_up)))


@rule(
    "operator.sub",
    statement="(a − b)' − (a − b) is the difference of the changes; equal terms cancel.",
    proof="Linearity.",
    exact=True,
)
def difference(call: Application) -> Value | None:
    """Subtract: a − b."""
    found = numbers(call)
    if found is None:
        return None
    a, b = found
    if a.public and b.public and a.expr is not None and b.expr is not None:
        gap = _kept(call, a.expr, b.expr, a.expr - b.expr)
        return public(call, gap, found, a.integer and b.integer)
    finite = not (a.nan or a.infinite)
    if a.term is not None and a.term == b.term and finite:
        return Number(ZERO, ZERO, ZERO, ZERO, a.integer, expr=ZERO)
    result = Number(a.low - b.high, a.high - b.low, integer=a.integer and b.integer, **_flags(a, b))
    (down, up), (other_down, other_up) = a.change, b.change
    return _not_absorbed(call, found, tidy(result.changing(down - other_up, up - other_down)))


@rule(
    "operator.neg",
    statement="−a falls by what a rises.",
    proof="Linearity.",
    exact=True,
)
def negative(call: Application) -> Value | None:
    """Negate: −a."""
    found = numbers(call)
    if found is None:
        return None
    (a,) = found
    if a.public and a.expr is not None:
        return public(call, -a.expr, found, a.integer)
    result = Number(-a.high, -a.low, integer=a.integer, **_flags(a))
    return tidy(result.changing(-a.change[1], -a.change[0]))


@rule(
    "operator.mul",
    statement="c·a moves by |c| times what a moves; "
    "|ab − a'b'| <= max|a| |b − b'| + max|b| |a − a'|.",
    proof="ab − a'b' = a(b − b') + b'(a − a').",
    exact=True,
)
def product(call: Application) -> Value | None:
    """a·b."""
    found = numbers(call)
    if found is None:
        return None
    a, b = found
    whole = a.integer and b.integer
    if a.public and b.public and a.expr is not None and b.expr is not None:
        return public(call, a.expr * b.expr, found, whole)
    low, high = product_range(a, b)
    if b.public and not a.public:
        a, b = b, a
    if a.public and a.expr is not None:
        changes = scaled_change(a.expr, b)
        return tidy(Number(low, high, integer=whole, **_flags(a, b)).changing(*changes))
    both = times(magnitude(a.low, a.high), b.distance) + times(magnitude(b.low, b.high), a.distance)
    rising = at_most(ZERO, a.low) and at_most(ZERO, b.low) and a.fall == 0 and b.fall == 0
    return tidy(Number(low, high, ZERO if rising else both, both, whole, **_flags(a, b)))


def scaled_change(factor: Bound, number: Number) -> tuple[Bound, Bound]:
    """Return between what the change of factor times a number lies."""
    low, high = number.change
    if at_most(ZERO, factor):
        return times(factor, low), times(factor, high)
    if at_most(factor, ZERO):
        return times(factor, high), times(factor, low)
    change = times(absolute(factor), number.distance)
    return -change, change


@rule(
    "operator.truediv",
    statement="a/c moves by what a moves over |c|; "
    "|a/b − a'/b'| <= (|a − a'| + max|a/b| |b − b'|) / min|b|.",
    proof="a/b − a'/b' = (a − a')/b + (a'/b')(b' − b)/b.",
    exact=True,
)
def quotient(call: Application) -> Value | None:
    """a/b."""
    from dpaudit.formal.rules.means import mean_of_terms, variance_of_terms

    found = numbers(call)
    if found is None:
        return None
    a, b = found
    if b.public and b.expr is not None:
        if b.expr == 0:
            call.refuse("a division by zero")
        if not b.expr.is_nonzero and not (below(ZERO, b.low) or below(b.high, ZERO)):
            if a.public and not call.walk.is_symbolic(b.expr):
                # Both runs hold a and b: a zero ends both, or makes both infinite or NaN.
                return replace(unknown_public("quotient"), nan=True, infinite=True)
            call.walk.assume(sympy.Ne(b.expr, 0), call.place)
        if a.public and a.expr is not None:
            return public(call, a.expr / b.expr, found, False)
        low, high = quotient_range(a, b)
        if low == -INFINITE and b.expr.is_number:
            ends = [a.low / b.expr, a.high / b.expr]
            low, high = smaller(*ends), larger(*ends)
        changes = scaled_change(1 / b.expr, a)
        mean = mean_of_terms(call, a, b)
        result = tidy(Number(low, high, **_flags(a, b)).changing(*changes))
        return result if mean is None else within(result, mean)
    known = mean_of_terms(call, a, b) or variance_of_terms(call, a, b)
    if known is not None:
        return known
    least = b.low if below(ZERO, b.low) else -b.high if below(b.high, ZERO) else None  # of |b|
    if least is None:
        why = f"division by a number that may be zero at {call.place}"
        return Number(nan=True, infinite=True, why=why)
    low, high = quotient_range(a, b)
    change = (a.distance + times(magnitude(low, high), b.distance)) / least
    return tidy(Number(low, high, change, change, False, **_flags(a, b)))


def within(one: Number, other: Number) -> Number:
    """Return what is known by both of two bounds on one number."""
    return replace(
        other, low=larger(one.low, other.low), high=smaller(one.high, other.high),
        fall=tighter(one.fall, other.fall), rise=tighter(one.rise, other.rise),
    )  # fmt: skip


@rule(
    "operator.pow",
    statement="a^k for a whole k moves by k max|a|^(k−1) |a − a'|, and within its range.",
    proof="Mean value theorem.",
    exact=True,
)
def power(call: Application) -> Value | None:
    """a**b."""
    found = numbers(call)
    if found is None:
        return None
    a, b = found
    if a.public and b.public and a.expr is not None and b.expr is not None:
        if a.expr == 0 and not at_most(ZERO, b.expr):
            call.refuse("a power of zero")
        whole = a.integer and b.integer and bool(at_most(ZERO, b.expr))
        if not b.integer and not at_most(ZERO, a.expr):
            call.refuse("a root of a number that may be negative")
        if large := beyond("operator.pow", (a.expr, b.expr)):
            call.refuse(large)
        return public(call, a.expr**b.expr, found, whole)
    if b.expr is None or not b.expr.is_Integer or b.expr < 1:
        if b.expr == sympy.Rational(1, 2):
            return call.redo("numpy.sqrt", a)
        return None
    if large := max(beyond("operator.pow", (end, b.expr)) or "" for end in (a.low, a.high)):
        call.refuse(large)
    low, high = power_range(a.low, a.high, int(b.expr))
    change = times(b.expr * magnitude(a.low, a.high) ** (b.expr - 1), a.distance)
    return tidy(Number(low, high, change, change, a.integer, **_flags(a)))


def power_range(low: Bound, high: Bound, k: int) -> tuple[Bound, Bound]:
    """Return the range of k-th powers, k >= 1."""
    if k % 2:
        return low**k, high**k
    most = magnitude(low, high) ** k
    if at_most(ZERO, low):
        return low**k, most
    if at_most(high, ZERO):
        return high**k, most
    return ZERO, most


@rule(
    "operator.floordiv", "operator.mod",
    statement="⌊a/c⌋ moves by at most |a − a'|/|c| + 1; a mod c lies in [0, c).",
    proof="|⌊x⌋ − ⌊y⌋| < |x − y| + 1.",
    exact=True,
)  # fmt: skip
def whole_quotient(call: Application) -> Value | None:
    """Divide with remainder: a // b, a % b."""
    found = numbers(call)
    if found is None:
        return None
    a, b = found
    if b.expr is None:
        return None
    if b.expr == 0:
        call.refuse("a division by zero")
    dividing = call.name == "operator.floordiv"
    if a.expr is not None and a.public:
        whole = sympy.floor(a.expr / b.expr)
        expr = whole if dividing else a.expr - b.expr * whole
        result = public(call, expr, found, (a.integer and b.integer) or dividing)
        if result.value is None and a.constant and b.constant:
            value = a.value // b.value if dividing else a.value % b.value
            result = faithful(call, replace(result, value=value))
        return result
    if not below(ZERO, b.expr):
        call.refuse("a remainder of a number that may be negative")
    if dividing:
        change = sympy.floor(a.distance / b.expr) + 1 if a.distance is not INFINITE else INFINITE
        low, high = (sympy.floor(x / b.expr) if _finite(x) else x for x in (a.low, a.high))
        return tidy(Number(low, high, change, change, a.integer and b.integer, **_flags(a)))
    whole = a.integer and b.integer
    high = b.expr - 1 if whole else b.expr
    return tidy(Number(ZERO, high, high, high, whole, **_flags(a)))


def _finite(bound: Bound) -> bool:
    return bound not in (INFINITE, -INFINITE)


@rule(
    "operator.pos",
    statement="+a is a.",
    proof="By definition.",
    exact=True,
)
def positive(call: Application) -> Value | None:
    """Leave: +a."""
    return call.args[0] if not call.keywords else None


_TRANSCENDENT: dict[str, tuple[Any, Callable[..., float]]] = {
    "exp": (sympy.exp, math.exp),
    "log": (sympy.log, math.log),
    "log2": (lambda x: sympy.log(x) / sympy.log(2), math.log2),
    "log10": (lambda x: sympy.log(x) / sympy.log(10), math.log10),
    "log1p": (lambda x: sympy.log(1 + x), math.log1p),
    "expm1": (lambda x: sympy.exp(x) - 1, math.expm1),
    "sqrt": (sympy.sqrt, math.sqrt),
}


@rule(
    *(f"{module}.{name}" for module in ("math", "numpy") for name in _TRANSCENDENT),
    statement="A function of a public number is public.",
    proof="By definition; the value is kept as an expression.",
    exact=True,
)
def function_of_public(call: Application) -> Value | None:
    """exp, log, sqrt and kin of a public number."""
    found = numbers(call)
    if found is None or len(found) != 1 or not found[0].public or found[0].expr is None:
        return None
    (a,) = found
    name = call.name.rpartition(".")[2]
    formula, run = _TRANSCENDENT[name]
    assert a.expr is not None
    if name.startswith("log"):
        least = ONE * -1 if name == "log1p" else ZERO
        if below(least, a.expr) is not True:
            if a.expr.is_number:
                call.refuse(f"{name} of {a.expr}")
            call.walk.assume(a.expr > least, call.place)
    if name == "sqrt" and at_most(ZERO, a.expr) is not True:
        if a.expr.is_number:
            call.refuse(f"the root of {a.expr}")
        call.walk.assume(a.expr >= 0, call.place)
    result = public(call, formula(a.expr), found, False)
    if a.constant:
        try:
            result = replace(result, value=run(a.value))
        except (OverflowError, ValueError):
            call.refuse(f"{name}({a.value})")
    return faithful(call, result)
