"""The rules of single instructions: each computes what its variable holds in both runs.

A rule takes an instruction and what is known of its arguments, and returns the relation of its
variable, or refuses. A rule for private values also shows that the primitive cannot raise. Bounds
are over the reals; the float obligations bound the rest. `RULES` lists them by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.core.language import Let
from dpaudit.kernel.dataset import HUGE, LARGEST, RECORDS
from dpaudit.kernel.numbers import Real, Refusal
from dpaudit.kernel.relations import (
    End,
    Hidden,
    Known,
    Num,
    Part,
    Relation,
    Rows,
    Same,
    Share,
    Table,
)

Rule = Callable[[Let, Sequence[Any]], Relation]
ZERO = Fraction(0)
CLOSE = Fraction(1, 2**40)  # relative distance of a float from the real of its expression
SQUARED = Fraction(10) ** 100  # floats whose squares Python does not find too large
COMPARED = 2**53  # integers beyond which a comparison with a float rounds
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def known(value: Any, real: Real | None = None) -> Known:
    """Return the relation of a constant; numbers that are finite have a real."""
    if real is None and is_number(value) and math.isfinite(value):
        real = Real.of(int(value) if isinstance(value, int | np.integer) else float(value))
    return Known(value, real)


def is_number(value: Any) -> bool:
    """Whether a constant is an integer or a float in double precision."""
    return type(value) in (int, float, np.float64, np.int64)


# --- public values


def computed(let: Let, args: Sequence[Any]) -> Relation:
    """Constant folding: a primitive of constants is a constant.

    Its real is that of the expression where the float is close to it, and else the float's own:
    cancellation is not assumed away.
    """
    if not all(isinstance(arg, Known) and is_number(arg.value) for arg in args):
        raise Refusal("not of constants that are numbers")
    values = [arg.value for arg in args]
    operation = _FLOATS.get(let.prim)
    if operation is None:
        raise Refusal(f"{let.prim} of constants")
    with np.errstate(all="raise"):
        try:
            value = operation(*values)
        except (ArithmeticError, ValueError):
            raise Refusal(f"{let.prim} of constants that has no value") from None
    if not is_number(value) or not math.isfinite(value):
        raise Refusal(f"{let.prim} of constants that has no value")
    if len(let.fields) == 1:  # what the library gave: it may round otherwise than `math`
        value, usual = let.fields[0], value
        if not is_number(value) or abs(value - usual) > abs(usual) * float(CLOSE):
            raise Refusal(f"{let.prim} of constants that is not {value!r:.40}")
    elif let.fields:
        raise Refusal(f"{let.prim} of constants")
    own = known(value)
    reals = [arg.real for arg in args]
    expressed = _REALS.get(let.prim)
    if expressed is None or any(real is None for real in reals):
        return own
    real = expressed(*reals)
    exact = Real.of(Fraction(value))
    apart = (real + -exact).arb()
    return Known(value, real) if abs(apart) <= abs(real.arb()) * float(CLOSE) else own


def _too_large() -> Any:
    raise Refusal("a power with a large exponent")


def _power(base: Real, exponent: Real) -> Real:
    times = exponent.rational
    if times == Fraction(1, 2):
        return base.sqrt()
    if times is None or times.denominator != 1 or abs(times) > 64:
        raise Refusal("a power that is not whole")
    found = Real.of(1)
    for _ in range(abs(int(times))):
        found = found * base
    return found if times >= 0 else found.inverse()


_FLOATS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b if abs(b) <= 1024 else _too_large(),
    "neg": lambda a: -a,
    "pos": lambda a: +a,
    "abs": abs,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "expm1": math.expm1,
}
_REALS: dict[str, Callable[..., Real]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a + -b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a * b.inverse(),
    "pow": _power,
    "neg": lambda a: -a,
    "pos": lambda a: a,
    "abs": lambda a: a if a.rational == 0 or a.positive() else -a,
    "exp": lambda a: a.exp(),
    "log": lambda a: a.log(),
    "sqrt": lambda a: a.sqrt(),
    "expm1": lambda a: a.exp() + Real.of(-1),
}


def post_processing(let: Let, args: Sequence[Any]) -> Relation:
    """Post-processing: what both runs compute of the same is the same (Dwork & Roth, Prop. 2.1)."""
    if all(isinstance(arg, Known | Same) for arg in args):
        return Same()
    raise Refusal(f"{let.prim} of a private value has no rule here")


# --- one number


def _num(arg: Any) -> Num:
    if isinstance(arg, Num):
        return arg
    raise Refusal("not a private number")


def constant_of(arg: Any) -> Fraction:
    """Return a constant that is a rational number."""
    if isinstance(arg, Known) and arg.real is not None and is_number(arg.value):
        return Fraction(arg.value)
    raise Refusal("not a constant number")


def _kind(arg: Any) -> str:
    if isinstance(arg, Num | Rows):
        return "int" if arg.kind == "bool" else arg.kind
    return "int" if isinstance(arg.value, int | np.integer) else "float"


def _joint(*args: Any) -> Any:
    return "float" if any(_kind(arg) == "float" for arg in args) else "int"


def number_arithmetic(let: Let, args: Sequence[Any]) -> Relation:
    """Sums, differences and multiples: |v' - v| of a sum is at most the sum of both."""
    if let.prim in ("neg", "pos"):
        (arg,) = map(_num, args)
        low, high = (arg.low, arg.high) if let.prim == "pos" else _times(arg, Fraction(-1))
        return _fit(replace(arg, kind=_kind(arg), low=low, high=high, mean_of=None))  # type: ignore[arg-type]
    one, two = args
    kind = _joint(one, two)
    if let.prim in ("add", "sub") and isinstance(one, Num) and isinstance(two, Num):
        other = two if let.prim == "add" else replace(
            two, low=_negative(two.high), high=_negative(two.low)
        )  # fmt: skip
        low, high = _plus(one.low, other.low), _plus(one.high, other.high)
        return _fit(Num(kind, low, high, one.moved + two.moved, python=one.python and two.python))
    if let.prim in ("add", "sub"):
        return _fit(_shifted(let.prim, one, two, kind))
    if let.prim == "mul":
        number, factor = (one, two) if isinstance(one, Num) else (two, one)
        times = constant_of(factor)
        low, high = _times(_num(number), times)
        return _fit(_multiple(number, factor, times, kind, low, high))
    if let.prim == "div" and constant_of(two) != 0:
        times = 1 / constant_of(two)
        low, high = _times(_num(one), times)
        return _fit(_multiple(one, two, times, "float", low, high))
    raise Refusal(f"{let.prim} of a private number")


