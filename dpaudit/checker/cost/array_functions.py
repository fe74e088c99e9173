"""Functions that make arrays of public shape, change their form, or reduce them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from dpaudit.checker.cost import (
    columns,
    each_run,
    locations,
    matrices,
    object_arrays,
    selection,
    words,
)
from dpaudit.checker.cost.arithmetic import binary, order_told, retold, unary
from dpaudit.checker.cost.arrays import (
    MOST_ENTRIES,
    Arr,
    cells_of,
    dtype_of,
    filled,
    is_shared,
    made,
    mapped,
    shown_cells,
    stored,
)
from dpaudit.checker.cost.compare import compared
from dpaudit.checker.cost.constants import Named, dtype_named
from dpaudit.checker.cost.ends import ZERO, end, least, most
from dpaudit.checker.cost.noise import is_noise, shown
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import (
    Places,
    Rows,
    by_lane,
    counted,
    elementwise,
    holds_records,
    is_untyped,
)
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import MarkedPlaces, sample_size
from dpaudit.checker.cost.values import (
    LENT,
    SHARED,
    Change,
    Group,
    Shared,
    Token,
    Unknown,
    Unset,
    Vague,
    is_known,
    kind_of,
    unknown,
)
from dpaudit.checker.cost.weights import Weight
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.rounding import double_of
from dpaudit.checker.wording import described


def asarray(run: Run, value: Any, dtype: Any = None) -> Any:
    """Return numbers as an array, an array as it is."""
    if isinstance(value, Parts):
        value = _of_parts(run, value)
    if isinstance(value, Rows):
        if value.listed and value.rest and not holds_records(run, value.view):
            raise run.refused("an array of rows, which has no columns where there are no records")
        untyped = dtype is None and is_untyped(run, value)
        run.mixed = run.mixed or untyped
        plain = Rows(value.view, value.lanes, value.dtype, value.last, untyped=untyped)
        alike = dtype is None or dtype_named(dtype) == value.dtype
        return plain if alike else astype(run, plain, dtype)
    if isinstance(value, Arr):
        alike = dtype is None or dtype_named(dtype) == value.dtype
        return value if alike else astype(run, value, dtype)
    return array(run, value, dtype)


def _of_parts(run: Run, value: Parts) -> Rows:
    """Return lists or tuples of numbers, one a record, as rows of one type."""
    parts = [_of_parts(run, c) if isinstance(c, Parts) else c for c in value.columns.values()]
    types = {part.dtype for part in parts}
    if value.of not in ("list", "tuple") or not types <= set(columns.RANK):
        raise run.refused(f"an array of {described(value)}")
    if len({part.rest for part in parts}) > 1:
        raise run.refused("an array of lists of different lengths")
    dtype = max(types, key=columns.RANK.__getitem__)
    alike = [part if part.dtype == dtype else astype(run, part, dtype) for part in parts]

    def lane(which: int) -> Any:
        return np.stack([part.lanes[which] for part in alike])

    untyped = any(part.untyped for part in parts)
    return Rows(value.view, by_lane(run, value.view, lane), dtype, listed=True, untyped=untyped)


def array(run: Run, value: Any, dtype: Any = None, ndmin: Any = 0) -> Any:
    """Return a new array."""
    several = isinstance(value, Arr | Rows | Parts | list)
    if type(ndmin) is not int or ndmin > 1 or (ndmin and not several):
        raise run.refused("an array of this many dimensions")
    if isinstance(value, Rows | Parts):
        return copied(run, asarray(run, value, dtype))
    if isinstance(value, list | tuple) and any(isinstance(item, Rows) for item in value):
        return asarray(run, columns.stacked(run, value), dtype)
    cells, found = _nested(run, value)
    if dtype is not None:
        named = _of_objects(Arr(cells, found)) if _is_object(dtype) else dtype_named(dtype)
        if named is None:
            raise run.refused("an array of this type")
        if columns.RANK.get(found, 9) > columns.RANK[named] and cells.size:
            raise run.refused(f"an array of the type {named} made of {found}")
        found = named
    return Arr(mapped(lambda v: stored(run, v, found), cells), found)


def from_iterator(run: Run, values: Any, dtype: Any = None, count: Any = -1) -> Any:
    """Return an array of the numbers that an iterator goes through."""
    found = array(run, values, dtype)
    if isinstance(found, Arr) and found.cells.ndim == 1 and count in (-1, len(found.cells)):
        return found
    if isinstance(found, Rows) and not found.rest and count == -1:
        return found
    raise run.refused("an array of this many numbers of an iterator")


def _nested(run: Run, value: Any) -> tuple[Any, str]:
    if isinstance(value, Arr):
        return value.cells, value.dtype
    if isinstance(value, list | tuple | range):
        parts = [_nested(run, item) for item in value]
        if not parts:
            return np.empty((0,), dtype=object), "float"
        types = {dtype for _, dtype in parts}
        if len({cells.shape for cells, _ in parts}) > 1:
            raise run.refused("an array of lists of different lengths")
        if "str" in types and len(types) > 1:
            raise run.refused("an array of texts and numbers")
        dtype = "str" if "str" in types else max(types, key=columns.RANK.__getitem__)
        return np.stack([cells for cells, _ in parts]), dtype
    return cells_of(value), dtype_of(run, value)


def astype(run: Run, value: Any, dtype: Any, *, copy: Any = True) -> Any:
    """Return a copy with entries of another type."""
    if copy is not True:
        raise run.refused("a conversion that need not make a copy")
    named = dtype_named(dtype)
    if _is_object(dtype):
        named = _of_objects(value)
    if isinstance(value, Shared) and named is not None:
        return SHARED
    if named == "int" and words.of_words(value):
        return words.signed(run, value)
    if named is None or not isinstance(value, Arr | Rows) or value.dtype not in columns.RANK:
        raise run.refused(f"a conversion of {described(value)} to {named or 'such a type'}")
    if named == "bool" != value.dtype:
        return elementwise(run, "ne", partial(compared, run, "ne"), value, number(0))
    whole = named == "int" and value.dtype == "float" and isinstance(value, Rows)
    if named == "int" and value.dtype == "float" and isinstance(value, Arr):
        entries = shown_cells(run, value.cells)
        if is_shared(Arr(entries, "float")):
            return Arr(mapped(lambda v: Unknown("int"), entries), "int")
        whole = all(isinstance(v, Unknown) and v.whole and v.regular for v in entries.flat)
    if columns.RANK[named] < columns.RANK[value.dtype] and not whole:
        raise run.refused(f"a conversion of {value.dtype} to {named}")
    if isinstance(value, Arr):
        change = partial(unary, run, "int") if whole else lambda v: stored(run, v, named)
        return Arr(mapped(change, value.cells), named)
    from dpaudit.checker.cost.record_columns import by_lane

    def lane(which: int) -> Any:
        return mapped(lambda v: _converted(run, v, value.dtype, named), value.lanes[which])

    return Rows(value.view, by_lane(run, value.view, lane), named, value.last)


def _is_object(dtype: Any) -> bool:
    return isinstance(dtype, Named) and dtype.name == "builtins.object"


def _of_objects(value: Any) -> str | None:
    """Return the type of an array of Python's numbers, whose sums and comparisons are NumPy's.

    What NumPy cannot do with objects raises, but where there are none: so how many there are must
    be public. Where one is NaN, the larger of two numbers is either.
    """
    if not isinstance(value, Arr) or not value.cells.size:
        return None
    bases = [getattr(entry, "base", entry) for entry in value.cells.flat]
    regular = all(getattr(v, "regular", not isinstance(v, float)) for v in bases)
    plain = regular and {kind_of(v) for v in bases} == {value.dtype}
    return value.dtype if plain and value.dtype in ("int", "float") else None


def _converted(run: Run, value: Any, dtype: str, named: str) -> Any:
    return value if dtype == named else unary(run, named, value)


def _shape(run: Run, shape: Any) -> tuple[int, ...]:
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(type(n) is int and n >= 0 for n in sizes):
        raise run.refused("an array of which the shape is not known")
    return tuple(sizes)


def empty(run: Run, shape: Any, dtype: Any = None) -> Any:
    """Return an array of which each entry is put there before it is read."""
    named = "float" if dtype is None else dtype_named(dtype)
    if named is None:
        raise run.refused("an array of this type")
    column = columns.filled_column(shape, Unset(), named)
    if column is not None:
        return columns.Unfilled(column)
    return Arr(filled(_shape(run, shape), Unset), named)


def identity(run: Run, n: Any, dtype: Any = None) -> Arr:
    """Return a square matrix with ones on its diagonal."""
    found: Arr = full(run, (n, n), number(0) if dtype is None else 0, dtype)
    one = stored(run, 1, found.dtype)
    for at in range(len(found.cells)):
        found.cells[at, at] = one
    return found


def alike(make: Any, *entry: Any) -> Any:
    """Return ``zeros_like`` and others: an array of the shape and the type of an array."""

    def made_alike(run: Run, value: Any, *given: Any, dtype: Any = None) -> Any:
        given = (*entry, *given)
        value = asarray(run, value) if isinstance(value, list | tuple) else value
        plain = isinstance(value, Arr) or (isinstance(value, Rows) and not value.untyped)
        if not plain or value.dtype not in columns.RANK:
            raise run.refused(f"an array of the form of {described(value)}")
        return make(run, attribute_shape(run, value), *given, dtype=dtype or value.dtype)

    return made_alike


def full(run: Run, shape: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array of which all entries are one number."""
    if is_noise(value) or isinstance(value, Arr | Rows | list | tuple):
        raise run.refused("an array of one number that is no plain one")
    named = dtype_of(run, value) if dtype is None else dtype_named(dtype)
    if named == "bool" and type(value) is int:
        value = bool(value)
    kind = dtype_of(run, value)
    if named is None or kind not in columns.RANK or columns.RANK[kind] > columns.RANK[named]:
        raise run.refused("an array of this type")
    if is_known(value):
        column = columns.filled_column(shape, stored(run, value, named), named)
        if column is not None:
            return column
    return Arr(filled(_shape(run, shape), lambda: stored(run, value, named)), named)


