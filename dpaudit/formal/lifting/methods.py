"""Making objects, looking up their attributes, and calling their methods."""

from __future__ import annotations

import ast
import random
import types
from functools import partial
from typing import Any

from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.containers import CLOCKS, begun_as, method_of_contents, reading
from dpaudit.formal.lifting.dispatch import refuse_held
from dpaudit.formal.lifting.emits import passed
from dpaudit.formal.lifting.expressions import of_live
from dpaudit.formal.lifting.functions import lift_function, passed_streams
from dpaudit.formal.lifting.objects import (
    after,
    changed,
    class_values,
    fields_of,
    has_own_init,
    is_field,
    is_fixed,
    is_named_tuple,
    is_slot,
    is_users_class,
    is_value,
    names_of_fields,
    post_init,
    returning,
    validate,
)
from dpaudit.formal.lifting.scope import Live, Scope, object_shape
from dpaudit.formal.lifting.shapes import Contents, Shape, Value, What, in_class, value_of
from dpaudit.formal.lifting.variadic import spread
from dpaudit.formal.program import (
    Call,
    Constant,
    Expression,
    Function,
    Generator,
    Mapping,
    Name,
    Place,
    Sequence,
    Subscript,
    walk,
)
from dpaudit.formal.unsupported import Unsupported

_OF_NUMBERS = {f"builtins.{name}" for name in ("abs", "float", "int", "max", "min", "round")}
_EMPTY: dict[Any, Any] = {dict: "dict", list: "list", set: "set", tuple: "tuple"}
Keywords = tuple[tuple[str, Expression], ...]


def made(
    cls: type,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    place: Place,
    scope: Scope,
) -> Expression:
    """Return an object that a call of its class makes."""
    validate(cls, place)
    lifter = scope.lifter
    shape = lifter.shape(cls)
    items: dict[str, Expression] = {}
    init = in_class(cls, "__init__")
    if is_named_tuple(cls) or has_own_init(cls):
        factory = partial(_made_by, place=place, scope=scope)
        for name, value in fields_of(cls, positional, keywords, place, factory):
            value = begun_as(value, (cls, name), scope)
            held = lifter.shape_of(value) or lifter.streams.get(id(value))
            shape.hold(name, held, place, _constant(value))
            items[name] = value
        positional, keywords = (), ()
        init = None if is_named_tuple(cls) else post_init(cls)
    of_class = class_values(shape, items, place, lifter)
    for name, value in of_class.items():
        shape.keep(name, _constant(value), place)
    items = {**of_class, **items}
    pairs = ((Constant(place, name), value) for name, value in items.items())
    new = lifter.with_shape(Mapping(place, tuple(pairs)), shape)
    if init is None or init is object.__init__:
        made = next(kind for kind in cls.__mro__ if "__new__" in vars(kind))
        if made is not object and not is_named_tuple(cls):
            raise Unsupported(f"an object of {cls.__name__!r}, which {made.__name__} makes", place)
        if positional or keywords:
            raise Unsupported(f"a call of {cls.__name__!r} that raises", place)
        return new
    if not isinstance(init, types.FunctionType):
        raise Unsupported(f"the __init__ of {cls.__name__!r}", place)
    keywords = (*keywords, *passed_streams(init, (new, *positional), keywords, place, scope))
    given, keywords = spread(init, (new, *positional), keywords)
    read = lift_function(init, given, keywords, place, scope)
    if isinstance(read, str):
        raise Unsupported(f"recursion: {cls.__name__!r} makes itself", place)
    body = returning(read.body, read.parameters[0])
    own = Function(read.place, read.name, read.parameters, read.defaults, body, read.starred)
    keywords = (*keywords, *passed(own, scope))
    return lifter.with_shape(Call(place, own, given, keywords), shape)


def _constant(node: Expression) -> Value | None:
    return value_of(node.value) if isinstance(node, Constant) else None


