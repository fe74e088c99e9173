"""Arrays of rows that a comprehension writes out, as their columns put together.

``np.array([(r["x"], r["y"]) for r in rows])`` is a stack of two columns, as NumPy makes it, of the
type that fits all entries. Without rows it has no columns, so that it is one only where
``.reshape(-1, 2)`` follows.
"""

from __future__ import annotations

from dataclasses import replace

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import (
    Assign,
    Call,
    Comprehension,
    Constant,
    Expression,
    Name,
    Sequence,
    Statement,
    walk,
)

_ARRAYS = ("numpy.array", "numpy.asarray")
_ITERATORS_WORDS = "enumerate filter iter map reversed zip"
_ITERATORS = frozenset(f"builtins.{name}" for name in _ITERATORS_WORDS.split())
_STACKS = ("numpy.column_stack", "numpy.vstack", "numpy.stack")


def iterators_in(body: tuple[Statement, ...]) -> frozenset[str]:
    """Return the variables of a body that are set to what goes through values once."""
    return frozenset(
        node.target.id
        for statement in body
        for node in walk(statement)
        if isinstance(node, Assign) and isinstance(node.target, Name) and _is_once(node.value)
    )


def _is_once(value: Expression) -> bool:
    if isinstance(value, Comprehension):
        return value.kind == "generator"
    return isinstance(value, Call) and value.function in _ITERATORS


def in_columns(node: Call, once: frozenset[str] = frozenset()) -> Expression | None:
    """Return columns put together for rows that are written out, None for other calls.

    Parameters
    ----------
    node : Call
    once : frozenset of str
        Variables that are gone through once, of which each column would go through what is left.
    """
    if once and any(isinstance(each, Name) and each.id in once for each in walk(node)):
        return None
    match node:
        case Call(
            function="method.reshape",
            arguments=(Call(function=made) as rows, *sizes),
            keywords=(),
        ) if made in _ARRAYS:
            columns = _of_rows(rows, sizes)
            return columns and replace(node, arguments=(columns, *sizes))
        case Call(function=made, arguments=(Sequence(items=items) as parts, *_)) if (
            made in _STACKS and all(map(_is_listed, items))
        ):
            arrays = tuple(call(i.place, "numpy.array", i) for i in items)
            return replace(node, arguments=(replace(parts, items=arrays), *node.arguments[1:]))
    return None


def _of_rows(rows: Call, sizes: list[Expression]) -> Call | None:
    """Return a stack of columns for an array of rows that is given so many columns."""
    if len(sizes) == 1 and isinstance(sizes[0], Sequence):
        sizes = list(sizes[0].items)
    if len(sizes) != 2 or not 1 <= len(rows.arguments) <= 2 or not _names_type(rows):
        return None
    listed, *dtype = rows.arguments
    if not isinstance(listed, Comprehension) or not _is_listed(listed):
        return None
    element, many, width = listed.element, *sizes
    if not isinstance(element, Sequence) or element.kind == "set":
        return None
    held = width.value if isinstance(width, Constant) else None
    if type(held) is not int or held != len(element.items) or not _is_length(many, listed):
        return None
    place = rows.place
    columns = tuple(
        replace(rows, arguments=(replace(listed, element=item), *dtype)) for item in element.items
    )
    stacked = call(place, "numpy.stack", Sequence(place, "list", columns))
    return replace(stacked, keywords=(("axis", Constant(place, 1)),))


def _names_type(rows: Call) -> bool:
    return all(name == "dtype" and isinstance(v, Constant) for name, v in rows.keywords)


def _is_listed(node: Expression) -> bool:
    """Return whether an expression lists functions of the items of one variable, in one loop."""
    if not isinstance(node, Comprehension) or node.kind != "list" or len(node.clauses) != 1:
        return False
    ((target, through, conditions),) = node.clauses
    parts = node.element.items if isinstance(node.element, Sequence) else (node.element,)
    return (
        isinstance(target, Name)
        and isinstance(through, Name)
        and all(map(is_pure, (*parts, *conditions)))
    )


def _is_length(many: Expression, listed: Comprehension) -> bool:
    """Return whether a size is -1, or the number of rows."""
    ((_, through, conditions),) = listed.clauses
    match many:
        case Constant(value=-1):
            return True
        case Call(function="operator.neg", arguments=(Constant(value=1),)):
            return True
        case Call(function="builtins.len", arguments=(of,), keywords=()):
            return not conditions and rewriting.same(of, through)
    return False
