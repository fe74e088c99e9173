"""Partial functions, functions of each item, and variables that stand for code.

A call names the code that runs: ``partial(f, 1)(x)`` is ``f(1, x)``, and ``map(f, xs)`` is
``(f(x) for x in xs)``.
"""

from __future__ import annotations

import ast

from dpaudit.formal.lifting.folding import chosen, has_stars, is_idle, stays
from dpaudit.formal.lifting.scope import Scope, resolve


def applied_partial(node: ast.Call, scope: Scope) -> ast.Call | None:
    """Return the call of a function that `functools.partial` gave arguments to, with all of them.

    Parameters
    ----------
    node : Call
    scope : Scope

    Returns
    -------
    Call or None
        None of any other call, and where a keyword takes the place of one that was given.
    """
    made = node.func
    if not _is_partial(made, scope):
        return None
    assert isinstance(made, ast.Call)
    names = [keyword.arg for keyword in (*made.keywords, *node.keywords)]
    first, *given = made.args
    if None in names or len(set(names)) < len(names) or has_stars(made):
        return None
    every = [*given, *node.args], [*made.keywords, *node.keywords]
    return ast.copy_location(ast.Call(first, *every), node)


def _is_partial(node: ast.expr, scope: Scope) -> bool:
    live = resolve(node.func, scope) if isinstance(node, ast.Call) and node.args else None
    return live is not None and live.name == "functools.partial"


_READERS_WORDS = "dict frozenset list max min set sorted sum tuple"
_READERS = frozenset(f"builtins.{word}" for word in _READERS_WORDS.split())


def read_at_once(node: ast.Call, scope: Scope) -> ast.Call | None:
    """Return a call that goes through ``map(f, xs)`` at once, with the generator expression.

    Parameters
    ----------
    node : Call
    scope : Scope

    Returns
    -------
    Call or None
        None of any other call.
    """
    first = node.args[0] if node.args else None
    live = resolve(node.func, scope) if isinstance(first, ast.Call) else None
    if live is None or live.name not in _READERS or not isinstance(first, ast.Call):
        return None
    each = gone_through(first, scope)
    if each is first:
        return None
    return ast.copy_location(ast.Call(node.func, [each, *node.args[1:]], node.keywords), node)


def gone_through(node: ast.expr, scope: Scope) -> ast.expr:
    """Return what is gone through at once, `map` and `filter` in it as generator expressions.

    Parameters
    ----------
    node : expr
    scope : Scope
    """
    if not isinstance(node, ast.Call):
        return node
    live = resolve(node.func, scope)
    if live is None or live.name not in ("builtins.zip", "builtins.enumerate"):
        return of_each(node, scope, later=False) or node
    given: list[ast.expr] = [gone_through(argument, scope) for argument in node.args]
    if all(new is old for new, old in zip(given, node.args, strict=True)):
        return node
    return ast.copy_location(ast.Call(node.func, given, node.keywords), node)


def clause_of(clause: ast.comprehension, scope: Scope, names: set[str]) -> ast.comprehension:
    """Return a clause of a comprehension that makes its values at once; `filter` as a condition.

    Parameters
    ----------
    clause : comprehension
    scope : Scope
    names : set of str
        Variables of the comprehension, which no function that `filter` is given may mean.
    """
    through, tests = gone_through(clause.iter, scope), clause.ifs
    read = {part.id for part in ast.walk(clause.iter) if isinstance(part, ast.Name)}
    plain = isinstance(clause.target, ast.Name) and not read & names
    made = isinstance(through, ast.GeneratorExp) and isinstance(clause.iter, ast.Call)
    if made and plain:  # a generator expression that is written as one stays as it is
        assert isinstance(through, ast.GeneratorExp)
        assert isinstance(clause.iter, ast.Call)
        assert isinstance(clause.target, ast.Name)
        ((own,), item) = through.generators, ast.Name(clause.target.id, ast.Load())
        if own.ifs:
            test = ast.copy_location(ast.Call(clause.iter.args[0], [item], []), clause.iter)
            tests = [ast.fix_missing_locations(test), *tests]
            through = own.iter
    return ast.comprehension(clause.target, through, tests, clause.is_async)


def of_each(node: ast.Call, scope: Scope, *, later: bool = True) -> ast.GeneratorExp | None:
    """Return ``map(f, xs)``, and ``filter(f, xs)``, as the generator expression that it is.

    Parameters
    ----------
    node : Call
    scope : Scope
    later : bool
        Whether its values may be asked for later, when a variable may hold another function.

    Returns
    -------
    GeneratorExp or None
        None of any other call, and where another function may be called later: an expression in
        place of f would be evaluated for each item.
    """
    live = resolve(node.func, scope)
    name = None if live is None else live.name
    if name not in ("builtins.map", "builtins.filter") or len(node.args) < 2 or has_stars(node):
        return None
    function, *through = node.args
    filters = name == "builtins.filter"
    if not later:
        function = chosen(function, scope)
    if _is_partial(function, scope):
        assert isinstance(function, ast.Call)
        steady = not later and _stays_all(function, scope)
    else:
        read = {part.id for part in ast.walk(function) if isinstance(part, ast.Name)}
        fixed = isinstance(function, ast.Lambda) or not read & scope.stored
        steady = is_idle(function, scope) and (fixed or not later)
        if isinstance(function, ast.Name):
            steady = steady or not later or function.id in scope.defined
    if node.keywords or not steady or (filters and len(through) > 1):
        return None
    place = f"{node.lineno}·{node.col_offset}"
    names = [f"item·{at}·{place}" for at in range(len(through))]
    items = [ast.Name(each, ast.Load()) for each in names]
    value: ast.expr = ast.Call(function, [*items], [])
    if isinstance(function, ast.Lambda) and _is_written_out(function, len(through)):
        names, value = [argument.arg for argument in function.args.args], function.body
    targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in names]
    target, of = targets[0], through[0]
    if len(through) > 1:
        beside = ast.Name("zip", ast.Load())
        known = resolve(beside, scope)
        if known is None or known.name != "builtins.zip":
            return None
        target, of = ast.Tuple(targets, ast.Store()), ast.Call(beside, through, [])
    item = ast.Name(names[0], ast.Load())
    clause = ast.comprehension(target, of, [value] if filters else [], 0)
    made = ast.GeneratorExp(item if filters else value, [clause])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _is_written_out(function: ast.Lambda, count: int) -> bool:
    """Return whether the body of a lambda means the same where a loop names its parameters."""
    given = function.args
    others = given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg or given.defaults
    inner = (ast.Lambda, ast.NamedExpr, ast.GeneratorExp, ast.Yield, ast.YieldFrom)
    kept = any(isinstance(part, inner) for part in ast.walk(function.body))
    return not others and not kept and len(given.args) == count


def reference_kept(name: str, value: ast.expr, scope: Scope) -> ast.expr | None:
    """Return the code that a variable stands for: a method, a partial function, a table of such.

    What it names stays what it is for as long as the variable is known to stand for it: the scope
    forgets the one with the other.
    """
    value = chosen(value, scope)
    if isinstance(value, ast.Dict):
        idle = all(stays(each, scope) for each in value.values)
        return value if idle and name in scope.only_read else None
    if _is_partial(value, scope):
        assert isinstance(value, ast.Call)
        return value if _stays_all(value, scope) else None
    return value if isinstance(value, ast.Attribute) and is_idle(value, scope) else None


def _stays_all(made: ast.Call, scope: Scope) -> bool:
    given = (*made.args, *(keyword.value for keyword in made.keywords))
    return all(stays(each, scope) for each in given)
