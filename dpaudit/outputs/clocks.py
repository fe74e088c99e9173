"""Clocks and addresses as a mechanism sees them: they tell nothing of the data.

Needs the standard library alone: the script of a witness holds this file.
"""

from __future__ import annotations

import copy
import datetime
import functools
import operator
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType
from typing import Any

KINDS = ("looks", "places", "real")
_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_TICK = 1_000_000  # nanoseconds between two looks at a clock
_STEP = 10_000  # nanoseconds for each byte of code between two places
_PATIENCE = 10_000  # looks, after which time goes on at each place too
_LEAP = 10**9
_OWN = 1  # number of the process
_DAY = 86_400 * 10**9
_START = time.time_ns() // _DAY * _DAY
_ABSENT = object()
_ADDRESS = re.compile(r"(?<![0-9a-fA-F])(?:0[xX])?[0-9a-fA-F]{8,20}(?![0-9a-fA-F])")
_DEEPEST = 8
_ITSELF: set[str] = {"dpaudit", *getattr(sys, "stdlib_module_names", ())} - {"__main__"}


class Clocks:
    """Stops the clocks while it is entered, and notes the addresses that are asked for.

    Parameters
    ----------
    names : sequence of dict
        The global names of the functions in which ``id``, ``hash`` and clocks that were imported by
        name are replaced.
    kind : {"looks", "places", "real"}
        When a clock goes on: at each look, by a millisecond; by the place in the code where it is
        read, however often; or as it does. All of them go on by what ``time.sleep`` sleeps.

    Attributes
    ----------
    addresses : set of int
        What ``id`` has returned, and ``hash`` for objects without a hash of their own.

    Notes
    -----
    Clocks begin at the last midnight (UTC) before dpaudit was imported, and the number of the
    process is 1. Python's own library and dpaudit see what is real: pools of processes, locks and
    progress need it.
    """

    def __init__(self, names: Sequence[dict[str, Any]] = (), kind: str = "looks") -> None:
        self._names, self.kind = names, kind
        self.addresses: set[int] = set()

    def __enter__(self) -> None:
        global _entered
        self._outer, _entered = _entered, self
        self._now, self._looks, self.addresses = _START, 0, set()
        self._bound: list[tuple[dict[str, Any], str, Any]] = []
        if self.kind == "real":
            return
        put = {id(datetime): _DATES, id(datetime.datetime): _DATES.datetime}
        if self._outer is None or self._outer.kind == "real":
            self.before = {name: vars(owner)[name] for owner, name, _ in _STOPPED}
        else:
            self.before = self._outer.before
        for owner, name, new in _STOPPED:
            put[id(vars(owner)[name])] = new
            self._bind(vars(owner), name, new)
        noting = {"id": self._id, "hash": self._hash}
        for names in self._names:
            for name in [name for name, old in names.items() if id(old) in put]:
                self._bind(names, name, put[id(names[name])])
            for name, new in noting.items():
                if "__name__" in names and name not in names:
                    self._bind(names, name, new)

    def __exit__(self, *_: object) -> None:
        global _entered
        for names, name, old in reversed(self._bound):
            if old is _ABSENT:
                del names[name]
            else:
                names[name] = old
        _entered = self._outer

    def _bind(self, names: dict[str, Any], name: str, new: Any) -> None:
        self._bound.append((names, name, names.get(name, _ABSENT)))
        names[name] = new

    def read(self, frame: FrameType) -> int:
        """Return what a clock shows that is read in a frame, in nanoseconds."""
        self._looks += 1
        if self.kind == "looks":
            self._now += _TICK
            return self._now
        late = max(0, self._looks - _PATIENCE) * _LEAP
        return self._now + late + frame.f_lasti * _STEP

    def sleep(self, seconds: float) -> None:
        """Go on by so many seconds."""
        self._now += int(seconds * 1e9)

    def _id(self, value: object) -> int:
        self.addresses.add(id(value))
        return id(value)

    def _hash(self, value: object) -> int:
        if type(value).__hash__ is object.__hash__:
            self.addresses.add(hash(value))
        return hash(value)

    def blanked(self, value: Any, depth: int = 0) -> Any:
        """Return an output with 0 or an ellipsis in the place of each address that was noted."""
        if not self.addresses or depth > _DEEPEST:
            return value
        again = functools.partial(self.blanked, depth=depth + 1)
        kind = type(value)
        if kind in (int, float):
            return kind(0) if value in self.addresses else value
        if kind is str:
            return _ADDRESS.sub(self._blank, value)
        if kind in (list, tuple, set, frozenset):
            parts = [*map(again, value)]
            return value if all(map(operator.is_, parts, value)) else kind(parts)
        if kind is dict:
            keys, parts = [*map(again, value)], [*map(again, value.values())]
            same = all(map(operator.is_, keys + parts, [*value, *value.values()]))
            return value if same else dict(zip(keys, parts))  # noqa: B905  # old Pythons load this file
        if getattr(getattr(value, "dtype", None), "kind", None) in ("i", "u", "f"):
            return self._blanked_array(value)
        if isinstance(value, BaseException):
            value.args = again(value.args)
            vars(value).update(again(vars(value)))
            return value
        held = getattr(value, "__dict__", None)
        if type(held) is dict and not callable(value) and again(held) is not held:
            value = copy.copy(value)
            vars(value).update(again(held))
        return value

    def _blanked_array(self, value: Any) -> Any:
        import numpy as np

        found = np.isin(value, [*self.addresses])
        return np.where(found, 0, value)[()] if np.any(found) else value

    def _blank(self, match: re.Match[str]) -> str:
        text = match[0]
        known = int(text, 16) in self.addresses
        return "…" if known or (text.isdigit() and int(text) in self.addresses) else text


