"""How the numbers of one run depend on its noise: affinely, until something else is done to them.

Every number that was drawn is a cell. A traced number is ``base + coefficient·cell``, where the
cell is one draw or a known combination of several, and the base is whatever else went into it:
``x + rng.laplace()`` has the base ``x``. What is done to traced numbers leaves a sink: an equality
(from here on only the value matters, so two runs go on alike if it is the same), or an order (only
the outcome of a comparison matters). Numbers that nothing more was done to are equalities too.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs.containers import attributes
from dpaudit.trace.draws import Draw, users_line

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NO_CELL = -1
_array, _asarray = np.array, np.asarray  # which `dpaudit.trace.conversions` replaces in NumPy
MOST_CELLS = 200_000  # of one run; what is drawn later is not traced
Line = tuple[CodeType, int]


@dataclass(frozen=True, slots=True, eq=False)
class Sink:
    """A place where traced numbers are used up.

    Attributes
    ----------
    kind : {"equal", "order", "choice"}
        Whether the values must be the same, or only the signs of differences, or which of the
        numbers is the largest.
    line : tuple of (code, int) or None
        The user's line.
    shape : tuple of int
        Of what was used up.
    cells : ndarray of int, shape (k,)
        The cell of each number, -1 for none.
    coefficients, values : ndarray of float, shape (k,)
    above : ndarray of bool, shape (k,), or None
        For an order: which differences came out as positive.
    chosen : int
        For a choice: which of the numbers came out above all others.
    sign : float
        For a choice: −1 where it came out below them.
    leaves : bool
        For an equality: whether the numbers are in the output.
    """

    kind: Literal["equal", "order", "choice"]
    line: Line | None
    shape: tuple[int, ...]
    cells: Ints
    coefficients: Floats
    values: Floats
    above: NDArray[np.bool_] | None = None
    chosen: int = -1
    sign: float = 1.0
    leaves: bool = False


class Tape:
    """The cells and sinks of one run."""

    def __init__(self) -> None:
        self.open = True
        self.draws: list[Draw] = []
        self.sinks: list[Sink] = []
        self.nodes: list[Any] = []
        self.escaped: set[int] = set()  # noise that left by itself, as a plain number
        self.radii: set[int] = set()  # lengths that a direction was multiplied by
        self.pinned = False  # whether a noisy number became a plain one on the way to the output
        self._raw = np.zeros(64)
        self._size = 0
        self._terms: dict[int, dict[int, float]] = {}
        self._answers: set[int] = set()  # noise that was added to something by itself
        self.hiding: dict[int, Line] = {}  # lines that first add a noise call to something
        self._added: dict[int, Line | None] = {}  # lines that add to noise in place, by its memory
        self._starts: list[int] = []
        self._owners: list[int] = []  # draw of each start, -1 for combinations

    @property
    def size(self) -> int:
        """Number of cells."""
        return self._size

    @property
    def raw(self) -> Floats:
        """Values of all cells."""
        return self._raw[: self._size]

    def add_cells(self, values: Any, draw: int) -> int:
        """Add the numbers of a draw, and return the first one's cell."""
        first = self._size
        if type(values) is float:
            self._grow(1)
            self._raw[first] = values
        else:
            flat = _asarray(values, dtype=np.float64).ravel()
            self._grow(len(flat))
            self._raw[first : self._size] = flat
        self._starts.append(first)
        self._owners.append(draw)
        return first

    def _grow(self, by: int) -> None:
        self._size += by
        while self._size > len(self._raw):
            self._raw = np.concatenate([self._raw, np.zeros(len(self._raw))])

    def draw_of(self, cell: int) -> int:
        """Return the draw that a cell belongs to; -1 for a combination."""
        return self._owners[bisect_right(self._starts, cell) - 1]

    def terms(self, cell: int, coefficient: float = 1.0) -> dict[int, float]:
        """Return drawn cells with coefficients that make up a multiple of a cell."""
        if cell == NO_CELL:
            return {}
        known = self._terms.get(cell)
        if known is None:
            return {cell: coefficient}
        return {each: c * coefficient for each, c in known.items()}

    def combined(self, parts: list[tuple[int, float]]) -> int:
        """Return the cell of a sum of multiples of cells; -1 for an empty one."""
        total: dict[int, float] = {}
        for cell, coefficient in parts:
            for each, c in self.terms(cell, coefficient).items():
                total[each] = total.get(each, 0.0) + c
        total = {each: c for each, c in total.items() if c}
        if not total:
            return NO_CELL
        if len(total) == 1 and next(iter(total.values())) == 1.0:
            return next(iter(total))
        value = sum(c * self._raw[each] for each, c in total.items())
        cell = self.add_cells(value, -1)
        self._terms[cell] = total
        return cell

    def base(self, sink: Sink) -> Floats:
        """Return the values of a sink without their noise."""
        return _base(self, sink.cells, sink.coefficients, sink.values)

    def factors(self, sink: Sink, cell: int) -> list[float]:
        """Return by what the numbers of a sink multiply a drawn cell, of those that hold it."""
        held = zip(sink.cells.tolist(), sink.coefficients.tolist(), strict=True)
        terms = (self.terms(each, factor) for each, factor in held)
        return [known[cell] for known in terms if cell in known]

    def pin(self, node: Any) -> None:
        """Let the value of a traced number or array be all that matters from here on."""
        node._used = True
        if not self.open:
            return
        if _is_pure(self, node):
            self.escaped.update(int(c) for c in np.ravel(node._cell) if c != NO_CELL)
            return
        self.pinned = True
        self.sinks.append(_equal(node, self.line_of(node)))

    def adding(self, target: Any) -> None:
        """Note the line that adds to noise in place, for whatever shares its memory."""
        if hasattr(type(target), "_dpaudit_plain") and self.open and _is_pure(self, target):
            self._added.setdefault(_memory(target), users_line(2))

    def line_of(self, node: Any) -> Line | None:
        """Return the line that formed what a node holds."""
        line: Line | None = node._line
        if type(node._cell) is int or not self._added:
            return line
        return self._added.get(_memory(node), line)

    def order(
        self, shape: tuple[int, ...], cells: Any, coefficients: Any, values: Any, above: Any
    ) -> None:
        """Note the outcomes of comparisons: signs of differences that are traced."""
        if not self.open:
            return
        cells = _array(cells, dtype=np.int64).ravel()
        if not (cells != NO_CELL).any():
            return
        flat = _flat(coefficients), _flat(values)
        outcome = _array(above, dtype=bool).ravel()
        self.sinks.append(Sink("order", users_line(2), shape, cells, flat[0], flat[1], outcome))

    def order_of_two(self, cell: int, coefficient: float, difference: float, above: bool) -> None:
        """Note the outcome of one comparison of numbers."""
        if self.open and cell != NO_CELL:
            flat = _array([cell]), _array([float(coefficient)]), _array([difference])
            self.sinks.append(Sink("order", users_line(2), (), *flat, _array([above])))

    def choice(self, cells: Any, coefficients: Any, values: Any, chosen: int, sign: float) -> None:
        """Note which of some numbers came out above all others (below, for sign −1)."""
        flat = _flat(coefficients), _flat(values)
        cells = np.array(np.ravel(cells), dtype=np.int64)
        line, shape = users_line(2), cells.shape
        self.sinks.append(Sink("choice", line, shape, cells, flat[0], flat[1], None, chosen, sign))

    def answered(self, cells: Iterable[int]) -> bool:
        """Whether each of some drawn numbers was added to something by itself."""
        return self._answers.issuperset(cells)

    def close(self, output: Any) -> None:
        """Settle what is left: numbers in the output, and those that nothing was done to."""
        for node in self.nodes if self._terms else ():  # asked for of combinations alone
            self._answers.update(_answers(self, node))
        in_output = {id(each) for each in found_in(output)}
        for node in self.nodes:
            self._note_hiding(node)
            if not node._used or id(node) in in_output:
                if _is_pure(self, node) and id(node) not in in_output:
                    continue
                self.sinks.append(_equal(node, self.line_of(node), id(node) in in_output))
        self.open = False

    def _note_hiding(self, node: Any) -> None:
        """Note where a number gets its noise, by its first one."""
        line = self.line_of(node)
        cell = next((c for c in np.ravel(node._cell).tolist() if c != NO_CELL), NO_CELL)
        if line is None or cell == NO_CELL or _is_pure(self, node):
            return
        for each in self.terms(cell):
            self.hiding.setdefault(self.draw_of(each), line)


