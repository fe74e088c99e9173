"""What a command writes to stdout, kept apart from what mechanisms print there."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

import click

_KEPT = "dpaudit.stdout"
STDOUT = "-"  # in the place of a file's name


def reserved(*names: str | None, wanted: bool = False) -> TextIO:
    """Reserve stdout for the output that is named -, before a mechanism is imported.

    Parameters
    ----------
    *names : str or None
        Of the files that the command is to write.
    wanted : bool
        Whether stdout is wanted for something without a name.

    Returns
    -------
    TextIO
        Where the rest of what the command says goes: stderr if stdout is reserved, else stdout.

    Raises
    ------
    click.UsageError
        Where stdout would hold more than one output.

    Notes
    -----
    From then on whatever is printed goes to stderr: by Python, by native code and by processes
    that are started, at the end of this process too.
    """
    asked = names.count(STDOUT) + wanted
    if asked > 1:
        raise click.UsageError(
            f"{asked} outputs are to go to stdout (-), which holds one; give files for the others"
        )
    if not asked:
        return sys.stdout
    context = click.get_current_context()
    before: TextIO = sys.stdout
    before.flush()
    if before is sys.__stdout__ and before.fileno() == 1:
        kept: TextIO = os.fdopen(
            os.dup(1), "w", encoding=before.encoding, errors="backslashreplace"
        )
        os.dup2(2, 1)
        context.call_on_close(lambda: _closed(kept))
    else:  # somebody else's stream
        kept = before
        sys.stdout = sys.stderr
        context.call_on_close(lambda: setattr(sys, "stdout", before))
    context.meta[_KEPT] = kept
    return sys.stderr


def _closed(kept: TextIO) -> None:
    with contextlib.suppress(OSError):  # the reader has gone
        kept.close()


def to_stdout(text: str) -> None:
    """Write to stdout, reserved or not.

    Parameters
    ----------
    text : str
    """
    context = click.get_current_context(silent=True)
    kept = None if context is None else context.meta.get(_KEPT)
    click.echo(text, file=kept, nl=False)
