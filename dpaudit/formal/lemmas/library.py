"""The functions of Python and NumPy that lemmas can follow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import sympy

from dpaudit.formal.lemmas import columns, counted, noise, segments
from dpaudit.formal.lemmas.columns import FEW_BITS
from dpaudit.formal.lemmas.numbers import arithmetic, pointwise
from dpaudit.formal.lemmas.synonyms import SYNONYMS
from dpaudit.formal.lemmas.values import (
    SIZE,
    STEP,
    Above,
    Chosen,
    Drawn,
    Heaviest,
    Joined,
    Known,
    Lengths,
    Listed,
    Masses,
    Nowhere,
    Number,
    Occurring,
    Ordered,
    Perturbed,
    Point,
    Powered,
    Records,
    Value,
    Vector,
)
from dpaudit.formal.price.balls import compared
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Reading

_ARITHMETIC = frozenset({"add", "sub", "mul", "truediv", "floordiv"})
_POINTWISE = {
    "numpy.maximum": sympy.Max, "numpy.minimum": sympy.Min,
    "numpy.fmax": sympy.Max, "numpy.fmin": sympy.Min,
    "builtins.max": sympy.Max, "builtins.min": sympy.Min,
}  # fmt: skip
_MONOTONE = {"numpy.exp": sympy.exp, "math.exp": sympy.exp, "numpy.log": sympy.log,
             "math.log": sympy.log, "math.sqrt": sympy.sqrt, "numpy.sqrt": sympy.sqrt}  # fmt: skip
_ORDERINGS = frozenset({"gt", "ge", "lt", "le"})


def called(
    reading: Reading, name: str, args: list[Value], keywords: dict[str, Value], place: Place
) -> Value:
    """Return what a library's function returns.

    Raises
    ------
    Unsupported
        Where no lemma needs it.
    """
    if name == "math.fabs" and not all(isinstance(a, Number) for a in args):
        raise Unsupported("math.fabs of an array", place)
    name = SYNONYMS.get(name, name)
    module, _, word = name.rpartition(".")
    found: Value | None = None
    if module == "operator" and not keywords:
        found = _operator(reading, word, args, place)
    elif name in _POINTWISE and not keywords and len(args) == 2:
        found = _extreme(name, args, place)
    elif name in _MONOTONE and not keywords and len(args) == 1:
        found = _function(name, args[0]) or segments.function(name, args[0])
    elif name in _HANDLERS:
        found = _HANDLERS[name](reading, args, keywords, place)
    if found is None:
        raise Unsupported(f"{name} of these, of which no lemma speaks", place)
    return found


def _operator(reading: Reading, word: str, args: list[Value], place: Place) -> Value | None:
    if word == "neg" and len(args) == 1:
        minus = Number(sympy.Integer(-1), True)
        return segments.negated(args[0]) or _operator(reading, "mul", [minus, args[0]], place)
    if len(args) != 2:
        return None
    left, right = args
    if word in _ARITHMETIC:
        return (
            noise.combined(word, left, right)
            or columns.shifted(word, left, right)
            or segments.combined(reading, word, left, right, place)
            or arithmetic(reading, word, left, right, place)
        )
    if word in _ORDERINGS:
        return (
            noise.compared(word, left, right)
            or segments.compared(word, left, right)
            or _ordering(word, left, right)
        )
    return None


def _ordering(word: str, left: Value, right: Value) -> Value | None:
    """Return whether entries are above a bound, or how two public numbers compare."""
    if isinstance(left, Number) and not isinstance(right, Number):
        left, right, word = right, left, {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}[word]
    if not isinstance(right, Number) or not right.expr.is_number:
        return None
    if isinstance(left, Number) and left.expr.is_number:
        sign = compared(left.expr, right.expr)
        holds = {"gt": (1,), "ge": (0, 1), "lt": (-1,), "le": (-1, 0)}[word]
        return None if sign is None else Known(sign in holds)
    if not isinstance(left, Vector) or word not in ("gt", "ge") or left.decay != 0:
        return None
    return Above(left, right.expr, word == "gt")


def _extreme(name: str, args: list[Value], place: Place) -> Value | None:
    if name.startswith("builtins") and not all(isinstance(a, Number) for a in args):
        return None
    pick = _POINTWISE[name]
    return (
        columns.clipped(name, args[0], args[1])
        or segments.extreme(pick, args[0], args[1], place)
        or pointwise(pick, args[0], args[1], place)
    )


def _function(name: str, value: Value) -> Value | None:
    if isinstance(value, Drawn):
        return noise.power(value) if name.endswith("exp") else None
    if isinstance(value, Number) and value.expr.is_number:
        if name.endswith("exp") or value.expr.is_positive:
            return Number(_MONOTONE[name](value.expr))
        return None
    if isinstance(value, Vector) and name == "numpy.exp" and value.decay == 0:
        # e^(−βk); anything beside k in the exponent is none of a lemma's.
        slope = -sympy.expand(value.entry).coeff(STEP)
        if slope.is_number and sympy.expand(value.entry + slope * STEP) == 0:
            return Vector(value.length, sympy.Integer(1), False, slope)
    return None


# --- what looks at a whole array

Handler = Callable[["Reading", "list[Value]", "dict[str, Value]", Place], "Value | None"]


def _length(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    if keywords:
        return None
    match args:
        case [Records()]:
            return Number(SIZE, True)
        case [Ordered() | Vector() as array]:
            return Number(array.length, True)
        case [Above(vector=vector)]:
            return Number(vector.length, True)
        case [Occurring(number=number)]:
            return Number(number, True)
        case [(Lengths(some=False) | Masses(some=False)) as each]:
            return Number(each.order.length - 1, True)
        case [Listed(items=items)]:
            return Number(sympy.Integer(len(items)), True)
    return None


def _float(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Number(expr=expr)] if not keywords:
            return Number(expr)
        case [Drawn() as value] if not keywords:
            return value
        case [(Powered() | Point()) as value] if not keywords:
            return value
    return None


def _abs(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Number(expr=expr, whole=whole)] if not keywords:
            return Number(sympy.Abs(expr), whole)
        case [value] if not keywords:
            return segments.absolute(value)
    return None


def _int(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [(Number(whole=True) | Chosen()) as value] if not keywords:
            return value
    return None


def _arange(r: Reading, args: list[Value], keywords: dict[str, Value], p: Place) -> Value | None:
    """``arange(n)``, and ``arange(a, b, -1)`` downwards."""
    if keywords or not all(isinstance(a, Number) and a.whole for a in args):
        return None
    ends = [a.expr for a in args if isinstance(a, Number)]
    match ends:
        case [length]:
            entry = STEP
        case [start, stop, sympy.Integer(p=-1)]:
            length, entry = start - stop, start - STEP
        case [start, stop]:
            length, entry = stop - start, start + STEP
        case _:
            return None
    length = sympy.expand(length)
    r.facts.need(sympy.Ge(length, 0), (), "a range is as long as it says", p)
    return Vector(length, entry, True)


def _full(r: Reading, args: list[Value], keywords: dict[str, Value], p: Place) -> Value | None:
    match args:
        case [Number(expr=length, whole=True), Number() as value] if not keywords:
            r.facts.need(sympy.Ge(length, 0), (), "a length is one", p)
            return Vector(length, value.expr, value.whole)
        case [Number(expr=length, whole=True), Known(value=value)] if not keywords:
            return Nowhere(length) if value == -math.inf else None
    return None


def _max(r: Reading, args: list[Value], keywords: dict[str, Value], p: Place) -> Value | None:
    match args:
        case [Vector() as vector] if not keywords:
            r.facts.need(sympy.Ge(vector.length, 1), (), "a vector has an entry", p)
            key = ("largest", vector.length, vector.entry, vector.decay)
            symbol = r.names.symbol(key, lambda name: sympy.Symbol(name, real=True))
            r.names.largest[symbol] = vector
            return Number(symbol)
        case [Masses(level=False) as masses] if not keywords:
            return Heaviest(masses)
    return None


def _argmax(r: Reading, args: list[Value], keywords: dict[str, Value], p: Place) -> Value | None:
    match args:
        case [Above() as above] if not keywords:
            v = above.vector
            r.facts.need(sympy.Ge(v.length, 1), (), "a vector has an entry", p)
            key = ("first", v.length, v.entry, above.bound, above.strict)
            symbol = r.names.symbol(
                key, lambda name: sympy.Symbol(name, integer=True, nonnegative=True)
            )
            r.names.first[symbol] = above
            return Number(symbol, True)
        case [Perturbed(masses=masses, draw=draw)] if not keywords:
            return Chosen(masses, draw, masses.some)
    return None


def _sum(r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Records(nan=False) as records] if not keywords:
            if records.low == -sympy.oo or records.high == sympy.oo:
                return None
            if records.whole and max(-records.low, records.high) > FEW_BITS:
                return None  # 64 bits overflow
            symbol = r.names.symbol(
                ("total", records.key), lambda name: sympy.Symbol(name, real=True)
            )
            r.names.totals[symbol] = records
            return Number(symbol, records.whole)
    return None


def _sorted(r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [(Joined() | Records()) as array] if not keywords:
            return columns.in_order(r, array)
    return None


def _clip(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    """``clip(x, low, high)`` is ``minimum(maximum(x, low), high)``, which NaN passes."""
    match args:
        case [Records() as records, low, high] if not keywords:
            raised = columns.clipped("numpy.maximum", records, low)
            return None if raised is None else columns.clipped("numpy.minimum", raised, high)
    return None


def _joined(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Listed(items=items)] if not keywords:
            return columns.joined(_r, items)
    return None


_HANDLERS: dict[str, Handler] = {
    "builtins.abs": _abs,
    "builtins.len": _length,
    "builtins.float": _float,
    "builtins.int": _int,
    "numpy.arange": _arange,
    "numpy.full": _full,
    "numpy.max": _max,
    "method.max": _max,
    "numpy.argmax": _argmax,
    "method.argmax": _argmax,
    "numpy.sum": _sum,
    "method.sum": _sum,
    "numpy.sort": _sorted,
    "numpy.clip": _clip,
    "method.clip": _clip,
    "numpy.concatenate": _joined,
    **counted.HANDLERS,
    **segments.HANDLERS,
}
