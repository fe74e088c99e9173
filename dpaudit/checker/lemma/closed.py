"""Numbers that every dataset shares: exact where they are r + Σ c·log q with rational r, c, q."""

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
    text : str
        How it is computed: equal texts are equal numbers.
    rational : Fraction or None
        r, None where the number is of another form.
    logs : mapping of Fraction to Fraction
        c of every q.
    """

    text: str
    rational: Fraction | None = None
    logs: Mapping[Fraction, Fraction] = field(default_factory=dict)

    @property
    def fraction(self) -> Fraction | None:
        """The number, where it is rational."""
        return self.rational if not self.logs else None

    def __add__(self, other: Any) -> Closed:
        b = closed(other)
        if self.rational is None or b.rational is None:
            return Closed(f"({self.text} + {b.text})")
        logs = dict(self.logs)
        for q, c in b.logs.items():
            logs[q] = logs.get(q, Fraction(0)) + c
        return _linear(self.rational + b.rational, logs)

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
        if factor is None or a.rational is None:
            return Closed(f"({self.text} * {b.text})")
        return _linear(a.rational * factor, {q: c * factor for q, c in a.logs.items()})

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Closed:
        b = closed(other)
        if b.fraction is not None:
            return self * (1 / b.fraction)
        return Closed(f"({self.text} / {b.text})")

    def __rtruediv__(self, other: Any) -> Closed:
        return closed(other) / self

    def exp(self) -> Closed:
        """Return e to the number."""
        whole = all(c.denominator == 1 for c in self.logs.values())
        if self.rational == 0 and whole and (product := _product(self.logs)) is not None:
            return closed(product)
        return Closed(f"exp({self.text})")

    def log(self) -> Closed:
        """Return the natural logarithm of a positive number."""
        q = self.fraction
        return Closed(f"log({self.text})") if q is None else _linear(Fraction(0), {q: Fraction(1)})

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
            below = reduce(lambda a, b: a * b, (c.denominator for c in self.logs.values()))
            product = _product({q: c * below for q, c in self.logs.items()})
            if product is not None:
                return (product > 1) - (product < 1)
        return number_told(self.text).sign()


def closed(value: Any) -> Closed:
    """Return an int or a Fraction as such a number."""
    return value if isinstance(value, Closed) else _linear(Fraction(value), {})


def _linear(rational: Fraction, logs: Mapping[Fraction, Fraction]) -> Closed:
    kept = {q: c for q, c in logs.items() if c != 0 and q != 1}
    parts = [f"({rational})", *(f"({kept[q]})*log({q})" for q in sorted(kept))]
    return Closed(f"({' + '.join(parts)})", rational, kept)


def _product(logs: Mapping[Fraction, Fraction]) -> Fraction | None:
    """Return the product of q^c for whole c, None where it is long."""
    size = sum(abs(c) * max(q.numerator, q.denominator).bit_length() for q, c in logs.items())
    if size > _MOST_BITS:
        return None
    return reduce(lambda a, b: a * b, (q ** int(c) for q, c in logs.items()), Fraction(1))
