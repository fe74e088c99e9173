"""What commands read and write."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dpaudit.spared import spared

if TYPE_CHECKING:
    from dpaudit.verdict import Report

T = TypeVar("T")
_RUN_FILE = 'give a file that "dpaudit run --json FILE" wrote'
_RUN = f"{_RUN_FILE}, or the number of a stored run, such as -1"


def check_writable(name: str | None) -> None:
    """Refuse a file that cannot be written before the audits take their time."""
    if name is None or name == "-":
        return
    path = Path(name)
    _validate_link(path)
    if path.is_dir() or not path.parent.is_dir():
        raise click.UsageError(f"{name} cannot be written; give a file in a folder that exists")
    if path.exists() and not path.is_file():
        return  # to open a pipe here would end it for its reader
    missing = not path.exists()
    try:
        path.open("ab").close()
        if missing:
            path.unlink()
    except OSError as error:
        raise _refused(name, error) from None


def _validate_link(path: Path) -> None:
    from dpaudit.untrusted import leads_away

    if leads_away(path):
        raise click.UsageError(
            f"{path} is a link to {path.resolve()}, outside of its folder; remove it, or name the "
            "file itself"
        )


def _refused(name: str, error: OSError) -> click.UsageError:
    why = error.strerror or type(error).__name__
    return click.UsageError(f"{name} cannot be written ({why}); give a place that is writable")


def make_folder(path: Path) -> None:
    """Make a folder before the audits take their time."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise click.UsageError(
            f"{path} cannot be made or written ({error.strerror}); "
            "give a folder in a place that is writable"
        ) from None


def write_json(name: str, value: object) -> None:
    """Write JSON."""
    from dpaudit.report.indented import indented

    write(name, indented(value) + "\n")


def write_run(json_file: str | None, reports: Sequence[str], run: dict[str, Any]) -> None:
    """Write a run as JSON and in the formats that files are named after."""
    if json_file is not None:
        kept(json_file, lambda: write_json(json_file, run))
    for name in reports:
        kept(name, partial(_write_as, name, run))


def _write_as(name: str, run: dict[str, Any]) -> None:
    """Write a run in the format that the file is named after."""
    from dpaudit.report.formats import format_of, render

    write(name, render(run, str(format_of(name))))


def write(name: str, text: str) -> None:
    """Write a file, or to stdout where its name is -."""
    if name == "-":
        click.echo(text, nl=False)
    else:
        _validate_link(Path(name))
        try:
            Path(name).write_text(text, encoding="utf-8", errors="backslashreplace")
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _refused(name, error) from None


def kept(what: str, make: Callable[[], T]) -> T | None:
    """Make what comes after the verdicts; where that fails, say so and keep verdicts and code."""
    failures: list[str] = []
    made = spared(what, make, failures)
    for said in failures:
        click.echo(printable(said), err=True)
    return made


def read_run(name: str) -> object:
    """Read a run from a file, or from the store by its number."""
    from dpaudit.roots import FOLDER, project_root
    from dpaudit.store import Store, StoreError

    if re.fullmatch(r"-?[0-9]+", name) is None or Path(name).exists():
        return read_json(name, _RUN)
    root = project_root(Path())
    try:  # what only reads makes no folder
        return Store(root if (root / FOLDER).exists() else None).result(int(name))
    except StoreError as error:
        raise ValueError(str(error)) from None


def read_json(name: str, remedy: str = _RUN_FILE) -> object:
    """Read JSON from a file, or from stdin where its name is -."""
    from dpaudit.untrusted import parsed, read

    try:
        if name == "-":
            text = read(sys.stdin.buffer).decode()
        else:
            with Path(name).open("rb") as stream:
                text = read(stream).decode()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ValueError(f"it cannot be read ({why}); {remedy}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no text in UTF-8 (byte {error.start}); {remedy}") from None
    except ValueError as error:
        raise ValueError(f"{error}; {remedy}") from None
    try:
        return parsed(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON ({error}); {remedy}") from None


def write_script(name: str, report: Report | None) -> None:
    """Write the script of a witness, where there is one."""
    witness = None if report is None else report.witness
    if witness is None:
        click.echo("no witness was found, so no script is written", err=True)
        return
    text = witness.script()
    if name == "-":
        click.echo(text)
    else:
        write(name, text)


def printable(text: str) -> str:
    """Return a text without what a terminal would obey."""
    from dpaudit.report.escape import plain

    return plain(text)