def _multiple(number: Num, factor: Known, times: Fraction, kind: Any, low: End, high: End) -> Num:
    python = number.python and type(factor.value) in (int, float)
    return Num(kind, low, high, number.moved * abs(times), number.share, None, python)


def _shifted(prim: str, one: Any, two: Any, kind: Any) -> Num:
    """Return a number plus or less a constant, or a constant less a number."""
    constant = two if isinstance(one, Num) else one
    python = type(constant.value) in (int, float) if isinstance(constant, Known) else False
    if isinstance(one, Num):
        by = constant_of(two) if prim == "add" else -constant_of(two)
        return replace(one, kind=kind, low=_plus(one.low, by), high=_plus(one.high, by),
                       mean_of=None, python=one.python and python)  # fmt: skip
    number, by = _num(two), constant_of(one)
    if prim == "add":
        low, high = number.low, number.high
    else:
        low, high = _negative(number.high), _negative(number.low)
    return replace(number, kind=kind, low=_plus(low, by), high=_plus(high, by), mean_of=None,
                   python=number.python and python)  # fmt: skip


def number_bounded(let: Let, args: Sequence[Any]) -> Relation:
    """Absolute values, and the smaller or larger of a number and a constant, move no further.

    Where the kinds differ the type of the result would tell which of them it is, so it is refused.
    """
    if let.prim == "abs":
        (arg,) = map(_num, args)
        low, high = _magnitudes(arg.low, arg.high)
        return _fit(replace(arg, kind=_kind(arg), low=low, high=high, mean_of=None))  # type: ignore[arg-type]
    if let.prim not in ("minimum", "maximum"):
        raise Refusal(f"{let.prim} of a private number")
    number, other = (args[0], args[1]) if isinstance(args[0], Num) else (args[1], args[0])
    at, kind = constant_of(other), _kind(other)
    if _num(number).kind != kind:
        raise Refusal("the smaller or larger of an integer and a float")
    if let.fields == ("first",) and not (number.python and type(other.value) in (int, float)):
        raise Refusal("the smaller or larger of a number of NumPy and one of Python")
    low, high = _bounded(let.prim, number.low, number.high, at)
    size = number.mean_of
    keeps = let.prim == "maximum" and at == 1 and size is not None and size[0] == "len"
    return replace(number, low=low, high=high, python=let.fields == ("first",),
                   mean_of=("max1", size[1]) if keeps and size else None)  # fmt: skip


