"""Draws of noise while a program is read, and what is made of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from dpaudit.formal import program as ir
from dpaudit.formal import rounding
from dpaudit.formal.lemmas import segments
from dpaudit.formal.lemmas.values import (
    Drawn,
    Draws,
    Known,
    Mask,
    Noisy,
    Number,
    Occurring,
    Powered,
    Test,
    Value,
    is_private,
)
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Reading

_SCALED = {"laplace": "scale", "standard_cauchy": None, "gumbel": "scale"}


def drawn(reading: Reading, node: ir.Draw) -> Value:
    """Return a draw, of a scale that may depend on the records."""
    source = reading.evaluate(node.generator)
    if not is_private(source):
        raise Unsupported("noise from a generator that others know", node.place)
    given = {name: reading.evaluate(value) for name, value in node.arguments}
    if node.family in ("random", "uniform"):
        return segments.uniform(reading, node, given)
    if node.family not in _SCALED:
        raise Unsupported(f"draws of {node.family} noise, of which no lemma speaks", node.place)
    factor, size = given.pop(_SCALED[node.family] or "", Number(sympy.Integer(1))), given.pop(
        "size", Known(None)
    )  # fmt: skip
    if given or not isinstance(factor, Number):
        raise Unsupported(f"{node.family} noise with these arguments", node.place)
    reading.draws += 1
    if isinstance(size, Known) and size.value is None and node.family != "gumbel":
        zero = sympy.Integer(0)
        return Drawn(reading.draws, node.family, factor.expr, zero, node.place)
    if not isinstance(size, Number):
        raise Unsupported("noise of this size", node.place)
    return Draws(reading.draws, node.family, factor.expr, size.expr, node.place)


def combined(name: str, left: Value, right: Value) -> Value | None:
    """Return a sum, difference, product or quotient with noise in it."""
    if name in ("add", "sub"):
        return _sum(name, left, right)
    if name == "truediv" and isinstance(left, Drawn) and isinstance(right, Number):
        known = right.expr.is_number and right.expr.is_zero is False
        return _scaled(left, 1 / right.expr) if known else None
    if name == "mul":
        for noise, other in ((left, right), (right, left)):
            if isinstance(noise, Drawn) and isinstance(other, Number):
                return _scaled(noise, other.expr)
            if isinstance(noise, Powered) and isinstance(other, Number):
                return replace(noise, times=noise.times * other.expr)
    return None


def _sum(name: str, left: Value, right: Value) -> Value | None:
    sign = 1 if name == "add" else -1
    if any(isinstance(d, Drawn) and isinstance(c, Number) and c.expr.is_Rational
           and d.factor.is_Rational and abs(c.expr) > rounding.LARGEST * abs(d.factor)
           for d, c in ((left, right), (right, left))):  # fmt: skip
        return None  # floats lose the noise
    if isinstance(left, Drawn) and isinstance(right, Number):
        return replace(left, shift=left.shift + sign * right.expr)
    if isinstance(left, Number) and isinstance(right, Drawn):
        # Z and −Z have one law.
        return replace(right, shift=left.expr + sign * right.shift)
    if name == "add":
        for counts, draws in ((left, right), (right, left)):
            if not (isinstance(counts, Occurring) and isinstance(draws, Draws)):
                continue
            if counts.what == "counts" and counts.number == draws.number:
                return Noisy(counts, draws)
    return None


def _scaled(noise: Drawn, factor: Any) -> Value:
    return replace(noise, factor=noise.factor * factor, shift=noise.shift * factor)


def compared(name: str, left: Value, right: Value) -> Value | None:
    """Return a test of a noisy number against a public one."""
    mirrored = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}
    if isinstance(left, Number):
        left, right, name = right, left, mirrored[name]
    if not isinstance(right, Number) or not right.expr.is_number:
        return None
    if isinstance(left, Drawn):
        return Test(left, right.expr, name in ("gt", "ge"))
    if isinstance(left, Noisy) and name in ("gt", "ge"):
        return Mask(left, right.expr)
    return None


def power(value: Value) -> Value | None:
    """Return e to the power of a draw."""
    return Powered(value, sympy.Integer(1)) if isinstance(value, Drawn) else None
