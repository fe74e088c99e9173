"""Stretches of the data that a loop takes one after the other, each as a whole.

A block stands for one number X, of which the second run has X + D: D is the sum of the absolute
changes of its entries. Its noise stands for one number Y, which moves by -D or by 0: each entry's
noise then moves by minus that entry's change, which costs D together, or not at all. The noisy
block is the same in both runs where X + Y is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.checker.alignment.kinds import is_public
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import Draw, Read, State
from dpaudit.checker.alignment.terms import LENGTH, Term, unknowns
from dpaudit.checker.alignment.values import (
    Block,
    BlockNoise,
    Data,
    Derived,
    Filled,
    Range,
    Value,
    empty,
    is_term,
    number,
)
from dpaudit.checker.file import NotCheckedError

if TYPE_CHECKING:
    from dpaudit.checker.alignment.execute import Execution


def taken(run: Execution, of: Value, start: Value, stop: Value, state: State, place: str) -> Block:
    """Return ``of[start:stop]``, where the next turn of the loop begins at stop."""
    terms, depth = run.terms, len(state.loops) - 1
    walk, index = state.frame.get(f"%walk{depth}"), state.frame.get(f"%i{depth}")
    ends = number(start, terms), number(stop, terms)
    if not isinstance(of, Data) or not isinstance(walk, Range) or None in map(_kind, ends):
        raise NotCheckedError(f"not checked: this slice at {place}")
    first, last, at = (terms.simplified(terms.number(v)) for v in (*ends, index))
    step = terms.simplified(terms.subtract(last, first))
    if first != at or not at.hasSymbol() or step != terms.simplified(terms.number(walk.step)):
        raise NotCheckedError(f"not checked: a slice that is no turn of its loop at {place}")
    label = f"{str(at.getSymbol()).partition('@')[0]}:+"
    whole = terms.unknown(f"answer[{label}]@{state.origin}", terms.real)
    total = terms.unknown(f"sum of answer[{label}]@{state.origin}", terms.real)
    state.reads[f"answer[{label}]"] = Read(whole, at, label, "block")
    state.reads[f"sum of answer[{label}]"] = Read(total, at, label, "sum", whole)
    rest = terms.subtract(terms.parameter(LENGTH), at)
    full = terms.at_least(rest, terms.number(walk.step))
    length = terms.choose(full, terms.number(walk.step), rest)
    run.lengths[whole.getId()] = length
    return Block(whole, total, length)


def _kind(value: Any) -> Any:
    return value if value is None else True


def noise(
    run: Execution, size: Value, family: str, scale: Ratio, state: State, place: str
) -> BlockNoise | None:
    """Return one draw for each entry of a block, None where the size is not that of one."""
    for read in state.reads.values():
        if read.kind == "block" and is_term(size) and size == _length(run, read):
            if family != "laplace":
                raise NotCheckedError(f"not checked: {family} noise on a block at {place}")
            name = f"noise {len(state.draws)}@{state.origin}"
            drawn = run.terms.unknown(name, run.terms.real)
            state.draws.append(Draw(drawn, family, scale, place, read.answer))
            return BlockNoise(drawn, read.answer)
    return None


def _length(run: Execution, read: Read) -> Term:
    return run.lengths[read.answer.getId()]


def combined(name: str, left: Value, right: Value, run: Execution, place: str) -> Derived:
    """Return a vector made of noisy blocks and numbers, known by what it is made of."""
    if name == "operator.add":
        if isinstance(left, BlockNoise):
            left, right = right, left
        noisy = isinstance(left, Block) and isinstance(right, BlockNoise)
        if noisy and left.whole == right.whole:
            return Derived((run.terms.add(left.whole, right.noise),))
    parts: list[Any] = []
    for side in (left, right):
        found = number(side, run.terms)
        if isinstance(side, Derived):
            parts += side.parts
        elif found is not None and not isinstance(side, bool):
            parts.append(found)
        else:
            raise NotCheckedError(f"not checked: a block without its noise at {place}")
    return Derived(tuple(parts))


def filled(run: Execution, size: Value, state: State, place: str) -> Filled:
    """Return a new array, which is known by what is written into it."""
    if not isinstance(size, Ratio) or not run.terms.is_whole(size):
        raise NotCheckedError(f"not checked: an array of this size at {place}")
    return Filled(state.listed(empty()).at)


def write(
    run: Execution, target: Filled, where: tuple[Value, ...], value: Value, state: State, place: str
) -> None:
    """Note an assignment at public places of an array."""
    ends = [number(end, run.terms) for end in where]
    parts = value.parts if isinstance(value, Derived) else (number(value, run.terms),)
    if None in map(_kind, (*ends, *parts)) or isinstance(value, bool):
        raise NotCheckedError(f"not checked: this assignment into an array at {place}")
    for name in unknowns(end for end in ends if is_term(end)):
        if "@" in name and not is_public(name):
            raise NotCheckedError(f"not checked: a place that is not public at {place}")
    log = state.heap.get(target.at)
    if log is None:
        raise NotCheckedError(f"not checked: an array that is kept while a loop begins, {place}")
    state.heap[target.at] = log.added((Ratio.of(len(where)), *ends, *parts))