def arange(run: Run, *ends: Any, step: Any = None, dtype: Any = None) -> Arr:
    """Return numbers in order, floats as NumPy itself rounds them."""
    if step is not None:
        ends = (0, *ends, step) if len(ends) == 1 else (*ends, step)
    if not 1 <= len(ends) <= 3:
        raise run.refused("a range of this kind")
    floats = [exactly(run, end) for end in ends]
    counted = floats if len(floats) > 1 else [0, *floats]
    if abs(counted[1] - counted[0]) > MOST_ENTRIES * abs(counted[2] if len(ends) == 3 else 1):
        raise run.refused("a range of very many numbers")
    real = np.arange(*floats)
    kind = "int" if real.dtype.kind == "i" else "float"
    cells = np.empty(real.shape, dtype=object)
    for at, entry in enumerate(real.tolist()):
        cells[at] = entry if kind == "int" else number(entry)
    found = Arr(cells, kind)
    return found if dtype is None else astype(run, found, dtype)


def exactly(run: Run, value: Any) -> int | float:
    """Return an integer or a float that is known exactly."""
    if type(value) is int and abs(value) < 2**53:
        return value
    if isinstance(value, Number) and (plain := double_of(value)) is not None:
        return plain
    raise run.refused("a range of which the ends are not known numbers")


