"""What leaves is paid for, and public from then on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sympy

from dpaudit.formal import responses
from dpaudit.formal.apart import TAKEN_APART
from dpaudit.formal.bounds import ZERO
from dpaudit.formal.clock import charge
from dpaudit.formal.constants import public_array, unknown_public
from dpaudit.formal.domain import (
    Array,
    DictValue,
    Foreign,
    ListValue,
    Number,
    Tuple,
    Value,
    fresh,
)
from dpaudit.formal.drawn import aligned
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.noise import (
    WHOLE,
    Distance,
    Noise,
    Noisy,
    Released,
    bounded,
)
from dpaudit.formal.price import release
from dpaudit.formal.price.notions import DiscreteGaussian, Price
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.walk import Walk
from dpaudit.formal.words import in_words

if TYPE_CHECKING:
    from dpaudit.formal.releases import Ledger


def opened(ledger: Ledger, value: Value, place: Place, walk: Walk) -> Value:
    """Return a value that was paid for, or that holds noise alone, as a public one."""
    charge(200)
    match value:
        case Released() | Number() | Array():
            return value
        case Noise():
            return _seen(ledger, value, place)
        case Noisy():
            return _release(ledger, value, place)
        case responses.Flips():
            return responses.seen(value, ledger)
        case responses.Answers():
            return responses.paid(ledger, value, place)
        case Tuple(items):
            return replace(value, items=tuple(opened(ledger, v, place, walk) for v in items))
        case ListValue(items):
            value.items = [opened(ledger, v, place, walk) for v in items]
            return value
        case DictValue(items):
            value.items = {k: opened(ledger, v, place, walk) for k, v in items.items()}
            return value
        case Foreign():
            raise Unsupported(f"this use of {in_words(value)}", place)
    return value


def _seen(ledger: Ledger, noise: Noise, place: Place) -> Value:
    """Show noise that hides nothing: it does not depend on the data."""
    if noise.rows is not None and not noise.rows.public:
        raise Unsupported("as many draws as there are records", place)
    for draw in noise.draw:
        if ledger.used.get(draw) == TAKEN_APART:
            raise Unsupported("noise that is used as a whole and entry by entry", place)
        if ledger.used.get(draw, "seen") != "seen":
            raise Unpaid("DPA110", "noise that hides a value is used again", place, noise.place)
        ledger.used[draw] = "seen"
    whole = noise.family in WHOLE
    low = sympy.Integer(1) if noise.family == "geometric" else -sympy.oo
    high = sympy.oo
    if noise.family in ("random", "exponential") and noise.sign == 1:
        low, high = ZERO, sympy.Integer(1) if noise.family == "random" else sympy.oo
    if noise.sign == -1:
        low, high = -sympy.oo, sympy.oo
    if noise.shape is None:
        return Released(unknown_public("noise", integer=whole, low=low, high=high))
    return Released(public_array(noise.shape, low=low, high=high, integer=whole))


def _release(ledger: Ledger, noisy: Noisy, place: Place) -> Value:
    """Pay for a noisy value as it is; to show it again is free."""
    if id(noisy) in ledger.shown:
        return ledger.shown[id(noisy)][1]
    shown = _paid(ledger, noisy, place)
    ledger.shown[id(noisy)] = (noisy, shown)
    return shown


def _paid(ledger: Ledger, noisy: Noisy, place: Place) -> Value:
    noise, value = noisy.noise, noisy.value
    far = aligned(value, noise)
    if not bounded(value):
        why = value.why or "no bound on the change of one record"
        raise Unpaid("DPA104", f"{why} reaches the noise", noisy.place, noise.place)
    price, rule = price_of(far, noise, noisy)
    ledger.spend(noise, place)
    ledger.pay(price, rule, noisy.place, noise.place, value, noise.vector)
    whole = far.integer and noise.family in ("two-sided", "truncated", "discrete-normal")
    shape = noise.shape if noise.shape is not None else ()
    if not shape:
        return Released(unknown_public("released", integer=whole))
    kind = "int64" if whole else "float64"
    return Released(public_array(shape, integer=whole, dtype=kind, term=("released", fresh())))


def price_of(far: Distance, noise: Noise, noisy: Noisy) -> tuple[Price, str]:
    """Return the price of a noisy value that leaves as it is, and the theorem."""
    if noise.family == "laplace":
        return release.laplace(far.l1, far.linf, far.size, noise.scale), "Laplace mechanism"
    if noise.family == "normal":
        return release.gaussian(far.l2, noise.scale), "Gaussian mechanism"
    if noise.family == "two-sided":
        if not far.integer:
            raise Unsupported("geometric noise on numbers that are not whole", noisy.place)
        price = release.two_sided_geometric(far.l1, far.linf, far.size, noise.scale)
        return price, "geometric mechanism"
    if noise.family == "discrete-normal":
        if not far.integer:
            raise Unsupported("discrete Gaussian noise on numbers that are not whole", noisy.place)
        return DiscreteGaussian(far.l1, noise.scale), "discrete Gaussian mechanism"
    if noise.family == "truncated":
        if not far.integer:
            raise Unsupported("truncated noise on numbers that are not whole", noisy.place)
        return release.truncated_laplace(far.l1, noise.scale), "truncated Laplace noise"
    if noise.family == "uniform":
        return release.uniform(far.l1, noise.scale), "uniform noise"
    what = f"{noise.family} noise hides a value on one side only"
    raise Unpaid("DPA106", what, noisy.place, noise.place)
