"""A loop over what a generator function yields, as one loop: its body stands where ``yield`` was.

This is the order in which Python runs the two. The function ends with a loop that yields, so that
``break`` in the body of the user's loop leaves both, and ``return`` beside a ``yield`` ends both.
``list(values())`` is that of a list to which a loop appends, and so is what else goes through all
values first. Any other use of a generator function is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.copying import copied
from dpaudit.formal.lifting.helpers import own_functions
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.selecting import unused
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    EMITTED,
    Assign,
    Branch,
    Call,
    Closure,
    Comprehension,
    Constant,
    Define,
    Evaluate,
    Expression,
    For,
    Function,
    Leave,
    Name,
    Place,
    Return,
    Sequence,
    Starred,
    Statement,
    Update,
    While,
)
from dpaudit.formal.unsupported import Unsupported

Block = tuple[Statement, ...]
_YIELD = "generator.yield"
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
    found = tuple(s for s in found if not (isinstance(s, Define) and s.name in own))
    for statement in found:
        for node in rewriting.inner(statement):
            named = isinstance(node, Name) and node.id in own
            if named or _called(node, own) is not None or _is_generator_function(node):
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


def _gone_through(value: Expression, own: dict[str, Function]) -> Call | None:
    """Return the call of a generator function that an expression begins with, and goes through."""
    if isinstance(value, Comprehension) and value.kind != "generator":
        first = value.clauses[0][1]
    elif isinstance(value, Call) and isinstance(value.function, str) and value.arguments:
        first = value.arguments[0]
        if value.function not in _READERS or _called(first, own) is None:
            return _gone_through(first, own)
    else:
        return None
    return first if isinstance(first, Call) and _called(first, own) is not None else None


def _looks_on(node: Any, asked: Call) -> bool:
    """Return whether code runs between the values that a node goes through."""
    if isinstance(node, Comprehension):
        return node.clauses[0][1] is asked
    return isinstance(node, Call) and bool(node.keywords) and node.arguments[:1] == (asked,)


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
            inside = {
                name: self.block(inner)
                for name in ("body", "yes", "no", "otherwise")
                if isinstance(inner := getattr(statement, name, None), tuple)
            }
            whole = replace(statement, **inside) if inside else statement  # type: ignore[arg-type]
            found += self.statement(whole)
        return tuple(found)

    def statement(self, statement: Statement) -> Iterator[Statement]:
        """Yield what stands for a statement."""
        if isinstance(statement, Assign | Return | Evaluate):
            asked = _gone_through(statement.value, self.own)
            if asked is not None:
                place, out = statement.place, self.fresh("values", statement.place)
                item = self.fresh("value", place)
                grown = Evaluate(place, call(place, "method.append", out, item))
                changed = rewriting.exchanged(statement, {id(asked): out})
                function = _called(asked, self.own)
                looks = any(_looks_on(n, asked) for n in rewriting.inner(statement))
                still = function is not None and not any(map(_changes, function.body))
                if not changes_nothing(changed.value) or (looks and not still):
                    raise Unsupported("a change beside what a function yields", place)
                yield Assign(place, out, Sequence(place, "list", ()))
                yield from self.loop(For(place, item, asked, (grown,)))
                yield changed
                return
        if isinstance(statement, For):
            yield from self.loop(statement)
            return
        yield statement

    def fresh(self, name: str, place: Place) -> Name:
        """Return a variable that nothing else has."""
        found = unused(f"{name}_of_line_{place.line}", self.taken)
        self.taken.add(found)
        return Name(place, found)

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
        simple = isinstance(last, For | While) and not last.otherwise and not loop.otherwise
        if not simple or _yields(tuple(before)) or any(map(_returns, before)):
            raise Unsupported("yield elsewhere than in the last loop of a function", loop.place)
        yield from (*begun, *before)
        assert isinstance(last, For | While)
        *inner, end = last.body
        numbered: Block = ()
        alone = _is_yield_statement(end) and not _yields(tuple(inner))
        every = alone and not any(map(_leaves_early, inner))
        if counter is not None and isinstance(last, For) and every:
            both = Sequence(loop.place, "tuple", (counter, last.target))
            counted = call(loop.place, "builtins.enumerate", last.iterable)
            last, counter = replace(last, target=both, iterable=counted), None
        if counter is not None:
            number = self.fresh("number", loop.place)
            one = Constant(loop.place, 1)
            yield Assign(loop.place, number, Constant(loop.place, 0))
            numbered = (
                Assign(loop.place, counter, number),
                Update(loop.place, number, "operator.iadd", one),
            )
        if any(map(_continues, body)) and not alone:
            raise Unsupported("continue in a loop over what a function yields", loop.place)
        yield replace(last, body=_filled(last.body, numbered, target, body))

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
        names = {name: self.fresh(name, asked.place) for name in sorted(own)}
        begun: list[Statement] = [Assign(asked.place, names[n], v) for n, v in values.items()]
        return begun, tuple(copied(statement, names) for statement in function.body)


def _is_yield_statement(statement: Statement) -> bool:
    return isinstance(statement, Evaluate) and _is_yield(statement.value)


def _filled(block: Block, numbered: Block, target: Any, body: Block) -> Block:
    """Return the body of a generator's loop with the user's body where it yields."""
    found: list[Statement] = []
    for statement in block:
        if _is_yield_statement(statement):
            assert isinstance(statement, Evaluate)
            assert isinstance(statement.value, Call)
            found += [*numbered, Assign(statement.place, target, statement.value.arguments[0])]
            found += [copied(each, {}) for each in body]
        elif isinstance(statement, Return):
            if not isinstance(statement.value, Constant) or statement.value.value is not None:
                raise Unsupported("a result of a function that yields", statement.place)
            found.append(Leave(statement.place, "break"))
        elif isinstance(statement, Branch):
            yes = _filled(statement.yes, numbered, target, body)
            no = _filled(statement.no, numbered, target, body)
            found.append(replace(statement, yes=yes, no=no))
        elif _yields((statement,)) or _returns(statement):
            raise Unsupported("yield in a loop inside of a loop", statement.place)
        else:
            found.append(statement)
    return tuple(found)


def _returns(statement: Statement) -> bool:
    return any(isinstance(n, Return) for n in rewriting.inner(statement))


def _leaves_early(statement: Statement) -> bool:
    return any(isinstance(n, Return | Leave) for n in rewriting.inner(statement))


def _continues(statement: Statement) -> bool:
    """Return whether ``continue`` goes on with the loop that a statement stands in."""
    if isinstance(statement, Leave):
        return statement.how == "continue"
    if isinstance(statement, Branch):
        return any(map(_continues, (*statement.yes, *statement.no)))
    return False
