"""Which files hold audits."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.pytest_plugin.options import SETTING

if TYPE_CHECKING:
    import pytest

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
        """
        globs = config.getini(SETTING)
        if not globs and _is_ours(config.rootpath / _USUAL):
            globs = [_USUAL]
        folders = [glob for glob in globs if (config.rootpath / glob).is_dir()]
        every = [f"{glob.rstrip('/')}/*.py" if glob in folders else glob for glob in globs]
        return cls(config.rootpath, tuple(every))

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
    return any(b"dpaudit" in file.read_bytes() for file in sorted(folder.rglob("*.py")))


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
