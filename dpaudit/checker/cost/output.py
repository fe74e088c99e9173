"""What a mechanism returns: nothing that its releases have not paid for."""

from __future__ import annotations

from typing import Any

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.delta_events import show
from dpaudit.checker.cost.ends import same
from dpaudit.checker.cost.keyed import plain
from dpaudit.checker.cost.labelled import Labelled
from dpaudit.checker.cost.noise import shown
from dpaudit.checker.cost.record_columns import Rows, Table
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import Sample
from dpaudit.checker.cost.sheets import Sheet, placed
from dpaudit.checker.cost.users import OfUsers
from dpaudit.checker.cost.values import Generator, Shared, Unknown, Unset, is_known
from dpaudit.checker.file import NotCheckedError

_DEEPEST = 50
_OTHER = "an output that is not understood"
_WHAT = {
    Generator: "the output is a generator, which shows how often it was used",
    Rows: "records leave without noise",
    Table: "records leave without noise",
    OfUsers: "records leave without noise",
    Unset: "an entry of numpy.empty leaves to which nothing was assigned",
}


class PrivateOutputError(NotCheckedError):
    """The output holds what no release has paid for."""


def validate_output(run: Run, value: Any, depth: int = 0) -> None:
    """Pay for the noise that an output holds, and refuse what is private without it."""
    if depth > _DEEPEST:
        raise run.refused("an output that holds itself")
    value = shown(run, value)
    if isinstance(value, Labelled) and not value.missing:
        value = value.values
    value = plain(placed(value))
    if isinstance(value, Sheet):
        value = value.columns
    if isinstance(value, list | tuple):
        for item in value:
            validate_output(run, item, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            validate_output(run, item, depth + 1)
    elif isinstance(value, Arr):
        for item in value.cells.flat:
            validate_output(run, item, depth + 1)
    elif isinstance(value, Sample):
        show(run, value.taken, value.place)
    elif isinstance(value, Unknown) and value.regular and same(value.low, value.high):
        raise run.refused("a known number of a private type, or a zero of a private sign")
    elif isinstance(value, range | Shared) or is_known(value):
        return
    elif not isinstance(value, Unknown):
        raise PrivateOutputError(f"not checked: {_WHAT.get(type(value), _OTHER)}", run.place)
    elif not value.shared:
        raise PrivateOutputError("not checked: whether a private output has noise", run.place)
