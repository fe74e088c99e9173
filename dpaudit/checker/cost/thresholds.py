"""Noisy values that are compared with one noisy threshold, of which only the outcomes are told.

Values v_i + Z_i, each with a Laplace draw of its own, of scale b_i, are compared with t_i + R. All
share the draw R of scale b. On one path the outcomes are known. Let d_i be the change of v_i - t_i
between the runs, in [l_i, h_i]. For any number s that is the same for all draws, R is replaced by
R + s, and Z_i by what keeps the outcome:

* density of R: a factor of e^(|s|/b) at most;
* v_i + Z_i above: Pr[Z >= z] <= e^(c/b_i) Pr[Z >= z + c] with c = max(0, s - l_i);
* below: Pr[Z < z] <= e^(c/b_i) Pr[Z < z - c] with c = max(0, h_i - s);
* not looked at: the larger of both.

So the path is as likely in the other run up to e^(|s|/b + sum of c_i/b_i), whatever other releases
say, of which the noise is independent. With s = 1 this is the sparse vector technique (Dwork & Roth
2014, Theorem 3.23; Lyu, Su & Li 2017, Theorem 2, and Theorem 5 for changes of one sign). The sum is
convex in s and linear between its kinks, of which one is the best.

Whoever is shown one of the values, or compares it again, is shown all, which are then paid for one
by one. So they are where that costs less, and for other claims than pure ones. Floats round v + Z
and t + R: near the threshold by less than 2^-51 |t + R|, which has to be small beside the scales.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost import noise, spent
from dpaudit.checker.cost.ends import ONE, ZERO, End, end, is_finite, least, less, most, negative
from dpaudit.checker.cost.ledger import Draw, Item
from dpaudit.checker.cost.relative import Form, is_relative
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Unknown, truth_value, unknown
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.operators import INEQUALITIES
from dpaudit.claims import PureDP
from dpaudit.claims.symbolic import SymbolicClaim

_FARTHEST = end(2**24)  # scales of noise from 0 to a threshold


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two noisy values that were compared, and whether the first one is the larger.

    `test` is the outcome as the program holds it; it is `upwards` where it says that the first one
    is the larger.
    """

    first: noise.Noisy
    second: noise.Noisy
    test: Unknown
    upwards: bool

    @property
    def draws(self) -> frozenset[Draw]:
        """The draws of both."""
        return frozenset((*self.first.draws, *self.second.draws))


def compared(run: Run, name: str, a: Any, b: Any) -> Unknown | None:
    """Return the outcome of a comparison that is paid for by its outcome; None for any other."""
    if name not in INEQUALITIES or not all(_is_plain(value) for value in (a, b)):
        return None
    made = Comparison(a, b, truth_value(), name in ("gt", "ge"))
    beside = _joined(run.ledger.compared, made)
    if len(made.draws) < 2 or not _centers([*beside, made]):
        return None
    before = frozenset[Draw]().union(*(other.draws for other in beside))
    if any(run.ledger.used(draw) for draw in made.draws - before):
        return None
    for draw in made.draws - before:
        run.ledger.use(draw, "hides")
    run.ledger.compared.append(made)
    return made.test


def _is_plain(value: Any) -> bool:
    """Whether a value is an ordinary number that moves by a known width, with one Laplace draw."""
    if not isinstance(value, noise.Noisy) or value.shown is not None or len(value.draws) != 1:
        return False
    ((draw, _),) = value.draws.items()
    base = unknown(value.base)
    known = draw.law == "laplace" and not isinstance(draw.scale, Form) and base.regular
    own = value.negative is None and not is_relative(base.change)
    return known and own and is_finite(base.change.far())


def _centers(star: Sequence[Comparison]) -> list[Draw]:
    """Return which draws are in each of several comparisons that have no other draw in common."""
    others = [draw for each in star for draw in each.draws]
    shared = [draw for draw in star[0].draws if all(draw in each.draws for each in star)]
    return [draw for draw in shared if len(set(others)) == len(star) + 1]


