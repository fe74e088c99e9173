"""Where files are, as a reader of the report finds them: relative to the root of the repository."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from dpaudit.roots import repository_root


@lru_cache(maxsize=16)
def _root_of(here: str) -> Path:
    return repository_root(Path(here))


def shown(file: str | None) -> str | None:
    """Return a file relative to the root of the repository, with slashes.

    Parameters
    ----------
    file : str or None
        Absolute, or relative to the working directory.

    Returns
    -------
    str or None
        As it is given where it lies outside, or is no file (``"<string>"``).
    """
    if file is None or file.startswith("<"):
        return file
    return _shown(file, os.getcwd())


@lru_cache(maxsize=4096)  # the same few files are named in all parts of a report
def _shown(file: str, here: str) -> str:
    root = _root_of(here)
    try:
        path = Path(os.path.abspath(file))
        for candidate in (path, path.resolve()):
            if candidate.is_relative_to(root):
                return candidate.relative_to(root).as_posix()
    except (OSError, RuntimeError, ValueError):  # too long a name, a loop of links, a null byte
        return file
    return file


def shown_folder(folder: Path) -> str:
    """Return a folder of the repository relative to its root, empty for the root.

    Parameters
    ----------
    folder : Path
    """
    found = shown(str(folder)) or ""
    return "" if found == "." else found


def local(text: str) -> str:
    """Return a text in which files of the repository are named relative to its root.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    root = str(_root_of(os.getcwd()))
    prefix = root.rstrip(os.sep) + os.sep
    return text.replace(prefix, "") if len(prefix) > 1 and prefix in text else text


def is_inside(file: str | None) -> bool:
    """Whether a file, as `shown` gives it, is one of the repository.

    Parameters
    ----------
    file : str or None

    Returns
    -------
    bool
    """
    if not file or file.startswith("<"):
        return False
    path = Path(file)
    return not path.is_absolute() and ".." not in path.parts and ":" not in path.parts[0]
