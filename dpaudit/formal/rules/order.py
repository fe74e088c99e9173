"""What depends on the order of values: largest, smallest, sorted, quantiles, places."""

from __future__ import annotations

from dataclasses import replace

import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import INFINITE, ONE, ZERO, at_most, larger, smaller, width
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, ListValue, Number, Rows, Tuple, Unaligned, Value, fresh
from dpaudit.formal.narrow import scalar_type
from dpaudit.formal.norms import Norms
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import operand
from dpaudit.formal.rules.means import least_rows
from dpaudit.formal.rules.numbers import tidy


@rule(
    "numpy.max", "numpy.min", "method.max", "method.min", "builtins.max", "builtins.min",
    statement="The largest of m entries moves by at most their change in linf; of records, within "
    "their range.",
    proof="max is a contraction in linf; nothing better holds where all others are at one end.",
)  # fmt: skip
def extreme(call: Application) -> Value | None:
    """x.max(), max(x)."""
    if call.name.startswith("builtins."):
        x, default = call.bind("iterable", "default")
        axis = initial = None
        if isinstance(x, Array) and (x.element or default is not None):
            return None
    else:
        x, axis, initial = call.bind("a", "axis", "initial")
    if isinstance(x, ListValue | Tuple):
        x = operand(replace(call, name="numpy.max"), x)
    if not isinstance(x, Array) or x.kind == "object" or not x.shape:
        return None
    if x.nan and call.name.startswith("builtins."):
        call.refuse("the largest of a list with NaN, which depends on its order")
    if len(x.shape) > 1 and (axis is not None or x.rows is not None):
        return _along(call, x, axis, initial)
    found = _single(call, derived(x), initial)
    return replace(found, dtype=scalar_type(x.dtype)) if isinstance(found, Number) else found


def _single(call: Application, x: Array, initial: Value | None) -> Value:
    largest = call.name.endswith("max")
    low, high = x.low, x.high
    if x.nan or x.infinite:
        why = x.why or f"NaN or infinity is the extreme at {call.place}"
        return Number(nan=x.nan, infinite=True, why=why)
    first = _initial(call, initial)
    if first is not None and x.dtype.startswith(("int", "uint", "bool")) and not first.integer:
        call.refuse("an `initial` that NumPy cuts off to a whole number")
    whole = x.integer and (first is None or first.integer)
    if first is not None:
        pick = larger if largest else smaller
        low, high = pick(low, first.low), pick(high, first.high)
    axis = next((a for a in x.shape if isinstance(a, Rows | Unaligned)), None)
    empty = isinstance(axis, Unaligned) or (
        axis is not None and not at_most(ONE, least_rows(call, axis))
    )
    if first is not None and empty:  # then `initial` is the extreme
        low, high = smaller(low, first.low), larger(high, first.high)
    if axis is None:
        norms = x.norms.linf
        number = Number(low, high, norms if x.falls else ZERO, norms if x.rises else ZERO,
                        whole)  # fmt: skip
        if x.public and (first is None or first.public):
            symbol = sympy.Symbol(f"extreme_{fresh()}", real=True)
            return replace(number, fall=ZERO, rise=ZERO, expr=low if low == high else symbol)
        if first is not None:
            number = replace(number, fall=larger(number.fall, first.fall),
                             rise=larger(number.rise, first.rise))  # fmt: skip
        return tidy(number)
    change = width(low, high)
    fall = rise = change
    if isinstance(axis, Rows):
        if first is None and empty:
            call.walk.hazard(f"{call.name.rpartition('.')[2]} of no records raises", call.place)
        if axis.relation == "inserted" and (first is None or first.public):
            fall, rise = (ZERO, change) if largest else (change, ZERO)
    elif first is None:
        call.walk.hazard(f"{call.name.rpartition('.')[2]} of nothing raises", call.place)
    return Number(low, high, fall, rise, whole)


def _initial(call: Application, initial: Value | None) -> Number | None:
    if initial is None:
        return None
    if not isinstance(initial, Number):
        call.refuse("an `initial` that is no number")
    return initial


def _along(call: Application, x: Array, axis: Value | None, initial: Value | None) -> Value | None:
    if initial is not None or axis is None:
        return None
    at = int(call.known(axis)) % len(x.shape)
    if isinstance(x.shape[at], Rows | Unaligned):
        return None
    # Of two vectors the extremes differ by no more than some pair of entries.
    return derived(replace(
        x, shape=(*x.shape[:at], *x.shape[at + 1 :]), term=None, buffer=fresh(),
        norms=derived(x).norms if x.rows is None else Norms(),
    ))  # fmt: skip


