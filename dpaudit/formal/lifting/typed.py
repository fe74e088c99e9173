"""Questions about the types of values, answered where the code tells them.

Helpers that take a number or an array ask which it is: ``isinstance(x, np.ndarray)``,
``np.shape(x)``, ``hasattr(x, "__len__")``. Where the kind of an argument is told by the call, the
answer goes into the program, and what it decides: each call gets its own copy of the function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.checker.operators import COMPARISONS
from dpaudit.formal.lifting import kinds as of
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.kinds import Kind
from dpaudit.formal.lifting.limits import limited
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Define,
    Draw,
    Expression,
    For,
    Function,
    Leave,
    Logic,
    Name,
    Named,
    Node,
    Raise,
    Return,
    Sequence,
    Starred,
    Statement,
    Subscript,
    Update,
    While,
    walk,
)
from dpaudit.formal.program import Mapping as Dict

Block = tuple[Statement, ...]
_UNKNOWN = object()


def typed(entry: Function, given: Mapping[str, Any]) -> Function:
    """Return a program with what it asks about types answered where that is told.

    Parameters
    ----------
    entry : Function
    given : mapping of str to object
        Values of its parameters that are known before the run.
    """
    known = _Known()
    for name, value in given.items():
        known.hold(name, of.of_value(value), value if of.is_simple(value) else _UNKNOWN)
    return _read(entry, known)[0]


def _read(function: Function, known: _Known) -> tuple[Function, Kind | None]:
    """Return a function for arguments of which this is known, and the kind of what it returns."""
    called = (node.function for node in walk(function) if isinstance(node, Call))
    if any(isinstance(name, str) and name.startswith("recursion:") for name in called):
        known = _Known()
    reader = _Reader(known, rewriting.stores(*function.body))
    body = reader.block(function.body)
    returned = reader.returned if _leaves(body) else [*reader.returned, None]
    return _with(function, body=body), of.joined(returned)


@dataclass(slots=True)
class _Known:
    """What is known of variables: their kinds, and values that are simple."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> _Known:
        return _Known(dict(self.kinds), dict(self.values))

    def hold(self, name: str, kind: Kind | None, value: Any = _UNKNOWN) -> None:
        self.forget([name])
        if kind is not None:
            self.kinds[name] = kind
        if value is not _UNKNOWN:
            self.values[name] = value

    def forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.kinds.pop(name, None)
            self.values.pop(name, None)

    def joined(self, other: _Known) -> _Known:
        """Return what is known where either may be the case."""
        made = _Known()
        for name, kind in self.kinds.items():
            made.hold(name, of.joined((kind, other.kinds.get(name))))
        for name, value in self.values.items():
            if name in other.values and repr(other.values[name]) == repr(value):
                made.values[name] = value
        return made


