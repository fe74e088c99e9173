"""Encloses formulas over boxes, with their slopes, and halves boxes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from dpaudit.checker.file import NotCheckedError, Work
from dpaudit.checker.formula import (
    Condition,
    Relation,
    Term,
    constant,
    number,
    replaced,
    simple,
    walk,
)
from dpaudit.checker.interval import Interval, UndefinedError, made, rational, whole

PRECISION = 160
_BOXES = 30_000
_POINTS = 20_000

Bound = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Slope:
    """A value over a box and its slopes along the variables; no slopes where it has corners."""

    value: Interval
    along: tuple[Interval, ...] | None


def holds_on_box(
    goal: Relation | Term,
    box: Mapping[str, Bound],
    whole: frozenset[str],
    given: Sequence[Condition],
    work: Work,
    limit: int = _BOXES,
) -> bool:
    """Return whether a relation holds, or a term has a value, all over a box.

    Parameters
    ----------
    goal : Relation or Term
    box : mapping of str to (Fraction, Fraction)
        The range of each variable.
    whole : frozenset of str
        Variables that are integers.
    given : sequence of Condition
        What need not be shown where it fails.
    work : Work
    limit : int
        Boxes that are looked at.

    Returns
    -------
    bool
        False where it is not known.
    """
    with flint.ctx.workprec(PRECISION):
        count = 0
        for start in _split_integers(box, whole):
            todo = [start]
            while todo:
                count += 1
                if count > limit:
                    return False
                if count % 64 == 0:
                    work.left()
                current = todo.pop()
                if _excluded(given, current) or _shown(_at_points(goal, current), current):
                    continue
                halves = _halves(current)
                if halves is None:
                    return False
                todo += halves
    return True


def names_of(condition: Condition) -> set[str]:
    """Return the variables in a condition."""
    terms = [side for relation in condition for side in (relation.left, relation.right)]
    return {part.name for term in terms for part in walk(term) if part.op == "variable"}


def _at_points(goal: Relation | Term, box: Mapping[str, Bound]) -> Relation | Term:
    """Return a relation with numbers in place of the variables that have one value."""
    points = {name: number(low) for name, (low, high) in box.items() if low == high}
    if isinstance(goal, Term) or not points:
        return goal
    left, right = (simple(replaced(side, points)) for side in (goal.left, goal.right))
    return Relation(left, goal.sign, right)


def _split_integers(box: Mapping[str, Bound], whole: frozenset[str]) -> Iterator[dict[str, Bound]]:
    """Yield a box for every choice of the integers."""
    names = [name for name in box if name in whole]
    ranges = [range(-(-box[name][0] // 1), box[name][1] // 1 + 1) for name in names]
    size = 1
    for values in ranges:
        size *= len(values)
    if size > _POINTS:
        raise NotCheckedError(f"not checked: {size} choices of integers are too many")
    for chosen in itertools.product(*ranges):
        fixed = {name: (Fraction(v), Fraction(v)) for name, v in zip(names, chosen, strict=True)}
        yield {**box, **fixed}


def _halves(box: dict[str, Bound]) -> list[dict[str, Bound]] | None:
    name = max(box, key=lambda n: box[n][1] - box[n][0], default=None)
    if name is None or box[name][0] == box[name][1]:
        return None
    low, high = box[name]
    if high - low < Fraction(1, 2**60):
        return None
    middle = (low + high) / 2
    return [{**box, name: (low, middle)}, {**box, name: (middle, high)}]


def _excluded(given: Sequence[Condition], box: Mapping[str, Bound]) -> bool:
    """Return whether some condition fails all over the box."""
    balls = {name: rational(*bound) for name, bound in box.items()}
    for condition in given:
        for relation in condition:
            try:
                if compared_in(relation, balls) is False:
                    return True
            except UndefinedError:
                continue
    return False


def _shown(goal: Relation | Term, box: Mapping[str, Bound]) -> bool:
    balls = {name: rational(*bound) for name, bound in box.items()}
    try:
        if isinstance(goal, Term):
            value_in(goal, balls)
            return True
        value_in(goal.left, balls), value_in(goal.right, balls)  # both have values
        if goal.left == goal.right and goal.sign in ("==", "<=", ">="):
            return True
        return compared_in(goal, balls) is True or _by_slopes(goal, box, balls)
    except UndefinedError:
        return False


def compared_in(relation: Relation, balls: Mapping[str, Interval]) -> bool | None:
    """Return whether a relation holds of all numbers in balls, None where they do not tell.

    Raises
    ------
    UndefinedError
        Where a side may have no value.
    """
    gap = value_in(relation.right, balls) - value_in(relation.left, balls)
    low, high = gap.low, gap.high
    match relation.sign:
        case "<=":
            return True if low >= 0 else False if high < 0 else None
        case "<":
            return True if low > 0 else False if high <= 0 else None
        case ">=":
            return True if high <= 0 else False if low > 0 else None
        case ">":
            return True if high < 0 else False if low >= 0 else None
    same = True if low == 0 and high == 0 else False if low > 0 or high < 0 else None
    if relation.sign == "==" or same is None:
        return same
    return not same


def _by_slopes(relation: Relation, box: Mapping[str, Bound], balls: Mapping[str, Interval]) -> bool:
    """Compare at a corner, from which the gap never falls (mean value theorem)."""
    if relation.sign not in ("<=", ">="):
        return False
    sides = (relation.left, relation.right)
    low, high = sides if relation.sign == "<=" else sides[::-1]
    gap = Term("sub", (high, low))
    found = _Slopes(tuple(box), balls).of(gap)
    if found.along is None:
        return False
    corner: dict[str, Interval] = {}
    for name, slope in zip(box, found.along, strict=True):
        if slope.low >= 0:
            corner[name] = rational(box[name][0])
        elif slope.high <= 0:
            corner[name] = rational(box[name][1])
        else:
            return False
    return bool(value_in(gap, corner).low >= 0)


def value_in(term: Term, balls: Mapping[str, Interval]) -> Interval:
    """Return an interval of all values of a term; otherwise as `compared_in`."""
    return _Slopes((), balls).of(term).value


class _Slopes:
    """Evaluates a term; the slopes by the rules of differentiation."""

    def __init__(self, names: tuple[str, ...], balls: Mapping[str, Interval]) -> None:
        self.names, self.balls = names, balls

    def of(self, term: Term) -> Slope:
        value = constant(term)
        if value is not None:
            return self.flat(rational(value))
        match term.op:
            case "variable":
                ones = tuple(whole(int(name == term.name)) for name in self.names)
                return Slope(self.balls[term.name], ones)
            case "pi":
                pi = flint.arb.pi()
                return self.flat(made(pi, pi))
            case "cases":
                return self.cases(term)
            case "power":
                return self.power(term)
        return _RULES[term.op](*(self.of(arg) for arg in term.args))

    def flat(self, value: Interval) -> Slope:
        return Slope(value, tuple(whole(0) for _ in self.names))

    def cases(self, term: Term) -> Slope:
        possible = []
        for arg, test in zip(term.args, term.tests, strict=True):
            told = [compared_in(relation, self.balls) for relation in test]
            if False in told:
                continue
            possible.append(self.of(arg))
            if None not in told:
                break
        if len(possible) == 1:
            return possible[0]
        value = possible[0].value
        for part in possible[1:]:
            value = value.union(part.value)
        return Slope(value, None)

    def power(self, term: Term) -> Slope:
        base, exponent = self.of(term.args[0]), constant(term.args[1])
        if exponent is not None and exponent.denominator == 1 and abs(exponent) <= 5000:
            n = int(exponent)
            return _chain(base, base.value.power(n), lambda: whole(n) * base.value.power(n - 1))
        if exponent == Fraction(1, 2):
            return _sqrt(base)
        return _exp(_mul(self.of(term.args[1]), _log(base)))


def _chain(inner: Slope, value: Interval, slope: Callable[[], Interval]) -> Slope:
    if inner.along is None:
        return Slope(value, None)
    if not inner.along:
        return Slope(value, ())
    try:
        rate = slope()
        return Slope(value, tuple(rate * d for d in inner.along))
    except UndefinedError:
        return Slope(value, None)


def _both(
    a: Slope, b: Slope, value: Interval, rule: Callable[[Interval, Interval], Interval]
) -> Slope:
    if a.along is None or b.along is None:
        return Slope(value, None)
    return Slope(value, tuple(rule(x, y) for x, y in zip(a.along, b.along, strict=True)))


def _add(a: Slope, b: Slope) -> Slope:
    return _both(a, b, a.value + b.value, lambda x, y: x + y)


def _sub(a: Slope, b: Slope) -> Slope:
    return _both(a, b, a.value - b.value, lambda x, y: x - y)


def _mul(a: Slope, b: Slope) -> Slope:
    return _both(a, b, a.value * b.value, lambda x, y: x * b.value + a.value * y)


def _div(a: Slope, b: Slope) -> Slope:
    ratio = a.value / b.value
    return _both(a, b, ratio, lambda x, y: (x - ratio * y) / b.value)


def _neg(a: Slope) -> Slope:
    return _chain(a, -a.value, lambda: whole(-1))


def _exp(a: Slope) -> Slope:
    value = a.value.rising(lambda end: end.exp())
    return _chain(a, value, lambda: value)


def _log(a: Slope) -> Slope:
    return _chain(a, a.value.log(), lambda: whole(1) / a.value)


def _sqrt(a: Slope) -> Slope:
    value = a.value.sqrt()
    return _chain(a, value, lambda: whole(1) / (whole(2) * value))


def _abs(a: Slope) -> Slope:
    if a.value.low >= 0:
        return a
    return _neg(a) if a.value.high <= 0 else Slope(a.value.absolute(), None)


def _max(*args: Slope) -> Slope:
    found = args[0]
    for other in args[1:]:
        if other.value.low >= found.value.high:
            found = other
        elif not found.value.low >= other.value.high:
            found = Slope(found.value.max(other.value), None)
    return found


def _min(*args: Slope) -> Slope:
    return _neg(_max(*map(_neg, args)))


def _sign(a: Slope) -> Slope:
    low = 1 if a.value.low > 0 else 0 if a.value.low == 0 else -1
    high = -1 if a.value.high < 0 else 0 if a.value.high == 0 else 1
    return Slope(made(flint.arb(low), flint.arb(high)), None)


def _floor(a: Slope) -> Slope:
    return Slope(a.value.rising(lambda end: end.floor()), None)


def _bell(a: Slope) -> Interval:
    """Return the slope of erf."""
    square = _exp(_neg(_mul(a, a))).value
    pi = flint.arb.pi()
    return whole(2) * square / made(pi, pi).sqrt()


def _erf(a: Slope) -> Slope:
    return _chain(a, a.value.rising(lambda end: end.erf()), lambda: _bell(Slope(a.value, ())))


def _erfc(a: Slope) -> Slope:
    value = made(a.value.high.erfc(), a.value.low.erfc())
    return _chain(a, value, lambda: -_bell(Slope(a.value, ())))


def _sinh(a: Slope) -> Slope:
    value = a.value.rising(lambda end: end.sinh())
    return _chain(a, value, lambda: _cosh(Slope(a.value, ())).value)


def _cosh(a: Slope) -> Slope:
    value = a.value.absolute().rising(lambda end: end.cosh())
    return _chain(a, value, lambda: a.value.rising(lambda end: end.sinh()))


def _tanh(a: Slope) -> Slope:
    value = a.value.rising(lambda end: end.tanh())
    return _chain(a, value, lambda: whole(1) - value * value)


_RULES: dict[str, Callable[..., Slope]] = {
    "abs": _abs,
    "add": _add,
    "cosh": _cosh,
    "div": _div,
    "erf": _erf,
    "erfc": _erfc,
    "exp": _exp,
    "floor": _floor,
    "log": _log,
    "max": _max,
    "min": _min,
    "mul": _mul,
    "neg": _neg,
    "sign": _sign,
    "sinh": _sinh,
    "sqrt": _sqrt,
    "sub": _sub,
    "tanh": _tanh,
}
