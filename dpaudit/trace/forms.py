"""Forms of lines of source: what hands on, returns or takes an end, what is in which branch."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from functools import lru_cache

from dpaudit.trace.accumulators import named

_CASTS = frozenset({"float", "int", "list", "tuple", "asarray", "array", "float64", "copy", "item"})
_ENDS = frozenset({"min", "max", "amin", "amax", "nanmin", "nanmax", "ptp"})
_LIMITS = frozenset({"clip", "clamp", "minimum", "maximum", "fmin", "fmax"})
_QUANTILES = frozenset({"quantile", "percentile", "nanquantile", "nanpercentile"})


@lru_cache(maxsize=1024)
def copies(source: str) -> bool:
    """Whether a line only hands a value on: it names, returns or converts what there is.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    value = _named_or_returned(source)
    return value is not None and _is_reference(value)


def _named_or_returned(source: str) -> ast.expr | None:
    for statement in _statements(source):
        match statement:
            case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value=value):
                return value
    return None


def _is_reference(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return _is_reference(value)
        case ast.Call(func=function, args=[value], keywords=[]):
            return named(function) in _CASTS and _is_reference(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]):
            return name in _CASTS and _is_reference(value)
        case ast.Tuple(elts=values) | ast.List(elts=values):
            return all(map(_is_reference, values))
        case ast.Dict(values=values):
            return all(map(_is_reference, values))
    return False


@lru_cache(maxsize=1024)
def multiplies(source: str) -> bool:
    """Whether a line only names or returns products and quotients of what there is.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    value = _named_or_returned(source)
    return value is not None and _is_multiple(value)


@lru_cache(maxsize=1024)
def summands(source: str) -> frozenset[str]:
    """Return the variables to which a line adds something, or from which it subtracts it.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    sides = [
        side
        for node in _nodes(source)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        for side in (node.left, node.right)
    ]
    return frozenset(side.id for side in sides if isinstance(side, ast.Name))


