"""Traced arrays: every entry knows which noise is in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit.trace.draws import users_line
from dpaudit.trace.scalars import Traced, wrapped
from dpaudit.trace.tape import NO_CELL, Floats, Ints, Tape

MOST_COMBINED = 20_000  # entries of an array, times terms of each, that are combined one by one
_SCALING = ("multiply", "divide", "true_divide", "negative", "positive")
_ABOVE = {"greater": True, "greater_equal": True, "less": False, "less_equal": False}


class TracedArray(np.ndarray[Any, Any]):
    """An array that passes for `numpy.ndarray`; `traced_array` makes them."""

    _tape: Tape | None
    _cell: Ints
    _coef: Floats
    _used: bool
    _line: Any

    def __array_finalize__(self, whole: Any) -> None:
        self._tape = None  # what a view of this one means is said by who makes it

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.ndarray

    def _dpaudit_plain(self) -> Any:
        return self.view(np.ndarray)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return traced_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        structural = _STRUCTURAL.get(func)
        if structural is not None and not kwargs.get("out"):
            return _restructured(func, structural, args, kwargs)
        return super().__array_function__(func, types, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        tape = _tape_of(self)
        if tape is None:
            return self._dpaudit_plain()[_quiet(key)]
        key = _pinned_key(key)
        self._used = True
        values, cells, coefficients = (x[key] for x in (self._dpaudit_plain(), *_parts(self)))
        return rebuilt(values, tape, cells, coefficients, self._line)

    def __setitem__(self, key: Any, value: Any) -> None:
        tape = _tape_of(self)
        self._dpaudit_plain()[_pinned_key(key)] = _quiet(value)
        if tape is None:
            return
        known = value if is_traced(value) else None
        self._cell, self._coef = np.array(self._cell), np.array(_parts(self)[1])
        self._cell[key] = NO_CELL if known is None else known._cell
        self._coef[key] = 0.0 if known is None else known._coef
        if known is not None:
            known._used = True

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._dpaudit_plain().__reduce_ex__(protocol)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def _moved(self, name: str, *args: Any, **kwargs: Any) -> Any:
        tape = _tape_of(self)
        values = getattr(self._dpaudit_plain(), name)(*args, **kwargs)
        if tape is None:
            return values
        self._used = True
        cells, coefficients = (getattr(x, name)(*args, **kwargs) for x in _parts(self))
        return rebuilt(values, tape, cells, coefficients, self._line)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """Return the same entries in another shape."""
        return self._moved("reshape", *shape, **kwargs)

    def ravel(self, order: Any = "C") -> Any:
        """Return the entries in one dimension."""
        return self._moved("ravel", order)

    def flatten(self, order: Any = "C") -> Any:
        """Return a copy in one dimension."""
        return self._moved("flatten", order)

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its axes permuted."""
        return self._moved("transpose", *axes)

    @property
    def T(self) -> Any:  # noqa: N802
        """The transpose."""
        return self.transpose()

    def copy(self, order: Any = "C") -> Any:
        """Return a copy."""
        return self._moved("copy", order)

    def squeeze(self, axis: Any = None) -> Any:
        """Return the array without axes of length one."""
        return self._moved("squeeze", axis)

    def tolist(self) -> Any:
        """Return nested lists of traced numbers."""
        if _tape_of(self) is None:
            return self._dpaudit_plain().tolist()
        if self.ndim == 0:
            return self.item()
        if self.ndim > 1:
            return [self[i].tolist() for i in range(len(self))]
        self._used = True
        tape, parts = self._tape, _parts(self)
        assert tape is not None
        plain = self._dpaudit_plain().tolist()
        rows = zip(plain, parts[0].tolist(), parts[1].tolist(), strict=True)
        return [wrapped(value, tape, cell, coef, self._line) for value, cell, coef in rows]

    def item(self, *place: Any) -> Any:
        """Return one entry as a traced number."""
        value = self._dpaudit_plain().item(*place)
        tape = _tape_of(self)
        if tape is None:
            return value
        self._used = True
        cell, coef = (x.item(*place) for x in _parts(self))
        return wrapped(value, tape, cell, coef, self._line)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the entries in another type; traced where they stay what they are."""
        values = self._dpaudit_plain().astype(dtype, *args, **kwargs)
        tape = _tape_of(self)
        if tape is None:
            return values
        if values.dtype.kind != "f" and values.dtype != self.dtype:
            tape.pin(self)
            return values
        self._used = True
        return rebuilt(values, tape, *_parts(self), self._line)

    def argmax(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return where the largest entry is."""
        return self._chosen("argmax", 1.0, axis, out, kwargs)

    def argmin(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return where the smallest entry is."""
        return self._chosen("argmin", -1.0, axis, out, kwargs)

    def _chosen(self, name: str, sign: float, axis: Any, out: Any, kwargs: Any) -> Any:
        values = self._dpaudit_plain()
        place = getattr(values, name)(axis, out, **kwargs)
        tape = _tape_of(self)
        if tape is None:
            return place
        if np.ndim(place) or self.size > 2000:
            tape.pin(self)
        else:
            _note_choice(tape, self, int(place), sign)
        return place

    def max(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return the largest entry."""
        return self._extreme("max", 1.0, axis, out, kwargs)

    def min(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return the smallest entry."""
        return self._extreme("min", -1.0, axis, out, kwargs)

    def _extreme(self, name: str, sign: float, axis: Any, out: Any, kwargs: Any) -> Any:
        values = self._dpaudit_plain()
        value = getattr(values, name)(axis, out, **kwargs)
        tape = _tape_of(self)
        if tape is None:
            return value
        if np.ndim(value) or self.size > 2000 or kwargs or out is not None:
            tape.pin(self)
            return value
        place = int(values.argmax() if sign > 0 else values.argmin())
        _note_choice(tape, self, place, sign)
        cells, coefficients = (x.ravel() for x in _parts(self))
        return wrapped(value, tape, int(cells[place]), float(coefficients[place]))

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Return running sums."""
        if dtype is None and out is None and (self.ndim == 1 or axis is not None):
            return np.add.accumulate(self, axis=axis or 0)
        return self._given_up("cumsum", axis, dtype, out)

    def dot(self, other: Any, out: Any = None) -> Any:
        """Return the matrix product."""
        return np.matmul(self, other) if out is None else self._given_up("dot", other, out)

    def sort(self, *args: Any, **kwargs: Any) -> None:
        """Sort in place."""
        tape = _tape_of(self)
        if tape is not None:
            tape.pin(self)
            self._tape = None
        self._dpaudit_plain().sort(*args, **kwargs)

    def _given_up(self, name: str, *args: Any, **kwargs: Any) -> Any:
        tape = _tape_of(self)
        if tape is not None:
            tape.pin(self)
        return getattr(self._dpaudit_plain(), name)(*map(_quiet, args), **kwargs)


def _giving_up(name: str) -> Any:
    def method(self: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return self._given_up(name, *args, **kwargs)

    method.__name__ = name
    return method


for _name in ("argsort", "searchsorted", "round", "tobytes", "partition", "argpartition", "nonzero",
              "choose", "compress", "put", "take", "trace", "byteswap", "__int__", "__float__",
              "__bool__", "__repr__", "__str__", "__format__", "__contains__"):  # fmt: skip
    setattr(TracedArray, _name, _giving_up(_name))


def traced_array(values: Any, tape: Tape, cells: Any, coefficients: Any, line: Any = None) -> Any:
    """Return an array with the cell and the coefficient of each entry.

    Parameters
    ----------
    values : ndarray
    tape : Tape
    cells : ndarray of int
        Of the same shape; -1 where an entry has no noise.
    coefficients : ndarray of float
    """
    made = values.view(TracedArray)
    made._tape, made._used, made._line = tape, False, line or users_line(2)
    made._cell, made._coef = cells, coefficients
    tape.nodes.append(made)
    return made


def rebuilt(values: Any, tape: Tape, cells: Any, coefficients: Any, line: Any = None) -> Any:
    """Return a traced array or number, whatever the values are."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "fiu" or not np.any(np.asarray(cells) != NO_CELL):
            return values
        return traced_array(values, tape, np.array(cells), np.array(coefficients), line)
    return wrapped(values, tape, int(cells), float(coefficients), line)


def is_traced(value: Any) -> bool:
    """Whether a number or an array is traced, by a run that is still going on."""
    kind = type(value)
    if kind is TracedArray:
        return _tape_of(value) is not None
    return issubclass(kind, Traced) and value._tape.open


def _tape_of(array: TracedArray) -> Tape | None:
    tape = array._tape
    return tape if tape is not None and tape.open else None


def _parts(value: Any) -> tuple[Any, Any]:
    cells = np.asarray(value._cell)
    return cells, np.broadcast_to(np.asarray(value._coef, dtype=np.float64), cells.shape)


def _quiet(value: Any) -> Any:
    if hasattr(type(value), "_dpaudit_plain"):
        return value._dpaudit_plain()
    if type(value) is tuple:
        return tuple(map(_quiet, value))
    return value


def _pinned_key(key: Any) -> Any:
    for each in key if type(key) is tuple else (key,):
        if is_traced(each):
            each._tape.pin(each)
    return _quiet(key)


def traced_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Apply a ufunc to plain values, and say what the result holds of the noise.

    Parameters
    ----------
    ufunc : numpy.ufunc
    method : str
    inputs : sequence
        As ``__array_ufunc__`` receives them.
    kwargs : dict
    """
    outs = kwargs.pop("out", ()) or ()
    kwargs = {n: v for n, v in kwargs.items() if _says_something(n, v)}
    traced = [each for each in inputs if is_traced(each)]
    plain = [_quiet(each) for each in inputs]
    named = {name: _quiet(value) for name, value in kwargs.items()}
    handler = None if "where" in kwargs else _HANDLERS.get((ufunc.__name__, method))
    before = None
    if traced and handler is None:
        for each in traced:
            each._tape.pin(each)
    elif traced:
        before = handler(traced[0]._tape, inputs, kwargs) if handler is not None else None
    if outs:
        named["out"] = tuple(_quiet(each) for each in outs)
    result = getattr(ufunc, method)(*plain, **named)
    if not traced or handler is None:
        return _into(outs, result, None)
    tape = traced[0]._tape
    if before is None:
        for each in traced:
            tape.pin(each)
        return _into(outs, result, None)
    for each in traced:
        each._used = True
    if callable(before):
        before(result)
        return _into(outs, result, None)
    cells, coefficients = before
    shape = np.shape(result)
    cells, coefficients = (np.broadcast_to(x, shape) for x in (cells, coefficients))
    line = traced[0]._line if ufunc.__name__ in _SCALING else None
    made = rebuilt(result, tape, cells, coefficients, line)
    return _into(outs, made, (cells, coefficients))


def _says_something(name: str, value: Any) -> bool:
    """Whether an argument is none of the defaults that methods of arrays pass on."""
    if name == "where":
        return value is not True
    if name == "initial":
        return value is not None and value is not np._NoValue
    return value is not None or name == "axis"


def _into(outs: Sequence[Any], result: Any, parts: tuple[Any, Any] | None) -> Any:
    """Return what the caller gets: the result, or the array that it was written to."""
    if not outs or outs[0] is None:
        return result
    target = outs[0]
    if type(target) is TracedArray and _tape_of(target) is not None:
        # The array holds other numbers now; what it held was used to make them.
        if parts is None:
            target._tape = None
        else:
            target._cell, target._coef = np.array(parts[0]), np.array(parts[1])
            target._used = False
            if hasattr(type(result), "_dpaudit_plain"):
                result._used = True
    elif type(result) is TracedArray and _tape_of(result) is not None:
        _copy_apart(result)
    return target


def _copy_apart(node: TracedArray) -> None:
    """Let a node keep its values: the plain array that it shares may be written to later."""
    tape = node._tape
    assert tape is not None
    node._used = True
    traced_array(node._dpaudit_plain().copy(), tape, node._cell, node._coef)


def _combined(tape: Tape, parts: Sequence[tuple[Any, Any]]) -> tuple[Any, Any] | None:
    """Return cells and coefficients of a sum of arrays, entry by entry."""
    shape = np.broadcast_shapes(*(np.shape(cells) for cells, _ in parts))
    spread = [(np.broadcast_to(c, shape), np.broadcast_to(k, shape)) for c, k in parts]
    (cells, coefs), (more, others) = spread
    if np.all(more == NO_CELL):
        return cells, coefs
    if np.all(cells == NO_CELL):
        return more, others
    both = (cells != NO_CELL) & (more != NO_CELL)
    result = np.where(cells == NO_CELL, more, cells)
    factors = np.where(cells == NO_CELL, others, coefs)
    same = both & (cells == more)
    factors = np.where(same, coefs + others, factors)
    result = np.where(same & (factors == 0), NO_CELL, result)
    places = np.argwhere(both & ~same)
    if len(places) > MOST_COMBINED:
        return None
    for place in map(tuple, places):
        pair = [(int(cells[place]), coefs[place]), (int(more[place]), others[place])]
        result[place], factors[place] = tape.combined(pair), 1.0
    return result, factors


def _of(value: Any) -> tuple[Any, Any]:
    if is_traced(value):
        return _parts(value)
    return np.full(np.shape(value), NO_CELL), np.zeros(np.shape(value))


def _adding(sign: float) -> Callable[..., Any]:
    def handle(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
        (cells, coefs), (more, others) = map(_of, inputs)
        return _combined(tape, [(cells, coefs), (more, others * sign)])

    return handle


def _scaling(divide: bool) -> Callable[..., Any]:
    def handle(_: Tape, inputs: Sequence[Any], __: Any) -> Any:
        one, two = inputs
        if (is_traced(one) and is_traced(two)) or (divide and is_traced(two)):
            return None
        noisy, factor = (one, two) if is_traced(one) else (two, one)
        cells, coefs = _parts(noisy)
        with np.errstate(all="ignore"):
            number = np.asarray(factor, dtype=np.float64)
            scaled = coefs / number if divide else coefs * number
        return np.broadcast_to(cells, scaled.shape), scaled

    return handle


def _sign(factor: float) -> Callable[..., Any]:
    def handle(_: Tape, inputs: Sequence[Any], __: Any) -> Any:
        cells, coefs = _parts(inputs[0])
        return cells, factor * coefs

    return handle


def _comparing(name: str) -> Callable[..., Any]:
    def handle(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
        (cells, coefs), (more, others) = map(_of, inputs)
        parts = _combined(tape, [(cells, coefs), (more, -others)])
        if parts is None:
            return None
        one, two = (np.asarray(_quiet(each), dtype=np.float64) for each in inputs)

        def note(result: Any) -> None:
            with np.errstate(all="ignore"):
                difference = one - two
            tape.order(np.shape(result), *parts, difference, np.equal(result, _ABOVE[name]))

        return note

    return handle


def _summing(tape: Tape, inputs: Sequence[Any], kwargs: Any) -> Any:
    array, axis = inputs[0], kwargs.get("axis", 0)
    if kwargs.get("initial") is not None or (isinstance(axis, tuple) and len(axis) != array.ndim):
        return None
    cells, coefs = _parts(array)
    shape: tuple[int, ...] = ()
    if axis is None or isinstance(axis, tuple) or array.ndim == 1:
        moved = [x.reshape(-1, 1) for x in (cells, coefs)]
        kept = (1,) * array.ndim
    else:
        moved = [np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1) for x in (cells, coefs)]
        shape = tuple(np.delete(np.array(cells.shape), axis).tolist())
        kept = tuple(1 if i == axis % array.ndim else n for i, n in enumerate(cells.shape))
    if moved[0].size > MOST_COMBINED:
        return None
    totals = [_total(tape, moved[0][:, j], moved[1][:, j]) for j in range(moved[0].shape[1])]
    final = kept if kwargs.get("keepdims") else shape
    return np.array(totals, dtype=np.int64).reshape(final), np.ones(final)


def _total(tape: Tape, cells: Any, coefs: Any) -> int:
    pairs = zip(cells.tolist(), coefs.tolist(), strict=True)
    return tape.combined([(c, k) for c, k in pairs if c != NO_CELL])


def _accumulating(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
    array = inputs[0]
    if array.ndim != 1 or array.size**2 > MOST_COMBINED:
        return None
    cells, coefs = _parts(array)
    totals = [_total(tape, cells[: i + 1], coefs[: i + 1]) for i in range(len(cells))]
    return np.array(totals, dtype=np.int64), np.ones(len(totals))


def _multiplying_matrices(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
    one, two = inputs
    if (is_traced(one) and is_traced(two)) or max(np.ndim(one), np.ndim(two)) > 2:
        return None
    noisy = two if is_traced(two) else one
    matrix = np.asarray(one if is_traced(two) else two, dtype=np.float64)
    cells, coefs = _parts(noisy)
    if noisy.size * max(1, matrix.size) > MOST_COMBINED:
        return None
    if noisy is one:  # (y A) = (Aᵀ yᵀ)ᵀ
        cells, coefs, matrix = cells.T, coefs.T, matrix.T
    columns = cells.reshape(len(cells), -1), coefs.reshape(len(coefs), -1)
    rows = np.atleast_2d(matrix)
    totals = np.array(
        [
            [
                _total(tape, columns[0][:, j], row * columns[1][:, j])
                for j in range(columns[0].shape[1])
            ]
            for row in rows
        ],
        dtype=np.int64,
    )
    shape = np.shape(np.matmul(matrix, cells))
    totals = totals.reshape(shape)
    totals = totals.T if noisy is one else totals
    return totals, np.ones(totals.shape)


def _note_choice(tape: Tape, array: TracedArray, place: int, sign: float) -> None:
    """Note that the entry at a place came out above all others (below, for sign −1)."""
    array._used = True
    tape.choice(*_parts(array), array._dpaudit_plain(), place, sign)


_HANDLERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("add", "__call__"): _adding(1.0),
    ("subtract", "__call__"): _adding(-1.0),
    ("multiply", "__call__"): _scaling(False),
    ("divide", "__call__"): _scaling(True),
    ("true_divide", "__call__"): _scaling(True),
    ("negative", "__call__"): _sign(-1.0),
    ("positive", "__call__"): _sign(1.0),
    ("matmul", "__call__"): _multiplying_matrices,
    ("add", "reduce"): _summing,
    ("add", "accumulate"): _accumulating,
    **{(name, "__call__"): _comparing(name) for name in _ABOVE},
}


def _restructured(func: Any, places: tuple[int, ...], args: Any, kwargs: Any) -> Any:
    """Apply a function that only moves entries, to values, cells and coefficients alike."""
    found: list[Any] = []

    def mapped(pick: Callable[[Any], Any]) -> list[Any]:
        changed = list(args)
        for place in places:
            if place < len(args):
                given = args[place]
                many = type(given) in (list, tuple)
                changed[place] = [pick(x) for x in given] if many else pick(given)
        return changed

    def values(each: Any) -> Any:
        if is_traced(each):
            found.append(each)
        return _quiet(each)

    plain = mapped(values)
    result = func(*plain, **kwargs)
    if not found:
        return result
    cells = func(*mapped(lambda each: _of(each)[0]), **kwargs)
    coefs = func(*mapped(lambda each: _of(each)[1]), **kwargs)
    for each in found:
        each._used = True
    tape = found[0]._tape
    if isinstance(result, (list, tuple)):
        rows = zip(result, cells, coefs, strict=True)
        return type(result)(rebuilt(r, tape, c, k) for r, c, k in rows)
    return rebuilt(result, tape, cells, coefs)


# Functions that move entries, with the positions of the arrays among their arguments.
_STRUCTURAL: dict[Any, tuple[int, ...]] = {
    **dict.fromkeys((np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack), (0,)),
    **dict.fromkeys((np.array_split, np.split, np.tile, np.repeat, np.roll, np.flip), (0,)),
    **dict.fromkeys((np.expand_dims, np.squeeze, np.moveaxis, np.swapaxes), (0,)),
    **dict.fromkeys((np.broadcast_to, np.atleast_1d, np.atleast_2d, np.take, np.delete), (0,)),
    **dict.fromkeys((np.copy, np.triu, np.tril, np.diagonal), (0,)),
    np.append: (0, 1),
    np.where: (1, 2),
}
