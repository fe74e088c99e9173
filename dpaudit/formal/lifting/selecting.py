"""Selections that are written otherwise become the index of the largest entry of a list.

These are ``x.index(max(x))``, ``max(items, key=...)``, ``sorted(items, key=..., reverse=True)[0]``
and a loop that keeps the best so far. All of them take the first of several that are equal, as
``numpy.argmax`` does.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Closure,
    Comprehension,
    Constant,
    Evaluate,
    Expression,
    For,
    Logic,
    Name,
    Place,
    Return,
    Starred,
    Statement,
    Subscript,
)
from dpaudit.formal.program import Sequence as Display

Block = tuple[Statement, ...]
_EXTREMES = {
    "builtins.max": "numpy.argmax",
    "numpy.max": "numpy.argmax",
    "builtins.min": "numpy.argmin",
    "numpy.min": "numpy.argmin",
}


def unpacked(block: Block) -> Block:
    """Return a block in which ``a, b = x, y`` stands as two statements, where that is the same."""
    found: list[Statement] = []
    for statement in block:
        parts = _parts(statement)
        found += [statement] if parts is None else parts
    return tuple(found)


def _parts(statement: Statement) -> list[Statement] | None:
    if not isinstance(statement, Assign):
        return None
    target, value = statement.target, statement.value
    if not isinstance(target, Display) or not isinstance(value, Display):
        return None
    names = [item.id for item in target.items if isinstance(item, Name)]
    alike = len(names) == len(target.items) == len(value.items) == len(set(names))
    starred = any(isinstance(item, Starred) for item in value.items)
    if not alike or starred or any(n in names for n in rewriting.reads(value)):
        return None
    return [
        Assign(statement.place, Name(statement.place, name), item)
        for name, item in zip(names, value.items, strict=True)
    ]


def selected(body: Block, parameters: Sequence[str] = ()) -> Block:
    """Return a body in which the largest of several is found by `numpy.argmax` alone.

    Parameters
    ----------
    body : tuple of Statement
    parameters : sequence of str
    """
    body = _keys_alone(body, parameters)
    new: dict[int, Any] = {}
    for before, statement in zip((None, *body), body, strict=False):
        for node in rewriting.inner(statement):
            found = _selection(node) or _after(before, statement, node)
            if found is not None and not any(id(n) in new for n in rewriting.inner(node)):
                new[id(node)] = found
    if new:
        body = tuple(rewriting.exchanged(s, new) for s in body)
    return _with_loops(body)


def _keys_alone(body: Block, parameters: Sequence[str]) -> Block:
    """Return a body in which the best item of a dict is its key, where nothing reads the value."""
    named, stored = rewriting.reads(*body), rewriting.stores(*body)
    new: dict[int, Any] = {}
    for node in (node for statement in body for node in rewriting.inner(statement)):
        if not isinstance(node, Assign) or not _is_best_item(node.value):
            continue
        place, first = node.place, Subscript(node.place, node.value, Constant(node.place, 0))
        match node.target:
            case Name(id=name) if stored[name] == 1 and name not in parameters:
                read = [n for s in body for n in rewriting.inner(s) if _is_first_of(n, name)]
                if named[name] == 1 + len(read):
                    new |= {id(n): Name(n.place, name) for n in read}
                    new[id(node)] = Assign(place, Name(place, name), first)
            case Display(items=(Name() as key, Name(id=name))) if named[name] == stored[name]:
                new[id(node)] = Assign(place, key, first) if key.id != name else node
    return tuple(rewriting.exchanged(s, new) for s in body) if new else body


def _is_best_item(node: Expression) -> bool:
    """Return whether an expression is ``max(d.items(), key=lambda item: item[1])``."""
    if not isinstance(node, Call) or node.function not in ("builtins.max", "builtins.min"):
        return False
    keywords = dict(node.keywords)
    alone = len(node.arguments) == 1 and set(keywords) == {"key"} and _is_second(keywords["key"])
    return alone and _is_items(node.arguments[0])


def _is_items(node: Expression) -> bool:
    plain = isinstance(node, Call) and node.function == "method.items" and not node.keywords
    return plain and isinstance(node.arguments[0], Name)  # type: ignore[union-attr]


def _is_first_of(node: Any, name: str) -> bool:
    held = node.value if isinstance(node, Subscript) else None
    first = isinstance(node, Subscript) and isinstance(node.index, Constant)
    return bool(
        first and isinstance(held, Name) and held.id == name and type(node.index.value) is int
        and node.index.value == 0
    )  # fmt: skip


def _selection(node: Any) -> Expression | None:
    if isinstance(node, Subscript) and isinstance(node.value, Call):
        at = node.index.value if isinstance(node.index, Constant) else None
        return _first(node.value, at) if type(at) is int else None
    if not isinstance(node, Call):
        return None
    if node.function == "method.index" and len(node.arguments) == 2 and not node.keywords:
        return _place_of(*node.arguments, node)
    if node.function in ("builtins.max", "builtins.min") and len(node.arguments) == 1:
        keywords = dict(node.keywords)
        if set(keywords) == {"key"} and not _is_best_item(node):  # the value is wanted too
            return _by_key(node.arguments[0], keywords["key"], _EXTREMES[str(node.function)], node)
    return None


def _after(before: Statement | None, statement: Statement, node: Any) -> Expression | None:
    """Return the index for ``return values.index(m)`` that follows ``m = max(values)`` at once."""
    if not isinstance(statement, Assign | Return) or statement.value is not node:
        return None
    match before, node:
        case (
            Assign(target=Name(id=name), value=extreme),
            Call(function="method.index", arguments=[values, Name(id=sought)], keywords=()),
        ) if name == sought and not rewriting.reads(values)[name]:
            return _place_of(values, extreme, node)
    return None


def _place_of(values: Expression, extreme: Expression, node: Call) -> Expression | None:
    """Return the index for ``values.index(max(values))``."""
    if not isinstance(extreme, Call) or extreme.function not in _EXTREMES or extreme.keywords:
        return None
    alike = len(extreme.arguments) == 1 and rewriting.same(values, extreme.arguments[0])
    if not alike or not isinstance(values, Name):
        return None
    return _index(_EXTREMES[str(extreme.function)], values, node)


def _index(function: str, values: Expression, node: Any) -> Expression:
    return call(node.place, "builtins.int", call(node.place, function, _whole(values)))


def _whole(values: Expression) -> Expression:
    """Return x for ``[x[i] for i in range(len(x))]``."""
    if not isinstance(values, Comprehension) or not isinstance(values.element, Subscript):
        return values
    of, ((target, items, conditions), *more) = values.element, values.clauses
    counted = call(values.place, "builtins.range", call(values.place, "builtins.len", of.value))
    every = not (more or conditions) and rewriting.same(items, counted)
    named = isinstance(of.value, Name) and isinstance(target, Name) and of.value.id != target.id
    return of.value if every and named and rewriting.same(of.index, target) else values


def _by_key(items: Expression, key: Expression, function: str, node: Any) -> Expression | None:
    """Return the item for ``max(items, key=key)``."""
    place = node.place
    if isinstance(key, Attribute) and key.name == "get" and rewriting.same(key.value, items):
        return _key_of(items, function, node) if isinstance(items, Name) else None
    if not isinstance(key, Closure) or not _is_listed(items):
        return None
    of = key.function
    plain = len(of.parameters) == 1 and not of.defaults and of.starred is None
    if not plain or len(of.body) != 1 or not isinstance(of.body[0], Return):
        return None
    clause = (Name(place, of.parameters[0]), items, ())
    keyed = Comprehension(place, "list", of.body[0].value, (clause,))
    index = _index(function, keyed, node)
    if isinstance(items, Call) and items.function == "builtins.range" and len(items.arguments) == 1:
        return index
    return Subscript(place, call(place, "builtins.list", items), index)  # of a dict its keys


def _is_listed(items: Expression) -> bool:
    """Return whether items come in an order, and may be evaluated twice."""
    if isinstance(items, Call):
        plain = items.function in ("builtins.range", "method.keys", "method.items")
        return plain and not items.keywords and all(map(rewriting.is_quiet, items.arguments))
    if isinstance(items, Display):
        return items.kind != "set" and rewriting.is_quiet(items)
    listed = isinstance(items, Constant) and isinstance(items.value, list | tuple | range)
    return listed or isinstance(items, Name)


def _first(node: Call, at: int) -> Expression | None:
    """Return the item for ``sorted(items, key=key)[0]``, and ``max(d.items(), key=key)[0]``."""
    keywords = dict(node.keywords)
    if len(node.arguments) != 1 or "key" not in keywords:
        return None
    items, key = node.arguments[0], keywords["key"]
    if node.function == "builtins.sorted" and at == 0 and set(keywords) <= {"key", "reverse"}:
        back = keywords.get("reverse")
        if back is None or (isinstance(back, Constant) and back.value in (True, False)):
            down = back is not None and getattr(back, "value", False) is True
            return _by_key(items, key, "numpy.argmax" if down else "numpy.argmin", node)
    best = node.function in ("builtins.max", "builtins.min") and at == 0 and len(keywords) == 1
    if best and isinstance(items, Call) and items.function == "builtins.enumerate":
        plain = len(items.arguments) == 1 and not items.keywords and _is_second(key)
        return _index(_EXTREMES[str(node.function)], items.arguments[0], node) if plain else None
    if best and _is_best_item(node):
        (holder,) = items.arguments  # type: ignore[union-attr]
        return _key_of(holder, _EXTREMES[str(node.function)], node)  # type: ignore[arg-type]
    return None


def _key_of(holder: Name, function: str, node: Call) -> Expression:
    """Return the key of the largest value of a dict."""
    place, key = node.place, Name(node.place, "·key")
    clause = (key, holder, ())
    keys = Comprehension(place, "list", key, (clause,))
    values = Comprehension(place, "list", Subscript(place, holder, key), (clause,))
    return Subscript(place, keys, _index(function, values, node))


def _is_second(key: Expression) -> bool:
    """Return whether a function is ``lambda pair: pair[1]``."""
    body = key.function.body if isinstance(key, Closure) else ()
    value = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
    if not isinstance(value, Subscript) or not isinstance(value.value, Name):
        return False
    assert isinstance(key, Closure)
    second = isinstance(value.index, Constant) and value.index.value in (1, -1)
    return second and key.function.parameters == (value.value.id,)


# --- loops that keep the best so far


def _with_loops(body: Block) -> Block:
    statements = list(unpacked(body))
    for at, statement in enumerate(statements):
        if isinstance(statement, For):
            found = _best(statement, statements[:at], tuple(statements))
            if found is not None:
                start, loop = found
                before = (s for s in statements[:at] if s is not start)
                return (*before, *loop, *statements[at + 1 :])
    return body


def _best(loop: For, before: Sequence[Statement], body: Block) -> tuple[Statement, Block] | None:
    """Return lists of the candidates and their values, for a loop that keeps the best of them.

    Returns
    -------
    Statement
        That says that there is no best value yet.
    tuple of Statement
        Instead of the loop.
    """
    if not loop.body or loop.otherwise or not isinstance(loop.body[-1], Branch):
        return None
    branch = loop.body[-1]
    branch = replace(branch, yes=unpacked(branch.yes))
    if branch.no or len(branch.yes) != 2 or _leaves(loop):
        return None
    kept = _kept(branch, _turn(loop))
    if kept is None:
        return None
    value, best, kind, choice = kept
    named = rewriting.reads(*body)
    in_test = rewriting.reads(branch.test)[best.id]
    if rewriting.reads(*loop.body)[choice.target.id] != 1:  # type: ignore[union-attr]
        return None
    start = [s for s in before if isinstance(s, Assign) and rewriting.stores(s)[best.id]]
    if len(start) != 1 or named[best.id] != 2 + in_test:
        return None
    begun, first = start[0].value, _is_first(branch.test, _turn(loop))
    if not _is_least(begun, kind) and not (first and rewriting.is_quiet(begun)):
        return None
    place = loop.place
    values, items = (
        Name(place, unused(f"{word}_of_{best.id}", named)) for word in ("values", "items")
    )
    own = rewriting.reads(loop.target)
    if len(loop.body) == 1 and all(named[n] == rewriting.reads(loop)[n] for n in own):
        through = ((loop.target, loop.iterable, ()),)
        index = _index(kind, Comprehension(place, "list", value, through), loop)
        found = Comprehension(place, "list", choice.value, through)
        item = index if _is_place(choice.value, loop) else Subscript(place, found, index)
        return start[0], (Assign(place, choice.target, item),)
    grown = tuple(
        Evaluate(place, call(place, "method.append", name, item))
        for name, item in ((values, value), (items, choice.value))
    )
    index = call(place, "builtins.int", call(place, kind, values))
    return start[0], (
        Assign(place, values, Display(place, "list", ())),
        Assign(place, items, Display(place, "list", ())),
        replace(loop, body=(*loop.body[:-1], *grown)),
        Assign(place, choice.target, Subscript(place, items, index)),
    )


def _is_place(kept: Expression, loop: For) -> bool:
    """Return whether a loop over ``range(n)`` keeps the number of its turn."""
    items = loop.iterable
    counted = isinstance(items, Call) and items.function == "builtins.range"
    return counted and len(items.arguments) == 1 and rewriting.same(kept, loop.target)  # type: ignore[union-attr]


def unused(name: str, named: Container[str]) -> str:
    """Return a name that no variable has."""
    while name in named:
        name = f"{name}_"
    return name


def fresh(name: str, place: Place, taken: set[str]) -> Name:
    """Return a variable of a line that nothing else is, and take its name."""
    found = Name(place, unused(f"{name}_of_line_{place.line}", taken))
    taken.add(found.id)
    return found


def _leaves(loop: For) -> bool:
    from dpaudit.formal.program import Leave

    return any(isinstance(n, Leave | Return) for s in loop.body for n in rewriting.inner(s))


def _turn(loop: For) -> Expression | None:
    """Return the variable that counts the turns of a loop from 0, None where there is none."""
    items, target = loop.iterable, loop.target
    if not isinstance(items, Call) or items.keywords or len(items.arguments) != 1:
        return None
    if items.function == "builtins.enumerate" and isinstance(target, Display):
        target = target.items[0]  # type: ignore[assignment]
    elif items.function != "builtins.range":
        return None
    alone = isinstance(target, Name) and rewriting.stores(loop)[target.id] == 1
    return target if alone else None


def _is_first(test: Expression, turn: Expression | None) -> bool:
    """Return whether a test is ``i == 0 or ...``, of a variable that counts the turns."""
    if turn is None or not isinstance(test, Logic) or test.operator != "or":
        return False
    first = test.operands[0]
    if not isinstance(first, Call) or first.function != "operator.eq":
        return False
    zero = Constant(first.place, 0)
    return any(
        rewriting.same(one, turn) and rewriting.same(other, zero)
        for one, other in (first.arguments, first.arguments[::-1])
    )


def _kept(branch: Branch, turn: Expression | None) -> tuple[Expression, Name, str, Assign] | None:
    """Return the value, the variable of the best one, which way it goes, and what else is kept."""
    stored = [s for s in branch.yes if isinstance(s, Assign) and isinstance(s.target, Name)]
    if len(stored) != 2:
        return None
    for best, choice in (stored, stored[::-1]):
        name = best.target
        test = None if not isinstance(name, Name) else _compared(branch.test, name, turn)
        if test is None or not isinstance(name, Name):
            continue
        left, right = test.arguments
        up = rewriting.same(right, name)
        value = left if up else right
        other = right if up else left
        plain = rewriting.same(other, name) and rewriting.same(value, best.value)
        if plain and rewriting.is_quiet(value) and rewriting.is_quiet(choice.value):
            larger = up is (test.function == "operator.gt")
            if not (rewriting.reads(choice.value) + rewriting.reads(value))[name.id]:
                return value, name, "numpy.argmax" if larger else "numpy.argmin", choice
    return None


def _compared(test: Expression, best: Name, turn: Expression | None) -> Call | None:
    """Return the comparison in a test of the best value so far.

    Before it there may be ``best is None or``, or ``i == 0 or`` of the variable of the turns.
    """
    if isinstance(test, Logic) and test.operator == "or" and len(test.operands) == 2:
        opening, (first, test) = test, test.operands
        nothing = Constant(opening.place, None)
        none = isinstance(first, Call) and first.function == "operator.is_"
        none = none and all(map(rewriting.same, first.arguments, (best, nothing)))  # type: ignore[union-attr]
        if not none and not _is_first(opening, turn):
            return None
    if not isinstance(test, Call) or test.function not in ("operator.gt", "operator.lt"):
        return None
    return test


def _is_least(value: Expression, kind: str) -> bool:
    """Return whether a best value is none yet."""
    if isinstance(value, Call) and value.function == "operator.neg":
        inner = value.arguments[0]
        return isinstance(inner, Constant) and _is_least(
            Constant(value.place, -inner.value)
            if isinstance(inner.value, float)
            else value.arguments[0],
            kind,
        )
    if not isinstance(value, Constant):
        if isinstance(value, Call) and value.function == "builtins.float":
            text = getattr(value.arguments[0], "value", None) if value.arguments else None
            return text == ("-inf" if kind == "numpy.argmax" else "inf")
        return False
    return value.value is None or value.value == float("-inf" if kind == "numpy.argmax" else "inf")
