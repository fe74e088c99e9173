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
    FRESH,
    HIDING,
    INF,
    SHOWN,
    SLACK,
    TINY,
    Noise,
    Num,
    Refused,
    beyond,
    merged,
    rounded,
    shown,
    truth,
)

UP, DOWN = 1 + 2.0**-50, 1 - 2.0**-50
STEEPEST = 2.0  # how much farther apart a factor of shortened rows may bring two of them
FAR, TINIEST = 2.0**-300, 2.0**-100  # roots of squares that floats lose are smaller than both
NORMAL = {EXACT: 0.0, DOUBLE: 2.0**-1022, 2.0**-24: 2.0**-126, 2.0**-11: 2.0**-14}  # the least
CLEAR = 2.0**-42  # relative: a proof tells two numbers apart whose errors are less
FINEST = 2.0**-960  # of the scale of noise; the steps of floats are 2^-114 of it there


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
        "private": a.private or b.private,
        "vast": a.vast or b.vast,
        "columns": max(a.columns, b.columns),
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
        if one.beyond and _may_make_nan(one, other):
            raise Refused("infinities may cancel, or meet a private value", place)
    fresh = [ledger.is_fresh(number) for number in (a, b)]
    released = False
    if fresh[0] is not fresh[1]:
        noisy, other = (a, b) if fresh[0] else (b, a)
        noisy, hidden = _hidden(noisy, other, ledger, place)
        a, b = (noisy, hidden) if fresh[0] else (hidden, noisy)
        released = other.private and not hidden.private and not ledger.strict
    else:
        a, b = _with_its_own(a, b), _with_its_own(b, a)
    low, high = a.low + b.low, a.high + b.high
    if not (a.known and b.known):
        low, high = _outward(low, high)
    total = Num(
        low, high, a.error + b.error, a.whole and b.whole, noise=_noise_of_sum(a, b, all(fresh)),
        rel=max(a.unit, b.unit, DOUBLE) if a.error == b.error == 0 else INF, **_common(a, b),
    )  # fmt: skip
    if (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0):
        rel = max(_rel(a), _rel(b)) + max(a.unit, b.unit, DOUBLE)
        total = replace(total, rel=rel, tilt=max(a.tilt, b.tilt))
    for one, other in ((a, b), (b, a)):
        if one.known and one.low == 0 and one.error == 0:
            return replace(total, powers=other.powers)
    if a.most < INF and b.most < INF:
        total = beyond(total, a, b)
    total = _with_powers(rounded(total), a.powers, b.powers)
    for one, other in ((a, b), (b, a)):
        if one.known and one.low >= 0 and other.norm is not None:
            total = replace(total, norm=other.norm)
    # What is released is a float, and real numbers that are computed from it start there.
    return replace(total, error=0.0) if released and total.error < INF else total


def _with_powers(total: Num, one: Any, other: Any) -> Num:
    """Return a sum, which is at least 1 where the power of the greatest is a part of it."""
    if one is None or other is None or one[0] is not other[0] or one[1] & other[1]:
        return total
    both = one[1] | other[1]
    least = 1 - 2.0**-40 if len(both) == len(one[0].peak) else total.low
    return replace(total, low=max(total.low, least), powers=(one[0], both))


def _with_its_own(a: Num, b: Num) -> Num:
    """Return a released number with its rounding, where a proof may release its sum instead."""
    if a.private or a.noise is None or a.noise.role != HIDING or not b.private:
        return a
    return rounded(a)


def _noise_of_sum(a: Num, b: Num, fresh: bool) -> Noise | None:
    if a.noise is None or b.noise is None:
        noise, shift = (a.noise, b) if b.noise is None else (b.noise, a)
        if noise is None or noise.uniform is None:
            return noise
        ends = noise.uniform
        moved = (ends[0] + shift.low, ends[1] + shift.low) if shift.known else None
        return replace(noise, uniform=moved)
    apart = not (a.noise.draws & b.noise.draws)
    width = max(a.noise.width, b.noise.width) if apart else 0.0
    roles = {a.noise.role, b.noise.role}
    role = FRESH if fresh and apart else HIDING if HIDING in roles else SHOWN
    discrete = a.noise.discrete and b.noise.discrete
    return Noise(width, a.noise.draws | b.noise.draws, discrete, role=role)


