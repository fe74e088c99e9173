"""Files that somebody else may have made: what is read of them, and where nothing is written."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from pathlib import Path
from typing import IO, Any

LONGEST = 200_000_000  # bytes of a file, or of a value in a database
DEEPEST = 200  # lists and objects within one another


def parsed(text: str) -> Any:
    """Return what JSON holds.

    Parameters
    ----------
    text : str

    Raises
    ------
    ValueError
        Where it is none, holds NaN or infinities, a name twice in one object, or is nested deeply.
    """
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(f"it is nested more than {DEEPEST} levels deep") from None
    level = [found]
    for _ in range(DEEPEST):
        inside = [each for each in level if isinstance(each, dict | list)]
        level = [v for each in inside for v in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return found
    raise ValueError(f"it is nested more than {DEEPEST} levels deep")


def read(stream: IO[bytes]) -> bytes:
    """Return what a file holds.

    Raises
    ------
    ValueError
        Where it is too long.
    """
    content = stream.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST:,} bytes")
    return content


def contents(path: str | Path) -> bytes:
    """Return what a file holds; what is no file is refused before anything is read of it.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    OSError
        Where it cannot be read.
    ValueError
        Where it is a pipe or a device, which may never end, or too long.
    """
    with open(path, "rb", opener=_at_once) as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is a pipe or a device, no regular file")
        if found.st_size > LONGEST:
            raise ValueError(f"it is {found.st_size:,} bytes long, at most {LONGEST:,} are read")
        return read(stream)


def _at_once(path: str, flags: int) -> int:
    """Open a file; a pipe too, for whose writer one would wait."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def leads_away(path: Path) -> bool:
    """Return whether a name is a link to a file elsewhere; devices and pipes are no files."""
    if not path.is_symlink():
        return False
    target = path.resolve()
    if target.exists() and not target.is_file() and not target.is_dir():
        return False
    return not target.is_relative_to(path.parent.resolve())


def validate_place(path: Path) -> None:
    """Refuse to write where a link leads out of the folder that was named.

    Raises
    ------
    OSError
        With the remedy.
    """
    if leads_away(path):
        raise OSError(0, f"it is a link to {path.resolve()}, outside of its folder; remove it")


def validate_tables(base: sqlite3.Connection, schema: str) -> None:
    """Refuse a database that holds more than tables of ours, so that none of its SQL runs.

    Parameters
    ----------
    base : Connection
    schema : str
        What makes our tables.

    Raises
    ------
    sqlite3.DatabaseError
        Naming what is not ours: a trigger, a view, another table or column.
    """
    base.execute("PRAGMA trusted_schema = OFF")
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    ours = sqlite3.connect(":memory:")
    try:
        ours.executescript(schema)
        known = _columns(ours)
    finally:
        ours.close()
    for what, columns in _columns(base).items():
        if known.get(what) != columns:
            kind, name = what
            raise sqlite3.DatabaseError(
                f"not a database of dpaudit: it has the {kind} {name!r:.60}"
            )


def _columns(base: sqlite3.Connection) -> dict[tuple[str, str], list[Any]]:
    """Return the columns of each table, and what else there is."""
    held = base.execute("SELECT type, name FROM sqlite_master").fetchall()
    named = [(kind, str(name)) for kind, name in held if not str(name).startswith("sqlite_")]
    return {
        (kind, name): base.execute(
            "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)", (name,)
        ).fetchall()
        if kind == "table"
        else []
        for kind, name in named
    }


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
