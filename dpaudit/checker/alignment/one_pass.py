"""Whether a program meets every entry of the data at most once."""

from __future__ import annotations

from dpaudit.checker.alignment.execute import Execution
from dpaudit.checker.file import NotCheckedError


def validate_one_pass(execution: Execution) -> None:
    """Refuse programs that may meet an entry of the data twice.

    Where the changes of all entries add up to a distance, what was met so far adds up to at most
    that only if no entry was met before: all are read in one loop, which no loop goes through
    again, at its own index, which rises from 0 or above.
    """
    owners = {g.start for g in execution.stretches if g.reads}
    kinds = {read.kind for g in execution.stretches for read in g.reads}
    if "entry" in kinds and len(kinds) > 1:
        raise NotCheckedError("not checked: entries that are read alone and in blocks")
    for owner in owners:
        head = execution.heads.get(owner)
        if len(owners) > 1 or head is None or head.depth > 0 or head.walk is None:
            raise NotCheckedError("not checked: entries of the data that may be met twice")
        start = head.walk.start.constant
        if start is None or start < 0:
            raise NotCheckedError(f"not checked: indices that may be negative, {head.place}")
    for g in execution.stretches:
        index = f"%i0@{g.start}"
        if any(not r.index.hasSymbol() or r.index.getSymbol() != index for r in g.reads):
            raise NotCheckedError("not checked: an entry of the data that may be met twice")
