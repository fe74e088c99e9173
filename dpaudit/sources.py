"""The sources of an audit: all modules that its file and its mechanism import, however far.

Nothing is imported to find them. Where a source does what its text does not show, such as imports
by a computed name, that is a doubt; whoever may reuse a result has to run the audit then.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import sha256
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from dpaudit.collect import CollectedAudit
from dpaudit.subject import Subject
from dpaudit.worker.reads import is_installed

_DYNAMIC = {"import_module", "__import__", "exec", "eval", "run_path", "run_module", "load_module"}
_DYNAMIC |= {"spec_from_file_location", "exec_module", "find_spec", "entry_points", "iter_modules"}
_LOOKS = {"exists", "lexists", "is_file", "is_dir", "isfile", "isdir", "stat", "lstat", "getmtime"}
_LOOKS |= {"getsize", "access", "which"}
_CLOCKS = {"now", "today", "utcnow", "localtime", "gmtime", "time_ns", "perf_counter", "monotonic"}
_CLOCKS |= {"getpid", "gethostname", "getuser", "cpu_count", "node"}
_OUTSIDE = {"subprocess", "socket", "urllib", "http", "requests", "httpx", "aiohttp", "ctypes"}
_OUTSIDE |= {"cffi", "sqlite3", "pyarrow", "duckdb", "h5py", "tables", "netCDF4", "multiprocessing"}
_OUTSIDE |= {"runpy", "pkgutil", "imp", "zipimport", "mmap", "importlib", "builtins"}
_ASKED = {"os", "os.path", "time", "datetime", "platform", "shutil", "getpass", "glob"}
_PATCHES = {"setattr", "delattr", "patch", "globals", "vars", "__dict__", "modules", "settrace"}
_READS = ("open", "read", "load", "fromfile", "genfromtxt", "memmap", "Path", "files", "scan")
_ENVIRON = {"get", "pop", "setdefault", "__getitem__"}
# Packages that read no file of a project unless they are told its name.
_QUIET = {"dpaudit", "numpy", "scipy", "pandas", "polars", "sympy", "sklearn", "statsmodels"}
_QUIET |= {"opendp", "diffprivlib", "dp_accounting", "torch", "jax", "hypothesis", "mpmath"}


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of an audit.

    Attributes
    ----------
    files : mapping of str to str
        Paths with SHA-256 of what is in them; installed packages are not among them.
    names : mapping of str to str
        Full names that are imported, with where each comes from; empty where nowhere.
    packages : frozenset of str
        Top-level names of installed packages that are imported.
    environment : frozenset of str
        Variables that are named.
    doubts : tuple of str
        What the sources do that their text does not show, with file and line.
    reads : bool
        Whether they may read files.
    """

    files: Mapping[str, str]
    names: Mapping[str, str]
    packages: frozenset[str]
    environment: frozenset[str]
    doubts: tuple[str, ...]
    reads: bool

    @property
    def may_read(self) -> bool:
        """Whether a file that is no module may change what they do."""
        return self.reads or bool(self.packages - _QUIET)


@dataclass(frozen=True, slots=True)
class SourceReader:
    """Reads the sources of audits as they are now, each file once.

    Attributes
    ----------
    known : dict
        What was read, by the files that it begins with.
    """

    known: dict[tuple[str, ...], Sources] = field(default_factory=dict)
    _patching: list[str] = field(default_factory=lambda: list(_patching()))

    def shadows(self) -> dict[str, str]:
        """Return the modules of the project that stand in the way of installed ones, and hashes."""
        found: dict[str, str] = {}
        for folder in {os.path.realpath(entry or ".") for entry in sys.path}:
            if is_installed(os.path.join(folder, "")) or not os.path.isdir(folder):
                continue
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if name.partition(".")[0] in installed_names() and os.path.isfile(path):
                    found[path] = sha256(Path(path).read_bytes()).hexdigest()
                elif name in installed_names() and _is_package(path):
                    found[path] = "a package"
        return found

    def sources_of(self, collected: CollectedAudit) -> Sources:
        """Return the sources of an audit whose file is imported.

        Parameters
        ----------
        collected : CollectedAudit

        Notes
        -----
        Modules of the project that are loaded, and write into other modules, belong to every audit.
        """
        starts = [str(Path(collected.name.partition("::")[0]).resolve())]
        doubts: list[str] = []
        try:
            subject = Subject.of(collected.audit.mechanism)  # type: ignore[arg-type]
        except (Exception, SystemExit):
            subject = None  # a derivation, or what its audit will complain of
        if subject is not None:
            if subject.elsewhere:
                doubts.append(f"the mechanism runs in {subject.elsewhere}")
            elif subject.file is None or not os.path.exists(subject.file):
                doubts.append("the mechanism has no file of source")
            else:
                starts.append(os.path.realpath(subject.file))
        places = (*starts, *self._patching)
        if places not in self.known:
            walk = _Walk([])
            for place in places:
                walk.file(place)
            self.known[places] = walk.sources()
        found = self.known[places]
        return replace(found, doubts=(*doubts, *found.doubts)) if doubts else found


