"""Functions of the libraries, applied to numbers that hold noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from types import FunctionType, GeneratorType
from typing import Any

import numpy as np

from dpaudit.checker.effort import beyond
from dpaudit.checker.exact.code import FILE, looked_up
from dpaudit.formal.balls import rational
from dpaudit.formal.lifting.known import is_inert, may_call
from dpaudit.formal.trial.affine import Affine, NotAffine, Variable, made_of
from dpaudit.formal.trial.laws import Gumbel, Maximum, Uniform, log_of_uniform, scaled
from dpaudit.formal.trial.path_choices import Interval, Oracle
from dpaudit.formal.trial.winner import winning

Apply = Callable[[list[Any], dict[str, Any], Oracle], Any]
MOST_RANKED = 5
_TABLES = ("Series", "DataFrame")
_OF_EACH = frozenset({"method.apply", "method.map", "method.transform"})  # of a series or a frame
# Methods that write, and those of the same name that do not.
_WRITES = frozenset({"dump", "memmap", "save", "savetxt", "savez", "savez_compressed", "tofile"})
_KEPT = frozenset({"to_dict", "to_frame", "to_list", "to_numpy", "to_numeric", "to_datetime"})


# What only a call in the run makes: of the arguments of that call it is known what they are.
_MADE: tuple[type, ...] = (
    enumerate,
    filter,
    map,
    reversed,
    zip,
    type(iter([])),
    type(iter(())),
    type(iter(range(0))),
    GeneratorType,
)
_NO_CODE = (Affine, *_MADE)
_VIEWS: tuple[type, ...] = (
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)
_ALONE = frozenset({bool, int, float, str, bytes, type(None)})  # that hold nothing else


def noisy(value: Any) -> bool:
    """Whether a value holds noise somewhere."""
    if type(value) in _ALONE:
        return False
    if isinstance(value, Affine):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(map(noisy, value.ravel()))
    if isinstance(value, (list, tuple, set, frozenset)) or type(value) in _VIEWS:
        return any(map(noisy, value))
    if isinstance(value, dict):
        return any(map(noisy, value.values()))
    return False


def is_own(value: Any) -> bool:
    """Whether a value is a function that the program defines."""
    return isinstance(value, FunctionType) and value.__code__.co_filename == FILE


def is_table(value: Any) -> bool:
    """Return whether a value is a series or a frame of pandas."""
    kind = type(value)
    return kind.__module__.partition(".")[0] == "pandas" and kind.__name__ in _TABLES


def call(name: str, arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    """Apply a function by its canonical name; its arguments may hold noise."""
    given = [*arguments, *keywords.values()]
    if name == "operator.call":
        if not is_own(arguments[0]) and not all(map(is_inert, given)):
            raise NotAffine("a call of code that is not read")
        return arguments[0](*arguments[1:], **keywords)
    if name in _OF_EACH and is_table(arguments[0]) and is_own(arguments[1]):
        return getattr(arguments[0], name.removeprefix("method."))(*arguments[1:], **keywords)
    _validate_known(name, given)
    if not noisy(arguments) and not noisy(keywords):
        if large := beyond(name, arguments):
            raise NotAffine(large)
        return _plain(name)(*arguments, **keywords)
    rule = _RULES.get(name)
    if rule is not None:
        return rule(arguments, keywords, oracle)
    if name.startswith("method."):
        return _method(name.removeprefix("method."), arguments, keywords, oracle)
    function, (first, *others) = _plain(name), given
    if name.startswith("numpy.") and isinstance(first, Affine) and first.terms and not others:
        return made_of(lambda value: float(function(value)), first)
    return _natively(function, arguments, keywords)


def _natively(function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Let Python and NumPy work on objects; what they cannot do is not affine."""
    try:
        result = function(*arguments, **keywords)
    except (TypeError, AttributeError, ValueError) as error:
        raise NotAffine(f"{getattr(function, '__name__', function)}: {error}") from None
    return result


