"""Numbers that two runs on neighboring datasets hold, where not both are known.

A run of the checker is about one pair of datasets (D, D') and speaks of both runs at once. What is
known is the same in both. An `Unknown` is a pair (v, v'): each lies in an interval, and v' - v in
another. It is *shared* where v' = v, for all that it may be computed from private data: what the
changed records have no part in tells this pair apart no better than a constant does. The claim is
checked for every pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from dpaudit.checker.cost.ends import INF, ONE, ZERO, End, end, least, most, plus, same, size, times
from dpaudit.checker.exact.numbers import Number

_NEGATION = "not"

Kind = Literal["float", "int", "bool"]


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Which records a sample takes.

    Attributes
    ----------
    rate : Number
        The chance of each record.
    alone : bool
        Whether each has a coin of its own; else the sample has a fixed size.
    groups, tokens : dict
        Changes as the sample leaves them, by what they are without it.
    """

    rate: Number
    alone: bool = True
    groups: dict[Group, Group] = field(default_factory=dict)
    tokens: dict[Token, Token] = field(default_factory=dict)

    def marked(self, change: Change) -> Change:
        """Return a change that is 0 where the record that changed is not taken."""
        tokens: dict[Token, Number] = {}
        for token, factor in change.tokens.items():
            if token.group.sample is not self:
                group = self.groups.setdefault(token.group, self._may_be_none(token.group))
                token = self.tokens.setdefault(token, Token(group))
            tokens[token] = factor
        if not (same(change.low, ZERO) and same(change.high, ZERO)):
            group = self._may_be_none(Group("alone", change.low, change.high))
            tokens[Token(group)] = ONE
        return Change(tokens=tokens)

    def _may_be_none(self, group: Group) -> Group:
        ends = least((group.low, ZERO)), most((group.high, ZERO))
        return Group(group.norm, *ends, self, group.by)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Changes that are bounded together.

    Attributes
    ----------
    norm : {"l1", "l2", "linf", "alone"}
        `alone`: one change, between `low` and `high`; else the norm of all is at most `high`.
    sample : Taken or None
        By which alone it is not 0: where the sample does not take the record that changed, it is.
    by : Unknown or None
        A released number that it is a multiple of: at most a factor times its magnitude.
    """

    norm: str
    low: End
    high: End
    sample: Taken | None = None
    by: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """One change of a group."""

    group: Group


@dataclass(frozen=True, slots=True)
class Change:
    """What v' - v may be: in [low, high], plus multiples of changes that others share."""

    low: End = ZERO
    high: End = ZERO
    tokens: Mapping[Token, Number] = field(default_factory=dict)

    @property
    def none(self) -> bool:
        """Whether v' = v."""
        return not self.tokens and same(self.low, ZERO) and same(self.high, ZERO)

    def plus(self, other: Change) -> Change:
        """Return the change of a sum."""
        tokens = dict(self.tokens)
        for token, factor in other.tokens.items():
            tokens[token] = tokens.get(token, ZERO) + factor
        left = {token: factor for token, factor in tokens.items() if factor.sign() != 0}
        return Change(plus(self.low, other.low), plus(self.high, other.high), left)

    def times(self, factor: Number) -> Change:
        """Return the change of a multiple."""
        ends = times(self.low, factor), times(self.high, factor)
        low, high = ends if factor.sign() >= 0 else ends[::-1]
        tokens = {t: f * factor for t, f in self.tokens.items()} if factor.sign() else {}
        return Change(low, high, tokens)

    def ends(self) -> tuple[End, End]:
        """Return the least and the greatest change."""
        low, high = self.low, self.high
        together: dict[Group, list[Number]] = {}
        for token, factor in self.tokens.items():
            if token.group.norm == "alone":
                pair = times(token.group.low, factor), times(token.group.high, factor)
                low, high = plus(low, least(pair)), plus(high, most(pair))
            else:
                together.setdefault(token.group, []).append(abs(factor))
        for group, factors in together.items():
            far = times(group.high, dual(group.norm, factors))
            low, high = plus(low, -far), plus(high, far)
        return low, high

    def far(self) -> End:
        """Return the largest |v' - v|."""
        return size(*self.ends())


def dual(norm: str, factors: list[Number]) -> Number:
    """Return the largest sum of factors times changes whose norm is 1 (Hölder)."""
    if norm == "l1":
        found: Number = most(factors)
        return found
    if norm == "linf":
        return sum(factors, ZERO)
    return factors[0] if len(factors) == 1 else sum((f * f for f in factors), ZERO).sqrt()


NONE = Change()
ENDS = frozenset({"low", "high"})


# What changes the sign of a zero alone: it is shown, and costs no noise anything.
SIGN = Change(tokens={Token(Group("alone", ZERO, ZERO)): ONE})


