"""What the enumeration knows of Python's, `math`'s and NumPy's functions."""

from __future__ import annotations

from dpaudit.formal.enumeration import arrays, containers, reducing, scalars
from dpaudit.formal.enumeration.containers import items_of, own_method
from dpaudit.formal.enumeration.registry import LIBRARY, Function

__all__ = ["LIBRARY", "Function", "items_of", "own_method"]
_KNOWN = (arrays, containers, reducing, scalars)
