"""The table of audits at the end of a run, and annotations for a pull request."""

from __future__ import annotations

import io
import os
from collections import Counter
from typing import TYPE_CHECKING

from dpaudit.pytest_plugin.rows import NO_EXPECTATION, Shown

if TYPE_CHECKING:
    import pytest

_SAID = {
    "OK": "as expected",
    "ACCEPTED": "accepted",
    "UNEXPECTED": "UNEXPECTED",
    "INCOMPLETE": "could not be completed",
    NO_EXPECTATION: "without expectation",
}


class Summary:
    """Hears the reports of all processes, and prints their rows in one order."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Shown]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the rows of a report; those of a test that is run again take their place."""
        rows = getattr(report, "dpaudit_rows", None)
        if rows:
            self._rows[report.nodeid] = rows

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> None:
        """Print the table; with ``-q`` only what is not as expected."""
        rows = [row for _, each in sorted(self._rows.items()) for row in each]
        if not rows:
            return
        terminalreporter.section("dpaudit", sep="-")
        quiet = config.get_verbosity() < 0
        shown = [row for row in rows if not (quiet and row["status"] == "OK")]
        if shown:
            terminalreporter.write(_table(shown, terminalreporter))
        numbers = Counter(row["status"] for row in rows)
        said = ", ".join(f"{numbers[s]} {words}" for s, words in _SAID.items() if numbers[s])
        terminalreporter.write_line(f"{len(rows)} audit{'s' if len(rows) > 1 else ''}: {said}")
        if os.environ.get("GITHUB_ACTIONS") == "true":
            for line in _annotations(rows):
                terminalreporter.write_line(line)


def _table(rows: list[Shown], reporter: pytest.TerminalReporter) -> str:
    from rich.console import Console

    from dpaudit.report.table import console_for, print_cells

    buffer = io.StringIO()
    console = console_for(buffer)
    if reporter.hasmarkup:
        width = reporter.config.get_terminal_writer().fullwidth
        console = Console(
            file=buffer, markup=False, highlight=False, width=width, force_terminal=True
        )
    print_cells([row["cells"] for row in rows], console)
    return buffer.getvalue()


def _annotations(rows: list[Shown]) -> list[str]:
    """Write what is wrong as GitHub's workflow commands, which show it beside the line."""
    from dpaudit.report.github import annotation

    return [
        annotation(
            "error", row["file"], row["line"], row["title"], f"{row['cells'][0]}: {row['message']}"
        )
        for row in rows
        if row["message"]
    ]
