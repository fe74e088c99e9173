"""The log of every run under a beacon: each entry holds the hash of the one before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpaudit.beacon.derive import digest
from dpaudit.roots import made_folder
from dpaudit.untrusted import parsed, validate_place, validate_tables

FILE = "evidence.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS log (
    identity TEXT NOT NULL, number INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (identity, number)
)
"""

_REMEDY = "put back what was there, or move the log away and say so"

Chain = tuple[dict[str, Any], ...]


class LogError(RuntimeError):
    """The log cannot be written, or was edited."""


class EvidenceLog:
    """The runs of a project under beacons, a chain for each source, claim and neighbors.

    Parameters
    ----------
    folder : Path
        The project's ``.dpaudit/``, which is made.

    Raises
    ------
    LogError
        Where it cannot be written.

    Notes
    -----
    An entry is committed before `start` returns, so that a run that is killed stays in the log as
    one that never ended. The first entry's ``previous`` is a hash of what the chain is about.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._file = made_folder(folder) / FILE
            validate_place(self._file)
            self._base = sqlite3.connect(self._file, timeout=30, isolation_level=None)
            validate_tables(self._base, _TABLE)
            self._base.execute(_TABLE)
        except NotADirectoryError as error:
            raise LogError(f"the log of runs under a beacon has no place: {error}") from error
        except OSError as error:
            why = error.strerror or error
            raise LogError(
                f"the log in {folder} cannot be written ({why}); make it writable"
            ) from error
        except sqlite3.DatabaseError as error:
            raise LogError(f"the log {self._file} cannot be used ({error}); {_REMEDY}") from error

    def start(self, identity: Mapping[str, Any], content: Mapping[str, Any]) -> Chain:
        """Write down that a run begins.

        Parameters
        ----------
        identity : mapping
            What it is about.
        content : mapping
            Its options and its beacon.

        Returns
        -------
        tuple of dict
            The chain, this run's entry last.

        Raises
        ------
        LogError
            Where the log was edited.
        """
        return self._append(identity, "start", content)

    def end(self, identity: Mapping[str, Any], content: Mapping[str, Any]) -> None:
        """Write down what a run came to.

        Parameters
        ----------
        identity : mapping
        content : mapping
            ``run``, the number of the entry that began it, and its ``verdict``.
        """
        self._append(identity, "end", content)

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def _append(self, identity: Mapping[str, Any], kind: str, content: Mapping[str, Any]) -> Chain:
        about = digest("chain", identity)
        try:
            self._base.execute("BEGIN IMMEDIATE")  # no other run gets between reading and writing
            try:
                rows = self._base.execute(
                    "SELECT entry FROM log WHERE identity = ? ORDER BY number", (about,)
                )
                chain = [parsed(row[0]) for row in rows]
                entry = {
                    "number": len(chain) + 1,
                    "previous": self._head(about, chain),
                    "kind": kind,
                    "content": dict(content),
                }
                entry["hash"] = digest("entry", entry)
                self._base.execute(
                    "INSERT INTO log VALUES (?, ?, ?)",
                    (about, entry["number"], json.dumps(entry, allow_nan=False)),
                )
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            raise LogError(f"the log {self._file} cannot be written ({error})") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise LogError(f"the log {self._file} was edited: {error}; {_REMEDY}") from error
        return (*chain, entry)

    def _head(self, about: str, chain: list[Any]) -> str:
        """Return the hash of the last entry of a chain that nobody edited."""
        head = about
        for number, entry in enumerate(chain, 1):
            rest = {name: value for name, value in entry.items() if name != "hash"}
            linked = entry.get("number") == number and entry.get("previous") == head
            if not linked or entry.get("hash") != digest("entry", rest):
                raise LogError(
                    f"the log {self._file} was edited: entry {number} does not follow from the one "
                    f"before; {_REMEDY}"
                )
            head = entry["hash"]
        return head


def attempts(chain: Chain) -> int:
    """Return how many runs a chain knows, those that never ended among them."""
    return sum(entry["kind"] == "start" for entry in chain)
