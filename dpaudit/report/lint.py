"""What the linter found, as text for people and as JSON."""

from __future__ import annotations

from collections import Counter
from textwrap import indent
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Finding
from dpaudit.report.escape import plain
from dpaudit.report.json import finding_to_dict
from dpaudit.report.paths import shown
from dpaudit.violations import VIOLATIONS

if TYPE_CHECKING:
    from dpaudit.static.lint import LintReport

SCHEMA_VERSION = 1


def lint_lines(report: LintReport) -> list[str]:
    """Return the findings as lines, each with its file and line, and a line that counts them.

    Parameters
    ----------
    report : LintReport

    Returns
    -------
    list of str
        Without control characters, whatever the linted code is called.
    """
    lines = [line for finding in report.findings for line in _finding(finding)]
    lines += [f"{plain(f.file)}: not analysed: {plain(f.message)}" for f in report.failures]
    levels = Counter(finding.level for finding in report.findings)
    counted = [_number(levels[level], level) for level in ("error", "warning") if levels[level]]
    counted += [f"{len(report.ignored)} ignored"] if report.ignored else []
    counted += [f"{len(report.accepted)} accepted"] if report.accepted else []
    said = ", ".join(counted) or "nothing found"
    lines.append(
        f"{said} in {_number(report.functions, 'function')} of {_number(report.files, 'file')}"
    )
    if report.files and not (report.functions or report.findings):
        lines.append(
            "The linter reads functions that an audit names, and functions that draw noise and "
            "mention privacy. With --all it reads every function and method."
        )
    if report.failures:
        lines.append(f"{len(report.failures)} could not be analysed")
    return lines


def lint_to_dict(report: LintReport, exit_code: int) -> dict[str, Any]:
    """Return what the linter found as JSON-able values.

    Parameters
    ----------
    report : LintReport
    exit_code : int

    Returns
    -------
    dict
        Fields are only ever added within a ``schema_version``.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "findings": [finding_to_dict(finding) for finding in report.findings],
        "ignored": [
            {**finding_to_dict(finding), "reason": reason} for finding, reason in report.ignored
        ],
        "accepted": [
            {**finding_to_dict(finding), "reason": reason} for finding, reason in report.accepted
        ],
        "failures": [{"file": shown(f.file), "message": f.message} for f in report.failures],
        "unaudited": [
            {"file": shown(file), "line": line, "name": name}
            for file, line, name in report.unaudited
        ],
        "files": report.files,
        "lines": report.lines,
        "functions": report.functions,
        "exit_code": exit_code,
    }


def rules_text(id: str) -> str:
    """Return the rules that `dpaudit lint` has for an id, with their examples.

    Parameters
    ----------
    id : str

    Returns
    -------
    str
        Empty where it has none.
    """
    from dpaudit.static.rules import rules_of

    parts = []
    for rule in rules_of(id):
        under = f"\n  The examples assume the neighbors {rule.relation}." if rule.relation else ""
        parts.append(
            f"dpaudit lint: {rule.name}\n  {rule.statement}{under}\n"
            f"  Broken\n{indent(rule.bad.rstrip(), '    ')}\n"
            f"  Fixed\n{indent(rule.good.rstrip(), '    ')}"
        )
    return "\n\n".join(parts)


def _finding(finding: Finding) -> list[str]:
    kind = str(VIOLATIONS.get(finding.id, finding.id))
    where = f"{plain(finding.file or '')}:{finding.line or 1}"
    lines = [f"{where}: {finding.level} {plain(kind)}: {plain(finding.message)}"]
    lines += [f"    {plain(what)}: {plain(file)}:{line}" for file, line, what in finding.elsewhere]
    return lines


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
