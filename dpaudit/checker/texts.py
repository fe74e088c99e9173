"""Modules read as text: their functions are made without importing anything that a file names.

A function is made of the code that its file compiles to, and of global names that are read off the
text: imports from libraries, other functions, and constants. None of the file's statements is
executed. Whatever importing the module could change beyond that is refused, with its line.
"""

from __future__ import annotations

import ast
import builtins
import dis
import sys
import sysconfig
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from filecmp import cmp
from functools import lru_cache
from importlib import import_module
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, all_suffixes
from io import BytesIO
from pathlib import Path
from tokenize import detect_encoding
from typing import Any, cast

from dpaudit.checker.constants import (
    BUILT_IN,
    DECORATORS,
    LIBRARIES,
    NAMED,
    PARTS,
    QUIET,
    BadConstantError,
    constant,
)
from dpaudit.checker.file import NotCheckedError
from dpaudit.roots import project_root

_HOME = Path(__file__).parents[2]  # where dpaudit lies
_LONGEST = 2_000_000  # bytes of a module
_MOST = 200  # modules that one mechanism brings in
_HOLDERS = {"partial", "field", "TypeVar", "NewType", "ParamSpec"}  # look into no argument
_MARKS = {("dpaudit", "vectorized"), ("dpaudit", "example")}
_HARMLESS = {"__all__", "__author__", "__version__"}
_INSPECTED = {"__signature__", "__wrapped__"}  # called by `dataclass`
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
_PLAIN_BASES = {
    "object", "Exception", "ValueError", "TypeError", "RuntimeError", "Protocol", "NamedTuple",
    "TypedDict",
}  # fmt: skip


class _Space(dict[str, Any]):
    """The global names of a module of which the text alone is known: nothing of it is run."""


class _Proxy(types.ModuleType):
    """A module of which the text alone is known."""

    def __init__(self, module: Module) -> None:
        super().__init__(module.name)
        self.__dict__["_read"] = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        read = self.__dict__["_read"]
        if name in read.bound:
            return read.value(name)
        inside = read.texts.module(f"{read.name}.{name}")
        return read.value(name) if inside is None else _Proxy(inside)


@dataclass(slots=True, eq=False)
class Texts:
    """The modules that have been read.

    Attributes
    ----------
    given : dict of str to Path
        Files that the reader named, by the module.
    modules : dict of str to Module or None
        None for those of which no text is found.
    """

    given: dict[str, Path] = field(default_factory=dict)
    modules: dict[str, Module | None] = field(default_factory=dict)

    def function(self, module: str, name: str) -> Any:
        """Return a function of a module.

        Raises
        ------
        NotCheckedError
            Where it cannot be read off the text.
        """
        found = self.module(module)
        if found is None:
            raise NotCheckedError(
                f"not compared: no text of the module {module!r:.80} is found; run the check in "
                "its folder, or name the file by --source"
            )
        value = found.value(name)
        self._validate_submodules()
        return value

    def _validate_submodules(self) -> None:
        """Refuse a submodule whose import gives another meaning to a name of its package."""
        for name, read in self.modules.items():
            parent, _, last = name.rpartition(".")
            package = self.modules.get(parent)
            if read is None or package is None or is_installed(package.file):
                continue
            for statement in package.bound.get(last, []):
                if not _imports(statement, name, package):
                    raise package.refuse(f"the module {name!r:.60} may stand for this", statement)

    def module(self, name: str) -> Module | None:
        """Return a module and read what it imports, None where no text is found."""
        if name in self.modules:
            return self.modules[name]
        if len(self.modules) >= _MOST:
            raise NotCheckedError(f"not compared: it brings in more than {_MOST} modules")
        self.modules[name] = None
        file = self.given.get(name)
        if file is None and (file := self.file(name)) is not None and file.suffix != ".py":
            if not file.is_dir() and not is_installed(file):
                raise NotCheckedError(f"not compared: {file} is compiled, and is not read")
            file = None
        if file is not None:
            module = self.modules[name] = Module(self, name, file)
            if not is_installed(file):  # what is installed is taken as it is
                module.validate_quiet()
        return self.modules[name]

    def file(self, name: str) -> Path | None:
        """Return the file or folder of a module, on the path and beside what the reader named.

        Raises
        ------
        NotCheckedError
            Where these differ: how the code is run tells which of them it imports.
        """
        found = found_file(name)
        for module, file in self.given.items():
            up = module.count(".") + (file.name == "__init__.py")
            beside = found_file(name, [file.resolve().parents[up]])
            if beside is None or found is None:
                found = beside or found
            elif not _are_alike(found, beside):
                raise NotCheckedError(
                    f"not compared: the module {name!r:.60} is {found}, or {beside}; run the check "
                    "in the folder from which the code is run"
                )
        return found


