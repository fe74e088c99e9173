"""Functions that may be run for real on values that are known: calibration, tables, constants.

Such a function must give the same result in every process: it draws nothing at random, reads no
clock, file or hash seed, and leaves nothing behind. This is read off its code and the code of all
that it calls.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np

from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.deterministic import is_deterministic, is_in_place
from dpaudit.formal.lifting.environment import (
    is_cell_changed,
    is_changed,
    is_default_changed,
    module_value,
)
from dpaudit.formal.lifting.repeatable import is_repeatable_code, is_unordered
from dpaudit.formal.unsupported import Unsupported

_UNTRUSTED_WORDS = """
RandomState Generator BitGenerator SeedSequence default_rng random rvs seed urandom secrets open
input exec eval compile __import__ globals locals vars setattr delattr id hash object print
breakpoint getattr load loads fromfile loadtxt genfromtxt memmap save savez tofile empty
empty_like ctypeslib __globals__ __dict__ __code__ __closure__ __builtins__ randint randn rand
laplace normal qmc seterr set_printoptions seterrcall BaseException RecursionError MemoryError
or_ and_ xor
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
_EXACT = frozenset({*_PLAIN, type(...), Fraction, Decimal})
_CONTAINERS = frozenset({list, tuple, set, frozenset, deque})
_VIEWS = frozenset({type({}.keys()), type({}.values()), type({}.items())})
_MAPPINGS = frozenset({dict, Counter, OrderedDict, types.MappingProxyType})
_HELD_WORDS = """
hashlib _hashlib _blake2 _sha1 _sha2 _sha3 _md5 re datetime pandas numpy
"""
_HELD = frozenset(_HELD_WORDS.split())
_UNSAFE_METHODS_WORDS = """
rvs sample samples tofile dump eval query pipe apply map agg transform now today utcnow astimezone
timestamp strftime fromtimestamp
"""
_UNSAFE_METHODS = frozenset(_UNSAFE_METHODS_WORDS.split())


def may_run(function: Any) -> bool:
    """Return whether a function gives the same result in every process, and only that."""
    return _is_pure(function, {})


def pure_functions(function: Any) -> list[types.FunctionType]:
    """Return a function that may run and those of the user's that it may call; none for others."""
    seen: dict[int, Any] = {}
    pure = _is_pure(function, seen)
    return [each for each in seen.values() if isinstance(each, types.FunctionType) and pure]


def is_plain(value: Any) -> bool:
    """Return whether a value is made of numbers, texts and containers of them alone.

    Its type is one of Python's or NumPy's own, so that operators on it run no code of a user's.
    """
    kind = type(value)
    if kind in _EXACT:
        return True
    if kind in _CONTAINERS or _is_named_tuple(kind):
        return all(map(is_plain, value))
    if kind in _MAPPINGS:
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    if kind is np.ndarray or (isinstance(value, np.generic) and _is_held(kind)):
        return value.dtype.kind in "biufcSUmMV" and not value.dtype.hasobject
    return False


def is_inert(value: Any) -> bool:
    """Return whether an evaluator may use a value for real: no operation on it runs unread code."""
    kind = type(value)
    if kind in _CONTAINERS or _is_named_tuple(kind):
        return all(map(is_inert, value))
    if kind in _MAPPINGS:
        return all(map(is_inert, value)) and all(map(is_inert, value.values()))
    if kind in _VIEWS:
        return all(map(is_inert, list(value)))
    if is_plain(value) or isinstance(value, np.dtype) or value is object:
        return True
    if kind is np.ndarray:
        return all(map(is_inert, value.ravel().tolist()))
    if _is_held(kind) and not kind.__module__.startswith("numpy"):
        return not callable(value)
    return callable(value) and may_run(value)


def is_disguised(value: Any) -> bool:
    """Return whether a value is of a user's subclass of numbers, texts, containers or arrays."""
    shapes = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset, np.ndarray)
    kind = type(value)
    if not isinstance(value, shapes) or isinstance(value, np.generic) or kind is bool:
        return False
    return (
        kind not in shapes and kind not in _MAPPINGS and not _is_held(kind) and not is_inert(value)
    )


def may_call(name: str, values: Iterable[Any]) -> bool:
    """Return whether a library's function, or a method, may be called for real on values."""
    given = list(values)
    if name.startswith("method."):
        word = name.removeprefix("method.")
        allowed = not word.startswith("_") and word not in _UNSAFE_METHODS
    else:
        allowed = is_deterministic(name)
    return allowed and all(map(is_inert, given))


class Opaque:
    """Stands for an object whose operators are unread code; every use of it is refused."""

    __slots__ = ("_held",)

    def __init__(self, held: Any) -> None:
        object.__setattr__(self, "_held", held)

    def _refuse(self, *_values: Any, **_named: Any) -> Any:
        held = object.__getattribute__(self, "_held")
        raise Unsupported(f"the use of an object of {type(held).__name__}, whose code is not read")

    __call__ = __getattr__ = __setattr__ = __delattr__ = __bool__ = __len__ = __iter__ = _refuse
    __next__ = __getitem__ = __setitem__ = __delitem__ = __contains__ = __hash__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __str__ = __repr__ = __format__ = _refuse
    __int__ = __float__ = __complex__ = __index__ = __round__ = __array__ = __enter__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = _refuse
    __rmatmul__ = __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = _refuse
    __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = __lshift__ = __rlshift__ = _refuse
    __rshift__ = __rrshift__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = _refuse
    __rxor__ = __neg__ = __pos__ = __abs__ = __invert__ = __trunc__ = __floor__ = _refuse
    __ceil__ = __copy__ = __deepcopy__ = __reversed__ = __array_ufunc__ = _refuse


