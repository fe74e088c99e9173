"""Says how far audits are: bars on a terminal, a line an audit elsewhere."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self, TextIO

from dpaudit.report.escape import plain
from dpaudit.report.numbers import duration
from dpaudit.report.table import console_for

if TYPE_CHECKING:
    from rich.progress import TaskID

    from dpaudit.evidence import Progress


class Bars:
    """One bar a running audit: calls so far, evidence so far, time left."""

    def __init__(self, total: int, file: TextIO) -> None:
        from rich import progress as rich

        self._bars = rich.Progress(
            rich.TextColumn("{task.description}"),
            rich.BarColumn(bar_width=20),
            rich.TextColumn("{task.fields[calls]}"),
            rich.TextColumn("{task.fields[evidence]}"),
            rich.TimeRemainingColumn(),
            console=console_for(file),
            transient=True,
        )
        self._all = self._bars.add_task("audits", total=total, calls="", evidence="")
        self._tasks: dict[int, TaskID] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def started(self, index: int, name: str) -> None:
        """Add a bar."""
        with self._lock:
            self._tasks[index] = self._bars.add_task(
                _markless(name), total=None, calls="", evidence=""
            )

    def progress(self, index: int, progress: Progress) -> None:
        """Move a bar."""
        with self._lock:
            task = self._tasks.get(index)
        if task is None:  # it has ended
            return
        self._bars.update(
            task,
            completed=progress.calls,
            total=progress.max_calls,
            calls=f"{progress.calls:,} calls",
            evidence=f"{progress.log_e_value:.1f} of {progress.target:.1f} nats",
        )

    def ended(self, index: int, name: str, said: str, seconds: float) -> None:
        """Take a bar away."""
        with self._lock:
            task = self._tasks.pop(index, None)
            if task is not None:
                self._bars.remove_task(task)
            self._bars.advance(self._all)


class Lines:
    """One line when an audit has ended."""

    def __init__(self, total: int, file: TextIO) -> None:
        self._total = total
        self._file = file
        self._ended = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.flush()

    def started(self, index: int, name: str) -> None:
        """Say nothing."""

    def progress(self, index: int, progress: Progress) -> None:
        """Say nothing."""

    def ended(self, index: int, name: str, said: str, seconds: float) -> None:
        """Print the line."""
        with self._lock:
            self._ended += 1
            line = f"[{self._ended}/{self._total}] {plain(name)}: {plain(said)}"
            print(f"{line} ({duration(seconds)})", file=self._file, flush=True)


def progress_for(total: int, file: TextIO) -> Bars | Lines:
    """Return bars for a terminal and lines for anything else.

    Parameters
    ----------
    total : int
        How many audits there are.
    file : text file

    Returns
    -------
    Bars or Lines
    """
    return Bars(total, file) if file.isatty() else Lines(total, file)


def _markless(name: str) -> str:
    from rich.markup import escape

    return escape(plain(name, 60))
