"""Objects that a mechanism makes: in the lifted program each is a dict of its attributes.

``E(a)`` becomes a call of ``__init__`` that is given a new dict and returns it, ``e.x`` an item of
that dict, ``e.m(a)`` a call of the function m with the dict in front. Which expressions are
objects, and of which class, is known when the source is read: a variable or an attribute holds
objects of one class or none, on every way to it. An object stands where its attributes are looked
up, where a name or an attribute is given to it, among the arguments of a function that is read, and
where a function returns it; anywhere else it is refused, since a dict would behave otherwise there.
"""

from __future__ import annotations

import collections
import dataclasses
import sys
import types
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from dpaudit.formal.lifting.canonical import LIBRARIES
from dpaudit.formal.lifting.environment import is_attribute_changed
from dpaudit.formal.lifting.known import is_plain
from dpaudit.formal.lifting.scope import Lifter
from dpaudit.formal.lifting.shapes import Shape, in_class
from dpaudit.formal.lifting.streams import sets_attribute
from dpaudit.formal.program import (
    Branch,
    Constant,
    Expression,
    For,
    Name,
    Place,
    Raise,
    Return,
    Statement,
    While,
)
from dpaudit.formal.unsupported import Unsupported

_HOOKS_WORDS = """
__getattr__ __getattribute__ __setattr__ __delattr__ __new__ __del__ __set_name__ __class_getitem__
__init_subclass__
"""
_HOOKS = frozenset(_HOOKS_WORDS.split())
_HARMLESS = frozenset({"abc", "typing", "builtins", "collections.abc"})  # modules of bases
_FIELD = type(vars(collections.namedtuple("_FIELD", "x"))["x"])


def is_users_class(value: Any) -> bool:
    """Return whether a value is a class that was written outside of the libraries."""
    if not isinstance(value, type) or issubclass(value, BaseException):
        return False
    root = value.__module__.partition(".")[0]
    return root not in LIBRARIES and root != "dpaudit"


@lru_cache(maxsize=256)
def namespace(names: tuple[str, ...]) -> type:
    """Return a class for what a call of `types.SimpleNamespace` makes with these attributes."""
    return dataclasses.make_dataclass("SimpleNamespace", names, namespace={"__module__": ""})


def validate(cls: type, place: Place) -> None:
    """Refuse classes of which attributes are looked up, or objects made, in ways of their own."""
    if "__attrs_attrs__" in vars(cls):
        what = f"the class {cls.__name__}, of which attrs wrote the methods; make it a dataclass"
        raise Unsupported(what, place)
    if type(cls) is not type and type(cls).__module__ not in _HARMLESS:
        raise Unsupported(f"the class {cls.__name__} of the metaclass {type(cls).__name__}", place)
    for kind in cls.__mro__[:-1]:
        if kind.__module__ in _HARMLESS:
            continue
        if kind is tuple and is_named_tuple(cls):
            continue
        if not is_users_class(kind):
            raise Unsupported(f"the class {cls.__name__}, made from {kind.__name__}", place)
        frozen = _is_frozen(kind)
        for name in _HOOKS & set(vars(kind)):
            made = frozen and name in ("__setattr__", "__delattr__")
            if not made and not (name == "__new__" and _is_generated(vars(kind)[name])):
                raise Unsupported(f"{name} of the class {kind.__name__}", place)


def _is_generated(value: Any) -> bool:
    """Return whether `collections.namedtuple` wrote a ``__new__``."""
    code = _code(value)
    return code is not None and code.co_filename.startswith("<string>")


def _code(value: Any) -> types.CodeType | None:
    """Return the code of a function or a class method, None of anything else."""
    code: types.CodeType | None = getattr(getattr(value, "__func__", value), "__code__", None)
    return code


def _is_frozen(cls: type) -> bool:
    parameters = getattr(cls, "__dataclass_params__", None)
    return bool(getattr(parameters, "frozen", False))


def validate_store(shape: Shape, name: str, place: Place) -> None:
    """Refuse to set an attribute that is not kept in the object."""
    what = f"the attribute {name!r} of {shape.cls.__name__}"
    if _is_frozen(shape.cls) or issubclass(shape.cls, tuple):
        raise Unsupported(f"setting {what}, which is frozen", place)
    found = in_class(shape.cls, name)
    if name.startswith("__"):
        raise Unsupported(f"setting {what}", place)
    if is_computed(found):
        raise Unsupported(f"setting {what}, which is a property or a method", place)


