"""Numbers that are rational, or a ball together with their value in a finite field.

e^q is transcendental for every rational q ≠ 0 (Lindemann 1882), so that two rational functions of
e^(1/n) are equal exactly where they are equal for every number in place of e^(1/n). The second
value is that function at a random element of a group of prime order: two numbers whose balls of
600 bits meet, and whose values in the field agree, are the same but with a chance below 2^-400.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import flint
import numpy as np

from dpaudit.checker.file import NotCheckedError

PRECISION = 600
SAME_NUMBERS = (  # what is trusted where such numbers are compared
    "the interval arithmetic of flint",
    "that numbers are equal if they agree in 400 bits and at a random point of a finite field "
    "(docs/kernel.md)",
)
FAINT = Fraction(1, 2**24)  # floats of 1 − chance keep a smaller chance to less than 2^-29 of it
_CLOSE = Fraction(1, 2**400)
# The first Oakley group (RFC 2409, 6.1): a prime p of which (p - 1)/2 is prime too.
_PI_PART = int(Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781"
    "6406286208998628034825342117067982148086513282306647093844609550582231725359408128481117450284"
    "10270193852110555964462294895493038196") * 2**638)  # fmt: skip
FIELD = 2**768 - 2**704 - 1 + 2**64 * (_PI_PART + 149686)
ORDER = (FIELD - 1) // 2
_in_field = flint.fmpz_mod_ctx(FIELD)
_BASE = _in_field(secrets.randbelow(FIELD - 3) + 2) ** 2
_SMALL = 256  # integers below it are made once
_WHOLE = (bool, int, np.bool_, np.integer)
_MOST_POWERS = 64  # of a number whose logarithm is followed
_DENOMINATOR = 2**200  # of exponents, and of floats that may have been rounded


def of_number(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a method of a number and another, which it gets as a number; of else it says nothing.

    Parameters
    ----------
    method : callable
    """

    def apply(own: Any, other: Any) -> Any:
        known = number_or_none(other)
        return NotImplemented if known is None else method(own, known)

    return apply


