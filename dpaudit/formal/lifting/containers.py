"""Lists and dicts of objects: what holds objects is known by its variable or attribute.

An object is a dict of its attributes in the lifted program, so that a list of objects is a list of
dicts. It stands where nothing tells the one from the other: a list is appended to, gone through,
indexed and counted; a dict is set and looked up by keys. What is taken out is an object again. A
list is empty where it is made, and what it will hold is learned where an object is put in: reading
starts again with this knowledge, so that all uses are read alike.
"""

from __future__ import annotations

import ast
from typing import Literal

from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.lifting.shapes import Contents, Holder, Kept, LearnedError, Shape
from dpaudit.formal.program import (
    Call,
    Comprehension,
    Constant,
    Expression,
    Mapping,
    Name,
    Place,
    Sequence,
    Slice,
    Subscript,
    Target,
)
from dpaudit.formal.unsupported import Unsupported

CLOCKS = frozenset({
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.date.today", "time.time",
    "time.perf_counter", "time.monotonic", "time.process_time", "time.time_ns",
})  # fmt: skip
_OF_TIMES = frozenset({"isoformat", "strftime", "timestamp", "total_seconds", "date"})


def contents_of(node: Expression, scope: Scope) -> Contents | None:
    """Return what a list or a dict of objects holds, None of anything else."""
    shape = scope.lifter.shape_of(node)
    held = isinstance(shape, Contents) and shape.kind in ("list", "dict")
    return shape if held else None  # type: ignore[return-value]


def reading(place: Place, scope: Scope) -> Expression:
    """Return a reading of the clock, or an identifier of the moment: it is kept, never looked at.

    A time tells how long something took. It is not a value of the program: it may be put into
    objects, lists and displays, and whatever else uses it, or could release it, is refused.
    """
    scope.lifter.clocks.append(place)
    return scope.lifter.with_shape(Constant(place, None), _many("clock", None, scope))


def is_reading(node: Expression, scope: Scope) -> bool:
    """Return whether an expression is a reading of the clock."""
    shape = scope.lifter.shape_of(node)
    return isinstance(shape, Contents) and shape.kind == "clock"


def elapsed(sides: tuple[Expression, Expression], place: Place, scope: Scope) -> Expression | None:
    """Return what two readings of the clock, or one and a number, give; None of other values."""
    timed = [is_reading(side, scope) for side in sides]
    if not any(timed):
        return None
    fixed = all(t or isinstance(side, Constant) for t, side in zip(timed, sides, strict=True))
    return reading(place, scope) if fixed else None


def present(node: Expression, scope: Scope) -> Expression:
    """Return what was looked up as the object that it is where an attribute of it is asked for.

    Where it is None, a run that comes to the attribute is refused: a dict stands for an object.
    """
    shape = scope.lifter.shape_of(node)
    found = isinstance(shape, Contents) and shape.kind == "found"
    return scope.lifter.with_shape(node, shape.of) if found else node  # type: ignore[union-attr]


def _many(kind: Kept, of: Shape | None, scope: Scope) -> Contents:
    return scope.lifter.many.setdefault((kind, of), Contents(kind, of))


def learn(
    node: ast.expr,
    kind: Literal["list", "dict"],
    shape: Shape | Contents | None,
    scope: Scope,
) -> None:
    """Learn that a variable or an attribute holds a list or a dict into which an object is put.

    Raises
    ------
    LearnedError
        Where that was not known.
    """
    holder = None if shape is None else _holder(node, scope)
    if holder is None or (isinstance(shape, Contents) and shape.kind in ("list", "dict")):
        return
    known = scope.lifter.learned.get(holder)
    of = shape.cls if isinstance(shape, Shape) else None
    if known is not None and known != (kind, of):
        of = None
    if known != (kind, of) and (known is None or known[0] == kind):
        raise LearnedError({holder: (kind, of)}, scope.place(node))


def _holder(node: ast.expr, scope: Scope) -> Holder | None:
    """Return what a name or an attribute of an object is in all that is read."""
    from dpaudit.formal.lifting.dispatch import reference

    if isinstance(node, ast.Name) and node.id in scope.local:
        return scope.lifter.stack[-1], node.id
    if isinstance(node, ast.Attribute):
        base = scope.lifter.shape_of(reference(node.value, scope))
        return (base.cls, node.attr) if isinstance(base, Shape) else None
    return None


def begun(value: Expression, to: ast.expr, scope: Scope) -> Expression:
    """Return a value that is assigned, known as a list of objects where it will be one."""
    holder = _holder(to, scope) if scope.lifter.learned else None
    return value if holder is None else begun_as(value, holder, scope)