@lru_cache(maxsize=64)
def _parsed(content: bytes, file: str) -> tuple[ast.Module, types.CodeType, frozenset[str]]:
    """Return the tree and the code of a file, which nobody changes, and its ``global`` names."""
    tree = ast.parse(content)  # bytes: Python alone knows which encoding it sees
    code = compile(content, file, "exec", dont_inherit=True)
    named = (node.names for node in ast.walk(tree) if isinstance(node, ast.Global))
    return tree, code, frozenset(name for names in named for name in names)


class Module:
    """The text of one module, and what its names are bound to."""

    def __init__(self, texts: Texts, name: str, file: Path) -> None:
        self.texts, self.name, self.file = texts, name, file
        try:
            if not file.is_file():  # a pipe or a device may never end
                raise NotCheckedError(f"not compared: {file} is no regular file")
            if file.stat().st_size > _LONGEST:
                raise NotCheckedError(f"not compared: {file} is longer than {_LONGEST:,} bytes")
            content = file.read_bytes()
            encoding, _ = detect_encoding(BytesIO(content).readline)
            if encoding != "utf-8":  # another would make other code of the same bytes
                raise NotCheckedError(f"not compared: {file} is in the encoding {encoding:.40}")
            content.decode()
            self.tree, self.code, self.changed = _parsed(content, str(file))
        except OSError as error:
            raise NotCheckedError(f"not compared: {file}: {error.strerror}") from None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise NotCheckedError(f"not compared: {file} does not parse as Python") from None
        self.space: dict[str, Any] = _Space({"__name__": name, "__file__": str(file)})
        self.bound: dict[str, list[ast.stmt]] = {}
        for statement in self.tree.body:
            for bound in _bound_by(statement):
                self.bound.setdefault(bound, []).append(statement)
        self._making: set[str] = set()
        self._local: set[str] = set()  # bound in the body of the class that is looked at
        self._items: set[str] = set()  # bound by the comprehensions around, to data

    def refuse(self, what: str, node: ast.AST) -> NotCheckedError:
        """Return the exception that names a line of the module."""
        return NotCheckedError(
            f"not compared: {self.file.name}:{getattr(node, 'lineno', 0)}: {what}; to import and "
            "run the code, name it by --mechanism module:function"
        )

    def validate_quiet(self) -> None:
        """Refuse statements by which an import could change what the text says."""
        for name, statements in self.bound.items():
            if name.startswith("__") and name not in _HARMLESS:
                raise self.refuse(f"the name {name!r:.60} is Python's own", statements[0])
        for statement in self.tree.body:
            _validate_statement(self, statement)

    def validate_within(self, bound: set[str], body: Sequence[ast.stmt]) -> None:
        """Refuse statements of a class, where its own names stand for those of the module."""
        outer, self._local = self._local, self._local | bound
        try:
            for statement in body:
                _validate_statement(self, statement)
        finally:
            self._local = outer

    def value(self, name: str) -> Any:
        """Return what a global name is bound to."""
        if name in self.space:
            return self.space[name]
        statements = self.bound.get(name, [])
        if len(statements) != 1 or name in self.changed or name in self._making:
            where = statements[-1] if statements else self.tree
            count = f"is bound {len(statements)} times, or changed by functions"
            raise self.refuse(f"the name {name!r:.60} {count}", where)
        self._making.add(name)
        try:
            found = self._made(name, statements[0])
        finally:
            self._making.discard(name)
        self.space[name] = found
        return found

    def _made(self, name: str, statement: ast.stmt) -> Any:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self._function(statement)
            case ast.Assign(value=ast.Lambda() as node):
                return self._completed(self._code("<lambda>", node.lineno, node), node.args)
            case ast.Assign(targets=targets, value=value):
                parts = [part for each in targets for part in _parts(each, value, name)]
                if parts:
                    return self.constant(parts[0])
            case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
                return self.constant(value)
            case ast.Import(names=names):
                [alias] = [a for a in names if (a.asname or a.name.partition(".")[0]) == name]
                whole = alias.asname is not None
                return self._imported(alias.name if whole else name, statement)
            case ast.ImportFrom(names=names):
                [alias] = [a for a in names if (a.asname or a.name) == name]
                return self._from(statement, alias.name)
        raise self.refuse(f"the name {name!r:.60} is bound by what is not read", statement)

    def constant(self, node: ast.expr) -> Any:
        """Return the value of a constant expression."""
        try:
            return constant(node, self._known)
        except BadConstantError as error:
            raise self.refuse(str(error), node) from None

    def _known(self, name: str) -> Any:
        """Return the value of a name in a constant."""
        if name in BUILT_IN and name not in self.bound and name not in self.changed:
            return BUILT_IN[name]
        return self.value(name)

    def origin(self, node: ast.expr) -> tuple[str, str]:
        """Return where a name or an attribute comes from: the root of its module, and its name.

        The root is empty where it is not told, ``builtins`` where the module binds no such name.
        """
        match node:
            case ast.Name(id=name) if name in self._local:
                return "", ""
            case ast.Name(id=name) if name not in self.bound and name not in self.changed:
                return "builtins", name
            case ast.Name(id=name) if len(self.bound.get(name, [])) == 1:
                [statement] = self.bound[name]
                if isinstance(statement, ast.ImportFrom):
                    [own] = [a.name for a in statement.names if (a.asname or a.name) == name]
                    return absolute(statement, self).partition(".")[0], own
            case ast.Attribute(value=ast.Attribute() as owner, attr=name):
                return self.origin(owner)[0], name
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner not in self._local:
                statements = self.bound.get(owner, [])
                if len(statements) == 1 and isinstance(statements[0], ast.Import):
                    for alias in statements[0].names:
                        if (alias.asname or alias.name.partition(".")[0]) == owner:
                            return alias.name.partition(".")[0], name
        return "", ""

    def is_quiet(self, node: ast.AST) -> bool:
        """Return whether an expression calls nothing but functions without effects."""
        if isinstance(node, ast.Lambda):
            return all(map(self.is_quiet, (d for d in _defaults(node.args))))
        if isinstance(node, _COMPREHENSIONS):
            return self._is_quiet_comprehension(node)
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return False
        if isinstance(node, ast.Call):
            root, name = self.origin(node.func)
            known = root in LIBRARIES or (root == "builtins" and name in BUILT_IN)
            if not known or name not in QUIET or (node.keywords and name not in NAMED):
                return False
            given = [*node.args, *(word.value for word in node.keywords)]
            if name not in _HOLDERS and not all(map(self._is_data, given)):
                return False
        if not all(map(self._is_data, _spread(node))):
            return False
        if isinstance(node, ast.Subscript):  # a class of the user's may compute what it gives
            root, _ = self.origin(node.value)
            if root not in LIBRARIES and root not in ("builtins", "typing"):
                return False
        return all(map(self.is_quiet, ast.iter_child_nodes(node)))

    def _is_quiet_comprehension(self, node: ast.AST) -> bool:
        names, parts = _stored(node), list(ast.iter_child_nodes(node))
        if any(map(self._stands_for_other, names)):  # what it calls is not what the text tells
            return False
        outer, self._items = self._items, self._items | names
        try:
            iterated = [part.iter for part in parts if isinstance(part, ast.comprehension)]
            return all(map(self._is_data, iterated)) and all(map(self.is_quiet, parts))
        finally:
            self._items = outer

    def _stands_for_other(self, name: str) -> bool:
        """Return whether a name means something outside of a comprehension that binds it."""
        taken = name in self.bound or name in self.changed or name in self._local
        return taken or hasattr(builtins, name)

    def _is_data(self, node: ast.expr) -> bool:
        """Return whether no class or module of the user's is within a value.

        ``dict(x)`` calls ``x.keys``, ``numpy.sqrt(x)`` calls ``x.sqrt``.
        """
        own = self._items | _stored(node)

        def is_data(part: ast.AST) -> bool:
            if not isinstance(part, ast.Name | ast.Attribute):
                return all(map(is_data, ast.iter_child_nodes(part)))
            if isinstance(part, ast.Name) and part.id in own:
                return True
            if any(isinstance(n, ast.Name) and n.id in self._local for n in ast.walk(part)):
                return False
            root, _ = self.origin(part)
            if root == "builtins" or root in LIBRARIES:
                return True
            try:
                return not isinstance(self.constant(cast(ast.expr, part)), type | types.ModuleType)
            except NotCheckedError:
                return False

        return is_data(node)

    def is_decorator(self, node: ast.expr) -> bool:
        """Return whether a decorator is one of those that call nothing."""
        called, arguments = _call(node)
        root, name = self.origin(called)
        return name in DECORATORS.get(root, ()) and all(map(self.is_quiet, arguments))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        made: Any = self._completed(self._code(node.name, first, node), node.args, node.name)
        for decorator in reversed(node.decorator_list):
            if not self.is_decorator(decorator):
                raise self.refuse("a decorator that is not known", decorator)
            if self.origin(_call(decorator)[0]) != ("dpaudit", "example"):  # which only marks it
                made = self.constant(decorator)(made)
        return made

    def _code(self, name: str, line: int, node: ast.AST) -> types.CodeType:
        found = [
            code
            for code in self.code.co_consts
            if isinstance(code, types.CodeType)
            and (code.co_name, code.co_firstlineno) == (name, line)
        ]
        if len(found) != 1 or found[0].co_freevars:
            raise self.refuse(f"the function {name!r:.60} cannot be told from others", node)
        return found[0]

    def _completed(self, code: types.CodeType, args: ast.arguments, name: str = "") -> Any:
        """Return a function, all of whose global names are bound."""
        made = types.FunctionType(code, self.space, code.co_name)
        made.__module__ = self.name
        if name:
            self.space[name] = made  # it may call itself
        defaults = tuple(map(self.constant, args.defaults))
        made.__defaults__ = defaults or None
        named = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        kept = {a.arg: self.constant(d) for a, d in named if d is not None}
        made.__kwdefaults__ = kept or None
        try:
            for used in sorted(_global_names(code)):
                if used in self.bound or used in self.changed:
                    self.value(used)
        finally:
            if name:
                del self.space[name]
        return made

    def _imported(self, name: str, node: ast.stmt) -> Any:
        """Return a module of a library, or the stand-in of one that is read."""
        if name.partition(".")[0] in LIBRARIES or name == "dpaudit":
            return self._library(name, node)
        module = self.texts.module(name)
        if module is None:
            raise self.refuse(f"the module {name!r:.60} is not read", node)
        return _Proxy(module)

    def _from(self, node: ast.ImportFrom, name: str) -> Any:
        source = absolute(node, self)
        if source.partition(".")[0] in LIBRARIES or (source, name) in _MARKS:
            return self._of_library(source, name, node)
        within = self.texts.module(source)
        if within is not None and name in within.bound:
            return within.value(name)
        return self._imported(f"{source}.{name}", node)

    def _of_library(self, source: str, name: str, node: ast.stmt) -> Any:
        module = self._library(source, node)
        if name in vars(module) or f"{source}.{name}" not in PARTS:
            try:
                return getattr(module, name)
            except AttributeError:
                raise self.refuse(f"{source}.{name} is not there", node) from None
        return self._library(f"{source}.{name}", node)

    def _library(self, name: str, node: ast.stmt) -> Any:
        """Return a module of a library; others than these may do anything when imported."""
        if name not in LIBRARIES | PARTS | {"dpaudit"}:
            raise self.refuse(f"{name!r:.60} is no part of a library that is imported", node)
        try:
            return import_module(name)
        except ImportError:
            raise self.refuse(f"{name!r:.60} is not installed", node) from None


