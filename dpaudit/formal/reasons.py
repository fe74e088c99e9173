"""Why nothing was decided, in one text for a user."""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.formal.program import Place
from dpaudit.session import session_of

LONGEST = 70  # of a line of code that is quoted


@dataclass(frozen=True, slots=True)
class Stop:
    """Where one way of reasoning stopped.

    Attributes
    ----------
    doing : str
        What it was, as a noun: "proof by cost".
    said : str
        What stopped it.
    place : Place or None
    understood : tuple of int
        Lines of the releases that it had understood by then.
    applies : bool
        Whether it is about such claims, neighbors and records at all.
    """

    doing: str
    said: str
    place: Place | None = None
    understood: tuple[int, ...] = ()
    applies: bool = True


def why(stops: Sequence[Stop]) -> str:
    """Return why no way decided; those that do not apply are left out where another does.

    Parameters
    ----------
    stops : sequence of Stop
    """
    of_use = [stop for stop in stops if stop.applies] or list(stops)
    told: dict[tuple[str, Place | None], Stop] = {}
    for stop in of_use:
        told.setdefault((stop.said, stop.place), stop)
    return "; ".join(_told(stop) for stop in told.values())


def _told(stop: Stop) -> str:
    if stop.place is None:
        return stop.said
    place, code = stop.place, linecache.getline(stop.place.file, stop.place.line).strip()
    session = session_of(place.file)
    if session is not None:  # its own code is in no file
        query = code.removeprefix("answer = ")
        place, code = Place(*session.place), re.sub(r"argument\d+_\d+", "…", query)
    quoted = f", in `{code if len(code) <= LONGEST else code[:LONGEST] + '…'}`" if code else ""
    return f"{place}: {stop.said}{quoted} ({stop.doing}){_understood(stop.understood)}"


def _understood(lines: Sequence[int]) -> str:
    if not lines:
        return ""
    if len(lines) == 1:
        return f" (the release of line {lines[0]} was understood and is not the cause)"
    first, last = ", ".join(map(str, lines[:-1])), lines[-1]
    return f" (the releases of lines {first} and {last} were understood and are not the cause)"
