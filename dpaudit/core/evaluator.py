"""The relational evaluator: proposes a derivation, one rule for every instruction.

It follows both runs as the kernel does, by the kernel's own rules, and chooses at each instruction
the first of its rules that holds. What it returns is no theorem: the kernel replays it.
"""

from __future__ import annotations

from typing import Any

import flint

from dpaudit.core.language import Block, Branch, Core, Draw, Let
from dpaudit.kernel.dataset import dataset
from dpaudit.kernel.numbers import PRECISION, Refusal
from dpaudit.kernel.theorem import Path, Step, concluded

# By primitive, what is tried in this order.
_ARITHMETIC = ("computed", "scaled noise", "two geometrics", "post processing", "release",
               "mean of inserted", "number arithmetic", "rows arithmetic")  # fmt: skip
_BOUNDED = ("computed", "post processing", "number bounded", "rows bounded")
_ROWS = {
    "len": ("rows length",), "sum": ("rows sum",), "item": ("column",), "field": ("column",),
    "filter": ("rows filtered",), "buckets": ("rows buckets",), "within": ("rows within",),
    "where": ("rows where",), "isnan": ("rows test",), "isfinite": ("rows test",),
    "cast": ("noise cast", "number cast", "rows cast"),
    "and": ("rows logic",), "or": ("rows logic",), "not": ("rows logic",),
}  # fmt: skip
_COMPARED = ("rows compare",)


def candidates(prim: str) -> tuple[str, ...]:
    """Return the rules that may conclude something of a primitive."""
    if prim in ("minimum", "maximum", "abs"):
        return (*_BOUNDED, "rows arithmetic")
    if prim in ("eq", "ne", "lt", "le", "gt", "ge"):
        return ("post processing", *_COMPARED)
    if prim in _ROWS:
        return (*_ROWS[prim], "post processing")
    return _ARITHMETIC


def derive(core: Core, neighbors: Any) -> list[Step]:
    """Return a derivation, without its conclusions.

    Raises
    ------
    Refusal
        Where no rule holds; the message names the line.
    """
    steps: list[Step] = []
    with flint.ctx.workprec(PRECISION):
        _block(core.block, Path({0: dataset(neighbors, core.data)}, []), steps)
    return steps


def _block(block: Block, path: Path, steps: list[Step]) -> None:
    for instruction in block.body:
        if isinstance(instruction, Let):
            rules = candidates(instruction.prim)
        else:
            rules = ("draw",) if isinstance(instruction, Draw) else ("constant",)
        why: list[str] = []
        for rule in rules:
            trial = path.copy()
            try:
                found = concluded(instruction, rule, trial)
            except Refusal as refusal:
                why.append(str(refusal))
                continue
            path.relations, path.releases = trial.relations, trial.releases
            path.relations[instruction.var] = found
            steps.append(Step(rule, instruction.var))
            break
        else:
            raise Refusal(f"line {instruction.line}: {instruction}: {why[-1]:.200}")
    if isinstance(block.end, Branch):
        path.shown(block.end.test)
        _block(block.end.yes, path.copy(), steps)
        _block(block.end.no, path.copy(), steps)
