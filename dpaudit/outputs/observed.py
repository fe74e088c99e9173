"""What a mechanism prints, logs, warns of and writes to files, beside what it returns.

Needs the standard library alone: the script of a witness holds this file.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any

from dpaudit.outputs.clocks import Clocks
from dpaudit.outputs.files import sandbox

EVERYTHING = frozenset({"return", "print", "logging", "warnings", "files", "exceptions"})
_LONGEST = 2000  # characters of a line; a digest stands for the rest
# Addresses, UUIDs, dates and times: they tell of the process, and not of the data.
_OF_THE_PROCESS = re.compile(
    r"\b0x[0-9a-fA-F]{6,}\b"
    r"|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?"
)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan\b|inf\b)(?![\w])")


def observed(
    function: Callable[..., Any],
    observes: frozenset[str] = EVERYTHING,
    *,
    writes: bool = True,
    folder: str | None = None,
    added: Callable[[Any], None] | None = None,
    line: Callable[[], Any] = lambda: None,
    clocks: Clocks | None = None,
) -> Callable[..., tuple[Any, tuple[Any, ...]]]:
    """Return a function whose output is a pair: what `function` returns, and the texts it emits.

    Parameters
    ----------
    function : callable
    observes : frozenset of str
        What leaves the trust boundary: ``"return"``, ``"print"``, ``"logging"``, ``"warnings"``,
        ``"files"``, ``"exceptions"``. Anything else is kept away and left out.
    writes : bool
        Whether it may write files.
    folder : str, optional
        A directory for them; see `dpaudit.outputs.files.folder_of_process`.
    added : callable, optional
        Called whenever an entry is added, with the line that it comes from.
    line : callable
        Returns the line that is running.
    clocks : Clocks, optional
        They replace the global names of `function` unless given.

    Returns
    -------
    callable
        Its second output is a tuple with an entry for each line that is written to ``sys.stdout``
        or ``sys.stderr``, each record given to a logger, whatever its level, each warning, and
        each file in the end: where it went, the text with ``{}`` in place of numbers, and the
        numbers. An exception carries them in its notes.

    Notes
    -----
    Nothing is shown, and files go to a temporary directory. Clocks stand still, and addresses,
    UUIDs and dates in texts are blanked: they tell the two datasets apart without being of the
    data.
    """
    stopped = Clocks([getattr(function, "__globals__", {})]) if clocks is None else clocks

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> tuple[Any, tuple[Any, ...]]:
        box = sandbox(folder) if writes else None
        texts = _Texts(observes, added, line)
        failed: Exception | None = None
        returned = None
        with stopped, _Emitting(texts):
            try:
                with contextlib.nullcontext() if box is None else box.watching(line):
                    returned = function(*arguments, **keywords)
            except Exception as error:
                failed = error
        texts.end([] if box is None else box.taken())
        if failed is None:
            given = returned if "return" in observes else None
            blanked: tuple[Any, tuple[Any, ...]] = stopped.blanked((given, tuple(texts.entries)))
            return blanked
        before = vars(failed).pop("yielded_before", None)
        if "exceptions" not in observes:
            failed = RuntimeError("an exception")
        if before and "return" in observes:
            vars(failed)["yielded_before"] = before
        for entry in stopped.blanked(texts.entries):
            failed.add_note(repr(entry))
        raise stopped.blanked(failed)

    return call


class _Texts:
    """The texts of one call, in their order."""

    def __init__(
        self,
        observes: frozenset[str],
        added: Callable[[Any], None] | None,
        line: Callable[[], Any],
    ) -> None:
        self.entries: list[tuple[Any, ...]] = []
        self._observes, self._added, self._place = observes, added, line
        self._line = ""

    def _add(self, kind: str, entry: tuple[Any, ...], place: Any = None) -> None:
        if kind in self._observes:
            self.entries.append(entry)
            if self._added is not None:
                self._added(self._place() if place is None else place)

    def write(self, text: str) -> None:
        """Take a piece of a line, or several lines."""
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._add("print", _entry("written", line))

    def end(self, files: list[tuple[str, bytes, Any]]) -> None:
        """Take the last line, which nothing has ended, and the files."""
        if self._line:
            self._add("print", _entry("written", self._line))
            self._line = ""
        for name, content, place in files:
            self._add("files", _file(name, content), place)

    def log(self, logger: logging.Logger, record: logging.LogRecord) -> None:
        """Take a record of a logger: its level, its format and its arguments."""
        arguments = record.args if isinstance(record.args, tuple) else (record.args,)
        values = [each for value in arguments if value is not None for each in _values(value)]
        if record.exc_info and record.exc_info[1] is not None:
            values += _values(record.exc_info[1])
        where, text, *numbers = _entry(record.levelname, str(record.msg))
        self._add("logging", (where, text, *numbers, *values))

    def warn(self, message: Any, category: type[Warning], *others: Any, **more: Any) -> None:
        """Take a warning."""
        self._add("warnings", _entry(category.__name__, str(message)))


def _values(value: Any) -> list[Any]:
    """Return a number as it is, and the words and the numbers of anything else."""
    if isinstance(value, (bool, int, float)):
        return [value]
    _, text, *numbers = _entry("", str(value))
    return [text, *numbers] if text != "{}" else numbers


def _entry(where: str, text: str) -> tuple[Any, ...]:
    text = _OF_THE_PROCESS.sub("…", text)
    if len(text) > _LONGEST:
        rest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
        text = f"{text[:_LONGEST]}… {rest}"
    return (where, NUMBER.sub("{}", text), *map(float, NUMBER.findall(text)))


def _file(name: str, content: bytes) -> tuple[Any, ...]:
    """Return the entry of a file; one that is no text is a digest, but for an array of NumPy."""
    where, path, *numbers = _entry("file", name)
    if content.startswith(b"\x93NUMPY"):
        import numpy as np

        return (where, path, *numbers, np.load(io.BytesIO(content), allow_pickle=False))
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return (where, path, *numbers, hashlib.sha256(content).hexdigest())
    _, said, *values = _entry("", text)
    return (where, f"{path}: {said}", *numbers, *values)


class _Bytes(io.RawIOBase):
    def __init__(self, stream: io.TextIOBase) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(bytes(data).decode("utf-8", "backslashreplace"))
        return len(data)


class _Stream(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, texts: _Texts) -> None:
        self._texts = texts

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._texts.write(text)
        return len(text)

    @property
    def buffer(self) -> _Bytes:
        return _Bytes(self)


def _written(real: Callable[[int, Any], int], stream: _Stream) -> Callable[[int, Any], int]:
    """Return what stands for `os.write`: the standard streams have the numbers 1 and 2."""

    def write(descriptor: int, data: Any) -> int:
        return stream.buffer.write(data) if descriptor in (1, 2) else real(descriptor, data)

    return write


class _Emitting:
    """Takes texts instead of showing them."""

    def __init__(self, texts: _Texts) -> None:
        self._texts = texts

    def __enter__(self) -> None:
        stream, texts = _Stream(self._texts), self._texts
        put: list[tuple[Any, str, Any]] = [(sys, "stdout", stream), (sys, "stderr", stream)]
        put += [(sys, "__stdout__", stream), (sys, "__stderr__", stream)]
        put += [(os, "write", _written(os.write, stream))]
        put += [(logging.Logger, "isEnabledFor", lambda logger, level: True)]
        put += [(logging.Logger, "handle", lambda logger, record: texts.log(logger, record))]
        put += [(logging, "basicConfig", lambda **options: None)]
        self._before = [(owner, name, getattr(owner, name)) for owner, name, _ in put]
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("always")
        warnings.showwarning = texts.warn
        for owner, name, value in put:
            setattr(owner, name, value)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for owner, name, value in self._before:
            setattr(owner, name, value)
        self._warnings.__exit__(kind, error, trace)
