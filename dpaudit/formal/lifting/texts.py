"""Texts of values that are known before the run, as the texts that they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.formal.program import Expression, Sequence

_MADE: dict[str, Callable[..., str]] = {
    "builtins.format": format,
    "builtins.str": str,
    "builtins.repr": repr,
}
_MOST = 64  # characters of a format; a width of millions would fill the memory


def text_of(
    name: str, arguments: tuple[Expression, ...], known: Callable[[Expression], Any]
) -> str | None:
    """Return the text that a call yields, None where it is not known.

    Parameters
    ----------
    name : str
        Canonical name of what is called: ``format``, ``str`` and ``repr``, and ``join`` for the
        parts of an f-string.
    arguments : tuple of Expression
    known : callable
        The value of an expression, or an object that is no number and no text.
    """
    if name == "method.join" and len(arguments) == 2 and known(arguments[0]) == "":
        of = arguments[1]
        parts: list[Any] = list(map(known, of.items)) if isinstance(of, Sequence) else [None]
        return "".join(parts) if all(type(part) is str for part in parts) else None
    if name not in _MADE:
        return None
    values = list(map(known, arguments))
    if not all(type(value) in (int, float, str, bool) for value in values):
        return None
    if name == "builtins.format" and (len(values) != 2 or not _is_short(values[1])):
        return None
    try:
        return _MADE[name](*values)
    except (TypeError, ValueError):  # which the call raises too
        return None


def _is_short(spec: Any) -> bool:
    """Return whether a format makes a short text: its numbers have two digits at most."""
    if type(spec) is not str or len(spec) > _MOST:
        return False
    digits = "".join(c if c.isdigit() else " " for c in spec).split()
    return all(len(number) <= 2 for number in digits)