def number_cast(let: Let, args: Sequence[Any]) -> Relation:
    """A number as a float, and an integer as an integer, is the number that it was."""
    arg, to = _num(args[0]), let.fields[0]
    if to not in ("float", "int") or (to == "int" and arg.kind == "float"):
        raise Refusal(f"a private number as {to}")
    return _fit(replace(arg, kind=to, python=True))


def mean_of_inserted(let: Let, args: Sequence[Any]) -> Relation:
    """The sum of records in [l, u] over max(1, n) moves by max(|l|, |u|, (u - l)/2) at most.

    One record comes or goes. From no records the mean moves from 0 to the record; else by
    |x - m|/(n + 1), with the mean m in [l, u] and n at least 1.
    """
    one, two = map(_num, args)
    if let.prim != "div" or one.mean_of is None or two.mean_of is None:
        raise Refusal("not a mean")
    if one.mean_of != ("sum", two.mean_of[1]) or two.mean_of[0] != "max1" or two.moved != 1:
        raise Refusal("not a mean of the records that are counted")
    far = one.moved  # max(|l|, |u|), which is at least (u - l)/2
    return Num("float", -far, far, far)


# --- one value a record


def _rows(arg: Any) -> Rows:
    if isinstance(arg, Rows):
        return arg
    raise Refusal("not values of the records")


def _aligned(args: Sequence[Any]) -> Rows:
    """Return the first rows of arguments that are rows of the same records, or constants."""
    found = [arg for arg in args if isinstance(arg, Rows)]
    if not found:
        raise Refusal("not values of the records")
    if any((arg.index, arg.listed) != (found[0].index, found[0].listed) for arg in found):
        raise Refusal("values of different records")
    return found[0]


def _numeric(arg: Any) -> Any:
    """Return rows or a constant as rows that may be computed with."""
    if isinstance(arg, Rows) and arg.kind != "str":
        return arg
    at = constant_of(arg)
    kind: Any = _kind(arg)
    return Rows(-1, -1, "edit", 0, 0, False, kind, at, at)


