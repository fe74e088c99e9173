"""Keeps a mechanism from ending its process as though all were well."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import NoReturn

from dpaudit.worker.quiet import GLOBAL_STATE

SILENT = 199  # stands for an exit code of 0


@contextlib.contextmanager
def no_silent_exit() -> Iterator[None]:
    """Let ``os._exit(0)`` of this process end it with the code `SILENT`.

    Notes
    -----
    Who waits for a worker takes the code 0 for an orderly end, and would wait for its answer for
    good. Children that the mechanism forks leave with the code they say.
    """
    with GLOBAL_STATE:
        leave, here = os._exit, os.getpid()

        def loud(status: int) -> NoReturn:
            leave(status if status % 256 or os.getpid() != here else SILENT)

        # A pickled reference to os._exit is looked up where it is defined: in posix or nt.
        homes = [module for name in ("os", "posix", "nt") if (module := sys.modules.get(name))]
        for module in homes:
            setattr(module, "_exit", loud)  # noqa: B010
        try:
            yield
        finally:
            for module in homes:
                setattr(module, "_exit", leave)  # noqa: B010
