"""Seeding: the functions of a source that seed a generator of all callers or read its state.

Such a function matters only if it may run: when its module is imported, or in the mechanism. A
function may run if code that may run names it: as a variable of its own module, as a variable that
is imported from there, as an attribute of that module, or as a text where a library is imported
that may look names up (`PLAIN_LIBRARIES`). Code that uses a module as a value may run all that is
in it. The methods of a class may run if the class is named, by a variable or an attribute of
whatever, without which there is no object of it; those that Python calls by itself, and functions
that a decorator is given, always may. Where code that may run looks names up that it does not write
down, every function may.

What a module only keeps in a variable (`dpaudit.formal.lifting.keeping`), such as a table of
functions, is a part of its own, which may run if the variable is named.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from dpaudit.formal.lifting.flow_syntax import is_stored
from dpaudit.formal.lifting.keeping import Keeping
from dpaudit.formal.lifting.mangled import module_tree
from dpaudit.formal.lifting.patches import UNREAD, Patch, patching

_STATE_WORDS = """
seed setstate set_state getstate get_state bit_generator _bit_generator set_bit_generator
get_bit_generator __setstate__ __getstate__ __reduce__ __reduce_ex__ mtrand
set_seed seed_everything set_random_seed set_determinism seed_all_rng
manual_seed manual_seed_all seed_all initial_seed set_rng_state get_rng_state fork_rng
default_generator
"""
_STATE = frozenset(_STATE_WORDS.split())
_SETTINGS = frozenset({"self", "args", "config", "cfg", "params", "settings", "opts", "options"})
_WILD_WORDS = """
globals locals vars eval exec __dict__ __import__ import_module modules reload getattr getmembers
attrgetter methodcaller ctypes __getattribute__ __globals__ __builtins__ getmodule getattr_static
module_from_spec f_builtins dictConfig fileConfig
"""
_WILD = UNREAD.union(_WILD_WORDS.split())
_PLAIN_WORDS = """
__future__ abc argparse array base64 bisect builtins calendar cmath collections contextlib copy csv
dataclasses datetime decimal dpaudit enum fractions functools hashlib heapq hmac io itertools json
logging math matplotlib numbers numpy operator os pandas pathlib polars random re scipy secrets
seaborn sklearn statistics string struct sympy textwrap threading time typing typing_extensions uuid
warnings
"""
PLAIN_LIBRARIES = frozenset(_PLAIN_WORDS.split())  # which find no function of others by its name
_MARK = "pytest.mark."  # whose decorators call nothing
_DECORATORS = frozenset({"staticmethod", "classmethod", "property", "dataclass"})
_BASES = frozenset({"object", "ABC", "Protocol", "NamedTuple", "Enum", "Exception", "ValueError"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Named(NamedTuple):
    """What code may stand for by a name that it writes down.

    Attributes
    ----------
    where : str
        The last name of a module; `OWN`, `ANYWHERE`, `CLASSES` or `TEXT`.
    name : str
        `EVERYTHING` of a module that is used as a value.
    """

    where: str
    name: str


class Touched(NamedTuple):
    """A generator that code seeds, or reads the state of.

    Attributes
    ----------
    module : str
        Of `SHARED`; empty for any generator.
    root : str
        The variable that the module is reached by.
    """

    module: str
    root: str


# Modules with a generator that all callers share.
SHARED = frozenset({"numpy.random", "random", "torch"})
OWN, ANYWHERE, CLASSES = "", "*", "."  # the module itself, all modules, their classes alone
TEXT = '"'  # in all modules, where a library may look it up
EVERYTHING = "*"


class Part(NamedTuple):
    """A function without those inside of it, what a variable keeps, or what runs on import.

    Attributes
    ----------
    name : str
        Empty for what a module runs when it is imported; see `lambda_name`.
    line : int
    owner : str
        The class that the function is a method of, empty where it is none.
    runs : bool
        Whether it may run though nobody names it.
    named : frozenset of Named
    wild : bool
        Whether it looks up names that it does not write down.
    touches : frozenset of Touched
        The generators that it may seed, or read the state of.
    patch : Patch or None
        What it changes of a library.
    """

    name: str
    line: int
    owner: str
    runs: bool
    named: frozenset[Named] = frozenset()
    wild: bool = False
    touches: frozenset[Touched] = frozenset()
    patch: Patch | None = None


@lru_cache(maxsize=512)
def parts_of(text: str, is_main: bool) -> tuple[Part, ...]:
    """Return the parts of a source that can be parsed.

    Parameters
    ----------
    text : str
    is_main : bool
        Whether what stands under ``if __name__ == "__main__"`` runs.
    """
    body = list(running(module_tree(text), is_main))
    every = [node for statement in body for node in ast.walk(statement)]
    classes = {node.name for node in every if isinstance(node, ast.ClassDef)}
    bound = classes | {node.name for node in every if isinstance(node, _Function)}
    bound |= {node.id for node in every if isinstance(node, ast.Name) and is_stored(node)}
    bound |= {node.arg for node in every if isinstance(node, ast.arg)}
    for node in every:
        if isinstance(node, ast.ImportFrom) and node.module not in ("dataclasses", "abc", "enum"):
            bound |= {alias.asname or alias.name for alias in node.names}
    known = frozenset() if "*" in bound else (_DECORATORS | _BASES) - (bound - classes)
    known |= {_MARK} if _whole_modules(every).get("pytest") == "pytest" else set()
    keeping = Keeping() if "*" in bound else Keeping.of(body, known, bound)
    tables = list(keeping.kept(body))
    kept = frozenset(id(node) for table in tables for node in table.nodes)
    reader = _Reader(every, known | classes)
    found = list(reader.parts(body, Part("", 0, "", True), kept))
    for names, nodes in tables:
        inside: list[ast.stmt] = [ast.Expr(node) for node in nodes]
        for name in names if nodes else ():
            found += reader.parts(inside, Part(name, nodes[0].lineno, "", False))
        for node in (n for n in nodes if isinstance(n, ast.Lambda)):
            for line in {n.lineno for n in ast.walk(node) if isinstance(n, ast.Lambda)}:
                found += reader.parts([ast.Expr(node)], Part(lambda_name(line), line, "", False))
    return (*found, *_imported_parts(every))


def lambda_name(line: int) -> str:
    """Return the name of a lambda that a module only keeps, or of one that such a lambda makes."""
    return f"<lambda>:{line}"


def _imported_parts(every: list[ast.AST]) -> Iterator[Part]:
    """Yield a part for each name that is imported, which stands for what it is."""
    for node in every:
        for name, of in _imported(node):
            yield Part(name, node.lineno, "", False, frozenset({of}))  # type: ignore[attr-defined]


def _imported(node: ast.AST) -> Iterator[tuple[str, Named]]:
    """Yield the names that an import binds, and what they stand for: a module, or a part of one."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            of = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or of, Named(of.rpartition(".")[2], EVERYTHING)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            of = (node.module or ANYWHERE).rpartition(".")[2]
            yield alias.asname or alias.name, Named(of, alias.name)


