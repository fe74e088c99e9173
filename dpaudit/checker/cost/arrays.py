"""Arrays of public shape, entry by entry, in the memory that NumPy gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.checker.cost.arithmetic import unary
from dpaudit.checker.cost.noise import Noisy, shown
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.smooth import FUNCTIONS
from dpaudit.checker.cost.values import Sofar, Unknown, Vague, is_common, kind_of
from dpaudit.checker.cost.weights import Total, Weight
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.operators import LOGIC, ORDERS
from dpaudit.checker.wording import described

Cells = Any  # an ndarray of objects
MOST_ENTRIES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Arr:
    """An array.

    Attributes
    ----------
    cells : ndarray of scalars
        Views of one array share memory, as they do in the program.
    dtype : {"float", "int", "bool", "str"}
    """

    cells: Cells
    dtype: str


def filled(shape: tuple[int, ...], make: Callable[[], Any]) -> Cells:
    """Return cells of which each is made anew."""
    cells = np.empty(shape, dtype=object)
    if cells.size > MOST_ENTRIES:
        raise ValueError("an array of very many entries")
    for at in np.ndindex(*shape):
        cells[at] = make()
    return cells


def cell(value: Any) -> Cells:
    """Return a scalar as cells without axes."""
    cells = np.empty((), dtype=object)
    cells[()] = value
    return cells


def cells_of(value: Any) -> Cells:
    """Return the cells of an array or a scalar."""
    return value.cells if isinstance(value, Arr) else cell(value)


def is_shared(value: Any) -> bool:
    """Whether both runs hold the same."""
    if isinstance(value, list | tuple):
        return all(map(is_shared, value))
    if isinstance(value, Arr):
        return all(map(is_shared, value.cells.flat))
    return is_common(value)


def mapped(function: Callable[..., Any], *cells: Cells) -> Cells:
    """Apply a function to each entry of arrays of fitting shapes."""
    shapes = {c.shape for c in cells}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    found = np.empty(shape, dtype=object)
    if found.size > MOST_ENTRIES:
        raise ValueError("an array of very many entries")
    spread = [c.flat if c.shape == shape else np.broadcast_to(c, shape).flat for c in cells]
    for at, entries in zip(np.ndindex(*shape), zip(*spread, strict=True), strict=True):
        found[at] = function(*entries)
    return found


def shown_cells(run: Run, cells: Cells) -> Cells:
    """Return cells of which the noise was shown."""
    return mapped(lambda entry: shown(run, entry), cells)


def made(cells: Cells, dtype: str) -> Any:
    """Return an array, or its only entry where it has no axes, as functions of NumPy do."""
    return Arr(cells, dtype) if cells.ndim else cells[()]


def dtype_of(run: Run, value: Any) -> str:
    """Return the type of the entries of an array or of a scalar."""
    if isinstance(value, Arr):
        return value.dtype
    if isinstance(value, str):
        return "str"
    if isinstance(value, Noisy):
        return "int" if value.whole else "float"
    kind = "float" if isinstance(value, Weight | Total) else _kind(value)
    if kind is None:
        raise run.refused(f"an array of {described(value)}")
    return kind


def _kind(value: Any) -> str | None:
    """Return what kind of number a scalar is, one of a record too."""
    if isinstance(value, Vague):
        return "float"
    return value.kind if isinstance(value, Var) else kind_of(value)


_FLOATS = frozenset(
    ["truediv", "float", "fmean", *FUNCTIONS]
)  # functions whose results are floats, whatever their arguments


def result_type(run: Run, name: str, types: list[str]) -> str:
    """Return the type of the entries of a function of arrays."""
    if name in ORDERS or name in ("not", "isnan", "isfinite"):
        return "bool"
    if "str" in types:
        raise run.refused(f"{name} of texts")
    if name in LOGIC:
        return "bool" if set(types) == {"bool"} else "int"
    if set(types) == {"bool"}:
        raise run.refused("arithmetic of truth values")
    if name in _FLOATS or "float" in types:
        return "float"
    return "int"


def stored(run: Run, value: Any, dtype: str) -> Any:
    """Return a scalar as it is once it lies in an array of a type."""
    if isinstance(value, Noisy):
        whole = value.whole
        if dtype == "float" or (dtype == "int" and whole):
            return value
        raise run.refused(f"a sum with noise in an array of the type {dtype}")
    if isinstance(value, Sofar):
        kinds = (None, "bool", "int", "float")
        added = getattr(value.added, "kind", None) or kind_of(value.added)
        if dtype in kinds and kinds.index(added) <= kinds.index(dtype):
            return value
        raise run.refused(f"a sum of records in an array of the type {dtype}")
    kind = "str" if isinstance(value, str) else _kind(value)
    if kind == dtype or (dtype == "float" and isinstance(value, Weight)):
        return value
    if dtype == "float" and kind in ("int", "bool"):
        return unary(run, "float", value)
    if dtype == "int" and kind == "bool":
        return unary(run, "int", value)
    raise run.refused(f"{kind or type(value).__name__} in an array of the type {dtype}")


def known_index(value: Any) -> Any:
    """Return an index of known integers as NumPy takes it, None where it is none."""
    if isinstance(value, bool | Number | Unknown):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Arr) and value.dtype in ("int", "bool"):
        wanted = bool if value.dtype == "bool" else int
        if all(type(v) is wanted for v in value.cells.flat):
            return np.array(value.cells.tolist(), dtype=wanted).reshape(value.cells.shape)
    return None
