"""Asks what an earlier dataset leaves behind, in processes that have seen nothing else."""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from dpaudit.outputs import Columns, Raised, encode
from dpaudit.randomness import GlobalStates, SeededSource
from dpaudit.subject import Subject
from dpaudit.worker.contexts import environment, worker_context
from dpaudit.worker.datasets import duplicate
from dpaudit.worker.deadline import in_time
from dpaudit.worker.draw import CAUGHT, caught
from dpaudit.worker.owned import owned_generators, reseed
from dpaudit.worker.parcel import Parcel, pack, pack_value
from dpaudit.worker.quiet import Quiet
from dpaudit.worker.remote import prepare, subject_of
from dpaudit.worker.tasks import WorkerError

Job = tuple[Sequence[Any], Any, tuple[int, ...], float | None]


def fresh_outputs(
    subject: Subject | Parcel,
    histories: Sequence[Sequence[Any]],
    then: Any,
    keys: Sequence[tuple[int, ...]],
    *,
    timeout: float | None = 60.0,
    memory: int | None = None,
    chained: bool = False,
    until: float | None = None,
) -> Columns:
    """Call the mechanism on some datasets, then on another, each time in a fresh process.

    Parameters
    ----------
    subject : Subject or Parcel
        A parcel holds the subject as it was when it was packed.
    histories : sequence of sequences of datasets
        What the mechanism is called on before, in order; may be empty.
    then : object
        The dataset of the last call.
    keys : sequence of tuple of int
        A seed for each history.
    timeout : float or None
        Seconds that one history may take, its last call included.
    memory : int, optional
        Bytes of data that a process may hold.
    chained : bool
        Whether each history begins with the one before it. Where processes can be forked, one
        process then goes through all of them, and a fork of it makes each last call. A mechanism
        that starts threads, as JAX does, cannot be forked: each history then gets a process.
    until : float, optional
        Of `time.monotonic`: no call begins from then on, and the task fails.

    Returns
    -------
    Columns
        The output of the last call for each history.

    Raises
    ------
    WorkerError
        Where a process hangs, dies, or runs out of memory.

    Notes
    -----
    The last call is seeded by its key alone, whatever was called before, and so are generators
    that the mechanism keeps for itself. So a mechanism without memory gives the same output for
    the same key after any history; unless its randomness cannot be seeded.
    """
    if len(keys) != len(histories):
        raise ValueError(
            f"`keys` must be as many as the {len(histories)} histories, got {len(keys)}; "
            "pass one a history"
        )
    if not histories:
        return Columns(0)
    jobs = [(history, then, key, until) for history, key in zip(histories, keys, strict=True)]
    parcel = pack(subject) if isinstance(subject, Subject) else subject
    groups = [jobs] if hasattr(os, "fork") else [[job] for job in jobs]
    return Columns.concat(
        [columns for group in groups for columns in _ask(parcel, group, timeout, memory, chained)]
    )


def _ask(
    parcel: Parcel,
    jobs: Sequence[Job],
    timeout: float | None,
    memory: int | None,
    chained: bool,
) -> list[Columns]:
    content = pack_value((jobs, chained), "the datasets")
    try:
        return answers_of(_serve, (parcel, content, timeout, memory), len(jobs), timeout)
    except WorkerError as error:
        if error.kind != "threads":
            raise
    return [each for job in jobs for each in _ask(parcel, [job], timeout, memory, False)]


def answers_of(
    serve: Callable[..., None], given: tuple[Any, ...], number: int, timeout: float | None
) -> list[Columns]:
    """Return so many answers of a process of their own.

    Parameters
    ----------
    serve : callable
        What the process runs; it gets what is given and a connection that it answers through.
    given : tuple
    number : int
    timeout : float or None
        Seconds for each answer.

    Raises
    ------
    WorkerError
        Where an answer is one, or none comes.
    """
    context: Any = worker_context()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=serve, args=(*given, theirs), daemon=True)
    with environment():
        process.start()
    theirs.close()
    try:
        return [_receive(ours, timeout) for _ in range(number)]
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()


def _receive(connection: Connection, timeout: float | None) -> Columns:
    patience = None if timeout is None else timeout + 30.0
    try:
        answer = connection.recv() if connection.poll(patience) else None
    except (EOFError, OSError):
        answer = WorkerError("died", "the worker process died while it ran the mechanism")
    if answer is None:
        answer = WorkerError("timeout", f"the mechanism took more than {timeout:g} seconds")
    if isinstance(answer, WorkerError):
        raise answer
    if not isinstance(answer, Columns) or answer.size != 1:
        raise WorkerError("died", "the worker sent what is no result")
    return answer


