"""Runs tasks on any executor: threads, processes, a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from dpaudit.outputs import Columns
from dpaudit.subject import Subject
from dpaudit.worker.deadline import in_time
from dpaudit.worker.fresh import fresh_outputs
from dpaudit.worker.parcel import pack, pack_value
from dpaudit.worker.remote import read_replay, remote_draw, remote_replay, remote_trial
from dpaudit.worker.replayed import Replayed, Tape
from dpaudit.worker.tasks import Acquaintance, Draws, Task, Traits, WorkerError


class ExecutorRunner:
    """Runs tasks on an executor that somebody else owns.

    Parameters
    ----------
    subject : Subject
    executor : concurrent.futures.Executor
        A thread or process pool, or what dask's ``Client.get_executor()`` returns. dpaudit must
        be importable where it runs.
    timeout : float or None
        Seconds to wait for one task. The executor alone could stop what takes longer.

    Notes
    -----
    Threads of one process take turns: a task changes the state of its process, such as the
    global random state and ``sys.stdout``.
    """

    def __init__(self, subject: Subject, executor: Executor, timeout: float | None = None) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(
                f"`executor` must be a concurrent.futures.Executor, got "
                f"{type(executor).__name__}; for dask pass client.get_executor()"
            )
        self._executor = executor
        self._timeout = timeout
        self._parcel = pack(subject)
        self.known = Acquaintance()

    def run(self, tasks: Sequence[Task]) -> list[Draws]:
        """Return the draws of the tasks, in their order.

        Raises
        ------
        WorkerError
            At the first task that fails; the others are given up.
        """
        return self.known.run(tasks, self._try_out, self._draw_many)

    def fresh(
        self,
        histories: Sequence[Sequence[Any]],
        then: Any,
        keys: Sequence[tuple[int, ...]],
        *,
        chained: bool = False,
    ) -> Columns:
        """Return outputs of fresh processes; of this machine, as executors reuse theirs."""
        return fresh_outputs(
            self._parcel,
            histories,
            then,
            keys,
            timeout=self._timeout,
            chained=chained,
            until=self.known.until,
        )

    def replay(self, data: Any, tape: Tape, seconds: float) -> Replayed:
        """Run the mechanism once with a tape in place of noise."""
        in_time(self.known.until)
        content = pack_value((data, tape), "the dataset")
        return read_replay(self._result(self._submit(remote_replay, content), seconds))

    def _try_out(self, task: Task) -> Traits:
        content = pack_value(task, "the dataset")
        traits = self._result(self._submit(remote_trial, content))
        assert isinstance(traits, Traits)
        return traits

    def _draw_many(self, tasks: Sequence[Task], traits: Traits) -> list[tuple[Draws, Traits]]:
        contents = [pack_value(task, "the dataset") for task in tasks]
        futures = [self._submit(remote_draw, content, traits) for content in contents]
        try:
            return [self._result(future) for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def _submit(self, function: Any, *arguments: Any) -> Future[Any]:
        try:
            return self._executor.submit(function, self._parcel, *arguments)
        except Exception as error:
            raise _broken(error) from error

    def _result(self, future: Future[Any], seconds: float | None = None) -> Any:
        limit = self._timeout if seconds is None else seconds
        try:
            result = future.result(timeout=limit)
        except FutureTimeout:
            raise WorkerError(
                "timeout",
                f"a batch of calls took more than {limit:g} seconds; "
                "look for an endless loop, or raise the time limit",
            ) from None
        except Exception as error:
            raise _broken(error) from error
        if isinstance(result, WorkerError):
            raise result
        return result

    def close(self) -> None:
        """Leave the executor to its owner."""


def _broken(error: BaseException) -> WorkerError:
    return WorkerError(
        "died",
        f"the executor failed while it ran the mechanism: {type(error).__name__}: {error}; "
        "look for a worker that crashed, or cannot import dpaudit",
    )