def _hidden(fresh: Num, other: Num, ledger: Ledger, place: str) -> tuple[Num, Num]:
    """Return fresh noise and what it is added to, after charging the error that it hides."""
    noise = fresh.noise
    assert noise is not None
    size = 1.0
    if not (fresh.scalar and other.scalar):
        size = min(number.size for number in (fresh, other) if not number.scalar)
    hiding = replace(fresh, noise=replace(noise, role=HIDING))
    if not other.private:
        plain = noise.width > 0 and not noise.discrete
        if ledger.strict and other.noise is not None and plain and fresh.error < other.error < INF:
            # It may hold what a proof hides still, and then the noise in it hides nothing.
            ledger.release(other, noise.width, max(fresh.size, other.size), place, False)
        if not ledger.strict and not other.known:  # both runs share the sum
            ledger.show(fresh)
            return replace(fresh, noise=shown(noise)), other
        return fresh, other
    before = other.noise
    if other.error and before is not None and before.draws <= noise.scaled_by:
        # Both grow with one released number, which nothing bounds: relative errors matter alone.
        return hiding, replace(other, error=0.0, private=False)
    if noise.width == 0 and not ledger.strict and 0 < other.error < INF:
        return hiding, other  # its scale was released: `Ledger.settle` looks at what is left
    size = math.sqrt(size) if noise.normal else size  # the distance that counts is l2
    own = 0.0 if ledger.strict and noise.width == 0 else fresh.error
    both = replace(other, error=other.error + own)
    if not ledger.strict and noise.draws <= ledger.uniform:
        _move(both, fresh, noise.width, ledger, place)
    else:
        ledger.release(both, noise.width, size, place, noise.discrete)
    if before is not None and before.role == HIDING and other.error:
        if before.width == 0:
            return hiding, other
        ledger.release(other, before.width, size, place, before.discrete)
    return hiding, replace(other, error=0.0, private=False)


def _move(border: Num, drawn: Num, width: float, ledger: Ledger, place: str) -> None:
    """Charge what moves a border among weights at which a uniform draw is looked for.

    The weights of both are powers e^x: an error of x changes all chances by a factor.
    """
    ledger.loss += 4 * max(border.tilt, drawn.tilt) * ledger.repeats[-1] * SLACK
    sides = [(min(n.error, _rel(n) * n.most), _rel(n)) for n in (border, drawn)]
    error = sum(own for own, _ in sides) / width if width > 0 else INF
    kept = width >= NORMAL[DOUBLE]  # else all weights may have become 0
    if kept and border.low >= 0 and drawn.noise is not None and drawn.noise.role == FRESH:
        error = min(error, sum(rel for _, rel in sides) + 2.0**-51)
    size = max(border.size, drawn.size)
    ledger.compare(1.0, error, place, size)


def _may_make_nan(infinite: Num, other: Num) -> bool:
    """Return whether a sum may be NaN for some records and not for others."""
    if other.noise is None:
        return other.private
    return other.beyond and bool(
        infinite.noise is not None and infinite.noise.draws & other.noise.draws
    )


def subtract(a: Num, b: Num, ledger: Ledger, place: str) -> Num:
    """Return a − b: at most 0 where b is the greatest of a, or of more entries than those of a."""
    found = add(a, negative(b), ledger, place)
    if b.peak is a:
        return replace(found, high=0.0, holds=0.0)
    _, whole = ledger.parts.get(id(a), (a, None))
    if whole is not None and b.peak is whole:
        return replace(found, high=0.0)
    for at, each in enumerate(b.peak if isinstance(b.peak, tuple) else ()):
        if each is a and a.noise is None:
            return replace(found, high=0.0, below=(b, at))
    return found


def negative(a: Num) -> Num:
    """Return −a."""
    noise = a.noise
    if noise is not None and noise.uniform is not None:
        noise = replace(noise, uniform=(-noise.uniform[1], -noise.uniform[0]))
    return replace(a, low=-a.high, high=-a.low, noise=noise, holds=-INF, peak=None, below=None,
                   powers=None)  # fmt: skip