class Number:
    """A real number.

    Parameters
    ----------
    fraction : Fraction or None
        The number, where it is rational.
    ball : arb, optional
        Where it is not.
    residue : fmpz_mod or None
        Its value in the field, None where it has none.

    Attributes
    ----------
    double : float or None
        The very float that the program holds in its place, where that is known.
    near : float or None
        What the same operations make of floats, where that is followed.
    rounded : bool
        Whether logarithms went into it though it is rational, so that its float may be another.
    """

    __slots__ = (
        "_ball", "_logarithm", "_residue", "_square", "double", "fraction", "near", "rounded",
    )  # fmt: skip
    of_parameter = False  # whether there is one for each value of a parameter
    in_words = ""  # where there is

    def __init__(self, fraction: Fraction | None, ball: Any = None, residue: Any = None):
        self.fraction = fraction
        self._ball = ball
        self._residue = residue
        self._square: Number | None = None  # of a root, and of what is a multiple of one
        self._logarithm: tuple[Fraction, int, Number] | None = None  # r·(log u)^s of r, s and u
        self.double: float | None = None
        self.near: float | None = None
        self.rounded = False

    def __deepcopy__(self, memo: Any) -> Number:
        return self  # it never changes

    @property
    def residue(self) -> Any:
        """Its value in the field."""
        if self._residue is None and self.fraction is not None:
            below = _in_field(self.fraction.denominator)
            if below:
                self._residue = _in_field(self.fraction.numerator) / below
        return self._residue

    @property
    def ball(self) -> Any:
        """Where the number lies."""
        if self._ball is None:
            assert self.fraction is not None
            value = flint.fmpq(self.fraction.numerator, self.fraction.denominator)
            self._ball = flint.arb(value)
        return self._ball

    def sign(self) -> int:
        """Return -1, 0 or 1.

        Raises
        ------
        NotCheckedError
            Where the number is too close to 0.
        """
        if self.fraction is not None:
            above = self.fraction.numerator
            return (above > 0) - (above < 0)
        if self.ball > 0 or self.ball < 0:
            return 1 if self.ball > 0 else -1
        if self.ball == 0:  # a ball without a radius
            return 0
        close = flint.arb(flint.fmpq(1, _CLOSE.denominator))
        if self.residue == 0 and self.ball < close and self.ball > -close:
            return 0
        raise NotCheckedError("not checked: whether two numbers are equal; compute both in one way")

    def _with(self, other: Any, fractions: Any, balls: Any, residues: Any) -> Any:
        other = number_or_none(other)
        if other is None:
            return NotImplemented
        if self.fraction is not None and other.fraction is not None:
            found = Number(fractions(self.fraction, other.fraction))
        else:
            one, two = self.residue, other.residue
            residue = None if one is None or two is None else residues(one, two)
            found = Number(None, balls(self.ball, other.ball), residue)
        found.rounded = self.rounded or other.rounded
        if self.near is not None and other.near is not None:
            found.near = fractions(self.near, other.near)
        return found

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Number) and 0 in (self.fraction, other.fraction):
            return other if self.fraction == 0 else self
        add = lambda a, b: a + b  # noqa: E731
        found = self._with(other, add, add, add)
        if self._logarithm is not None and isinstance(other, Number):
            found._logarithm = _sum(self, other)
        return found

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        sub = lambda a, b: a - b  # noqa: E731
        return self._with(other, sub, sub, sub)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        mul = lambda a, b: a * b  # noqa: E731
        found = self._with(other, mul, mul, mul)
        if found is not NotImplemented and found.fraction is None:
            one, two = self.known_square(), number_or_none(other).known_square()  # type: ignore[union-attr]
            found._square = None if one is None or two is None else one * two
            found._logarithm = _multiple(self, number_or_none(other))
        return found

    __rmul__ = __mul__

    @of_number
    def __truediv__(self, known: Any) -> Any:
        return self * known.inverse()

    def __rtruediv__(self, other: Any) -> Any:
        return self.inverse() * other

    def __mod__(self, other: Any) -> Any:
        return self - other * (self // other)

    @of_number
    def __floordiv__(self, known: Any) -> Any:
        if known.sign() == 0:
            raise ZeroDivisionError("division by zero")
        if any(x.fraction is None or x.fraction.denominator != 1 for x in (self, known)):
            raise NotCheckedError("not checked: the remainder of a number that is no integer")
        return Number(Fraction(math.floor(self / known)))

    def inverse(self) -> Number:
        """Return 1 over the number."""
        if self.sign() == 0:
            raise ZeroDivisionError("division by zero")
        if self.fraction is not None:
            return self._followed(Number(1 / self.fraction), lambda x: 1 / x)
        residue = 1 / self.residue if self.residue else None
        found = self._followed(Number(None, 1 / self.ball, residue), lambda x: 1 / x)
        found._square = None if self._square is None else self._square.inverse()
        if self._logarithm is not None:
            times, power, of = self._logarithm
            found._logarithm = 1 / times, -power, of
        return found

    def _followed(self, found: Number, function: Callable[[float], float]) -> Number:
        """Return a function of the number, with what it is of the float."""
        found.rounded = found.rounded or self.rounded
        if self.near is not None:
            try:
                found.near = function(self.near)
            except (ArithmeticError, ValueError):
                found.near = math.nan
        return found

    def known_square(self) -> Number | None:
        """Return the square of a rational number or of a root, None for others."""
        if self.fraction is not None:
            return Number(self.fraction**2)
        return self._square

    def squared(self) -> Number:
        """Return the square, exactly where that is known."""
        known = self.known_square()
        found: Number = self * self if known is None else known
        return found

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Any:
        return -self if self.sign() < 0 else self

    @of_number
    def __pow__(self, power: Any) -> Any:
        if power.fraction is not None and power.fraction.denominator == 1:
            n = int(power.fraction)
            if abs(n) > 10_000:
                raise NotCheckedError("not checked: a very large power")
            base = self if n >= 0 else self.inverse()
            if abs(n) == 1:
                return base
            if base.fraction is not None:
                return base._followed(Number(base.fraction ** abs(n)), lambda x: x ** abs(n))
            residue = None if base.residue is None else base.residue ** abs(n)
            return base._followed(Number(None, base.ball ** abs(n), residue), lambda x: x ** abs(n))
        if power.fraction is not None and power.fraction.denominator == 2:
            return self.sqrt() ** power.fraction.numerator
        return (self.log() * power).exp()

    @of_number
    def __rpow__(self, base: Any) -> Any:
        return base**self

    def exp(self) -> Number:
        """Return e to the number."""
        q = self.fraction
        if q == 0:
            return Number(Fraction(1))
        if self._logarithm is not None:
            times, power, of = self._logarithm
            if power == 1 and times.denominator == 1 and abs(times) <= _MOST_POWERS:
                found = self._followed(_copy(of ** int(times)), math.exp)
                found.rounded = True
                return found
        residue = None if q is None else _power_of_e(q)
        return self._followed(Number(None, self.ball.exp(), residue), math.exp)

    def log(self) -> Number:
        """Return the natural logarithm."""
        if self.sign() <= 0:
            raise ValueError("the logarithm of a number that is not positive")
        if self.fraction == 1:
            return Number(Fraction(0))
        power = _exponent(self)
        found = self._followed(Number(power, None if power else self.ball.log()), math.log)
        found._logarithm = None if power else (Fraction(1), 1, self)
        found.rounded = found.rounded or power is not None
        return found

    def log2(self) -> Number:
        """Return the logarithm to base 2."""
        q = self.fraction
        if q is not None and q > 0:
            for exponent in (q.numerator.bit_length() - 1, 1 - q.denominator.bit_length()):
                if q == Fraction(2) ** exponent:
                    return Number(Fraction(exponent))
        found: Number = self.log() / Number(None, flint.arb(2).log())
        return found

    def log1p(self) -> Number:
        """Return the logarithm of 1 plus the number."""
        found: Number = self + 1
        return found.log()

    def expm1(self) -> Number:
        """Return e to the number, less 1."""
        found: Number = self.exp() - 1
        return found

    def sqrt(self) -> Number:
        """Return the root."""
        if self.sign() < 0:
            raise ValueError("the root of a negative number")
        if self.fraction is not None:
            over, under = map(math.isqrt, (self.fraction.numerator, self.fraction.denominator))
            if Fraction(over * over, under * under) == self.fraction:
                return self._followed(Number(Fraction(over, under)), math.sqrt)
        found = self._followed(Number(None, self.ball.sqrt()), math.sqrt)
        found._square = self
        return found

    def __floor__(self) -> int:
        if self.fraction is not None:
            return math.floor(self.fraction)
        low = int(self.ball.lower().floor().unique_fmpz())
        for candidate in (low, low + 1):
            if (self - candidate).sign() >= 0 > (self - candidate - 1).sign():
                return candidate
        raise NotCheckedError("not checked: the integer below a number")

    def __ceil__(self) -> int:
        below: int = math.floor(-self)
        return -below

    def __trunc__(self) -> int:
        return math.floor(self) if self.sign() >= 0 else math.ceil(self)

    __int__ = __trunc__

    def __index__(self) -> int:
        if self.fraction is None or self.fraction.denominator != 1:
            raise TypeError("a number that is no integer")
        return int(self.fraction)

    def __bool__(self) -> bool:
        return self.sign() != 0

    def _order(self, other: Any) -> int | None:
        if isinstance(other, float | np.floating) and not math.isfinite(other):
            return None if math.isnan(other) else (-1 if other > 0 else 1)
        found: Number = self - other
        return found.sign()

    def __eq__(self, other: object) -> Any:
        if number_or_none(other, strict=False) is None and not isinstance(other, float):
            return NotImplemented
        return self._order(other) == 0

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, (-1,))

    def __le__(self, other: Any) -> Any:
        return self._compared(other, (-1, 0))

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, (1,))

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, (1, 0))

    def _compared(self, other: Any, wanted: tuple[int, ...]) -> Any:
        if number_or_none(other, strict=False) is None and not isinstance(other, float):
            return NotImplemented
        return self._order(other) in wanted

    def __hash__(self) -> int:
        if self.residue is None:
            raise NotCheckedError("not checked: an output that is no number of the field")
        return hash(int(self.residue))

    def __repr__(self) -> str:
        """Write the float that it is, which code may look at; refuse others, and signed zeros."""
        if self.fraction:
            plain = float(self.fraction)
            if plain == self.fraction:
                return repr(plain)
        raise NotCheckedError("not checked: the digits of a number")

    @property
    def shown(self) -> str:
        """The number, for people."""
        if self.fraction is not None and self.fraction.denominator < 10**12:
            return str(self.fraction)
        return str(self.ball.str(12, radius=False))


