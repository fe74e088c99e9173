"""Calls of library functions, by the table of names."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.core import names
from dpaudit.core.lowering.values import Column, Const, Filtered, Items, Outer, Ref, Repeated
from dpaudit.formal.lifting.known import is_plain, may_call
from dpaudit.formal.running import implementation

if TYPE_CHECKING:
    from dpaudit.core.lowering.expressions import Evaluator

MOST_ENTRIES = 512
RECORDS = ("rows", "list", "record")
EXPRESSED = frozenset(
    {"add", "sub", "mul", "div", "neg", "pos", "pow", "exp", "log", "sqrt", "expm1"}
)
NUMBERS = (int, float, np.float64, np.int64)


def is_rows(value: Any) -> bool:
    """Whether a value is one for every record."""
    return isinstance(value, Ref) and value.shape in RECORDS


def is_single(value: Any) -> bool:
    """Whether a value is one number, for sure."""
    if isinstance(value, Ref):
        return value.shape == "scalar"
    return isinstance(value, Const) and isinstance(value.value, (*NUMBERS, bool))


def apply(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Return what a library function gives."""
    everything = [*args, *keywords.values()]
    if all(isinstance(value, Const) for value in everything):
        return constant(on, name, args, keywords)
    prim = names.PRIMITIVES.get(name)
    if prim is not None and not keywords:
        if (joined := _sequences(name, args)) is not None:
            return joined
        return broadcast(on, prim, args)
    for table, special in _SPECIAL:
        if name in table:
            found = special(on, name, args, keywords)
            if found is not None:
                return found
    if name in names.POST:
        return post(on, name, args, keywords)
    raise on.path.refuse(f"{name} of what the program computes")


