"""Runs tasks here and now, in the process that asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpaudit.outputs import Columns
from dpaudit.subject import Subject
from dpaudit.worker.deadline import in_time
from dpaudit.worker.draw import draw
from dpaudit.worker.fresh import fresh_outputs
from dpaudit.worker.parcel import Parcel, pack
from dpaudit.worker.replayed import Replayed, Tape, replayed
from dpaudit.worker.tasks import Acquaintance, Draws, Task, WorkerError
from dpaudit.worker.trial import trial


class InPlace:
    """Runs tasks one after the other in this process.

    Parameters
    ----------
    subject : Subject
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self.known = Acquaintance()
        # Packed before the first call: what a mechanism remembers later stays out.
        self._unused: Parcel | WorkerError
        try:
            self._unused = pack(subject)
        except WorkerError as error:
            self._unused = error

    def run(self, tasks: Sequence[Task]) -> list[Draws]:
        """Return the draws of the tasks, in their order."""
        return self.known.run(
            tasks,
            lambda task: trial(self._subject, task),
            lambda tasks, traits: [draw(self._subject, task, traits) for task in tasks],
        )

    def fresh(
        self,
        histories: Sequence[Sequence[Any]],
        then: Any,
        keys: Sequence[tuple[int, ...]],
        *,
        chained: bool = False,
    ) -> Columns:
        """Return outputs on `then` of processes that saw one history each, and nothing else."""
        if isinstance(self._unused, WorkerError):
            raise self._unused
        return fresh_outputs(
            self._unused, histories, then, keys, chained=chained, until=self.known.until
        )

    def replay(self, data: Any, tape: Tape, seconds: float) -> Replayed:
        """Run the mechanism once with a tape in place of noise."""
        in_time(self.known.until)
        return replayed(self._subject, data, tape)

    def close(self) -> None:
        """Nothing to give up."""