def steady(function: Callable[..., Any], clocks: Clocks) -> Callable[..., Any]:
    """Return a function that does as `function`, while clocks and addresses tell nothing.

    Parameters
    ----------
    function : callable
    clocks : Clocks
    """

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        with clocks:
            try:
                return clocks.blanked(function(*arguments, **keywords))
            except Exception as error:
                clocks.blanked(error)
                raise

    return call


def _seen_by(read: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return what stands for a function of the system, which is called with the caller's frame."""

    def call(*given: Any) -> Any:
        frame, clocks = sys._getframe(1), _entered
        if clocks is None or clocks.kind == "real":
            return _REAL[name](*given)
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _ITSELF:
            return clocks.before[name](*given)
        return read(clocks, frame, *given)

    return call


def _slept(clocks: Clocks, _: FrameType, seconds: float) -> None:
    clocks.before["sleep"](seconds)
    clocks.sleep(seconds)


def _killed(clocks: Clocks, _: FrameType, process: int, signal: int) -> None:
    """Send a signal: a mechanism that ends its process ends no other one."""
    clocks.before["kill"](clocks.before["getpid"]() if process == _OWN else process, signal)


def _dates() -> Any:
    """Return what stands for the module `datetime`."""

    class Kind(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, datetime.datetime)

        def __subclasscheck__(cls, kind: type) -> bool:
            return issubclass(kind, datetime.datetime)

        def __eq__(cls, other: object) -> bool:
            return other is cls or other is datetime.datetime

        def __hash__(cls) -> int:
            return hash(datetime.datetime)

    class Stopped(datetime.datetime, metaclass=Kind):
        def __new__(cls, *given: Any, **named: Any) -> Any:
            return datetime.datetime(*given, **named)

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return _date(sys._getframe(1), tz)

        @classmethod
        def today(cls) -> Any:
            return _date(sys._getframe(1))

        @classmethod
        def utcnow(cls) -> Any:
            return _date(sys._getframe(1), datetime.timezone.utc).replace(tzinfo=None)  # noqa: UP017  # old Pythons load this file

    module = ModuleType(datetime.__name__)
    vars(module).update(vars(datetime), datetime=Stopped)
    return module


def _date(frame: FrameType, zone: datetime.tzinfo | None = None) -> datetime.datetime:
    if _entered is None:
        return datetime.datetime.now(zone)
    return datetime.datetime.fromtimestamp(_entered.read(frame) / 1e9, zone)


_READ: dict[tuple[ModuleType, str], Callable[..., Any]] = {
    **{(time, name): lambda clocks, frame: clocks.read(frame) / 1e9 for name in _CLOCKS},
    **{(time, f"{name}_ns"): lambda clocks, frame: clocks.read(frame) for name in _CLOCKS},
    (time, "sleep"): _slept,
    (os, "getpid"): lambda clocks, frame: _OWN,
    (os, "kill"): _killed,
}
_REAL = {name: getattr(owner, name) for owner, name in _READ if hasattr(owner, name)}
_STOPPED = [(*key, _seen_by(read, key[1])) for key, read in _READ.items() if key[1] in _REAL]
_DATES = _dates()
_entered: Clocks | None = None
