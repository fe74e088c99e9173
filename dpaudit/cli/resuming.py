"""What a run that was stopped leaves to its user: an orderly end, and how to go on."""

from __future__ import annotations

import contextlib
import shlex
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import click
from click.core import ParameterSource

# Of what was finished they are not kept, so that a run which goes on does not take them.
_NOT_AGAIN = frozenset({"resume", "certificates", "scripts", "cache_folder"})
# A night goes on where the last one was stopped by itself, and needs a seed of its own.
_NOT_ANOTHER_NIGHT = frozenset({"seed"})


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """Take the request to terminate, by which batch systems end a job, for an interrupt.

    What a process that is killed outright leaves behind is freed without a warning.
    """
    from dpaudit.worker.contexts import silent_tracker

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    silent_tracker()
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def resuming(context: click.Context) -> str:
    """Return the command that goes on with the run of a context.

    Parameters
    ----------
    context : click.Context

    Returns
    -------
    str
        With the arguments and options that were given.
    """
    words = ["dpaudit", *context.command_path.split()[1:]]
    accumulates = context.params.get("accumulate", False)
    left_out = _NOT_ANOTHER_NIGHT if accumulates else _NOT_AGAIN
    if not accumulates:
        words.append("--resume")
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in left_out:
            words += _words(parameter, context.params[name])
    return shlex.join(words)


def _words(parameter: click.Parameter, value: Any) -> list[str]:
    if not isinstance(parameter, click.Option):
        return [str(each) for each in value]
    option = max(parameter.opts, key=len)
    if parameter.is_flag:
        return [option if value else max(parameter.secondary_opts, key=len)]
    values = value if parameter.multiple else [value]
    return [word for each in values for word in (option, _written(each))]


def _written(value: object) -> str:
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return value.as_posix() if isinstance(value, Path) else str(value)
