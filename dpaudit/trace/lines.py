"""Where in the source a difference enters: two runs' local variables, line by line."""

from __future__ import annotations

import collections
import copy
import inspect
import linecache
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from dpaudit.reference import declares_audits
from dpaudit.trace.draws import Place, is_users, place_of
from dpaudit.trace.forms import copies, multiplies
from dpaudit.trace.seen import Seen, attributes, close, seen
from dpaudit.trace.settings import settings_of
from dpaudit.trace.tape import Floats

_NAMES = re.compile(r"\b[A-Za-z_]\w*(?:\.\w+)?")
MOST_HANDED = 8  # lines that hand an entry from one container to the next
_TAKEN = re.compile(r"([A-Za-z_]\w*)\s*\[")  # of which entries are taken
MOST_STEPS = 20_000
MOST_WRITTEN = 1e12  # the size of a number in the source that is looked at
RETURNED = "return"
GLOBAL = "global "  # before the name of a variable of the module
_INNER = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_KEPT = (dict, list, set, np.ndarray, int, float, collections.deque, collections.OrderedDict)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A line that ran.

    Attributes
    ----------
    place : Place
    changed : dict of str to Seen
        Variables that have another value after it, and what it returned.
    given : bool
        Whether these are arguments that it hands to another function of the user's.
    back : Place or None
        Where a call that ends with it comes back to.
    settings : frozenset of str
        Those among them for which the function has a table as default.
    """

    place: Place
    changed: dict[str, Seen]
    given: bool = False
    settings: frozenset[str] = frozenset()
    back: Place | None = None


class History:
    """A trace function that notes, for each line of the user's code, what it changed."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.lines: list[Place] = []  # as they begin
        self.arguments: dict[str, Seen] = {}  # of the mechanism itself
        self.returns: dict[int, Place] = {}  # where calls came back to, by number of lines
        self.marks: dict[int, int] = {}  # how many steps there were before a noise call
        self.drawing: dict[int, Place] = {}  # the lines of noise calls
        self.constants: set[float] = set()  # that the functions write
        self.wiring = ""  # the file of the mechanism, where that module declares audits
        self._entered = False

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Follow calls of the user's functions."""
        if event != "call" or not is_users(frame.f_code) or len(self.lines) > MOST_STEPS:
            return None
        written = frame.f_code.co_consts
        small = (c for c in written if type(c) in (int, float) and abs(c) < MOST_WRITTEN)
        self.constants.update(map(float, small))
        if frame.f_code.co_name in _INNER:
            return None  # its variables are records on their way through
        follower = _Follower(self, frame)
        caller = frame.f_back
        if self._entered and caller is not None and is_users(caller.f_code):
            own = _made_inside(frame)  # where a generator goes on
            known = follower.known.items()
            given = {n: s for n, s in known
                     if not n.startswith(GLOBAL) and n.partition(".")[0] not in own}  # fmt: skip
            self.steps.append(Step(place_of(caller), given, True, settings_of(frame)))
        if not self._entered:
            self.arguments = dict(follower.known)
            self.wiring = frame.f_code.co_filename if declares_audits(frame.f_globals) else ""
        self._entered = True
        return follower

    def before_noise(self, draw: int | None = None) -> History:
        """Return what came before a noise call, the first one unless its number is given."""
        before = copy.copy(self)
        end = min(self.marks.values(), default=None) if draw is None else self.marks.get(draw, 0)
        before.steps = self.steps[:end]
        return before

    def named(self) -> Iterator[tuple[str, Seen]]:
        """Yield every variable with every value that it had, the mechanism's arguments first."""
        yield from self.arguments.items()
        for step in self.steps:
            yield from step.changed.items()


class _Follower:
    """Follows one call."""

    def __init__(self, history: History, frame: FrameType) -> None:
        self._history = history
        self._at: Place | None = None
        self.known = _seen_locals(frame)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event in ("line", "return"):
            returned = {RETURNED: seen(argument)} if event == "return" else {}
            self._note(frame, returned, _users_place(frame.f_back) if returned else None)
        if event == "line" and not _begins(frame):
            self._at = place_of(frame)
            self._history.lines.append(self._at)
        if event == "return" and frame.f_back is not None and is_users(frame.f_back.f_code):
            self._history.returns[len(self._history.lines)] = place_of(frame.f_back)
        return self if len(self._history.lines) <= MOST_STEPS else None

    def _note(self, frame: FrameType, more: dict[str, Seen], back: Place | None) -> None:
        now = _seen_locals(frame)
        known = self.known
        changed = {n: s for n, s in now.items() if n not in known or not s.same_as(known[n])}
        self.known = now
        if self._at is not None and (changed or more):
            self._history.steps.append(Step(self._at, {**changed, **more}, back=back))


