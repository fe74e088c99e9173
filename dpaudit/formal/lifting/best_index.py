"""A loop that keeps the place of the best entry so far, as `numpy.argmax`.

``best = 0`` and then, for each i, ``if scores[i] > scores[best]: best = i`` ends with the first of
several that are equal, as `numpy.argmax` does.
"""

from __future__ import annotations

from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Constant,
    Expression,
    For,
    Name,
    Sequence,
    Statement,
    Subscript,
)

Block = tuple[Statement, ...]


def indexed(body: Block) -> Block:
    """Return a body in which no loop keeps the place of the best entry so far.

    Parameters
    ----------
    body : tuple of Statement
    """
    for at, statement in enumerate(body):
        if isinstance(statement, For):
            found = _place_of_best(statement, body)
            start = None if found is None else _start(found.target, body[:at], body)  # type: ignore[arg-type]
            if found is not None and start is not None:
                before = (s for s in body[:at] if s is not start)
                return indexed((*before, found, *body[at + 1 :]))
    return body


def _start(best: Name, before: Block, body: Block) -> Statement | None:
    """Return the assignment of 0 that a loop begins with, None where the name is used otherwise."""
    made = [s for s in before if best.id in rewriting.stores(s)]
    only = made[0] if len(made) == 1 else None
    zero = isinstance(only, Assign) and isinstance(only.value, Constant)
    if not zero or type(only.value.value) is not int or only.value.value != 0:  # type: ignore[union-attr]
        return None
    read = any(best.id in rewriting.reads(s) for s in before if s is not only)
    return None if read or rewriting.stores(*body)[best.id] != 2 else only


def _place_of_best(loop: For, body: Block) -> Assign | None:
    """Return what a loop does that only keeps the place of the best entry."""
    branch = loop.body[0] if len(loop.body) == 1 else None
    if not isinstance(branch, Branch) or branch.no or loop.otherwise or len(branch.yes) != 1:
        return None
    kept, goes = branch.yes[0], _goes_through(loop)
    if goes is None or not isinstance(kept, Assign) or not isinstance(kept.target, Name):
        return None
    scores, place, entry = goes
    names = [n.id for n in (place, entry) if n is not None]
    of_loop = rewriting.reads(loop)
    if any(rewriting.reads(*body)[name] != of_loop[name] for name in names):
        return None
    if len({scores.id, kept.target.id, *names}) != 2 + len(names):
        return None
    if not rewriting.same(kept.value, place):
        return None
    function = _compared(branch.test, scores, kept.target, place, entry)
    if function is None:
        return None
    index = call(loop.place, "builtins.int", call(loop.place, function, scores))
    return Assign(loop.place, kept.target, index)


def _goes_through(loop: For) -> tuple[Name, Name, Name | None] | None:
    """Return (scores, variable of the place, variable of the entry) of a loop over all entries."""
    items, target = loop.iterable, loop.target
    if not isinstance(items, Call) or items.keywords or not items.arguments:
        return None
    of: Any = items.arguments[-1]
    if items.function == "builtins.enumerate" and len(items.arguments) == 1:
        pair = target.items if isinstance(target, Sequence) else ()
        both = len(pair) == 2 and all(isinstance(n, Name) for n in pair)
        return (of, *pair) if both and isinstance(of, Name) else None  # type: ignore[return-value]
    if items.function != "builtins.range" or len(items.arguments) > 2:
        return None
    first = items.arguments[0] if len(items.arguments) == 2 else None
    if first is not None and not (isinstance(first, Constant) and first.value in (0, 1)):
        return None
    counted = isinstance(of, Call) and of.function == "builtins.len" and not of.keywords
    scores = of.arguments[0] if counted and len(of.arguments) == 1 else None
    named = isinstance(scores, Name) and isinstance(target, Name)
    return (scores, target, None) if named else None  # type: ignore[return-value]


def _compared(
    test: Expression, scores: Name, best: Name, place: Name, entry: Name | None
) -> str | None:
    """Return which extreme a test keeps, None where it is not the strict one of two entries."""
    if not isinstance(test, Call) or test.function not in ("operator.gt", "operator.lt"):
        return None
    left, right = test.arguments
    so_far = Subscript(test.place, scores, best)
    now: list[Expression] = [Subscript(test.place, scores, place)]
    now += [] if entry is None else [entry]
    larger = test.function == "operator.gt"
    if rewriting.same(left, so_far):
        left, right, larger = right, left, not larger
    if not rewriting.same(right, so_far) or not any(rewriting.same(left, n) for n in now):
        return None
    return "numpy.argmax" if larger else "numpy.argmin"