def _flat(values: Any) -> Floats:
    return _array(values, dtype=np.float64).ravel()


def _is_pure(tape: Tape, node: Any) -> bool:
    """Whether a number is noise and nothing else."""
    if type(node._cell) is int:
        cell = node._cell
        return cell != NO_CELL and bool(tape._raw.item(cell) * node._coef == node._dpaudit_plain())
    cells, values = np.ravel(node._cell), np.ravel(node._dpaudit_plain())
    if np.any(cells == NO_CELL):
        return False
    return bool(np.all(tape.raw[cells] * np.ravel(node._coef) == values))


def _answers(tape: Tape, node: Any) -> list[int]:
    """Return the drawn numbers that a node has added to something, each by itself."""
    cells = np.ravel(node._cell)
    with np.errstate(all="ignore"):
        noise = np.where(cells == NO_CELL, 0.0, tape.raw[np.maximum(cells, 0)]) * np.ravel(
            node._coef
        )
    apart = (cells != NO_CELL) & (noise != np.ravel(node._dpaudit_plain()))
    return [cell for cell in cells[apart].tolist() if tape.draw_of(cell) >= 0]


def _memory(node: Any) -> int:
    """Return what tells the memory of an array from that of others, while the run goes on."""
    while isinstance(node.base, np.ndarray):
        node = node.base
    return id(node)


