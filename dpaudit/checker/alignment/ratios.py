"""Rational functions of the mechanism's parameters: scales, prices, claims; exact."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from dpaudit.checker.file import RejectedError

Monomial = tuple[tuple[str, int], ...]  # sorted by name; powers from 1
Polynomial = dict[Monomial, Fraction]

_LARGEST_POWER = 8
_LARGEST_BITS = 4_000
_LONGEST = 2_000


class Ratio:
    """A quotient of polynomials; equal where cross-multiplied polynomials are."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Polynomial, bottom: Polynomial | None = None) -> None:
        top = {m: c for m, c in top.items() if c}
        one: Polynomial = {(): Fraction(1)}
        below = one if bottom is None else {m: c for m, c in bottom.items() if c}
        if not below:
            raise ZeroDivisionError
        quotient = top if below == one else _divided(top, below)
        self.top: Polynomial = top if quotient is None else quotient
        self.bottom: Polynomial = below if quotient is None else one

    @staticmethod
    def of(value: int | Fraction) -> Ratio:
        """Return a number."""
        return Ratio({(): Fraction(value)})

    @staticmethod
    def name(name: str) -> Ratio:
        """Return a parameter."""
        return Ratio({((name, 1),): Fraction(1)})

    def __add__(self, other: Ratio) -> Ratio:
        top = _plus(_times(self.top, other.bottom), _times(other.top, self.bottom))
        return Ratio(top, _times(self.bottom, other.bottom))

    def __neg__(self) -> Ratio:
        return Ratio({m: -c for m, c in self.top.items()}, self.bottom)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + (-other)

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio(_times(self.top, other.top), _times(self.bottom, other.bottom))

    def __truediv__(self, other: Ratio) -> Ratio:
        return Ratio(_times(self.top, other.bottom), _times(self.bottom, other.top))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ratio):
            return NotImplemented
        return _times(self.top, other.bottom) == _times(other.top, self.bottom)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        top, bottom = _written(self.top), _written(self.bottom)
        return top if bottom == "1" else f"({top})/({bottom})"

    __repr__ = __str__

    @property
    def constant(self) -> Fraction | None:
        """The number that it is, None where a parameter is in it."""
        if not self.top:
            return Fraction(0)
        number = self.polynomial
        return number[()] if number is not None and set(number) == {()} else None

    @property
    def polynomial(self) -> Polynomial | None:
        """The polynomial that it is, None where it is none."""
        if set(self.bottom) != {()}:
            return None
        return {m: c / self.bottom[()] for m, c in self.top.items()}

    def replaced(self, by: Mapping[str, Ratio]) -> Ratio:
        """Return the polynomial that it is with names replaced, all at once."""
        total = Ratio.of(0)
        for monomial, coefficient in (self.polynomial or {}).items():
            term = Ratio.of(coefficient)
            for name, power in monomial:
                for _ in range(power):
                    term = term * by.get(name, Ratio.name(name))
            total = total + term
        return total

    def names(self) -> set[str]:
        """Return the parameters in it."""
        return {name for part in (self.top, self.bottom) for m in part for name, _ in m}

    def positive(self, positive: Collection[str]) -> bool:
        """Whether it is positive wherever these parameters are: all coefficients of one sign."""
        if not self.top or not self.names() <= set(positive):
            return False
        signs = {c > 0 for c in self.top.values()}
        below = {c > 0 for c in self.bottom.values()}
        return len(signs) == 1 and signs == below


def parsed(text: str, names: Collection[str], where: str) -> Ratio:
    """Read an expression in parameters: ``epsilon/(4*N)``.

    Parameters
    ----------
    text : str
    names : collection of str
        The parameters that there are.
    where : str
        What it is, for the message.

    Raises
    ------
    RejectedError
    """
    try:
        if len(text) > _LONGEST:
            raise ValueError
        return _read(ast.parse(text, mode="eval").body, names)
    except (ValueError, SyntaxError, ZeroDivisionError, RecursionError):
        shown = f"{text:.60}"
        raise RejectedError(f"{where} is {shown!r}, no expression in the parameters") from None


def _written(part: Polynomial) -> str:
    """Return a polynomial as `parsed` reads it."""
    text = ""
    for monomial, coefficient in sorted(part.items(), key=lambda t: (-len(t[0]), t[0])):
        factors = [name if power == 1 else f"{name}**{power}" for name, power in monomial]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {'*'.join(factors)}" if text else f"{sign.strip('+')}{'*'.join(factors)}"
    return text or "0"


def _read(node: ast.expr, names: Collection[str]) -> Ratio:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            if value.bit_length() > _LARGEST_BITS:
                raise ValueError
            return Ratio.of(value)
        case ast.Name(id=name) if name in names:
            return Ratio.name(name)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_read(inner, names)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            if not 0 <= power <= _LARGEST_POWER:
                raise ValueError
            result = Ratio.of(1)
            for _ in range(power):
                result = result * _read(left, names)
            return result
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = _read(left, names), _read(right, names)
            match operator:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
    raise ValueError


def _plus(a: Mapping[Monomial, Fraction], b: Mapping[Monomial, Fraction]) -> Polynomial:
    total = dict(a)
    for monomial, coefficient in b.items():
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    return {m: c for m, c in total.items() if c}


def _times(a: Mapping[Monomial, Fraction], b: Mapping[Monomial, Fraction]) -> Polynomial:
    total: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            key = _joined(m, n)
            total[key] = total.get(key, Fraction(0)) + c * d
    return {m: c for m, c in total.items() if c}


def _joined(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m)
    for name, power in n:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _over(m: Monomial, n: Monomial) -> Monomial | None:
    """Return m / n, None where that is no monomial."""
    powers = dict(m)
    for name, power in n:
        powers[name] = powers.get(name, 0) - power
    if any(power < 0 for power in powers.values()):
        return None
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _divided(top: Polynomial, bottom: Polynomial) -> Polynomial | None:
    """Return the quotient where the division leaves no rest, else None."""
    names = sorted({name for part in (top, bottom) for m in part for name, _ in m})

    def rank(monomial: Monomial) -> tuple[int, ...]:  # lexicographic: a monomial order
        powers = dict(monomial)
        return tuple(powers.get(name, 0) for name in names)

    lead = max(bottom, key=rank)
    rest, quotient = dict(top), dict[Monomial, Fraction]()
    for _ in _limited():
        if not rest:
            return quotient
        first = max(rest, key=rank)
        step = _over(first, lead)
        if step is None:
            return None
        factor = rest[first] / bottom[lead]
        quotient[step] = factor
        rest = _plus(rest, {_joined(step, m): -factor * c for m, c in bottom.items()})
    return None


def _limited() -> Iterator[int]:
    return iter(range(200))
