"""Where in the source a difference enters: two runs' local variables, line by line."""

from __future__ import annotations

import collections
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from dpaudit.trace.draws import Place, is_users, place_of
from dpaudit.trace.tape import Floats

MOST_STEPS = 20_000
MOST_NUMBERS = 4_000  # of a variable that are looked at
RETURNED = "return"
GLOBAL = "global "  # before the name of a variable of the module
_KEPT = (dict, list, set, np.ndarray, int, float, collections.deque, collections.OrderedDict)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a variable held.

    Attributes
    ----------
    structure : tuple
        Type, and length, shape or keys.
    numbers : ndarray of float or None
        Its numbers, in order; None where it holds others things too.
    text : str
        Of what has no numbers.
    parts : tuple of Seen
        Of a list or tuple of containers.
    """

    structure: tuple[Any, ...]
    numbers: Floats | None
    text: str = ""
    parts: tuple[Seen, ...] = ()

    def same_as(self, other: Seen) -> bool:
        """Whether both hold the same."""
        if self.structure != other.structure or self.text != other.text:
            return False
        if len(self.parts) != len(other.parts):
            return False
        if not all(map(Seen.same_as, self.parts, other.parts)):
            return False
        if self.numbers is None or other.numbers is None:
            return self.numbers is other.numbers
        return bool(np.array_equal(self.numbers, other.numbers, equal_nan=True))


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A line that ran.

    Attributes
    ----------
    place : Place
    changed : dict of str to Seen
        Variables that have another value after it, and what it returned.
    """

    place: Place
    changed: dict[str, Seen]


class History:
    """A trace function that notes, for each line of the user's code, what it changed."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.lines: list[Place] = []  # as they begin
        self.arguments: dict[str, Seen] = {}  # of the mechanism itself
        self._entered = False

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Follow calls of the user's functions."""
        if event != "call" or not is_users(frame.f_code) or len(self.lines) > MOST_STEPS:
            return None
        follower = _Follower(self, frame)
        caller = frame.f_back
        if self._entered and caller is not None and is_users(caller.f_code):
            given = {n: s for n, s in follower.known.items() if not n.startswith(GLOBAL)}
            self.steps.append(Step(place_of(caller), given))
        if not self._entered:
            self.arguments = dict(follower.known)
        self._entered = True
        return follower

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
            self._note(frame, {RETURNED: seen(argument)} if event == "return" else {})
        if event == "line":
            self._at = place_of(frame)
            self._history.lines.append(self._at)
        return self if len(self._history.lines) <= MOST_STEPS else None

    def _note(self, frame: FrameType, more: dict[str, Seen]) -> None:
        now = _seen_locals(frame)
        known = self.known
        changed = {n: s for n, s in now.items() if n not in known or not s.same_as(known[n])}
        self.known = now
        if self._at is not None and (changed or more):
            self._history.steps.append(Step(self._at, {**changed, **more}))


def _seen_locals(frame: FrameType) -> dict[str, Seen]:
    held = {name: seen(value) for name, value in frame.f_locals.items()}
    if frame.f_code.co_name != "<module>":
        for name in frame.f_code.co_names:
            value = frame.f_globals.get(name)
            if type(value) in _KEPT:
                held[GLOBAL + name] = seen(value)
    return held


def seen(value: Any, depth: int = 2) -> Seen:
    """Return what a value holds, in a form that can be compared.

    Parameters
    ----------
    value : Any
    depth : int
        How deep containers are looked into.
    """
    kind = type(value).__name__
    try:
        return _seen(value, kind, depth)
    except Exception:  # whatever a strange object does when it is looked at
        return Seen((kind,), None)


def _seen(value: Any, kind: str, depth: int) -> Seen:
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return Seen((kind,), np.array([float(value)]))
    if isinstance(value, str):
        return Seen((kind,), None, value[:200])
    if type(value).__module__.startswith(("pandas", "polars")):
        return _seen_frame(value, kind)
    if isinstance(value, np.ndarray):
        return _seen_array(value, kind)
    if isinstance(value, dict):
        keys = tuple(map(_text, itertools.islice(value, MOST_NUMBERS)))
        inner = _numbers(list(value.values()))
        return Seen((kind, len(value), keys), inner, parts=_parts(value.values(), inner, depth))
    if isinstance(value, (list, tuple, set, frozenset)):
        inner = _numbers(list(value))
        return Seen((kind, len(value)), inner, parts=_parts(value, inner, depth))
    return Seen((kind,), None)


def _parts(values: Any, numbers: Floats | None, depth: int) -> tuple[Seen, ...]:
    if numbers is not None or depth == 0 or len(values) > 200:
        return ()
    return tuple(seen(each, depth - 1) for each in values)