def _base(tape: Tape, cells: Ints, coefficients: Floats, values: Floats) -> Floats:
    if cells.size == 1:
        cell = int(cells[0])
        if cell == NO_CELL:
            return values
        return _array([float(values[0]) - float(coefficients[0]) * float(tape.raw[cell])])
    noise = np.where(cells == NO_CELL, 0.0, tape.raw[np.maximum(cells, 0)] if tape.size else 0.0)
    with np.errstate(all="ignore"):
        return np.where(cells == NO_CELL, values, values - coefficients * noise)


def _equal(node: Any, line: Line | None, leaves: bool = False) -> Sink:
    plain = node._dpaudit_plain()
    if type(node._cell) is int:
        one = _array([node._cell]), _array([node._coef]), _array([float(plain)])
        return Sink("equal", line, (), *one, leaves=leaves)
    values = _array(np.ravel(plain), dtype=np.float64)
    cells = _array(np.ravel(node._cell), dtype=np.int64)
    coefficients = np.broadcast_to(_asarray(node._coef, dtype=np.float64), np.shape(node._cell))
    shape = np.shape(plain)
    factors = _array(np.ravel(coefficients))
    return Sink("equal", line, shape, cells, factors, values, leaves=leaves)


_LEAVES = frozenset((float, int, bool, str, bytes, type(None), np.float64, np.int64))


# Of these no number is held by an attribute of its own.
_OPAQUE = frozenset(("builtins", "numpy", "pandas", "polars", "torch", "jax", "jaxlib", "scipy"))


def found_in(value: Any, depth: int = 4) -> list[Any]:
    """Return the traced numbers and arrays in nested containers, and in what objects hold."""
    kind = type(value)
    if hasattr(kind, "_dpaudit_plain"):
        return [value]
    if depth == 0 or kind in _LEAVES:
        return []
    if isinstance(value, Mapping):
        return [n for pair in value.items() for each in pair for n in found_in(each, depth - 1)]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [node for each in value for node in found_in(each, depth - 1)]
    if type(value) is np.ndarray and value.dtype.hasobject:
        return [node for each in value.ravel().tolist() for node in found_in(each, depth - 1)]
    if kind.__module__.partition(".")[0] in _OPAQUE:
        return []
    return [node for each in attributes(value).values() for node in found_in(each, depth - 1)]


def stripped(value: Any, depth: int = 4) -> Any:
    """Return a value without tracing types, containers of plain types rebuilt."""
    if hasattr(type(value), "_dpaudit_plain"):
        return value._dpaudit_plain()
    if depth == 0 or not found_in(value, depth):
        return value
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(stripped(each, depth - 1) for each in value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return type(value)._make(stripped(each, depth - 1) for each in value)
    if isinstance(value, dict):
        pairs = [(stripped(k, depth - 1), stripped(v, depth - 1)) for k, v in value.items()]
        value.clear()
        value.update(pairs)
        return value
    if type(value) is np.ndarray:
        flat = [stripped(each, depth - 1) for each in value.ravel().tolist()]
        plain = np.empty(len(flat), dtype=object)
        plain[:] = flat
        return plain.reshape(value.shape)
    held = getattr(value, "__dict__", None)
    if type(held) is dict:  # what is in slots is put back where it lingers
        held.update({name: stripped(each, depth - 1) for name, each in held.items()})
    return value


def lingering(tape: Tape) -> list[Any]:
    """Return traced numbers that somebody holds on to beside the tape."""
    held = []
    while tape.nodes:
        node = tape.nodes.pop()
        if sys.getrefcount(node) > 2:  # this name, and the argument
            held.append(node)
    return held