def attribute_shape(run: Run, value: Any) -> tuple[Any, ...]:
    """Return the shape of an array."""
    if isinstance(value, Rows) and not value.listed:
        length = value.view.length()
        return (*value.rest, length) if value.last else (length, *value.rest)
    if not isinstance(value, Arr):
        raise run.refused(f"the shape of {described(value)}")
    return tuple(value.cells.shape)


def shape(run: Run, value: Any) -> tuple[Any, ...]:
    """Return ``np.shape``: of a number, no entries."""
    if isinstance(value, int | float | Number | Unknown):
        return ()
    return attribute_shape(run, value)


def attribute_size(run: Run, value: Any) -> Any:
    """Return the number of entries."""
    if (isinstance(value, Rows) and not value.rest) or isinstance(value, Places):
        return value.view.length()
    if isinstance(value, MarkedPlaces):
        return sample_size(value.mask)
    if not isinstance(value, Arr):
        raise run.refused(f"the size of {described(value)}")
    return int(value.cells.size)


def size(run: Run, value: Any) -> Any:
    """Return ``np.size`` of all axes: of a number, one entry."""
    return attribute_size(run, value) if isinstance(value, Arr | Rows) else prod(shape(run, value))


def transposed(run: Run, value: Any) -> Any:
    """Return the transpose of a matrix."""
    if isinstance(value, Rows) and len(value.rest) == 1:
        return Rows(value.view, value.lanes, value.dtype, not value.last, untyped=value.untyped)
    return object_arrays.FUNCTIONS["numpy.transpose"](run, value)


