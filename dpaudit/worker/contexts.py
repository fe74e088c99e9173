"""How worker processes start: clean, alike, and without running the user's script again."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import context
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

from dpaudit.worker.tasks import WorkerError

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
_PRELOAD = ["numpy", "cloudpickle", "pebble", "dpaudit.worker.remote", "dpaudit.worker.server"]
_FREED = "ignore:resource_tracker:UserWarning"
_main_lock = threading.Lock()


@contextlib.contextmanager
def environment() -> Iterator[None]:
    """Set the environment that worker processes are to inherit."""
    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    os.environ.update(ENVIRONMENT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module: a worker would import it, and run a script without a guard again.

    Mechanisms defined there travel by value.
    """
    with _main_lock:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _guarded_pipe(ends: tuple[Any, Any]) -> tuple[Any, Any]:
    """Keep what a worker sends from being more than data on this side."""
    from dpaudit.worker.received import guarded

    return guarded(ends[0]), guarded(ends[1])


class _SpawnProcess(context.SpawnProcess):
    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802
        with _without_main():
            return context.SpawnProcess._Popen(process_obj)


class _SpawnContext(context.SpawnContext):
    Process = _SpawnProcess

    def Pipe(self, duplex: bool = True) -> Any:  # noqa: N802
        return _guarded_pipe(super().Pipe(duplex))


if sys.platform != "win32":

    class _ForkServerProcess(context.ForkServerProcess):
        @staticmethod
        def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802
            with _without_main():
                return context.ForkServerProcess._Popen(process_obj)

    class _ForkServerContext(context.ForkServerContext):
        Process = _ForkServerProcess

        def Pipe(self, duplex: bool = True) -> Any:  # noqa: N802
            return _guarded_pipe(super().Pipe(duplex))


def silent_tracker() -> None:
    """Start the process that frees the semaphores of one that is killed, without a word about it.

    Notes
    -----
    For a command, all of whose semaphores are dpaudit's own; a program that audits may want to hear
    of those that it leaks itself. A tracker that runs already stays as it is.
    """
    if sys.platform == "win32":
        return
    from multiprocessing import resource_tracker

    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = f"{before},{_FREED}" if before else _FREED
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def worker_context() -> context.BaseContext:
    """Return the context in which worker processes start.

    Returns
    -------
    multiprocessing.context.BaseContext
        Forks of a clean server where the platform has it, else new interpreters.

    Raises
    ------
    WorkerError
        Of kind ``"no-process"`` where this process may not start others.

    Notes
    -----
    The server is shared by all of this process. Where somebody else started it before, workers
    inherit the hash seed that it got.
    """
    if multiprocessing.current_process().daemon:
        raise WorkerError(
            "no-process",
            "a daemonic process, as multiprocessing.Pool has them, may not start another; use "
            "concurrent.futures.ProcessPoolExecutor",
        )
    if sys.platform == "win32" or "forkserver" not in multiprocessing.get_all_start_methods():
        return _SpawnContext()
    from multiprocessing import forkserver, resource_tracker

    started = _ForkServerContext()
    started.set_forkserver_preload(_PRELOAD)
    resource_tracker.ensure_running()  # which unblocks SIGINT where it has to start
    # Ctrl-C reaches the server too, which would show a traceback and die while it still imports.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with environment():
            forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return started
