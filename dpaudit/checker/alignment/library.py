# ruff: noqa: ARG001 - all handlers have one signature
"""Noise, and the functions of libraries that a path may meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from dpaudit.checker.alignment import blocks, vectors
from dpaudit.checker.alignment.folds import folded
from dpaudit.checker.alignment.numbers import arithmetic, binary, decided, extreme, truth
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import State
from dpaudit.checker.alignment.values import (
    ARRAYS,
    VECTORS,
    Applied,
    Block,
    Derived,
    Indices,
    Noise,
    Plain,
    Random,
    Range,
    Ref,
    Sums,
    Value,
    Zipped,
    all_truths,
    empty,
    is_truth,
    length_of,
    number,
    total_of,
)
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.operators import ARITHMETIC, LOGIC, ORDERS

if TYPE_CHECKING:
    from dpaudit.checker.alignment.constants import Node
    from dpaudit.checker.alignment.execute import Execution

FAMILIES = {
    "laplace": ("loc", "scale"),
    "exponential": ("scale",),
    "gumbel": ("loc", "scale"),
}

Paths = Iterator[tuple[State, Value]]
Function = Callable[["Execution", tuple[Value, ...], State, str], Paths]


def draw(run: Execution, node: Node, state: State) -> Paths:
    """Yield a draw of noise, or a vector of draws."""
    family, place = node["family"], node["place"]
    names = [name for name, _ in node["arguments"]]
    if family not in FAMILIES or not set(names) <= {*FAMILIES[family], "size"}:
        raise NotCheckedError(f"not checked: noise of the family {family!r:.40} at {place}")
    if len(set(names)) != len(names):
        raise NotCheckedError(f"not checked: an argument that is given twice at {place}")
    nodes = [node["generator"], *(value for _, value in node["arguments"])]
    for s, (generator, *values) in run.values(nodes, state):
        given = dict(zip(names, values, strict=True))
        scale, loc = given.get("scale", Ratio.of(1)), given.get("loc", Ratio.of(0))
        if not isinstance(generator, Random) or not isinstance(scale, Ratio):
            raise NotCheckedError(f"not checked: the scale or source of the noise at {place}")
        if number(loc, run.terms) is None:
            raise NotCheckedError(f"not checked: the location of the noise at {place}")
        if "size" not in given or given["size"] is None:
            noise = vectors.drawn(run, family, scale, s, place)
            yield s, arithmetic(run, "add", loc, noise, place)
            continue
        size = given["size"]
        size = size[0] if isinstance(size, tuple) and len(size) == 1 else size
        on_block = blocks.noise(run, size, family, scale, s, place) if "loc" not in given else None
        if on_block is not None:
            yield s, on_block
            continue
        public = isinstance(size, Ratio) and isinstance(loc, Ratio)
        if not public or size != vectors.SIZE or loc.constant != 0:
            raise NotCheckedError(f"not checked: noise of this size at {place}")
        site = "/".join([*s.turns, f"{place} {id(node)}"])
        if site in s.made:
            raise NotCheckedError(f"not checked: a vector of noise drawn again at {place}")
        s.made |= {site}
        yield s, Noise(site, s.loops, family, scale, place)


def call(
    run: Execution, name: str, arguments: tuple[Value, ...], state: State, place: str
) -> Paths:
    """Yield the value of a library's function, by its canonical name."""
    function = _FUNCTIONS.get((name, len(arguments))) or _FUNCTIONS.get((name, -1))
    if function is not None:
        yield from function(run, arguments, state, place)
    elif name in _BINARY and len(arguments) == 2:
        yield from binary(run, name, *arguments, state, place)
    else:
        raise NotCheckedError(f"not checked: {name} of {len(arguments)} arguments at {place}")


_BINARY = {f"operator.{word}" for word in (*ARITHMETIC, *LOGIC, *ORDERS)}
_FUNCTIONS: dict[tuple[str, int], Function] = {}
_ANY = -1


def _named(count: int, *names: str) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        _FUNCTIONS.update({(name, count): function for name in names})
        return function

    return register