def _whole_modules(every: list[ast.AST]) -> dict[str, str]:
    """Return the variables that are one module each wherever they are bound, with its name."""
    found: dict[str, set[str]] = defaultdict(set)
    inside = {id(a) for node in every if isinstance(node, ast.Import) for a in node.names}
    for node in every:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                found[name].add(alias.name if alias.asname else name)
        elif id(node) not in inside and not isinstance(getattr(node, "ctx", None), ast.Load):
            for word in ("id", "arg", "attr", "name", "asname", "rest"):
                found[getattr(node, word, None) or ""].add("")
    everything = "*" in found
    modules = {name: sorted(of) for name, of in found.items() if len(of) == 1 and not everything}
    return {name: of[0] for name, of in modules.items() if of[0]}


def stars_of(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the last names of the modules of which all is imported."""
    froms = (node for node in nodes if isinstance(node, ast.ImportFrom))
    starred = (node for node in froms if any(alias.name == "*" for alias in node.names))
    return frozenset((node.module or ANYWHERE).rpartition(".")[2] for node in starred)


def running(tree: ast.Module, is_main: bool) -> Iterator[ast.stmt]:
    """Yield the statements of a module, without those that a script alone runs."""
    for statement in tree.body:
        guarded = isinstance(statement, ast.If) and _asks_for_main(statement.test)
        if is_main or not guarded:
            yield statement
        elif isinstance(statement, ast.If):
            yield from statement.orelse


def may_run(
    modules: list[Read], roots: Iterable[tuple[str, str]], by_text: bool
) -> frozenset[tuple[str, Part]]:
    """Return the parts that may run, each with the file of its module.

    Parameters
    ----------
    modules : list of Read
    roots : iterable of (str, str)
        The file and the name of functions that do run, and of what they are defined in.
    by_text : bool
        Whether a library that is imported may find a function by a text.
    """
    every = [(module.file, part) for module in modules for part in module.parts]
    named = set(roots)
    found: set[tuple[str, Part]] = set()
    while True:
        more = {(f, p) for f, p in every if p.runs or _is_named(f, p, named)} - found
        if not more:
            return frozenset(found)
        found |= more
        if any(part.wild for _, part in more):
            return frozenset(every)
        waiting = {
            (f, ANYWHERE if where == TEXT else where, name)
            for f, part in more
            for where, name in part.named
            if by_text or where != TEXT
        }
        while waiting:  # what is named in a module may be what that imports with a star
            file, where, name = waiting.pop()
            at = {file} if where == OWN else {where}
            if where not in (OWN, ANYWHERE, CLASSES):
                at = {module.file for module in modules if where in module.names}
            new = {(each, name) for each in at} - named
            named |= new
            files = {each for each, _ in new}
            stars = (m for m in modules if m.stars and m.file in files)
            waiting |= {(m.file, star, name) for m in stars for star in m.stars}


def _is_named(file: str, part: Part, named: set[tuple[str, str]]) -> bool:
    name = part.owner or part.name
    places = (file, ANYWHERE, *((CLASSES,) if part.owner else ()))
    return (file, EVERYTHING) in named or any((place, name) in named for place in places)


class Read(NamedTuple):
    """A module that was read.

    Attributes
    ----------
    file : str
    names : frozenset of str
        The last part of the names that it is imported by.
    parts : tuple of Part
    stars : frozenset of str
        The last names of the modules of which it imports all.
    """

    file: str
    names: frozenset[str]
    parts: tuple[Part, ...]
    stars: frozenset[str]


class _Reader:
    """Reads the parts of a module.

    Parameters
    ----------
    every : list of AST
        The nodes of the module.
    known : frozenset of str
        Decorators that call no function that they are given, and bases that call no method.
    """

    def __init__(self, every: list[ast.AST], known: frozenset[str]) -> None:
        self.known = known
        self.patches = patching(every)
        self.modules: dict[str, set[str]] = defaultdict(set)  # that names may stand for
        self.members: dict[str, set[str]] = defaultdict(set)  # of modules, modules themselves maybe
        for name, (where, of) in (each for node in every for each in _imported(node)):
            self.modules[name] |= {where} if of == EVERYTHING else set()
            self.members[name] |= set() if of == EVERYTHING else {of}
        self.whole = _whole_modules(every)
        classes = (node for node in every if isinstance(node, ast.ClassDef))
        self.in_class = {id(part) for node in classes for part in ast.walk(node)}
        self.bases = {id(node.value) for node in every if isinstance(node, ast.Attribute)}
        calls = (node for node in every if isinstance(node, ast.Call))
        self.names = {id(n.args[1]) for n in calls if _has_constant_name(n)}

    def parts(
        self, body: list[ast.stmt], of: Part, kept: frozenset[int] = frozenset()
    ) -> Iterator[Part]:
        """Yield a part, and those of the functions that are defined in it.

        Parameters
        ----------
        body : list of stmt
        of : Part
            Without what is read off the body.
        kept : frozenset of int
            Nodes that belong to parts of their own.
        """
        own: list[ast.AST] = []
        inside: list[tuple[_Function, Part]] = []
        for statement in body:
            _sort(statement, Part("", 0, "", False), own, inside, self.known, kept)
        constant = {id(n.func) for n in own if isinstance(n, ast.Call) and _has_constant_name(n)}
        yield of._replace(
            named=frozenset(found for node in own for found in self._named(node)),
            wild=any(_is_wild(node) for node in own if id(node) not in constant),
            touches=frozenset(
                self._touched(node) for node in own if touches(node) or self._looks_up(node)
            ),
            patch=next((self.patches[id(n)] for n in own if id(n) in self.patches), None),
        )
        for function, part in inside:
            yield from self.parts(function.body, part, kept)

    def _looks_up(self, node: ast.AST) -> bool:
        """Return whether a node takes any function of a module with a generator, by its text."""
        match node:
            case ast.Call(func=ast.Name(id="getattr" | "vars" | "dir"), args=[of, *_]):
                pass
            case ast.Call(
                func=ast.Call(func=ast.Name(id="attrgetter") | ast.Attribute()), args=[of]
            ):
                pass
            case ast.Attribute(value=of, attr="__dict__"):
                pass
            case _:
                return False
        named = ast.unparse(of).partition(".")
        whole = ".".join(filter(None, (self.whole.get(named[0], named[0]), named[2])))
        constant = isinstance(node, ast.Call) and _has_constant_name(node)
        return whole.rpartition(".")[2] in ("random", "torch") and not constant

    def _touched(self, node: ast.AST) -> Touched:
        """Return which generator a node touches."""
        func = node.func if isinstance(node, ast.Call) else node
        of = root = func.value if isinstance(func, ast.Attribute) else None
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(of, ast.expr) and isinstance(root, ast.Name) and root.id in self.whole:
            module = ast.unparse(of).replace(root.id, self.whole[root.id], 1)
            module = "torch" if module.startswith("torch.") else module
            return Touched(module if module in SHARED else "", root.id)
        return Touched("", "")

    def _named(self, node: ast.AST) -> Iterator[Named]:
        """Yield what a node may stand for by its name."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            last = node.value.replace(":", ".").rpartition(".")[2]
            yield Named(ANYWHERE if id(node) in self.names else TEXT, last)
            yield from (Named(OWN, word) for word in re.findall(r"@(\w+)", node.value))  # pandas
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if not self.modules.get(node.id) or self.members.get(node.id):
                yield Named(OWN, node.id)
        elif isinstance(node, ast.Attribute):
            yield Named(CLASSES, node.attr)
            yield from (Named(module, node.attr) for module in self._modules(node.value))
        elif id(node) in self.in_class:  # its objects may find it
            for _, of in _imported(node):
                yield from (of, Named(of.name, EVERYTHING))
        if id(node) not in self.bases and isinstance(node, ast.expr):
            yield from (Named(module, EVERYTHING) for module in self._modules(node))

    def _modules(self, node: ast.expr) -> set[str]:
        """Return the last names of modules that an expression may be, none for what is none."""
        match node:
            case ast.Name(id=name):
                return self.modules.get(name, set()) | self.members.get(name, set())
            case ast.Attribute(value=of, attr=name) if self._modules(of):
                return {name}
        return set()


def _sort(
    node: ast.AST,
    around: Part,
    own: list[ast.AST],
    inside: list[tuple[_Function, Part]],
    known: frozenset[str],
    kept: frozenset[int],
) -> None:
    """Sort what is below a node into a part's own nodes and the functions that it defines."""
    if id(node) in kept:
        return
    if isinstance(node, _Function):
        by_python = node.name.startswith("__") and node.name.endswith("__")
        by_python &= node.name != "__init__"  # which runs where the class is named
        runs = around.runs or by_python or not _all_known(node.decorator_list, known)
        inside.append((node, Part(node.name, node.lineno, around.owner, runs)))
        for part in filter(None, (*node.decorator_list, node.args, node.returns)):
            _sort(part, Part("", 0, "", False), own, inside, known, kept)
        return
    own.append(node)
    if isinstance(node, ast.ClassDef):
        plain = _all_known([*node.decorator_list, *node.bases], known) and not node.keywords
        around = Part("", 0, node.name, not plain)
    elif isinstance(node, ast.Assign) and _names_all(node):
        return
    elif not isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
        around = Part("", 0, "", False)
    for child in ast.iter_child_nodes(node):
        _sort(child, around, own, inside, known, kept)


def _all_known(nodes: list[ast.expr], known: frozenset[str]) -> bool:
    called = [node.func if isinstance(node, ast.Call) else node for node in nodes]
    names = (getattr(node, "id", "") or ast.unparse(node) for node in called)
    return all((_MARK if name.startswith(_MARK) else name) in known for name in names)


def _names_all(node: ast.Assign) -> bool:
    return [getattr(target, "id", "") for target in node.targets] == ["__all__"]


def _has_constant_name(node: ast.Call) -> bool:
    """Return whether a call looks an attribute up that is written in it."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
            return True
    return False


def _is_wild(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name.rpartition(".")[2] in _WILD
    return False


def touches(node: ast.AST) -> bool:
    """Return whether a node may stand for seeding a generator, or for reading its state."""
    if isinstance(node, ast.alias):
        return node.name in _STATE
    if isinstance(node, ast.Call):
        called = node.func
        if getattr(called, "attr", None) == "__init__":
            return not _makes_bases(node)
        name = getattr(called, "attr", getattr(called, "id", None))
        return name in _STATE
    if not isinstance(node, ast.Attribute) or node.attr not in _STATE:
        return isinstance(node, ast.Constant) and node.value in _STATE - {"seed"}
    return not isinstance(node.value, ast.Name) or node.value.id not in _SETTINGS


def _makes_bases(node: ast.Call) -> bool:
    """Return whether a call of an ``__init__`` is that of ``super()``, or is given ``self``."""
    of = getattr(node.func, "value", None)
    if isinstance(of, ast.Call):
        return getattr(of.func, "id", "") == "super"
    return bool(node.args) and getattr(node.args[0], "id", "") == "self"


def _asks_for_main(test: ast.expr) -> bool:
    return ast.unparse(test) in ("__name__ == '__main__'", "'__main__' == __name__")
