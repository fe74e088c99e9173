"""Vectors as long as the data: gone through as loops of unknown length, in any function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.checker.alignment.numbers import arithmetic, binary
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import Draw, Read, State
from dpaudit.checker.alignment.terms import LENGTH, Term
from dpaudit.checker.alignment.values import (
    VECTORS,
    Applied,
    Block,
    Data,
    Indices,
    Noise,
    Plain,
    Range,
    Ref,
    Scalar,
    Sums,
    Value,
    Whole,
    Zipped,
    length_of,
    number,
)
from dpaudit.checker.file import NotCheckedError

if TYPE_CHECKING:
    from dpaudit.checker.alignment.constants import Node
    from dpaudit.checker.alignment.execute import Execution, Outcome

Paths = Iterator[tuple[State, Value]]
SIZE = Ratio.name(LENGTH)
_LONGEST = 64


def is_vector(value: Value) -> bool:
    """Whether a value is a vector as long as the data."""
    return isinstance(value, (*VECTORS, Sums))


def listed(value: Value, state: State) -> list[Value] | None:
    """Return the entries of an iterable of known length, None where it is unknown."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Ref) and state.contents(value).earlier is None:
        return list(state.contents(value).items)
    if isinstance(value, Range):
        ends = [end.constant for end in (value.start, value.stop, value.step)]
        if all(end is not None and end.denominator == 1 for end in ends) and ends[2]:
            numbers = range(*(int(end) for end in ends if end is not None))
            if len(numbers) > _LONGEST:
                raise NotCheckedError(f"not checked: a loop of {len(numbers)} turns")
            return [Ratio.of(at) for at in numbers]
    return None


def validate_unchanged(value: Value, items: list[Value], state: State, place: str) -> None:
    """Refuse a list that grew while a loop went through it: the loop would have gone on."""
    if isinstance(value, Ref) and len(state.contents(value).items) != len(items):
        raise NotCheckedError(f"not checked: a list that changes while it is gone through, {place}")


def length(run: Execution, value: Value, state: State, place: str) -> Value:
    """Return ``len(value)``."""
    if is_vector(value):
        return SIZE
    if isinstance(value, tuple):
        return Ratio.of(len(value))
    if isinstance(value, Block):
        return value.length
    if isinstance(value, Ref):
        return length_of(state.contents(value), run.terms)
    raise NotCheckedError(f"not checked: the length of this value at {place}")


def entry(run: Execution, of: Value, at: Value, state: State, place: str) -> Value:
    """Return ``of[at]``."""
    index = number(at, run.terms) if not isinstance(at, bool) else None
    of = of.of if isinstance(of, Plain) else of
    if isinstance(of, Data) and index is not None and run.terms.is_whole(index):
        return _answer(run, index, state)
    place_at = index.constant if isinstance(index, Ratio) else None
    if place_at is not None and place_at.denominator == 1:
        if isinstance(of, tuple) and -len(of) <= place_at < len(of):
            return of[int(place_at)]
        if isinstance(of, Ref):
            found = state.contents(of)
            least = 0 if found.earlier is None else -1 - len(found.items)
            if -len(found.items) <= place_at < (len(found.items) if least == 0 else 0):
                return found.items[int(place_at)]
    raise NotCheckedError(f"not checked: this entry at {place}")


def _answer(run: Execution, index: Any, state: State) -> Term:
    """Return an answer: one unknown for each index, as it is written."""
    at = run.terms.simplified(run.terms.number(index))
    label = str(at).strip("|")
    label = label.partition("@")[0] if at.isIntegerValue() or at.hasSymbol() else label
    name = f"answer[{label}]"
    if name not in state.reads:
        answer = run.terms.unknown(f"{name}@{state.origin}", run.terms.real)
        state.reads[name] = Read(answer, at, label)
    if state.reads[name].index != at:
        raise NotCheckedError("not checked: an entry that was read before a loop began")
    return state.reads[name].answer


# --- going through a vector


