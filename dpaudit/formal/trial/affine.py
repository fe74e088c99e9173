"""Numbers that hold noise: a constant plus multiples of noise variables."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

from dpaudit.checker.operators import SIGNS, Compared
from dpaudit.formal.clock import charge
from dpaudit.formal.program import Place
from dpaudit.formal.trial.laws import Law, Shifted, Unknown, Whole, scaled


class NotAffine(Exception):  # noqa: N818 - no error of the program that is run
    """The noise went through something that is not linear."""


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """One number that a generator returned, or that was made of such numbers.

    Attributes
    ----------
    law : Law
    place : Place
        The noise call.
    made : tuple of Affine
        What it was made of, where it was not drawn.
    how : callable or None
        The number from those that it was made of.
    """

    law: Law
    place: Place
    made: tuple[Affine, ...] = ()
    how: Callable[..., float] | None = None

    def __deepcopy__(self, memo: Any) -> Variable:
        return self


class Decide(Protocol):
    """Follows one branch of a comparison of noise with 0."""

    def decide(self, gap: Affine, relation: str) -> bool:
        """Return the answer on the branch that is followed."""


_RELATIONS = {meaning: sign for sign, meaning in SIGNS.items()}
deciding: ContextVar[Decide | None] = ContextVar("deciding", default=None)


class Affine(Compared):
    """A constant plus multiples of variables, closed under addition and public multiples."""

    __slots__ = ("constant", "integral", "terms")

    def __init__(
        self, constant: Fraction, terms: dict[Variable, Fraction], *, integral: bool = False
    ) -> None:
        self.constant = constant
        self.terms = terms
        self.integral = integral

    def _plus(self, other: Any, sign: int) -> Any:
        charge(30)
        if isinstance(other, Affine):
            terms = dict(self.terms)
            for variable, factor in other.terms.items():
                added, before = factor if sign > 0 else -factor, terms.get(variable)
                terms[variable] = added if before is None else before + added
            terms = {v: f for v, f in terms.items() if f}
            integral = self.integral and other.integral
            far = other.constant
            constant = self.constant + far if sign > 0 else self.constant - far
            return Affine(constant, terms, integral=integral)
        if isinstance(other, float) and not math.isfinite(other):
            return sign * float(other)  # noise is finite, and is lost
        number = exact_number(other)
        if number is None:
            return NotImplemented
        integral = self.integral and number.denominator == 1
        constant = self.constant + number if sign > 0 else self.constant - number
        return Affine(constant, self.terms, integral=integral)

    def _times(self, other: Any) -> Any:
        if isinstance(other, Affine):
            if not other.terms:
                return self._times(other.constant)
            if not self.terms:
                return other._times(self.constant)
            return made_of(operator.mul, self, other)
        factor = exact_number(other)
        if factor is None:
            return NotImplemented
        terms = {v: f * factor for v, f in self.terms.items()} if factor else {}
        integral = self.integral and factor.denominator == 1
        return Affine(self.constant * factor, terms, integral=integral)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Any:
        return self._times(Fraction(-1))

    def __pos__(self) -> Any:
        return self

    def __mul__(self, other: Any) -> Any:
        charge(60)
        return self._times(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Affine):
            return other.reciprocal()._times(self)
        divisor = exact_number(other)
        if divisor is None or not divisor:
            raise NotAffine("a division by zero")
        return self._times(1 / divisor)

    def __rtruediv__(self, other: Any) -> Any:
        return self.reciprocal()._times(other)

    def reciprocal(self) -> Affine:
        """Return 1 divided by noise that is never 0.

        Raises
        ------
        NotAffine
            Where it may be 0: the code may then raise, or go on.
        """
        if any(v.made for v in self.terms) or all(v.law.atomic for v in self.terms):
            raise NotAffine("a division by noise that may be zero")
        return made_of(_reciprocal, self)

    def __pow__(self, power: Any) -> Any:
        if type(power) is not int or power < 1:
            raise NotAffine("noise to a power that is no positive whole number")
        return made_of(lambda x: float(x**power), self)

    def __float__(self) -> float:
        raise NotAffine("noise read as a number")

    __int__ = __float__  # of what writes it into an array of integers; ``int`` is a rule

    def __bool__(self) -> bool:
        raise NotAffine("noise read as a truth value")

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __round__(self, digits: int | None = None) -> Any:
        return self.whole("round", digits)

    def whole(self, how: str, digits: int | None = None) -> Any:
        """Return what is left after ``int`` or ``round``.

        Rounding commutes with whole multiples of its unit, but for ties: those have probability 0.

        Raises
        ------
        NotAffine
            For discrete noise with ties.
        """
        if self.integral and (digits or 0) >= 0:
            return self
        if len(self.terms) != 1 or any(isinstance(v.law, Unknown) for v in self.terms):
            return made_of(partial(_whole, how, digits or 0), self, integral=not digits)
        ((variable, factor),) = self.terms.items()
        unit = Fraction(10) ** -(digits or 0)
        kept = self.constant // unit * unit if how == "round" else Fraction(0)
        rest = self.constant - kept
        law = scaled(variable.law, factor / unit)
        if how == "round" and law.atomic:
            raise NotAffine("discrete noise that is rounded: two whole numbers may be as near")
        moved = Shifted(law, rest / unit) if rest else law
        part = Affine(rest / unit, {variable: factor / unit})
        made = Variable(Whole(moved, how), variable.place, (part,), _WHOLE[how])
        return Affine(kept, {made: unit}, integral=not digits)

    def at(self, values: Mapping[Variable, float]) -> float:
        """Return the number for given values of the variables that were drawn."""
        return float(self.constant) + sum(
            float(factor) * valued(variable, values) for variable, factor in self.terms.items()
        )

    def _compared(self, compare: Callable[[Any, Any], Any], other: Any) -> bool:
        charge(60)
        gap = self - other
        decide = deciding.get()
        if not isinstance(gap, Affine) or decide is None:
            raise NotAffine("noise compared with something that is no number")
        if compare is operator.ne:
            return not decide.decide(gap, "==")
        return decide.decide(gap, _RELATIONS[compare])

    __hash__ = object.__hash__


def made_of(how: Callable[..., float], *parts: Affine, integral: bool = False) -> Affine:
    """Return what a function makes of noise: a number of which no law is known."""
    place = next(variable.place for part in parts for variable in part.terms)
    variable = Variable(Unknown(), place, parts, how)
    return Affine(Fraction(0), {variable: Fraction(1)}, integral=integral)


def _reciprocal(x: float) -> float:
    return 1 / x if x else math.inf


def _trunc(x: float) -> float:
    return float(int(x))


def _round(x: float, digits: int = 0) -> float:
    return float(round(x, digits))


def _whole(how: str, digits: int, x: float) -> float:
    return _trunc(x) if how == "trunc" else _round(x, digits)


_WHOLE: dict[str, Callable[..., float]] = {"trunc": _trunc, "round": _round}


def valued(variable: Variable, values: Mapping[Variable, float]) -> float:
    """Return the number that a variable stands for, given those that were drawn."""
    if variable.how is None:
        return values[variable]
    return variable.how(*(part.at(values) for part in variable.made))


def exact_number(value: Any) -> Fraction | None:
    """Return a finite number as the rational that it is, None for anything else."""
    if type(value) is Fraction:
        return value
    if type(value) not in (int, float):
        import numpy as np

        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, np.bool_ | np.integer | np.floating):
            value = value.item()
        if not isinstance(value, bool | int | float | Fraction):
            return None
    try:
        return Fraction(value)
    except (OverflowError, ValueError):
        raise NotAffine("noise meets a number that is not finite") from None
