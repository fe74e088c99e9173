"""Whether a mechanism may print, log or warn, read from the code that it can reach."""

from __future__ import annotations

import functools
import inspect
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

_LOGS = {"debug", "info", "warning", "error", "critical", "exception"}
_ELSEWHERE = (str(Path(__file__).parents[1]) + os.sep, str(Path(os.__file__).parent) + os.sep)


def emits(function: Callable[..., Any]) -> bool:
    """Return whether code of the user's that a mechanism can reach names what emits texts.

    Parameters
    ----------
    function : callable

    Notes
    -----
    That is `print`, ``warn``, a standard stream, or a method of loggers where a module holds one.
    Code of installed packages is not read.
    """
    seen: set[int] = set()
    rest: list[Any] = [function]
    while rest:
        value = rest.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            if is_installed(value.__code__.co_filename):
                continue
            names = _names(value.__code__)
            if names & {"print", "warn", "stdout", "stderr"}:
                return True
            if names & _LOGS and any(map(_is_of_logging, value.__globals__.values())):
                return True
        rest += _within(value)
    return False


def is_installed(file: str) -> bool:
    """Return whether a file of source is dpaudit's, Python's or that of an installed package."""
    return file.startswith(_ELSEWHERE) or "site-packages" in file


def _within(value: Any) -> Iterator[Any]:
    """Yield what a value may call: functions, methods of classes, parts of a partial."""
    if isinstance(value, FunctionType):
        names = _names(value.__code__)
        for name in names:
            held = value.__globals__.get(name)
            if not isinstance(held, ModuleType):
                yield held
            elif not is_installed(getattr(held, "__file__", None) or os.__file__):
                yield from (vars(held).get(other) for other in names)
        yield from inspect.getclosurevars(value).nonlocals.values()
        yield getattr(value, "__wrapped__", None)
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, type):
        for kind in value.__mro__:
            for each in vars(kind).values():
                yield getattr(each, "fget", getattr(each, "__func__", each))
    elif inspect.ismethod(value):
        yield from (value.__func__, type(value.__self__))
    elif hasattr(value, "__dict__") and not isinstance(value, ModuleType):
        yield type(value)


def _names(code: CodeType) -> set[str]:
    """Return the global names and the attributes that code names, and code within it."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inner)


def _is_of_logging(value: Any) -> bool:
    return value is logging or isinstance(value, logging.Logger | logging.LoggerAdapter)
