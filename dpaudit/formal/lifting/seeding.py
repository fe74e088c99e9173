"""Seeding: the code of a source that seeds a generator of all callers, or reads its state.

Such code matters only if it runs: when its module is imported, or beside the mechanism. What an
import runs, a new process tells (`dpaudit.formal.lifting.fresh_import`). Another import might also
run what those functions name, and what a statement names that decides at run time what it does.
Names are followed from any module to all others. Where code looks names up that it does not write
down, all of it may run.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from dpaudit.formal.lifting.flow_syntax import parameters_of
from dpaudit.formal.lifting.fresh_import import Entered
from dpaudit.formal.lifting.mangled import module_tree, written_name
from dpaudit.formal.lifting.patches import Patch, patching

_STATE_WORDS = """
seed setstate set_state getstate get_state bit_generator _bit_generator set_bit_generator
get_bit_generator __setstate__ __getstate__ __reduce__ __reduce_ex__ mtrand
set_seed seed_everything set_random_seed set_determinism seed_all_rng
"""
_STATE = frozenset(_STATE_WORDS.split())
_SETTINGS = frozenset({"self", "args", "config", "cfg", "params", "settings", "opts", "options"})
_WILD_WORDS = """
globals locals vars eval exec __dict__ __import__ import_module modules reload getattr
getmembers get_objects get_referrers attrgetter methodcaller runpy run_path run_module ctypes
__getattribute__ __globals__ getmodule module_from_spec resolve_name
"""
_WILD = frozenset(_WILD_WORDS.split())
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BINDING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.With, ast.AsyncWith)
_DECIDING = (
    ast.If, ast.IfExp, ast.BoolOp, ast.While, ast.For, ast.AsyncFor, ast.Try, ast.TryStar,
    ast.Match, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


class Touched(NamedTuple):
    """A generator that code seeds, or reads the state of.

    Attributes
    ----------
    module : str
        Of those that all callers share, ``numpy.random`` or ``random``; empty for any generator.
    root : str
        The variable that the module is reached by.
    """

    module: str
    root: str


SHARED = frozenset({"numpy.random", "random"})  # modules with a generator that all callers share


class Part(NamedTuple):
    """A function without those inside of it, or what a module runs when it is imported.

    Attributes
    ----------
    name : str
        Empty for what a module runs.
    line : int
    first : int
        The first line of its code, that of a decorator.
    written : str
        The name of its code.
    reached : frozenset of str
        Names by which code may reach it.
    always : bool
        Whether it runs though nobody names it.
    named, chosen : frozenset of str
        What it names, and of that what it calls without a name of its own.
    touches : frozenset of Touched
        The generators that it may seed, or read the state of.
    patch : Patch or None
        What it changes of a library.
    """

    name: str
    line: int
    first: int = 0
    written: str = ""
    reached: frozenset[str] = frozenset()
    always: bool = False
    named: frozenset[str] = frozenset()
    chosen: frozenset[str] = frozenset()
    touches: frozenset[Touched] = frozenset()
    patch: Patch | None = None


class Parts(NamedTuple):
    """The parts of a module, and what its names may stand for.

    Attributes
    ----------
    parts : tuple of Part
    defined, held : dict of str to frozenset of str
        What functions, classes and imports of a name name, and what its other values do.
    deciding : frozenset of str
        What its statements name outside of functions that decide at run time what they do.
    """

    parts: tuple[Part, ...]
    defined: Mapping[str, frozenset[str]]
    held: Mapping[str, frozenset[str]]
    deciding: frozenset[str]


@lru_cache(maxsize=512)
def parts_of(text: str, is_main: bool) -> Parts:
    """Return the parts of a source that can be parsed.

    Parameters
    ----------
    text : str
    is_main : bool
        Whether what stands under ``if __name__ == "__main__"`` runs.
    """
    body = list(running(module_tree(text), is_main))
    every = [node for statement in body for node in ast.walk(statement)]
    defined, held = _defined(every), _held(every)
    variables = held.keys() - defined.keys()
    reader = _Reader(every, variables)
    own: list[ast.AST] = []
    for statement in body:
        names = frozenset((*_names([statement], inside=False), *_stored(statement)))
        reader.sort(statement, own, names, "")
    reader.add(Part("", 0, always=True), own)
    outside = list(_outside(body))
    deciding = {*_names((n for n in outside if isinstance(n, _DECIDING)), inside=False)}
    chosen = {*_names((n for n in outside if _chooses(n, variables)), inside=False)}
    deciding |= _closed(chosen, [defined, held])
    return Parts(tuple(reader.found), defined, held, frozenset(deciding))


def may_run(
    modules: Mapping[str, Parts], roots: Iterable[str], entered: Collection[Entered]
) -> frozenset[tuple[str, Part]]:
    """Return the parts that may run, each with the file of its module.

    Parameters
    ----------
    modules : mapping of str to Parts
        By file.
    roots : iterable of str
        Names of classes and functions that may have run since the import.
    entered : collection of Entered
        What ran when the modules were imported anew.
    """
    every = [(file, part) for file, read in modules.items() for part in read.parts]
    found = {(f, p) for f, p in every if p.always or Entered(f, p.first, p.written) in entered}
    defined = [read.defined for read in modules.values()]
    held = [read.held for read in modules.values()]
    names = _closed({*roots}, [*defined, *held])
    begun = {name for read in modules.values() for name in read.deciding}
    names |= _closed(begun | {name for _, part in found for name in part.named}, defined)
    names |= _closed({name for _, part in found for name in part.chosen}, [*defined, *held])
    if names & _WILD:
        return frozenset(every)
    return frozenset(found | {(f, p) for f, p in every if p.reached & names})


def _closed(begun: set[str], tables: list[Mapping[str, frozenset[str]]]) -> set[str]:
    """Return names, and all that they stand for by some tables."""
    names, rest = set(begun), set(begun)
    while rest:
        rest = {n for name in rest for table in tables for n in table.get(name, ())} - names
        names |= rest
    return names


def running(tree: ast.Module, is_main: bool) -> Iterator[ast.stmt]:
    """Yield the statements of a module, without those that a script alone runs."""
    for statement in tree.body:
        guarded = isinstance(statement, ast.If) and _asks_for_main(statement.test)
        if is_main or not guarded:
            yield statement
        elif isinstance(statement, ast.If):
            yield from statement.orelse


class _Reader:
    """Sorts the nodes of a module into parts."""

    def __init__(self, every: list[ast.AST], variables: Collection[str]) -> None:
        self.variables = variables
        self.patches = patching(every)
        self.whole = _whole_modules(every)
        self.found: list[Part] = []

    def sort(self, node: ast.AST, own: list[ast.AST], names: frozenset[str], owner: str) -> None:
        """Sort what is below a node into the nodes of the part around it, and parts of its own.

        Parameters
        ----------
        node : AST
        own : list of AST
        names : frozenset of str
            By which a lambda is reached.
        owner : str
            The class around it, if any.
        """
        inside: list[ast.AST] = []
        if isinstance(node, _Function):
            for outer in filter(None, (*node.decorator_list, node.args, node.returns)):
                self.sort(outer, own, names, "")
            names = frozenset({owner or node.name})
            for statement in node.body:
                self.sort(statement, inside, names, "")
            by_python = node.name.startswith("__") and node.name.endswith("__")
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            part = Part(node.name, node.lineno, first, written_name(node), names)
            named = frozenset(_names(node.body))
            always = by_python and node.name != "__init__"  # which runs where the class is named
            chosen = frozenset(_names(n for n in inside if _chooses(n, self.variables)))
            self.add(part._replace(named=named, chosen=chosen, always=always), inside)
        elif isinstance(node, ast.Lambda):
            self.sort(node.args, own, names, "")
            self.sort(node.body, inside, names, "")
            part = Part("<lambda>", node.lineno, node.lineno, "<lambda>", names)
            self.add(part._replace(named=frozenset(_names([node.body]))), inside)
        else:
            own.append(node)
            if isinstance(node, ast.ClassDef):
                owner = node.name
                names = names | {owner}
            elif not isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
                owner = ""
            for child in ast.iter_child_nodes(node):
                self.sort(child, own, names, owner)

    def add(self, part: Part, own: list[ast.AST]) -> None:
        """Add a part that consists of nodes."""
        touches = frozenset(
            self._touched(node) for node in own if _touches(node) or self._looks_up(node)
        )
        patch = next((self.patches[id(n)] for n in own if id(n) in self.patches), None)
        self.found.append(part._replace(touches=touches, patch=patch))

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
        return whole.rpartition(".")[2] == "random" and not _has_constant_name(node)

    def _touched(self, node: ast.AST) -> Touched:
        """Return which generator a node touches."""
        func = node.func if isinstance(node, ast.Call) else node
        of = root = func.value if isinstance(func, ast.Attribute) else None
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(of, ast.expr) and isinstance(root, ast.Name) and root.id in self.whole:
            module = ast.unparse(of).replace(root.id, self.whole[root.id], 1)
            return Touched(module if module in SHARED else "", root.id)
        return Touched("", "")


def _names(nodes: Iterable[ast.AST], *, inside: bool = True) -> Iterator[str]:
    """Yield what code reads by a name that it writes down: variables, attributes and texts.

    Parameters
    ----------
    nodes : iterable of AST
    inside : bool
        Whether the bodies of functions count.
    """
    rest = list(nodes)
    while rest:
        node = rest.pop()
        if isinstance(node, _Function) and not inside:
            rest += filter(None, (*node.decorator_list, node.args, node.returns))
            continue
        if isinstance(node, ast.Lambda) and not inside:
            rest.append(node.args)
            continue
        if isinstance(node, ast.Assign) and _names_all(node):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute | ast.alias):
            yield (node.attr if isinstance(node, ast.Attribute) else node.name).rpartition(".")[2]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from {node.value} - _WILD
        if _has_constant_name(node):
            rest += node.args  # type: ignore[attr-defined]
        else:
            rest += ast.iter_child_nodes(node)


def _names_all(node: ast.Assign) -> bool:
    return [getattr(target, "id", "") for target in node.targets] == ["__all__"]


def _stored(node: ast.AST) -> Iterator[str]:
    """Yield the last names of what a node assigns, or changes."""
    for part in ast.walk(node):
        if isinstance(getattr(part, "ctx", None), ast.Store):
            while isinstance(part, ast.Subscript):
                part = part.value
            yield getattr(part, "id", getattr(part, "attr", ""))


def _defined(every: list[ast.AST]) -> dict[str, frozenset[str]]:
    """Return what the functions, classes and imports name that a name may stand for."""
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for node in every:
        if isinstance(node, ast.ClassDef | _Function):
            found[node.name] |= {*_names([node])}
        elif isinstance(node, ast.alias):
            found[node.asname or node.name] |= {node.name.rpartition(".")[2]}
    return dict(found)


def _held(every: list[ast.AST]) -> dict[str, frozenset[str]]:
    """Return what is named by the values that a variable may hold, or that may be put into it."""
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    functions = {n.name: n for n in every if isinstance(n, _Function)}
    for node in every:
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            for name in _stored(node.target):
                found[name] |= {*_names([node.iter])}
        elif isinstance(node, _BINDING):
            for name in _stored(node):
                found[name] |= {*_names([node])}
        elif isinstance(node, ast.ClassDef | _Function):
            for decorator in node.decorator_list:
                for name in _names([decorator]):
                    called = functions.get(name)
                    for into in [name] if called is None else parameters_of(called.args):
                        found[into] |= {node.name}
        elif isinstance(node, ast.Call):
            given = {*_names((*node.args, *(word.value for word in node.keywords)))}
            if isinstance(node.func, ast.Attribute):
                of = node.func.value
                found[getattr(of, "id", getattr(of, "attr", ""))] |= given
            called = functions.get(getattr(node.func, "id", getattr(node.func, "attr", "")))
            for name in () if called is None else parameters_of(called.args):
                found[name] |= given
    return dict(found)


def _outside(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of statements that are in no function."""
    rest = list(body)
    while rest:
        node = rest.pop()
        yield node
        if not isinstance(node, ast.Lambda | _Function):
            rest += ast.iter_child_nodes(node)


