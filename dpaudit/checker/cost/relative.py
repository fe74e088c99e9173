"""Noise whose scale was computed from released numbers, beside values that move with them.

What was released before is one number s in both runs. A scale k + Σ k_i |s_i| and a value that
moves by at most d + Σ d_i |s_i| are known up to these magnitudes alone; with k, k_i, d, d_i >= 0

    (d + Σ d_i |s_i|) / (k + Σ k_i |s_i|)  <=  max(d/k, d_1/k_1, …),

since the left side is a mean of the ratios on the right, with weights k and k_i |s_i|. So the noise
hides the value as noise of scale 1 hides one that moves by that maximum, whatever was released.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpaudit.checker.cost.ends import INF, ZERO, is_finite, most
from dpaudit.checker.cost.values import Change, Group, Token, Unknown
from dpaudit.checker.exact.numbers import Number, number

# What a test tells of a number that is compared with another, by whether it came out true.
_ABOVE = {("gt", True), ("le", False)}
_ABOVE_OR_AT = {("ge", True), ("lt", False)}
_BELOW = {("lt", True), ("ge", False)}
_BELOW_OR_AT = {("le", True), ("gt", False)}
_APART = {("ne", True), ("eq", False)}


@dataclass(frozen=True, slots=True)
class Form:
    """``constant + Σ factor · |released number|``, with factors that are positive."""

    constant: Number
    factors: Mapping[Unknown, Number] = field(default_factory=dict)

    def plus(self, other: Form) -> Form:
        """Return a sum."""
        factors = dict(self.factors)
        for atom, factor in other.factors.items():
            factors[atom] = factors.get(atom, ZERO) + factor
        return Form(self.constant + other.constant, factors)

    def times(self, factor: Number) -> Form | None:
        """Return a multiple by a positive number."""
        if factor.sign() <= 0:
            return None
        return Form(self.constant * factor, {a: f * factor for a, f in self.factors.items()})


def form_of(value: Any) -> Form | None:
    """Return a number as such a form, None where it is not known to be one."""
    if isinstance(value, Unknown):
        return value.form  # type: ignore[no-any-return]
    if isinstance(value, int | Number) and not isinstance(value, bool):
        return Form(number(value))
    return None


def magnitude(x: Unknown) -> Form | None:
    """Return |x| as a form, for a number that was released."""
    return Form(ZERO, {x: number(1)}) if x.sure else None


def multiple(released: Unknown, x: Unknown) -> Change | None:
    """Return how a multiple of x by a released number moves, None where nothing bounds x."""
    far = x.change.far()
    if not released.sure or not x.regular or not is_finite(far):
        return None
    return Change(tokens={Token(Group("alone", -INF, INF, by=released)): far})


def ratio(change: Change, scale: Form) -> Number | None:
    """Return how far a value moves at most, in scales of its noise; None where nothing bounds it.

    Parameters
    ----------
    change : Change
    scale : Form
        With a constant that is positive.
    """
    moved: dict[Unknown, Number] = {}
    plain = {}
    for token, factor in change.tokens.items():
        if token.group.by is None:
            plain[token] = factor
        else:
            atom = token.group.by
            moved[atom] = moved.get(atom, ZERO) + abs(factor)
    far = Change(change.low, change.high, plain).far()
    if not is_finite(far) or not set(moved) <= set(scale.factors):
        return None
    found: Number = most(
        [far / scale.constant, *(d / scale.factors[atom] for atom, d in moved.items())]
    )
    return found


def is_relative(change: Change) -> bool:
    """Whether a value moves with what was released."""
    return any(token.group.by is not None for token in change.tokens)


def is_nonzero(x: Unknown, facts: Mapping[Unknown, list[tuple[str, Number, bool]]]) -> bool:
    """Whether tests on the way here have told that a released number is not 0; it may be NaN."""
    for name, at, outcome in facts.get(x, ()):
        sign, test = at.sign(), (name, outcome)
        above = (test in _ABOVE and sign >= 0) or (test in _ABOVE_OR_AT and sign > 0)
        below = (test in _BELOW and sign <= 0) or (test in _BELOW_OR_AT and sign < 0)
        if above or below or (test in _APART and sign == 0):
            return True
    return False
