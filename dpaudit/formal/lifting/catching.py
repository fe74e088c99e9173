"""``try`` around exceptions of the user's own: in the lifted program, a flag and tests on it.

A function that may raise what is caught becomes one that returns a pair: 0 and its value, or the
number of the handler and what the exception says. Statements after one that may raise stand under
a test that the flag is 0. What Python and its libraries may raise stands in the body as a ``raise``
under a test already; see `dpaudit.formal.lifting.implicit`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.implicit import AGAIN, IMPLICIT
from dpaudit.formal.lifting.rewriting import exchanged, stores
from dpaudit.formal.lifting.scope import Lifter
from dpaudit.formal.program import (
    EMITTED,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Closure,
    Constant,
    Evaluate,
    Expression,
    For,
    Function,
    Leave,
    Mapping,
    Name,
    Node,
    Place,
    Raise,
    Return,
    Sequence,
    Starred,
    Statement,
    Subscript,
    While,
    children,
    walk,
)
from dpaudit.formal.unsupported import Unsupported

Block = tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class Catching:
    """What becomes of the body of one ``try``.

    Parameters
    ----------
    lifter : Lifter
    handler : callable
        Given a class of exceptions, the number of the handler that catches it, from 1, or 0.
    name : str
        Of this ``try``, for the names of its variables.
    explicit : bool
        Whether all that is caught is raised by ``raise`` alone.

    Attributes
    ----------
    texts : dict of int to list of Expression
        What the exceptions say that each handler catches.
    """

    lifter: Lifter
    handler: Callable[[type[BaseException]], int]
    name: str
    explicit: bool = False
    texts: dict[int, list[Expression]] = field(default_factory=dict)
    _functions: dict[tuple[int, frozenset[str]], Function] = field(default_factory=dict)
    _harmless: frozenset[str] = frozenset()  # variables of functions that raise nothing caught
    _kept: list[Function] = field(default_factory=list)
    _count: int = 0

    @property
    def flag(self) -> str:
        """The variable that holds the number of a handler, 0 where nothing was raised."""
        return f"·{self.name}_flag"

    @property
    def error(self) -> str:
        """The variable that holds what the exception says."""
        return f"·{self.name}_error"

    def caught(self, handler: int, place: Place) -> Expression:
        """Return the test whether a handler runs."""
        return Call(place, "operator.eq", (Name(place, self.flag), Constant(place, handler)))

    def validate_alone(self, handler: int, handled: Block, alone: set[tuple[str, int]]) -> None:
        """Refuse what a handler raises, whose text shows the exception that is handled.

        Parameters
        ----------
        handler : int
        handled : tuple of Statement
        alone : set of (str, int)
            Lines with ``raise ... from None``.
        """
        if len(texts := self.texts.get(handler, [])) <= 1 and all(map(_is_fixed, texts)):
            return
        for each in (node for statement in handled for node in walk(statement)):
            if isinstance(each, Raise) and (each.place.file, each.place.line) not in alone:
                what = "an exception that shows the one which is handled: add `from None`"
                raise Unsupported(what, each.place)

    def guarded(self, body: Block, place: Place) -> Block:
        """Return a body after which the flag is set."""
        return (*self._begun(place), *self._block(body))

    def _begun(self, place: Place) -> Block:
        return (
            Assign(place, Name(place, self.flag), Constant(place, 0)),
            Assign(place, Name(place, self.error), Constant(place, None)),
        )

    def _block(self, body: Block) -> Block:
        made: list[Statement] = []
        for at, statement in enumerate(body):
            changed = self._statement(statement)
            if changed is None:
                made.append(statement)
                continue
            made += changed
            rest = self._block(body[at + 1 :])
            if rest:
                place = rest[0].place
                made.append(Branch(place, self.caught(0, place), rest, ()))
            break
        return tuple(made)

    def _statement(self, statement: Statement) -> list[Statement] | None:
        """Return what stands for a statement that may raise what is caught, None for others."""
        place = statement.place
        if not self._may_raise(statement):
            return None
        match statement:
            case Raise():
                handler = self._handler(statement)
                return None if handler == 0 else self._set(handler, statement, place)
            case Branch(test=test, yes=yes, no=no) if not self._may_raise(test):
                return [Branch(place, test, self._block(yes), self._block(no))]
            case For(target=target, iterable=iterable, body=body, otherwise=otherwise) if not any(
                map(self._may_raise, (iterable, *otherwise))
            ):
                return [For(place, target, iterable, self._loop(body, place), otherwise)]
            case While(test=test, body=body, otherwise=otherwise) if not any(
                map(self._may_raise, (test, *otherwise))
            ):
                return [While(place, test, self._loop(body, place), otherwise)]
            case Assign(value=Choice() as choice) | Return(value=Choice() as choice):
                one = replace(statement, value=choice.yes)
                other = replace(statement, value=choice.no)
                return self._statement(Branch(place, choice.test, (one,), (other,)))
            case Assign(target=target, value=Call(function=Function()) as call):
                if not self._may_raise(target):
                    return self._called(call, lambda value: Assign(place, target, value))
            case Return(value=Call(function=Function()) as call):
                return self._called(call, lambda value: Return(place, value))
            case Evaluate(value=Call(function=Function()) as call):
                return self._called(call, None)
            case Evaluate(
                value=Call(
                    function="method.append",
                    arguments=(items, Call(function=Function()) as call),
                )
            ) if is_pure(items):
                held = Name(place, f"·{self.name}_{self._count}_items")
                called = self._called(call, lambda value: _appended(place, held, value))
                return [Assign(place, held, items), *called]
            case Assign(value=value) | Return(value=value) | Evaluate(value=value):
                first = self._first(value)
                if first is not None and first is not value:
                    return self._separated(statement, first)
        raise Unsupported("try around a call that may raise within an expression", place)

    def _first(self, node: Expression) -> Call | None:
        """Return the call that may raise, None where more than names is evaluated before it."""
        match node:
            case Call(arguments=arguments, keywords=keywords):
                parts = (*arguments, *dict(keywords).values())
            case Sequence(items=parts):
                pass
            case Mapping(items=pairs):
                parts = tuple(part for pair in pairs for part in pair)
            case Subscript(value=value, index=index):
                parts = (value, index)
            case Attribute(value=value) | Starred(value=value):
                parts = (value,)
            case Choice(test=test):
                parts = (test,)
            case _:
                return None
        for part in parts:
            if self._may_raise(part):
                return self._first(part)
            if not isinstance(part, Constant | Name | Closure):
                return None
        own = isinstance(node, Call) and isinstance(node.function, Function)
        return node if own else None  # type: ignore[return-value]

    def _separated(self, statement: Statement, call: Call) -> list[Statement]:
        """Return a statement whose call is evaluated before it; nothing else is before the call."""
        self._count += 1
        held = Name(call.place, f"·{self.name}_{self._count}_value")
        rest = exchanged(statement, {id(call): held})
        return list(self._block((Assign(call.place, held, call), rest)))

    def _loop(self, body: Block, place: Place) -> Block:
        stop = Branch(place, self.caught(0, place), (), (Leave(place, "break"),))
        return (*self._block(body), stop)

    def _called(
        self, call: Call, used: Callable[[Expression], Statement] | None
    ) -> list[Statement]:
        """Return a call whose function returns a pair, and what is done with its value."""
        place, function = call.place, call.function
        assert isinstance(function, Function)
        if any(map(self._may_raise, (*call.arguments, *dict(call.keywords).values()))):
            raise Unsupported("try around a call among whose arguments one may raise", place)
        self._count += 1
        pair = Name(place, f"·{self.name}_{self._count}")

        def part(index: int) -> Expression:
            return Subscript(place, pair, Constant(place, index))

        returned: Block = () if used is None else (used(part(1)),)
        raised = (
            Assign(place, Name(place, self.flag), part(0)),
            Assign(place, Name(place, self.error), part(1)),
        )
        test = Call(place, "operator.eq", (part(0), Constant(place, 0)))
        whole = replace(call, function=self._paired(function, self._given(call)))
        return [Assign(place, pair, whole), Branch(place, test, returned, raised)]

    def _given(self, call: Call) -> frozenset[str]:
        """Return the parameters that are given a function which raises nothing that is caught."""
        function = call.function
        assert isinstance(function, Function)
        pairs = (*zip(function.parameters, call.arguments, strict=False), *call.keywords)
        starred = any(isinstance(argument, Starred) for argument in call.arguments)
        if starred or not self.explicit:
            return frozenset()
        stored = stores(*function.body)
        return frozenset(n for n, v in pairs if not stored[n] and self._is_harmless(v))

    def _is_harmless(self, value: Expression) -> bool:
        if isinstance(value, Name):
            return value.id in self._harmless
        calls = (n for n in walk(value) if isinstance(n, Call))
        return (
            isinstance(value, Closure)
            and not any(_is_open(each.function) for each in calls)
            and not self._may_raise(value)
        )

    def _paired(self, function: Function, given: frozenset[str]) -> Function:
        """Return a function that returns a pair in place of raising what is caught."""
        key = id(function), given
        if key not in self._functions:
            from dpaudit.formal.lifting.objects import with_ends

            place, outer = function.place, self._harmless
            self._harmless = given
            body = self.guarded(function.body, place)
            self._harmless = outer
            body = with_ends(Return, body, lambda v: _pair(v.place, Constant(v.place, 0), v))
            names = Name(place, self.flag), Name(place, self.error)
            whole = (*body, Return(place, _pair(place, *names)))
            self._functions[key] = replace(function, body=whole)
            self._kept.append(function)
        return self._functions[key]

    def _set(self, handler: int, raised: Raise, place: Place) -> list[Statement]:
        said = _said(raised)
        if not (isinstance(said, Call) and said.function == IMPLICIT):
            self.texts.setdefault(handler, []).append(said)
        return [
            Assign(place, Name(place, self.error), said),
            Assign(place, Name(place, self.flag), Constant(place, handler)),
        ]

    def _may_raise(self, node: Node) -> bool:
        """Return whether code raises something that is caught, as far as one can see."""
        if isinstance(node, Raise) and self._handler(node):
            return True
        if not isinstance(node, Call):
            return any(map(self._may_raise, children(node)))
        function, outer = node.function, self._harmless
        given = (*node.arguments, *dict(node.keywords).values())
        if _is_open(function):
            if function != "operator.call" or not self._is_harmless(given[0]):
                raise Unsupported("try around a call of a function that is a value", node.place)
        elif isinstance(function, Function):
            self._harmless = self._given(node)
            raises = any(map(self._may_raise, function.body))
            self._harmless = outer
            if raises:
                return True
        return any(map(self._may_raise, given))

    def _handler(self, raised: Raise) -> int:
        """Return the number of the handler that catches what a statement raises, or 0."""
        match raised.value:
            case Call(function=function, arguments=(Constant(value=(name, number)),)):
                if function == IMPLICIT and name != AGAIN:
                    return int(number) if name == self.name else 0
        classes = self.lifter.raised.get((raised.place.file, raised.place.line), set())
        numbers = {self.handler(cls) for cls in classes if cls is not None}
        if len(numbers) != 1 or None in classes:
            raise Unsupported("try around an exception whose class is open", raised.place)
        return numbers.pop()


@dataclass(frozen=True, slots=True)
class Caught:
    """The exception that a handler has: of which ``try``, which handler, and its variable."""

    catching: Catching
    number: int
    name: str | None

    def again(self, place: Place) -> Raise:
        """Return the statement that raises it again.

        Raises
        ------
        Unsupported
            Where it may be of a class that the body names: the class is not kept.
        """
        if self.catching.texts.get(self.number):
            raise Unsupported("an exception that is raised again", place)
        return Raise(place, Call(place, IMPLICIT, (Constant(place, (AGAIN, 0)),)))


def _is_open(function: object) -> bool:
    """Return whether what a call runs may be a function that is not seen here."""
    named = isinstance(function, str)
    return named and (function == "operator.call" or str(function).startswith("recursion:"))


def _pair(place: Place, first: Expression, second: Expression) -> Sequence:
    return Sequence(place, "tuple", (first, second))


def _appended(place: Place, items: Name, value: Expression) -> Statement:
    return Evaluate(place, Call(place, "method.append", (items, value)))


def _is_fixed(said: Expression) -> bool:
    """Return whether what an exception says is a constant."""
    parts = said.items if isinstance(said, Sequence) else (said,)
    return all(isinstance(part, Constant) for part in parts)


def _said(raised: Raise) -> Expression:
    """Return what the text of an exception is made of."""
    match raised.value:
        case Call(function="exception.implicit") as call:
            return call
        case Call(place=place, arguments=arguments, keywords=()):
            shown = [a for a in arguments if not (isinstance(a, Name) and a.id == EMITTED)]
            return Sequence(place, "tuple", tuple(shown))
        case Constant(place=place, value=type() as kind):
            return Constant(place, kind.__qualname__)
    raise Unsupported("try around an exception of this kind", raised.place)
