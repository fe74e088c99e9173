"""The heads of loops: what is known of each variable there, whichever way reaches it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import State
from dpaudit.checker.alignment.terms import Number, Term, Terms
from dpaudit.checker.alignment.values import (
    Filled,
    Listing,
    Ref,
    Value,
    all_truths,
    is_term,
    is_truth,
    known,
    length_of,
    listings,
    number,
    same,
    total_of,
)
from dpaudit.checker.file import NotCheckedError


@dataclass(frozen=True, slots=True)
class Kind:
    """What a variable may hold at a head.

    Attributes
    ----------
    name : {"known", "whole", "real", "truth", "list", "filled", "lost"}
        ``lost``: several kinds, or not assigned on every way; to read it is refused.
    value : Any
        Of ``known``.
    total : str
        Of a list, what is in it: ``truth``, ``whole`` or ``real``, or ``none`` of these.
    """

    name: str
    value: Any = None
    total: str = "none"

    @property
    def of_sum(self) -> str:
        """The kind of the sum of a list."""
        return "whole" if self.total == "truth" else self.total

    def covers(self, other: Kind) -> bool:
        """Whether it is as wide."""
        alike = self.name == other.name and self.total == other.total
        return alike and same(self.value, other.value)


LOST = Kind("lost")


def kind_of(value: Value, heap: dict[int, Listing], terms: Terms) -> Kind:
    """Return the narrowest kind of a value."""
    if isinstance(value, Ref):
        if value.at not in heap:
            return LOST
        total = total_of(heap[value.at], terms)
        if total is None:
            return Kind("list")
        if all_truths(heap[value.at], terms):
            return Kind("list", total="truth")
        return Kind("list", total="whole" if terms.is_whole(total) else "real")
    if isinstance(value, Filled):
        return Kind("filled") if value.at in heap else LOST
    if is_truth(value, terms):
        return Kind("truth")
    if is_term(value):
        return Kind("whole" if terms.is_whole(value) else "real")
    return Kind("known", value) if known(value) else LOST


def joined(a: Kind, b: Kind, terms: Terms) -> Kind:
    """Return the narrowest kind that covers both."""
    if a.covers(b):
        return a
    if a.name == b.name == "list":
        order = ("truth", "whole", "real", "none")
        return Kind("list", total=max(a.total, b.total, key=order.index))
    if all(k.name == "truth" or isinstance(k.value, bool) for k in (a, b)):
        return Kind("truth")
    whole = [_whole(kind, terms) for kind in (a, b)]
    if None in whole:
        return LOST
    return Kind("whole" if all(whole) else "real")


def _whole(kind: Kind, terms: Terms) -> bool | None:
    if kind.name in ("whole", "real"):
        return kind.name == "whole"
    if kind.name == "known" and isinstance(kind.value, Ratio):
        return terms.is_whole(kind.value)
    return None


@dataclass(slots=True, eq=False)
class Head:
    """The head of a loop: what is known of it, from every way that reaches it.

    Attributes
    ----------
    name, place : str
    depth : int
        How many loops of unknown length are around it.
    kinds : dict of str to Kind
    used : frozenset of str or None
        Vectors of noise that were gone through before; None until it was reached.
    """

    name: str
    place: str
    depth: int
    kinds: dict[str, Kind] = field(default_factory=dict)
    used: frozenset[str] | None = None
    walk: Any = None

    def learn(self, state: State, terms: Terms) -> bool:
        """Widen it so that it covers a state; return whether it grew."""
        _validate_lists(state)
        found = {n: kind_of(v, state.heap, terms) for n, v in state.variables().items()}
        if self.used is None:
            whole = {name: Kind("whole") for name in found if is_public(name)}
            self.kinds, self.used = found | whole, state.used
            return True
        wider = {
            name: joined(kind, found.get(name, LOST), terms) for name, kind in self.kinds.items()
        }
        grew = any(not self.kinds[name].covers(kind) for name, kind in wider.items())
        self.kinds = wider
        if self.used != state.used:
            raise NotCheckedError(f"not checked: noise used up on some ways only, at {self.place}")
        return grew

    def unknown(self, variable: str, kind: str, terms: Terms) -> Term:
        """Return the unknown that a variable is at this head."""
        sort = {"whole": terms.int, "real": terms.real, "truth": terms.bool}[kind]
        return terms.unknown(f"{variable}@{self.name}", sort)

    def fresh(self, state: State, terms: Terms) -> State:
        """Return the state of an arbitrary iteration."""
        frames: list[dict[str, Value]] = []
        new = State(self.name, (*state.loops, self.name), frames, used=state.used)
        new.made, new.turns = state.made, state.turns
        last = len(state.frames) - 1
        for at, old in enumerate(state.frames):
            mark = "^" * (last - at)
            values = {n: self._value(new, f"{mark}{n}", terms) for n in old}
            frames.append({n: v for n, v in values.items() if v is not LOST})
        return new

    def values(self, terms: Terms) -> dict[str, Value]:
        """Return what every variable holds at this head, lists written out."""
        scratch = State(self.name, (), [])
        found = {name: self._value(scratch, name, terms) for name in self.kinds}
        return {n: listings(v, scratch.heap) for n, v in found.items() if v is not LOST}

    def _value(self, state: State, variable: str, terms: Terms) -> Value:
        kind = self.kinds.get(variable, LOST)
        if kind.name == "lost":
            return LOST
        if kind.name == "known":
            return kind.value
        if kind.name == "filled":
            return Filled(state.listed(Listing(variable, Ratio.of(0), None)).at)
        if kind.name != "list":
            return self.unknown(variable, kind.name, terms)
        length = self.unknown(f"{variable}.len", "whole", terms)
        total = None
        if kind.total != "none":
            total = self.unknown(f"{variable}.sum", kind.of_sum, terms)
        listing = Listing(variable, length, total, truths=kind.total == "truth")
        return state.listed(listing)


def is_public(variable: str) -> bool:
    """Whether a variable of a head is one in both runs: the index of a loop."""
    return variable.lstrip("^").startswith("%i")


def _validate_lists(state: State) -> None:
    """Refuse a list with two names, or inside of something: a head would see two lists."""
    seen = set()
    for name, value in state.variables().items():
        if isinstance(value, tuple) and not known(value):
            raise NotCheckedError(f"not checked: {name} holds values that change through a loop")
        if not isinstance(value, Ref | Filled):
            continue
        if value.at in seen:
            raise NotCheckedError(f"not checked: {name} is a second name of a list")
        seen.add(value.at)
        if isinstance(value, Filled):
            continue
        items = state.heap[value.at].items if value.at in state.heap else ()
        if any(isinstance(item, Ref | tuple) for item in items):
            raise NotCheckedError(f"not checked: {name} is a list of lists")


def number_at(values: dict[str, Value], name: str, terms: Terms) -> Number | None:
    """Return a number among the variables of a head: ``count``, ``flags.sum``, ``flags.len``."""
    if name in values:
        return number(values[name], terms)
    owner, _, what = name.rpartition(".")
    listing = values.get(owner)
    if not isinstance(listing, Listing) or what not in ("sum", "len"):
        return None
    return total_of(listing, terms) if what == "sum" else length_of(listing, terms)
