"""The formats that a run and the linter's findings can be written in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from dpaudit.evidence import Verdict
from dpaudit.report.github import lint_annotations, run_annotations
from dpaudit.report.junit import lint_junit, run_junit
from dpaudit.report.markdown import lint_markdown, run_markdown
from dpaudit.report.sarif import lint_sarif, run_sarif

Renderer = Callable[[Mapping[str, Any]], str]


def _run_html(run: Mapping[str, Any]) -> str:
    from dpaudit.report.page import run_html  # draws with NumPy

    return run_html(run)


def _lint_html(linted: Mapping[str, Any]) -> str:
    from dpaudit.report.page import lint_html

    return lint_html(linted)


RUN_FORMATS: dict[str, Renderer] = {
    "html": _run_html,
    "sarif": run_sarif,
    "junit": run_junit,
    "github": run_annotations,
    "markdown": run_markdown,
}
LINT_FORMATS: dict[str, Renderer] = {
    "html": _lint_html,
    "sarif": lint_sarif,
    "junit": lint_junit,
    "github": lint_annotations,
    "markdown": lint_markdown,
}
SUFFIXES = {
    ".html": "html",
    ".sarif": "sarif",
    ".xml": "junit",
    ".md": "markdown",
}
SCHEMA_VERSION = 1
_STATUSES = ("OK", "ACCEPTED", "UNEXPECTED", "INCOMPLETE", "INTERRUPTED")
# What reading such a run raises.
MISSHAPEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def format_of(name: str) -> str | None:
    """Return the format that a file is named after, None where none is.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None

    Examples
    --------
    >>> format_of("build/dpaudit.sarif")
    'sarif'
    """
    lowered = PurePath(name).name.lower().removesuffix(".json")
    return next((f for suffix, f in SUFFIXES.items() if lowered.endswith(suffix)), None)


def render(run: object, form: str) -> str:
    """Return a stored run in a format.

    Parameters
    ----------
    run : Any
        As ``dpaudit run --json`` writes it.
    form : str
        Any of `RUN_FORMATS`.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        Where it is no run that this version can read.
    """
    known = known_run(run)
    try:
        return RUN_FORMATS[form](known)
    except MISSHAPEN as error:
        raise misshapen(error) from error


def known_run(run: object) -> dict[str, Any]:
    """Return a stored run that this version can read.

    Parameters
    ----------
    run : Any
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        Where it is none.
    """
    if not isinstance(run, dict) or not isinstance(run.get("audits"), list):
        raise ValueError('it is no run; "dpaudit run --json FILE" writes one')
    if run.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(
            f"its schema_version is {run.get('schema_version')!r}, and this version of dpaudit "
            f"reads {SCHEMA_VERSION}; run the audits anew"
        )
    for number, audit in enumerate(run["audits"], 1):
        if not _has_ended(audit):
            raise ValueError(
                f"a part of it is missing or misshapen (audit {number} has no status and verdict "
                "that audits have); run the audits anew"
            )
    return run


def _has_ended(audit: object) -> bool:
    """Return whether an audit says how it ended, in words that a comparison can rank."""
    if not isinstance(audit, dict) or "report" not in audit:
        return False
    status, report = audit.get("status"), audit["report"]
    if report is None:
        return status in ("INCOMPLETE", "INTERRUPTED")
    verdict = report.get("verdict") if isinstance(report, dict) else None
    known = isinstance(status, str) and isinstance(verdict, str)
    return known and status in _STATUSES and verdict in Verdict.__members__


def misshapen(error: Exception) -> ValueError:
    """Return what to say of a run in which a part could not be read."""
    return ValueError(
        f"a part of it is missing or misshapen ({type(error).__name__}: {error}); "
        "run the audits anew"
    )
