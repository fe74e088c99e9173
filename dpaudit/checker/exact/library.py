"""What the names of a program stand for where its numbers are exact and its draws fork."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from dpaudit.checker.exact import plain
from dpaudit.checker.exact.lazy_value import Draws, Undecided, applied, like, typed
from dpaudit.checker.exact.shims import BUILTINS, Math, NumPy, divided, raised
from dpaudit.checker.file import NotCheckedError


def named(name: str) -> Callable[..., Any]:
    """Return what a canonical name stands for.

    Raises
    ------
    NotCheckedError
        Where that is not known to be a function of its arguments alone, or rounds.
    """
    return plain.named(name, _OWN, _NUMPY, _MATH)


def _in_place(function: Callable[..., Any], one: Any, other: Any) -> Any:
    """Return ``one op= other``: arrays are changed where they are."""
    found = function(one, other)
    if not isinstance(one, np.ndarray):
        return found
    if one.dtype != object or np.shape(found) != one.shape:
        raise NotCheckedError("not checked: quotients or powers written into an array")
    one[...] = found
    return one


def _searched(among: Any, sought: Any, side: str = "left") -> Any:
    """Return where numbers belong in an order; what is undecided stays so."""
    held, wanted = np.asarray(among), np.asarray(sought)
    if held.dtype != object and wanted.dtype != object:
        return held.searchsorted(wanted, side=side)  # type: ignore[call-overload]
    places = held.tolist()
    if held.ndim != 1 or any(isinstance(at, Undecided) for at in places):
        raise NotCheckedError("not checked: a search in an order that depends on draws")
    if not all(one <= other for one, other in pairwise(places)):
        raise NotCheckedError("not checked: a search in what is not in order")
    found = partial(bisect_right if side == "right" else bisect_left, places)
    if isinstance(sought, Draws):
        return like(wanted.shape, [_counted(applied(found, one)) for one in wanted.flat])
    if not wanted.ndim:
        return found(wanted.item())
    return np.array([found(one) for one in wanted.flat], dtype=int).reshape(wanted.shape)


def _identical(one: Any, other: Any) -> bool:
    """Return whether two things are one."""
    if isinstance(one, Undecided) or isinstance(other, Undecided):
        raise NotCheckedError("not checked: what depends on draws and something else as one thing")
    return plain.itself(one) is plain.itself(other)


def _counted(value: Any) -> Any:
    if isinstance(value, Undecided):
        value.counts = True
    return value


_NUMPY, _MATH = NumPy(), Math()
_OWN: dict[str, Callable[..., Any]] = {
    **{f"builtins.{word}": function for word, function in BUILTINS.items()},  # type: ignore[misc]
    "operator.is_": _identical,
    "operator.is_not": lambda one, other: not _identical(one, other),
    "operator.truediv": divided,
    "operator.pow": raised,
    "operator.itruediv": partial(_in_place, divided),
    "operator.ipow": partial(_in_place, raised),
    "method.astype": typed,
    "method.searchsorted": _searched,
    "numpy.searchsorted": _searched,
}
