"""Where floats are too far from the real numbers that are computed with here.

Each operation on floats is off by 2^-53 of its result at most. Where large numbers cancel, where
two nearly equal numbers are told apart, or where one that is nearly whole is cut off, that decides
what the program does; where a coin falls one way with a chance that the steps of
`Generator.random`, of 2^-53, do not tell from 0, it falls otherwise.
"""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.operators import FIELD, MEANING

_COIN = Fraction(1, 2**33)  # of which a step of the generator is a millionth
NEAR = Fraction(1, 2**30)  # relative: more than millions of operations are off by
CLEAR = Fraction(1, 2**40)  # of the largest number that is compared: no rounding crosses that
LEAST = Fraction(1, 2**300)  # what is larger than that is no 0 of floats
_LARGEST = Fraction(2) ** 1023  # what is smaller than that is no infinity of floats
_LOST = 2**20  # of an operand, of which a difference keeps so little that 2^-33 of it is error
_LOST_OF_ROOTS = 2**24  # of a root, logarithm or exponential: 2^-29 of the difference is error
_EXACT = 2**53  # whole numbers up to this are floats


def tosses(chance: Any) -> bool:
    """Whether a uniform float falls into a range about that often.

    Parameters
    ----------
    chance : Number
        That it falls there; also 1 less it is asked for. One that depends on a parameter is the
        real number that it is.
    """
    if isinstance(chance, Number) and chance.of_parameter:
        return True
    if type(chance) is Number:
        known = chance.fraction
        return known >= _COIN if known is not None else bool(chance.ball > Number(_COIN).ball)
    return bool(chance >= _COIN)


def with_double(name: str, a: Any, b: Any, result: Any) -> Any:
    """Return the result of one operation on two known numbers, with the float that it is.

    Parameters
    ----------
    name : str
        A function of `operator`. IEEE 754 fixes what the four operations on doubles are; sums of
        many numbers, whose order nobody fixes, do not come here.
    a, b : int, Number or others
    result : Number or others
    """
    if name not in FIELD or not isinstance(result, Number):
        return result
    one, other = _double(a), _double(b)
    if one is None or other is None:
        return result
    found = copy.copy(result)  # which may be one of the operands
    found.double = MEANING[name](one, other)
    return found


def double_of(value: Any) -> float | None:
    """Return the double that a known number is; None where it is none."""
    exact = value.fraction if isinstance(value, Number) else value
    if exact is None or isinstance(exact, float):
        return exact
    if exact.denominator & (exact.denominator - 1):  # no power of two
        return None
    try:
        found = float(exact)
    except OverflowError:
        return None
    return found if found == exact else None


def _double(value: Any) -> float | None:
    if type(value) is int:
        return float(value) if abs(value) <= _EXACT else None
    return value.double if isinstance(value, Number) else None


def is_torn(a: Any, b: Any) -> bool:
    """Whether two known numbers differ by so little that their floats may be in another order.

    So do two that floats may make 0, and two of one sign that are beyond the largest float.
    """
    one, other = _fraction(a), _fraction(b)
    if one is None or other is None:
        free = any(isinstance(value, Number) and value.of_parameter for value in (a, b))
        return not free and _is_torn(a, b)  # of a parameter: the real number that it is
    held, beside = _double(a), _double(b)
    if held is not None and beside is not None:
        return (held < beside, held > beside) != (one < other, one > other)
    if one == other:
        return any(isinstance(value, Number) and value.rounded for value in (a, b))
    small, large = sorted((abs(one), abs(other)))
    lost = large <= LEAST or (small >= _LARGEST and one * other > 0)
    return lost or abs(one - other) <= NEAR * large


def _is_torn(a: Any, b: Any) -> bool:
    gap, size = abs((a - b).ball), abs(number(a).ball).max(abs(number(b).ball))
    far = gap > size * Number(NEAR).ball
    if not size > Number(LEAST).ball or not size < Number(_LARGEST).ball:
        far = False
    return not far and (a - b).sign() != 0


def is_nearly_whole(x: Number) -> bool:
    """Whether a known number is so near to a whole one that its float may be on the other side."""
    value = x.fraction
    if value is None:
        middle = x.ball.mid().fmpq()
        value = Fraction(int(middle.p), int(middle.q))
    gap = abs(value - round(value))
    if x.rounded and gap == 0:
        return True
    return 0 < gap <= NEAR * max(Fraction(1), abs(value))


def cancels(a: Any, b: Any, result: Any) -> bool:
    """Whether a sum of two known numbers may be mostly rounding error."""
    parts = [_fraction(value) for value in (a, b, result)]
    if None in parts:
        if any(isinstance(value, Number) and value.of_parameter for value in (a, b, result)):
            return False
        size = abs(number(a).ball).max(abs(number(b).ball))
        return not abs(number(result).ball) * _LOST_OF_ROOTS > size
    one, other, total = (abs(part) for part in parts if part is not None)
    most = max(one, other)
    whole = one.denominator == other.denominator == 1
    if not one or not other or (most <= _EXACT and (total == 0 or whole)):
        return False
    return most > _LOST * total


def _fraction(value: Any) -> Fraction | None:
    if isinstance(value, Number):
        return value.fraction
    return Fraction(value)
