"""Kept seeds: what a file seeds as it is imported, for the first call of every process alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache

from dpaudit.static.library import FAMILIES, MAKERS, PYTHON_FAMILIES, RAW_DRAWS, SEEDERS
from dpaudit.static.modules import (
    DEFINITIONS,
    Definition,
    Function,
    Module,
    Project,
    statements,
)

_KEYS = frozenset({"jax.random.PRNGKey", "jax.random.key"})
_NAMES = ("seed", "entropy", "a", "x")  # of the seed among keywords
_TORCH = frozenset({"randn", "normal", "rand", "randint", "randn_like"})
_NUMPY = frozenset({*FAMILIES, "randn", "rand"})
_DRAWS = _NUMPY | frozenset(PYTHON_FAMILIES) | RAW_DRAWS
_SEEDERS = tuple(sorted(SEEDERS))
_TOOLS = frozenset({"dpaudit", "pytest", "unittest", "hypothesis"})
_SKIPPED = (ast.If, ast.Try, ast.While, ast.For, ast.Match)
_MAY_RUN = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.comprehension)


@dataclass(frozen=True, slots=True)
class KeptSeed:
    """A call that seeds with a written constant, whenever its file is imported.

    Attributes
    ----------
    module : Module
    node : ast.Call
        The seed is its first argument, or a keyword.
    seeder : str
        The whole name of the function that seeds a generator of the process; empty where the call
        makes a generator, or a key.
    names : frozenset of str
        The variables, attributes and parameters that are bound to what it makes.
    """

    module: Module
    node: ast.Call
    seeder: str
    names: frozenset[str]

    @property
    def line(self) -> int:
        """Of the call."""
        return self.node.lineno

    @property
    def is_used_up(self) -> bool:
        """Whether what the call makes draws as the file is imported, and nothing keeps it.

        What it has drawn is a constant, in every process and for every engine.
        """
        called = (n.func for n in ast.walk(self.module.tree) if isinstance(n, ast.Call))
        drawn = any(
            isinstance(f, ast.Attribute) and f.value is self.node and f.attr in _DRAWS
            for f in called
        )
        return drawn and not self.seeder and not self.names


def dotted_name(module: Module, node: ast.expr) -> str:
    """Return the whole name of an expression, with imports resolved."""
    head, _, rest = ast.unparse(node).partition(".")
    return ".".join(part for part in (module.imports.get(head, head), rest) if part)


@lru_cache(maxsize=32)
def kept_seeds(module: Module) -> tuple[KeptSeed, ...]:
    """Return the seeds that a file sets whenever it is imported.

    Parameters
    ----------
    module : Module

    Notes
    -----
    A seed under a condition is left out, and one in a file that seeds the same generator elsewhere
    too: the environment may choose. So is a generator whose variable is bound again, and a shared
    generator that the file of a test or an audit seeds: that is for its own repetition.
    """
    everywhere = [n for n in ast.walk(module.tree) if isinstance(n, ast.Call)]
    seeding = [(n, name) for n in everywhere if (name := dotted_name(module, n.func)) in SEEDERS]
    found: list[KeptSeed] = []
    for node, bound in _run_at_import(module, module.tree.body, set()):
        name = dotted_name(module, node.func)
        if not is_constant(module, _seed_of(node)):
            continue
        if name in SEEDERS:
            if [n for n, other in seeding if other == name] == [node] and not _is_tool(module):
                found.append(KeptSeed(module, node, name, frozenset()))
        elif name in MAKERS | _KEYS and not any(_is_bound_again(module, each) for each in bound):
            found.append(KeptSeed(module, node, "", _aliases(module, bound)))
    return tuple(found)


def _seed_of(node: ast.Call) -> ast.expr | None:
    named = (k.value for k in node.keywords if k.arg in _NAMES)
    return node.args[0] if node.args else next(named, None)


def is_constant(module: Module, node: ast.expr | None) -> bool:
    """Whether a seed is written down: here, or as a variable of the file."""
    if isinstance(node, ast.Name):
        node = module.names.get(node.id)
    return isinstance(node, ast.Constant) and node.value is not None


def _is_tool(module: Module) -> bool:
    """Whether a file is a test or an audit."""
    stem = module.path.stem
    named = stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"
    return named or any(each.partition(".")[0] in _TOOLS for each in module.imports.values())


def _run_at_import(
    module: Module, body: list[ast.stmt], called: set[str]
) -> Iterator[tuple[ast.Call, tuple[str, ...]]]:
    """Yield the calls that importing a file surely makes, with the names that they are bound to."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _run_at_import(module, statement.body, called)
        elif isinstance(statement, DEFINITIONS):
            yield from _in_defaults(statement)
        elif not isinstance(statement, _SKIPPED):
            bound = tuple(_targets(statement))
            value = getattr(statement, "value", None)
            for node in _sure(statement):
                yield node, bound if node is value or (bound and _wraps(value, node)) else ()
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                if name in module.functions and name not in called:
                    called.add(name)
                    inner = module.functions[name].node
                    assert not isinstance(inner, ast.Lambda)
                    yield from _run_at_import(module, inner.body, called)