@_named(1, "builtins.float", "numpy.float64", "method.item")
def _number(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    (value,) = arguments
    if isinstance(value, bool) or is_truth(value, run.terms) or number(value, run.terms) is None:
        raise NotCheckedError(f"not checked: a number made of this at {place}")
    yield state, value


@_named(1, "builtins.int", "numpy.int64")
def _whole(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    value = number(arguments[0], run.terms)
    if value is None or not run.terms.is_whole(value):
        raise NotCheckedError(f"not checked: a number cut to its whole part at {place}")
    yield state, value


@_named(1, "builtins.tuple", "builtins.list", "method.tolist")
def _copied(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    (value,) = arguments
    if isinstance(value, Ref):
        yield state, state.listed(state.contents(value))
    elif isinstance(value, VECTORS):
        yield state, Plain(value)
    else:
        raise NotCheckedError(f"not checked: a sequence made of this at {place}")


@_named(1, "numpy.asarray", "numpy.array", "method.copy")
def _array(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    if not isinstance(arguments[0], (*ARRAYS, Block)):
        raise NotCheckedError(f"not checked: an array made of this at {place}")
    yield state, arguments[0]


@_named(0, "builtins.list")
def _empty(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    yield state, state.listed(empty())


@_named(1, "builtins.bool", "numpy.bool")
def _truth(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    if is_truth(arguments[0], run.terms):
        yield state, arguments[0]
    else:
        yield from truth(run, arguments[0], state, place)


@_named(1, "operator.not_")
def _not(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    for s, holds in truth(run, arguments[0], state, place):
        yield s, not holds


@_named(1, "operator.neg")
def _negative(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    (value,) = arguments
    if isinstance(value, float):
        yield state, -value
    elif isinstance(value, ARRAYS):
        yield state, Applied("operator.neg", (value,))
    elif (found := number(value, run.terms)) is not None:
        yield state, arithmetic(run, "sub", Ratio.of(0), found, place)
    else:
        raise NotCheckedError(f"not checked: minus of this value at {place}")


@_named(1, "builtins.abs", "numpy.absolute", "math.fabs")
def _size(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    value, terms = number(arguments[0], run.terms), run.terms
    if value is None:
        raise NotCheckedError(f"not checked: the absolute value of this at {place}")
    above = terms.at_least(terms.number(value), terms.exact(0))
    for s, positive in decided(run, above, state, place):
        yield s, value if positive else arithmetic(run, "sub", Ratio.of(0), value, place)


@_named(1, "builtins.len", "numpy.size")
def _length(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    yield state, vectors.length(run, arguments[0], state, place)


@_named(_ANY, "builtins.range")
def _range(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    ends = [a for a in arguments if isinstance(a, Ratio) and run.terms.is_whole(a)]
    if len(ends) != len(arguments) or not 1 <= len(ends) <= 3:
        raise NotCheckedError(f"not checked: a range whose ends are not public at {place}")
    start, stop = (Ratio.of(0), ends[0]) if len(ends) == 1 else ends[:2]
    yield state, Range(start, stop, ends[2] if len(ends) == 3 else Ratio.of(1))


@_named(1, "builtins.enumerate")
def _enumerated(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    if isinstance(arguments[0], tuple):
        yield state, tuple((Ratio.of(at), item) for at, item in enumerate(arguments[0]))
    elif isinstance(arguments[0], VECTORS):
        yield state, Zipped((Indices(0), arguments[0]))
    else:
        raise NotCheckedError(f"not checked: an enumeration of this at {place}")


@_named(_ANY, "builtins.zip")
def _zipped(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    every = Range(Ratio.of(0), vectors.SIZE, Ratio.of(1))
    parts = tuple(Indices(0) if value == every else value for value in arguments)
    if not parts or not all(isinstance(value, VECTORS) for value in parts):
        raise NotCheckedError(f"not checked: a zip of these at {place}")
    yield state, Zipped(parts)


@_named(2, "method.append")
def _append(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    ref, item = arguments
    if not isinstance(ref, Ref) or (isinstance(item, Ref) and ref == item):
        raise NotCheckedError(f"not checked: append to this at {place}")
    state.heap[ref.at] = state.contents(ref).added(item)
    yield state, None


@_named(2, "method.count")
def _count(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    ref, wanted = arguments
    if not isinstance(ref, Ref) or not isinstance(wanted, bool):
        raise NotCheckedError(f"not checked: how often this is in a list at {place}")
    listing = state.contents(ref)
    held = total_of(listing, run.terms)
    if held is None or not all_truths(listing, run.terms):
        raise NotCheckedError(f"not checked: a count in a list of more than truths at {place}")
    length = length_of(listing, run.terms)
    yield state, held if wanted else arithmetic(run, "sub", length, held, place)


@_named(1, "builtins.sum", "numpy.sum", "method.sum")
def _sum(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    (value,) = arguments
    if isinstance(value, Block):
        yield state, value.total
        return
    if isinstance(value, Ref):
        total = total_of(state.contents(value), run.terms)
        if total is None:
            raise NotCheckedError(f"not checked: a sum of these values at {place}")
        yield state, total
        return

    def step(s: State, names: dict[str, str], _at: Value, item: Value) -> Iterator[State]:
        for t, total in binary(run, "operator.add", s.frame[names["sum"]], item, s, place):
            t.frame[names["sum"]] = total
            yield t

    for s, last in folded(run, value, {"sum": Ratio.of(0)}, step, state, place):
        yield s, last["sum"]


def _extreme(
    run: Execution, arguments: tuple[Value, ...], state: State, place: str, *, least: bool
) -> Paths:
    if len(arguments) < 2 or any(number(a, run.terms) is None for a in arguments):
        raise NotCheckedError(f"not checked: the extreme of these at {place}")
    yield from extreme(run, arguments, state, place, least=least)


_named(_ANY, "builtins.max")(partial(_extreme, least=False))
_named(_ANY, "builtins.min")(partial(_extreme, least=True))


@_named(2, "numpy.full")
def _array_of(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    if arguments[1] != Ratio.of(0):
        raise NotCheckedError(f"not checked: an array of other numbers than 0 at {place}")
    yield state, blocks.filled(run, arguments[0], state, place)


@_named(1, "numpy.cumsum", "method.cumsum")
def _running(run: Execution, arguments: tuple[Value, ...], state: State, place: str) -> Paths:
    if isinstance(arguments[0], Derived):
        yield state, arguments[0]
        return
    if not isinstance(arguments[0], VECTORS):
        raise NotCheckedError(f"not checked: the running sums of this at {place}")
    yield state, Sums(arguments[0])
