"""The command line."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from typing import NoReturn

import click

from dpaudit.cli.accepting import baseline
from dpaudit.cli.auditing import audit, run
from dpaudit.cli.proving import check, verify
from dpaudit.cli.reading import explain, lint, list_audits
from dpaudit.cli.reporting import compare, report, review
from dpaudit.cli.starting import completion, init
from dpaudit.report.escape import plain

_INTERRUPTED = 130
_EXIT = os._exit  # as it is before a module of the user's is imported


def main() -> NoReturn:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _exit_code()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:  # while the command ended for another reason
        code = _INTERRUPTED
    _leave(code)


def _exit_code() -> int:
    """Run the command line, and return the code that the process is to exit with."""
    try:
        code = cli.main(prog_name="dpaudit", standalone_mode=False)
    except click.ClickException as error:
        with contextlib.suppress(OSError):  # nobody may read any more
            error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        with contextlib.suppress(OSError):
            click.echo("interrupted", err=True)
        code = _INTERRUPTED
    except SystemExit as end:  # click's way to end where nobody reads its output
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BrokenPipeError:
        with contextlib.suppress(OSError):
            sys.stderr.close()
        code = 1
    except OSError as error:
        code = _unwritten(error)
    return code if isinstance(code, int) else 0


def _unwritten(error: OSError) -> int:
    """Say what the system refused, such as to write to a disk that is full."""
    where = "" if error.filename is None else f"{error.filename}: "
    said = f"error: {where}{error.strerror or error}; give outputs a place that is writable"
    with contextlib.suppress(OSError):
        click.echo(plain(said), err=True)
    with contextlib.suppress(OSError):  # what it still holds cannot be written either
        sys.stdout.close()
    return 1


def _leave(code: int) -> NoReturn:
    """Exit; at once where a hung mechanism, or a module that was imported, keeps a thread.

    Nothing is imported here: an interrupt may have left a module half imported, or a thread in it.
    """
    others = (t for t in threading.enumerate() if t is not threading.main_thread())
    if code == _INTERRUPTED or not all(thread.daemon for thread in others):
        workers = sys.modules.get("multiprocessing")
        with contextlib.suppress(AttributeError):  # half imported: there are none yet
            for process in () if workers is None else workers.active_children():
                process.kill()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        _EXIT(code)
    sys.exit(code)


def _version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    import dpaudit

    click.echo(f"dpaudit {dpaudit.__version__}")
    context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Check whether code keeps a differential privacy claim.

    Start with "dpaudit init MODULE:FUNCTION" and "dpaudit run".

    \b
    Exit codes:
      0    every verdict is the expected one
      1    a verdict is unexpected, or an entry of the baseline has expired
      2    the command or the settings are wrong, or no audit was found
      3    an audit was not completed, or a file could not be written
      130  the run was interrupted

    If several codes apply, dpaudit exits with 130, else with 1, else with 3.
    """


for _command in (
    run, audit, verify, check, init, completion, list_audits, lint, baseline, report, compare,
    review, explain,
):  # fmt: skip
    cli.add_command(_command)
