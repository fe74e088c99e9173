"""Looks at pairs in a worker process, where the mechanism is to run apart from us."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.evidence import Suspect
from dpaudit.worker.parcel import Parcel, pack_value
from dpaudit.worker.processes import ProcessRunner
from dpaudit.worker.remote import shielded, subject_of
from dpaudit.worker.tasks import WorkerError

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.evidence import Budget
    from dpaudit.neighbors import Neighbors
    from dpaudit.trace.engine import TraceEngine
    from dpaudit.trace.steered.conclude import Told


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
    """

    reason: str
    calls: int = 0
    pairs: int = 0
    suspects: tuple[Suspect, ...] = ()
    notes: tuple[str, ...] = ()
    alpha_spent: float = 0.0
    told: Told | None = None


def looked_apart(
    engine: TraceEngine,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner: ProcessRunner,
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
    """
    try:
        content = pack_value((engine, claim, neighbors, budget), "the claim and the neighbors")
        found = runner.ask(_remote_look, content)
    except WorkerError as error:
        return Looked(f"traces could not be made in a worker process: {error}")
    assert isinstance(found, Looked)
    return found


def _remote_look(parcel: Parcel, content: bytes) -> Looked | WorkerError:
    """Look at the mechanism of a parcel, in the process that has it."""

    def look() -> Looked:
        engine, claim, neighbors, budget = pickle.loads(content)
        found: Looked = engine.look(subject_of(parcel), claim, neighbors, budget)
        return found

    return shielded(look)
