"""Changes of type: float, int, round, astype, tolist."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import INFINITE, ONE, ZERO, Bound, at_most
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, ListValue, Number, Tuple, Value, fresh
from dpaudit.formal.norms import Norms
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import Entry, combined, fitted, operand
from dpaudit.formal.rules.numbers import tidy

_SAME = (
    "builtins.float", "method.item", "method.copy", "numpy.copy", "numpy.float64", "copy.copy",
    "numpy.asarray", "numpy.array", "numpy.asanyarray", "numpy.ascontiguousarray",
)  # fmt: skip


@rule(
    *_SAME, "numpy.squeeze",
    statement="A number as a float, and a copy, is the same number.",
    proof="By definition; rounding is idealized.",
    exact=True,
)  # fmt: skip
def same_number(call: Application) -> Value | None:
    """float(x) of a number."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], Number):
        return None
    number = call.args[0]
    if call.name == "builtins.float" or call.name == "numpy.float64":
        if number.constant and number.value == number.value:
            return replace(number, value=float(number.value), integer=False, boolean=False)
        return replace(number, boolean=False, dtype="")
    if call.name not in ("method.item", "copy.copy"):
        call.walk.boxed = True
    return replace(number, dtype="") if call.name == "method.item" else number


@rule(
    "builtins.bool", "numpy.bool",
    statement="Whether a number is not zero.",
    proof="By definition.",
)  # fmt: skip
def truth_value(call: Application) -> Value | None:
    """bool(x)."""
    if len(call.args) == 1 and isinstance(call.args[0], Number):
        number = call.args[0]
        if number.boolean:
            return number
        from dpaudit.formal.constants import constant

        return call.redo("operator.ne", number, constant(0))
    return None


@rule(
    "builtins.int", "math.trunc", "math.floor", "math.ceil", "builtins.round", "numpy.round",
    "numpy.rint", "method.round", "numpy.int64",
    statement="|⌊a⌋ − ⌊b⌋| <= ⌊|a − b|⌋ + 1, the same for rounding; whole numbers stay.",
    proof="Each rounds by less than one, and the difference is whole.",
    exact=True,
)  # fmt: skip
def rounded_number(call: Application) -> Value | None:
    """int(x), round(x)."""
    from dpaudit.formal.constants import constant

    if not call.args or not isinstance(call.args[0], Number):
        return None
    number = call.args[0]
    word = "ndigits" if call.name == "builtins.round" else "decimals"
    if len(call.args) > 2 or set(call.keywords) - {word}:
        return None
    digits = call.args[1] if len(call.args) > 1 else call.keywords.get(word)
    places = 0 if digits is None else call.known(digits)
    if number.constant:
        if places:
            return constant(round(number.value, places))
        name = call.name.rpartition(".")[2]
        runs: dict[str, Any] = {
            "floor": np.floor, "ceil": np.ceil, "round": round, "rint": np.rint
        }  # fmt: skip
        run = runs.get(name, int)
        return constant(int(run(number.value)))
    if number.nan or number.infinite:
        call.walk.hazard(f"{call.name} of NaN or infinity", call.place)
    if number.integer and (places is None or places >= 0):
        return replace(number, boolean=False, nan=False, infinite=False, dtype="")
    if number.public and number.expr is not None and not places:
        floor = call.name == "math.floor"
        unknown = sympy.Symbol(f"whole_{fresh()}", integer=True)
        known = sympy.floor(number.expr) if floor else unknown
        return Number(number.low - 1, number.high + 1, ZERO, ZERO, True, expr=known)
    step = ONE / sympy.Integer(10) ** (places or 0)
    fall, rise = (_stepped(change, step) for change in (number.fall, number.rise))
    low, high = (_end(number.low, -step), _end(number.high, step))
    if at_most(ZERO, number.low):
        low = ZERO
    return tidy(Number(low, high, fall, rise, not places, why=number.why))


def _stepped(change: Bound, step: Bound) -> Bound:
    if change in (ZERO, INFINITE):
        # In one direction nothing falls that did not before: rounding does not fall either.
        return change
    return (sympy.floor(change / step) + 1) * step


def _end(end: Bound, by: Bound) -> Bound:
    if end in (INFINITE, -INFINITE) or (end.is_integer and at_most(abs(by), ONE)):
        return end
    return end + by


@rule(
    "numpy.round", "method.round", "numpy.rint", "numpy.trunc",
    statement="Every entry is rounded by at most half a step (cut by less than one).",
    proof="|round a − round b| <= |a − b| + step.",
)  # fmt: skip
def rounded_entries(call: Application) -> Value | None:
    """np.round(x)."""
    x, decimals, *_ = call.bind("a", "decimals")
    if not isinstance(x, Array):
        return None
    places = call.known(decimals, 0)
    a = operand(call, x)
    if a.integer and places >= 0:
        return x
    step = ONE / sympy.Integer(10) ** places
    entry = Entry(
        _end(a.low, -step), _end(a.high, step), places == 0, nan=a.nan, infinite=a.infinite,
        why=a.why,
    )  # fmt: skip
    norms = derived(a).norms
    linf = norms.linf if norms.linf in (ZERO, INFINITE) else _stepped(norms.linf, step)
    return combined(call, [a], entry, Norms(norms.l0, linf=linf).tightened(a.size))


