"""A run as Markdown, for a step summary or a comment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpaudit.report.audited import (
    accepted_because,
    baseline_lines,
    bound,
    caught,
    counted,
    found_ids,
    in_words,
    status,
    verdict,
    why,
)
from dpaudit.report.environment import listed_environment
from dpaudit.report.escape import plain
from dpaudit.report.results import Result, results_of_lint

# A step summary on GitHub holds one MiB.
MOST_BYTES = 900_000
_LONGEST = 160
_COLUMNS = ("audit", "claim", "expected", "verdict", "found", "ε at least", "would catch ε", "")


def run_markdown(run: Mapping[str, Any]) -> str:
    """Return a run as Markdown: what is not as expected first and in full, then all the rest.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    str
    """
    audits: Sequence[Mapping[str, Any]] = run["audits"]
    wrong = [audit for audit in audits if audit["status"] not in ("OK", "ACCEPTED")]
    accepted = [audit for audit in audits if audit["status"] == "ACCEPTED"]
    right = [audit for audit in audits if audit["status"] == "OK"]
    failures = [
        f"- {code(failure['file'])} could not be used: {code(failure['message'])}"
        for failure in run.get("failures", ())
    ]
    failures += [f"- {code(line, 600)}" for line in baseline_lines(run)]
    failures += [f"- {code(a['name'])} {code(accepted_because(a), 600)}" for a in accepted]
    head = [f"## dpaudit: {counted(run)}", *([] if not failures else ["\n".join(failures)])]
    tail = [
        "NOT REFUTED is not a proof. The column `would catch ε` has the smallest violation that "
        "the run would have detected."
    ]
    place = _environment(run)
    return _fitting(
        [
            [*head, _table(wrong + accepted), *map(_section, wrong), _folded(right), *tail, place],
            [*head, _table(wrong + accepted), *map(_section, wrong), *tail, place],
            [*head, _table(wrong), *tail, place],
            [*head, "The table is too long for a summary.", *tail, place],
        ]
    )


def lint_markdown(linted: Mapping[str, Any]) -> str:
    """Return what the linter found as Markdown.

    Parameters
    ----------
    linted : mapping
        As ``dpaudit lint --format json`` prints it.

    Returns
    -------
    str
    """
    results = results_of_lint(linted)
    kept = [result for result in results if result.accepted is None]
    aside = len(results) - len(kept)
    errors = sum(result.level == "error" for result in kept)
    said = f"{errors} errors, {len(kept) - errors} warnings, {aside} set aside"
    head = [f"## dpaudit lint: {said} in {linted['functions']:,} functions"]
    return _fitting([[*head, _findings(kept)], [*head, _findings(kept[:500])], head])


def code(text: object, limit: int | None = _LONGEST) -> str:
    """Return text as code that no Markdown, table, mention or link in it can leave.

    Parameters
    ----------
    text : object
    limit : int, optional
        Longest text to show.

    Returns
    -------
    str
        Between backticks; where those or a column's bar are in it, in references of HTML.
    """
    shown = plain(text, limit)
    if shown and shown.strip() == shown and not set(shown) & set("`|"):
        return f"`{shown}`"
    escaped = "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in shown)
    return f"<code>{escaped}</code>"


def _table(audits: Sequence[Mapping[str, Any]]) -> str:
    return _rows(_COLUMNS, audits, _cells) if audits else ""


def _cells(audit: Mapping[str, Any]) -> tuple[str, ...]:
    report = audit.get("report")
    return (
        code(audit["name"]),
        "" if audit["claim"] is None else code(audit["claim"]),
        code(in_words(audit["expect"])),
        f"**{verdict(audit)}**",
        ", ".join(map(code, found_ids(audit))),
        bound(report),
        caught(report),
        status(audit),
    )


def _findings(results: Sequence[Result]) -> str:
    if not results:
        return "Nothing was found."
    return _rows(
        ("level", "what", "where", "message"),
        results,
        lambda r: (r.level, code(r.title), code(f"{r.file}:{r.line}"), code(r.message, 400)),
    )


def _rows(
    columns: Sequence[str], entries: Sequence[Any], cells: Callable[[Any], Sequence[str]]
) -> str:
    lines = [columns, ["---"] * len(columns), *map(cells, entries)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _section(audit: Mapping[str, Any]) -> str:
    heading = f"### {status(audit)}: {code(audit['name'])}"
    steps = (audit.get("report") or {}).get("next") or ()
    following = ["**Next**", _listed(steps)] if steps else []
    return "\n\n".join([heading, _listed(why(audit)), *following])


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {code(line, 600)}" for line in lines)


def _folded(audits: Sequence[Mapping[str, Any]]) -> str:
    if not audits:
        return ""
    number = f"{len(audits)} audit{'' if len(audits) == 1 else 's'} as expected"
    return f"<details><summary>{number}</summary>\n\n{_table(audits)}\n\n</details>"


def _environment(run: Mapping[str, Any]) -> str:
    found = listed_environment(run)
    if not found:
        return ""
    lines = _listed([f"{name}: {value}" for name, value in found.items()])
    return f"<details><summary>Environment of the run</summary>\n\n{lines}\n\n</details>"


def _fitting(versions: Sequence[Sequence[str]]) -> str:
    """Return the first version that is not too long, else the last."""
    for parts in versions:
        text = "\n\n".join(part for part in parts if part) + "\n"
        if len(text.encode("utf-8", "replace")) <= MOST_BYTES:
            break
    return text
