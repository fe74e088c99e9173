"""Heads of loops: what every variable is called in an arbitrary iteration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpaudit.formal.alignment.blocks import Written
from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.values import Array, Flag, Items, Prefix, Union, number
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported


class Restart(Exception):  # noqa: N818 - what is known of a loop's head grew: go through again
    """A variable holds a kind of value that the head of a loop did not expect."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a variable may be: ``known`` (one value), ``real``, ``int``, ``bool`` or ``items``."""

    name: str
    value: Any = None  # of `known`
    integer: bool = True  # of `items`: whether their sum is a whole number


@dataclass(slots=True)
class Shape:
    """The variables at one loop's head."""

    loop: str
    kinds: dict[str, tuple[Kind, ...]] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)

    def learn(self, state: dict[str, Any], place: Place | None) -> bool:
        """Widen the shape so that it covers a state; return whether it grew."""
        grew = False
        _validate_no_alias(state, place)
        if not self.kinds:
            self.kinds = {name: (_kind(value, place),) for name, value in state.items()}
            return False
        for name in list(self.kinds):
            if name not in state:
                raise Unsupported(f"{name} may be unassigned at the head of a loop", place)
            wider = _join(self.kinds[name], _kind(state[name], place))
            if wider != self.kinds[name]:
                self.kinds[name] = wider
                grew = True
        return grew

    def symbol(self, name: str, kind: str = "") -> Symbol:
        """Return the symbol that a variable has at this head."""
        integer = kind != "real"
        shared = name.rpartition("%")[2].startswith("i") and "%" in name
        return Symbol(f"{name}@{self.loop}", "shared" if shared else "state", integer)

    def fresh(self, objects: dict[str, Any]) -> dict[str, Any]:
        """Return a value for every variable, in the symbols of this head."""
        return {n: self._value(n, kinds, objects.get(n)) for n, kinds in self.kinds.items()}

    def _value(self, name: str, kinds: tuple[Kind, ...], old: Any) -> Any:
        options = tuple(self._option(name, kind, old) for kind in kinds)
        if len(options) == 1:
            return options[0]
        return Union(self.symbol(f"{name}.kind"), options)

    def _option(self, name: str, kind: Kind, old: Any) -> Any:
        if kind.name == "known":
            return kind.value
        if kind.name == "object":
            if old != kind.value:
                raise Unsupported(f"{name} may be one of several objects", None)
            return old  # and not kind.value, which draws on behalf of another path
        if kind.name == "written":
            return Written(self._option(name, Kind("items", integer=False), old))
        if kind.name == "items":
            total = self.symbol(f"{name}.sum", "int" if kind.integer else "real")
            prefix = Prefix(f"{name}@{self.loop}", self.symbol(f"{name}.len"), total)
            return Items([], prefix)
        value = Poly.of(self.symbol(name, kind.name))
        return Flag(value) if kind.name == "bool" else value

    def updates(self, state: dict[str, Any]) -> tuple[dict[Symbol, Poly], dict[str, Items]]:
        """Return the value of every symbol of the head, and of every list, in a state."""
        numbers: dict[Symbol, Poly] = {}
        lists: dict[str, Items] = {}
        for name, kinds in self.kinds.items():
            value = state[name]
            if isinstance(value, Union):
                raise Unsupported(f"{name} may be of several kinds", None)
            at = next(i for i, k in enumerate(kinds) if _covers(k, _kind(value, None)))
            if len(kinds) > 1:
                numbers[self.symbol(f"{name}.kind")] = Poly.of(at)
            kind = kinds[at]
            if kind.name == "written":
                lists[f"{name}@{self.loop}"] = value.log
            if kind.name == "items":
                option = self._option(name, kind, None)
                numbers[option.prefix.length] = length_of(value)
                numbers[option.prefix.total] = total_of(value) or Poly.of(0)
                lists[option.prefix.name] = value
            elif kind.name in ("real", "int", "bool"):
                as_number = number(value)
                assert as_number is not None
                numbers[self.symbol(name, kind.name)] = as_number
        return numbers, lists


def _validate_no_alias(state: dict[str, Any], place: Place | None) -> None:
    """Refuse one list under two names: an arbitrary iteration would see two."""
    seen: set[int] = set()
    for name, value in state.items():
        value = value.log if isinstance(value, Written) else value
        if isinstance(value, Items):
            if id(value) in seen:
                raise Unsupported(f"{name} is a second name of a list", place)
            seen.add(id(value))
            if any(isinstance(item, Items | Array) for item in value.items):
                raise Unsupported("a list of lists in a loop of unknown length", place)


def length_of(items: Items) -> Poly:
    """Return how long a list is."""
    before = Poly.of(items.prefix.length) if items.prefix else Poly.of(0)
    return before + len(items.items)


def total_of(items: Items) -> Poly | None:
    """Return the sum of a list, None where not all of it is numbers."""
    total = Poly.of(items.prefix.total) if items.prefix else Poly.of(0)
    for item in items.items:
        value = number(item)
        if value is None:
            return None
        total = total + value
    return total


def _kind(value: Any, place: Place | None) -> Kind:
    if isinstance(value, bool) or value is None or isinstance(value, str | float):
        return Kind("known", value)
    if isinstance(value, Flag):
        return Kind("bool")
    if isinstance(value, Poly):
        if all(s.kind == "parameter" for s in value.symbols()):
            return Kind("known", value)
        return Kind("int" if value.integer else "real")
    if isinstance(value, Written):
        return Kind("written")
    if isinstance(value, Items):
        total = total_of(value)
        return Kind("items", integer=total is not None and total.integer)
    if isinstance(value, Union):
        raise Unsupported("a variable of several kinds is carried on", place)
    if isinstance(value, tuple) and not all(_immutable(part) for part in value):
        raise Unsupported("a tuple of values that change is carried through a loop", place)
    if isinstance(value, Array):
        raise Unsupported("an array is carried through a loop of unknown length", place)
    return Kind("object", value)


def _immutable(value: Any) -> bool:
    if isinstance(value, Poly):
        return all(s.kind == "parameter" for s in value.symbols())
    return value is None or isinstance(value, bool | str | float | type)


def _covers(wide: Kind, narrow: Kind) -> bool:
    if wide == narrow:
        return True
    if wide.name == "items":
        return narrow.name == "items" and (narrow.integer or not wide.integer)
    if wide.name == "bool":
        return narrow.name == "known" and isinstance(narrow.value, bool)
    numeric = narrow.name == "known" and isinstance(narrow.value, Poly)
    if wide.name == "int":
        return numeric and bool(narrow.value.integer)
    return wide.name == "real" and (numeric or narrow.name == "int")


def _join(kinds: tuple[Kind, ...], new: Kind) -> tuple[Kind, ...]:
    for at, old in enumerate(kinds):
        if _covers(old, new):
            return kinds
        wider = _wider(old, new)
        if wider is not None:
            return (*kinds[:at], wider, *kinds[at + 1 :])
    return (*kinds, new)


def _wider(old: Kind, new: Kind) -> Kind | None:
    """Return the one kind that covers both, None where they stay apart."""
    if _covers(new, old):
        return new
    truths = [isinstance(k.value, bool) or k.name == "bool" for k in (old, new)]
    if all(truths):
        return Kind("bool")
    if old.name == new.name == "items":
        return Kind("items", integer=False)
    whole = []
    for kind in (old, new):
        if kind.name == "known" and isinstance(kind.value, Poly):
            whole.append(kind.value.integer)
        elif kind.name in ("int", "real"):
            whole.append(kind.name == "int")
    if len(whole) == 2:
        return Kind("int" if all(whole) else "real")
    return None
