"""What is done with noise, and with what the data makes of its scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpaudit.checker.lemma.values import (
    Column,
    Counts,
    Cut,
    FirstBeyond,
    Histogram,
    Largest,
    ManyDraws,
    Noise,
    NoisyCounts,
    Num,
    Raised,
    Steps,
    Trial,
    is_number,
)
from dpaudit.checker.operators import TURNED

if TYPE_CHECKING:
    from dpaudit.checker.lemma.follow import Follower


@dataclass(frozen=True, slots=True, eq=False)
class Falling:
    """The vector -rate·k, as an exponent."""

    length: Num
    rate: Any


def combined(word: str, a: Any, b: Any) -> Any:
    """Return an operation with noise, a largest entry or a first place in it; None for others."""
    for one, other, first in ((a, b, True), (b, a, False)):
        closed = other.closed if isinstance(other, Num) else None
        match one:
            case Largest() if closed is not None and word == "mul":
                return replace(one, factor=one.factor * closed)
            case Largest() if closed is not None and word == "truediv" and first:
                return replace(one, factor=one.factor / closed) if closed.sign() else None
            case FirstBeyond() if closed is not None and word in ("add", "sub"):
                if first:
                    return replace(one, plus=one.plus + (closed if word == "add" else -closed))
            case Raised(times=None) if isinstance(other, Largest) and word == "mul":
                return replace(one, times=other)
            case Noise() if word in ("add", "sub", "mul"):
                return _noisy(word, one, other, first=first)
            case ManyDraws() if isinstance(other, Counts) and word == "add" and not other.values:
                if isinstance(one.many, Column) and other.column.key == one.many.key:
                    return NoisyCounts(other.column, one)
            case Steps() if word == "mul" and closed is not None and closed.fraction is None:
                return _falling(one, closed)
    return _exponent(word, a, b)


def _exponent(word: str, a: Any, b: Any) -> Any:
    """Recognize -rate·arange(n) with a rational rate."""
    for one, other in ((a, b), (b, a)):
        closed = other.closed if isinstance(other, Num) else None
        if word == "mul" and isinstance(one, Steps) and closed is not None and closed.sign() < 0:
            return _falling(one, closed)
    return None


def _falling(steps: Steps, factor: Any) -> Falling | None:
    counts = steps.whole and not steps.decay.sign() and steps.entry("k").text == "k"
    return Falling(steps.length, -factor) if counts else None


def _noisy(word: str, one: Noise, other: Any, *, first: bool) -> Any:
    """Return noise with a centre, or of another scale."""
    bare = is_number(one.centre, 0)
    if word == "mul":
        scaled = isinstance(other, Largest) and is_number(one.scale, 1) and bare
        return replace(one, scale=other) if scaled else None
    if not bare or not isinstance(other, Num | FirstBeyond) or (word == "sub" and first):
        return None
    return replace(one, centre=other)  # Z and -Z have one law


def compared(word: str, a: Any, b: Any) -> Any:
    """Return a trial of noise against a public number; None for others."""
    if isinstance(a, Num):
        a, b, word = b, a, TURNED[word]
    closed = b.closed if isinstance(b, Num) else None
    if closed is None:
        return None
    if isinstance(a, Noise):
        return Trial(a, closed, word in ("gt", "ge"))
    if isinstance(a, NoisyCounts) and word in ("gt", "ge"):
        return Cut(a, closed)
    return None


def zipped(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    """Return pairs of values that are kept and their noisy counts."""
    strict = all(name == "strict" for name in named)
    match args:
        case [Cut(parts=(one,)) as first, Cut(parts=(two,)) as second] if strict:
            if first.noisy is second.noisy and first.threshold == second.threshold:
                return replace(first, parts=(one, two))
    return None


def histogram(_at: Follower, args: list[Any], named: dict[str, Any]) -> Any:
    """Return a dict of such pairs."""
    match args:
        case [Cut(parts=(Counts(values=True), NoisyCounts() as shown)) as cut] if not named:
            return Histogram(cut) if shown is cut.noisy else None
    return None
