"""Finds the audits that audit files declare."""

from __future__ import annotations

import ast
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from dpaudit.declare import Audit
from dpaudit.roots import project_root
from dpaudit.selection import is_called, is_selected
from dpaudit.subject import EXIT_REMEDY

_CONFTEST = "conftest.py"  # pytest's own
REQUIRES = "REQUIRES"  # name under which an audit file lists the packages that it needs


class CollectionError(ValueError):
    """The paths hold nothing that could be collected."""


@dataclass(frozen=True, slots=True, eq=False)
class CollectedAudit:
    """An audit and where it was found.

    Attributes
    ----------
    name : str
        ``file::variable``; entries of a list or dict as ``file::variable[0]``.
    audit : Audit
    line : int or None
        Where the variable is bound.
    """

    name: str
    audit: Audit
    line: int | None = None


@dataclass(frozen=True, slots=True)
class CollectionFailure:
    """An audit file that could not be used.

    Attributes
    ----------
    file : str
    message : str
        One line.
    """

    file: str
    message: str


@dataclass(frozen=True, slots=True)
class CollectionSkip:
    """An audit file that was not read, for packages that are not installed.

    Attributes
    ----------
    file : str
    missing : tuple of str
    """

    file: str
    missing: tuple[str, ...]

    @property
    def message(self) -> str:
        """One line."""
        names = " and ".join(self.missing)
        return f"skipped: {names} {'is' if len(self.missing) == 1 else 'are'} not installed"


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """What was found.

    Attributes
    ----------
    audits : tuple of CollectedAudit
        In the order of the files and of their variables.
    failures : tuple of CollectionFailure
        Files that do not import, or declare no audit.
    skipped : tuple of CollectionSkip
        Files that need what is not installed.
    """

    audits: tuple[CollectedAudit, ...]
    failures: tuple[CollectionFailure, ...]
    skipped: tuple[CollectionSkip, ...] = ()

    def select(self, patterns: Sequence[str]) -> Collection:
        """Keep audits of which a pattern occurs in the name, mechanism or expectation, or matches.

        Parameters
        ----------
        patterns : sequence of str
            Substrings, or globs of the whole; case does not matter. None at all keep everything.

        Returns
        -------
        Collection
        """
        kept = tuple(
            each
            for each in self.audits
            if is_selected(patterns, (each.name, each.audit.mechanism_name, each.audit.expect))
        )
        return Collection(kept, self.failures, self.skipped)


def collect(paths: Sequence[str | Path]) -> Collection:
    """Import audit files and find their audits.

    Parameters
    ----------
    paths : sequence of path
        Python files, directories (all files in them, except names that begin with ``_`` or
        ``.``), or ``file::name`` for audits of one name.

    Returns
    -------
    Collection

    Raises
    ------
    CollectionError
        If a path does not exist, or is no Python file.

    Notes
    -----
    A file that cannot be used does not stop the others; `collect_file` says what is an audit. A
    file that says ``REQUIRES = ("package",)`` is neither imported nor a failure where that package
    is not installed: it is skipped, which is no pass.
    """
    audits: list[CollectedAudit] = []
    failures: list[CollectionFailure] = []
    skipped: list[CollectionSkip] = []
    for path, wanted in _files(paths):
        shown = _shown(path)
        if not path.is_file():  # to read a pipe is to wait for its writer
            failures.append(CollectionFailure(shown, "is no regular file; remove it or rename it"))
            continue
        missing = missing_packages(path)
        if missing:
            skipped.append(CollectionSkip(shown, missing))
            continue
        try:
            found = collect_file(path)
        except CollectionError as error:
            failures.append(CollectionFailure(shown, str(error)))
            continue
        kept = [
            a
            for a in found
            if wanted is None or is_called(a.name.removeprefix(f"{shown}::"), wanted)
        ]
        if not kept:
            failures.append(CollectionFailure(shown, f"declares no audit called {wanted!r}"))
        audits += kept
    return Collection(tuple(audits), tuple(failures), tuple(skipped))


def collect_file(path: Path, *, may_be_empty: bool = False) -> tuple[CollectedAudit, ...]:
    """Import one audit file and find its audits.

    Parameters
    ----------
    path : Path
        A Python file.
    may_be_empty : bool
        Whether the file may declare none.

    Returns
    -------
    tuple of CollectedAudit
        In the order of its variables.

    Raises
    ------
    CollectionError
        If it does not import, or declares no audit; one line.

    Notes
    -----
    Audits are module-level names without a leading underscore that are bound to an `Audit`, or to
    a list, tuple or dict of them. The root of the file's project goes on ``sys.path``; see
    `dpaudit.roots.project_root`.
    """
    try:
        found = tuple(_audits(_load(path), _shown(path), _bound_lines(path)))
    except (Exception, SystemExit) as error:
        raise CollectionError(_one_line(error, path)) from error
    if not (found or may_be_empty):
        raise CollectionError("declares no audit; bind a dpaudit.Audit to a name in it")
    return found


