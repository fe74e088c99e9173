"""Functions of vectors, as loops with hidden variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from dpaudit.checker.alignment.numbers import arithmetic
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import State
from dpaudit.checker.alignment.values import (
    VECTORS,
    Filled,
    Ref,
    Sums,
    Value,
    empty,
    is_term,
    known,
    number,
)
from dpaudit.checker.alignment.vectors import is_vector, listed, validate_unchanged, walked
from dpaudit.checker.file import NotCheckedError

if TYPE_CHECKING:
    from dpaudit.checker.alignment.constants import Node
    from dpaudit.checker.alignment.execute import Execution, Outcome

Paths = Iterator[tuple[State, Value]]


def folded(
    run: Execution,
    value: Value,
    start: dict[str, Value],
    step: Callable[[State, dict[str, str], Value, Value], Iterator[State]],
    state: State,
    place: str,
) -> Iterator[tuple[State, dict[str, Value]]]:
    """Go through a vector with hidden variables; yield their last values."""
    depth = len(state.loops)
    names = {name: f"%{name}{depth}" for name in start}
    before = set(state.frame)
    for name, first in start.items():
        state.frame[names[name]] = first
    items = listed(value, state)

    def body(s: State, item: Value) -> Iterator[Outcome]:
        for t in step(s, names, s.frame[f"%i{depth}"], item):
            yield t, "next", None

    def turns(s: State, at: int) -> Iterator[State]:
        if items is None or at == len(items):
            validate_unchanged(value, items or [], s, place)
            yield s
            return
        for t in step(s, names, Ratio.of(at), items[at]):
            yield from turns(t, at + 1)

    key = f"fold {place} {'.'.join(start)}"
    if items is None:
        node = {"place": place}
        ends: Iterator[State] = (s for s, _, _ in walked(run, value, state, key, body, node))
    else:
        ends = turns(state, 0)
    for s in ends:
        if not all(name in s.frame for name in names.values()):
            raise NotCheckedError(f"not checked: a value of several kinds at {place}")
        last = {name: s.frame[hidden] for name, hidden in names.items()}
        for name in set(s.frame) - before:
            del s.frame[name]
        yield s, last


def comprehension(run: Execution, node: Node, state: State) -> Paths:
    """Yield what a comprehension with one ``for`` makes."""
    if len(node["clauses"]) != 1:
        raise NotCheckedError(f"not checked: this comprehension at {node['place']}")
    target, iterable, conditions = node["clauses"][0]
    for s, source in run.value(iterable, state):
        outside = dict(s.frame)
        for t, made in _made(run, node, target, source, conditions, s):
            for name in set(t.frame) - set(outside):
                del t.frame[name]
            yield t, made


def _made(
    run: Execution, node: Node, target: Node, source: Value, conditions: list[Node], state: State
) -> Paths:
    if target["kind"] == "Name" and target["id"] in state.frame:
        what = "a comprehension over a name that is taken"
        raise NotCheckedError(f"not checked: {what} at {node['place']}")

    def step(s: State, names: dict[str, str], _at: Value, item: Value) -> Iterator[State]:
        run.assign(target, item, s)
        yield from kept(s, names, 0)

    def kept(s: State, names: dict[str, str], at: int) -> Iterator[State]:
        if at < len(conditions):
            for t, yes in run.truth(conditions[at], s):
                if yes:
                    yield from kept(t, names, at + 1)
                else:
                    yield t
            return
        for t, value in run.value(node["element"], s):
            ref = t.frame[names["made"]]
            t.heap[ref.at] = t.contents(ref).added(value)
            yield t

    start = {"made": state.listed(empty())}
    for s, last in folded(run, source, start, step, state, node["place"]):
        yield s, last["made"]


def written_out(run: Execution, value: Value, state: State, place: str) -> Paths:
    """Yield an output, a vector written out as a list."""
    if isinstance(value, Sums):
        start = {"out": state.listed(empty()), "total": Ratio.of(0)}
        for s, last in folded(run, value.of, start, _add_total(run, place), state, place):
            yield s, last["out"]
    elif isinstance(value, VECTORS):
        start = {"out": state.listed(empty())}
        for s, last in folded(run, value, start, _add, state, place):
            yield s, last["out"]
    elif isinstance(value, tuple):
        if any(is_vector(part) for part in value):
            raise NotCheckedError(f"not checked: a tuple of vectors returned at {place}")
        yield state, value
    elif (
        is_term(value) or isinstance(value, Ref | Filled) or (known(value) and not is_vector(value))
    ):
        yield state, value
    else:
        raise NotCheckedError(f"not checked: an output of this kind at {place}")


def _add(state: State, names: dict[str, str], _at: Value, item: Value) -> Iterator[State]:
    ref = state.frame[names["out"]]
    state.heap[ref.at] = state.contents(ref).added(item)
    yield state


def _add_total(run: Execution, place: str) -> Any:
    def step(state: State, names: dict[str, str], _at: Value, item: Value) -> Iterator[State]:
        if isinstance(item, bool) or number(item, run.terms) is None:
            raise NotCheckedError(f"not checked: a running sum of these values at {place}")
        total = arithmetic(run, "add", state.frame[names["total"]], item, place)
        state.frame[names["total"]] = total
        yield from _add(state, names, _at, total)

    return step
