"""The cache of audits: one is not run again while nothing that it depends on has changed.

A file of the cache is named after all that is known before an audit runs, and lists what was read
while it ran. Where it is not certain that nothing else matters, the audit runs, and is not kept.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from shutil import rmtree
from tempfile import NamedTemporaryFile, mkdtemp
from typing import Any

from dpaudit.accumulate import dpaudit_hash
from dpaudit.collect import CollectedAudit
from dpaudit.declare import Audit
from dpaudit.evidence import Verdict
from dpaudit.formal.derivation import Derivation
from dpaudit.outcome import CACHED, Outcome, Status
from dpaudit.recalled import is_usable
from dpaudit.sources import SourceReader, Sources
from dpaudit.store import installed_packages, now
from dpaudit.subject import Subject
from dpaudit.untrusted import contents, parsed
from dpaudit.worker.reads import read_log, source_of

LAYOUT = 1  # of the files
# Variables that terminals and CI services set, which change from run to run.
_VOLATILE = ("BUILD_", "BUILDKITE", "CI_", "GITHUB_", "RUNNER_", "SSH_", "TERM", "XDG_", "_")
_NAMED = {"COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "WINDOWID", "DISPLAY", "COLORTERM"}
_GRAIN = 20_000_000  # nanoseconds by which the clock of a file system may be behind
_OPTIONS = ("alpha", "max_calls", "max_seconds", "seed", "arithmetic", "observes", "engines")
_IRRELEVANT = {"workers", "progress", "reads"}  # options that change no result


class CacheError(Exception):
    """The cache cannot be used."""


@dataclass(frozen=True, slots=True, eq=False)
class Cache:
    """The cache of one run.

    Parameters
    ----------
    folder : Path
        Made where it is not there.
    options, defaults : mapping
        Of the command, and of the settings; see `dpaudit.running.run_all`.
    read : frozenset of str
        Files that were read when audit files were imported.
    began : int
        Time in nanoseconds before they were.
    saved : callable
        Gives the pairs that are tried first, as text, by an audit's name.

    Attributes
    ----------
    doubts : dict of str to str
        Why audits always run, by name.
    """

    folder: Path
    options: Mapping[str, Any]
    defaults: Mapping[str, Any]
    read: frozenset[str] = frozenset()
    began: int = field(default_factory=time.time_ns)
    saved: Callable[[str], str] = lambda name: ""
    doubts: dict[str, str] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _logs: Path = field(default_factory=lambda: Path(mkdtemp(prefix="dpaudit-reads-")))
    _variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheError(f"{self.folder} cannot be made ({error.strerror})") from None

    def found(
        self, collected: CollectedAudit, reader: SourceReader | None = None
    ) -> Mapping[str, Any] | None:
        """Return what an earlier run found, None where the audit has to run.

        Parameters
        ----------
        collected : CollectedAudit
        reader : SourceReader, optional
            Of now; a new one reads the sources again.
        """
        key = self._key(collected, reader or SourceReader())
        if key is None:
            return None
        self._keys[collected.name] = key
        try:
            entry = parsed(contents(self._file(key)).decode())
            kept, reads = entry["audit"], entry["reads"]
            same = entry["layout"] == LAYOUT and all(_hash(f) == h for f, h in reads.items())
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        if not same or not isinstance(kept, dict) or not is_usable(collected, kept):
            return None
        if not _is_green(Outcome(collected, recalled=kept)):
            return None
        return {**kept, CACHED: str(entry.get("made"))}

    def options_of(self, collected: CollectedAudit) -> dict[str, Any]:
        """Return the option by which an audit writes down what it reads."""
        return {"reads": str(self._log(collected))} if collected.name in self._keys else {}

    def keep(self, outcome: Outcome, reader: SourceReader | None = None) -> None:
        """Keep what an audit found, if it is as expected and nothing is in doubt.

        Parameters
        ----------
        outcome : Outcome
        reader : SourceReader, optional
            From after the audit; a new one reads the sources again.
        """
        reader = reader or SourceReader()
        collected = outcome.collected
        key = self._keys.get(collected.name)
        if key is None or outcome.report is None or not _is_green(outcome):
            return
        if outcome.unfinished is not None:
            return  # time has ended it
        files, events = read_log(str(self._log(collected)))
        reads = {source_of(name) for name in files}
        used = {*reads, *self.read, *reader.sources_of(collected).files}
        if (
            events
            or any(self._is_fresh(name) for name in used)
            or key != self._key(collected, reader)
        ):
            return  # it asks what no file says, or something has changed since the run began
        try:
            hashes = {name: _hash(name) for name in sorted(reads)}
        except OSError:
            return
        if None in hashes.values():
            return  # what was looked for in vain, or is gone, may come
        entry = {"layout": LAYOUT, "made": now(), "reads": hashes, "audit": outcome.to_keep()}
        self._write(key, json.dumps(entry, allow_nan=False))

    def close(self) -> None:
        """Remove the records of what was read."""
        rmtree(self._logs, ignore_errors=True)

    def _write(self, key: str, text: str) -> None:
        """Write a file whole, or not at all."""
        with NamedTemporaryFile("w", dir=self.folder, delete=False, encoding="utf-8") as file:
            file.write(text)
        os.replace(file.name, self._file(key))

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _log(self, collected: CollectedAudit) -> Path:
        return self._logs / sha256(collected.name.encode()).hexdigest()

    def _is_fresh(self, name: str) -> bool:
        try:
            stamp = os.stat(name)
        except OSError:
            return False  # it is not there
        return max(stamp.st_mtime_ns, stamp.st_ctime_ns) >= self.began - _GRAIN

    def _key(self, collected: CollectedAudit, reader: SourceReader) -> str | None:
        """Return a hash of all that an audit depends on before it runs; None where in doubt."""
        audit = collected.audit
        options = {**audit.undeclared(self.defaults), **self.options}
        declared = {name: getattr(audit, name) for name in _OPTIONS}
        options = {k: v for k, v in {**declared, **options}.items() if k not in _IRRELEVANT}
        sources = reader.sources_of(collected)
        why = next(iter(sources.doubts), "") or _doubt(collected.audit, options)
        if why:
            self.doubts[collected.name] = why
            return None
        try:
            stated = {
                "layout": LAYOUT,
                "dpaudit": dpaudit_hash(),
                "audit": [collected.name, audit.expect, str(audit.reason)],
                "nouns": _nouns(audit),
                "options": sorted((name, repr(value)) for name, value in options.items()),
                "sources": [sources.files, sources.names],
                "saved": self.saved(collected.name),
                "shadows": reader.shadows(),
                "read at import": {n: _hash(n) for n in sorted(self.read) if _is_data(n)},
                "environment": _environment(self._variables, sources),
                "python": [sys.version, str(sys.flags), platform.platform(), platform.machine()],
                "packages": _installed(),
                "contents": _contents(sources.packages),
                "folder": os.getcwd(),
            }
        except OSError as error:
            self.doubts[collected.name] = str(error)
            return None
        return sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


def _is_green(outcome: Outcome) -> bool:
    return outcome.status is Status.OK and outcome.verdict is not Verdict.INCONCLUSIVE


def _is_data(name: str) -> bool:
    """Whether a file that was read at import is no module: sources hold those."""
    return not source_of(name).endswith(".py")


def _doubt(audit: Audit, options: Mapping[str, Any]) -> str:
    """Return why an audit under some options always runs; empty where it need not."""
    if audit.over is not None:
        return "it has several settings"
    if options.get("max_seconds") is not None:
        return "time may end it; leave max_seconds out"
    if options.get("isolation") == "none":
        return "it runs in the process of dpaudit, where all modules meet"
    if any(not isinstance(engine, str) for engine in options.get("engines") or ()):
        return "it has an engine of its own"
    return ""


def _nouns(audit: Audit) -> list[str]:
    mechanism, claim, neighbors = audit.mechanism, audit.claim, audit.neighbors
    if isinstance(mechanism, Derivation):
        return [audit.mechanism_name, repr(mechanism)]
    assert claim is not None
    assert neighbors is not None
    made = f"{audit.mechanism_name} {Subject.of(mechanism).source_hash}"
    return [made, str(claim), str(neighbors)]  # what their texts leave out, the sources hold


def _environment(variables: Mapping[str, str], sources: Sources) -> dict[str, str]:
    """Return the hashes of variables that may matter: those that are named, and all usual ones."""
    found = {}
    for name, value in variables.items():
        volatile = name in _NAMED or name.startswith(_VOLATILE)
        if not volatile or name in sources.environment:
            found[name] = sha256(value.encode("utf-8", "surrogateescape")).hexdigest()
    return found


def _hash(name: str) -> str | None:
    """Return a hash of a file, None where there is none; no hash of what is no regular file."""
    path = Path(name)
    if not path.exists():
        return None
    if not path.is_file():
        raise OSError(f"{name} is no regular file")
    return sha256(path.read_bytes()).hexdigest()


@cache
def _installed() -> list[str]:
    return sorted(installed_packages())


@cache
def _contents(packages: frozenset[str]) -> list[str]:
    return [_package_hash(name) for name in sorted(_needed(packages))]


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _needed(packages: Iterable[str]) -> set[str]:
    """Return the distributions of some packages, and all that they require."""
    todo = [name for package in packages for name in _distributions().get(package, ())]
    found = set[str]()
    while todo:
        name = todo.pop()
        if name not in found and name != "dpaudit":
            found.add(name)
            with suppress(PackageNotFoundError):
                todo += [_required(text) for text in distribution(name).requires or ()]
    return found


def _required(text: str) -> str:
    """Return the name that a requirement begins with."""
    name = ""
    for character in text:
        if not (character.isalnum() or character in "-_."):
            break
        name += character
    return name


@cache
def _package_hash(name: str) -> str:
    """Return a hash of the files of a distribution, as they are now."""
    total = sha256(name.encode())
    try:
        held = distribution(name)
    except PackageNotFoundError:
        return f"{name} is not installed"
    for file in sorted(map(str, held.files or ())):
        path = Path(str(held.locate_file(file)))
        if path.suffix != ".pyc" and path.is_file():
            total.update(f"\0{file}\0".encode())
            total.update(sha256(path.read_bytes()).digest())
    return f"{name} {total.hexdigest()}"
