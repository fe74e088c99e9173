"""Traced arrays: every entry knows which noise is in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.trace.draws import users_line
from dpaudit.trace.scalars import Traced, wrapped
from dpaudit.trace.tape import NO_CELL, Floats, Ints, Tape

MOST_FILLED = 2_000  # entries of an array to which noise is assigned one by one
_array, _asarray = np.array, np.asarray  # which `dpaudit.trace.conversions` replaces in NumPy


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
        from dpaudit.trace.ufuncs import traced_ufunc

        return traced_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from dpaudit.trace.moves import MOVES, moved

        places = MOVES.get(func)
        if places is not None and not kwargs.get("out"):
            return moved(func, places, args, kwargs)
        return super().__array_function__(func, types, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        tape = tape_of(self)
        if tape is None:
            return self._dpaudit_plain()[quiet(key)]
        key = _pinned_key(key)
        self._used = True
        values, cells, coefficients = (x[key] for x in (self._dpaudit_plain(), *parts_of(self)))
        return rebuilt(values, tape, cells, coefficients, self._line)

    def __setitem__(self, key: Any, value: Any) -> None:
        known = value if is_traced(value) else None
        self._dpaudit_plain()[_pinned_key(key)] = quiet(value)
        if tape_of(self) is None:
            if known is None or self.dtype.kind != "f" or self.size > MOST_FILLED:
                return
            _hold_noise(self, known._tape)
        self._cell, self._coef = np.array(self._cell), np.array(parts_of(self)[1])
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
        tape = tape_of(self)
        values = getattr(self._dpaudit_plain(), name)(*args, **kwargs)
        if tape is None:
            return values
        self._used = True
        cells, coefficients = (getattr(x, name)(*args, **kwargs) for x in parts_of(self))
        return rebuilt(values, tape, cells, coefficients, self._line)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, **named: Any) -> Any:
        """Return the mean, which NumPy would make a plain number of at its end."""
        kind, shape = self.dtype, self.shape
        odd = kind.kind not in "fiu" or kind.itemsize < 4 or not self.size
        if named or odd or dtype is not None or out is not None or isinstance(axis, tuple):
            return super().mean(axis, dtype, out, **named)
        total = self.sum(axis=axis, dtype=None if kind.kind == "f" else np.float64)
        return total / (self.size if axis is None else shape[axis])

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
        if tape_of(self) is None:
            return self._dpaudit_plain().tolist()
        if self.ndim == 0:
            return self.item()
        if self.ndim > 1:
            return [self[i].tolist() for i in range(len(self))]
        self._used = True
        tape, parts = self._tape, parts_of(self)
        assert tape is not None
        plain = self._dpaudit_plain().tolist()
        rows = zip(plain, parts[0].tolist(), parts[1].tolist(), strict=True)
        return [wrapped(value, tape, cell, coef, self._line) for value, cell, coef in rows]

    def item(self, *place: Any) -> Any:
        """Return one entry as a traced number."""
        value = self._dpaudit_plain().item(*place)
        tape = tape_of(self)
        if tape is None:
            return value
        self._used = True
        cell, coef = (x.item(*place) for x in parts_of(self))
        return wrapped(value, tape, cell, coef, self._line)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the entries in another type; traced where they stay what they are."""
        values = self._dpaudit_plain().astype(dtype, *args, **kwargs)
        tape = tape_of(self)
        if tape is None:
            return values
        if values.dtype.kind != "f" and values.dtype != self.dtype:
            tape.pin(self)
            return values
        self._used = True
        return rebuilt(values, tape, *parts_of(self), self._line)

    def argmax(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return where the largest entry is."""
        return self._chosen("argmax", 1.0, axis, out, kwargs)

    def argmin(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return where the smallest entry is."""
        return self._chosen("argmin", -1.0, axis, out, kwargs)

    def _chosen(self, name: str, sign: float, axis: Any, out: Any, kwargs: Any) -> Any:
        values = self._dpaudit_plain()
        place = getattr(values, name)(axis, out, **kwargs)
        tape = tape_of(self)
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
        tape = tape_of(self)
        if tape is None:
            return value
        if np.ndim(value) or self.size > 2000 or kwargs or out is not None:
            tape.pin(self)
            return value
        place = int(values.argmax() if sign > 0 else values.argmin())
        _note_choice(tape, self, place, sign)
        cells, coefficients = (x.ravel() for x in parts_of(self))
        return wrapped(value, tape, int(cells[place]), float(coefficients[place]))

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Return running sums."""
        if dtype is None and out is None and (self.ndim == 1 or axis is not None):
            return np.add.accumulate(self, axis=axis or 0)
        return self._given_up("cumsum", axis, dtype, out)

    def dot(self, other: Any, out: Any = None) -> Any:
        """Return the matrix product."""
        return np.matmul(self, other) if out is None else self._given_up("dot", other, out)

    def argsort(self, axis: Any = -1, kind: Any = None, order: Any = None, **kwargs: Any) -> Any:
        """Return the order of the entries, of which no more than that is used."""
        tape = tape_of(self)
        if tape is None or self.ndim != 1 or self.size > 2000:
            return self._given_up("argsort", axis, kind, order, **kwargs)
        values = self._dpaudit_plain()
        places = values.argsort(axis, kind, order, **kwargs)
        _note_order(tape, self, places)
        return places

    def sort(self, *args: Any, **kwargs: Any) -> None:
        """Sort in place."""
        tape = tape_of(self)
        if tape is not None:
            tape.pin(self)
            self._tape = None
        self._dpaudit_plain().sort(*args, **kwargs)

    def _given_up(self, name: str, *args: Any, **kwargs: Any) -> Any:
        tape = tape_of(self)
        if tape is not None:
            tape.pin(self)
        return getattr(self._dpaudit_plain(), name)(*map(quiet, args), **kwargs)


def _giving_up(name: str) -> Any:
    def method(self: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return self._given_up(name, *args, **kwargs)

    method.__name__ = name
    return method


for _name in ("searchsorted", "round", "tobytes", "partition", "argpartition", "nonzero",
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


def blank(values: Any) -> Any:
    """Return an array that knows the noise that is assigned to its entries from now on."""
    return values.view(TracedArray)


def _hold_noise(array: TracedArray, tape: Tape) -> None:
    """Let an array without noise know the noise of its entries."""
    array._tape, array._used, array._line = tape, False, users_line(2)
    array._cell, array._coef = entries_of(array._dpaudit_plain())
    tape.nodes.append(array)


def rebuilt(values: Any, tape: Tape, cells: Any, coefficients: Any, line: Any = None) -> Any:
    """Return a traced array or number, whatever the values are."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "fiu" or not (_asarray(cells) != NO_CELL).any():
            return values
        return traced_array(values, tape, _array(cells), _array(coefficients), line)
    return wrapped(values, tape, int(cells), float(coefficients), line)


_NEVER = frozenset((float, int, bool, type(None), np.float64, np.ndarray))


def is_traced(value: Any) -> bool:
    """Whether a number or an array is traced, by a run that is still going on."""
    kind = type(value)
    if kind in _NEVER:
        return False
    if kind is TracedArray:
        return tape_of(value) is not None
    return issubclass(kind, Traced) and value._tape.open


def tape_of(array: TracedArray) -> Tape | None:
    """Return the tape of an array whose run is still going on."""
    tape = array._tape
    return tape if tape is not None and tape.open else None


def parts_of(value: Any) -> tuple[Any, Any]:
    """Return the cells and the coefficients of a traced number or array."""
    cells, coefficients = _asarray(value._cell), _asarray(value._coef, dtype=np.float64)
    if coefficients.shape != cells.shape:
        coefficients = np.broadcast_to(coefficients, cells.shape)
    return cells, coefficients


def quiet(value: Any) -> Any:
    """Return a value without tracing types, keys of several axes included."""
    if hasattr(type(value), "_dpaudit_plain"):
        return value._dpaudit_plain()
    if type(value) is tuple:
        return tuple(map(quiet, value))
    return value


def _pinned_key(key: Any) -> Any:
    for each in key if type(key) is tuple else (key,):
        if is_traced(each):
            each._tape.pin(each)
    return quiet(key)


def entries_of(value: Any) -> tuple[Any, Any]:
    """Return the cells and the coefficients of any number or array."""
    if is_traced(value):
        return parts_of(value)
    return np.full(np.shape(value), NO_CELL), np.zeros(np.shape(value))


def _note_order(tape: Tape, array: TracedArray, places: Ints) -> None:
    """Note that each entry came out above the one that is sorted before it."""
    array._used = True
    cells, coefficients = (x[places].tolist() for x in parts_of(array))
    ends = list(zip(cells, coefficients, strict=True))
    pairs = [((c, k), (d, -h)) for (c, k), (d, h) in zip(ends[1:], ends, strict=False)]
    steps = [tape.combined([each for each in pair if each[0] != NO_CELL]) for pair in pairs]
    with np.errstate(all="ignore"):
        rises = np.diff(array._dpaudit_plain()[places].astype(np.float64))
    shape = (len(steps),)
    tape.order(shape, steps, np.ones(shape), rises, np.ones(shape, dtype=bool))


def _note_choice(tape: Tape, array: TracedArray, place: int, sign: float) -> None:
    """Note that the entry at a place came out above all others (below, for sign −1)."""
    array._used = True
    tape.choice(*parts_of(array), array._dpaudit_plain(), place, sign)
