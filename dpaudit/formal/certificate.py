"""What is handed over with VERIFIED: a file that a checker accepts without trusting the prover."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dpaudit.checker.file import digest
from dpaudit.roots import repository_root

SCHEMA_VERSION = 1
_PLACE = re.compile(r"[^:\n]+\.py(:[\w.<>]+)?")
PACKAGES = ("dpaudit", "sympy", "z3-solver", "python-flint", "numpy")


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """A proof with all that it speaks of.

    Attributes
    ----------
    kind : str
        Which rules the proof follows: ``"cost"``, ``"lemma"``, ``"alignment"``, ``"exact"``,
        ``"sensitivity"`` or ``"derivation"``.
    subject : mapping
        What is proved: mechanism (``module:qualname``), claim and neighbors as they are written in
        Python; for a derivation its steps.
    program : mapping or None
        The lifted program.
    sources : mapping of str to str
        SHA-256 of the source of every function that was read, by ``file:name``.
    proof : mapping
        Rule applications, obligations, numbers; its form depends on `kind`.
    assumptions, trusted : tuple of str
        What the proof rests on, and the steps that the checker repeats on trust.
    """

    kind: str
    subject: Mapping[str, Any]
    program: Mapping[str, Any] | None
    sources: Mapping[str, str]
    proof: Mapping[str, Any]
    assumptions: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON-able values, with a digest over all of them."""
        roots = _roots()
        program = _relative(self.program, roots)
        content = {
            "schema_version": SCHEMA_VERSION,
            "kind": self.kind,
            "subject": dict(self.subject),
            "program": program,
            "program_hash": None if program is None else digest(program),
            "sources": _relative(self.sources, roots),
            "proof": _relative(self.proof, roots),
            "assumptions": list(self.assumptions),
            "trusted": list(self.trusted),
            "versions": versions(),
        }
        return {**content, "digest": digest(content)}

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file, which ``dpaudit check`` takes.

        Parameters
        ----------
        path : str or Path
        """
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False)
        Path(path).write_text(text + "\n", encoding="utf-8")

    def __str__(self) -> str:
        return f"certificate ({self.kind}), digest {self.to_dict()['digest'][:16]}"


def _roots() -> tuple[str, ...]:
    """Return the folders that files are named from: the repository, else where imports look."""
    imports = sorted((path for path in sys.path if os.path.isabs(path)), key=len, reverse=True)
    folders = dict.fromkeys([str(repository_root(Path.cwd())), *imports])
    return tuple(folder.rstrip("/\\") + os.sep for folder in folders)


def _relative(value: Any, roots: tuple[str, ...]) -> Any:
    """Return values in which files, with a line or a name or without, are named from a folder."""
    if isinstance(value, Mapping):
        return {_relative(key, roots): _relative(each, roots) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_relative(each, roots) for each in value]
    if isinstance(value, str) and _PLACE.fullmatch(value):
        root = next((root for root in roots if value.startswith(root)), "")
        return Path(value.removeprefix(root)).as_posix() if root else value
    return value


def versions() -> dict[str, str]:
    """Return the versions of what made the proof."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
