"""Comparisons of scalars: decided by what is known, forked on records that changed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from dpaudit.checker.cost import each_run
from dpaudit.checker.cost.ends import LEAST, end, is_finite, is_within, less, margin_of, same
from dpaudit.checker.cost.lengths import shorten, together
from dpaudit.checker.cost.records import Pick, Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import (
    ENDS,
    Change,
    Chosen,
    Shared,
    Text,
    Unknown,
    Vague,
    is_common,
    is_known,
    kept_ends,
    truth_value,
    unknown,
)
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.operators import ORDERS, TURNED
from dpaudit.checker.rounding import double_of, is_torn
from dpaudit.checker.wording import described

_ALL = frozenset("<=>")
_UNTOLD: frozenset[str] = frozenset({"<", "=", ">", "nan"})
MOST_CHOICES = 32


def found(run: Run, value: Any) -> Any:
    """Return a scalar of a record that changed, or a released text, as this path knows it."""
    if isinstance(value, Chosen):
        return run.decided.get(value, value)
    return value.found(run) if isinstance(value, Pick | Var) else value


def decided(run: Run, at: Any) -> Any:
    """Return an index or a label that both runs share as a known one: each is a path."""
    if isinstance(at, tuple):
        parts = tuple(decided(run, part) for part in at)
        return at if all(a is b for a, b in zip(at, parts, strict=True)) else parts
    if isinstance(at, Chosen):
        return run.decide(at, at.items)
    whole = isinstance(at, Unknown) and at.kind == "int" and at.shared and at.regular
    if not whole or run.lane is not None or not (is_finite(at.low) and is_finite(at.high)):
        return at
    low, high = math.ceil(at.low.fraction), math.floor(at.high.fraction)
    return run.decide(at, range(low, high + 1)) if 0 <= high - low < MOST_CHOICES else at


def compared(run: Run, name: str, a: Any, b: Any) -> Any:
    """Return the truth of a comparison, known or not.

    Parameters
    ----------
    run : Run
    name : str
        One of `ORDERS`.
    a, b : scalars
    """
    a, b = found(run, a), found(run, b)
    if isinstance(a, Shared) or isinstance(b, Shared):
        return _unknown(run, a, b)
    if isinstance(a, Text) or isinstance(b, Text):
        if name not in ("eq", "ne"):
            raise run.refused("an order of texts")
        return _unknown(run, a, b)
    if is_known(a) and is_known(b):
        return _known(run, name, a, b)
    each = None if run.lane else each_run.of_each(lambda x, y: _known(run, name, x, y), a, b)
    if each is not None:
        return each_run.torn(run, *each, typed=True)
    if isinstance(a, Vague) or isinstance(b, Vague):
        return _unknown(run, a, b)
    if _counts_alike(a, b):
        return name in ("eq", "le", "ge")
    if isinstance(b, Var) and not isinstance(a, Var):
        a, b, name = b, a, TURNED[name]
    if isinstance(a, Var) and isinstance(b, int | Number) and not isinstance(b, bool):
        return _forked(run, name, a, end(b), exact=kept_ends(b) == ENDS)
    return _by_intervals(run, name, a, b)


def _counts_alike(a: Any, b: Any) -> bool:
    """Whether two whole numbers are one sum over the same records, such as their number."""
    if not (isinstance(a, Unknown) and isinstance(b, Unknown) and a.kind == b.kind == "int"):
        return False
    if a.sum_of is None or b.sum_of is None or not a.regular or not b.regular:
        return False
    return a.sum_of[0] is b.sum_of[0] and same(a.sum_of[1], b.sum_of[1])


def _unknown(run: Run, a: Any, b: Any) -> Any:
    """Return the outcome of a comparison of which nothing is known, but whether it is shared."""
    if run.lane is None:
        if not (is_common(a) and is_common(b)):
            raise run.refused(f"a comparison of {described(a)} with {described(b)}")
        return truth_value()
    # Of the record that changed, even a number that no neighbor moves may be another in each run.
    alike = all(isinstance(value, Shared) or is_known(value) for value in (a, b))
    return truth_value() if alike or run.lane != "changed" else run.fork(2) == 0


def _snapshot(value: Any) -> Unknown:
    return value.snapshot() if isinstance(value, Var) else unknown(value)


def _known(run: Run, name: str, a: Any, b: Any) -> bool:
    texts = isinstance(a, str | None) or isinstance(b, str | None)
    if texts:
        if name not in ("eq", "ne"):
            raise run.refused("an order of texts")
        both = isinstance(a, str) and isinstance(b, str)
        if both and a != b and a.rstrip("\0") == b.rstrip("\0"):
            raise run.refused("texts of which NumPy leaves out the zeros at the end")
        return (a == b and type(a) is type(b)) is (name == "eq")
    for value in (a, b):
        if isinstance(value, float) and math.isnan(value):
            return name == "ne"
    if not (isinstance(a, int) and isinstance(b, int)) and _are_torn(a, b):
        raise run.refused("two numbers that floats may put in another order")
    order = "<" if less(end(a), end(b)) else ">" if less(end(b), end(a)) else "="
    return order in ORDERS[name]


def _are_torn(a: Any, b: Any) -> bool:
    return not (isinstance(a, float) or isinstance(b, float)) and is_torn(a, b)


def _forked(run: Run, name: str, variable: Var, at: Any, *, exact: bool) -> bool:
    """Compare a record's value, and note on each path what that tells of it."""
    if variable.kind == "float":
        if name in ("eq", "ne") and double_of(at) is None:
            raise run.refused("a record's value and a number that is no double")
        if any(is_torn(at, other) for other in variable.compared):
            raise run.refused("a record's value and two numbers that floats may take for one")
        variable.compared.append(at)
    possible = variable.order(at)
    yes, no = possible & ORDERS[name], possible - ORDERS[name]
    if not (yes and no) and variable.may_cross(at, exact=exact):
        return run.fork(2) == 0
    if name in ("eq", "ne") and {"<", ">"} <= possible:
        ways = [way for way in "<=>" if way in possible]  # intervals, on either side
        way = ways[run.fork(len(ways))]
        variable.learn(frozenset(way), at)
        shorten(variable)
        return way in ORDERS[name]
    outcomes = [True] * bool(yes) + [False] * bool(no)
    outcome = outcomes[run.fork(len(outcomes))] if outcomes else True
    order = ORDERS[name] if outcome else _ALL - ORDERS[name]
    variable.learn(order & possible if variable.kind == "int" else order, at)
    shorten(variable)
    run.short.update(together(variable))
    return outcome


