"""The last of an order of noisy numbers is the largest of them.

``sorted(range(len(x)), key=lambda i: x[i])[-1]`` and ``int(numpy.argsort(x)[-1])`` name the largest
entry as `numpy.argmax` does, but for ties: of several that are equal they take another one. Where
each entry has continuous noise of its own, ties have probability 0. In a matrix there is no such
order of numbers, so that both raise an error.
"""

from __future__ import annotations

from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import (
    Assign,
    Call,
    Closure,
    Comprehension,
    Constant,
    Draw,
    Expression,
    Name,
    Return,
    Statement,
    Subscript,
)

Block = tuple[Statement, ...]
_CONTINUOUS = frozenset({"laplace", "normal", "gumbel", "exponential"})
_WRAPPED = ("numpy.array", "numpy.asarray")
_OTHER = {"numpy.argmax": "numpy.argmin", "numpy.argmin": "numpy.argmax"}


def ordered(body: Block) -> Block:
    """Return a body in which the largest of noisy numbers is not the last of their order.

    Parameters
    ----------
    body : tuple of Statement
    """
    new: dict[int, Any] = {}
    for statement in body:
        for node in rewriting.inner(statement):
            found = _sorted_end(node) or _argsort_end(node)
            if found is not None and _is_untied(found[1], node, body):
                index = call(node.place, found[0], found[1])
                new[id(node)] = call(node.place, "builtins.int", index)
    return tuple(rewriting.exchanged(s, new) for s in body) if new else body


def _end(node: Any) -> tuple[Call, str] | None:
    """Return (call, which extreme) for the first or the last of what a call puts in order."""
    if not isinstance(node, Subscript) or not isinstance(node.value, Call):
        return None
    at = node.index.value if isinstance(node.index, Constant) else None
    if type(at) is not int or at not in (0, -1):
        return None
    return node.value, "numpy.argmin" if at == 0 else "numpy.argmax"


def _sorted_end(node: Any) -> tuple[str, Expression] | None:
    """Return the extreme and the list for ``sorted(range(len(x)), key=lambda i: x[i])[-1]``."""
    end = _end(node)
    if end is None or end[0].function != "builtins.sorted" or len(end[0].arguments) != 1:
        return None
    function, keywords = end[1], dict(end[0].keywords)
    key, back = keywords.pop("key", None), keywords.pop("reverse", None)
    if keywords or not isinstance(key, Closure):
        return None
    if back is not None:
        if not isinstance(back, Constant) or type(back.value) is not bool:
            return None
        function = _OTHER[function] if back.value else function
    of = _counted(end[0].arguments[0])
    body, names = key.function.body, key.function.parameters
    value = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
    if of is None or len(names) != 1 or not isinstance(value, Subscript):
        return None
    entry = Subscript(node.place, of, Name(node.place, names[0]))
    plain = not key.function.defaults and key.function.starred is None and names[0] != of.id
    return (function, of) if plain and rewriting.same(value, entry) else None


def _counted(items: Any) -> Name | None:
    """Return x of ``range(len(x))``."""
    for name in ("builtins.range", "builtins.len"):
        if not isinstance(items, Call) or items.function != name or items.keywords:
            return None
        if len(items.arguments) != 1:
            return None
        items = items.arguments[0]
    return items if isinstance(items, Name) else None


def _argsort_end(node: Any) -> tuple[str, Expression] | None:
    """Return the extreme and the numbers for ``int(numpy.argsort(x)[-1])``."""
    if not isinstance(node, Call) or node.function != "builtins.int" or len(node.arguments) != 1:
        return None
    end = _end(node.arguments[0])
    if end is None or end[0].function not in ("numpy.argsort", "method.argsort"):
        return None
    if len(end[0].arguments) != 1 or end[0].keywords:
        return None
    function, of = end[1], end[0].arguments[0]
    if isinstance(of, Call) and of.function == "operator.neg":
        function, of = _OTHER[function], of.arguments[0]
    return function, of


def _is_untied(of: Expression, node: Any, body: Block) -> bool:
    """Return whether each of several numbers has continuous noise of its own."""
    if isinstance(of, Name):
        made = [s for s in body if isinstance(s, Assign) and rewriting.stores(s)[of.id]]
        alone = rewriting.stores(*body)[of.id] == 1 == len(made)
        here = rewriting.reads(node)[of.id]
        if (
            not alone
            or rewriting.reads(*body)[of.id] != 1 + here
            or not isinstance(made[0].target, Name)
        ):
            return False
        of = made[0].value
    if isinstance(of, Call) and of.function in _WRAPPED and len(of.arguments) == 1:
        of = of.arguments[0] if isinstance(of.arguments[0], Comprehension) else of
    if isinstance(of, Comprehension):
        return of.kind == "list" and _noise(of.element, None)
    return isinstance(of, Call) and _noise(of, of)


def _noise(sum_of: Expression, whole: Call | None) -> bool:
    """Return whether something plus a draw has noise an entry: of its length, or for a number."""
    if not isinstance(sum_of, Call) or sum_of.function != "operator.add":
        return False
    for draw, other in (sum_of.arguments, sum_of.arguments[::-1]):
        if not isinstance(draw, Draw) or draw.family not in _CONTINUOUS:
            continue
        size = draw.argument("size")
        if whole is None:
            return size is None
        length = call(sum_of.place, "builtins.len", other)
        return size is not None and rewriting.same(size, length) and rewriting.is_quiet(other)
    return False
