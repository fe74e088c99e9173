"""Lending: which names may hold one array, or arrays that share memory.

What is changed in an array is changed under all of these names, and for the caller who lent it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dpaudit.floats.values import Groups, Many, Num, Rows, Table, Thing

Node = dict[str, Any]
Shared = dict[str, frozenset[str]]
_VIEWS_WORDS = """
asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray asmatrix atleast_1d
atleast_2d atleast_3d array_split as_strided broadcast_arrays broadcast_to call diag diagonal dsplit
expand_dims flip fliplr flipud get getitem hsplit imag items iterrows itertuples matrix_transpose
moveaxis nan_to_num nditer permute_dims pop popitem ravel real require reshape rollaxis rot90
setdefault sliding_window_view split squeeze swapaxes to_numpy transpose trim_zeros unstack values
view vsplit
"""
_VIEWS = frozenset(_VIEWS_WORDS.split())
_MAKING = frozenset({"numpy", "math", "operator", "method"})  # new arrays, by all other functions
_GIVEN_BACK = frozenset({"copy", "out"})  # keywords of functions that may return an argument


def names(node: Any, returned: dict[int, set[str]]) -> set[str]:
    """Return the names with which a value may share memory.

    Parameters
    ----------
    node : dict
        The expression.
    returned : dict of int to set of str
        The same, of calls of the program's functions.
    """
    if isinstance(node, list):
        return {name for item in node for name in names(item, returned)}
    match node:
        case {"kind": "Name", "id": name}:
            return {str(name)}
        case {"kind": "Subscript" | "Attribute" | "Starred", "value": value}:
            return names(value, returned)
        case {"kind": "Choice", "yes": yes, "no": no}:
            return names([yes, no], returned)
        case {"kind": "Call", "function": str(function), "keywords": words}:
            library, _, word = function.partition(".")
            shares = word.rpartition(".")[2] in _VIEWS or _GIVEN_BACK & dict(words).keys()
            if library in _MAKING and not shares:
                return set()
        case {"kind": "Call"} if id(node) in returned:
            return returned[id(node)]
        case {"kind": "Slice"}:
            return set()
    inside = node.items() if isinstance(node, dict) else ()
    return {name for key, value in inside if key != "place" for name in names(value, returned)}


def together(shared: Shared, found: Iterable[str]) -> None:
    """Note that arrays under some names may share memory."""
    whole = frozenset(found)
    whole = whole.union(*(shared[name] for name in whole if name in shared))
    shared.update(dict.fromkeys(whole, whole))


def arrays(value: Any) -> Iterator[Num]:
    """Yield the arrays in a value."""
    if isinstance(value, Num) and not value.scalar:
        yield value
    for item in _inside(value):
        yield from arrays(item)


def holds(value: Any) -> bool:
    """Return whether a value may hold an array, or is a function that may return one."""
    if isinstance(value, Num):
        return not value.scalar
    if isinstance(value, Many | Table | Rows | Groups):
        return any(map(holds, _inside(value)))
    return value is not None and not isinstance(value, Thing)


def _inside(value: Any) -> list[Any]:
    if isinstance(value, Many):
        return value.items
    if isinstance(value, Table):
        return [*value.columns.values(), value.rest]
    if isinstance(value, Rows):
        return [value.item]
    return [value.of] if isinstance(value, Groups) else []
