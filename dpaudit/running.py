"""Runs many audits, some of them at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from dpaudit.apart import Apart, Stopped, apart, one_line
from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Progress
from dpaudit.outcome import Outcome
from dpaudit.spared import spared

if TYPE_CHECKING:
    from dpaudit.verdict import Report

_POLL = 0.2
_PATIENCE = 3.0


class Watch(Protocol):
    """Hears how audits go; it is called from several threads at a time."""

    def started(self, index: int, name: str) -> None:
        """Hear that an audit began."""

    def progress(self, index: int, progress: Progress) -> None:
        """Hear how far an audit is."""

    def ended(self, index: int, name: str, said: str, seconds: float) -> None:
        """Hear that an audit ended, and with what."""


def run_all(
    audits: Sequence[CollectedAudit],
    *,
    jobs: int,
    options: Mapping[str, Any],
    watch: Watch,
    defaults: Mapping[str, Any] | None = None,
    keep: Callable[[Outcome], None] | None = None,
    own: Callable[[CollectedAudit], Mapping[str, Any]] | None = None,
) -> list[Outcome]:
    """Run audits, `jobs` at a time.

    Parameters
    ----------
    audits : sequence of CollectedAudit
    jobs : int
        With fewer audits than jobs each gets several worker processes.
    options : mapping
        Options of `dpaudit.audit` that take the place of declared ones.
    watch : Watch
    defaults : mapping, optional
        Options for audits that declare none.
    keep : callable, optional
        Given each outcome as soon as it is there, from several threads at a time.
    own : callable, optional
        Gives the options of each audit that no other has.

    Returns
    -------
    list of Outcome
        One an audit, in the order of `audits`. When the user interrupts, those that had not ended
        are marked so.
    """
    if not audits:
        return []
    at_a_time = min(jobs, len(audits))
    pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="audit")
    given = {**options, "workers": max(1, jobs // len(audits))}
    each = [
        {**one.audit.undeclared(defaults or {}), **given, **({} if own is None else own(one))}
        for one in audits
    ]

    def ended(outcome: Outcome) -> Outcome:
        told = replace(outcome, options=options)
        failures: list[str] = []
        if keep is not None:
            spared("its entry in the store", partial(keep, told), failures, None)
        return replace(told, not_made=(*told.not_made, *failures))

    stop = threading.Event()
    with apart(at_a_time, watch.progress) as processes:
        futures = [
            pool.submit(_run_one, index, collected, chosen, watch, stop, processes, ended)
            for index, (collected, chosen) in enumerate(zip(audits, each, strict=True))
        ]
        try:
            _wait(futures)
        except KeyboardInterrupt:
            stop.set()
            if processes is not None:
                processes.stop()
            _abandon(pool, futures)
        else:
            pool.shutdown()
    return [_outcome(collected, f) for collected, f in zip(audits, futures, strict=True)]


def attempt(collected: CollectedAudit, run: Callable[[], Report]) -> Outcome:
    """Run an audit; where it raises, the outcome says so.

    Parameters
    ----------
    collected : CollectedAudit
    run : callable
        Gives its report.

    Returns
    -------
    Outcome
    """
    try:
        return Outcome(collected, run())
    except (Exception, SystemExit) as error:
        return Outcome(collected, error=one_line(error))


def end_workers() -> None:
    """End the worker processes of this process that are still alive."""
    import multiprocessing

    for process in multiprocessing.active_children():
        process.kill()


def _run_one(
    index: int,
    collected: CollectedAudit,
    options: Mapping[str, Any],
    watch: Watch,
    stop: threading.Event,
    processes: Apart | None,
    ended: Callable[[Outcome], Outcome],
) -> Outcome:
    last: Progress | None = None

    def heard(progress: Progress) -> None:
        nonlocal last
        last = progress
        if stop.is_set():
            raise Stopped
        watch.progress(index, progress)

    if stop.is_set():
        return Outcome(collected, interrupted=True)
    watch.started(index, collected.name)
    start = time.perf_counter()
    try:
        if processes is None:
            outcome = attempt(collected, lambda: collected.audit.run(progress=heard, **options))
        else:
            outcome = attempt(collected, lambda: processes.run(index, collected.audit, options))
    except (Stopped, KeyboardInterrupt):
        outcome = Outcome(collected, error=_made(last), interrupted=True)
    outcome = ended(outcome)
    said = outcome.status.name if outcome.report is None else str(outcome.report.verdict)
    end = partial(watch.ended, index, collected.name, said, time.perf_counter() - start)
    failures: list[str] = []
    spared("its end in the display of progress", end, failures, None)
    return replace(outcome, not_made=(*outcome.not_made, *failures))


def _made(last: Progress | None) -> str:
    """Return how far an audit came before it was interrupted, empty where nobody knows."""
    return "" if last is None else f"interrupted after {last.calls:,} of {last.max_calls:,} calls"


def _wait(futures: Sequence[Future[Outcome]]) -> None:
    """Wait for all, in short steps, so that Ctrl-C is heard at once."""
    while wait(futures, timeout=_POLL).not_done:
        pass


def _abandon(pool: ThreadPoolExecutor, futures: Sequence[Future[Outcome]]) -> None:
    """Let running audits unwind for a moment; then end the workers of those that do not."""
    pool.shutdown(wait=False, cancel_futures=True)
    deadline = time.monotonic() + _PATIENCE
    try:
        while any(f.running() for f in futures) and time.monotonic() < deadline:
            time.sleep(_POLL)
    except KeyboardInterrupt:
        pass  # asked twice: no more patience
    if any(f.running() for f in futures):
        end_workers()


def _outcome(collected: CollectedAudit, future: Future[Outcome]) -> Outcome:
    if future.done() and not future.cancelled():
        return future.result()
    return Outcome(collected, interrupted=True)
