"""What a mechanism may do beside returning, read from the code that it can reach."""

from __future__ import annotations

import functools
import inspect
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import packages_distributions
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
# Packages whose texts are about themselves, and not about the data of a mechanism that names them.
_LIBRARY_WORDS = """
attr attrs cvxpy dask hypothesis jax jaxlib joblib matplotlib mpmath networkx numba numpy pandas
plotly polars pyarrow pydantic pytest scipy seaborn sklearn statsmodels sympy tensorflow torch
xarray
"""
GENERAL_LIBRARIES = frozenset(_LIBRARY_WORDS.split())
_FOLDERS = ("site-packages", "dist-packages")  # where packages are installed
_Reach = tuple[tuple[dict[str, Any], ...], frozenset[str]]
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
    method of loggers where a module holds one, ``warn``, and what opens or writes files. Of the
    mechanism's own packages (`own_packages`), loggers, warnings and clocks count too. What they
    print and write is seen as the mechanism runs (`dpaudit.worker.quiet.Quiet.unwatched`). Code of
    other installed packages is not read.
    """
    found: set[str] = set()
    for each in _reached(function, set()):
        names = _names(each.__code__)
        ways = {way for way, words in _WORDS.items() if names & words}
        found |= ways - ({"print", "files"} if _is_packaged(each) else set())
        if names & _LOGS and any(map(_is_of_logging, each.__globals__.values())):
            found.add("logging")
    return frozenset(found)


def own_packages(function: Callable[..., Any]) -> frozenset[str]:
    """Return the installed packages that count as a mechanism's own.

    Parameters
    ----------
    function : callable

    Returns
    -------
    frozenset of str
        Top-level names: of the package that it is defined in, and of those that code of the
        user's names, each with what else its distribution installs. General libraries, such as
        NumPy and matplotlib, are none.
    """
    return _kept(function)[1]


def package_of(file: str) -> str:
    """Return the top-level name of the installed package that a file is in, else nothing.

    Parameters
    ----------
    file : str
    """
    parts = Path(file).parts
    inside = [at for at, part in enumerate(parts[:-1]) if part in _FOLDERS]
    return parts[inside[-1] + 1].partition(".")[0] if inside else ""


def names_of(function: Callable[..., Any]) -> tuple[dict[str, Any], ...]:
    """Return the global names of all code of the user's that a mechanism can reach."""
    return _kept(function)[0]


def _kept(function: Callable[..., Any]) -> _Reach:
    """Return what `_reach` does, the same for the same function."""
    try:
        return _reach(function)
    except TypeError:  # it cannot be hashed
        return _reach.__wrapped__(function)


@functools.lru_cache(maxsize=8)
def _reach(function: Callable[..., Any]) -> _Reach:
    """Return the global names of all code of the user's that is reached, and its packages."""
    own: set[str] = set()
    reached = _reached(function, own)
    names = tuple({id(each.__globals__): each.__globals__ for each in reached}.values())
    return names, frozenset(own)


def _reached(function: Callable[..., Any], own: set[str]) -> Iterator[FunctionType]:
    """Yield the functions of the user's that a mechanism can reach, and add its packages to `own`.

    A package is its own where code of the user's names it, not where another package does.
    """
    seen: set[tuple[int, bool]] = set()
    rest: list[tuple[Any, bool]] = [(function, True)]
    while rest:
        value, by_users = rest.pop()
        if (id(value), by_users) in seen:
            continue
        seen.add((id(value), by_users))
        if isinstance(value, FunctionType):
            if _is_packaged(value):
                package = package_of(value.__code__.co_filename)
                if by_users and package and package not in GENERAL_LIBRARIES:
                    own |= _installed_with(package)
                if package not in own:
                    continue
            by_users = not _is_packaged(value)
            yield value
        rest += ((each, by_users) for each in _within(value))


def _is_packaged(function: FunctionType) -> bool:
    """Return whether a function is of an installed package, of Python or of dpaudit."""
    file = function.__code__.co_filename
    return is_installed(file) and session_of(file) is None


@functools.lru_cache(maxsize=64)
def _installed_with(package: str) -> frozenset[str]:
    """Return the top-level names that the distribution of a package installs, its own included."""
    known = packages_distributions()
    homes = {*known.get(package, ())}
    return frozenset({package, *(name for name, found in known.items() if homes & {*found})})


def is_installed(file: str) -> bool:
    """Return whether a file of source is dpaudit's, Python's or that of an installed package."""
    return file.startswith(_ELSEWHERE) or any(folder in file for folder in _FOLDERS)


def _within(value: Any) -> Iterator[Any]:
    """Yield what a value may call: functions, methods of classes, parts of a partial."""
    if isinstance(value, FunctionType):
        names = _names(value.__code__)
        imported = (sys.modules.get(name) for name in names)  # within the function
        yield from _named([*(value.__globals__.get(name) for name in names), *imported], names)
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


def _named(held: Iterable[Any], names: set[str]) -> Iterator[Any]:
    """Yield what is held, and in place of a module what it holds under these names."""
    rest, seen = list(held), set[int]()
    while rest:
        value = rest.pop()
        if not isinstance(value, ModuleType):
            yield value
        elif id(value) not in seen and _is_followed(getattr(value, "__file__", None)):
            seen.add(id(value))
            rest += (vars(value).get(name) for name in names)


def _is_followed(file: str | None) -> bool:
    """Return whether a module is the user's, or may be of a package of the mechanism's own."""
    package = package_of(file or "")
    return bool(package and package not in GENERAL_LIBRARIES) or not is_installed(
        file or os.__file__
    )


def _names(code: CodeType) -> set[str]:
    """Return the global names and the attributes that code names, and code within it."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inner)


def _is_of_logging(value: Any) -> bool:
    return value is logging or isinstance(value, logging.Logger | logging.LoggerAdapter)
