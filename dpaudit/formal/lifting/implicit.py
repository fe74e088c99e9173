"""Implicit exceptions: what Python and its libraries may raise, written as ``raise`` under a test.

Which operation raises is not known where the source is read. But every way of proving shows of each
operation that it raises in both runs or in neither: an exception is an output. So after what may
raise, the program may go on to the handler if some value says so that both runs share and of which
nothing else is known: `OCCURS`. What was evaluated until then is evaluated, and paid for, before
the test; what the handler or later code can see is stored after it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.flow_syntax import is_stored
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Closure,
    Constant,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Generator,
    Leave,
    Mapping,
    Name,
    Place,
    Raise,
    Return,
    Statement,
    Subscript,
    Update,
    While,
)
from dpaudit.formal.program import Sequence as Display
from dpaudit.formal.unsupported import Unsupported

Block = tuple[Statement, ...]
OCCURS = "exception.occurs"  # whether an implicit exception is raised here: both runs agree
UNSIZED = "exception.unsized"  # whether the length of this raises one: not that of a list
IMPLICIT = "exception.implicit"  # the exception, for the handler of this number
AGAIN = "·again"  # in place of the name of a `try`, whose handler raises what it caught
# They raise by the types of their operands alone, whatever noise these hold.
_OPERATORS = "add sub mul neg pos abs lt le gt ge eq ne not_ is_ is_not and_ or_"
_BY_TYPE = frozenset(f"operator.{name}" for name in _OPERATORS.split()) | {
    "builtins.len", "builtins.bool", "builtins.isinstance",
}  # fmt: skip
_GROWING = ("method.append", "method.extend", "method.add")


@dataclass(slots=True, eq=False)
class Implicit:
    """Puts implicit exceptions into the body of one ``try``.

    Parameters
    ----------
    numbers : sequence of int
        Of the handlers that catch exceptions of Python's own.
    name : str
        Of the ``try``.
    watched : frozenset of str
        Variables that are read elsewhere than in the body, or again in its next turn.
    """

    numbers: Sequence[int]
    name: str
    watched: frozenset[str]
    _functions: dict[int, tuple[Function, Function]] = field(default_factory=dict)
    _count: int = 0

    def block(self, body: Block, *, pending: bool = False) -> tuple[Block, bool]:
        """Return a block in which implicit exceptions are raised, and whether one is still due."""
        made: list[Statement] = []
        for statement in body:
            changed, pending = self._statement(statement, pending)
            made += changed
        return tuple(made), pending

    def whole(self, body: Block, place: Place) -> Block:
        """Return a block with all its implicit exceptions."""
        made, pending = self.block(body)
        return (*made, *self._checks(place)) if pending else made

    def _checks(
        self, place: Place, forced: tuple[Expression, ...] = (), name: str = OCCURS
    ) -> Block:
        def raised(number: int) -> Statement:
            return Raise(place, Call(place, IMPLICIT, (Constant(place, (self.name, number)),)))

        test = Call(place, name, forced)
        return tuple(Branch(place, test, (raised(n),), ()) for n in self.numbers)

    def _statement(self, node: Statement, pending: bool) -> tuple[Block, bool]:
        """Return what stands for a statement, and whether an exception is due after it."""
        if self._is_unseen(node):
            return (node,), True
        place = node.place
        match node:
            case Assign(target=Name(), value=value):
                before, value = self._value(value, pending)
                return (*before, replace(node, value=value)), False
            case Assign(target=target, value=value):  # nothing is stored where it does not fit
                before = ()
                if _is_changing_call(value):
                    before, value = self._value(value, pending)
                if not _raises_never(value):
                    begun, value = self._stored(value, place)
                    before = (*before, *begun)
                if before or pending or not _is_plain(target):
                    before = (*before, *self._checks(place, _forced(target)))
                return (*before, replace(node, value=value)), False
            case Update(target=target, value=value, function=function):
                if function.replace("operator.i", "operator.") not in _BY_TYPE:
                    raise Unsupported("try around this operation in place", place)
                before, value = self._value(value, pending)
                checks = self._checks(place, _forced(target))
                return (*before, *checks, replace(node, value=value)), False
            case Return(value=value):
                before, value = self._value(value, pending)
                return (*before, Return(place, value)), False
            case Evaluate(value=Call(function=Function()) as call):
                before, value = self._value(call, pending)
                return (*before, Evaluate(place, value)), False
            case Evaluate(value=Call(function=name, arguments=(of, value), keywords=()) as call):
                if name in _GROWING and _is_plain(of):
                    before, value = self._value(value, pending)
                    grown = replace(call, arguments=(of, value))
                    return (*before, Evaluate(place, grown)), False
            case Branch(test=test, yes=yes, no=no):
                before, test = self._value(test, pending)
                (yes, one), (no, two) = self.block(yes), self.block(no)
                return (*before, Branch(place, test, yes, no)), one or two
            case For(iterable=iterable, body=body, otherwise=otherwise):
                before, iterable = self._value(iterable, pending)
                inside, last = self._turn(body, place), self._turn(otherwise, place)
                changed = replace(node, iterable=iterable, body=inside, otherwise=last)
                return (*before, changed), True
            case While(test=test, body=body, otherwise=()) if _raises_by_type(test):
                before = self._checks(place) if pending else ()
                return (*before, replace(node, body=self._turn(body, place))), True
            case Raise(value=Call(arguments=arguments) as call):
                before = self._checks(place) if pending else ()
                said: Block = ()
                for value in arguments:
                    begun, value = self._value(value, False)
                    before, said = (*before, *begun), (*said, value)  # type: ignore[arg-type]
                changed_call = replace(call, arguments=said)  # type: ignore[arg-type]
                return (*before, Raise(place, changed_call)), False
            case Raise() | Leave():
                return (*(self._checks(place) if pending else ()), node), False
        raise Unsupported("try around a statement of this kind", place)

    def _turn(self, body: Block, place: Place) -> Block:
        """Return one turn of a loop, whose head may have raised."""
        made, due = self.block(body, pending=True)
        return (*made, *self._checks(place)) if made and due else made

    def _is_unseen(self, node: Statement) -> bool:
        """Return whether a statement changes nothing that is looked at if it does not end."""
        for part in rewriting.inner(node):
            if isinstance(part, Return | Leave | Raise | Update | Evaluate):
                return False  # a list that is updated grows under all of its names
            if isinstance(part, Assign | For):
                targets = list(_parts(part.target))
                if not all(isinstance(t, Name) and t.id not in self.watched for t in targets):
                    return False
        values = [p for p in rewriting.inner(node) if not isinstance(p, Statement)]
        return all(changes_nothing(v) for v in values if isinstance(v, Call | Draw | Closure))

    def _value(self, value: Expression, pending: bool) -> tuple[Block, Expression]:
        """Return what evaluates a value and raises, and the value for what follows."""
        place = value.place
        if _is_changing_call(value):
            return self._called(value, pending)
        if _raises_never(value):
            return (self._checks(place) if pending else ()), value
        match value:
            case Call(function="builtins.len", arguments=(Name() as of,)) if not pending:
                return self._checks(place, (of,), UNSIZED), value
        if _raises_by_type(value):
            return self._checks(place), value
        begun, held = self._stored(value, place)
        return (*begun, *self._checks(place)), held

    def _stored(self, value: Expression, place: Place) -> tuple[Block, Expression]:
        self._count += 1
        name = Name(place, f"·{self.name}_{self._count}_kept")
        return (Assign(place, name, value),), name

    def _called(self, call: Any, pending: bool) -> tuple[Block, Expression]:
        """Return a call of a function that raises implicit exceptions inside."""
        function = call.function
        given = (*call.arguments, *dict(call.keywords).values())
        if not all(_raises_by_type(each) and changes_nothing(each) for each in given):
            raise Unsupported("try around a call among whose arguments one may raise", call.place)
        if id(function) not in self._functions:
            inside = Implicit(self.numbers, self.name, frozenset(), self._functions)
            body = inside.whole(function.body, function.place)
            self._functions[id(function)] = function, replace(function, body=body)
        due = pending or not all(map(_raises_never, given))
        changed = replace(call, function=self._functions[id(function)][1])
        return (self._checks(call.place) if due else ()), changed


def _is_changing_call(value: Expression) -> bool:
    """Return whether a value is a call of a function that changes something.

    Raises
    ------
    Unsupported
        Where another value does.
    """
    if changes_nothing(value):
        return False
    if not isinstance(value, Call) or not isinstance(value.function, Function):
        raise Unsupported("try around a value that changes another", value.place)
    return True


def _forced(target: object) -> tuple[Expression, ...]:
    """Return the places at which a target is stored that may be missing."""
    found: list[Expression] = []
    for part in _parts(target):
        while isinstance(part, Subscript):
            if not isinstance(part.index, Constant):
                found.append(part.index)
            part = part.value
    return tuple(found)


def _parts(target: object) -> Iterator[object]:
    if isinstance(target, Display):
        for item in target.items:
            yield from _parts(item)
    else:
        yield target


def _is_plain(of: object) -> bool:
    """Return whether an expression is a variable, or an attribute of one."""
    while isinstance(of, Subscript) and isinstance(of.index, Constant):
        of = of.value
    return isinstance(of, Name)


def _raises_never(value: Expression) -> bool:
    if isinstance(value, Display):
        return all(map(_raises_never, value.items))
    return isinstance(value, Name | Constant | Closure | Generator)


def _raises_by_type(value: Expression) -> bool:
    """Return whether no number decides whether an expression raises."""
    match value:
        case Call(function=str(name), arguments=arguments, keywords=()) if name in _BY_TYPE:
            return all(map(_raises_by_type, arguments))
        case Subscript(value=of, index=Constant()):
            return _raises_by_type(of)
        case Display(items=items):
            return all(map(_raises_by_type, items))
        case Mapping(items=pairs):
            return all(_raises_by_type(part) for pair in pairs for part in pair)
        case Draw(arguments=given):
            return all(_raises_by_type(a) and not rewriting.draws(a) for _, a in given)
    return _raises_never(value)


def watched_of(node: ast.Try, tree: ast.AST) -> frozenset[str]:
    """Return the variables of a function whose values are looked at after a ``try`` has raised.

    Parameters
    ----------
    node : ast.Try
    tree : ast.AST
        The function.
    """
    inside = {id(part) for statement in node.body for part in ast.walk(statement)}
    names = [part for part in ast.walk(tree) if isinstance(part, ast.Name)]
    found = {part.id for part in names if id(part) not in inside}
    found |= {
        n for p in ast.walk(tree) if isinstance(p, ast.Nonlocal | ast.Global) for n in p.names
    }
    loops = (ast.For, ast.While, ast.AsyncFor)
    again = any(
        isinstance(loop, loops) and any(part is node for part in ast.walk(loop))
        for loop in ast.walk(tree)
    )
    if again:
        begun: set[str] = set()
        for statement in node.body:
            parts = [part for part in ast.walk(statement) if isinstance(part, ast.Name)]
            found |= {p.id for p in parts if not is_stored(p) and p.id not in begun}
            simple = isinstance(statement, ast.Assign | ast.AnnAssign)
            stored = {p.id for p in parts if is_stored(p)}
            found |= set() if simple else stored - begun
            begun |= stored if simple else set()
    return frozenset(found)
