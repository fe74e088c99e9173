"""Results as the workflow commands that GitHub shows as annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpaudit.report.escape import plain
from dpaudit.report.results import Result, results_of_lint, results_of_run

_LONGEST = 4_000


def run_annotations(run: Mapping[str, Any]) -> str:
    """Return a run as annotations, one a line, errors first.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    str
        Without what an audit expects.
    """
    return _annotations(results_of_run(run))


def lint_annotations(linted: Mapping[str, Any]) -> str:
    """Return what the linter found as annotations.

    Parameters
    ----------
    linted : mapping
        As ``dpaudit lint --format json`` prints it.

    Returns
    -------
    str
        Without what a comment sets aside.
    """
    return _annotations(results_of_lint(linted))


def _annotations(results: Sequence[Result]) -> str:
    # GitHub shows the first ten of a level in a step.
    wanted = [result for result in results if result.accepted is None]
    ordered = sorted(wanted, key=lambda result: result.level != "error")
    return "".join(f"{_annotation(result)}\n" for result in ordered)


def _annotation(result: Result) -> str:
    message = plain(result.message, _LONGEST)
    level = "notice" if result.level == "note" else result.level
    return annotation(level, result.file, result.line, result.title, message)


def annotation(level: str, file: str, line: int, title: str, message: str) -> str:
    """Return one workflow command.

    Parameters
    ----------
    level : {"error", "warning", "notice"}
    file : str
        Relative to the root of the repository.
    line : int
    title, message : str

    Returns
    -------
    str
        A line.
    """
    properties = {"file": file, "line": str(line), "title": title}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