@rule(
    "numpy.sort", "builtins.sorted", "method.sort",
    statement="Sorting moves no farther than its argument, in l1, l2 and linf.",
    proof="The sorted order is the best matching of two lists (rearrangement inequality).",
)  # fmt: skip
def in_order(call: Application) -> Value | None:
    """np.sort(x), sorted(x)."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], Array):
        return None
    x = derived(call.args[0])
    if len(x.shape) != 1 or x.kind == "object" or call.name == "method.sort" or x.element:
        return None
    if x.nan and call.name == "builtins.sorted":
        call.refuse("a list with NaN, sorted")
    axis = x.shape[0]
    if isinstance(axis, Rows):
        axis = axis.least if axis.public and axis.least == axis.most else Unaligned(axis.length())
    listed = call.name == "builtins.sorted"
    term = None if x.term is None else ("sorted", x.term)
    return derived(replace(
        x, shape=(axis,), norms=replace(x.norms, l0=INFINITE), buffer=fresh(), term=term,
        row=Norms(), span=Norms(), source=x.source or x.rows,
        container="list" if listed else x.container,
    ))  # fmt: skip


@rule(
    "numpy.median", "numpy.quantile", "numpy.percentile", "statistics.median",
    statement="A quantile of records moves within their range; the median of an even number, and "
    "one where a record comes or goes, by at most half of it.",
    proof="The middle two move to their neighbors in order: (x_{k+2} − x_k)/2 (for one record).",
)  # fmt: skip
def middle(call: Application) -> Value | None:
    """np.median(x), np.quantile(x, q)."""
    median = call.name.endswith("median")
    x = call.bind("a")[0] if median else call.bind("a", "q", required=2)[0]
    if not median:
        call.known(call.args[1] if len(call.args) > 1 else call.keywords.get("q"))
    if isinstance(x, ListValue | Tuple):
        x = operand(replace(call, name="numpy.median"), x)
    if not isinstance(x, Array) or len(x.shape) != 1 or x.kind == "object":
        return None
    if not median and not isinstance(call.args[-1], Number):
        return None
    x = derived(x)
    if x.nan or x.infinite:
        return Number(nan=True, infinite=x.infinite, why=x.why or f"NaN at {call.place}")
    axis = x.shape[0]
    if isinstance(axis, Unaligned):
        return None
    if not isinstance(axis, Rows):
        change = x.norms.linf
        return tidy(Number(x.low, x.high, change if x.falls else ZERO,
                           change if x.rises else ZERO))  # fmt: skip
    if not at_most(ONE, least_rows(call, axis)):
        if call.name.startswith("statistics"):
            call.walk.hazard("the median of no records raises", call.place)
        else:
            why = f"the median of no records is NaN, at {call.place}"
            return Number(x.low, x.high, nan=True, why=why)
    change = width(x.low, x.high)
    even = axis.relation == "replaced" and axis.least == axis.most and (axis.least / 2).is_integer
    one = axis.count == 1
    if median and one and (even or axis.relation == "inserted"):
        change = change / 2
    return Number(x.low, x.high, change, change, source=axis)


@rule(
    "numpy.argmax", "numpy.argmin", "method.argmax", "method.argmin",
    statement="The place of the largest entry is private, from 0 to m − 1.",
    proof="By definition.",
)  # fmt: skip
def place_of_extreme(call: Application) -> Value | None:
    """x.argmax()."""
    x, axis = call.bind("a", "axis")
    if isinstance(x, ListValue | Tuple):
        x = operand(replace(call, name="numpy.argmax"), x)
    if not isinstance(x, Array):
        return None
    if axis is not None and len(x.shape) > 1:
        return _places(x, int(call.known(axis)) % len(x.shape))
    if len(x.shape) != 1 or isinstance(x.shape[0], Rows | Unaligned):
        return None
    most = x.shape[0] - 1
    if x.public:
        symbol = sympy.Symbol(f"place_{fresh()}", integer=True, nonnegative=True)
        return Number(ZERO, most, ZERO, ZERO, True, expr=symbol)
    return Number(ZERO, most, most, most, True)


def _places(x: Array, axis: int) -> Value | None:
    length = x.shape[axis]
    if isinstance(length, Rows | Unaligned):
        return None
    return derived(replace(
        x, shape=(*x.shape[:axis], *x.shape[axis + 1 :]), low=ZERO, high=length - 1, integer=True,
        boolean=False, nan=False, infinite=False, norms=Norms(x.norms.l0), rises=True, falls=True,
        row=Norms(), span=Norms(), dtype="int64", buffer=fresh(), term=None, why="", values=None,
    ))  # fmt: skip
