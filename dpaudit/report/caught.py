"""What an audit would have caught, as sentences and as the rows of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpaudit.report.numbers import upper

if TYPE_CHECKING:
    from dpaudit.claims import Claim
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
        return f"By independent draws, this run would detect no violation {events}{_rarer(report)}."
    detected = f"{an_epsilon(report.claim)} of {size(least)} or more{at_delta(report.claim)}"
    if weak(report):
        return (
            f"This run was weak: {events} it would have detected {detected}, and the claim is "
            f"{size(claimed_epsilon(report))}."
        )
    return f"This run would have detected {detected} {events}."


def _rarer(report: Report) -> str:
    """Say where independent draws do detect a violation, on more probable events."""
    more = sorted((r.probability, size(r.independent)) for r in report.detectable)
    found = [row for row in more if row[0] > COMMON and row[1] != "none"]
    return (
        f", and on those of probability {found[0][0]:g} {an_epsilon(report.claim)} of {found[0][1]}"
        if found
        else ""
    )


def weak(report: Report) -> bool:
    """Whether an audit would not have caught twice its claim on common events.

    Parameters
    ----------
    report : Report
    """
    least, claimed = _on_common_events(report), claimed_epsilon(report)
    return least is None or (claimed is not None and least > 2 * claimed)


def says_all(report: Report) -> bool:
    """Whether common events are those of the least epsilon of all, so that one sentence does.

    Parameters
    ----------
    report : Report
    """
    least, whole = _on_common_events(report), report.detectable_epsilon
    return (
        least is not None
        and report.detectable_probability == COMMON
        and math.isclose(least, whole, rel_tol=0.01)
    )


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


def epsilon_of(claim: Claim | None) -> str:
    """Name the epsilon that is meant: that of pure DP where the claim states none.

    Parameters
    ----------
    claim : Claim or None
    """
    own = None if claim is None or hasattr(claim, "order") else claim.parameter
    stated = claim is None or (own is not None and own[0] == "epsilon")
    return "epsilon" if stated else "pure-DP epsilon"


def an_epsilon(claim: Claim | None) -> str:
    """Name the epsilon that is meant, with its article.

    Parameters
    ----------
    claim : Claim or None
    """
    name = epsilon_of(claim)
    return f"{'an' if name == 'epsilon' else 'a'} {name}"


def at_delta(claim: Claim | None) -> str:
    """Return at which delta an epsilon is meant, where the claim states one.

    Parameters
    ----------
    claim : Claim or None
    """
    delta = 0.0 if claim is None else claim.declared_delta
    return f" at delta {delta:g}" if delta > 0 else ""


def caught_where(tried: int, sampled: int) -> str:
    """Say which pair the figure is for: none that was tried without a sample.

    Parameters
    ----------
    tried, sampled : int
        Pairs on which the mechanism ran, and those that gave outputs; 0 where that is not known.
    """
    if not sampled or sampled == tried:
        return "" if tried == 1 else " The figure is for the least-called of these pairs."
    drawn = f"{tried:,} pairs were tried, and {sampled:,} of them sampled"
    return f" {drawn}. The figure is for the {'one' if sampled == 1 else 'least-called one'}."


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


def table_lines(rows: Sequence[Detectable], claim: Claim | None = None) -> list[str]:
    """Return the table as lines of text.

    Parameters
    ----------
    rows : sequence of Detectable
    claim : Claim, optional
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
        f"Smallest {epsilon_of(claim)}{at_delta(claim)} that this run would have "
        "detected with probability 0.9, by the probability of the event",
        "  The event is the set of outputs that shows the violation. Its probability is the larger "
        "of its probabilities on the two datasets.",
        "  In coupled draws, both datasets get the same seed, which helps some mechanisms only.",
        "  The first column for independent draws holds for every mechanism and pair tried; none "
        "means that no epsilon would be detected.",
        *([f"  {above}"] if above else []),
        *("  " + "".join(f"{cell:>13}" for cell in row[:shown]) for row in cells),
    ]
