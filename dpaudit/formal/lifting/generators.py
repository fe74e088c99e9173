"""Which expressions are generators of random numbers, and where those come from."""

from __future__ import annotations

import ast
import inspect
import random
import types
from collections.abc import Iterable
from typing import Any

from dpaudit.formal.lifting.dispatch import expression
from dpaudit.formal.lifting.folding import setting
from dpaudit.formal.lifting.scope import (
    Live,
    Scope,
    object_shape,
    resolve,
    shared_stream,
    stored_names,
)
from dpaudit.formal.lifting.source import default_values, source_of
from dpaudit.formal.lifting.streams import Kind
from dpaudit.formal.program import Call, Constant, Expression, Generator, Name
from dpaudit.formal.unsupported import Unsupported

SEEDED = "numpy.random.RandomState"  # stands for what is made from a seed by other classes too


def generator_made(node: ast.Call, scope: Scope) -> Expression | None:
    """Return the generator that a call makes, None where it makes none."""
    import numpy as np

    live = _resolved(node.func, scope)
    kind = None if live is None else _made_kind(live.value)
    if live is None or kind is None:
        return None
    arguments = [*node.args, *(k.value for k in node.keywords)]
    if live.value is random.SystemRandom:
        return Generator(scope.place(node), "fresh", library=kind)
    # Of these alone it is known which numbers a seed gives.
    streams = live.value is np.random.default_rng or live.value is np.random.Generator
    known = ("seed", "x", "bit_generator")
    if len(arguments) > 1 or any(k.arg not in known for k in node.keywords):
        raise scope.refuse("a generator made from several arguments", node)
    if not arguments or _is_none(arguments[0], scope):
        return Generator(scope.place(node), "fresh", library=kind)
    (argument,) = arguments
    if generator_kind(argument, scope):  # default_rng(rng) is rng
        return expression(argument, scope)
    if isinstance(argument, ast.Call) and _is_bits(argument.func, scope):
        bits = argument.func
        seeds = [*argument.args, *(k.value for k in argument.keywords)]
        if not seeds or _is_none(seeds[0], scope):
            return Generator(scope.place(node), "fresh", library=kind)
        argument = seeds[0]
        streams = streams and _resolved_value(bits, scope) is np.random.PCG64
    told = setting(argument, scope)
    seed: Expression = (
        expression(argument, scope) if told is None else Constant(scope.place(node), told[1])
    )
    if not streams:  # of these it is not known which numbers a seed gives
        if not isinstance(seed, Name | Constant):
            raise scope.refuse("a generator whose seed may be None", node)
        seed = Call(scope.place(node), SEEDED, (seed,))
    return Generator(scope.place(node), "seeded", seed, kind)


def _is_none(node: ast.expr, scope: Scope) -> bool:
    """Return whether a seed is None: the generator is then seeded by the system."""
    known = setting(node, scope)
    if known is not None:
        return known[1] is None
    live = _resolved(node, scope)
    return live is not None and live.value is None


def _may_be_none(node: ast.expr, scope: Scope) -> bool:
    """Return whether an operand is None, or was before a generator took its place."""
    return _is_none(node, scope) or (isinstance(node, ast.Name) and node.id in scope.absent)


def generator_kind(node: ast.expr, scope: Scope) -> Kind | None:
    """Return whose methods an expression has, None if it may be anything but a generator."""
    if isinstance(node, ast.Name) and (node.id == scope.rng or node.id in scope.generators):
        return "numpy" if node.id == scope.rng else scope.generators[node.id]
    if isinstance(node, ast.Attribute):
        holder = object_shape(node.value, scope)
        return shared_stream(node, scope) if holder is None else holder.stream(node.attr)
    if isinstance(node, ast.Name):
        return shared_stream(node, scope)
    if isinstance(node, ast.Call):
        live = _resolved(node.func, scope)
        if live is not None and isinstance(live.value, types.FunctionType):
            return _returned_kind(live.value, node, scope)
        return None if live is None else _made_kind(live.value)
    parts: list[ast.expr] = []
    if isinstance(node, ast.IfExp):
        parts = [part for part in (node.body, node.orelse) if not _may_be_none(part, scope)]
    elif isinstance(node, ast.BoolOp):
        parts = [part for part in node.values if not _may_be_none(part, scope)]
    kinds = {generator_kind(part, scope) for part in parts}
    return kinds.pop() if len(kinds) == 1 else None


