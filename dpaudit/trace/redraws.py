"""Redraws: noise that is drawn again until it passes a test, by the line of that test."""

from __future__ import annotations

import ast

from dpaudit.trace.accumulators import named
from dpaudit.trace.forms import bodies, tree_of


def accepted_at(file: str, line: int) -> int | None:
    """Return the line of the test for which a line draws again until it passes, if there is one.

    Parameters
    ----------
    file : str
    line : int
        That draws, or calls a function of the file that does.

    Notes
    -----
    It is the test of a ``while`` that reads what the line assigns, or of the ``if`` that leaves a
    ``while True`` or a ``for`` whose variable nothing reads. A loop that keeps all that is drawn
    tests something else, and one that draws for another value each time draws nothing again.
    """
    waiting, met = [line], {line}
    while waiting:
        at = waiting.pop(0)
        found = _accepted_at(file, at)
        if found is not None:
            return found
        calls = [each for each in _calls_of_function_at(file, at) if each not in met]
        met |= set(calls)
        waiting += calls
    return None


def _accepted_at(file: str, line: int) -> int | None:
    around = [(node, inside) for node, inside in bodies(file) if _may_redraw(node)
              and any(s.lineno <= line <= (s.end_lineno or 0) for s in inside)]  # fmt: skip
    for node, inside in sorted(around, key=lambda each: -each[0].lineno):
        setting = [s for each in inside for s in ast.walk(each) if isinstance(s, ast.stmt)]
        drawn = {
            name
            for statement in inside
            if isinstance(statement, ast.Assign) and statement.lineno <= line
            for name in _set_by(statement)
            if _set_by(statement).isdisjoint(_read_by(statement.value))
        }
        at = [s for s in inside if s.lineno <= line <= (s.end_lineno or 0)]
        others = {name for s in setting if s not in at for name in _set_by(s)} - drawn
        if any(_read_by(s) & others for s in at if isinstance(s, ast.Assign)):
            continue
        own = node.test if isinstance(node, ast.While) else ast.Constant(True)
        tests = [(node, own)] if not isinstance(own, ast.Constant) else [
            (each, each.test) for each in inside if isinstance(each, ast.If)
            and any(isinstance(s, ast.Break | ast.Return) for s in ast.walk(each))
        ]  # fmt: skip
        for statement, test in tests:
            if drawn & _read_by(test):
                return statement.lineno
    return None


def _may_redraw(node: ast.stmt) -> bool:
    """Whether a statement is a loop whose rounds are all alike."""
    match node:
        case ast.For(target=target, body=inside):
            return not any(_read_by(target) & _read_by(each) for each in inside)
    return isinstance(node, ast.While)


def _set_by(statement: ast.stmt) -> set[str]:
    """Return the variables that a statement sets."""
    match statement:
        case ast.Assign(targets=targets):
            found = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            found = [target]
        case _:
            return set()
    return {name for each in found for name in _read_by(each)}


def _read_by(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def _calls_of_function_at(file: str, line: int) -> list[int]:
    """Return the lines that call the function of a file in which a line is, from others."""
    tree = tree_of(file)
    around = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]  # fmt: skip
    inner = max(around, key=lambda node: node.lineno, default=None)
    return [] if inner is None else [
        call.lineno for call in ast.walk(tree)
        if isinstance(call, ast.Call) and named(call.func) == inner.name
        and not inner.lineno <= call.lineno <= (inner.end_lineno or 0)
    ]  # fmt: skip
