"""Which audits may have changed since a revision of the repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from dpaudit.sources import Sources, installed_names

_PATIENCE = 60.0  # seconds for git
_CODE = (".py", ".so", ".pyd", ".pyi")
# A change of these may change everything: settings, and what is installed.
_EVERYTHING = (
    "pyproject.toml", "setup.py", "setup.cfg", "*.lock", "*requirements*", "*constraints*",
    "pipfile*", "environment*.y*ml", "conda*.y*ml", "dockerfile*", "*.pth", "sitecustomize.py",
    "usercustomize.py", ".python-version", ".env*", ".gitmodules",
)  # fmt: skip


class ChangedError(Exception):
    """What has changed cannot be told."""


def changed_files(folder: Path, revision: str) -> frozenset[Path]:
    """Return the files of a repository that differ from a revision, new and deleted ones too.

    Parameters
    ----------
    folder : Path
        In the repository.
    revision : str
        As git names it.

    Raises
    ------
    ChangedError
        Where git does not say.

    Notes
    -----
    Files that git ignores are not seen.
    """
    root = Path(_git(folder, "rev-parse", "--show-toplevel").rstrip("\n"))
    commit = _git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    listed = _git(root, "diff", "--name-only", "--no-renames", "-z", commit.strip(), "--")
    listed += _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return frozenset(root / name for name in listed.split("\0") if name)


def _git(folder: Path, *arguments: str) -> str:
    # Neither a hook nor a program of the repository is to run.
    settings = ["-c", "core.fsmonitor=false", "-c", "diff.external="]
    try:
        done = subprocess.run(
            ["git", *settings, "-C", str(folder), *arguments],
            capture_output=True,
            check=True,
            timeout=_PATIENCE,
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        raise ChangedError(
            f"git does not say what has changed: {said[-1] if said else 'it failed'}; give a "
            "revision that this repository has, or run all audits"
        ) from None
    except (OSError, subprocess.SubprocessError) as error:
        raise ChangedError(f"git cannot be run ({error}); run all audits") from None
    return done.stdout.decode("utf-8", "surrogateescape")


def may_be_changed(sources: Sources, changed: Iterable[Path]) -> bool:
    """Return whether an audit may depend on one of some files.

    Parameters
    ----------
    sources : Sources
        Of the audit.
    changed : iterable of Path

    Notes
    -----
    An audit whose sources do what their text does not show, such as imports by a computed name,
    depends on anything.
    """
    return any(
        bool(sources.doubts) or _is_everything(file) or _is_used(file, sources) for file in changed
    )


def _is_used(file: Path, sources: Sources) -> bool:
    if str(file) in sources.files:
        return True
    if file.suffix in _CODE:
        names = _module_names(file)  # one may stand in the way of an installed module
        return not (sources.names.keys().isdisjoint(names) and installed_names().isdisjoint(names))
    return sources.may_read


def _is_everything(file: Path) -> bool:
    name = file.name.casefold()
    return file.is_dir() or any(fnmatchcase(name, pattern) for pattern in _EVERYTHING)


def _module_names(file: Path) -> set[str]:
    """Return all names under which a file may be imported, whatever folder is on the path."""
    parts = [*file.parts[1:-1], file.name.partition(".")[0]]
    if parts[-1] == "__init__":
        parts.pop()
    return {".".join(parts[start:]) for start in range(len(parts))}
