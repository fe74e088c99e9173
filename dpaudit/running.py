"""Runs many audits, some of them at a time."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from dpaudit.apart import Apart, Begun, Stopped, apart, next_stage, one_line
from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Progress, interrupted_after
from dpaudit.outcome import Outcome, Status
from dpaudit.report.audited import in_words
from dpaudit.spared import spared
from dpaudit.turns import Turns

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

    def paused(self, index: int) -> None:
        """Hear that an audit waits for its next tier."""

    def ended(
        self, index: int, name: str, said: str, seconds: float, *, unexpected: bool = False
    ) -> None:
        """Hear that an audit ended, with what, and whether that was to be expected."""


def run_all(
    audits: Sequence[CollectedAudit],
    *,
    jobs: int,
    options: Mapping[str, Any],
    watch: Watch,
    defaults: Mapping[str, Any] | None = None,
    keep: Callable[[Outcome], None] | None = None,
    own: Callable[[CollectedAudit], Mapping[str, Any]] | None = None,
    until: float | None = None,
    first: Collection[str] = (),
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
    until : float or None
        Time of `time.monotonic` at which the run ends. The audits then have turns, a tier of calls
        each; see `dpaudit.turns.Turns`.
    first : collection of str
        Names of audits whose turns come before those of others.

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
        tier = {} if outcome.unfinished is None else {"tier": outcome.unfinished[0] or None}
        told = replace(outcome, options={**options, **tier})
        failures: list[str] = []
        if keep is not None:
            spared("its entry in the store", partial(keep, told), failures, None)
        return replace(told, not_made=(*told.not_made, *failures))

    stop = threading.Event()
    with apart(at_a_time, watch.progress) as processes:
        turns = Turns(audits, until, first)
        work = _Work(turns, each, watch, stop, processes, ended)
        futures = [pool.submit(work.in_turns, slot) for slot in range(at_a_time)]
        try:
            _wait(futures)
        except KeyboardInterrupt:
            stop.set()
            if processes is not None:
                processes.stop()
            _abandon(pool, futures)
        else:
            pool.shutdown()
    for future in futures:
        if future.done() and not future.cancelled():
            future.result()
    return [
        work.outcomes.get(index, Outcome(collected, interrupted=True))
        for index, collected in enumerate(audits)
    ]


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


@dataclass(slots=True, eq=False)
class _Work:
    """The audits of a run, as threads take turns at them."""

    turns: Turns
    options: Sequence[Mapping[str, Any]]
    watch: Watch
    stop: threading.Event
    processes: Apart | None
    ended: Callable[[Outcome], Outcome]
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    _begun: Begun = field(default_factory=dict)
    _last: dict[int, Progress] = field(default_factory=dict)
    _seconds: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    def in_turns(self, slot: int) -> None:
        """Run what is next, until all audits have ended."""
        while (index := self.turns.take(slot)) is not None and not self.stop.is_set():
            if not self.turns.has_time(index):
                self._end(index, self._cut(index))
                continue
            self.watch.started(index, self.turns.audits[index].name)
            start = time.perf_counter()
            outcome = self._run(slot, index)
            self._seconds[index] += time.perf_counter() - start
            if outcome is None:
                self.watch.paused(index)
            else:
                self._end(index, outcome)

    def _run(self, slot: int, index: int) -> Outcome | None:
        """Run an audit up to its next pause; return its outcome where it does not go on."""
        collected = self.turns.audits[index]
        given = index, collected.audit, self.options[index]

        def heard(progress: Progress) -> None:
            self._last[index] = progress
            if self.stop.is_set():
                raise Stopped
            self.watch.progress(index, progress)

        try:
            if self.processes is None:
                stage = next_stage(self._begun, *given, heard, self.turns.until)
            else:
                stage = self.processes.run(slot, *given, self.turns.until)
        except (Stopped, KeyboardInterrupt):
            return Outcome(collected, error=_made(self._last.get(index)), interrupted=True)
        except (Exception, SystemExit) as error:
            return Outcome(collected, error=one_line(error))
        if stage is None:
            return self._cut(index)
        if stage.more is None:
            return Outcome(collected, stage.report)
        self.turns.give_back(index, slot, stage)
        return None

    def _cut(self, index: int) -> Outcome:
        """Return what is known of an audit for whose next tier there is no time."""
        collected, stage = self.turns.audits[index], self.turns.stages.get(index)
        if stage is None:
            return Outcome(collected, error="the time of --total was over before it began")
        unfinished = stage.tier, stage.tiers
        return Outcome(collected, _noted(stage.report, *unfinished), unfinished=unfinished)

    def _end(self, index: int, outcome: Outcome) -> None:
        name = self.turns.audits[index].name
        outcome = self.ended(outcome)
        said = outcome.status.name if outcome.report is None else str(outcome.report.verdict)
        unexpected = outcome.report is not None and outcome.status is not Status.OK
        if unexpected:
            said += f", expected {in_words(outcome.collected.audit.expect)}"
        seconds = self._seconds[index]
        end = partial(self.watch.ended, index, name, said, seconds, unexpected=unexpected)
        failures: list[str] = []
        spared("its end in the display of progress", end, failures, None)
        self.outcomes[index] = replace(outcome, not_made=(*outcome.not_made, *failures))


def _made(last: Progress | None) -> str:
    """Return how far an audit came before it was interrupted, empty where nobody knows."""
    return "" if last is None else interrupted_after(last)


def _noted(report: Report, tier: int, tiers: int) -> Report:
    """Return the report of an audit that stopped, with what repeats it and what goes on."""
    *before, last = report.evidence
    if tier:
        said = f"after tier {tier} of {tiers} of calls; tier={tier} repeats it on any machine"
    else:
        said = "within its first tier of calls"
    said = f"the time of --total ended the audit {said}; a longer --total continues it"
    return replace(report, evidence=(*before, replace(last, notes=(*last.notes, said))))


def _wait(futures: Sequence[Future[None]]) -> None:
    """Wait for all, in short steps, so that Ctrl-C is heard at once."""
    while wait(futures, timeout=_POLL).not_done:
        pass


def _abandon(pool: ThreadPoolExecutor, futures: Sequence[Future[None]]) -> None:
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