def multiply(a: Num, b: Num) -> Num:
    """Return a·b."""
    if a is not b:
        a, b = _of_one_type(a, b)
    _validate_factors(a, b)
    for rows, factor in ((a, b), (b, a)):
        share = factor.low >= 0 and factor.high <= STEEPEST and not factor.whole
        if share and factor.over is not None and factor.over[0] is rows and rows.error < INF:
            columns = rows.size if factor.scalar else 100.0
            return _shortened(rows, factor.over[1], max(1.0, factor.high), columns)
    ends = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = (min(ends), max(ends))
    if not (a.known and b.known):
        low, high = _outward(low, high)
    error = _times(a.most, b.error) + _times(b.most, a.error) + _times(a.error, b.error)
    for one, zero in ((a, b), (b, a)):
        if zero.low == zero.high == 0 and one.private and one.noise is None and one.most == INF:
            raise Refused("0 times a private value that may be infinite, which is NaN", "")
    merged(a, b)
    noise = _scaled(a, b) if a.noise is not None else _scaled(b, a)
    rel = _rel(a) + _rel(b) + max(a.unit, b.unit)
    total = Num(low, high, error, a.whole and b.whole, noise=noise, rel=rel, **_common(a, b))
    if noise is not None and noise.role == FRESH:
        total = replace(total, private=False)
    total = beyond(total, a, b)
    for one, factor in ((a, b), (b, a)):
        if one.below is not None and factor.low > 0:
            total = replace(total, below=one.below)
        if one.holds == 0 < factor.low:
            total = replace(total, holds=0.0)
    if a.low >= 0 and b.low >= 0:
        least = max(_times(_accurate(a), b.holds), _times(_accurate(b), a.holds))
        total = replace(total, holds=least * DOWN)
    if a is b:
        total = replace(total, square=a, low=max(low, 0.0))
    for x in (a, b):
        if x.known and x.error == 0 and abs(x.low) in (0.0, 1.0, 0.5, 2.0):
            return rounded(total) if total.most == INF else total
    return rounded(total)


def _accurate(a: Num) -> float:
    """Return what entries are at least, 0 where one may be too small to have all of its digits."""
    return a.low if a.error == 0 or a.low >= NORMAL.get(a.unit, NORMAL[DOUBLE]) else 0.0


def _rel(a: Num) -> float:
    """Return the relative error but for that of an exponent."""
    return 0.0 if a.error == 0 else min(a.rel, a.relative)


def share(a: Num) -> Num:
    """Return a share of a whole: only its relative error is one, that of exponents left out."""
    low, high = min(max(a.low, 0.0), 1.0), max(min(a.high, 1.0), 0.0)
    return replace(a, low=low, high=high, error=min(a.error, _rel(a) * high))


def smallest(a: Num) -> float:
    """Return a lower bound on |a|."""
    return 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))


def validate_sign(a: Num, place: str = "") -> None:
    """Refuse a private number of which floats may lose the sign, or make it 0.

    Python raises an exception then, whether anybody looks at the value or not, and NumPy's is NaN.
    """
    hidden = not a.private or a.noise is not None or not a.error
    if not hidden and a.error >= smallest(a) / 2 and a.relative > 0.5:
        raise Refused("floats may make a private number 0, or one of another sign", place)


def _scaled(noisy: Num, factor: Num) -> Noise | None:
    noise = noisy.noise
    if noise is None:
        return None
    if factor.noise is not None:
        whole = noise.discrete and factor.noise.discrete
        role = FRESH if noise.role == FRESH else SHOWN
        return Noise(0.0, noise.draws | factor.noise.draws, whole, role=role)
    fresh = noise.role == FRESH
    if fresh and factor.relative > RELATIVE and factor.error > CROSSING:
        raise Refused(
            f"noise is scaled by {factor.low:.3g}, which is off by {factor.error:.2g}", ""
        )
    uniform = None
    if noise.uniform is not None and factor.known:
        ends = sorted(_times(end, factor.low) for end in noise.uniform)
        uniform = (ends[0], ends[1])
    role = FRESH if fresh else SHOWN
    width, least = noise.width * DOWN, smallest(factor)
    if fresh and width > 0 and least > 0:
        validate_width(width * least, "")
    return Noise(width * least, noise.draws, noise.discrete, uniform, role)


