"""Operations on constants: what Python itself makes of them, where that is a constant again."""

from __future__ import annotations

import ast
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from typing import Any

from dpaudit.checker.operators import BY_SYNTAX, MEANING
from dpaudit.formal.lifting.enumerations import is_member
from dpaudit.formal.lifting.scope import Live
from dpaudit.formal.lifting.shapes import is_code, is_setting

MOST = 128  # bits of a whole number, and characters of a text
_MOST_ITEMS = 1000
_CONTAINERS = (tuple, list, dict, set, frozenset)
_MEMBERS = (ast.In, ast.NotIn)
_SAME = (ast.Is, ast.IsNot)


def computed(result: Callable[[], Any]) -> Live | None:
    """Return what an operation on constants yields, None where it raises or is no constant."""
    try:
        value = result()
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None
    if isinstance(value, KeysView | ValuesView | ItemsView | enumerate | zip):
        value = list(value)
    if type(value) is int and value.bit_length() > MOST:
        return None
    if type(value) is str and len(value) > MOST:
        return None
    return Live(value, None) if is_setting(value) or is_table(value) else None


def compared(sign: ast.cmpop, a: Any, b: Any) -> Live | None:
    """Return whether a comparison of two constants holds, None where that is not certain."""
    if isinstance(sign, _MEMBERS):
        if type(b) not in _CONTAINERS and not type(a) is type(b) is str:
            return None
        return computed(lambda: (a in b) is isinstance(sign, ast.In))
    if isinstance(sign, _SAME):
        single = any(v is None or type(v) is bool or is_member(v) or is_code(v) for v in (a, b))
        return Live((a is b) is isinstance(sign, ast.Is), None) if single else None
    meaning: Callable[[Any, Any], Any] = MEANING[BY_SYNTAX[type(sign)]]
    return computed(lambda: meaning(a, b))


def is_short(spec: str) -> bool:
    """Return whether a format makes a short text: its numbers have two digits at most."""
    digits = "".join(c if c.isdigit() else " " for c in spec).split()
    return all(len(number) <= 2 for number in digits)


def is_table(value: Any) -> bool:
    """Return whether a value is a container of constants, or of tables."""
    if type(value) not in _CONTAINERS or len(value) > _MOST_ITEMS:
        return False
    items = [*value, *value.values()] if type(value) is dict else value
    return all(is_setting(item) or is_table(item) for item in items)