def _validate_known(name: str, values: list[Any]) -> None:
    if name not in _RULES and not _is_known(name):
        raise NotAffine(f"the function {name!r}, which is not known to be deterministic")
    if not all(map(_is_usable, values)):
        raise NotAffine(f"{name} of an object whose code is not read")


_is_known = cache(partial(may_call, values=()))


def _is_usable(value: Any) -> bool:
    """Return whether a value is noise, a function of the program, or one without unread code."""
    if type(value) in _ALONE or isinstance(value, _NO_CODE) or is_own(value):
        return True
    if type(value) in (list, tuple, set, frozenset, *_VIEWS):
        return all(map(_is_usable, value))
    if type(value) is np.ndarray and value.dtype == object:
        return all(map(_is_usable, value.ravel().tolist()))
    if type(value) is dict:
        return all(map(_is_usable, (*value, *value.values())))
    return is_inert(value)


@cache
def _plain(name: str) -> Callable[..., Any]:
    """Return the function of that name, if all that it does is to compute."""
    root, _, last = name.rpartition(".")
    writes = last in _WRITES or (last.startswith("to_") and last not in _KEPT)
    if writes or not _is_known(name):
        raise NotAffine(f"the function {name!r}, which may do more than compute")
    if root == "method":
        attribute = name.removeprefix("method.")

        def method(receiver: Any, *arguments: Any, **keywords: Any) -> Any:
            return getattr(receiver, attribute)(*arguments, **keywords)

        return method
    found = looked_up(name)
    if found is None:
        raise NotAffine(f"the function {name!r}")
    return found  # type: ignore[no-any-return]