def absolute(node: ast.ImportFrom, module: Module) -> str:
    """Return the module that something is imported from."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    up = node.level - (module.file.name == "__init__.py")
    parts = parts[: len(parts) - up] if up else parts
    return ".".join([*parts, *([node.module] if node.module else [])])


def found_file(name: str, within: Sequence[Path] = ()) -> Path | None:
    """Return the file or folder of a module on the path, without importing its packages."""
    parts = name.split(".")
    if not all(map(str.isidentifier, parts)) or parts[0] in sys.stdlib_module_names:
        return None
    here = Path.cwd()
    folders = within or dict.fromkeys(
        [here, project_root(here), *map(Path, filter(None, sys.path))]
    )
    places = [folder.joinpath(*parts) for folder in folders]
    suffixes = (*EXTENSION_SUFFIXES, ".py", *BYTECODE_SUFFIXES)  # in the order of Python
    for stem in (stem for place in places for stem in (place / "__init__", place)):
        for file in (Path(f"{stem}{suffix}") for suffix in suffixes):
            if file.is_file():
                return file
    return next((place for place in places if place.is_dir()), None)


def _are_alike(one: Path, other: Path) -> bool:
    """Return whether two files are one or hold the same; what folders hold is looked up in both."""
    if one.resolve() == other.resolve() or (one.is_dir() and other.is_dir()):
        return True
    both = one.is_file() and other.is_file() and one.suffix == other.suffix == ".py"
    return both and cmp(one, other, shallow=False)


def is_installed(file: Path) -> bool:
    """Return whether a file is of a package that is installed for this Python."""
    folders = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    return any(file.resolve().is_relative_to(folder) for folder in folders)


def _imports(statement: ast.stmt, name: str, package: Module) -> bool:
    """Return whether a package binds a name by importing the submodule that is called so."""
    if isinstance(statement, ast.Import):
        return any(f"{alias.name}.".startswith(f"{name}.") for alias in statement.names)
    if not isinstance(statement, ast.ImportFrom):
        return False
    source = absolute(statement, package)
    inside = {f"{source}.{alias.name}" for alias in statement.names}
    return f"{source}.".startswith(f"{name}.") or name in inside


def _shadowed(root: str, module: Module) -> bool:
    """Return whether a module of the project has the name of a library's."""
    here = Path.cwd()
    up = module.name.count(".") + (module.file.name == "__init__.py")
    for folder in {here, project_root(here), module.file.parents[up]} - {_HOME}:
        for stem in (folder / root, folder / root / "__init__"):
            if any(Path(f"{stem}{suffix}").exists() for suffix in all_suffixes()):
                return True
    return False


