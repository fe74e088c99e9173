"""NumPy's functions that move entries of arrays, and leave them what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.trace.arrays import entries_of, is_traced, quiet, rebuilt


def moved(func: Any, places: tuple[int, ...], args: Any, kwargs: Any) -> Any:
    """Apply a function that only moves entries, to values, cells and coefficients alike."""
    found: list[Any] = []

    def mapped(pick: Callable[[Any], Any]) -> list[Any]:
        changed = list(args)
        for place in places:
            if place < len(args):
                given = args[place]
                many = type(given) in (list, tuple)
                changed[place] = [pick(x) for x in given] if many else pick(given)
        return changed

    def values(each: Any) -> Any:
        if is_traced(each):
            found.append(each)
        return quiet(each)

    plain = mapped(values)
    result = func(*plain, **kwargs)
    if not found:
        return result
    cells = func(*mapped(lambda each: entries_of(each)[0]), **kwargs)
    coefs = func(*mapped(lambda each: entries_of(each)[1]), **kwargs)
    for each in found:
        each._used = True
    tape = found[0]._tape
    if isinstance(result, (list, tuple)):
        rows = zip(result, cells, coefs, strict=True)
        return type(result)(rebuilt(r, tape, c, k) for r, c, k in rows)
    return rebuilt(result, tape, cells, coefs)


# Functions that move entries, with the positions of the arrays among their arguments.
MOVES: dict[Any, tuple[int, ...]] = {
    **dict.fromkeys((np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack), (0,)),
    **dict.fromkeys((np.array_split, np.split, np.tile, np.repeat, np.roll, np.flip), (0,)),
    **dict.fromkeys((np.expand_dims, np.squeeze, np.moveaxis, np.swapaxes), (0,)),
    **dict.fromkeys((np.broadcast_to, np.atleast_1d, np.atleast_2d, np.take, np.delete), (0,)),
    **dict.fromkeys((np.copy, np.triu, np.tril, np.diagonal), (0,)),
    np.append: (0, 1),
    np.where: (1, 2),
}