def reduced(run: Run, name: str, value: Arr, axis: Any, *, keep: bool = False) -> Any:
    """Return the sum, the largest or the smallest along an axis, or of all entries."""
    cells, axes = value.cells, value.cells.ndim
    if axis is None:
        cells, axis = cells.reshape(-1), 0
        axes = axes if keep else 0
        keep = False
    else:
        axes = 0
    if type(axis) is not int or not -cells.ndim <= axis < cells.ndim:
        raise run.refused("a reduction along this axis")
    moved = np.moveaxis(cells, axis, 0)
    dtype = "int" if value.dtype == "bool" and name == "add" else value.dtype
    if len(moved) == 0 and name != "add":
        raise run.refused("the largest of nothing")
    found = np.empty(moved.shape[1:], dtype=object)
    zero: Any = number(0) if dtype == "float" else 0
    for at in np.ndindex(*moved.shape[1:]):
        entries = [moved[(i, *at)] for i in range(len(moved))]
        found[at] = _folded(run, name, entries, zero)
    found = found.reshape((1,) * axes) if axes else np.expand_dims(found, axis) if keep else found
    return made(found, dtype)


def _folded(run: Run, name: str, entries: list[Any], zero: Any) -> Any:
    if name != "add" and len(entries) > 1 and run.lane is None:
        plain = [shown(run, e) for e in entries]
        if all(isinstance(e, Unknown) or is_known(e) for e in plain):
            return extreme(run, name, [unknown(e) for e in plain])
    total = zero if name == "add" else entries[0]
    for entry in entries if name == "add" else entries[1:]:
        total = binary(run, name, total, entry)
    return total


def extreme(run: Run, name: str, entries: list[Unknown]) -> Any:
    """Return the largest entry, whose change is one that what is computed from it shares."""
    choose = most if name == "maximum" else least
    if not all(e.regular for e in entries):
        raise run.refused("the largest of what may be NaN or infinite")
    low, high = choose(e.low for e in entries), choose(e.high for e in entries)
    kind = "float" if any(e.kind == "float" for e in entries) else entries[0].kind
    if all(e.shared for e in entries):
        return Unknown(kind, low, high)
    changes = [e.change.ends() for e in entries]
    group = Group("alone", least(c for c, _ in changes), most(c for _, c in changes))
    return Unknown(kind, low, high, Change(tokens={Token(group): number(1)}))


