"""Syntax that Python has twice, desugared: ``match`` as ``if``, ``getattr(x, "n")`` as ``x.n``.

Patterns are tried in order: a value by ``==``, None and the two truths by ``is``, a class without
arguments by ``isinstance`` (Python's language reference, 8.6.4). What is matched is evaluated once.
A ``match`` with other patterns stays as it is, and is refused where it is read. So do attributes
with private names, which a class changes in one of the two spellings alone.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Sequence

from dpaudit.formal.lifting.flow_syntax import is_stored

_BUILTINS = {"isinstance", "getattr", "setattr", "*"}


def desugared(tree: ast.Module) -> ast.Module:
    """Return a module in plain syntax; the tree that is given is changed."""
    every = list(ast.walk(tree))
    bound = {getattr(node, "id", "") for node in every if is_stored(node)}
    bound |= {getattr(node, "arg", None) or getattr(node, "name", "") for node in every}
    bound |= {node.asname for node in every if isinstance(node, ast.alias)}
    return tree if bound & _BUILTINS else _Desugaring().visit(tree)


class _Desugaring(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Name(id="getattr"), args=[of, ast.Constant(value=str(name))], keywords=[]
            ) if _is_plain(name):
                return ast.copy_location(ast.Attribute(of, name, ast.Load()), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        self.generic_visit(node)
        match node.value:
            case ast.Call(
                func=ast.Name(id="setattr"),
                args=[ast.Name() as of, ast.Constant(value=str(name)), value],
                keywords=[],
            ) if _is_plain(name):
                to = ast.copy_location(ast.Attribute(of, name, ast.Store()), node)
                return ast.copy_location(ast.Assign([to], value), node)
        return node

    def visit_Match(self, node: ast.Match) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        name = f"·match_{node.lineno}_{node.col_offset}"
        begun: ast.stmt = ast.Assign([ast.Name(name, ast.Store())], node.subject)
        try:
            chosen = _chosen(node.cases, name)
        except ValueError:
            return node
        made = [ast.copy_location(each, node) for each in (begun, *chosen)]
        return [ast.fix_missing_locations(each) for each in made]


def _is_plain(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")


def _chosen(cases: Sequence[ast.match_case], of: str) -> list[ast.stmt]:
    """Return what is done with the variable `of`, by the first case that it matches."""
    if not cases:
        return []
    first, *rest = cases
    test, bound = _test(first.pattern, of), _bound(first.pattern)
    binds: list[ast.stmt] = []
    if bound is not None:
        binds = [ast.Assign([ast.Name(bound, ast.Store())], ast.Name(of, ast.Load()))]
    guarded, other = first.guard, _chosen(rest, of)
    if test is None:  # bound even where the guard is false
        body = [ast.If(guarded, first.body, other)] if guarded else first.body
        return [_at(each, first) for each in (*binds, *body)]
    if guarded and bound is not None:
        raise ValueError("a name that is bound before a guard")
    whole = ast.BoolOp(ast.And(), [test, guarded]) if guarded else test
    return [_at(ast.If(whole, [*(_at(b, first) for b in binds), *first.body], other), first)]


def _test(pattern: ast.pattern, of: str) -> ast.expr | None:
    """Return the test whether a variable matches, None where anything does."""
    subject = ast.Name(of, ast.Load())
    match pattern:
        case ast.MatchValue(value=value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value=value):
            return ast.Compare(subject, [ast.Is()], [ast.Constant(value)])
        case ast.MatchClass(cls=cls, patterns=[], kwd_patterns=[]):
            return ast.Call(ast.Name("isinstance", ast.Load()), [subject, cls], [])
        case ast.MatchOr(patterns=patterns):
            tests = [_test(each, of) for each in patterns]
            found = [each for each in tests if each is not None]
            if len(found) == len(tests) and not any(map(_bound, patterns)):
                return ast.BoolOp(ast.Or(), found)
        case ast.MatchAs(pattern=None):
            return None
        case ast.MatchAs(pattern=ast.pattern() as inner) if _bound(inner) is None:
            return _test(inner, of)
    raise ValueError("a pattern of parts")


def _bound(pattern: ast.pattern) -> str | None:
    return pattern.name if isinstance(pattern, ast.MatchAs) else None


def _at(node: ast.stmt, case: ast.match_case) -> ast.stmt:
    return ast.copy_location(node, case.body[0]) if not hasattr(node, "lineno") else node
