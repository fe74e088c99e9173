"""Which files hold audits."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from dpaudit.pytest_plugin.options import SETTING

_USUAL = "audits"
_SPECIAL = "*?["


@dataclass(frozen=True, slots=True)
class Places:
    """Where audit files are.

    Attributes
    ----------
    root : Path
        The folder that pytest calls root.
    globs : tuple of str
        As the settings give them; none stands for ``audits/``, where that folder is dpaudit's.
    """

    root: Path
    globs: tuple[str, ...]

    @classmethod
    def of(cls, config: pytest.Config) -> Places:
        """Read the settings.

        Parameters
        ----------
        config : pytest.Config

        Returns
        -------
        Places

        Raises
        ------
        pytest.UsageError
            Where a glob names a folder that is not there: its audits would never run.
        """
        root = config.rootpath
        globs = config.getini(SETTING)
        if not globs and _is_ours(root / _USUAL):
            globs = [_USUAL]
        return cls(root, tuple(_validated(glob, root) for glob in globs))

    def hold(self, file: Path, *, named: bool) -> bool:
        """Return whether a file is an audit file.

        Parameters
        ----------
        file : Path
        named : bool
            Whether the command line names this very file.

        Returns
        -------
        bool
            False for names that begin with an underscore or a dot and for ``conftest.py``, as in
            `dpaudit.collect`; unless the file is named, or the glob names the folder.
        """
        if not self.globs or file.suffix != ".py" or not file.is_relative_to(self.root):
            return False
        below = file.relative_to(self.root)
        return any(
            fnmatchcase(below.as_posix() if "/" in glob else below.name, glob)
            and _is_searched(below, glob, named=named)
            for glob in self.globs
        )

    def left_out(self, config: pytest.Config) -> list[str]:
        """Say which folders of audits lie outside of what a run without paths collects.

        Parameters
        ----------
        config : pytest.Config

        Returns
        -------
        list of str
            Nothing where the command line names paths.
        """
        if getattr(getattr(config, "args_source", None), "name", "") != "TESTPATHS":
            return []
        collected = [Path(config.invocation_params.dir, arg).resolve() for arg in config.args]
        folders = dict.fromkeys(_fixed_part(glob) for glob in self.globs)
        return [
            f"dpaudit: {folder}/ is not among the testpaths; its audits are not collected"
            for folder in folders
            if folder and not any(_overlap(self.root / folder, path) for path in collected)
        ]


def _is_ours(folder: Path) -> bool:
    """Return whether a file in the folder speaks of dpaudit; others audit other things."""
    if not folder.is_dir():
        return False
    for file in sorted(folder.rglob("*.py")):
        with contextlib.suppress(OSError):  # dangling links, say
            if file.is_file() and b"dpaudit" in file.read_bytes():
                return True
    return False


def _validated(glob: str, root: Path) -> str:
    """Return a glob of files; that of a folder is of all that is in it."""
    if (root / glob).is_dir():
        return f"{glob.rstrip('/')}/*.py"
    folder = _fixed_part(glob)
    if not glob.endswith((".py", "*")) or not (root / folder).is_dir():
        raise pytest.UsageError(
            f"{SETTING}: {glob!r} is no folder below {root}, nor a glob of Python files in one "
            "that is there; write such as 'audits' or 'audits/*.py'"
        )
    return glob


def _is_searched(below: Path, glob: str, *, named: bool) -> bool:
    if below.name == "conftest.py":
        return False
    said = {*glob.split("/"), *(below.parts if named else ())}
    return not any(part.startswith(("_", ".")) for part in below.parts if part not in said)


def _fixed_part(glob: str) -> str:
    """Return the folder that all files of a glob are in; empty where it is a name alone."""
    parts = glob.split("/")[:-1]
    special = (place for place, part in enumerate(parts) if any(c in part for c in _SPECIAL))
    return "/".join(parts[: next(special, len(parts))])


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)
