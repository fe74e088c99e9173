"""Clipping, the larger and the smaller of two: all of them contractions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import INFINITE, Bound, larger, smaller, tighter, width
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import Array, Known, ListValue, Number, Tuple, Value
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import (
    Entry,
    combined,
    has_arrays,
    operand,
    spread,
    template,
)
from dpaudit.formal.rules.numbers import numbers
from dpaudit.formal.terms import term_of

_SERIES = ("pandas", "polars")
_Pick = Callable[..., Bound]
_CONTRACTION = "|max(a, b) − max(a', b')| <= max(|a − a'|, |b − b'|), the same for min."
_PROOF = "max and min are monotone, and move by c when both arguments do."


def _term(name: str, call: Application) -> object:
    """Return one term for every way to write a maximum."""
    terms = [term_of(value) for value in call.args]
    return None if None in terms else (name, frozenset(terms))


def _picked(a: Number, b: Number, pick: _Pick, nan: str) -> Number:
    """Return the larger (or smaller) of two numbers.

    `nan` says what becomes of NaN: it "stays", or is "dropped" where the other is a number, or
    the "first" decides: Python keeps its first argument where nothing compares.
    """
    low, high = pick(a.low, b.low), pick(a.high, b.high)
    keeps, mixes = a.nan or b.nan, False
    if nan != "stays" and (a.nan or b.nan):
        keeps = (a.nan and b.nan) if nan == "dropped" else a.nan
        mixes = True
        if b.nan:  # then a is the result
            low, high = smaller(low, a.low), larger(high, a.high)
        if a.nan and nan == "dropped":
            low, high = smaller(low, b.low), larger(high, b.high)
    infinite = (a.infinite or b.infinite) and not _bounded(low, high)
    fall, rise = larger(a.fall, b.fall), larger(a.rise, b.rise)
    if mixes or a.infinite or b.infinite or fall is INFINITE or rise is INFINITE:
        most = INFINITE if infinite or keeps else width(low, high)
        fall = most if mixes or a.infinite or b.infinite else tighter(fall, most)
        rise = most if mixes or a.infinite or b.infinite else tighter(rise, most)
    if keeps or infinite:
        fall = rise = INFINITE
    most = width(low, high)
    why = (a.why or b.why) if keeps or infinite else ""
    return Number(
        low, high, tighter(fall, most) if not keeps else fall,
        tighter(rise, most) if not keeps else rise, a.integer and b.integer,
        a.boolean and b.boolean, keeps, infinite, why=why,
    )  # fmt: skip


def _bounded(low: Bound, high: Bound) -> bool:
    return low != -INFINITE and high is not INFINITE


def _number_rule(call: Application, pick: _Pick, nan: str, head: str) -> Value | None:
    found = numbers(call)
    if found is None or len(found) < 2:
        return None
    result = found[0]
    for other in found[1:]:
        if result.public and other.public and result.expr is not None and other.expr is not None:
            expr = pick(result.expr, other.expr)
            value = None
            if result.constant and other.constant:
                value = result.value if expr == result.expr else other.value
            integer = result.integer and other.integer
            result = Number(
                pick(result.low, other.low), pick(result.high, other.high), expr - expr,
                expr - expr, integer, expr=expr, value=value, term=("public", expr),
            )  # fmt: skip
        else:
            result = _picked(result, other, pick, nan)
    return result if result.term is not None else replace(result, term=_term(head, call))


@rule("builtins.max", statement=_CONTRACTION, proof=_PROOF, exact=True)
def larger_of_numbers(call: Application) -> Value | None:
    """Python's max(a, b): NaN stays where it comes first."""
    return _number_rule(_spread_out(call), larger, "first", "max")


@rule("builtins.min", statement=_CONTRACTION, proof=_PROOF, exact=True)
def smaller_of_numbers(call: Application) -> Value | None:
    """Python's min(a, b): NaN stays where it comes first."""
    return _number_rule(_spread_out(call), smaller, "first", "min")


def _spread_out(call: Application) -> Application:
    """Return max([a, b]) as max(a, b)."""
    if len(call.args) == 1 and isinstance(call.args[0], ListValue | Tuple) and not call.keywords:
        return replace(call, args=list(call.args[0].items))
    return call


@rule("numpy.maximum", statement=_CONTRACTION, proof=_PROOF, exact=True)
def maximum_of_numbers(call: Application) -> Value | None:
    """NumPy's maximum of numbers: NaN stays."""
    return _number_rule(call, larger, "stays", "max")


@rule("numpy.minimum", statement=_CONTRACTION, proof=_PROOF, exact=True)
def minimum_of_numbers(call: Application) -> Value | None:
    """NumPy's minimum of numbers: NaN stays."""
    return _number_rule(call, smaller, "stays", "min")


@rule("numpy.fmax", statement=_CONTRACTION, proof=_PROOF, exact=True)
def fmax_of_numbers(call: Application) -> Value | None:
    """NumPy's fmax of numbers: NaN is dropped."""
    return _number_rule(call, larger, "dropped", "fmax")


