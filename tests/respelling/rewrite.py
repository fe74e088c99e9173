"""A rewrite: a change of a syntax tree that keeps the law, and its evil twin, which breaks it.

A rule looks at one site and returns what stands there afterwards, and what the twin has there. A
rewrite changes all sites of the mechanism and of the helpers beside it; a twin breaks the first.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Statements = list[ast.stmt]
Same = Literal["draws", "law"]
_NOISES = {
    "laplace": ("loc", "scale", "size"),
    "normal": ("loc", "scale", "size"),
    "gumbel": ("loc", "scale", "size"),
    "exponential": ("scale", "size"),
}
_UNITS = {"standard_normal", "standard_cauchy", "standard_gamma", "gamma"}
_IMPORTS = {
    "np": "import numpy as np",
    "scipy": "import scipy.stats",
    "math": "import math",
    "random": "import random",
    "logging": "import logging",
    "functools": "import functools",
    "dataclasses": "import dataclasses",
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A call that draws noise by location and scale, its arguments by name."""

    family: str
    loc: ast.expr | None
    scale: ast.expr
    size: ast.expr | None


@dataclass(slots=True)
class Scene:
    """What a rule may ask about the module around its site, and add to it."""

    entry: ast.FunctionDef
    names: set[str]
    added: dict[str, Statements] = field(default_factory=dict)

    @property
    def data(self) -> str:
        """The parameter that takes the data."""
        return self.entry.args.args[0].arg

    @property
    def numbers(self) -> list[str]:
        """The keyword-only parameters with a positive number as default."""
        pairs = zip(self.entry.args.kwonlyargs, self.entry.args.kw_defaults, strict=True)
        return [
            a.arg
            for a, d in pairs
            if isinstance(d, ast.Constant) and type(d.value) in (int, float) and d.value > 0  # type: ignore[operator]
        ]

    def fresh(self, stem: str) -> str:
        """Return a name that the module does not use."""
        name = stem
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    def define(self, text: str, **parts: Any) -> ast.expr:
        """Add statements to the module; return the name that stands for NAME in them."""
        name = self.fresh("helper")
        self.added[name] = lines(text, NAME=ast.Name(name), **parts)
        return ast.Name(name)


Pair = tuple[Any, Any] | None
Rule = Callable[[Any, Scene], Pair]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One way to say the same in other words.

    Attributes
    ----------
    name : str
    same : {"draws", "law"}
        Whether the rewritten mechanism uses the same draws in the same way, so that its outputs
        are the same up to rounding, or others of the same law.
    level : {"expression", "block", "function"}
        What a site is: an expression, a list of statements, or the mechanism's definition.
    rule : callable
        ``(site, scene)`` to (rewritten, twin), None where it does not apply. A twin of None is
        made by a breaker.
    """

    name: str
    same: Same
    level: Literal["expression", "block", "function"]
    rule: Rule

    def __call__(self, tree: ast.Module, entry: str, *, twin: bool = False) -> ast.Module | None:
        """Return the rewritten module or its twin, None where there is no site."""
        tree = copy.deepcopy(tree)
        definitions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        if entry not in definitions:
            return None
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        used |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)} | set(definitions)
        scene = Scene(definitions[entry], used)
        work = _Work(self.rule, scene, twin)
        if self.level == "function":
            work.function(tree)
        else:
            for definition in reached(tree, entry):
                if self.level == "block":
                    work.block(definition)
                else:
                    definition.body = [work.visit(s) for s in definition.body]
        if not work.sites:
            return None
        _place(tree, scene)
        if twin and not work.broken and not breaks(tree, entry):
            return None
        try:
            text = ast.unparse(ast.fix_missing_locations(tree))
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None


class _Work(ast.NodeTransformer):
    """Applies a rule to sites."""

    def __init__(self, rule: Rule, scene: Scene, twin: bool) -> None:
        self.rule, self.scene, self.twin = rule, scene, twin
        self.sites, self.broken = 0, False

    def _at(self, site: Any) -> Any:
        found = self.rule(site, self.scene)
        if found is None:
            return None
        self.sites += 1
        right, wrong = found
        if self.twin and not self.broken and wrong is not None:
            self.broken = True
            return wrong
        return right

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            found = self._at(node)
            if found is not None:
                return found
        return self.generic_visit(node)

    def block(self, node: ast.AST) -> bool:
        """Change the first list of statements, from the outside, to which the rule applies."""
        for name in ("body", "orelse"):
            inner = getattr(node, name, None)
            if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                found = self._at(inner)
                if found is not None:
                    setattr(node, name, found)
                    return True
        return any(self.block(child) for child in ast.iter_child_nodes(node))

    def function(self, tree: ast.Module) -> None:
        found = self._at(self.scene.entry)
        if found is not None:
            at = tree.body.index(self.scene.entry)
            tree.body[at : at + 1] = found


def reached(tree: ast.Module, entry: str) -> list[ast.FunctionDef]:
    """Return a function and those of the module that it calls, whatever the depth."""
    definitions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    todo, found = [entry], dict[str, ast.FunctionDef]()
    while todo:
        name = todo.pop()
        if name in definitions and name not in found:
            found[name] = definitions[name]
            todo += [n.id for n in ast.walk(definitions[name]) if isinstance(n, ast.Name)]
    return list(found.values())


def _place(tree: ast.Module, scene: Scene) -> None:
    """Put what was added before the first function, and imports that are missing on top."""
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    added = [s for name, body in scene.added.items() if name in names for s in body]
    first = next(
        i for i, n in enumerate(tree.body) if isinstance(n, ast.FunctionDef | ast.ClassDef)
    )
    tree.body[first:first] = added
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    bound = {
        (alias.asname or alias.name).partition(".")[0]
        for n in tree.body
        if isinstance(n, ast.Import | ast.ImportFrom)
        for alias in n.names
    }
    top = next(i for i, n in enumerate(tree.body) if not _is_header(n))
    for name, text in _IMPORTS.items():
        if name in names and name not in bound:
            tree.body[top:top] = ast.parse(text).body


def _is_header(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


# --- what rules are written with


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.parts.get(node.id, node))

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Name) and isinstance(self.parts.get(node.value.id), list):
            return copy.deepcopy(self.parts[node.value.id])
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name in self.parts:
            node.name = self.parts[node.name].id
        return self.generic_visit(node)


def lines(text: str, **parts: Any) -> Statements:
    """Return statements in which the names of `parts` are filled in."""
    return _Fill(parts).visit(ast.parse(text)).body  # type: ignore[no-any-return]


def made(text: str, **parts: Any) -> ast.expr:
    """Return an expression in which the names of `parts` are filled in."""
    return _Fill(parts).visit(ast.parse(text, mode="eval")).body  # type: ignore[no-any-return]


def dotted(node: ast.AST) -> str:
    """Return ``np.random.normal`` for that attribute, an empty text for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def called(node: ast.AST, *names: str) -> list[ast.expr] | None:
    """Return the arguments of a call of one of these functions, by position alone."""
    if isinstance(node, ast.Call) and not node.keywords and dotted(node.func) in names:
        return None if any(isinstance(a, ast.Starred) for a in node.args) else node.args
    return None


