"""Functions of one array or number, entry by entry: absolute value, roots, exp, tanh, NaN tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import (
    INFINITE,
    ONE,
    ZERO,
    Bound,
    at_most,
    below,
    larger,
    magnitude,
    smaller,
    some_positive,
    square_root,
    tighter,
    times,
)
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import Array, Number, Value
from dpaudit.formal.norms import Norms
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import Entry, combined, fitted, has_arrays, operand
from dpaudit.formal.rules.entries import flags, unbounded
from dpaudit.formal.rules.numbers import tidy


@dataclass(frozen=True, slots=True)
class _Function:
    """A function that does not fall: its formula, its steepest slope on a range, its domain."""

    formula: Callable[[Bound], Bound]
    slope: Callable[[Bound, Bound], Bound]
    least: Bound = -INFINITE
    limits: tuple[Bound, Bound] = (-INFINITE, INFINITE)


_MONOTONE = {
    "exp": _Function(sympy.exp, lambda low, high: sympy.exp(high), limits=(ZERO, INFINITE)),
    "expm1": _Function(
        lambda x: sympy.exp(x) - 1, lambda low, high: sympy.exp(high), limits=(-ONE, INFINITE)
    ),
    "tanh": _Function(sympy.tanh, lambda low, high: ONE, limits=(-ONE, ONE)),
    "arctan": _Function(sympy.atan, lambda low, high: ONE, limits=(-sympy.pi / 2, sympy.pi / 2)),
    "log": _Function(sympy.log, lambda low, high: 1 / low if below(ZERO, low) else INFINITE, ZERO),
    "log1p": _Function(
        lambda x: sympy.log(1 + x),
        lambda low, high: 1 / (1 + low) if below(-ONE, low) else INFINITE,
        -ONE,
    ),
    "sqrt": _Function(
        sympy.sqrt,
        lambda low, high: 1 / (2 * sympy.sqrt(low)) if below(ZERO, low) else INFINITE,
        ZERO,
    ),
    "floor": _Function(sympy.floor, lambda low, high: INFINITE),
    "ceil": _Function(sympy.ceiling, lambda low, high: INFINITE),
}


def _range(function: _Function, low: Bound, high: Bound) -> tuple[Bound, Bound]:
    ends = []
    for end, limit in ((low, function.limits[0]), (high, function.limits[1])):
        ends.append(limit if end in (INFINITE, -INFINITE) else function.formula(end))
    return ends[0], ends[1]


@rule(
    *(f"{m}.{name}" for m in ("numpy", "math") for name in _MONOTONE),
    statement="A function that does not fall maps [l, u] to [f(l), f(u)], and moves by its "
    "steepest slope times the change; |√a − √b| <= √|a − b|, |⌊a⌋ − ⌊b⌋| < |a − b| + 1.",
    proof="Mean value theorem; (√a − √b)² <= |√a − √b|(√a + √b) = |a − b|.",
)
def monotone_function(call: Application) -> Value | None:
    """exp, log, sqrt, tanh, floor and kin."""
    if len(call.args) != 1 or call.keywords:
        return None
    name = call.name.rpartition(".")[2]
    function = _MONOTONE[name]
    value = call.args[0]
    if not isinstance(value, Number) and not has_arrays(call):
        return None
    a = operand(call, value)
    strict = name.startswith("log")
    outside = not at_most(function.least, a.low) or (strict and not below(function.least, a.low))
    if outside:
        if call.name.startswith("math."):
            call.walk.hazard(f"{call.name} of a number outside of its domain", call.place)
            return None
        return _broken(call, a, f"{name} of a number that may be outside of its domain")
    low, high = _range(function, a.low, a.high)
    if name == "exp" and a.public and low == 0 and not (a.nan or a.infinite):
        low = some_positive("least")  # of the entries that both runs hold, none of them 0
    whole = name in ("floor", "ceil")
    grows = name.startswith("exp") and unbounded(call, a)
    entry = Entry(
        low, high, **{**flags(a, overflows=grows), "integer": whole}, dtype="float64"
    )  # fmt: skip
    slope = function.slope(a.low, a.high)
    if isinstance(value, Number):
        return _of_number(value, entry, slope, name)
    norms = derived(a).norms
    if whole:
        change = Norms(norms.l0, linf=_stepped(norms.linf)).tightened(a.size)
    elif name == "sqrt":
        change = Norms(norms.l0, l2=square_root(norms.l1), linf=square_root(norms.linf))
        change = change.tightened(a.size)
    else:
        change = norms.scaled(slope)
    return combined(call, [a], entry, change, rises=a.rises, falls=a.falls)


def _stepped(change: Bound) -> Bound:
    return change if change in (INFINITE, ZERO) else sympy.floor(change) + 1


def _of_number(a: Number, entry: Entry, slope: Bound, name: str) -> Number:
    changes: list[Bound] = []
    for change in (a.fall, a.rise):
        moved = times(slope, change)
        if name == "sqrt":
            moved = tighter(moved, square_root(change))
        if name in ("floor", "ceil"):
            moved = change if a.integer else _stepped(change)
        changes.append(moved)
    expr = _MONOTONE[name].formula(a.expr) if a.expr is not None else None
    return tidy(Number(
        entry.low, entry.high, changes[0], changes[1], entry.integer, nan=a.nan or a.infinite,
        infinite=a.infinite, expr=expr, why=a.why,
    ))  # fmt: skip


def _broken(call: Application, a: Array, why: str) -> Value:
    entry = Entry(nan=True, infinite=True, why=f"{why} at {call.place}")
    return combined(call, [a], entry)


@rule(
    "builtins.abs", "numpy.absolute", "numpy.fabs",
    statement="||a| − |b|| <= |a − b|, in every norm.",
    proof="Triangle inequality.",
)  # fmt: skip
def absolute_value(call: Application) -> Value | None:
    """Take the absolute value: |a|."""
    if len(call.args) != 1 or call.keywords:
        return None
    value = call.args[0]
    if not isinstance(value, Number) and not has_arrays(call):
        return None
    a = operand(call, value)
    least = a.low if at_most(ZERO, a.low) else -a.high if at_most(a.high, ZERO) else ZERO
    most = magnitude(a.low, a.high)
    if isinstance(value, Number):
        if value.public and value.expr is not None:
            expr = sympy.Abs(value.expr)
            known = abs(value.value) if value.constant else None
            return Number(least, most, ZERO, ZERO, value.integer, expr=expr, value=known,
                          term=("public", expr))  # fmt: skip
        d = value.distance
        same = at_most(ZERO, value.low)
        return tidy(Number(
            least, most, value.fall if same else d, value.rise if same else d, value.integer,
            nan=value.nan, infinite=value.infinite, why=value.why,
        ))  # fmt: skip
    entry = Entry(
        least, most, a.integer, a.boolean, a.nan, a.infinite, a.why, row=a.row, span=a.span
    )
    entry, wrapped = fitted(call, [a], entry)
    signs = {"rises": a.rises, "falls": a.falls} if at_most(ZERO, a.low) else {}
    return combined(call, [a], entry, None if wrapped else derived(a).norms, **signs)


@rule(
    "numpy.sign", "numpy.sin", "numpy.cos", "math.sin", "math.cos",
    statement="Values lie in [−1, 1]; sin and cos are contractions.",
    proof="Their slope is at most 1.",
)  # fmt: skip
def bounded_function(call: Application) -> Value | None:
    """sign, sin, cos."""
    if len(call.args) != 1 or call.keywords:
        return None
    value = call.args[0]
    if not isinstance(value, Number) and not has_arrays(call):
        return None
    a = operand(call, value)
    smooth = not call.name.endswith("sign")
    if a.infinite and smooth:
        return _broken(call, a, f"{call.name} of infinity")
    entry = Entry(-ONE, ONE, not smooth, nan=a.nan, why=a.why)
    norms = derived(a).norms
    change = norms if smooth else Norms(norms.l0, linf=sympy.Integer(2)).tightened(a.size)
    return combined(call, [a], entry, change)


@rule(
    "numpy.isnan", "numpy.isfinite", "numpy.isinf", "math.isnan", "math.isfinite", "math.isinf",
    statement="Whether a value is NaN is 0 or 1, and certain where NaN cannot occur.",
    proof="By definition.",
)  # fmt: skip
def nan_test(call: Application) -> Value | None:
    """isnan, isfinite, isinf."""
    if len(call.args) != 1 or call.keywords:
        return None
    value = call.args[0]
    if not isinstance(value, Number) and not has_arrays(call):
        return None
    a = operand(call, value)
    word = call.name.rpartition(".")[2]
    possible = {"isnan": a.nan, "isinf": a.infinite, "isfinite": a.nan or a.infinite}[word]
    certain = ONE if word == "isfinite" else ZERO
    if isinstance(value, Number):
        if not possible:
            return constant(word == "isfinite")
        return Number(ZERO, ONE, ONE, ONE, True, True)
    low, high = (ZERO, ONE) if possible else (certain, certain)
    entry = Entry(low, high, True, True, dtype="bool")
    return combined(call, [a], entry, Norms(derived(a).norms.l0, linf=ONE).tightened(a.size))


@rule(
    "numpy.nan_to_num",
    statement="NaN and infinities become the numbers given.",
    proof="By definition; entry by entry.",
)
def without_nan(call: Application) -> Value | None:
    """np.nan_to_num(x, nan=0.0, posinf=…, neginf=…)."""
    x, copy, nan, positive, negative = call.bind("x", "copy", "nan", "posinf", "neginf")
    if call.known(copy, True) is not True:
        call.refuse("nan_to_num that changes what it is given")
    assert x is not None
    if not isinstance(x, Number | Array):
        return None
    a = operand(call, x)
    ends = [a.low, a.high]
    if a.nan:
        ends.append(_number(call, nan, ZERO))
    if a.infinite:  # the greatest float, NumPy's default, is no bound: two of them add to infinity
        ends += [_number(call, positive, INFINITE), _number(call, negative, -INFINITE)]
    low, high = smaller(*ends), larger(*ends)
    plain = not a.nan and not a.infinite
    if isinstance(x, Number):
        if plain:
            return x
        change = high - low
        return tidy(Number(low, high, change, change, x.integer))
    entry = Entry(low, high, a.integer and plain)
    return combined(call, [a], entry, derived(a).norms if plain else None)


def _number(call: Application, value: Value | None, default: Bound) -> Bound:
    from dpaudit.formal.bounds import exact

    known = call.known(value)
    return default if known is None else exact(known)
