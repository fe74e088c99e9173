"""Which functions audits name, under which neighbors: read from audit files, not imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dpaudit.static.forms import symbol
from dpaudit.static.modules import Function, Module, Project
from dpaudit.static.relations import Relation, relation_in
from dpaudit.static.values import Value


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A mechanism that an audit names.

    Attributes
    ----------
    function : Function
    fixed : dict of str to ast.expr
        Arguments that `functools.partial` fixed, as they are written.
    module : Module
        The audit file.
    relation : Relation
    epsilon : float or None
        Of a claim that is written as a call with a number.
    sound : bool
        Whether the audit expects no refutation.
    """

    function: Function
    fixed: dict[str, ast.expr]
    module: Module
    relation: Relation
    epsilon: float | None
    sound: bool


def declared(project: Project, module: Module) -> Iterator[Declared]:
    """Yield what the audits of a file name; one that cannot be followed is passed over.

    Parameters
    ----------
    project : Project
    module : Module

    Yields
    ------
    Declared
    """
    if "Audit" not in module.text:
        return
    for node in ast.walk(module.tree):
        if not (isinstance(node, ast.Call) and _name(node.func) == "Audit"):
            continue
        keywords = {k.arg: k.value for k in node.keywords if k.arg}
        parts = dict(zip(("mechanism", "claim", "neighbors"), node.args, strict=False)) | keywords
        mechanism, neighbors = parts.get("mechanism"), parts.get("neighbors")
        if mechanism is None:
            continue
        followed = _followed(project, module, mechanism)
        if followed is not None:
            function, fixed = followed
            relation = relation_in(neighbors, module.names)
            epsilon = _epsilon(parts.get("claim"), module)
            sound = _sound(parts.get("expect"))
            yield Declared(function, fixed, module, relation, epsilon, sound)


def _epsilon(claim: ast.expr | None, module: Module) -> float | None:
    if isinstance(claim, ast.Name):
        claim = module.names.get(claim.id)
    if not isinstance(claim, ast.Call) or _name(claim.func) not in ("PureDP", "ApproxDP"):
        return None
    keywords = {k.arg: k.value for k in claim.keywords}
    first = keywords.get("epsilon") or (claim.args[0] if claim.args else None)
    known = first.value if isinstance(first, ast.Constant) else None
    return float(known) if isinstance(known, int | float) else None


def _sound(expect: ast.expr | None) -> bool:
    if expect is None:
        return True
    if isinstance(expect, ast.Attribute):
        return expect.attr != "REFUTED"
    text = expect.value if isinstance(expect, ast.Constant) else ""
    return not str(text).upper().startswith(("DPA", "REFUTED"))


def _followed(
    project: Project, module: Module, node: ast.expr, depth: int = 5
) -> tuple[Function, dict[str, ast.expr]] | None:
    """Return the function that an expression stands for, and the arguments that it fixes."""
    if not depth:
        return None
    if isinstance(node, ast.Lambda):
        return Function(node, module), {}
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found = project.function(node.value.replace(":", "."), module)
        return None if found is None else (found, {})
    if isinstance(node, ast.Call):
        if not node.args:
            return None
        inner = _followed(project, module, node.args[0], depth - 1)
        if inner is None or _name(node.func) != "partial":
            return inner  # a decorator such as `vectorized`
        function, fixed = inner
        free = [a.arg for a in function.node.args.args if a.arg not in fixed]
        fixed = fixed | dict(zip(free, node.args[1:], strict=False))
        return function, fixed | {k.arg: k.value for k in node.keywords if k.arg}
    text = _dotted(node)
    head, _, rest = text.partition(".")
    if text in module.functions:
        return module.functions[text], {}
    if head in module.imports:
        dotted = ".".join(part for part in (module.imports[head], rest) if part)
        found = project.function(dotted, module)
        return None if found is None else (found, {})
    if text in module.names:
        return _followed(project, module, module.names[text], depth - 1)
    return None


def with_fixed(project: Project, found: Declared) -> Function:
    """Return the function with its fixed arguments: by name, with their numbers where known."""
    values = {}
    for name, node in found.fixed.items():
        try:
            known = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            known = None
        number = isinstance(known, int | float) and not isinstance(known, bool)
        given = None if number else _followed(project, found.module, node)
        values[name] = Value(
            number=float(known) if number else None,
            form=symbol(name),
            params=frozenset({name}),
            function=None if given is None else given[0],
        )
    return replace(found.function, fixed=values)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return getattr(node, "id", "")