def drawn(node: ast.AST) -> Drawn | None:
    """Return the noise of ``rng.laplace(...)`` and its kin."""
    if not isinstance(node, ast.Call) or not dotted(node.func).startswith("rng."):
        return None
    family = dotted(node.func)[4:]
    if family not in _NOISES or any(k.arg is None for k in node.keywords):
        return None
    given: dict[Any, ast.expr] = dict(zip(_NOISES[family], node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords}
    scale = given.get("scale", ast.Constant(1.0))
    return Drawn(family, given.get("loc"), scale, given.get("size"))


def same_tree(first: ast.AST, second: ast.AST) -> bool:
    """Return whether two trees are the same text."""
    return ast.unparse(first) == ast.unparse(second)


def stored(*nodes: ast.AST) -> set[str]:
    """Return the names that statements store, and those whose objects they may change."""
    found = set()
    for node in _all(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found |= names_in(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= names_in(node.func.value)
    return found


def names_in(*nodes: ast.AST) -> set[str]:
    """Return all names in nodes."""
    return {n.id for n in _all(nodes) if isinstance(n, ast.Name)}


def has(node: ast.AST, *kinds: type) -> bool:
    """Return whether a node of one of these kinds is in it."""
    return any(isinstance(n, kinds) for n in ast.walk(node))


def _all(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from ast.walk(node)


# --- breakers: how a twin breaks the law where the rule leaves that open


class _Weaker(ast.NodeTransformer):
    """Makes the first noise a quarter of what it is."""

    done = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = dotted(node.func)
        noise = name.startswith("rng.") and (name[4:] in _NOISES or name[4:] in _UNITS)
        if self.done or not noise:
            return self.generic_visit(node)
        self.done = True
        return made("(0.25 * DRAW)", DRAW=node)


def breaks(tree: ast.Module, entry: str) -> bool:
    """Make the first noise that a mechanism draws too small; return whether there is one."""
    weaker = _Weaker()
    for definition in tree.body:
        if isinstance(definition, ast.FunctionDef | ast.ClassDef) and not weaker.done:
            everything = {d.name for d in reached(tree, entry)}
            if definition.name in everything or isinstance(definition, ast.ClassDef):
                weaker.visit(definition)
    return weaker.done
