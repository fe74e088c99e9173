"""A counterexample, whichever way of reasoning certified it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dpaudit.evidence import Event, Finding
from dpaudit.formal.alignment.proof import AlignmentRefutation
from dpaudit.formal.counterexample import CostRefutation
from dpaudit.formal.exact import ExactRefutation

UNLOCATED = "DPA201"
Interval = tuple[float, float]


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
    p, q : (float, float)
        The probabilities of the event on the left and on the right lie between these.
    replayed : bool
        Whether the code was run with the counterexample's noise, and did what was predicted.
    """

    left: Any
    right: Any
    how: str
    event: Event
    epsilon: float
    certified: str
    finding: Finding
    p: Interval
    q: Interval
    replayed: bool = False


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
        interval(found.p),
        interval(found.q),
        replayed=found.replayed,
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
    p, q = interval(found.left_probability), interval(found.right_probability)
    return Counterexample(left, right, how, event, found.loss_at_least, certified, finding, p, q)


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
    p, q = interval(found.shown.p), interval(found.shown.q)
    return Counterexample(left, right, how, event, found.shown.epsilon, certified, finding, p, q)


def interval(ball: Any) -> Interval:
    """Return floats between which the probability in a ball, or in its text, lies."""
    import flint

    probability = flint.arb(ball)
    low = math.nextafter(float(probability.lower()), -math.inf)
    high = math.nextafter(float(probability.upper()), math.inf)
    # What is 0 or 1 exactly stays so.
    low = 1.0 if probability >= 1 else max(0.0, low)
    return low, 0.0 if probability <= 0 else min(1.0, high)
