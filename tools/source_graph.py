"""The source graph: which files of the repository use which, read from their syntax trees.

Nothing is imported. A file uses what it imports, inside of functions too; where a package
re-exports a name, it uses the file that the name comes from. Modules that are imported by name, and
files that tests read, are followed through the strings that name them.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = ("dpaudit", "tests", "tools", "mechanisms", "audits", "benchmarks", "examples")
PUBLIC = "dpaudit"  # the package that imports its public names when they are asked for
READERS = ("tests/", "tools/")  # files that read others by their path


@dataclass(frozen=True, slots=True)
class Graph:
    """Files, and what each uses.

    Parameters
    ----------
    uses : mapping of str to frozenset of str
        Paths, relative to the root of the repository.
    """

    uses: Mapping[str, frozenset[str]] = field(repr=False)

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """Return how many steps of use lie between a file and the nearest changed one.

        Parameters
        ----------
        changed : iterable of str

        Returns
        -------
        dict of str to int
            Files that use no changed file are not in it.
        """
        users: dict[str, list[str]] = {}
        for user, used in self.uses.items():
            for file in used:
                users.setdefault(file, []).append(user)
        found = dict.fromkeys(changed, 0)
        todo = deque(found)
        while todo:
            file = todo.popleft()
            for user in users.get(file, ()):
                if user not in found:
                    found[user] = found[file] + 1
                    todo.append(user)
        return found


def source_graph(root: Path, changed: Iterable[str] = ()) -> Graph:
    """Return which files of a repository use which.

    Parameters
    ----------
    root : Path
    changed : iterable of str
        Files that may be gone, or hold no Python; they are used by who imports or names them.

    Returns
    -------
    Graph
    """
    there = [p for folder in FOLDERS for p in (root / folder).rglob("*.py")]
    facts = {p.relative_to(root).as_posix(): _Facts.of(p) for p in sorted(there)}
    listed = frozenset(changed)
    modules = {_module(file): file for file in (*listed, *facts) if file.endswith(".py")}
    reader = _Reader(modules, facts, listed)
    return Graph({file: frozenset(reader.used(file)) - {file} for file in facts})


def _module(file: str) -> str:
    """Return the name that a file is imported by; benchmarks import one another as scripts do."""
    parts = file.removesuffix(".py").split("/")
    if parts[0] == "benchmarks":
        return parts[-1]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds what one file uses, among the modules and the changed files."""

    modules: Mapping[str, str]
    facts: Mapping[str, _Facts]
    changed: frozenset[str]

    def used(self, file: str) -> Iterator[str]:
        """Yield the files that a file uses, some more than once."""
        facts = self.facts[file]
        for name in facts.imports:
            yield from self._named(name)
        for text in facts.texts:
            yield from self._imported_by_name(text)
        if facts.by_name and file.endswith("/__init__.py") and _module(file) != PUBLIC:
            yield from self._inside(f"{_module(file)}.")
        if file.startswith(READERS):
            yield from (other for other in self.changed if facts.paths & _names_of(other))
        if file.startswith("tests/"):
            shared = (f"{folder.as_posix()}/conftest.py" for folder in Path(file).parents)
            yield from (other for other in shared if other in self.facts)

    def _named(self, name: str) -> Iterator[str]:
        """Yield the file of a module, or the one that a package has a name from."""
        package, _, last = name.rpartition(".")
        if name in self.modules:
            yield self.modules[name]
        elif package in self.modules:
            home = self.modules[package]
            yield home
            facts = self.facts.get(home, _Facts())
            for full in (*facts.imports, *facts.typing):
                if full.endswith(f".{last}") and full != name:
                    yield from self._named(full)

    def _imported_by_name(self, text: str) -> Iterator[str]:
        """Yield what a string names: a module, a package that is run, the start of a name."""
        for name in (text, f"{text}.__main__"):
            if name in self.modules:
                yield self.modules[name]
        if text.endswith(".") and text != f"{PUBLIC}.":
            yield from self._inside(text)

    def _inside(self, prefix: str) -> Iterator[str]:
        """Yield the files of all modules whose names begin so."""
        yield from (file for name, file in self.modules.items() if name.startswith(prefix))


def _names_of(file: str) -> set[str]:
    """Return what a file and the folders that it is in are called, with and without their path."""
    path = Path(file)
    return {name for p in (path, *path.parents) for name in (p.as_posix(), p.name)} - {"", "."}


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the syntax tree of a file says, as far as the graph needs it.

    Parameters
    ----------
    imports, typing : list of str
        Full names of what is imported; `typing` when type checkers run alone.
    texts : list of str
        Its strings.
    paths : set of str
        Those that it makes paths of: with a slash in them, or joined by one.
    by_name : bool
        It imports modules by a name that it computes.
    """

    imports: list[str] = field(default_factory=list)
    typing: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    by_name: list[bool] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path) -> _Facts:
        """Read a file; one that is no Python says nothing."""
        facts = cls()
        try:
            facts._read(ast.parse(path.read_text(encoding="utf-8")), facts.imports)
        except (SyntaxError, UnicodeDecodeError):
            return cls()
        return facts

    def _read(self, tree: ast.AST, imports: list[str]) -> None:
        for node in ast.iter_child_nodes(tree):
            inside = imports
            match node:
                case ast.Constant(value=str() as text):
                    self.texts.append(text)
                    if "/" in text or (
                        isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div)
                    ):
                        self.paths.add(text.strip("/"))
                case ast.Import(names):
                    imports += [alias.name for alias in names]
                case ast.ImportFrom(module, names):
                    imports += [f"{module}.{alias.name}" for alias in names]
                case ast.Attribute(ast.Name(package), name) if package == PUBLIC:
                    imports.append(f"{PUBLIC}.{name}")
                case ast.Name("import_module") | ast.Attribute(_, "import_module"):
                    self.by_name.append(True)
                case ast.If(ast.Name("TYPE_CHECKING")):
                    inside = self.typing
            self._read(node, inside)
