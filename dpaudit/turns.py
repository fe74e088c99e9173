"""Which audit has the next turn, where all of a run share one time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Verdict
from dpaudit.staged import Stage


@dataclass(slots=True, eq=False)
class Turns:
    """The audits of a run that have not ended, in the order of what their next tier may gain.

    Those that changed, or were not as expected the last time, begin before others. Without a limit
    each audit has one turn, in which it runs to its end. With a limit the first tier of all audits
    comes first. A later tier of one that is undecided, or that began before others, comes before
    those of others, and a tier after a proof last. Of equal ones the shortest comes first.

    Parameters
    ----------
    audits : sequence of CollectedAudit
    until : float or None
        Time of `time.monotonic` at which the run ends.
    first : collection of str
        Names of audits that begin before others.
    """

    audits: Sequence[CollectedAudit]
    until: float | None = None
    first: Collection[str] = ()
    stages: dict[int, Stage] = field(default_factory=dict)  # the last of each audit
    _waiting: dict[int, int | None] = field(init=False)  # the slot that each is bound to
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._waiting = dict.fromkeys(range(len(self.audits)))

    def take(self, slot: int) -> int | None:
        """Return the number of the audit whose turn is next, None where none is left.

        Parameters
        ----------
        slot : int
            Where it will run: an audit that has begun goes on where it began.
        """
        with self._lock:
            here = [index for index, place in self._waiting.items() if place in (None, slot)]
            first = min(here, key=self._order, default=None)
            if first is not None:
                del self._waiting[first]
            return first

    def give_back(self, index: int, slot: int, stage: Stage) -> None:
        """Let an audit wait for its next tier."""
        with self._lock:
            self.stages[index] = stage
            self._waiting[index] = slot

    def has_time(self, index: int) -> bool:
        """Whether the next tier of an audit ends in time, at the pace of those before."""
        if self.until is None:
            return True
        stage, left = self.stages.get(index), self.until - time.monotonic()
        return left > 0 and (stage is None or (stage.more or 0.0) <= left)

    def _order(self, index: int) -> tuple[bool, int, float]:
        stage, collected = self.stages.get(index), self.audits[index]
        early = collected.name in self.first
        if stage is None:
            return False, not early, index
        if stage.report.verdict is Verdict.VERIFIED:
            rank = 2
        else:
            rank = 0 if early or not collected.audit.met_by(stage.report) else 1
        return True, rank, math.inf if stage.more is None else stage.more