def _validate_factors(*factors: Num) -> None:
    """Refuse a factor that is too small for all of its product's digits to be kept.

    The scale of noise may be written with factors that the program multiplies the noise with.
    """
    for factor in factors:
        if factor.known and factor.unit != EXACT and 0 < abs(factor.low) < FINEST:
            raise Refused(f"a factor of {factor.low:.3g}, with which floats lose digits", "")


def validate_width(width: float, place: str) -> None:
    """Refuse noise of so small a scale that floats keep few of its digits.

    The least float above 0 is 2⁻¹⁰⁷⁴: noise of that scale is a whole multiple of it, also where it
    is multiplied by something large afterwards.
    """
    if width < FINEST:
        raise Refused(f"noise of scale {width:.3g}, of which floats keep few digits", place)


def _any(noise: Noise | None) -> Noise | None:
    """Return noise of which no density is known."""
    return None if noise is None else Noise(0.0, noise.draws)


def inverse(a: Num) -> Num:
    """Return 1/a without a rounding of its own."""
    a = replace(a, rel=_rel(a) * SLACK, holds=-INF, peak=None, below=None, powers=None, over=None)
    least = smallest(a)
    if least < NORMAL.get(
        a.unit, NORMAL[DOUBLE]
    ):  # it may have become 0, or have lost its last digits
        a = replace(a, rel=INF)
    closely = 2 * (a.rel + TINIEST) / least if least >= FAR and a.rel <= 2.0**-10 else INF
    if least == 0 or (a.error >= least and closely == INF):
        return replace(a, low=-INF, high=INF, error=INF, whole=False, noise=_any(a.noise))
    low, high = _outward(1 / a.high, 1 / a.low)
    gap = (least - a.error) * least
    error = min(closely, a.error / gap if gap > 0 else INF) * SLACK
    if a.known:
        low = high = 1 / a.low
    return replace(a, low=low, high=high, error=error, whole=False, noise=_any(a.noise))


def divide(a: Num, b: Num, columns: float = 100.0) -> Num:
    """Return a / b, where rows of a have at most so many columns."""
    if any(x.size == 0 and not x.scalar for x in (a, b)):  # nothing is divided
        return Num(0.0, 0.0, size=0.0, scalar=False, private=a.private or b.private)
    if b.norm is None:
        a, b = _of_one_type(a, b)
    _validate_factors(a, b)
    if a.known and b.known and b.low:
        try:
            value = a.low / b.low
        except OverflowError:
            value = INF
        inv = inverse(b)
        error = a.error * abs(inv.low) + abs(a.low) * inv.error + a.error * inv.error
        exactly = a.unit == b.unit == EXACT and not (a.whole and b.whole)  # of fractions
        unit = EXACT if exactly else max(a.unit, b.unit, DOUBLE)
        common = _common(a, b) | {"unit": unit, "wraps": False}
        found = Num(value, value, error, **common)
        if value == math.floor(value) if math.isfinite(value) else False:
            exact = value * b.low == a.low and abs(value) < 2.0**53
            return replace(found, whole=error == 0 and exact)
        return rounded(found)
    if b.norm is not None and b.norm[0] is a:  # each row is shortened to 1/factor
        # Two rows are no farther apart once both are shortened.
        steep = max(1.0, 1 / b.low) if b.low > 0 else INF
        if a.error < INF:
            return _shortened(a, 1 / b.norm[1], steep, columns)
    if b.sum_of is a and b.noise is None:  # an entry that is divided is one of those in the sum
        b = replace(b, low=max(b.low, a.low * DOWN))
    found = multiply(a, inverse(b))
    if b.known and b.low > 0 and a.norm is not None:
        found = replace(found, norm=(a.norm[0], a.norm[1] / b.low))
    exactly = a.unit == b.unit == EXACT and not (a.whole and b.whole)
    unit = EXACT if exactly else max(found.unit, DOUBLE)
    if _is_scaling(a, b, unit):
        return replace(found, whole=False, unit=unit, error=TINY)
    found = rounded(replace(found, whole=False, unit=unit))
    if a.known and a.low > 0 and b.norm is not None and b.low >= 0:  # infinite, over 0
        over = b.norm[0], a.low / b.norm[1] * UP
        return replace(found, low=max(found.low, 0.0), over=over)
    return found


def _is_scaling(a: Num, b: Num, unit: float) -> bool:
    """Return whether the quotient by a power of 2 is exact unless it is nearly 0."""
    plain = a.error == b.error == 0 and a.noise is None and unit == DOUBLE and a.most <= 2.0**53
    return plain and b.known and b.scalar and b.low >= 1 and math.frexp(b.low)[0] == 0.5


def norm_rounding(columns: float) -> float:
    """Return the relative rounding error of a norm of so many entries, and of a quotient by it."""
    return 2.0**-46 * max(1.0, columns / 100.0)


def _shortened(a: Num, most: float, steep: float, columns: float = 100.0) -> Num:
    """Return rows that are shortened to a length, and how far apart those of two runs are then.

    Two rows are no farther apart than before, times a factor.
    """
    wide, rel = math.sqrt(columns), norm_rounding(columns)
    error = min(_times(wide * a.error, steep), 2 * wide * a.relative * most, 2 * most) + rel * most
    if a.noise is not None:  # a proof has no bound on released numbers but this one
        error = rel * most
    found = replace(a, low=-most * UP, high=most * UP, error=error, square=None)
    return rounded(replace(found, whole=False, rel=INF))


def no_longer(a: Num, most: float, off: float) -> Num:
    """Return an array that a test found no longer than that; the norm tested may be off so much.

    Where it is longer as real numbers, a proof is of the array that is shortened to that length.
    Of what released numbers make longer it has no bound but this one, which floats keep to.
    """
    if a.noise is not None and a.most - 2 * a.error > most:
        a, off = replace(a, error=_times(norm_rounding(a.size), most)), 0.0
    most = _times(most + off, SLACK + norm_rounding(a.size))
    return replace(a, low=max(a.low, -most), high=min(a.high, most), error=a.error + off)


def monotone(a: Num, function: Callable[[float], float], slope: float) -> Num:
    """Return f(a) for a function that rises, whose slope is at most that on the interval."""
    a = replace(a, unit=max(a.unit, DOUBLE), rel=INF, holds=-INF, peak=None, below=None,
                powers=None, over=None, norm=None)  # fmt: skip
    ends = []
    for end in (a.low, a.high):
        try:
            ends.append(function(end))
        except OverflowError:
            ends.append(INF)
        except ValueError:
            ends.append(-INF)
    low, high = (ends[0], ends[1]) if a.known else _outward(*ends)
    return rounded(replace(a, low=low, high=high, error=_times(slope, a.error), whole=False,
                           noise=_any(a.noise)), times=2.0)  # fmt: skip


def wave(a: Num) -> Num:
    """Return the sine or the cosine of a."""
    return replace(monotone(a, lambda _: 1.0, 1.0), low=-1.0, high=1.0)


def exponential(a: Num) -> Num:
    """Return e^a."""
    try:
        top = math.exp(min(a.high + min(a.error, 1.0), 710.0)) if a.high < 709 else INF
    except OverflowError:
        top = INF
    holds = math.exp(a.holds) * DOWN if -INF < a.holds < 700 else 0.0
    if a.error > 2.0**-10:
        return replace(beyond(monotone(a, math.exp, top)), error=INF)
    found = beyond(monotone(a, math.exp, top * SLACK))
    powers = None if a.below is None else (a.below[0], frozenset({a.below[1]}))
    high = min(found.high, 1.0) if a.high <= 0 else found.high
    return replace(
        found, powers=powers, rel=2 * found.unit, tilt=a.error * SLACK, holds=holds, high=high
    )


def logarithm(a: Num) -> Num:
    """Return log a."""
    if a.noise is not None:
        error = 2 * a.relative + 2.0**-40 if a.relative < 2.0**-10 else INF
        return replace(a, low=-2000.0, high=2000.0, whole=False, noise=_any(a.noise), error=error)
    if a.low <= 0 and a.relative < 2.0**-10 and a.high < INF:
        # Positive doubles are at least 2^-1074; what is 0 has the weight 0 of −inf.
        high = math.log(a.high) if a.high > 0 else 0.0
        error = 2 * a.relative + 2 * DOUBLE * 746
        return replace(a, low=-746.0, high=high, error=error, whole=False, rel=INF, holds=-INF,
                       unit=max(a.unit, DOUBLE))  # fmt: skip
    if a.low <= 0 or a.error >= a.low / 2:
        return replace(a, low=-INF, high=math.log(a.high) if 0 < a.high < INF else INF, error=INF,
                       whole=False)  # fmt: skip
    return monotone(a, math.log, 2 / a.low)


def root(a: Num) -> Num:
    """Return the square root of a."""
    low = max(a.low, 0.0)
    if a.square is None:
        validate_sign(a)
    else:
        high = math.sqrt(a.high) if a.high < INF else INF
        # Two norms are no farther apart than the vectors; squares below 2^-1074 are lost.
        near = _times(math.sqrt(a.square.size), a.square.error + 2.0**-500)
        near += _times(norm_rounding(a.square.size), high)
        return replace(
            a, low=math.sqrt(low), high=high, whole=False,
            error=min(min(a.relative * high, math.sqrt(a.error)) + 2 * DOUBLE * high, near),
            rel=a.relative + 2 * a.unit, norm=(a.square, 1.0), square=None,
        )  # fmt: skip
    if a.error == 0:
        slope = 0.0
    elif low <= 2 * a.error:
        found = monotone(replace(a, low=low, error=0.0), math.sqrt, 0.0)
        return replace(found, error=found.error + math.sqrt(a.error))
    else:
        slope = 1 / math.sqrt(low)
    return monotone(replace(a, low=low), math.sqrt, slope)


def absolute(a: Num) -> Num:
    """Return |a|."""
    noise = None if a.noise is None else replace(
        a.noise, width=a.noise.width / 2, uniform=None, role=SHOWN)  # fmt: skip
    return replace(a, low=smallest(a), high=a.most, noise=noise, below=None)


def extreme(a: Num, b: Num, largest: bool) -> Num:
    """Return max(a, b) or min(a, b), entry by entry."""
    pick = max if largest else min
    low, high = pick(a.low, b.low), pick(a.high, b.high)
    noise = merged(a, b)
    if a.noise is not None and b.noise is not None:
        noise = Noise(0.0, a.noise.draws | b.noise.draws)
    elif noise is not None:
        noise = replace(noise, uniform=None)
    if (a.low >= b.high) if largest else (a.high <= b.low):
        common = _common(a, b)
        return replace(a, unit=common["unit"], private=common["private"], columns=common["columns"])
    if (b.low >= a.high) if largest else (b.high <= a.low):
        return replace(
            b,
            **{
                k: v
                for k, v in _common(a, b).items()
                if k in ("size", "scalar", "private", "columns")
            },
        )
    norm = a.norm or b.norm if largest and (a.known or b.known) else None
    least = min(a.low, b.low)
    over = a.over or b.over if not largest and (a.known or b.known) and least >= 0 else None
    return Num(
        low, high, max(a.error, b.error), a.whole and b.whole, noise=noise, over=over,
        rel=max(a.relative, b.relative), norm=norm, **_common(a, b),
    )  # fmt: skip


