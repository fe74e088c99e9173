"""What earlier runs found, in SQLite below ``.dpaudit/``: nothing that was finished is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from dpaudit.report.audited import SUMMARY
from dpaudit.roots import FOLDER, made_folder
from dpaudit.untrusted import parsed, validate_place, validate_tables

FILE = "runs.sqlite"
LAYOUT = 1  # of the tables
INSTALLED = "the installed packages"
_LAST = 8  # runs that a message names
_NOT_OURS = {"site-packages", "node_modules", "__pycache__"}
_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    ended TEXT,
    command TEXT NOT NULL,
    code TEXT NOT NULL,
    result TEXT
);
CREATE TABLE IF NOT EXISTS audits (
    run INTEGER NOT NULL REFERENCES runs (number),
    name TEXT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (run, name)
);
"""


class StoreError(Exception):
    """The store cannot be used."""


class Store:
    """The runs of a project.

    Parameters
    ----------
    root : Path or None
        The project's folder, in which ``.dpaudit/`` is made; None forgets all in the end.

    Raises
    ------
    StoreError
        Where it cannot be written, or is of another version.

    Attributes
    ----------
    is_kept : bool
        Whether there is something left of it in the end.

    Notes
    -----
    Every finished audit is committed by itself: a process that is killed leaves what it had
    finished; a power cut may take the last of it. What is stored is JSON text; nothing is ever
    unpickled.
    """

    def __init__(self, root: Path | None) -> None:
        self.is_kept = root is not None
        self._lock = threading.Lock()  # audits end in threads
        try:
            file = ":memory:" if root is None else str(made_folder(root / FOLDER) / FILE)
            validate_place(Path(file))
            self._base = sqlite3.connect(file, timeout=30, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            with self._base:
                (layout,) = self._base.execute("PRAGMA user_version").fetchone()
                if layout not in (0, LAYOUT):
                    raise StoreError(
                        f"{file} has layout {layout}, this version of dpaudit knows {LAYOUT}; "
                        "move it away"
                    )
                validate_tables(self._base, _TABLES)
                self._base.executescript(_TABLES)
                self._base.execute(f"PRAGMA user_version = {LAYOUT}")
        except (OSError, sqlite3.Error) as error:
            if "not a database" in str(error) or "malformed" in str(error):
                raise StoreError(f"{file} cannot be used ({error}); move it away") from error
            if isinstance(error, NotADirectoryError):
                raise StoreError(str(error)) from error
            raise StoreError(
                f"{root}/{FOLDER} cannot be used ({error}); runs are stored there, so make it "
                "readable and writable"
            ) from error

    def begin(self, command: Mapping[str, Any], code: Mapping[str, str]) -> int:
        """Book a run before its first draw.

        Parameters
        ----------
        command : mapping
            What was asked: paths, selection, options, version.
        code : mapping
            Of `code_of`.

        Returns
        -------
        int
            Its number.
        """
        row = (now(), _text(command), _text(code))
        with self._lock, self._base:
            made = self._base.execute(
                "INSERT INTO runs (started, command, code) VALUES (?, ?, ?)", row
            )
        assert made.lastrowid is not None
        return made.lastrowid

    def keep(self, run: int, audit: Mapping[str, Any]) -> None:
        """Commit a finished audit.

        Parameters
        ----------
        run : int
        audit : mapping
            As in what ``dpaudit run --json`` writes, perhaps with a summary.
        """
        with self._lock, self._base:
            self._base.execute(
                "INSERT OR REPLACE INTO audits VALUES (?, ?, ?)", (run, audit["name"], _text(audit))
            )

    def finish(self, run: int, result: Mapping[str, Any]) -> None:
        """Commit that a run has ended.

        Parameters
        ----------
        run : int
        result : mapping
            What ``dpaudit run --json`` writes; its audits stand by themselves.
        """
        rest = {key: value for key, value in result.items() if key != "audits"}
        order = [audit["name"] for audit in result["audits"]]
        with self._lock, self._base:
            self._base.execute(
                "UPDATE runs SET ended = ?, result = ? WHERE number = ?",
                (now(), _text({**rest, "order": order}), run),
            )

    def unfinished(self) -> tuple[int, dict[str, Any], dict[str, Any]] | None:
        """Return the last run's number, command and code, or None if it ended."""
        row = self._base.execute(
            "SELECT number, command, code, ended FROM runs ORDER BY number DESC LIMIT 1"
        ).fetchone()
        if row is None or row[3] is not None:
            return None
        return row[0], _read(row[1]), _read(row[2])

    def kept(self, run: int) -> dict[str, dict[str, Any]]:
        """Return what a run's finished audits found, by name.

        Parameters
        ----------
        run : int
        """
        rows = self._base.execute("SELECT name, result FROM audits WHERE run = ?", (run,))
        return {name: _read(text) for name, text in rows}

    def latest(self, before: int) -> dict[str, dict[str, Any]]:
        """Return what was stored last of every audit, by name.

        Parameters
        ----------
        before : int
            Number of a run; only earlier ones count.
        """
        last = "SELECT name, MAX(run) FROM audits WHERE run < ? GROUP BY name"
        rows = self._base.execute(
            f"SELECT name, result FROM audits WHERE (name, run) IN ({last})", (before,)
        )
        return {name: _read(text) for name, text in rows}

    def result(self, run: int) -> dict[str, Any]:
        """Return a run as ``dpaudit run --json`` wrote it.

        Parameters
        ----------
        run : int
            Its number; from the end where negative, -1 the last that ended.

        Raises
        ------
        StoreError
            Where there is none of this number that ended.
        """
        rows = self._base.execute(
            "SELECT number, result FROM runs WHERE ended IS NOT NULL ORDER BY number"
        ).fetchall()
        by_number = dict(rows)
        if run < 0 and -run <= len(rows):
            run = rows[run][0]
        if run not in by_number:
            known = ", ".join(map(str, list(by_number)[-_LAST:]))
            remedy = f"there are {known}" if known else "there are none: dpaudit run makes them"
            raise StoreError(f"no run {run} has ended; {remedy}")
        result = _read(by_number[run])
        audits, order = self.kept(run), result.pop("order", None)
        if not isinstance(order, list):
            raise StoreError(f"run {run} of the store is not what dpaudit wrote; move it away")
        result["audits"] = [
            audits[name] for name in order if isinstance(name, str) and name in audits
        ]
        for audit in result["audits"]:
            audit.pop(SUMMARY, None)
        return result

    def seeds(self, name: str) -> frozenset[int]:
        """Return the seeds with which an audit has ended, in any run.

        Parameters
        ----------
        name : str
        """
        rows = self._base.execute("SELECT result FROM audits WHERE name = ?", (name,))
        reports = [_read(text).get("report") for (text,) in rows]
        seeds = [report.get("seed") for report in reports if isinstance(report, dict)]
        return frozenset(seed for seed in seeds if isinstance(seed, int))

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()


def code_of(root: Path) -> dict[str, str]:
    """Return hashes of the project's modules, imported yet or not, and of what is installed.

    Parameters
    ----------
    root : Path
        The project's folder; what is installed below it does not count.

    Returns
    -------
    dict
        By the path of a file in the project; that of Python and its packages under ``INSTALLED``.
    """
    inside = root.resolve()
    files = set(_modules_below(inside))
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if isinstance(name, str):
            file = Path(name).resolve()
            if file.is_relative_to(inside) and "site-packages" not in file.parts:
                files.add(file)
    installed = repr((sys.version, sorted(installed_packages()))).encode()
    return {INSTALLED: sha256(installed).hexdigest()} | {
        file.relative_to(inside).as_posix(): sha256(file.read_bytes()).hexdigest()
        for file in sorted(files)
        if file.is_file()
    }


def code_hash(code: Mapping[str, str]) -> str:
    """Return one hash of what `code_of` returns.

    Parameters
    ----------
    code : mapping
    """
    return sha256(json.dumps(code, sort_keys=True).encode()).hexdigest()


def _modules_below(root: Path) -> Iterator[Path]:
    """Yield the modules in a project's folders; some are imported by a mechanism only."""
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".") and f not in _NOT_OURS]
        if "pyvenv.cfg" in names:
            folders.clear()
            continue
        yield from (Path(folder, name) for name in names if name.endswith(".py"))


def installed_packages() -> set[str]:
    """Return the names and versions of all packages that are installed."""
    read = (each.metadata for each in distributions())  # each of name and version would read it
    return {f"{each['Name']}=={each['Version']}" for each in read}


def now() -> str:
    """Return the time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _read(text: object) -> dict[str, Any]:
    """Return an object that a cell holds."""
    try:
        found = parsed(text) if isinstance(text, str) else None
    except ValueError as error:
        raise StoreError(f"the store is not what dpaudit wrote ({error}); move it away") from None
    if not isinstance(found, dict):
        raise StoreError("the store is not what dpaudit wrote; move it away")
    return found


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, allow_nan=False)
