"""Loops over known lists that hold functions or members of enumerations, written out.

``for name, test in QUESTIONS: …`` calls another function in each round. What is lifted has a name
for every function that it calls, so that each round is written with its own.
"""

from __future__ import annotations

import ast
from typing import Any

from dpaudit.formal.lifting.enumerations import is_enumeration, is_member
from dpaudit.formal.lifting.environment import is_attribute_changed
from dpaudit.formal.lifting.folding import folded, tells
from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.lifting.shapes import is_code, is_setting

_MOST = 32
_AT_ONCE = {"sum", "any", "all", "max", "min", "list", "sorted", "set", "tuple", "dict"}
_LATER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.GeneratorExp)
_NESTED = (*_LATER, ast.For, ast.While)


def rounds(
    target: ast.expr, iterable: ast.expr, inside: list[Any], scope: Scope
) -> list[dict[str, Any]] | None:
    """Return what the rounds of a loop give to its variables, where some of it is code.

    Parameters
    ----------
    target, iterable : expr
    inside : list of AST
        What each round evaluates.
    scope : Scope

    Returns
    -------
    list of dict or None
        None of any other loop, and where a round may end early or be looked at again later.
    """
    if any(map(_leaves, inside)) or tells(*inside) or any(_looks_later(part) for part in inside):
        return None
    given = [_given(target, item, scope) for item in _items(iterable, scope)]
    found = [held for held in given if held is not None]
    if len(found) < len(given):
        return None
    every = [value for each in found for value in each.values()]
    chooses = any(is_code(value) or is_member(value) for value in every)
    return found if chooses and all(map(is_setting, every)) else None


def _given(target: ast.expr, value: Any, scope: Scope) -> dict[str, Any] | None:
    """Return what each variable of a target is given, None where they do not fit."""
    if isinstance(target, ast.Name):
        return {target.id: value} if scope.once(target.id) else None
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if not parts or type(value) not in (tuple, list) or len(value) != len(parts):
        return None
    held: dict[str, Any] = {}
    for part, each in zip(parts, value, strict=True):
        given = _given(part, each, scope)
        if given is None or held.keys() & given.keys():
            return None
        held |= given
    return held


def _items(iterable: ast.expr, scope: Scope) -> list[Any]:
    live = folded(iterable, scope)
    value = None if live is None else live.value
    if is_enumeration(value):
        word = "_member_names_"
        held = vars(value)[word]
        steady = not is_attribute_changed(value, word, held) and not scope.lifter.is_set(word)
        value = [vars(value)["_member_map_"][name] for name in held] if steady else None
    value = list(value) if type(value) is dict else value
    return [*value] if isinstance(value, list | tuple) and len(value) <= _MOST else []


def _leaves(node: ast.AST) -> bool:
    """Return whether a statement may leave the loop that it stands in, or go on with the next."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    return not isinstance(node, _NESTED) and any(map(_leaves, ast.iter_child_nodes(node)))


def _looks_later(node: ast.AST) -> bool:
    """Return whether code in a round may run after it, when the variables hold something else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _AT_ONCE:
        return any(
            any(map(_looks_later, ast.iter_child_nodes(part)))
            if isinstance(part, ast.GeneratorExp)
            else _looks_later(part)
            for part in ast.iter_child_nodes(node)
        )
    return isinstance(node, _LATER) or any(map(_looks_later, ast.iter_child_nodes(node)))
