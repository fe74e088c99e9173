"""Choices among noisy values, where the index alone is released."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from dpaudit.formal.bounds import ZERO, at_most
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import unknown_public
from dpaudit.formal.domain import Array, Known, Number, Value
from dpaudit.formal.drawn import same_shape
from dpaudit.formal.noise import Noisy, Ranking, Released, Share, bounded, distance
from dpaudit.formal.postprocessing import plain
from dpaudit.formal.price import release
from dpaudit.formal.price.notions import Repeated
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.walk import Walk

if TYPE_CHECKING:
    from dpaudit.formal.releases import Ledger

_SELECTING = frozenset({"laplace", "exponential", "gumbel", "two-sided"})


def winner(ledger: Ledger, noisy: Noisy, call: Application, *, largest: bool) -> Value | None:
    """Return the index of the largest entry, paid for by the theorem on noisy maxima."""
    noise, value = noisy.noise, noisy.value
    fits = isinstance(value, Array) and len(value.shape) == 1 and same_shape(value, noise)
    orientation = noisy.sign * noise.sign * (1 if largest else -1)
    if noise.family in ("exponential", "gumbel") and orientation != 1:
        what = f"the {'largest' if largest else 'smallest'} of values with {noise.family} noise"
        raise Unsupported(f"{what} on the wrong side", call.place)
    if noise.family not in _SELECTING or not fits or not bounded(value):
        return None
    far = distance(value)
    if noise.family == "two-sided":
        if not far.integer:
            raise Unsupported("geometric noise on numbers that are not whole", call.place)
        scale = -1 / sympy.log(noise.scale)
    else:
        scale = noise.scale
    ledger.spend(noise, call.place)
    price = release.selection(far.linf, scale, monotone=far.monotone)
    ledger.pay(price, "report noisy max", noisy.place, noise.place, value)
    top = far.size - 1
    return Released(unknown_public("index", integer=True, low=ZERO, high=top))


def listed_winner(
    ledger: Ledger, entries: list[Noisy], call: Application, *, largest: bool
) -> Value | None:
    """Return the index of the largest of numbers that each have noise of their own."""
    first = entries[0]
    numbers = [entry.value for entry in entries if isinstance(entry.value, Number)]
    alike = all(
        (e.noise.family, e.noise.scale, e.noise.sign, e.sign)
        == (first.noise.family, first.noise.scale, first.noise.sign, first.sign)
        and e.noise.shape is None and e.noise.rows is None and not e.noise.vector
        for e in entries
    )  # fmt: skip
    orientation = first.sign * first.noise.sign * (1 if largest else -1)
    mirrored = first.noise.family in ("exponential", "gumbel") and orientation != 1
    fits = len(numbers) == len(entries) and all(map(bounded, numbers))
    if not alike or not fits or mirrored or first.noise.family not in _SELECTING - {"two-sided"}:
        return None
    far = sympy.Max(*(distance(number).linf for number in numbers))
    monotone = all(n.rise == 0 for n in numbers) or all(n.fall == 0 for n in numbers)
    for entry in entries:
        ledger.spend(entry.noise, call.place)
    price = release.selection(far, first.noise.scale, monotone=monotone)
    source = numbers[0].source if all(n.source is numbers[0].source for n in numbers) else None
    value = replace(numbers[0], source=source)
    ledger.pay(price, "report noisy max", first.place, first.noise.place, value)
    high = sympy.Integer(len(entries) - 1)
    return Released(unknown_public("index", integer=True, low=ZERO, high=high))


def ranked(ledger: Ledger, ranking: Ranking, index: Any, place: Place) -> Value:
    """Return the first k of an order by Gumbel noise: k exponential mechanisms, peeled."""
    noisy = ranking.noisy
    noise, value = noisy.noise, noisy.value
    top = noisy.sign * noise.sign == -1 and noise.family == "gumbel"
    fits = isinstance(value, Array) and len(value.shape) == 1 and same_shape(value, noise)
    count = _leading(index)
    if not top or not fits or count is None or not bounded(value):
        raise Unsupported("an order of noisy values that is no top-k by Gumbel noise", place)
    far = distance(value)
    ledger.spend(noise, place)
    each = release.selection(far.linf, noise.scale, monotone=far.monotone)
    price = Repeated(each, sympy.Min(count, far.size))
    ledger.pay(price, "top-k by peeling", noisy.place, noise.place, value)
    return Released(None)


def chosen(ledger: Ledger, call: Application) -> Value | None:
    """Recognize a draw in proportion to exponentials, by their cumulated weights."""
    cumulated, share = call.args[0], call.args[1]
    if not isinstance(cumulated, Array) or not isinstance(share, Share):
        return None
    exponent = _exponent(cumulated.term, share.term, call.walk)
    side = call.keywords.get("side", call.args[2] if len(call.args) > 2 else None)
    right = isinstance(side, Known) and side.value == "right"
    if not isinstance(exponent, Array) or not right or not bounded(exponent):
        raise Unsupported("a random choice by weights that are no exponentials", call.place)
    if len(exponent.shape) != 1 or not exponent.aligned:
        raise Unsupported("a random choice among candidates from the data", call.place)
    ledger.spend_one(share.draw, share.place)
    far = distance(exponent)
    price = release.exponential_mechanism(far.linf, monotone=far.monotone)
    ledger.pay(price, "exponential mechanism", call.place, share.place, exponent)
    high = None if far.size is None else far.size - 1
    if high is None:
        return Released(None)
    return Released(unknown_public("index", integer=True, low=ZERO, high=high))


def _leading(index: Any) -> Any:
    """Return k of the index ``:k``, None for others."""
    if not isinstance(index, slice) or index.start is not None or index.step is not None:
        return None
    stop = plain(index.stop)
    if not isinstance(stop, Number) or not stop.public or stop.expr is None:
        return None
    return stop.expr if at_most(ZERO, stop.expr) else None


def _exponent(cumulated: Any, share: Any, walk: Walk) -> Value | None:
    """Return E where the terms say cumsum(exp(E - max E)) or cumsum(exp(E)), and its last entry."""
    if not isinstance(cumulated, tuple) or cumulated[0] not in ("numpy.cumsum", "method.cumsum"):
        return None
    if len(cumulated) != 2 or share not in _last(cumulated):
        return None
    weights = cumulated[1]
    if not isinstance(weights, tuple) or weights[0] != "numpy.exp" or len(weights) != 2:
        return None
    exponent = weights[1]
    if isinstance(exponent, tuple) and exponent[0] == "operator.sub" and len(exponent) == 3:
        inner = exponent[1]
        if exponent[2] in (("method.max", inner), ("numpy.max", inner)):
            exponent = inner
    return walk.values.get(exponent)


def _last(term: Any) -> tuple[Any, ...]:
    return (("item", term, "-1"), ("item", term, "(-1,)"))
