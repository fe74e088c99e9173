"""Arithmetic of numbers, vectors and columns."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.checker.lemma import noise
from dpaudit.checker.lemma.closed import ZERO
from dpaudit.checker.lemma.smt_context import PLACE
from dpaudit.checker.lemma.values import FITS, Beyond, Column, Mixed, Num, Steps, public
from dpaudit.checker.operators import FIELD, INEQUALITIES, MEANING, ORDERS, TURNED
from dpaudit.checker.rounding import NEAR

if TYPE_CHECKING:
    from dpaudit.checker.lemma.follow import Follower

FEW_BITS = 2**31  # sums and differences of such integers do not overflow
CLIPS = {"numpy.fmax": ">=", "numpy.maximum": ">=", "numpy.fmin": "<=", "numpy.minimum": "<="}


def operator(at: Follower, word: str, args: list[Any]) -> Any:
    """Return what an operator gives; None where that is not known here."""
    if word == "neg" and len(args) == 1:
        return operator(at, "mul", [public(-1, whole=True), args[0]])
    if len(args) != 2:
        return None
    a, b = args
    if word in INEQUALITIES and isinstance(a, Num) and isinstance(b, Num):
        return _ordered(word, a, b)
    if word in INEQUALITIES:
        return noise.compared(word, a, b) or _beyond(word, a, b)
    found = noise.combined(word, a, b)
    if found is not None:
        return found
    if isinstance(a, Column) and isinstance(b, Num) and word in ("add", "sub"):
        by = b.closed
        if by is None or by.fraction is None:
            return None
        moved = by.fraction if word == "add" else -by.fraction
        whole = a.whole and b.whole
        ends: tuple[Any, ...] = (a.low + moved, a.high + moved)
        if whole and not all(abs(end) <= FEW_BITS for end in ends):
            return None  # integers of 64 bits may overflow
        return Column((word, a.key, str(by.fraction)), a.low + moved, a.high + moved, whole, a.nan)
    return _along(at, lambda p, q: _scalars(at, word, p, q), a, b, product=word == "mul")


def _along(
    at: Follower, make: Callable[[Num, Num], Num | None], a: Any, b: Any, *, product: bool
) -> Any:
    """Return an operation on numbers, entry by entry where one is a vector."""
    if isinstance(a, Num) and isinstance(b, Num):
        found = make(a, b)
        at.scene.exist()
        return found
    vectors = [v for v in (a, b) if isinstance(v, Steps)]
    if not vectors or not all(isinstance(v, Num | Steps) for v in (a, b)):
        return None
    decay = sum((v.decay for v in vectors), ZERO)
    same = len({v.length.text for v in vectors}) == 1
    if not same or (decay.sign() and not product):
        return None

    def each(place: str) -> Num:
        pair = [v.entry(place) if isinstance(v, Steps) else v for v in (a, b)]
        found = make(*pair)
        assert found is not None
        return found

    with at.scene.aside():
        probe = make(*(v.entry(PLACE) if isinstance(v, Steps) else v for v in (a, b)))
    if probe is None or (probe.whole and probe.size > FITS):
        return None
    return at.scene.exist_in(Steps(vectors[0].length, each, probe.whole, decay))


def _scalars(at: Follower, word: str, a: Num, b: Num) -> Num | None:
    if a.closed is not None and b.closed is not None:
        return _closed(word, a, b)
    if not a.text or not b.text:
        return None
    whole = a.whole and b.whole
    one, two = (a.text, b.text) if whole else (a.real, b.real)
    if word in ("add", "sub", "mul"):
        most = a.size * b.size if word == "mul" else a.size + b.size
        return Num(None, f"({'+-*'[('add', 'sub', 'mul').index(word)]} {one} {two})", whole, most)
    if word == "truediv":
        return Num(None, at.scene.quotient(a.real, b.real), False)
    if word == "floordiv" and whole and b.closed is not None and b.closed.sign() > 0:
        return Num(
            None, f"(div {one} {two})", True, a.size
        )  # rounds down, as its divisor is positive
    return None


def _ordered(word: str, a: Num, b: Num) -> bool | None:
    """Return how two public numbers compare; None where floats may tell otherwise."""
    if a.closed is None or b.closed is None:
        return None
    far = a.closed - b.closed
    sign = far.sign()
    size = a.closed * a.closed.sign() + b.closed * b.closed.sign()
    if not (a.whole and b.whole) and (far * sign - size * NEAR).sign() <= 0:
        return None
    return "=><"[sign] in ORDERS[word]


def _closed(word: str, a: Num, b: Num) -> Num | None:
    p: Any = a.closed
    q: Any = b.closed
    whole = a.whole and b.whole
    if word in ("truediv", "floordiv") and not q.sign():
        return None
    if word not in FIELD:
        return None
    value = MEANING[word](p, q)
    if not (whole or value.sign()) and -1 in (p.sign(), q.sign()):
        return None  # of floats that is -0.0, which arrays tell apart from 0.0
    return public(value, whole=whole and word != "truediv")


def extreme(at: Follower, name: str, a: Any, b: Any) -> Any:
    """Return the larger or the smaller of two; None where that is not known here."""
    if name in CLIPS:
        column, bound = (a, b) if isinstance(a, Column | Mixed) else (b, a)
        if isinstance(column, Column | Mixed) and isinstance(bound, Num):
            known = None if bound.closed is None else bound.closed.fraction
            whole = bound.whole
            return None if known is None else _clipped(name, column, known, whole=whole)
        sign = CLIPS[name]
    elif isinstance(a, Num) and isinstance(b, Num):
        sign = ">=" if name.endswith("max") else "<="
    else:
        return None

    def larger(p: Num, q: Num) -> Num | None:
        whole = p.whole and q.whole
        if p.closed is not None and q.closed is not None:
            first = (p.closed - q.closed).sign() >= 0
            return public(p.closed if first is (sign == ">=") else q.closed, whole=whole)
        if not p.text or not q.text:
            return None
        one, two = (p.text, q.text) if whole else (p.real, q.real)
        return Num(None, f"(ite ({sign} {one} {two}) {one} {two})", whole, max(p.size, q.size))

    return _along(at, larger, a, b, product=False)


def absolute(at: Follower, value: Any) -> Any:
    """Return |value|, entry by entry; None where that is not known here."""

    def size(a: Num, _again: Num) -> Num | None:
        if a.closed is not None:
            return public(a.closed if a.closed.sign() >= 0 else -a.closed, whole=a.whole)
        if not a.text:
            return None
        zero = "0" if a.whole else "0.0"
        return Num(None, f"(ite (>= {a.text} {zero}) {a.text} (- {a.text}))", a.whole, a.size)

    return _along(at, size, value, value, product=False)


def _clipped(name: str, column: Column | Mixed, c: Fraction, *, whole: bool) -> Column | Mixed:
    pick = max if CLIPS[name] == ">=" else min
    if isinstance(column, Mixed):
        inner = _clipped(name, column.column, c, whole=whole)
        assert isinstance(inner, Column)
        return Mixed(inner, tuple(pick(number, c) for number in column.numbers))
    low, high, nan = pick(column.low, c), pick(column.high, c), column.nan
    if nan and name in ("numpy.fmax", "numpy.fmin"):  # which leave NaN out
        low, high, nan = min(low, c), max(high, c), False
    return Column((name, column.key, str(c)), low, high, column.whole and whole, nan)


def _beyond(word: str, a: Any, b: Any) -> Any:
    if isinstance(a, Num) and isinstance(b, Steps):
        a, b, word = b, a, TURNED[word]
    fits = isinstance(a, Steps) and isinstance(b, Num) and word in ("gt", "ge")
    if not fits or a.decay.sign() or b.closed is None or b.closed.fraction is None:
        return None
    return Beyond(a, b.closed, word == "gt")
