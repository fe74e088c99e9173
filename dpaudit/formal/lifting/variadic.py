"""Functions of any number of arguments, written out for the arguments of one call.

``wrapper(*args, **kwargs)`` that is called as ``wrapper(data, epsilon=1)`` is a function of two
parameters, and ``f(*args, **kwargs)`` in it is ``f(data, epsilon=1)``. The names of these
parameters are no identifiers of Python, so that they are those of nothing else.
"""

from __future__ import annotations

import ast
import copy
import inspect
import types
from typing import Any

from dpaudit.formal.lifting.flow_syntax import looked_up
from dpaudit.formal.lifting.source import Defined
from dpaudit.formal.program import Expression, Starred

Keywords = tuple[tuple[str, Expression], ...]
_POSITION, _KEYWORD = "·at_", "·by_"


def is_variadic(function: types.FunctionType) -> bool:
    """Return whether a function has ``*args`` and ``**kwargs``, and no position before them."""
    both = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return function.__code__.co_flags & both == both and not function.__code__.co_argcount


def names_of_given(count: int, *by: str) -> tuple[str, ...]:
    """Return the names of so many arguments by position, and of those by name."""
    at = (f"{_POSITION}{i}" for i in range(count))
    return (*at, *(f"{_KEYWORD}{name}" for name in by))


def spread(
    function: types.FunctionType, positional: tuple[Expression, ...], keywords: Keywords
) -> tuple[tuple[Expression, ...], Keywords]:
    """Return the arguments of a call, those that ``*args`` and ``**kwargs`` take by names.

    Parameters
    ----------
    function : function
    positional : tuple of Expression
    keywords : tuple of (str, Expression)
    """
    parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    kinds = {p.kind for p in parameters}
    alone = inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL in kinds
    if inspect.Parameter.VAR_KEYWORD not in kinds and not alone:
        return positional, keywords
    if any(isinstance(argument, Starred) for argument in positional):
        return positional, keywords
    count = function.__code__.co_argcount
    own = {p.name for p in parameters if p.kind is not inspect.Parameter.POSITIONAL_ONLY}
    own -= {p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL}
    own -= {p.name for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD}
    beyond = tuple((f"{_POSITION}{i}", a) for i, a in enumerate(positional[count:]))
    named = tuple((n if n in own else f"{_KEYWORD}{n}", value) for n, value in keywords)
    return positional[:count], (*beyond, *named)


def gathered(
    positional: tuple[Expression, ...], keywords: Keywords
) -> tuple[tuple[Expression, ...], Keywords]:
    """Return the arguments of a call as Python binds them, what `spread` named included.

    Parameters
    ----------
    positional : tuple of Expression
    keywords : tuple of (str, Expression)
    """
    beyond = tuple(value for name, value in keywords if name.startswith(_POSITION))
    named = tuple(
        (name.removeprefix(_KEYWORD), value)
        for name, value in keywords
        if not name.startswith(_POSITION)
    )
    return (*positional, *beyond), named


def taken(keywords: Keywords) -> tuple[str, ...]:
    """Return the names that `spread` gave arguments."""
    return tuple(name for name, _ in keywords if name.startswith((_POSITION, _KEYWORD)))


def written_out(tree: Defined, names: tuple[str, ...]) -> Defined:
    """Return a function with parameters of these names for ``*args`` and ``**kwargs``.

    Where it reads ``kwargs`` itself, this is a variable that holds a new dict of them. The function
    is returned as it is where it may do more than to read and to pass them on.

    Parameters
    ----------
    tree : ast.FunctionDef or ast.Lambda
    names : tuple of str
        As `spread` gives them.
    """
    arguments = tree.args
    if arguments.kwarg is None and not (arguments.vararg and arguments.kwonlyargs):
        return tree
    changed = copy.deepcopy(tree)
    writer = _Writer(
        arguments.vararg.arg if arguments.vararg else None,
        arguments.kwarg.arg if arguments.kwarg else None,
        names,
    )
    body: Any = changed.body
    changed.body = [writer.visit(s) for s in body] if isinstance(body, list) else writer.visit(body)
    if writer.refuses:
        return tree
    if writer.looks and arguments.kwarg is not None:
        if not isinstance(changed, ast.FunctionDef):
            return tree
        if writer.passes and arguments.kwarg.arg not in looked_up(tree):
            return tree
        changed.body.insert(0, writer.dictionary(arguments.kwarg.arg, changed.body[0]))
    made = changed.args
    at = [ast.arg(name) for name in names if name.startswith(_POSITION)]
    by = [ast.arg(name) for name in names if name.startswith(_KEYWORD)]
    made.vararg = made.kwarg = None
    made.kwonlyargs = [*at, *made.kwonlyargs, *by]
    made.kw_defaults = [*(None for _ in at), *made.kw_defaults, *(None for _ in by)]
    return ast.fix_missing_locations(changed)


class _Writer(ast.NodeTransformer):
    def __init__(self, first: str | None, second: str | None, names: tuple[str, ...]) -> None:
        self.first, self.second = first, second
        self.refuses = self.looks = self.passes = False
        self.at = [name for name in names if name.startswith(_POSITION)]
        self.by = [name for name in names if name.startswith(_KEYWORD)]

    def dictionary(self, name: str, before: ast.stmt) -> ast.stmt:
        """Return the statement that makes ``kwargs`` a dict."""
        keys: list[ast.expr | None] = [ast.Constant(n.removeprefix(_KEYWORD)) for n in self.by]
        values: list[ast.expr] = [ast.Name(n, ast.Load()) for n in self.by]
        made = ast.Assign([ast.Name(name, ast.Store())], ast.Dict(keys, values))
        return ast.copy_location(made, before)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Write out ``f(*args, **kwargs)``."""
        self.passes |= any(map(self._is_all, node.keywords))
        given = [
            keyword
            for each in node.keywords
            for keyword in (self._named() if self._is_all(each) else [each])
        ]
        node.keywords = given
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Write out ``args``, which is a tuple; what is read of ``kwargs`` is read of a dict."""
        if node.id not in (self.first, self.second):
            return node
        if not isinstance(node.ctx, ast.Load):
            self.refuses = True
        if node.id == self.second:
            self.looks = True
            return node
        items: list[ast.expr] = [ast.Name(name, ast.Load()) for name in self.at]
        return ast.copy_location(ast.Tuple(items, ast.Load()), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Refuse a function inside, which may have parameters of these names."""
        self.refuses = True
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """Refuse a function inside, which may have parameters of these names."""
        self.refuses = True
        return node

    def visit_Starred(self, node: ast.Starred) -> Any:
        """Write out ``*args`` among the items of a call or a display."""
        if isinstance(node.value, ast.Name) and node.value.id == self.first:
            return [ast.copy_location(ast.Name(name, ast.Load()), node) for name in self.at]
        self.generic_visit(node)
        return node

    def _is_all(self, keyword: ast.keyword) -> bool:
        value = keyword.value
        return keyword.arg is None and isinstance(value, ast.Name) and value.id == self.second

    def _named(self) -> list[ast.keyword]:
        return [
            ast.keyword(name.removeprefix(_KEYWORD), ast.Name(name, ast.Load())) for name in self.by
        ]
