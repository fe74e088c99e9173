"""Symmetric noise on symmetric matrices: one triangle of draws, and its mirror image.

For a symmetric V and a matrix N of independent draws, V + triu(N) + triu(N, 1)ᵀ is a function of
its upper triangle: that is the upper triangle of V + N, and the rest is a copy. So showing it costs
no more than showing V + N, whose draws below the diagonal hide what is already known; the change of
the upper triangle is bounded by that of all entries, in every norm (Dwork, Talwar, Thakurta & Zhang
2014, for the second moments of rows). The same holds for the lower triangle. Were V not symmetric,
the difference of two entries of which one mirrors the other's draw would be shown without noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal import opening
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, Both, Foreign, Number, Value
from dpaudit.formal.noise import Noise, Noisy
from dpaudit.formal.program import Place
from dpaudit.formal.relations import settled

if TYPE_CHECKING:
    from dpaudit.formal.releases import Ledger

_TRIANGLES = {"numpy.triu": "upper", "numpy.tril": "lower"}
_PRODUCTS = ("operator.matmul", "numpy.dot", "method.dot")


@dataclass(frozen=True, slots=True, eq=False)
class Triangle(Foreign):
    """A triangle of a square matrix of draws, 0 elsewhere.

    Attributes
    ----------
    noise : Noise
    which : {"upper", "lower"}
        Where its draws were in the whole matrix.
    strict : bool
        Whether the diagonal is 0 too.
    turned : bool
        Whether it was transposed.
    """

    noise: Noise
    which: str
    strict: bool = False
    turned: bool = False

    def completes(self, other: Triangle) -> bool:
        """Whether the sum of both is symmetric, with one draw a pair of entries."""
        same = self.noise is other.noise and self.which == other.which
        return same and self.strict is not other.strict and self.turned is not other.turned


@dataclass(frozen=True, slots=True, eq=False)
class Half(Foreign):
    """A value, symmetric, plus one triangle of noise: to be completed before it is shown."""

    value: Array
    triangle: Triangle
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Mirrored(Foreign):
    """Symmetric noise."""

    noise: Noise


def triangle(call: Application) -> Value | None:
    """Return ``np.triu(noise, k)``, None where it is no triangle that is understood."""
    which = _TRIANGLES.get(call.name)
    if which is None or not call.args or not isinstance(call.args[0], Noise | Triangle):
        return None
    matrix, k = call.bind("m", "k")
    at = call.known(k, 0)
    strict = at == (1 if which == "upper" else -1)
    if isinstance(matrix, Triangle):
        fits = matrix.which == which and not matrix.turned and (at == 0 or strict)
        return replace(matrix, strict=matrix.strict or strict) if fits else None
    assert isinstance(matrix, Noise)
    shape = matrix.shape
    square = shape is not None and len(shape) == 2 and shape[0] == shape[1]
    if not square or matrix.rows is not None or not (at == 0 or strict):
        return None
    return Triangle(matrix, which, strict)


def summed(ledger: Ledger, call: Application) -> Value | None:
    """Return a sum with a triangle of noise, None where there is none in it.

    What becomes complete is shown, and paid for, at once.
    """
    if call.name != "operator.add" or len(call.args) != 2:
        return None
    for one, other in (tuple(call.args), tuple(call.args[::-1])):
        match one, other:
            case Triangle(), Triangle() if one.completes(other):
                return Mirrored(one.noise)
            case Half(), Triangle() if one.triangle.completes(other):
                return _shown(ledger, one.value, other.noise, call)
            case Triangle(), Number() | Array() | Both() if is_symmetric(other):
                return Half(_matrix(other), one, call.place)
            case Mirrored(), Number() | Array() | Both() if is_symmetric(other):
                return _shown(ledger, _matrix(other), one.noise, call)
    return None


def _matrix(value: Value) -> Array:
    found = settled(value)
    assert isinstance(found, Array)
    return found


def _shown(ledger: Ledger, value: Array, noise: Noise, call: Application) -> Value:
    if noise.family != "normal":
        call.refuse(f"symmetric noise of the family {noise.family!r}")
    return opening.opened(ledger, Noisy(value, noise, call.place), call.place, call.walk)


def is_symmetric(value: Value) -> bool:
    """Whether a private value is certainly a symmetric matrix: A Aᵀ, or listed as such."""
    match value:
        case Both():
            sides = [np.asarray(side) for side in (value.left, value.right)]
            return all(
                side.ndim == 2 and side.dtype.kind in "iuf" and np.array_equal(side, side.T)
                for side in sides
            )
        case Array(term=(head, left, right)) if len(value.shape) == 2:
            return head in _PRODUCTS and right == _transposed(left)
    return False


def _transposed(term: Any) -> Any:
    turned = isinstance(term, tuple) and len(term) == 2 and term[0] == "T"
    return term[1] if turned else ("T", term)


def turned(value: Triangle) -> Triangle:
    """Return the transpose."""
    return replace(value, turned=not value.turned)
