"""What functions and methods write to: nothing, an object that they are given, or an ``out``."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from typing import Any

_IN_PLACE_WORDS = """
delitem iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor
setitem
"""
IN_PLACE = frozenset(f"operator.{name}" for name in _IN_PLACE_WORDS.split())
_READS_WORDS = """
all any argmax argmin argsort astype between bit_length clip conj copy count cumprod cumsum
describe diff div dot drop drop_duplicates dropna duplicated elements encode endswith eq fillna
find flatten format ge get groupby gt head hex idxmax idxmin index is_integer isdigit isin isna
isnull isoformat item items join keys le lower lstrip lt max mean median melt min mode most_common
mul ne nlargest nonzero notna notnull nsmallest nunique pivot pivot_table prod ptp quantile query
rank reindex rename repeat replace reset_index reshape rfind rolling round rsplit rstrip
searchsorted set_index shift size sort_values split splitlines squeeze stack startswith std
strftime strip sub sum swapaxes tail take title to_dict to_list to_numpy tolist total trace
transpose unique unstack upper value_counts values var zfill
"""
READS = frozenset(_READS_WORDS.split())  # methods that change neither their object nor arguments
_OUT_FIRST = frozenset({"dot", "round", "max", "min", "argmax", "argmin", "choose", "ptp"})
_OUT_NOWHERE = frozenset({"choice", "choices", "sample", "replace", "integers", "format", "log"})
_LOUD = frozenset({"info", "debug", "warning", "error", "critical", "exception", "write"})


@cache
def first_output(name: str, *, method: bool) -> float:
    """Return the position from which on a listed function writes to its arguments."""
    last = name.rpartition(".")[2]
    if method:
        if last in _OUT_NOWHERE or last in _LOUD:
            return float("inf")
        return 1 if last in _OUT_FIRST else 2
    if not name.startswith(("numpy.", "scipy.")):
        return float("inf")
    import numpy as np

    found: Any = resolved(name)
    if isinstance(found, np.ufunc):
        return found.nin
    if isinstance(getattr(found, "__self__", None), np.ufunc):
        return 3  # of an array, an axis and a type
    try:
        names = list(inspect.signature(found).parameters)
    except (TypeError, ValueError):
        return float("inf")
    outputs = [at for at, each in enumerate(names) if each.startswith(("out", "overwrite"))]
    return float("inf") if last == "einsum" or not outputs else outputs[0]


def resolved(name: str) -> Any:
    """Return what a name of a library, or of a module of it, stands for; None for nothing."""
    root, *parts = name.split(".")
    found: Any = importlib.import_module(root)
    for part in parts:
        found = getattr(found, part, None)
    return found
