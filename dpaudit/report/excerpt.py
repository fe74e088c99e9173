"""The lines of source around a finding, so that a report can show them without the source."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any

AROUND = 3  # lines before and after
REACH = 12  # lines between the cause and what is shown with it
_LONGEST = 200  # letters of a line


def excerpt(
    file: str | None, line: int | None, related: Sequence[tuple[str, int, str]] = ()
) -> dict[str, Any] | None:
    """Return the lines around one, and those of what is related and near.

    Parameters
    ----------
    file : str or None
        As Python names it.
    line : int or None
    related : sequence of (file, line, what)

    Returns
    -------
    dict or None
        ``first``, the number of the first line, and ``lines``; None where the source cannot be
        read.
    """
    if file is None or line is None or line < 1:
        return None
    source = _lines(file)
    if line > len(source):
        return None
    near = [n for f, n, _ in related if f == file and abs(n - line) <= REACH]
    first = max(1, min([line, *near]) - AROUND)
    last = min(len(source), max([line, *near]) + AROUND)
    return {"first": first, "lines": [t.rstrip()[:_LONGEST] for t in source[first - 1 : last]]}


def _lines(file: str) -> list[str]:
    try:
        return linecache.getlines(file)
    except (OSError, ValueError, UnicodeError):  # a null byte in a name
        return []
