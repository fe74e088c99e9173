"""Writes values as the constructor calls that make them, and as plain JSON values."""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, fields
from typing import Any


def number_text(value: Any) -> str:
    """Write a literal without a superfluous ``.0``: ``100.0`` becomes ``"100"``."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value)) if value or math.copysign(1.0, value) > 0 else "-0.0"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(number_text(v) for v in value) + "]"
    return repr(value)


def call_text(value: Any) -> str:
    """Write a dataclass instance as its constructor call.

    What has no default goes by position, the rest by name where it differs from its default.
    """
    parts = []
    for field in _told(value):
        text = number_text(getattr(value, field.name))
        parts.append(text if field.default is MISSING else f"{field.name}={text}")
    return f"{type(value).__name__}({', '.join(parts)})"


def call_dict(value: Any) -> dict[str, Any]:
    """Describe a dataclass instance as a dict that JSON can hold, defaults left out."""
    told = {field.name: plain(getattr(value, field.name)) for field in _told(value)}
    return {"kind": type(value).__name__, **told}


def plain(value: Any) -> Any:
    """Return the value with tuples as lists and anything JSON cannot hold as text."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if isinstance(value, str | int | float | None) else repr(value)


def _told(value: Any) -> list[Field[Any]]:
    told = [f for f in fields(value) if f.init and getattr(value, f.name) != f.default]
    return sorted(told, key=lambda field: field.default is not MISSING)
