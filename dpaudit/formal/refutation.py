"""A counterexample, whichever way of reasoning certified it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dpaudit.evidence import Event, Finding

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


def unlocated(
    pair: tuple[Any, Any], how: str, event: Event, said: str, certified: str, epsilon: float,
    p: Any, q: Any, place: str = "",
) -> Counterexample:  # fmt: skip
    """Return the counterexample of an event, whose cause is not known.

    Parameters
    ----------
    pair : (Any, Any)
        The datasets, the event too likely on the first.
    how, event, certified, epsilon
        As of `Counterexample`.
    said : str
        What is too likely, in words.
    p, q : arb or str
        Balls of the probabilities.
    place : str
        Where noise is drawn.
    """
    file, _, line = place.rpartition(":")
    finding = Finding(
        UNLOCATED, "error", f"{said}; {certified}", file=file or None,
        line=int(line) if file else None, engine="formal", pair=pair,
    )  # fmt: skip
    return Counterexample(*pair, how, event, epsilon, certified, finding, interval(p), interval(q))


def interval(ball: Any) -> Interval:
    """Return floats between which the probability in a ball, or in its text, lies."""
    import flint

    probability = flint.arb(ball)
    low = math.nextafter(float(probability.lower()), -math.inf)
    high = math.nextafter(float(probability.upper()), math.inf)
    # What is 0 or 1 exactly stays so.
    low = 1.0 if probability >= 1 else max(0.0, low)
    return low, 0.0 if probability <= 0 else min(1.0, high)
