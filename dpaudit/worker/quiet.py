"""Keeps a mechanism's prints, warnings and questions away from the audit."""

from __future__ import annotations

import io
import logging
import sys
import threading
import warnings
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import numpy as np

GLOBAL_STATE = threading.RLock()  # held while a task runs: it changes the state of the process


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

    Log handlers that were made for the standard streams write to the sink too. It holds the lock on
    the state of the process, so that threads take turns.
    """

    def __enter__(self) -> Self:
        GLOBAL_STATE.acquire()
        self._sink = CountingSink()
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._stack = ExitStack()
        self._stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self._stack.enter_context(np.errstate(all="ignore"))
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), self._sink, self._sink
        self._handlers = [
            (each, each.stream) for each in _handlers((*self._streams, sys.__stderr__))
        ]
        for handler, _ in self._handlers:
            handler.stream = self._sink
        return self

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


def _handlers(streams: tuple[object, ...]) -> list[logging.StreamHandler[Any]]:
    """Return the log handlers that write to one of some streams."""
    handlers = [reference() for reference in getattr(logging, "_handlerList", ())]
    return [
        each
        for each in handlers
        if isinstance(each, logging.StreamHandler) and any(each.stream is s for s in streams)
    ]
