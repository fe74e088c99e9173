"""Keeps a mechanism from ending its process as though all were well."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from dpaudit.worker.quiet import GLOBAL_STATE

SILENT = 199  # stands for an exit code of 0
INCOMPLETE = 3  # of a command: an audit could not be completed
_held: list[Callable[[], None]] = []


def never_leave_as_passed() -> None:
    """Let ``os._exit(0)`` of this process end it with the code `INCOMPLETE`, from now on.

    Notes
    -----
    For a command: to import a mechanism is to run its module here. Native code that ends the
    process is not held back.
    """
    if not _held:
        _held.append(_end_zero_with(INCOMPLETE))


@contextlib.contextmanager
def no_silent_exit() -> Iterator[None]:
    """Let ``os._exit(0)`` of this process end it with the code `SILENT`.

    Notes
    -----
    Who waits for a worker takes the code 0 for an orderly end, and would wait for its answer for
    good. Children that the mechanism forks leave with the code they say.
    """
    with GLOBAL_STATE:
        restore = _end_zero_with(SILENT)
        try:
            yield
        finally:
            restore()


def _end_zero_with(code: int) -> Callable[[], None]:
    """Replace ``os._exit`` of this process; return what puts the former one back."""
    leave, here = os._exit, os.getpid()

    def loud(status: int) -> NoReturn:
        leave(status if status % 256 or os.getpid() != here else code)

    # A pickled reference to os._exit is looked up where it is defined: in posix or nt.
    homes = [module for name in ("os", "posix", "nt") if (module := sys.modules.get(name))]

    def put(function: Callable[[int], NoReturn]) -> None:
        for module in homes:
            setattr(module, "_exit", function)  # noqa: B010

    put(loud)
    return lambda: put(leave)
