"""Comments that set a finding aside: ``# dpaudit: ignore[DPA105] reason="…" until=2027-01-01``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from typing import Literal

from dpaudit.evidence import Finding
from dpaudit.static.modules import Module
from dpaudit.violations import INVALID_IGNORE, UNUSED_IGNORE, VIOLATIONS

_SPEAKS = re.compile(r"#.*(?:dpaudit|DPA\d)", re.I)  # else no comment needs to be looked at
_COMMENT = re.compile(r"#\s*dpaudit:\s*ignore\b(?P<rest>.*)", re.S)
_WORDS = re.compile(r"#+\s*(?P<who>[\w-]+)\s*(?P<colon>:?)\s*(?P<what>[\w-]+)(?P<rest>[^#]*)")
_ID = re.compile(r"\bDPA\d", re.I)
_LISTED = re.compile(r"\s*[\[=(:]\s*DPA\d", re.I)
_ALIKE, _NEARLY = 0.75, 0.85  # of `difflib`: ingore, ignor, ignored; dpaduit, but not audit
_IDS = re.compile(r"^\s*\[(?P<ids>[^\]]*)\]")
_REASON = re.compile(r'\breason\s*=\s*"(?P<reason>[^"]*)"')
_UNTIL = re.compile(r"\buntil\s*=\s*(?P<until>\S+)")
_FORM = '# dpaudit: ignore[DPA105] reason="why it is none" until=2027-01-01'


Span = tuple[int, int]


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
    at : int
        Its own line.
    """

    ids: frozenset[str]
    reason: str
    line: int
    last: int
    at: int

    def covers(self, finding: Finding) -> bool:
        """Whether it sets a finding of its module aside."""
        return finding.id in self.ids and self.line <= (finding.line or 0) <= self.last


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
    if _SPEAKS.search(module.text) is None:
        return good, wrong
    for line, comment, alone in _comments(module):
        match = _COMMENT.search(comment)
        if match is None:
            if _is_misspelt(comment):
                said = f"the comment is misspelt; write {_FORM}"
                wrong.append(_finding(module, line, INVALID_IGNORE, said))
            continue
        ids, reason, problem = _parsed(match["rest"], today)
        if problem:
            said = f"the comment {problem}"
            wrong.append(_finding(module, line, INVALID_IGNORE, said))
            continue
        first = _code_below(module, line) if alone else line
        good.append(Ignore(ids, reason, first, _end(module, first), line))
    return good, wrong


def set_aside(
    modules: Sequence[Module],
    findings: Sequence[Finding],
    today: date,
    read: Mapping[str, Sequence[Span]],
) -> tuple[list[Finding], list[tuple[Finding, str]]]:
    """Apply the comments of modules to what was found in them.

    Parameters
    ----------
    modules : sequence of Module
    findings : sequence of Finding
    today : date
    read : mapping of str to sequence of (int, int)
        First and last line of each function that was read to its end, by file.

    Returns
    -------
    list of Finding
        Those that no comment sets aside, an error for each comment that does not hold, and a
        warning for each in what was read that sets nothing aside.
    list of (Finding, str)
        Those that one does, and its reason.
    """
    comments: dict[str, list[Ignore]] = {}
    kept: list[Finding] = []
    for module in modules:
        comments[module.shown], wrong = ignores(module, today)
        kept += wrong
    aside: list[tuple[Finding, str]] = []
    for finding in findings:
        reason = ignored_by(finding, comments.get(finding.file or "", []))
        if reason is None:
            kept.append(finding)
        else:
            aside.append((finding, reason))
    for module in modules:
        for comment in comments[module.shown]:
            kept += _unused(module, comment, aside, read.get(module.shown, ()))
    return kept, aside


def _unused(
    module: Module,
    comment: Ignore,
    aside: Sequence[tuple[Finding, str]],
    read: Sequence[Span],
) -> list[Finding]:
    """Return a warning where some id of a comment is not found; nothing is known elsewhere."""
    if not any(first <= comment.line <= last for first, last in read):
        return []
    used = {f.id for f, _ in aside if f.file == module.shown and comment.covers(f)}
    needless = sorted(comment.ids - used)
    if not needless:
        return []
    remedy = "take these out of the comment" if used else "remove the comment"
    said = f"{' and '.join(needless)} {'is' if len(needless) == 1 else 'are'} not found here"
    return [_finding(module, comment.at, UNUSED_IGNORE, f"{said}; {remedy}", "warning")]


def ignored_by(finding: Finding, comments: Sequence[Ignore]) -> str | None:
    """Return the reason of the comment that sets a finding aside, None where none does."""
    return next((comment.reason for comment in comments if comment.covers(finding)), None)


def _finding(
    module: Module, line: int, id: str, said: str, level: Literal["error", "warning"] = "error"
) -> Finding:
    return Finding(id, level, said, file=module.shown, line=line, engine="static")


def _is_misspelt(comment: str) -> bool:
    """Whether a comment that sets nothing aside was meant to."""
    for words in _WORDS.finditer(comment):
        who, asked = _alike(words["who"], "dpaudit"), _alike(words["what"], "ignore")
        if who == 1 and words["colon"] and (asked >= _ALIKE or _LISTED.match(words["rest"])):
            return True
        if who >= _NEARLY and asked >= _ALIKE and _ID.search(words["rest"]):
            return True
    return False


def _alike(word: str, meant: str) -> float:
    return SequenceMatcher(None, word.lower().replace("-", ""), meant).ratio()


def _parsed(rest: str, today: date) -> tuple[frozenset[str], str, str]:
    """Return the ids and the reason of a comment, and what is wrong with it."""
    listed = _IDS.match(rest)
    ids = frozenset(part.strip() for part in listed["ids"].split(",")) if listed else frozenset()
    known = frozenset(ids & set(VIOLATIONS))
    if not ids or ids != known:
        unknown = ", ".join(sorted(ids - known - {""}))
        names = f"{unknown}, which is not a kind of violation" if unknown else "nothing"
        return known, "", f"names {names}; write {_FORM}"
    reason = _REASON.search(rest)
    if reason is None or not reason["reason"].strip():
        return known, "", f"gives no reason; write {_FORM}"
    until = _UNTIL.search(rest)
    if until is None:
        return known, reason["reason"], ""
    try:
        last = date.fromisoformat(until["until"])
    except ValueError:
        return known, "", f"has until={until['until']}, which is not a date; write {_FORM}"
    if last < today:
        return known, "", f"has expired ({last}); mend the code, or give a new reason and date"
    return known, reason["reason"], ""


def _comments(module: Module) -> list[tuple[int, str, bool]]:
    """Return comments with their line, and whether they stand alone on it."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
            if token.type == tokenize.COMMENT and _SPEAKS.search(token.string):
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
