"""Copies whose entries are limited in place, and orders of which the first few are asked.

``x = data.copy()``, then ``x[x > 10] = 10``, is ``x = numpy.minimum(data, 10)``: nothing stands
between the two, so that nobody else holds the copy. ``order[0], order[1]`` of an order are
entries of ``order[:2]``.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import Assign, Call, Constant, Expression, Name, Slice, Subscript

_COPIES = ("method.copy", "numpy.array")
_EXTREMES = {
    "operator.gt": "numpy.minimum",
    "operator.ge": "numpy.minimum",
    "operator.lt": "numpy.maximum",
    "operator.le": "numpy.maximum",
}
_MOST = 64


def limited_in_place(body: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a body in which no fresh copy has its entries limited by an assignment.

    Parameters
    ----------
    body : tuple of Statement
    """
    for at, (made, stored) in enumerate(itertools.pairwise(body)):
        value = _limit(made, stored)
        if value is not None:
            whole = replace(made, value=value)
            return limited_in_place((*body[:at], whole, *body[at + 2 :]))
    return body


def _limit(made: Any, stored: Any) -> Expression | None:
    """Return the copy and its limit as one expression."""
    if not isinstance(made, Assign) or not isinstance(stored, Assign):
        return None
    target, bound = stored.target, stored.value
    copied: Any = made.value
    if not isinstance(made.target, Name) or not isinstance(target, Subscript):
        return None
    if not isinstance(copied, Call) or copied.keywords:
        return None
    if not rewriting.same(target.value, made.target):
        return None
    if copied.function not in _EXTREMES.values() or len(copied.arguments) != 2:
        if copied.function in _COPIES and len(copied.arguments) == 1:
            copied = copied.arguments[0]
        elif copied.function != "method.astype" or len(copied.arguments) != 2:
            return None
    test = target.index
    if not isinstance(test, Call) or test.function not in _EXTREMES or not _is_whole(bound):
        return None
    if not rewriting.same(test.arguments[0], made.target):
        return None
    limit: Any = test.arguments[1]
    if not _is_whole(limit) or limit.value != bound.value:  # type: ignore[union-attr]
        return None
    return call(stored.place, _EXTREMES[str(test.function)], copied, bound)


def _is_whole(node: Expression) -> bool:
    """Return whether a constant is a whole number, which arrays of whole numbers hold as it is."""
    value: Any = node.value if isinstance(node, Constant) else None
    return type(value) in (int, float) and bool(value == value // 1)


def first_of_orders(body: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a body in which an order that is asked for its first entries is no longer than those.

    Parameters
    ----------
    body : tuple of Statement
    """
    changed = list(body)
    for at, made in enumerate(body):
        if not isinstance(made, Assign) or not isinstance(made.target, Name):
            continue
        order, name = made.value, made.target.id
        if not isinstance(order, Call) or order.function not in ("numpy.argsort", "method.argsort"):
            continue
        last = _last_asked(name, body)
        if last is not None and not order.keywords:
            few = Slice(made.place, None, Constant(made.place, last + 1), None)
            changed[at] = replace(made, value=Subscript(made.place, order, few))
    return tuple(changed)


def _last_asked(name: str, body: tuple[Any, ...]) -> int | None:
    """Return the last place that is asked of a variable, None where it is used otherwise."""
    places: list[int] = [
        node.index.value
        for statement in body
        for node in rewriting.inner(statement)
        if isinstance(node, Subscript)
        and isinstance(node.value, Name)
        and node.value.id == name
        and isinstance(node.index, Constant)
    ]
    plain = all(type(place) is int and 0 <= place < _MOST for place in places)
    alone = rewriting.stores(*body)[name] == 1
    if not places or not plain or not alone or rewriting.reads(*body)[name] != 1 + len(places):
        return None
    return max(places)