@rule(
    "method.astype",
    statement="A value keeps its number where the type holds it; else it wraps round or is cut.",
    proof="By definition; rounding to fewer bits is idealized.",
)
def cast(call: Application) -> Value | None:
    """x.astype(type)."""
    x, dtype, copy = call.bind("self", "dtype", "copy", required=2)
    if not isinstance(x, Array) or x.kind == "object":
        return None
    if call.known(copy, True) is not True:
        call.refuse("astype that may share the memory of what it is given")
    try:
        target = np.dtype(call.known(dtype))
    except TypeError:
        return None
    a = replace(x, buffer=fresh())
    if target.kind == "f":
        limit = sympy.Integer(int(np.finfo(target).max))
        fits = at_most(-limit, a.low) and at_most(a.high, limit)
        if not fits and target.itemsize < 8:
            call.refuse(f"numbers that {target} may not hold")
        return replace(a, dtype=str(target), integer=a.integer, boolean=False, term=_kept(x))
    if target.kind == "b":
        from dpaudit.formal.constants import constant

        return x if a.boolean else call.redo("operator.ne", x, constant(0))
    if target.kind not in "iu":
        return None
    if a.nan or a.infinite:
        why = f"NaN or infinity as an integer at {call.place}"
        limits = np.iinfo(target)
        entry = Entry(sympy.Integer(int(limits.min)), sympy.Integer(int(limits.max)), True,
                      dtype=str(target), why=why)  # fmt: skip
        return combined(call, [a], entry)
    if not a.integer:
        a = _truncated(a)
    entry, wrapped = fitted(
        call, [a], Entry(a.low, a.high, True, False, why=a.why, dtype=str(target))
    )
    if wrapped:
        return combined(call, [a], entry)
    return replace(a, dtype=str(target), boolean=False, term=_kept(x) if x.integer else None)


def _kept(array: Array) -> object:
    return array.term


def _truncated(array: Array) -> Array:
    low = ZERO if at_most(ZERO, array.low) else _end(array.low, -ONE)
    linf = array.norms.linf
    linf = linf if linf in (ZERO, INFINITE) else sympy.floor(linf) + 1
    return derived(replace(
        array, low=low, high=_end(array.high, ONE), integer=True, row=Norms(), span=Norms(),
        norms=Norms(array.norms.l0, linf=linf).tightened(array.size), term=None,
    ))  # fmt: skip


@rule(
    *_SAME, "method.to_numpy", "method.tolist", "numpy.atleast_1d", "method.ravel", "numpy.ravel",
    "method.flatten", "builtins.list", "builtins.tuple", "numpy.squeeze", "method.squeeze",
    "method.to_list", "method.reset_index", "iterable.listed", "series.listed",
    statement="The same numbers in another container.",
    proof="By definition.",
)  # fmt: skip
def same_entries(call: Application) -> Value | None:
    """np.asarray(x), x.tolist(), list(x) of one array."""
    options = {k: v for k, v in call.keywords.items() if k not in ("dtype", "copy", "drop")}
    if len(call.args) != 1 or options or not isinstance(call.args[0], Array):
        return None
    x = call.args[0]
    if x.element:
        return x if call.name == "builtins.float" else None
    word = call.name.rpartition(".")[2]
    if call.name == "builtins.float":
        return None
    lists = ("tolist", "list", "tuple", "to_list", "listed")
    flat = word in ("ravel", "flatten", "squeeze", *lists)
    if flat and len(x.shape) != 1:
        return None
    container = "list" if word in lists else "array"
    if word in ("copy", "reset_index"):
        container = x.container
    viewed = word in ("asarray", "asanyarray", "ravel", "squeeze", "atleast_1d", "to_numpy")
    dtype = x.dtype or ("object" if x.kind == "object" else "int64" if x.integer else "float64")
    result = replace(
        x, container=container, dtype="" if container == "list" else dtype,
        buffer=x.buffer if viewed else fresh(),
    )  # fmt: skip
    if "dtype" in call.keywords:
        return call.redo("method.astype", result, call.keywords["dtype"])
    return result


@rule(
    "builtins.float", "builtins.int", "builtins.round",
    statement="What a record's entry is as a float is the same number.",
    proof="By definition.",
)  # fmt: skip
def same_element(call: Application) -> Value | None:
    """float(record)."""
    if len(call.args) != 1 or not isinstance(call.args[0], Array) or call.keywords:
        return None
    x = call.args[0]
    if not x.element and x.shape:
        return None
    if call.name == "builtins.float":
        return replace(x, boolean=False, dtype="float64")
    if x.nan or x.infinite:
        call.walk.hazard(f"{call.name} of NaN or infinity", call.place)
        return None
    return x if x.integer else _truncated(x)


@rule(
    "builtins.list", "builtins.tuple",
    statement="The same items in another container.",
    proof="By definition.",
)  # fmt: skip
def same_items(call: Application) -> Value | None:
    """list(items), tuple(items)."""
    if len(call.args) != 1 or call.keywords:
        return None
    value = call.args[0]
    if isinstance(value, ListValue | Tuple):
        items = value.items
        return Tuple(tuple(items)) if call.name == "builtins.tuple" else ListValue(list(items))
    return None


@rule(
    "method.view",
    statement="The bits of an entry as another type are a function of the entry.",
    proof="By definition.",
)
def bits_of(call: Application) -> Value | None:
    """x.view(np.uint64)."""
    x, dtype = call.bind("self", "dtype", required=2)
    if not isinstance(x, Array) or x.kind == "object" or x.container != "array" or not x.dtype:
        return None
    try:
        target = np.dtype(call.known(dtype))
    except TypeError:
        return None
    if target.kind not in "iu" or target.itemsize != np.dtype(x.dtype).itemsize:
        return None
    limits = np.iinfo(target)
    entry = Entry(
        sympy.Integer(int(limits.min)), sympy.Integer(int(limits.max)), True, dtype=str(target)
    )
    result = combined(call, [x], entry, Norms(derived(x).norms.l0))
    # Equal terms are equal numbers, of which floats may have other last bits, or another zero.
    term = ("bits", fresh())
    # A view shares its array's memory.
    return replace(result, buffer=x.buffer, term=term) if isinstance(result, Array) else None
