"""What an audit would have caught, as sentences and as the rows of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpaudit.report.numbers import upper

if TYPE_CHECKING:
    from dpaudit.evidence import Detectable, Witness
    from dpaudit.verdict import Report

COMMON = 0.1  # probability of an event that is called common
HEADS = (
    "probability of the event",
    "least searched pair, coupled draws",
    "independent draws",
    "most searched pair, coupled draws",
    "independent draws",
)


def caught_on_common_events(report: Report) -> str:
    """Say what would have been caught on common events, first of all if that is not much.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        Empty where nothing is known of it.
    """
    if not report.detectable:
        return ""
    least = _on_common_events(report)
    events = f"on common events (probability {COMMON:g})"
    if least is None:
        return f"This run was too short to detect a violation {events} by independent draws."
    if weak(report):
        return (
            f"This run was weak: {events} it would have detected an epsilon of {size(least)} or "
            f"more, and the claim is {size(claimed_epsilon(report))}."
        )
    return f"This run would have detected an epsilon of {size(least)} or more {events}."


def weak(report: Report) -> bool:
    """Whether an audit would not have caught twice its claim on common events.

    Parameters
    ----------
    report : Report
    """
    least, claimed = _on_common_events(report), claimed_epsilon(report)
    return least is None or (claimed is not None and least > 2 * claimed)


def _on_common_events(report: Report) -> float | None:
    return next((row.independent for row in report.detectable if row.probability == COMMON), None)


def claimed_epsilon(report: Report | Witness) -> float | None:
    """Return the epsilon that is claimed, None where the claim is of another kind or 0.

    Parameters
    ----------
    report : Report or Witness
    """
    claim = report.claim
    own = None if claim is None or hasattr(claim, "order") else claim.parameter
    return own[1] if own is not None and own[0] == "epsilon" and own[1] > 0 else None


def caught_where(tried: int, sampled: int) -> str:
    """Say which pair the figure is for: none that was tried without a sample.

    Parameters
    ----------
    tried, sampled : int
        Pairs on which the mechanism ran, and those that gave outputs; 0 where that is not known.
    """
    if not sampled or sampled == tried:
        return "" if tried == 1 else " The figure is for the least-called of these pairs."
    pair = "the only pair" if sampled == 1 else f"the least-called of the {sampled:,} pairs"
    return f" The figure is for {pair} that {'was' if sampled == 1 else 'were'} sampled."


def table_rows(rows: Sequence[Detectable]) -> list[tuple[str, ...]]:
    """Return the cells of the table, one row a probability, under `HEADS`.

    Parameters
    ----------
    rows : sequence of Detectable
    """
    return [
        (
            f"{row.probability:g}",
            *map(size, _sizes(row)),
        )
        for row in rows
    ]


def _sizes(row: Detectable) -> tuple[float | None, ...]:
    return row.coupled, row.independent, row.most_coupled, row.most_independent


def size(value: float | None) -> str:
    """Return a caught epsilon as text.

    Parameters
    ----------
    value : float or None
        None where no epsilon is caught.
    """
    return "none" if value is None or not math.isfinite(value) else upper(value)


def table_lines(rows: Sequence[Detectable]) -> list[str]:
    """Return the table as lines of text.

    Parameters
    ----------
    rows : sequence of Detectable
    """
    if all(each is None for row in rows for each in _sizes(row)):
        return []
    # Where one pair was searched as often as any, the last two columns say nothing new.
    both = any(r.coupled != r.most_coupled or r.independent != r.most_independent for r in rows)
    shown = 5 if both else 3
    titles = ("probability", "coupled", "independent", "coupled", "independent")
    cells = [titles, *table_rows(rows)]
    above = f"{'least searched pair':>32}{'most searched pair':>26}" if both else ""
    return [
        "Smallest epsilon that this run would have detected with probability 0.9, by the "
        "probability of the event",
        "  The event is the set of outputs that shows the violation. Its probability is that on "
        "the dataset where it is likelier.",
        "  In coupled draws, both datasets get the same seed.",
        *([f"  {above}"] if above else []),
        *("  " + "".join(f"{cell:>13}" for cell in row[:shown]) for row in cells),
    ]
