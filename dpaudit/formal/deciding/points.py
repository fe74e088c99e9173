"""Looks for numbers that make a goal false, simple ones first."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import sympy
from flint import fmpq

from dpaudit.formal.clock import charge, now
from dpaudit.formal.deciding.numbers import UndefinedError, precision, rational
from dpaudit.formal.deciding.ranges import Range
from dpaudit.formal.deciding.values import holds, holds_exactly

_WHOLE = (0, 1, 2, 3, -1, 4, 5, -2, 10, 7, 20, 100, -10, 1000)
_SPLIT = (Fraction(1, 2), Fraction(1, 10), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 100))
_SCREEN = 96  # bits at which most points are decided


def allowed(symbol: sympy.Symbol, number: Fraction | fmpq) -> bool:
    """Return whether a symbol's assumptions admit a rational number."""
    p, q = (number.p, number.q) if isinstance(number, fmpq) else number.as_integer_ratio()
    exact = sympy.Rational(int(p), int(q))
    return all(
        wanted is None or getattr(exact, f"is_{assumption}") == wanted
        for assumption, wanted in symbol.assumptions0.items()
    )


def is_violation(
    goal: sympy.Basic, given: Sequence[sympy.Basic], at: Mapping[sympy.Symbol, fmpq]
) -> bool:
    """Return whether the goal is certainly false and every condition certainly true there."""
    charge(150)
    try:
        if not all(allowed(symbol, number) for symbol, number in at.items()):
            return False
        if not all(holds_exactly(condition, at) is True for condition in given):
            return False
        return holds_exactly(goal, at) is False
    except UndefinedError:
        return False


def search(
    goal: sympy.Basic,
    given: Sequence[sympy.Basic],
    ranges: Mapping[sympy.Symbol, Range],
    *,
    deadline: float,
    most: int,
    near: Mapping[sympy.Symbol, fmpq] | None = None,
) -> dict[sympy.Symbol, fmpq] | None:
    """Return the first simple point that certainly violates the goal.

    Parameters
    ----------
    goal, given : sympy Booleans
    ranges : mapping of symbol to Range
        Of all free symbols; points outside are not tried.
    deadline : float
        Of `dpaudit.formal.clock.now`.
    most : int
        Points to try.
    near : mapping of symbol to fmpq, optional
        A point that a solver proposes; it is tried, rounded and as it is, after a few simple ones.
    """
    symbols = list(ranges)
    if not all(candidates(s, ranges[s]) for s in symbols):
        return None
    stream = _stream(symbols, ranges, near)
    for at in itertools.islice(stream, most):
        if now() > deadline:
            return None
        if _promising(goal, given, at) and is_violation(goal, given, at):
            return at
    return None


def simplest(
    goal: sympy.Basic,
    given: Sequence[sympy.Basic],
    ranges: Mapping[sympy.Symbol, Range],
    found: Mapping[sympy.Symbol, fmpq],
    deadline: float,
) -> dict[sympy.Symbol, fmpq]:
    """Return a violation in simpler numbers, one variable after the other."""
    at = dict(found)
    moved = True
    while moved:
        moved = False
        for symbol, within in ranges.items():
            for number in sorted(candidates(symbol, within), key=_weight):
                if now() > deadline or _weight(number) >= _weight(at[symbol]):
                    break
                simpler = {**at, symbol: number}
                if _promising(goal, given, simpler) and is_violation(goal, given, simpler):
                    at, moved = simpler, True
                    break
    return at


def _weight(number: fmpq) -> tuple[int, int, bool]:
    return int(number.q), abs(int(number.p)), bool(number < 0)


def _promising(
    goal: sympy.Basic, given: Sequence[sympy.Basic], at: Mapping[sympy.Symbol, fmpq]
) -> bool:
    try:
        with precision(_SCREEN):
            if any(holds(condition, at) is False for condition in given):
                return False
            return holds(goal, at) is not True
    except UndefinedError:
        return False


def _stream(
    symbols: Sequence[sympy.Symbol],
    ranges: Mapping[sympy.Symbol, Range],
    near: Mapping[sympy.Symbol, fmpq] | None,
) -> Iterator[dict[sympy.Symbol, fmpq]]:
    lists = [candidates(s, ranges[s]) for s in symbols]
    if near is not None:
        yield from itertools.islice(_by_weight(symbols, [n[:4] for n in lists]), 200)
        yield from _simpler(near)
    total = 1
    for numbers in lists:
        total *= len(numbers)
    if total <= 4000:
        yield from _by_weight(symbols, lists)
        return
    yield from itertools.islice(_by_weight(symbols, [n[:5] for n in lists]), 400)
    chance = random.Random(0)
    while True:
        yield {
            s: numbers[_skewed(chance, len(numbers))]
            for s, numbers in zip(symbols, lists, strict=True)
        }


def _skewed(chance: random.Random, count: int) -> int:
    return int(count * chance.random() ** 1.5)


def _by_weight(
    symbols: Sequence[sympy.Symbol], lists: Sequence[Sequence[fmpq]]
) -> Iterator[dict[sympy.Symbol, fmpq]]:
    """Yield all combinations, those of early candidates first."""
    if not lists:
        yield {}
        return
    indices = itertools.product(*(range(len(numbers)) for numbers in lists))
    for choice in sorted(itertools.islice(indices, 60_000), key=lambda c: (sum(c), c)):
        yield {s: lists[k][i] for k, (s, i) in enumerate(zip(symbols, choice, strict=True))}


def _simpler(near: Mapping[sympy.Symbol, fmpq]) -> Iterator[dict[sympy.Symbol, fmpq]]:
    """Yield a point with its coordinates rounded, coarsely first, then as it is."""
    for most in (1, 2, 10, 1000, 10**6):
        yield {
            s: rational(Fraction(int(x.p), int(x.q)).limit_denominator(most))
            for s, x in near.items()
        }
    yield dict(near)


def candidates(symbol: sympy.Symbol, within: Range) -> list[fmpq]:
    """Return telling values of a symbol: the ends of its range, and simple numbers inside."""
    pool: list[Fraction] = []
    low, high = within.low, within.high
    ends = [end for end in (low, high) if end is not None]
    if low is not None and high is not None:
        ends += [(low + high) / 2, (3 * low + high) / 4, (low + 3 * high) / 4]
        ends += [low + (high - low) / 1000, high - (high - low) / 1000]
    elif low is not None:
        ends += [low + step for step in (1, 2, 5, 10, 100, Fraction(1, 2), Fraction(1, 100))]
    elif high is not None:
        ends += [high - step for step in (1, 2, 5, 10, 100, Fraction(1, 2), Fraction(1, 100))]
    simple: tuple[Fraction | int, ...] = (*_WHOLE[:6], *ends[:2], *_WHOLE[6:], *_SPLIT)
    pool += map(Fraction, simple)
    pool += ends
    kept = dict.fromkeys(x for x in pool if within.contains(x) and allowed(symbol, x))
    return [rational(x) for x in kept]
