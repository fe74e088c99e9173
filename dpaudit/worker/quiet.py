"""Keeps a mechanism's prints, warnings and questions away from the audit."""

from __future__ import annotations

import builtins
import io
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self

import numpy as np

from dpaudit.outputs.emitting import is_installed, own_packages, package_of
from dpaudit.outputs.files import DEVICES, WRITING
from dpaudit.subject import Subject

GLOBAL_STATE = threading.RLock()  # held while a task runs: it changes the state of the process
_OURS: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_of_code: list[Any] = []  # how errors of floats are treated outside of our arithmetic


@contextmanager
def own_float_errors() -> Iterator[None]:
    """Let no error of floats in our own arithmetic raise, print or call what somebody has set.

    What the code under audit sets (`np.seterr`) stays in force where it runs.
    """
    _of_code.append(float_errors())
    try:
        with np.errstate(**(_OURS if float_errors_raise() else {})):
            yield
    finally:
        _of_code.pop()


def float_errors() -> Any:
    """Return how the code under audit has NumPy treat errors of floats."""
    return _of_code[-1] if _of_code else np.geterr()


def float_errors_raise() -> bool:
    """Return whether errors of floats raise exceptions in code under audit, or call a function."""
    return not {*float_errors().values()} <= {"ignore", "warn"}


class CountingSink(io.TextIOBase):
    """A text stream that keeps nothing but the number of characters written."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.written = 0

    def writable(self) -> bool:
        """Return True: a sink takes everything."""
        return True

    def write(self, text: str) -> int:
        """Count the characters."""
        self.written += len(text)
        return len(text)

    @property
    def buffer(self) -> _CountingBytes:
        """The stream of bytes underneath."""
        return _CountingBytes(self)


class _CountingBytes(io.RawIOBase):
    def __init__(self, sink: CountingSink) -> None:
        self._sink = sink

    def writable(self) -> bool:
        """Return True: a sink takes everything."""
        return True

    def write(self, data: object) -> int:
        """Count the bytes."""
        size = len(memoryview(data))  # type: ignore[arg-type]
        self._sink.written += size
        return size


class Quiet:
    """A context in which prints are counted, warnings ignored, and standard input is empty.

    Errors of floats raise an exception where the code under audit has set that.

    Log handlers that were made for the standard streams write to the sink too. It holds the lock on
    the state of the process, so that threads take turns.

    Parameters
    ----------
    listens : bool
        Whether records that code of the user's or of the mechanism's own packages logs are
        counted, whatever their level, and files that Python opens to write.
    """

    def __init__(self, *, listens: bool = False) -> None:
        self._listens = listens
        self._logged: set[str] = set()  # the files whose code did
        self._opened = 0

    def __enter__(self) -> Self:
        GLOBAL_STATE.acquire()
        self._sink = CountingSink()
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._stack = ExitStack()
        self._stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        treated = {kind: how.replace("warn", "ignore") for kind, how in float_errors().items()}
        self._stack.enter_context(np.errstate(**treated))
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), self._sink, self._sink
        self._put(os, "write", self._counting(os.write))
        if self._listens:
            self._put(logging.Logger, "isEnabledFor", lambda logger, level: True)
            self._put(logging.Logger, "handle", lambda logger, record: self._heard(record))
            self._put(builtins, "open", self._opening(builtins.open))
            self._put(io, "open", self._opening(io.open))
        self._handlers = [
            (each, each.stream) for each in _handlers((*self._streams, sys.__stderr__))
        ]
        for handler, _ in self._handlers:
            handler.stream = self._sink
        for name in ("__stdout__", "__stderr__"):
            self._put(sys, name, self._sink)
        return self

    def _put(self, owner: Any, name: str, new: Any) -> None:
        self._stack.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, new)

    def _counting(self, real: Callable[[int, Any], int]) -> Callable[[int, Any], int]:
        def write(descriptor: int, data: Any) -> int:
            return self._sink.buffer.write(data) if descriptor in (1, 2) else real(descriptor, data)

        return write

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:
            writes = not isinstance(file, int) and not WRITING.isdisjoint(mode)
            self._opened += writes and not _is_apart(os.path.abspath(os.fsdecode(file)))
            return real(file, mode, *arguments, **keywords)

        return opened

    def _heard(self, record: logging.LogRecord) -> None:
        self._logged.add(record.pathname)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for handler, stream in self._handlers:
            handler.stream = stream
        sys.stdin, sys.stdout, sys.stderr = self._streams
        self._stack.close()
        GLOBAL_STATE.release()

    @property
    def printed(self) -> bool:
        """Whether anything was written to stdout or stderr."""
        return self._sink.written > 0

    def unwatched(self, subject: Subject) -> frozenset[str]:
        """Return by which ways something of a mechanism left that is no part of its outputs so far.

        Parameters
        ----------
        subject : Subject
        """
        if subject.vectorized:
            return frozenset()
        seen = {"files": self._opened > 0}
        if not subject.emits:
            seen |= {"print": self.printed, "logging": self._has_logged(subject.mechanism)}
        ways = frozenset(way for way, holds in seen.items() if holds)
        return (ways & subject.observes) - subject.touches

    def _has_logged(self, mechanism: Callable[..., Any]) -> bool:
        """Return whether code of the user's has logged, or a package of the mechanism's own."""
        packages = {package_of(file) for file in self._logged if is_installed(file)}
        users = any(not is_installed(file) for file in self._logged)
        return users or bool(packages - {""} and packages & own_packages(mechanism))


def _is_apart(path: str) -> bool:
    """Whether a path is of a device, or where libraries keep what the next process reads again."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    kept = path.startswith((*DEVICES, os.path.join(caches, ""))) or "__pycache__" in path
    return kept or is_installed(path)


def _handlers(streams: tuple[object, ...]) -> list[logging.StreamHandler[Any]]:
    """Return the log handlers that write to one of some streams."""
    handlers = [reference() for reference in getattr(logging, "_handlerList", ())]
    return [
        each
        for each in handlers
        if isinstance(each, logging.StreamHandler) and any(each.stream is s for s in streams)
    ]
