"""Reads a function and asks every rule."""

from __future__ import annotations

import ast
import re

from dpaudit.evidence import Finding
from dpaudit.static.facts import Facts
from dpaudit.static.library import ADDERS, FAMILIES, GENERATOR_NAMES, PRIVACY_WORDS, PYTHON_FAMILIES
from dpaudit.static.modules import DEFINITIONS, Function, Module, Project
from dpaudit.static.reading import guessed
from dpaudit.static.rules import RULES

_DRAWS = re.compile(r"\b(laplace|normal|gauss\w*|gumbel|exponential|geometric|random|integers|"
                    r"rand\w*|choice|permutation|shuffle|cauchy|uniform|binomial|rvs|"
                    r"add_\w*noise|privati[sz]e)\s*\(")  # fmt: skip
THERE = "there"  # what a line is in `related` on which it really happens
_STRONG = frozenset({"laplace", "gumbel", "geometric"})


def draws_noise(function: Function) -> bool:
    """Return whether a function draws random numbers itself.

    Parameters
    ----------
    function : Function
    """
    for node in ast.walk(function.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            attribute = node.func.attr
            if ADDERS.match(attribute):
                return True
            if (attribute in FAMILIES or attribute in PYTHON_FAMILIES or attribute == "rvs") and (
                GENERATOR_NAMES.search(ast.unparse(node.func.value)) or attribute == "rvs"
            ):
                return True
    return False


def may_draw(text: str) -> bool:
    """Return whether a source has any call that could draw random numbers."""
    return bool(_DRAWS.search(text))


def is_mechanism(function: Function, project: Project) -> bool:
    """Return whether a function looks like a mechanism: it has data, noise, and speaks of privacy.

    Parameters
    ----------
    function : Function
    project : Project
        Where the classes are found of which it makes objects.

    Notes
    -----
    Noise of the families that hardly anything but privacy draws (Laplace, Gumbel, geometric)
    speaks for itself. The noise may be that of the methods of an object that the function makes.
    """
    if not guessed(function):
        return False
    own = may_draw(function.module.text) and draws_noise(function)
    sources = [function] if own else _drawing_methods(function, project)
    if not sources:
        return False
    nodes = (n for source in sources for n in ast.walk(source.node))
    if _STRONG & {n.attr for n in nodes if isinstance(n, ast.Attribute)}:
        return True
    node = function.node
    text = function.name + ast.unparse(node.args)
    doc = "" if isinstance(node, ast.Lambda) else ast.get_docstring(node) or ""
    return bool(PRIVACY_WORDS.search(f"{text.replace('_', ' ')} {text} {doc}"))


def _drawing_methods(function: Function, project: Project) -> list[Function]:
    """Return the methods with noise of the classes of which a function makes objects."""
    found = []
    called = {
        ast.unparse(node.func)
        for node in ast.walk(function.node)
        if isinstance(node, ast.Call) and _is_imported(node.func, function.module)
    }
    for name in sorted(called):
        made = project.found_class(name, function.module)
        if made is None or not may_draw(made[1].text):
            continue
        methods = (Function(n, made[1], made[0].name) for n in made[0].body
                   if isinstance(n, DEFINITIONS))  # fmt: skip
        found += [method for method in methods if draws_noise(method)]
    return found


def _is_imported(node: ast.expr, module: Module) -> bool:
    """Whether an expression is a name, with its dots, of a class or an import of the file."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and (node.id in module.classes or node.id in module.imports)


def found_in(facts: Facts) -> tuple[Finding, ...]:
    """Return what the rules find in the facts of a function."""
    found: dict[tuple[str, str, int], Finding] = {}
    for rule in RULES:
        for hit in rule.look(facts):
            key = (rule.id, hit.place.file, hit.place.line)
            if key in found and (found[key].level == "error" or hit.level == "warning"):
                continue
            inner = () if hit.place.inner is None else ((*hit.place.inner, THERE),)
            related = tuple((p.file, p.line, what) for p, what in hit.related)
            found[key] = Finding(
                rule.id,
                hit.level,
                f"{facts.name}: {hit.message}",
                also=rule.also,
                file=hit.place.file,
                line=hit.place.line,
                related=related + inner,
                engine="static",
            )
    order = sorted(found.values(), key=lambda f: (f.level != "error", f.line or 0, f.id))
    return tuple(order)