def post(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Return what a function gives that is known for released values alone."""
    values = [*args, *keywords.values()]
    others = values if name in names.SEVERAL else values[1:]
    single = all(isinstance(value, Const | Ref) for value in others)
    if any(is_rows(value) for value in values) or set(keywords) - names.OPTIONS:
        raise on.path.refuse(f"{name} of the records, or with such options")
    if not single and name not in names.SEVERAL:
        raise on.path.refuse(f"{name} of several containers")
    arrays = [v for v in others if isinstance(v, Const) and isinstance(v.value, np.ndarray)]
    if arrays and name not in names.SEVERAL:
        raise on.path.refuse(f"{name} of several arrays")
    for value in values:
        on.freeze(value)
    return Ref(on.path.let("known", values, (name, tuple(keywords))), "opaque")


def constant(on: Evaluator, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """Return what a function gives of constants, as an expression where it is arithmetic."""
    values = [arg.value for arg in args]
    named = {key: value.value for key, value in keywords.items()}
    function = implementation(name)
    if function is None or not may_call(name, [*values, *named.values()]):
        raise on.path.refuse(f"{name} of constants")
    if names.OUTPUTS & set(named):
        raise on.path.refuse(f"{name} with an output of its own")
    before = [copy.deepcopy(value) for value in values]
    with np.errstate(all="ignore"):
        try:
            value = function(*before, **named)
        except Exception as error:
            raise on.path.refuse(f"{name} of constants raises {type(error).__name__}") from None
    if any(_bits(old) != _bits(new) for old, new in zip(values, before, strict=True)):
        raise on.path.refuse(f"{name}, which changes what it is given")
    if name in names.BOUNDS or name in names.CASTS or names.PRIMITIVES.get(name) in ("pos", "abs"):
        for arg in args:
            if type(value) in NUMBERS and type(arg.value) is type(value) and (
                repr(arg.value) == repr(value)
            ):  # fmt: skip
                return arg
    prim, numbers = names.PRIMITIVES.get(name), (value, *values)
    expressed = prim in EXPRESSED and not named and all(type(v) in NUMBERS for v in numbers)
    if expressed and prim and any(type(v) not in (int, np.int64) for v in numbers):
        return Const(value, on.path.let(prim, args, (value,)))
    return held(on, value, name)


def _bits(value: Any) -> Any:
    return value.tobytes() if isinstance(value, np.ndarray) else repr(value)


def held(on: Evaluator, value: Any, name: str = "") -> Any:
    """Return a value that was computed: a list that is new, and arrays of zeros, may be changed."""
    if type(value) is list and name in names.FRESH:
        return Items("list", [Const(entry) for entry in value])
    vector = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == np.float64
    if vector and name in names.FILLED and value.size <= MOST_ENTRIES:
        return Items("array", [Const(entry) for entry in value], floats=True)
    if hasattr(value, "__next__") or not is_plain(value):
        raise on.path.refuse(f"a {type(value).__name__} that {name} gives")
    return Const(value)


def broadcast(on: Evaluator, prim: str, args: Sequence[Any]) -> Any:
    """Return a primitive of numbers, of arrays entry by entry, or of every record."""
    columns = [arg for arg in args if isinstance(arg, Column)]
    if columns and len(columns) == 1 and len(args) == 2:
        return _outer(on, prim, args, columns[0])
    if any(isinstance(arg, Items) for arg in args):
        if any(isinstance(arg, Ref) and arg.shape == "opaque" for arg in args):
            raise on.path.refuse("an array with what may be another array")
        arrays = [_entries(on, arg) for arg in args]
        lengths = {len(each) for each in arrays if each is not None}
        if len(lengths - {1}) > 1 or max(lengths) > MOST_ENTRIES:
            raise on.path.refuse("arrays of different lengths")
        length = max(lengths - {1}, default=1) if 0 not in lengths else 0
        rows = [
            [arg if each is None else each[0 if len(each) == 1 else place]
             for arg, each in zip(args, arrays, strict=True)]
            for place in range(length)
        ]  # fmt: skip
        return Items("array", [element(on, prim, row) for row in rows])
    return element(on, prim, args)


def _entries(on: Evaluator, arg: Any) -> list[Any] | None:
    """Return the entries of an array, None for a single value."""
    if isinstance(arg, Items) and arg.kind == "array":
        return arg.items
    if isinstance(arg, Const) and isinstance(arg.value, np.ndarray):
        if arg.value.ndim != 1:
            raise on.path.refuse("an array of several dimensions")
        return [Const(entry) for entry in arg.value]
    if isinstance(arg, Const | Ref) and not is_rows(arg):
        return None
    raise on.path.refuse("arithmetic of containers")


_BY_NAME = {prim: name for name, prim in names.PRIMITIVES.items() if name.startswith("operator.")}


def element(on: Evaluator, prim: str, args: Sequence[Any], fields: tuple[Any, ...] = ()) -> Any:
    """Return a primitive of single values, or of values of every record."""
    if all(isinstance(arg, Const) for arg in args) and prim in _BY_NAME and not fields:
        return constant(on, _BY_NAME[prim], args, {})
    for arg in args:
        arrays = isinstance(arg, Const) and not isinstance(arg.value, (*NUMBERS, str, bool))
        if not isinstance(arg, Const | Ref) or arrays:
            raise on.path.refuse(f"{prim} of such values")
    shapes = {arg.shape for arg in args if isinstance(arg, Ref)}
    if "table" in shapes or ("list" in shapes):
        raise on.path.refuse(f"{prim} of a list or a table")
    single = shapes & {"scalar", "opaque"}
    if len(shapes & {"rows", "record"}) > 1 or (single and shapes - single):
        raise on.path.refuse(f"{prim} of the records and of what the program computed")
    if prim in names.MIRRORED and isinstance(args[0], Const):
        prim, args = names.MIRRORED[prim], [args[1], args[0]]
    shape: Any = next(iter(shapes - {"scalar"}), "scalar")  # opaque where anything is
    return Ref(on.path.let(prim, args, fields), shape)


def _outer(on: Evaluator, prim: str, args: Sequence[Any], column: Column) -> Any:
    other = args[1] if args[0] is column else args[0]
    if not isinstance(other, Const) or not isinstance(other.value, np.ndarray):
        raise on.path.refuse("a column with what is no array of constants")
    if other.value.ndim != 1 or len(other.value) > MOST_ENTRIES:
        raise on.path.refuse("a column with an array of several dimensions")
    pairs = [[column.rows if arg is column else Const(entry) for arg in args]
             for entry in other.value]  # fmt: skip
    return Outer(tuple(element(on, prim, pair) for pair in pairs))


def _sequences(name: str, args: list[Any]) -> Any:
    """Return lists and tuples that are put together, None for anything else."""
    both = all(isinstance(arg, Items) for arg in args)
    if name == "operator.add" and both and args[0].kind == args[1].kind in ("list", "tuple"):
        return Items(args[0].kind, [*args[0].items, *args[1].items])
    if name == "operator.mul" and isinstance(args[0], Items) and isinstance(args[1], Const):
        times = args[1].value if type(args[1].value) is int else MOST_ENTRIES + 1
        if args[0].kind in ("list", "tuple") and times * len(args[0].items) <= MOST_ENTRIES:
            return Items(args[0].kind, args[0].items * max(0, times))
    return None


# --- functions with a way of their own; None where the arguments are not of their kind


def _bounds(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    prim, policy = names.BOUNDS[name]
    if keywords or len(args) < 2 or any(not isinstance(arg, Const | Ref | Items) for arg in args):
        return None
    found = args[0]
    for arg in args[1:] if policy == "first" else args[1:2]:
        if isinstance(found, Const) and isinstance(arg, Const):
            found = constant(on, name, [found, arg], {})
        else:
            found = _bounded(on, prim, policy, found, arg)
    return found


def _bounded(on: Evaluator, prim: str, policy: str, one: Any, two: Any) -> Any:
    if policy == "first" and any(isinstance(v, Ref) and v.shape == "rows" for v in (one, two)):
        raise on.path.refuse("the smaller or larger of arrays, as Python has it")
    if isinstance(one, Items) or isinstance(two, Items):
        if any(isinstance(v, Ref) and v.shape == "opaque" for v in (one, two)):
            raise on.path.refuse("an array with what may be another array")
        rows = [_entries(on, arg) for arg in (one, two)]
        length = max(len(each) for each in rows if each is not None)
        if policy == "first" or any(each is not None and len(each) != length for each in rows):
            raise on.path.refuse("the smaller or larger of arrays")
        pairs = [
            [
                arg if each is None else each[place]
                for arg, each in zip((one, two), rows, strict=True)
            ]
            for place in range(length)
        ]
        return Items("array", [_bounded(on, prim, policy, *pair) for pair in pairs])
    if isinstance(one, Const) and isinstance(two, Const):
        return constant(on, f"numpy.{prim}", [one, two], {})
    return element(on, prim, [one, two], (policy,))


def _clip(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    words = {"min": "low", "max": "high", "a_min": "low", "a_max": "high"}
    ends = dict(zip(("low", "high"), args[1:], strict=False))
    for key, value in keywords.items():
        if key not in words or words[key] in ends:
            return None
        ends[words[key]] = value
    found = args[0]
    for prim, end in (("maximum", ends.get("low")), ("minimum", ends.get("high"))):
        if end is not None and not (isinstance(end, Const) and end.value is None):
            found = _bounded(on, prim, "propagate", found, end)
    return found


def _axis(keywords: dict[str, Any]) -> Any:
    """Return the axis along which to reduce, a mark where other options are given."""
    if any(key != "axis" or not isinstance(v, Const) for key, v in keywords.items()):
        return "options"
    return keywords["axis"].value if keywords else None


def _sum(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    axis = _axis(keywords)
    if len(args) != 1 or axis not in (None, 0):
        return None
    value = args[0]
    if isinstance(value, Outer) and axis == 0 and name != "builtins.sum":
        return Items("array", [Ref(on.path.let("sum", [rows])) for rows in value.rows])
    if isinstance(value, Repeated) and name == "builtins.sum":
        if type(value.value.value) is not int:
            return None
        return element(on, "mul", [Ref(on.path.let("len", [value.rows])), value.value])
    if is_rows(value) and axis is None and value.shape != "record":
        if name != "builtins.sum" and value.shape == "list":
            return None
        return Ref(on.path.let("sum", [value]))
    flat = name == "builtins.sum" or all(is_single(item) for item in getattr(value, "items", ()))
    if isinstance(value, Items) and value.kind != "dict" and value.items and axis is None and flat:
        found: Any = Const(0) if name == "builtins.sum" else value.items[0]
        for item in value.items if name == "builtins.sum" else value.items[1:]:
            found = broadcast(on, "add", [found, item])
        return found
    return None


def _mean(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 1 or keywords or not is_rows(args[0]) or args[0].shape != "rows":
        return None
    return element(on, "div", [Ref(on.path.let("sum", args)), Ref(on.path.let("len", args))])


def _nonzero(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    axis = _axis(keywords)
    if isinstance(args[0], Outer) and axis == 0 and len(args) == 1:
        return Items("array", [Ref(on.path.let("sum", [_truth(on, r)])) for r in args[0].rows])
    if is_rows(args[0]) and args[0].shape == "rows" and axis is None and len(args) == 1:
        return Ref(on.path.let("sum", [_truth(on, args[0])]))
    return None


def _truth(on: Evaluator, rows: Ref) -> Ref:
    """Return whether values of the records are not zero; of truth values that is themselves."""
    if on.path.is_truth(rows.var):
        return rows
    return Ref(on.path.let("ne", [rows, Const(0)]), rows.shape)


def _length(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 1 or keywords:
        return None
    value = args[0]
    if isinstance(value, Items) and (name == "builtins.len" or value.kind == "array"):
        return Const(len(value.items))
    if isinstance(value, Filtered):
        value = on.field(value, None)
    if isinstance(value, Repeated):
        value = value.rows
    if isinstance(value, Ref) and value.shape in ("rows", "list", "table"):
        found = Ref(on.path.let("len", [value]))
        return Const(on.data.size, found.var) if value.var == 0 and on.data.size else found
    return None


def _where(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 3 or keywords or not is_rows(args[0]):
        return None
    return element(on, "where", args)


def _buckets(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    digitize = name.endswith("digitize")
    rest = dict(zip(("right" if digitize else "side",), args[2:], strict=False)) | keywords
    if len(args) < 2 or set(rest) - {"right" if digitize else "side"}:
        return None
    edges, rows = (args[1], args[0]) if digitize else (args[0], args[1])
    side = next(iter(rest.values()), Const(False if digitize else "left"))
    if not isinstance(side, Const) or not is_rows(rows) or rows.shape != "rows":
        return None
    where = ("left" if side.value else "right") if digitize else side.value
    return Ref(on.path.let("buckets", [rows], (_constants(on, edges), where)), "rows")


def _constants(on: Evaluator, value: Any) -> tuple[Any, ...]:
    """Return the numbers of an array or list of constants."""
    entries = on.entries(value)
    if any(not isinstance(entry, Const) for entry in entries):
        raise on.path.refuse("edges that the program computes")
    return tuple(entry.value for entry in entries)


def _bincount(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 1 or set(keywords) != {"minlength"} or not is_rows(args[0]):
        return None
    length = keywords["minlength"]
    if not isinstance(length, Const) or type(length.value) is not int or args[0].shape != "rows":
        return None
    if not 0 < length.value <= MOST_ENTRIES:
        return None
    on.path.let("within", args, (0, length.value - 1))
    masks = [element(on, "eq", [args[0], Const(key)]) for key in range(length.value)]
    return Items("array", [Ref(on.path.let("sum", [mask])) for mask in masks])


def _histogram(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    bins = keywords.get("bins", args[1] if len(args) == 2 else None)
    if set(keywords) - {"bins"} or not is_rows(args[0]) or args[0].shape != "rows":
        return None
    if not isinstance(bins, Items) and not (
        isinstance(bins, Const) and isinstance(bins.value, np.ndarray | list | tuple)
    ):
        return None
    edges = _constants(on, bins)
    if len(edges) < 2 or any(not a < b for a, b in pairwise(edges)):
        return None
    counts = []
    for place, (low, high) in enumerate(pairwise(edges)):
        last = place == len(edges) - 2
        above = element(on, "ge", [args[0], Const(low)])
        below = element(on, "le" if last else "lt", [args[0], Const(high)])
        counts.append(Ref(on.path.let("sum", [element(on, "and", [above, below])])))
    return Items("tuple", [Items("array", counts), bins])


def _array(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    to = keywords.get("dtype", args[1] if len(args) == 2 else None)
    if set(keywords) - {"dtype"} or len(args) > 2:
        return None
    value = args[0]
    if is_rows(value) and value.shape == "list":
        value = Ref(on.path.let("cast", [value], ("array",)), "rows")
    elif isinstance(value, Items):
        if value.kind == "dict" or not all(is_single(item) for item in value.items):
            return None
        if name.endswith("asarray") and value.kind == "array":
            return value if to is None else None
        if to is None:
            return Items("array", list(value.items))
        return Items("array", [on.cast(_dtype(on, to), item) for item in value.items])
    elif not is_rows(value) or value.shape != "rows":
        return None
    return value if to is None else on.cast(_dtype(on, to), value)


def _dtype(on: Evaluator, to: Any) -> str:
    found = to.value if isinstance(to, Const) else None
    if found in (float, np.float64, "float", "float64"):
        return "float"
    if found in (int, np.int64, "int", "int64"):
        return "int"
    raise on.path.refuse("numbers of another type")


def _copy(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 1:
        return None
    if isinstance(args[0], Items):
        return Items(args[0].kind, list(args[0].items), list(args[0].keys), floats=args[0].floats)
    return args[0] if is_rows(args[0]) else None


def _cast(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 1 or keywords or not isinstance(args[0], Ref):
        return None
    if args[0].shape not in ("scalar", "opaque", "record"):
        return None
    return on.cast(names.CASTS[name], args[0])


def _typed(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 2 or keywords or not is_rows(args[0]) or args[0].shape != "rows":
        return None
    return on.cast(_dtype(on, args[1]), args[0])


def _filled(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if name != "numpy.full" or len(args) != 2 or keywords or not isinstance(args[0], Const):
        return None
    if type(args[0].value) is not int or not 0 <= args[0].value <= MOST_ENTRIES:
        return None
    return Items("array", [args[1]] * args[0].value) if is_single(args[1]) else None


def _identity(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    nothing = any(isinstance(arg, Const) and arg.value is None for arg in args)
    if nothing and all(isinstance(arg, Const | Ref | Items) for arg in args):
        return Const(name != "operator.is_")
    return None


def _append(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 2 or keywords or not isinstance(args[0], Items) or args[0].kind != "list":
        return None
    on.changes()
    if args[0].locked:
        raise on.path.refuse("a change in place of what another holds")
    args[0].items += on.entries(args[1]) if name == names.EXTEND else [args[1]]
    return Const(None)


def _view(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 1 or keywords or not isinstance(args[0], Items) or args[0].kind != "dict":
        return None
    args[0].fixed = True
    keys, items = [Const(key) for key in args[0].keys], list(args[0].items)
    pairs: list[Any] = [Items("tuple", [k, v]) for k, v in zip(keys, items, strict=True)]
    return Items("tuple", {"items": pairs, "keys": keys, "values": items}[names.VIEWS[name]])


def _structure(on: Evaluator, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    word = name.rpartition(".")[2]
    if word == "dict" and not args:
        return Items("dict", list(keywords.values()), list(keywords))
    if (keywords and not (word == "zip" and set(keywords) == {"strict"})) or not args:
        return None
    if word == "range" or any(is_rows(arg) for arg in args):
        return None
    lists = [on.entries(arg) for arg in args]
    if word in ("zip", "enumerate", "reversed"):
        for arg in args:
            if isinstance(arg, Items):
                arg.fixed = True
    if word == "zip":
        short = min(map(len, lists))
        return Items("tuple", [Items("tuple", [each[i] for each in lists]) for i in range(short)])
    if len(lists) != 1:
        return None
    if word == "enumerate":
        return Items("tuple", [Items("tuple", [Const(i), v]) for i, v in enumerate(lists[0])])
    ordered = lists[0][::-1] if word == "reversed" else lists[0]
    return Items("list" if word == "list" else "tuple", list(ordered))


Special = Callable[[Any, str, list[Any], dict[str, Any]], Any]
_SPECIAL: tuple[tuple[Any, Special], ...] = (
    (names.BOUNDS, _bounds), (names.CLIPS, _clip), (names.SUMS, _sum), (names.MEANS, _mean),
    (names.NONZERO, _nonzero), (names.LENGTHS, _length), (names.WHERE, _where),
    (names.BUCKETS, _buckets), (names.BINCOUNTS, _bincount), (names.HISTOGRAMS, _histogram),
    (names.ARRAYS, _array), (names.COPIES, _copy), (names.CASTS, _cast), (names.TYPED, _typed),
    (names.FILLED, _filled), (names.IDENTITIES, _identity),
    (frozenset({names.APPEND, names.EXTEND}), _append), (names.VIEWS, _view),
    (names.STRUCTURES, _structure),
)  # fmt: skip