def _bound_by(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Import(names=names):
            yield from (a.asname or a.name.partition(".")[0] for a in names)
        case ast.ImportFrom(names=names):
            yield from (a.asname or a.name for a in names)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case _:
            parts = [n.target for n in ast.walk(statement) if isinstance(n, ast.comprehension)]
            inner = {id(node) for part in parts for node in ast.walk(part)}  # names of their own
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                    yield from [] if id(node) in inner else [node.id]


def _validate_statement(module: Module, statement: ast.stmt) -> None:
    """Refuse what could change another name than those that it binds, when it is executed."""
    match statement:
        case ast.Import() | ast.ImportFrom():
            _validate_import(module, statement)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _validate_function(module, statement)
        case ast.ClassDef():
            _validate_class(module, statement)
        case ast.Assign(targets=targets, value=value) if all(map(_is_names, targets)):
            _validate_quiet(module, [value])
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
            _validate_quiet(module, [annotation, *([value] if value else [])])
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            pass
        case ast.If(test=test, orelse=[]) if _never_imported(module, test):
            pass
        case _:
            raise module.refuse("importing the module executes this", statement)


def _validate_import(module: Module, statement: ast.Import | ast.ImportFrom) -> None:
    if isinstance(statement, ast.Import):
        names = whole = [alias.name for alias in statement.names]
    else:
        if any(alias.name == "*" for alias in statement.names):
            raise module.refuse("all names of a module are imported", statement)
        source = absolute(statement, module)
        whole = [source]
        names = [source, *(f"{source}.{alias.name}" for alias in statement.names)]
    for name in names:
        parts = name.split(".")
        if parts[0] in LIBRARIES or parts[0] in (*sys.stdlib_module_names, "dpaudit"):
            if _shadowed(parts[0], module):
                raise module.refuse(f"{parts[0]!r} may be a file of the project", statement)
            continue
        for length in range(1, len(parts) + 1):  # the packages around it are imported too
            module.texts.module(".".join(parts[:length]))
        if name in whole and name not in module.texts.given and module.texts.file(name) is None:
            raise module.refuse(f"the module {name!r:.60} is not read", statement)


def _validate_function(module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    for decorator in node.decorator_list:
        if not module.is_decorator(decorator):
            raise module.refuse("a decorator that is not known", decorator)
    arguments = node.args
    each = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    notes = [a.annotation for a in (*each, arguments.vararg, arguments.kwarg) if a is not None]
    parts = [*_defaults(arguments), *notes, node.returns]
    _validate_quiet(module, [part for part in parts if part is not None])


def _validate_class(module: Module, node: ast.ClassDef) -> None:
    bases = [b.value if isinstance(b, ast.Subscript) else b for b in node.bases]
    from_libraries = {"builtins", *LIBRARIES}
    for base in bases:
        root, name = module.origin(base)
        if root not in from_libraries or name not in _PLAIN_BASES or node.keywords:
            raise module.refuse("a class that others take part in", node)
    _validate_quiet(module, node.bases)
    for decorator in node.decorator_list:
        called, arguments = _call(decorator)
        if module.origin(called) != ("dataclasses", "dataclass"):
            raise module.refuse("a decorator that is not known", decorator)
        _validate_quiet(module, arguments)
    bound = {name for statement in node.body for name in _bound_by(statement)}
    if bound & _INSPECTED:
        raise module.refuse("a class that says what its signature is", node)
    module.validate_within(bound, node.body)


def _validate_quiet(module: Module, nodes: Sequence[ast.expr]) -> None:
    for node in nodes:
        if not module.is_quiet(node):
            raise module.refuse("importing the module calls a function here", node)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]


def _call(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """Return what an expression calls or names, and the arguments."""
    if not isinstance(node, ast.Call):
        return node, []
    return node.func, [*node.args, *(word.value for word in node.keywords)]


def _parts(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    """Yield what an assignment gives a name, nothing where the text does not tell."""
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        starred = any(isinstance(each, ast.Starred) for each in value.elts)
        if not starred and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                yield from _parts(one, other, name)


def _spread(node: ast.AST) -> list[ast.expr]:
    """Return the mappings that ``**`` spreads, which calls their ``keys``."""
    if isinstance(node, ast.Dict):
        return [v for k, v in zip(node.keys, node.values, strict=True) if k is None]
    words = node.keywords if isinstance(node, ast.Call) else []
    return [word.value for word in words if word.arg is None]


def _stored(node: ast.AST) -> set[str]:
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _is_names(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Tuple) and all(map(_is_names, target.elts))
    )


def _never_imported(module: Module, test: ast.expr) -> bool:
    if module.origin(test) == ("typing", "TYPE_CHECKING"):
        return True
    return ast.unparse(test) == "__name__ == '__main__'"


def _global_names(code: types.CodeType) -> set[str]:
    found = {i.argval for i in dis.get_instructions(code) if i.opname in _GLOBALS}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _global_names(inner)
    return found