def precisely() -> Any:
    """Return a context in which balls have `PRECISION` bits."""
    return flint.ctx.workprec(PRECISION)


@cache
def _whole(value: int) -> Number:
    return _as_float(Number(Fraction(value)), value)


def _as_float(found: Number, value: Any) -> Number:
    """Return a number that a program holds as it is, with its float."""
    try:
        found.near = float(value)
    except OverflowError:
        found.near = math.inf
    return found


@lru_cache(maxsize=4096)
def _power_of_e(q: Fraction) -> Any:
    """Return the value of e^q in the field."""
    if q.denominator > _DENOMINATOR:
        return None
    return _BASE ** (q.numerator * pow(q.denominator, -1, ORDER) % ORDER)


def _copy(value: Number) -> Number:
    """Return a number that is followed anew."""
    found = Number(value.fraction, value._ball, value._residue)
    found._square = value._square
    return found


def _multiple(one: Number, other: Number | None) -> tuple[Fraction, int, Number] | None:
    """Return of which logarithm a product is a rational multiple."""
    for of, times in ((one, other), (other, one)):
        if of is not None and times is not None and of._logarithm and times.fraction:
            factor, power, inside = of._logarithm
            return factor * times.fraction, power, inside
    return None


def _sum(one: Number, other: Number) -> tuple[Fraction, int, Number] | None:
    """Return of which logarithm a sum of multiples of it is one."""
    if one._logarithm is None or other._logarithm is None:
        return None
    (first, *of), (second, *same) = one._logarithm, other._logarithm
    if of[0] != 1 or same[0] != 1 or of[1] is not same[1] or first + second == 0:
        return None
    return first + second, 1, one._logarithm[2]


