"""Conversions that would take a number's noise away: ``float``, ``int`` and ``numpy.array``.

Python makes a plain number of whatever ``float(x)`` gets, and NumPy a plain array of a list, so
that ``total + float(rng.laplace())`` would forget its noise. While a mechanism is traced, the names
``float`` and ``int`` of the user's own modules mean types that keep it, and ``numpy.array`` and
``numpy.asarray`` look for it in lists. Of anything else they make what they always do. Arrays of
zeros and the like know the noise that is assigned to their entries.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from dpaudit.trace.arrays import (
    TracedArray,
    blank,
    entries_of,
    is_traced,
    parts_of,
    rebuilt,
    tape_of,
)
from dpaudit.trace.draws import is_users, is_users_file
from dpaudit.trace.scalars import wrapped

MOST_ENTRIES = 2_000  # of a list that are looked at
_BLANKS = ("empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like")
MOST_MODULES = 50  # of the user's in which conversions are replaced


class _Keeping(type):
    """A metaclass of types that stand for `float` or `int`, and make what these make."""

    real: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and is_traced(args[0]):
            return _kept(cls.real, args[0])
        return cls.real(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.real)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.real

    def __hash__(cls) -> int:
        return hash(cls.real)

    def __repr__(cls) -> str:
        return repr(cls.real)


class _Float(float, metaclass=_Keeping):
    real: Any = float
    dtype = np.dtype(float)  # what NumPy takes it for


class _Int(int, metaclass=_Keeping):
    real: Any = int
    dtype = np.dtype(int)


for _ours in (_Float, _Int):
    _ours.__name__ = _ours.__qualname__ = _ours.real.__name__
    _ours.__module__ = "builtins"


def _kept(real: Any, given: Any) -> Any:
    """Return a converted number with the noise of what it is converted from."""
    if np.size(given) != 1 or (real is int and not _whole(given)):
        return real(given)
    cells, coefficients = (np.ravel(part)[0] for part in parts_of(given))
    value = real(given._dpaudit_plain())
    given._used = True
    return wrapped(value, given._tape, int(cells), float(coefficients), given._line)


def _whole(given: Any) -> bool:
    return bool(np.asarray(given._dpaudit_plain()).dtype.kind in "iu")


def _making(real: Callable[..., Any], kept: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a function that makes arrays for the user's code as another does.

    Parameters
    ----------
    real : callable
    kept : callable
        Returns what the user is given, of the first argument and of the array that was made.
    """

    def array(*args: Any, **kwargs: Any) -> Any:
        made = real(*args, **kwargs)
        if type(made) is not np.ndarray or not is_users(sys._getframe(1).f_code):
            return made
        return kept(args[0] if args else None, made)

    array.__name__ = array.__qualname__ = real.__name__
    array.__doc__ = real.__doc__
    return array


def _copied(given: Any, made: Any) -> Any:
    """Return an array made of traced numbers with their noise."""
    if isinstance(given, np.ndarray):
        return _same(given, made)
    return _refilled(given, made) if type(given) in (list, tuple) and given else made


def _begun(_: Any, made: Any) -> Any:
    """Return an array that is to be filled with noise."""
    return blank(made) if made.dtype.kind == "f" else made


def _same(given: Any, made: Any) -> Any:
    """Return an array with the noise of the one that it was made of."""
    tape = tape_of(given) if type(given) is TracedArray else None
    if tape is None or made.dtype != given.dtype or made.shape != given.shape:
        return made
    given._used = True
    return rebuilt(made, tape, *parts_of(given), given._line)


def _refilled(given: Any, made: Any) -> Any:
    entries = _flat(given, made.ndim) if made.dtype.kind in "fiu" else None
    if entries is None or not any(map(is_traced, entries)):
        return made
    whole = all(_whole(each) for each in entries if is_traced(each))
    if not whole and made.dtype.kind != "f":
        return made
    noisy = [each for each in entries if is_traced(each)]
    parts = [entries_of(each) for each in entries]
    if sum(np.size(cells) for cells, _ in parts) != made.size:
        return made
    cells, coefficients = (
        np.concatenate([np.ravel(part[i]) for part in parts]).reshape(made.shape) for i in (0, 1)
    )
    tape = noisy[0]._tape
    for each in noisy:
        each._used = True
    return rebuilt(made, tape, cells.astype(np.int64), coefficients)


def _flat(given: Any, depth: int) -> list[Any] | None:
    """Return the numbers and arrays in nested lists, in order; None where there are many."""
    if len(given) > MOST_ENTRIES:
        return None
    if not any(type(each) in (list, tuple) for each in given):
        return list(given)
    rows = [_flat(each, depth - 1) for each in given if type(each) in (list, tuple)]
    if depth <= 1 or len(rows) != len(given) or any(row is None for row in rows):
        return None
    return [each for row in rows for each in row or ()]


class Conversions:
    """Where the conversions that a mechanism uses are looked up.

    Parameters
    ----------
    function : callable
        The mechanism.

    Notes
    -----
    They are replaced in its module, and in those of the user's that its names lead to. A mechanism
    that compares types, ``type(x) is float``, does not bear it.
    """

    def __init__(self, function: Any) -> None:
        self._homes = _homes(function)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Let conversions keep the noise."""
        names: list[tuple[dict[str, Any], type]]
        names = [(home, kind) for home in self._homes for kind in (_Float, _Int)
                 if home.setdefault(kind.__name__, kind) is kind]  # fmt: skip
        makers = [(real, _making(real, _copied)) for real in (np.array, np.asarray)]
        makers += [(real, _making(real, _begun)) for real in map(vars(np).__getitem__, _BLANKS)]
        for real, ours in makers:
            setattr(np, real.__name__, ours)
        try:
            yield
        finally:
            for real, ours in makers:
                if vars(np)[real.__name__] is ours:  # else somebody else has replaced it since
                    setattr(np, real.__name__, real)
            for home, kind in names:
                if home.get(kind.__name__) is kind:
                    del home[kind.__name__]


def _homes(function: Any) -> list[dict[str, Any]]:
    """Return the names of a function's module, and of the user's modules that these lead to."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    own = getattr(function, "__globals__", None)
    if own is None:
        own = vars(sys.modules.get(type(function).__module__, object))
    if not is_users_file(str(own.get("__file__", ""))):
        return []
    homes, todo = {id(own): own}, [own]
    while todo and len(homes) < MOST_MODULES:
        for value in list(todo.pop().values()):
            name = value.__name__ if isinstance(value, ModuleType) else _module_of(value)
            module = sys.modules.get(name)
            if module is not None and id(vars(module)) not in homes and _is_users(module):
                homes[id(vars(module))] = vars(module)
                todo.append(vars(module))
    return list(homes.values())


def _module_of(value: Any) -> str:
    name = getattr(value, "__module__", None) if callable(value) else None
    return name if isinstance(name, str) else ""


def _is_users(module: Any) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and is_users_file(file)
