"""Arithmetic of numbers and vectors while a program is read."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from dpaudit.formal import rounding
from dpaudit.formal.lemmas.magnitudes import cancels
from dpaudit.formal.lemmas.values import STEP, Number, Value, Vector
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Reading


def arithmetic(
    reading: Reading, word: str, left: Value, right: Value, place: Place
) -> Value | None:
    """Return a sum, difference, product or quotient of numbers and vectors."""
    if not isinstance(left, Number | Vector) or not isinstance(right, Number | Vector):
        return None
    length = _length(left, right, place)
    a, b = _entry(left), _entry(right)
    decay = _decay(word, left, right)
    if decay is None:
        return None
    whole = left.whole and right.whole
    if word in ("truediv", "floordiv"):
        _nonzero(reading, b, length, place)
        if word == "floordiv":
            if not (whole and b.is_Integer and b.is_positive):
                return None
            a = sympy.floor(a / b)
        else:
            a, whole = a / b, False
    else:
        if word != "mul":
            _not_absorbed(reading, a, b, place)
        found = {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b}[word]()
        if word != "mul" and not whole and _lost(reading, a, b, found):
            raise Unsupported("a sum in which floats lose what is left of it", place)
        a = found
    return Number(a, whole) if length is None else Vector(length, a, whole, decay)


def _lost(reading: Reading, a: Any, b: Any, found: Any) -> bool:
    if a.is_number and b.is_number:
        known = [Fraction(int(e.p), int(e.q)) for e in (a, b, found) if e.is_Rational]
        return len(known) == 3 and rounding.cancels(*known)
    return cancels(reading.names, (a, b), found)


def _not_absorbed(reading: Reading, a: Any, b: Any, place: Place) -> None:
    """Refuse a sum with a number so large that floats lose what a record changes."""
    public, private = (a, b) if a.is_number else (b, a)
    if not public.is_Rational or private.is_number:
        return
    totals, orders = reading.names.totals, reading.names.orders
    expanded, changes = sympy.expand(private), []
    for atom in sorted(
        (expanded.free_symbols & set(totals)) | expanded.atoms(AppliedUndef), key=str
    ):
        ends = totals[atom] if atom in totals else orders[atom.func]
        most = max((abs(e) for e in (ends.low, ends.high) if e is not None), default=1)
        changes.append(abs(expanded.coeff(atom)) * most)
    known = [each for each in changes if each.is_Rational and each > 0]
    if abs(public) > rounding.LARGEST * max(known, default=1):
        raise Unsupported(f"a sum with {sympy.N(public, 3)}, in which floats lose a record", place)


def pointwise(function: Any, left: Value, right: Value, place: Place) -> Value | None:
    """Return the larger or the smaller of two, entry by entry."""
    if not isinstance(left, Number | Vector) or not isinstance(right, Number | Vector):
        return None
    if _decay("add", left, right) is None:
        return None
    length, entry = _length(left, right, place), function(_entry(left), _entry(right))
    whole = left.whole and right.whole
    return Number(entry, whole) if length is None else Vector(length, entry, whole)


def _entry(value: Number | Vector) -> Any:
    return value.entry if isinstance(value, Vector) else value.expr


def _length(left: Value, right: Value, place: Place) -> Any:
    lengths = [value.length for value in (left, right) if isinstance(value, Vector)]
    if len(lengths) == 2 and sympy.expand(lengths[0] - lengths[1]) != 0:
        raise Unsupported("vectors whose lengths may differ", place)
    return lengths[0] if lengths else None


def _decay(word: str, left: Value, right: Value) -> Any:
    """Return β of e^(−βk), which products alone keep; None where it would be lost."""
    decays = [value.decay for value in (left, right) if isinstance(value, Vector)]
    total = sum(decays, sympy.Integer(0))
    return total if word == "mul" or all(decay == 0 for decay in decays) else None


def _nonzero(reading: Reading, divisor: Any, length: Any, place: Place) -> None:
    if divisor.is_number:
        if divisor.is_zero is not False:
            raise Unsupported("a division by what may be zero", place)
        return
    given = () if length is None else (sympy.Le(STEP, length - 1),)
    reading.facts.need(sympy.Gt(divisor, 0), given, "a divisor is positive", place)
