"""Lists of pairs of which the best is looked for become two lists, one for each side.

``scored.append((candidate, score))`` with ``max(scored, key=lambda pair: pair[1])[0]`` later, or
the first of the pairs when they are sorted, is the candidate at the place of the largest score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.selecting import unused
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Closure,
    Comprehension,
    Constant,
    Evaluate,
    Expression,
    For,
    Name,
    Return,
    Sequence,
    Statement,
    Subscript,
)

Block = tuple[Statement, ...]
_EXTREMES = {"builtins.max": "numpy.argmax", "builtins.min": "numpy.argmin"}


class _Best(NamedTuple):
    """What is taken of a list of pairs: one side of the pair whose other side is best."""

    node: Expression
    taken: int
    compared: int
    function: str
    sorting: Statement | None
    reads: int


def unpaired(body: Block) -> Block:
    """Return a body in which no pair is made that is only looked for by one of its sides.

    Parameters
    ----------
    body : tuple of Statement
    """
    for statement in body:
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            found = _unpaired(body, statement, statement.target.id)
            if found is not None:
                return unpaired(found)
    return body


def _unpaired(body: Block, start: Assign, name: str) -> Block | None:
    if rewriting.stores(*body)[name] != 1:
        return None
    best = _best(body, name)
    if best is None or best.taken == best.compared or not _in_order(body, name, best):
        return None
    named = rewriting.reads(*body)
    words = (f"first_of_{name}", f"second_of_{name}")
    sides = [Name(start.place, unused(word, named)) for word in words]
    index = call(
        start.place, "builtins.int", call(start.place, best.function, sides[best.compared])
    )
    taken = Subscript(best.node.place, sides[best.taken], index)
    made: list[Statement] | None = None
    value, appended = start.value, _appended(body, name)
    if isinstance(value, Comprehension) and value.kind == "list" and named[name] == 1 + best.reads:
        made = _listed(start, value, sides)
    empty = isinstance(value, Sequence) and value.kind == "list" and not value.items
    if empty and len(appended) == 1 and named[name] == 2 + best.reads:
        made = [Assign(start.place, side, Sequence(start.place, "list", ())) for side in sides]
    if made is None:
        return None
    changed: list[Statement] = []
    for statement in body:
        if statement is start:
            changed += made
        elif statement is not best.sorting:
            grown = _grown(statement, appended, sides)
            changed.append(rewriting.exchanged(grown, {id(best.node): taken}))
    return tuple(changed)


def _in_order(body: Block, name: str, best: _Best) -> bool:
    """Return whether a list is sorted once it is complete, and before it is looked at."""
    if best.sorting is None:
        return True
    at = body.index(best.sorting)
    early = all(best.node not in rewriting.inner(s) for s in body[: at + 1])
    return early and not any(rewriting.reads(s)[name] > 1 for s in body[at + 1 :]) and not any(
        node in rewriting.inner(s) for node in _appended(body, name) for s in body[at:]
    )  # fmt: skip


def _listed(start: Assign, value: Comprehension, sides: list[Name]) -> list[Statement] | None:
    """Return two lists instead of one of pairs, whose clauses are gone through twice."""
    pair = value.element
    clauses = [(items, tests) for _, items, tests in value.clauses]
    again = all(rewriting.is_quiet(part) for items, tests in clauses for part in (items, *tests))
    if not isinstance(pair, Sequence) or not _is_pair(pair) or not again:
        return None
    if all(map(rewriting.draws, pair.items)):
        return None  # the sides would be drawn in another order
    return [
        Assign(start.place, side, replace(value, element=item))
        for side, item in zip(sides, pair.items, strict=True)
    ]


def _is_pair(node: Any) -> bool:
    return isinstance(node, Sequence) and node.kind == "tuple" and len(node.items) == 2


def _appended(body: Block, name: str) -> list[Evaluate]:
    """Return the statements that append a pair."""
    found: list[Evaluate] = []
    for node in (n for statement in body for n in rewriting.inner(statement)):
        value = node.value if isinstance(node, Evaluate) else None
        if not isinstance(value, Call) or value.function != "method.append" or value.keywords:
            continue
        holder, *items = value.arguments
        pair = items[0] if len(items) == 1 else None
        assert isinstance(node, Evaluate)
        if isinstance(holder, Name) and holder.id == name and _is_pair(pair):
            found.append(node)
    return found


def _grown(statement: Any, appended: list[Evaluate], sides: list[Name]) -> Any:
    """Return a statement that appends to both lists where it appended pairs."""

    def grown(inner: Block) -> Iterator[Any]:
        for below in inner:
            if below in appended:
                yield from _both(below, sides)
            else:
                yield _grown(below, appended, sides)

    inside = isinstance(statement, For | Branch)
    return rewriting.with_blocks(statement, lambda b: (*grown(b),)) if inside else statement


def _both(statement: Evaluate, sides: list[Name]) -> Iterator[Statement]:
    pair = statement.value.arguments[1]  # type: ignore[union-attr]
    for side, item in zip(sides, pair.items, strict=True):  # type: ignore[union-attr]
        yield Evaluate(statement.place, call(statement.place, "method.append", side, item))


def _best(body: Block, name: str) -> _Best | None:
    """Return the one place where the best pair of a list is looked for."""
    found: list[_Best] = []
    sorting = next((s for s in body if _sorts(s, name)), None)
    for statement in body:
        for node in rewriting.inner(statement):
            side = _constant(node.index) if isinstance(node, Subscript) else None
            if not isinstance(node, Subscript) or side not in (0, 1):
                continue
            inner: Any = node.value
            if isinstance(inner, Call) and inner.function in _EXTREMES:
                told = _told(inner, name, _EXTREMES[inner.function])
                found += [_Best(node, side, *told, None, 1)] if told else []
            elif isinstance(inner, Subscript) and _constant(inner.index) == 0:
                of = inner.value
                if isinstance(of, Call) and of.function == "builtins.sorted":
                    told = _told(of, name, "numpy.argmin")
                    found += [_Best(node, side, *told, None, 1)] if told else []
                elif isinstance(of, Name) and of.id == name and sorting is not None:
                    told = _told(sorting.value, name, "numpy.argmin")  # type: ignore[union-attr, arg-type]
                    found += [_Best(node, side, *told, sorting, 2)] if told else []
    return found[0] if len(found) == 1 else None


def _sorts(statement: Statement, name: str) -> bool:
    value = statement.value if isinstance(statement, Evaluate) else None
    if not isinstance(value, Call) or value.function != "method.sort":
        return False
    return isinstance(value.arguments[0], Name) and value.arguments[0].id == name


def _told(node: Call, name: str, function: str) -> tuple[int, str] | None:
    """Return the side that is compared, and how, for ``max(pairs, key=...)`` and its kin."""
    keywords = dict(node.keywords)
    key, back = keywords.pop("key", None), keywords.pop("reverse", None)
    of = node.arguments[0] if len(node.arguments) == 1 else None
    if keywords or not isinstance(of, Name) or of.id != name or not isinstance(key, Closure):
        return None
    if back is not None and (node.function in _EXTREMES or type(_constant(back)) is not bool):
        return None
    body = key.function.body
    value = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
    down = back is not None and _constant(back) is True
    if isinstance(value, Call) and value.function == "operator.neg":
        value, down = value.arguments[0], not down
    if not isinstance(value, Subscript) or not isinstance(value.value, Name):
        return None
    side = _constant(value.index)
    plain = key.function.parameters == (value.value.id,) and not key.function.defaults
    if not plain or side not in (0, 1, -1, -2) or key.function.starred is not None:
        return None
    other = {"numpy.argmax": "numpy.argmin", "numpy.argmin": "numpy.argmax"}
    return side % 2, other[function] if down else function


def _constant(node: Expression) -> Any:
    """Return a constant, None of any other expression."""
    value = node.value if isinstance(node, Constant) else None
    return value if type(value) in (int, bool) else None
