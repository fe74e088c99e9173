"""Bits that coins turn around: a randomized response of each record, in order or shuffled.

Statement. Let x be an array of n zeros and ones, and b one of n independent coins of chance q. If
at most k entries of x change, x xor b costs k |log((1 - q)/q)| (Warner 1965): every entry that
changes has two laws whose probabilities differ by that factor, and the others have one. A uniform
permutation of x xor b, or its sum, says how many entries are 1 and nothing else: given their
number, every order of them is as likely as any other. So shuffling costs no more, and where one
entry changes, what the number of ones tells is found exactly (`price.crowd`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy

from dpaudit.formal.bounds import ONE, ZERO
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import public_array, unknown_public
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import Array, Foreign, Number, Value
from dpaudit.formal.drawn import same_shape
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.noise import Noise, Released
from dpaudit.formal.postprocessing import known, reapplied
from dpaudit.formal.price.notions import Price, Pure, Shuffled
from dpaudit.formal.program import Place
from dpaudit.formal.rounding import tosses
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.releases import Ledger

_ORDERS = {"operator.lt": 1, "operator.le": 1, "operator.gt": -1, "operator.ge": -1}
_XOR = frozenset({"operator.xor", "numpy.logical_xor", "numpy.bitwise_xor"})
_SUMS = frozenset({"method.sum", "numpy.sum", "numpy.count_nonzero"})


@dataclass(frozen=True, slots=True, eq=False)
class Flips(Foreign):
    """Independent coins, which nobody has seen: uniform draws compared with a public number.

    Attributes
    ----------
    call : Application
        The comparison.
    noise : Noise
    chance : Expr
        That a coin is True.
    """

    call: Application
    noise: Noise
    chance: Any


@dataclass(frozen=True, slots=True, eq=False)
class Answers(Foreign):
    """Bits that coins turned around, which nobody has seen.

    Attributes
    ----------
    value : Array
        The bits.
    flips : Flips
    place : Place
    form : {"ordered", "shuffled", "counted"}
        What of them is left.
    """

    value: Array
    flips: Flips
    place: Place
    form: str = "ordered"


def flipped(ledger: Ledger, call: Application) -> Flips | None:
    """Recognize ``rng.random(n) > p``."""
    if call.name not in _ORDERS or len(call.args) != 2:
        return None
    for (noise, edge), side in ((call.args, 1), (call.args[::-1], -1)):
        edge = known(edge)
        if not isinstance(noise, Noise) or not isinstance(edge, Number) or edge.expr is None:
            continue
        uniform = noise.family == "random" and noise.sign == 1 and edge.public
        plain = noise.rows is None and noise.shape is not None and len(noise.shape) == 1
        if not (uniform and plain) or noise.draw[0] in ledger.used or not edge.expr.is_number:
            continue
        below = edge.expr if _ORDERS[call.name] == side else 1 - edge.expr
        if tosses(sympy.N(below, 40)):
            return Flips(call, noise, below)
    return None


def turned(call: Application) -> Answers | None:
    """Recognize ``bits ^ flips``."""
    if call.name not in _XOR or len(call.args) != 2 or call.keywords:
        return None
    for bits, flips in (call.args, call.args[::-1]):
        bits = known(bits)
        if not isinstance(bits, Array) or not isinstance(flips, Flips) or is_public(bits):
            continue
        ranged = bits.low == 0 or bits.low.is_nonnegative
        binary = bits.integer and ranged and (ONE - bits.high).is_nonnegative
        regular = not (bits.nan or bits.infinite) and bits.kind == "number"
        array = bits.container == "array" and not bits.element and len(bits.shape) == 1
        if binary and regular and array and same_shape(bits, flips.noise):
            if call.walk.private:
                what = "whether a value is released depends on private data"
                raise Unpaid("DPA108", what, call.walk.private[-1][1], flips.noise.place)
            return Answers(bits, flips, call.place)
    return None


def counted(call: Application) -> Answers | None:
    """Recognize the sum of answers."""
    first = call.args[0] if call.args else None
    if call.name not in _SUMS or len(call.args) != 1 or call.keywords:
        return None
    if not isinstance(first, Answers) or first.form == "counted":
        return None
    return replace(first, form="counted")


def shuffled(answers: Answers) -> Answers | None:
    """Return the answers in random order."""
    return None if answers.form == "counted" else replace(answers, form="shuffled")


def seen(flips: Flips, ledger: Ledger) -> Value:
    """Return coins that are looked at, as they are without bits to turn around."""
    from dpaudit.formal import opening

    call = flips.call
    values = [opening.opened(ledger, value, call.place, call.walk) for value in call.args]
    return reapplied(call, values)


def paid(ledger: Ledger, answers: Answers, place: Place) -> Value:
    """Pay for answers as they leave; to show them again is free."""
    if id(answers) in ledger.answered:
        return ledger.answered[id(answers)][1]
    value, noise = answers.value, answers.flips.noise
    changes: Any = value.norms.l0
    size: Any = value.size
    if not getattr(changes, "is_Integer", False) or not getattr(size, "is_Integer", False):
        raise Unsupported("responses of which any number may change", answers.place)
    price, rule = _priced(answers, int(changes), int(size))
    ledger.spend(noise, place)
    ledger.pay(price, rule, answers.place, noise.place, value)
    if answers.form == "counted":
        count = unknown_public("count", integer=True, low=ZERO, high=size)
        shown: Value = Released(count)
    else:
        shown = Released(public_array((size,), integer=True, low=ZERO, high=ONE, dtype=value.dtype))
    ledger.answered[id(answers)] = answers, shown
    return shown


def _priced(answers: Answers, changes: int, size: int) -> tuple[Price, str]:
    chance = answers.flips.chance
    unit = sympy.Abs(sympy.log(sympy.simplify((1 - chance) / chance)))
    epsilon = sympy.Integer(changes) * unit
    if answers.form == "ordered" or changes != 1:
        parts = ((unit, sympy.Integer(changes)),) if changes > 1 else ()
        return Pure(epsilon, parts), "randomized response"
    return Shuffled(epsilon, sympy.Integer(size), chance), "shuffled randomized response"
