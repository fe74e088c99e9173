"""Scalar replacement: an object that does not leave its function, as a variable for each attribute.

``self.total += x`` in a method that a loop calls is ``total += x`` in the loop, where the proofs
know loops. Methods are written out where they are called, with local variables of their own. If
afterwards nothing but attributes of the object is read and set, each attribute is a variable. All
else stays as it is written: an object that is returned, passed on, or made in a loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.copying import copied
from dpaudit.formal.lifting.helpers import Writer
from dpaudit.formal.lifting.selecting import fresh, unused
from dpaudit.formal.lifting.separate_calls import filled, first_call, first_part, is_plain_dict
from dpaudit.formal.lifting.trees import bound
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
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
    Mapping,
    Name,
    Named,
    Node,
    Raise,
    Return,
    Starred,
    Statement,
    Subscript,
    Update,
    While,
    nodes_in,
    parts_of,
)

Block = tuple[Statement, ...]
_MOST = 200  # calls written out for one object
_MOST_OBJECTS = 8
_FIELDS: dict[type, str] = {
    Assign: "value", Return: "value", Evaluate: "value", Update: "value", Branch: "test",
}  # fmt: skip


class _StaysError(Exception):
    """The object stays an object."""


def separated(body: Block, parameters: Iterable[str]) -> Block:
    """Return the body of a function, its objects that loops change as variables.

    Parameters
    ----------
    body : tuple of Statement
    parameters : iterable of str
    """
    if not any(_made(node) for statement in body for node in rewriting.inner(statement)):
        return body
    tried: set[str] = set()
    body = _hoisted(body, {*_names(body), *parameters})
    for _ in range(_MOST_OBJECTS):
        count = _bindings(body) + Counter(parameters)
        for at, statement in enumerate(body):
            match statement:
                case Assign(target=Name(id=name), value=value) if (
                    _made(value)
                    and count[name] == 1
                    and name not in tried
                    and not rewriting.reads(*body[:at])[name]
                ):
                    break
        else:
            break
        tried.add(name)
        try:
            body = (*body[:at], *_replaced(body[at:], name, {*_names(body), *parameters}, count))
        except _StaysError:
            continue
    return body


def _made(node: Any) -> bool:
    """Return whether an expression makes an object."""
    if isinstance(node, Mapping):
        keys = [key.value if isinstance(key, Constant) else None for key, _ in node.items]
        return bool(keys) and all(type(k) is str for k in keys) and len({*keys}) == len(keys)
    return (
        isinstance(node, Call)
        and isinstance(node.function, Function)
        and node.function.name == "__init__"
        and isinstance(node.arguments[0], Mapping)
        and not node.arguments[0].items
    )


def _hoisted(body: Block, taken: set[str]) -> Block:
    """Return a block in which an object that a statement makes first of all has a variable."""
    found: list[Statement] = []
    for statement in body:
        value = rewriting.value_of(statement)
        if isinstance(statement, Update) and not isinstance(statement.target, Name):
            value = None  # the attribute is read before the object is made
        head = None if value is None else next(filter(_made, _heads(value)), None)
        if head is None or (head is value and isinstance(statement, Assign)):
            found.append(statement)
            continue
        made = Name(head.place, unused("object", taken))
        taken.add(made.id)
        found.append(Assign(head.place, made, head))
        found.append(rewriting.exchanged(statement, {id(head): made}))
    return tuple(found)


def _heads(value: Any) -> Iterator[Any]:
    """Yield an expression, and what is evaluated before all else of it."""
    while isinstance(value, Node):
        if not isinstance(value, Mapping):
            yield value
        match value:
            case Call(arguments=(Node() as first, *_)) if not _made(value):
                value = first
            case Subscript(value=first):
                value = first
            case _:
                return


def _replaced(
    statements: Block, name: str, taken: set[str], count: Counter[str]
) -> tuple[Statement, ...]:
    """Return the statements from where an object is made on."""
    made, *rest = statements
    assert isinstance(made, Assign)
    methods = _Methods({name}, taken, count)
    begun: list[Statement] = []
    if isinstance(made.value, Mapping):
        for key, value in made.value.items:
            begun.append(Assign(key.place, Subscript(key.place, made.target, key), value))
    else:
        call: Any = made.value
        itself = replace(call, arguments=(made.target, *call.arguments[1:]))
        begun += methods.block((Evaluate(call.place, itself),))
    body = (*begun, *methods.block(tuple(rest)))
    if not any(_is_changed(loop, methods.objects) for loop in _loops(body)):
        raise _StaysError
    if any(_is_set_inside(node, methods.objects) for s in body for node in rewriting.inner(s)):
        raise _StaysError
    new: dict[int, Node] = {}
    attributes: dict[str, str] = {}
    for node in (n for s in body for n in rewriting.inner(s)):
        attribute = _attribute(node, methods.objects)
        if attribute is not None and attribute not in attributes:
            attributes[attribute] = unused(f"{attribute}_of_{name}", taken)
            taken.add(attributes[attribute])
        if attribute is not None:
            new[id(node)] = Name(node.place, attributes[attribute])
    found = tuple(rewriting.exchanged(statement, new) for statement in body)
    if any(of in methods.objects for statement in found for of in rewriting.reads(statement)):
        raise _StaysError
    return found


def _is_set_inside(scope: Node, objects: set[str]) -> bool:
    """Return whether a function or a comprehension inside sets an attribute of an object.

    A variable in its place would be one of that scope.
    """
    if isinstance(scope, Comprehension):
        targets: list[Any] = [clause[0] for clause in scope.clauses]
    elif isinstance(scope, Closure | Define | Function):
        every = [node for node in rewriting.inner(scope) if node is not scope]
        targets = [n.target for n in every if isinstance(n, Assign | Update | For)]
        targets += [c[0] for n in every if isinstance(n, Comprehension) for c in n.clauses]
    else:
        return False
    parts = (node for target in targets for node in rewriting.inner(target))
    return any(_attribute(node, objects) is not None for node in parts)


def _attribute(node: Node, objects: set[str]) -> str | None:
    """Return the name of the attribute that an expression is, None for anything else."""
    match node:
        case Subscript(value=Name(id=of), index=Constant(value=str(key))) if of in objects:
            return key
    return None


class _Methods:
    """Writes out the calls that are given an object.

    Attributes
    ----------
    objects : set of str
        Variables that hold the object, and nothing else ever.
    taken : set of str
        Names that are in use.
    count : Counter
        How often each variable is bound.
    """

    def __init__(self, objects: set[str], taken: set[str], count: Counter[str]) -> None:
        self.objects, self.taken, self.count = objects, taken, count
        self.helpers = Writer({}, taken, objects)
        self.read: set[str] = set()  # so far
        self.calls = 0

    def block(self, statements: Block, *, top: bool = True) -> Block:
        """Return a block, the blocks inside too."""
        found: list[Statement] = []
        for statement in statements:
            found += self.statement(statement, top=top)
            self.read |= {*rewriting.reads(statement)}
        return tuple(found)

    def statement(self, statement: Statement, *, top: bool) -> list[Statement]:
        """Return a statement without calls that are given the object, and what comes before it."""
        field = _FIELDS.get(type(statement))
        value: Any = None if field is None else getattr(statement, field)
        if field and self._is_given(value):
            self._validate_order(statement)
            new, result = self._written(value)
            found = [s for each in new for s in self.statement(each, top=top)]
            if isinstance(statement, Evaluate) and isinstance(result, Name | Constant):
                return found
            return [*found, *self.statement(replace(statement, **{field: result}), top=top)]  # type: ignore[arg-type]
        first = first_call(value, self._is_given) or first_part(value, self._is_given)
        if field and first is not None:
            begun, result = self._separate(statement, first)
            rest = replace(statement, **{field: rewriting.exchanged(value, {id(first): result})})
            return [s for each in (*begun, rest) for s in self.statement(each, top=top)]
        match statement:
            case Assign(target=Name(id=other), value=Name(id=of)) if of in self.objects:
                if not top or self.count[other] != 1 or other in self.read:
                    raise _StaysError
                self.objects.add(other)
                return []
        inside = partial(self.block, top=False)
        return self.helpers.statement(rewriting.with_blocks(statement, inside))

    def _separate(self, statement: Statement, first: Any) -> tuple[list[Statement], Name]:
        """Return statements that compute what a statement evaluates first, and its variable."""
        self._validate_order(statement)
        if not isinstance(first, Comprehension):
            result = Name(first.place, self._fresh("result", first, 1))
            return [Assign(first.place, result, first)], result
        if not is_plain_dict(first):
            raise _StaysError
        if any(isinstance(n, Named | Closure) for n in rewriting.inner(first)):
            raise _StaysError  # a function keeps the variables of its own comprehension
        return filled(first, lambda name, node: self._fresh(name, node, 1))

    def _validate_order(self, statement: Statement) -> None:
        """Refuse an attribute that is read before a call which may change it."""
        if not isinstance(statement, Update) or isinstance(statement.target, Name):
            return
        known = _attribute(statement.target, self.objects) is not None
        if not known or not changes_nothing(statement.value):
            raise _StaysError

    def _is_given(self, value: Any) -> bool:
        if not isinstance(value, Call) or not isinstance(value.function, Function):
            return False
        given = (*value.arguments, *(v for _, v in value.keywords))
        return any(isinstance(v, Name) and v.id in self.objects for v in given)

    def _written(self, call: Call) -> tuple[list[Statement], Expression]:
        """Return the statements of a call, and its result."""
        function: Any = call.function
        self.calls += 1
        if self.calls > _MOST or function.starred is not None:
            raise _StaysError
        given, named = call.arguments, dict(call.keywords)
        if len(given) > len(function.parameters) or any(isinstance(v, Starred) for v in given):
            raise _StaysError
        values = dict(zip(function.parameters, given, strict=False))  # in the order of evaluation
        if values.keys() & named.keys():
            raise _StaysError
        values |= named
        values |= {n: v for n, v in function.defaults.items() if n not in values}
        stored = _bindings(function.body)
        _validate(function)
        if set(values) != set(function.parameters):
            raise _StaysError
        plain = {
            name: value
            for name, value in values.items()
            if isinstance(value, Name | Constant) and not stored[name]
        }
        count = stored + Counter(values.keys())
        new = {name: self._fresh(name, call, count[name]) for name in count}
        names = {name: Name(call.place, fresh) for name, fresh in new.items()}
        names |= {name: value for name, value in plain.items() if isinstance(value, Name)}
        filling: dict[str, Expression] = {
            new[n]: value for n, value in plain.items() if isinstance(value, Constant)
        }
        begun: list[Statement] = []
        for name, value in values.items():
            if name not in plain:
                if any(isinstance(part, Named) for part in rewriting.inner(value)):
                    raise _StaysError
                begun.append(Assign(call.place, names[name], value))
        body: Any = tuple(
            rewriting.filled(copied(statement, names), filling) for statement in function.body
        )
        if not any(_returns(s) for s in body[:-1]) and not (body and _returns_inside(body[-1])):
            if body and isinstance(body[-1], Return):
                return [*begun, *body[:-1]], body[-1].value
            return [*begun, *body], Constant(call.place, None)
        result = Name(call.place, self._fresh("result", call, 2))
        return [*begun, *_ended(body, result)], result

    def _fresh(self, name: str, node: Node, count: int) -> str:
        word = name if name.isidentifier() else "part"
        found = fresh(word, node.place, self.taken).id
        self.count[found] = count
        return found


def _validate(function: Function) -> None:
    """Refuse a function whose variables may outlast a call, or may be read before they are set."""
    for statement in function.body:
        for node in rewriting.inner(statement):
            if isinstance(node, Closure | Define | Function):
                raise _StaysError
            if isinstance(node, Call) and str(node.function).startswith("recursion:"):
                raise _StaysError
    every = [node for statement in function.body for node in rewriting.inner(statement)]
    local = {name for n in every if not isinstance(n, Comprehension) for name in bound(n)}
    _set_after(function.body, {*function.parameters}, local)


def _set_after(block: Block, known: set[str], local: set[str]) -> set[str] | None:
    """Return the variables that are set for sure after a block, None where its end is not met.

    Refuses a block that may read a local variable before it is set: a call would have failed, and
    the statements of the call would find what an earlier one left.
    """
    for statement in block:
        parts = [getattr(statement, n, None) for n in ("value", "test", "iterable")]
        read = set[str]().union(*(_free(part) for part in parts if part is not None))
        if isinstance(statement, Assign | Update | For):
            own = set() if isinstance(statement, Update) else {*bound(statement)}
            read |= set(rewriting.reads(statement.target)) - own
        if read & local - known:
            raise _StaysError
        match statement:
            case Branch(yes=yes, no=no):
                ends = [_set_after(each, {*known}, local) for each in (yes, no)]
                met = [end for end in ends if end is not None]
                if not met:
                    return None
                known = set.intersection(*met)
            case For() | While():
                _set_after(statement.body, known | set(bound(statement)), local)
                _set_after(statement.otherwise, {*known}, local)
            case Return() | Raise() | Leave():
                return None
            case _:
                known = known | set(bound(statement))
    return known


def _free(node: Node) -> set[str]:
    """Return the variables that an expression reads, without those that its comprehensions bind."""
    if isinstance(node, Name):
        return {node.id}
    names = [n for n in parts_of(node) if not (isinstance(node, Call) and n == "function")]
    parts = [child for name in names for child in nodes_in(getattr(node, name))]
    own = bound(node) if isinstance(node, Comprehension) else []
    found = set[str]().union(*map(_free, parts)) - {*own}
    return found | _free(node.clauses[0][1]) if isinstance(node, Comprehension) else found


def _ended(block: Block, result: Name) -> Block:
    """Return a block that keeps its result in a variable, and is left at its end alone."""
    for at, statement in enumerate(block):
        before, rest = block[:at], block[at + 1 :]
        if isinstance(statement, Return):
            return (*before, Assign(statement.place, result, statement.value))
        if isinstance(statement, Raise):
            return (*before, statement)
        if isinstance(statement, Branch) and _returns(statement):
            yes, no = statement.yes, statement.no
            if rest and not (_leaves(yes) or _leaves(no)):
                raise _StaysError  # the rest would stand twice
            yes = _ended((*yes, *(() if _leaves(yes) else rest)), result)
            no = _ended((*no, *(() if _leaves(no) else rest)), result)
            return (*before, replace(statement, yes=yes, no=no))
        if _returns(statement):
            raise _StaysError
    return (*block, Assign(result.place, result, Constant(result.place, None)))


def _leaves(block: Block) -> bool:
    """Return whether the end of a block is never met."""
    for statement in block:
        if isinstance(statement, Return | Raise):
            return True
        if isinstance(statement, Branch) and _leaves(statement.yes) and _leaves(statement.no):
            return True
    return False


def _returns(statement: Statement) -> bool:
    return any(isinstance(node, Return) for node in rewriting.inner(statement))


def _returns_inside(statement: Statement) -> bool:
    return not isinstance(statement, Return) and _returns(statement)


def _loops(body: Block) -> Iterator[Node]:
    for statement in body:
        yield from (n for n in rewriting.inner(statement) if isinstance(n, For | While))


def _is_changed(loop: Node, objects: set[str]) -> bool:
    """Return whether a loop sets an attribute of an object, or may change what it holds."""
    for node in rewriting.inner(loop):
        targets: list[Any] = []
        if isinstance(node, Assign | Update | For):
            targets = [node.target]
        elif isinstance(node, Call) and str(node.function).startswith("method."):
            targets = list(node.arguments[:1])
        for target in targets:
            while isinstance(target, Subscript):
                target = target.value
                if isinstance(target, Name) and target.id in objects:
                    return True
    return False


def _bindings(nodes: Iterable[Node]) -> Counter[str]:
    """Return how often each variable is bound."""
    every = [node for each in nodes for node in rewriting.inner(each)]
    defined = Counter(node.name for node in every if isinstance(node, Define))
    return Counter(name for node in every for name in bound(node)) + defined


def _names(body: Block) -> set[str]:
    return {*rewriting.reads(*body), *_bindings(body)}
