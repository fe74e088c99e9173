"""Sums with noise, which nobody has seen yet, and what it costs to show them.

Showing v + noise costs what the distributions of v + noise and v' + noise differ by; what is
computed from it afterwards costs nothing more, so that every use which is not written here first
shows the sum and goes on with what both runs then share.

=================================  =============================================================
Laplace(b), |v' - v| <= d          d/b-indistinguishable (Dwork & Roth 2014, Theorem 3.6)
Normal(s²), |v' - v| <= d          as N(0, 1) and N(d/s, 1) (Dong, Roth & Su 2019, Theorem 2.7);
                                   normal draws of one sum add their variances
G - G', both Geometric(p), v whole  d log(1/(1-p)) (Ghosh, Roughgarden & Sundararajan 2009)
weights e^(-r|x|) of whole x       the same with d r
weights e^(-x²/2v) of whole x      d²/2v-zCDP (Canonne, Kamath & Steinke 2020, Theorem 4)
int(Laplace(b)), v whole           d/b + log 2, where v changes: 0 is twice as likely as the formula
                                   (1 - r) r^|k| / 2 of all other integers says, r = e^(-1/b)
=================================  =============================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost import arithmetic, delta_events
from dpaudit.checker.cost.ends import ONE, ZERO, plus, same, times
from dpaudit.checker.cost.ledger import WHOLE, Draw, Item, geometric_rate
from dpaudit.checker.cost.relative import Form, is_relative, ratio
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Shared, Unknown, is_number, kind_of
from dpaudit.checker.exact.numbers import Number, keeps_chance, number


@dataclass(slots=True, eq=False)
class Noisy:
    """A value plus multiples of draws.

    Attributes
    ----------
    base : scalar
    draws : dict of Draw to Number
    shown : Unknown or None
        What it is once it was shown.
    negative : Noisy or None
        The number of which it is the negative: showing one shows the other.
    """

    base: Any
    draws: dict[Draw, Number]
    shown: Unknown | None = None
    negative: Noisy | None = None

    @property
    def hides(self) -> bool:
        """Whether the value differs between the runs."""
        return isinstance(self.base, Unknown) and not self.base.shared

    @property
    def whole(self) -> bool:
        """Whether it is of an integer type."""
        noise = all(d.law in WHOLE and abs(f) == ONE for d, f in self.draws.items())
        return noise and kind_of(self.base) == "int"


ATOMLESS = frozenset({"laplace", "normal"})


def is_noise(value: Any) -> bool:
    """Whether a scalar holds noise that was not shown."""
    return isinstance(value, Noisy)


def drawn(draw: Draw) -> Noisy:
    """Return one draw."""
    return Noisy(0 if draw.law in WHOLE else ZERO, {draw: ONE})


def binary(run: Run, name: str, a: Any, b: Any) -> Any:
    """Return a function of two scalars of which one holds noise."""
    if run.lane:
        raise run.refused("noise in what is computed for each record")
    if name in ("add", "sub"):
        found = _sum(run, a, b, 1 if name == "add" else -1)
        if found is not None:
            return found
    if name == "mul":
        for one, factor in ((a, b), (b, a)):
            if is_noise(one) and is_number(factor):
                found = _multiple(run, one, number(factor))
                if found is not None:
                    return found
    if name == "truediv" and is_noise(a) and is_number(b) and number(b).sign():
        found = _multiple(run, a, 1 / number(b))
        if found is not None:
            return found
    coin = delta_events.tossed(run, name, _fresh(a), True, b) or delta_events.tossed(
        run, name, _fresh(b), False, a
    )
    result = arithmetic.binary(run, name, shown(run, a), shown(run, b))
    return result if coin is None else delta_events.marked(result, coin)


def _fresh(value: Any) -> Draw | None:
    """Return the draw that a value is and nothing else."""
    if not is_noise(value) or value.shown is not None or value.base is not ZERO:
        return None
    ((draw, factor),) = value.draws.items() if len(value.draws) == 1 else ((None, ZERO),)
    return draw if draw is not None and (factor - 1).sign() == 0 else None


def uniform(value: Any) -> Draw | None:
    """Return the draw from [0, 1) that a value is and nothing else."""
    draw = _fresh(value)
    return draw if draw is not None and draw.law == "random" else None


def unary(run: Run, name: str, a: Noisy) -> Any:
    """Return a function of a scalar that holds noise."""
    if name == "neg" and a.shown is None:
        draws = {draw: -factor for draw, factor in a.draws.items()}
        return Noisy(arithmetic.unary(run, "neg", a.base), draws, negative=a)
    if name == "float" and a.shown is None:
        if kind_of(a.base) == "float" and not a.whole:
            return a
        return Noisy(arithmetic.unary(run, "float", a.base), a.draws) if _unmixed(a) else a
    if name == "int" and is_cut(a):
        return _cut(run, a)
    return arithmetic.unary(run, name, shown(run, a))


def is_cut(value: Noisy) -> bool:
    """Whether `int` makes an integer noise of it: whole, or one draw of Laplace noise alone."""
    if value.whole:
        return True
    centred = is_number(value.base) and number(value.base).sign() == 0
    if value.shown is not None or len(value.draws) != 1 or not centred:
        return False
    ((draw, factor),) = value.draws.items()
    if draw.law != "laplace" or isinstance(draw.scale, Form):
        return False
    return keeps_chance(1 - (-1 / (draw.scale * abs(factor))).exp())


def _cut(run: Run, value: Noisy) -> Noisy:
    """Return an integer noise, towards zero."""
    if value.whole:
        return value
    ((draw, factor),) = value.draws.items()
    run.ledger.use(draw, "cut")
    return drawn(Draw("truncated", draw.scale * abs(factor), draw.place, draw.call))


def _unmixed(a: Noisy) -> bool:
    return not any(draw.law in WHOLE for draw in a.draws)


def _sum(run: Run, a: Any, b: Any, sign: int) -> Noisy | None:
    for one, other in ((a, b), (b, a)):
        nothing = is_number(one) and number(one).sign() == 0 and sign == 1
        if nothing and (type(one) is int or not other.whole):
            return other  # type: ignore[no-any-return]
    parts = []
    for value, factor in ((a, ONE), (b, ONE if sign == 1 else -ONE)):
        if not is_noise(value):
            value = Noisy(value, {})
            if isinstance(value.base, Shared):
                return None
        elif value.shown is not None:
            return None
        parts.append((value, factor))
    (one, _), (other, factor) = parts
    if _are_hidden(one, other):
        return None  # the law of the sum is none that is known: each is shown, then added up
    hides = one.hides or other.hides
    for value, more in ((one, other), (other, one)):
        if value.hides and not more.hides and not more.draws:
            return None  # what both runs share is added after showing the sum
    base = _base(run, one.base, other.base, sign)
    if isinstance(base, Shared) or (hides and kind_of(base) is None):
        return None
    draws = dict(one.draws)
    for draw, multiple in other.draws.items():
        draws[draw] = draws.get(draw, ZERO) + multiple * factor
    if any(multiple.sign() == 0 for multiple in draws.values()):
        raise run.refused("noise that is taken away again")
    return Noisy(base, draws)


def _base(run: Run, a: Any, b: Any, sign: int) -> Any:
    """Return a sum or a difference: of the same numbers the same one each time."""
    both = id(a), id(b)
    key = (sign, *(sorted(both) if sign == 1 else both))
    if key not in run.added:
        run.added[key] = a, b, arithmetic.binary(run, "add" if sign == 1 else "sub", a, b)
    return run.added[key][2]


def _are_hidden(*values: Noisy) -> bool:
    """Whether each is a number that is not known, with noise of which not all is normal."""
    return all(
        isinstance(value.base, Unknown)
        and len(value.draws) > 0
        and any(draw.law != "normal" for draw in value.draws)
        for value in values
    )


def _multiple(run: Run, a: Noisy, factor: Number) -> Noisy | None:
    if a.hides or a.shown is not None or factor.sign() == 0:
        return None
    base = arithmetic.binary(run, "mul", a.base, factor)
    return Noisy(base, {draw: f * factor for draw, f in a.draws.items()})


def shown(run: Run, value: Any) -> Any:
    """Return a scalar of which the noise was shown, after paying for what it hides."""
    if not isinstance(value, Noisy):
        return value
    if value.shown is None:
        for entry in run.ledger.unpick(value.draws):
            shown(run, entry)
    if value.shown is None:
        value.shown = _known(run, value)
    if value.shown is None:
        value.shown = _paid(run, value) if value.hides else _seen(run, value)
        run.ledger.sums.append(value)
    if id(value) in run.apart:
        run.mark_apart(value.shown)
    if any(draw.law in ATOMLESS for draw in value.draws):
        run.spread[id(value.shown)] = value.shown
    return value.shown


def _known(run: Run, value: Noisy) -> Unknown | None:
    """Return what the same number with the same noise was, where that was shown."""
    if value.negative is not None and value.hides:
        found: Unknown = arithmetic.unary(run, "neg", shown(run, value.negative))
        return found
    for other in run.ledger.sums:
        alike = other.base is value.base and other.draws.keys() == value.draws.keys()
        if alike and all((f - value.draws[d]).sign() == 0 for d, f in other.draws.items()):
            found = other.shown
            return found
    return None


def _seen(run: Run, value: Noisy) -> Unknown:
    """Show noise that hides nothing: it is drawn alike in both runs."""
    for draw in value.draws:
        run.ledger.use(draw, "seen")
    return _shown(run, value)


def _paid(run: Run, value: Noisy) -> Unknown:
    base = value.base
    if not base.regular:
        raise run.refused("noise that is added to what may be NaN or infinite")
    for draw in value.draws:
        run.ledger.use(draw, "hides")
    first = next(iter(value.draws))
    if is_relative(base.change) or isinstance(first.scale, Form):
        item = _relative(run, value, first)
    else:
        law, rate = _law(run, value)
        item = _item(law, rate, base.change, first)
    run.ledger.items.append(item)
    return _shown(run, value)


def _item(law: str, rate: Number, change: Change, draw: Draw) -> Item:
    if law != "truncated":
        return Item(law, rate, change, draw.place, draw.call)
    far = change.far()
    epsilon = ZERO if same(far, ZERO) else plus(times(rate, far), Number(Fraction(2)).log())
    return Item("pure", ZERO, change, draw.place, draw.call, epsilon)


def _shown(run: Run, value: Noisy) -> Unknown:
    ordinary = not isinstance(value.base, Unknown) or value.base.regular
    return Unknown("int" if value.whole else "float", sure=ordinary and not run.doubtful)


def _relative(run: Run, value: Noisy, draw: Draw) -> Item:
    """Return the cost of a value beside noise of which the scale was released before."""
    one = draw.scale if isinstance(draw.scale, Form) else Form(draw.scale)
    scale = one.times(abs(value.draws[draw]))
    far = None if scale is None else ratio(value.base.change, scale)
    if far is None or len(value.draws) > 1 or draw.law not in ("laplace", "normal"):
        raise run.refused("noise of a scale that does not follow what it hides")
    rate = far if draw.law == "laplace" else far * far
    return Item(draw.law, rate, Change(-ONE, ONE), draw.place, draw.call)


def _law(run: Run, value: Noisy) -> tuple[str, Number]:
    """Return how a sum hides its value: the law, and what a change by 1 costs."""
    draws = list(value.draws.items())
    laws = {draw.law for draw, _ in draws}
    if laws == {"laplace"} and len(draws) == 1:
        draw, factor = draws[0]
        return "laplace", 1 / (draw.scale * abs(factor))
    if laws == {"normal"}:
        variance = sum((variance_of(d, f) for d, f in draws), ZERO)
        return "normal", 1 / variance
    if laws == {"geometric"} and value.whole and len(draws) == 2:
        (one, f), (other, g) = draws
        if one.scale == other.scale and (f + g).sign() == 0:
            return "geometric", geometric_rate(one.scale)
    if value.whole and len(draws) == 1:
        ((draw, _),) = draws
        if draw.law == "two-sided":
            return "geometric", draw.scale
        if draw.law == "discrete normal":
            return "discrete normal", 1 / draw.scale
    if laws == {"truncated"} and value.whole and len(draws) == 1:
        return "truncated", 1 / draws[0][0].scale
    raise run.refused(f"a value hidden by noise of this kind ({', '.join(sorted(laws))})")


def variance_of(draw: Draw, factor: Number) -> Number:
    """Return the variance of a multiple of a normal draw."""
    found: Number = draw.scale.squared() * factor.squared()
    return found
