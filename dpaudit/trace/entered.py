"""Lines that are the cause where no variable holds the value that differs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.trace.draws import Place, place_of_line
from dpaudit.trace.forms import entry_at, limits, reads_attribute
from dpaudit.trace.lines import (
    RETURNED,
    History,
    Step,
    as_given,
    part_formed_at,
    returned_at,
    source_of,
)
from dpaudit.trace.seen import Seen, close
from dpaudit.trace.tape import Floats

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.compare import Difference


def given_at(left: History, right: History, values: tuple[Any, Any], draw: int) -> Place | None:
    """Return the line that forms a value in the call that hands it to a function.

    Parameters
    ----------
    left, right : History
    values : (array_like, array_like)
        Numbers that differ between the runs.
    draw : int
        Number of the noise call that they reach; the last such call before it is meant.

    Notes
    -----
    Of functions that hand a value to one another it is the line of the outermost one, unless that
    is the mechanism, which hands on what it was given.
    """
    one, two = (np.ravel(np.asarray(each, dtype=np.float64)) for each in values)
    if as_given(left, right, (one, two)) or np.array_equal(one, two, equal_nan=True):
        return None
    at, there = (_handing(h, each, draw) for h, each in ((left, one), (right, two)))
    both = {right.steps[number].place for number in there}
    handing = [number for number in reversed(at) if left.steps[number].place in both]
    if not handing or handing[0] != at[-1]:
        return None
    place = left.steps[handing[0]].place
    for number in handing[1:]:
        if number in _calls(left, place):
            place = left.steps[number].place
    return place


def hidden_at(
    left: History, right: History, place: Place, values: tuple[Any, Any], draw: int
) -> Place:
    """Return the line of the user's that lets noise be added to a value that differs.

    Parameters
    ----------
    left, right : History
    place : Place
        The line that adds it: in a helper, which the value was handed to, the call is meant,
        unless the helper's object says how much noise it is.
    values : (array_like, array_like)
    draw : int
        Number of the noise call.
    """
    one, two = (np.ravel(np.asarray(each, dtype=np.float64)) for each in values)
    differing = {
        (right.steps[number].place, name)
        for number in _handing(right, two, draw)
        for name, held in right.steps[number].changed.items()
        if close(held.numbers, two)
    }
    for number in reversed(_handing(left, one, draw)):
        step = left.steps[number]
        handed = ((name, held) for name, held in step.changed.items() if "." not in name)
        own = any(
            close(held.numbers, one)
            and (step.place, name) in differing
            and not any(map(held.same_as, left.arguments.values()))
            for name, held in handed
        )  # neither the data of the mechanism nor what an object holds
        if own and number in _calls(left, place) and not reads_attribute(source_of(place)):
            place = step.place
    return place


def added_at(case: Case, number: int) -> Place | None:
    """Return the line that first adds a noise call to something, in the file that draws it.

    Parameters
    ----------
    case : Case
    number : int
        Of the noise call.

    Notes
    -----
    Where it is added to zero, a run shows it later, if at all: the first line of both runs counts.
    """
    drawn = case.runs[0].draws[number].place
    lines = [place_of_line(run.tape.hiding.get(number)) for run in case.runs]
    same = [line for line in lines if drawn is not None and line is not None
            and line.file == drawn.file]  # fmt: skip
    return min(same, key=lambda line: line.line, default=None)


def _handing(history: History, value: Floats, draw: int) -> list[int]:
    """Return the numbers of the steps before a noise call that hand a value to a function."""
    return [
        number
        for number, step in enumerate(history.steps[: history.marks.get(draw, 0)])
        if step.given and any(close(held.numbers, value) for held in step.changed.values())
    ]


def handed_down(left: History, right: History) -> Place | None:
    """Return the line that forms the argument which makes a result differ, the first of several.

    Parameters
    ----------
    left, right : History

    Notes
    -----
    Where the innermost function that returns what the mechanism does draws nothing, and some of
    what it is given is the same in both runs, the difference was handed to it. None where it was
    handed the mechanism's own arguments, or what no variable has held.
    """
    returned = [s for s in left.steps if RETURNED in s.changed]
    if not returned:
        return None
    last = returned[-1].changed[RETURNED]
    inner = next(s for s in returned if s.changed[RETURNED].same_as(last))
    calls = [_calls(history, inner.place) for history in (left, right)]
    end = left.steps.index(inner)
    before = [at for at in calls[0] if at < end]
    if not before or len(calls[1]) < len(before):
        return None
    at, there = before[-1], calls[1][len(before) - 1]
    if any(at < mark <= end for mark in left.marks.values()):
        return None
    ours, others = left.steps[at].changed, right.steps[there].changed
    differing = [n for n in ours if n in others and not ours[n].same_as(others[n])]
    if not 0 < len(differing) < len(ours):
        return None
    steps = left.steps[:at], right.steps[:there]
    formed = [_formed(*steps, ours[name], others[name]) for name in differing]
    known = [each for each in formed if each is not None]
    return left.steps[min(known)].place if len(known) == len(formed) else None


def limited_at(history: History, place: Place) -> Place:
    """Return the last line that cuts off what a line computes with, or else that line.

    Parameters
    ----------
    history : History
    place : Place
        The line, where a value is formed that nothing bounds: the limit lets it through.
    """
    source = source_of(place)
    names = set(re.findall(r"[A-Za-z_]\w*", source))
    home = place.file, place.function
    for step in reversed(history.steps if not limits(source) else []):
        own = not step.given and (step.place.file, step.place.function) == home
        if own and names & set(step.changed) and limits(source_of(step.place)):
            return step.place
    return place


def formed(case: Case, difference: Difference) -> Place | None:
    """Return the line that forms a part of the output that differs.

    Parameters
    ----------
    case : Case
    difference : Difference
    """
    last = returned_at(case.histories[0])
    entry = None if last is None else entry_at(last.file, last.line, difference.path)
    if last is not None and entry is not None:
        return replace(last, line=entry)
    place = None
    if difference.numeric:
        values = float(difference.left), float(difference.right)
        place = case.line_of(values, None) or part_formed_at(*case.histories, values)
    return place or handed_down(*case.histories) or last


def _calls(history: History, inside: Place) -> list[int]:
    """Return the numbers of the steps that hand arguments to a function."""
    follow = zip(history.steps, history.steps[1:], strict=False)
    return [
        number
        for number, (step, after) in enumerate(follow)
        if step.given and (after.place.file, after.place.function) == (inside.file, inside.function)
    ]


def _formed(left: list[Step], right: list[Step], one: Seen, two: Seen) -> int | None:
    """Return the last step that made a variable hold one value, and in the other run another."""
    if one.numbers is None or two.numbers is None:
        return None
    for number, step in reversed(list(enumerate(left))):
        for name, held in step.changed.items() if not step.given else ():
            if name == RETURNED or not close(held.numbers, one.numbers):
                continue
            if any(s.place == step.place and name in s.changed
                   and close(s.changed[name].numbers, two.numbers) for s in right):  # fmt: skip
                return number
    return None
