"""The clock of a proof: processor time, so that other work on the machine does not decide."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LONGER = 10.0  # times the limit, on the wall clock, ends what waits instead of working
QUICK = 0.25  # seconds that code which runs elsewhere may be waited for at no charge
_SHORTEST = 1e-3  # seconds between two looks at a clock


class _Here(threading.local):
    def __init__(self) -> None:
        self.working = False
        self.waited = 0.0


_here = _Here()


def now() -> float:
    """Return the seconds on the clock by which this thread's proofs end."""
    return time.thread_time() + _here.waited if _here.working else time.monotonic()


@contextmanager
def processor_time() -> Iterator[None]:
    """Count the time that this thread works, where the system can tell it to others.

    Notes
    -----
    A busy machine then ends no proof that an idle one finds. The wall clock ends it at `LONGER`
    times the limit.
    """
    before = _here.working
    _here.working = hasattr(time, "pthread_getcpuclockid")
    try:
        yield
    finally:
        _here.working = before


@contextmanager
def elsewhere() -> Iterator[None]:
    """Charge what is waited for beyond what `QUICK` code takes, such as a slow mechanism."""
    wall, own = time.monotonic(), time.thread_time()
    try:
        yield
    finally:
        gone = time.monotonic() - wall - (time.thread_time() - own)
        _here.waited += max(0.0, gone - QUICK)


class Limit:
    """Some seconds of the clock of the thread that makes it; any thread may ask what is left.

    Parameters
    ----------
    seconds : float
    """

    def __init__(self, seconds: float) -> None:
        self._wall = time.monotonic() + longest(seconds)
        self._clock: int | None = None
        self._end = math.inf
        if _here.working:
            self._clock = time.pthread_getcpuclockid(threading.get_ident())
            self._end = time.clock_gettime(self._clock) + seconds

    def left(self) -> float:
        """Return the seconds that are left, at most those that will go by until then."""
        left = self._wall - time.monotonic()
        if self._clock is None:
            return left
        try:
            return min(left, self._end - time.clock_gettime(self._clock))
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


def longest(seconds: float) -> float:
    """Return how long a limit may last on the wall clock."""
    return seconds * LONGER if _here.working else seconds