def is_computed(value: Any) -> bool:
    """Return whether a class answers for an attribute: a method, a property, a descriptor."""
    return hasattr(type(value), "__get__") and not is_slot(value)


def is_field(cls: type, name: str) -> bool:
    """Return whether every object has an attribute of its own, which hides what its class has."""
    if has_own_init(cls) and not is_computed(in_class(cls, name)):
        return any(each.name == name and each.init for each in dataclasses.fields(cls))
    return is_named_tuple(cls) and name in cls._fields  # type: ignore[attr-defined]


def is_slot(value: Any) -> bool:
    """Return whether a class keeps a place for an attribute of its objects."""
    return isinstance(value, types.MemberDescriptorType)


def after(cls: type, owner: type, name: str) -> Any:
    """Return what ``super()`` finds in a method of `owner`, on an object of `cls`."""
    order = cls.__mro__
    rest = order[order.index(owner) + 1 :] if owner in order else ()
    return next((vars(kind)[name] for kind in rest if name in vars(kind)), None)


def is_fixed(cls: type, name: str, value: Any, lifter: Lifter) -> bool:
    """Return whether what a class has under a name is never changed."""
    if lifter.is_set(name):
        return False
    if not is_attribute_changed(cls, name, value):
        return True
    homes = {kind.__module__ for kind in cls.__mro__[:-1] if is_users_class(kind)}
    modules = (sys.modules.get(home) for home in homes)
    return not any(module is None or sets_attribute(vars(module), name) for module in modules)


def class_values(
    shape: Shape, own: Iterable[str], place: Place, lifter: Lifter
) -> dict[str, Expression]:
    """Return the values that a new object finds in its class, but for those of its own."""
    found: dict[str, Expression] = {}
    seen = set(own)
    for kind in shape.cls.__mro__[:-1]:
        for name, value in vars(kind).items():
            if name in seen or name.startswith("__") or kind.__module__ in _HARMLESS:
                continue
            seen.add(name)
            if is_value(value):
                if not is_fixed(shape.cls, name, value, lifter):
                    raise changed(shape, name, place)
                found[name] = Constant(place, value)
    return found


def changed(shape: Shape, name: str, place: Place) -> Unsupported:
    """Return what refuses an attribute of a class that the program may change."""
    what = f"the attribute {name!r} of {shape.cls.__name__}, which is no constant"
    return Unsupported(what, place)


def is_value(value: Any) -> bool:
    """Return whether an attribute of a class is a number or a text, which cannot be changed."""
    return isinstance(value, int | float | complex | str | bytes | None) and is_plain(value)


def fields_of(
    cls: type,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    factory: Callable[[Any], Expression],
) -> list[tuple[str, Expression]]:
    """Return what the ``__init__`` that `dataclasses` wrote sets: what is given, then defaults.

    Parameters
    ----------
    cls : type
    positional : tuple of Expression
    keywords : tuple of (str, Expression)
    place : Place
    factory : callable
        Reads the call of a function that makes a default.

    Raises
    ------
    Unsupported
        Where the arguments do not fit.
    """
    named = is_named_tuple(cls)
    every = _named_fields(cls) if named else dataclasses.fields(cls)
    for each in every:
        found = in_class(cls, each.name)
        if type(found) is not _FIELD if named else is_computed(found):
            raise Unsupported(
                f"the field {each.name!r} of {cls.__name__}, which is computed", place
            )
    fields = [each for each in every if each.init]
    names = [each.name for each in fields if not each.kw_only]
    if len(positional) > len(names):
        raise Unsupported(f"a call of {cls.__name__!r} that raises: too many arguments", place)
    given = [*zip(names, positional, strict=False), *keywords]
    present = [name for name, _ in given]
    known = {each.name for each in fields}
    if len(set(present)) < len(present) or not set(present) <= known or _has_pseudo(cls):
        raise Unsupported(f"a call of {cls.__name__!r} with these arguments", place)
    for each in every:
        if each.name in present:
            continue
        if each.default is not dataclasses.MISSING:
            if not each.init and not is_slot(in_class(cls, each.name)):
                continue  # the class holds it, or a class made from it
            given.append((each.name, Constant(place, each.default)))
        elif each.default_factory is not dataclasses.MISSING:
            given.append((each.name, factory(each.default_factory)))
        elif each.init:
            raise Unsupported(f"a call of {cls.__name__!r} without {each.name!r}", place)
    return given