def _in_defaults(node: Definition) -> Iterator[tuple[ast.Call, tuple[str, ...]]]:
    for name, default in _defaults(node):
        if isinstance(default, ast.Call):
            yield default, (name,)


def _defaults(node: Definition) -> Iterator[tuple[str, ast.expr]]:
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(reversed(positional), reversed(spec.defaults), strict=False)]
    pairs += [(p, d) for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d]
    yield from ((parameter.arg, default) for parameter, default in pairs)


def _wraps(value: ast.expr | None, node: ast.Call) -> bool:
    """Whether a value is a generator around bits that a call makes: ``Generator(PCG64(0))``."""
    return isinstance(value, ast.Call) and value.args[:1] == [node]


def _sure(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls below a node that run whenever it does."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _MAY_RUN):
            yield from _sure(child)
    if isinstance(node, ast.Call):
        yield node


def _targets(node: ast.AST) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        if isinstance(target, ast.Name | ast.Attribute):
            yield target.id if isinstance(target, ast.Name) else target.attr


def _is_bound_again(module: Module, name: str) -> bool:
    """Whether a file may bind a variable of its own, or an attribute of a class, more than once."""
    walked = list(ast.walk(module.tree))
    if any(isinstance(n, ast.Global) and name in n.names for n in walked):
        return True
    top = [n for n in statements(module.tree.body) if name in _targets(n)]
    other = (t for n in walked if isinstance(n, ast.Assign) for t in n.targets if not top)
    return len(top) > 1 or any(isinstance(t, ast.Attribute) and t.attr == name for t in other)


def _aliases(module: Module, bound: tuple[str, ...]) -> frozenset[str]:
    """Return the names that a file gives what these names hold, those of parameters included."""
    names, before = set(bound), 0
    while names and len(names) > before:
        before = len(names)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and _is_held(node.value, names):
                names |= set(_targets(node))
            elif isinstance(node, DEFINITIONS):
                names |= {name for name, default in _defaults(node) if _is_held(default, names)}
            elif isinstance(node, ast.Call):
                names |= set(_parameters_for(module, node, names))
    return frozenset(names)


def _parameters_for(module: Module, node: ast.Call, names: set[str]) -> Iterator[str]:
    """Yield the parameters that a call within a file gives what one of these names holds."""
    called = ast.unparse(node.func).rpartition(".")[2]
    name = f"{called}.__init__" if called in module.classes else called
    own = [f for f in module.functions if f == name or f.rpartition(".")[2] == name]
    for function in (module.functions[each].node for each in own):
        parameters = [p.arg for p in (*function.args.posonlyargs, *function.args.args)]
        skipped = parameters[:1] in (["self"], ["cls"])
        for parameter, given in zip(parameters[skipped:], node.args, strict=False):
            if _is_held(given, names):
                yield parameter
    if own:
        yield from (k.arg for k in node.keywords if k.arg and _is_held(k.value, names))


def _is_held(node: ast.AST | None, names: Set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Attribute) and node.attr in names


# --- which of them make the noise of a function


def seeds_behind(project: Project, function: Function) -> tuple[KeptSeed, ...]:
    """Return the kept seeds from which a function may draw, as far as its own code shows.

    Parameters
    ----------
    project : Project
    function : Function
        The mechanism, or what wires it for an audit.

    Notes
    -----
    The function itself, or one that it reaches, has to draw from the generator in a file that seeds
    it or imports the file that does. A generator that is passed on to another file of the project
    is one that a caller chose.
    """
    reached = _Reached(project)
    reached.enter(function.module, function.node)
    found: dict[tuple[str, int, int], KeptSeed] = {}
    elsewhere: set[str] = set()  # seeders of what is drawn from without the import that seeds
    for module, nodes in reached.nodes.values():
        seeds = list(_imported_seeds(project, module))
        for seeder in _SEEDERS:
            if _draws_of_process(module, nodes, seeder):
                elsewhere |= {seeder} - {seed.seeder for seed in seeds}
                chosen = [seed for seed in seeds if seed.seeder == seeder]
                found |= {(str(s.module.path), s.line, s.node.col_offset): s for s in chosen}
        for seed in seeds:
            if not seed.seeder and _draws_of_object(project, module, nodes, seed):
                found[str(seed.module.path), seed.line, seed.node.col_offset] = seed
    return tuple(seed for seed in found.values() if seed.seeder not in elsewhere)


class _Reached:
    """The code that a function reaches by names, in all files of the project, by file."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.nodes: dict[str, tuple[Module, list[ast.AST]]] = {}
        self._seen: set[int] = set()

    def enter(self, module: Module, node: ast.AST) -> None:
        """Add a piece of code, and what it names."""
        if id(node) in self._seen:
            return
        self._seen.add(id(node))
        self.nodes.setdefault(str(module.path), (module, []))[1].append(node)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name | ast.Attribute):
                self._follow(module, ast.unparse(inner))

    def _follow(self, module: Module, name: str) -> None:
        if name in module.functions:
            self.enter(module, module.functions[name].node)
        if name in module.names:
            self.enter(module, module.names[name])
        head, _, rest = name.partition(".")
        dotted = ".".join(part for part in (module.imports.get(head, ""), rest) if part)
        home = self.project.found_class(dotted if head in module.imports else name, module)
        if home is not None:
            self.enter(home[1], home[0])
        if head in module.imports:
            function = self.project.function(dotted, module)
            if function is not None:
                self.enter(function.module, function.node)


def _imported_seeds(project: Project, module: Module) -> Iterator[KeptSeed]:
    """Yield the kept seeds of a file, and of those of the project that it imports."""
    waiting, seen = [module], {str(module.path)}
    while waiting:
        each = waiting.pop()
        yield from kept_seeds(each)
        for dotted in each.imports.values():
            for name in (dotted, dotted.rpartition(".")[0]):
                other = project.imported(name, each)
                if other is not None and str(other.path) not in seen:
                    seen.add(str(other.path))
                    waiting.append(other)


def _draws_of_process(module: Module, nodes: list[ast.AST], seeder: str) -> bool:
    """Whether some code draws from the generator of the process that a function seeds."""
    for node in (inner for each in nodes for inner in ast.walk(each)):
        if isinstance(node, ast.Attribute | ast.Name):
            head, _, last = dotted_name(module, node).rpartition(".")
            if draws_shared(head, last, seeder):
                return True
    return False


def draws_shared(head: str, last: str, seeder: str) -> bool:
    """Whether a function, by its whole name, draws from what a seeder seeds."""
    if seeder == "torch.manual_seed":
        return head == "torch" and last in _TORCH
    if seeder == "random.seed":
        return head == "random" and last in PYTHON_FAMILIES
    drawn = head == "numpy.random" and last in _NUMPY
    return drawn or (head.startswith("scipy.stats.") and last == "rvs")


def _draws_of_object(
    project: Project, module: Module, nodes: list[ast.AST], seed: KeptSeed
) -> bool:
    """Whether some code draws from a generator that a call makes, and hands it to no other file."""
    own = module is seed.module
    home = seed.module.dotted

    def is_held(part: ast.expr) -> bool:
        if own and (part is seed.node or _is_held(part, seed.names)):
            return True
        return any(dotted_name(module, part) == f"{home}.{name}" for name in seed.names)

    uses = False
    for node in (inner for each in nodes for inner in ast.walk(each)):
        if isinstance(node, ast.Attribute):
            uses |= node.attr in _DRAWS and is_held(node.value)
        elif isinstance(node, ast.Call) and any(map(is_held, _given(node))):
            if any(
                _is_of_project(project, module, each) for each in (node.func, *_named(module, node))
            ):
                return False
            uses |= _imports(module, node.func)
    return uses


def _named(module: Module, node: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call that are names of what is imported, such as functions."""
    return [
        each
        for each in _given(node)
        if isinstance(each, ast.Attribute | ast.Name) and _imports(module, each)
    ]


def _imports(module: Module, node: ast.expr) -> bool:
    root = _root(node)
    return isinstance(root, ast.Name) and root.id in module.imports


def _given(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _is_of_project(project: Project, module: Module, node: ast.expr) -> bool:
    """Whether what is called stands in another file of the project, as far as is known."""
    root = _root(node)
    if not isinstance(root, ast.Name):
        return True
    if root.id not in module.imports:
        return root.id not in {*module.functions, *module.classes, "self", "cls", "super"}
    dotted = module.imports[root.id]
    names = [dotted, dotted.rpartition(".")[0], dotted.partition(".")[0]]
    return any(project.imported(name, module) is not None for name in names)


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node