def _is_multiple(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            return _is_multiple(left) and _is_multiple(right)
        case ast.Constant():
            return True
    return _is_reference(node)


@lru_cache(maxsize=1024)
def reads_attribute(source: str) -> bool:
    """Whether a line computes with what its object holds, beside calls of methods.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    for statement in _statements(source):
        nodes = list(ast.walk(statement))
        called = {
            id(n) for call in nodes if isinstance(call, ast.Call) for n in ast.walk(call.func)
        }
        held = (n for n in nodes if isinstance(n, ast.Attribute) and id(n) not in called)
        if any(isinstance(n.value, ast.Name) and n.value.id == "self" for n in held):
            return True
    return False


def entry_at(file: str, line: int, path: str) -> int | None:
    """Return the line of an entry of what a statement returns.

    Parameters
    ----------
    file : str
    line : int
        On which the statement begins.
    path : str
        Of the entry in the output: ``"['total']"``, ``".total"``, ``"[0]"``.
    """
    for function in ast.walk(tree_of(file)):
        returned = _returned(function, line)
        if returned is None:
            continue
        shown, followed, rest = returned, False, path
        while found := _SEGMENT.match(rest):
            value = _assigned(function, shown, line)
            entry = _entry_of(value or shown, found["key"] or found["name"], found["place"])
            if entry is None:
                break
            followed |= value is not None
            shown, rest = entry, rest[found.end() :]
        known = shown is not returned and not isinstance(shown, ast.Name)
        return shown.lineno if known and not (followed and rest) else None
    return None


_SEGMENT = re.compile(r"\['(?P<key>\w+)'\]|\.(?P<name>\w+)|\[(?P<place>\d+)\]")


def _returned(function: ast.AST, line: int) -> ast.expr | None:
    """Return what a function returns with the statement at a line, if it is one of its own."""
    for node in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
        if isinstance(node, ast.Return) and node.lineno == line:
            return node.value
    return None


def _assigned(function: ast.AST, shown: ast.expr, line: int) -> ast.expr | None:
    """Return what a variable was assigned last above a line, if it is a display."""
    name = shown.id if isinstance(shown, ast.Name) else ""
    values = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and node.lineno < line
        and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
    ]  # fmt: skip
    return values[0] if len(values) == 1 else None


def _entry_of(shown: ast.expr, key: str | None, place: str | None) -> ast.expr | None:
    match shown:
        case ast.Dict(keys=keys, values=values) if key is not None:
            entries = zip(keys, values, strict=True)
            return next(
                (v for k, v in entries if isinstance(k, ast.Constant) and k.value == key), None
            )
        case ast.Call(keywords=keywords) if key is not None:
            return next((each.value for each in keywords if each.arg == key), None)
        case ast.Tuple(elts=values) | ast.List(elts=values) if place is not None:
            starred = any(isinstance(each, ast.Starred) for each in values)
            return values[int(place)] if int(place) < len(values) and not starred else None
    return None


@lru_cache(maxsize=1024)
def takes_end(source: str) -> bool:
    """Whether a line takes the least, the largest or a quantile of one collection.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    return any(isinstance(node, ast.Call) and _takes_end(node) for node in _nodes(source))


def _takes_end(call: ast.Call) -> bool:
    name, given = named(call.func), call.args
    if name in _QUANTILES:
        return True
    if name not in _ENDS or len(given) > 1:
        return False
    if not given:
        return isinstance(call.func, ast.Attribute)
    return not isinstance(given[0], (ast.Tuple, ast.List, ast.Constant))


@lru_cache(maxsize=1024)
def limits(source: str) -> bool:
    """Whether a line cuts numbers off at a limit, from below, from above or on both sides.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    calls = [node for node in _nodes(source) if isinstance(node, ast.Call)]
    called = [(named(call.func), len(call.args)) for call in calls]
    return any(name in _LIMITS or (name in ("min", "max") and given > 1) for name, given in called)


@lru_cache(maxsize=1024)
def goes_through(source: str) -> bool:
    """Whether a line has a comprehension, and no condition of its own.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    nodes = list(_nodes(source))
    comprehends = any(isinstance(node, ast.comprehension) for node in nodes)
    return comprehends and not any(isinstance(node, ast.If | ast.IfExp) for node in nodes)


@lru_cache(maxsize=1024)
def counts(source: str) -> bool:
    """Whether a line counts records.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    called = (named(n.func) for n in _nodes(source) if isinstance(n, ast.Call))
    return any(name in ("len", "count_nonzero", "count") for name in called)


@lru_cache(maxsize=1024)
def clip_bounds(source: str) -> frozenset[str]:
    """Return the variables that a line clips to, such as ``c`` in ``np.clip(x, -c, c)``.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    calls = [n for n in _nodes(source) if isinstance(n, ast.Call) and named(n.func) == "clip"]
    given = [
        each
        for call in calls
        for each in (*call.args[_takes_array(call.func) :], *(k.value for k in call.keywords))
    ]
    return frozenset(n.id for each in given for n in ast.walk(each) if isinstance(n, ast.Name))


def _takes_array(function: ast.expr) -> bool:
    """Whether ``clip`` is a function of NumPy, and no method of what is clipped."""
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and (
        function.value.id in ("np", "numpy", "jnp", "torch")
    )  # fmt: skip


def in_branch(file: str | None, branch: int | None, other: str | None, line: int | None) -> bool:
    """Whether a line is in the body of the branch or loop that another line begins.

    Parameters
    ----------
    file, branch : str or None, int or None
        Of the branch.
    other, line : str or None, int or None
        Of the line; a line that is not known is in it, for all that one can say.
    """
    if file is None or branch is None or line is None:
        return True
    if file != other:
        return False
    return (
        any(
            node.lineno == branch and any(s.lineno <= line <= (s.end_lineno or 0) for s in inside)
            for node, inside in bodies(file)
        )
        or line == branch
    )


def condition_around(file: str, line: int) -> int | None:
    """Return the line of the innermost ``if`` or ``assert`` in whose body a line is, if any.

    Parameters
    ----------
    file : str
    line : int
    """
    found = [
        node.lineno
        for node, inside in bodies(file)
        if isinstance(node, ast.If) and any(s.lineno <= line <= (s.end_lineno or 0) for s in inside)
    ]
    return max(found, default=None)


def loop_over(file: str, line: int) -> int | None:
    """Return the line of the loop whose variable is the key that a line sets, if there is one.

    Parameters
    ----------
    file : str
    line : int
        Such as ``counts[key] = …``.
    """
    for node, inside in bodies(file):
        if not isinstance(node, ast.For):
            continue
        names = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        for statement in (s for each in inside for s in ast.walk(each)):
            if isinstance(statement, ast.Assign) and statement.lineno == line:
                keys = [t.slice for t in statement.targets if isinstance(t, ast.Subscript)]
                if any(isinstance(key, ast.Name) and key.id in names for key in keys):
                    return node.lineno
    return None


def bodies(file: str) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """Yield the branches and loops of a file with the statements in them."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.If | ast.While | ast.For):
            yield node, [*node.body, *node.orelse]


def tree_of(file: str) -> ast.Module:
    """Return the syntax tree of a file, an empty one where it has none."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # of very many parts
        return ast.Module([], [])


def _statements(source: str) -> list[ast.stmt]:
    for text in (source, f"{source} pass"):  # an ``if`` or a loop has its body on other lines
        try:
            return ast.parse(text).body[:1]
        except (SyntaxError, RecursionError, MemoryError):
            continue
    return []


def _nodes(source: str) -> Iterator[ast.AST]:
    for statement in _statements(source):
        yield from ast.walk(statement)
