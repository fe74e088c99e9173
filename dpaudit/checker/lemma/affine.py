"""Numbers that are affine in one private number and in draws, by their values at its two ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.lemma.values import End, Num

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class Raw:
    """The private number itself, or cut off at public ends; `key` says how."""

    key: tuple[Any, ...]
    low: End
    high: End
    nan: bool


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """What is affine in a private number and in draws.

    Attributes
    ----------
    least, greatest : Number
        Without the draws, where the private number is at its ends.
    key : tuple or None
        Which private number; None where there is none.
    draws : mapping of int to Number
    """

    least: Number
    greatest: Number
    key: tuple[Any, ...] | None = None
    draws: Mapping[int, Number] = field(default_factory=dict)

    @property
    def public(self) -> Number | None:
        """The number, where it is public."""
        return None if self.draws or (self.greatest - self.least).sign() else self.least

    def without_draws(self) -> Affine:
        """Return what is left where all draws are 0."""
        return Affine(self.least, self.greatest, self.key)


def shared(value: Number) -> Affine:
    """Return a public number."""
    return Affine(value, value)


def affine(value: Any) -> Affine | None:
    """Return a value as such a number; None for what is none, or may be NaN or infinite."""
    match value:
        case Affine():
            return value
        case Raw(nan=False, low=low, high=high) if math.isfinite(low) and math.isfinite(high):
            return Affine(Number(Fraction(low)), Number(Fraction(high)), value.key)
        case Num(closed=closed) if closed is not None and closed.fraction is not None:
            return shared(Number(closed.fraction))
    return None


def added(one: Affine, other: Affine, factor: int = 1) -> Affine | None:
    """Return a sum, or a difference where the factor is -1; None for two private numbers."""
    keys = {each.key for each in (one, other) if each.key is not None}
    if len(keys) > 1:
        return None
    draws = dict(one.draws)
    for draw, c in other.draws.items():
        draws[draw] = draws.get(draw, ZERO) + c * factor
    kept = {draw: c for draw, c in draws.items() if c.sign()}
    least, greatest = one.least + other.least * factor, one.greatest + other.greatest * factor
    return Affine(least, greatest, next(iter(keys), None), kept)


def scaled(one: Affine, factor: Number) -> Affine:
    """Return a multiple."""
    if not factor.sign():
        return shared(ZERO)
    draws = {draw: c * factor for draw, c in one.draws.items()}
    return Affine(one.least * factor, one.greatest * factor, one.key, draws)


def cut_off(name: str, one: Any, other: Any) -> Any:
    """Return the larger or the smaller of two numbers; None where that is not known here."""
    greater = name.endswith(("max", "maximum"))
    known = [each for each in map(affine, (one, other)) if each is not None]
    if len(known) == 2 and not any(isinstance(each, Raw) for each in (one, other)):
        numbers = [each.public for each in known]
        if numbers[0] is None or numbers[1] is None:
            return None
        first = (numbers[0] - numbers[1]).sign() >= 0
        return known[0] if first is greater else known[1]
    raw, bound = (one, other) if isinstance(one, Raw) else (other, one)
    limit = affine(bound)
    if not isinstance(raw, Raw) or limit is None or limit.public is None:
        return None
    c = limit.public.fraction
    if c is None:
        return None
    pick = max if greater else min
    low, high, nan = pick(raw.low, c), pick(raw.high, c), raw.nan
    # Python compares the second with the first, and keeps the first where that says nothing.
    if nan and (name.endswith(("fmax", "fmin")) or (name.startswith("builtins") and raw is other)):
        low, high, nan = min(low, c), max(high, c), False
    return Raw((name, raw is other, raw.key, str(c)), low, high, nan)