@cache
def installed_names() -> frozenset[str]:
    """Return the names of Python's modules, and the top-level ones of installed packages."""
    customs = {"sitecustomize", "usercustomize"}
    return frozenset({*sys.stdlib_module_names, *packages_distributions(), *customs})


def _is_package(path: str) -> bool:
    """Whether a folder is imported before an installed package of its name."""
    return os.path.isfile(os.path.join(path, "__init__.py"))


def _patching() -> Iterator[str]:
    """Yield the loaded modules, none of them installed, that write into other modules."""
    for file in _loaded_files():
        if file.endswith(".py") and not is_installed(file):
            facts = _facts_of(os.path.realpath(file))
            if facts is not None and facts.patches:
                yield os.path.realpath(file)


def _loaded_files() -> list[str]:
    """Return the files of the modules that are loaded."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return [file for file in files if isinstance(file, str)]


@dataclass(slots=True)
class _Walk:
    """Follows imports from file to file."""

    doubts: list[str]
    files: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)
    environment: set[str] = field(default_factory=set)
    reads: bool = False

    def sources(self) -> Sources:
        return Sources(
            dict(sorted(self.files.items())),
            dict(sorted(self.names.items())),
            frozenset(self.packages),
            frozenset(self.environment),
            tuple(dict.fromkeys(self.doubts)),
            self.reads,
        )

    def file(self, first: str) -> None:
        """Add a file, and all that it imports."""
        todo = [first]
        while todo:
            path = os.path.realpath(todo.pop())
            if path in self.files:
                continue
            if is_installed(path):
                self.packages.add(_top(path))
                continue
            todo += self._added(path)

    def _added(self, path: str) -> list[str]:
        """Add a file alone, and return where its imports lead."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            self.doubts.append(f"{path} cannot be read ({error.strerror})")
            return []
        self.files[path] = sha256(content).hexdigest()
        if not path.endswith(".py"):
            return []  # compiled
        facts = _facts_of(path)
        if facts is None:
            self.doubts.append(f"{path} is no Python source")
            return []
        self.doubts += facts.doubts
        self.environment |= set(facts.environment)
        self.reads = self.reads or facts.reads
        return [found for name in facts.imports for found in self._resolved(name)]

    def _resolved(self, name: str) -> Iterator[str]:
        """Yield the files of a module and of the packages that it is in."""
        parts = name.split(".")
        if parts[0] in sys.builtin_module_names:
            return
        for count in range(1, len(parts) + 1):
            full = ".".join(parts[:count])
            if full not in self.names:
                self.names[full] = _origin(full)
            origin = self.names[full]
            if not origin:
                return
            if is_installed(origin):
                if parts[0] not in sys.stdlib_module_names:
                    self.packages.add(parts[0])
                return
            if origin.endswith((".py", ".so", ".pyd")):
                yield origin


def _origin(name: str) -> str:
    """Return the file of a module, the folder of a package without one, or nothing."""
    loaded = sys.modules.get(name)
    file = getattr(loaded, "__file__", None)
    if isinstance(file, str):
        return os.path.abspath(file)
    path: Any = None
    parts = name.split(".")
    spec = None
    for end in range(1, len(parts) + 1):
        try:
            spec = PathFinder.find_spec(".".join(parts[:end]), path)
        except (ImportError, ValueError, KeyError):
            return ""
        if spec is None:
            return ""
        path = spec.submodule_search_locations
    if spec is None:
        return ""
    return spec.origin or next(iter(spec.submodule_search_locations or ()), "")


def _top(path: str) -> str:
    """Return the top-level name of an installed file."""
    parts = Path(path).parts
    if "site-packages" in parts:
        return parts[parts.index("site-packages") + 1].partition(".")[0]
    return "dpaudit" if "dpaudit" in parts else Path(path).stem


@dataclass(slots=True)
class _Facts:
    """What the syntax tree of a module says."""

    imports: list[str] = field(default_factory=list)
    environment: set[str] = field(default_factory=set)
    doubts: list[str] = field(default_factory=list)
    patches: bool = False
    reads: bool = False


def _facts_of(path: str) -> _Facts | None:
    """Read a module; None where it is no Python."""
    try:
        stamp = os.stat(path)
        return _facts(path, stamp.st_mtime_ns, stamp.st_size)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=4096)
