"""A limit on time that holds in the middle of other people's loops."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTime(BaseException):
    """The time for a proof ran out; no ``except Exception`` on the way catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in this thread once the time is over.

    Parameters
    ----------
    seconds : float
        A long call into C, such as a solver's, is left to end by its own limit first.

    Raises
    ------
    OutOfTime
    """
    thread, lock, over = threading.get_ident(), threading.Lock(), False

    def end() -> None:
        with lock:
            if not over:
                _raise_in(thread, OutOfTime)

    timer = threading.Timer(max(0.0, seconds), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
        timer.cancel()


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
