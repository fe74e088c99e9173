"""What a program means to the computer itself: floats, and the functions of the libraries.

Functions that only compute, such as the calibration of a noise scale, may round: their values are
what the computer makes of them.
"""

from __future__ import annotations

import builtins
import copy
import hashlib
import importlib
import json
import math as math_module
import operator
from ast import literal_eval
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from dpaudit.checker.effort import beyond
from dpaudit.checker.exact.code import called, compiled, method, safe
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.program import Node
from dpaudit.checker.pure import is_ufunc, marked, marks
from dpaudit.checker.written import decoded

STEPS = 200_000  # turns of loops, and calls, of one run
BUILTINS = {
    name: getattr(builtins, name)
    for library, _, name in (each.partition(".") for each in marked("computed"))
    if library == "builtins"
}


class _Unmade(type):
    """A class that is asked for instances of another, and that makes none."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, np.ndarray)


class Array(metaclass=_Unmade):
    """Stands for ``numpy.ndarray``: made by it, an array would hold whatever was in memory."""

    def __new__(cls, *_args: Any, **_named: Any) -> Any:
        """Refuse."""
        raise NotCheckedError("not checked: an array whose entries are not set")


def type_of(value: Any) -> type:
    """Stand in for ``type``, which makes classes too."""
    return Array if type(value) is np.ndarray else type(value)


BUILTINS["type"] = type_of


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """What runs to its end whatever the time, and is called only where that is not long.

    Compared, it is the function or the class itself: ``type(x) == dict`` asks which class it is.
    """

    name: str
    function: Callable[..., Any]

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return what the function returns."""
        much = beyond(self.name, args)
        if much is not None:
            raise NotCheckedError(f"not checked: {much}")
        return self.function(*args, **named)

    def __eq__(self, other: object) -> bool:
        return bool(self.function == itself(other))

    def __hash__(self) -> int:
        return hash(self.function)


def itself(value: Any) -> Any:
    """Return the function or class that `Bounded` stands for, any other value as it is."""
    return value.function if isinstance(value, Bounded) else value


def is_same(one: Any, other: Any) -> bool:
    """Return ``one is other`` where that is told: equal numbers and texts may be one object."""
    one, other = itself(one), itself(other)
    for value in (one, other):
        if value is None or isinstance(value, bool | type | list | dict | set | np.ndarray):
            return one is other
    raise NotCheckedError("not checked: whether two numbers or texts are one object")


def dumped(
    value: Any,
    *,
    sort_keys: bool = False,
    indent: Any = None,
    separators: Any = None,
    ensure_ascii: bool = True,
) -> str:
    """Return ``json.dumps(value)``, without words by which it tells what stands in for a number."""
    return json.dumps(
        value,
        sort_keys=sort_keys,
        indent=indent,
        separators=separators,
        ensure_ascii=ensure_ascii,
    )


def deeply_copied(value: Any) -> Any:
    """Return ``copy.deepcopy(value)`` of numbers, texts, and of lists, dicts and arrays of such."""
    _validate_copied(value)
    return copy.deepcopy(value)


def _validate_copied(value: Any, depth: int = 0) -> None:
    kind = type(value)
    inside: list[Any] = []
    if kind in (list, tuple, set, dict):
        inside = [*value, *(value.values() if kind is dict else ())]
    elif kind is np.ndarray:
        inside = value.ravel().tolist() if value.dtype.hasobject else []
    elif value is not None and not isinstance(value, _SCALARS):
        raise NotCheckedError(f"not checked: a copy of a {kind.__name__}")
    if inside and depth > _DEEPEST_COPY:
        raise NotCheckedError("not checked: a copy of what is nested deeply")
    for each in inside:
        _validate_copied(each, depth + 1)


