"""Diagnostics: what a run shows beside its output, as numbers that wrapped and domains it used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpaudit.formal.program import Place
from dpaudit.formal.trial.calls import call, noisy
from dpaudit.formal.trial.path_choices import Oracle

# The arguments that say which bins, edges or candidates there are: places and names.
_DOMAINS: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "numpy.linspace": ((0, 1, 2), ("start", "stop", "num")),
    "numpy.geomspace": ((0, 1, 2), ("start", "stop", "num")),
    "numpy.histogram": ((1, 2), ("bins", "range")),
    "numpy.histogram2d": ((2, 3), ("bins", "range")),
    "numpy.histogramdd": ((1, 2), ("bins", "range")),
    "numpy.digitize": ((1,), ("bins",)),
}


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something that a run did at a place.

    Attributes
    ----------
    kind : {"domain", "wrapped"}
        A domain that was used, or whole numbers that left the range of their type.
    place : Place
    what : str
        The domain, so that two runs can be compared.
    """

    kind: Literal["domain", "wrapped"]
    place: Place
    what: str


def noticed(
    name: str,
    arguments: list[Any],
    keywords: dict[str, Any],
    result: Any,
    place: Callable[[], Place],
) -> Noticed | None:
    """Return what is worth noting of a call that was made, and its result."""
    if name in _DOMAINS and not noisy(arguments) and not noisy(keywords):
        places, names = _DOMAINS[name]
        used = [arguments[i] for i in places if i < len(arguments)]
        used += [keywords[n] for n in names if n in keywords]
        if name.startswith("numpy.histogram") and isinstance(result, tuple):
            used += result[1:]  # the edges, which may come from the data
        return Noticed("domain", place(), repr([np.asarray(value).tolist() for value in used]))
    if _wraps(name, arguments, keywords, result):
        return Noticed("wrapped", place(), str(result.dtype))
    return None


def _wraps(name: str, arguments: list[Any], keywords: dict[str, Any], result: Any) -> bool:
    """Whether the call gives another number where whole numbers have no end."""
    kind = getattr(result, "dtype", None)
    if not isinstance(kind, np.dtype) or kind.kind not in "iu" or name not in _CAN_WRAP:
        return False
    wide = [_unending(value) for value in arguments]
    named = {n: object if n == "dtype" else _unending(v) for n, v in keywords.items()}
    try:
        exact = call(name, wide, named, Oracle([]))
    except Exception:  # objects are not understood everywhere: then nothing is known
        return False
    return not np.array_equal(np.asarray(exact, dtype=object), np.asarray(result, dtype=object))


_CAN_WRAP = frozenset(
    f"{where}.{name}"
    for where, names in (
        ("operator", ("add", "sub", "mul", "neg", "matmul", "iadd", "isub", "imul")),
        ("numpy", ("sum", "prod", "cumsum", "dot", "add", "subtract", "multiply", "abs")),
        ("method", ("sum", "prod", "cumsum", "dot")),
    )
    for name in names
)


def _unending(value: Any) -> Any:
    """Return whole numbers of NumPy as those of Python."""
    if isinstance(value, np.integer | np.bool_):
        return int(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biu":
        return np.array([int(v) for v in value.ravel()], dtype=object).reshape(value.shape)
    return value
