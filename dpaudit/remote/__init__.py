"""A mechanism in another interpreter: asked over a pipe, by seed, and never imported here."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import select
import struct
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from functools import lru_cache
from os import getpid  # what audited code sees of it and of clocks stands still
from pathlib import Path
from time import monotonic
from typing import IO, Any

from dpaudit.outputs.emitting import GENERAL_LIBRARIES
from dpaudit.outputs.observed import NUMBER
from dpaudit.reference import parse_reference
from dpaudit.remote import server
from dpaudit.subject import Subject
from dpaudit.worker.tasks import WorkerError

_LENGTH = struct.Struct("<Q")
_SEED_BITS = 126
_PIECE = 2**16
_OF_THIS_ONE = ("PYTHONHOME", "PYTHONPATH")  # where packages of this interpreter are
_START = 60.0  # seconds for the modules of a mechanism to be imported


class Remote:
    """A mechanism that another interpreter runs, with libraries that this one need not have.

    Parameters
    ----------
    place : str
        ``"module:function"``, as an import there names it; of ``(data)`` or ``(data, rng)``.
    python : str, optional
        The interpreter; it needs NumPy, and no dpaudit. This one unless given.
    folder : str, optional
        Where it starts, and what it imports modules from first; the current one unless given.
        ``PYTHONPATH`` is not passed on.
    timeout : float, optional
        Seconds that one call may take.

    Raises
    ------
    ValueError
        Where `place` does not read so, or `timeout` is not above 0.
    WorkerError
        When it is audited: where the interpreter does not start, ends or takes too long.
    ImportError
        Where the function cannot be imported there.

    Notes
    -----
    Each call gets a seed from the audit's generator, from which the generator that is passed on,
    NumPy's global one and Python's `random` start. Arguments and outputs are numbers, texts,
    arrays, containers and pandas' frames; other objects travel as their type and what they hold.
    The static engine reads the text of the function where it has one; what is proved or traced must
    run in this interpreter. What a call prints, logs or warns of is part of its output; files are
    not seen.

    Examples
    --------
    >>> mean = Remote("statistics:fmean")
    >>> mean([1.0, 2.0], None)
    1.5
    """

    def __init__(
        self,
        place: str,
        *,
        python: str | None = None,
        folder: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        if parse_reference(place) is None:
            raise ValueError(
                f"`place` must read 'module:function', got {place!r}; "
                "for example 'mypackage.release:noisy_mean'"
            )
        if not timeout > 0:
            raise ValueError(f"`timeout` must be above 0 seconds, got {timeout!r}; give such as 60")
        self.place = place
        self.python = sys.executable if python is None else str(python)
        self.folder = os.path.abspath(folder or os.getcwd())
        self.timeout = float(timeout)
        self._child: _Child | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Remote({self.place!r})"

    def __reduce__(self) -> Any:
        return _made, (self.place, self.python, self.folder, self.timeout)

    def __call__(self, data: Any, rng: Any) -> Any:
        """Return an output, from a seed that the generator draws."""
        seed = 0 if rng is None else int.from_bytes(rng.bytes(_SEED_BITS // 8 + 1), "little")
        with self._lock:
            found = self._started().ask([seed, data], self.timeout)
        if found["printed"]:
            sys.stdout.write(found["printed"])
        _log_again(found["logged"])
        for kind, text in found["warned"]:
            warnings.warn(text, _warning(kind), stacklevel=2)
        if "raised" in found:
            kind, message = found["raised"]
            raise _exception(kind)(message)
        return found["output"]

    def about(self) -> dict[str, Any]:
        """Return what the other interpreter says of the function: file, line, source, versions."""
        with self._lock:
            return self._started().about

    def cause(self, data: Any, text: str | None = None) -> tuple[str, int] | None:
        """Return the file and the line there that a refutation is about, None where none is known.

        Parameters
        ----------
        data : object
            A dataset on which the mechanism is called once more.
        text : str, optional
            The wording of a log record or a warning, with ``{}`` in place of numbers: then the line
            that it comes from.

        Notes
        -----
        Without a text, it is where the first function begins that an adapter calls. Functions of
        general libraries do not count.
        """
        with self._lock:
            self._started().ask([0, data], self.timeout)  # a first call may import modules
            asked = [0, data, sorted(GENERAL_LIBRARIES)]
            found = self._started().ask(asked, self.timeout)
        places = ((NUMBER.sub("{}", said), file, line) for said, file, line in found["places"])
        lines = [(file, line) for said, file, line in places if said == text]
        entered = found["entered"]
        return lines[0] if lines else None if entered is None else (entered[0], entered[1])

    def __dpaudit_subject__(self) -> Subject:
        """Return what is under audit."""
        about = self.about()
        known = {name: value for name, value in about.items() if name != "file"}
        return Subject(
            function=self,
            name=about["name"],
            module=self.place.partition(":")[0],
            qualname=self.place.partition(":")[2],
            file=about["file"],
            line=about["line"],
            source=about["source"],
            source_hash=hashlib.sha256(repr(sorted(known.items())).encode()).hexdigest(),
            takes_rng=True,
            vectorized=False,
            touches=frozenset({"print", "logging", "warnings"}),  # which come again here
            elsewhere=f"Python {about['python']} with NumPy {about['numpy']}",
        )

    def _started(self) -> _Child:
        if self._child is None or self._child.owner != getpid() or self._child.ended:
            self._child = _Child(self.place, self.python, self.folder)
        return self._child


def _made(place: str, python: str, folder: str, timeout: float) -> Remote:
    return Remote(place, python=python, folder=folder, timeout=timeout)


@lru_cache(maxsize=256)
def _exception(kind: str) -> type[Exception]:
    """Return a type of this name: what is raised there is none of ours."""
    return type(kind, (Exception,), {"__module__": "dpaudit.remote"})


@lru_cache(maxsize=256)
def _warning(kind: str) -> type[Warning]:
    return type(kind, (Warning,), {"__module__": "dpaudit.remote"})


def _log_again(records: list[Any]) -> None:
    """Log here what was logged there."""
    logger = logging.getLogger("dpaudit.remote")
    for level, text, values in records:
        if logger.isEnabledFor(level):
            name = logging.getLevelName(level)
            made = {"levelno": level, "levelname": name, "msg": text, "args": tuple(values)}
            logger.handle(logging.makeLogRecord(made))


class _Child:
    """The process that calls the mechanism; it ends when this object goes."""

    def __init__(self, place: str, python: str, folder: str) -> None:
        self.owner = getpid()
        self.ended = False
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  # until the module is imported
        command = [python, str(Path(server.__file__)), place]
        kept = {name: value for name, value in os.environ.items() if name not in _OF_THIS_ONE}
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=self._said, cwd=folder, env=kept
            )
        except OSError as error:
            self._said.close()
            raise WorkerError(
                "no-process",
                f"{python} does not start: {error.strerror}; give `python` the path of an "
                "interpreter that has NumPy",
            ) from None
        weakref.finalize(self, _end, self._process, self.owner, self._said)
        self.about = self._answer(monotonic() + _START, "to import it")
        if "failed" in self.about:
            self._close()
            raise ImportError(f"{place!r} does not import in {python}: {self.about['failed']}")

    def ask(self, request: Any, timeout: float) -> dict[str, Any]:
        """Return the answer to a request."""
        content = server.dumps(request)
        until = monotonic() + timeout
        try:
            self._write(_LENGTH.pack(len(content)) + content)
        except OSError:
            raise self._death() from None
        return self._answer(until, "for one call")

    def _write(self, content: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(content)
        self._process.stdin.flush()

    def _answer(self, until: float, what: str) -> dict[str, Any]:
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, until, what))
        if length > server.LONGEST:
            self._close()
            raise WorkerError("died", f"the other interpreter sent {length:,} bytes, too many")
        try:
            found = server.loads(self._read(length, until, what))
        except (ValueError, LookupError, TypeError) as error:
            self._close()
            raise WorkerError("died", f"the other interpreter sent no answer: {error}") from None
        return dict(found)

    def _read(self, size: int, until: float, what: str) -> bytes:
        assert self._process.stdout is not None
        parts, left = [], size
        pipe = self._process.stdout.fileno()
        while left:
            ready, _, _ = select.select([pipe], [], [], max(0.0, until - monotonic()))
            if not ready:
                self._close()
                raise WorkerError("timeout", f"the other interpreter took too long {what}")
            piece = os.read(pipe, min(left, _PIECE))
            if not piece:
                raise self._death()
            parts.append(piece)
            left -= len(piece)
        return b"".join(parts)

    def _death(self) -> WorkerError:
        self._process.wait()
        self._said.seek(0)
        said = " / ".join(self._said.read().decode(errors="replace").splitlines()[-3:])
        code = self._close()
        return WorkerError("died", f"the other interpreter ended with code {code} {said}".rstrip())

    def _close(self) -> int:
        self.ended = True
        _end(self._process, self.owner, self._said)
        return self._process.wait()


def _end(process: subprocess.Popen[bytes], owner: int, said: IO[bytes]) -> None:
    said.close()
    if getpid() != owner:
        return
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            assert stream is not None
            stream.close()
