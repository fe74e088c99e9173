"""The concrete evaluator: runs a program in Core on data, in NumPy's semantics.

It shows that lowering kept the meaning of the source: on the same data with the same draws it
returns what the mechanism returns.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.core.language import Block, Branch, Constant, Core, Draw, Let, Raise
from dpaudit.formal.running import implementation


class Raised(Exception):  # noqa: N818 - an outcome
    """The program raises an exception of this name."""


def run(core: Core, data: Any, rng: np.random.Generator) -> Any:
    """Return what a program returns.

    Parameters
    ----------
    core : Core
    data : Any
        As a mechanism receives it.
    rng : Generator

    Raises
    ------
    Raised
        Where the program ends in an exception.
    """
    values: dict[int, Any] = {0: data}
    block: Block = core.block
    with np.errstate(all="ignore"):
        while True:
            for each in block.body:
                values[each.var] = _value(each, values, rng)
            end = block.end
            if isinstance(end, Raise):
                raise Raised(end.kind)
            if not isinstance(end, Branch):
                return values[end.var]
            block = end.yes if values[end.test] else end.no


def _value(each: Constant | Let | Draw, values: dict[int, Any], rng: np.random.Generator) -> Any:
    if isinstance(each, Constant):
        return each.value
    if isinstance(each, Draw):
        parameter = values[each.parameter]
        if each.law == "geometric":
            return rng.geometric(parameter)
        return getattr(rng, each.law)(0.0, parameter)
    args = [values[arg] for arg in each.args]
    if each.prim in _OPERATIONS:
        return each.fields[0] if each.fields else _OPERATIONS[each.prim](*args)
    return _SPECIAL[each.prim](args, each.fields)


def _mapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply a function to each entry of lists, which Core treats as one value a record."""

    def apply(*args: Any) -> Any:
        lists = [arg for arg in args if isinstance(arg, list)]
        if not lists:
            return function(*args)
        return [
            function(*(arg[place] if isinstance(arg, list) else arg for arg in args))
            for place in range(len(lists[0]))
        ]

    return apply


def _both(of_arrays: Callable[..., Any], of_values: Callable[..., Any]) -> Callable[..., Any]:
    """Use NumPy's function for arrays, and Python's for single values and lists of them."""

    def apply(*args: Any) -> Any:
        return (of_arrays if any(isinstance(a, np.ndarray) for a in args) else of_values)(*args)

    return _mapped(apply)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    **{
        prim: _mapped(getattr(operator, name))
        for prim, name in {
            "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "floordiv": "floordiv",
            "mod": "mod", "pow": "pow", "neg": "neg", "pos": "pos", "abs": "abs", "eq": "eq",
            "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
        }.items()
    },
    "and": _both(np.logical_and, lambda a, b: a and b),
    "or": _both(np.logical_or, lambda a, b: a or b),
    "not": _both(np.logical_not, operator.not_),
    "where": _both(np.where, lambda test, yes, no: yes if test else no),
    "isnan": np.isnan,
    "isfinite": np.isfinite,
    "len": len,
    "sum": lambda rows: sum(rows) if isinstance(rows, list) else rows.sum(),
}  # fmt: skip


def _folding(prim: str) -> Callable[[list[Any], tuple[Any, ...]], Any]:
    """Return a function of one number, which a library may round in its own way."""

    def apply(args: list[Any], fields: tuple[Any, ...]) -> Any:
        return fields[0] if fields else getattr(math, prim)(*args)

    return apply


_EXTREMES: dict[tuple[str, str], Callable[..., Any]] = {
    ("minimum", "propagate"): np.minimum,
    ("maximum", "propagate"): np.maximum,
    ("minimum", "ignore"): np.fmin,
    ("maximum", "ignore"): np.fmax,
    ("minimum", "first"): _mapped(min),
    ("maximum", "first"): _mapped(max),
}


def _cast(args: list[Any], fields: tuple[Any, ...]) -> Any:
    value, to = args[0], fields[0]
    if to == "array":
        return np.array(value)
    kind = {"float": float, "int": int}[to]
    return value.astype(kind) if isinstance(value, np.ndarray) else _mapped(kind)(value)


def _filter(args: list[Any], _: tuple[Any, ...]) -> Any:
    rows, mask = args
    if isinstance(rows, list):
        return [row for row, holds in zip(rows, mask, strict=True) if holds]
    return rows[mask]


def _pack(args: list[Any], fields: tuple[Any, ...]) -> Any:
    kind, keys = fields
    if kind == "dict":
        return dict(zip(keys, args, strict=True))
    makers: dict[str, Callable[[list[Any]], Any]] = {
        "list": list,
        "tuple": tuple,
        "array": np.array,
    }
    return makers[kind](args)


def _known(args: list[Any], fields: tuple[Any, ...]) -> Any:
    name, words = fields
    function = implementation(name)
    assert function is not None
    first = args[: len(args) - len(words)]
    return function(*first, **dict(zip(words, args[len(first) :], strict=True)))


_SPECIAL: dict[str, Callable[[list[Any], tuple[Any, ...]], Any]] = {
    "minimum": lambda args, fields: _EXTREMES["minimum", fields[0]](*args),
    "maximum": lambda args, fields: _EXTREMES["maximum", fields[0]](*args),
    "cast": _cast,
    "filter": _filter,
    "pack": _pack,
    "known": _known,
    "get": lambda args, fields: args[0][args[1]],
    "item": lambda args, fields: args[0][fields[0]],
    "field": lambda args, fields: args[0][fields[0]],
    "buckets": lambda args, fields: np.searchsorted(fields[0], args[0], side=fields[1]),
    "within": lambda args, fields: True,
    **{prim: _folding(prim) for prim in ("exp", "expm1", "log", "sqrt")},
}
