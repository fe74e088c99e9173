"""Object arrays: functions that NumPy itself applies to the scalars of two runs.

An array here is one of objects, in the memory that NumPy gives it. So what moves entries, and
computes with none, is NumPy's own function: the form of what it returns, and what memory that
shares, is what it is in the program. What adds, subtracts and multiplies entries is NumPy's own
too, on entries of which these operators are the checker's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dpaudit.checker.cost.arithmetic import binary
from dpaudit.checker.cost.arrays import (
    MOST_ENTRIES,
    Arr,
    known_index,
    mapped,
    result_type,
    stored,
)
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import RANK
from dpaudit.checker.wording import described

_KINDS = (*RANK, "str")
_MOVING_WORDS = """
array_split atleast_1d atleast_2d atleast_3d broadcast_to column_stack concatenate diag
diagflat diagonal dsplit dstack expand_dims flip fliplr flipud hsplit hstack moveaxis ravel repeat
reshape roll rot90 split squeeze stack swapaxes take tile transpose tril triu vsplit vstack
"""
_MOVING_METHODS = "copy diagonal flatten ravel repeat reshape squeeze swapaxes take transpose"
_COMPUTING_WORDS = "cumprod cumsum diff prod trace"
_OF_TWO_WORDS = "add.outer convolve inner kron multiply.outer outer subtract.outer tensordot vdot"


class _Entry:
    """A scalar of two runs, with the operators that NumPy asks objects for."""

    __slots__ = ("run", "value")

    def __init__(self, run: Run, value: Any) -> None:
        self.run, self.value = run, value

    def _binary(self, name: str, a: Any, b: Any) -> _Entry:
        a, b = (each.value if isinstance(each, _Entry) else each for each in (a, b))
        return _Entry(self.run, binary(self.run, name, a, b))

    def __add__(self, other: Any) -> _Entry:
        return self._binary("add", self, other)

    def __radd__(self, other: Any) -> _Entry:
        return self._binary("add", other, self)

    def __sub__(self, other: Any) -> _Entry:
        return self._binary("sub", self, other)

    def __mul__(self, other: Any) -> _Entry:
        return self._binary("mul", self, other)

    def __rmul__(self, other: Any) -> _Entry:
        return self._binary("mul", other, self)

    def conjugate(self) -> _Entry:
        """Return the number itself."""
        return self


def _cells(run: Run, value: Any, types: list[str]) -> Any:
    """Return arrays as NumPy takes them, and note their types."""
    from dpaudit.checker.cost.array_functions import asarray

    if isinstance(value, list | tuple) and any(isinstance(part, Arr) for part in value):
        return [_cells(run, part, types) for part in value]
    array = value if isinstance(value, Arr) else asarray(run, value)
    if not isinstance(array, Arr):
        raise run.refused(f"an array made of {described(value)}")
    types.append(array.dtype)
    return array.cells


def _setting(run: Run, value: Any) -> Any:
    """Return an argument that says how: an axis, a shape, places."""
    if isinstance(value, list | tuple):
        return tuple(_setting(run, part) for part in value)
    known = known_index(value) if isinstance(value, Arr) else value
    if value is not None and (known is None or not isinstance(known, int | str | np.ndarray)):
        raise run.refused("an array of which the form is not known")
    return known


def _made(run: Run, value: Any, dtype: str) -> Any:
    """Return what NumPy returned: arrays, in their memory, or entries."""
    if isinstance(value, list | tuple):
        return [_made(run, part, dtype) for part in value]
    if not isinstance(value, np.ndarray):
        return value.value if isinstance(value, _Entry) else stored(run, value, dtype)
    if value.size > MOST_ENTRIES:
        raise run.refused("an array of very many entries")
    others = () if dtype == "int" else (int,)  # the zeros of `triu`
    if any(isinstance(entry, _Entry) or type(entry) in others for entry in value.flat):
        value = mapped(lambda entry: _made(run, entry, dtype), value)
    return Arr(value, dtype)


def _applied(function: Callable[..., Any], arrays: int, *, computes: bool) -> Callable[..., Any]:
    """Return a function of NumPy's whose first arguments are arrays, and whose others say how."""

    def apply(run: Run, *args: Any, **named: Any) -> Any:
        types: list[str] = []
        cells = [_cells(run, value, types) for value in args[:arrays]]
        others = [_setting(run, value) for value in args[arrays:]]
        settings = {name: _setting(run, value) for name, value in named.items()}
        if len(args) < arrays or not types:
            raise run.refused("an array of which the entries are not known")
        dtype = result_type(run, "add", types) if computes else max(types, key=_KINDS.index)
        if "str" in types and set(types) != {"str"}:
            raise run.refused("texts and numbers in one array")
        if computes:
            cells = [mapped(partial(_Entry, run), each) for each in cells]
        elif len(set(types)) > 1:
            cells = [[mapped(lambda v: stored(run, v, dtype), each) for each in c] for c in cells]
        return _made(run, function(*cells, *others, **settings), dtype)

    return apply


def _functions() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    for words, arrays, computes in (
        (_MOVING_WORDS, 1, False),
        (_COMPUTING_WORDS, 1, True),
        (_OF_TWO_WORDS, 2, True),
    ):
        for word in words.split():
            function: Any = np
            for part in word.split("."):
                function = getattr(function, part)
            found[f"numpy.{word}"] = _applied(function, arrays, computes=computes)
    for word in _MOVING_METHODS.split():
        method = getattr(np.ndarray, word)
        found[f"method.{word}"] = _applied(method, 1, computes=False)
    for word in ("cumprod", "cumsum", "prod", "trace"):
        found[f"method.{word}"] = found[f"numpy.{word}"]
    return found


FUNCTIONS = _functions()
