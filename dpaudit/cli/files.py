"""What commands read and write."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import click

from dpaudit.cli.stdout import STDOUT, to_stdout
from dpaudit.spared import spared

if TYPE_CHECKING:
    from dpaudit.verdict import Report

T = TypeVar("T")
D = TypeVar("D")
INCOMPLETE = 3
_NOT_MADE = "dpaudit.not_made"
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


def write_run(
    json_file: str | None, reports: Sequence[str], run: dict[str, Any], code: int
) -> None:
    """Write a run in the formats that files are named after, and as JSON.

    The JSON is the last that a command makes, since it says what could not be made.
    """
    for name in reports:
        kept(name, partial(_write_as, name, run))
    if json_file is not None:
        run["not_made"] += [said for said in not_made() if said not in run["not_made"]]
        run["exit_code"] = final(code)
        kept(json_file, lambda: write_json(json_file, run))


def _write_as(name: str, run: dict[str, Any]) -> None:
    """Write a run in the format that the file is named after."""
    from dpaudit.report.formats import format_of, render

    write(name, render(run, str(format_of(name))))


def write(name: str, text: str) -> None:
    """Write a file, or to stdout where its name is -."""
    if name == STDOUT:
        to_stdout(text)
    else:
        _validate_link(Path(name))
        try:
            Path(name).write_text(text, encoding="utf-8", errors="backslashreplace")
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _refused(name, error) from None


@overload
def kept(what: str, make: Callable[[], T]) -> T | None: ...
@overload
def kept(what: str, make: Callable[[], T], otherwise: D) -> T | D: ...


def kept(what: str, make: Callable[[], Any], otherwise: Any = None) -> Any:
    """Make what comes after the verdicts; where that fails, say so, and see `final`."""
    failures: list[str] = []
    made = spared(what, make, failures, otherwise)
    said(failures)
    return made


def said(failures: Sequence[str]) -> None:
    """Say what could not be made after the verdicts, each once; see `final`."""
    known = not_made()
    for failure in dict.fromkeys(failures):
        if failure not in known:
            click.echo(printable(failure), err=True)
            known.append(failure)


def not_made() -> list[str]:
    """Return what the command could not make after the verdicts; sentences can be added."""
    context = click.get_current_context(silent=True)
    found: list[str] = [] if context is None else context.meta.setdefault(_NOT_MADE, [])
    return found


def final(code: int) -> int:
    """Return the exit code of a command: 3 for 0 where something could not be made."""
    return INCOMPLETE if code == 0 and not_made() else code


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
    from dpaudit.untrusted import contents, parsed, read

    try:
        text = (read(sys.stdin.buffer) if name == "-" else contents(name)).decode()
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
    write(name, f"{text}\n" if name == STDOUT else text)


def write_certificate(name: str, certificate: Any) -> None:
    """Write a certificate."""
    if name != STDOUT:
        _validate_link(Path(name))
        certificate.save(name)
    else:
        write(name, json.dumps(certificate.to_dict(), indent=1, allow_nan=False) + "\n")


def printable(text: str) -> str:
    """Return a text without what a terminal would obey."""
    from dpaudit.report.escape import plain

    return plain(text)