def _made_inside(frame: FrameType) -> frozenset[str]:
    """Return the variables of a generator, or a coroutine, that are no parameters."""
    code = frame.f_code
    if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
        return frozenset()
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return frozenset(code.co_varnames[code.co_argcount + code.co_kwonlyargcount + stars :])


def _begins(frame: FrameType) -> bool:
    """Whether a function of several lines is at its ``def``, where its cells are made."""
    code = frame.f_code
    at_first = frame.f_lineno == code.co_firstlineno and code.co_name != "<module>"
    return at_first and any(line != frame.f_lineno for *_, line in code.co_lines() if line)


def _users_place(frame: FrameType | None) -> Place | None:
    return place_of(frame) if frame is not None and is_users(frame.f_code) else None


def _seen_locals(frame: FrameType) -> dict[str, Seen]:
    held = {}
    for name, value in frame.f_locals.items():
        held[name] = seen(value)
        held |= {f"{name}.{key}": seen(each) for key, each in attributes(value).items()}
    if frame.f_code.co_name != "<module>":
        for name in frame.f_code.co_names:
            value = frame.f_globals.get(name)
            if type(value) in _KEPT:
                held[GLOBAL + name] = seen(value)
    return held


def formed_at(
    left: History,
    right: History,
    values: tuple[Any, Any],
    draw: int | None = None,
    name: str | None = None,
) -> Place | None:
    """Return the line after which a variable holds one value in one run, another in the other.

    Parameters
    ----------
    left, right : History
    values : (array_like, array_like)
        Numbers that differ between the runs.
    draw : int, optional
        Number of the noise call that they reach: the last such line before it is meant, or the
        first one after it. Without it the first line of all.
    name : str, optional
        Of a variable that holds them: what another one happens to hold comes after it.
    """
    one, two = (np.ravel(np.asarray(each, dtype=np.float64)) for each in values)
    if len(one) == len(two) and np.array_equal(one, two, equal_nan=True):
        return None
    mark = 0 if draw is None else left.marks.get(draw, 0)
    # A record that a loop comes to may happen to be the value; and where nothing was done to what
    # the mechanism was given, the line that uses it is the cause.
    passing = ("for ", "return ") if as_given(left, right, (one, two)) else ("for ",)
    found = [
        (number, place)
        for number, place, others in _formed(left, right, one, mark)
        if any(close(each.numbers, two) for each in others)
        and not source_of(place).startswith(passing)
    ]
    named = [each for each in found if name in left.steps[each[0]].changed]
    return _innermost(left, named[:1] + found, one) if found else None


def _innermost(history: History, found: list[tuple[int, Place]], value: Floats) -> Place:
    """Follow a value from the first step that is found back to the line that computes it.

    A line that only hands a value on, or multiplies it by one, took it from the step before it, and
    one that calls a function of the user's took it from the line with which that returned. A
    function that returns what it was given took it from the call.
    """
    number, place = found[0]
    for earlier, before in sorted((each for each in found if each[0] < number), reverse=True):
        inside = history.steps[earlier].back == place
        if inside or copies(source_of(place)) or multiplies(source_of(place)):
            number, place = earlier, before
    if copies(source_of(place)):
        for step in reversed(history.steps[:number]):
            if step.given and any(close(held.numbers, value) for held in step.changed.values()):
                return step.place
    return place


def _formed(
    left: History, right: History, value: Floats, mark: int
) -> Iterator[tuple[int, Place, list[Seen]]]:
    """Yield steps after which a variable has a value, and what it holds there in the other run.

    Those before a step, the last one first, and then those after it. Of a line that changes it
    equally often in both runs the same time is meant, else any line of the function at any time.
    """
    others: dict[tuple[Place, str], list[Seen]] = defaultdict(list)
    ever: dict[tuple[str, str, str], list[Seen]] = defaultdict(list)
    for step in right.steps:
        for name, held in step.changed.items() if not step.given else ():
            others[step.place, name].append(held)
            ever[step.place.file, step.place.function, name].append(held)
    times: Counter[tuple[Place, str]] = Counter()
    found: list[tuple[int, Place, str, int]] = []
    for number, step in enumerate(left.steps):
        for name, held in step.changed.items() if not step.given else ():
            if close(held.numbers, value):
                found.append((number, step.place, name, times[step.place, name]))
            times[step.place, name] += 1
    before = [each for each in found if each[0] < mark]
    for number, place, name, time in (*reversed(before), *found[len(before) :]):
        there = others[place, name]
        if len(there) == times[place, name]:
            yield number, place, there[time : time + 1]
        else:
            yield number, place, ever[place.file, place.function, name]


