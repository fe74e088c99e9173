"""Weights: powers of e of private numbers, in proportion to which a draw chooses.

Weights w_i = e^(v_i) are added up, and divided by sums of weights. A uniform draw u, times the sum
of all, less some of them, is compared with a sum of others: it lies below w_1 + ... + w_k just
where the draw in proportion to the weights is one of the first k. All that such comparisons tell is
told by the item that was drawn, as long as the sets of weights below which u was looked for lie in
each other. The item costs the largest change of one v_i less that of another: w'_i/w_i over Σw'/Σw,
which lies between the least and the greatest e^(v'_j - v_j) (McSherry & Talwar 2007).

Weights are no output, and are compared with nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.checker.cost import noise
from dpaudit.checker.cost.ends import ONE, ZERO, End, is_finite, least, less, most, negative, plus
from dpaudit.checker.cost.ledger import Draw, Item
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Unknown, is_number, truth_value
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.operators import INEQUALITIES, TURNED

_LARGEST = 700  # of which the exponential is a float


@dataclass(frozen=True, slots=True, eq=False)
class Weight:
    """e to a number that may be private, divided by sums of weights."""

    exponent: Unknown
    over: tuple[Total, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """A sum of weights that were divided by the same sums.

    A number that both runs hold alike is an `Unknown` that was `made` of its weights.
    """

    parts: tuple[Weight, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A uniform draw times the sum of all weights, less some of them."""

    draw: Draw
    all: tuple[Weight, ...]
    less: tuple[Weight, ...] = ()


def combined(run: Run, name: str, a: Any, b: Any) -> Any:
    """Return a function of two numbers of which one is made of weights, None for any other."""
    if not any(isinstance(value, Weight | Total | Mark) for value in (a, b)):
        return None
    if name == "mul":
        for one, other in ((a, b), (b, a)):
            draw = noise.uniform(one)
            if draw is not None and isinstance(other, Total):
                return Mark(draw, other.parts)
    if name in ("add", "truediv"):
        return _of_weights(name, a, b)
    if name == "sub" and (parts := _parts(b)) and (mark := _mark(a, parts)) is not None:
        return replace(mark, less=mark.less + parts)
    if name not in INEQUALITIES:
        return None
    for one, other, way in ((a, b, name), (b, a, TURNED[name])):
        parts = _parts(other)
        mark = None if parts is None else _mark(one, parts)
        if mark is not None:
            return _compared(run, way, mark, (*mark.less, *(parts or ())))
    return None


def of_released(name: str, a: Any, b: Any) -> Total | None:
    """Return the weights of which a number is made that is computed of released ones."""
    made = _of_weights(name, a, b) if name in ("add", "truediv") else None
    return Total((made,)) if isinstance(made, Weight) else made


def _of_weights(name: str, a: Any, b: Any) -> Weight | Total | None:
    """Return a sum of weights, or what is left of them divided by one."""
    one, other = _parts(a), _parts(b)
    if one is None or other is None or not (one or other):
        return None
    if name == "add":
        parts = one + other
        return Total(parts) if all(part.over == parts[0].over for part in parts) else None
    below = b.made if isinstance(b, Unknown) else b
    if not one or not isinstance(below, Total):
        return None
    parts = tuple(replace(part, over=(*part.over, below)) for part in one)
    return parts[0] if len(parts) == 1 else Total(parts)


def _parts(value: Any) -> tuple[Weight, ...] | None:
    """Return which weights a value is the sum of, None where it is none."""
    if isinstance(value, Weight):
        return (value,)
    if isinstance(value, Unknown):
        value = value.made
    if is_number(value) and value == 0:
        return ()
    return value.parts if isinstance(value, Total) else None


def _mark(value: Any, beside: tuple[Weight, ...]) -> Mark | None:
    """Return a number as a mark among all weights; a bare draw is one where they add up to 1."""
    if isinstance(value, Mark):
        return value
    draw = noise.uniform(value)
    over = beside[0].over if beside else ()
    if draw is None or not over:
        return None
    every = over[-1].parts
    return Mark(draw, tuple(replace(part, over=(*part.over, over[-1])) for part in every))


def _compared(run: Run, name: str, mark: Mark, parts: tuple[Weight, ...]) -> bool | Unknown:
    """Return whether a mark lies below, or above, what was taken away from it and some more."""
    every, below = _told(run, mark.all), _told(run, parts)
    if any(part.over != mark.all[0].over for part in (*mark.all, *parts)) or not below <= every:
        raise run.refused("a draw among other weights")
    if not below and name in ("lt", "ge"):  # the draw is at least 0
        return name == "ge"
    if below == every:  # it is less than 1
        return name in ("lt", "le")
    if not below:
        raise run.refused("a draw and no weights")
    look(run, mark, [below])
    return truth_value()


