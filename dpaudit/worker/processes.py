"""Runs tasks in worker processes with limits on time and memory."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from dpaudit.outputs import Columns
from dpaudit.subject import Subject
from dpaudit.worker.contexts import environment, worker_context
from dpaudit.worker.deadline import STOPPED, at_most, in_time, now
from dpaudit.worker.fresh import fresh_outputs
from dpaudit.worker.leaving import SILENT
from dpaudit.worker.parcel import pack, pack_value
from dpaudit.worker.reads import log_of_process
from dpaudit.worker.remote import prepare, read_replay, remote_draw, remote_replay, remote_trial
from dpaudit.worker.replayed import Replayed, Tape
from dpaudit.worker.tasks import Acquaintance, Draws, Task, Traits, WorkerError

GIBIBYTE = 2**30
_NO_RESULT = "look for a mechanism that patches pickle or writes to files it did not open"


class ProcessRunner:
    """Runs tasks in processes of its own, as many at a time as there are workers.

    Parameters
    ----------
    subject : Subject
    workers : int
    timeout : float or None
        Seconds that one task may take before its worker is killed.
    memory : int or None
        Bytes of data that a worker may hold.

    Raises
    ------
    WorkerError
        Of kind ``"not-picklable"`` where the mechanism cannot be sent to a process.

    Notes
    -----
    Workers see one BLAS thread, a fixed hash seed, no terminal and no interrupts. After a
    failure the runner can be used again: a new worker takes the place of the dead one.
    """

    def __init__(
        self,
        subject: Subject,
        workers: int = 1,
        timeout: float | None = 300.0,
        memory: int | None = 4 * GIBIBYTE,
    ) -> None:
        _validate(workers, timeout, memory)
        from pebble import ProcessPool

        parcel = pack(subject)
        self._whole = parcel
        self._parcel = parcel.reference()
        self._timeout = timeout
        self._memory = memory
        self.known = Acquaintance()
        self._pool: Any = ProcessPool(
            max_workers=workers,
            initializer=prepare,
            initargs=(parcel, memory, log_of_process()),
            context=worker_context(),
        )

    def run(self, tasks: Sequence[Task]) -> list[Draws]:
        """Return the draws of the tasks, in their order.

        Raises
        ------
        WorkerError
            At the first task that fails; the others are given up.
        """
        try:
            return self.known.run(tasks, self._try_out, self._draw_many)
        except WorkerError:
            raise
        except BaseException:  # Ctrl-C: leave nothing behind
            self.close()
            raise

    def _try_out(self, task: Task) -> Traits:
        content = pack_value(task, "the dataset")
        with environment():
            traits = self._result(self._submit(remote_trial, content))
        if not isinstance(traits, Traits):
            raise WorkerError("died", f"the worker sent what is no result; {_NO_RESULT}")
        return traits

    def _draw_many(self, tasks: Sequence[Task], traits: Traits) -> list[tuple[Draws, Traits]]:
        contents = [pack_value(task, "the dataset") for task in tasks]
        futures = [self._submit(remote_draw, content, traits) for content in contents]
        try:
            return [
                _checked(self._result(future), task)
                for future, task in zip(futures, tasks, strict=True)
            ]
        except WorkerError:
            for future in futures:
                future.cancel()
            raise

    def replay(self, data: Any, tape: Tape, seconds: float) -> Replayed:
        """Run the mechanism once with a tape in place of noise."""
        content = pack_value((data, tape), "the dataset")
        in_time(self.known.until)
        limit = seconds if self._timeout is None else min(seconds, self._timeout)
        with environment():
            future = self._submit(remote_replay, content, timeout=limit)
            return read_replay(self._result(future))

    def _submit(self, function: Any, *arguments: Any, timeout: float | None = None) -> Any:
        limit = at_most(timeout or self._timeout, self.known.until)
        return self._pool.schedule(function, args=(self._parcel, *arguments), timeout=limit)

    def _result(self, future: Any) -> Any:
        from pebble import ProcessExpired

        try:
            result = future.result()
        except FutureTimeout:
            if self._is_late():
                raise WorkerError("late", STOPPED) from None
            raise WorkerError(
                "timeout",
                f"the mechanism took more than {self._timeout:g} seconds for one batch of calls "
                "and was stopped; look for an endless loop, or raise the time limit",
            ) from None
        except ProcessExpired as error:
            raise WorkerError("died", _epitaph(error.exitcode)) from None
        except Exception as error:  # the pool gave up, or what came is not what it sends
            said = f"the worker sent what is no result: {type(error).__name__}"
            raise WorkerError("died", f"{said}; {_NO_RESULT}") from None
        if isinstance(result, WorkerError):
            raise self._explained(result)
        return result

    def _explained(self, error: WorkerError) -> WorkerError:
        if error.kind == "died":
            return WorkerError("died", _with_remedy(error.message))
        if error.kind != "memory" or self._memory is None:
            return error
        return WorkerError(
            "memory",
            f"the mechanism needed more than {self._memory / GIBIBYTE:.3g} GiB of memory and was "
            "stopped; return smaller outputs, or raise the memory limit",
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
        try:
            return fresh_outputs(
                self._whole,
                histories,
                then,
                keys,
                timeout=at_most(self._timeout, self.known.until),
                memory=self._memory,
                chained=chained,
                until=self.known.until,
            )
        except WorkerError as error:
            if error.kind == "timeout" and self._is_late():
                raise WorkerError("late", STOPPED) from None
            raise self._explained(error) from None

    def _is_late(self) -> bool:
        return self.known.until is not None and now() >= self.known.until

    def ask(self, function: Any, content: bytes) -> Any:
        """Return what a function of the mechanism's parcel and some content gives in a worker.

        Parameters
        ----------
        function : callable
            ``(parcel, bytes)``, importable in the worker; returns a `WorkerError` as a value.
        content : bytes

        Raises
        ------
        WorkerError
            Where it could not be completed.
        """
        with environment():
            return self._result(self._submit(function, content))

    def close(self) -> None:
        """Stop all workers."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()
            self._pool = None


