"""Numbers made of a private number, uniform and geometric draws, by sums and public factors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from dpaudit.formal import rounding
from dpaudit.formal.enumeration.numbers import Exact, compare, exp, sign

Public = Any  # a Fraction or an Exact


@dataclass(frozen=True, slots=True)
class Private:
    """A number that is anything between two ends, in either of two runs.

    Attributes
    ----------
    key : tuple
        Which function of the data it is: equal keys are equal numbers.
    low, high : Fraction or float
        Infinite where nothing bounds it.
    nan : bool
    """

    key: tuple[Any, ...]
    low: Fraction | float
    high: Fraction | float
    nan: bool


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """``public + slope·of + Σ noise[i]·(draw i)``.

    Attributes
    ----------
    public : Fraction or Exact
    slope : Fraction or Exact
        Zero where nothing private is in it.
    of : Private or None
    noise : mapping of int to Fraction or Exact
    """

    public: Public
    slope: Public = Fraction(0)
    of: Private | None = None
    noise: Mapping[int, Public] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether it is a public number."""
        return self.of is None and not self.noise

    def ends(self) -> tuple[Public, Public]:
        """Return its values without noise, where the private number is least and greatest."""
        if self.of is None:
            return self.public, self.public
        return tuple(self.public + self.slope * end for end in (self.of.low, self.of.high))


@dataclass(frozen=True, slots=True, eq=False)
class Less:
    """Whether a number with noise in it is below 0."""

    form: Form


def plus(one: Form, other: Form, factor: int = 1) -> Form | None:
    """Return a sum or a difference; None where two private numbers, or floats, are in the way."""
    if one.of is not None and other.of is not None and one.of != other.of:
        return None
    if not (bounded(one) and bounded(other)):
        return None  # NaN less NaN is no 0
    slope = one.slope + factor * other.slope
    noise = dict(one.noise)
    for draw, c in other.noise.items():
        noise[draw] = noise.get(draw, Fraction(0)) + factor * c
    public = one.public + factor * other.public
    if _lost(one.public, factor * other.public, public):
        return None
    return _form(public, slope, one.of or other.of, noise)


def times(form: Form, factor: Public) -> Form | None:
    """Return a multiple."""
    if not bounded(form):
        return None
    noise = {draw: factor * c for draw, c in form.noise.items()}
    return _form(factor * form.public, factor * form.slope, form.of, noise)


def _form(public: Public, slope: Public, of: Private | None, noise: Any) -> Form | None:
    kept = {draw: c for draw, c in noise.items() if sign(c)}
    private = of if of is not None and sign(slope) else None
    found = Form(public, slope if private else Fraction(0), private, MappingProxyType(kept))
    parts = [abs(c) for c in (*kept.values(), *([slope] if private else ()))]
    # Where one part is far larger than another, floats of their sum lose the smaller one.
    swallowed = any(
        compare(abs(large), rounding.LARGEST * part) == 1
        for large in (public, *parts) for part in parts
    )  # fmt: skip
    return None if swallowed else found


def _lost(one: Public, other: Public, result: Public) -> bool:
    """Return whether what is left of two public numbers is mostly the rounding of floats."""
    return rounding.cancels(*(_near(number) for number in (one, other, result)))


def _near(number: Public) -> Fraction:
    return Fraction(float(number)) if isinstance(number, Exact) else Fraction(number)


def power_of_e(form: Form) -> Form | None:
    """Return e to the power of a public number."""
    if not form.known or abs(float(form.public)) > 700:
        return None
    return Form(exp(form.public))


def clipped(name: str, one: Form, other: Form) -> Form | None:
    """Return the larger or the smaller of a private and a public number, as Python or NumPy does.

    Of two numbers one of which is NaN Python's `max` and `min` return the first, NumPy's `fmax`
    and `fmin` the other one, `maximum` and `minimum` NaN.
    """
    larger = "max" in name
    if one.known and other.known:
        least = compare(one.public, other.public) in (-1, 0)
        return other if least is larger else one
    first = one.known
    form, bound = (other, one) if first else (one, other)
    bare = not form.noise and form.of is not None and form.public == 0 and form.slope == 1
    if not bare or not bound.known or not isinstance(bound.public, int | Fraction):
        return None
    assert form.of is not None
    c, of = Fraction(bound.public), form.of
    pick: Callable[..., Any] = max if larger else min
    low, high, nan = pick(of.low, c), pick(of.high, c), of.nan
    if nan and ((name.startswith("builtins") and first) or name.endswith(("fmax", "fmin"))):
        low, high, nan = min(low, c), max(high, c), False
    key = (name, first, of.key, c)
    return Form(Fraction(0), Fraction(1), Private(key, low, high, nan))


def bounded(form: Form) -> bool:
    """Whether what is private in a number is one, between finite ends."""
    of = form.of
    return of is None or not (of.nan or math.isinf(of.low) or math.isinf(of.high))
