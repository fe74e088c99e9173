"""The two folders that files belong to: their project, and the repository around it.

A repository may hold many projects. What a project says of itself belongs to the project: its
settings, what is stored below ``.dpaudit/``, its audits, and the names by which its modules are
imported. What a reader of a report looks up belongs to the repository: files are named from there.
"""

from __future__ import annotations

from pathlib import Path

PROJECT_FILE = "pyproject.toml"
FOLDER = ".dpaudit"  # in a project's, for what runs leave
_REPOSITORY = ".git"  # a folder, or a file in a worktree
_IGNORED = """\
# dpaudit stores its runs here, for --resume, --accumulate, compare and review. Version control
# leaves this folder out. Without it, those commands know no earlier run.
*
"""


def project_file(start: Path) -> Path | None:
    """Return the nearest ``pyproject.toml`` at or above a folder, None where there is none.

    Parameters
    ----------
    start : Path

    Returns
    -------
    Path or None
    """
    folder = start.resolve()
    files = (above / PROJECT_FILE for above in (folder, *folder.parents))
    return next((file for file in files if file.is_file()), None)


def project_root(start: Path) -> Path:
    """Return the folder of the project that a folder belongs to.

    Parameters
    ----------
    start : Path

    Returns
    -------
    Path
        The nearest at or above it with a ``pyproject.toml``. Where there is none, the working
        directory if that is above it; else the nearest with ``.git``; else itself.
    """
    file = project_file(start)
    if file is not None:
        return file.parent
    here, folder = Path.cwd(), start.resolve()
    if folder.is_relative_to(here):
        return here
    return _repository(folder) or folder


def made_folder(folder: Path) -> Path:
    """Make the folder, which no version control is to keep, and return it.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    OSError
        Where it cannot be made; where a file is in its place, with the remedy.
    """
    if folder.is_symlink() and not folder.resolve().is_relative_to(folder.parent.resolve()):
        raise NotADirectoryError(
            f"{folder} is a link out of the project; put a folder in its place"
        )
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file, where a folder is to be; move it away")
    folder.mkdir(exist_ok=True)
    ignored = folder / ".gitignore"
    if not ignored.exists() and not ignored.is_symlink():
        ignored.write_text(_IGNORED)
    return folder


def repository_root(start: Path) -> Path:
    """Return the folder of the repository that a folder belongs to.

    Parameters
    ----------
    start : Path

    Returns
    -------
    Path
        The nearest at or above it with ``.git``; where there is none, that of its project.
    """
    return _repository(start.resolve()) or project_root(start)


def _repository(folder: Path) -> Path | None:
    return next((f for f in (folder, *folder.parents) if (f / _REPOSITORY).exists()), None)
