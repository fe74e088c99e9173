"""How values were computed: equal terms are equal values, run by run."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.formal.bounds import exact
from dpaudit.formal.domain import (
    Array,
    Known,
    ListValue,
    Number,
    Tuple,
    Value,
)
from dpaudit.formal.narrow import of_type

if TYPE_CHECKING:
    from dpaudit.formal.calls import Application


# In terms, one name for what computes the same.
SYNONYMS = {
    "numpy.add": "operator.add",
    "numpy.subtract": "operator.sub",
    "numpy.multiply": "operator.mul",
    "numpy.divide": "operator.truediv",
    "numpy.true_divide": "operator.truediv",
    "numpy.floor_divide": "operator.floordiv",
    "numpy.remainder": "operator.mod",
    "numpy.negative": "operator.neg",
    "numpy.less": "operator.lt",
    "numpy.less_equal": "operator.le",
    "numpy.greater": "operator.gt",
    "numpy.greater_equal": "operator.ge",
    "numpy.equal": "operator.eq",
    "numpy.not_equal": "operator.ne",
    "numpy.matmul": "operator.matmul",
    "numpy.power": "operator.pow",
    "numpy.bitwise_and": "operator.and_",
    "numpy.bitwise_or": "operator.or_",
    "numpy.bitwise_xor": "operator.xor",
    "numpy.absolute": "builtins.abs",
    "math.fabs": "builtins.abs",
    "numpy.fabs": "builtins.abs",
    "numpy.amax": "numpy.max",
    "numpy.amin": "numpy.min",
    "builtins.pow": "operator.pow",
    "math.pow": "operator.pow",
}


IN_PLACE = {
    f"operator.i{word}": f"operator.{word}{'_' if word in ('and', 'or') else ''}"
    for word in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        "lshift", "rshift",
    )
}  # fmt: skip


_HEADS = {
    "operator.lt": "lt", "operator.le": "le", "operator.gt": "gt", "operator.ge": "ge",
    "operator.eq": "eq", "operator.ne": "ne", "operator.not_": "not", "operator.and_": "and",
    "operator.or_": "or", "operator.invert": "invert", "numpy.logical_not": "invert",
}  # fmt: skip


_OF_NUMBERS = frozenset({"operator.add", "operator.mul", "operator.pow"})


def with_term(call: Application, value: Value) -> Value:
    """Return the result of a call with its term, where those of the arguments are known."""
    if not isinstance(value, Number | Array | Known | Tuple) or value.term is not None:
        return value
    head = _HEADS.get(call.name, call.name)
    if head in ("eq", "ne") and any(_is_short(v) or _is_rounded(v) for v in call.args):
        return value  # different constants are the same number in the type of the entries
    terms = []
    for each in [*call.args, *(v for _, v in sorted(call.keywords.items()))]:
        term = term_of(each)
        if term is None:
            return value
        terms.append(term)
    names = tuple(sorted(call.keywords))
    whole: Any = (head, *terms, names) if names else (head, *terms)
    if isinstance(value, Array):
        # A sum of truth values is their `or` in NumPy, and in 8 bits 100 + 100 is −56.
        own = value.dtype == "bool" and call.name in _OF_NUMBERS
        whole = ("in type", "bool", whole) if own else of_type(whole, value.dtype)
    elif call.name in _OF_NUMBERS and terms and all(map(_is_truth, call.args)):
        return value
    return replace(value, term=whole)


def _is_short(value: Value) -> bool:
    return isinstance(value, Array) and value.dtype in ("float16", "float32")


def _is_rounded(value: Value) -> bool:
    """Whether the code holds a float that is not the number that its formula gives."""
    if not isinstance(value, Number) or not isinstance(value.value, float):
        return False
    return math.isfinite(value.value) and exact(value.value) != value.expr


def _is_truth(value: Value) -> bool:
    return isinstance(value, Number) and value.boolean


def term_of(value: Value) -> Any:
    """Return how a value was computed; None where that is not known."""
    if isinstance(value, Tuple | ListValue):
        terms = tuple(term_of(item) for item in value.items)
        kind = "tuple" if isinstance(value, Tuple) else "list"
        return None if None in terms else (kind, *terms)
    return getattr(value, "term", None)


def is_value(term: Any) -> bool:
    """Whether a term is a constant number or text, which differ where their terms do.

    NumPy compares with the nearest double, and leaves out what texts have of zeros at their end.
    """
    if not isinstance(term, tuple):
        return False
    if len(term) == 2 and term[0] == "public":
        return _is_double(term[1])
    if len(term) != 3 or term[0] != "known" or term[1] != "str":
        return False
    return "\0" not in term[2] and "\\x00" not in term[2]


def _is_double(expr: Any) -> bool:
    if not getattr(expr, "is_Rational", False):
        return False
    try:
        return Fraction(float(expr)) == Fraction(int(expr.p), int(expr.q))
    except OverflowError:
        return False
