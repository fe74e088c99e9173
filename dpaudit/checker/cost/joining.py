"""Joining what the ways through a branch or a loop on released values leave behind.

Both runs take the same way where a test, or the number of rounds, is what both hold alike. So what
both hold alike on every way they hold alike afterwards, and the ways need not be followed apart:

* a branch with one side: what it assigns is, after it, one of two values;
* a loop as often as was released: all that it changes is SHARED, before its first round and after
  its last. Its body is followed twice; where the second time pays for no more, no time does.

What a side pays is paid whether it was taken or not, which is more than both ways cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr, is_shared, mapped
from dpaudit.checker.cost.compare import found
from dpaudit.checker.cost.constants import CHANGED, FixedDict, FixedList
from dpaudit.checker.cost.delta_events import Coin
from dpaudit.checker.cost.ends import same
from dpaudit.checker.cost.indexing import contents, restore, validate_memory
from dpaudit.checker.cost.noise import Noisy, shown
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.shared import is_alike, is_repeated, takes_up
from dpaudit.checker.cost.values import (
    SHARED,
    Shared,
    Unknown,
    is_known,
    kind_of,
    negated,
    parts_of,
    spanning,
    unknown,
)
from dpaudit.checker.program import Node, target_parts

FORKS = 5  # tests on a path that are followed apart, where more is known of each side
_ABSENT = object()


def is_quiet(statements: Iterable[Node], *, loops: bool = False) -> bool:
    """Whether statements do nothing but compute, and change variables and what these hold."""
    return all(_is_quiet(node, loops) for node in statements)


def _is_quiet(node: Node, loops: bool) -> bool:
    match node:
        case {"kind": "Assign" | "Update", "target": target, "value": value}:
            return is_repeated(value) and all(map(_is_place, target_parts(target)))
        case {"kind": "Evaluate", "value": value}:
            return _appended(value) is not None
        case {"kind": "Branch", "test": test, "yes": yes, "no": no}:
            return is_repeated(test) and is_quiet([*yes, *no], loops=loops)
        case {"kind": "Leave", "how": "break" | "continue"}:
            return loops
        case {"kind": "For", "iterable": through}:
            return loops and is_repeated(through) and _is_quiet_loop(node)
        case {"kind": "While"}:
            return loops and _is_quiet_loop(node)
    return False


def _is_quiet_loop(node: Node) -> bool:
    """Whether a loop does nothing else, once it has what it goes through."""
    match node:
        case {"kind": "For", "target": target}:
            plain = all(part["kind"] == "Name" for part in target_parts(target))
        case {"test": test}:
            plain = is_repeated(test)
    return plain and not node["otherwise"] and is_quiet(node["body"], loops=True)


def _is_place(target: Node) -> bool:
    if target["kind"] == "Subscript":
        return bool(target["value"]["kind"] == "Name" and is_repeated(target["index"]))
    return bool(target["kind"] == "Name")


def _appended(value: Node) -> tuple[str, list[Node]] | None:
    """Return the list and what is appended to it, None for any other expression."""
    match value:
        case {"kind": "Call", "function": "method.append", "arguments": [of, *given]}:
            plain = of["kind"] == "Name" and not value["keywords"] and all(map(is_repeated, given))
            return (of["id"], given) if plain else None
    return None


def _changed(statements: Iterable[Node]) -> tuple[set[str], set[str]]:
    """Return the variables that statements assign, and those whose contents they may change."""
    bound, filled = set[str](), set[str]()
    for node in statements:
        if node["kind"] == "Update" and node["target"]["kind"] == "Name":
            filled.add(node["target"]["id"])  # an array, or a list, changes in place
        for target in target_parts(node["target"]) if "target" in node else ():
            if target["kind"] == "Name":
                bound.add(target["id"])
            else:
                filled.add(target["value"]["id"])
        appended = _appended(node["value"]) if node["kind"] == "Evaluate" else None
        if appended is not None:
            filled.add(appended[0])
        for name in ("yes", "no", "body"):
            inside = _changed(node.get(name, ()))
            bound |= inside[0]
            filled |= inside[1]
    return bound, filled


def _learned(run: Run) -> tuple[list[Any], dict[Any, list[Any]]]:
    """Return what tests have told until now, as it stays when more is told."""
    return list(run.tested), {of: list(told) for of, told in run.facts.items()}


# --- branches


def branched(machine: Any, node: Node, frame: Any, test: Any) -> bool:
    """Follow the only side of a branch and join what it leaves; return whether that was done."""
    run = machine.run
    body, outcome = node["yes"] or node["no"], bool(node["yes"])
    few = len(run.taken) < FORKS
    if few or run.lane is not None or (node["yes"] and node["no"]) or not is_quiet(body):
        return False
    if not is_open(run, test):
        return False
    value = found(run, shown(run, test))
    bound, filled = _changed(body)
    held = [machine.variable(name, frame) for name in filled]
    held = [of for of in held if not _is_scalar(of)]
    if not all(type(of) in (Arr, list, dict) for of in held):
        return False
    names = {name: frame.variables.get(name, _ABSENT) for name in bound}
    before = [contents(of) for of in held]
    (tested, facts), fallen = _learned(run), dict(run.fallen)
    machine.note(value, outcome)
    machine.block(body, frame)
    both = [_either(run, old, frame.variables[name]) for name, old in names.items()]
    cells = [_both(run, old, contents(of)) for old, of in zip(before, held, strict=True)]
    apart = any(new is _ABSENT for new in both) or any(new is None for new in cells)
    if apart or run.fallen != fallen:
        if run.fork(2, public=True) == 0:
            return True
        both, cells, outcome = list(names.values()), list(before), not outcome
        run.tested[:], run.facts, run.fallen = tested, facts, fallen
        machine.note(value, outcome)
    else:
        run.tested[:], run.facts = tested, facts
    for name, new in zip(names, both, strict=True):
        if new is _ABSENT:
            frame.variables.pop(name, None)
        else:
            frame.variables[name] = new
    for of, new in zip(held, cells, strict=True):
        restore(of, new)
    return True


def is_open(run: Run, test: Any) -> bool:
    """Whether a test has an outcome that both runs share, and nobody knows."""
    value = found(run, shown(run, test))
    if isinstance(value, Shared):
        return True
    if not isinstance(value, Unknown) or not value.shared:
        return False
    if (contrary := negated(value)) is not None:
        return is_open(run, contrary)
    known = value.regular and same(value.low, value.high)
    coin = value.sum_of is not None and isinstance(value.sum_of[0], Coin)
    return not known and not coin and all(tested is not value for tested, _ in run.tested)


def _both(run: Run, old: Any, new: Any) -> Any:
    """Return contents that are one of two, None where they cannot be told together."""
    if isinstance(old, list | dict):
        keys = range(len(old)) if isinstance(old, list) else list(old)
        if len(old) != len(new) or (isinstance(old, dict) and keys != list(new)):
            return None
        pairs = [_either(run, old[key], new[key]) for key in keys]
        if any(pair is _ABSENT for pair in pairs):
            return None
        return pairs if isinstance(old, list) else dict(zip(keys, pairs, strict=True))
    cells = mapped(lambda a, b: _either(run, a, b), old, new)
    return None if any(cell is _ABSENT for cell in cells.flat) else cells


def _either(run: Run, old: Any, new: Any) -> Any:
    """Return a value that is one of two, the same one in both runs, `_ABSENT` where it is none."""
    old, new = (v.shown if isinstance(v, Noisy) and v.shown else v for v in (old, new))
    if old is new:
        return old
    if isinstance(old, Arr) and isinstance(new, Arr):
        alike = old.dtype == new.dtype and old.cells.shape == new.cells.shape
        if not alike or not (is_shared(old) and is_shared(new)):
            return _ABSENT
        cells = mapped(lambda a, b: _either(run, a, b), old.cells, new.cells)
        run.held += (old.cells, new.cells, cells)  # it may be either: a change of one is of both
        return Arr(cells, old.dtype)
    if not all(_is_scalar(v) and is_shared(v) for v in (old, new)):
        return _ABSENT
    if kind_of(old) is None or kind_of(old) != kind_of(new):
        return SHARED
    return spanning([unknown(old), unknown(new)])


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Unknown | Shared | Noisy) or is_known(value)


# --- loops


def repeated(machine: Any, node: Node, frame: Any) -> bool:
    """Follow a loop as often as was released; return whether it is one that can be.

    Raises
    ------
    NotCheckedError
        Where what it changes is not the same in both runs, or costs something each time.
    """
    run = machine.run
    if run.lane is not None or not _is_quiet_loop(node):
        return False
    bound, filled = _changed([node])
    (tested, facts), fallen = _learned(run), dict(run.fallen)
    for name in bound | filled:
        _generalize(machine, name, frame, bound=name in bound, filled=name in filled)
    paid = None
    rounds = [node] if node["kind"] == "While" else node["body"]
    for target in target_parts(node["target"]) if "target" in node else ():
        frame.variables[target["id"]] = SHARED
    for _ in range(2):
        _followed(machine, rounds, frame)
        if paid not in (None, run.ledger.paid) or run.fallen != fallen:
            raise run.refused("private data in a loop whose number of rounds was released")
        paid = run.ledger.paid
    run.tested[:], run.facts = tested, facts
    return True


def _generalize(machine: Any, name: str, frame: Any, *, bound: bool, filled: bool) -> None:
    """Let a variable be anything that both runs share, or an array that it fills hold that."""
    run = machine.run
    value = frame.variables.get(name, SHARED) if bound else machine.variable(name, frame)
    if not is_alike(run, value):
        raise run.refused("private data in a loop whose number of rounds was released")
    if isinstance(value, Arr) and filled:
        validate_memory(run, value)
        value.cells[...] = SHARED
        if name not in frame.variables or not bound:
            return
    fixed = isinstance(value, FixedList | FixedDict) or run.is_lent(value)
    changing = isinstance(value, list | dict) and not fixed
    if isinstance(value, list | dict | tuple):
        if name not in frame.variables or (changing and not _is_alone(machine, frame, name, value)):
            raise run.refused("a list in a loop whose number of rounds was released")
        if any(isinstance(part, Arr | list | dict) for part in value):
            raise run.refused("nested lists in a loop whose number of rounds was released")
        if not changing and not isinstance(value, tuple):
            raise run.refused(CHANGED)
    elif isinstance(value, Arr):
        run.held.append(value.cells)
    frame.variables[name] = SHARED


def _is_alone(machine: Any, frame: Any, name: str, value: Any) -> bool:
    """Whether one variable alone holds a list or a dict."""
    todo: list[Any] = [v for key, v in frame.variables.items() if key != name]
    todo += [each for each in machine.frames if each is not frame]
    return all(each is not value for each in _mutable(todo, {id(frame)}))


def _inside(value: Any) -> Iterator[Any]:
    yield from parts_of(value)
    for name in ("frame", "parent", "bound", "variables", "of", "values"):
        if hasattr(value, name):
            yield getattr(value, name)


def _followed(machine: Any, statements: Iterable[Node], frame: Any) -> None:
    """Follow statements on every way at once, where all that they change is shared."""
    run = machine.run
    for node in statements:
        run.step(node["place"])
        match node["kind"]:
            case "Assign" | "Update":
                _take(machine, frame, node["value"])
                for target in target_parts(node["target"]):
                    _put(machine, target, node["value"], frame)
                if node["kind"] == "Update" and run.held:  # of an array, it is one in place
                    raise run.refused("a change of an array whose memory another object may share")
            case "Evaluate":
                name, given = _appended(node["value"]) or ("", [])
                _take(machine, frame, *given)
                if not isinstance(frame.variables.get(name), Shared) or run.held:
                    raise run.refused("a list in a loop whose number of rounds was released")
            case "Branch":
                _validate(machine, frame, node["test"])
                _followed(machine, node["yes"], frame)
                _followed(machine, node["no"], frame)
            case "For":
                _take(machine, frame, node["iterable"])
                for target in target_parts(node["target"]):
                    frame.variables[target["id"]] = SHARED
                _followed(machine, node["body"], frame)
            case "While":
                _validate(machine, frame, node["test"])
                _followed(machine, node["body"], frame)
            case "Leave":
                return


def _put(machine: Any, target: Node, value: Node, frame: Any) -> None:
    """Note that a place holds what both runs share."""
    if target["kind"] == "Name":
        frame.variables[target["id"]] = SHARED
        return
    _validate(machine, frame, target["index"])
    of = machine.variable(target["value"]["id"], frame)
    if isinstance(of, Arr) and all(cell is SHARED for cell in of.cells.flat):
        return
    if not isinstance(of, Shared) or not takes_up(machine.run, of, machine.value(value, frame)):
        raise machine.run.refused("a change in a loop as often as was released")


def _validate(machine: Any, frame: Any, *nodes: Node) -> list[Any]:
    """Return values, and refuse those that the runs do not share."""
    values = [machine.value(node, frame) for node in nodes]
    if not all(is_alike(machine.run, value) for value in values):
        raise machine.run.refused("private data in a loop whose number of rounds was released")
    return values


def _take(machine: Any, frame: Any, *nodes: Node) -> None:
    """Let variables be values, of which a loop may change what these hold.

    Such changes are not seen: nothing else may hold that, and an array is not changed any more.
    """
    held = list(_mutable(_validate(machine, frame, *nodes)))
    if held:
        elsewhere = list(_mutable([frame, *machine.frames]))
        for value in held:
            if not isinstance(value, Arr):
                if isinstance(value, FixedList | FixedDict) or any(value is v for v in elsewhere):
                    raise machine.run.refused(
                        "a list in a loop whose number of rounds was released"
                    )
            elif any(
                isinstance(v, Arr) and np.may_share_memory(value.cells, v.cells) for v in elsewhere
            ):
                machine.run.held.append(value.cells)


def _mutable(todo: list[Any], known: Iterable[int] = ()) -> Iterator[Any]:
    """Yield the lists, dicts and arrays that values hold, at any depth."""
    seen = set(known)
    while todo:
        value = todo.pop()
        if id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, list | dict | Arr):
                yield value
            todo.extend(_inside(value))