def names_of_fields(cls: Any) -> list[str]:
    """Return the fields that are given to a class whose ``__init__`` Python wrote."""
    every = _named_fields(cls) if is_named_tuple(cls) else dataclasses.fields(cls)
    return [each.name for each in every if each.init]


def needed_fields(cls: Any) -> list[str]:
    """Return the fields that have no default, and may be given by position."""
    every = _named_fields(cls) if is_named_tuple(cls) else dataclasses.fields(cls)
    missing = dataclasses.MISSING
    return [
        each.name
        for each in every
        if each.init and not each.kw_only
        if each.default is missing and each.default_factory is missing
    ]


def _named_fields(cls: Any) -> list[Any]:
    """Return the fields of a named tuple, as `dataclasses` describes fields."""
    missing, made = dataclasses.MISSING, []
    given = cls.__new__.__defaults__ or ()
    defaults = dict(zip(reversed(cls._fields), reversed(given), strict=False))
    for name in cls._fields:
        default = defaults.get(name, missing)
        made.append(types.SimpleNamespace(
            name=name, default=default, default_factory=missing, init=True, kw_only=False
        ))  # fmt: skip
    return made


def _has_pseudo(cls: type) -> bool:
    """Return whether a dataclass has arguments that are no fields, which are not understood."""
    held: dict[str, Any] = getattr(cls, "__dataclass_fields__", {})
    return any("InitVar" in str(each.type) for each in held.values())


def is_named_tuple(cls: Any) -> bool:
    """Return whether a class is a named tuple, and adds no ways of its own to make one."""
    if not issubclass(cls, tuple) or in_class(cls, "__init__") is not object.__init__:
        return False
    homes = [kind for kind in cls.__mro__ if "_fields" in vars(kind)]
    if len(homes) != 1 or not _is_generated(vars(homes[0]).get("__new__")):
        return False
    if not all(in_class(cls, name) is vars(homes[0]).get(name) for name in cls._fields):
        return False  # a subclass answers for a field in another way
    copies = (_code(in_class(cls, "_make")), _code(in_class(cls, "_replace")))
    return all(code is not None and code.co_filename == collections.__file__ for code in copies)


def has_own_init(cls: type) -> bool:
    """Return whether `dataclasses` wrote ``__init__``, and for these very fields."""
    home = _home_of_init(cls)
    fields = "__dataclass_fields__"
    if getattr(cls, fields, None) is not vars(home).get(fields):
        return False
    parameters = vars(home).get("__dataclass_params__")
    init = vars(home)["__init__"]
    written = isinstance(init, types.FunctionType) and init.__code__.co_filename == "<string>"
    return bool(parameters is not None and parameters.init and written)


def post_init(cls: type) -> Any:
    """Return what the ``__init__`` that `dataclasses` wrote calls in the end, or None."""
    called = in_class(_home_of_init(cls), "__post_init__") is not None  # when it was written
    return in_class(cls, "__post_init__") if called else None


def _home_of_init(cls: type) -> type:
    return next(kind for kind in cls.__mro__ if "__init__" in vars(kind))


def returning(body: tuple[Statement, ...], name: str) -> tuple[Statement, ...]:
    """Return the body of an ``__init__`` that returns the object instead of None."""

    def itself(value: Expression) -> Expression:
        if not isinstance(value, Constant) or value.value is not None:
            raise Unsupported("an __init__ that returns a value", value.place)
        return Name(value.place, name)

    place = body[-1].place if body else Place("", 0)
    return (*with_ends(Return, body, itself), Return(place, Name(place, name)))


def with_ends(
    kind: type[Return | Raise], body: tuple[Statement, ...], other: Callable[[Any], Expression]
) -> tuple[Statement, ...]:
    """Return a body that returns, or raises, something else wherever it does."""

    def changed(statement: Statement) -> Statement:
        if isinstance(statement, kind):
            return kind(statement.place, other(statement.value))
        return statement

    return _each(body, changed)


def _each(
    body: tuple[Statement, ...], changed: Callable[[Statement], Statement]
) -> tuple[Statement, ...]:
    def inner(statement: Statement) -> Statement:
        place = statement.place
        match statement:
            case Branch(test=test, yes=yes, no=no):
                return Branch(place, test, _each(yes, changed), _each(no, changed))
            case For(target=target, iterable=iterable, body=below, otherwise=last):
                return For(place, target, iterable, _each(below, changed), _each(last, changed))
            case While(test=test, body=below, otherwise=last):
                return While(place, test, _each(below, changed), _each(last, changed))
        return changed(statement)

    return tuple(map(inner, body))
