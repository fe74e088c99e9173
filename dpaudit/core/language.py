"""The language Core: numbered variables, primitives, draws of noise, and tests that branch.

A program is a tree. Each block binds variables one after another, and ends by returning, by
raising, or by a test with a block for each answer; there are no joins, and loops with public bounds
are written out. A variable is bound once on each path. Fields say what is no variable: the names of
fields, sides, policies for NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

PRIMITIVES = frozenset(
    [
        "add",
        "sub",
        "mul",
        "div",
        "floordiv",
        "mod",
        "pow",
        "neg",
        "pos",
        "abs",
        "exp",
        "expm1",
        "log",
        "sqrt",
        "minimum",
        "maximum",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "and",
        "or",
        "not",
        "isnan",
        "isfinite",
        "where",
        "cast",
        "len",
        "sum",
        "item",
        "field",
        "filter",
        "buckets",
        "within",
        "pack",
        "get",
        "known",
    ]
)
LAWS = frozenset(["laplace", "normal", "geometric"])


@dataclass(frozen=True, slots=True)
class Data:
    """What the mechanism receives.

    Attributes
    ----------
    form : {"array", "list", "table", "scalar", "vector"}
        One number a record, in an array or in a list; a structured array; one number; so many
        numbers.
    names : tuple of str
        The columns of a table.
    length : int
        Of a vector, else 0.
    size : int
        The public number of records, 0 where it is not public.
    """

    form: Literal["array", "list", "table", "scalar", "vector"]
    names: tuple[str, ...] = ()
    length: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Constant:
    """A variable that is bound to a constant."""

    var: int
    value: Any
    line: int

    def __str__(self) -> str:
        return f"v{self.var} = {self.value!r:.60}"


@dataclass(frozen=True, slots=True)
class Let:
    """A variable that is bound to a primitive of others."""

    var: int
    prim: str
    args: tuple[int, ...]
    fields: tuple[Any, ...]
    line: int

    def __str__(self) -> str:
        inside = ", ".join([*(f"v{arg}" for arg in self.args), *(repr(f) for f in self.fields)])
        return f"v{self.var} = {self.prim}({inside})"


@dataclass(frozen=True, slots=True)
class Draw:
    """A variable that is drawn from a law whose parameter is another variable.

    Laplace noise around 0 has its scale, normal noise its standard deviation, and a geometric
    number, from 1 on, its chance of success.
    """

    var: int
    law: str
    parameter: int
    line: int

    def __str__(self) -> str:
        return f"v{self.var} ~ {self.law}(v{self.parameter})"


Instruction = Constant | Let | Draw


@dataclass(frozen=True, slots=True)
class Return:
    """The end of a path that returns a variable."""

    var: int
    line: int


@dataclass(frozen=True, slots=True)
class Raise:
    """The end of a path in an exception, whose text is public."""

    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Branch:
    """The end of a block in a test, with what follows either answer."""

    test: int
    yes: Block
    no: Block
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions, one after another, and what follows them."""

    body: tuple[Instruction, ...]
    end: Return | Raise | Branch


@dataclass(frozen=True, slots=True)
class Core:
    """A mechanism in Core; variable 0 is what it receives."""

    data: Data
    block: Block

    def __str__(self) -> str:
        return "\n".join([f"v0 = {self.data.form}", *_lines(self.block, "")])


def _lines(block: Block, indent: str) -> Iterator[str]:
    for instruction in block.body:
        yield f"{indent}{instruction}"
    end = block.end
    if isinstance(end, Branch):
        yield f"{indent}if v{end.test}:"
        yield from _lines(end.yes, f"{indent}  ")
        yield f"{indent}else:"
        yield from _lines(end.no, f"{indent}  ")
    else:
        yield (
            f"{indent}return v{end.var}" if isinstance(end, Return) else f"{indent}raise {end.kind}"
        )


def blocks(block: Block) -> Iterator[Block]:
    """Yield a block and all below it."""
    yield block
    if isinstance(block.end, Branch):
        yield from blocks(block.end.yes)
        yield from blocks(block.end.no)


def uses(core: Core) -> dict[int, int]:
    """Return how often each variable is used, over all paths together.

    A use in blocks of which only one runs counts in both.
    """
    counts: dict[int, int] = {}
    for block in blocks(core.block):
        for each in block.body:
            read = each.args if isinstance(each, Let) else ()
            read = (each.parameter,) if isinstance(each, Draw) else read
            for var in read:
                counts[var] = counts.get(var, 0) + 1
        end = block.end
        if not isinstance(end, Raise):
            var = end.var if isinstance(end, Return) else end.test
            counts[var] = counts.get(var, 0) + 1
    return counts
