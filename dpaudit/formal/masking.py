"""Private values with noise added, before they leave."""

from __future__ import annotations

from dataclasses import replace

import sympy

from dpaudit.formal.calls import Application, apply
from dpaudit.formal.clock import charge
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import (
    Array,
    Number,
    Value,
)
from dpaudit.formal.drawn import same_shape, two_sided
from dpaudit.formal.findings import Unpaid
from dpaudit.formal.noise import (
    WHOLE,
    Noise,
    Noisy,
)
from dpaudit.formal.postprocessing import plain
from dpaudit.formal.relations import settled
from dpaudit.formal.rounding import keeps_chance

_ADD = "operator.add"
_AS_FLOAT = frozenset({"builtins.float", "numpy.float64", "method.item"})
_AS_INT = frozenset({"builtins.int", "builtins.round"})


def kept(call: Application) -> Value | None:
    """Return noise, or a sum with it, after a conversion that changes nothing; or its sum."""
    first = call.args[0]
    if len(call.args) != 1 or call.keywords:
        return None
    if isinstance(first, Noise):
        cut = _truncated(first, call)
        if cut is not None:
            return cut
        whole = first.family in WHOLE
        if call.name in _AS_FLOAT or (call.name in _AS_INT and whole):
            return first
    if isinstance(first, Noisy) and call.name in _AS_FLOAT and first.noise.shape is None:
        return first
    if isinstance(first, Noisy) and call.name in ("numpy.sum", "method.sum"):
        return _added(first, call)
    return None


def _truncated(noise: Noise, call: Application) -> Noise | None:
    """Return ``int(noise)`` of one draw of Laplace noise: an integer, cut towards zero."""
    alone = noise.shape is None and noise.rows is None and not noise.vector
    if call.name != "builtins.int" or noise.family != "laplace" or not alone:
        return None
    if noise.scale.free_symbols or not keeps_chance(sympy.N(1 - sympy.exp(-1 / noise.scale), 30)):
        return None
    return replace(noise, family="truncated")


def _added(noisy: Noisy, call: Application) -> Value | None:
    """Return the sum of values with Gaussian noise: its variances add up."""
    noise, value = noisy.noise, noisy.value
    fits = isinstance(value, Array) and same_shape(value, noise)
    if noise.family != "normal" or not fits or noise.shape is None:
        return None
    total = apply(call.walk, call.name, [value], {}, call.place)
    if not isinstance(total, Number):
        return None
    scale = noise.scale * sympy.sqrt(sympy.Mul(*noise.shape))
    return Noisy(total, replace(noise, scale=scale, shape=None), noisy.place, noisy.sign)


def summed(call: Application, left: Value, right: Value) -> Value | None:
    """Return private value ± noise, or the difference of two geometric draws."""
    charge(4000)
    sign = 1 if call.name == _ADD else -1
    left, right = settled(plain(left)), settled(plain(right))
    if isinstance(left, Noise) and isinstance(right, Noise):
        return two_sided(left, right, sign)
    if isinstance(left, Noisy) and isinstance(right, Noise):
        return _completed(left, right, sign)
    if isinstance(right, Noise) and isinstance(left, Number | Array):
        return _masked(call, left, replace(right, sign=sign * right.sign), 1)
    if isinstance(left, Noise) and isinstance(right, Number | Array):
        return _masked(call, right, left, sign)
    return None


def _completed(left: Noisy, right: Noise, sign: int) -> Value | None:
    """Read ``(x + G) - G'`` as ``x + (G - G')``."""
    noise = two_sided(left.noise, right, sign * left.sign)
    if not isinstance(noise, Noise):
        return None
    return replace(left, noise=replace(noise, sign=left.sign))


def _masked(call: Application, value: Number | Array, noise: Noise, sign: int) -> Value | None:
    if is_public(value):
        return None  # the noise is data-independent: it is opened
    if call.walk.private:
        what = "whether a value is released depends on private data"
        raise Unpaid("DPA108", what, call.walk.private[-1][1], noise.place)
    signed = noise if sign == 1 else replace(noise, sign=-noise.sign)
    return Noisy(value, signed, call.place, sign)
