"""Tests and choices, whole numbers and truth values, entry by entry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import (
    INFINITE,
    ONE,
    ZERO,
    below,
    larger,
    smaller,
    width,
)
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, Known, Number, Value
from dpaudit.formal.joins import join
from dpaudit.formal.norms import Norms
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import (
    Entry,
    combined,
    fitted,
    has_arrays,
    number_of,
    operand,
    spread,
    template,
)
from dpaudit.formal.rules.entries import BOTH_TESTS, flags, pair_of
from dpaudit.formal.rules.numbers import quotient_range


@rule(
    "operator.mod", "operator.floordiv", "operator.and_", "operator.or_", "operator.xor",
    "operator.lshift", "operator.rshift", "numpy.logical_and", "numpy.logical_or",
    statement="A function of a record's entry and of public values stays one.",
    proof="By definition of `rows`.",
)  # fmt: skip
def other_operators(call: Application) -> Value | None:
    """%, //, &, |, ^, <<, >>."""
    pair = pair_of(call)
    if pair is None:
        return None
    a, b = pair
    word = call.name.rpartition(".")[2]
    if word.startswith("logical"):
        return combined(call, [a, b], BOTH_TESTS)
    if word in ("and_", "or_", "xor") and a.boolean and b.boolean:
        return combined(call, [a, b], BOTH_TESTS)
    whole = a.integer and b.integer
    if word == "mod" and below(ZERO, b.low):
        high = b.high - 1 if whole else b.high
        entry = Entry(ZERO, high, **{**flags(a, b), "integer": whole})
        return combined(call, [a, b], fitted(call, [a, b], entry)[0])
    if word == "floordiv" and below(ZERO, b.low):
        low, high = quotient_range(number_of(a), number_of(b))
        ends = (x if x in (INFINITE, -INFINITE) else sympy.floor(x) for x in (low, high))
        entry = Entry(*ends, **{**flags(a, b), "integer": whole})
        return combined(call, [a, b], entry)
    if not whole or word in ("mod", "floordiv"):
        return None
    wide = Entry(-INFINITE, INFINITE, True)
    return combined(call, [a, b], _within_type(call, a, b, wide))


def _within_type(call: Application, a: Array, b: Array, entry: Entry) -> Entry:
    fit, _ = fitted(call, [a, b], entry)
    limits = np.iinfo(fit.dtype)
    return replace(fit, low=sympy.Integer(int(limits.min)), high=sympy.Integer(int(limits.max)))


@rule(
    *(f"operator.{word}" for word in ("lt", "le", "gt", "ge", "eq", "ne")),
    statement="A comparison's entries are 0 or 1, and move only where an operand's do; "
    "a record equals at most one of different values.",
    proof="By definition; a comparison with NaN is false (true for !=).",
)
def comparison_of_entries(call: Application) -> Value | None:
    """Compare: a < b and the like."""
    if call.keywords or len(call.args) != 2 or not has_arrays(call):
        return None
    if any(isinstance(v, Known) and v.value is None for v in call.args):
        return None
    a, b = operand(call, call.args[0]), operand(call, call.args[1])
    if not a.shape and not b.shape and not (a.element or b.element):
        return None
    entry = BOTH_TESTS
    if call.name == "operator.eq":
        entry = replace(entry, row=_one_hot(call, a, b), dtype="bool")
    shape = template(call, [a, b])
    moved = spread(a, shape).l0 + spread(b, shape).l0
    change = Norms(l0=moved, linf=ONE).tightened(shape.size)
    return combined(call, [a, b], entry, change)


def _one_hot(call: Application, a: Array, b: Array) -> Norms:
    """Return that a record equals at most one of public values that differ."""
    for one, other, value in ((a, b, call.args[1]), (b, a, call.args[0])):
        if one.rows is None or any(axis != 1 for axis in one.rest):
            continue
        if isinstance(value, Known) and isinstance(value.value, np.ndarray):
            flat = value.value.ravel().tolist()
            if len(set(flat)) == len(flat) and other.rows is None:
                return Norms(ONE, ONE, ONE, ONE)
    return Norms()


@rule(
    "operator.invert", "numpy.logical_not",
    statement="The opposite of a test is one, and moves where it does.",
    proof="By definition.",
)  # fmt: skip
def opposite_entries(call: Application) -> Value | None:
    """Negate truth values: ~a."""
    if not has_arrays(call) or len(call.args) != 1:
        return None
    a = operand(call, call.args[0])
    if not a.boolean:
        return None
    if call.name == "operator.invert" and (a.dtype != "bool" or a.container == "list"):
        return None  # ~True is -2
    return combined(call, [a], BOTH_TESTS, derived(a).norms, rises=a.falls, falls=a.rises)


@rule(
    "numpy.where",
    statement="where(test, a, b) lies in the hull of both; of rows it is a function of the row.",
    proof="By definition.",
)
def choice_of_entries(call: Application) -> Value | None:
    """np.where(test, a, b)."""
    test, a, b = call.bind("condition", "x", "y", required=3)
    assert test is not None
    assert a is not None
    assert b is not None
    if isinstance(test, Number) and isinstance(a, Number) and isinstance(b, Number):
        outcome = call.walk.truth(test, call.place)
        if outcome is not None:
            return a if outcome else b
        return join(a, b, test, call.place, call.walk.hooks)
    mask, one, other = (operand(call, value) for value in (test, a, b))
    if not mask.boolean:
        mask = operand(call, call.redo("operator.ne", mask, _zero()))
    if "object" in (one.kind, other.kind):
        return None
    low, high = smaller(one.low, other.low), larger(one.high, other.high)
    nothing = [x for x in (one, other) if x.public and x.low == x.high == 0 and not x.nan]
    kept = other if one in nothing else one
    row = span = Norms()
    if nothing and kept.rows is not None:
        row = kept.row
    elif not nothing and one.rows is not None and other.rows is not None and not mask.rest:
        row = one.row.joined(other.row)
    both = [one, other]
    entry = Entry(
        low, high, all(x.integer for x in both), all(x.boolean for x in both),
        any(x.nan for x in both), any(x.infinite for x in both),
        next((x.why for x in both if x.why), ""), row=row, span=span,
    )  # fmt: skip
    shape = template(call, [mask, one, other])
    moved = spread(mask, shape)
    across = Norms(moved.l0, linf=width(low, high)).tightened(shape.size) if (
        not mask.public
    ) else Norms(ZERO, ZERO, ZERO, ZERO)  # fmt: skip
    change = across.plus(spread(one, shape)).plus(spread(other, shape))
    result = combined(call, [mask, one, other], entry, change)
    if isinstance(result, Array):
        dtype = fitted(call, [one, other], Entry(low, high, entry.integer))[0].dtype
        result = replace(result, dtype="bool" if entry.boolean else dtype)
    return result


def _zero() -> Number:
    from dpaudit.formal.constants import constant

    number = constant(0)
    assert isinstance(number, Number)
    return number
