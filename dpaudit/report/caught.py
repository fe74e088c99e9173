"""What an audit would have caught, as sentences and as the rows of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.evidence import Detectable
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
    size = next((row.independent for row in report.detectable if row.probability == COMMON), None)
    if not report.detectable:
        return ""
    claimed = claimed_epsilon(report)
    events = f"on common events (probability {COMMON:g})"
    if size is None or (claimed is not None and size > 2 * claimed):
        if size is None:
            return f"This run was too short to detect a violation {events} by independent draws."
        return (
            f"This run was weak: {events} it would have detected an epsilon of {_size(size)} or "
            f"more, and the claim is {_size(claimed)}."
        )
    return f"This run would have detected an epsilon of {_size(size)} or more {events}."


def claimed_epsilon(report: Report) -> float | None:
    """Return the epsilon that is claimed, None where the claim is of another kind or 0.

    Parameters
    ----------
    report : Report
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
            *map(_size, _sizes(row)),
        )
        for row in rows
    ]


def _sizes(row: Detectable) -> tuple[float | None, ...]:
    return row.coupled, row.independent, row.most_coupled, row.most_independent


def _size(value: float | None) -> str:
    return "none" if value is None or not math.isfinite(value) else f"{value:.3g}"  # on the grid


def table_lines(rows: Sequence[Detectable]) -> list[str]:
    """Return the table as lines of text.

    Parameters
    ----------
    rows : sequence of Detectable
    """
    if all(size is None for row in rows for size in _sizes(row)):
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
        *([f"  {above}"] if above else []),
        *("  " + "".join(f"{cell:>13}" for cell in row[:shown]) for row in cells),
    ]
