"""Vectors: entry by entry where their length is known, as loops where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dpaudit.formal.alignment import loops
from dpaudit.formal.alignment.arithmetic import binary
from dpaudit.formal.alignment.blocks import Block, Written, taken
from dpaudit.formal.alignment.cuts import length_of as items_length
from dpaudit.formal.alignment.loops import Walk
from dpaudit.formal.alignment.poly import ONE, ZERO, Poly, Symbol
from dpaudit.formal.alignment.trace import Same
from dpaudit.formal.alignment.values import Array, Flag, Items, Range, Scan, Stream
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.alignment.interpret import Interpreter

UNARY: dict[str, Callable[[Any, Any, Place], Any]] = {}


def listed(value: Any, place: Place) -> list[Any] | None:
    """Return the entries of an iterable of known length, None where it is unknown."""
    if isinstance(value, Array) or (isinstance(value, Items) and value.prefix is None):
        return list(value.items)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Range):
        ends = [p.constant for p in (value.start, value.stop, value.step)]
        if all(e is not None for e in ends):
            return [Poly.of(i) for i in range(*(int(e) for e in ends if e is not None))]
        return None
    if isinstance(value, Stream | Scan):
        return None
    raise Unsupported("an iteration over this value", place)


def walk_of(run: Interpreter, value: Any, place: Place) -> Walk:
    """Return how to go through an iterable of unknown length.

    Scalars in it become variables, so that they have a value at the head of the loop too.
    """
    if isinstance(value, Range):
        for end in (value.start, value.stop, value.step):
            _public(end, place)
        if (value.step.constant or 0) <= 0 and value.step.symbols() == frozenset():
            raise Unsupported("a range that goes down", place)
        return Walk(value.start, value.stop, value.step, lambda at: at, (), value)
    if isinstance(value, Stream):
        bound = _bound(run, value)
        entry = lambda at: _entry(run, bound, at, place)  # noqa: E731
        return Walk(ZERO, run.length, ONE, entry, value.noises(), bound)
    raise Unsupported("an iteration over this value of unknown length", place)


def _public(value: Poly, place: Place) -> None:
    if any(s.kind not in ("parameter", "shared") for s in value.symbols()):
        raise Unsupported("a range whose ends depend on data or noise", place)


def _bound(run: Interpreter, stream: Stream) -> Stream:
    if stream.what == "scalar":
        name = f"%c{sum(n.startswith('%c') for n in run.frames[-1])}"
        run.frames[-1][name] = stream.value
        return Stream("name", value=name)
    return Stream(
        stream.what, stream.function, tuple(_bound(run, p) for p in stream.parts), stream.value
    )


def _entry(run: Interpreter, stream: Stream, at: Poly, place: Place) -> Any:
    match stream.what:
        case "data":
            return Poly.of(Symbol(f"{stream.value}[{at}]", "input"))
        case "noise":
            return stream.value.sample()
        case "index":
            return at + stream.value
        case "name":
            return run.load(stream.value, place)
        case "tuple":
            return tuple(_entry(run, part, at, place) for part in stream.parts)
    values = [_entry(run, part, at, place) for part in stream.parts]
    if len(values) == 2:
        return binary(run, stream.function, values[0], values[1], place)
    return UNARY[stream.function](run, values[0], place)


def apply(run: Interpreter, function: str, values: tuple[Any, ...], place: Place) -> Any:
    """Apply a function to the entries of vectors; scalars go with every entry."""
    if any(isinstance(v, Scan) for v in values):
        raise Unsupported("arithmetic on running sums", place)
    if not any(isinstance(v, Stream) for v in values):
        return _apply_known(run, function, values, place)
    parts = []
    for value in values:
        if isinstance(value, Array | Items):
            raise Unsupported("a vector of known length with one of unknown length", place)
        parts.append(value if isinstance(value, Stream) else Stream("scalar", value=value))
    return Stream("apply", function, tuple(parts))


def _apply_known(run: Interpreter, function: str, values: tuple[Any, ...], place: Place) -> Array:
    lengths = {len(v.items) for v in values if isinstance(v, Array)}
    if len(lengths) != 1 or any(isinstance(v, Items) for v in values):
        raise Unsupported("arithmetic on vectors of different lengths", place)
    rows = [v.items if isinstance(v, Array) else [v] * max(lengths) for v in values]
    if len(rows) == 2:
        return Array([binary(run, function, a, b, place) for a, b in zip(*rows, strict=True)])
    return Array([UNARY[function](run, a, place) for a in rows[0]])


def length_of(run: Interpreter, value: Any, place: Place) -> Poly:
    """Return ``len(value)``."""
    if isinstance(value, Stream | Scan):
        return run.length
    if isinstance(value, Block):
        return value.length
    if isinstance(value, Items):
        return items_length(value)
    if isinstance(value, Array):
        return Poly.of(len(value.items))
    if isinstance(value, tuple):
        return Poly.of(len(value))
    raise Unsupported("the length of this value", place)


def entry_of(run: Interpreter, value: Any, index: Any, place: Place) -> Any:
    """Return ``value[index]``."""
    if isinstance(index, tuple) and index[:1] == ("slice",):
        if isinstance(value, Stream) and value.what == "data" and index[3] is None:
            return taken(run, value.value, index[1], index[2], place)
        return _sliced(value, index[1:], place)
    known = index.constant if isinstance(index, Poly) else None
    if isinstance(value, Stream) and value.what == "data" and isinstance(index, Poly):
        if any(s.kind not in ("shared", "parameter") for s in index.symbols()):
            run.script.events.append(Same(index, place))
        return Poly.of(Symbol(f"{value.value}[{index}]", "input"))
    if known is None:
        raise Unsupported("an entry at an unknown place", place)
    if isinstance(value, Items) and value.prefix:
        if not -len(value.items) <= known < 0:
            raise Unsupported("an entry that an earlier iteration made", place)
        return value.items[int(known)]
    if isinstance(value, Array | Items | tuple):
        items = value if isinstance(value, tuple) else value.items
        if not -len(items) <= known < len(items):
            raise Unsupported("an index out of range", place)
        return items[int(known)]
    raise Unsupported("a subscript of this value", place)


def _known_slice(ends: tuple[Any, ...], place: Place) -> slice:
    numbers = [None if e is None else e.constant for e in ends]
    if any(e is not None and n is None for e, n in zip(ends, numbers, strict=True)):
        raise Unsupported("a slice with unknown ends", place)
    return slice(*(None if n is None else int(n) for n in numbers))


def _sliced(value: Any, ends: tuple[Any, ...], place: Place) -> Any:
    part = _known_slice(ends, place)
    if isinstance(value, Array):
        return Array(value.items[part])
    if isinstance(value, Items) and value.prefix is None:
        return Items(value.items[part])
    if isinstance(value, tuple):
        return value[part]
    raise Unsupported("a slice of this value", place)


def assign_slice(target: Array, index: tuple[Any, ...], value: Any, place: Place) -> None:
    """Assign a vector to a slice of an array of known length."""
    part = _known_slice(index[1:], place)
    new = listed(value, place)
    if new is None or len(target.items[part]) != len(new) or part.step is not None:
        raise Unsupported("an assignment of another length", place)
    target.items[part] = new


def fold(
    run: Interpreter,
    value: Any,
    start: dict[str, Any],
    step: Callable[[dict[str, Any], Poly, Any], None],
    place: Place,
) -> dict[str, Any]:
    """Go through a vector with variables of one's own; return their last values."""
    names = {name: f"%{name}{len(run.loops)}" for name in start}
    frame = run.frames[-1]
    known = listed(value.stream if isinstance(value, Scan) else value, place)
    if known is not None:
        state = dict(start)
        for at, item in enumerate(known):
            step(state, Poly.of(at), item)
        return state
    before = set(frame)
    for name, first in start.items():
        frame[names[name]] = first
    walk = walk_of(run, value, place)

    def body(at: Poly) -> None:
        item = walk.entry(at)
        state = {name: run.load(names[name], place) for name in start}
        step(state, at, item)
        for name, new in state.items():
            frame[names[name]] = new

    with loops.untidy(run):
        loops.indexed(run, f"{place.line}:fold{'.'.join(start)}", walk, body, place)
    result = {name: run.load(names[name], place) for name in start}
    for hidden in set(frame) - before:
        del frame[hidden]
    return result


def materialized(run: Interpreter, value: Any, place: Place) -> Any:
    """Return an output with every vector in it written out as a list."""
    if isinstance(value, tuple):
        return tuple(materialized(run, part, place) for part in value)
    if isinstance(value, Array):
        return Items(list(value.items))
    if isinstance(value, Stream):
        return fold(run, value, {"out": Items()}, _append, place)["out"]
    if isinstance(value, Scan):
        start = {"out": Items(), "total": ZERO}
        return fold(run, value.stream, start, _append_total, place)["out"]
    if isinstance(value, Items | Poly | Flag | Written | bool | str | float) or value is None:
        return value
    raise Unsupported("an output of this kind", place)


def _append(state: dict[str, Any], _at: Poly, item: Any) -> None:
    state["out"].items.append(item)


def _append_total(state: dict[str, Any], _at: Poly, item: Any) -> None:
    if not isinstance(item, Poly):
        raise Unsupported("a sum of values that are no numbers", None)
    state["total"] = state["total"] + item
    state["out"].items.append(state["total"])
