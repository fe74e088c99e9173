"""Functions of libraries that the enumeration knows, by their canonical names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
LIBRARY: dict[str, Function] = {}


def knows(*names: str) -> Callable[[Function], Function]:
    """Register a function under its canonical names."""

    def registered(function: Function) -> Function:
        LIBRARY.update(dict.fromkeys(names, function))
        return function

    return registered
