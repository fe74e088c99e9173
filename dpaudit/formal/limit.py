"""A limit on real time, which a user set: it holds in the middle of other people's loops."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from dpaudit.formal.clock import Limit

AGAIN = 0.5  # seconds

_Result = TypeVar("_Result")


class OutOfTime(BaseException):
    """The time that a user gave ran out; no ``except Exception`` on the way catches it."""


class _State:
    """What a thread and the clocks that watch it tell each other.

    Attributes
    ----------
    depth : int
        How many `shielded` blocks the thread is in.
    sending : bool
        Whether a clock has seen the depth, and may raise in the thread whatever it is now.
    clocks : Lock
        For one clock to send at a time; the thread itself never waits for it.
    due : set of _Clock
        Those whose time passed while the thread was shielded.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.sending = False
        self.clocks = threading.Lock()
        self.due: set[_Clock] = set()


class _Here(threading.local):
    def __init__(self) -> None:
        self.state = _State()


_here = _Here()


def within(limit: Limit, act: Callable[[], _Result]) -> _Result:
    """Return what a function returns; raise `OutOfTime` in it once its time is over.

    Parameters
    ----------
    limit : Limit
        A long call into C is left to end first.
    act : callable

    Raises
    ------
    OutOfTime
        Between any two steps of Python code; from a `shielded` block at its end.

    Notes
    -----
    No context manager: an exception could come up in the first line of its ``__exit__``, and the
    clock would go on. Here it comes up in ``try``, or not at all.
    """
    state = _here.state
    clock = _Clock(limit, state)
    try:
        with shielded():  # an exception inside of `Thread.start` leaves locks locked
            clock.start()
        return act()
    finally:
        state.depth += 1
        clock.left = True
        try:
            _settle(state)
        finally:
            state.due.discard(clock)
            clock.wake.release()
            state.depth -= 1


@contextmanager
def shielded() -> Iterator[None]:
    """Keep `OutOfTime` from coming up in the middle of what must not be left half done.

    Raises
    ------
    OutOfTime
        At the end, where a limit passed meanwhile.

    """
    state = _here.state
    state.depth += 1
    try:
        _settle(state)
        yield
    finally:
        state.depth -= 1
    if state.due:
        raise OutOfTime


def _settle(state: _State) -> None:
    """Let come up what a clock sent that saw another depth; nothing comes up after this."""
    while state.sending:
        time.sleep(0)
    for _ in range(2):  # Python looks for what was sent where it jumps backward
        pass


class _Clock(threading.Thread):
    """Raises in a thread once its time is over, again and again until it is left."""

    def __init__(self, limit: Limit, state: _State) -> None:
        super().__init__(daemon=True)
        self.limit = limit
        self.state = state
        self.left = False
        self.wake = threading.Lock()
        self.wake.acquire()
        self.watched = threading.get_ident()

    def run(self) -> None:
        over = self.limit.wait(self._woken)
        while over and not self.left:
            with self.state.clocks:
                self._send()
            # Where it came up in a destructor, as a solver's terms have, Python dropped it.
            over = not self._woken(AGAIN)

    def _woken(self, seconds: float) -> bool:
        return self.wake.acquire(timeout=seconds)

    def _send(self) -> None:
        state = self.state
        state.sending = True
        if not self.left:
            if state.depth:
                state.due.add(self)
            else:
                _raise_in(self.watched, OutOfTime)
        state.sending = False


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
