"""Operations on the values of the float analysis: intervals, errors and noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dpaudit.floats.ledger import CROSSING, RELATIVE, Ledger
from dpaudit.floats.values import (
    DOUBLE,
    EXACT,
    INF,
    SLACK,
    Noise,
    Num,
    Refused,
    beyond,
    is_beyond,
    merged,
    mixed,
    rounded,
    truth,
)

UP, DOWN = 1 + 2.0**-50, 1 - 2.0**-50


def _outward(low: float, high: float) -> tuple[float, float]:
    low, high = (-INF if low != low else low), (INF if high != high else high)
    return (low * (UP if low < 0 else DOWN)), (high * (DOWN if high < 0 else UP))


def _common(a: Num, b: Num) -> dict[str, Any]:
    return {
        "unit": max(a.unit, b.unit),
        "wraps": a.wraps and b.wraps,
        "size": max(a.size, b.size),
        "scalar": a.scalar and b.scalar,
        "fewest": max(a.fewest, b.fewest),
        "tilt": a.tilt + b.tilt,
        "open": a.open or b.open,
    }


def _of_one_type(a: Num, b: Num) -> tuple[Num, Num]:
    """Return both numbers as the operation takes them: an integer beside a float becomes one."""
    if a.unit == EXACT and b.unit != EXACT:
        return rounded(replace(a, unit=b.unit)), b
    if b.unit == EXACT and a.unit != EXACT:
        return a, rounded(replace(b, unit=a.unit))
    return a, b


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def add(a: Num, b: Num, ledger: Ledger, place: str) -> Num:
    """Return a + b; an error is charged where noise is added to it."""
    a, b = _of_one_type(a, b)
    for one, other in ((a, b), (b, a)):
        if is_beyond(one) and _may_make_nan(one, other):
            raise Refused("infinities may cancel, or meet a private value", place)
        if ledger.strict:
            _hide_rounding(one, other, ledger, place)
        if one.noise is not None and other.eta:
            if one.noise.width == 0 and not ledger.strict and other.eta < INF:
                continue  # released before; `Interpreter.run` looks at what is left
            size = min(n.size for n in (a, b) if not n.scalar) if not (a.scalar and b.scalar) else 1
            ledger.release(other, one.noise.width, size, place, one.noise.discrete)
            if other is a:
                a = replace(a, eta=0.0)
            else:
                b = replace(b, eta=0.0)
    noise = a.noise or b.noise
    if a.noise is not None and b.noise is not None:
        apart = not (a.noise.draws & b.noise.draws)
        width = max(a.noise.width, b.noise.width) if apart else 0.0
        whole = a.noise.discrete and b.noise.discrete
        noise = Noise(width, a.noise.draws | b.noise.draws, whole)
    elif noise is not None and noise.uniform is not None:
        shift = b if a.noise is not None else a
        ends = noise.uniform
        moved = (ends[0] + shift.low, ends[1] + shift.low) if shift.known else None
        noise = replace(noise, uniform=moved)
    low, high = a.low + b.low, a.high + b.high
    if not (a.known and b.known):
        low, high = _outward(low, high)
    total = Num(
        low, high, a.eta + b.eta, a.post + b.post, a.whole and b.whole, noise=noise,
        rel=max(a.unit, b.unit, DOUBLE) if a.error == b.error == 0 else INF, **_common(a, b),
    )  # fmt: skip
    if (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0):
        total = replace(total, rel=max(a.relative, b.relative) + max(a.unit, b.unit, DOUBLE))
    if (a.known and a.low == 0 and a.error == 0) or (b.known and b.low == 0 and b.error == 0):
        return total
    if a.most < INF and b.most < INF:
        total = beyond(total, a, b)
    return rounded(total)


def _may_make_nan(infinite: Num, other: Num) -> bool:
    """Return whether a sum may be NaN for some records and not for others."""
    if other.noise is None:
        return not other.known and other.shape is None
    return is_beyond(other) and bool(infinite.noise and infinite.noise.draws & other.noise.draws)


def _hide_rounding(fresh: Num, other: Num, ledger: Ledger, place: str) -> None:
    """Charge the rounding of a value with noise where fresh noise is added to it.

    What was rounded may hold a private value beside released noise, and then that hides nothing.
    """
    if fresh.noise is None or other.noise is None or fresh.noise.draws & other.noise.draws:
        return
    plain = fresh.noise.width > 0 and not fresh.noise.discrete
    if plain and fresh.post < other.post < INF:
        size = max(n.size for n in (fresh, other))
        ledger.release(replace(other, eta=other.post), fresh.noise.width, size, place, False)


def subtract(a: Num, b: Num, ledger: Ledger, place: str) -> Num:
    """Return a − b, which is at most 0 where b is the greatest entry of a."""
    found = add(a, negative(b), ledger, place)
    if b.peak is a:
        return replace(found, high=0.0, holds=0.0)
    return found


def negative(a: Num) -> Num:
    """Return −a."""
    noise = a.noise
    if noise is not None and noise.uniform is not None:
        noise = replace(noise, uniform=(-noise.uniform[1], -noise.uniform[0]))
    return replace(a, low=-a.high, high=-a.low, noise=noise, holds=-INF, peak=None)


def multiply(a: Num, b: Num) -> Num:
    """Return a·b."""
    if a is not b:
        a, b = _of_one_type(a, b)
    ends = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = (min(ends), max(ends))
    if not (a.known and b.known):
        low, high = _outward(low, high)
    eta = _times(a.most, b.eta) + _times(b.most, a.eta) + _times(a.eta, b.eta)
    post = _times(a.most + a.eta, b.post) + _times(b.most + b.eta, a.post)
    noise = _scaled(a, b, smallest(b)) if a.noise is not None else _scaled(b, a, smallest(a))
    rel = _rel(a) + _rel(b) + max(a.unit, b.unit)
    total = Num(low, high, eta, post, a.whole and b.whole, noise=noise, rel=rel, **_common(a, b))
    total = beyond(total, a, b)
    if a is b:
        total = replace(total, square=a, low=max(low, 0.0))
    if a.noise is not None and b.noise is None and b.eta:
        total = _public_factor(total, b)
    elif b.noise is not None and a.noise is None and a.eta:
        total = _public_factor(total, a)
    for x in (a, b):
        if x.known and x.error == 0 and abs(x.low) in (0.0, 1.0, 0.5, 2.0):
            return rounded(total) if total.most == INF else total
    return rounded(total)


def _public_factor(total: Num, other: Num) -> Num:
    """Return the product with noise: a factor that is nearly right makes noise nearly as wide."""
    if other.relative > RELATIVE and other.eta > CROSSING:
        return replace(total, eta=INF)
    return replace(total, eta=0.0, post=total.post + total.eta)


def _rel(a: Num) -> float:
    """Return the relative error but for that of an exponent."""
    return 0.0 if a.error == 0 else min(a.rel, a.relative)


def smallest(a: Num) -> float:
    """Return a lower bound on |a|."""
    return 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))


def _scaled(noisy: Num, factor: Num, least: float) -> Noise | None:
    noise = mixed(noisy, factor)
    if noise is None:
        return None
    if factor.noise is not None:
        return Noise(
            0.0, noise.draws | factor.noise.draws, noise.discrete and factor.noise.discrete
        )
    uniform = None
    if noise.uniform is not None and factor.known:
        ends = sorted(_times(end, factor.low) for end in noise.uniform)
        uniform = (ends[0], ends[1])
    return Noise(noise.width * least * DOWN, noise.draws, noise.discrete, uniform)


def inverse(a: Num) -> Num:
    """Return 1/a without a rounding of its own."""
    a = replace(a, rel=a.relative * SLACK, holds=-INF, peak=None)
    least = smallest(a)
    if least == 0 or a.error >= least:
        noise = None if a.noise is None else Noise(0.0, a.noise.draws)
        if noise is not None:  # the quotient of noise is the business of whoever releases it
            return replace(a, low=-INF, high=INF, whole=False, noise=noise)
        return replace(a, low=-INF, high=INF, eta=INF, whole=False)
    low, high = _outward(1 / a.high, 1 / a.low)
    gap = (least - a.error) * least
    noise = None if a.noise is None else Noise(0.0, a.noise.draws)
    if a.known:
        low = high = 1 / a.low
    return replace(
        a, low=low, high=high, eta=a.eta / gap * SLACK, post=a.post / gap * SLACK, whole=False,
        noise=noise,
    )  # fmt: skip


def divide(a: Num, b: Num) -> Num:
    """Return a / b."""
    if b.norm is None:
        a, b = _of_one_type(a, b)
    if a.known and b.known and b.low:
        try:
            value = a.low / b.low
        except OverflowError:
            value = INF
        inv = inverse(b)
        eta = a.eta * abs(inv.low) + abs(a.low) * inv.eta + a.eta * inv.eta
        exactly = a.unit == b.unit == EXACT and not (a.whole and b.whole)  # of fractions
        found = Num(value, value, eta, unit=EXACT if exactly else max(a.unit, b.unit, DOUBLE))
        if value == math.floor(value) if math.isfinite(value) else False:
            exact = value * b.low == a.low and abs(value) < 2.0**53
            return replace(found, whole=eta == 0 and exact)
        return rounded(found)
    if b.norm is not None and b.norm[0] is a:  # each row is shortened to 1/factor
        # What the floats say before bounds a row as well: only the shortening itself is off.
        most, rel = 1 / b.norm[1], 2.0**-46  # rows of up to 100 entries
        if a.eta < INF:
            found = replace(a, low=-most * UP, high=most * UP, eta=0.0, rel=rel, square=None)
            return rounded(replace(found, eta=rel * most, whole=False))
    found = multiply(a, inverse(b))
    if b.known and b.low > 0 and a.norm is not None:
        found = replace(found, norm=(a.norm[0], a.norm[1] / b.low))
    exactly = a.unit == b.unit == EXACT and not (a.whole and b.whole)
    unit = EXACT if exactly else max(found.unit, DOUBLE)
    return rounded(replace(found, whole=False, unit=unit))


def monotone(a: Num, function: Callable[[float], float], slope: float) -> Num:
    """Return f(a) for a function that rises, whose slope is at most that on the interval."""
    a = replace(a, unit=max(a.unit, DOUBLE), rel=INF, holds=-INF, peak=None)
    ends = []
    for end in (a.low, a.high):
        try:
            ends.append(function(end))
        except OverflowError:
            ends.append(INF)
        except ValueError:
            ends.append(-INF)
    low, high = (ends[0], ends[1]) if a.known else _outward(*ends)
    noise = None if a.noise is None else Noise(0.0, a.noise.draws)
    eta, post = _times(slope, a.eta), _times(slope, a.post)
    return rounded(replace(a, low=low, high=high, eta=eta, post=post, whole=False, noise=noise),
                   times=2.0)  # fmt: skip


def exponential(a: Num) -> Num:
    """Return e^a."""
    try:
        top = math.exp(min(a.high + min(a.error, 1.0), 710.0)) if a.high < 709 else INF
    except OverflowError:
        top = INF
    holds = math.exp(a.holds) * DOWN if -INF < a.holds < 700 else 0.0
    if a.eta > 2.0**-10:
        return replace(monotone(a, math.exp, top), eta=INF)
    if a.error > 2.0**-10:
        return replace(beyond(monotone(a, math.exp, top)), post=INF)
    found = beyond(monotone(a, math.exp, top * SLACK))
    return replace(found, rel=2 * found.unit, tilt=a.error * SLACK, holds=holds, high=min(
        found.high, 1.0) if a.high <= 0 else found.high)  # fmt: skip


def logarithm(a: Num) -> Num:
    """Return log a."""
    if a.noise is not None:
        return replace(
            a, low=-2000.0, high=2000.0, whole=False, noise=Noise(0.0, a.noise.draws),
            eta=0.0, post=2.0**-20,
        )  # fmt: skip
    if a.low <= 0 and a.relative < 2.0**-10 and a.high < INF:
        # Positive doubles are at least 2^-1074; what is 0 has the weight 0 of −inf.
        high = math.log(a.high) if a.high > 0 else 0.0
        error = 2 * a.relative + 2 * DOUBLE * 746
        return replace(a, low=-746.0, high=high, eta=error, whole=False, rel=INF, holds=-INF,
                       unit=max(a.unit, DOUBLE))  # fmt: skip
    if a.low <= 0 or a.error >= a.low / 2:
        return replace(a, low=-INF, high=math.log(a.high) if 0 < a.high < INF else INF, eta=INF,
                       whole=False)  # fmt: skip
    return monotone(a, math.log, 2 / a.low)


def root(a: Num) -> Num:
    """Return the square root of a."""
    low = max(a.low, 0.0)
    if a.square is not None:
        high = math.sqrt(a.high) if a.high < INF else INF
        return replace(
            a, low=math.sqrt(low), high=high, whole=False,
            eta=min(a.relative * high, math.sqrt(a.eta)) + 2 * DOUBLE * high,
            rel=a.relative + 2 * a.unit, norm=(a.square, 1.0), square=None,
        )  # fmt: skip
    if a.error == 0:
        slope = 0.0
    elif low <= 2 * a.error:
        found = monotone(replace(a, low=low, eta=0.0, post=0.0), math.sqrt, 0.0)
        return replace(found, eta=found.eta + math.sqrt(a.eta), post=found.post + math.sqrt(a.post))
    else:
        slope = 1 / math.sqrt(low)
    return monotone(replace(a, low=low), math.sqrt, slope)


def absolute(a: Num) -> Num:
    """Return |a|."""
    noise = None if a.noise is None else replace(a.noise, width=a.noise.width / 2, uniform=None)
    return replace(a, low=smallest(a), high=a.most, noise=noise)


def extreme(a: Num, b: Num, largest: bool) -> Num:
    """Return max(a, b) or min(a, b), entry by entry."""
    pick = max if largest else min
    low, high = pick(a.low, b.low), pick(a.high, b.high)
    noise = merged(a, b)
    if a.noise is not None and b.noise is not None:
        noise = Noise(0.0, a.noise.draws | b.noise.draws)
    elif noise is not None:
        noise = replace(noise, uniform=None)
    eta = max(a.eta, b.eta)
    if (a.low >= b.high) if largest else (a.high <= b.low):
        return replace(a, unit=max(a.unit, b.unit))
    if (b.low >= a.high) if largest else (b.high <= a.low):
        return replace(b, **{k: v for k, v in _common(a, b).items() if k in ("size", "scalar")})
    norm = a.norm or b.norm if largest and (a.known or b.known) else None
    return Num(
        low, high, eta, max(a.post, b.post), a.whole and b.whole, noise=noise,
        rel=max(a.relative, b.relative), norm=norm, **_common(a, b),
    )  # fmt: skip


def total(a: Num, count: float) -> Num:
    """Return a sum of up to `count` numbers, added in any order."""
    if a.noise is not None:
        noise: Noise | None = Noise(a.noise.width, a.noise.draws, a.noise.discrete)
    else:
        noise = None
    low, high = _times(min(a.low, 0.0), count), _times(max(a.high, 0.0), count)
    # Adding up n numbers of magnitude M in any order is off by (n−1)·n·M·unit (Higham 2002, §4.2).
    rel = INF
    if a.low >= 0:
        low = max(low, a.holds, _times(a.low, a.fewest) if count == a.size else 0.0)
        rel = _rel(a) + count * a.unit
    found = Num(
        *_outward(low, high), _times(a.eta, count), _times(a.post, count), a.whole, a.unit,
        a.wraps, 1.0, noise, True, rel, tilt=a.tilt, square=a.square,
    )  # fmt: skip
    found = beyond(found, a) if a.most < INF else found
    return rounded(found, times=max(0.0, count - 1))


def compared(a: Num, b: Num, equal: bool, ledger: Ledger, place: str, strict: bool) -> Num:
    """Return the outcome of a comparison, after its obligation."""
    size = max(a.size, b.size)
    scalar = a.scalar and b.scalar
    if a.noise is None and b.noise is None:
        return truth(size, scalar)
    if a.noise is None:
        a, b = b, a
    assert a.noise is not None
    if equal:
        both = a.noise.discrete and (b.noise is None or b.noise.discrete)
        if not both or a.error or b.error:
            raise Refused("continuous noise is compared for equality", place)
        return truth(size, scalar)
    noise = a.noise
    if noise.uniform is not None and b.noise is None:
        low, high = noise.uniform
        width = high - low
        if width <= 0:
            raise Refused("a uniform draw is compared whose range is lost in floats", place)
        shifted = Num((b.low - low) / width, (b.high - low) / width, b.error / width, size=size)
        if (shifted.high <= 0 or shifted.low >= 1) and b.known and b.error == 0:
            return truth(size, scalar)
        ledger.probability(shifted, place, step=(a.error / width) + DOUBLE)
        return truth(size, scalar)
    width = noise.width
    if b.noise is not None:
        width = 0.0 if noise.draws & b.noise.draws else max(noise.width, b.noise.width)
    for side in (a, b):
        if side.eta:
            ledger.release(side, width, size, place, noise.discrete)
    apart = noise.discrete and (b.noise is None or b.noise.discrete)
    if apart and (not strict or a.post + b.post == 0):
        return truth(size, scalar)
    if strict or width > 0:
        ledger.compare(width, a.post + b.post, place, size)
    return truth(size, scalar)
