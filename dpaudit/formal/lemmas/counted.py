"""The values that occur, how often, and those of them that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.formal.lemmas import columns
from dpaudit.formal.lemmas.values import Kept, Known, Noisy, Occurring, Records, Shown, Value
from dpaudit.formal.program import Place

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Reading


def _unique(r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    counted = keywords.pop("return_counts", None)
    if keywords or len(args) != 1 or not isinstance(args[0], Records) or args[0].nan:
        return None
    if not (isinstance(counted, Known) and counted.value is True):
        return None
    return columns.occurring(r, args[0])


def _listed(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Kept() as kept] if not keywords:
            return kept
    return None


def _zip(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    keywords.pop("strict", None)
    match args:
        case [Kept() as one, Kept() as other] if not keywords:
            if one.noisy is other.noisy and one.threshold == other.threshold:
                return Kept((*one.part, *other.part), one.noisy, one.threshold)
    return None


def _dict(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Kept(part=(Occurring(what="values"), Noisy() as shown), noisy=noisy) as kept]:
            return Shown(kept) if not keywords and shown is noisy else None
    return None


HANDLERS = {
    "numpy.unique": _unique,
    "method.tolist": _listed,
    "builtins.zip": _zip,
    "builtins.dict": _dict,
}