def proportional_at(
    left: History, right: History, values: tuple[float, float], draw: int, using: Place | None
) -> Place | None:
    """Return the line that forms the number of which two values are the same multiple.

    Parameters
    ----------
    left, right : History
    values : (float, float)
        That differ between the runs, such as scales.
    draw : int
        Number of the noise call that they reach.
    using : Place or None
        The line on which the number has a name.
    """
    if using is None or 0 in values:
        return None
    source = source_of(using)
    now: dict[str, tuple[float, float]] = {}
    for _, name, one, two in changed_alike(left, right, given=True):
        if one.numbers is None or two.numbers is None or one.numbers.size != 1:
            continue
        if two.numbers.size == 1 and re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", source):
            now[name] = float(one.numbers[0]), float(two.numbers[0])
    ratio = values[0] / values[1]
    for name, both in reversed(now.items()):
        if both == values or not both[1] or both[0] == both[1]:
            continue
        if abs(both[0] / both[1] / ratio - 1) < 1e-9:
            return formed_at(left, right, both, draw, name)
    return None


def part_formed_at(
    left: History,
    right: History,
    values: tuple[float, float],
    using: Place | None = None,
    names: Set[str] = frozenset(),
) -> Place | None:
    """Return the first line that forms a container of which a line takes an entry.

    Parameters
    ----------
    left, right : History
    values : (float, float)
        The entry, at the same place in both runs.
    using : Place, optional
        The line that takes it; the last one unless given.
    names : set of str, optional
        Of the containers; all that the line names unless given.
    """
    last = using or returned_at(left)
    taken = set(names) if names or last is None else set(_NAMES.findall(source_of(last)))
    taken |= {name.partition(".")[0] for name in taken}

    def holds(one: Seen, two: Seen) -> bool:
        if one.numbers is None or two.numbers is None:
            pairs = zip(one.parts, two.parts, strict=False)
            return any(holds(*each) for each in pairs)
        if one.numbers.size != two.numbers.size or one.numbers.size < 2:
            return False
        here = np.isclose(one.numbers, values[0], rtol=1e-9, atol=0)
        return bool(np.any(here & np.isclose(two.numbers, values[1], rtol=1e-9, atol=0)))

    for place, name, one, two in changed_alike(left, right):
        if name in taken and holds(one, two):
            return place
    return None


def entry_formed_at(
    left: History, right: History, values: tuple[float, float], using: Place | None
) -> Place | None:
    """Return the line that forms an entry, through lines that hand it from one container on.

    Parameters
    ----------
    left, right : History
    values : (float, float)
        The entry, in both runs.
    using : Place or None
        The line that takes it, as ``bounds[1]``.
    """
    place = None
    for _ in range(MOST_HANDED):
        names = set() if using is None else set(_TAKEN.findall(source_of(using)))
        found = part_formed_at(left, right, values, using, names) if names else None
        if found is None or found in (using, place):
            break
        place = using = found
    return place


def as_given(left: History, right: History, values: tuple[Any, Any]) -> bool:
    """Whether several numbers are just those that the mechanism was called with."""
    one, two = (np.ravel(np.asarray(each, dtype=np.float64)) for each in values)
    return len(one) > 1 and any(
        close(held.numbers, one) and close(right.arguments[name].numbers, two)
        for name, held in left.arguments.items()
        if name in right.arguments
    )


def returned_at(history: History) -> Place | None:
    """Return the first line that returns what the mechanism does: the innermost one.

    It may be an entry of what that line returns, of which only this entry is handed on.
    """
    returned = [s for s in history.steps if RETURNED in s.changed]
    for step in returned:
        held = step.changed[RETURNED]
        if any(each.same_as(returned[-1].changed[RETURNED]) for each in (held, *held.parts)):
            return step.place
    return None


