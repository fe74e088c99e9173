"""How estimates from cells are put: the interval that holds its value, and in words."""

from __future__ import annotations

from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.split import Tally


def estimate(
    quantity: str,
    value: float,
    low: float,
    high: float,
    counted: Tally,
    confidence: float,
    *,
    bounded: bool,
    unit: str = "nats",
) -> Estimate:
    """Return an estimate whose value lies in its interval.

    Parameters
    ----------
    bounded : bool
        Whether unforeseen outcomes leave the upper end finite.
    """
    high = max(low, high)  # ends that meet cross by rounding alone
    return Estimate(
        value=min(max(value, low), high),
        confidence_interval=Interval(low, high),
        method=method_of(counted),
        n=counted.draws,
        quantity=quantity,
        confidence=confidence,
        valid_for=valid_for(counted, bounded=bounded),
        unit=unit,
    )


def method_of(counted: Tally) -> str:
    """Return how the limits were made, in words."""
    limits = (
        "Clopper–Pearson limits" if counted.method == "fixed" else "limits that hold at any time,"
    )
    cells = len(counted.p)
    rest = int(counted.p.sum() + counted.q.sum())
    said = f"{limits} of {cells} cell{'s' if cells != 1 else ''} at once"
    if not counted.has_pilot:
        return said
    if counted.kind == "support":
        return f"{said}, and of an event chosen on {counted.draws - rest:,} draws"
    return f"{said}, chosen with their event on {counted.draws - rest:,} draws, from the rest"


def valid_for(counted: Tally, *, bounded: bool) -> str:
    """Return what each end is valid for; `bounded` where unseen outcomes cannot do any harm."""
    if counted.kind == "support":
        return "both ends hold for the mechanism, which has no outcome outside `support`"
    if counted.kind == "partition":
        return (
            "the lower end holds for the mechanism, the upper end only for the chosen partition "
            f"of its outputs into {len(counted.p)} cells"
        )
    if bounded:
        return "both ends hold for the mechanism: unforeseen outcomes are counted at their worst"
    return (
        "the lower end holds for the mechanism. The upper end is infinite, since an outcome not "
        "seen may have any ratio (pass `support` where all outcomes are known)"
    )
