"""Sorting and choosing by a key that both runs share: the order is public, whatever is ordered.

Which value stands where is not known, and is the same in both runs. So what stands anywhere is any
of the values.
"""

from __future__ import annotations

from typing import Any

from dpaudit.checker.cost.arrays import is_shared
from dpaudit.checker.cost.indexing import any_of, entry
from dpaudit.checker.cost.noise import shown
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.selection import Ranking, are_hidden
from dpaudit.checker.cost.values import is_known
from dpaudit.checker.wording import described

BY_KEY = ("builtins.sorted", "builtins.max", "builtins.min", "method.sort")


def by_key(machine: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """Return ``sorted(values, key=...)`` and the like; the noise that a key shows is paid for.

    Raises
    ------
    NotCheckedError
        Where a key is private, or what is ordered is not understood.
    """
    run: Run = machine.run
    alone = len(args) == 1 and not set(named) - {"key", "reverse"}
    if run.lane is not None or not alone or type(named.get("reverse", False)) is not bool:
        raise run.refused("an order of this kind")
    if name == "method.sort" and (type(args[0]) is not list or run.is_lent(args[0])):
        raise run.refused(f"an order in place of {described(args[0])}")
    items = [_all_shown(run, item) for item in machine.iterated(args[0])]
    keys = [machine.applied(named["key"], [item]) for item in items]
    if name != "method.sort" and are_hidden(keys) and all(map(is_known, items)):
        upwards = name == "builtins.min" or not named.get("reverse", name == "builtins.max")
        ranking = Ranking(tuple(keys), upwards, tuple(items))
        return ranking if name == "builtins.sorted" else entry(run, ranking, 0)
    if not all(is_shared(_all_shown(run, key)) for key in keys):
        raise run.refused("an order by private values")
    if name in ("builtins.max", "builtins.min"):
        if not items:
            raise run.refused("the largest of nothing")
        return any_of(run, items)
    found = [any_of(run, items) for _ in items]
    if name == "builtins.sorted":
        return found
    args[0][:] = found
    return None


def _all_shown(run: Run, value: Any) -> Any:
    """Return a value, or a tuple of values, whose noise has been looked at."""
    if isinstance(value, tuple):
        return tuple(_all_shown(run, part) for part in value)
    return shown(run, value)
