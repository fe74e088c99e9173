"""Distributions of `scipy.stats` that a variable holds, as the draws that are asked of them.

After ``noise = laplace(scale=2)`` each ``noise.rvs()`` is ``laplace.rvs(scale=2)``: a draw of its
own from the generator that all callers share. Parameters are evaluated where the distribution is
made.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.draws import Mismatch, scipy_expression
from dpaudit.formal.lifting.selecting import fresh
from dpaudit.formal.program import (
    Assign,
    Call,
    Constant,
    Expression,
    Generator,
    Name,
    Starred,
    Statement,
)

Block = tuple[Statement, ...]
_MODULE = "scipy.stats."


def thawed(body: Block, parameters: tuple[str, ...]) -> Block:
    """Return a body in which no variable holds a distribution that is only drawn from.

    Parameters
    ----------
    body : tuple of Statement
    parameters : tuple of str
    """
    if not any(_distribution(s) for s in body):
        return body
    stored = rewriting.stores(*body)
    for statement in body:
        made = _distribution(statement)
        if made is None or stored[made[0]] != 1 or made[0] in parameters:
            continue
        found = _without(body, statement, *made)
        body = body if found is None else found
    return body


def _distribution(statement: Statement) -> tuple[str, Call] | None:
    """Return the variable and the call where a statement makes a distribution."""
    if not isinstance(statement, Assign) or not isinstance(statement.target, Name):
        return None
    value = statement.value
    if not isinstance(value, Call) or not str(value.function).startswith(_MODULE):
        return None
    starred = any(isinstance(argument, Starred) for argument in value.arguments)
    return None if starred else (statement.target.id, value)


def _without(body: Block, made: Statement, name: str, call: Call) -> Block | None:
    """Return a body without one distribution, None where more is asked of it than draws."""
    taken = {*rewriting.reads(*body), *rewriting.stores(*body)}
    before: list[Statement] = []

    def kept(value: Expression) -> Expression:
        if isinstance(value, Constant):
            return value
        held = fresh("parameter", value.place, taken)
        before.append(Assign(value.place, held, value))
        return held

    positional = tuple(map(kept, call.arguments))
    named = {key: kept(value) for key, value in call.keywords}
    family = str(call.function).removeprefix(_MODULE)
    new: dict[int, Any] = {}
    for statement in body:
        for node in rewriting.inner(statement):
            if _is_draw_of(node, name):
                drawn = _drawn(node, family, positional, named)
                if drawn is None:
                    return None
                new[id(node)] = drawn
    rest = [rewriting.exchanged(s, new) for s in body if s is not made]
    if rewriting.reads(*rest)[name]:
        return None
    at = body.index(made)
    return (*rest[:at], *before, *rest[at:])


def _is_draw_of(node: Any, name: str) -> TypeGuard[Call]:
    if not isinstance(node, Call) or node.function != "method.rvs":
        return False
    return isinstance(node.arguments[0], Name) and node.arguments[0].id == name


def _drawn(
    node: Call, family: str, positional: tuple[Expression, ...], named: dict[str, Expression]
) -> Expression | None:
    size = dict(node.keywords)
    if len(node.arguments) == 2 and not size:
        size = {"size": node.arguments[1]}
    elif len(node.arguments) != 1 or set(size) - {"size"}:
        return None
    try:
        return scipy_expression(
            family, positional, {**named, **size}, Generator(node.place, "global"), node.place
        )
    except Mismatch:
        return None