def put_on_path(root: Path) -> None:
    """Let modules under `root` be imported, here and in worker processes that are spawned."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))


def _files(paths: Sequence[str | Path]) -> Iterator[tuple[Path, str | None]]:
    seen: set[tuple[Path, str | None]] = set()
    for given in paths:
        text, _, name = str(given).partition("::")
        path, wanted = Path(text), name or None
        if path.is_dir():
            below = _below(path)
        elif path.is_file() and path.suffix == ".py":
            below = [path]
        elif path.exists():
            raise CollectionError(f"{path} is no Python file; audit files end in .py")
        else:
            raise CollectionError(f"{path} does not exist; give a folder or a file with audits")
        for file in below:
            if (file.resolve(), wanted) not in seen:
                seen.add((file.resolve(), wanted))
                yield file, wanted


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.rglob("*.py") if _is_audit_file(p.relative_to(folder)))
    except OSError as error:
        raise CollectionError(
            f"{folder} cannot be searched ({error.filename}: {error.strerror}); give a folder "
            "that holds audits"
        ) from None


def _is_audit_file(below: Path) -> bool:
    hidden = any(part.startswith(("_", ".")) for part in below.parts)
    return not hidden and below.name != _CONFTEST


def missing_packages(path: Path) -> tuple[str, ...]:
    """Return which of the packages that a file lists are not installed, without running it.

    Parameters
    ----------
    path : Path
        A Python file that may say ``REQUIRES = ("package",)``.

    Returns
    -------
    tuple of str
    """
    try:
        body = ast.parse(path.read_bytes()).body
    except (SyntaxError, ValueError):
        return ()  # its import says what is wrong
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == REQUIRES:
            try:
                names = ast.literal_eval(node.value)
            except ValueError:
                return ()
            wanted = (names,) if isinstance(names, str) else tuple(map(str, names))
            return tuple(name for name in wanted if not _installed(name))
    return ()


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return name in sys.modules


def _load(path: Path) -> ModuleType:
    """Execute the file anew, as the module that an import from the root would give."""
    file = path.resolve()
    root = project_root(file.parent)
    put_on_path(root)
    name, importable = _module_name(file, root)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    if importable and "." in name:  # as an import would: functions are sent to workers by name
        importlib.import_module(name.rpartition(".")[0])
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    if not importable:
        import cloudpickle

        # No import finds it under this name, so workers get its functions by value.
        cloudpickle.register_pickle_by_value(module)
    return module


def _module_name(file: Path, root: Path) -> tuple[str, bool]:
    """Return a name for the module, and whether importing that name would find the file."""
    if file.is_relative_to(root):
        parts = file.relative_to(root).with_suffix("").parts
        name = ".".join(parts)
        taken = sys.modules.get(name)
        free = taken is None or getattr(taken, "__file__", None) == str(file)
        known = parts[0] in sys.stdlib_module_names
        if free and not known and all(part.isidentifier() for part in parts):
            return name, True
    return f"_dpaudit_{file.stem}_{sha256(str(file).encode()).hexdigest()[:12]}", False


def _bound_lines(path: Path) -> dict[str, int]:
    """Return the line of the last top-level assignment to each name."""
    lines: dict[str, int] = {}
    for node in ast.parse(path.read_bytes()).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        lines |= {target.id: node.lineno for target in targets if isinstance(target, ast.Name)}
    return lines


def _audits(module: ModuleType, shown: str, lines: Mapping[str, int]) -> Iterator[CollectedAudit]:
    seen: set[int] = set()
    for variable, value in list(vars(module).items()):
        if variable.startswith("_"):
            continue
        for label, audit in _unpacked(variable, value):
            if id(audit) not in seen:
                seen.add(id(audit))
                name = f"{shown}::{audit.name or label}"
                yield CollectedAudit(name, audit, lines.get(variable))


def _unpacked(variable: str, value: object) -> Iterator[tuple[str, Audit]]:
    if isinstance(value, Audit):
        yield variable, value
        return
    entries: Iterator[tuple[object, object]]
    if isinstance(value, list | tuple):
        entries = iter(enumerate(value))
    elif isinstance(value, dict):
        entries = iter(value.items())
    else:
        return
    for key, entry in entries:
        if isinstance(entry, Audit):
            yield f"{variable}[{key!r}]", entry


def _shown(path: Path) -> str:
    file = path.resolve()
    here = Path.cwd()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else file.as_posix()


def _one_line(error: BaseException, path: Path) -> str:
    """Say what went wrong and, where the file itself is to blame, on which line."""
    said = traceback.format_exception_only(error)[-1].strip().splitlines()
    if isinstance(error, SyntaxError):
        where = "" if error.lineno is None else f" (line {error.lineno})"
        return f"does not import: {said[-1]}{where}"
    file = str(path.resolve())
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    where = f" (line {lines[-1]})" if lines else ""
    if isinstance(error, SystemExit):
        where += f"; {EXIT_REMEDY}"
    return f"does not import: {said[0] if said else type(error).__name__}{where}"
