"""What runs in a worker process; it imports as little as possible."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from dpaudit.outputs import Raised
from dpaudit.subject import Subject
from dpaudit.worker.draw import draw
from dpaudit.worker.leaving import no_silent_exit
from dpaudit.worker.parcel import Parcel, unpack
from dpaudit.worker.reads import record_to
from dpaudit.worker.received import read
from dpaudit.worker.replayed import Replayed, replayed
from dpaudit.worker.tasks import Draws, Task, Traits, WorkerError
from dpaudit.worker.trial import trial

_T = TypeVar("_T")
_KEPT = 8
_subjects: dict[str, Subject] = {}
_contents: dict[str, Parcel] = {}
_thread_limits: list[Any] = []


def prepare(parcel: Parcel | None, memory: int | None, log: str | None = None) -> None:
    """Set up a worker process: no terminal, no interrupts, limited memory.

    Parameters
    ----------
    parcel : Parcel, optional
        Kept, so that tasks need only refer to it.
    memory : int, optional
        Bytes of data that the process may hold.
    log : str, optional
        Where it writes down what is read; see `dpaudit.worker.reads`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    if log is not None:
        record_to(log)
    if memory is not None:
        _limit_memory(memory)
    if parcel is not None:
        _contents[parcel.digest] = parcel


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    # Address space counts much that is only reserved; where the kernel knows, limit data.
    for limit in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.getrlimit(limit)
            top = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
            resource.setrlimit(limit, (top, hard))
            return


def remote_trial(parcel: Parcel, task: bytes) -> Traits | WorkerError:
    """Try out the mechanism of a parcel."""
    return shielded(lambda: trial(subject_of(parcel), _task(task)))


def remote_draw(parcel: Parcel, task: bytes, traits: Traits) -> tuple[Draws, Traits] | WorkerError:
    """Carry out a pickled task on the mechanism of a parcel."""
    return shielded(lambda: draw(subject_of(parcel), _task(task), traits))


def remote_replay(parcel: Parcel, content: bytes) -> bytes | WorkerError:
    """Run the mechanism of a parcel with a pickled dataset and tape; return what it came to."""

    def act() -> bytes:
        data, tape = pickle.loads(content)
        return pickle.dumps(replayed(subject_of(parcel), data, tape))

    return shielded(act)


def read_replay(content: bytes) -> Replayed:
    """Return what a worker says that a run came to.

    Raises
    ------
    WorkerError
        Where the output cannot be read here.
    """
    try:
        found = read(content)
    except pickle.UnpicklingError as error:
        raise WorkerError("not-picklable", f"the output cannot be handed over: {error}") from None
    if not isinstance(found, Replayed):
        raise WorkerError("died", "the worker sent what is no result")
    return found


def _task(content: bytes) -> Task:
    task = pickle.loads(content)
    assert isinstance(task, Task)
    return task


def shielded(act: Callable[[], _T]) -> _T | WorkerError:
    """Return the error of a task as a value: nothing of the mechanism's own leaves the worker."""
    try:
        with no_silent_exit():
            return act()
    except WorkerError as error:
        return WorkerError(error.kind, error.message)
    except MemoryError:
        return WorkerError("memory", "the mechanism ran out of memory")
    except BaseException as error:
        return WorkerError("raised", f"the mechanism could not be run: {Raised(error)}")


def subject_of(parcel: Parcel) -> Subject:
    """Return the subject of a parcel, unpacked once a process."""
    known = _subjects.get(parcel.digest)
    if known is not None:
        return known
    try:
        subject = unpack(parcel if parcel.content else _contents[parcel.digest])
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise WorkerError(
            "not-picklable",
            f"the mechanism cannot be unpacked in the worker: {Raised(error)}; "
            "its modules must be importable there (install them, or extend PYTHONPATH)",
        ) from error
    while len(_subjects) >= _KEPT:
        del _subjects[next(iter(_subjects))]
    _subjects[parcel.digest] = subject
    if os.getpid() != parcel.sender:
        _limit_threads()
    return subject


def _limit_threads() -> None:
    from threadpoolctl import threadpool_limits

    _thread_limits[:] = [threadpool_limits(limits=1)]  # for libraries that came with the mechanism