def exponentials(run: Run, value: Arr) -> Any:
    """Return e to each entry: weights where an entry is private."""
    entries = [shown(run, e) for e in value.cells.flat]
    if any(isinstance(e, Unknown) and not e.shared for e in entries) and value.cells.ndim == 1:
        return Arr(mapped(lambda e: Weight(unknown(shown(run, e))), value.cells), "float")
    return made(mapped(lambda e: unary(run, "exp", e), value.cells), "float")


def argument(*, smallest: bool) -> Any:
    """Return ``argmax`` or ``argmin``."""

    def choose(run: Run, value: Any, axis: Any = None) -> Any:
        if isinstance(value, list | tuple):
            value = asarray(run, value)
        if isinstance(value, Rows):
            return columns.argument(run, value, axis)
        if axis not in (None, 0):
            raise run.refused("the index of the largest along this axis")
        if not isinstance(value, Arr) or value.cells.ndim != 1 or not len(value.cells):
            raise run.refused(f"the index of the largest of {described(value)}")
        if run.lane is not None:  # which it is, a record tells
            return unary(run, "int", Unknown("float", ZERO, end(len(value.cells) - 1)))
        return selection.largest(run, value, smallest=smallest)

    return choose


def argsort(run: Run, value: Any) -> Any:
    """Return the order of noisy values, the smallest first."""
    value = asarray(run, value) if isinstance(value, list | tuple) else value
    if not isinstance(value, Arr) or value.cells.ndim != 1:
        raise run.refused(f"the order of {described(value)}")
    if selection.are_hidden(value.cells):
        return selection.Ranking(tuple(value.cells), upwards=True)
    raise run.refused("the order of values")


def where(run: Run, test: Any, yes: Any, no: Any) -> Any:
    """Return entries of one array or of another."""
    types = {v.dtype if isinstance(v, Arr | Rows) else dtype_of(run, v) for v in (yes, no)}
    if types == {"float", "int"}:
        yes, no = (v if isinstance(v, Arr | Rows) else unary(run, "float", v) for v in (yes, no))
        types = {v.dtype if isinstance(v, Arr | Rows) else dtype_of(run, v) for v in (yes, no)}
    if len(types) > 1 or "str" in types:
        raise run.refused("numpy.where of values of different types")
    tested = test.dtype if isinstance(test, Arr | Rows) else dtype_of(run, test)
    if tested not in ("bool", "int"):
        raise run.refused("where a float is not 0")
    if tested == "int":  # rounding cannot make it 0
        test = elementwise(run, "ne", partial(compared, run, "ne"), test, number(0))
    found = elementwise(run, "where", partial(chosen, run), test, yes, no)
    (dtype,) = types
    if isinstance(found, Rows):
        untyped = dtype != "float" and any(isinstance(v, Rows) and v.untyped for v in (yes, no))
        return Rows(found.view, found.lanes, dtype, found.last, untyped=untyped)
    return Arr(found.cells, dtype) if isinstance(found, Arr) else found


def chosen(run: Run, test: Any, a: Any, b: Any) -> Any:
    """Return one of two scalars by a test."""
    from dpaudit.checker.cost.compare import found

    test = found(run, test)
    if run.lane == "changed":
        yes = test if isinstance(test, bool) else run.fork(2) == 0
        return retold(run, a if yes else b, None, frozenset())
    if isinstance(test, bool):
        return a if test else b
    if run.lane is not None and (tested := test.tested) is not None:
        a = retold(run, a, tested, order_told(tested, outcome=True))
        b = retold(run, b, tested, order_told(tested, outcome=False))
    if isinstance(a, Vague) or isinstance(b, Vague):
        return Vague()
    if isinstance(a, Number) and isinstance(b, Number) and (a - b).sign() == 0:
        return a
    x, y = (unknown(v.snapshot() if hasattr(v, "snapshot") else v) for v in (a, b))
    if run.lane is None and not (unknown(test).shared and x.shared and y.shared):
        return each_run.either(run, a, b, alike=unknown(test).shared)
    return Unknown(
        x.kind if x.kind == y.kind else "float", least((x.low, y.low)), most((x.high, y.high)),
        nan=x.nan or y.nan, infinite=x.infinite or y.infinite,
    )  # fmt: skip


