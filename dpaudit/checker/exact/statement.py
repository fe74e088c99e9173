"""Compares the numbers that a proof states with those that were computed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.spending import Spent
from dpaudit.checker.file import RejectedError
from dpaudit.checker.formula import read_term
from dpaudit.checker.number_text import value_of

_BALL = re.compile(r"\[(-?[\d.]+(?:e[+-]?\d+)?) \+/- ([\d.]+(?:e[+-]?\d+)?)\]")
_LONGEST = 200_000
_OPERATIONS = frozenset({"add", "sub", "mul", "div", "neg", "exp"})


def validate_numbers(
    proof: Mapping[str, Any], worst: Spent, there: Spent, ratio: Number | None
) -> None:
    """Refuse a proof that states other numbers than are right.

    Parameters
    ----------
    proof : mapping
    worst : Spent
        The most that is spent on any pair.
    there : Spent
        What is spent on the pair that the proof says is the worst.
    ratio : Number or None
        The largest ratio of probabilities there, None where it is infinite.
    """
    assert worst.amount is not None
    if there.amount is None or there.amount != worst.amount:
        raise RejectedError("`attained_by` is not a pair on which most is spent")
    if not _is(proof["spent"], worst.amount):
        raise RejectedError(
            f"`spent` is {proof['spent']:.60}, and {worst.amount.shown} was computed"
        )
    if not _is_loss(proof["loss"], ratio):
        shown = "infinity" if ratio is None else ratio.shown
        raise RejectedError(f"`loss` is {proof['loss']:.60}, and it is the logarithm of {shown}")


def _is_loss(text: str, ratio: Number | None) -> bool:
    if ratio is None or text == "inf":
        return ratio is None and text == "inf"
    ball = _BALL.fullmatch(text)
    if ball is None:
        found = _read(text)
        return found.fraction is not None and bool(found.exp() == ratio)
    middle, radius = (Fraction(part) for part in ball.groups())
    gap = abs(ratio.log().ball - Number(middle).ball)
    narrow = radius <= Fraction(1, 10**6) * max(Fraction(1), abs(middle))
    return bool(narrow and gap <= Number(radius).ball)


def _is(text: str, amount: Number) -> bool:
    ball = _BALL.fullmatch(text)
    if ball is None:
        return bool(_read(text) == amount)
    middle, radius = (Fraction(part) for part in ball.groups())
    narrow = radius <= Fraction(1, 10**6) * max(Fraction(1), abs(middle))
    return bool(narrow and abs(amount.ball - Number(middle).ball) <= Number(radius).ball)


def _read(text: str) -> Number:
    """Return a number that is written with + - * / and exp."""
    if len(text) > _LONGEST:
        raise RejectedError("`spent` is too long")
    term = read_term(text, (), "`spent`", longest=_LONGEST)
    return value_of(term, "`spent` or `loss`", _OPERATIONS)
