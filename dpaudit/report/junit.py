"""A run as JUnit XML, one test case an audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dpaudit.report.audited import accepted_because, found_ids, in_words, verdict, why
from dpaudit.report.environment import listed_environment, utc_of
from dpaudit.report.escape import plain
from dpaudit.report.paths import is_inside
from dpaudit.report.results import Result, results_of_baseline, results_of_lint

_LONGEST = 300


def run_junit(run: Mapping[str, Any]) -> str:
    """Return a run as JUnit XML.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    str
        An unexpected verdict is a failure, and so is an acceptance that expired; what
        could not be completed is an error; what the baseline accepts, and what the user
        interrupted, is skipped.
    """
    suites: dict[str, list[Element]] = {}
    for audit in run["audits"]:
        file = audit["name"].partition("::")[0]
        suites.setdefault(file, []).append(_case(audit, file))
    for failure in run.get("failures", ()):
        case = _named("import", failure["file"])
        _trouble(case, "error", "UNUSABLE", failure["message"], [failure["message"]])
        suites.setdefault(failure["file"], []).append(case)
    for result in results_of_baseline(run):
        suites.setdefault(result.file, []).append(_found(result))
    return _document(suites, listed_environment(run), utc_of(run))


def lint_junit(linted: Mapping[str, Any]) -> str:
    """Return what the linter found as JUnit XML, one test case a finding.

    Parameters
    ----------
    linted : mapping
        As ``dpaudit lint --format json`` prints it.

    Returns
    -------
    str
        An error fails; a warning passes and is told; what is set aside is skipped.
    """
    suites: dict[str, list[Element]] = {}
    for result in results_of_lint(linted):
        suites.setdefault(result.file, []).append(_found(result))
    return _document(suites or {"dpaudit lint": [_named("nothing found", "dpaudit lint")]})


def properties(audit: Mapping[str, Any], number: int = 1) -> dict[str, str]:
    """Return what programs read of an audit in JUnit XML: by ``dpaudit report`` and by pytest.

    Parameters
    ----------
    audit : mapping
        An entry of ``audits`` in what ``dpaudit run --json`` writes.
    number : int
        Which it is of the audits of a test case, from 1.

    Returns
    -------
    dict
        By names that begin with ``dpaudit.``, or ``dpaudit.2.`` for a second audit; without what
        is not known. The verdict is its name, epsilon the lower bound in nats.
    """
    report = audit.get("report") or {}
    known = {
        "mechanism": audit["mechanism"],
        "claim": audit["claim"],
        "neighbors": audit["neighbors"],
        "expected": audit["expect"],
        "verdict": report.get("verdict"),
        "checked": report.get("checked"),
        "found": ", ".join(found_ids(audit)),
        **{key: report.get(key) for key in ("epsilon", "calls", "alpha", "alpha_spent", "seed")},
    }
    prefix = "dpaudit" if number == 1 else f"dpaudit.{number}"
    return {
        f"{prefix}.{name}": plain(value, _LONGEST)
        for name, value in known.items()
        if value not in (None, "")
    }


def _case(audit: Mapping[str, Any], file: str) -> Element:
    report = audit.get("report")
    case = _named(audit["name"].partition("::")[2] or audit["name"], file)
    case.set("time", f"{0.0 if report is None else report['seconds']:.3f}")
    if report is not None and is_inside(report["file"]):
        case.set("file", plain(report["file"]))
        case.set("line", plain(report["line"] or 1))
    listed = SubElement(case, "properties")
    for name, value in properties(audit).items():
        SubElement(listed, "property", name=name, value=value)
    if audit["status"] == "UNEXPECTED":
        said = f"expected {in_words(audit['expect'])}, got {verdict(audit)}"
        _trouble(case, "failure", "UNEXPECTED", said, why(audit))
    elif audit["status"] == "INCOMPLETE":
        reason = audit["error"] or (report and report["reason"]) or "it could not be completed"
        _trouble(case, "error", "INCOMPLETE", reason, why(audit))
    elif audit["status"] == "ACCEPTED":
        SubElement(case, "skipped", message=plain(accepted_because(audit), _LONGEST))
    elif audit["status"] != "OK":
        SubElement(case, "skipped", message="interrupted")
    return case


def _found(result: Result) -> Element:
    case = _named(f"{result.rule} line {result.line}", result.file)
    case.set("file", plain(result.file))
    case.set("line", plain(result.line))
    steps = [f"{what}: {file}:{line}" for file, line, what in result.related]
    lines = [f"{result.file}:{result.line}: {result.title}: {result.message}", *steps]
    if result.accepted is not None:
        SubElement(case, "skipped", message=plain(result.accepted, _LONGEST))
    elif result.level == "error":
        _trouble(case, "failure", result.rule, result.message, lines)
    else:
        SubElement(case, "system-out").text = "\n".join(map(plain, lines))
    return case


def _named(name: str, file: str) -> Element:
    group = file.removesuffix(".py").replace("/", ".")
    return Element("testcase", classname=plain(group), name=plain(name), time="0.000")


def _trouble(case: Element, tag: str, type: str, message: str, lines: Iterable[str]) -> None:
    trouble = SubElement(case, tag, type=plain(type), message=plain(message, _LONGEST))
    trouble.text = "\n".join(map(plain, lines))


def _document(
    suites: Mapping[str, list[Element]],
    environment: Mapping[str, str] | None = None,
    time: str | None = None,
) -> str:
    root = Element("testsuites", name="dpaudit")
    for file, cases in suites.items():
        suite = SubElement(root, "testsuite", name=plain(file))
        if time is not None:
            suite.set("timestamp", time)
        if environment:
            listed = SubElement(suite, "properties")
            for name, value in environment.items():
                SubElement(listed, "property", name=f"dpaudit.environment.{name}", value=value)
        suite.extend(cases)
        _count(suite, cases)
    _count(root, [case for cases in suites.values() for case in cases])
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _count(element: Element, cases: list[Element]) -> None:
    element.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(sum(case.find(tag) is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
