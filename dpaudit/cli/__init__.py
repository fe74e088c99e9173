"""The command line."""

from __future__ import annotations

import contextlib
import io
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


def main() -> NoReturn:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(prog_name="dpaudit", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except OSError as error:
        code = _unwritten(error)
    _leave(code if isinstance(code, int) else 0)


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
    """Exit; at once where a hung mechanism, or a module that was imported, keeps a thread."""
    others = (t for t in threading.enumerate() if t is not threading.main_thread())
    if code == _INTERRUPTED or not all(thread.daemon for thread in others):
        from dpaudit.running import end_workers
        from dpaudit.worker.leaving import leave

        end_workers()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        leave(code)
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
