"""Making objects, looking up their attributes, and calling their methods."""

from __future__ import annotations

import ast
import dataclasses
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
from dpaudit.formal.lifting.generators import kind_of
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
    needed_fields,
    post_init,
    returning,
    validate,
)
from dpaudit.formal.lifting.scope import Live, Scope, object_shape
from dpaudit.formal.lifting.shapes import Contents, Shape, Value, What, in_class, value_of
from dpaudit.formal.lifting.streams import Kind
from dpaudit.formal.lifting.variadic import spread
from dpaudit.formal.program import (
    Assign,
    Call,
    Constant,
    Expression,
    Function,
    Generator,
    Mapping,
    Name,
    Place,
    Return,
    Sequence,
    Starred,
    Subscript,
)
from dpaudit.formal.unsupported import Unsupported

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
    if positional and isinstance(positional[-1], Starred):
        return _unpacked(cls, positional, keywords, place, scope)
    lifter = scope.lifter
    shape = lifter.shape(cls)
    items: dict[str, Expression] = {}
    init = in_class(cls, "__init__")
    if is_named_tuple(cls) or has_own_init(cls):
        factory = partial(_made_by, place=place, scope=scope)
        for name, value in fields_of(cls, positional, keywords, place, factory):
            value = begun_as(value, (cls, name), scope)
            held = lifter.shape_of(value) or kind_of(value, scope)
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


def _unpacked(
    cls: type, positional: tuple[Expression, ...], keywords: Keywords, place: Place, scope: Scope
) -> Expression:
    """Return the object that ``C(*values)`` makes: a function unpacks its argument, and makes it.

    Both raise where there are more or fewer values than fields that need one.
    """
    *first, values = positional
    assert isinstance(values, Starred)
    fields = names_of_fields(cls) if is_named_tuple(cls) or has_own_init(cls) else []
    rest = [name for name in fields[len(first) :] if name not in dict(keywords)]
    others = (*first, *dict(keywords).values())
    if not (set(rest) <= set(needed_fields(cls)) and all(isinstance(v, Constant) for v in others)):
        raise Unsupported(f"a call of {cls.__name__!r} with *", place)
    names = tuple(Name(place, f"·{name}") for name in rest)
    new = made(cls, (*first, *names), keywords, place, scope)
    given = Name(place, "·given")
    body = (Assign(place, Sequence(place, "tuple", names), given), Return(place, new))
    own = Function(place, scope.lifter.stack[-1].co_name, (given.id,), {}, body)
    return scope.lifter.with_shape(Call(place, own, (values.value,)), scope.lifter.shape(cls))


def _constant(node: Expression) -> Value | None:
    return value_of(node.value) if isinstance(node, Constant) else None


def _made_by(factory: Any, *, place: Place, scope: Scope) -> Expression:
    """Return what a function without arguments makes for one new object, ``field``'s factory."""
    import numpy as np

    kind = _EMPTY.get(factory)
    if kind is not None:
        return Mapping(place, ()) if factory is dict else Sequence(place, kind, ())
    if factory is np.random.default_rng or factory is random.SystemRandom:
        library: Kind = "numpy" if factory is np.random.default_rng else "python"
        generator = Generator(place, "fresh", library=library)
        scope.lifter.note(generator, library)
        return generator
    if canonical_name(factory) in CLOCKS:
        return reading(place, scope)
    if isinstance(factory, types.FunctionType):
        return called(factory, (), (), place, scope)
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
        return called(found.fget, (base,), (), place, scope)
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
    if name == "_asdict" and is_named_tuple(shape.cls) and not (positional or keywords):
        return exported(base, named=True, node=node, scope=scope)
    if found is None:
        attribute = node.func if isinstance(node.func, ast.Attribute) else None
        if attribute is None:
            raise scope.refuse(f"a call of an object of {shape.cls.__name__}", node)
        held = attribute_of(base, attribute, scope)
        refuse_held((held, *positional, *dict(keywords).values()), node, scope)
        return Call(place, "operator.call", (held, *positional), keywords)
    if not is_fixed(shape.cls, name, found, scope.lifter):
        raise changed(shape, name, place)
    if isinstance(found, types.FunctionType):
        return called(found, (base, *positional), keywords, place, scope)
    if isinstance(found, staticmethod | classmethod):
        function: Any = found.__func__
        if isinstance(function, types.FunctionType):
            of_class = (Constant(place, shape.cls),) if isinstance(found, classmethod) else ()
            return called(function, (*of_class, *positional), keywords, place, scope)
    raise scope.refuse(f"the attribute {name!r} of {shape.cls.__name__}, which is called", node)


