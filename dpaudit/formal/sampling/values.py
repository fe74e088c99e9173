"""What variables of a sampling loop hold: polynomials in whole numbers that were drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpaudit.formal.sampling.laws import Polynomial


@dataclass(frozen=True, slots=True)
class Whole:
    """A polynomial in the sizes of drawn numbers: coefficients by the numbers multiplied.

    All of it are Python's own integers, which do not overflow.
    """

    terms: Mapping[tuple[int, ...], int]

    @property
    def constant(self) -> int | None:
        """The number that it is, where nothing drawn is in it."""
        return self.terms.get((), 0) if set(self.terms) <= {()} else None

    @property
    def alone(self) -> int | None:
        """The drawn number that it is, None where it is none."""
        ((key, factor),) = self.terms.items() if len(self.terms) == 1 else (((), 0),)
        return key[0] if len(key) == 1 and factor == 1 else None

    def of_one(self) -> tuple[int, Polynomial] | None:
        """Return the only number that is in it, and the polynomial, of degree two at most."""
        drawn = {variable for key in self.terms for variable in key}
        if len(drawn) != 1 or any(len(key) > 2 for key in self.terms):
            return None
        (one,) = drawn
        return one, (
            self.terms.get((), 0),
            self.terms.get((one,), 0),
            self.terms.get((one, one), 0),
        )


def known(value: int) -> Whole:
    """Return a number that is known."""
    return Whole({(): value} if value else {})


def variable(number: int) -> Whole:
    """Return a drawn number, or the size of one that has a sign."""
    return Whole({(number,): 1})


def plus(a: Whole, b: Whole, factor: int = 1) -> Whole:
    """Return a + factor b."""
    terms = dict(a.terms)
    for key, value in b.terms.items():
        terms[key] = terms.get(key, 0) + factor * value
    return Whole({key: value for key, value in terms.items() if value})


def times(a: Whole, b: Whole) -> Whole:
    """Return a b."""
    terms: dict[tuple[int, ...], int] = {}
    for one, x in a.terms.items():
        for other, y in b.terms.items():
            key = tuple(sorted((*one, *other)))
            terms[key] = terms.get(key, 0) + x * y
    return Whole({key: value for key, value in terms.items() if value})


@dataclass(frozen=True, slots=True)
class Drawn:
    """A number from a generator, as NumPy returns it."""

    number: int


@dataclass(frozen=True, slots=True)
class Fair:
    """A truth value of chance 1/2, or its negation."""

    number: int


@dataclass(frozen=True, slots=True)
class Signed:
    """A drawn number that may be negative; its size is what polynomials speak of."""

    number: int


@dataclass(frozen=True, slots=True)
class Swung:
    """A drawn number from 0 on with the sign that a fair truth value gives it."""

    number: int
    fair: int


@dataclass(frozen=True, slots=True)
class Chance:
    """A coin of chance e^(-above/below)."""

    above: Whole
    below: int


Held = Whole | Drawn | Fair | Signed | Swung | Chance
