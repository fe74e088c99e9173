"""A backward slice over two runs: from a line that differs to the one that made it of records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dpaudit.trace.lines import RETURNED, History, Step, source_of

if TYPE_CHECKING:
    from dpaudit.trace.draws import Place

_NAMES = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?")
MOST_STEPS = 16


def origin_at(left: History, right: History, place: Place) -> Place:
    """Return the line that computes from records what a line finds different in the second run.

    Parameters
    ----------
    left, right : History
    place : Place
        The line, where the histories end.

    Notes
    -----
    Of the variables that the line reads, those are followed that differ between the runs, each to
    the line that set it, and an argument to the call that gave it. Records themselves are not:
    the line that reads nothing else which differs is the cause. Several are followed as one while
    they lead to one line.
    """
    end = len(left.steps), len(right.steps)
    arguments = left.arguments, right.arguments
    given = [
        (arguments[0][name], arguments[1][name]) for name in arguments[0] if name in arguments[1]
    ]
    for _ in range(MOST_STEPS):
        found = set()
        for name in dict.fromkeys(_read(source_of(place))):
            last = [
                _last(history, name, place, until)
                for history, until in zip((left, right), end, strict=True)
            ]
            if last[0] is None or last[1] is None:
                continue
            held = [
                history.steps[at].changed[name]
                for history, at in zip((left, right), last, strict=True)
                if at is not None
            ]
            records = any(a.same_as(held[0]) and b.same_as(held[1]) for a, b in given)
            if records or held[0].same_as(held[1]):
                continue
            found.add((last[0], last[1]))
        places = {left.steps[at].place for at, _ in found}
        if len(places) != 1 or places == {place}:
            return place
        end, place = max(found), places.pop()
    return place


def _read(source: str) -> list[str]:
    """Return the names on a line, without what an assignment sets."""
    target, sign, value = re.sub(r"(==|<=|>=|!=)", "  ", source).partition("=")
    plain = sign and not target.rstrip().endswith(tuple("+-*/%&|^@")) and "(" not in target
    return _NAMES.findall(value if plain else source)


def _last(history: History, name: str, place: Place, until: int) -> int | None:
    """Return the last step before another one that set a variable of a function."""
    for number in range(until - 1, -1, -1):
        step = history.steps[number]
        if (
            name in step.changed
            and name != RETURNED
            and _home(history, number)
            == (
                place.file,
                place.function,
            )
        ):
            return number
    return None


def _home(history: History, number: int) -> tuple[str, str] | None:
    """Return the function whose variables a step sets: the one called, where it hands them over."""
    step: Step | None = history.steps[number]
    if step is not None and step.given:
        step = history.steps[number + 1] if number + 1 < len(history.steps) else None
    return None if step is None else (step.place.file, step.place.function)
