"""Files that a mechanism writes: they go into a directory of their own, and are read there.

Needs the standard library alone: the script of a witness holds this file.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import itertools
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_MOST_LINKS = 500  # entries of the working directory that are linked
_SCRATCH, _ELSEWHERE = ".scratch", ".elsewhere"
WRITING = frozenset("wax+")
DEVICES = ("/dev/", "/proc/")  # what is written there is no file
_TEMPORARY = re.compile(r"\btmp[a-z0-9_]{8}")  # a name that the module tempfile chose


class Sandbox:
    """A working directory that looks like the one before, and keeps what is written.

    Notes
    -----
    A context manager, to be entered for each call. Relative paths lead into it, since the process
    changes there; paths to other places are redirected where Python opens them, removes or renames
    them or makes directories. Code that is not Python and writes to an absolute path is not seen.
    """

    def __init__(self, home: str, folder: str | None = None) -> None:
        self._home, self._folder = home, folder
        self._moved: dict[str, str] = {}
        self._line: Callable[[], Any] = lambda: None
        self._lines: dict[str, Any] = {}
        self._prepare()

    def watching(self, line: Callable[[], Any]) -> Self:
        """Return itself; `line` returns the line that is running, for those that open files."""
        self._line = line
        return self

    def _prepare(self) -> None:
        folder = self._folder
        if folder is None or not os.path.isdir(folder):
            folder = folder_of_process()
        number = next(_NUMBERS)  # no random name: a draw would be taken for noise
        self._root = os.path.join(os.path.realpath(folder), f"{_process()}-{number}")
        for part in ("", _SCRATCH, _ELSEWHERE):
            os.mkdir(os.path.join(self._root, part))
        self._links = self._link()

    def _link(self) -> int:
        """Link what is in the working directory, and return how much that is."""
        names = sorted(os.listdir(self._home))[:_MOST_LINKS]
        for name in names:
            to = os.path.join(self._root, name)
            if not os.path.lexists(to):
                os.symlink(os.path.join(self._home, name), to)
        return len(names)

    def __enter__(self) -> Self:
        if not os.path.isdir(self._root):  # a process that was forked has removed it
            self._prepare()
        real: dict[str, Callable[..., Any]] = {
            name: getattr(os, name) for name in ("mkdir", "remove", "unlink", "rename", "replace")
        }
        put: list[tuple[Any, str, Any]] = [
            (builtins, "open", self._opening(builtins.open)),
            (io, "open", self._opening(io.open)),
            (os, "mkdir", self._making(real["mkdir"])),
            (os, "remove", self._removing(real["remove"])),
            (os, "unlink", self._removing(real["unlink"])),
            (os, "rename", self._renaming(real["rename"])),
            (os, "replace", self._renaming(real["replace"])),
            (os, "stat", self._stating(os.stat)),
            (tempfile, "tempdir", os.path.join(self._root, _SCRATCH)),
        ]
        self._before = [(owner, name, getattr(owner, name)) for owner, name, _ in put]
        for owner, name, value in put:
            setattr(owner, name, value)
        self._openers = _openers_of_numpy()
        self._opener = self._openers.get(None)
        if self._openers:
            self._openers[None] = io.open
        os.chdir(self._root)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.chdir(self._home)
        for owner, name, value in self._before:
            setattr(owner, name, value)
        if self._openers:
            self._openers[None] = self._opener

    def taken(self) -> list[tuple[str, bytes, Any]]:
        """Return the files that were written, and remove them: name, content, and the line."""
        found: list[tuple[str, bytes]] = []
        links = 0
        for entry in list(os.scandir(self._root)):
            if entry.is_symlink():
                links += 1
            elif not entry.is_dir():
                found.append((entry.name, _content(entry.path)))
                os.remove(entry.path)
            elif entry.name != _ELSEWHERE:
                found += self._below(entry.path)
                shutil.rmtree(entry.path, ignore_errors=True)
        for path, target in self._moved.items():
            if os.path.isfile(target):
                found.append((path, _content(target)))
                os.remove(target)
        self._moved.clear()
        os.mkdir(os.path.join(self._root, _SCRATCH))
        if links != self._links:  # some were removed, or something took their place
            self._links = self._link()
        lines, self._lines = self._lines, {}
        return [(name, content, lines.get(name)) for name, content in sorted(found)]

    def _below(self, folder: str) -> Iterator[tuple[str, bytes]]:
        for inner, _, files in os.walk(folder):
            for name in files:
                path = os.path.join(inner, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    shown = _TEMPORARY.sub("…", os.path.relpath(path, self._root))
                    yield shown, _content(path)

    # --- what stands for the functions of Python

    def _inside(self, path: str) -> bool:
        return path.startswith(self._root + os.sep)

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:
            if isinstance(file, int) or not isinstance(mode, str):
                return real(file, mode, *arguments, **keywords)
            path = os.path.realpath(os.fsdecode(file))
            moved = self._moved.get(path)
            writes = bool(WRITING & set(mode)) and not path.startswith(DEVICES)
            if writes:
                name = os.path.relpath(path, self._root) if self._inside(path) else path
                self._lines[name] = self._line()
            if not writes or self._inside(path) or moved is not None:
                return real(file if moved is None else moved, mode, *arguments, **keywords)
            if "x" in mode and os.path.lexists(path):
                raise FileExistsError(17, "File exists", os.fsdecode(file))
            return real(self._redirected(path, "w" not in mode), mode, *arguments, **keywords)

        return opened

    def _redirected(self, path: str, is_continued: bool) -> str:
        digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        target = os.path.join(self._root, _ELSEWHERE, digest)
        if is_continued and os.path.isfile(path):
            Path(target).write_bytes(_content(path))
        self._moved[path] = target
        return target

    def _making(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def made(path: Any, *arguments: Any, **keywords: Any) -> None:
            whole = os.path.realpath(os.fsdecode(path))
            if self._inside(whole) or os.path.lexists(whole):  # that raises
                real(path, *arguments, **keywords)

        return made

    def _removing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def removed(path: Any, *arguments: Any, **keywords: Any) -> None:
            whole = os.path.realpath(os.fsdecode(path))
            moved = self._moved.pop(whole, None)
            if moved is not None:
                real(moved)
            elif self._inside(os.path.abspath(os.fsdecode(path))) or not os.path.lexists(whole):
                real(path, *arguments, **keywords)

        return removed

    def _renaming(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def renamed(source: Any, to: Any, *arguments: Any, **keywords: Any) -> None:
            first, last = (os.path.realpath(os.fsdecode(path)) for path in (source, to))
            held = self._moved.pop(first, first)
            if not self._inside(last):
                last = self._redirected(last, False)
            if self._inside(held):
                real(held, last, *arguments, **keywords)
            else:  # a file of the user's, which stays
                Path(last).write_bytes(_content(held))

        return renamed

    def _stating(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def stated(path: Any, *arguments: Any, **keywords: Any) -> Any:
            moved = None
            if self._moved and not isinstance(path, int):
                moved = self._moved.get(os.path.realpath(os.fsdecode(path)))
            return real(path if moved is None else moved, *arguments, **keywords)

        return stated


def sandbox(folder: str | None = None) -> Sandbox:
    """Return the sandbox for the working directory; there is one in a process.

    Parameters
    ----------
    folder : str, optional
        Where it is made: see `folder_of_process`.
    """
    home = os.getcwd()
    if home not in _KEPT:
        _KEPT[home] = Sandbox(home, folder)
    return _KEPT[home]


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 10_000_000)
    finally:
        os.close(descriptor)


def _openers_of_numpy() -> dict[Any, Any]:
    """Return how NumPy opens text files: it keeps Python's function from when it was loaded."""
    module = sys.modules.get("numpy.lib._datasource")
    openers = getattr(module, "_file_openers", None)
    if openers is None:
        return {}
    openers._load()
    found: dict[Any, Any] = openers._file_openers
    return found


def folder_of_process() -> str:
    """Return a directory that is removed when this process ends; those it starts may use it."""
    if not _FOLDERS:
        _FOLDERS.append(tempfile.TemporaryDirectory(prefix="dpaudit-", ignore_cleanup_errors=True))
    return _FOLDERS[0].name


_process = os.getpid  # which is another function while a mechanism runs
_NUMBERS = itertools.count()
_KEPT: dict[str, Sandbox] = {}  # by the working directory
_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
