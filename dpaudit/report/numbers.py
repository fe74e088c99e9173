"""Numbers as people read them, rounded to the safe side."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def lower(value: float, digits: int = 3) -> str:
    """Write a lower bound with so many significant digits, rounded down."""
    return _rounded(value, digits, ROUND_FLOOR)  # rounds down


def upper(value: float, digits: int = 3) -> str:
    """Write an upper bound with so many significant digits, rounded up."""
    return _rounded(value, digits, ROUND_CEILING)  # rounds up


def _rounded(value: float, digits: int, rounding: str) -> str:
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else ("∞" if value > 0 else "-∞")
    if value == 0:
        return "0"
    exact = Decimal(repr(float(value)))  # as it is written: 1.58 and not 1.58000000000000007
    unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(unit, rounding=rounding)):.{digits}g}"


def e_value(log_e_value: float) -> str:
    """Write an e-value that is known by its natural logarithm, rounded down."""
    if not math.isfinite(log_e_value):
        return "unknown" if math.isnan(log_e_value) else ("∞" if log_e_value > 0 else "0")
    if abs(log_e_value) < math.log(1e6):
        return lower(math.exp(log_e_value))
    power = log_e_value / math.log(10)
    exponent = math.floor(power)
    return f"{lower(10 ** (power - exponent), 2)}e{exponent:+d}"


def duration(seconds: float) -> str:
    """Write a time."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
