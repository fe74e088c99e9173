"""Bodies of functions, gone through once: their statements by line, and by what they set."""

from __future__ import annotations

import ast
from collections import defaultdict

from dpaudit.trace.accumulators import filled, names_set
from dpaudit.trace.parts import head, lines_of


class Body:
    """What stands in a function.

    Parameters
    ----------
    function : FunctionDef

    Attributes
    ----------
    nodes : list of AST
    stored : set of str
        The variables that it gives a value.
    setting : dict
        The statements that give a variable a value, or an entry of it.
    filling : dict
        The statements that put something into what a text names.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.nodes = list(ast.walk(function))
        self.stored: set[str] = set()
        self.setting: dict[str, list[ast.stmt]] = defaultdict(list)
        self.filling: dict[str, list[ast.stmt]] = defaultdict(list)
        self._on_line: dict[int, ast.stmt] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.stored.add(node.id)
            if not isinstance(node, ast.stmt):
                continue
            for name in names_set(node):
                self.setting[name].append(node)
            for text in filled(node):
                self.filling[text].append(node)
            first = head(node)
            if first is not None:  # the innermost comes last
                self._on_line |= dict.fromkeys(lines_of(first), first)

    def on(self, line: int) -> ast.stmt | None:
        """Return the statement on a line, of which a test or a loop is its head alone."""
        return self._on_line.get(line)
