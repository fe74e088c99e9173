"""Whether a column that changes in place is seen under another name.

Columns of records are values here, and not memory: ``a /= b`` makes a new one. That is the same as
long as nothing else that can still be reached shares the memory of the old one. What was computed
in the call that changes it can only be in variables, and in lists and dicts that they hold: what
callers have at hand in the midst of an expression is older.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.columns import Fields
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.noise import is_noise
from dpaudit.checker.cost.record_columns import Rows, Table
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Shared, Unknown, is_known

_PLAIN = (Arr, Unknown, Shared, Named, Fields, range)


def is_alone(
    run: Run, old: Rows, name: str, frame: Any, frames: Iterable[Any], plain: tuple[Any, ...]
) -> bool:
    """Whether one variable alone holds a column, which was computed in the call that has it.

    Parameters
    ----------
    run : Run
    old : Rows
    name : str
        The variable.
    frame : Frame
        In which it is.
    frames : iterable of Frame
        All that are alive.
    plain : tuple of type
        What holds no values of the program.
    """
    if not old.fresh or old.serial < frame.started:
        return False
    if any(_shares(rows, old) for rows in run.viewed.values()):
        return False  # an array of its entries may be a view
    seen: set[int] = {id(frame)}
    todo: list[Any] = [value for key, value in frame.variables.items() if key != name]
    todo += [*frames, frame.parent]
    while todo:
        value = todo.pop()
        if value is None or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Rows):
            if value is old or _shares(value, old):
                return False
        elif isinstance(value, list | tuple):
            todo += value
        elif isinstance(value, dict):
            todo += value.values()
        elif hasattr(value, "variables"):
            todo += [*value.variables.values(), value.parent]
        elif hasattr(value, "frame"):
            todo.append(value.frame)
        elif isinstance(value, Table):
            todo += value.columns.values()
        elif not (isinstance(value, (*_PLAIN, *plain)) or is_known(value) or is_noise(value)):
            return False
    return True


def _shares(one: Rows, other: Rows) -> bool:
    return any(np.shares_memory(a, b) for a in one.lanes.values() for b in other.lanes.values())
