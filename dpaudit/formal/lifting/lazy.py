"""Generator expressions run while somebody asks for their values.

Provers and checkers evaluate all of them first, which is the same where nothing else runs in
between. A loop over a generator becomes a loop over what that goes through; other code that runs
in between must change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.selecting import fresh
from dpaudit.formal.lifting.unchanged import changes_nothing
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
    Leave,
    Logic,
    Name,
    Node,
    Place,
    Raise,
    Return,
    Sequence,
    Statement,
    Update,
)
from dpaudit.formal.unsupported import Unsupported

Block = tuple[Statement, ...]
_LAZY = frozenset({"builtins.map", "builtins.filter", "builtins.zip", "builtins.enumerate"})
_STOPPING = frozenset({"builtins.any", "builtins.all", "builtins.next", "operator.contains"})
_EXTENDING = frozenset({"method.extend", "method.update", "method.extendleft"})


def asked(body: Block) -> Block:
    """Return a body in which nothing runs between the values of a generator.

    Parameters
    ----------
    body : tuple of Statement

    Raises
    ------
    Unsupported
        Where something does that may change what the values are.
    """
    if not any(_runs(node) for statement in body for node in rewriting.inner(statement)):
        return body
    found = tuple(each for statement in body for each in _statement(statement, body))
    for statement in found:
        for node in rewriting.inner(statement):
            _validate(node)
    return found


def _statement(statement: Statement, body: Block) -> Iterator[Statement]:
    whole: Any = rewriting.with_blocks(
        statement, lambda inner: tuple(s for each in inner for s in _statement(each, body))
    )
    value = whole.value if isinstance(whole, Evaluate) else None
    made = as_generator(whole.iterable) if isinstance(whole, For) else None
    first = _first(whole, body)
    if first is not None:
        yield from first
    elif made is not None:
        yield _loop(made, whole.target, whole.body, whole, body)
    elif isinstance(whole, For) and _is_numbered(whole):
        yield _numbered(whole, body)
    elif isinstance(value, Call) and value.function == "method.extend" and _extends(value):
        place = value.place
        item = fresh("item", place, {*rewriting.reads(*body)})
        grown = Evaluate(whole.place, call(whole.place, "method.append", value.arguments[0], item))
        loop = For(whole.place, item, value.arguments[1], (grown,), ())
        yield _loop(value.arguments[1], item, (grown,), loop, body)
    else:
        yield whole


def _first(statement: Any, body: Block) -> Block | None:
    """Return ``return next(generator, None)`` or ``x = next(...)`` as a loop that ends early.

    What is given where nothing comes is evaluated before the generator is asked: it must be one
    that the loop cannot tell from what it would be afterwards.
    """
    asked = statement.value if isinstance(statement, Assign | Return) else None
    if not isinstance(asked, Call) or asked.function != "builtins.next" or asked.keywords:
        return None
    made = as_generator(asked.arguments[0])
    nothing = asked.arguments[1] if len(asked.arguments) == 2 else None
    if made is None or not isinstance(nothing, Constant | None):
        return None
    place = statement.place
    stops = Raise(place, call(place, "builtins.StopIteration")) if nothing is None else None
    if isinstance(statement, Return):
        item = fresh("first", place, {*rewriting.reads(*body)})
        loop = For(place, item, made, (Return(place, item),), ())
        rest: Statement = stops or Return(place, nothing)  # type: ignore[arg-type]
        return _loop(made, item, loop.body, loop, body), rest
    target = statement.target
    if not isinstance(target, Name) or target.id in rewriting.reads(made):
        return None
    loop = For(place, target, made, (Leave(place, "break"),), ())
    whole = _loop(made, target, loop.body, loop, body)
    if stops is not None:
        return (replace(whole, otherwise=(stops,)),)
    return Assign(place, target, nothing), whole  # type: ignore[arg-type]


def as_generator(node: Expression) -> Comprehension | None:
    """Return a generator expression of one clause, None for anything else."""
    return node if _is_simple(node) else None  # type: ignore[return-value]


def _is_numbered(loop: For) -> bool:
    """Return whether a loop is over ``enumerate(generator)``, which nothing filters."""
    node, target = loop.iterable, loop.target
    if not isinstance(node, Call) or node.function != "builtins.enumerate" or node.keywords:
        return False
    made = as_generator(node.arguments[0]) if len(node.arguments) == 1 else None
    pair = isinstance(target, Sequence) and len(target.items) == 2
    return pair and made is not None and not made.clauses[0][2]


def _numbered(loop: For, body: Block) -> For:
    node, target = loop.iterable, loop.target
    assert isinstance(node, Call)
    assert isinstance(target, Sequence)
    number, item = target.items
    inner = _loop(as_generator(node.arguments[0]), item, loop.body, loop, body)
    both = Sequence(target.place, target.kind, (number, inner.target))
    return replace(
        inner, target=both, iterable=call(loop.place, "builtins.enumerate", inner.iterable)
    )


def _extends(node: Call) -> bool:
    return (
        len(node.arguments) == 2
        and isinstance(node.arguments[0], Name)
        and _is_simple(node.arguments[1])
    )


def _is_simple(node: Any) -> bool:
    made = isinstance(node, Comprehension) and node.kind == "generator"
    return made and len(node.clauses) == 1


def _loop(made: Any, target: Any, then: Block, loop: For, body: Block) -> For:
    """Return a loop over what a generator goes through, its variables renamed."""
    [(own, items, conditions)] = made.clauses
    taken = {*rewriting.reads(*body), *rewriting.stores(*body)}
    new = {name: fresh(name, loop.place, taken).id for name in rewriting.reads(own)}

    def renamed(node: Any) -> Any:
        of = {
            id(part): Name(part.place, new[part.id])
            for part in rewriting.inner(node)
            if isinstance(part, Name) and part.id in new
        }
        return rewriting.exchanged(node, dict(of))

    place = loop.place
    if _is_kept(made, target, loop, body):  # all that is filtered goes by the name of the loop
        new = dict.fromkeys(new, target.id)
        inner: Block = then
    else:
        inner = (Assign(place, target, renamed(made.element)), *then)
    if conditions:
        tests = tuple(map(renamed, conditions))
        test = tests[0] if len(tests) == 1 else Logic(place, "and", tests)
        inner = (Branch(place, test, inner, ()),)
    return replace(loop, target=renamed(own), iterable=items, body=inner)


def _is_kept(made: Any, target: Any, loop: For, body: Block) -> bool:
    """Return whether a generator yields what it goes through, and only the loop reads that."""
    [(own, _, _)] = made.clauses
    alike = isinstance(target, Name) and rewriting.same(made.element, own)
    later = any(isinstance(n, Closure) for s in loop.body for n in rewriting.inner(s))
    if not alike or later or loop.otherwise or not isinstance(own, Name):
        return False
    return bool(rewriting.reads(*body)[target.id] == rewriting.reads(loop)[target.id])


def _runs(node: Any) -> bool:
    """Return whether an expression is lazy, and runs code of the user's when it is asked."""
    if isinstance(node, Comprehension):
        if node.kind != "generator" or not _is_of_library(node):
            return node.kind == "generator"
        return _runs(node.clauses[0][1])
    if not isinstance(node, Call) or not isinstance(node.function, str):
        return False
    if node.function in ("builtins.map", "builtins.filter"):
        return not _is_library(node.arguments[0]) or any(map(_runs, node.arguments[1:]))
    lazy = node.function in _LAZY or node.function.startswith("itertools.")
    return lazy and any(map(_runs, node.arguments))


