"""Where results come from: date, commit, source files, packages, Python and platform."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    packages_distributions,
    version,
)
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from dpaudit.report.paths import is_inside, local, shown
from dpaudit.roots import repository_root

OWN_PACKAGES = (
    "dpaudit", "numpy", "scipy", "sympy", "z3-solver", "python-flint", "scikit-learn", "cvc5",
)  # fmt: skip
_PATIENCE = 10.0  # seconds for git
_MOST_FILES = 500
_MOST_BYTES = 200_000_000  # of a package that is hashed
_INSTALLED = {"site-packages", "dist-packages"}  # where packages lie


def of_run(options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return where the results of a run come from, as JSON-able values.

    Parameters
    ----------
    options : mapping, optional
        What the command was given, by the names of its options.

    Returns
    -------
    dict
        ``date`` (UTC), ``commit`` and ``dirty`` of the audited repository (None where there is no
        commit), ``python``, ``platform``, the ``packages`` that dpaudit works with, ``options``.
    """
    commit, dirty = _commit(str(repository_root(Path.cwd())))
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "dirty": dirty,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "packages": _versions(OWN_PACKAGES),
        "options": {name: _option(value) for name, value in (options or {}).items()},
    }


def of_mechanism(file: str | None) -> dict[str, Any]:
    """Return what a mechanism is made of, as JSON-able values.

    Parameters
    ----------
    file : str or None
        Where it is defined.

    Returns
    -------
    dict
        ``files``, the SHA-256 of the file and of every module of the repository that it imports,
        directly or not, and ``packages``, the versions of what these import besides. For an
        installed package, ``packages`` has its version, and ``hashes`` a SHA-256 of its files.
    """
    if file is not None and _INSTALLED & {*Path(file).parts}:
        return _of_package(os.path.abspath(file))
    if file is None or not is_inside(shown(file)):
        return {"files": {}, "packages": {}}
    return _of_file(os.path.abspath(file), os.getcwd())


@lru_cache(maxsize=1024)  # one file holds many mechanisms
def _of_file(file: str, _: str) -> dict[str, Any]:
    hashes: dict[str, str] = {}
    names: set[str] = set()
    met: set[str] = set()
    rest = [file]
    while rest and len(hashes) < _MOST_FILES:
        path = rest.pop()
        name = shown(path)
        if name is None or name in hashes:
            continue
        try:
            content = Path(path).read_bytes()
            imported = _imported(content, path) - met
        except (ImportError, OSError, SyntaxError, ValueError, RecursionError):
            continue
        hashes[name] = hashlib.sha256(content).hexdigest()
        met |= imported
        for module in imported:
            found = getattr(sys.modules.get(module), "__file__", None)
            if isinstance(found, str) and _is_ours(found):
                rest.append(found)
            else:
                names.add(module.partition(".")[0])
    distributions = _distributions()
    used = {name for top in names for name in distributions.get(top, ())}
    return {"files": dict(sorted(hashes.items())), "packages": _versions(sorted(used))}


@lru_cache(maxsize=64)
def _of_package(file: str) -> dict[str, Any]:
    """Return the version and a hash of the installed package that holds a file."""
    parts = Path(file).parts
    place = max(i for i, part in enumerate(parts) if part in _INSTALLED)
    names = _distributions().get(Path(parts[place + 1]).stem, ())
    hashes = {name: found for name in names if (found := _hash_of(name)) is not None}
    return {"files": {}, "packages": _versions(names), "hashes": hashes}


def _hash_of(name: str) -> str | None:
    """Return a SHA-256 of a package's files, as they are now; None if there are too many."""
    total, size = hashlib.sha256(), 0
    try:
        for path in sorted(distribution(name).files or (), key=str):
            if path.suffix == ".pyc" or path.parts[0].endswith(".dist-info"):
                continue  # what installers write
            content = Path(str(path.locate())).read_bytes()
            size += len(content)
            if size > _MOST_BYTES:
                return None
            total.update(f"{path.as_posix()}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    except (PackageNotFoundError, OSError):
        return None
    return total.hexdigest() if size else None


def _option(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, tuple | list):
        return [_option(each) for each in value]
    return local(str(value))


@lru_cache(maxsize=1024)  # files of mechanisms import the same modules
def _imported(content: bytes, file: str) -> frozenset[str]:
    """Return what a module imports by its full name: modules, and names that may be modules."""
    parts = (name.split(".") for name in _named(content, file))
    return frozenset(".".join(p[:count]) for p in parts for count in range(1, len(p) + 1))


def _named(content: bytes, file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                module = resolve_name("." * node.level + module, _package(file))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _package(file: str) -> str:
    """Return the package of an imported file."""
    modules = list(sys.modules.values())
    found = (m.__package__ for m in modules if getattr(m, "__file__", None) == file)
    return next(found, None) or ""


def _is_ours(file: str) -> bool:
    return is_inside(shown(file)) and "site-packages" not in Path(file).parts


@cache
def _distributions() -> Mapping[str, Sequence[str]]:
    return packages_distributions()


def _versions(names: Sequence[str]) -> dict[str, str]:
    return {name: found for name in names if (found := _version(name)) is not None}


@cache
def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _commit(root: str) -> tuple[str | None, bool | None]:
    """Return the commit of a repository, and whether its files differ from it."""
    git = ["git", "-c", "core.fsmonitor=false", "-C", root]  # a hook that is not to run
    try:
        head, changed = (
            subprocess.run(
                [*git, *arguments], capture_output=True, text=True, check=True, timeout=_PATIENCE
            ).stdout.strip()
            for arguments in (["rev-parse", "HEAD"], ["status", "--porcelain"])
        )
    except (OSError, subprocess.SubprocessError):
        return None, None
    return head, bool(changed)
