"""A counterexample, whichever way of reasoning certified it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.evidence import Event, Finding
from dpaudit.formal.alignment.proof import AlignmentRefutation
from dpaudit.formal.counterexample import CostRefutation
from dpaudit.formal.exact import Refutation as ExactRefutation

UNLOCATED = "DPA201"


@dataclass(frozen=True, slots=True, eq=False)
class Counterexample:
    """Two neighboring datasets on which certified numbers break the claim.

    Attributes
    ----------
    left, right : Any
        The datasets; the event is too likely under `left`.
    how : str
        How they differ.
    event : Event
    epsilon : float
        Lower bound on epsilon at the claim's delta (nats, rounded down).
    certified : str
        The numbers, and how they were certified.
    finding : Finding
    """

    left: Any
    right: Any
    how: str
    event: Event
    epsilon: float
    certified: str
    finding: Finding


def counterexample(found: CostRefutation | AlignmentRefutation | ExactRefutation) -> Counterexample:
    """Return a refutation of any kind as a `Counterexample`."""
    match found:
        case CostRefutation():
            return _of_cost(found)
        case AlignmentRefutation():
            return _of_alignment(found)
    return _of_enumeration(found)


def _of_cost(found: CostRefutation) -> Counterexample:
    return Counterexample(
        found.pair.left,
        found.pair.right,
        found.pair.how,
        found.event,
        found.epsilon,
        f"probabilities {found.p} and {found.q}: {found.how}",
        found.finding,
    )


def _of_alignment(found: AlignmentRefutation) -> Counterexample:
    certified = f"privacy loss {found.loss}, by exact integration"
    file, _, line = found.place.rpartition(":")
    finding = Finding(
        UNLOCATED,
        "error",
        f"{found.event} is too likely on one of two neighboring datasets; {certified}",
        file=file or None,
        line=int(line) if file else None,
        engine="formal",
        pair=(found.left, found.right),
    )
    event = Event(found.event, found.source)
    left, right, how = found.left, found.right, "two vectors of answers"
    return Counterexample(left, right, how, event, found.loss_at_least, certified, finding)


def _of_enumeration(found: ExactRefutation) -> Counterexample:
    certified = f"the claim bounds {found.spent} by {found.allowed}; exact distributions"
    finding = Finding(
        UNLOCATED,
        "error",
        f"outputs tell two neighboring datasets apart: {found.shown.words}; {certified}",
        engine="formal",
        pair=(found.left, found.right),
    )
    event = Event(found.shown.words, found.shown.source)
    left, right, how = found.left, found.right, "two datasets of the domain"
    return Counterexample(left, right, how, event, found.shown.epsilon, certified, finding)