def walked(
    run: Execution,
    iterable: Value,
    state: State,
    key: str,
    body: Callable[[State, Value], Iterator[Outcome]],
    node: Node,
) -> Iterator[Outcome]:
    """Go through an iterable of unknown length; yield ``next`` where it ends."""
    place, terms = node["place"], run.terms
    if isinstance(iterable, Range):
        walk, ends = iterable, iterable
        _validate_range(iterable, place)
    elif isinstance(iterable, VECTORS):
        walk, ends = _bound(iterable, state), Range(Ratio.of(0), SIZE, Ratio.of(1))
        _use_noise(walk, state, place)
    else:
        raise NotCheckedError(f"not checked: a loop over this value at {place}")
    index, described = f"%i{len(state.loops)}", f"%walk{len(state.loops)}"
    state.frame[index], state.frame[described] = ends.start, walk

    def test(s: State) -> Iterator[tuple[State, bool]]:
        if s.frame.get(described) != walk:
            raise NotCheckedError(f"not checked: a loop over one of several values at {place}")
        left = arithmetic(run, "sub", ends.stop, s.frame[index], place)
        goes_on = terms.at_least(terms.number(left), terms.exact(1))
        return run.decide(goes_on, s, place)

    def step(s: State) -> Iterator[Outcome]:
        at = s.frame[index]
        for t, item in _entries(run, walk, at, s, place):
            for u, how, value in body(t, item):
                if how in ("next", "continue"):
                    u.frame[index] = arithmetic(run, "add", at, ends.step, place)
                yield u, how, value

    for s, how, value in run.loop(key, place, state, test, step, ends):
        s.frame.pop(index, None)
        s.frame.pop(described, None)
        yield s, how, value


def _validate_range(found: Range, place: str) -> None:
    if (found.step.constant or 0) <= 0:
        raise NotCheckedError(f"not checked: a range that may go down at {place}")


def _use_noise(walk: Value, state: State, place: str) -> None:
    """Note that a loop goes through vectors of noise: once, and not again in every iteration."""
    for noise in _noises(walk):
        if noise.site in state.used or noise.loops != state.loops:
            raise NotCheckedError(f"not checked: noise that is used twice at {place}")
        state.used |= {noise.site}


def _noises(walk: Value) -> list[Noise]:
    if isinstance(walk, Noise):
        return [walk]
    if isinstance(walk, Plain):
        return _noises(walk.of)
    parts = walk.parts if isinstance(walk, Applied | Zipped) else ()
    return [noise for part in parts for noise in _noises(part)]


def _bound(walk: Value, state: State) -> Value:
    """Return a vector whose scalars are variables, so that a loop's head has them too."""
    if isinstance(walk, Whole):
        name = f"%c{sum(known_name.startswith('%c') for known_name in state.frame)}"
        state.frame[name] = walk.value
        return Scalar(name)
    if isinstance(walk, Plain):
        return Plain(_bound(walk.of, state))
    if isinstance(walk, Applied | Zipped):
        return replace(walk, parts=tuple(_bound(part, state) for part in walk.parts))
    return walk


def _entries(run: Execution, walk: Value, at: Value, state: State, place: str) -> Paths:
    """Yield an entry of a vector, on each path."""
    match walk:
        case Range():
            yield state, at
        case Data():
            yield state, _answer(run, at, state)
        case Plain(of):
            yield from _entries(run, of, at, state, place)
        case Noise():
            yield state, drawn(run, walk.family, walk.scale, state, walk.place)
        case Indices(start):
            yield state, arithmetic(run, "add", at, Ratio.of(start), place)
        case Scalar(name):
            if name not in state.frame:
                raise NotCheckedError(f"not checked: a value of several kinds at {place}")
            yield state, state.frame[name]
        case Zipped(parts):
            yield from _all_entries(run, parts, at, state, place)
        case Applied(function, parts):
            for s, values in _all_entries(run, parts, at, state, place):
                if len(values) == 2:
                    yield from binary(run, function, *values, s, place)
                else:
                    yield s, arithmetic(run, "sub", Ratio.of(0), _number(run, values[0]), place)
        case _:
            raise NotCheckedError(f"not checked: the entries of this value at {place}")


def _number(run: Execution, value: Value) -> Any:
    found = number(value, run.terms)
    if found is None:
        raise NotCheckedError("not checked: minus of what is no number")
    return found


def _all_entries(
    run: Execution, parts: tuple[Value, ...], at: Value, state: State, place: str
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    if not parts:
        yield state, ()
        return
    for s, first in _entries(run, parts[0], at, state, place):
        for t, rest in _all_entries(run, parts[1:], at, s, place):
            yield t, (first, *rest)


def drawn(run: Execution, family: str, scale: Ratio, state: State, place: str) -> Term:
    """Return one draw of noise around 0."""
    name = f"noise {len(state.draws)}@{state.origin}"
    noise = run.terms.unknown(name, run.terms.real)
    state.draws.append(Draw(noise, family, scale, place))
    return noise
