"""The values of lowering: constants, variables of Core, containers, generators, functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from dpaudit.formal.program import Function, Place
from dpaudit.formal.unsupported import Unsupported

__all__ = ["Column", "Const", "Filtered", "Fn", "Frame", "Items", "Outer", "Place", "Ref",
           "Repeated", "Token", "Unsupported", "Value"]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A value that is known before the run; `var` is its variable where it was computed in Core."""

    value: Any
    var: int | None = None


@dataclass(frozen=True, slots=True)
class Ref:
    """A variable of Core.

    Attributes
    ----------
    var : int
    shape : {"scalar", "opaque", "rows", "list", "record", "table"}
        One number; what a function made that may be anything; one value a record, in an array or
        in a list; that of the record at hand, while a comprehension goes over them; a structured
        array.
    """

    var: int
    shape: Literal["scalar", "opaque", "rows", "list", "record", "table"] = "scalar"


@dataclass(slots=True, eq=False)
class Items:
    """A list, tuple, dict or one-dimensional array of values, with the identity of the object.

    `fixed` says that it must not be changed in place: it is the caller's, or a view of another;
    `busy` the same while it is gone through; `floats` that it is an array of floats, so that what
    is stored in it is no more than a float.
    """

    kind: Literal["list", "tuple", "dict", "array"]
    items: list[Any]
    keys: list[Any] = field(default_factory=list)
    fixed: bool = False
    floats: bool = False
    busy: int = 0

    @property
    def locked(self) -> bool:
        """Whether it must not be changed now."""
        return self.fixed or self.busy > 0


@dataclass(frozen=True, slots=True)
class Column:
    """``x[:, None]`` of one value a record."""

    rows: Ref


@dataclass(frozen=True, slots=True)
class Outer:
    """What a column and a row of constants make: one value a record for each constant."""

    rows: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Filtered:
    """The rows of a table for which a truth value holds."""

    table: Ref
    mask: Ref


@dataclass(frozen=True, slots=True)
class Repeated:
    """A constant for every record: ``1 for x in data``."""

    value: Const
    rows: Ref


@dataclass(frozen=True, slots=True)
class Token:
    """A generator, which may only draw."""


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of a call, or of a comprehension, and of what is around it."""

    variables: dict[str, Any]
    parent: Frame | None = None
    of_call: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Fn:
    """A function that was read, with the variables around it."""

    function: Function
    frame: Frame | None


Value = Const | Ref | Items | Column | Outer | Filtered | Repeated | Token | Fn
