"""Runs tasks here and now, in the process that asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dpaudit.outputs import Columns
from dpaudit.subject import Subject
from dpaudit.worker.draw import draw
from dpaudit.worker.fresh import fresh_outputs
from dpaudit.worker.parcel import Parcel, pack
from dpaudit.worker.replayed import Replayed, Tape, replayed
from dpaudit.worker.tasks import Draws, Task, Traits, WorkerError
from dpaudit.worker.trial import trial

DrawMany = Callable[[Sequence[Task], Traits], list[tuple[Draws, Traits]]]


class Acquaintance:
    """Remembers from run to run how a mechanism has to be called.

    The first run begins with a trial. What a task shows later is used from the next run on, so
    that results never depend on which worker was first.
    """

    def __init__(self) -> None:
        self._traits: Traits | None = None

    def run(
        self,
        tasks: Sequence[Task],
        try_out: Callable[[Task], Traits],
        draw_many: DrawMany,
    ) -> list[Draws]:
        """Return the draws of the tasks, those of the trial counted with the first."""
        if not tasks:
            return []
        extra = 0
        if self._traits is None:
            self._traits = try_out(tasks[0])
            extra = self._traits.calls
        results = draw_many(tasks, self._traits)
        for _, seen in results:
            self._traits = self._traits.merged(seen)
        draws = [each for each, _ in results]
        draws[0] = replace(draws[0], calls=draws[0].calls + extra)
        return draws


class InPlace:
    """Runs tasks one after the other in this process.

    Parameters
    ----------
    subject : Subject
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._known = Acquaintance()
        # Packed before the first call: what a mechanism remembers later stays out.
        self._unused: Parcel | WorkerError
        try:
            self._unused = pack(subject)
        except WorkerError as error:
            self._unused = error

    def run(self, tasks: Sequence[Task]) -> list[Draws]:
        """Return the draws of the tasks, in their order."""
        return self._known.run(
            tasks,
            lambda task: trial(self._subject, task),
            lambda tasks, traits: [draw(self._subject, task, traits) for task in tasks],
        )

    def fresh(
        self, histories: Sequence[Sequence[Any]], then: Any, keys: Sequence[tuple[int, ...]]
    ) -> Columns:
        """Return outputs on `then` of processes that saw one history each, and nothing else."""
        if isinstance(self._unused, WorkerError):
            raise self._unused
        return fresh_outputs(self._unused, histories, then, keys)

    def replay(self, data: Any, tape: Tape, seconds: float) -> Replayed:
        """Run the mechanism once with a tape in place of noise."""
        return replayed(self._subject, data, tape)

    def close(self) -> None:
        """Nothing to give up."""
