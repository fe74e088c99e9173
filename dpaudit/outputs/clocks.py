"""Clocks and addresses as a mechanism sees them: they stand still, and tell nothing of the data.

Needs the standard library alone: the script of a witness holds this file.
"""

from __future__ import annotations

import datetime
import functools
import os
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_TICK = 1_000_000  # nanoseconds between two looks at a clock
_OWN = 1  # number of the process
_DAY = 86_400 * 10**9
_ABSENT = object()


class Clocks:
    """Stops the clocks while it is entered, and counts objects in place of their addresses.

    Parameters
    ----------
    names : sequence of dict
        The global names of the functions in which ``id``, ``hash`` and clocks that were imported by
        name are replaced.

    Notes
    -----
    Clocks begin at the last midnight (UTC) before dpaudit was imported, and go on by a millisecond
    at each look and by what ``time.sleep`` sleeps. The number of the process is 1. ``id`` counts
    the objects that it is asked of, and so does ``hash`` where an object has none of its own.
    """

    def __init__(self, names: Sequence[dict[str, Any]] = ()) -> None:
        self._names = names
        self._now = 0
        self._seen: dict[int, int] = {}
        stopped: dict[str, Any] = {"sleep": self._slept(time.sleep)}
        for name in _CLOCKS:
            stopped[name] = lambda: self._look() / 1e9
            stopped[f"{name}_ns"] = self._look
        self._put = [(time, name, new) for name, new in stopped.items() if hasattr(time, name)]
        self._put += [(os, "getpid", lambda: _OWN), (os, "kill", _killed(os.kill, os.getpid))]
        kind = self._date()
        module = ModuleType(datetime.__name__)
        vars(module).update(vars(datetime), datetime=kind)
        self._for = {id(getattr(owner, name)): new for owner, name, new in self._put}
        self._for |= {id(datetime): module, id(datetime.datetime): kind}

    def __enter__(self) -> None:
        self._now, self._seen = _START, {}
        self._before = [(owner, name, getattr(owner, name)) for owner, name, _ in self._put]
        for owner, name, new in self._put:
            setattr(owner, name, new)
        counted = {"id": self._counted, "hash": self._hashed}
        self._bound: list[tuple[dict[str, Any], str, Any]] = []
        for names in self._names:
            new = {name: self._for[id(old)] for name, old in names.items() if id(old) in self._for}
            if "__name__" in names:
                new |= {name: each for name, each in counted.items() if name not in names}
            self._bound += [(names, name, names.get(name, _ABSENT)) for name in new]
            names.update(new)

    def __exit__(self, *_: object) -> None:
        for owner, name, old in self._before:
            setattr(owner, name, old)
        for names, name, old in self._bound:
            if old is _ABSENT:
                del names[name]
            else:
                names[name] = old

    def _look(self) -> int:
        self._now += _TICK
        return self._now

    def _slept(self, real: Callable[[float], None]) -> Callable[[float], None]:
        def sleep(seconds: float) -> None:
            real(seconds)
            self._now += int(seconds * 1e9)

        return sleep

    def _counted(self, value: object) -> int:
        return self._seen.setdefault(id(value), len(self._seen) + 1)

    def _hashed(self, value: object) -> int:
        own = type(value).__hash__ is not object.__hash__
        return hash(value) if own else self._counted(value)

    def _date(self) -> type:
        """Return what stands for the class `datetime.datetime`."""
        look = self._look

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
                return datetime.datetime.fromtimestamp(look() / 1e9, tz)

            @classmethod
            def today(cls) -> Any:
                return cls.now()

            @classmethod
            def utcnow(cls) -> Any:
                return cls.now(datetime.timezone.utc).replace(tzinfo=None)  # noqa: UP017  # old Pythons load this file

        return Stopped


def _killed(kill: Callable[[int, int], None], number: Callable[[], int]) -> Any:
    """Return what stands for `os.kill`: a mechanism that ends its process ends no other one."""
    return lambda process, signal: kill(number() if process == _OWN else process, signal)


def steady(function: Callable[..., Any], names: Sequence[dict[str, Any]]) -> Callable[..., Any]:
    """Return a function that does as `function`, while clocks and addresses stand still.

    Parameters
    ----------
    function : callable
    names : sequence of dict
        See `Clocks`.
    """
    clocks = Clocks(names)

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        with clocks:
            return function(*arguments, **keywords)

    return call


_START = time.time_ns() // _DAY * _DAY