def product(run: Run, a: Any, b: Any) -> Any:
    """Return a matrix product."""
    from dpaudit.checker.cost.record_functions import products

    a, b = (asarray(run, v) if isinstance(v, list | tuple) else v for v in (a, b))
    if (isinstance(a, Shared) or isinstance(b, Shared)) and is_shared(a) and is_shared(b):
        return SHARED
    if not (isinstance(a, Arr) and isinstance(b, Arr)):
        return products(run, a, b)
    if "bool" in (a.dtype, b.dtype) or not a.cells.ndim or not b.cells.ndim:
        raise run.refused("a product of these arrays")
    left = a.cells if a.cells.ndim > 1 else a.cells[None, :]
    right = b.cells if b.cells.ndim > 1 else b.cells[:, None]
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
        raise run.refused("a product of arrays of these shapes")
    dtype = "float" if "float" in (a.dtype, b.dtype) else "int"
    zero: Any = number(0) if dtype == "float" else 0
    right = shown_cells(run, right)
    left = shown_cells(run, left)
    found = np.empty((left.shape[0], right.shape[1]), dtype=object)
    for i, k in np.ndindex(*found.shape):
        terms = [binary(run, "mul", x, y) for x, y in zip(left[i], right[:, k], strict=True)]
        found[i, k] = _folded(run, "add", terms, zero)
    if a.cells.ndim == 1:
        found = found[0]
    if b.cells.ndim == 1:
        found = found[..., 0]  # an array even without axes
    return made(found, dtype)


def concatenated(run: Run, arrays: Any, axis: Any = 0) -> Any:
    """Return arrays one after the other."""
    if columns.of_records(arrays) and axis in (1, -1):
        return columns.side_by_side(run, arrays)
    return object_arrays.FUNCTIONS["numpy.concatenate"](run, arrays, axis)


