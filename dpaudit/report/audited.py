"""One audit of a stored run in plain lines, for the formats that hold text."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping
from typing import Any

from dpaudit.report.escape import plain
from dpaudit.report.numbers import lower, upper
from dpaudit.violations import VIOLATIONS

_LONGEST = 600
_VERDICTS = ("REFUTED", "INCONCLUSIVE", "NOT_REFUTED", "VERIFIED")
_STATUSES = {
    "OK": "ok",
    "ACCEPTED": "ACCEPTED",
    "UNEXPECTED": "UNEXPECTED",
    "INCOMPLETE": "INCOMPLETE",
    "INTERRUPTED": "INTERRUPTED",
}
SUMMARY = "summary"  # of an audit in the store: what a terminal showed of it
# Options of a command that change what an audit finds; isolation changes where alone.
REPLAYED = (
    "alpha", "max_calls", "max_seconds", "tier", "seed", "beacon", "arithmetic",
    "engines", "timeout",
)  # fmt: skip
_USUAL = ("isolation", "process")  # of the command line
_AROUND = re.compile(r"AddRemove\.around\(<[^>]*>(?:, (.*))?\)", re.DOTALL)
_UNKNOWN = "unknown"  # a file may say anything


def verdict(audit: Mapping[str, Any]) -> str:
    """Return the verdict in words, a dash where there is none.

    Parameters
    ----------
    audit : mapping
        An entry of ``audits`` in what ``dpaudit run --json`` writes.

    Returns
    -------
    str
    """
    report = audit.get("report")
    if report is None:
        return "-"
    if report["verdict"] == "VERIFIED" and report.get("checked") is not True:
        return in_words("INCONCLUSIVE")  # of versions that said so without asking the checker
    return in_words(report["verdict"]) if report["verdict"] in _VERDICTS else _UNKNOWN


def in_words(name: str) -> str:
    """Return a verdict or an expectation as people read it; programs read its name.

    Parameters
    ----------
    name : str
        Such as ``"NOT_REFUTED"``, or an id.

    Returns
    -------
    str

    Examples
    --------
    >>> in_words("NOT_REFUTED")
    'NOT REFUTED'
    """
    return name.replace("_", " ")


def status(audit: Mapping[str, Any]) -> str:
    """Return how the audit went beside its expectation, as the verdict table says it.

    Parameters
    ----------
    audit : mapping

    Returns
    -------
    str
    """
    return _STATUSES.get(audit["status"], _UNKNOWN)


def found_ids(audit: Mapping[str, Any]) -> list[str]:
    """Return the ids of what refutes, each once.

    Parameters
    ----------
    audit : mapping

    Returns
    -------
    list of str
    """
    findings = [] if audit.get("report") is None else audit["report"]["findings"]
    return list(dict.fromkeys(plain(f["id"]) for f in findings if f["level"] == "error"))


def number(value: Any) -> float:
    """Return a number of a result file, in which infinities are words.

    Parameters
    ----------
    value : Any

    Returns
    -------
    float
    """
    return math.nan if value is None else float(value)


def place(finding: Mapping[str, Any]) -> str:
    """Return where a finding is, empty where that is unknown.

    Parameters
    ----------
    finding : mapping

    Returns
    -------
    str
    """
    if not finding.get("file"):
        return ""
    line = "" if finding.get("line") is None else f":{finding['line']}"
    return plain(f"{finding['file']}{line}")


def kind(id: str) -> str:
    """Return an id with the name of its kind of violation.

    Parameters
    ----------
    id : str

    Returns
    -------
    str
    """
    return str(VIOLATIONS[id]) if id in VIOLATIONS else plain(id)


def why(audit: Mapping[str, Any]) -> list[str]:
    """Return what a reader of a failed audit is to know, a line each.

    Parameters
    ----------
    audit : mapping

    Returns
    -------
    list of str
    """
    report = audit.get("report")
    if report is None:
        said = plain(audit["error"] or "it was interrupted", _LONGEST)
        return [f"could not be completed: {said}", f"replay: {replay(audit)}"]
    lines = [*_stopped(audit), plain(report["sentence"], _LONGEST)]
    for finding in report["findings"]:
        where = place(finding)
        at = f" at {where}" if where else ""
        message = plain(finding["message"], _LONGEST)
        lines.append(f"{plain(finding['level'])} {kind(finding['id'])}{at}: {message}")
    lines += witness_lines(report["witness"])
    return [*lines, f"replay: {replay(audit)}"]


def _stopped(audit: Mapping[str, Any]) -> list[str]:
    """Return after which tier the time of a run has ended an audit, nothing where it has not."""
    told = audit.get("unfinished")
    if not told:
        return []
    return [plain(f"stopped by --total after tier {told['tier']} of {told['tiers']}")]


def accepted_because(audit: Mapping[str, Any]) -> str:
    """Return why and until when the baseline accepts an audit's findings, empty where it does not.

    Parameters
    ----------
    audit : mapping

    Returns
    -------
    str
    """
    given = audit.get("accepted")
    return (
        "" if not given else plain(f"accepted until {given['until']}: {given['reason']}", _LONGEST)
    )


def baseline_lines(found: Mapping[str, Any]) -> list[str]:
    """Return the entries of the baseline file that are to be looked at, a line each.

    Parameters
    ----------
    found : mapping
        As ``dpaudit run --json`` or ``dpaudit lint --format json`` writes it.

    Returns
    -------
    list of str
    """
    baseline = found.get("baseline") or {"file": "", "troubles": ()}
    return [
        plain(f"{baseline['file']}:{each['line']}: {level}: {each['message']}", _LONGEST)
        for each in baseline["troubles"]
        for level in ("error" if each["expired"] else "warning",)
    ]


def witness_lines(witness: Mapping[str, Any] | None) -> list[str]:
    """Return a witness, a line for each of its parts.

    Parameters
    ----------
    witness : mapping or None

    Returns
    -------
    list of str
    """
    if witness is None:
        return []
    if "values" in witness:
        lines = [f"{name} = {value}" for name, value in witness["values"].items()]
        lines += [f"{n}: {witness[n]}" for n in ("left", "right") if witness[n] is not None]
        return [plain(line, _LONGEST) for line in lines]
    lines = [f"{side}: {witness[side]['text']}" for side in ("left", "right")]
    lines.append(f"event: {witness['event']['words']}")
    counts = witness["counts"]
    if counts is not None:
        lines.append(
            f"seen: {counts['left']:,}/{counts['left_calls']:,} against "
            f"{counts['right']:,}/{counts['right_calls']:,} calls"
        )
    return [plain(line, _LONGEST) for line in lines]


def replay(audit: Mapping[str, Any]) -> str:
    """Return the command that runs an audit anew.

    Parameters
    ----------
    audit : mapping

    Returns
    -------
    str
        With the options that were given; what the audit or the project says holds anyway.
        ``RECORDS`` stands for the records that neighbors are around.
    """
    report = audit.get("report")
    seed = {} if report is None else _seeding(report)
    told = audit.get("options", seed)  # runs of before told the seed alone
    derived = told.get("beacon") is not None  # then the seed of the project's settings is not one
    kept = {n: v for n, v in told.items() if (n, v) != _USUAL and not (n == "seed" and derived)}
    given = written(kept)
    name = plain(audit["name"])
    if "::" in name:
        return f"dpaudit run {shlex.quote(name)}{given}"
    claim, near = shlex.quote(plain(audit["claim"])), _neighbors(plain(audit["neighbors"]))
    return f"dpaudit audit {shlex.quote(name)} --claim {claim}{near}{given}"


def _neighbors(text: str) -> str:
    """Write neighbors as options; records that they are around are in a file."""
    found = _AROUND.fullmatch(text)
    if found is None:
        return f" --neighbors {shlex.quote(text)}"
    more = found[1] or ""
    return " --around RECORDS" + (
        f" --neighbors {shlex.quote(f'AddRemove({more})')}" if more else ""
    )


def written(options: Mapping[str, Any], prefix: str = "--") -> str:
    """Write options as a command line does, with a blank before each.

    Parameters
    ----------
    options : mapping
        Of `dpaudit.audit`; those that change nothing of what is found are left out.
    prefix : str, optional
        Of their names.

    Returns
    -------
    str
    """
    text = ""
    for name in (*REPLAYED, "isolation"):
        value = options.get(name)
        if value is not None:
            shown = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            text += f" {prefix}{name.replace('_', '-')} {shlex.quote(plain(shown))}"
    return text


def _seeding(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the option that makes the same draws."""
    certificate = report.get("certificate")
    if isinstance(certificate, Mapping) and certificate.get("kind") == "evidence":
        return {"beacon": certificate["proof"]["beacon"]}
    return {"seed": report["seed"]}