@rule("numpy.fmin", statement=_CONTRACTION, proof=_PROOF, exact=True)
def fmin_of_numbers(call: Application) -> Value | None:
    """NumPy's fmin of numbers: NaN is dropped."""
    return _number_rule(call, smaller, "dropped", "fmin")


@rule(
    "numpy.maximum", "numpy.minimum", "numpy.fmax", "numpy.fmin", "builtins.max", "builtins.min",
    statement="Entry by entry, the larger of two is a contraction; fmax drops NaN.",
    proof=_PROOF,
)  # fmt: skip
def extremes_of_entries(call: Application) -> Value | None:
    """np.maximum(a, b) and kin."""
    name = call.name.rpartition(".")[2]
    python = call.name.startswith("builtins.")
    if python and (len(call.args) != 2 or call.keywords or not any(map(_element, call.args))):
        return None
    if call.keywords or len(call.args) != 2 or not (python or has_arrays(call)):
        return None
    a, b = (operand(call, value) for value in call.args)
    pick = larger if name in ("maximum", "fmax", "max") else smaller
    nan = "first" if python else "dropped" if name.startswith("f") else "stays"
    one = Number(a.low, a.high, nan=a.nan, infinite=a.infinite, integer=a.integer)
    other = Number(b.low, b.high, nan=b.nan, infinite=b.infinite, integer=b.integer)
    found = _picked(one, other, pick, nan)
    why = (a.why or b.why) if found.nan or found.infinite else ""
    entry = Entry(
        found.low, found.high, a.integer and b.integer, a.boolean and b.boolean, found.nan,
        found.infinite, why,
    )  # fmt: skip
    shape = template(call, [a, b])
    plain = not (a.nan or b.nan or a.infinite or b.infinite)
    change = spread(a, shape).plus(spread(b, shape)) if plain else None
    if change is not None:
        linf = larger(spread(a, shape).linf, spread(b, shape).linf)
        change = replace(change, linf=linf)
    result = combined(
        call, [a, b], entry, change, rises=a.rises or b.rises, falls=a.falls or b.falls
    )
    return _named(result, _term("max" if pick is larger else "min", call), plain or nan == "stays")


def _element(value: Value) -> bool:
    return isinstance(value, Array) and value.element


def _named(value: Value, term: object, sure: bool) -> Value:
    if sure and isinstance(value, Array | Number) and value.term is None:
        return replace(value, term=term)
    return value


@rule(
    "numpy.clip", "method.clip",
    statement="clip(x, l, u) lies in [min(l, u), u] and is a contraction; NaN passes.",
    proof=_PROOF + " clip is min(max(x, l), u).",
)  # fmt: skip
def clip(call: Application) -> Value | None:
    """np.clip(x, l, u), either bound absent or None."""
    if call.args and isinstance(call.args[0], Array) and call.args[0].container in _SERIES:
        return _clipped_series(call, call.args[0])
    names: tuple[str, ...] = ("a", "a_min", "a_max", "min", "max")
    if call.name == "method.clip":
        names = ("a", "a_min" if "a_min" in call.keywords else "min",
                 "a_max" if "a_max" in call.keywords else "max")  # fmt: skip
        x, low, high = call.bind(*names)
    else:
        x, low, high, least, most = call.bind(*names)
        low, high = low if least is None else least, high if most is None else most
    assert x is not None
    result: Value = x
    for bound, name in ((low, "numpy.maximum"), (high, "numpy.minimum")):
        if bound is None or (isinstance(bound, Known) and bound.value is None):
            continue
        result = call.redo(name, result, bound)
    if isinstance(result, Array):
        known = None if None in map(term_of, (x, *(b for b in (low, high) if b))) else (
            "clip", term_of(x), *(term_of(b) if b else None for b in (low, high))
        )  # fmt: skip
        return derived(replace(result, term=known, dtype=_clipped_type(result, x)))
    return result


def _clipped_series(call: Application, x: Array) -> Value:
    """Return ``x.clip(l, u)`` of a pandas series with constant bounds, l <= u."""
    if x.container != "pandas" or call.name != "method.clip" or x.boolean:
        call.refuse("clip of a series (bring it to NumPy first)")
    _, low, high = call.bind("a", "lower", "upper")
    ends = [call.known(end) for end in (low, high)]
    present = [end for end in ends if end is not None]
    # pandas swaps bounds in the wrong order, leaves out those that are NaN, and makes floats of
    # integers where the bounds are.
    if any(type(end) not in ((int,) if x.integer else (int, float)) or end != end
           for end in present) or present != sorted(present):  # fmt: skip
        call.refuse("clip of a series by bounds of another type, or in another order")
    plain = call.redo("numpy.clip", replace(x, container="array"), *map(constant, ends))
    return replace(plain, container="pandas") if isinstance(plain, Array) else plain


def _clipped_type(result: Array, x: Value) -> str:
    return result.dtype or (x.dtype if isinstance(x, Array) else "")
