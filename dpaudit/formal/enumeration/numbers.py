"""Exact real numbers: fractions of polynomials, with rational coefficients, in t = e^q.

Rationals are `fractions.Fraction`. By the theorem of Lindemann and Weierstrass (Baker 1975,
Theorem 1.4) e^q is transcendental for every rational q other than 0, so that a polynomial in it
is zero exactly where all coefficients are; the sign of one that is not zero is found by balls
that are narrow enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import flint

from dpaudit.formal.clock import charge

_LONG = 4096  # bits of a denominator that is written out
_ONE = flint.fmpq_poly([1])
_DEGREES = 2000
_PRECISIONS = (64, 128, 256, 512, 1024, 2048, 4096)


class UndecidedError(ArithmeticError):
    """Two numbers are too close to be told apart."""


class Exact:
    """An exact real number that is not known to be rational."""

    __slots__ = ("den", "num", "step")

    def __init__(self, step: Fraction, num: Any, den: Any = _ONE) -> None:
        self.step = step  # t = e^step
        self.num = num
        self.den = den

    def ball(self, precision: int) -> Any:
        """Return a ball that holds the number."""
        with flint.ctx.workprec(precision + 40):
            t = _rational_ball(self.step).exp()
            return flint.arb_poly(self.num)(t) / flint.arb_poly(self.den)(t)

    def sign(self) -> int:
        """Return -1, 0 or 1; see `sign`."""
        if not isinstance(self, Opaque) and self.num == 0:
            return 0
        for precision in _PRECISIONS:
            found = self.ball(precision)
            if found > 0:
                return 1
            if found < 0:
                return -1
        raise UndecidedError("a number that may be zero")

    def __add__(self, other: Any) -> Any:
        return _arithmetic(self, other, _add)

    def __radd__(self, other: Any) -> Any:
        return _arithmetic(other, self, _add)

    def __sub__(self, other: Any) -> Any:
        return _arithmetic(self, other, _sub)

    def __rsub__(self, other: Any) -> Any:
        return _arithmetic(other, self, _sub)

    def __mul__(self, other: Any) -> Any:
        return _arithmetic(self, other, _mul)

    def __rmul__(self, other: Any) -> Any:
        charge(200)
        return _arithmetic(other, self, _mul)

    def __truediv__(self, other: Any) -> Any:
        return _arithmetic(self, other, _div)

    def __rtruediv__(self, other: Any) -> Any:
        return _arithmetic(other, self, _div)

    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, int):
            if isinstance(other, Fraction) and other.denominator == 1:
                return self ** int(other)
            return NotImplemented
        base = self if other >= 0 else 1 / self
        result: Any = Fraction(1)
        for _ in range(abs(other)):
            result = result * base
        return result

    def __neg__(self) -> Any:
        return Fraction(-1) * self

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if sign(self) >= 0 else -self

    def __eq__(self, other: object) -> bool:
        if not is_number(other):
            return NotImplemented
        return compare(self, other) == 0

    def __lt__(self, other: Any) -> bool:
        return compare(self, other) == -1

    def __le__(self, other: Any) -> bool:
        return compare(self, other) in (-1, 0)

    def __gt__(self, other: Any) -> bool:
        return compare(self, other) == 1

    def __ge__(self, other: Any) -> bool:
        charge(250)
        return compare(self, other) in (1, 0)

    def __hash__(self) -> int:
        if isinstance(self, Opaque):
            raise UndecidedError("a number that is known by balls alone, as an output")
        return hash((self.step, str(self.num), str(self.den)))

    def __float__(self) -> float:
        return float(self.ball(80).mid())

    def __floor__(self) -> int:
        return floor(self)

    def __bool__(self) -> bool:
        return sign(self) != 0

    def __repr__(self) -> str:
        return number_text(self)


class Opaque(Exact):
    """A real number that is known by balls alone; it is never shown to equal another."""

    __slots__ = ("_ball",)

    def __init__(self, ball: Callable[[int], Any]) -> None:
        self._ball = ball

    def ball(self, precision: int) -> Any:
        """Return a ball that holds the number."""
        with flint.ctx.workprec(precision + 20):
            return self._ball(precision)


def is_number(value: object) -> bool:
    """Return whether a value is a real number here; NaN and infinities are floats."""
    return isinstance(value, int | Fraction | Exact | float)


def exact(value: Any) -> Any:
    """Return a finite float as the rational that it is; other numbers as they are."""
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(value)
    return value


def exp(value: Any) -> Any:
    """Return e to the power of a number."""
    value = exact(value)
    if isinstance(value, float):
        return Fraction(0) if value == -math.inf else value
    if isinstance(value, int | Fraction):
        return _power_of_e(Fraction(value)) if value else Fraction(1)
    if isinstance(value, growing().Multiple):
        return value.exp() if value.factor else Fraction(1)
    return Opaque(lambda precision: ball(value, precision).exp())


def log(value: Any) -> Any:
    """Return the natural logarithm of a number."""
    value = exact(value)
    if isinstance(value, float) or sign(value) < 0:
        raise ValueError("the logarithm of no positive number")
    if value == 0:
        return -math.inf
    if isinstance(value, int | Fraction):
        return Fraction(0) if value == 1 else Opaque(lambda p: ball(value, p).log())
    single = _single(value)
    if single is not None:
        return single[1] + log(single[0])
    return Opaque(lambda precision: ball(value, precision).log())


def root(value: Any) -> Any:
    """Return the square root of a number."""
    value = exact(value)
    if isinstance(value, int | Fraction) and value >= 0:
        top, bottom = Fraction(value).as_integer_ratio()
        if math.isqrt(top) ** 2 == top and math.isqrt(bottom) ** 2 == bottom:
            return Fraction(math.isqrt(top), math.isqrt(bottom))
    if isinstance(value, float) or sign(value) < 0:
        raise ValueError("the root of a negative number")
    return Opaque(lambda precision: ball(value, precision).sqrt())


def ball(value: Any, precision: int) -> Any:
    """Return a ball that holds a number."""
    if isinstance(value, Exact):
        return value.ball(precision)
    with flint.ctx.workprec(precision + 20):
        return _rational_ball(Fraction(value))


def sign(value: Any) -> int:
    """Return the sign of a number.

    Raises
    ------
    UndecidedError
        Where no ball is narrow enough to tell.
    """
    if not isinstance(value, Exact):
        return int(value > 0) - int(value < 0)
    return value.sign()


def compare(one: Any, other: Any) -> int | None:
    """Return -1, 0 or 1 as the one is less, equal or greater; None where one is NaN."""
    one, other = exact(one), exact(other)
    if isinstance(one, float) or isinstance(other, float):
        one = one if isinstance(one, float) else 0.0
        other = other if isinstance(other, float) else 0.0
        return None if one != one or other != other else (one > other) - (one < other)
    if one is other:
        return 0
    return sign(one - other)


def floor(value: Any) -> int:
    """Return the largest integer that is not above a number."""
    if not isinstance(value, Exact):
        whole: int = math.floor(value)
        return whole
    for precision in _PRECISIONS:
        found = value.ball(precision)
        low, high = _floor(found.lower()), _floor(found.upper())
        if low == high:
            return low
    raise UndecidedError("a number that may be an integer")


def identity(value: Any) -> str:
    """Return a text that two numbers share only if they are equal."""
    if isinstance(value, Fraction):
        return f"{value.numerator:x}/{value.denominator:x}"
    return f"{id(value)}" if isinstance(value, Opaque) else number_text(value)


@cache
def growing() -> Any:
    """Return the module of numbers for all values of a parameter, which builds on this one."""
    from dpaudit.formal.enumeration import growing as module

    return module


def number_text(value: Any) -> str:
    """Return a number in full, a very long one as a ball: ``p/q``, or of sums of powers of e."""
    if isinstance(value, Opaque):
        return str(value.ball(100))
    if isinstance(value, Fraction) and value.denominator.bit_length() > _LONG:
        return str(ball(value, 100))
    if not isinstance(value, Exact) or isinstance(value, growing().Multiple):
        return str(value)
    unit = "*epsilon" if isinstance(value, growing().Growing) else ""
    top = _polynomial_text(value.num, value.step, unit)
    if value.den == _ONE:
        return top
    return f"({top})/({_polynomial_text(value.den, value.step, unit)})"


def _floor(end: Any) -> int:
    mantissa, exponent = end.mid().man_exp()
    shift = int(exponent)
    whole = int(mantissa)
    return whole << shift if shift >= 0 else whole >> -shift


def _polynomial_text(polynomial: Any, step: Fraction, unit: str) -> str:
    parts = []
    for degree, factor in enumerate(polynomial.coeffs()):
        if factor != 0:
            parts.append(f"{factor}*exp({degree * step}{unit})" if degree else str(factor))
    return " + ".join(parts) or "0"


def _rational_ball(value: Fraction) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _arithmetic(one: Any, other: Any, operation: Callable[[Exact, Exact], Any]) -> Any:
    if not (is_number(one) and is_number(other)):
        return NotImplemented
    one, other = exact(one), exact(other)
    if isinstance(one, float) or isinstance(other, float):  # infinite or NaN
        sides = [v if isinstance(v, float) else float(sign(v)) for v in (one, other)]
        return _FLOATS[operation](*sides)
    if isinstance(one, growing().Multiple) or isinstance(other, growing().Multiple):
        return _of_multiples(one, other, operation)
    return operation(_lift(one), _lift(other))


def _of_multiples(one: Any, other: Any, operation: Callable[[Exact, Exact], Any]) -> Any:
    """Return a sum, a quotient or a product with a rational of multiples of a parameter."""
    kind = growing().Multiple
    factors = [Fraction(getattr(v, "factor", v)) for v in (one, other)
               if isinstance(v, kind | int | Fraction)]  # fmt: skip
    kinds = [isinstance(v, kind) for v in (one, other)]
    if len(factors) < 2:
        raise UndecidedError("a parameter beside a power of it")
    a, b = factors
    if operation in (_add, _sub) and not all(kinds):
        if 0 not in factors:
            raise UndecidedError("a parameter plus a number")
        kinds = [True, True]
    if operation in (_add, _sub):
        total = a + b if operation is _add else a - b
        return kind(total) if total else Fraction(0)
    if operation is _mul and not all(kinds):
        return kind(a * b) if a * b else Fraction(0)
    if operation is _div and kinds[0]:
        if not b:
            raise ZeroDivisionError("division by zero")
        return a / b if kinds[1] else kind(a / b)
    raise UndecidedError("a parameter squared, or below a line")


def _power_of_e(power: Fraction) -> Exact:
    t = flint.fmpq_poly([0, 1])
    return Exact(abs(power), t) if power > 0 else Exact(abs(power), _ONE, t)


def _single(value: Exact) -> tuple[Fraction, Fraction] | None:
    """Return c and q where a number is c·e^q with q other than 0."""
    if isinstance(value, Opaque | growing().Growing | growing().Multiple):
        return None
    top, bottom = value.num.coeffs(), value.den.coeffs()
    if sum(c != 0 for c in top) != 1 or sum(c != 0 for c in bottom) != 1:
        return None
    factor = top[-1] / bottom[-1]
    return Fraction(int(factor.p), int(factor.q)), (len(top) - len(bottom)) * value.step


def logarithm(value: Any) -> Fraction | None:
    """Return q where a number is e^q for a rational q, else None."""
    if not isinstance(value, Exact):
        return Fraction(0) if value == 1 else None
    single = _single(value)
    return single[1] if single is not None and single[0] == 1 else None


def _lift(value: Any) -> Exact:
    if isinstance(value, Exact):
        return value
    fraction = Fraction(value)
    return Exact(
        Fraction(0), flint.fmpq_poly([flint.fmpq(fraction.numerator, fraction.denominator)])
    )


def _together(one: Exact, other: Exact) -> tuple[Fraction, Any, Any, Any, Any] | None:
    """Return two numbers over one t, None where its powers would be too many."""
    if not one.step or not other.step or one.step == other.step:
        return one.step or other.step, one.num, one.den, other.num, other.den
    common = math.lcm(one.step.denominator, other.step.denominator)
    step = Fraction(math.gcd(int(one.step * common), int(other.step * common)), common)
    found = []
    for value in (one, other):
        factor = int(value.step / step)
        for polynomial in (value.num, value.den):
            if polynomial.degree() * factor > _DEGREES:
                return None
            found.append(_inflated(polynomial, factor))
    return step, found[0], found[1], found[2], found[3]


def _inflated(polynomial: Any, factor: int) -> Any:
    """Return the polynomial of t^factor."""
    charge(40)
    if factor == 1 or polynomial.degree() < 1:
        return polynomial
    coefficients = [flint.fmpq(0)] * (polynomial.degree() * factor + 1)
    for degree, c in enumerate(polynomial.coeffs()):
        coefficients[degree * factor] = c
    return flint.fmpq_poly(coefficients)


def _kind(one: Exact, other: Exact) -> type[Exact]:
    """Return what kind of number two make together."""
    kind: type[Exact] = growing().Growing
    grows = isinstance(one, kind), isinstance(other, kind)
    if not any(grows):
        return Exact
    if not all(g or not v.step for g, v in zip(grows, (one, other), strict=True)):
        raise UndecidedError("a power of e beside one of a parameter")
    return kind


def _simplest(kind: type[Exact], step: Fraction, num: Any, den: Any) -> Any:
    """Return a fraction in lowest terms, as a rational where it is one."""
    if num == 0:
        return Fraction(0)
    if den.degree() > 0:
        shared = num.gcd(den)
        if shared.degree() > 0:
            num, den = num // shared, den // shared
    highest = den.coeffs()[-1]
    if highest != 1:
        num, den = num / highest, den / highest
    if num.degree() == 0 and den.degree() == 0:
        c = num.coeffs()[0]
        return Fraction(int(c.p), int(c.q))
    # Lowest terms, a monic divisor and the largest step make the form of a number unique.
    shared = 0
    for part in (num, den):
        for degree, c in enumerate(part.coeffs()):
            if shared == 1:
                return kind(step, num, den)
            if c != 0:
                shared = math.gcd(shared, degree)
    return kind(step * shared, _deflated(num, shared), _deflated(den, shared))


def _deflated(polynomial: Any, factor: int) -> Any:
    """Return the polynomial of t^(1/factor)."""
    return polynomial if factor == 1 else flint.fmpq_poly(polynomial.coeffs()[::factor])


def _add(one: Exact, other: Exact, factor: int = 1) -> Any:
    both = None if _is_opaque(one, other) else _together(one, other)
    if both is None:
        return Opaque(lambda p: ball(one, p) + factor * ball(other, p))
    step, a, b, c, d = both
    if b == d:
        return _simplest(_kind(one, other), step, a + factor * c, b)
    return _simplest(_kind(one, other), step, a * d + factor * c * b, b * d)


def _sub(one: Exact, other: Exact) -> Any:
    return _add(one, other, -1)


def _mul(one: Exact, other: Exact) -> Any:
    both = None if _is_opaque(one, other) else _together(one, other)
    if both is None:
        return Opaque(lambda p: ball(one, p) * ball(other, p))
    step, a, b, c, d = both
    return _simplest(_kind(one, other), step, a * c, b * d)


def _div(one: Exact, other: Exact) -> Any:
    if sign(other) == 0:
        raise ZeroDivisionError("division by zero")
    both = None if _is_opaque(one, other) else _together(one, other)
    if both is None:
        return Opaque(lambda p: ball(one, p) / ball(other, p))
    step, a, b, c, d = both
    return _simplest(_kind(one, other), step, a * d, b * c)


def _is_opaque(one: Exact, other: Exact) -> bool:
    return isinstance(one, Opaque) or isinstance(other, Opaque)


_FLOATS: dict[Any, Callable[[float, float], float]] = {
    _add: lambda a, b: a + b,
    _sub: lambda a, b: a - b,
    _mul: lambda a, b: a * b,
    _div: lambda a, b: a / b if b else math.nan,
}
