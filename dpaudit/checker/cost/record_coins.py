"""Coins that code tosses record by record: what it does where one falls is done to a sample.

``[f(r) for r in data if random() < q]`` and ``for r in data: if random() < q: …`` toss a coin for
each record, independently of all else, as ``data[rng.random(len(data)) < q]`` does: the sample is
the same (`dpaudit.checker.cost.sampling`). The other conditions, and the rest of the body, are
followed for the records that are taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost import one_by_one
from dpaudit.checker.cost.deviations import names_in
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import Rows, Table, View
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import Coins, Sample, SampleMask, compared, of_taken
from dpaudit.checker.cost.values import Generator
from dpaudit.checker.operators import INEQUALITIES, TURNED
from dpaudit.checker.program import changed

Node = dict[str, Any]
_CONTRARY = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


@dataclass(frozen=True, slots=True)
class _Toss:
    """``draw < limit``, or another order of the two."""

    name: str
    draw: Node
    limit: Node


def listed(machine: Any, node: Node, frame: Any, first: Any) -> tuple[Any] | None:
    """Return a comprehension over a sample, or over records for which it tosses a coin.

    Parameters
    ----------
    machine : Machine
    node : dict
        The comprehension, of one clause.
    frame : Frame
    first : Any
        What it goes through.

    Returns
    -------
    tuple of Any, or None
        None for any other comprehension.
    """
    target, iterable, conditions = node["clauses"][0]
    conditions = [part for each in conditions for part in _parts(each)]
    sample = first if isinstance(first, Sample) else None
    if sample is None:
        tosses = [toss for each in conditions if (toss := _toss(each)) is not None]
        if len(tosses) != 1 or not _is_tossed_for(machine.run, first):
            return None
        conditions = [each for each in conditions if _toss(each) is None]
        sample = _taken(machine, tosses[0], frame, first, changed([{**node, "kind": "For",
                        "target": target}]))  # fmt: skip
    several = one_by_one.records(sample.rows)
    if several is None:
        return None
    inside = {**node, "clauses": [[target, iterable, conditions]]}
    found = one_by_one.comprehension(machine, inside, frame, several)
    return (of_taken(machine.run, "a comprehension", found, sample),)


def looped(machine: Any, node: Node, frame: Any, through: Any) -> bool:
    """Run a loop over a sample, or over records for which it tosses a coin first; else do nothing.

    Returns
    -------
    bool
        Whether it was such a loop.
    """
    if isinstance(through, Sample):
        sample = through
    else:
        if not _is_tossed_for(machine.run, through):
            return False
        found = _first_tossed(node["body"], set(frame.variables))
        if found is None:
            return False
        toss, body = found
        names = changed(node["body"]) | changed([{**node, "body": []}])
        sample = _taken(machine, toss, frame, through, names)
        node = {**node, "body": body}
    several = one_by_one.records(sample.rows)
    if several is None:
        return False
    machine.run.sample = sample
    try:
        one_by_one.loop(machine, node, frame, several)
    finally:
        machine.run.sample = None
    return True


def _parts(condition: Node) -> list[Node]:
    """Return the operands of ``a and b``, anything else alone."""
    if condition["kind"] == "Logic" and condition["operator"] == "and":
        return [part for each in condition["operands"] for part in _parts(each)]
    return [condition]


def _toss(test: Node) -> _Toss | None:
    """Return the comparison of a uniform draw with something, None for any other test."""
    library, _, name = str(test.get("function")).partition(".")
    if (
        test["kind"] != "Call"
        or library != "operator"
        or name not in INEQUALITIES
        or test["keywords"]
    ):
        return None
    first, second = test["arguments"]
    if _is_uniform(first):
        return _Toss(name, first, second)
    return _Toss(TURNED[name], second, first) if _is_uniform(second) else None


def _is_uniform(node: Node) -> bool:
    return node["kind"] == "Draw" and node["family"] == "random" and not node["arguments"]


def _is_plain(limit: Node) -> bool:
    """Whether a limit is made of numbers and variables alone: to ask for it changes nothing."""
    if limit["kind"] == "Call":
        library = str(limit["function"]).partition(".")[0]
        plain = library in ("operator", "math") and not limit["keywords"]
        return plain and all(map(_is_plain, limit["arguments"]))
    return limit["kind"] in ("Constant", "Name")


def _first_tossed(body: list[Node], held: set[str]) -> tuple[_Toss, list[Node]] | None:
    """Return the coin that decides whether a turn does anything, and what it does then.

    What is assigned before the coin is tossed nobody sees where it does not fall: a variable that
    has no value before a loop over records is gone when it is over. A variable that is `held`
    before the loop is not, and changes for every record.
    """
    for at, statement in enumerate(body):
        target = statement.get("target") or {}
        plain = statement["kind"] == "Assign" and target["kind"] == "Name"
        if plain and target["id"] not in held and _changes_nothing(statement["value"]):
            continue
        toss = _toss(statement["test"]) if statement["kind"] == "Branch" else None
        if toss is None:
            return None
        before, rest = body[:at], body[at + 1 :]
        yes, no = statement["yes"], statement["no"]
        if _goes_on(yes):
            return _Toss(_CONTRARY[toss.name], toss.draw, toss.limit), [*before, *no, *rest]
        if _goes_on(no) or not (no or rest):
            return toss, [*before, *yes, *rest]
        return None
    return None


def _changes_nothing(value: Any) -> bool:
    """Whether code draws nothing, sets nothing, and calls nothing that may change a value."""
    if isinstance(value, list):
        return all(map(_changes_nothing, value))
    if not isinstance(value, dict) or value.get("kind") == "Constant":
        return True
    function = value.get("function", "")
    named = isinstance(function, str) and not function.startswith(("method.", "operator.call"))
    own = value.get("kind") in ("Named", "Draw", "Function", "Closure") or value.get("keywords")
    return named and not own and all(map(_changes_nothing, value.values()))


def _goes_on(block: list[Node]) -> bool:
    """Whether a block is ``continue`` alone."""
    return len(block) == 1 and block[0]["kind"] == "Leave" and block[0]["how"] == "continue"


def _is_tossed_for(run: Run, value: Any) -> bool:
    """Whether a value is all records, of which neighbors have one more or one less."""
    if run.lane is not None or not isinstance(value, Rows | Table | Parts):
        return False
    view: View = value.view
    return view.whole and view.before == () and len(view.after) == 1 and view.size is None


def _taken(machine: Any, toss: _Toss, frame: Any, records: Any, names: set[str]) -> Sample:
    """Return the records for which a coin falls, whose chance depends on none of the variables."""
    run: Run = machine.run
    if names_in(toss.limit) & names or not _is_plain(toss.limit):
        raise run.refused("a sample whose chance a record tells")
    if not isinstance(machine.value(toss.draw["generator"], frame), Generator):
        raise run.refused("noise from a generator that is not understood")
    run.drawn, run.place = True, toss.draw["place"]
    limit = machine.value(toss.limit, frame)
    found = compared(run, toss.name, Coins(records.view), limit)
    if not isinstance(found, SampleMask):
        raise run.refused("a sample of all records")
    return found.of(run, records)