@dataclass(slots=True)
class _Reader:
    """Reads the body of a function.

    Attributes
    ----------
    known : _Known
        Of the variables, where the reader is.
    stores : Counter of str
        How often the function assigns each variable.
    returned : list of Kind or None
    told : dict of int to tuple
        Kinds of the expressions that were read, by their id.
    draws : dict of int to tuple
        Draws that were read: one that stands in several places is one draw.
    """

    known: _Known
    stores: Mapping[str, int]
    returned: list[Kind | None] = field(default_factory=list)
    told: dict[int, tuple[Node, Kind | None]] = field(default_factory=dict)
    draws: dict[int, tuple[Draw, Draw, Kind | None]] = field(default_factory=dict)

    # --- statements

    def block(self, body: Block) -> Block:
        read: list[Statement] = []
        for statement in body:
            read += self.statement(statement)
            if read and isinstance(read[-1], Return | Raise | Leave):
                break
        same = len(read) == len(body) and all(a is b for a, b in zip(read, body, strict=True))
        return body if same else tuple(read)

    def statement(self, node: Statement) -> Block:
        match node:
            case Assign(target=Name(id=name)):
                value, kind = self.expression(node.value)
                self.known.hold(name, kind, self.constant(value))
                return (_with(node, value=value),)
            case Update(target=Name(id=name)):
                value, kind = self.expression(node.value)
                before = self.known.kinds.get(name)
                after = of.of_operator(node.function.replace("operator.i", "operator."),
                                       [before, kind])  # fmt: skip
                self.known.hold(name, before if after and before in ("zero", "array") else after)
                return (_with(node, value=value),)
            case Branch():
                return self.branch(node)
            case For() | While():
                return (self.loop(node),)
            case Return():
                value, kind = self.expression(node.value)
                self.returned.append(kind)
                return (_with(node, value=value),)
        read: Statement = self.below(node)
        if isinstance(node, Assign | Define):
            self.known.forget(rewriting.stores(node) if isinstance(node, Assign) else [node.name])
        return (read,)

    def branch(self, node: Branch) -> Block:
        test, _ = self.expression(node.test)
        told = self.constant(test)
        if told is not _UNKNOWN:
            return self.block(node.yes if told else node.no)
        before = self.known.copy()
        yes = self.block(node.yes)
        after, self.known = self.known, before
        no = self.block(node.no)
        if _leaves(no):
            self.known = after
        elif not _leaves(yes):
            self.known = self.known.joined(after)
        return (_with(node, test=test, yes=yes, no=no),)

    def loop(self, node: For | While) -> Statement:
        head = self.expression(node.iterable)[0] if isinstance(node, For) else None
        self.known.forget(rewriting.stores(node))
        before = self.known.copy()
        test = self.expression(node.test)[0] if isinstance(node, While) else None
        changed = {"iterable": head} if isinstance(node, For) else {"test": test}
        body = self.block(node.body)
        self.known = before.copy()  # after no round at all, or a break out of any
        otherwise = self.block(node.otherwise)
        self.known = before
        return _with(node, body=body, otherwise=otherwise, **changed)  # type: ignore[no-any-return]

    # --- expressions

    def below(self, node: Any) -> Any:
        """Return a node with the expressions below it read."""

        def read(value: Any) -> Any:
            return self.expression(value)[0] if isinstance(value, Expression) else value

        return rewriting.with_parts(node, read)

    def expression(self, node: Any) -> tuple[Any, Kind | None]:
        """Return an expression, read, and its kind."""
        if id(node) in self.draws:
            return self.draws[id(node)][1:]
        read, kind = self.read(node)
        self.told[id(read)] = read, kind
        if isinstance(node, Draw):
            self.draws[id(node)] = node, read, kind
        return read, kind

    def kind(self, node: Expression) -> Kind | None:
        """Return the kind of an expression that was read."""
        return self.told[id(node)][1]

    def constant(self, node: Any) -> Any:
        """Return the value of an expression that is known, `_UNKNOWN` of any other."""
        if isinstance(node, Name):
            return self.known.values.get(node.id, _UNKNOWN)
        if isinstance(node, Sequence) and node.kind == "tuple":
            items = tuple(map(self.constant, node.items))
            return _UNKNOWN if any(item is _UNKNOWN for item in items) else items
        simple = isinstance(node, Constant) and of.is_simple(node.value)
        return node.value if simple else _UNKNOWN

    def read(self, node: Any) -> tuple[Any, Kind | None]:
        match node:
            case Constant():
                return node, of.of_value(node.value)
            case Name():
                return node, self.known.kinds.get(node.id)
            case Comprehension():
                return self.comprehension(node)
            case Closure():
                inner = self.later(rewriting.stores(node.function))
                body = inner.block(node.function.body)
                return _with(node, function=_with(node.function, body=body)), None
            case Choice():
                return self.choice(node)
            case Logic():
                return self.logic(node)
        read = self.below(node)
        match read:
            case Named():
                self.known.forget([read.target.id])  # which may be inside of what is not evaluated
            case Sequence(kind="list"):
                return read, "list"
            case Sequence(kind="tuple"):
                return read, "tuple"
            case Dict():
                return read, "dict"
            case Draw():
                return read, self.drawn(read)
            case Subscript(value=Call(function="numpy.histogram"), index=Constant(value=0)):
                return read, "array"
            case Attribute():
                return self.attribute(read)
            case Call(function=Function()):
                return self.call(read)
            case Call(function=str()):
                return self.library(read)
        return read, None

    def comprehension(self, node: Comprehension) -> tuple[Comprehension, Kind | None]:
        inner = self.later(rewriting.stores(node))
        if node.kind in ("list", "dict"):  # evaluated at once
            inner.known = self.known.copy()
            inner.known.forget(rewriting.stores(node))
        kinds: dict[str, Kind] = {"list": "list", "dict": "dict"}
        return inner.below(node), kinds.get(node.kind)

    def later(self, own: Iterable[str]) -> _Reader:
        """Return a reader of code that runs later, when variables may have been assigned anew."""
        hidden = set(own)
        lasting = {
            name: kind
            for name, kind in self.known.kinds.items()
            if name not in hidden and self.stores.get(name, 0) <= 1
        }
        return _Reader(_Known(lasting), self.stores, draws=self.draws)

    def choice(self, node: Choice) -> tuple[Expression, Kind | None]:
        test, _ = self.expression(node.test)
        told = self.constant(test)
        if told is not _UNKNOWN:
            return self.expression(node.yes if told else node.no)
        (yes, one), (no, other) = self.expression(node.yes), self.expression(node.no)
        return _with(node, test=test, yes=yes, no=no), of.joined((one, other))

    def logic(self, node: Logic) -> tuple[Expression, Kind | None]:
        """Return what is left of ``and`` and ``or``: an operand that is told may decide."""
        decides = node.operator == "or"
        operands = list(node.operands)
        while operands:
            first, kind = self.expression(operands[0])
            told = isinstance(first, Constant) and type(first.value) is bool
            if told and (first.value is decides or len(operands) == 1):
                return first, kind
            if not told:
                rest = [self.expression(operand)[0] for operand in operands[1:]]
                if not rest:
                    return first, kind
                return _with(node, operands=_same((first, *rest), node.operands)), None
            del operands[0]
        return node, None

    def attribute(self, node: Attribute) -> tuple[Expression, Kind | None]:
        kind = self.kind(node.value)
        if kind in ("zero", "numpy") and node.name in of.OF_POINT and _is_quiet(node.value):
            return self.constant_of(node, of.OF_POINT[node.name])
        if kind == "array" and node.name in ("shape", "ndim"):
            return node, "shape" if node.name == "shape" else "int"
        return node, None

    def constant_of(self, node: Node, value: Any) -> tuple[Constant, Kind | None]:
        return Constant(node.place, value), of.of_value(value)

    def drawn(self, node: Draw) -> Kind | None:
        """Return the kind of what is drawn."""
        size = node.argument("size")
        if node.family not in of.DRAWN:
            return None
        if size is None or self.constant(size) is None:
            plain = all(self.kind(v) in of.NUMBERS for n, v in node.arguments if n != "size")
            return "float" if plain else None
        if self.constant(size) == ():
            return "zero"
        return "array" if self.is_plural(size) else None

    def is_plural(self, size: Expression) -> bool:
        """Return whether an expression is the shape of an array of one dimension or more."""
        if isinstance(size, Sequence):
            return bool(size.items)
        value = self.constant(size)
        return self.kind(size) in ("int", "shape") or (type(value) is tuple and bool(value))

    def call(self, node: Call) -> tuple[Call, Kind | None]:
        """Return the call of a function, read for what is known of the arguments."""
        function = node.function
        assert isinstance(function, Function)
        known = _Known()
        if not any(isinstance(argument, Starred) for argument in node.arguments):
            given = dict(zip(function.parameters, node.arguments, strict=False))
            given |= dict(node.keywords)
            for name, value in function.defaults.items():
                known.hold(name, of.of_value(value.value), self.constant(value))
            for name, argument in given.items():
                known.hold(name, self.kind(argument), self.constant(argument))
        read, kind = _read(function, known)
        return _with(node, function=read), kind

    def library(self, node: Call) -> tuple[Expression, Kind | None]:
        """Return a call of a library, answered where it asks for a type, and its kind."""
        name, arguments = str(node.function), node.arguments
        kinds = [self.kind(argument) for argument in arguments]
        first = kinds[0] if kinds else None
        if arguments and not node.keywords and all(map(_is_quiet, arguments)):
            told = None if first is None else of.answer(name, first, arguments[1:])
            told = self.decided(name, arguments, first) if told is None else told
            if told is not None:
                return self.constant_of(node, told)
        if name == "copy.deepcopy" and len(kinds) == 1 and first in of.UNCHANGING:
            return arguments[0], first
        if name == "numpy.shape" and kinds == ["array"] and not node.keywords:
            return Attribute(node.place, arguments[0], "shape"), "shape"
        limit = limited(node, self.constant)
        if limit is not None:
            return limit, of.of_call(str(limit.function), kinds[1:], set())
        if name == "numpy.full":
            return node, "array" if arguments and self.is_plural(arguments[0]) else None
        if name == "builtins.sum" and len(arguments) == 1:
            counted = isinstance(arguments[0], Comprehension) and arguments[0].element
            ones = isinstance(counted, Constant) and type(counted.value) in (bool, int)
            return node, "int" if ones else None
        as_float = [(n, getattr(v, "value", v)) for n, v in node.keywords] == [("dtype", float)]
        if name in of.COPIES and len(kinds) == 1 and first in of.POINTS and as_float:
            number = rewriting.call(node.place, "builtins.float", arguments[0])
            return rewriting.call(node.place, name, number), "zero"
        return node, of.of_call(name, kinds, {keyword for keyword, _ in node.keywords})

    def decided(
        self, name: str, arguments: tuple[Expression, ...], first: Kind | None
    ) -> bool | None:
        """Return what a comparison of a shape with a constant yields, None where it is not told."""
        if name not in COMPARISONS or (wanted := self.constant(arguments[1])) is _UNKNOWN:
            return None
        left = arguments[0]
        counted = isinstance(left, Attribute) and left.name == "ndim"
        dimensions = counted and self.kind(left.value) == "array"  # type: ignore[union-attr]
        return of.OF_ARRAY.get((name, wanted)) if first == "shape" or dimensions else None


def _is_quiet(node: Expression) -> bool:
    """Return whether to leave an expression out changes nothing."""
    while isinstance(node, Attribute) and node.name in of.OF_POINT:
        node = node.value
    return rewriting.is_quiet(node)


def _same(new: tuple[Any, ...], old: tuple[Any, ...]) -> tuple[Any, ...]:
    alike = len(new) == len(old) and all(a is b for a, b in zip(new, old, strict=True))
    return old if alike else new


def _leaves(body: Block) -> bool:
    """Return whether a block never comes to its end."""
    last = body[-1] if body else None
    if isinstance(last, Branch):
        return _leaves(last.yes) and _leaves(last.no)
    return isinstance(last, Return | Raise | Leave)


def _with(node: Any, **parts: Any) -> Any:
    """Return a node with other parts; the node itself where they are what it has."""
    new = {name: part for name, part in parts.items() if part is not getattr(node, name)}
    return replace(node, **new) if new else node
