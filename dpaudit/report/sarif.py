"""Results as SARIF 2.1.0, for services that show them beside the code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from dpaudit.report.environment import listed_environment, utc_of
from dpaudit.report.escape import plain
from dpaudit.report.results import (
    INCOMPLETE,
    OWN_RULES,
    UNUSABLE,
    Result,
    fingerprints,
    results_of_lint,
    results_of_run,
)
from dpaudit.violations import INVALID_IGNORE, VIOLATIONS, Violation

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "dpaudit/v1"
# What GitHub's code scanning accepts of one run.
MOST_RESULTS = 25_000
_LONGEST = 4_000
_MOST_RELATED = 100


def run_sarif(run: Mapping[str, Any]) -> str:
    """Return a run as SARIF.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    str
    """
    log = _log(results_of_run(run), "run", str(run["dpaudit"]), run["exit_code"], "very-high")
    [written] = log["runs"]
    ended, environment = utc_of(run), listed_environment(run)
    written["invocations"][0] |= {} if ended is None else {"endTimeUtc": ended}
    written |= {"properties": {"environment": environment}} if environment else {}
    return _text(log)


def lint_sarif(linted: Mapping[str, Any]) -> str:
    """Return what the linter found as SARIF.

    Parameters
    ----------
    linted : mapping
        As ``dpaudit lint --format json`` prints it.

    Returns
    -------
    str
    """
    import dpaudit

    found = results_of_lint(linted)
    return _text(_log(found, "lint", dpaudit.__version__, linted["exit_code"], "medium"))


def _log(
    results: Sequence[Result], what: str, version: str, code: int, precision: str
) -> dict[str, Any]:
    """Write a log; the results that count come first, should there be too many.

    GitHub's code scanning takes its own fingerprint from the source when a log is uploaded; that
    of other services is ours.
    """
    ordered = sorted(results, key=lambda r: (r.accepted is not None, r.level != "error"))
    kept = list(zip(ordered, fingerprints(ordered), strict=True))[:MOST_RESULTS]
    rules = [_rule(violation, precision) for violation in VIOLATIONS.values()]
    rules += [_own_rule(id, statement) for id, statement in OWN_RULES.items()]
    places = {rule["id"]: index for index, rule in enumerate(rules)}
    troubles = [r for r in results if r.rule in (INCOMPLETE, UNUSABLE)]
    told_wrong = [r for r in results if r.rule == INVALID_IGNORE]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "dpaudit",
                        "version": version,
                        "semanticVersion": version,
                        "rules": rules,
                    }
                },
                "automationDetails": {"id": f"dpaudit/{what}/"},
                "invocations": [
                    {
                        "executionSuccessful": not troubles,
                        "exitCode": code,
                        "toolExecutionNotifications": _notifications(troubles),
                        "toolConfigurationNotifications": _notifications(told_wrong),
                    }
                ],
                "originalUriBaseIds": {
                    _ROOT: {"description": {"text": "The root of the repository."}}
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(result, mark, places) for result, mark in kept],
            }
        ],
    }


def _text(log: Mapping[str, Any]) -> str:
    return json.dumps(log, indent=2, allow_nan=False) + "\n"


def _notifications(results: Sequence[Result]) -> list[dict[str, Any]]:
    return [{"level": "error", "message": _message(r.message)} for r in results]


def _rule(violation: Violation, precision: str) -> dict[str, Any]:
    help = violation.text()
    return {
        "id": violation.id,
        "name": violation.name,
        "shortDescription": {"text": violation.name.replace("-", " ")},
        "fullDescription": {"text": violation.statement},
        "help": {"text": help, "markdown": _help(violation)},
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "tags": ["differential-privacy", "privacy", "security"],
            "precision": precision,
            "problem.severity": "error",
        },
    }


def _help(violation: Violation) -> str:
    parts = [
        f"**{violation.statement}**",
        violation.why,
        f"Broken:\n\n```python\n{violation.bad}\n```",
        f"Fixed:\n\n```python\n{violation.good}\n```",
        violation.remedy,
        "\n".join(f"- {reference}" for reference in violation.references),
    ]
    return "\n\n".join(part for part in parts if part)


def _own_rule(id: str, statement: str) -> dict[str, Any]:
    return {
        "id": id,
        "name": id,
        "shortDescription": {"text": id.replace("-", " ")},
        "fullDescription": {"text": statement},
        "help": {"text": statement},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["differential-privacy"], "problem.severity": "error"},
    }


def _result(result: Result, mark: str, rules: Mapping[str, int]) -> dict[str, Any]:
    cause = _location(result.file, result.line)
    written: dict[str, Any] = {
        "ruleId": result.rule,
        "level": result.level,
        "message": _message(result.message),
        "locations": [cause],
        "partialFingerprints": {_FINGERPRINT: mark},
    }
    if result.rule in rules:
        written["ruleIndex"] = rules[result.rule]
    if result.subject and result.subject != result.file:
        cause["logicalLocations"] = [{"fullyQualifiedName": result.subject}]
    related = result.related[:_MOST_RELATED]
    if related:
        what = "the cause" if result.located else "the mechanism"
        steps = [(result.file, result.line, what), *related]
        written["relatedLocations"] = [
            {"id": number, **_location(file, line, what)}
            for number, (file, line, what) in enumerate(related, 1)
        ]
        written["codeFlows"] = [
            {"threadFlows": [{"locations": [{"location": _location(*step)} for step in steps]}]}
        ]
    if result.accepted is not None:
        written["suppressions"] = [
            {
                "kind": "inSource" if result.in_source else "external",
                "justification": plain(result.accepted, _LONGEST),
            }
        ]
    if result.properties:
        written["properties"] = {k: _plain(v) for k, v in result.properties.items()}
    return written


def _location(file: str, line: int, what: str | None = None) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(file), "uriBaseId": _ROOT},
            "region": {"startLine": line},
        }
    }
    if what is not None:
        location["message"] = _message(what)
    return location


def _uri(file: str) -> str:
    return quote(file.encode("utf-8", "surrogateescape"), safe="/")


def _message(text: str) -> dict[str, str]:
    """Return a message in which nothing is a link or a placeholder (SARIF 2.1.0, 3.11.5 f.)."""
    shown = plain(text, _LONGEST).replace("](", "] (")
    return {"text": re.sub(r"\{(\d+)\}", r"{ \1 }", shown)}


def _plain(value: object) -> object:
    return plain(value, _LONGEST) if isinstance(value, str) else value
