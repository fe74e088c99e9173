"""Reads Python files without importing them: their syntax trees, functions and imports."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.static.values import Value

_LARGEST = 5_000_000  # bytes of a file
Definition = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class UnreadableError(Exception):
    """A file that cannot be analysed; the message says why in a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function as it is written.

    Attributes
    ----------
    node : ast.FunctionDef or ast.Lambda
    module : Module
    owner : str
        The class that it is a method of; empty for none.
    closure : dict of str to Value or None
        What the names around it are bound to.
    fixed : dict of str to Value
        Arguments that `functools.partial` fixed.
    """

    node: Definition | ast.Lambda
    module: Module
    owner: str = ""
    closure: dict[str, Value] | None = None
    fixed: dict[str, Value] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How it is called."""
        name = getattr(self.node, "name", "<lambda>")
        return f"{self.owner}.{name}" if self.owner else name


class Module:
    """A file of Python source.

    Parameters
    ----------
    path : Path
    shown : str
        The path as findings show it.

    Raises
    ------
    UnreadableError
        Where it cannot be read or parsed.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown = path, shown
        self.text = _text(path)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes are not ours to report
                self.tree = ast.parse(self.text)
        except SyntaxError as error:
            raise UnreadableError(f"does not parse: {error.msg} (line {error.lineno})") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise UnreadableError(f"does not parse: {type(error).__name__}") from None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file."""
        return self.text.splitlines()

    @cached_property
    def imports(self) -> dict[str, str]:
        """Dotted names of what was imported, by the name that it has here."""
        found: dict[str, str] = {}
        for node in statements(self.tree.body):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found |= self.imported_by(node)
        return found

    def imported_by(self, node: ast.Import | ast.ImportFrom) -> dict[str, str]:
        """Return what a statement imports, by the name that it has here."""
        if isinstance(node, ast.Import):
            tops = {alias: alias.name.partition(".")[0] for alias in node.names}
            return {a.asname or top: a.name if a.asname else top for a, top in tops.items()}
        start = self._package(node.level)
        base = "".join(f"{part}." for part in (start, node.module or "") if part)
        return {alias.asname or alias.name: f"{base}{alias.name}" for alias in node.names}

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Functions and methods at the top of the file and of its classes, by qualified name."""
        found: dict[str, Function] = {}
        for node in statements(self.tree.body):
            if isinstance(node, DEFINITIONS):
                found[node.name] = Function(node, self)
            elif isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, DEFINITIONS):
                        found[f"{node.name}.{inner.name}"] = Function(inner, self, node.name)
        return found

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """Classes at the top of the file."""
        nodes = statements(self.tree.body)
        return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}

    @cached_property
    def names(self) -> dict[str, ast.expr]:
        """What is assigned to names at the top of the file, once."""
        found: dict[str, ast.expr] = {}
        again: set[str] = set()
        for node in statements(self.tree.body):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                targets, value = [node.target], node.value
            for target in targets:
                if isinstance(target, ast.Name):
                    again |= {target.id} & set(found)
                    found[target.id] = value
        return {name: value for name, value in found.items() if name not in again}

    def _package(self, level: int) -> str:
        """Return the package that a relative import starts from."""
        if not level:
            return ""
        parts = self.dotted.split(".")
        inside = parts if self.path.name == "__init__.py" else parts[:-1]
        return ".".join(inside[: len(inside) - level + 1])

    @cached_property
    def dotted(self) -> str:
        """The name that this module is imported by."""
        parts = [] if self.path.name == "__init__.py" else [self.path.stem]
        folder = self.path.parent
        while (folder / "__init__.py").is_file() and folder.parent != folder:
            parts.insert(0, folder.name)
            folder = folder.parent
        return ".".join(parts)

    @cached_property
    def root(self) -> Path:
        """The folder that imports of its package start from."""
        folder = self.path.parent
        while (folder / "__init__.py").is_file() and folder.parent != folder:
            folder = folder.parent
        return folder


class Project:
    """The modules that were read, and those that they import where the files are at hand.

    Parameters
    ----------
    roots : sequence of Path
        Folders in which imported modules are looked for, besides a module's own.
    """

    def __init__(self, roots: tuple[Path, ...] = ()) -> None:
        self.roots = roots
        self._modules: dict[Path, Module | UnreadableError] = {}
        self._found: dict[tuple[Path, str], Path | None] = {}

    def module(self, path: Path, shown: str | None = None) -> Module:
        """Return a module, read once."""
        if path not in self._modules:
            try:
                self._modules[path] = Module(path, shown or str(path))
            except UnreadableError as error:
                self._modules[path] = error
        found = self._modules[path]
        if isinstance(found, UnreadableError):
            raise found
        return found

    def function(self, dotted: str, asked_by: Module) -> Function | None:
        """Return the function of a dotted name, where its source is at hand."""
        for module, name in self._homes(dotted, asked_by):
            if name in module.functions:
                return module.functions[name]
        return None

    def found_class(self, dotted: str, asked_by: Module) -> tuple[ast.ClassDef, Module] | None:
        """Return the class of a name, with its module, where the source is at hand."""
        if dotted in asked_by.classes:
            return asked_by.classes[dotted], asked_by
        head, dot, rest = dotted.partition(".")
        whole = asked_by.imports.get(head, head) + dot + rest
        for module, name in self._homes(whole, asked_by):
            if name in module.classes:
                return module.classes[name], module
        return None

    def _homes(self, dotted: str, asked_by: Module) -> Iterator[tuple[Module, str]]:
        """Yield the modules that may define a dotted name, and its name there."""
        module_name, _, name = dotted.rpartition(".")
        for _ in range(4):  # names that a package hands on
            module = self.imported(module_name, asked_by)
            if module is None:
                return
            yield module, name
            if name not in module.imports:
                return
            asked_by, (module_name, _, name) = module, module.imports[name].rpartition(".")

    def imported(self, name: str, asked_by: Module) -> Module | None:
        """Return the module of a name, where its source is at hand and no library's."""
        if not name.replace(".", "_").isidentifier():
            return None  # a text, as in "/".join(parts)
        path = self._found_file(name, asked_by.root)
        if path is None or _foreign(path, name, asked_by):
            return None
        try:
            return self.module(path, _shown(path))
        except UnreadableError:
            return None

    def _found_file(self, name: str, root: Path) -> Path | None:
        if (root, name) not in self._found:
            parts = name.split(".")
            self._found[root, name] = None
            for folder in (root, *self.roots):
                base = folder.joinpath(*parts)
                for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
                    if path.is_file():
                        self._found[root, name] = path.resolve()
                        return self._found[root, name]
        return self._found[root, name]


def _foreign(path: Path, name: str, asked_by: Module) -> bool:
    """Return whether a file belongs to another package that is installed: it is not followed."""
    same = name.partition(".")[0] == asked_by.dotted.partition(".")[0]
    return "site-packages" in path.parts and not same


def _shown(path: Path) -> str:
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, those in ``if`` and ``try`` of the same scope included."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from statements([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            handlers = [s for handler in node.handlers for s in handler.body]
            yield from statements([*node.body, *handlers, *node.orelse, *node.finalbody])


def _text(path: Path) -> str:
    try:
        if not path.is_file() and path.exists():
            raise UnreadableError("is no regular file")
        if path.stat().st_size > _LARGEST:
            raise UnreadableError(f"is larger than {_LARGEST:,} bytes")
        raw = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        return raw.decode(encoding)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or type(error).__name__}") from None
    except (UnicodeDecodeError, SyntaxError, LookupError):
        raise UnreadableError("is not in the encoding that it declares") from None
