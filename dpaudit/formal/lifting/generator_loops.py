"""A loop over what a generator function yields, as one loop: its body stands where ``yield`` was.

This is the order in which Python runs the two. The function ends with a loop that yields, so that
``break`` in the body of the user's loop leaves both, and ``return`` beside a ``yield`` ends both.
``list(values())`` is that of a list to which a loop appends, and so is what else goes through all
values first. Any other use of a generator function is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.copying import copied
from dpaudit.formal.lifting.helpers import own_functions
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.selecting import fresh, unused
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    EMITTED,
    Assign,
    Call,
    Closure,
    Comprehension,
    Constant,
    Define,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Leave,
    Name,
    Place,
    Raise,
    Return,
    Sequence,
    Starred,
    Statement,
    Update,
    While,
    walk,
)
from dpaudit.formal.unsupported import Unsupported

Block = tuple[Statement, ...]
Run = Callable[[Place, Expression], Block]
_YIELD = "generator.yield"
_PLAIN = (bool, float, int, str, type(None))  # of constants that never change
_READERS = frozenset(
    f"builtins.{name}" for name in ("dict", "list", "max", "min", "set", "sorted", "sum", "tuple")
)


def yielded(value: Expression, place: Place) -> Evaluate:
    """Return the statement ``yield value``."""
    return Evaluate(place, call(place, _YIELD, value))


def looped(body: Block, parameters: tuple[str, ...]) -> Block:
    """Return the body of a function that calls no generator function.

    Parameters
    ----------
    body : tuple of Statement
    parameters : tuple of str

    Raises
    ------
    Unsupported
        Where one is called otherwise than as described above.
    """
    defined = own_functions(body, parameters)
    own = {name: function for name, function in defined.items() if _yields(function.body)}
    nodes = [n for s in body for n in rewriting.inner(s)]
    if not any(_is_generator_function(n) or _called(n, own) for n in nodes):
        return body
    taken = {*rewriting.reads(*body), *rewriting.stores(*body), *parameters}
    found = _Loops(own, taken).block(body)
    listed: dict[int, Any] = {id(n): _as_list(n, own) for s in found for n in _gone_through(s, own)}
    found = tuple(rewriting.exchanged(s, listed) for s in found)
    lists = [n for n in listed.values() if n.function == "operator.call"]
    names = {id(n.arguments[0]) for n in lists}
    found = tuple(each for s in found for each in _defined(s, own, bool(names)))
    for statement in found:
        for node in rewriting.inner(statement):
            named = isinstance(node, Name) and node.id in own and id(node) not in names
            called = _called(node, own) is not None and id(node) not in {id(n) for n in lists}
            if named or called or _is_generator_function(node):
                raise Unsupported("yield in a function whose values no loop asks for", node.place)
    return found


def _is_generator_function(node: Any) -> bool:
    """Return whether a node is a function, defined inside, that yields."""
    return isinstance(node, Closure) and _yields(node.function.body)


def _yields(body: Block) -> bool:
    return any(_is_yield(n) for s in body for n in rewriting.inner(s))


def _is_yield(node: Any) -> bool:
    return isinstance(node, Call) and node.function == _YIELD


def _called(node: Any, own: dict[str, Function]) -> Function | None:
    """Return the generator function that a call is of."""
    if not isinstance(node, Call):
        return None
    function: Any = node.function
    if function == "operator.call" and isinstance(node.arguments[0], Name):
        function = own.get(node.arguments[0].id)
    generator = isinstance(function, Function) and _yields(function.body)
    return function if generator else None


def _gone_through(statement: Statement, own: dict[str, Function]) -> Iterator[Call]:
    """Yield the calls of generator functions whose values a statement asks for, first and all."""
    if isinstance(statement, Assign) and isinstance(statement.target, Sequence):
        yield from _asked(statement.value, own)
    for node in rewriting.inner(statement):
        if isinstance(node, Starred):
            yield from _asked(node.value, own)
        elif isinstance(node, Call) and node.function in _READERS and len(node.arguments) == 1:
            (values,) = node.arguments
            if _called(values, own) is not None:
                yield from _unseen(values, [value for _, value in node.keywords], (), own)
            elif isinstance(values, Comprehension):
                yield from _of_clause(values, own)
        elif isinstance(node, Comprehension) and node.kind != "generator":
            yield from _of_clause(node, own)


def _asked(node: Expression, own: dict[str, Function]) -> Iterator[Call]:
    if isinstance(node, Call) and _called(node, own) is not None:
        yield node


def _of_clause(node: Comprehension, own: dict[str, Function]) -> Iterator[Call]:
    """Yield what a comprehension goes through first."""
    (target, values, conditions), *more = node.clauses
    if _only_keeps(node, own):
        yield from _asked(values, own)
        return
    rest = [part for _, items, tests in more for part in (items, *tests)]
    names = tuple(rewriting.reads(target, *(each[0] for each in more)))
    yield from _unseen(values, [node.element, *conditions, *rest], names, own)


def _only_keeps(node: Comprehension, own: dict[str, Function]) -> bool:
    """Return whether a comprehension looks into no value: ``[a for a in values()]``.

    It may take apart tuples that the generator function makes, since no tuple changes.
    """
    (target, values, conditions), *more = node.clauses
    function = _called(values, own)
    if function is None or conditions or more or node.kind == "generator":
        return False
    parts, kept = _parts(target), _parts(node.element)
    if node.kind == "set" or not all(isinstance(each, Name) for each in (*parts, *kept)):
        return False
    whole = isinstance(target, Name) and isinstance(node.element, Name)
    tuples = all(map(_is_tuple, _yields_of(function.body)))
    return {each.id for each in kept} <= {each.id for each in parts} and (whole or tuples)


def _parts(node: Any) -> tuple[Any, ...]:
    return node.items if isinstance(node, Sequence) else (node,)


def _is_tuple(node: Expression) -> bool:
    return isinstance(node, Sequence) and node.kind == "tuple"


def _unseen(
    values: Expression, beside: list[Expression], names: tuple[str, ...], own: dict[str, Function]
) -> Iterator[Call]:
    """Yield the call of a generator function if what runs between its values shows no change.

    What runs changes nothing. Either the generator function changes nothing but its own variables,
    or all that is looked at are new values, which no variable of the generator function holds.
    """
    function = _called(values, own)
    inside = [node for each in beside for node in rewriting.inner(each)]
    closures = [node.function for node in inside if isinstance(node, Closure)]
    still = all(map(changes_nothing, beside))
    if function is None or not still or any(map(_changes, (s for f in closures for s in f.body))):
        return
    seen = set(rewriting.reads(*beside)) - {*names, *(n for f in closures for n in f.parameters)}
    calls = [str(node.function) for node in inside if isinstance(node, Call)]
    plain = "operator.call" not in calls and all(
        isinstance(node.function, str) for node in inside if isinstance(node, Call)
    )
    apart = not seen and plain and all(map(_is_new, _yields_of(function.body)))
    if not beside or apart or not any(map(_changes, function.body)):
        yield from _asked(values, own)


def _is_new(value: Any) -> bool:
    """Return whether a value is one that no variable holds, or that never changes."""
    if _is_tuple(value):
        return all(_is_new(each) for each in value.items)
    plain = isinstance(value, Constant) and type(value.value) in _PLAIN
    return plain or _is_new_number(value)


def _is_new_number(value: Any) -> bool:
    """Return whether a value is a float, a draw, or what an operator makes of one.

    Of other constants, it may be a list of what variables hold: ``[row] * 2``, ``(row,) + (1,)``.
    """
    if isinstance(value, Call) and str(value.function).startswith("operator."):
        return value.function != "operator.call" and any(map(_is_new_number, value.arguments))
    plain = isinstance(value, Constant) and type(value.value) is float
    return plain or (isinstance(value, Draw) and value.argument("out") is None)


def _yields_of(body: Block) -> Iterator[Expression]:
    """Yield what a generator function yields."""
    for node in (n for s in body for n in rewriting.inner(s)):
        if isinstance(node, Call) and _is_yield(node):
            yield node.arguments[0]


def _as_list(asked: Call, own: dict[str, Function]) -> Call:
    """Return the call of a function that returns the list of what is yielded."""
    if asked.function == "operator.call":
        return replace(asked)
    return replace(asked, function=_listed(_called(asked, own)))


def _listed(function: Any) -> Function:
    """Return a function that returns the list of what a generator function yields.

    Raises
    ------
    Unsupported
        Where it returns a value.
    """
    given = function.body, function.parameters, function.place
    return replace(function, body=_as_listed(*given))  # type: ignore[no-any-return]


def listed(body: Block, parameters: tuple[str, ...], place: Place) -> Block:
    """Return the body of a mechanism that yields as one that returns the list of these values.

    Each is a copy: who gets a value sees it before the generator goes on, and changes it. What it
    returns stands beside the list.

    Parameters
    ----------
    body : tuple of Statement
    parameters : tuple of str
    place : Place

    Raises
    ------
    Unsupported
        Where it may raise an exception after it has yielded.
    """
    begun = next((i for i, each in enumerate(body) if _yields((each,))), len(body))
    later = (node for each in body[begun:] for node in walk(each))
    for node in later:
        if isinstance(node, Raise):
            raise Unsupported("an exception after a mechanism has yielded", node.place)
    return _as_listed(body, parameters, place, outermost=True)


def _as_listed(
    body: Block, parameters: tuple[str, ...], place: Place, *, outermost: bool = False
) -> Block:
    taken = {*rewriting.reads(*body), *rewriting.stores(*body)}
    out = Name(place, unused("yielded", {*taken, *parameters}))

    def appended(at: Place, value: Expression) -> Block:
        kept = call(at, "copy.deepcopy", value) if outermost else value
        return (Evaluate(at, call(at, "method.append", out, kept)),)

    def ended(end: Return) -> Statement:
        if outermost and not _is_none(end.value):
            return Return(end.place, Sequence(end.place, "tuple", (out, end.value)))
        return _without_result(end, Return(end.place, out))

    filled = _filled(body, appended, ended)
    return (Assign(place, out, Sequence(place, "list", ())), *filled, Return(place, out))


def _is_none(value: Expression) -> bool:
    return isinstance(value, Constant) and value.value is None


def _without_result(end: Return, by: Statement) -> Statement:
    """Return what stands for ``return`` in a function that yields, which returns no value."""
    if not _is_none(end.value):
        raise Unsupported("a result of a function that yields", end.place)
    return by


def _defined(statement: Statement, own: dict[str, Function], kept: bool) -> Block:
    """Return a definition of a generator function as that of the list of its values, or nothing."""
    if not isinstance(statement, Define) or statement.name not in own:
        return (statement,)
    if not kept:
        return ()
    return (replace(statement, function=Closure(statement.place, _listed(own[statement.name]))),)


def _changes(statement: Statement) -> bool:
    """Return whether a statement changes more than variables of its function."""
    for node in rewriting.inner(statement):
        if isinstance(node, Update) or (isinstance(node, Evaluate) and not _is_yield(node.value)):
            return True
        if isinstance(node, Assign) and not isinstance(node.target, Name):
            return True
        if isinstance(node, Call) and not _is_yield(node) and not changes_nothing(node):
            return True
    return False


class _Loops:
    def __init__(self, own: dict[str, Function], taken: set[str]) -> None:
        self.own = own
        self.taken = taken

    def block(self, statements: Block) -> Block:
        """Return a block, the blocks inside too."""
        found: list[Statement] = []
        for statement in statements:
            if isinstance(statement, Define):
                found.append(statement)
                continue
            found += self.statement(rewriting.with_blocks(statement, self.block))
        return tuple(found)

    def statement(self, statement: Statement) -> Iterator[Statement]:
        """Yield what stands for a statement."""
        if isinstance(statement, For):
            yield from self.loop(statement)
            return
        value: Any = statement.value if isinstance(statement, Evaluate) else None
        if isinstance(value, Call) and value.function == "method.extend":
            out, *given = value.arguments
            if len(given) == 1 and isinstance(out, Name) and _called(given[0], self.own):
                item = fresh("value", value.place, self.taken)
                grown = Evaluate(value.place, call(value.place, "method.append", out, item))
                yield from self.loop(For(value.place, item, given[0], (grown,)))
                return
        yield statement

    def loop(self, loop: For) -> Iterator[Statement]:
        """Yield a loop over values, as it is or as that of the generator function."""
        asked: Any = loop.iterable
        target: Any = loop.target
        body, counter = loop.body, None
        if isinstance(asked, Call) and asked.function == "builtins.enumerate":
            pair = isinstance(target, Sequence) and len(target.items) == 2
            if not pair or len(asked.arguments) != 1 or asked.keywords:
                yield loop
                return
            asked, (counter, target) = asked.arguments[0], target.items
        function = _called(asked, self.own)
        if function is None:
            yield loop
            return
        assert isinstance(asked, Call)
        begun, (*before, last) = self.begun(asked, function)
        yield from begun
        leaves = any(map(_leaves_loop, body))
        if not _is_last_loop(before, last) or loop.otherwise:
            if leaves:
                what = "break or continue in a loop over what a function yields in several places"
                raise Unsupported(what, loop.place)
            numbers, run = self.numbered(loop, counter, target)
            yield from (*numbers, *_filled((*before, last), run, None), *loop.otherwise)
            return
        yield from before
        assert isinstance(last, For | While)
        *inner, end = last.body
        alone = _is_yield_statement(end) and not _yields(tuple(inner))
        if any(map(_continues, body)) and not alone:
            raise Unsupported("continue in a loop over what a function yields", loop.place)
        every = alone and not any(map(_leaves_early, inner))
        if counter is not None and isinstance(last, For) and every:
            both = Sequence(loop.place, "tuple", (counter, last.target))
            counted = call(loop.place, "builtins.enumerate", last.iterable)
            last, counter = replace(last, target=both, iterable=counted), None
        numbers, run = self.numbered(loop, counter, target)
        body = _filled(last.body, run, lambda e: _without_result(e, Leave(e.place, "break")))
        yield from (*numbers, replace(last, body=body))

    def numbered(self, loop: For, counter: Any, target: Any) -> tuple[Block, Run]:
        """Return what begins to count values, and what runs in place of each ``yield``."""
        counting: Block = ()
        begun: Block = ()
        if counter is not None:
            number = fresh("number", loop.place, self.taken)
            begun = (Assign(loop.place, number, Constant(loop.place, 0)),)
            one = Constant(loop.place, 1)
            counting = (
                Assign(loop.place, counter, number),
                Update(loop.place, number, "operator.iadd", one),
            )

        def run(place: Place, value: Expression) -> Block:
            own = (copied(each, {}) for each in loop.body)
            return (*counting, Assign(place, target, value), *own)

        return begun, run

    def begun(self, asked: Call, function: Function) -> tuple[list[Statement], Block]:
        """Return what is passed, as assignments, and the body with variables of its own."""
        given = asked.arguments[1:] if asked.function == "operator.call" else asked.arguments
        passed = dict(zip(function.parameters, given, strict=False)) | dict(asked.keywords)
        values: dict[str, Expression] = {**function.defaults, **passed}
        if EMITTED in function.parameters:
            raise Unsupported("a function that prints and yields", asked.place)
        starred = any(isinstance(a, Starred) for a in given) or function.starred is not None
        if starred or len(given) > len(function.parameters):
            raise Unsupported("* in a call of a function that yields", asked.place)
        if set(values) != set(function.parameters):
            raise Unsupported("arguments of a function that yields", asked.place)
        if any(isinstance(n, Closure) for s in function.body for n in rewriting.inner(s)):
            raise Unsupported("a function inside of one that yields", asked.place)
        own = {*function.parameters, *rewriting.stores(*function.body)}
        names = {name: fresh(name, asked.place, self.taken) for name in sorted(own)}
        begun: list[Statement] = [Assign(asked.place, names[n], v) for n, v in values.items()]
        return begun, tuple(copied(statement, names) for statement in function.body)


def _is_yield_statement(statement: Statement) -> bool:
    return isinstance(statement, Evaluate) and _is_yield(statement.value)


def _is_last_loop(before: list[Statement], last: Statement) -> bool:
    """Return whether a function yields in the loop that it ends with, and in no loop inside."""
    if not isinstance(last, For | While) or last.otherwise or _yields(tuple(before)):
        return False
    inside = [n for each in last.body for n in rewriting.inner(each) if isinstance(n, For | While)]
    nested = any(_yields(each.body) or any(map(_returns, each.body)) for each in inside)
    return not nested and not any(map(_returns, before))


def _filled(block: Block, run: Run, ended: Callable[[Return], Statement] | None) -> Block:
    """Return the body of a generator function with statements in place of ``yield``.

    Parameters
    ----------
    block : tuple of Statement
    run : callable
        Returns what runs where a value is yielded.
    ended : callable or None
        Given a ``return``, gives what stands for it; None where it is refused.

    Raises
    ------
    Unsupported
        Where a function yields a value that is used, or returns otherwise than in the end.
    """
    found: list[Statement] = []
    for statement in block:
        if _is_yield_statement(statement):
            found += run(statement.place, *statement.value.arguments)  # type: ignore[union-attr]
            continue
        if isinstance(statement, Return):
            if ended is None:
                raise Unsupported("return beside a loop that yields", statement.place)
            found.append(ended(statement))
            continue
        whole = rewriting.with_blocks(statement, lambda inner: _filled(inner, run, ended))
        if any(isinstance(n, Call) and _is_yield(n) for n in _outside(statement)):
            raise Unsupported("yield as a value", statement.place)
        found.append(whole)
    return tuple(found)


def _outside(statement: Statement) -> Iterator[Any]:
    """Yield the nodes of a statement that are in none of its blocks."""
    yield from rewriting.inner(rewriting.with_blocks(statement, lambda inner: ()))


def _returns(statement: Statement) -> bool:
    return any(isinstance(n, Return) for n in rewriting.inner(statement))


def _leaves_early(statement: Statement) -> bool:
    return any(isinstance(n, Return | Leave) for n in rewriting.inner(statement))


def _continues(statement: Statement) -> bool:
    """Return whether ``continue`` goes on with the loop that a statement stands in."""
    return any(each.how == "continue" for each in _leaving(statement))


def _leaves_loop(statement: Statement) -> bool:
    """Return whether ``break`` or ``continue`` leave the loop that a statement stands in."""
    return any(_leaving(statement))


def _leaving(statement: Statement) -> Iterator[Leave]:
    if isinstance(statement, Leave):
        yield statement
    names = ("otherwise",) if isinstance(statement, For | While) else ("yes", "no")
    for each in (each for name in names for each in getattr(statement, name, ())):
        yield from _leaving(each)
