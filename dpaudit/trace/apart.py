"""Looks at pairs in a worker process, where the mechanism is to run apart from us."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.evidence import Suspect
from dpaudit.worker.parcel import Parcel, pack_value
from dpaudit.worker.processes import ProcessRunner
from dpaudit.worker.received import read, written
from dpaudit.worker.remote import shielded, subject_of
from dpaudit.worker.tasks import WorkerError

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.evidence import Budget
    from dpaudit.neighbors import Neighbors, Pair
    from dpaudit.trace.engine import TraceEngine
    from dpaudit.trace.steered.conclude import Left, Told


@dataclass(frozen=True, slots=True)
class Looked:
    """What traces of many pairs gave, without the runs.

    Attributes
    ----------
    reason : str
    calls, pairs : int
    suspects : tuple of Suspect
    notes : tuple of str
    alpha_spent : float
        On steered noise.
    told : Told or None
        What steered noise has refuted.
    left : Left or None
        For steering the pairs of suspects, which is still to be done.
    unpaid : bool
        Whether what is suspected first has no price.
    silent : bool
        Whether every run raised, so that nothing was seen of the mechanism.
    others : tuple of Pair
        Likely pairs, for noise that is steered.
    unwatched : frozenset of str
        Ways by which texts left that are no part of the outputs.
    late : bool
        Whether time ended the traces.
    unfinished : bool
        Whether the tier ended them, and the next one may tell more.
    """

    reason: str
    calls: int = 0
    pairs: int = 0
    suspects: tuple[Suspect, ...] = ()
    notes: tuple[str, ...] = ()
    alpha_spent: float = 0.0
    told: Told | None = None
    left: Left | None = None
    unpaid: bool = False
    silent: bool = False
    unwatched: frozenset[str] = frozenset()
    others: tuple[Pair, ...] = ()
    late: bool = False
    unfinished: bool = False


def looked_apart(
    engine: TraceEngine,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner: ProcessRunner,
    before: Looked | None = None,
) -> Looked:
    """Return what an engine sees in a worker process; a reason alone where that fails.

    Parameters
    ----------
    engine : TraceEngine
    claim : Claim
    neighbors : Neighbors
    budget : Budget
    runner : ProcessRunner
        Its limits on time and memory apply to all traces together.
    before : Looked, optional
        What was seen before: the pairs of its suspects are steered, and nothing else is done.
    """
    try:
        what = engine, claim, neighbors, budget, before
        content = pack_value(what, "the claim and the neighbors")
        found = read(runner.ask(_remote_look, content), (claim,))
    except (WorkerError, pickle.UnpicklingError) as error:
        return Looked(f"traces could not be made in a worker process: {error}")
    assert isinstance(found, Looked)
    return found


def _remote_look(parcel: Parcel, content: bytes) -> bytes | WorkerError:
    """Look at the mechanism of a parcel, in the process that has it."""

    def look() -> bytes:
        engine, claim, neighbors, budget, before = pickle.loads(content)
        subject, found = subject_of(parcel), before
        if found is None:
            found = engine.look(subject, claim, neighbors, budget)
        else:
            found = engine.steer(subject, claim, budget, found)
        assert isinstance(found, Looked)
        return written(found, (claim,))  # a claim may hold functions

    return shielded(look)
