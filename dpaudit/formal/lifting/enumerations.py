"""Members of enumerations: constants with a name and a value, each equal to itself.

A member counts where its class adds nothing to what `enum` makes of it: no comparison, no way to
look members up or to make them, and no attribute of its own. Its text is left to the class.
"""

from __future__ import annotations

import enum
import types
from typing import Any

from dpaudit.formal.lifting.canonical import LIBRARIES

_BASES = (object, int, str, enum.Enum, enum.ReprEnum, enum.IntEnum, enum.StrEnum)
_OF_MEMBER = {"_value_", "_name_", "__objclass__", "_sort_order_"}
_TEXTS = {"__str__", "__repr__", "__format__", "__doc__"}
_MADE = {
    name
    for cls in (enum.Enum("_A", "x"), enum.IntEnum("_B", "x"), enum.Enum("_C", "x", type=str))
    for name in vars(cls)
} | {"__qualname__", "__annotations__", "__static_attributes__", "__firstlineno__"}
MAPS = ("_member_map_", "_value2member_map_")


def is_enumeration(cls: Any) -> bool:
    """Return whether a class is an enumeration of plain members."""
    if type(cls) is not enum.EnumType or cls.__module__.partition(".")[0] in LIBRARIES:
        return False
    own = [kind for kind in cls.__mro__ if kind not in _BASES]
    return all(map(_is_plain_class, own)) and all(
        set(getattr(member, "__dict__", ())) <= _OF_MEMBER and _is_simple(member._value_)
        for member in vars(cls)["_member_map_"].values()
    )


def is_member(value: Any) -> bool:
    """Return whether a value is a member of such an enumeration."""
    return isinstance(value, enum.Enum) and is_enumeration(type(value))


def told(value: Any, name: str) -> bool:
    """Return whether an attribute of a member is what `enum` keeps in it: its name or value."""
    if name in ("_value_", "_name_"):
        return True
    first = next((vars(k)[name] for k in type(value).__mro__ if name in vars(k)), None)
    return name in ("value", "name") and first is vars(enum.Enum)[name]


def looked_up(cls: Any, key: Any, *, by_name: bool) -> Any:
    """Return the member that ``Mode(key)`` yields, or ``Mode[key]``; None where there is none."""
    for name, member in vars(cls)["_member_map_"].items():
        held = name if by_name else member._value_
        if type(held) is type(key) and held == key:
            return member
    return None


def _is_plain_class(cls: type) -> bool:
    if type(cls) is not enum.EnumType:
        return False
    for name, value in vars(cls).items():
        code = getattr(getattr(value, "__func__", value), "__code__", None)
        if not name.startswith("_") or name in _TEXTS:
            continue
        written = isinstance(code, types.CodeType) and code.co_filename != enum.__file__
        if name not in _MADE or written:
            return False
    return True


def _is_simple(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_simple, value))
    return type(value) in (bool, int, float, str, type(None))
