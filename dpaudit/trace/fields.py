"""Fields: what programs set as an attribute of an object, or as an entry of a table."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dpaudit.trace.accumulators import named


def of_attribute(nodes: Sequence[ast.AST], name: str) -> Iterator[ast.expr]:
    """Yield what is set as an attribute, returned by a property, or given to a dataclass."""
    for node in nodes:
        match node:
            case (
                ast.Assign(targets=[ast.Attribute(attr=attribute)], value=value)
                | ast.AnnAssign(target=ast.Attribute(attr=attribute), value=ast.expr() as value)
            ) if attribute == name:
                yield value
            case ast.FunctionDef(name=called, body=[*_, ast.Return(value=ast.expr() as value)]):
                wraps = [named(each) for each in node.decorator_list]
                if called == name and set(wraps) & {"property", "cached_property"}:
                    yield value
            case ast.Call(keywords=keywords) if named(node.func)[:1].isupper():
                for keyword in keywords:
                    if keyword.arg == name:
                        yield keyword.value


def of_entry(nodes: Sequence[ast.AST], key: str) -> Iterator[ast.expr]:
    """Yield what is set as an entry of that key."""
    for node in nodes:
        match node:
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value=written))], value=value
            ) if written == key:
                yield value
            case ast.Dict(keys=keys, values=values):
                for each, value in zip(keys, values, strict=True):
                    if isinstance(each, ast.Constant) and each.value == key:
                        yield value
            case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                for keyword in keywords:
                    if keyword.arg == key:
                        yield keyword.value
