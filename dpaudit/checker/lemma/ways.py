"""Follows a program of one private number on each of its ways.

Each uniform number of [0, 1) lies in a part of it on a way; a test of one against what is affine in
the private number cuts that part in two. Ways are followed to their ends one after the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.numbers import Number, keeps_chance
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.lemma.affine import (
    ONE,
    ZERO,
    Affine,
    Raw,
    added,
    affine,
    cut_off,
    scaled,
    shared,
)
from dpaudit.checker.lemma.follow import Follower, Node
from dpaudit.checker.lemma.smt_context import Scene
from dpaudit.checker.rounding import tosses
from dpaudit.neighbors import Integer, Real

_MOST = 64
_CUTS = {f"{m}.{w}" for m, w in (
    ("builtins", "max"), ("builtins", "min"), ("numpy", "maximum"), ("numpy", "minimum"),
    ("numpy", "fmax"), ("numpy", "fmin"),
)}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Below:
    """Whether a number with draws in it is below 0."""

    number: Affine


@dataclass(slots=True)
class Walker(Follower):
    """The state on one way: tests beyond those in `said` are passed."""

    said: tuple[bool, ...] = ()
    met: list[bool] = field(default_factory=list)
    parts: dict[int, tuple[Affine, Affine]] = field(default_factory=dict)
    chances: dict[int, Number] = field(default_factory=dict)

    def truth(self, node: Node) -> bool:
        """Return the outcome of a test."""
        value = self.value(node)
        if isinstance(value, bool):
            return value
        if not isinstance(value, Below):
            raise self.refused("a test on private data")
        (draw,) = value.number.draws
        c = value.number.draws[draw]
        at = scaled(value.number.without_draws(), -c.inverse())
        low, high = self.parts[draw]
        for one, other in ((low, at), (at, high)):
            gap = added(other, one, -1)
            if gap is None or gap.least.sign() < 0 or gap.greatest.sign() < 0:
                raise self.refused("a uniform number against what may be on either side of it")
            if gap.public is not None and not tosses(gap.public):
                raise self.refused("a coin that floats do not toss")
        passed = self.said[len(self.met)] if len(self.met) < len(self.said) else True
        self.met.append(passed)
        self.parts[draw] = (low, at) if passed == (c.sign() > 0) else (at, high)
        return passed

    def drawn(self, node: Node, given: dict[str, Any]) -> Any:
        """Return a draw with these arguments."""
        given = {name: affine(value) for name, value in given.items()}
        self.draws += 1
        draw = Affine(ZERO, ZERO, None, {self.draws: ONE})
        law, names = node["family"], set(given)
        if law == "geometric" and names == {"p"} and given["p"] is not None:
            chance = given["p"].public
            if chance is not None and keeps_chance(chance):
                self.chances[self.draws] = chance
                return draw
        self.parts[self.draws] = (shared(ZERO), shared(ONE))
        if law == "random" and not given:
            return draw
        low, high = given.get("low"), given.get("high")
        if law == "uniform" and names == {"low", "high"} and low is not None and high is not None:
            width = added(high, low, -1)
            if width is not None and width.public is not None:
                return added(low, scaled(draw, width.public))
        raise self.refused(f"{law!r:.30} noise with these arguments")

    def library(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        """Return what a library's function returns."""
        found = None if named else self._function(name, args)
        if found is None:
            raise self.refused(f"`{name:.40}` of these, of which no lemma speaks")
        return found

    def _function(self, name: str, args: list[Any]) -> Any:
        if name in ("operator.is_", "operator.is_not") and len(args) == 2:
            return (args[0] is None) is (name == "operator.is_") if args[1] is None else None
        if name in _CUTS:
            return cut_off(name, *args) if len(args) == 2 else None
        if name == "builtins.float" and len(args) == 1:
            return args[0] if isinstance(args[0], Raw) else affine(args[0])
        numbers = [affine(each) for each in args]
        if None in numbers:
            return None
        match name.removeprefix("operator."), numbers:
            case "neg", [Affine() as one]:
                return scaled(one, -ONE)
            case ("add" | "sub") as word, [Affine() as one, Affine() as other]:
                return added(one, other, 1 if word == "add" else -1)
            case "mul", [Affine() as one, Affine(public=Number() as factor)]:
                return scaled(one, factor)
            case "mul", [Affine(public=Number() as factor), Affine() as other]:
                return scaled(other, factor)
            case "truediv", [Affine() as one, Affine(public=Number() as factor)]:
                return scaled(one, factor.inverse()) if factor.sign() else None
            case "math.exp" | "numpy.exp", [Affine(public=Number() as power)]:
                return shared(power.exp()) if abs(float(power.ball)) < 700 else None
            case ("lt" | "le" | "gt" | "ge") as word, [Affine() as one, Affine() as other]:
                return self._below(*((one, other) if word[0] == "l" else (other, one)))
        return None

    def _below(self, one: Affine, other: Affine) -> Below | None:
        difference = added(one, other, -1)
        single = difference is not None and len(difference.draws) == 1
        if difference is None or not single or not set(difference.draws) <= set(self.parts):
            return None
        return Below(difference)


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """The end of a way: what comes out, in which parts the uniform numbers lie, and chances."""

    output: Affine
    parts: dict[int, tuple[Affine, Affine]]
    chances: dict[int, Number]


def ways(scene: Scene, functions: list[Node], program: Node, data: Raw) -> list[Way]:
    """Return the ends of all ways.

    Raises
    ------
    NotCheckedError
        Where the program is not understood, or has very many.
    """
    found: list[Way] = []
    todo: list[tuple[bool, ...]] = [()]
    while todo:
        if len(found) == _MOST:
            raise NotCheckedError("not checked: very many ways through the program")
        said = todo.pop()
        walker = Walker(scene, functions, "x", True, said=said)
        output = affine(walker.start(program, data))  # type: ignore[arg-type]
        if output is None or not walker.draws:
            raise NotCheckedError("not checked: an output that is no number with noise")
        found.append(Way(output, walker.parts, walker.chances))
        todo += [(*walker.met[:at], False) for at in range(len(said), len(walker.met))]
    return found


def record(records: Any) -> Raw:
    """Return the private number of a record."""
    if type(records) not in (Real, Integer) or getattr(records, "allow_missing", False):
        raise NotCheckedError("not checked: lemmas about such a record")
    infinite = not records.enforced or getattr(records, "allow_infinity", False)
    low, high = Fraction(records.low), Fraction(records.high)
    nan = bool(getattr(records, "allow_nan", False))
    if infinite:
        return Raw(("data",), -math.inf, math.inf, nan)
    return Raw(("data",), low, high, nan)
