"""From which argument on a function of NumPy, or a method, writes into what it is given."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

_OUT_FIRST = frozenset({"dot", "round", "max", "min", "argmax", "argmin", "choose", "ptp"})
_OUT_NOWHERE = frozenset({"choice", "choices", "sample", "replace", "integers", "format", "log"})
_LOUD = frozenset({"info", "debug", "warning", "error", "critical", "exception", "write"})


@cache
def first_output(name: str, *, method: bool) -> float:
    """Return the position from which on a listed function writes to its arguments."""
    import numpy as np

    last = name.rpartition(".")[2]
    if method:
        if last in _OUT_NOWHERE or last in _LOUD:
            return float("inf")
        return 1 if last in _OUT_FIRST else 2
    if not name.startswith("numpy."):
        return float("inf")
    found: Any = np
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    if isinstance(found, np.ufunc):
        return found.nin
    if isinstance(getattr(found, "__self__", None), np.ufunc):
        return 3  # of an array, an axis and a type
    try:
        names = list(inspect.signature(found).parameters)
    except (TypeError, ValueError):
        return float("inf")
    if last == "einsum" or "out" not in names:
        return float("inf")
    return names.index("out")
