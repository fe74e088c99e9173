"""The nights of an audit: what accumulating runs left, in an SQLite file of its own.

Each audit has a file below ``.dpaudit/nights/``. In it every test that was begun has its nights,
their seeds, and what the last committed batch left. A test is named by all that its evidence is
about: where any of it changes, another test begins.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import randbits
from types import TracebackType

from dpaudit.roots import FOLDER, made_folder
from dpaudit.store import now
from dpaudit.untrusted import parsed, validate_place, validate_tables

NIGHTS = "nights"
LAYOUT = 1  # of the tables
_SEED_BITS = 53  # any JSON reader keeps them
_PATIENCE = 2.0  # seconds, for a run that is just ending
_SETTINGS = ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL")
_TABLES = """
CREATE TABLE IF NOT EXISTS tests (
    number INTEGER PRIMARY KEY,
    begun TEXT NOT NULL,
    stated TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS nights (
    test INTEGER NOT NULL REFERENCES tests (number),
    number INTEGER NOT NULL,
    run INTEGER NOT NULL,
    seed TEXT NOT NULL UNIQUE,
    began TEXT NOT NULL,
    calls INTEGER,
    log_e_value REAL,
    PRIMARY KEY (test, number)
);
CREATE TABLE IF NOT EXISTS parts (
    test INTEGER NOT NULL REFERENCES tests (number),
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (test, name)
);
"""


class NightsError(Exception):
    """A night that cannot begin, or go on."""


class Night:
    """A run of an audit that goes on with the evidence of those before.

    Parameters
    ----------
    root : Path
        The project's folder.
    name : str
        Of the audit.
    stated : mapping
        All that the evidence is about: texts by what they say. Evidence goes on where all are
        equal.
    run : int
        Number of the run in the store.
    seed : int or None
        Of tonight's draws; a new one where None.
    used : callable, optional
        Whether a seed was used elsewhere.

    Attributes
    ----------
    night, seed : int
    anew : tuple of str
        What has changed since the test before this one; empty unless this is the first night of
        one that is not the first.

    Raises
    ------
    NightsError
        Where the file cannot be read, another run has it, or the seed was used.

    Notes
    -----
    The night is booked when this returns. Until it is closed, or its process is gone, the file is
    locked.
    """

    def __init__(
        self,
        root: Path,
        name: str,
        stated: Mapping[str, str],
        run: int,
        seed: int | None = None,
        used: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self._name, self._file = name, nights_file(root, name)
        try:
            made_folder(root / FOLDER)
            self._file.parent.mkdir(exist_ok=True)
            validate_place(self._file.parent)
            validate_place(self._file)
            self._base = sqlite3.connect(self._file, timeout=_PATIENCE, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise NightsError(f"{self._file} cannot be written ({error})") from error
        try:
            self._lock()
            with self._base:
                self._base.execute("BEGIN")
                self._test, self.anew = self._found(stated)
                self.seed = self._unused(seed, used)
                self.night = self._book(run)
        except sqlite3.Error as error:
            self.close()
            raise self._unreadable(error) from error
        except NightsError:
            self.close()
            raise

    def _lock(self) -> None:
        """Take the file for this process: SQLite lets it go when the process is gone.

        What was committed outlives the process, and the file stays whole if the machine stops.
        """
        try:
            for setting in _SETTINGS:
                self._base.execute(f"PRAGMA {setting}").fetchall()
            self._base.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            raise NightsError(
                f"another run accumulates evidence on {self._name} now; wait until it has ended"
            ) from None
        (layout,) = self._base.execute("PRAGMA user_version").fetchone()
        if layout not in (0, LAYOUT):
            raise NightsError(
                f"{self._file} has layout {layout}, this version of dpaudit knows {LAYOUT}; "
                "move it away"
            )
        validate_tables(self._base, _TABLES)
        for statement in filter(str.strip, _TABLES.split(";")):
            self._base.execute(statement)
        self._base.execute(f"PRAGMA user_version = {LAYOUT}")
        self._base.execute("COMMIT")

    def _found(self, stated: Mapping[str, str]) -> tuple[int, tuple[str, ...]]:
        """Return the number of the test, and what changed where it is a new one."""
        text = json.dumps(dict(stated), sort_keys=True)
        row = self._base.execute("SELECT number FROM tests WHERE stated = ?", (text,)).fetchone()
        if row is not None:
            return row[0], ()
        last = self._base.execute("SELECT stated FROM tests ORDER BY number DESC").fetchone()
        made = self._base.execute(
            "INSERT INTO tests (begun, stated) VALUES (?, ?)", (now(), text)
        ).lastrowid
        assert made is not None
        if last is None:
            return made, ()
        try:
            before = dict(parsed(str(last[0])))
        except (TypeError, ValueError) as error:
            raise self._unreadable(error) from error
        return made, tuple(k for k in {**before, **stated} if before.get(k) != stated.get(k))

    def _unused(self, seed: int | None, used: Callable[[int], bool]) -> int:
        """Return the seed, or a new one; refuse one with which draws were made before."""
        rows = self._base.execute("SELECT seed, test, number FROM nights")
        try:
            known = {int(text): (test, number) for text, test, number in rows}
        except (TypeError, ValueError) as error:
            raise self._unreadable(error) from None
        if seed is None:
            return next(new for new in iter(lambda: randbits(_SEED_BITS), -1) if new not in known)
        if seed in known:
            test, number = known[seed]
            which = f"night {number}" + ("" if test == self._test else " of an earlier test")
        elif used(seed):
            which = "a run that is stored"
        else:
            return seed
        raise NightsError(
            f"the seed {seed} was used in {which} of {self._name}: the same draws would count "
            "twice, or be chosen. Leave --seed out, or give a new one"
        )

    def _book(self, run: int) -> int:
        (last,) = self._base.execute(
            "SELECT COALESCE(MAX(number), 0) FROM nights WHERE test = ?", (self._test,)
        ).fetchone()
        self._base.execute(
            "INSERT INTO nights (test, number, run, seed, began) VALUES (?, ?, ?, ?, ?)",
            (self._test, last + 1, run, str(self.seed), now()),
        )
        return int(last) + 1

    def parts(self) -> Mapping[str, bytes]:
        """Return what was written last under each name; see `statistical.nightly.Memory`."""
        rows = self._base.execute(
            "SELECT name, content, digest FROM parts WHERE test = ?", (self._test,)
        ).fetchall()
        for name, content, digest in rows:
            if not isinstance(content, bytes) or _digest(content) != digest:
                raise self._unreadable(f"{name!r} is not what was written")
        return {name: content for name, content, _ in rows}

    def write(self, parts: Mapping[str, bytes], calls: int, log_e_value: float) -> None:
        """Commit some parts, all or none of them; see `statistical.nightly.Memory`."""
        rows = [(self._test, name, each, _digest(each)) for name, each in parts.items()]
        with self._base:
            self._base.execute("BEGIN")
            self._base.executemany("INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)", rows)
            self._base.execute(
                "UPDATE nights SET calls = ?, log_e_value = ? WHERE test = ? AND number = ?",
                (calls, log_e_value, self._test, self.night),
            )

    def _unreadable(self, why: object) -> NightsError:
        return NightsError(
            f"{self._file} cannot be read ({why}); move it away, and {self._name} begins a new "
            "test, with an error probability of its own"
        )

    def close(self) -> None:
        """Let go of the file."""
        with suppress(sqlite3.Error):
            self._base.close()

    def __enter__(self) -> Night:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def nights_file(root: Path, name: str) -> Path:
    """Return the file of an audit's nights.

    Parameters
    ----------
    root : Path
        The project's folder.
    name : str
        Of the audit.
    """
    words = re.sub(r"[^\w-]+", "_", name, flags=re.ASCII)[-60:]
    return root / FOLDER / NIGHTS / f"{words}-{_digest(name.encode())[:12]}.sqlite"


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