def _method(name: str, arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    receiver, *rest = arguments
    if isinstance(receiver, Affine):
        if name == "item":
            return receiver
        raise NotAffine(f"the method {name!r} of a noisy number")
    if name == "round" and isinstance(receiver, np.ndarray):
        return _rounded(arguments, keywords, oracle)
    if name == "astype":
        return _astype(receiver, rest, keywords)
    if name in ("argmax", "argmin", "max", "min", "argsort") and f"numpy.{name}" in _RULES:
        return _RULES[f"numpy.{name}"](arguments, keywords, oracle)
    return _natively(_plain(f"method.{name}"), arguments, keywords)


def _astype(receiver: Any, rest: list[Any], keywords: dict[str, Any]) -> Any:
    if len(rest) != 1 or keywords:
        raise NotAffine("a conversion with these arguments")
    return _converted(receiver, rest[0])


def _converted(values: Any, kind: Any) -> Any:
    """Return noisy numbers as floats, as objects, or cut to whole numbers."""
    array, wanted = np.array(values, dtype=object), np.dtype(kind)
    if wanted in (np.float64, np.dtype(object)):
        return array
    if wanted != np.int64:
        raise NotAffine("noisy numbers as another type")
    flat = [v.whole("trunc") if isinstance(v, Affine) else int(v) for v in array.ravel()]
    whole = np.empty(len(flat), dtype=object)
    whole[:] = flat
    return whole.reshape(array.shape)


def _same(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    del oracle
    if len(arguments) != 1 or keywords:
        raise NotAffine("a conversion with several arguments")
    value = arguments[0]
    return value.item() if isinstance(value, np.ndarray) and value.size == 1 else value


def _int(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    value = _same(arguments, keywords, oracle)
    return value.whole("trunc") if isinstance(value, Affine) else int(value)


def _rounded(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    """Return numbers rounded to so many digits, entry by entry; they stay floats."""
    del oracle
    value, *rest = arguments
    digits = rest[0] if rest else keywords.get("decimals", 0)
    if len(rest) > 1 or set(keywords) - {"decimals"} or type(digits) is not int:
        raise NotAffine("a rounding with these arguments")
    if not isinstance(value, np.ndarray):
        return round(value, digits)
    flat = [round(entry, digits) for entry in value.ravel().tolist()]
    return np.array(flat, dtype=object).reshape(value.shape)


def _array(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    del oracle
    kind = keywords.pop("dtype", arguments[1] if len(arguments) > 1 else float)
    if keywords:
        raise NotAffine("a conversion with these arguments")
    return _converted(arguments[0], kind)


def _exp(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    del oracle
    return _each(lambda value: made_of(math.exp, value), np.exp, arguments, keywords)


def _log(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    def log(value: Affine) -> Affine:
        for variable, factor in list(value.terms.items())[:1]:
            law = variable.law
            if len(value.terms) > 1 or not isinstance(law, Uniform) or not oracle.owns(variable):
                break
            ends = oracle.intervals.get(variable, Interval()).ends(law.low, law.high)
            low, high = sorted(value.constant + factor * end for end in ends)
            if low < 0:
                break
            made = Variable(log_of_uniform(low, high), variable.place, (value,), math.log)
            oracle.use_up([variable], made)
            return Affine(Fraction(0), {made: Fraction(1)})
        raise NotAffine("a logarithm of noise")

    return _each(log, np.log, arguments, keywords)


def _log1p(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    return _log([1 + arguments[0], *arguments[1:]], keywords, oracle)


def _copysign(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    del keywords, oracle
    size, sign = arguments
    if np.ndim(size) or np.ndim(sign):
        raise NotAffine("signs of several numbers")
    return abs(size) if sign >= 0 else -abs(size)  # noise is -0.0 with probability 0


def _fabs(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    del keywords, oracle
    return abs(arguments[0])


def _each(
    noisy_one: Callable[[Affine], Affine],
    plain: Callable[[Any], Any],
    arguments: list[Any],
    keywords: dict[str, Any],
) -> Any:
    """Apply a function to a number, or to each number of an array."""
    if len(arguments) != 1 or keywords:
        raise NotAffine("a function with these arguments")
    array = np.asarray(arguments[0], dtype=object)
    found = np.empty(array.size, dtype=object)
    found[:] = [noisy_one(v) if isinstance(v, Affine) else plain(v) for v in array.ravel()]
    return found.reshape(array.shape)[()]


def _norm(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    """Return the Euclidean norm of all numbers."""
    del oracle
    if len(arguments) != 1 or keywords:
        raise NotAffine("a norm with these arguments")
    zero = Affine(Fraction(0), {})
    entries = [zero + v for v in np.ravel(arguments[0])]
    return made_of(math.hypot, *entries)


def _singles(values: Any, oracle: Oracle) -> list[tuple[Fraction, Variable, Fraction]] | None:
    """Return (constant, variable, factor) of entries with a noise each of their own.

    None where they share noise, have several, or noise of which something was decided before.
    """
    found = []
    for entry in np.ravel(values):
        if not isinstance(entry, Affine) or len(entry.terms) != 1:
            return None
        ((variable, factor),) = entry.terms.items()
        if variable.made or variable in oracle.owners:
            return None
        found.append((entry.constant, variable, factor))
    return found if len({variable for _, variable, _ in found}) == len(found) else None


def _consume(
    entries: list[tuple[Fraction, Variable, Fraction]],
    oracle: Oracle,
    owner: Variable | None = None,
) -> None:
    variables = [variable for _, variable, _ in entries]
    oracle.use_up(variables, owner)
    oracle.consumed.update(variables)


def _vector(arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) != 1 or keywords or np.ndim(arguments[0]) != 1:
        raise NotAffine("a choice among noisy numbers along an axis")
    return arguments[0]


def _argmax(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle, sign: int = 1) -> int:
    values = _vector(arguments, keywords)
    entries = _singles(sign * np.asarray(values, dtype=object), oracle)
    if entries is None:
        return _first_of_largest(list(values), sign)
    places = [c for c, _, _ in entries]
    laws = [scaled(v.law, f) for _, v, f in entries]
    winner = oracle.choose(winning(places, laws))
    _consume(entries, oracle)
    oracle.forced.update((v, 0.0) for _, v, _ in entries)
    _, variable, factor = entries[winner]
    lead = max(places) - places[winner] + 3 * abs(factor) * _scale_of(variable)
    oracle.forced[variable] = float(lead / factor)
    return winner


def _first_of_largest(values: list[Any], sign: int) -> int:
    best = 0
    for at, value in enumerate(values):
        if sign * (value - values[best]) > 0:
            best = at
    return best


def _scale_of(variable: Variable) -> Fraction:
    return Fraction(getattr(variable.law, "scale", 1))


def _argmin(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> int:
    return _argmax(arguments, keywords, oracle, -1)


def _argsort(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    """Return the increasing order of numbers with mirrored Gumbel noise: peeled from the top."""
    entries = _singles(-np.asarray(_vector(arguments, keywords), dtype=object), oracle) or []
    laws = {scaled(v.law, f) for _, v, f in entries}
    law = next(iter(laws), None)
    if len(laws) > 1 or not isinstance(law, Gumbel) or law.mirrored or len(entries) > MOST_RANKED:
        raise NotAffine("an order of numbers whose noise is not all Gumbel")
    _consume(entries, oracle)
    left, order = list(range(len(entries))), []
    while left:
        weights = [rational(entries[i][0] / law.scale).exp() for i in left]
        total = sum(weights[1:], weights[0])
        order.append(left.pop(oracle.choose([weight / total for weight in weights])))
    top = max(c for c, _, _ in entries)
    for rank, i in enumerate(order):
        constant, variable, factor = entries[i]
        lead = top - constant + (len(order) - rank) * abs(factor) * _scale_of(variable)
        oracle.forced[variable] = float(lead / factor)
    return np.array(order)


def _max(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle, sign: int = 1) -> Any:
    values = _vector(arguments, keywords)
    entries = _singles(sign * np.asarray(values, dtype=object), oracle)
    if entries is None:
        return values[_first_of_largest(list(values), sign)]
    law = Maximum(tuple((c, scaled(v.law, f)) for c, v, f in entries))
    made = tuple(Affine(c, {v: f}) for c, v, f in entries)
    variable = Variable(law, entries[0][1].place, made, max)
    _consume(entries, oracle, variable)
    return Affine(Fraction(0), {variable: Fraction(sign)})


def _min(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    return _max(arguments, keywords, oracle, -1)


def _searchsorted(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    del oracle
    sorted_, value, *rest = arguments
    side = rest[0] if rest else keywords.get("side", "left")
    if noisy(sorted_) or set(keywords) - {"side"}:
        raise NotAffine("a search among noisy numbers")

    def place(v: Any) -> int:
        for i, entry in enumerate(sorted_):
            if (v < entry) if side == "right" else (v <= entry):
                return i
        return len(sorted_)

    if isinstance(value, Affine):
        return place(value)
    return np.array([place(v) for v in value])


def _length(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> int:
    del oracle, keywords
    return len(arguments[0])


def _isnan(arguments: list[Any], keywords: dict[str, Any], oracle: Oracle) -> Any:
    del arguments, keywords, oracle
    raise NotAffine("a test of noise for NaN")


_RULES: dict[str, Apply] = {
    "builtins.float": _same,
    "numpy.float64": _same,
    "builtins.int": _int,
    "builtins.len": _length,
    "builtins.bool": _isnan,
    "builtins.str": _isnan,
    "builtins.repr": _isnan,
    "builtins.format": _isnan,
    "builtins.hash": _isnan,
    "builtins.id": _isnan,
    "builtins.isinstance": _isnan,
    "builtins.type": _isnan,
    "numpy.array": _array,
    "numpy.asarray": _array,
    "numpy.round": _rounded,
    "numpy.argmax": _argmax,
    "numpy.argmin": _argmin,
    "numpy.argsort": _argsort,
    "math.copysign": _copysign,
    "math.exp": _exp,
    "math.log": _log,
    "math.log1p": _log1p,
    "math.fabs": _fabs,
    "numpy.copysign": _copysign,
    "numpy.exp": _exp,
    "numpy.linalg.norm": _norm,
    "numpy.log": _log,
    "numpy.log1p": _log1p,
    "numpy.max": _max,
    "numpy.min": _min,
    "numpy.isnan": _isnan,
    "numpy.searchsorted": _searchsorted,
    "method.searchsorted": _searchsorted,
}
