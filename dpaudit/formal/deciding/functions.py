"""Functions of certain numbers: exact where they can be, else a ball."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from flint import fmpq

from dpaudit.formal.deciding.numbers import Number, UndefinedError, ball


def _absolute(a: Number) -> Number:
    return abs(a)


def _extreme(smallest: bool) -> Callable[..., Number]:
    def among(*numbers: Number) -> Number:
        if all(isinstance(a, fmpq) for a in numbers):
            return min(numbers) if smallest else max(numbers)
        best = ball(numbers[0])
        for a in numbers[1:]:
            best = best.min(ball(a)) if smallest else best.max(ball(a))
        return best

    return among


def _floor(a: Number) -> Number:
    return fmpq(a.floor()) if isinstance(a, fmpq) else a.floor()


def _ceiling(a: Number) -> Number:
    return fmpq(a.ceil()) if isinstance(a, fmpq) else a.ceil()


def _mod(a: Number, b: Number) -> Number:
    if isinstance(b, fmpq) and b == 0:
        raise UndefinedError("remainder by zero")
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return a - b * fmpq((a / b).floor())
    return ball(a) - ball(b) * (ball(a) / ball(b)).floor()


def _sign(a: Number) -> Number:
    return fmpq((a > 0) - (a < 0)) if isinstance(a, fmpq) else a.sgn()


def _log(a: Number) -> Number:
    if isinstance(a, fmpq):
        if a <= 0:
            raise UndefinedError(f"log({a}) is no real number")
        if a == 1:
            return fmpq(0)
    return ball(a).log()


def _exp(a: Number) -> Number:
    return fmpq(1) if isinstance(a, fmpq) and a == 0 else ball(a).exp()


def _odd(name: str) -> Callable[[Number], Number]:
    """Return a function that is 0 at 0."""

    def function(a: Number) -> Number:
        return a if isinstance(a, fmpq) and a == 0 else getattr(ball(a), name)()

    return function


FUNCTIONS: tuple[tuple[Any, Callable[..., Number]], ...] = (
    (sympy.exp, _exp),
    (sympy.log, _log),
    (sympy.Abs, _absolute),
    (sympy.Min, _extreme(smallest=True)),
    (sympy.Max, _extreme(smallest=False)),
    (sympy.floor, _floor),
    (sympy.ceiling, _ceiling),
    (sympy.Mod, _mod),
    (sympy.sign, _sign),
    (sympy.erf, _odd("erf")),
    (sympy.erfc, lambda a: ball(a).erfc()),
    (sympy.sinh, _odd("sinh")),
    (sympy.tanh, _odd("tanh")),
    (sympy.cosh, lambda a: ball(a).cosh()),
)
