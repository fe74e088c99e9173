"""Outputs as events: which parts are fixed, and which lie in an interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.values import Flag, Items


@dataclass(frozen=True, slots=True)
class Fixed:
    """A part without noise: its kind (``bool``, ``number``, ``other``, ``bracket``) and value.

    The kind is compared too: in Python, ``True == 1``.
    """

    kind: str
    value: Any


@dataclass(frozen=True, slots=True)
class Box:
    """An open interval of numbers; None where it has no end."""

    low: Fraction | None
    high: Fraction | None

    def inequalities(self, part: Poly) -> Iterator[Poly]:
        """Yield polynomials that are positive where a number lies inside."""
        if self.low is not None:
            yield part - self.low
        if self.high is not None:
            yield self.high - part

    def contains(self, value: Fraction) -> bool:
        """Whether a number lies inside."""
        return (self.low is None or value > self.low) and (self.high is None or value < self.high)


ANYWHERE = Box(None, None)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One part of an output: fixed, or a number that noise decides."""

    fixed: Fixed | None
    part: Poly | None = None

    def wanted(self, box: Box) -> Fixed | Box:
        """Return what an event asks for that has this part as it is, or in a box."""
        return box if self.fixed is None else self.fixed


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outputs: what is asked of every part."""

    raised: bool
    parts: tuple[Fixed | Box, ...]

    def matched(self, output: tuple[Leaf, ...]) -> list[Poly] | None:
        """Return what must be positive for an output to lie in the event, None where none can."""
        if len(output) != len(self.parts):
            return None
        positive: list[Poly] = []
        for wanted, leaf in zip(self.parts, output, strict=True):
            if isinstance(wanted, Box):
                if leaf.part is not None:
                    positive += wanted.inequalities(leaf.part)
                elif not _inside(leaf.fixed, wanted):
                    return None
            elif leaf.part is not None:
                if wanted.kind != "number":
                    return None
                # Noise hits a single value with probability 0.
                return [Poly.of(-1)]
            elif leaf.fixed != wanted:
                return None
        return positive


def _inside(fixed: Fixed | None, box: Box) -> bool:
    return fixed is not None and fixed.kind == "number" and box.contains(fixed.value)


def leaves(output: Any, known: Mapping[Symbol, Poly]) -> list[Leaf]:
    """Return the parts of an output on known data, brackets included."""
    if isinstance(output, tuple | Items):
        marks = "()" if isinstance(output, tuple) else "[]"
        items = output if isinstance(output, tuple) else output.items
        inner = [leaf for item in items for leaf in leaves(item, known)]
        brackets = [Leaf(Fixed("bracket", mark)) for mark in marks]
        return [brackets[0], *inner, brackets[1]]
    if isinstance(output, Flag):
        output = output.number
    if isinstance(output, Poly):
        value = output.substitute(known.get)
        fixed = value.constant
        return [Leaf(None, value) if fixed is None else Leaf(Fixed("number", fixed))]
    return [Leaf(Fixed("bool" if isinstance(output, bool) else "other", output))]


def described(event: Event) -> str:
    """Return the event in words."""
    text = ", ".join(
        _interval(part) if isinstance(part, Box) else _text(part.value) for part in event.parts
    )
    for mark in "([":
        text = text.replace(f"{mark}, ", mark)
    for mark in ")]":
        text = text.replace(f", {mark}", mark)
    return f"the error {text}" if event.raised else f"output = {text}"


def source_of(event: Event) -> str:
    """Return the event as a Python expression in ``output`` and ``np``."""
    tests: list[str] = []
    counts: list[int] = []
    for part in event.parts:
        path = "output" + "".join(f"[{i}]" for i in counts)
        if isinstance(part, Fixed) and part.kind == "bracket":
            if part.value in "([":
                counts.append(0)
                continue
            count = counts.pop()
            path = "output" + "".join(f"[{i}]" for i in counts)
            tests.append(f"len({path}) == {count}")
        else:
            tests.append(_test(path, part))
        if counts:
            counts[-1] += 1
    # Lengths first: they say which entries there are.
    return " and ".join(sorted(tests, key=lambda t: (not t.startswith("len("), t.count("["))))


def _test(path: str, part: Fixed | Box) -> str:
    truth = f"isinstance({path}, (bool, np.bool_))"
    if isinstance(part, Box):
        low = "" if part.low is None else f" and {path} > {_text(part.low)}"
        high = "" if part.high is None else f" and {path} < {_text(part.high)}"
        return f"not {truth}{low}{high}"
    if part.kind == "bool":
        return f"{truth} and {'' if part.value else 'not '}{path}"
    if part.kind == "number":
        return f"not {truth} and {path} == {_text(part.value)}"
    return f"{path} is None" if part.value is None else f"{path} == {part.value!r}"


def _interval(box: Box) -> str:
    low = "" if box.low is None else f"above {_text(box.low)}"
    high = "" if box.high is None else f"below {_text(box.high)}"
    return " and ".join(filter(None, (low, high))) or "any number"


def _text(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else repr(float(value))
    return value if value in ("(", ")", "[", "]") else repr(value)