def won_at(history: History, value: Floats) -> Place | None:
    """Return the first line that returns a number, alone or with its index, else the last of all.

    Parameters
    ----------
    history : History
    value : ndarray of float, shape (1,)
        The largest or the least of several, which leaves.
    """
    for step in history.steps:
        held = step.changed[RETURNED].numbers if RETURNED in step.changed else None
        if held is not None and len(held) < 3 and np.isin(value, held).any():
            return step.place
    return returned_at(history)


def source_of(place: Place) -> str:
    """Return the text of a line, without what surrounds it."""
    return linecache.getline(place.file, place.line).strip()


def first_holding(history: History, values: Floats) -> Place | None:
    """Return the first line after which a variable holds numbers, or that returns them."""
    for step in history.steps:
        if not step.given and any(close(s.numbers, values) for s in step.changed.values()):
            return step.place
    return None


def changed_alike(
    left: History, right: History, given: bool = False, draw: int | None = None
) -> Iterator[tuple[Place, str, Seen, Seen]]:
    """Yield variables that the same line changed in both runs, in the order of the left one.

    If wanted with arguments that it hands to other functions, and only after a noise call.
    """
    first = [0 if draw is None else each.marks.get(draw, 0) for each in (left, right)]
    others: dict[tuple[Place, str], list[Seen]] = defaultdict(list)
    for step in right.steps[first[1] :]:
        for name, held in step.changed.items() if given or not step.given else ():
            others[step.place, name].append(held)
    used: dict[tuple[Place, str], int] = defaultdict(int)
    for step in left.steps[first[0] :]:
        if step.given and not given:
            continue
        for name, held in step.changed.items():
            key = step.place, name
            if used[key] < len(others[key]):
                yield step.place, name, held, others[key][used[key]]
                used[key] += 1


def first_where(
    left: History, right: History, holds: Callable[[Seen, Seen], bool], *, given: bool = False
) -> tuple[Place, str] | None:
    """Return the first line, with a variable, of which a relation of both runs' values holds."""
    for place, name, one, two in changed_alike(left, right, given):
        if holds(one, two):
            return place, name
    return None


def parted_at(left: History, right: History) -> Place | None:
    """Return the last line that both runs go to before they go to different ones."""
    last = None
    for number, (one, two) in enumerate(zip(left.lines, right.lines, strict=False)):
        if one != two:
            return _back(left, right, number) or last
        last = one
    if len(left.lines) == len(right.lines):
        return None
    return _back(left, right, min(len(left.lines), len(right.lines))) or last


def _back(left: History, right: History, number: int) -> Place | None:
    """Return where both runs came back to at some number of lines: what follows is decided there.

    Where only one of them left the function, that was decided in it.
    """
    places = left.returns.get(number), right.returns.get(number)
    return places[0] if places[0] == places[1] else None


def sliced_at(left: History, right: History) -> Place | None:
    """Return the first line that takes records by position, the same places in both runs."""
    records = [
        [h.numbers for h in each.arguments.values() if h.numbers is not None and len(h.numbers) > 1]
        for each in (left, right)
    ]

    def is_slice(one: Seen, two: Seen) -> bool:
        places = [
            {at for of in given for at in _within(held.numbers, of)}
            for held, given in zip((one, two), records, strict=True)
        ]
        return bool(places[0] & places[1])

    line = first_where(left, right, is_slice)
    return None if line is None else line[0]


def _within(numbers: Floats | None, records: Floats) -> Iterator[int]:
    """Yield the places from which several records, and not all, are the numbers."""
    if numbers is None or not 1 < len(numbers) < len(records):
        return
    for at in range(len(records) - len(numbers) + 1):
        if np.array_equal(records[at : at + len(numbers)], numbers):
            yield at


def kept_at(history: History) -> Place | None:
    """Return the first line that changes a variable of a module, which outlives the call."""
    for step in history.steps:
        if any(name.startswith(GLOBAL) for name in step.changed):
            return step.place
    return None


def compared_at(history: History, value: float, place: Place) -> Place | None:
    """Return the first line after which a variable that a line compares holds a number.

    Parameters
    ----------
    history : History
    value : float
    place : Place
        The line.
    """
    words = set(re.findall(r"[\w.]+", source_of(place)))
    for step in history.steps:
        for name, held in step.changed.items():
            if name in words and close(held.numbers, np.array([value])) and not _wires(step):
                return step.place
    return None


def _wires(step: Step) -> bool:
    """Whether a lambda hands arguments on: it names no numbers, but fixes those of another."""
    return step.given and step.place.function.endswith("<lambda>")
