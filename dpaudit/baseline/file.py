"""Reads a baseline file: which findings are accepted, why, and until when."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from dpaudit.untrusted import contents
from dpaudit.violations import VIOLATIONS

FILE = "dpaudit-baseline.toml"
TABLE = "accept"
_WRITES = "dpaudit baseline writes one"
_KEYS = ("audit", "lint", "ids", "reason", "until")
_HEADER = re.compile(rf"^[ \t]*\[\[[ \t]*{TABLE}[ \t]*\]\]", re.M)


class BaselineError(ValueError):
    """The baseline file cannot be used."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Why a finding is accepted.

    Attributes
    ----------
    reason : str
    until : date
        The last day on which it is.
    """

    reason: str
    until: date

    def __str__(self) -> str:
        return f"accepted until {self.until}: {self.reason}"

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON-able values."""
        return {"reason": self.reason, "until": self.until.isoformat()}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the file.

    Attributes
    ----------
    audit : str
        The name of an audit; empty where it is about the linter.
    lint : str
        ``file::function`` of what the linter found; empty where it is about an audit.
    ids : tuple of str
        Kinds of violation.
    acceptance : Acceptance
    line : int
        Where it begins in the file; 1 where that is not known.
    """

    audit: str
    lint: str
    ids: tuple[str, ...]
    acceptance: Acceptance
    line: int

    @property
    def about(self) -> str:
        """What it is about."""
        return self.audit or self.lint

    def is_live(self, today: date) -> bool:
        """Whether it has not expired."""
        return today <= self.acceptance.until


@dataclass(frozen=True, slots=True)
class Trouble:
    """An entry that is to be looked at.

    Attributes
    ----------
    expired : bool
        True is an error; False, it accepts nothing any more, is a warning.
    line : int
    message : str
    """

    expired: bool
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is accepted.

    Attributes
    ----------
    name : str
        Of the file.
    entries : tuple of Entry
    text : str
        Of the file.
    """

    name: str = ""
    entries: tuple[Entry, ...] = ()
    text: str = ""

    def accepted(self, about: str, ids: Iterable[str], today: date) -> Acceptance | None:
        """Return why all findings of one audit, or of one function, are accepted.

        Parameters
        ----------
        about : str
            An audit's name, or ``file::function`` for the linter.
        ids : iterable of str
        today : date

        Returns
        -------
        Acceptance or None
            None where one of them is not, or there is none. Of several entries, the reasons
            together and the first of the days.
        """
        wanted = set(ids)
        live = [e for e in self.entries if e.about == about and e.is_live(today)]
        used = [entry for entry in live if wanted & set(entry.ids)]
        if not wanted or not wanted.issubset(id for entry in used for id in entry.ids):
            return None
        reasons = dict.fromkeys(entry.acceptance.reason for entry in used)
        return Acceptance("; ".join(reasons), min(entry.acceptance.until for entry in used))

    def troubles(
        self, entries: Iterable[Entry], found: Mapping[str, Iterable[str]], today: date
    ) -> list[Trouble]:
        """Return which entries have expired, and which accept nothing any more.

        Parameters
        ----------
        entries : iterable of Entry
            Those that are about what was looked at.
        found : mapping of str to iterable of str
            Kinds of violation that were found, by what an entry is about.
        today : date
        """
        told = []
        for entry in entries:
            what = f"{', '.join(entry.ids)} of {entry.about}"
            if not entry.is_live(today):
                said = f"the acceptance of {what} expired on {entry.acceptance.until}; mend the "
                said += "code and remove this entry, or give it a new reason and date"
                told.append(Trouble(True, entry.line, said))
            elif not set(found.get(entry.about, ())) & set(entry.ids):
                said = f"{what} was not found any more; remove this entry"
                told.append(Trouble(False, entry.line, said))
        return told


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Baseline

    Raises
    ------
    BaselineError
        Where it cannot be read, is no TOML, or an entry lacks what it must have.

    Notes
    -----
    Every entry is a table ``[[accept]]`` with ``audit`` (the name of an audit) or ``lint``
    (``"file.py::function"``), ``ids``, ``reason`` and ``until``, a date.
    """
    try:
        text = contents(path).decode()
    except OSError as error:
        raise BaselineError(
            f"the baseline {path} cannot be read ({error.strerror}); {_WRITES}"
        ) from None
    except UnicodeDecodeError as error:
        said = f"the baseline {path} is no text in UTF-8 (byte {error.start}); {_WRITES}"
        raise BaselineError(said) from None
    except ValueError as error:
        raise BaselineError(f"the baseline {path} cannot be used: {error}; {_WRITES}") from None
    return _parsed(text, path)


def _parsed(text: str, path: Path) -> Baseline:
    try:
        content = tomllib.loads(text)
    except (RecursionError, ValueError) as error:  # too deep, or too long a number, too
        said = f"the baseline {path} is no TOML ({error}); {_WRITES}"
        raise BaselineError(said) from None
    unknown = sorted(content.keys() - {TABLE})
    if unknown:
        raise BaselineError(f"{path} has {unknown[0]!r}; its entries are tables [[{TABLE}]]")
    listed = content.get(TABLE, [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise BaselineError(f"{path}: {TABLE} must be tables [[{TABLE}]], got {listed!r:.60}")
    lines = [text.count("\n", 0, match.start()) + 1 for match in _HEADER.finditer(text)]
    if len(lines) != len(listed):
        lines = [1] * len(listed)
    entries = [_entry(f"{path}:{n}", each, n) for n, each in zip(lines, listed, strict=True)]
    return Baseline(path.as_posix(), tuple(entries), text)


def _entry(where: str, given: dict[str, Any], line: int) -> Entry:
    for key in given:
        if key not in _KEYS:
            raise BaselineError(f"{where} has no key {key!r}; there are {', '.join(_KEYS)}")
    if ("audit" in given) == ("lint" in given):
        raise BaselineError(
            f'{where} must have either audit = "file.py::name" or lint = "file.py::function"'
        )
    reason = _text(where, given, "reason", "say why this finding is accepted")
    about = {
        key: _text(where, given, key, "give its name as dpaudit list or lint shows it")
        if key in given
        else ""
        for key in ("audit", "lint")
    }
    ids = given.get("ids")
    if not isinstance(ids, list) or not ids:
        raise BaselineError(f'{where}: ids must be a list such as ["DPA103"], got {ids!r:.60}')
    for id in ids:
        if id not in VIOLATIONS:
            raise BaselineError(
                f"{where}: {id!r:.60} is not a kind of violation; dpaudit explain lists them"
            )
    acceptance = Acceptance(reason, _until(where, given))
    return Entry(about["audit"], about["lint"], tuple(ids), acceptance, line)


def _text(where: str, given: dict[str, Any], key: str, remedy: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BaselineError(f"{where}: {key} must be a text, got {value!r:.60}; {remedy}")
    return value.strip()


def _until(where: str, given: dict[str, Any]) -> date:
    """Return the last day, which TOML may hold as a date or as a text."""
    value = given.get("until")
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return parsed_day(value)
    except ValueError:
        raise BaselineError(
            f"{where}: until must be a day such as 2027-01-31, got {value!s:.60}"
        ) from None


def parsed_day(value: object) -> date:
    """Return a day written as ``2027-01-31``, or raise ValueError."""
    if not isinstance(value, str) or re.fullmatch(r"\d{4}-\d\d-\d\d", value.strip()) is None:
        raise ValueError
    return date.fromisoformat(value.strip())