def _serve(
    parcel: Parcel,
    content: bytes,
    timeout: float | None,
    memory: int | None,
    connection: Connection,
) -> None:
    prepare(None, memory)
    try:
        subject = subject_of(parcel)
        jobs, chained = pickle.loads(content)
    except WorkerError as error:
        connection.send(error)
        return
    owned = owned_generators()
    past = 0
    for job in jobs:
        if len(jobs) == 1 and not _forks():
            answer = _answer(subject, job, owned)
        elif chained:
            answer = _after(subject, job, past, jobs[0][2], owned, timeout)
            past = len(job[0])
        else:
            answer = in_fork(partial(_answer, subject, job, owned), timeout)
        connection.send(answer)
        if isinstance(answer, WorkerError):
            return


def _forks() -> bool:
    """Whether a fork of this process goes on as it would: its threads do not live on in a fork."""
    try:
        threads = len(os.listdir("/proc/self/task"))
    except OSError:  # no Linux, where threads of compiled code are not known
        threads = threading.active_count()
    return hasattr(os, "fork") and threads == 1


def _after(
    subject: Subject,
    job: Job,
    past: int,
    key: tuple[int, ...],
    owned: list[Any],
    timeout: float | None,
) -> Columns | WorkerError:
    """Make the rest of a history's calls here, and the last one in a fork."""
    history, then, own, until = job
    try:
        _live_through(subject, history, past, key, owned, until)
    except WorkerError as error:
        return WorkerError(error.kind, error.message)
    return in_fork(partial(_answer, subject, ([], then, own, until), owned), timeout)


def in_fork(
    act: Callable[[], Columns | WorkerError], timeout: float | None
) -> Columns | WorkerError:
    """Return what a function gives in a fork of this process.

    Parameters
    ----------
    act : callable
    timeout : float or None
        Seconds after which the fork is stopped. It may also bound its processor time by itself,
        with ``RLIMIT_CPU``.
    """
    if not _forks():
        return WorkerError("threads", "the mechanism has started threads, which a fork lacks")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _die_with_parent()
            os.close(read)
            with os.fdopen(write, "wb") as stream:
                pickle.dump(act(), stream)
        finally:
            os._exit(0)
    os.close(write)
    content = bytearray()
    status = 0
    try:
        while True:
            ready, _, _ = select.select([read], [], [], timeout)
            if not ready:
                return WorkerError("timeout", f"the mechanism took more than {timeout:g} seconds")
            piece = os.read(read, 1 << 16)
            if not piece:
                break
            content += piece
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if not content and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return WorkerError("timeout", "the mechanism took more processor time than a call may")
    if not content:
        return WorkerError("died", "the worker process died while it ran the mechanism")
    answer = pickle.loads(content)
    assert isinstance(answer, (Columns, WorkerError))
    return answer


def _die_with_parent() -> None:
    """Ask Linux to kill this process when the one that forked it is gone; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _answer(subject: Subject, job: Job, owned: list[Any]) -> Columns | WorkerError:
    history, then, key, until = job
    try:
        with Quiet():
            _live_through(subject, history, 0, key, owned, until)
            in_time(until)
            reseed(owned, (*key, 2))
            return encode([_call(subject, then, (*key, 0))])
    except WorkerError as error:
        return WorkerError(error.kind, error.message)
    except MemoryError:
        return WorkerError("memory", "the mechanism ran out of memory")
    except BaseException as error:
        return WorkerError("raised", f"the mechanism could not be run: {Raised(error)}")


def _live_through(
    subject: Subject,
    history: Sequence[Any],
    past: int,
    key: tuple[int, ...],
    owned: list[Any],
    until: float | None,
) -> None:
    """Make the calls of a history, from a place on."""
    with Quiet():
        for place in range(past, len(history)):
            in_time(until)
            reseed(owned, (*key, 3, place))
            _call(subject, history[place], (*key, 1, place))


def _call(subject: Subject, dataset: Any, key: tuple[int, ...]) -> Any:
    with SeededSource(key, "independent", GlobalStates()) as source:
        rng = source.generators[0]
        try:
            if subject.vectorized:
                return subject.steady(duplicate(dataset), 1, rng)[0]
            generator = (rng,) if subject.takes_rng else ()
            return subject.observed(duplicate(dataset), *generator)
        except CAUGHT as error:
            return caught(error)