def _exponent(value: Number) -> Fraction | None:
    """Return the rational q where a number is e^q, None where it is none that is found.

    Only one q of few digits is as close as that, and only e^q has its value in the field.
    """
    if value.fraction is not None or value.residue is None:
        return None
    ball = value.ball.log()
    middle, exponent = (int(part) for part in ball.mid().man_exp())
    near = (Fraction(middle) * Fraction(2) ** exponent).limit_denominator(_DENOMINATOR)
    close = flint.arb(flint.fmpq(1, _CLOSE.denominator))
    apart = ball - Number(near).ball
    found = near and -close < apart < close and _power_of_e(near) == value.residue
    return near if found else None


def number_or_none(value: Any, *, strict: bool = True) -> Number | None:
    """Return a number of the program as one of these, None for what is none.

    Raises
    ------
    NotCheckedError
        For a float with so many digits that it may have been rounded, where `strict`.
    """
    if isinstance(value, Number):
        return value
    if type(value) is int and -_SMALL < value < _SMALL:
        return _whole(value)
    if isinstance(value, _WHOLE):
        return _as_float(Number(Fraction(int(value))), int(value))
    if isinstance(value, Fraction):
        return Number(value)
    if isinstance(value, float | np.floating) and math.isfinite(value):
        exact = Fraction(float(value))
        if strict and exact.denominator > 2**32:
            raise NotCheckedError("not checked: a float that may have been rounded")
        return _as_float(Number(exact), value)
    return None


def keeps_chance(chance: Number) -> bool:
    """Return whether floats still tell a chance from 0 and from 1, and so its tail 1 − chance."""
    return bool(chance >= FAINT) and bool(chance <= 1 - FAINT)


def number(value: Any) -> Number:
    """Return a number, a float as the rational that it is."""
    found = number_or_none(value, strict=False)
    if found is None:
        raise NotCheckedError(f"not checked: {value!r:.40} is no number")
    return found