def _made_by(factory: Any, *, place: Place, scope: Scope) -> Expression:
    """Return what a function without arguments makes for one new object, ``field``'s factory."""
    import numpy as np

    kind = _EMPTY.get(factory)
    if kind is not None:
        return Mapping(place, ()) if factory is dict else Sequence(place, kind, ())
    if factory is np.random.default_rng or factory is random.SystemRandom:
        generator = Generator(place, "fresh")
        scope.lifter.note(generator, "numpy" if factory is np.random.default_rng else "python")
        return generator
    if canonical_name(factory) in CLOCKS:
        return reading(place, scope)
    if isinstance(factory, types.FunctionType):
        return _called(factory, (), (), place, scope)
    if is_users_class(factory):
        return made(factory, (), (), place, scope)
    raise Unsupported("a default that is made by this function", place)


def attribute_of(base: Expression, node: ast.Attribute, scope: Scope) -> Expression:
    """Return an attribute of an object."""
    place, name = scope.place(node), node.attr
    shape = scope.lifter.shape_of(base)
    if not isinstance(shape, Shape):
        raise scope.refuse(f"the attribute {name!r} of {shape.said if shape else 'a value'}", node)
    found = None if is_field(shape.cls, name) else in_class(shape.cls, name)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        return _called(found.fget, (base,), (), place, scope)
    if isinstance(found, types.FunctionType | staticmethod | classmethod):
        raise scope.refuse(f"the method {name!r} as a value", node)
    if found is not None and not is_value(found) and not is_slot(found):
        shape.hold(name, "class", place)
        if not is_fixed(shape.cls, name, found, scope.lifter):
            raise changed(shape, name, place)
        if hasattr(type(found), "__get__"):
            raise scope.refuse(f"the attribute {name!r} of {shape.cls.__name__}", node)
        return of_live(Live(found, canonical_name(found)), node, scope)
    what: What = shape.attributes.setdefault(name, None)
    if what == "sink":
        raise scope.refuse("a logger or a stream as a value", node)
    made = Subscript(place, base, Constant(place, name))
    if isinstance(what, Shape | Contents):
        return scope.lifter.with_shape(made, what)
    stream = shape.stream(name)
    if stream is not None:
        scope.lifter.note(made, stream)
    return made


def method_of(
    base: Expression,
    name: str,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    node: ast.Call,
    scope: Scope,
) -> Expression:
    """Return the call of a method of an object, or of a function that an attribute holds."""
    place, shape = scope.place(node), scope.lifter.shape_of(base)
    if not isinstance(shape, Shape):
        return method_of_contents(base, name, positional, keywords, place, scope)
    found = in_class(shape.cls, name)
    if name == "_replace" and is_named_tuple(shape.cls):
        return replaced(base, positional, keywords, node, scope)
    if found is None:
        attribute = node.func if isinstance(node.func, ast.Attribute) else None
        if attribute is None:
            raise scope.refuse(f"a call of an object of {shape.cls.__name__}", node)
        called = attribute_of(base, attribute, scope)
        refuse_held((called, *positional, *dict(keywords).values()), node, scope)
        return Call(place, "operator.call", (called, *positional), keywords)
    if not is_fixed(shape.cls, name, found, scope.lifter):
        raise changed(shape, name, place)
    if isinstance(found, types.FunctionType):
        return _called(found, (base, *positional), keywords, place, scope)
    if isinstance(found, staticmethod | classmethod):
        function: Any = found.__func__
        if isinstance(function, types.FunctionType):
            of_class = (Constant(place, shape.cls),) if isinstance(found, classmethod) else ()
            return _called(function, (*of_class, *positional), keywords, place, scope)
    raise scope.refuse(f"the attribute {name!r} of {shape.cls.__name__}, which is called", node)


def replaced(
    base: Expression,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    node: ast.Call,
    scope: Scope,
) -> Expression:
    """Return an object like another one, but for some fields: a call of its class.

    So do `dataclasses.replace` and ``_replace`` of named tuples. Fields are read where what takes
    their place is computed, which must change none of them.
    """
    place, shape = scope.place(node), scope.lifter.shape_of(base)
    plain = isinstance(shape, Shape) and (is_named_tuple(shape.cls) or has_own_init(shape.cls))
    if not plain or positional or not isinstance(base, Name):
        raise scope.refuse("a copy of what is no variable that holds a record", node)
    assert isinstance(shape, Shape)
    for part in (part for _, value in keywords for part in walk(value)):
        name = part.function if isinstance(part, Call) else ""
        idle = isinstance(name, str) and (name in _OF_NUMBERS or name.startswith("operator."))
        if isinstance(part, Call) and (not idle or name == "operator.call" or part.keywords):
            raise scope.refuse("a copy with fields that another call computes", node)
    changed = dict(keywords)
    of = ast.copy_location(ast.Name(base.id, ast.Load()), node)
    every = {
        name: changed[name] if name in changed else _field(base, of, name, scope)
        for name in names_of_fields(shape.cls)
    }
    return made(shape.cls, (), (*(every | changed).items(),), place, scope)


