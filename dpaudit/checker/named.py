"""The mechanism that the reader of a certificate names: the only code that a check may run."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.reference import parse_reference
from dpaudit.session import session_of
from dpaudit.subject import Subject, imported

_OWN = os.path.realpath(Path(__file__).parents[1])
_PYTHON = os.path.realpath(os.path.dirname(os.__file__))
_INSTALLED = ("site-packages", "dist-packages")


def named(mechanism: Callable[..., Any] | str | Subject) -> Any:
    """Return the mechanism that a reader names, which may be run.

    Parameters
    ----------
    mechanism : callable, str or Subject
        ``"module:function"`` is imported.

    Raises
    ------
    NotCheckedError
        Where it cannot be imported.
    RejectedError
        Where it is of the standard library or of dpaudit, or no function in Python.
    """
    if isinstance(mechanism, Subject):
        return mechanism.mechanism
    if not isinstance(mechanism, str):
        return mechanism
    validate_name(mechanism)
    try:
        found = imported(mechanism)
    except (Exception, SystemExit) as error:  # a module may do anything
        words = f"{mechanism:.80} is not at hand: {error!s:.200}"
        raise NotCheckedError(f"not checked: {words}") from None
    validate_own(found, mechanism)
    return found


def validate_name(text: str) -> None:
    """Refuse the name of a mechanism in the standard library or in dpaudit."""
    parsed = parse_reference(text)
    module = parsed[0] if parsed is not None else text.partition(":")[0]
    root = module.rpartition("(")[2].partition(".")[0]
    if root in sys.stdlib_module_names or root == "dpaudit":
        raise RejectedError(f"`mechanism` is {text!r:.80}, of {_owner(root)}; no audit is of that")


def validate_own(mechanism: Any, text: str = "") -> None:
    """Refuse what is no function in Python, or one of the standard library or of dpaudit."""
    function = code_of(mechanism)
    said = text or str(getattr(mechanism, "__qualname__", type(mechanism).__qualname__))
    if function is None:
        raise RejectedError(f"`mechanism` is {said!r:.80}, which is no function in Python")
    root = str(function.__module__).partition(".")[0]
    file = os.path.realpath(function.__code__.co_filename)
    own = file.startswith(_OWN + os.sep) and session_of(function.__code__.co_filename) is None
    if root == "dpaudit" or own:
        raise RejectedError(f"`mechanism` is {said!r:.80}, of dpaudit; no audit is of that")
    installed = any(part in _INSTALLED for part in Path(file).parts)
    of_python = file.startswith(_PYTHON + os.sep) and not installed
    if of_python or (root in sys.stdlib_module_names and root != "__main__"):
        raise RejectedError(f"`mechanism` is {said!r:.80}, of Python itself; no audit is of that")


def code_of(mechanism: Any) -> types.FunctionType | None:
    """Return the function in Python that a call runs, None where there is none."""
    seen: set[int] = set()
    while id(mechanism) not in seen:
        seen.add(id(mechanism))
        if isinstance(mechanism, functools.partial):
            mechanism = mechanism.func
        elif isinstance(mechanism, types.MethodType):
            mechanism = mechanism.__func__
        elif isinstance(mechanism, functools._lru_cache_wrapper):
            mechanism = mechanism.__wrapped__
    if isinstance(mechanism, types.FunctionType):
        return mechanism
    if inspect.isclass(mechanism):
        return None
    called = next(
        (vars(c)["__call__"] for c in type(mechanism).__mro__ if "__call__" in vars(c)), 0
    )
    return called if isinstance(called, types.FunctionType) else None


def _owner(root: str) -> str:
    return "dpaudit" if root == "dpaudit" else "Python itself"
