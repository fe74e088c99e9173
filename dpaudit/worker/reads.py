"""Records what audited code reads and asks for beside its source, from Python's audit events."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.util import source_from_cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

# After these nothing says what a result depends on.
OUTSIDE = (
    "ctypes.dlopen", "glob.glob", "os.exec", "os.fork", "os.listdir", "os.posix_spawn",
    "os.scandir", "os.system", "pty.spawn", "socket.connect", "socket.getaddrinfo",
    "sqlite3.connect", "subprocess.Popen", "urllib.Request",
)  # fmt: skip
_WRITES = os.O_WRONLY
_MOST_FRAMES = 200
_OURS = str(Path(__file__).resolve().parents[1]) + os.sep
_FOLDERS = Path(os.__file__).resolve().parent, Path(np.__file__).resolve().parents[1]
_INSTALLED = tuple(f"{folder}{os.sep}" for folder in _FOLDERS)
_STANDS_FOR = _OURS + "outputs" + os.sep  # audited code calls it in place of Python's `open`
_SYSTEM = ("/proc/", "/sys/", "/dev/")

_log: tuple[str, int] | None = None  # the file that is written, and its descriptor
_hooked = False
_seen: set[tuple[str, str]] = set()


@contextmanager
def recording(log: str | None) -> Iterator[None]:
    """Write down what code reads, here and in worker processes that are started inside.

    Parameters
    ----------
    log : str or None
        A file that grows; None writes nothing.

    Notes
    -----
    Python has no way to remove a hook: it stays, and does nothing outside of the context.
    """
    if log is None:
        yield
        return
    record_to(log)
    try:
        yield
    finally:
        _stop()


def log_of_process() -> str | None:
    """Return the file in which this process writes down what is read, None where it does not."""
    return None if _log is None else _log[0]


def record_to(log: str) -> None:
    """Write down from now on what code reads in this process.

    Parameters
    ----------
    log : str
    """
    global _log, _hooked
    _stop()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    _log = log, os.open(log, flags, 0o600)
    _seen.clear()
    if not _hooked:
        sys.addaudithook(_heard)
        _hooked = True


def _stop() -> None:
    global _log
    if _log is not None:
        descriptor, _log = _log[1], None
        os.close(descriptor)


def read_log(log: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the files that were read, and the events after which nothing is known.

    Parameters
    ----------
    log : str
    """
    try:
        text = Path(log).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return frozenset(), frozenset({"no record of what was read"})
    lines = [line.partition(" ") for line in text.split("\0") if line]
    files = frozenset(what for kind, _, what in lines if kind == "file")
    return files, frozenset(what for kind, _, what in lines if kind == "event")


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if _log is None:
        return
    if event == "open":
        _opened(*arguments)
    elif event in OUTSIDE and ("event", event) not in _seen and _is_asked(sys._getframe(1), False):
        _note("event", event)


def _opened(path: Any, _: Any, flags: Any) -> None:
    if isinstance(path, int) or (isinstance(flags, int) and flags & _WRITES):
        return
    try:
        name = os.path.realpath(os.fsdecode(path))  # the sandbox of a mechanism holds links
    except (TypeError, ValueError):
        return
    if ("file", name) in _seen or is_installed(name):
        return
    if _is_asked(sys._getframe(2), name.endswith((".py", ".pyc"))):
        _note("file", name)


def _note(kind: str, what: str) -> None:
    _seen.add((kind, what))
    if _log is not None:
        with suppress(OSError):
            os.write(_log[1], f"{kind} {what}\0".encode("utf-8", "surrogateescape"))


def _is_asked(frame: FrameType | None, imports: bool) -> bool:
    """Whether audited code asks, and not dpaudit; `imports` where an import alone is enough."""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return False
        name = frame.f_code.co_filename
        if name.startswith("<frozen importlib"):
            return imports
        if not name.startswith("<"):
            if name.startswith(_OURS):
                if not name.startswith(_STANDS_FOR):
                    return False
            elif not is_installed(name):
                return True
        frame = frame.f_back
    return True


@lru_cache(maxsize=8192)
def is_installed(name: str) -> bool:
    """Whether a file is of Python, of an installed package, of dpaudit or of the system.

    Parameters
    ----------
    name : str
        An absolute path.
    """
    path = os.path.realpath(name)
    if name.startswith(_SYSTEM) or "site-packages" in path:
        return True
    return path.startswith((_OURS, *_INSTALLED))


def source_of(name: str) -> str:
    """Return the source of a compiled module, and the name of any other file as it is.

    Parameters
    ----------
    name : str
    """
    if name.endswith(".pyc"):
        with suppress(ValueError, NotImplementedError):
            return source_from_cache(name)
    return name
