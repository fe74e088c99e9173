"""What keeps a solver's own rules: one thread at a time, and nothing freed behind its back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import z3

from dpaudit.formal.clock import Limit, longest, now
from dpaudit.formal.limit import shielded

_common = threading.RLock()
_common_prepared = False


class Context(z3.Context):  # type: ignore[misc]
    """A context of its own for one question.

    Notes
    -----
    Python's collector of cycles frees terms in whatever thread it comes up in, which must not
    change counts in a solver that is at work in another: such terms are queued. The context is
    forgotten before it is deleted, so that no term that is freed later can ask for it, even where
    an exception comes up between the two.
    """

    def __init__(self) -> None:
        super().__init__()
        z3.Z3_enable_concurrent_dec_ref(self.ref())

    def __del__(self) -> None:
        native: Any = getattr(self, "ctx", None)
        self.ctx = self.eh = None
        if native is not None and z3.Z3_del_context is not None:
            z3.Z3_del_context(native)


def asked(solver: Any, seconds: float) -> Any:
    """Return a solver's answer, unknown where it takes longer.

    Parameters
    ----------
    solver : z3.Solver
    seconds : float
        Of `dpaudit.formal.clock`; the solver itself looks at the wall clock.
    """
    solver.set("timeout", max(1, int(1000 * longest(seconds))))
    with alarm(seconds, solver.ctx):
        return solver.check()


@contextmanager
def alarm(seconds: float, context: z3.Context) -> Iterator[None]:
    """Interrupt a solver where the block is not left in time.

    Parameters
    ----------
    seconds : float
        Of `dpaudit.formal.clock`.
    context : z3.Context
        The solver's.
    """
    limit, left = Limit(seconds), threading.Event()

    def watch() -> None:
        if limit.wait(left.wait):
            context.interrupt()

    thread = threading.Thread(target=watch, daemon=True)
    try:
        with shielded():  # an exception inside of `Thread.start` leaves locks locked
            thread.start()
        yield
    finally:
        left.set()


@contextmanager
def common_context(deadline: float) -> Iterator[None]:
    """Keep the context that all share to this thread, and limits on time out of it.

    Parameters
    ----------
    deadline : float
        Of `dpaudit.formal.clock.now`.

    Raises
    ------
    TimeoutError
        Where another thread keeps it for that long.
    """
    global _common_prepared
    with shielded():
        if not _common.acquire(timeout=max(0.0, deadline - now())):
            raise TimeoutError
        try:
            if not _common_prepared:
                z3.Z3_enable_concurrent_dec_ref(z3.main_ctx().ref())
                _common_prepared = True
            yield
        finally:
            _common.release()
