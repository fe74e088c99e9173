"""Numbers that every dataset shares: r + Σ c·t with rational r and c, and terms t.

A term is log q with rational q, of which signs are decided exactly, or another formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

from dpaudit.checker.number_text import number_told

_MOST_BITS = 1 << 16  # of a product of powers that is computed exactly


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """A real number.

    Attributes
    ----------
    rational : Fraction
        r.
    terms : mapping of Fraction or str to Fraction
        c of log q, by q, and of other terms, by their formulas.
    """

    rational: Fraction
    terms: Mapping[Fraction | str, Fraction] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The formula: equal texts are equal numbers."""
        parts = [str(self.rational)] if self.rational or not self.terms else []
        for term in sorted(self.terms, key=str):
            c = self.terms[term]
            factor = "" if c == 1 else f"{c}*" if c > 0 else f"({c})*"
            parts.append(factor + (term if isinstance(term, str) else f"log({term})"))
        return " + ".join(parts)

    @property
    def fraction(self) -> Fraction | None:
        """The number, where it is rational."""
        return None if self.terms else self.rational

    def __add__(self, other: Any) -> Closed:
        b = closed(other)
        terms = dict(self.terms)
        for term, c in b.terms.items():
            terms[term] = terms.get(term, Fraction(0)) + c
        return _number(self.rational + b.rational, terms)

    __radd__ = __add__

    def __neg__(self) -> Closed:
        return self * -1

    def __sub__(self, other: Any) -> Closed:
        return self + -closed(other)

    def __rsub__(self, other: Any) -> Closed:
        return closed(other) + -self

    def __mul__(self, other: Any) -> Closed:
        b = closed(other)
        a, factor = (self, b.fraction) if b.fraction is not None else (b, self.fraction)
        if factor is None:
            return _other(f"{_factor(self)}*{_factor(b)}")
        return _number(a.rational * factor, {term: c * factor for term, c in a.terms.items()})

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Closed:
        b = closed(other)
        if b.fraction is not None:
            return self * (1 / b.fraction)
        return _other(f"{_factor(self)}/{_factor(b)}")

    def __rtruediv__(self, other: Any) -> Closed:
        return closed(other) / self

    def exp(self) -> Closed:
        """Return e to the number."""
        whole = all(c.denominator == 1 for c in self.terms.values())
        product = _product(self.terms) if self.rational == 0 and whole else None
        return _other(f"exp({self.text})") if product is None else closed(product)

    def log(self) -> Closed:
        """Return the natural logarithm of a positive number."""
        q = self.fraction
        if q is None:
            return _other(f"log({self.text})")
        return _number(Fraction(0), {q: Fraction(1)})

    def sign(self) -> int:
        """Return -1, 0 or 1.

        Raises
        ------
        NotCheckedError
            Where it is too close to 0.
        """
        q = self.fraction
        if q is not None:
            return (q > 0) - (q < 0)
        if self.rational == 0:
            # r·log a + s·log b has the sign of log(a^(rn) b^(sn)).
            below = reduce(lambda a, b: a * b, (c.denominator for c in self.terms.values()))
            product = _product({term: c * below for term, c in self.terms.items()})
            if product is not None:
                return (product > 1) - (product < 1)
        return number_told(self.text).sign()


def closed(value: Any) -> Closed:
    """Return an int or a Fraction as such a number."""
    return value if isinstance(value, Closed) else Closed(Fraction(value))


def _factor(number: Closed) -> str:
    """Return a number as a factor of a formula."""
    text = number.text
    return text if text.isdigit() else f"({text})"


def _other(formula: str) -> Closed:
    return Closed(Fraction(0), {formula: Fraction(1)})


def _number(rational: Fraction, terms: Mapping[Fraction | str, Fraction]) -> Closed:
    return Closed(rational, {term: c for term, c in terms.items() if c != 0 and term != 1})


def _product(terms: Mapping[Fraction | str, Fraction]) -> Fraction | None:
    """Return the product of q^c for whole c, None where it is long or there are other terms."""
    factors = [(q, int(c)) for q, c in terms.items() if not isinstance(q, str)]
    size = sum(abs(c) * max(q.numerator, q.denominator).bit_length() for q, c in factors)
    if len(factors) < len(terms) or size > _MOST_BITS:
        return None
    return reduce(lambda a, b: a * b, (q**c for q, c in factors), Fraction(1))


ZERO, ONE = closed(0), closed(1)