def used(value: Any) -> Any:
    """Return a value that exists before the run, or stands for it, as evaluators may use it."""
    return value if is_inert(value) or _is_own(type(value)) else Opaque(value)


def _is_own(kind: type) -> bool:
    """Return whether a class is one of the prover's own, such as that of a symbolic number."""
    module = sys.modules.get(str(kind.__module__))
    own = str(kind.__module__).startswith("dpaudit.formal.")
    return own and getattr(module, kind.__name__, None) is kind


def _is_held(kind: type) -> bool:
    """Return whether a class is one of a library's whose operators are known to compute."""
    module = str(kind.__module__)
    held = vars(sys.modules.get(module, types)).get(kind.__name__)
    return module.partition(".")[0] in _HELD and held is kind


def _is_named_tuple(kind: type) -> bool:
    if kind.__bases__ != (tuple,) or not hasattr(kind, "_fields"):
        return False
    own = ["__new__", "__repr__", "__getnewargs__", "__replace__"]
    return not any(
        callable(v) and n.startswith("__") and n not in own for n, v in vars(kind).items()
    )


def _is_pure(function: Any, seen: dict[int, Any]) -> bool:
    if id(function) in seen:
        return True
    seen[id(function)] = function
    if isinstance(function, functools.partial):
        values = (*function.args, *function.keywords.values())
        return all(is_plain(v) or _is_pure(v, seen) for v in values) and _is_pure(
            function.func, seen
        )
    if isinstance(function, functools._lru_cache_wrapper):
        return _is_pure(function.__wrapped__, seen)
    name = canonical_name(function)
    if name is not None:
        known = is_deterministic(name) and not is_in_place(name)
        return known and not _UNTRUSTED.intersection(name.split("."))
    if isinstance(function, types.FunctionType):
        return _is_pure_code(function, seen)
    return False


def _is_pure_code(function: types.FunctionType, seen: dict[int, Any]) -> bool:
    names = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name, cell in names.items():
        try:
            if is_cell_changed(function, name, cell.cell_contents) or not _is_pure_value(
                cell.cell_contents, function.__code__, seen
            ):
                return False
        except ValueError:  # a cell that is empty
            return False
    parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    if any(is_default_changed(function, name, value) for name, value in defaults.items()):
        return False
    if not all(_is_pure_value(value, function.__code__, seen) for value in defaults.values()):
        return False
    return _scan(function.__code__, function, set(names), seen)


def _scan(
    code: types.CodeType, function: types.FunctionType, outer: set[str], seen: dict[int, Any]
) -> bool:
    missing = object()
    if not is_repeatable_code(code):
        return False
    instructions = list(dis.get_instructions(code))
    for at, instruction in enumerate(instructions):
        operation, name = instruction.opname, instruction.argval
        if operation in _FORBIDDEN or (isinstance(name, str) and name in _UNTRUSTED):
            return False
        if operation in ("STORE_DEREF", "DELETE_DEREF") and name in outer:
            return False
        if operation == "LOAD_GLOBAL":
            builtins: dict[str, Any] = cast(Any, function).__builtins__
            value = function.__globals__.get(name, builtins.get(name, missing))
            if value is missing or is_changed(function.__globals__, name):
                return False
            value = _attribute_of(value, instructions[at + 1 :])
            if not _is_pure_value(value, code, seen):
                return False
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return all(_scan(c, function, outer - set(c.co_varnames), seen) for c in inner)


def _attribute_of(value: Any, after: list[dis.Instruction]) -> Any:
    """Return what a module's name and the attributes read of it stand for."""
    for instruction in after:
        if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            break
        if isinstance(value, types.FunctionType):
            return Opaque(value)  # state that a function carries
        if not isinstance(value, types.ModuleType) and canonical_name(value) is None:
            break
        found = getattr(value, instruction.argval, Opaque(value))
        if isinstance(value, types.ModuleType) and _is_outside(value, instruction.argval, found):
            return Opaque(value)
        value = found
    return value


def _is_outside(module: types.ModuleType, name: str, value: Any) -> bool:
    return module_value(module, name, value) or is_changed(vars(module), name)


def _is_pure_value(value: Any, code: types.CodeType, seen: dict[int, Any]) -> bool:
    if isinstance(value, types.ModuleType | Opaque):
        return False  # kept under another name: what is called of it is not seen
    if is_unordered(value):
        return False
    if is_plain(value):
        return isinstance(value, _PLAIN) or not _mutates(code)
    return _is_pure(value, seen)


def _mutates(code: types.CodeType) -> bool:
    """Return whether a function may change a container, which might be a shared one."""
    changes = any(i.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") for i in dis.get_instructions(code))
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return changes or bool(_MUTATING.intersection(code.co_names)) or any(map(_mutates, inner))
