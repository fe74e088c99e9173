"""A backward slice over two runs: from a line that differs to the one that made it of records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dpaudit.trace.lines import RETURNED, History, Step, source_of

if TYPE_CHECKING:
    from dpaudit.trace.draws import Place

_NAMES = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?")
DEEPEST = 12  # lines that are followed, one from another


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
    the line that reads nothing else which differs is the cause. Where two variables lead to two
    lines, the line that reads both of them is.
    """
    other = right.arguments
    given = [(held, other[name]) for name, held in left.arguments.items() if name in other]

    def origin(place: Place, end: tuple[int, int], depth: int) -> Place:
        origins = set()
        for name in dict.fromkeys(_read(source_of(place))) if depth else ():
            at, there = _last(left, name, place, end[0]), _last(right, name, place, end[1])
            if at is None or there is None:
                continue
            one, two = left.steps[at].changed[name], right.steps[there].changed[name]
            records = any(a.same_as(one) and b.same_as(two) for a, b in given)
            if not records and not one.same_as(two):
                origins.add(origin(left.steps[at].place, (at, there), depth - 1))
        return origins.pop() if len(origins) == 1 else place

    return origin(place, (len(left.steps), len(right.steps)), DEEPEST)


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