def _numbers(values: Sequence[Any]) -> Floats | None:
    if len(values) > MOST_NUMBERS:
        return None
    if not all(isinstance(each, (bool, int, float, np.number, np.bool_)) for each in values):
        return None
    return np.array([float(each) for each in values])


def _seen_array(value: Any, kind: str) -> Seen:
    structure = (kind, str(value.dtype), value.shape)
    if value.size > MOST_NUMBERS:
        return Seen(structure, None)
    if value.dtype.kind in "fiub":
        return Seen(structure, value.astype(np.float64).ravel())
    return Seen(structure, None, repr(value.tolist())[:2000])


def _seen_frame(value: Any, kind: str) -> Seen:
    columns = tuple(map(_text, getattr(value, "columns", ())))
    index = tuple(map(_text, itertools.islice(getattr(value, "index", ()), MOST_NUMBERS)))
    structure = (kind, np.shape(value), columns, index)
    try:
        numbers = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        return Seen(structure, None, str(value)[:2000])
    return Seen(structure, numbers if len(numbers) <= MOST_NUMBERS else None)


def _text(value: Any) -> str:
    return repr(value)[:80]


def formed_at(left: History, right: History, values: tuple[Any, Any]) -> Place | None:
    """Return the first line after which a variable holds one value in one run, one in the other.

    Parameters
    ----------
    left, right : History
    values : (array_like, array_like)
        Numbers that differ between the runs.
    """
    one, two = (np.ravel(np.asarray(each, dtype=np.float64)) for each in values)
    if len(one) == len(two) and np.array_equal(one, two, equal_nan=True):
        return None
    others: dict[tuple[Place, str], list[Seen]] = defaultdict(list)
    for step in right.steps:
        for name, held in step.changed.items():
            others[step.place, name].append(held)
    for step in left.steps:
        for name, held in step.changed.items():
            if _close(held.numbers, one) and any(
                _close(each.numbers, two) for each in others[step.place, name]
            ):
                return step.place
    return None


def _close(one: Floats | None, two: Floats) -> bool:
    if one is None or one.size != two.size:
        return False
    with np.errstate(all="ignore"):
        scale = 1e-9 * (np.abs(one) + np.abs(two)) + 1e-12
        return bool(np.all((np.abs(one - two) <= scale) | (np.isnan(one) & np.isnan(two)) |
                           (one == two)))  # fmt: skip


def changed_alike(left: History, right: History) -> Iterator[tuple[Place, str, Seen, Seen]]:
    """Yield variables that the same line changed in both runs, in the order of the left one."""
    others: dict[tuple[Place, str], list[Seen]] = defaultdict(list)
    for step in right.steps:
        for name, held in step.changed.items():
            others[step.place, name].append(held)
    used: dict[tuple[Place, str], int] = defaultdict(int)
    for step in left.steps:
        for name, held in step.changed.items():
            key = step.place, name
            if used[key] < len(others[key]):
                yield step.place, name, held, others[key][used[key]]
                used[key] += 1


def first_where(
    left: History, right: History, holds: Callable[[Seen, Seen], bool]
) -> tuple[Place, str] | None:
    """Return the first line, with a variable, of which a relation of both runs' values holds."""
    for place, name, one, two in changed_alike(left, right):
        if holds(one, two):
            return place, name
    return None


def parted_at(left: History, right: History) -> Place | None:
    """Return the last line that both runs go to before they go to different ones."""
    last = None
    for one, two in zip(left.lines, right.lines, strict=False):
        if one != two:
            return last
        last = one
    return last if len(left.lines) != len(right.lines) else None


def kept_at(history: History) -> Place | None:
    """Return the first line that changes a variable of a module, which outlives the call."""
    for step in history.steps:
        if any(name.startswith(GLOBAL) for name in step.changed):
            return step.place
    return None


def not_finite(one: Seen, two: Seen) -> bool:
    """Whether one of two values alone holds NaN or infinity."""
    if one.numbers is None or two.numbers is None:
        return False
    return bool(np.isfinite(one.numbers).all() != np.isfinite(two.numbers).all())


def unstable(one: Seen, two: Seen, group: int, sizes: tuple[int, int]) -> bool:
    """Whether two partitions of so many records differ in more parts than records may touch."""
    if len(one.parts) < 3 or len(one.parts) != len(two.parts):
        return False
    lengths = [sum(map(_length, each.parts)) for each in (one, two)]
    if tuple(lengths) != sizes:
        return False
    moved = sum(not a.same_as(b) for a, b in zip(one.parts, two.parts, strict=True))
    return moved > 2 * group


def _length(part: Seen) -> int:
    for each in part.structure[1:]:
        if isinstance(each, int):
            return each
        if isinstance(each, tuple) and each and isinstance(each[0], int):
            return each[0]
    return -1
