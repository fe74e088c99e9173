"""Clips that bound what a function takes or computes, and sums that do not overflow."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dpaudit.formal.repairing.edits import Edit, Text
from dpaudit.neighbors import Integer, Real

PAIRS = (("low", "high"), ("lower", "upper"), ("lo", "hi"), ("l", "u"), ("minimum", "maximum"))
RADII = ("clip", "bound", "radius", "clip_norm", "limit")
ONE_SIDED = ("minimum", "fmin", "maximum", "fmax")


@dataclass(frozen=True, slots=True)
class Clip:
    """A change that bounds a value.

    Attributes
    ----------
    edits : tuple of Edit
    line : int
    what : str
        For people.
    own : bool
        Whether it brings in no new numbers.
    """

    edits: tuple[Edit, ...]
    line: int
    what: str
    own: bool = True


def clips(
    node: ast.FunctionDef, text: Text, names: dict[str, Any], neighbors: Any
) -> Iterator[Clip]:
    """Yield clips, those that complete one that is there before those that are new.

    Parameters
    ----------
    node : FunctionDef
    text : Text
    names : dict of str to object
        What the function finds by its globals.
    neighbors : Neighbors
        Whose records may have a documented range.
    """
    numpy = next((n for n, v in names.items() if getattr(v, "__name__", "") == "numpy"), None)
    if numpy is None or not node.args.args:
        return
    bounds = list(dict.fromkeys(_bounds(node, neighbors)))
    yield from _widened(node, text)
    yield from _completed(node, text, numpy, bounds)
    yield from _inserted(node, text, numpy, bounds)


def _bounds(node: ast.FunctionDef, neighbors: Any) -> Iterator[tuple[str, str]]:
    """Yield pairs of bounds that the function knows, then the range of the records."""
    own = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
    for low, high in PAIRS:
        if low in own and high in own:
            yield low, high
    for radius in RADII:
        if radius in own:
            yield f"-{radius}", radius
    records = getattr(neighbors, "records", None)
    for domain in (records, *getattr(records, "domains", ())):
        if isinstance(domain, Real | Integer):
            yield repr(domain.low), repr(domain.high)


def _widened(node: ast.FunctionDef, text: Text) -> Iterator[Clip]:
    """Yield calls without the type that their result would wrap around in."""
    for call in ast.walk(node):
        kept = [k for k in call.keywords if k.arg != "dtype"] if isinstance(call, ast.Call) else []
        if not isinstance(call, ast.Call) or len(kept) == len(call.keywords):
            continue
        arguments = [text.segment(a) for a in call.args]
        arguments += [f"{k.arg or '**'}={text.segment(k.value)}" for k in kept]
        written = f"{text.segment(call.func)}({', '.join(arguments)})"
        what = f"line {call.lineno} computes in the type that NumPy chooses, which does not wrap"
        yield Clip((text.replaced(call, written),), call.lineno, what)


def _completed(
    node: ast.FunctionDef, text: Text, numpy: str, bounds: list[tuple[str, str]]
) -> Iterator[Clip]:
    """Yield calls that bound on one side, or let NaN pass, as calls that do neither."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        for value, low, high in _sides(call, text, numpy, bounds):
            clipped = f"{numpy}.fmin({numpy}.fmax({value}, {low}), {high})"
            what = f"what line {call.lineno} clips is clipped to [{low}, {high}]"
            yield Clip((text.replaced(call, clipped),), call.lineno, f"{what}, NaN included")


def _sides(
    call: ast.Call, text: Text, numpy: str, bounds: list[tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    """Yield (value, low, high) for a call that clips."""
    assert isinstance(call.func, ast.Attribute)
    library = isinstance(call.func.value, ast.Name) and call.func.value.id == numpy
    name, given = call.func.attr, [text.segment(a) for a in call.args]
    if name in ONE_SIDED and library and len(given) == 2:
        end = given[1]
        if name in ("minimum", "fmin"):
            yield from ((given[0], low, end) for low in [*_partners(end, bounds, 1), f"-{end}"])
        else:
            yield from ((given[0], end, high) for high in _partners(end, bounds, 0))
    elif name == "clip":
        values = [text.segment(call.func.value), *given] if not library else given
        named = {k.arg: text.segment(k.value) for k in call.keywords}
        known = [v for v in [*values[1:3], *named.values()] if v != "None"]
        lows = [named.get("min", named.get("lower", values[1] if len(values) > 1 else "None"))]
        highs = [named.get("max", named.get("upper", values[2] if len(values) > 2 else "None"))]
        lows = lows if lows != ["None"] else _partners(known[0], bounds, 1) if known else []
        highs = highs if highs != ["None"] else _partners(known[0], bounds, 0) if known else []
        yield from ((values[0], low, high) for low in lows for high in highs)


def _partners(end: str, bounds: list[tuple[str, str]], side: int) -> list[str]:
    """Return what may bound the other side, the end's own partner first."""
    own = [pair[1 - side] for pair in bounds if pair[side] == end]
    return list(dict.fromkeys([*own, *(pair[1 - side] for pair in bounds)]))


def _inserted(
    node: ast.FunctionDef, text: Text, numpy: str, bounds: list[tuple[str, str]]
) -> Iterator[Clip]:
    """Yield a first statement that clips what the function is given."""
    data = node.args.args[0].arg
    body = node.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if documented and len(body) > 1 else body[0]
    at = text.offset(first.lineno, first.col_offset)
    indent = " " * first.col_offset
    for low, high in bounds:
        line = f"{data} = {numpy}.fmin({numpy}.fmax({data}, {low}), {high})"
        yield Clip(
            (Edit(at, at, f"{line}\n{indent}", first.lineno),),
            first.lineno,
            f"`{data}` is clipped to [{low}, {high}], NaN included",
            own=low.strip("-").isidentifier(),
        )
