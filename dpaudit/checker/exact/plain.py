"""What a program means to the computer itself: floats, and the functions of the libraries.

Functions that only compute, such as the calibration of a noise scale, may round: their values are
what the computer makes of them.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import math as math_module
import operator
from ast import literal_eval
from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np

from dpaudit.checker.effort import beyond
from dpaudit.checker.exact.code import called, compiled, method, safe
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.program import Node

STEPS = 200_000  # turns of loops, and calls, of one run
_BUILTIN_WORDS = """
abs all any bin bool bytes chr complex dict divmod enumerate filter float format frozenset int
isinstance iter len list map max min next object ord pow range repr reversed round set slice sorted
str sum tuple type zip
"""
BUILTINS = {name: getattr(builtins, name) for name in _BUILTIN_WORDS.split()}


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


def is_same(one: Any, other: Any) -> bool:
    """Return ``one is other`` where that is told: equal numbers and texts may be one object."""
    for value in (one, other):
        if value is None or isinstance(value, bool | type | list | dict | set | np.ndarray):
            return one is other
    raise NotCheckedError("not checked: whether two numbers or texts are one object")


_IDENTITIES = {
    "operator.is_": is_same,
    "operator.is_not": lambda one, other: not is_same(one, other),
}
_DIGESTS = ("blake2b", "blake2s", "md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_DEEPEST = 2  # `int.from_bytes`
_HASHES = frozenset({"hashlib", "_hashlib", "_blake2"})
_NUMPY_WORDS = """
all allclose amax amin any append apply_along_axis arange argmax argmin argpartition argsort
argwhere array array_equal array_equiv array_split asarray ascontiguousarray atleast_1d atleast_2d
average bincount bool bool_ broadcast_arrays broadcast_to choose clip column_stack compress
concatenate copy corrcoef count_nonzero cov cumprod cumsum delete diag diagonal diff digitize dot
dstack e ediff1d einsum euler_gamma expand_dims extract eye fix flatnonzero flip fliplr flipud
float32 float64 fmax fmin frombuffer fromiter full full_like geomspace gradient histogram hsplit
hstack identity in1d indices inf inner insert int16 int32 int64 int8 interp intersect1d isclose
isin iscomplexobj isrealobj isscalar ix_ kron lexsort linspace logspace mask_indices matmul max mean
median meshgrid min moveaxis nan nan_to_num nanargmax nanargmin nanmax nanmean nanmedian nanmin
nanpercentile nanprod nanquantile nanstd nansum nanvar ndim newaxis nonzero ones ones_like outer pad
partition percentile pi piecewise place polyval prod ptp put quantile ravel ravel_multi_index
repeat reshape resize roll rollaxis rot90 round searchsorted select setdiff1d setxor1d shape size
sort split squeeze stack std str_ sum swapaxes take take_along_axis tensordot tile trace transpose
trapezoid tri tril triu trim_zeros uint16 uint32 uint64 uint8 union1d unique unpackbits packbits
unravel_index unwrap var vdot vsplit vstack where zeros zeros_like linalg.norm linalg.det linalg.inv
linalg.solve add.reduce add.accumulate add.outer add.at multiply.reduce maximum.reduce
maximum.accumulate minimum.reduce minimum.accumulate logical_or.reduce logical_and.reduce
"""
_WORDS = {  # of each module, the functions and numbers that depend on their arguments alone
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "collections": "Counter OrderedDict defaultdict deque Counter.elements Counter.most_common",
    "fractions": "Fraction",
    "functools": "partial reduce",
    "itertools": """accumulate chain chain.from_iterable combinations combinations_with_replacement
        compress count cycle dropwhile filterfalse groupby islice pairwise permutations product
        repeat starmap takewhile zip_longest""",
    "math": " ".join(name for name in dir(math_module) if not name.startswith("_")),
    "numbers": "Integral Number Rational Real",
    "numpy": _NUMPY_WORDS,
    "operator": """abs add and_ concat contains countOf eq floordiv ge getitem gt iadd iand iconcat
        ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not
        isub itemgetter itruediv ixor le lshift lt matmul mod mul ne neg not_ or_ pos pow
        rshift setitem delitem sub truediv truth xor""",
}
_ALLOWED = {module: frozenset(words.split()) for module, words in _WORDS.items()}
_LONG_WORDS = """
builtins.all builtins.any builtins.dict builtins.frozenset builtins.list builtins.max builtins.min
builtins.pow builtins.set builtins.sorted builtins.sum builtins.tuple math.comb math.factorial
math.perm operator.lshift operator.mul operator.pow
"""
_LONG = frozenset(_LONG_WORDS.split())
_LISTED = (
    "iterable.listed",
    "series.listed",
)  # names of lowering, for the items of what is counted


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
        return partial(_bounded, name, own[name]) if name in _LONG else own[name]
    if root == "method":
        return method(word)
    if root == "attribute":
        return operator.attrgetter(safe(word))
    if name in _IDENTITIES:
        return _IDENTITIES[name]
    if name in _LISTED:
        return list
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
        raise NotCheckedError(f"not checked: {name:.80}")
    if not callable(found):
        return lambda: found
    return partial(_bounded, name, found) if name in _LONG else found


def is_plain(name: str) -> bool:
    """Return whether a canonical name is of a listed function of its arguments alone."""
    root, _, word = name.partition(".")
    if root == "builtins":
        return word in BUILTINS
    return word in _ALLOWED.get(root, ()) or (root == "numpy" and _is_elementwise(word))


def _is_elementwise(word: str) -> bool:
    """Return whether a name of NumPy is of a function that is applied to each entry."""
    return word.isidentifier() and isinstance(getattr(np, word, None), np.ufunc)


def _bounded(name: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call what runs to its end whatever the time, where that is not long."""
    much = beyond(name, args)
    if much is not None:
        raise NotCheckedError(f"not checked: {much}")
    return function(*args, **named)


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
    if written is None or isinstance(written, bool | str):
        return written
    if isinstance(written, dict) and len(written) == 1:
        ((kind, inside),) = written.items()
        match kind:
            case "int" if isinstance(inside, str):
                return int(inside)
            case "float" if isinstance(inside, str):
                return float.fromhex(inside)
            case "fraction" if isinstance(inside, str):
                return Fraction(inside)
            case "tuple" if isinstance(inside, list):
                return tuple(value(item, function) for item in inside)
            case "list" if isinstance(inside, list):
                return [value(item, function) for item in inside]
            case "dict" if isinstance(inside, list):
                return {value(k, function): value(v, function) for k, v in inside}
            case "set" if isinstance(inside, list):
                return set(map(_literal, inside))
            case "frozenset" if isinstance(inside, list):
                return frozenset(map(_literal, inside))
            case "array" if isinstance(inside, list):
                return _array(inside, function)
            case "callable" if isinstance(inside, str):
                return function(inside)
            case "object" if isinstance(inside, str):
                return Opaque()
    raise NotCheckedError(f"not checked: the constant {str(written)!r:.60}")


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

    def generator(self, origin: str, seed: Any) -> Any:
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