@dataclass(frozen=True, slots=True, eq=False)
class AtLeast:
    """How many records of a view there are, or a whole number where there are fewer."""

    of: Any
    count: Number


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """A number in each run.

    Attributes
    ----------
    kind : {"float", "int", "bool"}
    low, high : End
        Both lie between.
    change : Change
    nan, infinite : bool
        Whether either may be NaN, or an infinity.
    sum_of : Any
        The rows whose sum it is, or what counts them, and what it was multiplied by, where that is
        known.
    sure : bool
        Whether it was released and is an ordinary number, the same in both runs.
    form : Form or None
        What it is in magnitudes of such numbers, where that is known.
    tested : tuple or None
        Of the outcome of a test: the comparison, such a number, and what it is compared with. Of
        the negation of an outcome: "not", the outcome, and None.
    kept : frozenset of str
        Which ends its float keeps to as well: both of a record as it is stored.
    made : Any
        Of which numbers it is the square, the length or the quotient: see `lengths`.
    whole : bool
        Of a float: whether it was an integer of 64 bits, of which it is the nearest float.
    """

    kind: Kind
    low: End = -INF
    high: End = INF
    change: Change = NONE
    nan: bool = False
    infinite: bool = False
    sum_of: Any = None
    sure: bool = False
    form: Any = None
    tested: Any = None
    made: Any = None
    kept: frozenset[str] = frozenset()
    whole: bool = False

    @property
    def shared(self) -> bool:
        """Whether both runs hold the same."""
        return self.change.none

    @property
    def regular(self) -> bool:
        """Whether it is a number in both runs, neither NaN nor infinite."""
        return not (self.nan or self.infinite)


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Anything that both runs hold alike, of which nothing else is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Chosen(Shared):
    """One of several known texts, the same one in both runs."""

    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A text of some record, which is not known.

    Attributes
    ----------
    words : tuple
        All that it may be, where that is known.
    """

    words: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Vague:
    """A number of one record without bounds: it may be beyond the floats, and perhaps NaN.

    `of` says of which entries of arrays it was computed, and how, where that is a quotient by what
    may be zero, or made of one: where a test tells more of them, so may it be.
    """

    nan: bool = True
    of: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Unset:
    """What stands in memory before something is put there: nothing may look at it."""


@dataclass(frozen=True, slots=True, eq=False)
class Sofar:
    """What earlier records have made of a number, and what this one adds to it."""

    slot: tuple[Any, ...]
    added: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Generator:
    """The source of randomness."""


SHARED = Shared()
LENT = Shared()  # what other names may hold too: it may be read, and not be changed


def is_known(value: Any) -> bool:
    """Whether a scalar is a known number, text, truth value or None."""
    return value is None or isinstance(value, bool | int | str | float | Number)


def is_number(value: Any) -> bool:
    """Whether a scalar is a known number that is finite."""
    return isinstance(value, int | Number) and not isinstance(value, bool)


def kept_ends(value: Any) -> frozenset[str]:
    """Return beyond which ends of a number its float is not: both of one that is exact."""
    if isinstance(value, Number):
        held = value.double is not None and value.double == value.fraction
        return ENDS if held or value.of_parameter else frozenset()
    return value.kept if isinstance(value, Unknown) and value.kind == "float" else ENDS


def kind_of(value: Any) -> Kind | None:
    """Return what kind of number a scalar is, None where it is none."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float | Number):
        return "float"
    return value.kind if isinstance(value, Unknown) else None


def unknown(value: Any) -> Unknown:
    """Return a number, known or not, as an interval."""
    if isinstance(value, Unknown):
        return value
    kind = kind_of(value)
    if kind is None:
        raise TypeError(f"{type(value).__name__} is no number")
    if isinstance(value, float) and math.isnan(value):
        return Unknown(kind, nan=True)
    at = end(value)
    return Unknown(kind, at, at, infinite=isinstance(value, float), kept=kept_ends(value))


RANK = ("bool", "int", "float")  # from the special to the general


def spanning(numbers: Sequence[Unknown]) -> Unknown:
    """Return what stands for any of several numbers, the same one in both runs."""
    return Unknown(
        max((x.kind for x in numbers), key=RANK.index),
        least(x.low for x in numbers),
        most(x.high for x in numbers),
        nan=any(x.nan for x in numbers),
        infinite=any(x.infinite for x in numbers),
    )


def is_common(value: Any) -> bool:
    """Whether both runs hold the same scalar."""
    shared = isinstance(value, Shared) or (isinstance(value, Unknown) and value.shared)
    return shared or is_known(value)


def truth_value(change: Change = NONE) -> Unknown:
    """Return a truth value that is not known."""
    return Unknown("bool", ZERO, ONE, change)


def negation(test: Unknown) -> Unknown:
    """Return the negation of an outcome that both runs share: whoever knows one knows the other."""
    return negated(test) or replace(truth_value(), tested=(_NEGATION, test, None))


def negated(test: Any) -> Unknown | None:
    """Return the outcome of which another one is the negation, None where it is of none."""
    tested = test.tested if isinstance(test, Unknown) else None
    return tested[1] if tested is not None and tested[0] == _NEGATION else None


def parts_of(value: Any) -> list[Any]:
    """Return what a list, a tuple or a dict holds; nothing of any other value."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []
