"""Arithmetic on scalars of two runs: what becomes of their ranges, and of their changes.

For v' = v + d and w' = w + e:  v'w' - vw = v'e + wd,  v'/w' - v/w = d/w' - (v/w)(e/w'), and
max(v', w') - max(v, w) lies between the lesser of the least changes and the greater of the
greatest, and is no larger than the range that both lie in.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost import each_run, lengths, noise, smooth, thresholds, weights
from dpaudit.checker.cost.compare import compared, found, is_zero_possible
from dpaudit.checker.cost.ends import (
    HALF,
    INF,
    ONE,
    ZERO,
    End,
    end,
    is_finite,
    least,
    less,
    margin_of,
    most,
    plus,
    product,
    same,
    sign,
    times,
)
from dpaudit.checker.cost.records import Var, stepped
from dpaudit.checker.cost.relative import form_of, is_nonzero, magnitude, multiple
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import (
    ENDS,
    NONE,
    SHARED,
    SIGN,
    AtLeast,
    Change,
    Shared,
    Sofar,
    Unknown,
    Vague,
    is_common,
    is_known,
    is_number,
    kept_ends,
    kind_of,
    negation,
    truth_value,
    unknown,
)
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.operators import ARITHMETIC, LOGIC, MEANING, ORDERS
from dpaudit.checker.rounding import NEAR, cancels, is_nearly_whole
from dpaudit.checker.wording import described, in_words

EXTREME = frozenset({"maximum", "minimum", "fmax", "fmin"})
_LARGEST = 2**63 - 1
_MOST_BITS = 63
_EXPONENTS = 1000  # of 2
_MOST_POWER = 16
_QUOTIENTS = 2**20
_BY_VALUE = frozenset({"mod", "floordiv", "pow"}) | LOGIC  # of which ranges say little
BINARY = ARITHMETIC | EXTREME | LOGIC | frozenset(ORDERS)


@dataclass(frozen=True, slots=True)
class Operands:
    """Two scalars, as they are and as intervals."""

    run: Run
    x: Unknown
    y: Unknown
    a: Any
    b: Any


def binary(run: Run, name: str, a: Any, b: Any) -> Any:
    """Return a function of two scalars.

    Raises
    ------
    NotCheckedError
        Where it is not understood.
    """
    a, b = given = found(run, a), found(run, b)
    if isinstance(a, Sofar) or isinstance(b, Sofar):
        return _grown(run, name, a, b)
    if run.lane is None and (weighed := weights.combined(run, name, a, b)) is not None:
        return weighed
    if run.lane is None and (outcome := thresholds.compared(run, name, a, b)) is not None:
        return outcome
    if noise.is_noise(a) or noise.is_noise(b):
        return noise.binary(run, name, a, b)
    if name in ORDERS:
        return compared(run, name, a, b)
    a = _settled(a)
    b = a if given[0] is given[1] else _settled(b)
    vague = run.lane and name in ARITHMETIC and (_is_vague(a) or _is_vague(b))
    if vague and not _shrinks(name, a, b) and not _is_plain(name, a, b):
        told = any(isinstance(v, Vague) and v.of for v in (a, b))
        return Vague(not _is_never_nan(name, a, b), (name, *given) if told else None)
    if isinstance(a, Shared) or isinstance(b, Shared):
        return shared(run, name, a, b)
    if is_known(a) and is_known(b):
        result = within_range(run, _known(run, name, a, b))
        squared = (name == "mul" and given[0] is given[1]) or (name == "pow" and b == 2)
        if run.lane and squared and isinstance(result, Number):
            return lengths.remembered(name, *given, unknown(result))
        # A bound of the program becomes a number of this record: equal entries are still two.
        own = run.lane and name in EXTREME and isinstance(result, Number)
        return copy.copy(result) if own else result
    if run.lane and name in EXTREME:
        given = _beyond(name, given[0]), _beyond(name, given[1])
        a, b = (_settled(v) for v in given)
    if kind_of(a) is None or kind_of(b) is None:
        raise run.refused(f"{in_words(name)} of {described(a)} and {described(b)}")
    if run.lane is None and name in _BY_VALUE:
        each = each_run.of_each(lambda v, w: within_range(run, _known(run, name, v, w)), a, b)
        if each is not None:
            return each_run.torn(run, *each, typed=True)
    if name in LOGIC:
        return _logic(run, name, a, b)
    if name == "add" and isinstance(a, Unknown) and _is_zero(b) and a.kind == "float":
        return a
    if name == "add" and isinstance(b, Unknown) and _is_zero(a) and b.kind == "float":
        return b
    if kind_of(a) == kind_of(b) == "bool":
        raise run.refused("arithmetic of two truth values")
    x, y = unknown(a), unknown(b)
    if name in ("fmax", "fmin"):
        result = _without_nan(run, name, x, y)
    else:
        # Of one record, what is chosen between infinities and bounds is a number all the same.
        if not (run.lane and name in EXTREME) or x.nan or y.nan:
            _validate_regular(run, name, x, y)
        if name in EXTREME:
            result = _counted(run, name, a, b, extreme(name, x, y))
        else:
            result = within_range(run, _ARITHMETIC[name](Operands(run, x, y, a, b)))
            steps = stepped(name, *given) if run.lane else None
            if steps is not None and isinstance(result, Unknown):
                return replace(result, made=steps)
    made = None if run.lane else weights.of_released(name, a, b)
    if made is not None and isinstance(result, Unknown):
        return replace(result, made=made)
    return lengths.remembered(name, *given, result)


def _counted(run: Run, name: str, a: Any, b: Any, result: Unknown) -> Unknown:
    """Return the larger of a number of records and a whole number with what it counts."""
    for length, count in ((a, b), (b, a)):
        known = name == "maximum" and type(count) is int and count >= 1 and run.lane is None
        if known and isinstance(length, Unknown) and length.kind == "int" and length.sum_of:
            of, factor = length.sum_of
            if factor == ONE:
                return replace(result, sum_of=(AtLeast(of, number(count)), ONE))
    return result


def _grown(run: Run, name: str, a: Any, b: Any) -> Sofar:
    """Return what earlier records have made of a number, with what this one adds."""
    if name == "add" and not isinstance(a, Sofar):
        a, b = b, a
    plain = isinstance(b, Var) or (kind_of(b) is not None and not isinstance(b, float))
    if name not in ("add", "sub") or not isinstance(a, Sofar) or not plain:
        raise run.refused("a value that depends on earlier records")
    if run.lane == "any":  # a later way knows nothing of what a test told on this one
        b = lengths.in_short(b, run.short)
    if kind_of(b) == "bool":
        b = unary(run, "int", b)
    if name == "sub":
        b = unary(run, "neg", b)
    return replace(a, added=b if a.added is None else binary(run, "add", a.added, b))


def _is_zero(value: Any) -> bool:
    return isinstance(value, int | Number) and number(value).sign() == 0


def within_range(run: Run, value: Any) -> Any:
    """Refuse integers that 64 bits do not hold, and known numbers that no float is near."""
    if isinstance(value, Unknown) and value.kind == "int":
        for at in (value.low, value.high):
            if isinstance(at, Number) and at.fraction is not None and abs(at.fraction) > _LARGEST:
                raise run.refused("an integer that 64 bits do not hold")
    elif isinstance(value, Number) and value.fraction:
        scale = value.fraction.numerator.bit_length() - value.fraction.denominator.bit_length()
        if abs(scale) > _EXPONENTS:
            raise run.refused("a number beyond the floats")
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise run.refused("an integer that 64 bits do not hold")
    return value


def mixed(name: str) -> str:
    """Return what an operation on private data and another value is, that is no noise to it."""
    return f"{in_words(name)} of private data and a value without a known distribution"


def shared(run: Run, name: str, *values: Any) -> Any:
    """Return what both runs share, computed of what they share."""
    if not all(map(is_common, values)):
        raise run.refused(mixed(name))
    return SHARED


def _settled(value: Any) -> Any:
    return value.snapshot() if isinstance(value, Var) else value


def _is_vague(value: Any) -> bool:
    """Whether what is computed of a record's value may be NaN, or beyond the floats."""
    if isinstance(value, Unknown):
        return not (value.regular and is_finite(value.low) and is_finite(value.high))
    return isinstance(value, Vague | float | Shared)


def _is_never_nan(name: str, a: Any, b: Any) -> bool:
    """Whether a sum has one operand at most that may be infinite, and none that may be NaN."""
    vague = [value for value in (a, b) if _is_vague(value)]
    return name in ("add", "sub") and len(vague) == 1 and not _may_be_nan(vague[0])


def _is_plain(name: str, a: Any, b: Any) -> bool:
    """Whether a result is an ordinary number over the reals; that floats hold it is checked apart.

    It has no bounds where an operand has none, such as a released number.
    """
    regular = all(is_number(v) or (isinstance(v, Unknown) and v.regular) for v in (a, b))
    if not regular or _kind(a, b) != "float":
        return False
    square = name == "pow" and b == 2
    ordinary = square or name in ("add", "sub", "mul")
    return ordinary or (name == "truediv" and sign(unknown(b).low) > 0)


def _may_be_nan(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return isinstance(value, Shared) or bool(value.nan)


def _beyond(name: str, value: Any) -> Any:
    """Return a number without bounds as one that may be any float, others as they are.

    Of the functions that choose, only fmax and fmin do not pass NaN on.
    """
    if isinstance(value, Vague) and value.of is not None:
        value = lengths.inverse(*value.of) or value
    if not isinstance(value, Vague) or (value.nan and name not in ("fmax", "fmin")):
        return value
    return Unknown("float", nan=value.nan, infinite=True)


def divided(run: Run, a: Any, b: Any) -> Any:
    """Return a quotient of entries of arrays: where Python's raises, it is infinite or NaN."""
    a, b = found(run, a), found(run, b)
    divisor = b.snapshot() if isinstance(b, Var) else b
    may_raise = run.lane and isinstance(divisor, Unknown) and is_zero_possible(divisor)
    return Vague(of=("truediv", a, b)) if may_raise else binary(run, "truediv", a, b)


def raised(run: Run, x: Any) -> Any:
    """Return e to an entry of an array: where Python's raises, it is infinite."""
    plain = run.lane is not None and isinstance(x, Unknown) and x.regular
    if plain and not (is_finite(x.low) and is_finite(x.high)):
        return Unknown("float", ZERO)  # over the reals; that floats hold it is checked apart
    return unary(run, "exp", x)


_EVERY = frozenset("<=>")
_TELLING = {"isnan": False, "notnan": True, "isfinite": True, "notfinite": False}
_CONTRARY = {"isnan": "notnan", "notnan": "isnan", "isfinite": "notfinite", "notfinite": "isfinite"}


def order_told(tested: Any, *, outcome: bool) -> frozenset[str]:
    """Return how a number compares where a test of it comes out so, empty where that is not told.

    Where a test tells that it is neither NaN nor infinite, any order is possible.
    """
    if tested[0] in _TELLING:
        return _EVERY if _TELLING[tested[0]] is outcome else frozenset()
    if tested[0] not in ORDERS:
        return frozenset()
    return ORDERS[tested[0]] if outcome else _EVERY - ORDERS[tested[0]]


def retold(run: Run, value: Any, tested: Any, order: frozenset[str]) -> Any:
    """Return what may be beyond the floats as what it is where a number compares so with another.

    Parameters
    ----------
    run : Run
    value : scalar
    tested : tuple or None
        The comparison, the number, and what it is compared with.
    order : frozenset of {"<", "=", ">"}
        How they compare, where it is a number; empty where nothing is told.
    """
    if isinstance(value, Vague) and value.of is not None:
        name, *given = value.of
        given = [retold(run, each, tested, order) for each in given]
        return divided(run, *given) if name == "truediv" else binary(run, name, *given)
    if tested is None or value is not tested[1] or not order:
        return value
    if tested[0] in _TELLING:
        return replace(value, nan=False, infinite=value.infinite and "nan" in tested[0])
    if value.nan:
        return value
    low = value.low if "<" in order else most((value.low, tested[2]))
    high = value.high if ">" in order else least((value.high, tested[2]))
    infinite = value.infinite and not (is_finite(low) and is_finite(high))
    return replace(value, low=low, high=high, infinite=infinite)


def _validate_regular(run: Run, name: str, *values: Unknown) -> None:
    """Refuse NaN and infinities."""
    for x in values:
        if not x.regular:
            raise run.refused(f"{in_words(name)} of what may be NaN or infinite")


def _shrinks(name: str, a: Any, b: Any) -> bool:
    """Whether a result is a number where the first operand is one, and no larger."""
    known = name == "truediv" and is_number(b) and isinstance(a, Unknown) and a.regular
    return known and (abs(number(b)) - 1).sign() >= 0


def _kind(a: Any, b: Any) -> Any:
    return "float" if "float" in (kind_of(a), kind_of(b)) else "int"


# --- known numbers


def _known(run: Run, name: str, a: Any, b: Any) -> Any:
    if name in LOGIC and type(a) is type(b) and type(a) in (bool, int):
        return MEANING[name](a, b)
    if kind_of(a) is None or kind_of(b) is None or name in LOGIC:
        raise run.refused(f"{in_words(name)} of {described(a)} and {described(b)}")
    if isinstance(a, bool) and isinstance(b, bool):
        raise run.refused("arithmetic of two truth values")
    if name in EXTREME:
        return _known_extreme(name, a, b)
    a, b = (int(v) if isinstance(v, bool) else v for v in (a, b))
    if isinstance(a, float) or isinstance(b, float):
        raise run.refused(f"{in_words(name)} of NaN or an infinity")
    whole = isinstance(a, int) and isinstance(b, int)
    try:
        match name:
            case "add" | "sub":
                return _sum(run, a, b if name == "add" else -b)
            case "mul":
                return a * b
            case "truediv":
                return number(a) / number(b)
            case "floordiv" if whole:
                return a // b
            case "mod" if whole:
                return a % b
            case "pow" if whole and 0 <= b <= 1000:
                return a**b
            case "pow" if not whole:
                return number(a) ** number(b)
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise run.refused(f"{in_words(name)}: {error}") from None
    raise run.refused(f"{in_words(name)} of such numbers")


def shifted(run: Run, name: str, a: int, b: int) -> int:
    """Return a known whole number shifted by so many bits as both Python and NumPy understand."""
    if not 0 <= b < _MOST_BITS:
        raise run.refused(f"{in_words(name)} by that many bits")
    found: int = within_range(run, MEANING[name](a, b))
    return found


def _sum(run: Run, a: Any, b: Any) -> Any:
    """Return a sum of known numbers, of which enough is left when it is rounded."""
    total = a + b
    if not isinstance(total, int) and cancels(a, b, total):
        raise run.refused("large numbers that cancel")
    return total


def _known_extreme(name: str, a: Any, b: Any) -> Any:
    nan = [isinstance(v, float) and math.isnan(v) for v in (a, b)]
    if any(nan):
        if name in ("maximum", "minimum"):
            return math.nan
        kept = [v for v, bad in zip((a, b), nan, strict=True) if not bad]
        return _as_kind(kept[0], _kind(a, b)) if kept else math.nan
    chosen = max if name in ("maximum", "fmax") else min
    value = chosen((a, b), key=_Key)
    return _as_kind(value, _kind(a, b))


class _Key:
    """Orders ends."""

    def __init__(self, value: Any) -> None:
        self._end = end(value)

    def __lt__(self, other: _Key) -> bool:
        return less(self._end, other._end)


def _as_kind(value: Any, kind: str) -> Any:
    if isinstance(value, float):
        return value
    return number(value) if kind == "float" else int(value)


# --- ranges and changes


def extreme(name: str, x: Unknown, y: Unknown) -> Unknown:
    """Return the larger or the smaller of two numbers."""
    choose = most if name in ("maximum", "fmax") else least
    low, high = choose((x.low, y.low)), choose((x.high, y.high))
    if x.shared and y.shared:
        change = NONE
    else:
        (a, b), (c, d) = x.change.ends(), y.change.ends()
        fallen, risen = least((a, c)), most((b, d))
        if is_finite(low) and is_finite(high):
            fallen, risen = most((fallen, low - high)), least((risen, high - low))
        change = Change(fallen, risen)
    infinite = (x.infinite or y.infinite) and not (is_finite(low) and is_finite(high))
    side, bound = ("low", low) if choose is most else ("high", high)
    kept = kept_ends(x) & kept_ends(y) | _kept_by_one(x, y, side, bound)
    return Unknown(_kind(x, y), low, high, change, infinite=infinite, kept=kept)


def _kept_by_one(x: Unknown, y: Unknown, side: str, bound: End) -> set[str]:
    """Return the end of the larger of two numbers to which the float of either keeps."""
    for each in (x, y):
        own = getattr(each, side)
        alike = is_finite(own) and is_finite(bound) and own.fraction == bound.fraction is not None
        if side in kept_ends(each) and (own is bound or alike):
            return {side}
    return set()


def _without_nan(run: Run, name: str, x: Unknown, y: Unknown) -> Unknown:
    """Return fmax or fmin, which leave NaN out: either alone may be the result."""
    if x.nan and y.nan:
        raise run.refused(f"{in_words(name)} of NaN and NaN")
    if not (x.shared and y.shared) and not (x.regular and y.regular):
        raise run.refused(f"{in_words(name)} of what may be NaN or infinite")
    result = extreme(name, x, y)
    low, high = result.low, result.high
    for one, other in ((x, y), (y, x)):
        if one.nan:
            low, high = least((low, other.low)), most((high, other.high))
    bounded = is_finite(low) and is_finite(high)
    infinite = (x.infinite or y.infinite) and not bounded
    return Unknown("float", low, high, result.change, infinite=infinite)


def _add(o: Operands) -> Unknown:
    x, y = o.x, o.y
    ends = plus(x.low, y.low), plus(x.high, y.high)
    one, other = form_of(o.a), form_of(o.b)
    form = None if one is None or other is None else one.plus(other)
    return Unknown(_kind(x, y), *ends, x.change.plus(y.change), form=form)


def _subtract(o: Operands) -> Unknown:
    return _add(replace(o, y=negative(o.y), b=None))


def negative(x: Unknown) -> Unknown:
    """Return -x."""
    turned = frozenset({"low": "high", "high": "low"}[side] for side in x.kept)
    return Unknown(x.kind, -x.high, -x.low, x.change.times(-ONE), kept=turned)


def _multiply(o: Operands) -> Unknown:
    x, y = o.x, o.y
    for one, factor in ((x, o.b), (y, o.a)):
        factor = int(factor) if isinstance(factor, bool) else factor
        if is_number(factor):
            return scaled(one, number(factor), _kind(x, y))
    low, high = product((x.low, x.high), (y.low, y.high))
    if x is y:
        low = most((low, ZERO))
    if x.shared and y.shared:
        return Unknown(_kind(x, y), low, high)
    for one, other in ((x, y), (y, x)):
        if one.sure and not (is_finite(one.low) and is_finite(one.high)):
            relative = multiple(one, other)
            if relative is not None:
                return Unknown("float", low, high, relative)
    left = product((x.low, x.high), y.change.ends())
    right = product((y.low, y.high), x.change.ends())
    # Both products are between low and high too, which is no more than so far apart.
    least_move = most((plus(left[0], right[0]), plus(low, -high)))
    most_move = least((plus(left[1], right[1]), plus(high, -low)))
    return Unknown(_kind(x, y), low, high, Change(least_move, most_move))


def scaled(x: Unknown, factor: Number, kind: Any) -> Unknown:
    """Return a known multiple."""
    low, high = times(x.low, factor), times(x.high, factor)
    if factor.sign() < 0:
        low, high = high, low
    over = None
    if x.sum_of is not None and factor.sign() != 0:
        over = (x.sum_of[0], x.sum_of[1] * factor)
    form = None if x.form is None else x.form.times(factor)
    turned = kind == "float" and factor.sign() == 0 and less(x.low, ZERO)
    turned = turned and not less(x.high, ZERO)
    change = SIGN if turned and not x.shared else x.change.times(factor)
    return Unknown(kind, low, high, change, sum_of=over, form=form)


def _divide(o: Operands) -> Unknown:
    x, y = o.x, o.y
    if is_number(o.b):
        if number(o.b).sign() == 0:
            raise o.run.refused("a division by zero")
        return scaled(x, 1 / number(o.b), "float")
    if is_zero_possible(y):
        if x.shared and y.shared and not o.run.lane:
            sure = x.sure and y.sure and is_nonzero(y, o.run.facts)
            o.run.doubtful = o.run.doubtful or not sure
            return Unknown("float", sure=sure)
        raise o.run.refused("a division by what may be zero")
    inverse = _inverse(y.high), _inverse(y.low)
    ratio = product((x.low, x.high), inverse)
    if x.shared and y.shared:
        return Unknown("float", *ratio)
    one = product(x.change.ends(), inverse)
    other = product(ratio, product(y.change.ends(), inverse))
    return Unknown("float", *ratio, Change(plus(one[0], -other[1]), plus(one[1], -other[0])))


def _inverse(value: Any) -> Any:
    return 1 / value if isinstance(value, Number) else ZERO


def _power(o: Operands) -> Any:
    x, exponent = o.x, o.b
    if isinstance(exponent, Number) and exponent.fraction in (1, 2):
        x = Unknown("float", x.low, x.high, x.change)
    if is_number(exponent) and number(exponent).fraction in (1, 2):
        return x if exponent == 1 else _multiply(Operands(o.run, x, x, x, x))
    if x.shared and o.y.shared and not o.run.lane:
        return SHARED
    if is_number(exponent) and number(exponent) == HALF:
        return _of_interval(o.run, "sqrt", replace(x, kind="float"))
    if type(exponent) is int and 2 < exponent <= _MOST_POWER:
        return _times_itself(o.run, x, exponent)
    raise o.run.refused("this power")


def _times_itself(run: Run, x: Unknown, times_: int) -> Unknown:
    """Return a whole power, which is not negative where it is an even one."""
    result = x
    for _ in range(times_ - 1):
        result = within_range(run, _multiply(Operands(run, result, x, result, x)))
    return result if times_ % 2 else replace(result, low=most((result.low, ZERO)))


def _floor_divide(o: Operands) -> Any:
    """Return x // y for a record's number and a known positive one."""
    if o.x.shared and o.y.shared and not o.run.lane:
        return SHARED
    divisor = o.run.lane is None and type(o.b) is int and o.b > 0
    if divisor and o.x.kind == "int" and is_finite(o.x.low) and is_finite(o.x.high):
        low, high = (end(math.floor(e.fraction) // o.b) for e in (o.x.low, o.x.high))
        fallen, risen = o.x.change.times(1 / number(o.b)).ends()
        fallen, risen = _rounded(o.run, math.floor, fallen), _rounded(o.run, math.ceil, risen)
        return Unknown("int", low, high, Change(fallen, risen))
    _validate_divisible(o)
    if _kind(o.x, o.y) == "int":
        low, high = (end(math.floor(e.fraction) // o.b) for e in (o.x.low, o.x.high))
        return _one(o.run, Unknown("int", low, high))
    ends = [_quotients(o.run, e, number(o.b)) for e in (o.x.low, o.x.high)]
    low, high = least(pair[0] for pair in ends), most(pair[1] for pair in ends)
    if sign(o.x.low) >= 0:
        low = most((low, ZERO))
    return _one(o.run, Unknown("float", low, high))


def _quotients(run: Run, x: Number, y: Number) -> tuple[Number, Number]:
    """Return the two whole numbers between which floats put a quotient that is rounded down.

    Python and NumPy take the remainder, which is exact, and divide what is left.
    """
    if x.fraction is None or y.fraction is None or abs(x.fraction / y.fraction) > _QUOTIENTS:
        raise run.refused("a division without remainder")
    quotient = x.fraction / y.fraction
    off = NEAR * (1 + abs(quotient))
    return end(math.floor(quotient - off)), end(math.floor(quotient + off))


def _remainder(o: Operands) -> Any:
    """Return x % y for a record's number and a known positive one."""
    if o.x.shared and o.y.shared and not o.run.lane:
        return SHARED
    _validate_divisible(o)
    if _kind(o.x, o.y) == "int":
        return _one(o.run, Unknown("int", ZERO, end(o.b - 1)))
    return _one(o.run, Unknown("float", ZERO, number(o.b)))  # which a sum with it may round to


def _validate_divisible(o: Operands) -> None:
    known = is_number(o.b) and number(o.b).sign() > 0 and o.x.kind != "bool"
    if not (o.run.lane and known and is_finite(o.x.low) and is_finite(o.x.high)):
        raise o.run.refused("a division without remainder")


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _subtract,
    "mul": _multiply,
    "truediv": _divide,
    "pow": _power,
    "floordiv": _floor_divide,
    "mod": _remainder,
}


def _logic(run: Run, name: str, a: Any, b: Any) -> Any:
    if kind_of(a) != "bool" or kind_of(b) != "bool":
        raise run.refused(f"{in_words(name)} of numbers")
    for one, other in ((a, b), (b, a)):
        if name == "and_" and one is False:
            return False
        if name == "or_" and one is True:
            return True
        if isinstance(one, bool) and name != "xor":
            return other
    x, y = unknown(a), unknown(b)
    if x.shared and y.shared:
        return truth_value()
    return truth_value(Change(end(-1), end(1)))


# --- functions of one scalar


def unary(run: Run, name: str, a: Any) -> Any:
    """Return a function of one scalar."""
    a = found(run, a)
    if isinstance(a, Var) and name in (*_WHOLE, "int"):
        if name not in a.derived:
            told = a.snapshot()
            result = _of_interval(run, name, told)
            a.derived[name] = a if result is told else result
        return a.derived[name]
    if noise.is_noise(a):
        return noise.unary(run, name, a)
    a, given = _settled(a), a
    if isinstance(a, Shared):
        return SHARED
    if name == "float" and isinstance(a, weights.Weight | weights.Total | weights.Mark):
        return a
    if name == "abs" and isinstance(a, weights.Weight | weights.Total):
        return a  # powers of e are positive
    if isinstance(a, Vague) and name in ("neg", "pos", "abs", "float"):
        return a
    kind = kind_of(a)
    if kind is None:
        raise run.refused(f"{in_words(name)} of {described(a)}")
    if name == "not":
        return _not(run, a)
    if isinstance(a, bool | float) or kind == "bool":
        return _of_truth(run, name, a)
    if is_known(a):
        return _known_unary(run, name, a)
    result = _of_interval(run, name, a)
    return lengths.of_one(name, given, result) if run.lane or not a.shared else result


def _not(run: Run, a: Any) -> Any:
    if isinstance(a, bool):
        return not a
    if kind_of(a) != "bool":
        raise run.refused("the negation of a number")
    if a.tested is not None and a.tested[0] in _CONTRARY:
        tested = (_CONTRARY[a.tested[0]], *a.tested[1:])
        return replace(truth_value(a.change.times(-ONE)), tested=tested)
    if run.lane is None and a.shared:
        return negation(a)
    return truth_value(a.change.times(-ONE))


def _of_truth(run: Run, name: str, a: Any) -> Any:
    """Return a number for a truth value; NaN and infinities have none here."""
    if isinstance(a, float) or name not in ("float", "int"):
        raise run.refused(f"{in_words(name)} of a truth value, NaN or an infinity")
    if isinstance(a, bool):
        return number(a) if name == "float" else int(a)
    return Unknown("float" if name == "float" else "int", a.low, a.high, a.change)


def _known_unary(run: Run, name: str, a: Any) -> Any:
    x = number(a)
    try:
        match name:
            case "neg":
                return -a
            case "abs":
                return abs(a)
            case "pos":
                return a
            case "float":
                return x
            case "int" if isinstance(a, int):
                return a
            case "int" | "trunc":
                return int(_apart_from_whole(run, x))
            case "floor" | "ceil" | "rint":
                return _whole(run, name, x)
            case "sign":
                return _as_kind(number(x.sign()), "int" if isinstance(a, int) else "float")
            case "log" if x.double != x.fraction and cancels(x, -1, x - 1):
                raise run.refused("the logarithm of a number that floats may take for 1")
            case _ if name in smooth.FUNCTIONS:
                of = smooth.FUNCTIONS[name].of
                return smooth.of_interval(name, unknown(x), of_record=True) if of is None else of(x)
            case "square":
                return a * a
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise run.refused(f"{in_words(name)}: {error}") from None
    raise run.refused(f"{in_words(name)} of a number")


_WHOLE: dict[str, Callable[[Any], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "rint": round,
}


def _whole(run: Run, name: str, x: Number) -> Number:
    """Return a whole number; NumPy leaves it a float."""
    _apart_from_whole(run, x * 2)
    return number(_WHOLE[name](_apart_from_whole(run, x)))


def _apart_from_whole(run: Run, x: Number) -> Fraction:
    """Return a fraction on the same side of whole numbers as a number and its float."""
    near = x.fraction
    if near is None:
        middle = x.ball.mid().fmpq()
        near = Fraction(int(middle.p), int(middle.q))
    wide = x.fraction is None and (near.denominator == 1 or float(x.ball.rad()) >= NEAR)
    if wide or is_nearly_whole(x):
        raise run.refused("a number that floats may put on the other side of a whole one")
    return near


def _steps(run: Run, name: str, x: Unknown) -> Any:
    """Return a whole number of one record's: none of these functions ever falls."""
    low, high = (_whole(run, name, e) if is_finite(e) else e for e in (x.low, x.high))
    return _one(run, Unknown(x.kind, low, high))


def _cut(run: Run, name: str, x: Unknown) -> Any:
    """Return a private number as a whole one, which moves by the next whole numbers at most.

    Halves go to even numbers: 0.5 and 1.5 are rounded to 0 and 2.
    """
    word = "trunc" if name == "int" else name
    low, high = (_whole(run, word, e) if is_finite(e) else e for e in (x.low, x.high))
    off = 1 if name == "rint" else 0
    downward, upward = x.change.ends()
    change = Change(
        plus(_rounded(run, math.ceil if off else math.floor, downward), end(-off)),
        plus(_rounded(run, math.floor if off else math.ceil, upward), end(off)),
    )
    kind: Any = "int" if name == "int" else x.kind
    return within_range(run, Unknown(kind, low, high, change))


def _rounded(run: Run, function: Callable[[Any], int], at: End) -> End:
    if not is_finite(at):
        return at
    if at.fraction is None:
        raise run.refused("a whole number that moves by a number that is not known exactly")
    return end(function(at.fraction))


def _length(run: Run, x: Unknown) -> Any:
    """Return a length; in a loop over records, one of which each test tells more."""
    if run.record is None or x.made is None:
        return x
    found_length = Var(x.kind, x.low, x.high, kept=frozenset())
    found_length.made = x.made
    run.norms.append(found_length)
    return found_length


def _one(run: Run, x: Unknown) -> Any:
    """Return a number of the record that is followed, of which each test tells more."""
    followed = run.lane == "changed" or run.ways is not None
    return Var(x.kind, x.low, x.high) if followed else x


def _of_interval(run: Run, name: str, x: Unknown) -> Any:
    if name == "float":
        same_sum = x.sum_of
        whole = x.whole or x.kind == "int"
        ends = x.low, x.high
        return Unknown("float", *ends, x.change, x.nan, x.infinite, same_sum, whole=whole)
    if name == "int" and x.whole and x.regular and not run.lane:
        return within_range(run, Unknown("int", x.low, x.high, x.change, sum_of=x.sum_of))
    if name in ("int", "pos") and (x.kind == "int" or name == "pos"):
        return x
    _validate_regular(run, name, x)
    match name:
        case "neg":
            return negative(x)
        case "abs":
            return absolute(x)
        case "square":
            return _multiply(Operands(run, x, x, x, x))
        case "sqrt" if run.lane and sign(x.low) >= 0:
            return _length(run, lengths.root(x))
        case "sqrt" if x.kind == "float" and lengths.rooted(x) is not None:
            change = NONE if x.shared else Change(-INF, INF)
            return Unknown("float", ZERO, change=change, made=lengths.rooted(x))
        case "floor" | "ceil" | "trunc" | "rint" if run.lane:
            return x if x.kind == "int" else _steps(run, name, x)
        case "int" if run.lane and is_finite(x.low) and is_finite(x.high):
            low, high = (_whole(run, "trunc", e) for e in (x.low, x.high))
            return _one(run, within_range(run, Unknown("int", low, high)))
        case "floor" | "ceil" | "trunc" | "rint" | "int" if not run.lane and not x.shared:
            return x if x.kind == "int" else _cut(run, name, x)
        case "sign" if run.lane:
            nearest = least((abs(x.low), abs(x.high)))
            if kept_ends(x) != ENDS and not less(margin_of(x.low, x.high), nearest):
                return Unknown(x.kind, -ONE, ONE)
            low = -ONE if less(x.low, ZERO) else ZERO if same(x.low, ZERO) else ONE
            high = ONE if less(ZERO, x.high) else ZERO if same(x.high, ZERO) else -ONE
            return Unknown(x.kind, low, high)
        case _ if name in smooth.FUNCTIONS and (run.lane or not (x.shared or name == "exp")):
            bounded = smooth.of_interval(name, x, of_record=bool(run.lane))
            if bounded is not None:
                return bounded
    if x.shared and not run.lane:
        made = weights.Total((weights.Weight(x),))
        return Unknown("float", ZERO, made=made) if name == "exp" else SHARED
    if name == "exp" and not run.lane:
        run.powers[x] = False
        return weights.Weight(x)
    raise run.refused(f"{in_words(name)} of private data")


def absolute(x: Unknown) -> Unknown:
    """Return |x|, which moves by no more than x."""
    if sign(x.low) >= 0:
        return x
    if sign(x.high) <= 0:
        return negative(x)
    far = ZERO if x.shared else x.change.far()
    change = NONE if x.shared else Change(-far, far)
    return Unknown(x.kind, ZERO, most((-x.low, x.high)), change, form=magnitude(x))