def _field(base: Expression, of: ast.Name, name: str, scope: Scope) -> Expression:
    return attribute_of(base, ast.copy_location(ast.Attribute(of, name, ast.Load()), of), scope)


def of_super(
    name: str,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    node: ast.Call,
    scope: Scope,
) -> Expression:
    """Return the call of a method of ``super()``."""
    owner = scope.cells["__class__"].cell_contents if "__class__" in scope.cells else None
    first = scope.lifter.stack[-1].co_varnames[:1]
    shape = scope.holders.find(*first) if first else None
    if owner is None or not isinstance(shape, Shape):
        raise scope.refuse("super() outside of a method of an object that is made here", node)
    from dpaudit.formal.lifting.dispatch import reference

    itself = reference(ast.copy_location(ast.Name(first[0], ast.Load()), node), scope)
    found = after(shape.cls, owner, name)
    return _of_base(found, (itself, *positional), keywords, f"super().{name}", node, scope)


def of_class(
    cls: type, positional: tuple[Expression, ...], keywords: Keywords, node: ast.Call, scope: Scope
) -> Expression:
    """Return ``Base.__init__(self, ...)``, on an object of a class that is made from the base."""
    shape = scope.lifter.shape_of(positional[0]) if positional else None
    if not isinstance(shape, Shape) or not issubclass(shape.cls, cls):
        raise scope.refuse(f"{cls.__name__}.__init__ without an object of it", node)
    init, said = in_class(cls, "__init__"), f"{cls.__name__}.__init__"
    return _of_base(init, positional, keywords, said, node, scope)


def _of_base(
    found: Any,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    said: str,
    node: ast.Call,
    scope: Scope,
) -> Expression:
    """Return the call of what a class that an object's class is made from has, on the object."""
    place, name = scope.place(node), said.rpartition(".")[2]
    begins = name == "__init__" and found in (None, object.__init__)
    if begins and len(positional) == 1 and not keywords:
        return Constant(place, None)
    shape = scope.lifter.shape_of(positional[0])
    assert isinstance(shape, Shape)
    if not isinstance(found, types.FunctionType) or not is_fixed(
        shape.cls, name, found, scope.lifter
    ):
        raise scope.refuse(said, node)
    return _called(found, positional, keywords, place, scope)


def set_by_property(to: ast.Attribute, value: Expression, scope: Scope) -> Expression | None:
    """Return the call of the setter of a property, None where an attribute is only kept."""
    shape = object_shape(to.value, scope)
    found = None if shape is None else in_class(shape.cls, to.attr)
    if shape is None or not isinstance(found, property) or not isinstance(to.value, ast.Name):
        return None
    from dpaudit.formal.lifting.dispatch import reference

    place, said = scope.place(to), f"the attribute {to.attr!r} of {shape.cls.__name__}"
    if not isinstance(found.fset, types.FunctionType):
        raise scope.refuse(f"setting {said}, which has no setter", to)
    return _called(found.fset, (reference(to.value, scope), value), (), place, scope)


def _called(
    function: types.FunctionType,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    place: Place,
    scope: Scope,
) -> Expression:
    keywords = (*keywords, *passed_streams(function, positional, keywords, place, scope))
    positional, keywords = spread(function, positional, keywords)
    read = lift_function(function, positional, keywords, place, scope)
    keywords = (*keywords, *passed(read, scope))
    shape = None if isinstance(read, str) else scope.lifter.results.get(id(read))
    return scope.lifter.with_shape(Call(place, read, positional, keywords), shape)
