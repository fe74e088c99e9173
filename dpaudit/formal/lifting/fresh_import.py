"""Fresh imports: which functions run when modules are imported, asked of a new process.

The process imports the modules as this one did: with the same path, arguments and environment. It
reports the functions of the user's files that were entered. Where an import leaves something behind
that may call code later by itself, such as a handler of a logger or a thread, nothing is known.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

_UNSEEN = {"sys.addaudithook", "sys.settrace", "sys.setprofile"}
_SECONDS = 300.0  # until an import counts as one that does not end


class Entered(NamedTuple):
    """A function that was entered: its file, and the first line and the name of its code."""

    file: str
    line: int
    name: str


_KNOWN: dict[Any, frozenset[Entered] | None] = {}


def entered(homes: Iterable[dict[str, Any]], texts: dict[str, str]) -> frozenset[Entered] | None:
    """Return the functions that importing modules runs, None where that cannot be asked.

    Parameters
    ----------
    homes : iterable of dict
        Globals of the modules.
    texts : dict of str to str
        What the files hold of the user's modules that are reached from there.
    """
    files: dict[str, str] = {}
    for home in homes:
        name, file = str(home.get("__name__")), home.get("__file__")
        if type(home).__module__ == "dpaudit.checker.texts":
            continue  # read as text, whose import is seen to run no function
        if name == "__main__" or vars(sys.modules.get(name, sys)) is not home:
            return None
        files[name] = str(file)
    if not files:
        return frozenset()
    key = tuple(files.items()), tuple(texts.items()), tuple(sys.path), os.getcwd()
    if key not in _KNOWN:
        _KNOWN[key] = _asked(files, texts)
    return _KNOWN[key]


def _asked(files: dict[str, str], texts: dict[str, str]) -> frozenset[Entered] | None:
    if any(_text(file) != text.rstrip("\n") for file, text in texts.items()):
        return None  # changed since
    asked = {"path": sys.path, "argv": sys.argv, "modules": [*files], "files": [*texts]}
    command = [sys.executable, "-P", __file__]
    try:
        done = subprocess.run(
            command, input=json.dumps(asked), capture_output=True, text=True, timeout=_SECONDS
        )
        said = json.loads(done.stdout)
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return None
    if said["files"] != files or not said["whole"]:
        return None
    return frozenset(Entered(*each) for each in said["entered"])


def _text(file: str) -> str | None:
    try:
        return Path(file).read_text(encoding="utf-8").rstrip("\n")
    except (OSError, ValueError):
        return None


def _report() -> None:
    """Import the modules that the standard input names, and write what ran."""
    asked = json.load(sys.stdin)
    answer, silent = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silent, stream)
    sys.path[:], sys.argv[:] = asked["path"], asked["argv"]
    files, ran, events = {*asked["files"]}, set(), set()
    importlib.import_module("numpy")
    before = _later()

    def trace(frame: Any, _event: str, _argument: Any) -> None:
        code = frame.f_code
        if code.co_filename in files:
            ran.add((code.co_filename, code.co_firstlineno, code.co_name))

    import gc

    threads = _counted_threads()
    sys.settrace(trace)
    sys.addaudithook(lambda event, _arguments: events.add(event))
    found = {name: importlib.import_module(name) for name in asked["modules"]}
    gc.collect()
    whole = not events & _UNSEEN and not threads and _later() == before and _logs_plainly()
    sys.settrace(None)
    said = {
        "files": {name: getattr(module, "__file__", None) for name, module in found.items()},
        "entered": sorted(ran),
        "whole": whole,
    }
    os.write(answer, json.dumps(said).encode())
    os._exit(0)  # what waits for the end does not run


def _counted_threads() -> list[Any]:
    """Return what each thread that begins from now on is added to: none is traced."""
    import _thread
    import threading

    begun: list[Any] = []
    for module in (_thread, threading):
        for name in ("start_new_thread", "start_new", "start_joinable_thread"):
            for alias in (name, f"_{name}"):
                start = getattr(module, alias, None)
                if start is not None:
                    setattr(module, alias, _counting(start, begun))
    return begun


def _counting(start: Any, begun: list[Any]) -> Any:
    def counted(*given: Any, **named: Any) -> Any:
        begun.append(start)
        return start(*given, **named)

    return counted


def _later() -> list[Any]:
    """Return what may call code later that nobody calls by its name."""
    import gc
    import signal
    import warnings

    import numpy as np

    streams = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__
    warned = warnings.showwarning, warnings.formatwarning, warnings._showwarnmsg_impl  # type: ignore[attr-defined]
    signals = [(s, signal.getsignal(s)) for s in sorted(signal.valid_signals())]
    return [*map(id, (*streams, *warned)), signals, [*gc.callbacks], np.geterrcall()]


def _logs_plainly() -> bool:
    """Return whether loggers have no handler, filter or format but those of the library."""
    import logging

    loggers = [logging.root, *logging.root.manager.loggerDict.values()]
    handlers = [h for logger in loggers for h in getattr(logger, "handlers", ())]
    handlers += [h for h in (logging.lastResort,) if h]
    filters = [f for each in (*loggers, *handlers) for f in getattr(each, "filters", ())]
    formats = [h.formatter for h in handlers if h.formatter]
    parts = (*loggers, *handlers, *filters, *formats, logging.getLogRecordFactory())
    kinds = [each if isinstance(each, type) else type(each) for each in parts]
    kinds += [type(h.stream) for h in handlers if hasattr(h, "stream")]
    return all(kind.__module__.partition(".")[0] in ("logging", "_io") for kind in kinds)


if __name__ == "__main__":
    _report()
