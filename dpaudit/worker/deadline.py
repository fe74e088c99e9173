"""The time at which an audit begins no further call."""

from __future__ import annotations

import time
from collections.abc import Callable

from dpaudit.worker.tasks import WorkerError

now = time.monotonic  # one clock for all processes of a machine
GRACE = 10.0  # seconds that a call which has begun may take beyond the time
LONGEST = 2e6  # seconds, as operating systems count 2^31 milliseconds at most
STOPPED = (
    f"a call was still running {GRACE:g} seconds after the time was over, and was stopped. Look "
    "for an endless loop, allow more time, or make the calls shorter"
)


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
            "the time for the mechanism's calls was over before the next one could begin; allow "
            "more time, or make the calls shorter",
        )


def at_most(timeout: float | None, until: float | None) -> float | None:
    """Return the seconds after which a worker is stopped: its own limit, or what is left.

    Parameters
    ----------
    timeout : float or None
        Seconds that a worker may take.
    until : float or None
        Of `now`; None is no limit.
    """
    limits = [LONGEST] if until is None else [LONGEST, max(until - now(), 0.0) + GRACE]
    return None if timeout is None and until is None else min([*limits, timeout or LONGEST])


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