def settled(run: Run, claim: Any) -> list[Item]:
    """Return the releases of a path, the comparisons among them at the lower of their prices."""
    items = run.ledger.items
    while run.ledger.compared:
        star = _joined(run.ledger.compared, run.ledger.compared[0])
        price = _price(run, star) if isinstance(claim, PureDP | SymbolicClaim) else None
        before = list(items)
        for each in star:
            noise.shown(run, each.first)
            noise.shown(run, each.second)
        if price is not None and _is_cheaper([*before, price], items):
            items[:] = [*before, price]
    return items


def _joined(compared: Sequence[Comparison], made: Comparison) -> list[Comparison]:
    """Return the comparisons that share a draw with one, or with another one that does."""
    beside = [each for each in compared if each.draws & made.draws]
    draws = frozenset[Draw]().union(*(each.draws for each in beside))
    return [each for each in compared if each.draws & draws]


def _is_cheaper(one: Sequence[Item], other: Sequence[Item]) -> bool:
    try:
        return bool((spent.pure(one) - spent.pure(other)).sign() < 0)
    except NotCheckedError:
        return False


def _price(run: Run, star: Sequence[Comparison]) -> Item | None:
    """Return what the outcomes of comparisons with one threshold cost, None where not known."""
    try:
        near = [c for c in _centers(star) if all(_is_near(each, c) for each in star)]
        found = [(center, _shifted(run, star, center)) for center in near]
    except NotCheckedError:  # numbers too close to be told apart
        return None
    if not found:
        return None
    center, epsilon = found[0]
    for other, lower in found[1:]:
        if less(lower, epsilon):
            center, epsilon = other, lower
    return Item("pure", ZERO, Unknown("int").change, center.place, center.call, epsilon)


def _is_near(each: Comparison, center: Draw) -> bool:
    """Whether floats tell the threshold well beside the noise."""
    threshold = each.first if center in each.first.draws else each.second
    base = unknown(threshold.base)
    far = most((base.high, negative(base.low)))
    scales = [d.scale * abs(f) for side in (each.first, each.second) for d, f in side.draws.items()]
    return is_finite(far) and all(less(far, scale * _FARTHEST) for scale in scales)


@dataclass(frozen=True, slots=True)
class _Told:
    """One comparison: v - t moves by `low` to `high`, what `factor` R does; each unit costs."""

    low: Number
    high: Number
    factor: Number
    rate: Number
    above: bool | None


def _told(run: Run, each: Comparison, center: Draw) -> _Told:
    sides = each.first, each.second
    at = 0 if center in each.first.draws else 1
    threshold, value = sides[at], sides[1 - at]
    ((draw, multiple),) = value.draws.items()
    moved = unknown(value.base).change.plus(unknown(threshold.base).change.times(-ONE))
    low, high = moved.ends()
    outcome = next((came for test, came in run.tested if test is each.test), None)
    larger = None if outcome is None else (outcome is each.upwards) is (at == 1)
    return _Told(low, high, threshold.draws[center], 1 / (draw.scale * abs(multiple)), larger)


def _shifted(run: Run, star: Sequence[Comparison], center: Draw) -> Number:
    """Return the loss of the outcomes, from either run to the other."""
    told = [_told(run, each, center) for each in star]
    back = [_Told(-x.high, -x.low, x.factor, x.rate, x.above) for x in told]
    return most(least(_at(way, s, center) for s in _kinks(way)) for way in (told, back))  # type: ignore[no-any-return]


def _kinks(told: Sequence[_Told]) -> list[Number]:
    """Return by how much R may be shifted: no other number is better than the best of these."""
    found: dict[Any, Number] = {}
    for s in (ZERO, *(edge / x.factor for x in told for edge in (x.low, x.high))):
        found.setdefault(s if s.fraction is None else s.fraction, s)
    return list(found.values())


def _at(told: Sequence[_Told], s: Number, center: Draw) -> Number:
    """Return what a shift of R by s costs."""
    total: Number = abs(s) / center.scale
    for x in told:
        moved = s * x.factor
        ways: list[End] = [ZERO]
        if x.above is not False:
            ways.append(moved - x.low)
        if x.above is not True:
            ways.append(x.high - moved)
        total = total + most(ways) * x.rate
    return total
