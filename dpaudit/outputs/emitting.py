"""What a mechanism may do beside returning, read from the code that it can reach."""

from __future__ import annotations

import functools
import inspect
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from dpaudit.session import session_of

_LOGS = {"debug", "info", "warning", "error", "critical", "exception", "handle"}
_FILE_WORDS = """
open write_text write_bytes savetxt save savez savez_compressed tofile dump to_csv to_json to_excel
to_parquet to_pickle to_feather write_csv write_json write_parquet touch FileHandler connect
NamedTemporaryFile TemporaryDirectory mkstemp mkdtemp
"""
_CLOCK_WORDS = """
id hash getpid now utcnow today time time_ns perf_counter perf_counter_ns monotonic monotonic_ns
process_time process_time_ns thread_time thread_time_ns
"""
_WORDS = {
    "print": {"print", "stdout", "stderr", "__stdout__", "__stderr__"},
    "warnings": {"warn", "warn_explicit", "showwarning"},
    "files": frozenset(_FILE_WORDS.split()),
    "clocks": frozenset(_CLOCK_WORDS.split()),
}
_ELSEWHERE = (str(Path(__file__).parents[1]) + os.sep, str(Path(os.__file__).parent) + os.sep)


def touched(function: Callable[..., Any]) -> frozenset[str]:
    """Return which ways out beside its return value a mechanism may take.

    Parameters
    ----------
    function : callable

    Returns
    -------
    frozenset of str
        Of ``"print"``, ``"logging"``, ``"warnings"``, ``"files"`` and ``"clocks"``. The last one
        is no way out: the code reads a clock, an address or the number of the process.

    Notes
    -----
    That is what code of the user's that it can reach names: `print` and the standard streams, a
    method of loggers where a module holds one, ``warn``, and what opens or writes files. Code of
    installed packages is not read: what it prints is seen as the mechanism runs
    (`dpaudit.worker.quiet.Quiet.unwatched`).
    """
    found: set[str] = set()
    for each in _reached(function):
        names = _names(each.__code__)
        found |= {way for way, words in _WORDS.items() if names & words}
        if names & _LOGS and any(map(_is_of_logging, each.__globals__.values())):
            found.add("logging")
    return frozenset(found)


def names_of(function: Callable[..., Any]) -> tuple[dict[str, Any], ...]:
    """Return the global names of all code of the user's that a mechanism can reach."""
    try:
        return _names_of(function)
    except TypeError:  # it cannot be hashed
        return _names_of.__wrapped__(function)


@functools.lru_cache(maxsize=8)
def _names_of(function: Callable[..., Any]) -> tuple[dict[str, Any], ...]:
    return tuple({id(each.__globals__): each.__globals__ for each in _reached(function)}.values())


def _reached(function: Callable[..., Any]) -> Iterator[FunctionType]:
    """Yield the functions of the user's that a mechanism can reach."""
    seen: set[int] = set()
    rest: list[Any] = [function]
    while rest:
        value = rest.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            file = value.__code__.co_filename
            if is_installed(file) and session_of(file) is None:
                continue
            yield value
        rest += _within(value)


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