_OWN: dict[str, Callable[..., Any]] = {
    "copy.deepcopy": deeply_copied,
    "json.dumps": dumped,
    "operator.is_": is_same,
    "operator.is_not": lambda one, other: not is_same(one, other),
}
_DIGESTS = ("blake2b", "blake2s", "md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_DEEPEST_COPY = 20
_SCALARS = (bool, int, float, str, np.generic, Fraction, Number)
_DEEPEST = 2  # `int.from_bytes`
_HASHES = frozenset({"hashlib", "_hashlib", "_blake2"})
_LONG_WORDS = """
builtins.all builtins.any builtins.dict builtins.frozenset builtins.list builtins.max builtins.min
builtins.pow builtins.set builtins.sorted builtins.sum builtins.tuple math.comb math.factorial
math.perm operator.lshift operator.mul operator.pow
"""
_LONG = frozenset(_LONG_WORDS.split())


def named(
    name: str, own: dict[str, Any], numpy: Any = np, math: Any = math_module
) -> Callable[..., Any]:
    """Return what a canonical name stands for.

    Parameters
    ----------
    name : str
    own : dict of str to callable
        What stands for names otherwise than here.
    numpy, math : object, optional
        What stands for these modules.

    Raises
    ------
    NotCheckedError
        Where it is not known to be a function of its arguments alone.
    """
    root, _, word = name.partition(".")
    if name in own:
        return Bounded(name, own[name]) if name in _LONG else own[name]
    if root == "method":
        return method(word)
    if root == "attribute":
        return operator.attrgetter(safe(word))
    if name in _OWN:
        return _OWN[name]
    if name == "numpy.ndarray":
        return Array
    if name == "operator.call":
        return called
    parts = word.split(".")
    found: Any = None
    if root == "builtins" and parts[0] in BUILTINS and len(parts) <= _DEEPEST:
        found = own.get(f"builtins.{parts[0]}", BUILTINS[parts[0]])
        found = reduce(getattr, map(safe, parts[1:]), found)
    elif root in _HASHES and (digest := word.removeprefix("openssl_")) in _DIGESTS:
        found = getattr(hashlib, digest)
    elif is_plain(name):
        module = {"numpy": numpy, "math": math}.get(root) or importlib.import_module(root)
        found = reduce(getattr, parts, module)
    if found is None:
        raise NotCheckedError(f"not checked: a call of {name:.80}")
    if not callable(found):
        return lambda: found
    return Bounded(name, found) if name in _LONG else found


def is_plain(name: str) -> bool:
    """Return whether a canonical name is of a listed function of its arguments alone."""
    of_math = name.startswith("math.") and name.count(".") == 1 and "._" not in name
    plain = "computed" in marks(name) or is_ufunc(name, methods=False)
    return plain or (of_math and hasattr(math_module, name.removeprefix("math.")))


class Opaque:
    """An object of the user's that the program passes around; nothing else is done with it.

    What the program reads of its attributes stands in the program as constants.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise NotCheckedError("not checked: the truth of an object")

    def __eq__(self, other: object) -> bool:
        raise NotCheckedError("not checked: an object that is compared")


def value(written: Any, function: Callable[[str], Any]) -> Any:
    """Return a constant of a program as the value that it is written for.

    Parameters
    ----------
    written : object
        As certificates hold it.
    function : callable
        Gives what a name of a function stands for.
    """
    made: dict[str, Callable[[Any], Any]] = {
        "int": int,
        "float": float.fromhex,
        "fraction": Fraction,
        "tuple": tuple,
        "list": list,
        "dict": dict,
        "set": lambda inside: set(map(_literal, inside)),
        "frozenset": lambda inside: frozenset(map(_literal, inside)),
        "array": lambda inside: _array(inside, function),
        "callable": function,
        "object": lambda _: Opaque(),
    }
    return decoded(written, made)


def _literal(text: Any) -> Any:
    found = literal_eval(str(text))
    if repr(found) != text or not isinstance(found, bool | int | str | tuple | None):
        raise NotCheckedError(f"not checked: a set that holds {text!s:.40}")
    return found


def _array(inside: list[Any], function: Callable[[str], Any]) -> Any:
    """Return an array, whose hash must be that of its values."""
    if len(inside) != 4 or not isinstance(inside[3], list):
        raise NotCheckedError("not checked: an array whose values are not told")
    kind, shape, digest, listed = inside
    found = np.array([value(item, function) for item in listed], dtype=kind).reshape(shape)
    if found.dtype.hasobject or hashlib.sha256(found.tobytes()).hexdigest() != digest:
        raise RejectedError("an array of the program has other values than its hash")
    return found


class Plain:
    """Runs functions of a program that draw nothing, as the computer runs them."""

    raises = False
    turn = None

    def __init__(self) -> None:
        self._steps = 0

    def run(self, function: Node, every: list[Node], *args: Any, **named: Any) -> Any:
        """Return the value of a function.

        Parameters
        ----------
        function : dict
        every : list of dict
            All functions of the program, in order.
        *args, **named
            Python's numbers and texts.
        """
        self._steps = 0
        return compiled(function, self, every)(*args, **named)

    def constant(self, node: Node) -> Any:
        """Return the value of a constant."""
        return value(node["value"], self.function)

    def function(self, name: str) -> Callable[..., Any]:
        """Return what a canonical name stands for."""
        return named(name, {})

    def generator(self, origin: str, seed: Any, library: str | None) -> Any:
        """Refuse to draw."""
        raise NotCheckedError("not checked: a draw in what only computes")

    def draw(self, generator: Any, family: str, **arguments: Any) -> Any:
        """Refuse to draw."""
        raise NotCheckedError("not checked: a draw in what only computes")

    def called(self, function: Callable[..., Any], node: Node) -> Callable[..., Any]:
        """Return the function itself."""
        return function

    def step(self) -> None:
        """Count a turn of a loop, or a call."""
        self._steps += 1
        if self._steps > STEPS:
            raise NotCheckedError(f"not checked: a run of more than {STEPS:,} turns of loops")
