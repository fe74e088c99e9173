"""Functions that may be run for real on values that are known: calibration, tables, constants.

Such a function must give the same result in every process: it draws nothing at random, reads no
clock, file or hash seed, and leaves nothing behind. This is read off its code and the code of all
that it calls.
"""

from __future__ import annotations

import copy
import dis
import functools
import sys
import types
from collections.abc import Sequence
from typing import Any, cast

from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.program import Function

TRUSTED = frozenset(
    {
        "bisect",
        "builtins",
        "cmath",
        "collections",
        "decimal",
        "fractions",
        "functools",
        "hashlib",
        "itertools",
        "math",
        "numbers",
        "numpy",
        "operator",
        "scipy",
        "statistics",
        "typing",
    }
)
_UNTRUSTED_WORDS = """
RandomState Generator BitGenerator SeedSequence default_rng random rvs seed urandom secrets open
input exec eval compile __import__ globals locals vars setattr delattr id hash object print
breakpoint getattr load loads fromfile loadtxt genfromtxt memmap save savez tofile empty
empty_like ctypeslib __globals__ __dict__ __code__ __closure__ __builtins__ randint randn rand
laplace normal qmc seterr set_printoptions seterrcall
"""
_UNTRUSTED = frozenset(_UNTRUSTED_WORDS.split())
_FORBIDDEN_WORDS = """
STORE_GLOBAL DELETE_GLOBAL STORE_ATTR DELETE_ATTR IMPORT_NAME IMPORT_FROM IMPORT_STAR LOAD_NAME
STORE_NAME LOAD_BUILD_CLASS GET_AWAITABLE
"""
_FORBIDDEN = frozenset(_FORBIDDEN_WORDS.split())
_MUTATING_WORDS = """
append extend insert pop remove clear update setdefault sort add
"""
_MUTATING = frozenset(_MUTATING_WORDS.split())
_PLAIN = (int, float, complex, str, bytes, bool, type(None), range, slice)


def may_run(function: Any) -> bool:
    """Return whether a function gives the same result in every process, and only that."""
    return _is_pure(function, frozenset())


def is_plain(value: Any) -> bool:
    """Return whether a value is made of numbers, texts and containers of them alone."""
    if isinstance(value, _PLAIN) or type(value).__module__ in ("fractions", "decimal"):
        return True
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        return value.dtype.kind in "biufcSUmMV" and not value.dtype.hasobject
    return False


def run(function: Any, arguments: Sequence[Any], keywords: dict[str, Any] | None = None) -> Any:
    """Run a function for real, on copies of values that are known.

    Raises
    ------
    ValueError
        Where it may not be run (see `may_run`), or changes its arguments.
    """
    given = (tuple(arguments), dict(keywords or {}))
    values = (*given[0], *given[1].values())
    if not may_run(function) or not all(is_plain(v) or may_run(v) for v in values):
        raise ValueError(f"{function!r:.80} may not be run: its result might not be the same again")
    positional, named = copy.deepcopy(given)
    before = repr((positional, named))
    result = function(*positional, **named)
    if repr((positional, named)) != before:
        raise ValueError(f"{function!r:.80} may not be run: it changes its arguments")
    return result


def live_function(function: Function) -> Any:
    """Return the live function that was read, where its module holds it by its name."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == function.place.file:
            found = vars(module).get(function.name)
            core = getattr(found, "__wrapped__", found)
            code = getattr(core, "__code__", None)
            if code is not None and code.co_filename == function.place.file:
                return found
    return None


def _is_pure(function: Any, seen: frozenset[int]) -> bool:
    if id(function) in seen:
        return True
    seen |= {id(function)}
    if isinstance(function, functools.partial):
        values = (*function.args, *function.keywords.values())
        return all(is_plain(v) or _is_pure(v, seen) for v in values) and _is_pure(
            function.func, seen
        )
    if isinstance(function, functools._lru_cache_wrapper):
        return _is_pure(function.__wrapped__, seen)
    name = canonical_name(function)
    if name is not None:
        root, *others = name.split(".")
        return root in TRUSTED and not _UNTRUSTED.intersection(others)
    if isinstance(function, types.FunctionType):
        return _is_pure_code(function, seen)
    return False


def _is_pure_code(function: types.FunctionType, seen: frozenset[int]) -> bool:
    names = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for cell in names.values():
        try:
            if not _is_pure_value(cell.cell_contents, function.__code__, seen):
                return False
        except ValueError:  # a cell that is empty
            return False
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(_is_pure_value(value, function.__code__, seen) for value in defaults):
        return False
    return _scan(function.__code__, function, set(names), seen)


def _scan(
    code: types.CodeType, function: types.FunctionType, outer: set[str], seen: frozenset[int]
) -> bool:
    missing = object()
    for instruction in dis.get_instructions(code):
        operation, name = instruction.opname, instruction.argval
        if operation in _FORBIDDEN or (isinstance(name, str) and name in _UNTRUSTED):
            return False
        if operation in ("STORE_DEREF", "DELETE_DEREF") and name in outer:
            return False
        if operation == "LOAD_GLOBAL":
            builtins: dict[str, Any] = cast(Any, function).__builtins__
            value = function.__globals__.get(name, builtins.get(name, missing))
            if value is missing or not _is_pure_value(value, code, seen):
                return False
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return all(_scan(c, function, outer - set(c.co_varnames), seen) for c in inner)


def _is_pure_value(value: Any, code: types.CodeType, seen: frozenset[int]) -> bool:
    if isinstance(value, types.ModuleType):
        root = value.__name__.partition(".")[0]
        return root in TRUSTED and not _UNTRUSTED.intersection(value.__name__.split("."))
    if is_plain(value):
        return isinstance(value, _PLAIN) or not _mutates(code)
    return _is_pure(value, seen)


def _mutates(code: types.CodeType) -> bool:
    """Return whether a function may change a container, which might be a shared one."""
    changes = any(i.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") for i in dis.get_instructions(code))
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return changes or bool(_MUTATING.intersection(code.co_names)) or any(map(_mutates, inner))