def _chooses(node: ast.AST, variables: Collection[str]) -> bool:
    """Return whether a node is an item that is looked up, or calls what it, or a variable, has."""
    if isinstance(node, ast.Subscript):
        return not isinstance(node.slice, ast.Constant)
    match node:
        case ast.Call(func=ast.Attribute(attr="get" | "pop" | "__getitem__"), args=[at, *_]):
            return not isinstance(at, ast.Constant)
    of = node.func if isinstance(node, ast.Call) else None
    if isinstance(of, ast.Name):
        return of.id in variables
    while isinstance(of, ast.Attribute):
        of = of.value
    return not isinstance(of, ast.Name | None)


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


def _has_constant_name(node: ast.AST) -> bool:
    """Return whether a call looks an attribute up that is written in it."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
            return True
    return False


def _touches(node: ast.AST) -> bool:
    """Return whether a node may stand for seeding a generator, or for reading its state."""
    if isinstance(node, ast.alias):
        return node.name in _STATE
    if isinstance(node, ast.Call):
        called = node.func
        name = getattr(called, "attr", getattr(called, "id", None))
        if name == "__init__":
            return not _makes_bases(node)
        looked_up = name in ("getattr", "attrgetter", "methodcaller")
        texts = [str(a.value) for a in node.args if isinstance(a, ast.Constant)]
        if name in ("exec", "eval"):
            known = all(isinstance(a, ast.Constant) for a in node.args[:1]) or name == "eval"
            return not known or any(word in text for text in texts for word in _STATE)
        if name in ("run_path", "run_module"):
            return True
        return name in _STATE or (looked_up and not _STATE.isdisjoint(texts))
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
