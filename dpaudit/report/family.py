"""A family in reports: its verdict as a sentence, and a table with a row for each setting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Verdict
from dpaudit.report.audited import in_words, number
from dpaudit.report.escape import plain
from dpaudit.report.numbers import lower, upper

if TYPE_CHECKING:
    from dpaudit.verdict import FamilyRow, Report

HEADS = ("setting", "verdict", "found", "nats", "epsilon at least", "would catch epsilon", "calls")
NUMERIC = range(3, 7)
_NAMED = 4  # settings that a sentence names


def row_to_dict(row: FamilyRow) -> dict[str, Any]:
    """Return a row as JSON-able values.

    Parameters
    ----------
    row : FamilyRow
    """
    from dpaudit.report.json import jsonable

    report = row.report
    return {
        "setting": row.words,
        "values": jsonable(row.setting),
        "decides": row.decides,
        "mechanism": report.mechanism,
        "claim": str(report.claim),
        "neighbors": report.neighbors,
        "verdict": report.verdict.name,
        "findings": [f.id for f in report.findings if f.level == "error"],
        "log_e_value": jsonable(row.log_e_value),
        "epsilon": jsonable(report.epsilon),
        "detectable_epsilon": jsonable(report.detectable_epsilon),
        "calls": report.calls,
        "alpha": report.alpha,
        "seed": report.seed,
        "reason": report.reason,
    }


def row_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells of a row under `HEADS`.

    Parameters
    ----------
    row : mapping
        As `row_to_dict` gives it.
    """
    nats, size = number(row["log_e_value"]), number(row["detectable_epsilon"])
    return (
        plain(row["setting"]),
        in_words(row["verdict"]),
        ", ".join(map(plain, row["findings"])),
        "-" if nats == float("-inf") else f"{nats:.2f}",
        lower(number(row["epsilon"])),
        "-" if size == float("inf") else upper(size),
        f"{row['calls']:,}",
    )


def family_sentence(report: Report) -> str:
    """Return how many settings have which verdict, the refuted ones by name.

    Parameters
    ----------
    report : Report
        Of a family.
    """
    counts = Counter(row.report.verdict for row in report.rows)
    refuted = [row.words for row in report.rows if row.report.verdict is Verdict.REFUTED]
    named = "; ".join(refuted[:_NAMED]) + ("; …" if len(refuted) > _NAMED else "")
    said = [
        f"{count:,} {verdict}{f' ({named})' if verdict is Verdict.REFUTED else ''}"
        for verdict, count in sorted(counts.items())
    ]
    first = f"{len(report.rows):,} settings: {', '.join(said)}."
    if report.verdict is Verdict.REFUTED and not refuted:
        return f"{first} Together they refute that every claim holds, and no setting does alone."
    return first


def row_lines(rows: Sequence[FamilyRow]) -> list[str]:
    """Return the table as lines of text; none where the report is of no family.

    Parameters
    ----------
    rows : sequence of FamilyRow
    """
    if not rows:
        return []
    table = [HEADS, *(row_cells(row_to_dict(row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if place in NUMERIC else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in table
    ]
    return [
        "Settings, under one error probability (nats: evidence against the claim; the average of "
        "e-values over the settings refutes the family)",
        *(f"  {line.rstrip()}" for line in lines),
    ]
