"""Calls of libraries for differential privacy: what they build, and that it adds noise."""

from __future__ import annotations

import ast
import re

from dpaudit.static.frames import Frame
from dpaudit.static.modules import Module
from dpaudit.static.values import NOTHING, Value, changed, joined, mixed

BUILT = "built"  # the mark of what such a library has built
ADDS_NOISE = "adds-noise"  # and of what adds noise, once it is given data
_LIBRARIES = ("opendp", "diffprivlib", "pydp", "tmlt", "snsql", "pipeline_dp")
# OpenDP builds transformations too, which add none.
_NOISY = re.compile(r"\bm\.|measurement|laplace|gauss|geometric|randomized|noise|Context|context")


def is_library(dotted: str) -> bool:
    """Whether a dotted name is one of a library for differential privacy."""
    return dotted.partition(".")[0] in _LIBRARIES


def speaks_of_library(module: Module, node: ast.expr) -> bool:
    """Whether an expression uses what was imported from such a library."""
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return any(is_library(module.imports.get(name, "")) for name in names)


def library_call(
    frame: Frame,
    node: ast.Call,
    dotted: str,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value | None:
    """Return what a call of such a library gives, or of what it has built; None of any other."""
    from dpaudit.static.expressions import evaluate

    built = receiver
    if built is None and isinstance(node.func, ast.Name):
        built = evaluate(frame, node.func)
    if built is not None and built.has(BUILT):
        noisy = built.has(ADDS_NOISE) or bool(_NOISY.search(ast.unparse(node.func)))
    elif is_library(dotted):
        noisy = not dotted.startswith("opendp.") or bool(_NOISY.search(dotted))
    else:
        return None
    given = [*arguments, *keywords.values()]
    noisy = noisy or any(v.has(ADDS_NOISE) for v in given)
    told = mixed((*given, built) if built is not None else given)
    if told.tells and noisy:
        told = changed(told, tells=NOTHING, hidden=True, shape=NOTHING)
    return told.marked(BUILT, *((ADDS_NOISE,) if noisy else ()))


def chained(left: Value, right: Value) -> Value | None:
    """Return what ``a >> b`` is, where such a library has built one of them."""
    if not (left.has(BUILT) or right.has(BUILT)):
        return None
    noisy = left.has(ADDS_NOISE) or right.has(ADDS_NOISE)
    return joined(left.plain(), right.plain()).marked(BUILT, *((ADDS_NOISE,) if noisy else ()))
