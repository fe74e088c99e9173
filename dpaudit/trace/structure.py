"""Types, shapes and keys of the output that belong to the dataset, and where they come from."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.outputs import Raised, encode
from dpaudit.trace.forms import loop_over
from dpaudit.trace.lines import (
    RETURNED,
    changed_alike,
    first_where,
    parted_at,
    returned_at,
    source_of,
)
from dpaudit.trace.relations import another_kind, length, selects
from dpaudit.trace.suspicion import Suspicion, related

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.draws import Place
    from dpaudit.trace.seen import Seen


def structure(case: Case) -> Suspicion | None:
    """Find a type, shape or key of the output that belongs to the dataset, whatever the noise.

    Parameters
    ----------
    case : Case
    """
    paths = case.habits.telling_words
    if not paths or isinstance(case.trial.comparison.left.output, Raised):
        return None
    if isinstance(case.trial.comparison.right.output, Raised):
        return None
    path, (left, right) = next(iter(paths.items()))
    shown = f"output{path} is {left!r:.60} on one dataset and {right!r:.60} on its neighbor"
    parted = parted_at(*case.histories)
    if "nan" in (left, right) and parted is not None:  # a number as well, whatever it is put for
        return Suspicion("DPA108", shown, math.inf, parted, related(case.trial), ("DPA101",))
    if (
        parted is not None
        and path == ":type"
        and [_kind_of(data) for data in case.trial.datasets] == [left, right]
    ):
        keyed = _keyed_line(case, path) or parted
        return Suspicion("DPA109", shown, math.inf, keyed, related(case.trial), ("DPA108",))
    if parted is not None and _branches(source_of(parted)):
        also = ("DPA109",)
        return Suspicion("DPA108", shown, math.inf, parted, related(case.trial), also)
    lines = [_domain_line(case, path), _selecting_line(case), parted, _kind_line(case)]
    if len({_size(_inside(run.output, path)) for run in case.runs}) == 1:
        lines[:2] = lines[1::-1]  # as many on both sides: an order or a mask has set them
    place = next(filter(None, (_grown_line(case, path), *lines)), None)
    place = None if place is None else _of_loop(place)
    return Suspicion("DPA109", shown, math.inf, place, related(case.trial), ("DPA108",))


def _kind_of(data: Any) -> str | None:
    """Return the type of a dataset, as outputs are encoded."""
    kinds = encode([data]).labels.get(":type")
    return None if kinds is None else kinds[1][kinds[0][0]]


def _branches(source: str) -> bool:
    """Whether a line of source decides which way to go."""
    if source.startswith(("if ", "elif ", "while ")):
        return True
    return source.startswith("return") and (" if " in source) and (" for " not in source)


def _domain_line(case: Case, path: str) -> Place | None:
    """Return the first line that forms what a shape or the keys of the output are."""
    sizes = [_size(_inside(run.output, path)) for run in case.runs]

    given = case.histories[0].arguments.values()

    def sets_it(one: Seen, two: Seen) -> bool:
        if any(map(one.same_as, given)):
            return False  # the records themselves, handed on
        if "bool" in one.structure and one.numbers is not None and two.numbers is not None:
            return [int(one.numbers.sum()), int(two.numbers.sum())] == sizes
        if len(one.structure) == len(two.structure) == 1:
            held = [x for each in (one, two) if each.numbers is not None for x in each.numbers]
            return held == sizes and held[0] != held[1]
        if one.structure[1:] == two.structure[1:]:
            return False
        return [length(one), length(two)] == sizes

    line = first_where(*case.histories, sets_it, given=True)
    return None if line is None else line[0]


def _grown_line(case: Case, path: str) -> Place | None:
    """Return the first line that gives a container the keys that one output alone has."""
    for side, run in enumerate(case.runs):
        inside = _inside(run.output, path)
        if not isinstance(inside, dict) or not inside:
            continue
        keys = set(map(repr, inside))
        history = case.histories[side]
        given = [_keys(held) for held in history.arguments.values()]
        for step in history.steps if keys not in given else ():
            changed = {} if step.given else step.changed
            if any(name != RETURNED and _keys(held) == keys for name, held in changed.items()):
                return step.place
    return None


def _keyed_line(case: Case, path: str) -> Place | None:
    """Return the first line that forms a dictionary or a frame with as many keys as the output."""
    sizes = [_size(_inside(run.output, path)) for run in case.runs]

    def sets_it(one: Seen, two: Seen) -> bool:
        keys = [_keys(each) for each in (one, two)]
        return [None if each is None else len(each) for each in keys] == sizes

    line = first_where(*case.histories, sets_it)
    return None if line is None else line[0]


def _keys(held: Seen) -> set[str] | None:
    """Return the keys of a dictionary or the index of a frame, None of anything else."""
    if held.structure[0] in ("Series", "DataFrame"):
        return set(held.structure[3])
    shown = held.structure[2:]
    return set(shown[0]) if len(shown) == 1 and isinstance(shown[0], tuple) else None


def _of_loop(place: Place) -> Place:
    """Return the loop over the keys, where a line only sets one of them."""
    line = loop_over(place.file, place.line)
    return place if line is None else replace(place, line=line)


def _selecting_line(case: Case) -> Place | None:
    """Return the last line that forms a mask or an order of what is put out."""
    found = [p for p, _, one, two in changed_alike(*case.histories) if selects(one, two)]
    return found[-1] if found else None


def _kind_line(case: Case) -> Place | None:
    """Return the first line after which a variable has another type, else the last line."""
    line = first_where(*case.histories, another_kind)
    return returned_at(case.histories[0]) if line is None else line[0]


def _inside(output: Any, path: str) -> Any:
    """Return what a path that ends in ``.shape``, ``.keys`` or the like speaks of."""
    try:
        return eval(f"output{path.rpartition('.')[0]}", {"output": output})
    except (SyntaxError, NameError, LookupError, AttributeError, TypeError):
        return output


def _size(output: Any) -> int | None:
    return len(output) if hasattr(output, "__len__") else None
