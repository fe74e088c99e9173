"""Calls of listed functions that still differ from process to process, for what they are given.

A ufunc with ``where=`` and no ``out=`` yields memory that nobody wrote; ``"now"`` and ``"today"``
are clocks to whatever reads dates.
"""

from __future__ import annotations

import dis
import itertools
import types
from collections.abc import Iterable
from typing import Any

from dpaudit.checker.pure import is_ufunc
from dpaudit.formal.program import Closure, Constant, Expression, walk

_SHOWING = ("builtins.str", "builtins.repr", "builtins.ascii", "builtins.format", "method.format")
NUMBERS = (int, float, complex, bool)
_DATES = ("datetime64", "m8[", "M8[", "<M8", "<m8", "M8", "now", "today")


def not_repeatable(
    name: str, positional: Iterable[Expression], keywords: Iterable[tuple[str, Expression]]
) -> str | None:
    """Return what makes a call differ from process to process, None where nothing does."""
    named = dict(keywords)
    if is_ufunc(name) and "where" in named and "out" not in named:
        return f"{name} with `where` and without `out`: memory that nobody wrote"
    for argument in (*positional, *named.values()):
        for node in walk(argument):
            value = node.value if isinstance(node, Constant) else None
            if name in _SHOWING and (callable(value) or isinstance(node, Closure)):
                return f"{name} of a function: the address of an object"
            if name == "builtins.format" and isinstance(value, str) and value.endswith("n"):
                return f"the format {value!r}, which depends on the locale"
            if isinstance(node, Constant) and is_date(node.value):
                return f"the text {node.value!r}, which may be read as the time of the run"
    return None


def is_unordered(value: Any) -> bool:
    """Return whether the order of a set's elements differs between processes."""
    if not isinstance(value, set | frozenset) or len(value) < 2:
        return False
    return not all(type(item) in NUMBERS for item in value)


def is_date(value: object) -> bool:
    """Return whether a text is one that libraries read as a clock, or as a type of dates."""
    return isinstance(value, str) and value.strip().startswith(_DATES) and value != ""


def is_repeatable_code(code: types.CodeType) -> bool:
    """Return whether the constants and keywords of a function's code are harmless."""
    for constant in code.co_consts:
        texts = constant if isinstance(constant, tuple) else (constant,)
        if any(map(is_date, texts)) or ("where" in texts and "out" not in texts):
            return False
    instructions = list(dis.get_instructions(code))
    for one, after in itertools.pairwise(instructions):
        if one.opname in ("SET_ADD", "SET_UPDATE", "BUILD_SET"):
            return False  # its order may differ
        if isinstance(one.argval, frozenset) and after.opname != "CONTAINS_OP":
            return False
    return not {"set", "frozenset", "strftime", "datetime64", "to_datetime"} & set(code.co_names)
