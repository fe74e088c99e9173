"""Reads a function and asks every rule."""

from __future__ import annotations

import ast
import re

from dpaudit.evidence import Finding
from dpaudit.static.facts import Facts
from dpaudit.static.library import ADDERS, FAMILIES, GENERATOR_NAMES, PRIVACY_WORDS, PYTHON_FAMILIES
from dpaudit.static.modules import Function
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


def is_mechanism(function: Function) -> bool:
    """Return whether a function looks like a mechanism: it has data, noise, and speaks of privacy.

    Parameters
    ----------
    function : Function

    Notes
    -----
    Noise of the families that hardly anything but privacy draws (Laplace, Gumbel, geometric)
    speaks for itself.
    """
    if not guessed(function) or not draws_noise(function):
        return False
    names = {n.attr for n in ast.walk(function.node) if isinstance(n, ast.Attribute)}
    if names & _STRONG:
        return True
    node = function.node
    text = function.name + ast.unparse(node.args)
    doc = "" if isinstance(node, ast.Lambda) else ast.get_docstring(node) or ""
    return bool(PRIVACY_WORDS.search(f"{text.replace('_', ' ')} {text} {doc}"))


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
