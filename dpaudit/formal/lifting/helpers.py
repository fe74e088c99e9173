"""Helpers: short functions, written out where they are called.

A helper is a few assignments to names and a result. In place of its call stands its result, with
what is passed in place of its parameters; what is read or drawn more than once is assigned before
the statement. A function defined inside reads the variables around it when it is called, and so
does what is written in its place. Draws are independent, so that their order is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

from dpaudit.checker.cost.ordering import BY_KEY
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.copying import copied
from dpaudit.formal.lifting.selecting import fresh
from dpaudit.formal.lifting.unchanged import changes_nothing, may_change
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Define,
    Draw,
    Evaluate,
    Expression,
    Function,
    Generator,
    Logic,
    Name,
    Named,
    Return,
    Starred,
    Statement,
    Update,
    children,
    nodes_in,
    walk,
)

Block = tuple[Statement, ...]
_LONGEST = 12  # statements of a helper
_MOST = 200  # calls written out in one function
_HOISTED: dict[type, str] = {
    Assign: "value", Return: "value", Evaluate: "value", Update: "value", Branch: "test",
}  # fmt: skip
_FIELDS = ("value", "test", "iterable")


def with_helpers(body: Block, parameters: tuple[str, ...]) -> Block:
    """Return the body of a function, its calls of helpers written out.

    Parameters
    ----------
    body : tuple of Statement
    parameters : tuple of str
    """
    own = own_functions(body, parameters)
    if not own and not any(_may_be_written(n) for s in body for n in rewriting.inner(s)):
        return body
    found = Writer(own, {*rewriting.reads(*body), *rewriting.stores(*body), *parameters}).block(
        body
    )
    return _without_unread(found, own)


def own_functions(body: Block, parameters: tuple[str, ...]) -> dict[str, Function]:
    """Return the functions that are defined here, under names that stand for nothing else."""
    stored = rewriting.stores(*body) + Counter(parameters)
    stored += Counter(n.name for s in body for n in rewriting.inner(s) if isinstance(n, Define))
    found = {}
    for statement in body:
        match statement:
            case Define():
                found[statement.name] = statement.function.function
            case Assign(target=Name(id=name), value=Closure(function=function)):
                found[name] = function
    return {name: function for name, function in found.items() if stored[name] == 1}


def _without_unread(body: Block, own: dict[str, Function]) -> Block:
    """Return a block without the definitions of functions that nobody reads any more."""
    while True:
        read = Counter(rewriting.reads(*body))
        read -= Counter(s.target.id for s in body if _named(s, own) and isinstance(s, Assign))  # type: ignore[union-attr]
        kept = tuple(s for s in body if _named(s, own) is None or read[str(_named(s, own))])
        if len(kept) == len(body):
            return body
        body = kept


def _named(statement: Statement, own: dict[str, Function]) -> str | None:
    if isinstance(statement, Define):
        return statement.name if statement.name in own else None
    if isinstance(statement, Assign) and isinstance(statement.value, Closure):
        name = statement.target.id if isinstance(statement.target, Name) else None
        return name if name in own else None
    return None


def _may_be_written(node: Any) -> bool:
    called = isinstance(node, Call) and node.function == "operator.call"
    return _is_drawing(node) or (called and isinstance(node.arguments[0], Closure))


def _is_drawing(node: Any) -> bool:
    """Return whether a call is of a function that draws, or in the arguments of a choice."""
    if isinstance(node, Draw):
        return node.family == "choice" and any(
            isinstance(part, Call) and isinstance(part.function, Function)
            for part in rewriting.inner(node)
        )
    return (
        isinstance(node, Call)
        and isinstance(node.function, Function)
        and rewriting.draws(node.function)
    )


@dataclass(slots=True)
class Writer:
    """Writes helpers out.

    Attributes
    ----------
    own : dict of str to Function
        Functions that are defined in the body.
    taken : set of str
        Names that are in use.
    given : set of str
        Variables: helpers that are given one are written out, whether they draw or not.
    """

    own: dict[str, Function]
    taken: set[str]
    given: set[str] = field(default_factory=set)
    calls: int = 0

    def block(self, statements: Block) -> Block:
        """Return a block, the blocks inside too."""
        found: list[Statement] = []
        for statement in statements:
            found += self.statement(rewriting.with_blocks(statement, self.block))
        return tuple(found)

    def statement(self, statement: Statement) -> list[Statement]:
        """Return a statement, and what is assigned before it."""
        before: list[Statement] = []
        while self.calls < _MOST:
            changed = self._once(statement)
            if changed is None:
                break
            self.calls += 1
            new, statement = changed
            before += [s for each in new for s in self.statement(each)]
        return [*before, statement]

    def _once(self, statement: Statement) -> tuple[list[Statement], Statement] | None:
        """Return a statement with one call less, None where no call is one of a helper."""
        for name in _FIELDS:
            value: Any = getattr(statement, name, None)
            if value is None or isinstance(value, Closure):
                continue
            once = {id(n) for n in _evaluated_once(value)}
            hoisted = _HOISTED.get(type(statement)) == name
            for node, bound in _calls(value, frozenset(), self.given, weighs=False):
                function = self._helper(node, bound)
                if function is None:
                    continue
                may = hoisted and id(node) in once and _still(value)
                for repeats in (False, True):
                    written = self._written(node, function, repeats=repeats)
                    if written is not None and (may or not written[0]):
                        new, result = written
                        if isinstance(statement, Return) and value is node:
                            return new, Return(function.body[-1].place, result)
                        return new, rewriting.exchanged(statement, {id(node): result})
        return None

    def _helper(self, node: Call, bound: frozenset[str]) -> Function | None:
        """Return the function of a call, None where it is no helper."""
        function: Any = node.function
        if function == "operator.call":
            called = node.arguments[0]
            function = self.own.get(called.id) if isinstance(called, Name) else None
            function = called.function if isinstance(called, Closure) else function
            if isinstance(called, Name) and called.id in bound:
                return None
        if not isinstance(function, Function) or function.starred is not None:
            return None
        if not is_helper(function):
            return None
        free = set(rewriting.reads(*function.body)) - set(function.parameters)
        return None if free & bound else function

    def _written(
        self, node: Call, function: Function, *, repeats: bool
    ) -> tuple[list[Statement], Expression] | None:
        """Return what is assigned before, and the result of a call."""
        given = node.arguments[1:] if node.function == "operator.call" else node.arguments
        if any(isinstance(a, Starred) for a in given) or len(given) > len(function.parameters):
            return None
        passed = dict(zip(function.parameters, given, strict=False)) | dict(node.keywords)
        values: dict[str, Expression] = {**function.defaults, **passed}
        if set(values) != set(function.parameters) or any(
            isinstance(v, Closure) for v in values.values()
        ):
            return None
        stored = rewriting.stores(*function.body)
        every = (*function.parameters, *stored)
        names = {name: fresh(name, node.place, self.taken) for name in every}
        body = [copied(statement, names) for statement in function.body]
        begun: list[Statement] = [
            Assign(node.place, names[name], value) for name, value in values.items()
        ]
        last = body.pop()
        assert isinstance(last, Return)
        return _folded([*begun, *body], last.value, repeats=repeats)


def is_helper(function: Function) -> bool:
    """Return whether a function assigns to names, returns a result, and changes nothing."""
    *first, last = function.body or (None,)
    if len(first) > _LONGEST or not isinstance(last, Return):
        return False
    if not all(isinstance(s, Assign) and isinstance(s.target, Name) for s in first):
        return False
    own = Counter((*function.parameters, *rewriting.stores(*function.body).elements()))
    keys = {id(value): value.function for value in _keys(function.body)}
    if any(own[name] > 1 for of in keys.values() for name in rewriting.stores(of)):
        return False  # it hides a variable
    for statement in function.body:
        for part in walk(statement):
            if isinstance(part, Named | Starred):
                return False
            if isinstance(part, Closure) and id(part) not in keys:
                return False
            if isinstance(part, Call) and str(part.function).startswith("recursion:"):
                return False
        if not changes_nothing(statement):  # type: ignore[arg-type]
            return False
    return True


def _keys(body: Block) -> Iterator[Closure]:
    """Yield the functions by whose values something is ordered: they are called there and then."""
    for part in (part for statement in body for part in walk(statement)):
        if isinstance(part, Call) and part.function in BY_KEY:
            yield from (v for k, v in part.keywords if k == "key" and isinstance(v, Closure))


def _folded(
    statements: list[Statement], result: Expression, *, repeats: bool
) -> tuple[list[Statement], Expression]:
    """Return assignments filled in where their names are read once, or several times if need be."""
    rest: list[Any] = list(statements)
    at = len(rest) - 1
    stored = rewriting.stores(*rest)
    while at >= 0:
        assigned = rest[at]
        name, value = assigned.target.id, assigned.value
        later: list[Any] = [s.value for s in rest[at + 1 :]] + [result]
        plain = isinstance(value, Constant | Name | Generator)
        seldom = repeats or plain or rewriting.reads(*later)[name] == 1
        if stored[name] == 1 and seldom and _may_fill(name, value, later, rest[at + 1 :]):
            filling = {name: value}
            rest[at + 1 :] = [
                replace(s, value=rewriting.filled(s.value, filling)) for s in rest[at + 1 :]
            ]
            result = rewriting.filled(result, filling)
            del rest[at]
        at -= 1
    return rest, result


def _may_fill(name: str, value: Expression, later: list[Any], rest: list[Any]) -> bool:
    """Return whether a value may as well be evaluated where its name is read."""
    uses = rewriting.reads(*later)[name]
    if set(rewriting.reads(value)) & set(rewriting.stores(*rest)):
        return False
    if isinstance(value, Constant | Name) or (isinstance(value, Generator) and not value.seed):
        return True
    once = sum(
        isinstance(n, Name) and n.id == name for each in later for n in _evaluated_once(each)
    )
    if not once or not _is_movable(value):
        return False
    return uses == 1 or not rewriting.draws(value)


def _is_movable(value: Expression) -> bool:
    """Return whether an expression computes and draws, and does no more."""
    drawn = [part for part in rewriting.inner(value) if isinstance(part, Draw)]
    if any(d.family in ("shuffle", "permuted", "permutation") for d in drawn):
        return False
    nothing = {id(d): Constant(d.place, 0) for d in drawn}
    quiet = all(rewriting.is_quiet(a) for d in drawn for _, a in d.arguments)
    return quiet and rewriting.is_quiet(rewriting.exchanged(value, dict(nothing)))


def _still(value: Expression) -> bool:
    """Return whether an expression changes nothing, so that a part of it may come first."""
    return not any(
        not _reads(part) if isinstance(part, Call) else may_change(part) for part in walk(value)
    )


def _reads(node: Call) -> bool:
    if isinstance(node.function, Function):
        return True  # its body is looked at too
    if node.function == "operator.call":
        return all(changes_nothing(a) for a in node.arguments)
    bare = replace(node, arguments=tuple(Constant(node.place, 0) for _ in node.arguments))
    return changes_nothing(replace(bare, keywords=()))


def _evaluated_once(node: Expression) -> Iterator[Expression]:
    """Yield the parts of an expression that are evaluated exactly once whenever it is."""
    yield node
    parts: list[Any] = []
    if isinstance(node, Draw):
        parts = [value for _, value in node.arguments]
    elif isinstance(node, Comprehension):
        parts = [node.clauses[0][1]]
    elif isinstance(node, Choice):
        parts = [node.test]
    elif isinstance(node, Logic):
        parts = [node.operands[0]]
    elif isinstance(node, Call):
        parts = [*node.arguments, *(value for _, value in node.keywords)]
    elif not isinstance(node, Closure | Named):
        parts = list(children(node))
    for part in parts:
        yield from _evaluated_once(part)


def _calls(
    node: Any, bound: frozenset[str], given: set[str], *, weighs: bool
) -> Iterator[tuple[Call, frozenset[str]]]:
    """Yield the calls that may be written out, inner ones first, and the names bound around."""
    if isinstance(node, Closure):
        return
    if isinstance(node, Comprehension):
        bound = bound | {name for target, _, _ in node.clauses for name in rewriting.reads(target)}
    inside = weighs or (isinstance(node, Draw) and node.family == "choice")
    for f in fields(node):
        if not (isinstance(node, Call) and f.name == "function"):
            for part in nodes_in(getattr(node, f.name)):
                yield from _calls(part, bound, given, weighs=inside)
    if not isinstance(node, Call):
        return
    takes = any(isinstance(value, Name) and value.id in given for value in node.arguments)
    if node.function == "operator.call" or _is_drawing(node) or weighs or takes:
        yield node, bound