def rows_arithmetic(let: Let, args: Sequence[Any]) -> Relation:
    """Interval arithmetic for every record; what may overflow or be NaN stays so marked."""
    base = _aligned(args)
    operands = [_numeric(arg) for arg in args]
    unlike = [o for o in operands if o.kind == "bool"]
    kind: Any = "float" if any(o.kind == "float" for o in operands) else "int"
    one = operands[0]
    if len(unlike) == len(operands) or (unlike and let.prim in ("sub", "neg", "pos", "pow", "abs")):
        raise Refusal("arithmetic of truth values")
    match let.prim:
        case "neg":
            low, high = _times(one, Fraction(-1))
        case "pos":
            low, high = one.low, one.high
        case "abs":
            low, high = _magnitudes(one.low, one.high)
        case "add":
            low, high = _plus(one.low, operands[1].low), _plus(one.high, operands[1].high)
        case "sub":
            low = _plus(one.low, _negative(operands[1].high))
            high = _plus(one.high, _negative(operands[1].low))
        case "mul":
            low, high = _product(one, operands[1])
        case "div":
            low, high = _times(one, 1 / _nonzero(args[1]))
            kind = "float"
        case "pow" if constant_of(args[1]) == 2 and one.kind != "bool":
            if base.listed and not all(
                e is not None and abs(e) < SQUARED for e in (one.low, one.high)
            ):
                raise Refusal("a square that Python may find too large")
            ends = [e * e for e in (one.low, one.high) if e is not None]
            small = one.low is not None and one.high is not None
            low = min(ends) if small and one.low * one.high > 0 else ZERO
            high = max(ends) if small else None
        case _:
            raise Refusal(f"{let.prim} of every record")
    special = any(o.nan or o.inf for o in operands)
    if any(o.inf for o in operands):
        low = high = None
    return _rows_fit(replace(base, kind=kind, low=low, high=high, part=None,
                             nan=special, inf=special))  # fmt: skip


def _nonzero(arg: Any) -> Fraction:
    found = constant_of(arg)
    if found == 0:
        raise Refusal("division of every record by 0")
    return found


def rows_bounded(let: Let, args: Sequence[Any]) -> Relation:
    """Clipping: infinite records become the bound, and NaN what the policy says.

    ``ignore`` takes the bound in place of NaN, ``propagate`` keeps NaN, and ``first`` is Python's,
    which depends on the order: NaN may stay.
    """
    base = _aligned(args)
    rows, other = (args[0], args[1]) if isinstance(args[0], Rows) else (args[1], args[0])
    if let.prim not in ("minimum", "maximum") or isinstance(other, Rows) or len(let.fields) != 1:
        raise Refusal(f"{let.prim} of every record")
    policy = let.fields[0]
    at, kind = constant_of(other), _kind(other)
    own = _kind(_numeric(rows))
    if rows.kind == "bool" or (policy == "first" and own != kind):
        raise Refusal("the smaller or larger of different types")
    low, high = _bounded(let.prim, rows.low, rows.high, at)
    inf = rows.inf and (low is None or high is None)
    nan = rows.nan and policy != "ignore"
    if rows.nan and policy == "ignore":
        low, high = (
            (None if low is None else min(low, at)),
            (None if high is None else max(high, at)),
        )
    joint: Any = "float" if "float" in (kind, own) else "int"
    return replace(base, kind=joint, low=low, high=high, nan=nan, inf=inf, part=None)


def rows_compare(let: Let, args: Sequence[Any]) -> Relation:
    """A comparison is a truth value a record; with a constant it says which records it holds for.

    Comparisons are exact: integers that a float may round say nothing of the part.
    """
    base = _aligned(args)
    if let.prim not in COMPARISONS:
        raise Refusal(f"{let.prim} of every record")
    texts = [arg.kind == "str" if isinstance(arg, Rows) else
             isinstance(arg, Known) and type(arg.value) is str for arg in args]  # fmt: skip
    if any(texts) and not (all(texts) and let.prim in ("eq", "ne")):
        raise Refusal("a text compared with a number")
    for arg in args:
        public = isinstance(arg, Known) and (is_number(arg.value) or type(arg.value) is str)
        if not (isinstance(arg, Rows) or public):
            raise Refusal("records compared with what is no constant")
    truth = replace(base, kind="bool", low=ZERO, high=Fraction(1), nan=False, inf=False, part=None)
    if not any(texts) and isinstance(args[0], Rows) and isinstance(args[1], Known):
        return replace(truth, part=_part(let, args[0], args[1]))
    if all(texts) and let.prim == "eq" and isinstance(args[1], Known):
        return replace(truth, part=Part(let.args[0], _text_part(args[1].value), False))
    return truth


def _text_part(text: str) -> tuple[tuple[End, bool, End, bool], ...]:
    """Return an interval of one number that stands for a text, different for different texts."""
    at = Fraction(int.from_bytes(b"\x01" + text.encode("utf-32-be"), "big"))
    return ((at, True, at, True),)