def _told(run: Run, parts: Sequence[Weight]) -> frozenset[Unknown]:
    found = frozenset(part.exponent for part in parts)
    if len(found) < len(parts):
        raise run.refused("a weight that is counted twice")
    return found


def look(run: Run, mark: Mark, sets: Sequence[frozenset[Unknown]]) -> None:
    """Pay for the item that a draw chooses, and see whether it is in sets that grow."""
    every = _told(run, mark.all)
    before = run.ledger.falls.get(mark.draw)
    if before is None:
        run.ledger.use(mark.draw, "hides")
        pay(run, _chosen(run, [part.exponent for part in mark.all]), mark.draw)
        before = run.ledger.falls[mark.draw] = [every]
    if before[0] != every or any(not (s <= t or t <= s) for s in sets for t in before):
        raise run.refused("a draw among several orders of weights")
    before.extend(sets)


def searched(run: Run, cells: Sequence[Any], at: Any) -> int | None:
    """Return among how many sums of weights a mark is looked for, None where it is none."""
    if not cells or not all(isinstance(entry, Total | Weight) for entry in cells):
        return None
    sums = [_parts(entry) or () for entry in cells]
    mark = _mark(at, sums[-1])
    if mark is None or mark.less:
        return None
    if any(part.over != mark.all[0].over for parts in (*sums, mark.all) for part in parts):
        raise run.refused("a draw among other weights")
    sets = [_told(run, parts) for parts in sums]
    if sets[-1] != _told(run, mark.all) or not all(s <= t for s, t in itertools.pairwise(sets)):
        raise run.refused("a draw among other weights")
    look(run, mark, sets)
    return len(cells)


def drawn_by(run: Run, shares: Sequence[Any]) -> None:
    """Pay for a draw by probabilities: weights over the sum of just these."""
    parts = [_parts(share) or () for share in shares]
    if not parts or any(len(part) != 1 for part in parts):
        raise run.refused("a choice by probabilities that are not known")
    own = [part[0] for part in parts]
    over = own[0].over
    whole = over[-1].parts if over else ()
    if any(part.over != over for part in own) or any(part.over != over[:-1] for part in whole):
        raise run.refused("a choice by shares of several sums")
    exponents = [part.exponent for part in own]
    if sorted(map(id, exponents)) != sorted(id(part.exponent) for part in whole):
        raise run.refused("a choice by shares of another sum than that of all")
    run.ledger.calls += 1
    run.ledger.single.add(run.ledger.calls)
    draw = Draw("gumbel", ONE, run.place, run.ledger.calls)
    run.ledger.use(draw, "hides")
    pay(run, _chosen(run, exponents), draw)


def _chosen(run: Run, exponents: list[Unknown]) -> End:
    """Return what a choice costs, of which it is assumed that no weight is beyond the floats."""
    run.powers |= dict.fromkeys(exponents, True)
    return far(run, exponents)


def validate_powers(run: Run) -> None:
    """Refuse an exponential that no draw chooses by: it raises an exception where it is too large.

    That it is not is assumed of the weights of a choice alone.
    """
    for power, chosen in run.powers.items():
        if not chosen and not less(power.high, number(_LARGEST)):
            raise run.refused("an exponential of private data, which may be beyond the floats,")


def far(run: Run, values: list[Unknown]) -> End:
    """Return the largest change of one value less that of another."""
    if not all(x.regular for x in values):
        raise run.refused("a choice among what may be NaN or infinite")
    changes = [x.change for x in values]
    if all(_alike(change, changes[0]) for change in changes):
        largest = _apart([c.low for c in changes], [c.high for c in changes])
    else:
        pairs = [(a, b) for i, a in enumerate(changes) for j, b in enumerate(changes) if i != j]
        largest = most([ZERO, *(a.plus(b.times(-ONE)).ends()[1] for a, b in pairs)])
    if not is_finite(largest):
        raise run.refused("a choice among values whose change nothing bounds")
    return largest


def _alike(one: Change, other: Change) -> bool:
    """Whether two changes have the same multiples of the same shared changes."""
    if one.tokens.keys() != other.tokens.keys():
        return False
    factors = [(f.fraction, other.tokens[t].fraction) for t, f in one.tokens.items()]
    return all(a is not None and a == b for a, b in factors)


def _apart(lows: list[End], highs: list[End]) -> End:
    """Return the largest high less a low of another entry."""
    found: list[End] = [ZERO]
    for i, high in enumerate(highs):
        others = lows[:i] + lows[i + 1 :]
        if others:
            found.append(plus(high, negative(least(others))))
    return most(found)


def pay(run: Run, epsilon: Number, draw: Draw) -> None:
    """Pay for a choice."""
    run.ledger.items.append(choice_item(epsilon, draw))


def choice_item(epsilon: Number, draw: Draw) -> Item:
    """Return what a choice costs."""
    return Item("pure", ZERO, Unknown("int").change, draw.place, draw.call, epsilon)
