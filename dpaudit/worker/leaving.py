"""Keeps a mechanism from ending its process as though all were well."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from dpaudit.worker.quiet import GLOBAL_STATE

_LEAVE = os._exit  # as it is in a process that nobody has tampered with
SILENT = 199  # stands for an exit code of 0
INCOMPLETE = 3  # of a command: an audit could not be completed
_held: list[Callable[[], None]] = []


def never_leave_as_passed() -> None:
    """Let ``os._exit`` and ``os.exec*`` end this process with the code `INCOMPLETE` and a message.

    Notes
    -----
    For a command, from now on: to import a mechanism is to run its module here. Native code that
    ends the process is not held back.
    """
    if not _held:
        _held.append(_end_with(_said_and_incomplete))
        here = os.getpid()

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event == "os.exec" and os.getpid() == here:
                leave(_said(f"os.exec of {arguments[0]!r:.200}", _place(sys._getframe(1))))

        sys.addaudithook(hook)  # for good: a program in this one's place has its exit code


def leave(code: int) -> NoReturn:
    """End this process at once, whatever ``os._exit`` is by now.

    Parameters
    ----------
    code : int
    """
    _LEAVE(code)


def _said_and_incomplete(status: int, place: str) -> int:
    """Say who ends a command, and return its exit code."""
    return _said(f"os._exit({status})", place)


def _said(call: str, place: str) -> int:
    told = (
        f"error: {call} was called{place}, which ends dpaudit before it is done. "
        "Remove the call from what is imported, or put it under "
        'if __name__ == "__main__":\n'
    )
    with contextlib.suppress(OSError):
        os.write(2, told.encode(errors="backslashreplace"))
    return INCOMPLETE


@contextlib.contextmanager
def no_silent_exit() -> Iterator[None]:
    """Let ``os._exit(0)`` of this process end it with the code `SILENT`.

    Notes
    -----
    Who waits for a worker takes the code 0 for an orderly end, and would wait for its answer for
    good. Children that the mechanism forks leave with the code they say.
    """
    with GLOBAL_STATE:
        restore = _end_with(lambda status, _: status if status % 256 else SILENT)
        try:
            yield
        finally:
            restore()


def _end_with(code: Callable[[int, str], int]) -> Callable[[], None]:
    """Replace ``os._exit`` of this process; return what puts the former one back.

    Parameters
    ----------
    code : callable
        Gives the exit code for the one that was asked, and for where that was.
    """
    former, here = os._exit, os.getpid()

    def loud(status: int) -> NoReturn:
        former(code(status, _place(sys._getframe().f_back)) if os.getpid() == here else status)

    # A pickled reference to os._exit is looked up where it is defined: in posix or nt.
    homes = [module for name in ("os", "posix", "nt") if (module := sys.modules.get(name))]

    def put(function: Callable[[int], NoReturn]) -> None:
        for module in homes:
            setattr(module, "_exit", function)  # noqa: B010

    put(loud)
    return lambda: put(former)


def _place(frame: FrameType | None) -> str:
    """Say where a call was made; nothing where that is not known, as at the end of a process."""
    while frame is not None and frame.f_globals.get("__name__") == "os":  # os.execlp calls os.execv
        frame = frame.f_back
    return "" if frame is None else f" at {frame.f_code.co_filename}:{frame.f_lineno}"
