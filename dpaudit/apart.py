"""Runs whole audits in processes of their own; as threads, their engines would share one core."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

import cloudpickle

from dpaudit.declare import Audit
from dpaudit.evidence import Progress
from dpaudit.spared import spared
from dpaudit.staged import Limit, Stage
from dpaudit.subject import marks_of, put_marks
from dpaudit.worker.contexts import environment, worker_context
from dpaudit.worker.parcel import pack_value

_OFTEN = 0.2  # seconds between two messages of an audit
_MOMENT = 1.0  # seconds

_said: Any = None  # in a process that runs audits: where it tells how far they are
_stop: Any = None  # and whether they are to end

Begun = dict[int, tuple[Limit, Iterator[Stage]]]
_begun: Begun = {}  # the audits of such a process that are paused


class Stopped(BaseException):
    """Unwinds an audit from its progress callback; nobody's error."""


class FailedError(Exception):
    """What an audit raised, in a line: errors of a mechanism's own may not be picklable."""


class Apart:
    """Processes that run audits.

    Parameters
    ----------
    jobs : int
    heard : callable
        ``(index, progress)``; called from a thread.
    """

    def __init__(self, jobs: int, heard: Callable[[int, Progress], None]) -> None:
        context = worker_context()
        self._said = context.SimpleQueue()
        self._stop = context.Event()
        self._interrupted = threading.Event()
        self._heard = heard
        self._pools = [  # one a slot: an audit that pauses goes on in the process that holds it
            ProcessPoolExecutor(
                1, mp_context=context, initializer=_prepare, initargs=(self._said, self._stop)
            )
            for _ in range(jobs)
        ]
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def run(
        self,
        slot: int,
        index: int,
        audit: Audit,
        options: Mapping[str, Any],
        until: float | None = None,
    ) -> Stage | None:
        """Run an audit in the process of a slot, and wait for it; see `next_stage`.

        Raises
        ------
        WorkerError
            Of kind ``"not-picklable"`` where the audit cannot be sent.
        Stopped
            Where `stop` came first, or a moment after the processes died.
        FailedError
            Where the audit raised.
        """
        module = getattr(audit.mechanism, "__module__", "") or ""
        # A function travels as its name, without the marks that an audit file put on it.
        marked = audit, marks_of(audit.mechanism)
        content = pack_value(marked, f"audit of {audit.mechanism_name}", module)
        try:
            with environment():
                future = self._pools[slot].submit(_run, index, content, dict(options), until)
            answer = future.result()
        except BrokenProcessPool:
            # Ctrl-C ends processes that are still starting, maybe before the parent hears of it.
            if self._interrupted.wait(_MOMENT):
                raise Stopped from None
            raise
        if answer is None:
            raise Stopped
        return cloudpickle.loads(answer)  # type: ignore[no-any-return]

    def stop(self) -> None:
        """Let running audits end after their batch."""
        self._interrupted.set()
        self._stop.set()

    def close(self, *, wait: bool) -> None:
        """End the processes."""
        for pool in self._pools:
            pool.shutdown(wait=wait, cancel_futures=True)
        if wait:  # a process that was killed may hold the queue for good
            self._said.put(None)
            self._listener.join(timeout=1.0)

    def _listen(self) -> None:
        for index, progress in iter(self._said.get, None):
            with contextlib.suppress(Exception):  # a late message; unread ones would block audits
                self._heard(index, progress)


def next_stage(
    begun: Begun,
    index: int,
    audit: Audit,
    options: Mapping[str, Any],
    heard: Callable[[Progress], None],
    until: float | None,
) -> Stage | None:
    """Run an audit up to its next pause, or to its end where no time is shared.

    Parameters
    ----------
    begun : dict
        The audits of this process that are paused.
    index : int
        Of the audit.
    audit : Audit
    options : mapping
        Of `Audit.run`.
    heard : callable
        Hears of the progress.
    until : float or None
        Time of `time.monotonic` that all audits share.

    Returns
    -------
    Stage or None
        None where the time ended the tier: the stage before is the last.
    """
    if until is None:
        return Stage(audit.run(progress=heard, **options), 0, 0, None)
    if index not in begun:
        limit = Limit()
        begun[index] = limit, audit.stages(limit, progress=heard, **options)
    limit, made = begun[index]
    limit.until = until
    stage = next(made, None)
    if stage is None or stage.more is None:
        del begun[index]
    return stage


def one_line(error: BaseException) -> str:
    """Write an error as one line.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str
        With the name of its type, unless dpaudit raised it: its own errors are sentences.
    """
    kind = type(error)
    said = " ".join(str(error).split())
    if said and kind.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return said
    return f"{kind.__name__}: {said}" if said else kind.__name__


@contextlib.contextmanager
def apart(jobs: int, heard: Callable[[int, Progress], None]) -> Iterator[Apart | None]:
    """Provide processes for audits where more than one is to run at a time."""
    if jobs == 1:
        yield None
        return
    processes = Apart(jobs, heard)
    try:
        yield processes
    except BaseException:
        processes.close(wait=False)
        raise
    processes.close(wait=True)


def _prepare(said: Any, stop: Any) -> None:
    global _said, _stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it and says when to stop
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _said, _stop = said, stop


def _run(index: int, content: bytes, options: dict[str, Any], until: float | None) -> bytes | None:
    last = 0.0

    def heard(progress: Progress) -> None:
        nonlocal last
        if _stop.is_set():
            raise Stopped
        if time.monotonic() - last >= _OFTEN:
            last = time.monotonic()
            _said.put((index, progress))

    try:
        audit, marks = cloudpickle.loads(content)
        put_marks(audit.mechanism, marks)
        stage = next_stage(_begun, index, audit, options, heard, until)
    except Stopped:
        return None
    except (Exception, SystemExit) as error:
        raise FailedError(one_line(error)) from None
    return _packed(stage)


def _packed(stage: Stage | None) -> bytes:
    """Return a stage as bytes, without what cannot be sent: the verdict goes in any case."""
    failures: list[str] = []
    whole = spared("a copy of the whole report", lambda: cloudpickle.dumps(stage), failures, b"")
    if whole or stage is None:
        return bytes(whole)
    report = stage.report
    parts = [
        replace(
            each,
            witness=None,
            certificate=None,
            suspects=(),
            findings=tuple(replace(finding, pair=None) for finding in each.findings),
        )
        for each in report.evidence
    ]
    parts[-1] = replace(parts[-1], notes=(*parts[-1].notes, *failures))
    report = replace(report, evidence=tuple(parts))
    return bytes(cloudpickle.dumps(replace(stage, report=report)))
