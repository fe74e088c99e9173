"""Arithmetic, entry by entry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy

from dpaudit.formal.arrays import derived
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
    some_positive,
    tighter,
    times,
)
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, Number, Rows, Tuple, Unaligned, Value
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
from dpaudit.formal.rules.numbers import (
    power_range,
    product_range,
    quotient_range,
    validate_kept,
)

_NEW_AXIS = tuple(repr(parts) for parts in ((slice(None), None), (None, slice(None))))
_TINY = sympy.Rational(1, 2**400)
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


def unbounded(call: Application, array: Array) -> bool:
    """Whether records may be as large as floats go, so that arithmetic overflows.

    Of a mechanism, `dpaudit.floats` finds that.
    """
    if call.walk.hooks.with_floats:
        return False
    return array.rows is not None and not array.integer and INFINITE in (array.high, -array.low)


def pair_of(call: Application) -> tuple[Array, Array] | None:
    """Return both operands as arrays of numbers, None where they are not."""
    if call.keywords or len(call.args) != 2 or not has_arrays(call):
        return None
    a, b = operand(call, call.args[0]), operand(call, call.args[1])
    return None if "object" in (a.kind, b.kind) else (a, b)


def _logical(a: Array, b: Array) -> bool:
    """Whether NumPy takes + and * of these for `or` and `and`."""
    return a.dtype == "bool" and b.dtype == "bool"


@rule(
    "operator.add", "operator.sub",
    statement="Changes of sums add up, and of differences, in every norm; "
    "a function of a record stays one.",
    proof="Triangle inequality.",
)  # fmt: skip
def sum_of_entries(call: Application) -> Value | None:
    """Add and subtract: a + b, a − b."""
    pair = pair_of(call)
    if pair is None:
        return None
    a, b = pair
    minus = call.name == "operator.sub"
    if _logical(a, b):
        if minus:
            call.refuse("a difference of truth values, which NumPy does not compute")
        return combined(call, [a, b], BOTH_TESTS)
    low, high = (-b.high, -b.low) if minus else (b.low, b.high)
    rises, falls = (b.falls, b.rises) if minus else (b.rises, b.falls)
    overflows = unbounded(call, a) and unbounded(call, b)
    entry = Entry(a.low + low, a.high + high, **flags(a, b, overflows=overflows))
    result = _linear(call, a, b, entry, a.rises or rises, a.falls or falls)
    centred = centred_term(call, a, b) if minus else None
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
    result = combined(
        call, [a, b], replace(entry, span=Norms() if wrapped else span),
        None if wrapped else change, rises=rises, falls=falls,
    )  # fmt: skip
    if isinstance(result, Array) and not result.integer and not result.public:
        sizes = [magnitude(x.low, x.high) for x in (a, b, result)]
        far = result.span if result.rows is not None else result.norms
        validate_kept(call, [*sizes, *(derived(x).norms.linf for x in (a, b))], far.linf)
    return result


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
    pair = pair_of(call)
    if pair is None:
        return None
    a, b = pair
    if _logical(a, b):
        return combined(call, [a, b], BOTH_TESTS)
    low, high = product_range(number_of(a), number_of(b))
    square = a.term is not None and a.term == b.term and a.shape == b.shape
    if square:
        low = larger(low, ZERO)
    grows = any(
        unbounded(call, one) and not at_most(magnitude(other.low, other.high), ONE)
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
    pair = pair_of(call)
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
    regular = not (a.nan or b.nan or a.infinite or b.infinite)
    if low == 0 and a.public and b.public and regular and positive and below(ZERO, a.low):
        low = some_positive("least")  # of the entries that both runs hold
    least = b.low if positive else -b.high
    grows = unbounded(call, a) and not at_most(ONE, b.low if positive else -b.high)
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
    grown = flags(a, overflows=unbounded(call, a))
    entry = Entry(*ends, **{**grown, "integer": False}, dtype="float64",
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
    if bound.is_number and not at_most(_TINY, bound):
        return None  # the squares of what is longer may be 0 in floats
    return bound if _is_row_length(other, a) else None


def _is_row_length(term: Any, a: Array) -> bool:
    """Whether a term is the length of every row of a, as a column or row that fits."""
    if not isinstance(term, tuple) or a.term is None or len(a.shape) != 2:
        return False
    axis = 1 - (a.row_axis or 0)
    if term[0] == "item" and term[2] in _NEW_AXIS and isinstance(term[1], tuple):
        term = term[1]
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
    entry, wrapped = fitted(call, [a], Entry(low, high, **flags(a, overflows=unbounded(call, a))))
    slope = int(k) * magnitude(a.low, a.high) ** (int(k) - 1)
    if a.rows is not None and a.row.l2 is not INFINITE and k == 2 and not wrapped:
        entry = replace(entry, row=Norms(l1=a.row.l2**2))
    change = None if wrapped else derived(a).norms.scaled(slope)
    return combined(call, [a, operand(call, exponent)], entry, change)


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
