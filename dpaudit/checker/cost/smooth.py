"""Smooth functions of one number: between what they lie, and by what they move.

Of a function that rises and bends downwards, f(v + d) - f(v) is largest where v is smallest: a
change by at most d >= 0 is one by at most f(low + d) - f(low). Of one that bends upwards it is
largest at the other end. Of the others the slope is largest where a number is nearest to 0 (tanh,
arctan, arcsinh, which are 0 there), or at most 1 (sin, cos): mean value theorem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.ends import (
    INF,
    LEAST,
    ONE,
    ZERO,
    End,
    is_finite,
    least,
    less,
    most,
    sign,
    times,
)
from dpaudit.checker.cost.values import Change, Unknown
from dpaudit.checker.exact.numbers import Number, number

_HELD = number(600)  # of e: floats hold such powers, and their inverses
_APART = number(Fraction(1, 2**20))  # from where a function has no value
_QUARTER = number(Fraction(11, 7))  # of a turn, a little more


@dataclass(frozen=True, slots=True)
class Smooth:
    """A function.

    Attributes
    ----------
    of, slope : callable
        What it and its slope are at a known number; the slope where it is asked for.
    bends : {"down", "up", "bell", "wave"}
    above : Number or None
        Where it begins.
    low, high : End
        Between what it lies.
    """

    of: Callable[[Number], Number] | None
    bends: str
    above: Number | None = None
    slope: Callable[[Number], Number] | None = None
    low: End = -INF
    high: End = INF


def _tanh(x: Number) -> Number:
    found: Number = 1 - 2 / ((x + x).exp() + 1)
    return found


FUNCTIONS = {
    "exp": Smooth(lambda x: x.exp(), "up", low=ZERO),
    "expm1": Smooth(lambda x: x.exp() - 1, "up", low=-ONE),
    "log": Smooth(lambda x: x.log(), "down", ZERO),
    "log1p": Smooth(lambda x: (1 + x).log(), "down", -ONE),
    "sqrt": Smooth(lambda x: x.sqrt(), "down", ZERO),
    "tanh": Smooth(_tanh, "bell", slope=lambda x: 1 - _tanh(x).squared(), low=-ONE, high=ONE),
    "arctan": Smooth(None, "bell", slope=lambda x: 1 / (1 + x * x), low=-_QUARTER, high=_QUARTER),
    "arcsinh": Smooth(
        lambda x: (x + (1 + x * x).sqrt()).log(), "bell", slope=lambda x: 1 / (1 + x * x).sqrt()
    ),
    "sin": Smooth(None, "wave", low=-ONE, high=ONE),
    "cos": Smooth(None, "wave", low=-ONE, high=ONE),
}


def of_interval(name: str, x: Unknown, *, of_record: bool) -> Unknown | None:
    """Return a function of a number, None where it may have no value, or floats none.

    Parameters
    ----------
    name : str
    x : Unknown
    of_record : bool
        Whether it is a record's: then it is one number.
    """
    function = FUNCTIONS[name]
    apart = LEAST if of_record else _APART
    if function.above is not None and not less(function.above + apart, x.low):
        return None
    if function.bends == "up" and not (less(-_HELD, x.low) and less(x.high, _HELD)):
        return None
    low, high = _between(function, x)
    if of_record:
        return Unknown("float", low, high)
    fallen, risen = _moved(function, x)
    if is_finite(low) and is_finite(high):
        fallen, risen = most((fallen, low - high)), least((risen, high - low))
    return Unknown("float", low, high, Change(fallen, risen))


def _between(function: Smooth, x: Unknown) -> tuple[End, End]:
    """Return between what a function lies, which rises where it is no wave."""
    if function.of is not None:
        low, high = (function.of(e) if is_finite(e) else e for e in (x.low, x.high))
        return most((low, function.low)), least((high, function.high))
    if function.bends == "wave":
        return function.low, function.high
    low, high = least((x.low, ZERO)), most((x.high, ZERO))
    return most((low, function.low)), least((high, function.high))


def _moved(function: Smooth, x: Unknown) -> tuple[End, End]:
    downward, upward = x.change.ends()
    fall, rise = most((-downward, ZERO)), most((upward, ZERO))
    if function.bends == "down":
        return -_risen(function, x.low, fall), _risen(function, x.low, rise)
    if function.bends == "up":
        return -_fallen(function, x.high, fall), _fallen(function, x.high, rise)
    nearest = most((x.low, -x.high, ZERO))
    steep = ONE if function.slope is None or sign(nearest) == 0 else function.slope(nearest)
    return -times(fall, steep), times(rise, steep)


def _risen(function: Smooth, at: Any, by: End) -> End:
    return function.of(at + by) - function.of(at) if is_finite(by) else INF  # type: ignore[misc]


def _fallen(function: Smooth, at: Any, by: End) -> End:
    return function.of(at) - function.of(at - by) if is_finite(by) else INF  # type: ignore[misc]