def _checked(result: Any, task: Task) -> tuple[Draws, Traits]:
    """Return the answer to a task, if it is one."""
    draws, traits = result if isinstance(result, tuple) and len(result) == 2 else (None, None)
    if isinstance(draws, Draws) and isinstance(traits, Traits):
        sides = [draws.outputs] if task.mode == "label" else [draws.left, draws.right]
        sized = all(isinstance(each, Columns) and each.size == task.size for each in sides)
        if sized and (draws.mode, draws.size) == (task.mode, task.size):
            return draws, traits
    raise WorkerError("died", f"the worker sent what is no result; {_NO_RESULT}")


def _epitaph(code: int | None) -> str:
    import signal

    how = f"exit code {0 if code == SILENT else code}"
    if code is not None and code < 0:
        how = f"signal {-code}"
        if -code in [each.value for each in signal.Signals]:
            how += f" ({signal.Signals(-code).name})"
    return _with_remedy(f"the worker process died ({how}) while it ran the mechanism")


def _with_remedy(fact: str) -> str:
    remedy = "look for os._exit, a crash in native code, or a system out of memory"
    return fact if remedy in fact else f"{fact}; {remedy}"


def _validate(workers: int, timeout: float | None, memory: int | None) -> None:
    if workers < 1:
        raise ValueError(f"`workers` must be at least 1, got {workers}; one is the default")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"`timeout` must be positive, got {timeout}; None means no limit")
    if memory is not None and memory < GIBIBYTE // 4:
        raise ValueError(
            f"`memory` must be at least {GIBIBYTE // 4} bytes, got {memory}; "
            "Python and NumPy alone need that much, None means no limit"
        )
