"""What keeps a solver's own rules: one thread at a time, and nothing freed behind its back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import z3

from dpaudit.formal.clock import SECOND, charge
from dpaudit.formal.limit import breathe, shielded, stopped_by

RESOURCES = 2_000_000  # of the solver's own steps, for one second
NONLINEAR = 1_000_000  # of them where powers are compared, each of which takes longer
ASKING = 1_000  # steps that a question takes in any case
_MOST = 2**32 - 1  # that it can be told to take
_LOOK = 0.1  # seconds between two looks at whether a limit passed
_one_at_a_time = threading.RLock()


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


def asked(solver: Any, seconds: float, resources: int = RESOURCES) -> Any:
    """Return a solver's answer, unknown where it takes more steps; they are charged.

    Parameters
    ----------
    solver : z3.Solver
    seconds : float
        Of `dpaudit.formal.clock`.
    resources : int
        Of the solver, for one second.

    Notes
    -----
    The solver counts its own steps, by which it ends at the same place on every machine. A limit
    on time that a user set interrupts it.
    """
    solver.set("rlimit", int(min(max(1.0, seconds * resources), _MOST)))
    solver.set("random_seed", 0)
    before = _resources(solver)
    with stopped_by(solver.ctx.interrupt):
        answer = solver.check()
    used = _resources(solver) - before
    charge(ASKING + used * SECOND // resources)
    return answer


def _resources(solver: Any) -> int:
    """Return the steps that all solvers of a context have taken."""
    statistics = solver.statistics()
    known = "rlimit count" in statistics.keys()  # noqa: SIM118 - it is no mapping
    return int(statistics.get_key_value("rlimit count")) if known else 0


@contextmanager
def own_context() -> Iterator[None]:
    """Make terms that name no context in a new one, while no other thread does.

    Notes
    -----
    In a context that questions share, the numbers of terms hang on what was asked before, and with
    them the order of the solver's search.
    """
    with shielded():
        while not _one_at_a_time.acquire(timeout=_LOOK):
            breathe()
        before = z3.z3._main_ctx
        try:
            z3.z3._main_ctx = Context()
            yield
        finally:
            z3.z3._main_ctx = before
            _one_at_a_time.release()