def _part(let: Let, rows: Rows, other: Known) -> Part | None:
    if other.real is None:
        return None
    at = Fraction(other.value)
    exact = rows.kind == "float" or isinstance(other.value, int | np.integer)
    ends = rows.low is not None and rows.high is not None
    small = ends and max(abs(rows.low), abs(rows.high), abs(at)) < COMPARED  # type: ignore[arg-type]
    if rows.kind == "float" and isinstance(other.value, int | np.integer):
        exact = abs(at) < COMPARED
    if not (exact or small):
        return None
    below, above = (None, False, at, False), (at, False, None, False)
    intervals: tuple[Any, ...]
    match let.prim:
        case "eq":
            intervals = ((at, True, at, True),)
        case "ne":
            intervals = (below, above)
        case "lt":
            intervals = (below,)
        case "le":
            intervals = ((None, False, at, True),)
        case "gt":
            intervals = (above,)
        case _:
            intervals = ((at, True, None, False),)
    return Part(let.args[0], intervals, let.prim == "ne" and rows.nan)


def rows_logic(let: Let, args: Sequence[Any]) -> Relation:
    """Truth values of every record: ``and`` is in both parts, ``not`` in the rest, NaN included."""
    base = _aligned(args)
    if any(_rows(arg).kind != "bool" for arg in args) or let.prim not in ("and", "or", "not"):
        raise Refusal(f"{let.prim} of every record")
    parts = [arg.part for arg in args]
    part = None
    if let.prim == "not" and parts[0] is not None:
        part = Part(parts[0].base, _outside(parts[0].intervals), not parts[0].nan)
    elif let.prim == "and":
        part = parts[0] if parts[0] is not None else parts[1]
        if parts[0] is not None and parts[1] is not None and parts[0].base == parts[1].base:
            both = _both(parts[0].intervals, parts[1].intervals)
            part = Part(parts[0].base, both, parts[0].nan and parts[1].nan)
    return replace(base, part=part)


def rows_test(let: Let, args: Sequence[Any]) -> Relation:
    """Whether records are NaN, or finite."""
    rows = _rows(args[0])
    if let.prim not in ("isnan", "isfinite") or rows.kind in ("str", "bool") or rows.listed:
        raise Refusal(f"{let.prim} of every record")
    part = Part(let.args[0], (), True) if let.prim == "isnan" else None
    return replace(rows, kind="bool", low=ZERO, high=Fraction(1), nan=False, inf=False, part=part)


def rows_where(let: Let, args: Sequence[Any]) -> Relation:
    """One of two values of every record, by a truth value of the record."""
    base = _aligned(args)
    if let.prim != "where" or _rows(args[0]).kind != "bool":
        raise Refusal(f"{let.prim} of every record")
    one, two = map(_numeric, args[1:])
    inf = one.inf or two.inf
    if "bool" in (one.kind, two.kind):
        raise Refusal("a choice of truth values")
    low = None if inf or one.low is None or two.low is None else min(one.low, two.low)
    high = None if inf or one.high is None or two.high is None else max(one.high, two.high)
    kind: Any = "float" if "float" in (one.kind, two.kind) else "int"
    return _rows_fit(replace(base, kind=kind, low=low, high=high, part=None,
                             nan=one.nan or two.nan, inf=inf))  # fmt: skip


def rows_cast(let: Let, args: Sequence[Any]) -> Relation:
    """Records as floats, and truth values or integers as integers; lists that become arrays."""
    rows, to = _rows(args[0]), let.fields[0]
    if rows.kind == "str" or to not in ("float", "int", "array"):
        raise Refusal(f"records as {to}")
    if to == "array":  # an empty list becomes an array of floats
        if rows.kind != "float":
            raise Refusal("an array whose type depends on whether there are records")
        return replace(rows, listed=False)
    if to == "int" and rows.kind == "float":
        raise Refusal("floats of the records cut to integers")
    return _rows_fit(replace(rows, kind=to, part=None))


