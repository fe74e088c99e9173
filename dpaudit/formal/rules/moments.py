"""Variances, covariances and lengths: sums of products of what is centred."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import INFINITE, ONE, ZERO, Bound, at_most, square_root, times, width
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, Number, Rows, Value
from dpaudit.formal.norms import Norms
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import operand
from dpaudit.formal.rules.means import least_rows
from dpaudit.formal.rules.numbers import tidy

_QUARTER = sympy.Rational(1, 4)


def _centred(call: Application, array: Array) -> Array | None:
    """Return x where an array is x − mean(x)."""
    term = array.term
    if not isinstance(term, tuple) or term[0] != "centred":
        return None
    found = call.walk.values.get(("centred of", term[1]))
    return found if isinstance(found, Array) else None


def moment(rows: Rows, x: Array, y: Array) -> Number:
    """Return what is known of Σ (x_i − x̄)(y_i − ȳ) over the same records.

    With m, m' the means of the n − 1 other records, the sum is theirs plus
    (n − 1)/n (x_n − m)(y_n − m'), whose two values differ by at most the area of the range.
    """
    area = times(width(x.low, x.high), width(y.low, y.high))
    share: Bound = ONE
    fixed = rows.public and rows.least == rows.most
    if fixed and rows.least != 0:
        share = (rows.least - 1) / rows.least
    change = times(rows.count, times(share, area))
    same = x.term is not None and x.term == y.term
    most = times(rows.most * _QUARTER, area)
    # (n − 1)/n (x_n − m)² is not negative: a record more never lowers a sum of squares.
    fall = ZERO if same and rows.relation == "inserted" else change
    low = ZERO if same else -most
    return tidy(Number(low, most, fall, change, source=rows,
                       term=("moment", frozenset({x.term, y.term}))))  # fmt: skip


@rule(
    "operator.matmul", "numpy.dot", "method.dot", "numpy.inner",
    statement="Σ (x − x̄)(y − ȳ) over n records moves by at most (1 − 1/n)(u − l)(u' − l') where "
    "one is replaced, by (u − l)(u' − l') where one comes or goes.",
    proof="It is that of the others plus (n − 1)/n (x_n − m)(y_n − m'), bilinear in [0, 1]² after "
    "scaling; its corners differ by at most 1.",
    first=True,
)  # fmt: skip
def product_of_centred(call: Application) -> Value | None:
    """(x − x.mean()) @ (y − y.mean())."""
    if len(call.args) != 2 or not all(isinstance(v, Array) for v in call.args):
        return None
    a, b = call.args
    assert isinstance(a, Array)
    assert isinstance(b, Array)
    return _of_centred(call, a, b)


def _of_centred(call: Application, a: Array, b: Array) -> Value | None:
    x, y = _centred(call, a), _centred(call, b)
    if x is None or y is None or x.rows is None or y.rows is None or x.rows.id != y.rows.id:
        return None
    if x.nan or y.nan or x.infinite or y.infinite:
        return None
    return moment(x.rows, x, y)


@rule(
    "numpy.sum", "method.sum", "builtins.sum",
    statement="Σ (x − x̄)² over n records moves by at most (1 − 1/n)(u − l)² where one is "
    "replaced, by (u − l)² where one comes or goes.",
    proof="As for the product of what is centred.",
    first=True,
)  # fmt: skip
def sum_of_squares_of_centred(call: Application) -> Value | None:
    """((x − x.mean())**2).sum()."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], Array):
        return None
    term = call.args[0].term
    if not isinstance(term, tuple) or len(term) != 3:
        return None
    parts: tuple[Any, Any] | None = None
    if term[0] == "operator.pow" and term[2] == ("public", sympy.Integer(2)):
        parts = (term[1], term[1])
    elif term[0] == "operator.mul":
        parts = (term[1], term[2])
    if parts is None:
        return None
    found = [call.walk.values.get(part) for part in parts]
    if not all(isinstance(value, Array) for value in found):
        return None
    return _of_centred(call, found[0], found[1])  # type: ignore[arg-type]


@rule(
    "numpy.var", "method.var", "numpy.std", "method.std",
    statement="The variance of n records moves by at most (1 − 1/n)(u − l)²/(n − ddof) where one "
    "is replaced, and within [0, (u − l)²/4]; a root by at most the root of that.",
    proof="Popoviciu's inequality; (√a − √b)² <= |a − b|.",
)  # fmt: skip
def variance(call: Application) -> Value | None:
    """x.var(ddof=…), x.std(ddof=…)."""
    x, ddof = (call.args[0] if call.args else None), call.keywords.get("ddof")
    if len(call.args) != 1 or set(call.keywords) - {"ddof"} or not isinstance(x, Array):
        return None
    if x.container in ("pandas", "polars"):
        call.refuse("the variance of a series, whose ddof is 1 (bring it to NumPy first)")
    rows, less = x.rows, call.known(ddof, 0)
    if rows is None or len(x.shape) != 1 or less not in (0, 1):
        return None
    if x.nan or x.infinite:
        return Number(nan=True, why=x.why or f"NaN reaches the variance at {call.place}")
    least = least_rows(call, rows)
    if not at_most(sympy.Integer(less + 1), least):
        return Number(nan=True, why=f"the variance of too few records is NaN, at {call.place}")
    area = width(x.low, x.high) ** 2 if width(x.low, x.high) is not INFINITE else INFINITE
    most = area * _QUARTER if less == 0 else area * sympy.Rational(1, 2)
    change: Bound = most
    if rows.public and rows.least == rows.most:
        size = rows.least
        moved = moment(rows, x, x).rise
        change = moved / (size - less)
        most = min(most, size * area * _QUARTER / (size - less), key=_value)
    result = tidy(Number(ZERO, most, change, change, source=rows))
    if call.name.endswith("var"):
        return result
    root = square_root(result.rise)
    return tidy(replace(result, high=square_root(result.high), fall=root, rise=root))


def _value(bound: Bound) -> Bound:
    return bound if bound.is_number else INFINITE


@rule(
    "numpy.linalg.norm",
    statement="The length of a vector moves by at most ‖v − v'‖₂; of rows, each has its own.",
    proof="Triangle inequality.",
)
def length_of_vector(call: Application) -> Value | None:
    """np.linalg.norm(x, axis=…)."""
    x, order, axis, keep = call.bind("x", "ord", "axis", "keepdims")
    if not isinstance(x, Array) or order is not None:
        return None
    a = derived(operand(call, x))
    broken = a.nan or a.infinite
    if a.rows is not None and len(a.shape) == 2 and axis is not None:
        at = int(call.known(axis)) % 2
        if at == a.row_axis:
            return None
        shape = list(a.shape)
        shape[at] = ONE
        if not call.known(keep, False):
            del shape[at]
        term = None if a.term is None else ("row norm", a.term, at)
        return derived(Array(
            tuple(shape), ZERO, a.row.l2, nan=broken, infinite=a.infinite, term=term,
            source=a.rows, why=a.why,
        ))  # fmt: skip
    if len(a.shape) != 1 or axis is not None:
        return None
    if not a.aligned or a.rows is not None:
        squares = call.redo("operator.mul", x, x)
        return call.redo("numpy.sqrt", call.redo("numpy.sum", squares))
    most = Norms(linf=max_abs(a)).tightened(a.size).l2
    change = a.norms.l2
    return tidy(Number(ZERO, most, change, change, nan=broken, infinite=a.infinite, why=a.why))


def max_abs(array: Array) -> Bound:
    """Return the largest absolute value of an entry."""
    from dpaudit.formal.bounds import magnitude

    return magnitude(array.low, array.high)