def total(a: Num, count: float) -> Num:
    """Return a sum of up to `count` numbers, added in any order."""
    noise = a.noise and Noise(a.noise.width, a.noise.draws, a.noise.discrete, role=a.noise.role)
    low, high = (
        _times(end, count) * (1 + _drift(end, count, a.unit)) if end else 0.0
        for end in (min(a.low, 0.0), max(a.high, 0.0))
    )
    # Adding up n numbers of magnitude M in any order is off by (n−1)·n·M·unit (Jeannerod & Rump
    # 2013), and by unit times the magnitudes of all sums on the way (Higham 2002, §4.2): a sum of
    # k numbers is at most k·M, a little more in floats, and 2 + … + n < n·(n+1)/2.
    rel = INF
    if a.low >= 0:
        least = _times(a.low, a.fewest) * max(0.0, 1 - _drift(a.low, count, a.unit))
        low = max(low, a.holds, least if count == a.size else 0.0)
        rel = _rel(a) + count * a.unit
    found = Num(
        *_outward(low, high), _times(a.error, count), a.whole, a.unit,
        a.wraps, 1.0, noise, True, rel, tilt=a.tilt, square=a.square,
        private=a.private, vast=a.vast,
    )  # fmt: skip
    found = beyond(found, a) if a.most < INF else found
    times, grown = max(0.0, count - 1), 1 + 2 * count * a.unit
    return rounded(found, times=min(times, (count + 1) / 2 * grown) if grown < 2 else times)


def _drift(end: float, count: float, unit: float) -> float:
    """Return how far, relatively, sums of up to `count` numbers may round beyond `count` ends.

    Rounding is monotone: where every multiple is a float, no sum passes it. Else n roundings are
    off by a factor of (1 + unit)^n (Higham 2002, §4.2).
    """
    if count <= 1 or unit == EXACT or not math.isfinite(end * count):
        return 0.0
    digits = abs(end.as_integer_ratio()[0])
    digits >>= max(0, (digits & -digits).bit_length() - 1)
    if digits * count * unit <= 1:
        return 0.0
    return 2 * count * unit if count * unit < 0.5 else INF


def compared(a: Num, b: Num, equal: bool, ledger: Ledger, place: str, strict: bool) -> Num:
    """Return the outcome of a comparison, after its obligation."""
    size = max(a.size, b.size)
    private = (a.private or b.private) and not (strict and (a.noise or b.noise))
    outcome = replace(
        truth(size, a.scalar and b.scalar), private=private, columns=max(a.columns, b.columns)
    )
    if a.noise is None and b.noise is None:
        return outcome
    if a.noise is None:
        a, b = b, a
    assert a.noise is not None
    hidden = a.private or b.private or any(ledger.is_fresh(number) for number in (a, b))
    released = not strict and not hidden
    if equal:
        both = a.noise.discrete and (b.noise is None or b.noise.discrete)
        used = a.noise.draws if b.noise is None else a.noise.draws | b.noise.draws
        free = released and not used & ledger.shown  # a proof may know the law of bare noise
        if not free and (not both or a.error or b.error):
            raise Refused("continuous noise is compared for equality", place)
        return outcome
    noise = a.noise
    if noise.uniform is not None and b.noise is None:
        low, high = noise.uniform
        width = high - low
        if width <= 0:
            raise Refused("a uniform draw is compared whose range is lost in floats", place)
        shifted = Num((b.low - low) / width, (b.high - low) / width, b.error / width, size=size)
        if (shifted.high <= 0 or shifted.low >= 1) and b.known and b.error == 0:
            return outcome
        ledger.probability(shifted, place, step=(a.error / width) + DOUBLE)
        return outcome
    width = noise.width
    if b.noise is not None:
        width = 0.0 if noise.draws & b.noise.draws else max(noise.width, b.noise.width)
    if not strict and noise.draws <= ledger.uniform and b.private and b.noise is None:
        _move(b, a, noise.width, ledger, place)
        return outcome
    for side in (a, b):
        if side.private and side.error and (side.noise is None or not ledger.is_bare(side)):
            ledger.release(side, width, size, place, noise.discrete)
    if released:
        return outcome  # post-processing of the floats as they are
    apart = noise.discrete and (b.noise is None or b.noise.discrete)
    if apart and (not strict or a.error + b.error == 0):
        return outcome
    if strict or width > 0:
        ledger.compare(width, a.error + b.error, place, size)
    return outcome
