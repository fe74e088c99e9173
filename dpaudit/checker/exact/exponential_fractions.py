"""Exponential fractions: numbers for all positive values of ε, its powers and fractions in e^ε."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import Any

import flint

from dpaudit.checker.exact.numbers import Number, number_or_none, of_number
from dpaudit.checker.exact.varying import Varying
from dpaudit.checker.file import NotCheckedError

UNIT = 24  # x = e^(ε/24): powers of e whose exponents have other denominators are refused
_DEGREES = 4000
_DEEPEST = 24
_LARGEST_POWER = 64
_ONE = flint.fmpq_poly([1])
_DEPENDS = "not checked: what the code does depends on the parameter"


class _Free(Varying):
    """A number that there is one of for each ε."""

    __slots__ = ()
    of_parameter = True
    depends = _DEPENDS
    shown_itself = "not checked: an output that depends on the parameter"
    in_words = "a function of the parameter"

    def _plus(self, other: Any, sign: int) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)


class Multiple(_Free):
    """A rational multiple, other than 0, of a power of ε: ε itself unless a degree is given."""

    __slots__ = ("degree", "factor")

    def __init__(self, factor: Fraction, degree: int = 1) -> None:
        super().__init__(None)
        self.factor = factor
        self.degree = degree

    @staticmethod
    def of(factor: Fraction, degree: int) -> Number:
        """Return a multiple of a power, which may be a number after all."""
        return Multiple(factor, degree) if factor and degree else Number(factor)

    @property
    def in_words(self) -> str:  # type: ignore[override]
        """The number, for people."""
        times = f"{self.factor} times " if self.factor != 1 else ""
        power = f" to the power {self.degree}" if self.degree != 1 else ""
        return f"{times}the parameter{power}"

    def sign(self) -> int:
        """Return the sign, that of the factor."""
        return 1 if self.factor > 0 else -1

    def exp(self) -> Number:
        """Return e to its power."""
        power = self.factor * UNIT
        if self.degree != 1 or power.denominator != 1 or abs(power) > _DEGREES:
            raise NotCheckedError("not checked: a power of e with this exponent")
        x = flint.fmpq_poly([0] * abs(int(power)) + [1])
        return Growing(x, _ONE) if power > 0 else Growing(_ONE, x)

    def _plus(self, other: Any, sign: int) -> Any:
        known = number_or_none(other)
        if known is None:
            return NotImplemented
        if isinstance(known, Multiple) and known.degree == self.degree:
            return Multiple.of(self.factor + sign * known.factor, self.degree)
        if known.fraction == 0:
            return self
        raise NotCheckedError(_DEPENDS)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    @of_number
    def __mul__(self, known: Any) -> Any:
        if isinstance(known, Multiple):
            return Multiple.of(self.factor * known.factor, self.degree + known.degree)
        if known.fraction is None:
            raise NotCheckedError(_DEPENDS)
        return Multiple.of(self.factor * known.fraction, self.degree)

    __rmul__ = __mul__

    def inverse(self) -> Number:
        """Return 1 over the number."""
        return Multiple(1 / self.factor, -self.degree)

    def __pow__(self, exponent: Any) -> Any:
        known = number_or_none(exponent)
        if known is None or known.fraction is None or known.fraction.denominator != 1:
            raise NotCheckedError(_DEPENDS)
        n = int(known.fraction)
        if abs(n) > _LARGEST_POWER:
            raise NotCheckedError("not checked: a very large power")
        return Multiple.of(self.factor**n, self.degree * n)


class Growing(_Free):
    """A fraction of polynomials in x = e^(ε/24), in lowest terms."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Any, bottom: Any) -> None:
        super().__init__(None)
        if max(top.degree(), bottom.degree()) > _DEGREES:
            raise NotCheckedError("not checked: polynomials of a very high degree")
        self.top = top
        self.bottom = bottom

    def sign(self) -> int:
        """Return the sign that it has for every ε > 0."""
        return sign_beyond_one(whole(self.top)) * sign_beyond_one(whole(self.bottom))

    def _plus(self, other: Any, sign: int) -> Any:
        known = _parts(other)
        if known is None:
            return NotImplemented
        top, bottom = known
        return _reduced(self.top * bottom + sign * top * self.bottom, self.bottom * bottom)

    def __mul__(self, other: Any) -> Any:
        known = _parts(other)
        return NotImplemented if known is None else _reduced(self.top * known[0],
                                                             self.bottom * known[1])  # fmt: skip

    __rmul__ = __mul__

    def inverse(self) -> Number:
        """Return 1 over the number."""
        return _reduced(self.bottom, self.top)

    def __pow__(self, exponent: Any) -> Any:
        known = number_or_none(exponent)
        if known is None or known.fraction is None or known.fraction.denominator != 1:
            raise NotCheckedError(_DEPENDS)
        n = int(known.fraction)
        if abs(n) * max(self.top.degree(), self.bottom.degree()) > _DEGREES:
            raise NotCheckedError("not checked: a very large power")
        base = (self.top, self.bottom) if n >= 0 else (self.bottom, self.top)
        return _reduced(base[0] ** abs(n), base[1] ** abs(n))

    @property
    def form(self) -> tuple[str, tuple[int, ...]]:
        """What is left of a positive number's numerator without positive factors.

        Of x = e^(rε) with the largest r, as (r, whole coefficients without a common divisor).
        """
        sign = sign_beyond_one(whole(self.bottom))
        found = [sign * c for c in whole(self.top)]
        while found[0] == 0:
            found.pop(0)
        stride = gcd(*(i for i, c in enumerate(found) if c)) or 1
        kept = found[::stride]
        divisor = gcd(*kept)
        step = Fraction(stride, UNIT) if len(kept) > 1 else Fraction(0)
        return str(step), tuple(c // divisor for c in kept)


def _parts(value: Any) -> tuple[Any, Any] | None:
    known = number_or_none(value)
    if known is None:
        return None
    if isinstance(known, Growing):
        return known.top, known.bottom
    if known.fraction is None:
        raise NotCheckedError("not checked: a power of e beside one of the parameter")
    part = flint.fmpq(known.fraction.numerator, known.fraction.denominator)
    return flint.fmpq_poly([part]), _ONE


def _reduced(top: Any, bottom: Any) -> Number:
    if top == 0:
        return Number(Fraction(0))
    shared = top.gcd(bottom)
    top, bottom = top // shared, bottom // shared
    if top.degree() == 0 and bottom.degree() == 0:
        ratio = top.coeffs()[0] / bottom.coeffs()[0]
        return Number(Fraction(int(ratio.p), int(ratio.q)))
    return Growing(top, bottom)


def whole(polynomial: Any) -> list[int]:
    """Return the coefficients from the lowest, times a positive number that makes them whole."""
    found = [Fraction(int(c.p), int(c.q)) for c in map(flint.fmpq, polynomial.coeffs())]
    below = 1
    for c in found:
        below *= c.denominator // gcd(below, c.denominator)
    return [int(c * below) for c in found]


def sign_beyond_one(coefficients: list[int]) -> int:
    """Return the sign of a polynomial on all of (1, ∞), by Descartes' rule on ever smaller pieces.

    Parameters
    ----------
    coefficients : list of int
        From the lowest; not all 0.

    Raises
    ------
    NotCheckedError
        Where it is not shown to have the same sign everywhere.

    References
    ----------
    G. E. Collins, A. G. Akritas 1976: polynomial real root isolation using Descartes' rule.
    """
    stride = gcd(*(i for i, c in enumerate(coefficients) if c)) or 1
    return _sign_of_positive(_moved(coefficients[::stride] if coefficients[0] else coefficients), 0)


def _sign_of_positive(coefficients: list[int], depth: int) -> int:
    """Return the sign of a polynomial on all of (0, ∞)."""
    some = [c for c in coefficients if c]
    changes = sum((a > 0) != (b > 0) for a, b in pairwise(some))
    if not changes:
        return 1 if some[0] > 0 else -1
    middle = sum(coefficients)  # its value at 1
    if changes % 2 or depth >= _DEEPEST or not middle:
        raise NotCheckedError("not checked: a comparison that depends on the parameter")
    # (0, 1) is 1/(1 + z), and (1, ∞) is 1 + z, for z > 0
    pieces = (_moved(coefficients[::-1]), _moved(coefficients))
    signs = {_sign_of_positive(piece, depth + 1) for piece in pieces}
    if signs != {1 if middle > 0 else -1}:
        raise NotCheckedError("not checked: a comparison that depends on the parameter")
    return signs.pop()


def _moved(coefficients: list[int]) -> list[int]:
    """Return the polynomial of 1 + y."""
    found = list(coefficients)
    for start in range(len(found)):
        for i in range(len(found) - 2, start - 1, -1):
            found[i] += found[i + 1]
    return found
