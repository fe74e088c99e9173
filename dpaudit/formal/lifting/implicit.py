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

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.flow_syntax import is_stored
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Choice,
    Closure,
    Constant,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Generator,
    Leave,
    Logic,
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
            before, changed, after, pending = self._statement(statement, pending)
            made += (*before, *changed, *after)
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

    def _statement(self, node: Statement, pending: bool) -> tuple[Block, Block, Block, bool]:
        """Return what stands before a statement, in its place and after it, and what is due."""
        if self._is_unseen(node):
            return (), (node,), (), True
        place = node.place
        match node:
            case Assign(target=target, value=value):
                forced = self._forced(target)
                if isinstance(value, Call) and isinstance(value.function, Function):
                    before, call = self._called(value, pending or bool(forced))
                    return before, (replace(node, value=call),), (), False
                before, value = self._kept(value, (pending, forced), place)
                return before, (replace(node, value=value),), (), False
            case Update(target=target, value=value, function=function):
                if function.replace("operator.i", "operator.") not in _BY_TYPE:
                    raise Unsupported("try around this operation in place", place)
                before, value = self._kept(value, (True, self._forced(target)), place)
                return before, (replace(node, value=value),), (), False
            case Return(value=Call(function=Function()) as call):
                before, call = self._called(call, pending)
                return before, (Return(place, call),), (), False
            case Return(value=value):
                before, value = self._kept(value, (pending, ()), place)
                return before, (Return(place, value),), (), False
            case Evaluate(value=Call(function=Function()) as call):
                before, call = self._called(call, pending)
                return before, (Evaluate(place, call),), (), False
            case Evaluate(value=Call(function=name, arguments=(of, value), keywords=()) as call):
                if name in _GROWING and _is_plain(of):
                    if isinstance(value, Call) and isinstance(value.function, Function):
                        before, given = self._called(value, pending)
                        return before, (_with(node, call, (of, given)),), (), False
                    before, given = self._kept(value, (pending, ()), place)
                    return before, (_with(node, call, (of, given)),), (), False
            case Branch(test=test, yes=yes, no=no):
                before, test = self._kept(test, (pending, ()), place)
                (yes, one), (no, two) = self.block(yes), self.block(no)
                return before, (Branch(place, test, yes, no),), (), one or two
            case For(iterable=iterable, body=body, otherwise=otherwise):
                before, iterable = self._kept(iterable, (pending, ()), place)
                inside, _ = self.block(body, pending=True)
                last, _ = self.block(otherwise, pending=True)
                changed = replace(node, iterable=iterable, body=inside, otherwise=last)
                return before, (changed,), (), True
            case While(test=test, body=body, otherwise=()) if _raises_by_type(test):
                inside, _ = self.block(body, pending=True)
                before = self._checks(place) if pending else ()
                return before, (replace(node, body=inside),), (), True
            case Raise() | Leave():
                return self._checks(place) if pending else (), (node,), (), False
        raise Unsupported("try around a statement of this kind", place)

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

    def _kept(
        self, value: Expression, due: tuple[bool, tuple[Expression, ...]], place: Place
    ) -> tuple[Block, Expression]:
        """Return what evaluates a value and raises, and the value for what follows."""
        pending, forced = due
        if any(isinstance(p, Call) and isinstance(p.function, Function) and not changes_nothing(p)
               for p in rewriting.inner(value)):  # fmt: skip
            raise Unsupported("try around a call that may raise within an expression", place)
        if not changes_nothing(value):
            raise Unsupported("try around a value that changes another", place)
        if forced:
            begun, held = self._stored(value, place)
            return (*begun, *self._checks(place, forced)), held
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
        if _raises_never(value):
            return (), value
        self._count += 1
        name = Name(place, f"·{self.name}_{self._count}_kept")
        return (Assign(place, name, value),), name

    def _called(self, call: Call, pending: bool) -> tuple[Block, Expression]:
        """Return a call of a function that raises implicit exceptions inside."""
        if changes_nothing(call):
            return self._kept(call, (pending, ()), call.place)
        given = (*call.arguments, *dict(call.keywords).values())
        simple = all(map(_raises_by_type, given)) and all(map(changes_nothing, given))
        if not simple:
            raise Unsupported("try around a call among whose arguments one may raise", call.place)
        function = call.function
        assert isinstance(function, Function)
        if id(function) not in self._functions:
            inside = Implicit(self.numbers, self.name, frozenset(), self._functions)
            body = inside.whole(function.body, function.place)
            self._functions[id(function)] = function, replace(function, body=body)
        due = pending or not all(map(_raises_never, given))
        changed = replace(call, function=self._functions[id(function)][1])
        return (self._checks(call.place) if due else ()), changed

    def _forced(self, target: object) -> tuple[Expression, ...]:
        """Return the places at which a target is stored that may be missing."""
        found: list[Expression] = []
        for part in _parts(target):
            while isinstance(part, Subscript):
                if not isinstance(part.index, Constant):
                    found.append(part.index)
                part = part.value
        return tuple(found)


def _with(node: Evaluate, call: Call, arguments: tuple[Expression, ...]) -> Statement:
    return replace(node, value=replace(call, arguments=arguments))


def _parts(target: object) -> Iterator[object]:
    if isinstance(target, Display):
        for item in target.items:
            yield from _parts(item)
    else:
        yield target


def _is_plain(of: Expression) -> bool:
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
        case Display(items=items) | Logic(operands=items):
            return all(map(_raises_by_type, items))
        case Mapping(items=pairs):
            return all(_raises_by_type(part) for pair in pairs for part in pair)
        case Choice(test=test, yes=yes, no=no):
            return all(map(_raises_by_type, (test, yes, no)))
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
