"""The functions of Python and NumPy that lemmas can follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import sympy

from dpaudit.formal.lemmas import columns, noise
from dpaudit.formal.lemmas.numbers import arithmetic, pointwise
from dpaudit.formal.lemmas.values import (
    SIZE,
    STEP,
    Above,
    Drawn,
    Joined,
    Kept,
    Known,
    Listed,
    Noisy,
    Number,
    Occurring,
    Ordered,
    Records,
    Shown,
    Value,
    Vector,
)
from dpaudit.formal.price.balls import compared
from dpaudit.formal.program import Place
from dpaudit.formal.rules.sums import FEW_BITS
from dpaudit.formal.terms import SYNONYMS
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
    name = SYNONYMS.get(name, name)
    module, _, word = name.rpartition(".")
    found: Value | None = None
    if module == "operator" and not keywords:
        found = _operator(reading, word, args, place)
    elif name in _POINTWISE and not keywords and len(args) == 2:
        found = _extreme(name, args, place)
    elif name in _MONOTONE and not keywords and len(args) == 1:
        found = _function(name, args[0])
    elif name in _HANDLERS:
        found = _HANDLERS[name](reading, args, keywords, place)
    if found is None:
        raise Unsupported(f"{name} of these, of which no lemma speaks", place)
    return found


def _operator(reading: Reading, word: str, args: list[Value], place: Place) -> Value | None:
    if word == "neg" and len(args) == 1:
        return _operator(reading, "mul", [Number(sympy.Integer(-1), True), args[0]], place)
    if len(args) != 2:
        return None
    left, right = args
    if word in _ARITHMETIC:
        found = noise.combined(word, left, right)
        if found is None:
            found = columns.shifted(word, left, right)
        return found if found is not None else arithmetic(reading, word, left, right, place)
    if word in _ORDERINGS:
        return noise.compared(word, left, right) or _ordering(word, left, right)
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
    found = columns.clipped(name, args[0], args[1])
    return found if found is not None else pointwise(_POINTWISE[name], args[0], args[1], place)


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
        case [Listed(items=items)]:
            return Number(sympy.Integer(len(items)), True)
    return None


def _float(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Number(expr=expr)] if not keywords:
            return Number(expr)
        case [Drawn() as value] if not keywords:
            return value
        case [value] if not keywords and type(value).__name__ == "Powered":
            return value
    return None


def _abs(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Number(expr=expr, whole=whole)] if not keywords:
            return Number(sympy.Abs(expr), whole)
    return None


def _int(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    whole = len(args) == 1 and not keywords and isinstance(args[0], Number) and args[0].whole
    return args[0] if whole else None


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
    return None


def _max(r: Reading, args: list[Value], keywords: dict[str, Value], p: Place) -> Value | None:
    match args:
        case [Vector() as vector] if not keywords:
            r.facts.need(sympy.Ge(vector.length, 1), (), "a vector has an entry", p)
            key = ("largest", vector.length, vector.entry, vector.decay)
            symbol = r.names.symbol(key, lambda name: sympy.Symbol(name, real=True))
            r.names.largest[symbol] = vector
            return Number(symbol)
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


def _joined(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Listed(items=items)] if not keywords:
            return columns.joined(items)
    return None


def _unique(r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    counted = keywords.pop("return_counts", None)
    if keywords or len(args) != 1 or not isinstance(args[0], Records) or args[0].nan:
        return None
    if not (isinstance(counted, Known) and counted.value is True):
        return None
    return columns.occurring(r, args[0])


def _listed(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Kept() as kept] if not keywords:
            return kept
    return None


def _zip(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    keywords.pop("strict", None)
    match args:
        case [Kept() as one, Kept() as other] if not keywords:
            if one.noisy is other.noisy and one.threshold == other.threshold:
                return Kept((*one.part, *other.part), one.noisy, one.threshold)
    return None


def _dict(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Kept(part=(Occurring(what="values"), Noisy() as shown), noisy=noisy) as kept]:
            return Shown(kept) if not keywords and shown is noisy else None
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
    "numpy.concatenate": _joined,
    "numpy.unique": _unique,
    "method.tolist": _listed,
    "builtins.zip": _zip,
    "builtins.dict": _dict,
}
