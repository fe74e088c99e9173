"""Outputs that one of two datasets alone can give, and what lets them out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.outputs import Columns, Raised, encode
from dpaudit.trace.entered import formed, handed_down
from dpaudit.trace.habits import STRUCTURE, Habits
from dpaudit.trace.laws import law_of
from dpaudit.trace.lines import RETURNED, History, changed_alike, parted_at, returned_at, source_of
from dpaudit.trace.seen import Seen, close, seen
from dpaudit.trace.suspicion import Suspicion, related
from dpaudit.trace.unlocated import drawn_from, is_weighed

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.draws import Place

LOOKS = 32  # runs on each dataset
OFTEN = 4  # of them have a value that counts as one that a dataset gives
FEW_LOOKS = 8  # at where the other dataset leaves no weight
MORE_LOOKS = 128  # at the dataset that gives a value, before it is said that it alone does
NEVER = 512  # at its neighbor
MOST_PARTS = 24  # of an output that is looked at as a whole
WHOLE = ", in all its parts,"  # in place of the path of one of them
AGAIN = 12  # of them have it on the dataset that gives it: three quarters of `OFTEN`
_KEYED = ("dict", "Counter", "defaultdict", "OrderedDict")  # whose keys are what is listed
_LISTS = ("list", "tuple", "ndarray", "set", "dict", "Series", "Index")


def impossible(case: Case) -> Suspicion | None:
    """Return that an output is common on one dataset and never seen on its neighbor.

    Parameters
    ----------
    case : Case

    Notes
    -----
    It is DPA108 where a branch gives it another type than the neighbor's, DPA109 where the value is
    an entry of a list that the data makes, or the place of one which the data leaves no weight on
    one side, else DPA102 where all noise is coins, and DPA101 where other parts of the output have
    noise, or where one of several exact answers is picked at random.
    """
    found = _revealed(case)
    return None if found is None else _named(case, *found, _left_at(case, *found[1:]))


def emptied(case: Case) -> Suspicion | None:
    """Return that an output is the place of a weight which the data leaves on one side alone.

    Parameters
    ----------
    case : Case

    Notes
    -----
    On many records the noise changes so little that an output which is never seen on the neighbor
    says nothing by itself; see `impossible`.
    """
    found = _revealed(case)
    left = None if found is None else _left_at(case, *found[1:])
    return None if found is None or left is None else _named(case, *found, left)


def _revealed(case: Case) -> tuple[str, float | str, int] | None:
    """Return a part of the output, a value that one dataset alone gives it, and which one does."""
    if any(isinstance(run.output, Raised) for run in case.runs) or not case.trial.differences:
        return None
    looks = Habits.of(case.bench, case.trial.datasets, (*case.key, 5), LOOKS).columns
    paths = [difference.path for difference in case.trial.differences]
    if all(1 < len(_parts(columns)) <= MOST_PARTS for columns in looks):
        paths.append(WHOLE)  # each part may be common on both sides, and not all of them together
    for side in (0, 1):
        for path in paths:
            for value in _common(looks[side], path):
                other = _values(looks[1 - side], path)
                numbers = _numbers(path, value)
                if value in other or any(_swallows(case, number) for number in numbers):
                    continue
                if not _alone(case, side, path, value):
                    continue
                return path, value, side
    return None


def _numbers(path: str, value: float | str) -> list[float]:
    """Return the numbers of a part of the output, or of all its parts; a word is none."""
    if isinstance(value, float):
        return [value]
    return list(_read(value)) if path == WHOLE else []


def _swallows(case: Case, value: float) -> bool:
    """Whether a number is so large that the noise which is added to it is rounded away."""
    laws = [law_of(draw) for draw in case.runs[0].noise]
    rates = [law.rate for law in laws if law.family in ("pure", "gaussian") and law.rate.size]
    return bool(rates) and all(value + 1 / rate.min() == value for rate in rates if rate.min() > 0)


def _values(columns: Columns, path: str) -> list[float | str]:
    """Return what a part of the output is in each run; words where it is no number."""
    if path == WHOLE:
        parts = [_values(columns, each) for each in _parts(columns)]
        whole = all(len(part) == columns.size for part in parts)
        return [f"{row}" for row in zip(*parts, strict=True)] if whole else []
    if path in columns.numbers:
        return [x for x in columns.numbers[path].tolist() if not math.isnan(x)]
    if path not in columns.labels:
        return []
    codes, words = columns.labels[path]
    return [words[code] for code in codes if code >= 0]


def _parts(columns: Columns) -> list[str]:
    """Return the places of an output that hold a number or a word."""
    named = [each for each in columns.labels if not each.endswith(STRUCTURE)]
    return sorted((*columns.numbers, *named))


def _common(columns: Columns, path: str) -> list[float | str]:
    found = _values(columns, path)
    return [each for each in dict.fromkeys(found) if found.count(each) >= OFTEN]


def _alone(case: Case, side: int, path: str, value: float | str) -> bool:
    """Whether many more runs give a value on one dataset as often, and never on the other.

    The first runs have chosen the value: among many that are rare, one may have been common there.
    """

    def seen_again(side: int, key: int, looks: int) -> int:
        data = case.trial.datasets[side]
        again = Habits.of(case.bench, (data, data), (*case.key, key), looks // 2).columns
        return sum(_values(each, path).count(value) for each in again)

    return seen_again(side, 9, MORE_LOOKS) >= AGAIN and not seen_again(1 - side, 7, NEVER)


def _named(case: Case, path: str, value: float | str, side: int, left: Place | None) -> Suspicion:
    """Return the suspicion with the id and the line of what lets the value out.

    It is `left`, where that leaves weight on one dataset alone.
    """
    shown = f"{value:.6g}" if isinstance(value, float) else f"{value!r:.60}"
    what = f"output{path} is {shown} now and then on one dataset, and never on its neighbor"
    differing = case.trial.differences
    differs = next((each for each in differing if each.path == path), differing[0])
    parted = parted_at(*case.histories)
    if parted is not None and path == ":type" and _kind(differs.left) != _kind(differs.right):
        others = ("DPA109", "DPA101", "DPA102")
        return Suspicion("DPA108", what, math.inf, parted, related(case.trial), others)
    place = left or listed_at(case, value, side)
    if place is not None or path.endswith(STRUCTURE):
        what = f"{what}; it is one of a list that the data makes"
        place = place or returned_at(case.histories[0])
        return Suspicion("DPA109", what, math.inf, place, related(case.trial), ("DPA101", "DPA108"))
    chosen = _chosen(case)
    records = [seen(data) for data in case.trial.datasets]
    whole = chosen is not None and all(map(Seen.same_as, map(seen, chosen.among), records))
    if chosen is not None and not whole and (chosen.weighed or chosen.within(records)):
        what = f"{what}; it is one of the candidates that the data make"
        place = case.runs[side].noise[-1].place
        return Suspicion("DPA109", what, math.inf, place, related(case.trial), ("DPA102", "DPA101"))
    noise = [draw for run in case.runs for draw in run.noise]
    coins = all(law_of(draw).family == "bounded" for draw in noise) and chosen is None
    id, also = ("DPA102", "DPA101") if coins or whole else ("DPA101", "DPA102")
    place = _way_out(case, path, value, side)
    place = place or handed_down(*case.histories) or formed(case, differs)
    return Suspicion(id, what, math.inf, place, related(case.trial), (also,))


def _way_out(case: Case, path: str, value: float | str, side: int) -> Place | None:
    """Return the line that returns the value, where the two runs return by another one."""
    for i in range(LOOKS):
        key, history = (*case.key, 5, side, i), History()
        run = case.bench.run(case.trial.datasets[side], key, traced=False, watch=history)
        if value in _values(encode([run.output]), path):
            place = returned_at(history)
            return None if place in map(returned_at, case.histories) else place
    return None


def _kind(type: str) -> str:
    """Return the name of a type, without the length that is written behind it."""
    return type.partition("(")[0]


@dataclass(frozen=True, slots=True)
class _Choice:
    """A choice among candidates for which the neighbor has others.

    Attributes
    ----------
    among : (array_like, array_like)
        The candidates on both sides.
    weighed : bool
        Whether some of them are likelier than others.
    """

    among: tuple[Any, Any]
    weighed: bool

    def within(self, records: Sequence[Seen]) -> bool:
        """Whether the candidates are values that records have, on both sides."""
        both = zip(map(seen, self.among), records, strict=True)
        return all(
            ours.numbers is None or of.numbers is None or np.isin(ours.numbers, of.numbers).all()
            for ours, of in both
        )


def _chosen(case: Case) -> _Choice | None:
    """Return the first choice whose candidates differ between the datasets."""
    for one, two in zip(*(run.noise for run in case.runs), strict=False):
        ours, others = drawn_from(one), drawn_from(two)
        if ours is not None and others is not None and not np.array_equal(ours, others):
            return _Choice((ours, others), is_weighed(one))
    return None


def listed_at(case: Case, value: float | str, side: int) -> Place | None:
    """Return the first line that makes a list which holds a value on one dataset alone.

    Parameters
    ----------
    case : Case
    value : float or str
        Keys are read as numbers, as far as they are some.
    side : int
        Of the dataset that has the value.
    """
    numbers = [value] if isinstance(value, float) else list(_read(value))
    records = seen(case.trial.datasets[side]).numbers
    if records is not None:  # a list of counts is none of what they are chosen from
        numbers = [each for each in numbers if each in records]
    alike = list(changed_alike(*case.histories))
    # What a loop fills has another number of steps in each run: it is looked at when it is full.
    full = [{(step.place, name): held for step in history.steps if not step.given
             for name, held in step.changed.items()} for history in case.histories]  # fmt: skip
    alike += [(*key, held, full[1][key]) for key, held in full[0].items() if key in full[1]]
    data = case.trial.datasets[side]
    size = len(data) if records is None and isinstance(data, Sized) else -1
    for place, name, one, two in alike:
        ours, others = (one, two) if side == 0 else (two, one)
        if name == RETURNED or source_of(place).startswith("for "):
            continue  # a record that a loop goes through
        if any(_holds(ours, each) and not _holds(others, each) for each in numbers):
            return place
        if isinstance(value, str) and _lists(ours, value, size) and not _lists(others, value, size):
            return place
    return None


def _left_at(case: Case, value: float | str, side: int) -> Place | None:
    """Return the first line that leaves weight at a place of a noisy list on one dataset alone.

    Parameters
    ----------
    case : Case
    value : float or str
        The place, or an output of several parts which are places.
    side : int
        Of the dataset that has the value.

    Notes
    -----
    Both runs have the same noise: where both lists have weight, it is the same.
    """
    noise = case.trial.comparison.left.draws
    added = [i for i, draw in enumerate(noise) if law_of(draw).family in ("pure", "gaussian")]
    numbers = {value} if isinstance(value, float) else set(_read(value))
    places = [int(each) for each in sorted(numbers) if each >= 0 and each.is_integer()]
    if not added or not places:
        return None
    for line, name, *both in changed_alike(*case.histories, given=True, draw=added[0]):
        ours, others = (held.numbers for held in (both if side == 0 else both[::-1]))
        if ours is None or others is None or name == RETURNED:
            continue
        if both[0].structure != both[1].structure or both[0].structure[0] not in _LISTS:
            continue
        known = (ours != 0) & (others != 0)
        left = [i for i in places if i < ours.size and ours[i] and not others[i]]
        if not left or not close(ours[known], others[known]):
            continue
        neighbors = list(_others(case, side))
        if any(all(_empty(each, line, name, place) for each in neighbors) for place in left):
            return line
    return None


def _others(case: Case, side: int) -> Iterator[History]:
    """Yield runs on the dataset that never gives the value, line by line, under other noise."""
    for i in range(FEW_LOOKS):
        history = History()
        key = (*case.key, 8, i)
        case.bench.run(case.trial.datasets[1 - side], key, traced=False, watch=history)
        yield history


def _empty(history: History, line: Place, name: str, place: int) -> bool:
    """Whether a list has no weight at a place whenever a line has changed it."""
    held = [step.changed[name].numbers for step in history.steps
            if step.place == line and name in step.changed]  # fmt: skip
    return bool(held) and all(x is not None and place < x.size and x[place] == 0 for x in held)


def _read(keys: str) -> Iterator[float]:
    for word in re.sub(r"np\.\w+\(([^()]*)\)", r"\1", keys).split(", "):
        try:
            yield float(word.strip("()"))
        except ValueError:
            continue


def _lists(held: Seen, text: str, records: int) -> bool:
    """Whether a variable, or one of its parts, is a list of different texts with a text in it.

    One that is as long as the data may be the records themselves.
    """
    texts = [part.text for part in held.parts]
    if held.structure[0] not in _LISTS or not all(texts):
        return any(_lists(part, text, records) for part in held.parts)
    return text in texts and len(set(texts)) == len(texts) != records


def _holds(held: Seen, value: float) -> bool:
    """Whether a variable, or one of its parts, is a list with a value in it."""
    if held.structure[0] in _KEYED and len(held.structure) > 2:
        return any(value in _read(key) for key in held.structure[2])
    if held.numbers is None:
        return any(_holds(part, value) for part in held.parts)
    if held.structure[0] not in _LISTS or "bool" in held.structure:
        return False
    return bool(np.any(held.numbers == value))
