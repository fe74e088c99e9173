"""Binding of arguments to parameters, as Python binds them, for every evaluator of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpaudit.formal.program import Function, Place
from dpaudit.formal.unsupported import Unsupported


def fitted(
    function: Function, positional: Sequence[Any], keywords: Mapping[str, Any], place: Place
) -> dict[str, Any]:
    """Return what parameters get from the arguments of a call, as Python binds them.

    Parameters
    ----------
    function : Function
    positional : sequence
        Whatever stands for arguments.
    keywords : mapping of str to Any
    place : Place

    Returns
    -------
    dict of str to Any
        Without those that have their default, and with a tuple for ``*args``.

    Raises
    ------
    Unsupported
        Where Python raises a TypeError.
    """
    names = [name for name in function.parameters if name != function.starred]
    if len(positional) > len(names) and function.starred is None:
        raise Unsupported(f"too many arguments for `{function.name}`", place)
    bound: dict[str, Any] = dict(zip(names, positional, strict=False))
    for name, value in keywords.items():
        if name not in names or name in bound:
            raise Unsupported(f"the argument `{name}` of `{function.name}`", place)
        bound[name] = value
    for name in names:
        if name not in bound and name not in function.defaults:
            raise Unsupported(f"`{function.name}` without its argument `{name}`", place)
    if function.starred is not None:
        bound[function.starred] = tuple(positional[len(names) :])
    return bound
