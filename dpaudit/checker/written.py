"""Constants as certificates write them: ``{"int": "1"}``, ``{"tuple": [...]}`` and the like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpaudit.checker.file import NotCheckedError

_PLAIN = ("tuple", "list")
_LISTED = (*_PLAIN, "dict", "set", "frozenset", "array")


def decoded(written: Any, made: Mapping[str, Callable[[Any], Any]]) -> Any:
    """Return the value of a constant.

    Parameters
    ----------
    written : object
        What is no dict with one key stands for itself: a text, a truth value or None.
    made : mapping of str to callable
        Makes what each kind stands for: of the values in a tuple or list, of the pairs of values in
        a dict, and else of what is written.

    Raises
    ------
    NotCheckedError
        Where a kind is not known.
    """
    if written is None or isinstance(written, bool | str):
        return written
    if isinstance(written, dict) and len(written) == 1:
        ((kind, inside),) = written.items()
        wanted: Any = list if kind in _LISTED else str
        if kind in made and isinstance(inside, wanted):
            if kind == "dict":
                return made[kind]([(decoded(k, made), decoded(v, made)) for k, v in inside])
            return made[kind]([decoded(v, made) for v in inside] if kind in _PLAIN else inside)
    raise NotCheckedError(f"not checked: the constant {str(written)!r:.60}")
