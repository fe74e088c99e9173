"""Says how far audits are: bars on a terminal, lines elsewhere."""

from __future__ import annotations

import importlib.util
import math
import sys
import threading
from dataclasses import dataclass
from time import monotonic  # while a mechanism runs, the module's stands still
from typing import TYPE_CHECKING, Self, TextIO

from dpaudit.report.escape import plain
from dpaudit.report.numbers import duration, upper
from dpaudit.report.table import console_for

if TYPE_CHECKING:
    from rich.progress import TaskID

    from dpaudit.evidence import Progress


LINE_EVERY = 30.0  # seconds
BAR_AFTER = 2.0  # seconds
_REMINDED = 5.0  # seconds between two looks for audits of which a line is due


class Bars:
    """One bar a running audit: calls so far, evidence so far, time left."""

    def __init__(self, total: int, file: TextIO) -> None:
        from rich import progress as rich

        self._bars = rich.Progress(
            rich.TextColumn("{task.description}"),
            rich.BarColumn(bar_width=20),
            rich.TextColumn("{task.fields[calls]}"),
            rich.TextColumn("{task.fields[evidence]}"),
            rich.TextColumn("{task.fields[left]}"),
            console=console_for(file),
            transient=True,
        )
        self._all = self._bars.add_task("audits", total=total, calls="", evidence="", left="")
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
                _markless(name), total=None, calls="", evidence="", left=""
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
            calls=f"{progress.calls:,} calls, pair {progress.pair}",
            evidence=f"{_evidence(progress)}{_caught(progress)}",
            left=_left(progress),
        )

    def paused(self, index: int) -> None:
        """Take a bar away until its audit goes on."""
        with self._lock:
            task = self._tasks.pop(index, None)
            if task is not None:
                self._bars.remove_task(task)

    def ended(
        self, index: int, name: str, said: str, seconds: float, *, unexpected: bool = False
    ) -> None:
        """Take a bar away, and say at once what was not to be expected."""
        self.paused(index)
        self._bars.advance(self._all)
        if unexpected:
            line = f"{_markless(name)}: {_markless(said)} ({duration(seconds)})"
            self._bars.console.print(line, style="bold red", highlight=False)


class Lines:
    """One line when an audit has ended, and every half minute while it runs."""

    def __init__(self, total: int, file: TextIO) -> None:
        self._total = total
        self._file = file
        self._ended = 0
        self._running: dict[int, _Running] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._remind, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._file.flush()

    def started(self, index: int, name: str) -> None:
        """Keep the name and the time."""
        with self._lock:
            now = monotonic()
            self._running[index] = _Running(name, now, now)

    def progress(self, index: int, progress: Progress) -> None:
        """Print a line where the last one is half a minute old."""
        with self._lock:
            audit = self._running.get(index)
            if audit is not None:
                audit.last = progress
                self._print(audit)

    def paused(self, index: int) -> None:
        """Say nothing of an audit until it goes on."""
        with self._lock:
            self._running.pop(index, None)

    def ended(
        self, index: int, name: str, said: str, seconds: float, *, unexpected: bool = False
    ) -> None:
        """Print the line."""
        self.paused(index)
        with self._lock:
            self._ended += 1
            line = f"[{self._ended}/{self._total}] {plain(name)}: {plain(said)}"
            print(f"{line} ({duration(seconds)})", file=self._file, flush=True)

    def remind(self) -> None:
        """Print a line of each audit of which the last one is half a minute old."""
        with self._lock:
            for audit in self._running.values():
                self._print(audit)

    def _remind(self) -> None:
        while not self._over.wait(_REMINDED):
            self.remind()

    def _print(self, audit: _Running) -> None:
        now = monotonic()
        if now < audit.said + LINE_EVERY:
            return
        audit.said = now
        told = moment(audit.last) if audit.last is not None else _unsampled(now - audit.began)
        print(f"{plain(audit.name)}: {told}", file=self._file, flush=True)


@dataclass(slots=True)
class _Running:
    """An audit that runs, when it began, when its last line was, and how far it is."""

    name: str
    began: float
    said: float
    last: Progress | None = None


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


class Single:
    """Shows how one audit goes that a program made: a bar after two seconds, lines elsewhere.

    Parameters
    ----------
    name : str
        Of the mechanism.
    file : text file
        Where it is shown, as a bar where that is a terminal or in a notebook.
    """

    def __init__(self, name: str, file: TextIO) -> None:
        self._name, self._file = name, file
        self._display: Bars | Lines | None = None
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        if self._file.isatty() or _in_notebook():
            self._timer = threading.Timer(BAR_AFTER, self._show)
            self._timer.daemon = True
            self._timer.start()
        else:
            self._display = Lines(1, self._file).__enter__()
            self._display.started(0, self._name)
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            if self._display is not None:
                self._display.__exit__()
            self._display, self._timer = None, None

    def __call__(self, progress: Progress) -> None:
        """Show a moment of the audit."""
        with self._lock:
            if self._display is not None:
                self._display.progress(0, progress)

    def _show(self) -> None:
        with self._lock:
            if self._timer is not None:  # not over
                self._display = Bars(1, self._file).__enter__()
                self._display.started(0, self._name)


def moment(progress: Progress) -> str:
    """Return a line: calls, evidence, what would be caught now, and the time that is left."""
    calls = f"{progress.calls:,} of {progress.max_calls:,} calls, now on pair {progress.pair}"
    return f"{calls}; {_evidence(progress)}{_caught(progress)}; {_left(progress)}"


def _unsampled(seconds: float) -> str:
    """Return a line for the time before calls are counted."""
    return f"no call is counted after {duration(seconds)}; proofs and traces come first"


def _caught(progress: Progress) -> str:
    size = progress.detectable_epsilon
    return "" if math.isinf(size) else f", would detect epsilon {upper(size)}"


def _evidence(progress: Progress) -> str:
    found = (
        f"evidence {progress.log_e_value:.1f}" if progress.log_e_value > 0 else "no evidence yet"
    )
    return f"{found} (refutes at {progress.target:.1f})"


def _left(progress: Progress) -> str:
    return f"at most {duration(progress.seconds_left)} left"


def _in_notebook() -> bool:
    """Whether a notebook can show a bar, for which it needs ipywidgets."""
    shell = sys.modules.get("IPython")
    if shell is None or importlib.util.find_spec("ipywidgets") is None:
        return False
    return type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _markless(name: str) -> str:
    from rich.markup import escape

    return escape(plain(name, 60))
