"""What the linter found beside a baseline: which findings are accepted, by file and function."""

from __future__ import annotations

import ast
from dataclasses import replace
from datetime import date
from functools import lru_cache
from pathlib import Path

from dpaudit.baseline.file import Baseline, Trouble
from dpaudit.static.lint import LintReport


def judged(report: LintReport, baseline: Baseline, today: date) -> tuple[LintReport, list[Trouble]]:
    """Return what the linter found without what is accepted, and what is wrong with entries.

    Parameters
    ----------
    report : LintReport
    baseline : Baseline
    today : date
    """
    kept, accepted = [], []
    found: dict[str, set[str]] = {}
    for finding in report.findings:
        about = place(finding.file, finding.line)
        found.setdefault(about, set()).add(finding.id)
        why = baseline.accepted(about, [finding.id], today)
        if why is None:
            kept.append(finding)
        else:
            accepted.append((finding, str(why)))
    read = {Path(file).resolve() for file in report.read}
    about_these = [
        entry
        for entry in baseline.entries
        if entry.lint
        and (not entry.is_live(today) or Path(entry.lint.partition("::")[0]).resolve() in read)
    ]
    told = baseline.troubles(about_these, found, today)
    return replace(report, findings=tuple(kept), accepted=tuple(accepted)), told


def place(file: str | None, line: int | None) -> str:
    """Return ``file::function`` of a line; the file alone where it lies in no function.

    Parameters
    ----------
    file : str or None
    line : int or None

    Returns
    -------
    str
        A method is ``file::Class.method``.
    """
    at = line or 0
    held = [name for first, last, name in _functions(_source(file)) if first <= at <= last]
    return f"{file}::{held[0]}" if held else str(file)


def _source(file: str | None) -> bytes:
    try:
        return Path(file or "").read_bytes()
    except OSError:
        return b""


@lru_cache(maxsize=32)
def _functions(source: bytes) -> tuple[tuple[int, int, str], ...]:
    """Return the lines and the names of a module's functions, outermost first."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: list[tuple[int, int, str]] = []
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, prefix = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                found.append((first, child.end_lineno or first, prefix + child.name))
            elif isinstance(child, ast.ClassDef):
                todo.append((child, f"{prefix}{child.name}."))
            else:
                todo.append((child, prefix))
    return tuple(sorted(found))
