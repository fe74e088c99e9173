"""Vectors that are shortened where they are too long: ``v / max(1, n / C)`` for a public C > 0.

``np.where(n > C, v * C / n, v)``, ``np.where(n > C, C / n, 1.0)``, ``C / n if n > C else 1.0`` and
``min(1.0, C / n) if n > 0 else 1.0`` are that, NaN included, and this divides by nothing small.
Whether C is above 0 is asked where it is no constant: else the choice stays what was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from dpaudit.checker.operators import ABOVE, BELOW
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.lifting.trees import rewritten
from dpaudit.formal.program import Assign, Call, Choice, Constant, Expression, Name

_STRICT = ("operator.gt", "operator.lt")
_ARRAYS = ("numpy.linalg.norm", "numpy.sqrt", "numpy.sum", "numpy.hypot")


def shortened(body: tuple[Any, ...], parameters: tuple[str, ...]) -> tuple[Any, ...]:
    """Return a body in which choices by length are quotients.

    Parameters
    ----------
    body : tuple of Statement
    parameters : tuple of str
        Of its function.
    """
    stored = rewriting.stores(*body) + Counter(parameters)
    made = Counter(
        each.target.id
        for statement in body
        for each in rewriting.inner(statement)
        if isinstance(each, Assign) and isinstance(each.target, Name) and _is_of_numpy(each.value)
    )
    arrays = frozenset(name for name, count in made.items() if stored[name] == count)
    return tuple(rewritten(statement, lambda node: _shortened(node, arrays)) for statement in body)


def _is_of_numpy(value: Any) -> bool:
    """Return whether a value is NumPy's, so that to divide by it never raises an error."""
    return isinstance(value, Call) and value.function in _ARRAYS


def _shortened(node: Any, arrays: frozenset[str]) -> Expression | None:
    """Return a choice by length as a quotient, None for anything else."""
    match node:
        case Call(function="numpy.where", arguments=(test, yes, no), keywords=()):
            is_array = True
        case Choice(test=test, yes=yes, no=no):
            is_array = False
        case _:
            return None
    for n, limit, long, short, told in _lengths(test, yes, no):
        strict = not is_array and getattr(test, "function", None) in _STRICT
        found = _quotient(n, limit, long, short, is_array=is_array, strict=strict)
        if found is None or not (told or is_array) or (is_array and n.id not in arrays):
            continue
        largest = (
            "numpy.fmax" if told and is_array else "numpy.maximum" if is_array else "builtins.max"
        )
        vector, bound = found
        place = node.place
        above = call(
            place, largest, Constant(place, 1.0), call(place, "operator.truediv", n, bound)
        )
        quotient = call(place, "operator.truediv", vector, above)
        if isinstance(bound, Constant):
            return quotient if bound.value > 0 else None
        positive = call(place, "operator.gt", bound, Constant(place, 0))
        return Choice(place, positive, quotient, _turned(node))
    return None


def _turned(node: Any) -> Expression:
    """Return the same choice the other way around, which is not recognized again."""
    if isinstance(node, Choice):
        return Choice(node.place, call(node.place, "operator.not_", node.test), node.no, node.yes)
    test, yes, no = node.arguments
    return call(node.place, "numpy.where", call(node.place, "numpy.logical_not", test), no, yes)


def _lengths(test: Any, yes: Any, no: Any) -> Iterator[tuple[Any, Any, Any, Any, bool]]:
    """Yield a length, what it is above, what is chosen then, and what else.

    Last comes whether the test says that it is above: else it may be NaN too.
    """
    if not isinstance(test, Call) or test.keywords or len(test.arguments) != 2:
        return
    first, second = test.arguments
    if test.function in ABOVE:
        yield first, second, yes, no, True
        yield second, first, no, yes, False
    elif test.function in BELOW:
        yield second, first, yes, no, True
        yield first, second, no, yes, False


def _quotient(
    n: Any, limit: Any, long: Any, short: Any, *, is_array: bool, strict: bool
) -> tuple[Any, Any] | None:
    """Return what is shortened and the longest that stays, None where it is no such choice."""
    if not isinstance(n, Name):
        return None
    factors, one = _factors(long, n), (int, float) if is_array else (float,)
    if isinstance(short, Constant) and type(short.value) in one and short.value == 1:
        if _is_number(limit) and factors is not None and _are(factors, [limit]):
            return short if type(short.value) is float else Constant(short.place, 1.0), limit
        zero = isinstance(limit, Constant) and type(limit.value) in (int, float) and not limit.value
        match long:
            case Call(function="builtins.min", arguments=(first, second), keywords=()) if (
                zero and strict
            ):
                bounds = _factors(second, n) or []
                if rewriting.same(first, short) and len(bounds) == 1 and _is_number(bounds[0]):
                    return short, bounds[0]
        return None
    plain = _is_number(limit) and isinstance(short, Name) and is_array
    if plain and factors is not None and _are(factors, [limit, short]):
        return short, limit
    return None


def _is_number(limit: Any) -> bool:
    return isinstance(limit, Name) or (
        isinstance(limit, Constant) and type(limit.value) in (int, float)
    )


def _are(factors: list[Any], given: list[Any]) -> bool:
    """Return whether these are the factors, in any order."""
    rest = list(factors)
    for each in given:
        at = next((i for i, other in enumerate(rest) if rewriting.same(each, other)), None)
        if at is None:
            return False
        del rest[at]
    return not rest


def _factors(node: Any, n: Name) -> list[Any] | None:
    """Return the factors of a product that is once divided by n, None for anything else."""
    match node:
        case Call(function="operator.truediv", arguments=(above, below), keywords=()):
            return _product(above) if rewriting.same(below, n) else None
        case Call(function="operator.mul", arguments=(first, second), keywords=()):
            for divided, other in ((first, second), (second, first)):
                factors = _factors(divided, n)
                if factors is not None:
                    return [*factors, *_product(other)]
    return None


def _product(node: Any) -> list[Any]:
    match node:
        case Call(function="operator.mul", arguments=(first, second), keywords=()):
            return [*_product(first), *_product(second)]
    return [node]
