"""The clock of a proof: it counts steps of work, so that no machine's speed decides a verdict.

One second on this clock is `SECOND` steps, about the work of one second of a quiet machine. What
works says so by `charge`: the same question takes the same steps on every machine, whatever else
runs there. Real time is read here alone, for limits that a user sets and for reports.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar, cast

SECOND = 3_000_000  # steps
NET = 30.0  # times as much real work as a budget, far beyond what its steps amount to
_SHORTEST = 1e-3  # seconds between two looks at a real clock

_Result = TypeVar("_Result")
_Function = TypeVar("_Function", bound=Callable[..., Any])
_forgotten: list[Callable[[], None]] = []  # of functions that remember results


class OutOfSteps(BaseException):
    """The steps for a proof ran out; no ``except Exception`` on the way catches it."""


class _Here(threading.local):
    def __init__(self) -> None:
        self.steps = 0
        self.end = math.inf


_here = _Here()


def now() -> float:
    """Return the seconds on this thread's clock of steps."""
    return _here.steps / SECOND


def steps() -> int:
    """Return the steps on this thread's clock."""
    return _here.steps


def charge(count: int) -> None:
    """Count steps.

    Parameters
    ----------
    count : int
        About a third of a microsecond of a quiet machine each.

    Raises
    ------
    OutOfSteps
        Where a limit of `bounded` is passed, and at every charge from then on.
    """
    here = _here
    here.steps += count
    if here.steps > here.end:
        raise OutOfSteps


def bounded(seconds: float, act: Callable[[], _Result]) -> _Result:
    """Return what a function returns; raise `OutOfSteps` in it once its steps are used up.

    Parameters
    ----------
    seconds : float
        On the clock of steps.
    act : callable
    """
    before = _here.end
    _here.end = min(before, _here.steps + seconds * SECOND)
    try:
        charge(0)
        return act()
    finally:
        _here.end = before


def remembered(most: int) -> Callable[[_Function], _Function]:
    """Return a decorator that remembers the newest results, until `fresh` begins another question.

    Parameters
    ----------
    most : int
        Results of one function.
    """

    def decorated(function: _Function) -> _Function:
        found = lru_cache(most)(function)
        _forgotten.append(found.cache_clear)
        return cast(_Function, found)

    return decorated


@contextmanager
def fresh() -> Iterator[None]:
    """Count from zero, with no limit and nothing remembered: equal questions take equal steps."""
    before = _here.steps, _here.end
    for forget in _forgotten:
        forget()
    _here.steps, _here.end = 0, math.inf
    try:
        yield
    finally:
        _here.steps, _here.end = before[0] + _here.steps, before[1]


def wall() -> float:
    """Return the seconds of a real clock, for reports."""
    return time.monotonic()


class Limit:
    """Seconds of real time that a user set; any thread may ask what is left.

    Parameters
    ----------
    seconds : float
    working : bool
        Whether only time counts in which the thread that makes it works, where the system can
        tell it to others.
    """

    def __init__(self, seconds: float, *, working: bool = False) -> None:
        self.working = working
        self._clock: int | None = None
        if working and hasattr(time, "pthread_getcpuclockid"):
            self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._end = self._time() + seconds

    def _time(self) -> float:
        return time.monotonic() if self._clock is None else time.clock_gettime(self._clock)

    @staticmethod
    def of(timeout: float | None, budget: float) -> Limit:
        """Return the limit that a user set; a net against loops that charge nothing, if none.

        Parameters
        ----------
        timeout : float or None
        budget : float
            On the clock of steps.
        """
        if timeout is not None:
            return Limit(timeout)
        return Limit(NET * max(budget, 1.0), working=True)

    def left(self) -> float:
        """Return the seconds that are left."""
        try:
            return self._end - self._time()
        except OSError:  # the thread is gone
            return 0.0

    def wait(self, stopped: Callable[[float], bool]) -> bool:
        """Wait until nothing is left; return False where something else came first.

        Parameters
        ----------
        stopped : callable
            Given seconds, waits for them; True where it was told to stop.
        """
        while (left := self.left()) > 0:
            if stopped(min(max(left, _SHORTEST), threading.TIMEOUT_MAX)):
                return False
        return True
