"""What is computed from values that both runs hold alike: both runs hold that alike too.

Post-processing of what was released costs nothing (Dwork & Roth 2014, Proposition 2.1), whatever
function it is. What has to be known of the function is that its result shares no memory with a list
or an array that the program may still change: else later changes of that would be changes of what
is taken here for a value that both runs hold alike. Noise that was not seen yet is shown first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dpaudit.checker.cost.apart import is_point
from dpaudit.checker.cost.arrays import (
    MOST_ENTRIES,
    Arr,
    cells_of,
    is_shared,
    known_index,
    shown_cells,
)
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.labelled import Labelled
from dpaudit.checker.cost.noise import shown
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sheets import Sheet, placed
from dpaudit.checker.cost.values import LENT, SHARED, Shared, parts_of
from dpaudit.checker.exact.plain import is_plain
from dpaudit.checker.pure import is_of_values, is_ufunc, marked, marks
from dpaudit.checker.writing import IN_PLACE, READS, first_output, resolved

_NEVER = IN_PLACE | marked("unshared")
_VIEWS = marked("view")
_AT_ONCE = marked("at_once")
_METHODS_WORDS = """
abs add argpartition capitalize corr cov cummax cummin explode first isalnum isalpha isnumeric kurt
last ljust pct_change pow rename_axis rjust rpartition sem set_axis skew sort_index to_csv to_frame
to_html to_json to_markdown to_records to_string truediv truncate
"""
_METHODS = READS | frozenset(_METHODS_WORDS.split())
_LIVE = frozenset({"get", "items", "keys", "values"})  # of dicts: what they hold, as it is
_SMALL = 200  # of the sizes of arrays that are made
_TO = ("out", "inplace", "overwrite", "copy")
_KEEP_NOTHING = ("numpy.", "math.", "statistics.", "json.")
_KEEP_NO_LIST = ("operator.", "bisect.", "collections.", "pandas.")  # but what lists hold, as it is


def of_shared(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """Return a function of what both runs share, None where it is none."""
    library, _, word = name.partition(".")
    if library == "draw":  # the same in both runs, from the same coins
        plain = word != "shuffle" and named.get("out") is None
        plain = plain and not any(map(_holds, named.values()))
        return SHARED if plain and all(is_alike(run, value) for value in named.values()) else None
    given = [*args, *named.values()]
    if run.lane is not None or any(key.startswith(_TO) for key in named):
        return None
    if not _is_known(name, args, given) or not all(is_alike(run, value) for value in given):
        return None
    if name == "pandas.DataFrame":  # which copies what a dict or a list holds
        given = [value for value in given if isinstance(value, Arr)]
    if name in _VIEWS or not (name.startswith(_KEEP_NOTHING) and (marks(name) or is_ufunc(name))):
        run.held.extend(_memory(given))
    return SHARED


def of_integers(name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """Return what NumPy or SciPy makes of known small integers, None where it is none.

    Integers are what they are in both runs and on any machine, and no float is near them.
    """
    library = name.partition(".")[0]
    if library not in ("numpy", "scipy") or name in _NEVER:
        return None
    given = [_integers(value) for value in (*args, *named.values())]
    if not given or any(value is NotImplemented for value in given):
        return None
    if not (is_plain(name) or is_of_values(name)) or len(args) > first_output(name, method=False):
        return None
    if any(key.startswith(_TO) for key in named):
        return None
    try:
        found = resolved(name)(
            *given[: len(args)], **dict(zip(named, given[len(args) :], strict=True))
        )
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError):
        return None
    arrays = [value for value in given if isinstance(value, np.ndarray)]
    own = not any(np.may_share_memory(a, f) for a in arrays for f in _arrays(found))
    return _as_known(found, {}) if own else None


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [array for part in value for array in _arrays(part)]
    return [value] if isinstance(value, np.ndarray) else []


def _integers(value: Any) -> Any:
    """Return known small integers as NumPy takes them, NotImplemented for anything else."""
    if isinstance(value, list | tuple):
        parts = [_integers(part) for part in value]
        missing = any(part is NotImplemented for part in parts)
        return NotImplemented if missing else tuple(parts) if isinstance(value, tuple) else parts
    if isinstance(value, Arr):
        known = known_index(value)
        return NotImplemented if known is None else known
    small = value is None or (isinstance(value, int) and abs(value) <= _SMALL)
    return value if small else NotImplemented


def _as_known(value: Any, seen: dict[int, Arr]) -> Any:
    """Return arrays of integers of their own memory, and tuples and lists of them."""
    if type(value) in (list, tuple):
        parts = [_as_known(part, seen) for part in value]
        return None if any(part is None for part in parts) else type(value)(parts)
    if not isinstance(value, np.ndarray) or value.dtype not in (np.int64, np.bool_):
        return None
    if not value.flags.owndata or not value.flags.writeable or value.size > MOST_ENTRIES:
        return None
    if id(value) not in seen:
        cells = np.empty(value.shape, dtype=object)
        for at in np.ndindex(*value.shape):
            cells[at] = value[at].item()
        seen[id(value)] = Arr(cells, "bool" if value.dtype == np.bool_ else "int")
    return seen[id(value)]


def takes_up(run: Run, of: Shared, *values: Any) -> bool:
    """Return whether what both runs share may take up values in place: they share these too."""
    return (
        of is not LENT
        and run.lane is None
        and not run.held
        and all(is_alike(run, value) for value in values)
    )


def is_repeated(node: Any) -> bool:
    """Return whether an expression may be evaluated any number of times: it changes nothing."""
    match node:
        case {"kind": "Name" | "Constant" | "Generator"}:
            return True
        case {"kind": "Draw", "arguments": list(given)}:
            return all(is_repeated(value) for _, value in given)
        case {"kind": "Subscript", "value": of, "index": at}:
            return is_repeated(of) and is_repeated(at)
        case {"kind": "Choice", "test": test, "yes": yes, "no": no}:
            return all(map(is_repeated, (test, yes, no)))
        case {"kind": "tuple" | "list", "items": list(items)}:
            return all(map(is_repeated, items))
        case {"kind": "Mapping", "items": list(items)}:
            return all(is_repeated(part) for item in items for part in item)
        case {"kind": "Call", "function": str(name), "arguments": list(args), "keywords": named}:
            pure = is_plain(name) and name not in _NEVER
            pure = pure or is_of_values(name) or name.partition(".")[2] in _METHODS
            return pure and all(map(is_repeated, (*args, *(value for _, value in named))))
    return False


def _is_known(name: str, args: list[Any], given: list[Any]) -> bool:
    """Whether a function changes nothing, and keeps no list or dict that it is given."""
    library, _, word = name.partition(".")
    mutable = [value for value in given if isinstance(value, list | dict)]
    if library == "attribute":
        return len(args) == 1 and isinstance(args[0], Shared) and not word.startswith("_")
    if library == "method":
        of_dict = isinstance(args[0], dict) and word in _LIVE
        writes = len(args) - 1 > first_output(word, method=True)
        return word in _METHODS and not of_dict and not writes and not any(map(_holds, mutable))
    if name in _NEVER or not (is_plain(name) or is_of_values(name)):
        return False
    if library in ("numpy", "scipy") and len(args) > first_output(name, method=False):
        return False
    if name == "pandas.DataFrame":  # which copies rows and columns
        mutable = [part for value in mutable for part in parts_of(value)]
    elif name.startswith(_KEEP_NOTHING):
        return not any(isinstance(p, dict) for v in mutable for p in parts_of(v))
    at_once = name in _AT_ONCE or name.startswith(_KEEP_NO_LIST)
    return not mutable or (at_once and not any(map(_holds, mutable)))


def _holds(value: Any) -> bool:
    """Whether a list, a tuple or a dict holds another list, dict or array."""
    return any(isinstance(part, Arr | list | dict) or _holds(part) for part in parts_of(value))


def _memory(values: list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, Arr):
            yield value.cells
        yield from _memory(parts_of(value))


def is_alike(run: Run, value: Any) -> bool:
    """Whether both runs hold a value alike, once noise that it holds was shown."""
    if isinstance(value, Named | range):
        return True
    if isinstance(value, Labelled):
        return not value.missing and is_alike(run, value.values)
    value = placed(value)
    if isinstance(value, Sheet):
        return all(is_alike(run, column) for column in value.columns.values())
    if isinstance(value, list | tuple | dict):
        return all(is_alike(run, part) for part in parts_of(value))
    value = _shown(run, value)
    return is_shared(value) and not any(map(is_point, cells_of(value).flat))


def _shown(run: Run, value: Any) -> Any:
    if isinstance(value, Arr):
        return Arr(shown_cells(run, value.cells), value.dtype)
    return shown(run, value)
