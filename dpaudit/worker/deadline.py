"""The time at which an audit begins no further call."""

from __future__ import annotations

import time
from collections.abc import Callable

from dpaudit.worker.tasks import WorkerError

now = time.monotonic  # one clock for all processes of a machine


def in_time(until: float | None) -> None:
    """Let a call begin.

    Parameters
    ----------
    until : float or None
        Of `now`; None is no limit.

    Raises
    ------
    WorkerError
        Of kind ``"late"`` where the time has come.
    """
    if until is not None and now() >= until:
        raise WorkerError(
            "late",
            "the time for the mechanism's calls was over before the next one could begin; raise "
            "max_seconds, or make the calls shorter",
        )


def charged(
    before: Callable[[int], None] | None, until: float | None
) -> Callable[[int], None] | None:
    """Return what is called before each call, with the time asked for first."""
    if until is None:
        return before

    def ask(side: int) -> None:
        in_time(until)
        if before is not None:
            before(side)

    return ask
