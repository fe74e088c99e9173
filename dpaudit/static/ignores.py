"""Comments that set a finding aside: ``# dpaudit: ignore[DPA105] reason="…" until=2027-01-01``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from dpaudit.evidence import Finding
from dpaudit.static.modules import Module
from dpaudit.violations import INVALID_IGNORE, VIOLATIONS

_COMMENT = re.compile(r"#\s*dpaudit:\s*ignore\b(?P<rest>.*)", re.S)
_IDS = re.compile(r"^\s*\[(?P<ids>[^\]]*)\]")
_REASON = re.compile(r'\breason\s*=\s*"(?P<reason>[^"]*)"')
_UNTIL = re.compile(r"\buntil\s*=\s*(?P<until>\S+)")
_FORM = '# dpaudit: ignore[DPA105] reason="why it is none" until=2027-01-01'


@dataclass(frozen=True, slots=True)
class Ignore:
    """A comment that sets findings aside.

    Attributes
    ----------
    ids : frozenset of str
    reason : str
    line : int
        Of the code that it stands beside, or above.
    last : int
        Last line of the statement that it is for.
    """

    ids: frozenset[str]
    reason: str
    line: int
    last: int


def ignores(module: Module, today: date) -> tuple[list[Ignore], list[Finding]]:
    """Return a module's comments that hold, and an error for each that does not.

    The error is one of how dpaudit is told what to leave out, and no kind of violation.

    Parameters
    ----------
    module : Module
    today : date

    Returns
    -------
    list of Ignore
    list of Finding
    """
    good: list[Ignore] = []
    wrong: list[Finding] = []
    if "dpaudit:" not in module.text:
        return good, wrong
    for line, comment, alone in _comments(module):
        match = _COMMENT.search(comment)
        if match is None:
            continue
        ids, reason, problem = _parsed(match["rest"], today)
        if problem:
            said = f"the comment sets nothing aside: {problem}"
            wrong.append(
                Finding(
                    INVALID_IGNORE, "error", said, file=module.shown, line=line, engine="static"
                )
            )
            continue
        first = _code_below(module, line) if alone else line
        good.append(Ignore(ids, reason, first, _end(module, first)))
    return good, wrong


def ignored_by(finding: Finding, comments: Sequence[Ignore]) -> str | None:
    """Return the reason of the comment that sets a finding aside, None where none does."""
    for comment in comments:
        if finding.id in comment.ids and comment.line <= (finding.line or 0) <= comment.last:
            return comment.reason
    return None


def _parsed(rest: str, today: date) -> tuple[frozenset[str], str, str]:
    """Return the ids and the reason of a comment, and what is wrong with it."""
    listed = _IDS.match(rest)
    ids = frozenset(part.strip() for part in listed["ids"].split(",")) if listed else frozenset()
    known = frozenset(ids & set(VIOLATIONS))
    if not ids or ids != known:
        unknown = ", ".join(sorted(ids - known - {""}))
        names = f"{unknown}, which is no kind of violation" if unknown else "nothing"
        return known, "", f"it names {names}; write {_FORM}"
    reason = _REASON.search(rest)
    if reason is None or not reason["reason"].strip():
        return known, "", f"it gives no reason; write {_FORM}"
    until = _UNTIL.search(rest)
    if until is None:
        return known, reason["reason"], ""
    try:
        last = date.fromisoformat(until["until"])
    except ValueError:
        return known, "", f"until={until['until']} is no date; write {_FORM}"
    if last < today:
        return known, "", f"it expired on {last}; mend the code, or give a new reason and date"
    return known, reason["reason"], ""


def _comments(module: Module) -> list[tuple[int, str, bool]]:
    """Return comments with their line, and whether they stand alone on it."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
            if token.type == tokenize.COMMENT and "dpaudit:" in token.string:
                alone = not token.line[: token.start[1]].strip()
                found.append((token.start[0], token.string, alone))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def _code_below(module: Module, line: int) -> int:
    for number in range(line, len(module.lines)):
        text = module.lines[number].strip()
        if text and not text.startswith("#"):
            return number + 1
    return line


def _end(module: Module, line: int) -> int:
    """Return the last line of the simple statement that starts on a line, or is around it."""
    import ast

    last = line
    for node in ast.walk(module.tree):
        if (
            isinstance(node, ast.stmt)
            and not hasattr(node, "body")
            and (node.lineno <= line <= (node.end_lineno or node.lineno))
        ):
            last = max(last, node.end_lineno or line)
    return last
