"""A limit on time that holds in the middle of other people's loops."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 0.5  # seconds


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
    thread, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def end() -> None:
        if over.wait(max(0.0, seconds)):
            return
        while True:
            with lock:
                if over.is_set():
                    return
                _raise_in(thread, OutOfTime)
            # Where it came up in a destructor, as a solver's terms have, Python dropped it.
            if over.wait(AGAIN):
                return

    threading.Thread(target=end, daemon=True).start()
    try:
        yield
    finally:
        try:
            with lock:
                over.set()
        finally:  # it may come up in these very lines
            over.set()


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