def put_together(name: str, of_records: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of several arrays: one way for columns of records, NumPy's for others."""

    def apply(run: Run, arrays: Any, *given: Any, **named: Any) -> Any:
        function = of_records if columns.of_records(arrays) else object_arrays.FUNCTIONS[name]
        return function(run, arrays, *given, **named)

    return apply


def as_list(run: Run, value: Any) -> Any:
    """Return the entries of an array as a list, a scalar as it is."""
    if isinstance(value, Arr) and value.cells.ndim == 1:
        return list(value.cells)
    if isinstance(value, Arr) and value.cells.ndim == 2:
        return [list(row) for row in value.cells]
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return list(value)  # the names of columns
    if is_known(value) or isinstance(value, Unknown):
        return value
    if isinstance(value, Rows) and not value.rest and not value.listed:
        return Rows(value.view, value.lanes, value.dtype, listed=True)
    raise run.refused(f"{described(value)} as a list")


def item(run: Run, value: Any) -> Any:
    """Return the only entry."""
    if isinstance(value, Arr) and value.cells.size == 1:
        return value.cells.flat[0]
    if is_known(value) or isinstance(value, Unknown) or is_noise(value):
        return value
    raise run.refused(f"the only entry of {described(value)}")


def reshaped(run: Run, value: Any, *shape: Any, **named: Any) -> Any:
    """Return an array in another form: its own memory where NumPy leaves it there."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    if isinstance(value, matrices.Flat) and not named:
        return matrices.in_rows(run, value, sizes)
    single = isinstance(value, Rows) and not value.rest and not value.listed and not named
    if single and tuple(sizes[1:]) in ((), (1,)) and matrices.is_length(sizes[0], value.view):
        lanes = {lane: cells.reshape(sizes[1:]) for lane, cells in value.lanes.items()}
        return replace(value, lanes=lanes, last=False, fresh=False, serial=counted())
    rows = isinstance(value, Rows) and not (value.last or value.listed or named)
    if rows and value.rest == tuple(sizes[1:]) and matrices.is_length(sizes[0], value.view):
        return replace(value, fresh=False, serial=counted())  # its own form
    return object_arrays.FUNCTIONS["method.reshape"](run, value, *shape, **named)


def copied(run: Run, value: Any) -> Any:
    """Return a copy of an array, or of a column."""
    if isinstance(value, Rows) and not value.listed:
        lanes = {lane: cells.copy() for lane, cells in value.lanes.items()}
        return replace(value, lanes=lanes, fresh=True, serial=counted())
    return object_arrays.FUNCTIONS["method.copy"](run, value)


def deeply_copied(run: Run, value: Any) -> Any:
    """Return a copy of a number, or of a list, tuple or dict, and of all that it holds.

    What is held twice is one object in the copy too.
    """
    return _deeply(run, value, {})


def _deeply(run: Run, value: Any, made: dict[int, Any]) -> Any:
    if isinstance(value, Shared):
        return SHARED if value is LENT else value
    if is_known(value) or isinstance(value, Unknown) or is_noise(value):
        return value
    if id(value) not in made:
        if isinstance(value, list | tuple):
            parts = [_deeply(run, part, made) for part in value]
            made[id(value)] = tuple(parts) if isinstance(value, tuple) else parts
        elif isinstance(value, dict):
            made[id(value)] = {key: _deeply(run, part, made) for key, part in value.items()}
        else:
            made[id(value)] = copied(run, value)
    return made[id(value)]


def method_copied(run: Run, value: Any) -> Any:
    """Return a copy of an array or of a list, which holds the same objects."""
    return list(value) if isinstance(value, list) else copied(run, value)


FUNCTIONS = {
    **object_arrays.FUNCTIONS,
    "numpy.asarray": asarray,
    "numpy.array": array,
    "numpy.fromiter": from_iterator,
    "method.astype": astype,
    "numpy.empty": empty,
    "numpy.full": full,
    "numpy.eye": identity,
    "numpy.empty_like": alike(empty),
    "numpy.zeros_like": alike(full, 0),
    "numpy.ones_like": alike(full, 1),
    "numpy.full_like": alike(full),
    "numpy.arange": arange,
    "attribute.shape": attribute_shape,
    "attribute.ndim": lambda run, value: len(attribute_shape(run, value)),
    "numpy.shape": shape,
    "numpy.ndim": lambda run, value: len(shape(run, value)),
    "numpy.size": size,
    "attribute.size": attribute_size,
    "attribute.values": as_list,
    "attribute.T": transposed,
    "numpy.transpose": transposed,
    "numpy.argmax": argument(smallest=False),
    "method.argmax": argument(smallest=False),
    "numpy.argmin": argument(smallest=True),
    "method.argmin": argument(smallest=True),
    "numpy.argsort": argsort,
    "method.argsort": argsort,
    "numpy.where": where,
    "numpy.concatenate": concatenated,
    "method.tolist": as_list,
    "method.to_list": as_list,
    "method.item": item,
    "method.copy": method_copied,
    "copy.deepcopy": deeply_copied,
    "method.view": matrices.seen_as,
    "numpy.uint64": words.unsigned,
    "numpy.median": locations.among("median"),
    "method.reshape": reshaped,
    "numpy.reshape": reshaped,
    "numpy.column_stack": put_together("numpy.column_stack", columns.column_stack),
    "numpy.stack": put_together("numpy.stack", columns.stack),
    "numpy.hstack": put_together("numpy.hstack", columns.side_by_side),
    "numpy.vstack": put_together("numpy.vstack", columns.stacked),
    "attribute.dtype": columns.attribute_dtype,
    "attribute.names": columns.attribute_names,
}
