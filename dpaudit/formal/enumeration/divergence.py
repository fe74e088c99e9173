"""How far two exact distributions are apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.formal.enumeration.measures import (
    JOINT,
    Distribution,
    Key,
    Measure,
    Part,
    apart,
    expanded,
)
from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.numbers import Opaque, ball, compare, exp, logarithm, sign
from dpaudit.formal.enumeration.paths import check_time
from dpaudit.formal.enumeration.tailed import Tailed


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Outputs that have one ratio of probabilities, and what both give them together."""

    p: Any
    q: Any
    key: Key


@dataclass(frozen=True, slots=True, eq=False)
class Worst:
    """The largest ratio of the probabilities of an output.

    Attributes
    ----------
    ratio : number or None
        None where it is infinite.
    key : Key
        An output that reaches it, or, of several parts, one key for each.
    mass : number
        What the left distribution gives to that output.
    """

    ratio: Any
    key: Key
    mass: Any


def points(left: Measure, right: Measure) -> list[Point]:
    """Return the outputs of two measures, those of one ratio in the tails taken together."""
    check_time()
    zero = Fraction(0)
    keys = dict.fromkeys((*left.points, *right.points))
    found = [Point(left.points.get(k, zero), right.points.get(k, zero), k) for k in keys]
    for key in dict.fromkeys((*left.families, *right.families)):
        found += _tail_points(left.families.get(key), right.families.get(key), key)
    return found


def _tail_points(one: Tailed | None, other: Tailed | None, key: Key) -> Iterator[Point]:
    if one is None or other is None:
        law = one or other
        assert law is not None
        mass = law.measure(-math.inf, math.inf)
        yield Point(mass, Fraction(0), key) if other is None else Point(Fraction(0), mass, key)
        return
    start, stop = min(one.start, other.start), max(one.stop, other.stop)
    one, other = one.widened(start, stop), other.widened(start, stop)
    for z in range(start, stop):
        yield Point(one.mass(z), other.mass(z), (key, z))
    for ends, tails in (((-math.inf, start), (one.low, other.low)),
                        ((stop, math.inf), (one.high, other.high))):  # fmt: skip
        if tails[0] is None and tails[1] is None:
            continue
        alike = tails[0] is not None and tails[1] is not None and tails[0][1] == tails[1][1]
        if not alike and tails[0] is not None and tails[1] is not None:
            raise NotFiniteError("tails that fall off at different rates")
        yield Point(one.measure(*ends), other.measure(*ends), (key, ends))


def largest_ratio(left: Distribution, right: Distribution) -> Worst:
    """Return the largest ratio of the left probability of an output to the right one."""
    if _aligned(left, right):
        pairs = [(part, _partner(part, right)) for part in left.branches]
        return larger(_of_parts(part, partner) for part, partner in pairs)
    return _of_points(points(expanded(left), expanded(right)))


def _aligned(left: Distribution, right: Distribution) -> bool:
    """Return whether every branch on the left has one on the right of its shape, or none."""
    shapes = [part.shape for part in right.branches]
    mine = [part.shape for part in left.branches]
    if JOINT in shapes or JOINT in mine:
        return shapes == mine
    return all(
        part.shape in shapes or all(apart(part.shape, shape) for shape in shapes)
        for part in left.branches
    )


def _partner(part: Part, right: Distribution) -> Part | None:
    return next((other for other in right.branches if other.shape == part.shape), None)


def _of_parts(one: Part, other: Part | None) -> Worst:
    if other is None:
        return Worst(None, one.shape, one.weight)
    found = [_of_points(points(a, b)) for a, b in zip(one.parts, other.parts, strict=True)]
    ratio, mass = one.weight / other.weight, one.weight
    infinite = False
    for worst in found:
        infinite = infinite or worst.ratio is None
        ratio = ratio if worst.ratio is None else ratio * worst.ratio
        mass = mass * worst.mass
    return Worst(None if infinite else ratio, (one.shape, tuple(w.key for w in found)), mass)


def _of_points(among: list[Point]) -> Worst:
    return larger(
        Worst(None if sign(x.q) == 0 else x.p / x.q, x.key, x.p) for x in among if sign(x.p) > 0
    )


def larger(found: Iterator[Worst]) -> Worst:
    """Return the largest of several."""
    best: Worst | None = None
    for worst in found:
        if worst.ratio is None:
            return worst
        if best is None or compare(worst.ratio, best.ratio) == 1:
            best = worst
    assert best is not None
    return best


def hockey_stick(left: Distribution, right: Distribution, epsilon: Any) -> tuple[Any, list[Key]]:
    """Return the largest p - e^epsilon q of all events, and the outputs of that event."""
    growth = exp(epsilon)
    total: Any = Fraction(0)
    event = []
    for x in points(expanded(left), expanded(right)):
        excess = x.p - growth * x.q
        if sign(excess) > 0:
            total = total + excess
            event.append(x.key)
    return total, event


def moment(left: Distribution, right: Distribution, order: Any) -> Any:
    """Return the sum of p^order q^(1 - order), None where it is infinite."""
    if _aligned(left, right):
        total: Any = Fraction(0)
        for part in left.branches:
            other = _partner(part, right)
            product = None if other is None else _moment_of(part, other, order)
            if product is None:
                return None
            total = total + product
        return total
    return _sum_of_powers(points(expanded(left), expanded(right)), order)


def _moment_of(one: Part, other: Part, order: Any) -> Any:
    product = _power(one.weight, other.weight, order)
    for a, b in zip(one.parts, other.parts, strict=True):
        factor = _sum_of_powers(points(a, b), order)
        if factor is None:
            return None
        product = product * factor
    return product


def _sum_of_powers(among: list[Point], order: Any) -> Any:
    total: Any = Fraction(0)
    for x in among:
        if sign(x.p) == 0:
            continue
        if sign(x.q) == 0:
            return None
        total = total + _power(x.p, x.q, order)
    return total


def _power(p: Any, q: Any, order: Any) -> Any:
    order = Fraction(order)
    if order.denominator == 1 and order <= 64:
        whole = int(order)
        return p**whole / q ** (whole - 1)
    return Opaque(
        lambda precision: (
            ball(p, precision) ** ball(order, precision)
            * ball(q, precision) ** ball(1 - order, precision)
        )
    )


def loss_text(worst: Worst) -> str:
    """Return the largest privacy loss: exactly where it is rational, else as a ball."""
    if worst.ratio is None:
        return "inf"
    power = logarithm(worst.ratio)
    return str(ball(worst.ratio, 100).log().str(20)) if power is None else str(power)