def rows_filtered(let: Let, args: Sequence[Any]) -> Relation:
    """The records for which a truth value holds: still one function of each record."""
    base = _aligned(args)
    mask = _rows(args[1])
    if let.prim != "filter" or mask.kind != "bool" or not isinstance(args[0], Rows):
        raise Refusal("not a filter")
    within = base.within if base.within is not None else mask.part
    found = replace(args[0], index=let.var, some=True, within=within, part=None)
    if mask.part is None or mask.part.base != let.args[0] or found.kind == "str":
        return found
    return _narrowed(found, mask.part)


def _narrowed(rows: Rows, part: Part) -> Rows:
    """Return values that are known to lie in a part of themselves."""
    if not part.intervals:
        return rows
    low = _latest(rows.low, part.intervals[0][0])
    high = _negative(_latest(_negative(rows.high), _negative(part.intervals[-1][2])))
    if low is not None and high is not None and low > high:
        return rows
    inf = rows.inf and (low is None or high is None)
    return replace(rows, low=low, high=high, inf=inf, nan=rows.nan and part.nan)


def _latest(one: End, two: End) -> End:
    return two if one is None else one if two is None else max(one, two)


def rows_buckets(let: Let, args: Sequence[Any]) -> Relation:
    """The place of every record among edges in order; NaN comes after all of them."""
    rows = _rows(args[0])
    edges, side = let.fields
    if rows.kind not in ("float", "int") or rows.listed or side not in ("left", "right"):
        raise Refusal("places of the records among edges")
    if any(not is_number(e) or not math.isfinite(e) for e in edges) or list(edges) != sorted(edges):
        raise Refusal("edges that are not in order")
    high = Fraction(len(edges))
    return replace(rows, kind="int", low=ZERO, high=high, nan=False, inf=False, part=None)


def rows_within(let: Let, args: Sequence[Any]) -> Relation:
    """That every record is an integer between constants, as a fact."""
    rows = _rows(args[0])
    low, high = let.fields
    if rows.kind != "int" or rows.low is None or rows.high is None or rows.listed:
        raise Refusal("records that are not known to be integers of a range")
    if not (low <= rows.low and rows.high <= high):
        raise Refusal("records that may lie outside of the range")
    return Known(True, None)


def column(let: Let, args: Sequence[Any]) -> Relation:
    """A column of a table, or an answer of a vector."""
    table, name = args[0], let.fields[0]
    if not isinstance(table, Table):
        raise Refusal("not a table")
    for own, held in table.columns:
        if own == name and type(own) is type(name):
            if isinstance(held, Num) and isinstance(name, int):
                return replace(held, share=Share(0, name))
            return held
    raise Refusal(f"no column {name!r:.40}")


# --- from records to numbers


def rows_length(_: Let, args: Sequence[Any]) -> Relation:
    """The number of records moves by those that come or go; it is public if they are replaced."""
    if isinstance(args[0], Table) and args[0].columns and isinstance(args[0].columns[0][1], Rows):
        rows: Rows = args[0].columns[0][1]
    else:
        rows = _rows(args[0])
    if rows.change == "replace" and not rows.some:
        return known(rows.size)
    share = _share(rows, rows.within)
    high = Fraction(rows.size or RECORDS)
    mean = ("len", rows.index) if rows.change == "edit" else None
    return Num("int", ZERO, high, Fraction(rows.k), share, mean, python=True)


