"""What NumPy's functions of numbers make of traced ones: sums, multiples, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit.trace.arrays import (
    TracedArray,
    entries_of,
    is_traced,
    parts_of,
    quiet,
    rebuilt,
    tape_of,
    traced_array,
)
from dpaudit.trace.tape import NO_CELL, Tape

_asarray = np.asarray  # which `dpaudit.trace.conversions` replaces in NumPy
MOST_COMBINED = 20_000  # entries of an array, times terms of each, that are combined one by one
_SCALING = ("multiply", "divide", "true_divide", "negative", "positive")
_ABOVE = {"greater": True, "greater_equal": True, "less": False, "less_equal": False}


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
    plain = [quiet(each) for each in inputs]
    named = {name: quiet(value) for name, value in kwargs.items()}
    handler = None if "where" in kwargs else _HANDLERS.get((ufunc.__name__, method))
    before = None
    if traced and handler is None:
        for each in traced:
            each._tape.pin(each)
    elif traced:
        before = handler(traced[0]._tape, inputs, kwargs) if handler is not None else None
    if outs:
        if traced and outs[0] is not None:
            traced[0]._tape.adding(outs[0])
        named["out"] = tuple(quiet(each) for each in outs)
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
    cells, coefficients = _spread(cells, shape), _spread(coefficients, shape)
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
    if type(target) is TracedArray and tape_of(target) is not None:
        # The array holds other numbers now; what it held was used to make them.
        if parts is None:
            target._tape = None
        else:
            target._cell, target._coef = np.array(parts[0]), np.array(parts[1])
            target._used = False
            if hasattr(type(result), "_dpaudit_plain"):
                result._used = True
    elif type(result) is TracedArray and tape_of(result) is not None:
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
    spread = [(_spread(c, shape), _spread(k, shape)) for c, k in parts]
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


def _adding(sign: float) -> Callable[..., Any]:
    def handle(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
        one, two = inputs
        if not is_traced(two):
            return parts_of(one)
        if not is_traced(one):
            cells, coefs = parts_of(two)
            return cells, coefs * sign
        (cells, coefs), (more, others) = map(entries_of, inputs)
        return _combined(tape, [(cells, coefs), (more, others * sign)])

    return handle


def _spread(entries: Any, shape: tuple[int, ...]) -> Any:
    """Return entries of the shape of what they are entries of."""
    return entries if entries.shape == shape else np.broadcast_to(entries, shape)


def _scaling(divide: bool) -> Callable[..., Any]:
    def handle(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
        one, two = inputs
        if is_traced(one) and is_traced(two) and not divide:
            return _lengthened(tape, one, two)
        if divide and is_traced(two):
            return None
        noisy, factor = (one, two) if is_traced(one) else (two, one)
        cells, coefs = parts_of(noisy)
        with np.errstate(all="ignore"):
            number = _asarray(factor, dtype=np.float64)
            scaled = coefs / number if divide else coefs * number
        return _spread(cells, scaled.shape), scaled

    return handle


def _lengthened(tape: Tape, one: Any, two: Any) -> Any:
    """Return a random length times a random direction, of which only the former stays traced."""
    length, direction = (one, two) if np.ndim(one) == 0 else (two, one)
    if np.ndim(length) or np.ndim(direction) != 1:
        return None
    cell, factor = (x.item() for x in parts_of(length))
    drawn = tape.draw_of(cell)
    if drawn < 0 or tape.draws[drawn].kind != "gamma" or factor <= 0:
        return None
    if not np.all(quiet(length) == factor * tape.raw[cell]):
        return None
    tape.pin(direction)
    tape.radii.add(cell)
    values = np.asarray(quiet(direction), dtype=np.float64)
    return np.full(values.shape, cell), factor * values


def _sign(factor: float) -> Callable[..., Any]:
    def handle(_: Tape, inputs: Sequence[Any], __: Any) -> Any:
        cells, coefs = parts_of(inputs[0])
        return cells, factor * coefs

    return handle


def _comparing(name: str) -> Callable[..., Any]:
    def handle(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
        (cells, coefs), (more, others) = map(entries_of, inputs)
        parts = _combined(tape, [(cells, coefs), (more, -others)])
        if parts is None:
            return None
        one, two = (_asarray(quiet(each), dtype=np.float64) for each in inputs)

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
    cells, coefs = parts_of(array)
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
    cells, coefs = parts_of(array)
    totals = [_total(tape, cells[: i + 1], coefs[: i + 1]) for i in range(len(cells))]
    return np.array(totals, dtype=np.int64), np.ones(len(totals))


def _multiplying_matrices(tape: Tape, inputs: Sequence[Any], _: Any) -> Any:
    one, two = inputs
    if (is_traced(one) and is_traced(two)) or max(np.ndim(one), np.ndim(two)) > 2:
        return None
    noisy = two if is_traced(two) else one
    matrix = np.asarray(one if is_traced(two) else two, dtype=np.float64)
    cells, coefs = parts_of(noisy)
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