def _by_intervals(run: Run, name: str, a: Any, b: Any) -> Any:
    """Compare two numbers by where they lie; where their floats may tell otherwise, both ways."""
    x, y = _snapshot(a), _snapshot(b)
    possible = set()
    if less(x.low, y.high):
        possible.add("<")
    if less(y.low, x.high):
        possible.add(">")
    if not less(x.high, y.low) and not less(y.high, x.low):
        possible.add("=")
    if not (x.nan or y.nan):
        told = possible <= ORDERS[name]
        if (told or not possible & ORDERS[name]) and not _may_cross(x, y):
            return told
    if run.lane == "changed":
        return _remembered(run, name, a, b)
    if run.lane == "any" or (x.shared and y.shared):
        return _told(name, x, y)
    return truth_value(Change(end(-1), end(1)))


def _remembered(run: Run, name: str, a: Any, b: Any) -> bool:
    """Compare a record's value with a number that is not known, of both always the same way.

    A value that both runs share is the same in each comparison on this path, as the record's is.
    """
    if isinstance(b, Var):
        a, b, name = b, a, TURNED[name]
    if not (isinstance(a, Var) and type(b) is Unknown and b.shared):
        return run.fork(2) == 0
    possible = run.decided.get((a, b), _UNTOLD)
    true = ORDERS[name] | ({"nan"} if name == "ne" else set())
    ways = [each for each in (possible & true, possible - true) if each]
    told: frozenset[str] = ways[run.fork(len(ways))]
    run.decided[a, b] = told
    return told <= true


def _may_cross(x: Unknown, y: Unknown) -> bool:
    """Whether floats may be in an order in which no two numbers of these intervals are.

    What is computed of the ends of an interval is off by a part of what lies in it.
    """
    facing = [(x.high, y.low), (y.high, x.low)]
    if any(_are_torn(*ends) for ends in facing):
        return True
    margin = margin_of(x.low, x.high, y.low, y.high)
    for one, other in ((x, y), (y, x)):
        sure = "high" in kept_ends(one) and "low" in kept_ends(other)
        finite = is_finite(one.high) and is_finite(other.low)
        if not sure and finite and is_within(other.low, one.high, margin):
            return True
    return False


def _told(name: str, x: Unknown, y: Unknown) -> Unknown:
    """Return an outcome that tells of a number, where it is compared with a known one.

    The number is that of any record, or the same in both runs. It may be NaN.
    """
    for one, other, word in ((x, y, name), (y, x, TURNED[name])):
        if other.regular and is_finite(other.low) and same(other.low, other.high):
            return replace(truth_value(), tested=(word, one, other.low))
    return truth_value()


def is_zero_possible(x: Unknown) -> bool:
    """Whether a number may be 0, or so small that floats make it 0."""
    return not less(LEAST, x.low) and not less(x.high, -LEAST)
