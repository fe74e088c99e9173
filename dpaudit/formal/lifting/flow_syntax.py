"""Pieces of syntax that the reader of a module's flow asks about."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
GENERATORS = ("default_rng", "Generator", "PCG64", "RandomState", "Random", "SeedSequence")


def is_seeded(node: ast.Call) -> bool:
    """Return whether a call makes a generator from a seed that is written in it."""
    last = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    if last not in GENERATORS or not node.args or node.keywords:
        return False
    return all(
        (isinstance(a, ast.Constant) and isinstance(a.value, int))
        or (isinstance(a, ast.Call) and is_seeded(a))
        for a in node.args
    )


def is_stored(node: ast.AST) -> bool:
    """Return whether a node is a name that is assigned or deleted."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)


def bound_names(node: ast.AST) -> set[str]:
    """Return the names that a node itself binds: of a variable, an import, a handler, a pattern."""
    if is_stored(node):
        return {node.id}  # type: ignore[attr-defined]
    if isinstance(node, ast.keyword):
        return set()
    words = (getattr(node, word, None) for word in ("arg", "name", "asname", "rest"))
    return {str(word).partition(".")[0] for word in words if word}


def leaves_loop(node: ast.AST) -> bool:
    """Return whether a statement leaves a loop around it, or goes on with its next round."""
    if isinstance(node, Defined | ast.ClassDef):
        return False
    loops = (ast.For, ast.AsyncFor, ast.While)
    inside = node.orelse if isinstance(node, loops) else ast.iter_child_nodes(node)
    return isinstance(node, ast.Break | ast.Continue) or any(map(leaves_loop, inside))


def absolute(package: str, level: int, module: str | None) -> str:
    """Return the full name of a module that an import names by its level and its last parts."""
    start = package.split(".")
    start = start[: len(start) - level + 1] if level else []
    return ".".join(filter(None, (*start, module or "")))


def base_name(node: ast.AST) -> str | None:
    """Return the variable that an item or attribute is of."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def parameters_of(arguments: ast.arguments) -> list[str]:
    """Return the names of all parameters, those of ``*args`` and ``**kwargs`` among them."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in (*every, arguments.vararg, arguments.kwarg) if a is not None]


def owned_names(node: Defined) -> frozenset[str]:
    """Return the variables of a function's own."""
    owned, others = set(parameters_of(node.args)), set()
    rest: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while rest:
        part = rest.pop()
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            owned.add(part.name)
            continue
        if isinstance(part, ast.Lambda):
            continue
        if isinstance(part, ast.Global | ast.Nonlocal):
            others |= set(part.names)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            owned |= {a.asname or a.name.partition(".")[0] for a in part.names}
        elif is_stored(part):
            owned.add(part.id)  # type: ignore[attr-defined]
        rest += ast.iter_child_nodes(part)
    return frozenset(owned - others)


def own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions that a statement evaluates itself."""
    return (c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr))


def inner_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements that a statement holds."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            yield part
        elif isinstance(part, ast.ExceptHandler | ast.match_case):
            yield from inner_statements(part)


def sets_globals(tree: ast.Module) -> bool:
    """Return whether code of a module may set variables that it does not name."""
    words = ("globals", "exec", "eval", "__globals__", "__builtins__", "reload", "f_globals")
    called = {id(n.func): n for n in ast.walk(tree) if isinstance(n, ast.Call)}
    for node in ast.walk(tree):
        named = getattr(node, "id", None) or getattr(node, "attr", None)
        if named == "eval" and id(node) in called and _is_harmless(called[id(node)]):
            continue
        of_sys = isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.modules"
        if named in words or of_sys:
            return True
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            names = {alias.name for alias in node.names}
            if names & {"gc", "ctypes"} or module in ("gc", "ctypes"):
                return True
            if module in ("sys", "builtins", "importlib") and names & {"modules", *words}:
                return True
        if isinstance(node, ast.Call) and named is None and _is_call_of(node, "vars", 0):
            return True
    return False


def _is_harmless(call: ast.Call) -> bool:
    """Return whether a call of `eval` has a text that is written in it, and sets nothing."""
    match call.args:
        case [ast.Constant(value=str(text))]:
            try:
                tree = ast.parse(text, mode="exec")
            except SyntaxError:
                return True
            return not (sets_globals(tree) or sets_attributes(tree))
    return False


def sets_attributes(tree: ast.Module) -> bool:
    """Return whether code of a module may set attributes that it does not name."""
    known: set[int] = set()
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        if function.name == "__init__" and function.args.args:  # of the object that it makes
            first = function.args.args[0].arg
            for call in (n for n in ast.walk(function) if isinstance(n, ast.Call)):
                own = bool(call.args) and isinstance(call.args[0], ast.Name)
                if own and call.args[0].id == first:  # type: ignore[attr-defined]
                    known.add(id(call.func))
    for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in call.args[:2]):
            known.add(id(call.func))
    read = {id(node) for node in _only_read(tree)}
    for node in ast.walk(tree):
        name = getattr(node, "id", None) or getattr(node, "attr", None)
        if name in ("setattr", "delattr", "__setattr__", "__delattr__") and id(node) not in known:
            return True
        if name in ("vars", "__dict__") and id(node) not in read:
            return True
    return False


def _only_read(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield `vars` of a call, or ``__dict__``, where the attributes are read at once."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=held, ctx=ast.Load()) | ast.keyword(arg=None, value=held):
                pass
            case ast.Attribute(value=held, attr="get" | "items" | "values" | "keys" | "copy"):
                pass
            case (
                ast.For(iter=held) | ast.comprehension(iter=held) | ast.Compare(comparators=[held])
            ):
                pass
            case _:
                continue
        yield held.func if isinstance(held, ast.Call) else held


def makes_again(tree: ast.Module) -> bool:
    """Return whether code of a module calls ``__init__`` of an object that was made before."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("__init__", "__post_init__"):
            base = node.value
            of_super = isinstance(base, ast.Call) and _is_call_of(base, "super")
            if not of_super:
                return True
    return False


def _is_call_of(node: ast.Call, name: str, arguments: int | None = None) -> bool:
    is_named = isinstance(node.func, ast.Name) and node.func.id == name
    return is_named and arguments in (None, len(node.args))


def looked_up(tree: ast.AST, reading: Collection[str] = ()) -> frozenset[str]:
    """Return the names of which items are looked up, and nothing else is done with them.

    `reading` has the names of functions that are Python's own, and only read what they are given.
    """
    read: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Load()):
                read[name] += 1
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=word)):
                read[name] += word in ("get", "items", "keys", "values")
            case ast.For(iter=ast.Name(id=name)) | ast.comprehension(iter=ast.Name(id=name)):
                read[name] += 1
            case ast.Call(func=ast.Name(id=word), args=[ast.Name(id=name)], keywords=[]):
                read[name] += word in reading
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]):
                read[name] += 1
    names = (
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )
    every = Counter(names)
    return frozenset(name for name, count in read.items() if every[name] == count)