def rows_sum(let: Let, args: Sequence[Any]) -> Relation:
    """A sum moves by the largest magnitude a record that comes or goes, by the width if replaced.

    Every record must be finite, and so small that no sum overflows.
    """
    rows = _rows(args[0])
    if let.prim != "sum" or rows.nan or rows.inf or rows.kind == "str":
        raise Refusal("a sum that may be NaN or infinite")
    if rows.low is None or rows.high is None:
        raise Refusal("a sum of records without a range")
    most = max(abs(rows.low), abs(rows.high))
    if (rows.kind == "float" and most > HUGE) or (rows.kind != "float" and
                                                  most * RECORDS > LARGEST):  # fmt: skip
        raise Refusal("a sum that may overflow")
    low, high = rows.low, rows.high
    if rows.some or rows.change == "edit":
        low, high = min(low, ZERO), max(high, ZERO)
    one = high - low if rows.change == "replace" else most
    most_of_them = rows.size or RECORDS
    ends = low * most_of_them, high * most_of_them
    within = rows.within if rows.kind != "bool" or rows.within is not None else rows.part
    kind: Any = "int" if rows.kind == "bool" else rows.kind
    mean = ("sum", rows.index) if rows.change == "edit" and rows.k == 1 else None
    # The sum of a list of floats is the integer 0 where there are none.
    return Num(kind, *ends, one * rows.k, _share(rows, within), mean, python=rows.listed)


def _share(rows: Rows, part: Part | None) -> Share | None:
    return None if part is None else Share(rows.root, part)


# --- noise


def scaled_noise(let: Let, args: Sequence[Any]) -> Relation:
    """A multiple of noise around 0 is noise of a multiple of the scale, whatever the sign."""
    if let.prim == "neg" and _symmetric(args[0]):
        return args[0]  # type: ignore[no-any-return]
    noise, factor = (args[0], args[1]) if isinstance(args[0], Hidden) else (args[1], args[0])
    if let.prim not in ("mul", "div") or not isinstance(factor, Known) or factor.real is None:
        raise Refusal("noise that is not scaled by a constant")
    if not isinstance(noise, Hidden) or noise.law not in ("laplace", "normal"):
        raise Refusal("a multiple of such noise")
    times = factor.real
    if let.prim == "div":
        if noise is not args[0]:
            raise Refusal("a number over noise")
        times = times.inverse()
    times = times if times.positive() else -times
    if not times.positive():
        raise Refusal("noise times what may be 0")
    return replace(noise, scale=noise.scale * times)


def _symmetric(arg: Any) -> bool:
    return isinstance(arg, Hidden) and arg.on is None and arg.law != "geometric"


def noise_cast(let: Let, args: Sequence[Any]) -> Relation:
    """Integers of noise as integers, floats of noise as floats, are the numbers that they were."""
    noise, to = args[0], let.fields[0]
    own = "int" if isinstance(noise, Hidden) and noise.law == "two-sided" else "float"
    if (
        not isinstance(noise, Hidden)
        or noise.on is not None
        or noise.law == "geometric"
        or own != to
    ):
        raise Refusal(f"noise as {to}")
    return noise


def two_geometrics(let: Let, args: Sequence[Any]) -> Relation:
    """The difference of two geometric numbers of the same chance is two-sided geometric noise.

    Ghosh, Roughgarden & Sundararajan 2009. Also while it is added to an integer, one by one.
    """
    one, two = args
    if let.args[0] == let.args[1] or not isinstance(two, Hidden) or two.on is not None:
        raise Refusal("not a difference of two geometric numbers")
    if let.prim == "add" and isinstance(one, Num) and two.law == "geometric" and one.kind == "int":
        return replace(two, on=one)
    same = isinstance(one, Hidden) and one.law == two.law == "geometric" and one.scale == two.scale
    if let.prim == "sub" and isinstance(one, Hidden) and same:
        if one.scale.ball is not None:
            raise Refusal("geometric numbers whose chances are not known to be the same")
        return Hidden("two-sided", one.scale, one.on)
    raise Refusal("not a difference of two geometric numbers")


RULES: dict[str, Rule] = {
    rule.__name__.replace("_", " "): rule
    for rule in (
        computed, post_processing, number_arithmetic, number_bounded, number_cast, mean_of_inserted,
        rows_arithmetic, rows_bounded, rows_compare, rows_logic, rows_test, rows_where, rows_cast,
        rows_filtered, rows_buckets, rows_within, column, rows_length, rows_sum,
        scaled_noise, noise_cast, two_geometrics,
    )
}  # fmt: skip


