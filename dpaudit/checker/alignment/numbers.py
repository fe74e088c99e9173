"""Operators on numbers and truths; a comparison is decided on each path."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cvc5 import Kind

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import State
from dpaudit.checker.alignment.terms import Number, Term, polynomial
from dpaudit.checker.alignment.values import (
    ARRAYS,
    VECTORS,
    Applied,
    Block,
    BlockNoise,
    Derived,
    Ref,
    Sums,
    Value,
    Whole,
    is_truth,
    number,
)
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.operators import LOGIC, MEANING, ORDERS
from dpaudit.checker.rounding import cancels, is_torn

if TYPE_CHECKING:
    from dpaudit.checker.alignment.execute import Execution

_LARGEST_POWER = 4

Paths = Iterator[tuple[State, Value]]


def decided(run: Execution, test: Term, state: State, place: str) -> Iterator[tuple[State, bool]]:
    """Yield both ways that a test can come out, or the one that is left."""
    test = run.terms.simplified(test)
    against = run.terms.simplified(run.terms.negation(test))
    if test.isBooleanValue():
        yield state, bool(test.getBooleanValue())
        return
    for known, value in ((test, True), (against, False)):
        if known in state.truths:
            yield state, value
            return
    other = state.copy()
    state.tests.append((place, True))
    state.truths.append(test)
    yield state, True
    other.tests.append((place, False))
    other.truths.append(against)
    yield other, False


def truth(run: Execution, value: Value, state: State, place: str) -> Iterator[tuple[State, bool]]:
    """Yield the truth of a value, on each path."""
    if isinstance(value, bool | str | tuple) or value is None:
        yield state, bool(value)
    elif is_truth(value, run.terms):
        yield from decided(run, value, state, place)
    elif isinstance(value, Ref) and state.contents(value).earlier is None:
        yield state, bool(state.contents(value).items)
    elif (found := number(value, run.terms)) is not None:
        for s, zero in decided(run, _compare(run, "eq", found, Ratio.of(0)), state, place):
            yield s, not zero
    else:
        raise NotCheckedError(f"not checked: the truth of this value at {place}")


def binary(run: Execution, name: str, left: Value, right: Value, state: State, place: str) -> Paths:
    """Yield the value of a binary operator, ``operator.add`` and the like, on each path."""
    operation = name.removeprefix("operator.")
    if any(isinstance(v, Block | BlockNoise | Derived) for v in (left, right)):
        from dpaudit.checker.alignment.blocks import combined

        if operation in ORDERS:
            raise NotCheckedError(f"not checked: {operation} of a block at {place}")
        yield state, combined(name, left, right, run, place)
        return
    if isinstance(left, VECTORS) or isinstance(right, VECTORS):
        if not isinstance(left, ARRAYS) and not isinstance(right, ARRAYS):
            raise NotCheckedError(f"not checked: {operation} of a list at {place}")
        parts = tuple(
            v if isinstance(v, VECTORS) else _scalar(v, run, place) for v in (left, right)
        )
        yield state, Applied(name, parts)
        return
    if operation in ORDERS:
        yield from _compared(run, operation, left, right, state, place)
        return
    if isinstance(left, tuple) and isinstance(right, tuple) and operation == "add":
        yield state, left + right
        return
    if isinstance(left, Ref) and isinstance(right, Ref) and operation == "add":
        more = state.contents(right)
        if more.earlier is None:
            yield state, state.listed(state.contents(left).added(*more.items))
            return
    if isinstance(left, bool) and isinstance(right, bool) and operation in LOGIC:
        yield state, MEANING[operation](left, right)
        return
    a, b = number(left, run.terms), number(right, run.terms)
    truths = all(isinstance(v, bool) or is_truth(v, run.terms) for v in (left, right))
    if a is None or b is None or truths:  # True + True is 2 in Python and True in NumPy
        raise NotCheckedError(f"not checked: {operation} of these values at {place}")
    yield state, arithmetic(run, operation, a, b, place)


def _scalar(value: Value, run: Execution, place: str) -> Whole:
    if isinstance(value, Sums) or number(value, run.terms) is None:
        raise NotCheckedError(f"not checked: a vector with this value at {place}")
    return Whole(value)


def arithmetic(run: Execution, operation: str, a: Number, b: Number, place: str) -> Number:
    """Return a number made of two."""
    if isinstance(a, Ratio) and isinstance(b, Ratio):
        found = _of_parameters(operation, a, b)
        if found is not None:
            return _kept(a, b, found, place) if operation in ("add", "sub") else found
    terms = run.terms
    match operation:
        case "add" | "sub":
            made = terms.add if operation == "add" else terms.subtract
            return _kept(a, b, made(terms.number(a), terms.number(b)), place)
        case "mul":
            for one, other in ((a, b), (b, a)):
                if isinstance(one, Ratio) and one.constant == 0 and not terms.is_whole(other):
                    raise NotCheckedError(f"not checked: the sign of a zero at {place}")
            return terms.multiply(terms.number(a), terms.number(b))
        case "truediv" if isinstance(b, Ratio) and b.constant:
            return terms.multiply(terms.number(a), terms.number(Ratio.of(1) / b))
        case "mod" | "floordiv" if isinstance(b, Ratio) and terms.is_whole(a) and terms.is_whole(b):
            # Python's for divisors above 0: the rest is in [0, b).
            if (b.constant or 0) > 0:
                kind = Kind.INTS_MODULUS if operation == "mod" else Kind.INTS_DIVISION
                return terms.manager.mkTerm(kind, terms.number(a), terms.number(b))
        case "pow" if isinstance(b, Ratio) and b.constant in range(1, _LARGEST_POWER + 1):
            base, result = terms.number(a), terms.number(a)
            for _ in range(int(b.constant or 0) - 1):
                result = terms.multiply(result, base)
            return result
    raise NotCheckedError(f"not checked: {operation} of these values at {place}")


def _kept(a: Number, b: Number, result: Number, place: str) -> Number:
    """Return a sum or difference of whose constant enough is left when it is rounded."""
    constants = [(polynomial(value).polynomial or {}).get((), 0) for value in (a, b, result)]
    if cancels(*constants):
        raise NotCheckedError(f"not checked: numbers that cancel in floats at {place}")
    return result


def _of_parameters(operation: str, a: Ratio, b: Ratio) -> Ratio | None:
    x, y = a.constant, b.constant
    match operation:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "truediv" if b.top and (y is not None or len(b.top) == 1):
            # A monomial is 0 only where a parameter is, which then is no proper call.
            return a / b
        case "mod" if x is not None and y:
            return Ratio.of(x % y)
        case "floordiv" if x is not None and y:
            return Ratio.of(x // y)
        case "pow" if y is not None and y.denominator == 1 and 0 <= y <= _LARGEST_POWER:
            result = Ratio.of(1)
            for _ in range(int(y)):
                result = result * a
            return result
    return None


def _compared(
    run: Execution, operation: str, left: Value, right: Value, state: State, place: str
) -> Paths:
    a, b = number(left, run.terms), number(right, run.terms)
    if a is not None and b is not None:
        known = [value.constant if isinstance(value, Ratio) else None for value in (a, b)]
        if None not in known and is_torn(*known):
            raise NotCheckedError(f"not checked: numbers that floats may put otherwise at {place}")
        arithmetic(run, "sub", a, b, place)  # which refuses what cancels
        test = _compare(run, operation, a, b)
        positive = operation in ("ge", "le", "eq")
        # Decided as >= or ==, whose negations are < and !=: one test has one form.
        for s, holds in decided(run, test, state, place):
            yield s, holds is positive
        return
    for value, other, flip in ((left, b, False), (right, a, True)):
        if isinstance(value, float) and math.isinf(value) and other is not None:
            above = (value > 0) is not flip
            if operation in ("eq", "ne"):
                yield state, operation == "ne"
            else:
                yield state, above is (operation in ("gt", "ge"))
            return
    simple = (bool, str, type(None), float)
    if operation in ("eq", "ne") and all(_simple(v, simple, run) for v in (left, right)):
        equal = type(left) is type(right) and not hasattr(left, "getSort") and left == right
        yield state, equal is (operation == "eq")
        return
    raise NotCheckedError(f"not checked: this comparison at {place}")


def _simple(value: Value, kinds: tuple[Any, ...], run: Execution) -> bool:
    return isinstance(value, kinds) or number(value, run.terms) is not None


def _compare(run: Execution, operation: str, a: Number, b: Number) -> Term:
    """Return the test that decides a comparison: ``lt`` by ``ge``, ``gt`` by ``le``."""
    terms = run.terms
    if isinstance(a, Ratio) and isinstance(b, Ratio):
        a, b = a - b, Ratio.of(0)
    x, y = terms.number(a), terms.number(b)
    if operation in ("eq", "ne"):
        return terms.equal(x, y)
    return terms.at_least(x, y) if operation in ("ge", "lt") else terms.at_least(y, x)


def extreme(
    run: Execution, values: tuple[Value, ...], state: State, place: str, *, least: bool
) -> Paths:
    """Yield the largest (least) of some numbers, the first of equal ones."""
    best, rest = values[0], values[1:]
    if not rest:
        yield state, best
        return
    for s, better in binary(
        run, "operator.lt" if least else "operator.gt", rest[0], best, state, place
    ):
        kept = rest[0] if better else best
        yield from extreme(run, (kept, *rest[1:]), s, place, least=least)
