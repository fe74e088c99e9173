"""Vectors over their own norm: how long they are at most, all entries together.

A scalar remembers of which scalars it is the square, the sum of squares, or the length, and which
entry of a vector over its length it is:

    value = x²,  value >= Σ x_j²,  value >= f √(Σ x_j²),  value = c x_j/d with d >= f √(Σ x_j²)

The entries x_j/d of the last have together a length of at most 1/f, and their products two by two
one of 1/f²: Σ_j y_j⁴ + Σ_{j<k} (√2 y_j y_k)² = (Σ_j y_j²)². What is compared is which
scalar an operation was given, so that equal numbers of different origin are never confounded; a
scalar that occurs twice among the x_j counts once, which bounds the entries that are left.

The length may be one by another norm: Σ |x_j|, the largest |x_j|. Then only the entries are bounded
together, and by the largest one alone.

Floats lose squares below 2^-1074: then the length is 0, and what is divided by a number above
2^-400 f stays far below 1/f all the same. Squares that are too large give an infinite length, and
quotients that are 0. A number over a length that may be 0 is taken for what it is where that is
not far below 1: where it is not known to be less than 2^300, nothing is told of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.ends import (
    INF,
    ONE,
    ZERO,
    is_finite,
    least,
    less,
    most,
    sign,
    size,
    times,
)
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.values import Change, Group, Token, Unknown, is_number, unknown
from dpaudit.checker.exact.numbers import Number, number

_HALF = number(Fraction(1, 2))
_TINY = number(Fraction(1, 2**400))
_HUGE = number(2**300)


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """The value is at least the sum of the squares of these scalars."""

    of: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Multiple:
    """The value is `factor` times that scalar."""

    of: Any
    factor: Number


@dataclass(frozen=True, slots=True, eq=False)
class Length:
    """The value is at least `factor` times the norm of these scalars: l1, l2 or linf."""

    of: tuple[Any, ...]
    factor: Number
    norm: str
    groups: tuple[Group, Group]
    tokens: dict[tuple[int, ...], Token] = field(default_factory=dict)

    @staticmethod
    def make(of: tuple[Any, ...], factor: Number, norm: str = "l2") -> Length:
        """Return a length whose vector has at most the length 1/factor once it is divided."""
        one = 1 / factor
        both = one * one
        return Length(of, factor, norm, (Group(norm, -one, one), Group("l2", -both, both)))

    def times(self, factor: Number) -> Length:
        """Return one for a multiple, or for what is more: a vector of its own."""
        return Length.make(self.of, self.factor * factor, self.norm)

    def moved(self, place: int) -> Token:
        """Return what the quotient of one of the scalars moves by, from one run to the other.

        The vectors of both runs are no longer than 1/factor, whatever they are.
        """
        far = 2 * self.groups[0].high
        group = self.tokens.setdefault((), Token(Group(self.norm, -far, far))).group
        return self.tokens.setdefault((place, 2), Token(group))

    def token(self, places: tuple[int, ...]) -> Token:
        """Return the change by the quotient of one of the scalars, or by a product of two."""
        return self.tokens.setdefault(places, Token(self.groups[len(places) - 1]))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The value is `factor` times the quotient of a scalar of a length, or a product of two."""

    length: Length
    places: tuple[int, ...]
    factor: Number

    @property
    def token(self) -> Token:
        """The change by it."""
        return self.length.token(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class Inverse:
    """The value is not negative, and at most `factor` divided by a value of a length."""

    length: Length
    factor: Number

    def times(self, factor: Number) -> Inverse:
        """Return one for a multiple, or for what is less: a vector of its own."""
        return Inverse(self.length.times(ONE), self.factor * factor)


def is_single(value: Unknown | Var) -> bool:
    """Whether nothing is told of a number but, perhaps, that it is a multiple of another."""
    return value.made is None or isinstance(value.made, Multiple)


def is_told(value: Unknown) -> bool:
    """Whether what tests tell of a number tells of those that it is a multiple or a length of."""
    return is_single(value) or isinstance(value.made, Length)


def told(value: Any) -> Any:
    """Return of which numbers a scalar is the square, the length or the quotient."""
    return value.made if isinstance(value, Unknown | Var) else None


def remembered(name: str, a: Any, b: Any, result: Any) -> Any:
    """Return the result of a function of two scalars with what it tells of lengths."""
    if not isinstance(result, Unknown):
        return result
    made = _made(name, a, b)
    if isinstance(made, Part):
        far = abs(made.factor) * made.token.group.high
        low, high = most((result.low, -far)), least((result.high, far))
        if made.length.norm == "linf":  # which bounds them one by one
            return replace(result, low=low, high=high)
        if not result.shared and len(made.places) == 1:
            change = Change(tokens={made.length.moved(made.places[0]): made.factor})
            return replace(result, low=low, high=high, change=change, made=made)
        return replace(result, low=low, high=high, made=made)
    return result if made is None else replace(result, made=made)


def _made(name: str, a: Any, b: Any) -> Any:
    match name:
        case "mul" if (both := _product(a, b)) is not None:
            return both
        case "mul" if a is b:
            return Squares((a,))
        case "pow" if is_number(b) and number(b).fraction == 2:
            return Squares((a,))
        case "add" if _length(a) and _length(b):
            return _together(a, b, "l1")
        case "add" if _length(a) or _length(b):
            return _longer(a, b)
        case "add":
            return _sum(a, b)
        case "minimum" | "fmin":
            return _shorter(a, b)
        case "mul" if (part := _shrunk(a, b) or _shrunk(b, a)) is not None:
            return part
        case "maximum" | "fmax" if (vector := _together(a, b, "linf")) is not None:
            return vector
        case "maximum" | "fmax":
            return next((m for m in map(_length, (a, b)) if m is not None), None)
        case "mul" if is_number(a) or is_number(b):
            one, factor = (b, a) if is_number(a) else (a, b)
            return _multiple(one, number(factor))
        case "truediv" if is_number(b) and number(b).sign():
            return _multiple(a, 1 / number(b))
        case "truediv" if is_number(a) and number(a).sign() > 0:
            return _inverse(number(a), b)
        case "truediv":
            return _quotient(a, b)
    return None


def _longer(a: Any, b: Any) -> Length | None:
    """Return that a length with something added that is not negative is one too."""
    for one, other in ((a, b), (b, a)):
        length = _length(one)
        if length is not None and is_number(other) and number(other).sign() >= 0:
            return length.times(ONE)
    return None


def _together(a: Any, b: Any, norm: str) -> Length | None:
    """Return the l1 or the linf norm of two vectors as one, of sums or largest of magnitudes."""
    one, other = _length(a), _length(b)
    if one is None or other is None or not one.factor == other.factor == ONE:
        return None
    if any(each.norm != norm and len(each.of) > 1 for each in (one, other)):
        return None
    return Length.make((*one.of, *other.of), ONE, norm)


def of_one(name: str, value: Any, result: Any) -> Any:
    """Return a function of one scalar with what it tells: |x| is how long x is alone."""
    if not isinstance(result, Unknown) or not result.regular:
        return result
    if name == "float" and isinstance(value, Unknown) and value.kind == "float":
        return replace(result, made=value.made)
    if name not in ("abs", "square"):
        return result
    made = Squares((value,)) if name == "square" else Length.make((value,), ONE, "l1")
    return replace(result, made=made)


def inverse(name: str, a: Any, b: Any) -> Unknown | None:
    """Return a positive number over a length that may be 0: no less than over the longest."""
    length, high = _length(b), getattr(b, "high", None)
    if name != "truediv" or not is_number(a) or number(a).sign() <= 0 or length is None:
        return None
    low = number(a) / high if isinstance(high, Number) and high.sign() > 0 else ZERO
    made = Inverse(length.times(ONE), number(a))
    return Unknown("float", low, INF, infinite=True, made=made)


def _shorter(a: Any, b: Any) -> Inverse | None:
    """Return that the smaller of an inverse and what is not negative is no larger than that."""
    for one, other in ((a, b), (b, a)):
        made = told(one)
        ends = unknown(other) if isinstance(other, Unknown) or is_number(other) else None
        if not isinstance(made, Inverse) or ends is None or sign(ends.low) < 0:
            continue
        if not one.infinite or (is_finite(ends.high) and less(ends.high, _HUGE)):
            return made.times(ONE)
    return None


def _shrunk(inverse: Any, scalar: Any) -> Part | None:
    """Return the part of a vector that is divided by its length, or by more."""
    made = told(inverse)
    if not isinstance(made, Inverse) or (entry := _entry(scalar, made.length)) is None:
        return None
    return Part(made.length, (id(entry[0]),), made.factor * entry[1])


def _inverse(factor: Number, b: Any) -> Inverse | None:
    length = _length(b)
    if length is None or not is_finite(b.low) or less(b.low, length.factor * _TINY):
        return None
    return Inverse(length.times(ONE), factor)


def shorten(norm: Var) -> None:
    """Tell the scalars of a length how large each may be, where a test has told its own."""
    if isinstance(norm.made, Length) and is_finite(norm.high):
        most_each = norm.high / norm.made.factor
        for scalar in norm.made.of:
            if isinstance(scalar, Var):
                scalar.learn(frozenset("<="), most_each)
                scalar.learn(frozenset(">="), -most_each)


def together(norm: Var) -> dict[int, tuple[Any, Unknown]]:
    """Return the scalars of a length as parts of a vector that is no longer than it may be."""
    if not isinstance(norm.made, Length) or norm.made.norm == "linf":
        return {}
    if not is_finite(norm.high) or norm.high.sign() <= 0:
        return {}
    length, far = norm.made.times(1 / norm.high), norm.high / norm.made.factor
    found = {}
    for scalar in norm.made.of:
        x = scalar.snapshot() if isinstance(scalar, Var) else scalar
        if isinstance(x, Unknown) and x.regular:
            part = Part(length, (id(scalar),), ONE)
            low, high = most((x.low, -far)), least((x.high, far))
            found[id(scalar)] = (scalar, replace(x, low=low, high=high, made=part))
    return found


def in_short(value: Any, short: dict[int, tuple[Any, Unknown]]) -> Any:
    """Return a scalar, or a multiple of one, as a part of a vector whose length was tested."""
    factor, base = ONE, value
    while id(base) not in short and isinstance(told(base), Multiple):
        base, factor = base.made.of, factor * base.made.factor
    if id(base) not in short:
        return value
    part = short[id(base)][1]
    x = value.snapshot() if isinstance(value, Var) else value
    if base is value:
        return part
    far = abs(factor) * size(part.low, part.high)
    low, high = most((x.low, -far)), least((x.high, far))
    return replace(x, low=low, high=high, made=_multiple(part, factor))


def _sum(a: Any, b: Any) -> Squares | None:
    parts: list[Any] = []
    for value in (a, b):
        made = told(value)
        if isinstance(made, Squares):
            parts += made.of
        elif not (is_number(value) and number(value).sign() >= 0):
            return None
    return Squares(tuple(parts)) if parts else None


def _length(value: Any) -> Length | None:
    made = told(value)
    return made if isinstance(made, Length) else None


def _multiple(value: Any, factor: Number) -> Any:
    made = told(value)
    if isinstance(made, Inverse) and factor.sign() > 0:
        return made.times(factor)
    if isinstance(made, Length) and factor.sign() > 0:
        return made.times(factor)
    if isinstance(made, Part) and factor.sign():
        return Part(made.length, made.places, made.factor * factor)
    if isinstance(value, Unknown | Var) and value.kind == "float" and is_single(value):
        return Multiple(value, factor)
    return None


def _entry(value: Any, length: Length) -> tuple[Any, Number] | None:
    """Return the scalar of a length that a value is a multiple of, and the factor."""
    factor = ONE
    while not any(value is scalar for scalar in length.of):
        made = told(value)
        if not isinstance(made, Multiple):
            return None
        value, factor = made.of, factor * made.factor
    return value, factor


def _product(a: Any, b: Any) -> Part | None:
    one, other = told(a), told(b)
    if not isinstance(one, Part) or not isinstance(other, Part) or one.length is not other.length:
        return None
    if len(one.places) > 1 or len(other.places) > 1 or one.length.norm != "l2":
        return None
    places, factor = (*one.places, *other.places), one.factor * other.factor
    if places[0] == places[1]:
        return Part(one.length, places, factor)
    # y_j y_k = u/√2, of which the matrix has two entries
    return Part(one.length, tuple(sorted(places)), factor * _HALF.sqrt())


def _quotient(a: Any, b: Any) -> Part | None:
    length = _length(b)
    if length is None or (entry := _entry(a, length)) is None:
        return None
    if not is_finite(b.low) or less(b.low, length.factor * _TINY):
        return None
    return Part(length, (id(entry[0]),), entry[1])


def rooted(value: Any) -> Length | None:
    """Return what the root of a number is known to be the length of."""
    made = value.made if isinstance(value, Unknown) else None
    return Length.make(made.of, ONE) if isinstance(made, Squares) else None


def root(x: Unknown) -> Unknown:
    """Return the root of a number of one record, which is not negative."""
    low, high = (end.sqrt() if isinstance(end, Number) else end for end in (x.low, x.high))
    return Unknown("float", low, high, made=rooted(x))


def change_of(value: Unknown, factor: Number, apart: frozenset[Group]) -> Change:
    """Return by what a sum changes to which a multiple of a record's value is added.

    Parameters
    ----------
    value : Unknown
    factor : Number
    apart : frozenset of Group
        Vectors whose entries are bounded one by one.
    """
    made = value.made
    if isinstance(made, Part) and made.token.group not in apart:
        return Change(tokens={made.token: made.factor * factor})
    low, high = times(value.low, factor), times(value.high, factor)
    return Change(low, high) if sign(factor) > 0 else Change(high, low)


def bounded_apart(values: Iterable[Unknown]) -> frozenset[Group]:
    """Return the vectors of which the ranges of the entries say as much as the length."""
    squares: dict[Group, Number | None] = {}
    for value in values:
        if not isinstance(value.made, Part):
            continue
        group, far = value.made.token.group, size(value.low, value.high)
        before = squares.setdefault(group, ZERO)
        rational = isinstance(far, Number) and far.fraction is not None
        own = far if group.norm == "l1" else far * far
        squares[group] = before + own if rational and before is not None else None
    return frozenset(
        group
        for group, square in squares.items()
        if square is not None
        and not less(group.high * (ONE if group.norm == "l1" else group.high), square)
    )
