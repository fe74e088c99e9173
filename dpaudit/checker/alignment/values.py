"""What a variable may hold on one path of one run.

Numbers are `Ratio` (of parameters alone) or terms; truths that a test decided are ``True`` and
``False``, those that a loop's head left open are terms of sort Bool; ``None`` and texts are
themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.terms import Number, Term, Terms
from dpaudit.checker.file import NotCheckedError

Value = Any


@dataclass(frozen=True, slots=True)
class Ref:
    """A list: which one, among those of the state."""

    at: int


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """What is in a list.

    Attributes
    ----------
    earlier : str or None
        Which list of the loop's head it began as; of those entries the number and sum are known.
    length : Ratio or Term
        Of `earlier`.
    total : Ratio, Term or None
        Sum of `earlier`; None where it is no number.
    items : tuple
        What was added since.
    truths : bool
        Whether all of `earlier` is True or False.
    """

    earlier: str | None
    length: Number
    total: Number | None
    items: tuple[Value, ...] = ()
    truths: bool = False

    def added(self, *items: Value) -> Listing:
        """Return it with more at its end."""
        return replace(self, items=(*self.items, *items))


def empty() -> Listing:
    """Return an empty list."""
    return Listing(None, Ratio.of(0), Ratio.of(0), truths=True)


@dataclass(frozen=True, slots=True)
class Random:
    """The source of randomness."""


# --- vectors, known by what each entry is


@dataclass(frozen=True, slots=True)
class Data:
    """The answers."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A vector as a list or tuple, which has no arithmetic of its own."""

    of: Vector


@dataclass(frozen=True, slots=True)
class Noise:
    """As many independent draws as there are answers, each made where it is first used."""

    site: str
    loops: tuple[str, ...]  # around the place where it was made
    family: str
    scale: Ratio = field(compare=False)
    place: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Indices:
    """0, 1, 2, … or from another start on."""

    start: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """One number for every entry: a hidden variable."""

    variable: str


@dataclass(frozen=True, slots=True)
class Zipped:
    """Tuples of the entries of several vectors."""

    parts: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """A function of the entries of vectors; its tests stand where the vector is gone through."""

    function: str
    parts: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """A scalar that was not yet bound to a hidden variable."""

    value: Any = field(compare=False)


@dataclass(frozen=True, slots=True)
class Sums:
    """The running sums of a vector."""

    of: Vector


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """``range(start, stop, step)`` of parameters."""

    start: Ratio
    stop: Ratio
    step: Ratio

    def __eq__(self, other: object) -> bool:
        mine = (self.start, self.stop, self.step)
        return isinstance(other, Range) and mine == (other.start, other.stop, other.step)

    __hash__ = None  # type: ignore[assignment]


# --- stretches of the data, see `blocks`


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A stretch of the data, its sum and its length."""

    whole: Term
    total: Term
    length: Term


@dataclass(frozen=True, slots=True, eq=False)
class BlockNoise:
    """One draw for each entry of a block."""

    noise: Term
    whole: Term


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A vector that is the same in both runs where all of these numbers are."""

    parts: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """An array that is filled: which log of the state it has."""

    at: int


Vector = Data | Plain | Noise | Indices | Scalar | Zipped | Applied | Whole
VECTORS = (Data, Plain, Noise, Indices, Scalar, Zipped, Applied, Whole)
ARRAYS = (Data, Noise, Applied)  # NumPy's: arithmetic goes entry by entry


def is_term(value: Value) -> bool:
    """Whether a value is a term of the solver."""
    return hasattr(value, "getSort")


def is_truth(value: Value, terms: Terms) -> bool:
    """Whether a value is a truth that is still open."""
    return is_term(value) and value.getSort() == terms.bool


def number(value: Value, terms: Terms) -> Number | None:
    """Return a value as a number, None where it is none."""
    if isinstance(value, bool):
        return Ratio.of(int(value))
    if isinstance(value, Ratio):
        return value
    if is_truth(value, terms):
        return terms.choose(value, terms.exact(1), terms.exact(0))
    return value if is_term(value) else None


def same(a: Value, b: Value) -> bool:
    """Whether two values that hold no terms are one; True is not 1."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def known(value: Value) -> bool:
    """Whether a value holds no terms and no lists."""
    if isinstance(value, tuple):
        return all(known(part) for part in value)
    if isinstance(value, Zipped | Applied):
        return all(known(part) for part in value.parts)
    if isinstance(value, Sums | Plain):
        return known(value.of)
    simple = (bool, str, float, Ratio, Random, Data, Noise, Indices, Scalar, Range)
    return value is None or isinstance(value, simple)


def length_of(listing: Listing, terms: Terms) -> Number:
    """Return how long a list is."""
    return plus(listing.length, Ratio.of(len(listing.items)), terms)


def total_of(listing: Listing, terms: Terms) -> Number | None:
    """Return the sum of a list, None where not all of it is numbers."""
    total = listing.total
    for item in listing.items:
        value = number(item, terms)
        if value is None or total is None:
            return None
        total = plus(total, value, terms)
    return total


def all_truths(listing: Listing, terms: Terms) -> bool:
    """Return whether a list holds nothing but True and False."""
    return listing.truths and all(isinstance(i, bool) or is_truth(i, terms) for i in listing.items)


def plus(a: Number, b: Number, terms: Terms) -> Number:
    """Return a + b."""
    if isinstance(a, Ratio) and isinstance(b, Ratio):
        return a + b
    return terms.add(terms.number(a), terms.number(b))


def listings(value: Value, heap: dict[int, Listing]) -> Value:
    """Return a value with every list in it written out."""
    if isinstance(value, tuple):
        return tuple(listings(part, heap) for part in value)
    if isinstance(value, Ref | Filled):
        if value.at not in heap:
            raise NotCheckedError("not checked: a list that is kept while a loop begins")
        found = heap[value.at]
        return replace(found, items=tuple(listings(item, heap) for item in found.items))
    return value


def terms_in(value: Value) -> list[Term]:
    """Return all terms in a value whose lists are written out."""
    if isinstance(value, tuple):
        return [t for part in value for t in terms_in(part)]
    if isinstance(value, Listing):
        return terms_in((value.length, value.total, *value.items))
    return [value] if is_term(value) else []
