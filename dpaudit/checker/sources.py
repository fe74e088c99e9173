"""Whether the source files at hand are those that a certificate speaks of."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

from dpaudit.checker.file import Document, RejectedError, Work

_LONGEST = 20_000_000  # bytes
_Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def compared(document: Document, work: Work) -> tuple[str, ...]:
    """Compare the hash of each function with its source, where the file is at hand.

    Parameters
    ----------
    document : Document
    work : Work

    Returns
    -------
    tuple of str
        What could not be compared, and is taken on trust.

    Raises
    ------
    RejectedError
        Where a function reads otherwise than when it was proved.
    """
    trusted = []
    for place, digest in sorted(document.sources.items()):
        file, _, name = place.rpartition(":")
        path = Path(file)
        if not work.source or not path.is_file() or path.stat().st_size > _LONGEST:
            trusted.append(f"the source of {place} was not compared")
        elif digest not in _digests(path, name.rpartition(".")[2]):
            raise RejectedError(f"the source of {place} was changed after it was proved")
    return tuple(trusted)


def _digests(path: Path, name: str) -> set[str]:
    """Return the SHA-256 of every definition of that name."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise RejectedError(f"the source file {path} does not parse: {error}") from None
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, _Defined) and getattr(node, "name", "<lambda>") == name:
            segment = ast.get_source_segment(text, node, padded=True) or ""
            found.add(hashlib.sha256(segment.encode()).hexdigest())
    return found
