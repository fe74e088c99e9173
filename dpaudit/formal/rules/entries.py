"""Arithmetic, comparisons and choices, entry by entry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

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
from dpaudit.formal.domain import (
    Array,
    Known,
    Norms,
    Number,
    Rows,
    Tuple,
    Unaligned,
    Value,
    derived,
)
from dpaudit.formal.joins import join
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
from dpaudit.formal.rules.numbers import power_range, product_range, quotient_range

BOTH_TESTS = Entry(ZERO, ONE, True, True, dtype="bool")


def flags(*arrays: Array, overflows: bool = False) -> dict[str, Any]:
    """Return the flags of an arithmetic result: infinities may make NaN, and so may overflow."""
    infinite = any(a.infinite for a in arrays)
    return {
        "integer": all(a.integer for a in arrays),
        "nan": infinite or any(a.nan for a in arrays),
        "infinite": infinite or overflows,
        "why": next((a.why for a in arrays if a.why), ""),
    }


def unbounded(array: Array) -> bool:
    """Whether records may be as large as floats go, so that arithmetic overflows."""
    return array.rows is not None and not array.integer and INFINITE in (array.high, -array.low)


def _pair(call: Application) -> tuple[Array, Array] | None:
    if call.keywords or len(call.args) != 2 or not has_arrays(call):
        return None
    a, b = operand(call, call.args[0]), operand(call, call.args[1])
    return None if "object" in (a.kind, b.kind) else (a, b)


def _logical(a: Array, b: Array) -> bool:
    """Whether NumPy takes + and * of these for `or` and `and`."""
    return a.dtype == "bool" and b.dtype == "bool"


@rule(
    "operator.add",
    statement="Changes of sums add up, in every norm; a function of a record stays one.",
    proof="Triangle inequality.",
)
def sum_of_entries(call: Application) -> Value | None:
    """Add: a + b."""
    pair = _pair(call)
    if pair is None:
        return None
    a, b = pair
    if _logical(a, b):
        return combined(call, [a, b], BOTH_TESTS)
    entry = Entry(
        a.low + b.low, a.high + b.high, **flags(a, b, overflows=unbounded(a) and unbounded(b))
    )  # fmt: skip
    rises, falls = a.rises or b.rises, a.falls or b.falls
    return _linear(call, a, b, entry, rises, falls)


@rule(
    "operator.sub",
    statement="Changes of differences add up, in every norm; a function of a record stays one.",
    proof="Triangle inequality.",
)
def difference_of_entries(call: Application) -> Value | None:
    """Subtract: a − b."""
    pair = _pair(call)
    if pair is None:
        return None
    a, b = pair
    if _logical(a, b):
        call.refuse("a difference of truth values, which NumPy does not compute")
    entry = Entry(
        a.low - b.high, a.high - b.low, **flags(a, b, overflows=unbounded(a) and unbounded(b))
    )  # fmt: skip
    rises, falls = a.rises or b.falls, a.falls or b.rises
    result = _linear(call, a, b, entry, rises, falls)
    centred = centred_term(call, a, b)
    if centred is not None and isinstance(result, Array):
        return replace(result, term=centred)
    return result


def centred_term(call: Application, a: Array, b: Array) -> Any:
    """Return the term of x − mean(x)."""
    mean = b.term
    if b.shape or a.rows is None or len(a.shape) != 1 or not isinstance(mean, tuple):
        return None
    known = mean[0] == "mean" and mean[1] == a.term
    if known:
        call.walk.values[("centred of", a.term)] = a
    return ("centred", a.term) if known else None


def _linear(call: Application, a: Array, b: Array, entry: Entry, rises: bool, falls: bool) -> Value:
    entry, wrapped = fitted(call, [a, b], entry)
    shape = template(call, [a, b])
    change = spread(a, shape).plus(spread(b, shape))
    if not wrapped:
        # Together the changes of one entry may cancel: a count less a share of all records.
        down, up = _entry_change(call.args[0], a)
        other = _entry_change(call.args[1], b)
        down, up = (
            (down + other[0], up + other[1]) if call.name == "operator.add"
            else (down - other[1], up - other[0])
        )  # fmt: skip
        change = replace(change, linf=tighter(change.linf, larger(ZERO, -down, up)))
        rises, falls = rises and not at_most(up, ZERO), falls and not at_most(ZERO, down)
    span = Norms()
    if a.rows is not None and (b.public or not b.shape):
        span = a.span
    return combined(
        call, [a, b], replace(entry, span=Norms() if wrapped else span),
        None if wrapped else change, rises=rises, falls=falls,
    )  # fmt: skip


def _entry_change(value: Value, array: Array) -> tuple[Bound, Bound]:
    """Return between what the change of each entry lies."""
    if isinstance(value, Number):
        return value.change
    linf = derived(array).norms.linf
    return (-linf if array.falls else ZERO), (linf if array.rises else ZERO)


@rule(
    "operator.neg",
    statement="−a moves as far as a.",
    proof="Linearity.",
)
def negative_entries(call: Application) -> Value | None:
    """Negate: −a."""
    if not has_arrays(call):
        return None
    a = operand(call, call.args[0])
    entry, wrapped = fitted(call, [a], Entry(-a.high, -a.low, **flags(a), row=a.row, span=a.span))
    change = None if wrapped else derived(a).norms
    return combined(call, [a], entry, change, rises=a.falls, falls=a.rises)


@rule(
    "operator.mul",
    statement="‖ab − a'b'‖ <= max|a| ‖b − b'‖ + max|b| ‖a − a'‖ in every norm; "
    "a function of a record stays one.",
    proof="ab − a'b' = a(b − b') + b'(a − a').",
)
def product_of_entries(call: Application) -> Value | None:
    """a·b."""
    pair = _pair(call)
    if pair is None:
        return None
    a, b = pair
    if _logical(a, b):
        return combined(call, [a, b], BOTH_TESTS)
    low, high = product_range(number_of(a), number_of(b))
    grows = any(
        unbounded(one) and not at_most(magnitude(other.low, other.high), ONE)
        for one, other in ((a, b), (b, a))
    )
    entry = Entry(low, high, **flags(a, b, overflows=grows), boolean=a.boolean and b.boolean)
    row, span = Norms(), Norms()
    for one, other in ((a, b), (b, a)):
        most = magnitude(other.low, other.high)
        if one.rows is not None and (other.rows is None or len(other.rest) == 0):
            row = row.within(one.row.scaled(most))
        if one.rows is not None and not other.shape and other.public:
            span = one.span.scaled(most)
    entry, wrapped = fitted(call, [a, b], replace(entry, row=row, span=span))
    if wrapped:
        return combined(call, [a, b], entry)
    shape = template(call, [a, b])
    parts = [
        spread(one, shape).scaled(magnitude(other.low, other.high))
        for one, other in ((a, b), (b, a))
    ]
    rises = falls = True
    for one, other in ((a, b), (b, a)):
        if other.public and at_most(ZERO, other.low):
            rises, falls = one.rises, one.falls
    return combined(call, [a, b], entry, parts[0].plus(parts[1]), rises=rises, falls=falls)


@rule(
    "operator.truediv",
    statement="a/c moves by ‖a − a'‖/min|c|; rows over max(1, ‖row‖₂/B) have length at most B.",
    proof="Linearity; ‖x‖/max(1, ‖x‖/B) = min(‖x‖, B) (clipping of gradients: Abadi et al. 2016).",
)
def quotient_of_entries(call: Application) -> Value | None:
    """a/b."""
    pair = _pair(call)
    if pair is None:
        return None
    a, b = pair
    positive = below(ZERO, b.low) or (b.integer and at_most(ONE, b.low))
    negative = below(b.high, ZERO)
    single = not b.shape and b.low == b.high and b.low != 0
    if b.public and not b.shape and not (positive or negative or single):
        expr = call.args[1].expr if isinstance(call.args[1], Number) else None
        if expr is not None and expr != 0:
            call.walk.assume(sympy.Ne(expr, 0), call.place)
            return _over_symbol(call, a, b, expr)
    if not (positive or negative):
        entry = Entry(nan=True, infinite=True, why=f"a divisor may be zero at {call.place}")
        return combined(call, [a, b], entry)
    low, high = quotient_range(number_of(a), number_of(b))
    least = b.low if positive else -b.high
    grows = unbounded(a) and not at_most(ONE, b.low if positive else -b.high)
    entry = Entry(
        low, high, **{**flags(a, b, overflows=grows), "integer": False}, dtype="float64"
    )  # fmt: skip
    if b.public and not b.shape:
        entry = replace(entry, row=a.row.scaled(1 / least), span=a.span.scaled(1 / least))
    bound = _length_bound(call, a, b)
    if bound is not None and not (a.nan or a.infinite):
        entry = replace(entry, row=entry.row.within(replace(Norms(), l2=bound)))
    shape = template(call, [a, b])
    change = spread(a, shape).scaled(1 / least)
    if not b.public:
        both = times(magnitude(low, high), ONE) / least
        change = change.plus(spread(b, shape).scaled(both))
    signs = {"rises": a.rises, "falls": a.falls} if b.public and positive else {}
    return combined(call, [a, b], entry, change, **signs)


def _over_symbol(call: Application, a: Array, b: Array, expr: Bound) -> Value:
    factor = 1 / absolute(expr)
    most = magnitude(a.low, a.high)
    ends = (ZERO if at_most(ZERO, a.low) and at_most(ZERO, expr) else -times(most, factor),
            times(most, factor))  # fmt: skip
    entry = Entry(*ends, **{**flags(a, overflows=unbounded(a)), "integer": False}, dtype="float64",
                  row=a.row.scaled(factor), span=a.span.scaled(factor))  # fmt: skip
    return combined(call, [a, b], entry, derived(a).norms.scaled(factor))


def _length_bound(call: Application, a: Array, b: Array) -> Bound | None:
    """Return B where b is max(1, ‖row of a‖₂/B)."""
    term = b.term
    if a.rows is None or not isinstance(term, tuple) or term[0] != "max" or len(term[1]) != 2:
        return None
    one = ("public", ONE)
    if one not in term[1]:
        return None
    (other,) = term[1] - {one}
    bound: Bound = ONE
    if isinstance(other, tuple) and other[0] == "operator.truediv" and len(other) == 3:
        if not isinstance(other[2], tuple) or other[2][0] != "public":
            return None
        bound, other = other[2][1], other[1]
        if below(ZERO, bound) is not True:
            if bound.is_number:
                return None
            call.walk.assume(bound > 0, call.place)
    return bound if _is_row_length(other, a) else None


def _is_row_length(term: Any, a: Array) -> bool:
    """Whether a term is the length of every row of a, as a column or row that fits."""
    if not isinstance(term, tuple) or a.term is None or len(a.shape) != 2:
        return False
    axis = 1 - (a.row_axis or 0)
    if term[0] == "row norm":
        return bool(term[1:] == (a.term, axis))
    return bool(
        term[0] == "numpy.sqrt" and term[1] in (
            ("sum", ("operator.pow", a.term, ("public", sympy.Integer(2))), axis),
            ("sum", ("operator.mul", a.term, a.term), axis),
        )
    )  # fmt: skip


@rule(
    "operator.pow",
    statement="a^k for a whole k >= 1 moves by k max|a|^(k−1) ‖a − a'‖ in every norm.",
    proof="Mean value theorem, entry by entry.",
)
def power_of_entries(call: Application) -> Value | None:
    """a**k."""
    if not has_arrays(call) or len(call.args) != 2:
        return None
    exponent = call.args[1]
    if not isinstance(exponent, Number) or not exponent.constant:
        return None
    k = exponent.value
    a = operand(call, call.args[0])
    if k == 0.5:
        return call.redo("numpy.sqrt", a)
    if k != int(k) or k < 1:
        return None
    low, high = power_range(a.low, a.high, int(k))
    entry, wrapped = fitted(call, [a], Entry(low, high, **flags(a, overflows=unbounded(a))))
    slope = int(k) * magnitude(a.low, a.high) ** (int(k) - 1)
    if a.rows is not None and a.row.l2 is not INFINITE and k == 2 and not wrapped:
        entry = replace(entry, row=Norms(l1=a.row.l2**2))
    change = None if wrapped else derived(a).norms.scaled(slope)
    return combined(call, [a, operand(call, exponent)], entry, change)


@rule(
    "operator.mod", "operator.floordiv", "operator.and_", "operator.or_", "operator.xor",
    "operator.lshift", "operator.rshift", "numpy.logical_and", "numpy.logical_or",
    statement="A function of a record's entry and of public values stays one.",
    proof="By definition of `rows`.",
)  # fmt: skip
def other_operators(call: Application) -> Value | None:
    """%, //, &, |, ^, <<, >>."""
    pair = _pair(call)
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
    from dpaudit.formal.domain import constant

    number = constant(0)
    assert isinstance(number, Number)
    return number


@rule(
    "operator.add",
    statement="Lists one after the other.",
    proof="By definition.",
)
def joined_lists(call: Application) -> Value | None:
    """Join: [a] + [b], (a,) + (b,)."""
    from dpaudit.formal.domain import ListValue

    match call.args:
        case [ListValue(items=a), ListValue(items=b)]:
            return ListValue([*a, *b])
        case [Tuple(items=a), Tuple(items=b)]:
            return Tuple((*a, *b))
    return None


@rule(
    "operator.mul",
    statement="A list several times.",
    proof="By definition.",
)
def repeated_list(call: Application) -> Value | None:
    """Repeat: [a] * k."""
    from dpaudit.formal.domain import ListValue

    for one, other in (tuple(call.args), tuple(call.args[::-1])):
        if isinstance(one, ListValue) and isinstance(other, Number):
            if other.constant and isinstance(other.value, int):
                return ListValue(one.items * other.value)
            call.refuse("a list as often as a private number says")
    return None


def records_axis(array: Array) -> Rows | Unaligned | None:
    """Return the axis whose length is private or that of records."""
    return next((axis for axis in array.shape if isinstance(axis, Rows | Unaligned)), None)