def _facts(path: str, _: int, __: int) -> _Facts:
    tree = ast.parse(Path(path).read_bytes())
    found = _Facts()
    imported = set[str]()
    for node in ast.walk(tree):
        for name, bound in _imported(node, path):
            found.imports.append(name)
            imported.add(bound)
            module, last = name.rpartition(".")[0], name.rpartition(".")[2]
            outside = name.partition(".")[0] in _OUTSIDE
            renamed = last in ("environ", "getenv") and bound != last
            if outside or renamed or (module in _ASKED and last in {*_LOOKS, *_CLOCKS, "time"}):
                found.doubts.append(_at(path, node, f"imports {name}"))
    for node in ast.walk(tree):
        _note(node, path, imported, found)
    _note_environment(tree, path, found)
    return found


def _imported(node: ast.AST, path: str) -> Iterator[tuple[str, str]]:
    """Yield full names that are imported, each with the name that is bound."""
    if isinstance(node, ast.Import):
        yield from ((a.name, a.asname or a.name.partition(".")[0]) for a in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            module = resolve_name("." * node.level + module, _package_of(path))
        yield module, ""
        yield from ((f"{module}.{a.name}", a.asname or a.name) for a in node.names)


def _package_of(path: str) -> str:
    """Return the package that a file is in: as it is loaded, else by the folders above it."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == path and getattr(module, "__package__", None):
            return str(module.__package__)
    parts, folder = [], Path(path).parent
    while (folder / "__init__.py").is_file():
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts))


def _note(node: ast.AST, path: str, imported: set[str], found: _Facts) -> None:
    """Note what a node does that the text of imports does not show."""
    name = ""
    if isinstance(node, ast.Name):
        name = node.id
    elif isinstance(node, ast.Attribute):
        name = node.attr
        clock = name == "time" and isinstance(node.value, ast.Name) and node.value.id == "time"
        if clock or name in _LOOKS | _CLOCKS:
            found.doubts.append(_at(path, node, f"depends on {name}"))
        if name.startswith("scan_"):
            found.doubts.append(_at(path, node, f"reads by {name}"))
    dynamic = name in _DYNAMIC and not (
        isinstance(node, ast.Attribute) and name in ("eval", "exec")
    )
    if dynamic or (isinstance(node, ast.Name) and name in _LOOKS | _CLOCKS & imported):
        found.doubts.append(_at(path, node, f"calls {name}"))
    match node:
        case ast.Call(ast.Name("getattr"), [ast.Name("os" | "sys" | "time" | "__builtins__"), *_]):
            found.doubts.append(_at(path, node, "calls getattr of a module"))
    found.patches = found.patches or name in _PATCHES
    found.reads = found.reads or name.startswith(_READS)
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
        targets = (node.target,)
    if any(_root(target) in imported for each in targets for target in _leaves(each)):
        found.patches = True


def _leaves(target: ast.expr) -> Iterable[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else (target,)


def _root(target: ast.expr) -> str | None:
    """Return the name whose attribute or item is assigned, None for a plain name."""
    inside = target
    while isinstance(inside, ast.Attribute | ast.Subscript):
        inside = inside.value
    return inside.id if isinstance(inside, ast.Name) and inside is not target else None


def _note_environment(tree: ast.AST, path: str, found: _Facts) -> None:
    """Note which variables of the environment are read; a doubt where that is computed."""
    uses = 0
    for node in ast.walk(tree):
        match node:
            case ast.Name("environ" | "getenv" | "environb") | ast.Attribute(
                _, "environ" | "getenv" | "environb" | "getenvb"
            ):
                uses += 1
                line = node
        named = _variable(node)
        if named is not None:
            uses -= 1
            found.environment.add(named)
    if uses > 0:
        found.doubts.append(_at(path, line, "reads the environment by a computed name"))


def _variable(node: ast.AST) -> str | None:
    """Return the variable of the environment that a node reads by a literal."""
    match node:
        case ast.Subscript(value, ast.Constant(str() as name)) if _is_environ(value):
            return name
        case ast.Call(ast.Attribute(value, method), [ast.Constant(str() as name), *_]) if (
            method in _ENVIRON and _is_environ(value)
        ):
            return name
        case ast.Call(
            ast.Name("getenv") | ast.Attribute(_, "getenv"), [ast.Constant(str() as name), *_]
        ):
            return name
        case ast.Compare(ast.Constant(str() as name), [ast.In() | ast.NotIn()], [value]) if (
            _is_environ(value)
        ):
            return name
    return None


def _is_environ(value: ast.expr) -> bool:
    return getattr(value, "attr", getattr(value, "id", "")) == "environ"


def _at(path: str, node: ast.AST, what: str) -> str:
    from dpaudit.report.paths import shown

    return f"{shown(path)}:{getattr(node, 'lineno', 1)} {what}"