def replaced(
    base: Expression,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    node: ast.Call,
    scope: Scope,
) -> Expression:
    """Return an object like another one, but for some fields: a call of its class.

    So do `dataclasses.replace` and ``_replace`` of named tuples. What takes the place of fields is
    computed before the others are read.
    """
    place, shape = scope.place(node), scope.lifter.shape_of(base)
    plain = isinstance(shape, Shape) and (is_named_tuple(shape.cls) or has_own_init(shape.cls))
    if not plain or positional:
        raise scope.refuse("a copy of what is no record", node)
    assert isinstance(shape, Shape)
    of, changed = _given_as("·of", base, scope), {}
    for name, value in keywords:
        changed[name] = _given_as(f"·{name}", value, scope)
    every = {
        name: changed[name] if name in changed else _field(of, name, node, scope)
        for name in names_of_fields(shape.cls)
    }
    new = made(shape.cls, (), (*(every | changed).items(),), place, scope)
    parameters = (of.id, *(each.id for each in changed.values()))
    copy = _written_here(parameters, new, scope)
    return scope.lifter.with_shape(Call(place, copy, (base, *dict(keywords).values())), shape)


def exported(base: Expression, *, named: bool, node: ast.Call, scope: Scope) -> Expression:
    """Return the fields of a record as a dict, or as a tuple where their names are left out.

    So do `dataclasses.asdict`, `dataclasses.astuple` and ``_asdict`` of named tuples. The first two
    copy what the fields hold.
    """
    place, shape = scope.place(node), scope.lifter.shape_of(base)
    assert isinstance(shape, Shape)
    of = _given_as("·of", base, scope)
    copies = dataclasses.is_dataclass(shape.cls)
    names = (
        [f.name for f in dataclasses.fields(shape.cls)] if copies else names_of_fields(shape.cls)
    )
    items = []
    for name in names:
        item = _field(of, name, node, scope)
        inner = scope.lifter.shape_of(item)
        if copies and isinstance(inner, Shape) and dataclasses.is_dataclass(inner.cls):
            item = exported(item, named=named, node=node, scope=scope)
        elif inner is not None or id(item) in scope.lifter.streams:
            raise scope.refuse(f"the field {name!r} of {shape.cls.__name__} as a value", node)
        elif copies:
            item = Call(place, "copy.deepcopy", (item,))
        items.append((Constant(place, name), item))
    values = tuple(item for _, item in items)
    held = Mapping(place, (*items,)) if named else Sequence(place, "tuple", values)
    return Call(place, _written_here((of.id,), held, scope), (base,))


def _written_here(parameters: tuple[str, ...], value: Expression, scope: Scope) -> Function:
    """Return a function of an expression, named after that in which the expression stands."""
    name = scope.lifter.stack[-1].co_name
    return Function(value.place, name, parameters, {}, (Return(value.place, value),))


def _given_as(name: str, value: Expression, scope: Scope) -> Name:
    """Return a parameter that is given an expression, and holds what that does."""
    parameter = Name(value.place, name)
    stream = scope.lifter.streams.get(id(value))
    if stream is not None:
        scope.lifter.note(parameter, stream)
    return scope.lifter.with_shape(parameter, scope.lifter.shape_of(value))


def _field(of: Name, name: str, node: ast.Call, scope: Scope) -> Expression:
    read = ast.Attribute(ast.Name(of.id, ast.Load()), name, ast.Load())
    return attribute_of(of, ast.fix_missing_locations(ast.copy_location(read, node)), scope)


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
    return called(found, positional, keywords, place, scope)


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
    return called(found.fset, (reference(to.value, scope), value), (), place, scope)


def called(
    function: types.FunctionType,
    positional: tuple[Expression, ...],
    keywords: Keywords,
    place: Place,
    scope: Scope,
) -> Expression:
    """Return the call of a function whose source is read."""
    keywords = (*keywords, *passed_streams(function, positional, keywords, place, scope))
    positional, keywords = spread(function, positional, keywords)
    read = lift_function(function, positional, keywords, place, scope)
    keywords = (*keywords, *passed(read, scope))
    shape = None if isinstance(read, str) else scope.lifter.results.get(id(read))
    return scope.lifter.with_shape(Call(place, read, positional, keywords), shape)
