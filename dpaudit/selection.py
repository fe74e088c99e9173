"""Which audits are meant by the paths and the patterns of a command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath


def is_selected(patterns: Sequence[str], texts: Iterable[str]) -> bool:
    """Whether a pattern occurs in one of some texts, or matches it; no patterns select all.

    Parameters
    ----------
    patterns : sequence of str
        Substrings, or globs of the whole; case does not matter.
    texts : iterable of str

    Returns
    -------
    bool

    Examples
    --------
    >>> is_selected(["MEAN"], ["audits/shop.py::noisy_mean", "NOT_REFUTED"])
    True
    """
    if not patterns:
        return True
    known = [text.casefold() for text in texts]
    folded = [pattern.casefold() for pattern in patterns]
    return any(p in text or fnmatchcase(text, p) for p in folded for text in known)


def is_called(label: str, wanted: str) -> bool:
    """Whether an audit is the one of a name, or an entry of the list or dict of that name.

    Parameters
    ----------
    label : str
        Of an audit within its file: ``"mean"``, ``"means[0]"``.
    wanted : str

    Returns
    -------
    bool
    """
    return label == wanted or label.startswith(f"{wanted}[")


def is_at(path: str, file: str, label: str) -> bool:
    """Whether a path of a command means an audit of a file.

    Parameters
    ----------
    path : str
        A file, a folder, or ``file::name``.
    file, label : str
        Where the audit is, from the folder that the path is from too, and its name there.

    Returns
    -------
    bool
    """
    place, named, wanted = path.partition("::")
    if named:
        return PurePosixPath(place) == PurePosixPath(file) and is_called(label, wanted)
    return PurePosixPath(file).is_relative_to(place)
