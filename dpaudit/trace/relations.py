"""In which ways the values of one variable may differ between two runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.trace.draws import Place
from dpaudit.trace.forms import clip_bounds, summands, takes_end
from dpaudit.trace.lines import RETURNED, History, changed_alike, source_of
from dpaudit.trace.seen import Seen, close
from dpaudit.trace.tape import Floats


def not_finite(one: Seen, two: Seen) -> bool:
    """Whether one of two values alone holds NaN or infinity."""
    if one.numbers is None or two.numbers is None:
        return False
    return bool(np.isfinite(one.numbers).all() != np.isfinite(two.numbers).all())


def another_kind(one: Seen, two: Seen) -> bool:
    """Whether two values have other types, or other words."""
    return one.structure[0] != two.structure[0] or one.text != two.text


def unstable(one: Seen, two: Seen, group: int, sizes: tuple[int, int]) -> bool:
    """Whether two partitions of so many records differ in more parts than records may touch."""
    if len(one.parts) < 3 or len(one.parts) != len(two.parts):
        return False
    lengths = [sum(map(length, each.parts)) for each in (one, two)]
    if tuple(lengths) != sizes:
        return False
    moved = sum(not a.same_as(b) for a, b in zip(one.parts, two.parts, strict=True))
    return moved > group * (1 + (sizes[0] == sizes[1]))  # a replaced record is in two parts


def shifted_at(
    left: History, right: History, data: tuple[Any, Any], group: int
) -> tuple[Place, str] | None:
    """Return the line that takes parts of the data by position, one after the other.

    Parameters
    ----------
    left, right : History
    data : (array_like, array_like)
        Numbers, as both runs were given them.
    group : int
        How many records neighbors differ in: more parts than these may touch differ.

    Notes
    -----
    Each part is in a variable for some time, or is handed to a function.
    """
    one, two = (np.ravel(np.asarray(each)) for each in data)
    if one.dtype.kind not in "fiub" or two.dtype.kind not in "fiub":
        return None
    ours, others = _in_turn(left), _in_turn(right)
    for key, parts in ours.items():
        there = others.get(key, [])
        if len(parts) < 3 or len(parts) != len(there):
            continue
        if max(map(len, (*parts, *there))) < 2:
            continue  # records, one by one
        if not all(_follow(p, given) for p, given in ((parts, one), (there, two))):
            continue
        moved = sum(not np.array_equal(a, b) for a, b in zip(parts, there, strict=True))
        if moved > group * (1 + (len(one) == len(two))):
            return key
    return None


def _in_turn(history: History) -> dict[tuple[Place, str], list[Floats]]:
    """Return the arrays that each line sets a variable to, or hands over as an argument."""
    found: dict[tuple[Place, str], list[Floats]] = {}
    for step in history.steps:
        for name, held in step.changed.items():
            if held.numbers is not None and length(held) >= 0:
                found.setdefault((step.place, name), []).append(held.numbers)
    return found


def _follow(parts: list[Floats], data: Floats) -> bool:
    """Whether parts are the data from their beginning on."""
    joined = np.concatenate(parts)
    return np.array_equal(joined, data[: len(joined)])


def length(held: Seen) -> int:
    """Return how long a container is, along its first axis; -1 of anything else."""
    for each in held.structure[1:]:
        if isinstance(each, int):
            return each
        if isinstance(each, tuple) and each and isinstance(each[0], int):
            return each[0]
    return -1


def inferred(one: Seen, two: Seen) -> bool:
    """Whether two values are edges of bins, as many on both sides, with other numbers."""
    if one.numbers is None or two.numbers is None or one.structure != two.structure:
        return False
    steps = [np.diff(each.numbers) for each in (one, two) if each.numbers is not None]
    if len(steps[0]) < 2 or not all(np.isfinite(each).all() for each in steps):
        return False
    even = all(np.allclose(each, each[0], rtol=1e-6, atol=0) for each in steps)
    upwards = min(each[0] for each in steps) >= 0 < max(each[0] for each in steps)
    return even and bool(upwards) and not np.allclose(one.numbers, two.numbers, rtol=1e-9, atol=0)


def end_of_data(
    left: History, right: History, argument: tuple[Any, Any], adding: Place | None
) -> tuple[Place, str] | None:
    """Return the first line that takes another end of the data, or bound of a clip, on each.

    Parameters
    ----------
    left, right : History
    argument : (array_like, array_like)
        What reaches the noise: an end that is the answer itself sets nothing.
    adding : Place or None
        The line that adds the noise; what it is added to is the answer as well.
    """
    hidden = frozenset() if adding is None else summands(source_of(adding))
    told = [np.ravel(np.asarray(each)) for each in argument]
    bounds = {
        (at.file, at.function, n) for at in set(left.lines) for n in clip_bounds(source_of(at))
    }
    noisy = min(left.marks.values(), default=len(left.steps))
    before = {id(held) for step in left.steps[:noisy] for held in step.changed.values()}
    for place, name, one, two in changed_alike(left, right):
        if one.numbers is None or two.numbers is None:
            continue
        bounding = id(one) in before and (place.file, place.function, name) in bounds
        if not bounding and not takes_end(source_of(place)):
            continue
        if one.numbers.size == two.numbers.size == 1 and not close(one.numbers, two.numbers):
            ends = (one.numbers, two.numbers)
            answer = all(np.isin(end, t).any() for end, t in zip(ends, told, strict=True))
            if not answer and name != RETURNED and name not in hidden:
                return place, name
    return None


def other_mask(one: Seen, two: Seen) -> bool:
    """Whether two values are masks that let other records through."""
    return "bool" in one.structure and one.numbers is not None and not one.same_as(two)


def selects(one: Seen, two: Seen) -> bool:
    """Whether two values are other masks, or other orders of as many numbers."""
    if one.numbers is None or two.numbers is None or one.same_as(two):
        return False
    if other_mask(one, two):
        return True
    places = np.arange(one.numbers.size)
    return one.numbers.size == two.numbers.size > 1 and all(
        np.array_equal(np.sort(each.numbers), places)
        for each in (one, two)
        if each.numbers is not None
    )
