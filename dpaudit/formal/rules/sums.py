"""Sums: over all records, over entries, along an axis; products of matrices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.arrays import as_number, derived
from dpaudit.formal.bounds import (
    INFINITE,
    ONE,
    ZERO,
    Bound,
    at_most,
    exact,
    larger,
    magnitude,
    smaller,
    square_root,
    tighter,
    times,
    width,
)
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import (
    Array,
    Known,
    ListValue,
    Number,
    Rows,
    Tuple,
    Unaligned,
    Value,
    fresh,
)
from dpaudit.formal.narrow import of_type, scalar_type
from dpaudit.formal.norms import Norms
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import Entry, fitted, operand
from dpaudit.formal.rules.numbers import product_range

FEW_BITS = sympy.Integer(2**31)  # sums of such integers overflow 64 bits for 2³² records or more
ROUNDING = "float rounding adds at most (n − 1)·2⁻⁵³·Σ|xᵢ| to first order"


@rule(
    "numpy.sum", "method.sum", "builtins.sum", "math.fsum",
    statement="Under add/remove of k records a sum over records moves by at most k rows; under "
    "replacement by at most k differences of two rows; a sum of entries by their change in l1.",
    proof="Σ over D' − Σ over D is the sum of the rows that differ (Dwork & Roth 2014, Def. 3.1).",
)  # fmt: skip
def total(call: Application) -> Value | None:
    """x.sum(), np.sum(x, axis=…), sum(x)."""
    if call.name == "builtins.sum":
        x, start = call.bind("iterable", "start")
        options: dict[str, Value | None] = {}
    else:
        x, axis, dtype, keep = call.bind("a", "axis", "dtype", "keepdims")
        start, options = None, {"axis": axis, "dtype": dtype, "keepdims": keep}
    if isinstance(x, ListValue | Tuple):
        return _of_items(call, list(x.items), start, options)
    if not isinstance(x, Array) or x.kind == "object" or x.element:
        return None
    if call.name in ("builtins.sum", "math.fsum") and len(x.shape) != 1:
        return None
    result = summed(call, x, options)
    return result if start is None else call.redo("operator.add", start, result)


def _of_items(
    call: Application, items: list[Value], start: Value | None, options: dict[str, Value | None]
) -> Value:
    simple = call.name in ("builtins.sum", "math.fsum")
    if not simple and items:
        return summed(call, operand(call, ListValue(items)), options)
    result: Value = constant(0) if start is None else start
    if len(items) > 1 and all(isinstance(i, Number) and not i.public for i in items):
        # Values of disjoint parts of the records do not all change: see `stacked`.
        together = operand(_as_numpy(call), ListValue(items))
        return call.redo("operator.add", result, summed(call, together, {}))
    for item in items:
        result = call.redo("operator.add", result, item)
    return result


def _as_numpy(call: Application) -> Application:
    return replace(call, name="numpy.sum")


def summed(call: Application, x: Array, options: dict[str, Value | None]) -> Value:
    """Return the sum of an array, along one axis or over all."""
    axis = call.known(options.get("axis"))
    keep = bool(call.known(options.get("keepdims"), False))
    if isinstance(axis, tuple):
        call.refuse("a sum along several axes")
    if axis is not None:
        axis = int(axis) % max(1, len(x.shape))
    if x.nan and x.container == "pandas":
        x = derived(
            replace(x, nan=False, low=smaller(x.low, ZERO), high=larger(x.high, ZERO), term=None)
        )  # missing values are left out
    dtype = call.known(options.get("dtype"))
    if dtype is not None and not x.integer and np.dtype(dtype) != np.float64:
        call.refuse(f"a sum of numbers as {np.dtype(dtype)}")
    own = _accumulator(x) if dtype is None else str(np.dtype(dtype))
    term = _term(x, axis if len(x.shape) > 1 else None)
    if axis is None or len(x.shape) == 1:
        result = _whole(call, x)
        if not isinstance(result, Number):
            return result
        if keep:
            call.refuse("a sum that keeps all axes")
        whole = scalar_type(own) if result.integer else ""
        result = _wrapped(call, replace(result, term=of_type(term, own)), own)
        return replace(result, dtype=whole)
    result = _along(call, x, axis, keep)
    if not isinstance(result, Array):
        return result
    entry, wrapped = fitted(
        call, [result], Entry(result.low, result.high, result.integer, dtype=own)
    )
    if wrapped:
        result = derived(replace(
            result, low=entry.low, high=entry.high, row=Norms(), span=Norms(), why=entry.why,
            norms=Norms(result.norms.l0),
        ))  # fmt: skip
    return replace(result, dtype=own if result.integer else "float64", term=of_type(term, own))


def _term(x: Array, axis: int | None) -> Any:
    if x.term is None:
        return None
    return ("sum", x.term) if axis is None else ("sum", x.term, axis)


def _accumulator(x: Array) -> str:
    if not x.integer or not x.dtype:
        return "float64" if not x.integer else "int64"
    kind = np.dtype(x.dtype)
    if kind.kind == "u":
        return "uint64"
    return "int64" if kind.kind in "bi" else str(kind)


def _wrapped(call: Application, number: Number, dtype: str) -> Number:
    """Return a total as its type of integers holds it."""
    kind = np.dtype(dtype)
    if kind.kind not in "iu" or not number.integer:
        return number
    limits = np.iinfo(kind)
    least, most = sympy.Integer(int(limits.min)), sympy.Integer(int(limits.max))
    if at_most(least, number.low) and at_most(number.high, most):
        return number
    if kind.itemsize == 8 and at_most(larger(number.fall, number.rise), FEW_BITS):
        return number  # it would take more records than there are
    change = most - least
    why = f"{dtype} holds no number beyond {most}, at {call.place}"
    return Number(least, most, change, change, True, why=why, term=number.term)


def total_range(low: Bound, high: Bound, least: Bound, most: Bound) -> tuple[Bound, Bound]:
    """Return the range of a sum of between `least` and `most` numbers of [low, high]."""
    bottom = times(least, low) if at_most(ZERO, low) else times(most, low)
    top = times(most, high) if at_most(ZERO, high) else times(least, high)
    if not at_most(ZERO, high) and not at_most(high, ZERO):
        top = larger(times(most, high), times(least, high))
    if not at_most(ZERO, low) and not at_most(low, ZERO):
        bottom = smaller(times(most, low), times(least, low))
    return bottom, top


def changes(rows: Rows, low: Bound, high: Bound, span: Bound) -> tuple[Bound, Bound]:
    """Return what a sum of one number of [low, high] a record falls and rises by."""
    k = rows.count
    down, up = larger(ZERO, -low), larger(ZERO, high)
    if rows.relation == "same":
        return ZERO, ZERO
    if rows.relation == "inserted":
        return times(k, down), times(k, up)
    if rows.relation == "replaced":
        return times(k, span), times(k, span)
    both = times(k, larger(span, down + up if span is INFINITE else larger(down, up)))
    return both, both


def _whole(call: Application, x: Array) -> Value:
    """Return the sum of all entries."""
    x = derived(x)
    if x.nan or x.infinite:
        reason = "NaN" if x.nan else "infinity"
        return Number(
            nan=True, infinite=x.infinite, why=x.why or f"{reason} reaches the sum at {call.place}"
        )
    call.notes.append(ROUNDING)
    rows = x.rows
    if rows is not None:
        return _over_records(call, x, rows)
    if not x.aligned:
        axis = next(a for a in x.shape if isinstance(a, Unaligned))
        if len(x.shape) != 1:
            call.refuse("a sum of an array whose shape is private")
        low, high = total_range(x.low, x.high, axis.length.low, axis.length.high)
        return Number(low, high, high - low, high - low, x.integer, why=x.why)
    size = x.size
    assert size is not None
    low, high = times(size, x.low), times(size, x.high)
    number = Number(
        low, high, x.norms.l1 if x.falls else ZERO, x.norms.l1 if x.rises else ZERO, x.integer,
        why=x.why,
    )  # fmt: skip
    if x.public:
        symbol = sympy.Symbol(f"sum_{fresh()}", real=True)
        return replace(number, expr=low if low == high else symbol)
    return number


def _over_records(call: Application, x: Array, rows: Rows) -> Number:
    size = x.rest_size
    if size is None:
        call.refuse("a sum of an array whose shape is private")
    low, high, span = x.low, x.high, x.span.l1
    if x.rest:
        # |Σ of a row| <= ‖row‖₁
        low = larger(times(size, low), -x.row.l1)
        high = smaller(times(size, high), x.row.l1)
        span = smaller(width(low, high), span)
    fall, rise = changes(rows, low, high, span)
    bottom, top = total_range(low, high, rows.least, rows.most)
    number = Number(bottom, top, fall, rise, x.integer, why=x.why, source=rows)
    if rows.relation == "inserted" and rows.certain:
        # At least one record joins.
        down = low if at_most(ZERO, low) else -fall
        up = high if at_most(high, ZERO) else rise
        return number.changing(down, up)
    return number


def _along(call: Application, x: Array, axis: int, keep: bool) -> Value:
    """Return the sums along one axis."""
    x = derived(x)
    if x.nan or x.infinite:
        why = x.why or f"NaN or infinity reaches the sum at {call.place}"
        shape = _dropped(x.shape, axis, keep)
        source = x.rows if any(isinstance(a, Rows) for a in shape) else None
        return Array(shape, nan=True, infinite=x.infinite, why=why, source=source)
    call.notes.append(ROUNDING)
    shape = _dropped(x.shape, axis, keep)
    rows = x.rows
    if rows is not None and axis == x.row_axis:
        return sum_over_rows(x, rows, shape)
    length = x.shape[axis]
    if isinstance(length, Unaligned):
        call.refuse("a sum along an axis of private length")
    low, high = times(length, x.low), times(length, x.high)
    if rows is not None:
        result = Array(shape, low, high, x.integer, row=_sums(x.row, length),
                       span=_sums(x.span, length), dtype=x.dtype, source=rows)  # fmt: skip
        most = result.row.linf
        return derived(replace(result, low=larger(low, -most), high=smaller(high, most)))
    return derived(Array(
        shape, low, high, x.integer, norms=_sums(x.norms, length), rises=x.rises, falls=x.falls,
        dtype=x.dtype, source=x.source,
    ))  # fmt: skip


def _dropped(shape: tuple[Any, ...], axis: int, keep: bool) -> tuple[Any, ...]:
    return (*shape[:axis], *([ONE] if keep else []), *shape[axis + 1 :])


def _sums(norms: Norms, length: Bound) -> Norms:
    """Return the bounds of sums along an axis of `length` entries."""
    return Norms(
        norms.l0,
        norms.l1,
        tighter(norms.l1, times(square_root(length), norms.l2)),  # Cauchy and Schwarz
        tighter(norms.l1, times(length, norms.linf)),
    )


def sum_over_rows(x: Array, rows: Rows, shape: tuple[Any, ...]) -> Value:
    """Return the sum of one row a record."""
    k, row, span = rows.count, x.row, x.span
    norms = {
        "inserted": row,
        "replaced": span,
        "edited": span.joined(row),
        "same": Norms(ZERO, ZERO, ZERO, ZERO),
    }[rows.relation].times(k)
    fall, rise = changes(rows, x.low, x.high, span.linf)
    low, high = total_range(x.low, x.high, rows.least, rows.most)
    result = derived(Array(
        shape, low, high, x.integer, norms=norms, rises=rise != 0, falls=fall != 0,
        dtype=x.dtype, why=x.why, source=rows,
    ))  # fmt: skip
    number = as_number(result)
    return replace(number, fall=fall, rise=rise) if isinstance(number, Number) else number


@rule(
    "numpy.cumsum", "method.cumsum",
    statement="Running sums of m entries: each moves by at most the change in l1.",
    proof="A lower triangular matrix of ones: column norms √m, m.",
)  # fmt: skip
def running_sums(call: Application) -> Value | None:
    """x.cumsum()."""
    x, *_ = call.bind("a")
    if not isinstance(x, Array) or len(x.shape) != 1:
        return None
    x = derived(x)
    axis = x.shape[0]
    if isinstance(axis, Rows) and not axis.public:
        axis = Unaligned(axis.length())
    if isinstance(axis, Unaligned):
        low, high = total_range(x.low, x.high, ZERO, axis.length.high)
        return derived(Array((axis,), smaller(low, x.low), larger(high, x.high), x.integer,
                             nan=x.nan or x.infinite, infinite=x.infinite))  # fmt: skip
    m = axis.least if isinstance(axis, Rows) else axis
    low, high = total_range(x.low, x.high, ONE, m)
    l1 = x.norms.l1
    norms = Norms(l1=times(m, l1), l2=times(square_root(m), l1), linf=l1).tightened(m)
    return derived(Array(
        (m,), low, high, x.integer, nan=x.nan or x.infinite, infinite=x.infinite, norms=norms,
        rises=x.rises, falls=x.falls, dtype=x.dtype, source=x.source,
    ))  # fmt: skip


@rule(
    "operator.matmul", "numpy.dot", "method.dot", "numpy.inner",
    statement="A product over the records is a sum of the products of each one's rows; "
    "‖Ax − Ax'‖_p <= max column norm_p · ‖x − x'‖₁; of x = Σ r_i over records, Ax is Σ A r_i.",
    proof="(AB)_jk = Σ_i a_ji b_ik; A(x − x') is a combination of columns; A is linear.",
)  # fmt: skip
def matrix_product(call: Application) -> Value | None:
    """Multiply: a @ b."""
    if len(call.args) != 2 or call.keywords:
        return None
    kinds = (Array, Known)
    if not all(isinstance(v, kinds) for v in call.args):
        return None
    a, b = (operand(call, v) for v in call.args)
    if not a.shape or not b.shape or "object" in (a.kind, b.kind):
        return None
    inner_left, inner_right = a.shape[-1], b.shape[0 if len(b.shape) == 1 else -2]
    if isinstance(inner_left, Rows) and isinstance(inner_right, Rows):
        return _over_shared_records(call, a, b)
    if isinstance(inner_left, Rows) or isinstance(inner_right, Rows):
        return None
    if isinstance(call.args[0], Known) and len(b.shape) == 1 and b.rows is None and b.aligned:
        return _by_matrix(call, call.args[0].value, b)
    if isinstance(call.args[1], Known) and len(a.shape) == 1 and a.rows is None and a.aligned:
        return _by_matrix(call, np.asarray(call.args[1].value).T, a)
    if len(a.shape) == 2 and a.row_axis == 0 and b.public and len(b.shape) == 1:
        return _row_by_vector(a, b)
    if len(a.shape) == 1 and len(b.shape) == 1 and a.aligned and b.aligned and a.rows is None:
        product = call.redo("operator.mul", a, b)
        return call.redo("numpy.sum", product)
    return None


def _over_shared_records(call: Application, a: Array, b: Array) -> Value | None:
    one, other = a.rows, b.rows
    if one is None or other is None or one.id != other.id:
        call.refuse("a product over different records")
    shape = (*a.rest, *b.rest)
    a, b = derived(a), derived(b)
    low, high = product_range(a, b)
    flags = a.nan or b.nan or a.infinite or b.infinite
    if flags:
        why = a.why or b.why or f"NaN or infinity reaches the product at {call.place}"
        return as_number(Array(shape, nan=True, infinite=True, why=why))
    row = Norms(
        a.row.l0 * b.row.l0, times(a.row.l1, b.row.l1), times(a.row.l2, b.row.l2),
        times(a.row.linf, b.row.linf),
    )  # fmt: skip
    if a.term is not None and a.term == b.term and a.rest == ():
        low = larger(low, ZERO)
    each = derived(Array((one, *shape), low, high, a.integer and b.integer, row=row))
    call.notes.append(ROUNDING)
    return sum_over_rows(each, one, shape)


def _by_matrix(call: Application, matrix: Any, x: Array) -> Value | None:
    matrix = np.asarray(matrix)
    if matrix.dtype.kind not in "biuf" or not np.isfinite(matrix).all() or matrix.ndim > 2:
        return None
    table = [[Fraction(v) for v in line] for line in np.atleast_2d(matrix).tolist()]
    columns = list(zip(*table, strict=True)) if table else []
    norms = x.norms
    most = larger(ZERO, *(exact(abs(v)) for line in table for v in line))
    l1 = larger(ZERO, *(exact(sum(map(abs, column))) for column in columns))
    squares = [exact(sum(v * v for v in column)) for column in columns]
    longest = square_root(larger(ZERO, *squares))
    widest = larger(ZERO, *(exact(sum(map(abs, line))) for line in table))
    whole = square_root(sum(squares, ZERO))  # Frobenius
    change = Norms(
        sympy.Integer(len(table)),
        times(l1, norms.l1),
        tighter(times(longest, norms.l1), times(whole, norms.l2)),
        tighter(times(most, norms.l1), times(widest, norms.linf)),
    ).tightened(sympy.Integer(len(table)))
    ends = times(widest, magnitude(x.low, x.high))
    low = ZERO if at_most(ZERO, x.low) and all(v >= 0 for line in table for v in line) else -ends
    plus = all(v >= 0 for line in table for v in line)
    shape = (sympy.Integer(len(table)),) if matrix.ndim == 2 else ()
    broken = x.nan or x.infinite
    change = Norms() if broken else change.within(_by_rows(call, table, x))
    return as_number(derived(Array(
        shape, low, ends, nan=broken, infinite=x.infinite, norms=change,
        rises=x.rises if plus else True, falls=x.falls if plus else True, source=x.source,
        integer=x.integer and matrix.dtype.kind in "biu",
    )))  # fmt: skip


def _by_rows(call: Application, table: list[list[Fraction]], x: Array) -> Norms:
    """Return the bounds on the change of Ax for x = Σ r_i over records: that of Σ A r_i.

    Entry j of A r lies in ‖r‖₁ [min(0, min_k A_jk), max(0, max_k A_jk)] where r has no negative
    entry. So a record that is replaced moves it by no more than the coefficients lie apart, while
    x itself moves by 2‖r‖₁.
    """
    term = x.term
    if not isinstance(term, tuple) or len(term) != 3 or term[0] != "sum" or term[2] != 0:
        return Norms()
    each = call.walk.values.get(term[1])
    if not isinstance(each, Array) or each.rows is None or each.row_axis != 0:
        return Norms()
    if len(each.shape) != 2 or each.nan or each.infinite or not at_most(ZERO, each.low):
        return Norms()
    l1 = derived(each).row.l1
    nothing = Fraction(0)
    ends = [(min(nothing, *line), max(nothing, *line)) for line in table]
    low, high, apart = min(a for a, _ in ends), max(b for _, b in ends), max(b - a for a, b in ends)
    rows = Array(
        (each.rows, sympy.Integer(len(table))), times(exact(low), l1), times(exact(high), l1),
        span=Norms(linf=times(exact(apart), l1)),
    )  # fmt: skip
    total = sum_over_rows(derived(rows), each.rows, (sympy.Integer(len(table)),))
    return total.norms if isinstance(total, Array) else Norms()


def _row_by_vector(a: Array, b: Array) -> Value:
    most = times(a.row.l1, magnitude(b.low, b.high))
    broken = a.nan or a.infinite or b.infinite
    return derived(Array(
        (a.shape[0],), -most, most, a.integer and b.integer, nan=broken, infinite=broken,
        source=a.rows,
    ))  # fmt: skip
