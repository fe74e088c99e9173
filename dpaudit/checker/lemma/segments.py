"""A point between two sorted values, drawn by how long the segments are and by a weight of each.

A program draws a cell in one of three ways: where the logarithms of the weights are largest once
each has Gumbel noise, where the running sums of the weights exceed a share of their total, or as a
choice with the weights, divided by their total, as probabilities.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.checker.lemma.cells import (
    Border,
    Cells,
    Dice,
    Factors,
    Full,
    Gap,
    Inside,
    Logs,
    Never,
    Pick,
    Powers,
    Shaken,
    Share,
    Shifted,
    Sparse,
    Top,
)
from dpaudit.checker.lemma.values import (
    Column,
    InOrder,
    Items,
    Largest,
    ManyDraws,
    Num,
    Steps,
    is_number,
    public,
)

if TYPE_CHECKING:
    from dpaudit.checker.lemma.follow import Follower

_TOO_LONG = 2**1000  # an end beyond, and a length may overflow


def _same(one: InOrder, other: InOrder) -> bool:
    return one.name == other.name


def _one_each(at: Follower, length: Num, order: InOrder) -> bool:
    """Prove that an array has an entry for every cell."""
    goal = f"(= {length.text} (- {order.length.text} 1))"
    at.scene.prove(goal, (), "an array has an entry for every segment")
    return True


# --- operators


def operated(at: Follower, word: str, args: list[Any]) -> Any:
    """Return what an operator gives of these; None for others."""
    match word, args:
        case "neg", [float() as number] if number == math.inf:
            return -math.inf
        case "gt", [Cells(full=False) as cells, zero] if is_number(zero, 0):
            return Full(cells.order)
        case "lt", [zero, Cells(full=False) as cells] if is_number(zero, 0):
            return Full(cells.order)
        case "add", [Pick(plus=0) as pick, one] if is_number(one, 1) and one.whole:
            return replace(pick, plus=1)
        case "mul", [Dice(draw=draw), Share(draw=None) as share]:
            return replace(share, draw=draw)
        case "mul", [Share(draw=None) as share, Dice(draw=draw)]:
            return replace(share, draw=draw)
        case "add" | "sub", [Logs(topped=False) as logs, other]:
            return _added(at, word, logs, other)
        case "add", [other, Logs(topped=False) as logs]:
            return _added(at, word, logs, other)
        case "sub", [Steps() as steps, Largest(factor=factor) as top]:
            return Shifted(steps) if top.steps is steps and is_number(factor, 1) else None
    if any(isinstance(each, Shifted) for each in args):
        return _shifted(at, word, args)
    return (
        _weights(at, word, args)
        or _within(at, word, args)
        or sparse(lambda a, b: _operator(at, word, a, b), args)
    )


def _shifted(at: Follower, word: str, args: list[Any]) -> Shifted | None:
    """Return what is left of numbers that have a part in common, where they still have one."""
    match word, args:
        case ("neg", [_]) | ("add" | "sub" | "mul", [_, Num()] | [Num(), _]):
            fits = True
        case ("truediv", [_, Num()]) | ("add" | "sub", [_, Steps()] | [Steps(), _]):
            fits = True
        case _:
            fits = False
    bare = [each.steps if isinstance(each, Shifted) else each for each in args]
    found = _operator(at, word, *bare) if fits else None
    return Shifted(found) if isinstance(found, Steps) else None


def _weights(at: Follower, word: str, args: list[Any]) -> Powers | None:
    """Return lengths times powers of e, or what they are divided by their sum."""
    match word, args:
        case "mul", [Cells() as cells, Factors(exponents=exponents)]:
            pass
        case "mul", [Factors(exponents=exponents), Cells() as cells]:
            pass
        case "truediv", [Powers(running=False) as powers, Share(draw=None) as share]:
            return replace(powers, whole=True) if share.logs is powers.logs else None
        case _:
            return None
    logs = _added(at, "add", Logs(cells.order, _nothing(cells.order), cells.full), exponents)
    return None if logs is None else Powers(replace(logs, topped=True), False)


def _within(at: Follower, word: str, args: list[Any]) -> Gap | Inside | None:
    """Return a share of the length of a cell that was drawn, or what is so far beyond its start."""
    match word, args:
        case "sub", [Border(pick=Pick(plus=1) as high), Border(pick=Pick(plus=0) as low)]:
            return Gap(low) if low.draw == high.draw and low.logs is high.logs else None
        case "mul", (
            [Dice(draw=draw), Gap(draw=None) as gap] | [Gap(draw=None) as gap, Dice(draw=draw)]
        ):
            return replace(gap, draw=draw) if draw != gap.pick.draw else None
        case "add", (
            [Border(pick=Pick(plus=0) as low), Gap(draw=int()) as gap]
            | [Gap(draw=int()) as gap, Border(pick=Pick(plus=0) as low)]
        ):
            same = low.draw == gap.pick.draw and low.logs is gap.pick.logs
            return Inside(low.logs, at.place) if same else None
    return None


def _operator(at: Follower, word: str, *args: Any) -> Any:
    from dpaudit.checker.lemma.arithmetic import operator

    return operator(at, word, list(args))


def sparse(make: Any, args: list[Any]) -> Any:
    """Return an operation on arrays that have entries for some cells; None for others."""
    orders = [each.order for each in args if isinstance(each, Sparse)]
    fits = len(args) == 2 and all(isinstance(each, Sparse | Num) for each in args)
    if not fits or not orders or not _same(orders[0], orders[-1]):
        return None
    found = make(*(each.steps if isinstance(each, Sparse) else each for each in args))
    return Sparse(orders[0], found) if isinstance(found, Steps) else None


def _added(at: Follower, word: str, logs: Logs, other: Any) -> Any:
    if isinstance(other, Top):
        return replace(logs, topped=True) if other.logs is logs and word == "sub" else None
    if isinstance(other, ManyDraws):
        fits = word == "add" and other.law == "gumbel" and other.scale.fraction == 1
        length = other.many if fits and not logs.full else None
        known = isinstance(length, Num) and _one_each(at, length, logs.order)
        return Shaken(logs, other.draw) if known else None
    if isinstance(other, Sparse) and logs.full and _same(other.order, logs.order):
        other = other.steps
    elif isinstance(other, Sparse) or (isinstance(other, Steps) and logs.full):
        return None
    elif isinstance(other, Steps):
        _one_each(at, other.length, logs.order)
        other = Steps(logs.added.length, other.entry, other.whole, other.decay)
    found = _operator(at, word, logs.added, other) if isinstance(other, Steps | Num) else None
    return replace(logs, added=found) if isinstance(found, Steps) else None


# --- functions


def entry(value: Any, index: Any) -> Any:
    """Return an entry of these; None for others."""
    match value, index:
        case Cells(full=False), Full(order=order) if _same(value.order, order):
            return Cells(order, True)
        case Cells(full=False), Sparse(order=order) if _same(value.order, order):
            return Cells(order, True) if _counts(index) else None
        case Sparse(), Pick(full=True, plus=0) if _same(value.order, index.logs.order):
            return replace(index, full=False) if _counts(value) else None
        case InOrder(), Pick(full=False) if _same(value, index.logs.order):
            return Border(index)
        case Cells(full=False), Pick(full=False, plus=0) if _same(value.order, index.logs.order):
            return Gap(index)
        case Powers(running=True), last if is_number(last, -1):
            return Share(value.logs, None)
    return None


def _counts(places: Sparse) -> bool:
    """Whether entry k is k."""
    return places.steps.whole and places.steps.entry("k").text == "k"


def _cells(at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    match args:
        case [InOrder() as order] if not named:
            ends = at.scene.orders[order.name]
            if ends.first is not None and ends.last is not None:
                return Cells(order) if max(-ends.first, ends.last) <= _TOO_LONG else None
    return None


def _places(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    match args:
        case [Full(order=order)] if not named:
            cells = Num(None, f"(- {order.length.text} 1)", True)
            return Sparse(order, Steps(cells, lambda place: Num(None, place, True), True))
    return None


def never(args: list[Any]) -> Any:
    """Return an array of −∞; None for others."""
    match args:
        case [Num(whole=True) as length, float() as value] if value == -math.inf:
            return Never(length)
    return None


def logarithm(at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    """Return the logarithm of the differences that are not 0; of the others it is −∞."""
    match args:
        case [Cells(full=True, order=order)] if not named:
            return Logs(order, _nothing(order), True)
        case [Cells(full=False, order=order)] if set(named) == {"where", "out"}:
            where, out = named["where"], named["out"]
            fits = isinstance(where, Full) and _same(where.order, order)
            if fits and isinstance(out, Never) and not at.held(out):
                _one_each(at, out.length, order)
                return Logs(order, _nothing(order), False)
    return None


def _nothing(order: InOrder) -> Steps:
    zero = public(0)
    return Steps(Num(None, f"(- {order.length.text} 1)", True), lambda _place: zero, False)


def exponential(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    """Return what logarithms are of, whose largest is 1; None for others."""
    match args:
        case [Logs(topped=True) as logs] if not named:
            return Powers(logs, False)
        case [Shifted(steps=steps) | (Steps() as steps)] if not named:
            return None if steps.decay.sign() else Factors(steps)
        case [Sparse() as exponents] if not named:
            return Factors(exponents)
    return None


def total(value: Any) -> Share | None:
    """Return the sum of the powers; None for others."""
    fits = isinstance(value, Powers) and not value.running and not value.whole
    return Share(value.logs, None) if fits else None


def chosen(at: Follower, given: dict[str, Any]) -> Pick | None:
    """Return a choice of a cell by the shares of their weights; None for others."""
    at.draws += 1
    match given:
        case {"a": Sparse() as places, "p": Powers(running=False, whole=True, logs=logs)}:
            fits = logs.full and _same(places.order, logs.order) and _counts(places)
        case {"a": Num(whole=True) as number, "p": Powers(running=False, whole=True, logs=logs)}:
            fits = not logs.full and _one_each(at, number, logs.order)
        case {"a": Steps() as places, "p": Powers(running=False, whole=True, logs=logs)}:
            fits = not logs.full and _counts(Sparse(logs.order, places))
            fits = fits and _one_each(at, places.length, logs.order)
        case _:
            return None
    return Pick(logs, at.draws, False) if fits and len(given) == 2 else None


def largest(value: Any) -> Any:
    """Return the largest of logarithms; None for others."""
    return Top(value) if isinstance(value, Logs) and not value.topped else None


def first_largest(value: Any) -> Any:
    """Return where noisy logarithms are largest; None for others."""
    return Pick(value.logs, value.draw, value.logs.full) if isinstance(value, Shaken) else None


def _running(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    match args:
        case [Powers(running=False, whole=False) as powers] if not named:
            return replace(powers, running=True)
    return None


def _found(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    match args:
        case [Powers(running=True, logs=logs), Share(draw=int() as draw) as share]:
            if share.logs is logs and named == {"side": "right"}:
                return Pick(logs, draw, logs.full)
    return None


def inside(at: Follower, law: str, given: dict[str, Any]) -> Any:
    """Return a uniform number of [0, 1), or a uniform point of a cell; None for others."""
    at.draws += 1
    if law == "random":
        return None if given else Dice(at.draws)
    match given:
        case {"low": Border(pick=Pick(plus=0) as low), "high": Border(pick=Pick(plus=1) as high)}:
            if len(given) == 2 and low.draw == high.draw and low.logs is high.logs:
                return Inside(low.logs, at.place)
    return None


def between(args: tuple[Any, ...]) -> tuple[Column, tuple[Any, ...]] | None:
    """Return a column and numbers where one is sorted and the others stand around it in order."""
    orders = [each for each in args if isinstance(each, InOrder)]
    rest = [each for each in args if not isinstance(each, InOrder)]
    if len(orders) != 1 or not all(isinstance(each, Items) for each in rest):
        return None
    (order,) = orders
    column, among = order.mixed.column, order.mixed.numbers
    parts: list[list[Any]] = [[], []]
    after = 0
    for each in args:
        if each is order:
            after = 1
            continue
        for number in each.items:
            if not isinstance(number, Num) or number.closed is None:
                return None
            if number.closed.fraction is None:
                return None
            parts[after].append(number.closed.fraction)
    least, most = min((*among, column.low)), max((*among, column.high))
    below, above = parts
    if below != sorted(below) or above != sorted(above):
        return None
    if any(number > least for number in below) or any(number < most for number in above):
        return None
    return column, (*below, *among, *above)


FUNCTIONS = {
    "method.cumsum": _running,
    "method.searchsorted": _found,
    "numpy.cumsum": _running,
    "numpy.diff": _cells,
    "numpy.flatnonzero": _places,
    "numpy.searchsorted": _found,
}
