"""Many audits as a table, one a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from dpaudit.report.audited import found_ids, in_words, number, verdict
from dpaudit.report.escape import plain
from dpaudit.report.numbers import lower
from dpaudit.report.paths import shown
from dpaudit.report.text import headline
from dpaudit.verdict import UNCONFIRMED

if TYPE_CHECKING:
    from rich.console import Console

    from dpaudit.evidence import Finding
    from dpaudit.verdict import Report

_STYLES = {
    "REFUTED": "red",
    "INCONCLUSIVE": "yellow",
    "NOT REFUTED": "blue",
    "VERIFIED": "green",
    "ok": "green",
    "ACCEPTED": "yellow",
    "UNEXPECTED": "bold red",
    "INCOMPLETE": "bold yellow",
    "INTERRUPTED": "bold yellow",
}
# A pipe has no width: nothing is folded there, so that each row stays a line.
_NO_LIMIT = 10_000
_ROOMY = 160
_GAP = 3  # between columns, rule and padding
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Found:
    """What a row says of a report.

    Attributes
    ----------
    verdict : str
        In words.
    ids : tuple of str
        Of what refutes.
    epsilon : float
        Lower bound, in nats.
    calls : int
    seconds : float
    nights : int
        Runs that the calls are those of; 0 where they are those of one that stands alone.
    causes : tuple of str
        A sentence for each cause that is located: file, line, id, and what is wrong there.
    """

    verdict: str
    ids: tuple[str, ...]
    epsilon: float
    calls: int
    seconds: float
    nights: int = 0
    causes: tuple[str, ...] = ()

    @staticmethod
    def of(report: Report) -> Found:
        """Read a report."""
        ids = tuple(finding.id for finding in report.findings if finding.level == "error")
        nights = 0 if report.nights is None else report.nights.number
        said = headline(report), ids, report.epsilon, report.calls, report.seconds
        causes = tuple(cause for finding in report.findings if (cause := located(finding)))
        return Found(*said, nights, causes)

    @staticmethod
    def recalled(audit: Mapping[str, Any]) -> Found:
        """Read an audit of a stored run, which has a report."""
        report = audit["report"]
        return Found(
            verdict(audit),
            tuple(found_ids(audit)),
            number(report["epsilon"]),
            int(report["calls"]),
            number(report["seconds"]),
            max((e["nights"]["number"] for e in report["evidence"] if e.get("nights")), default=0),
            tuple(cause for finding in report["findings"] if (cause := _located(finding))),
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One audit's row.

    Attributes
    ----------
    audit, claim, expected : str
    status : str
        ``"ok"``, ``"ok (cached)"``, ``"ACCEPTED"``, ``"UNEXPECTED"``, ``"INCOMPLETE"`` or
        ``"INTERRUPTED"``; where the time of a run has ended the audit, with the tier after it.
    found : Found or None
        None where there is no report.
    """

    audit: str
    claim: str
    expected: str
    status: str
    found: Found | None

    def cells(self) -> tuple[str, ...]:
        """Return the row's texts, in the order of the columns."""
        head = (plain(self.audit), plain(self.claim), in_words(self.expected))
        if self.found is None:
            return (*head, "-", "-", "-", "-", "-", self.status)
        found = self.found
        return (
            *head,
            found.verdict,
            plain(", ".join(dict.fromkeys(found.ids))) or "-",
            lower(found.epsilon),
            f"{found.calls:,}" + (f" in {_nights(found.nights)}" if found.nights else ""),
            f"{found.seconds:.1f}",
            self.status,
        )


def _nights(number: int) -> str:
    return f"{number:,} night{'' if number == 1 else 's'}"


_COLUMNS = (
    ("audit", "left"),
    ("claim", "left"),
    ("expected", "left"),
    ("verdict", "left"),
    ("id", "left"),
    ("ε at least", "right"),
    ("calls", "right"),
    ("seconds", "right"),
    ("", "left"),
)


def located(finding: Finding) -> str | None:
    """Return where an error comes from and what is wrong there, as a ticket would say it.

    Parameters
    ----------
    finding : Finding

    Returns
    -------
    str or None
        None for what the trace has not located, and for warnings.
    """
    told = {name: getattr(finding, name) for name in ("level", "engine", "line", "id", "message")}
    return _located({**told, "file": shown(finding.file)})


def _located(finding: Mapping[str, Any]) -> str | None:
    """Return the same of a finding as a result file has it."""
    if finding["engine"] != "trace" or finding["line"] is None:
        return None
    if finding["level"] not in ("error", "note"):
        return None
    what = finding["message"].partition(". Confirmed by")[0].partition(UNCONFIRMED)[0]
    said = f"{finding['file']}:{finding['line']}: {finding['id']}: {what}"
    return plain(said if finding["level"] == "error" else f"not confirmed: {said}")


def print_table(rows: Sequence[Row], file: TextIO) -> None:
    """Print rows as a table: colored and folded on a terminal, a line each elsewhere.

    Below it comes a line for each cause that is located.

    Parameters
    ----------
    rows : sequence of Row
    file : text file
    """
    console = console_for(file)
    print_cells([row.cells() for row in rows], console)
    for cause in dict.fromkeys(c for row in rows if row.found for c in row.found.causes):
        console.print(cause, soft_wrap=True)


def print_cells(rows: Sequence[Sequence[str]], console: Console) -> None:
    """Print what `Row.cells` returned as a table.

    Parameters
    ----------
    rows : sequence of sequences of str
    console : Console
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD if console.is_terminal else None, pad_edge=False)
    for title, side in _COLUMNS:
        table.add_column(
            title,
            justify="right" if side == "right" else "left",
            overflow="fold",
            no_wrap=not console.is_terminal,
        )
    for row in rows:
        table.add_row(*(Text(cell, style=_style(cell)) for cell in row))
    console.print(table)


def _style(cell: str) -> str:
    return _STYLES.get(cell.partition(" (")[0], "")


_LISTED = (
    ("audit", 100),
    ("mechanism", 60),
    ("claim", 40),
    ("neighbors", 60),
    ("expected", 20),
    ("because", 100),
)


def print_listing(rows: Sequence[Sequence[object]], file: TextIO) -> None:
    """Print audits that have not run as a table, a line each, long texts without their middle.

    Parameters
    ----------
    rows : sequence of sequences
        Audit, mechanism, claim, neighbors, expectation in words, and its reason.
    file : text file
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console = console_for(file)
    # On a terminal the reason comes where there is room for it.
    columns = _LISTED if console.width >= _ROOMY else _LISTED[:-1]
    cells = [[plain(c, longest) for c, (_, longest) in zip(r, columns, strict=False)] for r in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = console.width - _GAP * len(widths)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    table = Table(box=SIMPLE_HEAD if console.is_terminal else None, pad_edge=False)
    for title, _ in columns:
        table.add_column(title, no_wrap=True, overflow="ellipsis")
    for row in cells:
        table.add_row(*(Text(plain(c, width)) for c, width in zip(row, widths, strict=True)))
    console.print(table)


def console_for(file: TextIO) -> Console:
    """Return a rich console that neither marks up nor highlights what it is given.

    Parameters
    ----------
    file : text file

    Returns
    -------
    Console
    """
    from rich.console import Console

    is_terminal = hasattr(file, "isatty") and file.isatty()
    return Console(
        file=file, markup=False, highlight=False, width=None if is_terminal else _NO_LIMIT
    )