def begun_as(value: Expression, holder: Holder, scope: Scope) -> Expression:
    """Return a value, known as an empty list or dict of objects where its holder is one of such."""
    known = scope.lifter.learned.get(holder)
    if known is None or scope.lifter.shape_of(value) is not None:
        return value
    match known[0], value:
        case ("list", Sequence(kind="list", items=())) | ("dict", Mapping(items=())):
            pass
        case ("list", Call(function="builtins.list", arguments=(), keywords=())):
            pass
        case ("dict", Call(function="builtins.dict", arguments=(), keywords=())):
            pass
        case _:
            return value
    of = None if known[1] is None else scope.lifter.shape(known[1])
    kind: Kept = "list" if known[0] == "list" else "dict"
    return scope.lifter.with_shape(value, _many(kind, of, scope))


def display_of(
    made: Sequence | Mapping | Comprehension, items: tuple[Expression, ...], scope: Scope
) -> Expression:
    """Return a display, known to hold objects where it does."""
    shapes = set(map(scope.lifter.shape_of, items))
    if shapes <= {None}:
        return made
    (shape,) = shapes if len(shapes) == 1 else (None,)
    is_list = not isinstance(made, Mapping) and made.kind == "list" and isinstance(shape, Shape)
    if not isinstance(made, Mapping) and made.kind not in ("list", "tuple"):
        raise Unsupported(f"objects in a {made.kind}", made.place)
    many = _many("list", shape, scope) if is_list else _many("record", None, scope)  # type: ignore[arg-type]
    return scope.lifter.with_shape(made, many)


def each_of(node: ast.expr, iterable: Expression, scope: Scope) -> Target | None:
    """Return what goes through a list of objects, None where an iterable is no such list.

    Raises
    ------
    Unsupported
        Where an iterable holds objects, and what they are is not known.
    """
    shape = scope.lifter.shape_of(iterable)
    if shape is None:
        return None
    goes = isinstance(shape, Contents) and shape.kind == "list" and shape.of is not None
    if not goes or not isinstance(node, ast.Name):
        raise scope.refuse(f"a loop over {shape.said}", node)
    assert isinstance(shape, Contents)
    scope.holders.hold(node.id, shape.of, scope.place(node))
    return Name(scope.place(node), node.id)


def item_of(value: Expression, index: Expression, scope: Scope) -> Expression | None:
    """Return the object at an index of a list or dict of objects, None of other values."""
    shape = scope.lifter.shape_of(value)
    if shape is None:
        return None
    known = isinstance(shape, Contents) and shape.of is not None and not isinstance(index, Slice)
    if not known:
        raise Unsupported(f"an item of {shape.said}", index.place)
    assert isinstance(shape, Contents)
    return scope.lifter.with_shape(Subscript(value.place, value, index), shape.of)


def item_set(node: ast.expr, shape: Shape | Contents, scope: Scope) -> Target:
    """Return the item of a dict of objects that is assigned an object."""
    from dpaudit.formal.lifting.dispatch import expression, reference

    if isinstance(node, ast.Subscript):
        learn(node.value, "dict", shape, scope)
        scope.refuse_change(node)
        holds = reference(node.value, scope)
        contents = contents_of(holds, scope)
        if contents is not None and contents.of in (None, shape):
            return Subscript(scope.place(node), holds, expression(node.slice, scope))
    raise scope.refuse(f"{shape.said} as a value", node)


def method_of_contents(
    base: Expression,
    name: str,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    scope: Scope,
) -> Expression:
    """Return the call of a method of a list of objects: objects of its class are appended."""
    shape, lifter = scope.lifter.shape_of(base), scope.lifter
    fixed = all(isinstance(value, Constant) for value in (*positional, *dict(keywords).values()))
    if is_reading(base, scope) and name in _OF_TIMES and fixed:
        return reading(place, scope)
    if contents_of(base, scope) is not None and name == "append" and not keywords:
        assert isinstance(shape, Contents)
        given = [lifter.shape_of(value) for value in positional]
        if shape.kind == "list" and len(given) == 1 and shape.of in (None, given[0]):
            return Call(place, "method.append", (base, *positional))
    if contents_of(base, scope) is not None and name == "get" and not keywords:
        assert isinstance(shape, Contents)
        if shape.kind == "dict" and shape.of is not None and len(positional) == 1:
            got = Call(place, "method.get", (base, *positional))
            return lifter.with_shape(got, _many("found", shape.of, scope))
    said = "a value" if shape is None else shape.said
    raise Unsupported(f"the method {name!r} of {said}", place)