# --- ranges


def _plus(one: End, two: End) -> End:
    return None if one is None or two is None else one + two


def _negative(end: End) -> End:
    return None if end is None else -end


def _times(arg: Any, factor: Fraction) -> tuple[End, End]:
    if factor == 0:
        return ZERO, ZERO
    ends = tuple(None if end is None else end * factor for end in (arg.low, arg.high))
    return (ends[0], ends[1]) if factor > 0 else (ends[1], ends[0])


def _product(one: Any, two: Any) -> tuple[End, End]:
    ends = (one.low, one.high, two.low, two.high)
    if any(end is None for end in ends):
        return None, None
    found = [a * b for a in ends[:2] for b in ends[2:]]
    return min(found), max(found)


def _magnitudes(low: End, high: End) -> tuple[End, End]:
    if low is None or high is None:
        return ZERO, None
    least = ZERO if low <= 0 <= high else min(abs(low), abs(high))
    return least, max(abs(low), abs(high))


def _bounded(prim: str, low: End, high: End, at: Fraction) -> tuple[End, End]:
    if prim == "minimum":
        return (None if low is None else min(low, at)), (at if high is None else min(high, at))
    return (at if low is None else max(low, at)), (None if high is None else max(high, at))


def _fit(number: Num) -> Num:
    """Refuse integers that may wrap around; floats are bound by the float obligations."""
    ends = (number.low, number.high)
    if number.kind == "int" and not all(end is not None and abs(end) <= LARGEST for end in ends):
        raise Refusal("an integer that may wrap around")
    return number


def _rows_fit(rows: Rows) -> Rows:
    """Mark floats that may overflow, and refuse integers that may wrap around."""
    if rows.kind == "int":
        if rows.low is None or rows.high is None:
            raise Refusal("integers of the records that may wrap around")
        if max(abs(rows.low), abs(rows.high)) > LARGEST:
            raise Refusal("integers of the records that may wrap around")
    if rows.kind == "float" and not rows.inf:
        ends = (rows.low, rows.high)
        if any(end is not None and abs(end) > HUGE for end in ends):
            return replace(rows, low=None, high=None, inf=True, nan=True)
    return rows


def _outside(intervals: Sequence[Any]) -> tuple[Any, ...]:
    found = []
    low, closed = None, False
    for start, start_in, stop, stop_in in intervals:
        if start is not None:
            found.append((low, closed, start, not start_in))
        low, closed = stop, not stop_in
        if stop is None:
            return tuple(found)
    return (*found, (low, closed, None, False))


def _both(one: Sequence[Any], two: Sequence[Any]) -> tuple[Any, ...]:
    found = []
    for a in one:
        for b in two:
            low, low_in = _later((a[0], a[1]), (b[0], b[1]))
            high, high_in = _earlier((a[2], a[3]), (b[2], b[3]))
            if low is None or high is None or low < high or (low == high and low_in and high_in):
                found.append((low, low_in, high, high_in))
    return tuple(found)


def _later(a: tuple[End, bool], b: tuple[End, bool]) -> tuple[End, bool]:
    if a[0] is None or b[0] is None:
        return b if a[0] is None else a
    return (a[0], a[1] and b[1]) if a[0] == b[0] else max(a, b, key=lambda end: end[0])  # type: ignore[arg-type, return-value]


def _earlier(a: tuple[End, bool], b: tuple[End, bool]) -> tuple[End, bool]:
    if a[0] is None or b[0] is None:
        return b if a[0] is None else a
    return (a[0], a[1] and b[1]) if a[0] == b[0] else min(a, b, key=lambda end: end[0])  # type: ignore[arg-type, return-value]


def disjoint(one: Part | int, two: Part | int) -> bool:
    """Whether no record belongs to both parts; two answers of a vector are different ones."""
    if isinstance(one, int) or isinstance(two, int):
        return isinstance(one, int) and isinstance(two, int) and one != two
    if one.base != two.base or (one.nan and two.nan):
        return False
    return not _both(one.intervals, two.intervals)