def _is_of_library(node: Comprehension) -> bool:
    """Return whether a generator applies a library's function to each item, as `map` does."""
    ((own, _, conditions), *more), value = node.clauses, node.element
    if more or conditions or not isinstance(value, Call) or not isinstance(value.function, str):
        return False
    library = value.function.startswith(("builtins.", "math.", "numpy."))
    return library and not value.keywords and all(rewriting.same(a, own) for a in value.arguments)


def _is_library(node: Expression) -> bool:
    return isinstance(node, Constant) and (
        node.value is None or canonical_name(node.value) is not None
    )


def _validate(node: Node) -> None:
    """Refuse code that runs between the values of a generator and may change something."""
    if isinstance(node, For | Comprehension):
        clauses = node.clauses if isinstance(node, Comprehension) else ()
        lazy = [items for _, items, _ in clauses if _runs(items)]
        stored = False
        if isinstance(node, For) and _runs(node.iterable):
            lazy = [node.iterable]
            stored = bool(set(rewriting.stores(*node.body)) & set(rewriting.reads(node.iterable)))
        if lazy and (stored or not _is_still(node)):
            _refuse(lazy[0].place)
    if isinstance(node, Update) and _runs(node.value):
        _refuse(node.place)
    if not isinstance(node, Call) or not isinstance(node.function, str):
        return
    values = (*node.arguments, *(value for _, value in node.keywords))
    if not any(map(_runs, values)):
        return
    lazy = [value for value in values if _runs(value)]
    calls = [v for v in values if isinstance(v, Closure) or _is_callback(node, v)]
    between = bool(calls) or len(lazy) > 1 or node.function in _STOPPING
    if node.function in _EXTENDING or (between and not all(map(_is_still, (*lazy, *calls)))):
        _refuse(node.place)


def _is_callback(node: Call, value: Expression) -> bool:
    """Return whether an argument may be a function of the user's that is called."""
    if any(name in ("key", "func", "default_factory") and v is value for name, v in node.keywords):
        return not _is_library(value)
    calls = node.function in ("builtins.map", "builtins.filter", "functools.reduce")
    return calls and value is node.arguments[0] and not _is_library(value)


def _is_still(node: Node) -> bool:
    """Return whether code is known to change nothing, and no function that it names is unknown."""
    if isinstance(node, Closure):
        return all(map(changes_nothing, node.function.body))  # type: ignore[arg-type]
    if isinstance(node, Name):
        return False
    return changes_nothing(node)  # type: ignore[arg-type]


def _refuse(place: Place) -> None:
    raise Unsupported("code that runs between the values of a generator", place)