def bound(report: Mapping[str, Any] | None) -> str:
    """Return the lower bound on epsilon, a dash where there is no report.

    Parameters
    ----------
    report : mapping or None

    Returns
    -------
    str
    """
    return "-" if report is None else lower(number(report["epsilon"]))


def caught(report: Mapping[str, Any] | None) -> str:
    """Return the least epsilon that would have been caught, a dash where none can be named.

    Parameters
    ----------
    report : mapping or None

    Returns
    -------
    str
    """
    value = math.inf if report is None else number(report["detectable_epsilon"])
    return upper(value) if math.isfinite(value) else "-"


def counted(run: Mapping[str, Any]) -> str:
    """Say in a line how many audits of a run ended how.

    Parameters
    ----------
    run : mapping

    Returns
    -------
    str
    """
    words = {
        "OK": "as expected",
        "ACCEPTED": "accepted",
        "UNEXPECTED": "UNEXPECTED",
        "INCOMPLETE": "could not be completed",
        "INTERRUPTED": "interrupted",
    }
    statuses = [audit["status"] for audit in run["audits"]]
    said = [f"{statuses.count(key)} {text}" for key, text in words.items() if key in statuses]
    files = len(run.get("failures", ()))
    unusable = f"; {files} file{'' if files == 1 else 's'} could not be used" if files else ""
    cut = sum(bool(audit.get("unfinished")) for audit in run["audits"])
    unusable += f"; {cut} stopped by --total before the last tier" if cut else ""
    total = len(statuses)
    return f"{total} audit{'' if total == 1 else 's'}: {', '.join(said) or 'none'}{unusable}"