def _returned_kind(function: types.FunctionType, call: ast.Call, scope: Scope) -> Kind | None:
    """Return whose methods a user's function returns in a call, None if that is not told.

    Each of its returns makes a generator, or hands on a parameter that was given one.
    """
    code = function.__code__
    if code.co_flags & inspect.CO_GENERATOR or code.co_kwonlyargcount:
        return None
    try:
        tree = source_of(code).tree
    except Unsupported:
        return None
    names = code.co_varnames[: code.co_argcount]
    given: dict[str | None, ast.expr] = dict(zip(names, call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords}
    absent = {n for n, d in default_values(function).items() if d is None and n not in given}
    stored = set(stored_names(tree.body)) if isinstance(tree.body, list) else set()

    def kinds(node: ast.expr | None) -> set[Kind | None]:
        match node:
            case ast.Name(id=name) if name in given and name not in stored:
                is_none = _may_be_none(given[name], scope)
                return set() if is_none else {generator_kind(given[name], scope)}
            case ast.Name(id=name) if name in absent and name not in stored:
                return set()
            case ast.IfExp(body=yes, orelse=no):
                return kinds(yes) | kinds(no)
            case ast.BoolOp(values=values):
                return {kind for value in values for kind in kinds(value)}
            case ast.Call(func=made):
                return {_made_kind(_of_globals(made, function, stored | set(names)))}
        return {None}

    returns = [tree.body] if isinstance(tree, ast.Lambda) else _returns(tree.body)
    found = {kind for value in returns for kind in kinds(value)}
    return found.pop() if len(found) == 1 else None


def _returns(body: Iterable[ast.AST]) -> list[ast.expr | None]:
    """Return what statements return, those of functions inside left out."""
    found: list[ast.expr | None] = []
    for node in body:
        if isinstance(node, ast.Return):
            found.append(node.value)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found += _returns(ast.iter_child_nodes(node))
    return found


def _of_globals(node: ast.expr, function: types.FunctionType, own: set[str]) -> Any:
    """Return what a name of a function's module stands for, or a part of it."""
    if isinstance(node, ast.Name) and node.id not in own:
        return function.__globals__.get(node.id)
    if isinstance(node, ast.Attribute):
        base = _of_globals(node.value, function, own)
        return getattr(base, node.attr, None) if isinstance(base, types.ModuleType) else None
    return None


def kind_of(argument: Expression, scope: Scope) -> Kind | None:
    """Return whose methods a value has that was read, None if it may be no generator."""
    known = scope.lifter.streams.get(id(argument))
    if known is not None or isinstance(argument, Generator):
        return known or "numpy"
    return scope.generators.get(argument.id) if isinstance(argument, Name) else None


def surely_generator(node: ast.expr, scope: Scope) -> Kind | None:
    """Return whose methods an expression has that is a generator wherever it stands, or None.

    A parameter that nothing is passed for may be None until a generator is assigned to it.
    """
    if isinstance(node, ast.Name) and node.id not in (scope.rng, *scope.given):
        return None
    return generator_kind(node, scope)


def is_instance(kind: Kind, of: Any) -> bool:
    """Return whether generators with the methods of a library are instances of a class.

    Parameters
    ----------
    kind : {"numpy", "legacy", "python"}
    of : type or tuple of type
    """
    import numpy as np

    made = {"numpy": np.random.Generator, "legacy": np.random.RandomState, "python": random.Random}
    return issubclass(made[kind], of)


def generator_variables(body: ast.AST, scope: Scope, stored: list[str]) -> dict[str, Kind]:
    """Return the variables of a function that hold generators only.

    Parameters
    ----------
    body : AST
        The function.
    scope : Scope
        Its scope, with the parameters that are generators.
    stored : list of str
        What the function assigns, once for each time.
    """
    found = dict(scope.generators)
    simple: dict[str, list[ast.expr]] = {}
    for node in ast.walk(body):
        name: Any = None
        value: ast.expr | None = None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            name, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign):
            name, value = node.target, node.value
        if isinstance(name, ast.Name) and value is not None:
            simple.setdefault(name.id, []).append(value)
    for name, values in simple.items():
        kinds = {generator_kind(value, scope) for value in values}
        if len(kinds) == 1 and stored.count(name) == len(values):
            (kind,) = kinds
            if kind is not None and found.get(name, kind) == kind:
                found[name] = kind
    sure = (name for name in found if stored.count(name) == len(simple.get(name, ())))
    return {n: found[n] for n in sure if _all_same(simple.get(n, ()), found[n], scope)}


def _all_same(values: Iterable[ast.expr], kind: Kind, scope: Scope) -> bool:
    return all(generator_kind(value, scope) == kind for value in values)


def _resolved(node: ast.expr, scope: Scope) -> Live | None:
    try:
        return resolve(node, scope) if isinstance(node, ast.Name | ast.Attribute) else None
    except Unsupported:  # refused where it is read
        return None


def _resolved_value(node: ast.expr, scope: Scope) -> Any:
    live = _resolved(node, scope)
    return None if live is None else live.value


def _made_kind(value: Any) -> Kind | None:
    import numpy as np

    if value is np.random.default_rng or value is np.random.Generator:
        return "numpy"
    if value is np.random.RandomState:
        return "legacy"
    return "python" if value is random.Random or value is random.SystemRandom else None


def _is_bits(node: ast.expr, scope: Scope) -> bool:
    import numpy as np

    live = _resolved(node, scope)
    bits = np.random.BitGenerator
    return live is not None and isinstance(live.value, type) and issubclass(live.value, bits)
