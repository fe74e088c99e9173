"""Copies of lifted code: the draws in a copy are draws of its own."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

from dpaudit.formal.program import Closure, Function, Name, Node

_N = TypeVar("_N", bound=Node)


def copied(node: _N, names: dict[str, Name]) -> _N:
    """Return a copy whose draws are draws of their own, with variables renamed, in closures too.

    Parameters
    ----------
    node : Node
    names : dict of str to Name
    """
    copies: dict[int, Any] = {}

    def copy(old: Any) -> Any:
        if isinstance(old, tuple):
            return tuple(map(copy, old))
        if not isinstance(old, Node) or isinstance(old, Function):
            return old
        if id(old) not in copies:
            if isinstance(old, Name):
                copies[id(old)] = replace(names.get(old.id, old), place=old.place)
            elif isinstance(old, Closure):
                of = old.function
                own = {n: names[n].id if n in names else n for n in of.parameters}
                defaults = {own[n]: value for n, value in of.defaults.items()}
                of = replace(of, parameters=(*own.values(),), defaults=defaults, body=copy(of.body))
                copies[id(old)] = replace(old, function=of)
            else:
                copies[id(old)] = replace(
                    old, **{f.name: copy(getattr(old, f.name)) for f in fields(old)}
                )
        return copies[id(old)]

    return copy(node)  # type: ignore[no-any-return]
