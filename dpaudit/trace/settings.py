"""Tables that the user's functions have a public default for, made of the data all the same."""

from __future__ import annotations

from functools import lru_cache
from types import FrameType, FunctionType
from typing import TYPE_CHECKING

from dpaudit.trace.draws import Place
from dpaudit.trace.seen import Seen, close, seen

if TYPE_CHECKING:
    from dpaudit.trace.lines import History


def settings_of(frame: FrameType) -> frozenset[str]:
    """Return the parameters of a call whose default, in the source, is a table of numbers.

    Parameters
    ----------
    frame : frame
        Of the call of a function of a module; of any other there are none.
    """
    function = frame.f_globals.get(frame.f_code.co_name)
    if type(function) is not FunctionType or function.__code__ is not frame.f_code:
        return frozenset()
    return _settings(function)


@lru_cache(maxsize=256)
def _settings(function: FunctionType) -> frozenset[str]:
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    named = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    named |= function.__kwdefaults__ or {}
    return frozenset(name for name, value in named.items() if _is_table(seen(value)))


def _is_table(held: Seen) -> bool:
    return held.numbers is not None and held.numbers.size > 1


def table_from_data(left: History, right: History) -> tuple[Place, str, Seen, Seen] | None:
    """Return a table that is handed to a function as a setting, and differs between two runs.

    Parameters
    ----------
    left, right : History
        Of coupled runs: what has noise in it is the same in both, so that what differs is the data.

    Returns
    -------
    tuple of (Place, str, Seen, Seen) or None
        The line that hands it over, its name there, and both values: several numbers, as many on
        both sides.
    """
    others = [step for step in right.steps if step.given]
    for one, two in zip((step for step in left.steps if step.given), others, strict=False):
        if one.place != two.place:
            return None
        for name in sorted(one.settings & one.changed.keys() & two.changed.keys()):
            ours, theirs = one.changed[name], two.changed[name]
            if not _is_table(ours) or theirs.numbers is None or ours.structure != theirs.structure:
                continue
            if not close(ours.numbers, theirs.numbers):
                return one.place, name, ours, theirs
    return None
