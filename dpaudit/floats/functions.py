"""What functions of libraries do to the values of the float analysis, by their names."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np

from dpaudit.floats import arithmetic
from dpaudit.floats.data import typed
from dpaudit.floats.ledger import Ledger
from dpaudit.floats.values import (
    DOUBLE,
    EXACT,
    FRESH,
    INF,
    LARGEST,
    TINY,
    Many,
    Matrix,
    Noise,
    Num,
    Refused,
    Rows,
    Table,
    Thing,
    Unknown,
    across,
    beyond,
    flat,
    hull,
    is_private,
    leaves,
    point,
    privately,
    renewed,
    rounded,
    some_of,
    truth,
    unrelated,
    without_norms,
)

SAME = frozenset(
    ["array", "asarray", "ascontiguousarray", "ravel", "reshape", "flatten", "copy", "sort",
     "sorted", "list", "tuple", "to_numpy", "squeeze", "transpose", "head",
     "tail", "dropna", "unique", "tolist", "item", "values", "reversed", "iter", "set",
     "flatnonzero", "nonzero", "triu", "tril", "atleast_1d", "atleast_2d", "atleast_3d", "view",
     "to_list", "listed", "collect", "fill_null", "drop_nulls",
     "get_column", "column", "next", "frozenset", "deepcopy", "items", "asfarray",
     "expand_dims", "to_dict", "to_records", "sort_index", "Series", "reset_index",
     "drop_duplicates", "Categorical"]
)  # fmt: skip
FEWER = frozenset(  # of SAME, those that may leave some out
    ["head", "tail", "dropna", "unique", "set", "drop_nulls", "frozenset", "drop_duplicates"]
)
MOVED = frozenset(  # entries that are the same, at other places
    ["roll", "flip", "fliplr", "flipud", "rot90", "swapaxes", "moveaxis", "diag", "diagflat",
     "diagonal", "take"]
)  # fmt: skip
REPEATED = frozenset(["repeat", "tile", "broadcast_to"])
TRUTHS = frozenset(
    ["isnan", "isfinite", "isinf", "isna", "isnull", "notna", "notnull", "any", "all", "isin",
     "logical_and", "logical_or", "logical_not", "logical_xor", "not_", "is_", "is_not",
     "contains", "isinstance", "hasattr", "callable", "is_integer", "is_nan", "is_null",
     "is_in", "is_between", "between", "duplicated", "startswith", "endswith", "truth"]
)  # fmt: skip
_OF_INFINITIES = frozenset(  # what tells of numbers whether they are NaN, or infinite
    ["isnan", "isfinite", "isinf", "isposinf", "isneginf", "isna", "isnull", "notna", "notnull",
     "is_nan", "is_not_nan", "is_finite", "is_infinite", "is_null", "is_not_null", "is_integer",
     "dropna", "drop_nans", "count"]
)  # fmt: skip
_OF_TYPES = frozenset(["builtins.isinstance", "numpy.isscalar"])
COUNTS = frozenset(
    ["len", "size", "count", "count_nonzero", "value_counts", "nunique",
     "searchsorted", "argsort", "histogram", "histogram2d", "histogramdd", "bisect", "bisect_left",
     "bisect_right", "ndim", "bit_length", "bit_count", "digitize", "index", "cumcount",
     "n_unique", "height"]
)  # fmt: skip
ENTRYWISE = frozenset(
    ["max", "min", "nanmax", "nanmin", "amax", "amin", "median", "nanmedian", "quantile",
     "percentile"]
)  # fmt: skip
SUMS = frozenset(
    ["sum", "nansum", "cumsum", "fsum", "matmul", "dot", "inner", "vdot", "prefix_sum", "trace",
     "tensordot", "convolve"]
)  # fmt: skip
_SEVERAL = ("histogram2d", "histogramdd")
_INDEXED = frozenset(["histogram", *_SEVERAL])
_PRODUCTS = frozenset(["matmul", "dot", "inner", "vdot", "tensordot", "convolve"])
# Functions of NumPy, and methods of pandas, by the operators that they are.
_SPELLED = {"subtract": "sub", "multiply": "mul", "divide": "truediv", "power": "pow"}
_ORDERS = {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
_SPELLED |= {"negative": "neg", "equal": "eq", "not_equal": "ne"} | _ORDERS
COMPARISONS = frozenset({"eq", "ne", *_ORDERS.values()})
_SUMMED = frozenset(
    ["add", "sub", "neg", "pos", "int", "float", "float64", "array", "asarray", "list", "tuple",
     "reshape", "ravel", "flatten", "squeeze", "copy", "tolist", "item",
     "triu", "tril", "transpose"]
)  # fmt: skip
IN_PLACE = frozenset("i" + n for n in ("add", "sub", "mul", "truediv", "floordiv", "mod"))
_SCALED = frozenset(["mul", "truediv"])
_LIBRARIES = tuple(
    f"{name}." for name in ("operator", "numpy", "builtins", "method", "math", "fractions",
                            "statistics", "pandas")
)  # fmt: skip
_TEXTS = frozenset(
    ["encode", "digest", "blake2b", "str", "hexdigest", "frombuffer", "from_bytes", "join",
     "format", "text", "repr", "upper", "lower", "strip", "replace", "split", "print", "warn",
     "md5", "sha1", "sha256", "sha512", "bytes", "ord", "hash", "bin", "hex", "oct", "chr",
     "zfill", "ljust", "rjust", "lstrip", "rstrip", "to_csv", "to_html", "to_json", "to_markdown",
     "to_string"]
)  # fmt: skip
_CASTS = {name: name for name in ("float32", "float16", "int8", "int16", "int32")}
_CASTS |= {"single": "float32", "half": "float16"}
_OF_ONE: dict[str, Callable[[Num], Num]] = {
    "neg": arithmetic.negative,
    **dict.fromkeys(("abs", "absolute", "fabs"), arithmetic.absolute),
    "exp": arithmetic.exponential,
    "expm1": lambda a: beyond(
        arithmetic.monotone(a, math.expm1, math.exp(min(a.high, 709.0)) * 1.01)
    ),
    "sqrt": arithmetic.root,
    "tanh": lambda a: arithmetic.monotone(a, math.tanh, 1.0),
    **dict.fromkeys(("arctan", "atan"), lambda a: arithmetic.monotone(a, math.atan, 1.0)),
    **dict.fromkeys(("arcsinh", "asinh"), lambda a: arithmetic.monotone(a, math.asinh, 1.0)),
    **dict.fromkeys(("sin", "cos"), lambda a: arithmetic.wave(a)),
}

# Python raises where a float that these are given is infinite, or what these come to would be.
_OF_FINITE = frozenset(
    ["builtins.int", "builtins.round", "fractions.Fraction"]
    + [f"math.{name}" for name in ("floor", "ceil", "trunc", "fsum", "sin", "cos")]
)
_TO_FINITE = frozenset(
    ["operator.pow", "operator.ipow"] + [f"math.{name}" for name in ("pow", "fsum", "exp", "expm1")]
)
_SURELY_FINITE = 2.0**1000
_NAN_OF_INFINITIES = frozenset(
    [f"operator.{i}{name}" for i in ("", "i") for name in ("add", "sub", "truediv", "mod")]
)
_MOST_COUNTS = 2.0**11  # of a histogram, or of what is counted by an index
_MOST_LABELS = 2.0**10  # of a series that is asked for known labels


_OF_THE_GREATEST = frozenset(  # of which zero, or 1 for the sums of powers, stays what it is
    ["add", "iadd", "sub", "isub", "mul", "imul", "truediv", "itruediv", "exp", "sum", "fsum",
     "float"]
)  # fmt: skip
_OF_NORMS = frozenset(  # which leave a norm no less, and what is divided by one no more
    ["norm", "square", "mul", "sum", "dot", "matmul", "sqrt", "pow", "hypot", "add", "iadd",
     "truediv", "itruediv", "max", "min", "maximum", "minimum", "fmax", "fmin", "float", "float64",
     "item", "array", "asarray", "reshape", "expand_dims"]
)  # fmt: skip
_OF_ALL = frozenset(  # which leave out no entry of an array
    [
        "array",
        "asarray",
        "ravel",
        "reshape",
        "flatten",
        "copy",
        "list",
        "tuple",
        "tolist",
        "cumsum",
        "diff",
    ]
)


def numbers(values: list[Any], place: str) -> list[Num]:
    """Return what each argument holds as one number.

    Raises
    ------
    Refused
        Where nothing is known of one.
    """
    found = []
    for value in values:
        number = flat(value)
        if isinstance(number, Unknown):
            raise Refused(number.why, place)
        if number is not None:
            found.append(number)
    return found


def _one(values: list[Any], place: str) -> Num:
    """Return what the first argument holds as one number."""
    found = numbers(values[:1], place)
    if not found:
        raise Refused("a value that the float analysis does not know for a number", place)
    return found[0]


class Functions:
    """Applies functions by name.

    Parameters
    ----------
    ledger : Ledger
    strict : bool
        Whether noise may be used without being paid for as a release.
    records : float
        N.
    sized : bool
        Whether all datasets have as many records.
    depth : int
        In how many loops a function is called.
    """

    def __init__(self, ledger: Ledger, strict: bool, records: float, sized: bool) -> None:
        self.ledger, self.strict, self.records, self.sized = ledger, strict, records, sized
        self.depth = 0

    @contextmanager
    def each(self) -> Iterator[None]:
        """Go through a loop, where each record may have a path of its own.

        Elsewhere a proof by cost has one path for both runs, and no rounding changes a type.
        """
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def apply(self, name: str, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        """Return what a function returns; `Unknown` where the analysis does not know it."""
        for value in (*args, *keywords.values()):
            if isinstance(value, Unknown):
                return value
        short = "mask" if name == "method.where" else name.rsplit(".", 1)[-1]
        short = _SPELLED.get(short, short)
        given = [*args, *keywords.values()]
        fresh = any(self.ledger.is_fresh(number) for value in given for number in leaves(value))
        alone = any(n.noise is not None and n.noise.role == FRESH for v in given for n in leaves(v))
        decided = alone and (short in COMPARISONS or short == "searchsorted")  # charged, so public
        one_path = not self.strict and name in _OF_TYPES and self.depth == 0
        private = is_private(*given) and not decided and not one_path
        made = None
        if short in ("outer", "kron"):
            made = partial(self._crossed, name)
        elif name.startswith(_LIBRARIES):
            made = getattr(self, "_" + short.rstrip("_"), None)
        if fresh and not self._keeps_noise(short, given):
            for value in given:
                self.ledger.show(value)
            fresh = self.strict
        if made is not None:
            found = made(args, keywords, place)
        else:
            found = self._by_family(short, name, args, keywords, place)
        if private:
            self._validate_finite(name, given, found, place)
        if private and self.sized and short in ("len", "size", "height"):
            counted = [number for value in given for number in leaves(value)]
            private = any(number.size != number.fewest for number in counted)
        if isinstance(found, Num) and short not in _OF_THE_GREATEST:
            found = unrelated(found, all_entries=short in _OF_ALL)
        if isinstance(found, Num) and short not in _OF_NORMS:
            found = without_norms(found)
        if isinstance(found, Num):
            found = replace(found, span=span_of(short, args, keywords))
            alone = short == "sum" and found.scalar and len(args) == 1 and not keywords
            entries = args[0] if alone else None
            whole = entries if isinstance(entries, Num) and entries.low >= 0 else None
            if whole is not found.sum_of:
                found = replace(found, sum_of=whole)
        if fresh:
            return found
        found = privately(found, private)
        if short == "histogram" and isinstance(found, Many) and _are_fixed(args, keywords):
            found.items[1] = privately(found.items[1], private=False)
        return found

    def _validate_finite(self, name: str, given: list[Any], found: Any, place: str) -> None:
        """Refuse what may raise an exception for private data, whether or not it is used."""
        values = [*given] * (name in _OF_FINITE) + [found] * (name in _TO_FINITE)
        if any(_is_beyond(n) for value in values for n in leaves(value)):
            raise Refused("what a float may be too large for raises an exception", place)
        # A bound of what may be NaN does not make it a number.
        if name in _NAN_OF_INFINITIES and all(isinstance(v, Num) and _is_beyond(v) for v in given):
            raise Refused("what is computed of two numbers beyond the floats may be NaN", place)

    def _keeps_noise(self, short: str, given: list[Any]) -> bool:
        """Return whether a function leaves noise hidden: sums, multiples, other forms of them."""
        short = short[1:] if short in IN_PLACE else short
        if short in ("matmul", "dot"):  # by a constant matrix
            return not is_private(*given)
        if short in ("zeros_like", "ones_like", "empty_like", "full_like", "len", "shape", "size"):
            return True  # of what it is, none is looked at
        if short in _SCALED:
            return sum(isinstance(value, Num) and value.known for value in given) == 1
        return short in _SUMMED or (short == "sum" and isinstance(given[0], Many))

    def _by_family(
        self, short: str, name: str, args: list[Any], keywords: dict[str, Any], place: str
    ) -> Any:
        if short in COMPARISONS and len(args) == 2:
            return self._comparison(short, args, place)
        if short.removeprefix("openssl_") in _TEXTS:
            for value in (*args, *keywords.values()):
                self.ledger.settle(value, place)
            return Thing(("some", None))
        if short == "len" and args and isinstance(args[0], Many):
            return point(len(args[0].items))
        if short == "len" and args and isinstance(args[0], Rows):
            return Num(0.0, args[0].count, whole=True, unit=EXACT)
        if short == "len" and args and isinstance(args[0], Table):
            args = list(args[0].columns.values()) or args
        if short in _CASTS and name.startswith(_LIBRARIES):
            return self._to(args[0], _CASTS[short], place)
        if short in _OF_ONE and name.startswith(_LIBRARIES):
            return _OF_ONE[short](_one(args, place))
        given = numbers(args, place)
        size = sum(max(1.0, number.size) for number in given) or 1.0
        if short in _OF_INFINITIES:
            validate_held(given, place)
        if short in TRUTHS:
            return truth(size, scalar=all(n.scalar for n in given))
        if short in SAME:
            same = self._cast(args[0], keywords, place) if args else Many([])
            return some_of(same) if short in FEWER else same
        if short in MOVED:
            moved = renewed(self._cast(self._as_array(args[0]), keywords, place))
            moved = replace(moved, columns=moved.size) if isinstance(moved, Num) else moved
            return _taken(moved, args, keywords) if short == "take" else moved
        if short in REPEATED:
            return self._repeated(args, keywords)
        if short in COUNTS:
            return self._counted(short, given, size, keywords)
        if short in ENTRYWISE:
            return self._extreme(short, args, given, keywords, place)
        if short in SUMS:
            return self._summed(name, args, keywords, place)
        if short in IN_PLACE:
            return self.apply("operator." + short[1:], args, keywords, place)
        if not self.strict and given and not any(n.private for n in given):
            return Thing(("some", None))  # of what is released
        return Unknown(f"the float analysis has no rule for `{name}`")

    # --- arithmetic

    def _two(self, args: list[Any], place: str) -> tuple[Num, Num]:
        found = numbers(args[:2], place)
        if len(found) < 2:
            raise Refused("arithmetic on what is no number", place)
        return found[0], found[1]

    def _lists(self, args: list[Any]) -> bool:
        return all(isinstance(value, Many) for value in args)

    def _add(self, args: list[Any], keywords: Any, place: str) -> Any:
        if self._lists(args):
            return Many([*args[0].items, *args[1].items])
        if any(isinstance(value, Thing) for value in args):
            if any(isinstance(value, Num) for value in args):
                return Unknown("a sum of a number and of what may be no number")
            return Thing(("some", None))
        a, b = self._two(args, place)
        return arithmetic.add(a, b, self.ledger, place)

    _iadd = _add

    def _sub(self, args: list[Any], keywords: Any, place: str) -> Any:
        a, b = self._two(args, place)
        return arithmetic.subtract(a, b, self.ledger, place)

    _isub = _sub

    def _crossed(self, name: str, args: list[Any], keywords: Any, place: str) -> Any:
        """Return an operation on each entry of one array and each of another."""
        a, b = self._two(args, place)
        word = name.split(".")[-2]
        function = {"add": self._add, "subtract": self._sub}.get(word, self._mul)
        found = function([replace(a), replace(b)], keywords, place)
        return replace(found, size=a.size * b.size, scalar=False, columns=a.columns * b.size)

    def _repeated(self, args: list[Any], keywords: Any) -> Any:
        """Return entries that occur several times."""
        given = numbers(args[:1], "")
        times = _size(args[1]) if len(args) > 1 and not keywords else INF
        if not given or not times < INF:
            return Unknown("entries of which it is not known how often they occur")
        a = given[0]
        size = max(a.size * times, 1.0)
        return replace(a, size=size, scalar=False, fewest=0.0, holds=-INF, columns=size)

    def _mul(self, args: list[Any], keywords: Any, place: str) -> Any:
        if any(isinstance(value, Many) and not value.items for value in args):
            return Many([])
        a, b = self._two(args, place)
        found = arithmetic.multiply(a, b)
        for listed, times in ((args[0], b), (args[1], a)):
            if isinstance(listed, Many) and times.scalar and times.whole and found.noise is None:
                (of,) = numbers([listed], place)  # a list is repeated, an array multiplied
                found = hull(found, of, size=of.size * max(1.0, times.most))
                found = replace(found, scalar=False, fewest=0.0, holds=-INF, sum_of=None)
        return found

    _imul = _mul

    def _truediv(self, args: list[Any], keywords: Any, place: str) -> Any:
        a, b = self._two(args, place)
        if b.scalar and not (b.norm is not None and b.low > 0):  # no float is less, either
            arithmetic.validate_sign(b, place)
        columns = a.size / self.records if a.size > self.records > 1 else 100.0
        if not a.scalar:
            columns = min(columns, a.columns if a.columns > 1 else a.size)
        if b.scalar:  # the norm is one of all entries
            columns = a.size
        return arithmetic.divide(a, b, columns)

    _itruediv = _truediv

    def _floordiv(self, args: list[Any], keywords: Any, place: str) -> Any:
        a, b = self._two(args, place)
        if a.whole and b.whole and a.error == b.error == 0:
            smallest = max(arithmetic.smallest(b), 1.0)  # a zero raises
            if smallest:
                if a.known and b.known and b.low:
                    return point(int(a.low) // int(b.low))
                most = a.most / smallest + 1
                low = 0.0 if a.low >= 0 and b.low > 0 else -most
                return replace(hull(a, b), low=low, high=most)
        return self._floor([self._truediv([a, b], {}, place)], {}, place)

    def _mod(self, args: list[Any], keywords: Any, place: str) -> Any:
        if isinstance(args[0], Thing):
            b = _one(args[1:2], place)
            return Num(0.0, b.high, whole=True, size=2.0**10, scalar=False)
        a, b = self._two(args, place)
        if not (a.whole and b.whole and a.error == b.error == 0):
            return Unknown("the float analysis has no rule for `%` of what is not whole")
        if a.known and b.known and b.low:
            return point(math.fmod(a.low, b.low) % b.low)
        found = hull(a, b)
        noise = None if found.noise is None else Noise(0.0, found.noise.draws, True)
        return replace(found, low=min(b.low, 0.0), high=max(b.high, 0.0), noise=noise)

    def _pos(self, args: list[Any], keywords: Any, place: str) -> Any:
        """Return a number; a factor of exponents, from which lowering took the greatest off."""
        a = _one(args, place)
        if a.low < 0 and not a.private and a.noise is None:
            raise Refused("a factor of exponents that may be negative", place)
        return args[0]

    def _pow(self, args: list[Any], keywords: Any, place: str) -> Any:
        a, b = self._two(args, place)
        if a.known and b.known:
            try:
                value = point(a.low**b.low)
            except (OverflowError, ZeroDivisionError, TypeError):
                return Unknown("a power without a value")
            exact = a.unit == b.unit == 0.0 or value.most <= 2.0**53
            if exact and a.error == b.error == 0 and a.whole and b.low >= 0:
                return replace(value, unit=max(a.unit, b.unit))
            slope = abs(value.low) * (abs(b.low) * a.error / (abs(a.low) or 1.0) + b.error * 50)
            unit = max(a.unit, b.unit, DOUBLE)
            return rounded(replace(value, error=slope, whole=False, unit=unit), times=4.0)
        if b.known and b.error == 0 and b.low == math.floor(b.low) and 1 <= b.low <= 64:
            found = a
            for _ in range(int(b.low) - 1):
                found = arithmetic.multiply(found, a)
            self._validate_held(replace(found, scalar=a.scalar), place)
            if b.low % 2 == 0:
                found = replace(found, low=max(found.low, 0.0))
            if b.low == 2:
                found = replace(found, square=a, rel=2 * a.relative + a.unit)
            return replace(found, scalar=a.scalar)
        if b.known and b.low == 0.5:
            return arithmetic.root(a)
        if a.known and a.low == -1 and b.whole and b.error == 0 and b.noise is None:
            return replace(b, low=-1.0, high=1.0)  # a sign
        if a.known and a.low > 0:
            power = arithmetic.multiply(b, self._log([a], {}, place))
            found = arithmetic.exponential(power)
            if b.whole and a.whole and b.low >= 0 and b.error == a.error == 0:
                found = rounded(replace(found, error=0.0, whole=True))
            return found
        return Unknown("the float analysis has no rule for this power")

    _ipow = _pow

    def _validate_held(self, a: Num, place: str) -> None:
        """Refuse a private number of Python's beyond the floats, which raises an exception."""
        if a.scalar and a.private and a.noise is None and not a.whole and a.most + a.error == INF:
            raise Refused("a private number that may be beyond the floats raises", place)

    def _square(self, args: list[Any], keywords: Any, place: str) -> Any:
        return self._pow([args[0], point(2)], {}, place)

    def _bits(self, args: list[Any], keywords: Any, place: str) -> Any:
        if args and all(isinstance(value, Thing) for value in args):
            return Thing(("some", None))  # of types, ``int | float``
        given = numbers(args, place)
        found = reduce(hull, given)
        most = found.most
        top = 2.0 ** math.ceil(math.log2(most + 1)) if 0 < most < INF else most
        noise = found.noise
        if noise is not None:
            noise = Noise(0.0, noise.draws, noise.discrete)
        if not found.whole:
            return Unknown("bit operations on what is not whole")
        return replace(found, low=0.0 if found.low >= 0 else -top, high=top, noise=noise)

    _and = _or = _xor = _bits

    def _lshift(self, args: list[Any], keywords: Any, place: str) -> Any:
        return self._mul([args[0], self._pow([point(2), args[1]], {}, place)], {}, place)

    def _rshift(self, args: list[Any], keywords: Any, place: str) -> Any:
        (a, b) = self._two(args, place)
        return replace(a, low=min(a.low, 0.0), high=max(a.high, 0.0), scalar=a.scalar and b.scalar)

    # --- functions of a number

    def _log(self, args: list[Any], keywords: Any, place: str) -> Any:
        given = numbers(args, place)
        out = keywords.get("out")
        if out is not None and not (isinstance(out, Num) and out.known and out.high == -INF):
            return Unknown("a logarithm written into another array")
        if given[0].scalar:
            arithmetic.validate_sign(given[0], place)
        found = arithmetic.logarithm(given[0])
        if len(given) == 2:
            return arithmetic.divide(found, arithmetic.logarithm(given[1]))
        return found

    def _log2(self, args: list[Any], keywords: Any, place: str) -> Any:
        a = _one(args, place)
        found = self._log([a, point(2)], {}, place)
        if a.known and a.low > 0 and math.log2(a.low).is_integer():
            return point(math.log2(a.low))
        return found

    def _log1p(self, args: list[Any], keywords: Any, place: str) -> Any:
        a = _one(args, place)
        if a.noise is not None or a.low <= -0.5:
            return self._log([arithmetic.add(a, point(1), self.ledger, place)], {}, place)
        return arithmetic.monotone(a, math.log1p, 2.0)

    def _isqrt(self, args: list[Any], keywords: Any, place: str) -> Any:
        a = _one(args, place)
        high = INF if a.high == INF else math.floor(math.sqrt(max(a.high, 0.0)) + 1)
        if a.known and a.low < 2.0**53:
            return point(math.isqrt(int(a.low)))
        return replace(a, low=0.0, high=float(high))

    def _nextafter(self, args: list[Any], keywords: Any, place: str) -> Any:
        a = _one(args, place)
        return replace(
            a,
            error=a.error + 1e-15 * a.most,
            low=a.low - 1e-15 * a.most,
            high=a.high + 1e-15 * a.most,
        )

    def _sign(self, args: list[Any], keywords: Any, place: str) -> Any:
        a = _one(args, place)
        found = self._comparison("lt", [a, point(0)], place)
        noise = None if a.noise is None else Noise(0.0, a.noise.draws, True)
        return replace(found, low=-1.0, noise=noise)

    def _ceil(self, args: list[Any], keywords: Any, place: str) -> Any:
        return self._floor(args, keywords, place, math.ceil)

    def _floor(
        self, args: list[Any], keywords: Any, place: str,
        function: Callable[[float], int] = math.floor,
    ) -> Any:  # fmt: skip
        a = _one(args, place)
        if a.whole and a.error == 0:
            return a
        if a.noise is not None and not self.ledger.is_bare(a):
            self.ledger.settle(a, place)
            if self.strict and a.error:
                self.ledger.compare(min(a.noise.width, 1.0), a.error, place, a.size)
            width = a.noise.width and max(1.0, a.noise.width)
            noise = Noise(width, a.noise.draws, True, role=a.noise.role)
            return replace(a, low=a.low - 1, high=a.high + 1, error=0.0, whole=True, noise=noise)
        if a.known:
            gap = min(a.low - math.floor(a.low), math.ceil(a.low) - a.low)
            if a.error <= gap * 2.0**-3 or a.error == 0:
                return point(function(a.low))
        self._validate_held(a, place)
        # a float divided by a power of 2 is rounded only where it is nearly 0
        down = function in (math.floor, math.trunc) and a.low >= 0
        error = 0.0 if a.error == 0 or (down and a.error <= TINY) else 1.0 + a.error
        return replace(a, low=a.low - 1, high=a.high + 1, error=error, whole=True)

    def _rint(self, args: list[Any], keywords: Any, place: str) -> Any:
        return self._floor(args, keywords, place, round)

    def _trunc(self, args: list[Any], keywords: Any, place: str) -> Any:
        return self._floor(args, keywords, place, math.trunc)

    def _round(self, args: list[Any], keywords: Any, place: str) -> Any:
        if len(args) > 1 or keywords:
            a = _one(args, place)
            if a.private and a.error:
                return Unknown("rounding to decimals of what is rounded already")
            return replace(a, low=a.low - 1, high=a.high + 1)
        return self._floor(args, keywords, place, round)

    def _int(self, args: list[Any], keywords: Any, place: str) -> Any:
        if args and isinstance(args[0], Thing):
            return Num(-INF, INF, whole=True)
        a = _one(args, place)
        if a.known and a.error == 0:
            return point(math.trunc(a.low)) if math.isfinite(a.low) else a
        whole = self._floor([a], {}, place, math.trunc)
        return replace(whole, unit=0.0 if whole.error == 0 else DOUBLE, wraps=False)

    def _uint64(self, args: list[Any], keywords: Any, place: str) -> Any:
        return Num(0.0, 2.0**64, whole=True, unit=2.0**-65)

    def _float(self, args: list[Any], keywords: Any, place: str) -> Any:
        given = numbers(args[:1], place)
        if not given:
            return Num(-INF, INF)
        return self._to(given[0], "float64", place)

    _float64 = _double = _float

    def _Fraction(self, args: list[Any], keywords: Any, place: str) -> Any:  # noqa: N802
        given = numbers(args, place)
        if not given:
            return Unknown("a fraction of a text")
        exact = [replace(number, unit=0.0, whole=False) for number in given]
        return exact[0] if len(exact) == 1 else self._truediv(exact, {}, place)

    def _bool(self, args: list[Any], keywords: Any, place: str) -> Any:
        given = numbers(args[:1], place)
        if given and given[0].noise is not None and not (given[0].low >= 0 and given[0].high <= 1):
            return self._comparison("ne", [given[0], point(0)], place)
        return truth()

    # --- arrays

    def _to(self, value: Any, dtype: str, place: str) -> Any:
        number = flat(value)
        if not isinstance(number, Num):
            return value if number is None else number
        if dtype in ("bool", "bool_"):
            return truth(number.size, number.scalar)
        if dtype.startswith(("int", "uint", "Int", "UInt")):
            whole = self._floor([number], {}, place)
            if not isinstance(whole, Num):
                return whole
            return rounded(replace(typed(whole, dtype.lower()), scalar=number.scalar))
        if dtype in ("float32", "Float32", "single", "f4", "<f4"):
            return rounded(typed(number, "float32"))
        if dtype in ("float16", "half", "f2", "<f2", "e"):
            return rounded(typed(number, "float16"))
        if dtype in ("float", "float64", "Float64", "object", "double", "<f8", "f8", "d"):
            cast = typed(number, "float64")
            return cast if number.unit >= DOUBLE and not number.whole else rounded(cast)
        return Unknown(f"the float analysis does not know the type {dtype!r}")

    def _cast(self, value: Any, keywords: dict[str, Any], place: str) -> Any:
        dtype = keywords.get("dtype")
        if dtype is None or (isinstance(dtype, Thing) and dtype.value is None):
            return value
        return self._to(value, name_of(dtype), place)

    def _astype(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        dtype = args[1] if len(args) > 1 else keywords.get("dtype")
        return self._to(args[0], name_of(dtype), place)

    def _array(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        dtype = args[1] if len(args) > 1 else keywords.get("dtype")
        if args and isinstance(args[0], Table):
            return args[0]
        made = self._cast(args[0], {} if dtype is None else {"dtype": dtype}, place)
        return self._as_array(made)

    _asarray = _fromiter = _array

    def _turned(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        return a if a.scalar else replace(a, shape=None, columns=a.size)

    _transpose = _squeeze = _swapaxes = _moveaxis = _rollaxis = _turned

    def _expand_dims(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        return replace(a, scalar=False, columns=INF)

    _atleast_3d = _expand_dims

    def _atleast_2d(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        matrix = isinstance(args[0], Matrix)
        return args[0] if matrix else self._expand_dims(args, keywords, place)

    def _flatten(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        return self._reshape([args[0], point(-1)], {}, place)

    _ravel = _flatten

    def _reshape(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        asked = args[1:] or [
            keywords.get(name) for name in ("shape", "newshape") if name in keywords
        ]
        lengths = asked[0].items if len(asked) == 1 and isinstance(asked[0], Many) else asked
        sides = [n.low if isinstance(n, Num) and n.known else -1.0 for n in lengths[1:]]
        known = bool(lengths) and all(n >= 0 for n in sides)
        columns = across([1.0, *sides]) if known else a.size
        fewest = 1.0 if a.scalar else a.fewest
        return replace(a, shape=None, scalar=False, columns=max(columns, 1.0), fewest=fewest)

    def _as_array(self, value: Any) -> Any:
        number = flat(value)
        return value if number is None or isinstance(value, Num) else number

    def _concatenate(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        return self._cast(self._as_array(args[0]), keywords, place)

    _stack = _vstack = _dstack = _concat = _concatenate

    def _hstack(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        """Return arrays side by side: a row has the numbers of all their rows."""
        found = self._concatenate(args, keywords, place)
        items = [flat(item) for item in args[0].items] if isinstance(args[0], Many) else []
        arrays = [item for item in items if isinstance(item, Num) and not item.scalar]
        told = len(arrays) == len(items) and all(item.columns > 1 for item in arrays)
        if not isinstance(found, Num) or not arrays or not told:
            return found
        rows = max(item.rows[0] for item in arrays)  # all have as many
        wide = [i.columns if i.columns < INF else i.size / max(rows, 1.0) for i in arrays]
        return replace(found, columns=sum(wide))

    def _column_stack(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        """Return columns side by side, of which a row has one number for each."""
        found = self._concatenate(args, keywords, place)
        items = args[0].items if isinstance(args[0], Many) else []
        plain = all(isinstance(item, Num) and not item.scalar for item in items)
        if not isinstance(found, Num) or not items or not plain:
            return found
        if all(item.columns == 1 for item in items):
            kind = {"unit": found.unit, "wraps": found.wraps}
            return Matrix({f"{i}": replace(item, **kind) for i, item in enumerate(items)})
        least = min(item.rows[0] for item in items)
        columns = sum(item.columns for item in items)
        return replace(found, columns=columns, fewest=least * len(items))

    def _empty(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        shape, *more = args or [keywords["shape"]]
        return self._full([shape, point(0), *more], keywords, place)

    def _zeros_like(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        return self._full_like([args[0], point(0)], keywords, place)

    _empty_like = _zeros_like

    def _ones_like(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        return self._full_like([args[0], point(1)], keywords, place)

    def _full_like(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        """Return an array of one number, of the shape and the type of another array."""
        value = flat(args[1] if len(args) > 1 else keywords.get("fill_value"))
        if not isinstance(value, Num):
            return Unknown("an array filled with what is no number")
        if not isinstance(flat(args[0]), Num):
            return Unknown("an array of the form of what is no number")
        a = _one(args, place)
        filled = replace(value, unit=max(a.unit, value.unit), wraps=a.wraps, size=a.size,
                         scalar=False, columns=a.columns)  # fmt: skip
        return self._cast(filled, keywords, place)

    def _full(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        value = flat(args[1] if len(args) > 1 else keywords.get("fill_value"))
        if not isinstance(value, Num):
            return Unknown("an array filled with what is no number")
        if len(args) > 2:
            keywords = {"dtype": args[2]}
        shape = args[0] if args else keywords["shape"]
        lengths = shape.items if isinstance(shape, Many) else [shape]
        columns = max(1.0, across([_size(length) for length in lengths]))
        filled = replace(value, size=_size(shape), scalar=False, columns=columns)
        return self._cast(filled, keywords, place)

    def _eye(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        n = _one(args, place)
        return replace(truth(n.high**2, scalar=False), columns=n.high)

    def _arange(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        given = numbers(args, place)
        low, high = (point(0), given[0]) if len(given) == 1 else (given[0], given[1])
        step = given[2] if len(given) > 2 else point(1)
        size = max(abs(high.high - low.low), abs(high.low - low.high)) / (
            arithmetic.smallest(step) or 1.0
        )
        found = hull(low, high, size=max(0.0, size))
        found = replace(found, whole=found.whole and step.whole, scalar=False)
        return self._cast(rounded(found), keywords, place)

    def _linspace(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        given = numbers(args, place)
        size = given[2].high if len(given) > 2 else 50.0
        found = hull(given[0], given[1], size=size)
        return rounded(replace(found, whole=False, scalar=False), times=4.0)

    def _invert(self, args: list[Any], keywords: Any, place: str) -> Any:
        a = _one(args, place)
        if not a.whole or a.error or a.low < 0 or a.high > 1:
            return Unknown("the float analysis has no rule for `~` of what is no truth value")
        return replace(truth(a.size, a.scalar), low=-2.0)  # of integers it is less than zero

    def _fillna(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a, b = numbers([args[0], *args[1:2], *keywords.values()][:2], place)
        return replace(hull(a, b), size=a.size, scalar=a.scalar)

    def _reindex(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        filled = keywords.get("fill_value", point(0))
        a, b = numbers([args[0], filled], place)
        labels: Any = args[1] if len(args) > 1 else keywords.get("index")
        every: Any = getattr(labels, "items", getattr(labels, "value", None))
        shape: tuple[int, ...] | None = (
            (len(every),) if isinstance(every, list | tuple | range) else None
        )
        size = float(len(every)) if shape else _MOST_LABELS
        columns = 1.0 if shape else size
        return replace(hull(a, b), size=size, scalar=False, shape=shape, columns=columns)

    def _cut(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        if a.error or a.noise is not None:
            return Unknown("the float analysis has no rule for `cut` of what is rounded")
        return Num(0.0, _MOST_LABELS, whole=True, size=a.size, unit=EXACT, scalar=False)

    def _get(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        """Return the number of a label of a series, or what stands for it."""
        given = numbers([args[0], args[2]], place) if len(args) == 3 else []
        if len(given) != 2 or keywords:  # of what is no number, such as a dict, none is given
            return Unknown("the float analysis has no rule for this `get`")
        return replace(hull(*given), size=1.0, scalar=True)

    def _mask(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        if len(args) != 3 or keywords:
            return Unknown("the float analysis has no rule for this `where` of a series")
        return self._where([args[1], args[0], args[2]], {}, place)

    def _where(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        if len(args) == 1:
            a = _one(args, place)
            return Num(0.0, a.size, whole=True, size=a.size, scalar=False)
        a, b = self._two(args[-2:], place)
        test = _one(args, place)
        return replace(hull(a, b), size=max(test.size, a.size, b.size), scalar=False)

    def _clip(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        low = args[1] if len(args) > 1 else keywords.get("a_min", keywords.get("min", keywords.get(
            "lower", keywords.get("lower_bound"))))  # fmt: skip
        high = args[2] if len(args) > 2 else keywords.get("a_max", keywords.get("max", keywords.get(
            "upper", keywords.get("upper_bound"))))  # fmt: skip
        found: Any = args[0]
        for bound, largest in ((low, True), (high, False)):
            if bound is not None and not (isinstance(bound, Thing) and bound.value is None):
                a, b = self._two([found, bound], place)
                found = arithmetic.extreme(a, b, largest)
        return found

    def _maximum(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a, b = self._two(args, place)
        return arithmetic.extreme(a, b, True)

    _fmax = _maximum

    def _minimum(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a, b = self._two(args, place)
        return arithmetic.extreme(a, b, False)

    _fmin = _minimum

    def _extreme(
        self, short: str, args: list[Any], given: list[Num], keywords: dict[str, Any], place: str
    ) -> Any:
        if short in ("quantile", "percentile", "nanquantile"):
            a = _one(args, place)
            return rounded(replace(a, size=1.0, scalar=True), times=4.0)
        one = len(args) == 1 or not isinstance(args[1], Num | Many) or "axis" in keywords
        items = args[0].items if one and isinstance(args[0], Many) else [args[0]] if one else args
        flats = numbers(items, place)
        if not flats:
            return Unknown("an extreme of nothing")
        found = flats[0]
        for number in flats[1:]:
            if "max" in short or "min" in short:
                found = arithmetic.extreme(found, number, "max" in short)
            else:
                found = hull(found, number)
        if short in ("median", "nanmedian"):
            found = rounded(replace(found, whole=False))
        noise = found.noise
        if noise is not None and found.size > 1:
            noise = Noise(0.0, noise.draws, noise.discrete)
        size = found.size if "axis" in keywords else 1.0
        peak: Any = None
        if short in ("max", "amax", "nanmax") and one and isinstance(args[0], Num):
            peak = args[0]
        elif short == "max" and len({id(n) for n in flats}) == len(items) and noise is None:
            peak = tuple(flats)
        if len(flats) == 1:  # the least of many norms is none of every row
            found = without_norms(found)
        return replace(found, noise=noise, size=size, scalar="axis" not in keywords, peak=peak)

    def _argmax(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        self._ranked(a, place)
        return Num(0.0, max(a.size - 1, 0.0), whole=True, scalar="axis" not in keywords)

    _argmin = _argmax

    def _argsort(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        self._ranked(a, place)
        return Num(0.0, max(a.size - 1, 0.0), whole=True, size=a.size, scalar=False)

    _argpartition = _argsort

    def _ranked(self, a: Num, place: str) -> None:
        """Order noisy numbers: each pair is compared."""
        if a.noise is None or self.ledger.is_bare(a):
            return
        self.ledger.settle(a, place)
        if a.error and (self.strict or a.noise.width > 0):
            self.ledger.compare(a.noise.width, a.error, place, a.size * a.size / 2)

    def _bit_length(self, args: list[Any], keywords: Any, place: str) -> Any:
        a = _one(args, place)
        if a.known and a.whole:
            return point(int(a.low).bit_length())
        return Num(0.0, 64.0, whole=True, unit=0.0)

    def _counted(self, short: str, given: list[Num], size: float, keywords: Any) -> Any:
        if short in ("len", "height") and given and not given[0].noise:
            return Num(*given[0].rows, whole=True, unit=0.0)
        if short in ("size", "ndim") and given and not given[0].noise:
            return Num(given[0].fewest, given[0].size, whole=True, unit=0.0)
        if short in _INDEXED:
            return self._indexed(short, given, keywords)
        noisy = [n.noise for n in given if n.noise is not None]
        noise = Noise(0.0, noisy[0].draws, True) if noisy else None
        scalar = short in ("len", "count", "count_nonzero", "nunique", "bit_length", "bit_count")
        if short in ("bit_length", "bit_count"):
            size = 64.0
        most = given[0].size if given and short == "searchsorted" else size
        count = given[-1].size if given else 1.0
        return Num(0.0, most, whole=True, size=1.0 if scalar else count, noise=noise, scalar=scalar)

    def _indexed(self, short: str, given: list[Num], keywords: Any) -> Any:
        """Return counts by bins, or sums of weights, and the edges."""
        count = max(number.size for number in given)
        weights = flat(keywords["weights"]) if "weights" in keywords else point(1)
        if not isinstance(weights, Num):
            return Unknown("weights that are no numbers")
        sums = arithmetic.total(replace(weights, holds=-INF, fewest=0.0), count)
        cells = _MOST_COUNTS if short in _SEVERAL else _cells(keywords)
        columns = cells if short in _SEVERAL else 1.0
        sums = replace(sums, size=cells, scalar=False, private=True, columns=columns)
        edges = keywords.get("range", keywords.get("bins"))
        others = [given[0], *(number for number in (flat(edges),) if isinstance(number, Num))]
        ends = rounded(replace(hull(others[0], others[-1]), size=2.0**11, scalar=False), times=4)
        return Many([sums, *[ends] * (2 if short == "histogram2d" else 1)])

    def _searchsorted(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a, b = self._two(args, place)
        if a.noise is not None or b.noise is not None:
            self._drawn_place(a, b, place)
        return Num(0.0, a.size, whole=True, size=b.size, scalar=b.scalar)

    def _drawn_place(self, a: Num, b: Num, place: str) -> None:
        """Charge a uniform draw among cumulated weights: rounding moves each border a little."""
        if not a.private and not b.private and not self.strict:
            return  # among released weights: post-processing
        drawn = b if b.noise is not None and (a.noise is None or b.noise.role == FRESH) else a
        noise = drawn.noise
        assert noise is not None
        other = a if drawn is b else b
        # Only thresholds within the range of the draw are crossed: relative errors are enough.
        self.ledger.loss += 4 * other.tilt * self.ledger.repeats[-1]
        # Partial sums and the last one, by which the draw is scaled, share their errors.
        by_size = max(arithmetic._rel(other), drawn.rel) + 2.0**-51
        kept = other.low >= 0 and max(noise.width, other.holds) >= arithmetic.NORMAL[DOUBLE]
        error = min(by_size if kept else INF,  # else all weights may have become 0
                    (other.error + drawn.error) / noise.width if noise.width else INF)  # fmt: skip
        self.ledger.compare(1.0, error, place, a.size)

    def _bincount(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        given = numbers(args[:1], place)
        weights = keywords.get("weights", args[1] if len(args) > 1 else None)
        least = keywords.get("minlength")
        bins = max([2.0, *(n.high for n in given if n.high < 2.0**20)])
        if isinstance(least, Num):
            bins = max(bins, least.high)
        if isinstance(weights, Num):
            some = replace(weights, holds=-INF, fewest=0.0)  # of a bin there may be none
            return replace(arithmetic.total(some, given[0].size), size=bins, scalar=False)
        return Num(0.0, given[0].size, whole=True, size=bins, scalar=False)

    def _summed(self, name: str, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        short = name.rsplit(".", 1)[-1]
        if short in _PRODUCTS:
            a, b = self._two(args, place)
            rows = a.columns > 1 or short == "convolve"  # products of different entries
            terms = arithmetic.multiply(a, replace(b) if rows else b)
            inner = max(1.0, min(a.size, b.size))
            product = arithmetic.total(terms, inner)
            size = max(a.size, b.size) / inner if short in ("matmul", "dot") else a.size * b.size
            return replace(product, size=max(1.0, size), scalar=False, columns=max(1.0, size))
        value = self._cast(args[0], keywords, place)
        if isinstance(value, Many) and short == "sum" and len(value.items) <= 256 and not keywords:
            found: Any = point(0)
            for item in value.items:
                found = self._add([found, item], {}, place)
            return found
        given = numbers([value], place)
        if not given:
            return point(0)
        whole, count = given[0].size, given[0].size
        axis = keywords.get("axis")
        if isinstance(axis, Num) and whole > self.records > 1:  # records, times columns
            count = max(self.records, whole / self.records)
        if isinstance(axis, Num) and axis.known and axis.low in (1, -1) and given[0].columns > 1:
            count = min(count, given[0].columns)
        started = name == "builtins.sum" and len(args) > 1 and isinstance(args[1], Num)
        along = "axis" in keywords or (len(args) > 1 and not started)
        terms = given[0]
        if along or short == "cumsum":  # sums of some of the entries, of one at least
            terms = replace(terms, holds=-INF, fewest=min(terms.fewest, 1.0))
        found = arithmetic.total(terms, count)
        if short == "cumsum" and not along:
            found = replace(found, rising=True, holds=arithmetic.total(given[0], count).low)
        if started:
            found = arithmetic.add(found, args[1], self.ledger, place)
        size = whole if short == "cumsum" or along else 1.0
        if short == "sum" and isinstance(axis, Num) and whole > self.records > 1:
            size = whole / self.records if axis.low == 0 else self.records
        noise = found.noise
        if noise is not None and noise.uniform is not None:
            noise = replace(noise, uniform=None)
        columns = given[0].columns if along else 1.0
        return replace(found, size=size, scalar=size == 1, noise=noise, columns=columns)

    def _mean(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        (a,) = numbers([self._cast(args[0], keywords, place)], place)
        # The sum of n numbers, divided by n: off by (n + 1)·unit·M.
        unit = max(a.unit, DOUBLE)
        found = rounded(replace(a, whole=False, unit=unit, holds=-INF), times=a.size + 1)
        noise = a.noise if a.noise is None else Noise(0.0, a.noise.draws)
        size = a.size if "axis" in keywords else 1.0
        return replace(found, size=size, scalar=size == 1, noise=noise)

    _nanmean = _fmean = _mean

    def _average(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        if len(args) > 1 or "axis" in keywords or "weights" not in keywords:
            return Unknown("an average along an axis")
        weighted = self._summed("dot", [args[0], keywords["weights"]], {}, place)
        return self._truediv([weighted, self._summed("sum", [keywords["weights"]], {}, place)],
                             {}, place)  # fmt: skip

    def _array_split(self, args: list[Any], keywords: Any, place: str) -> Any:
        a, parts = self._two(args, place)
        if keywords or not parts.known or not 0 < parts.low <= 64:
            return Unknown("parts of which it is not known how many there are")
        return Many([replace(a, scalar=False) for _ in range(int(parts.low))])

    _split = _hsplit = _vsplit = _dsplit = _array_split

    def _divmod(self, args: list[Any], keywords: Any, place: str) -> Any:
        return Many([self._floordiv(args, keywords, place), self._mod(args, keywords, place)])

    def _nan_to_num(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        instead = [keywords.get(name) for name in ("posinf", "neginf", "nan")]
        given = numbers([value for value in instead if value is not None], place)
        if len(args) > 1 or "copy" in keywords or not all(n.known for n in given):
            return Unknown("`nan_to_num` with numbers that are not known")
        limit = np.finfo(float).max if a.open or a.most == INF else 0.0
        ends = [n.low for n in given] + [0.0, -limit, limit]
        low, high = max(a.low, -np.finfo(float).max), min(a.high, np.finfo(float).max)
        return replace(a, low=min(low, *ends), high=max(high, *ends), open=False)

    def _hypot(self, args: list[Any], keywords: Any, place: str) -> Any:
        squares = [self._pow([value, point(2)], {}, place) for value in args]
        total = squares[0]
        for square in squares[1:]:
            total = self._add([total, square], {}, place)
        return arithmetic.root(total)

    def _var(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        mean = self._mean(args, keywords, place)
        a = _one(args, place)
        gap = arithmetic.add(a, arithmetic.negative(mean), self.ledger, place)
        square = self._pow([gap, point(2)], {}, place)
        return self._mean([replace(square, size=a.size)], keywords, place)

    def _std(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        return arithmetic.root(self._var(args, keywords, place))

    def _norm(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        order = keywords.get("ord", args[1] if len(args) > 1 else None)
        degree = 2.0 if order in (None, Thing(None)) else 0.0
        degree = order.low if isinstance(order, Num) and order.known else degree
        a = _one(args, place)
        axis = keywords.get("axis", args[2] if len(args) > 2 else None)
        axis = None if axis == Thing(None) else axis
        each = isinstance(axis, Num) and axis.known and axis.low in (1, -1)
        if degree not in (1, 2, INF):
            return Unknown("a norm of this order")
        terms = self._pow([a, point(2)], {}, place) if degree == 2 else arithmetic.absolute(a)
        if axis is not None:  # of a part, which may have few entries
            terms = replace(terms, fewest=0.0, holds=-INF)
        count = min(a.columns, a.size) if each and a.columns > 1 else a.size
        found = terms if degree == INF else arithmetic.total(terms, count)
        found = arithmetic.root(found) if degree == 2 else found
        if each and isinstance(args[0], Matrix) and args[0].columns:  # a row is no shorter
            low = min(max(found.low, a.low * (1 - 2.0**-40)), found.high)
            found = replace(found, low=low)
        size, scalar = (1.0, True) if axis is None else (a.size, False)
        return replace(found, size=size, scalar=scalar, columns=1.0 if axis is None else INF)

    def _cumprod(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        if a.most > 1 + 1e-9 or a.noise is not None:
            return Unknown("the float analysis has no rule for this product")
        return replace(rounded(replace(a, low=-1.0, error=a.error * a.size), times=a.size))

    _prod = _cumprod

    def _diff(self, args: list[Any], keywords: dict[str, Any], place: str) -> Any:
        a = _one(args, place)
        found = self._sub([a, replace(a)], {}, place)
        plain = len(args) == 1 and not keywords and a.span is not None and a.span[2]
        if not plain or a.wraps or found.error == INF:
            return found
        assert a.span is not None
        # Rounding is monotone: no difference is below 0; they add up to what is between the ends.
        most, apart = max(a.size - 1, 1.0), max(a.span[1] - a.span[0], 0.0)
        return replace(found, low=0.0, holds=apart / most * arithmetic.DOWN, size=most)

    def _comparison(self, short: str, args: list[Any], place: str) -> Any:
        given = numbers(args, place)
        if len(given) < 2:
            return truth()
        equal = short in ("eq", "ne")
        a, b = given
        off = 0.0 if self.strict or a.noise or b.noise else a.error + b.error
        apart = max(a.high, b.high) - min(a.low, b.low)
        if off > 0 and (a.private or b.private) and apart <= 2 * off:
            raise Refused("rounding decides a comparison of private numbers", place)
        meeting = min(a.high - b.low, b.high - a.low)  # a proof may take them for apart
        coarse = off > arithmetic.CLEAR * max(a.most, b.most)
        if coarse and (a.private or b.private) and meeting <= off:
            raise Refused("rounding may decide a comparison of private numbers", place)
        if a.open or b.open:
            return arithmetic.compared(a, b, equal, self.ledger, place, self.strict)
        if a.known and b.known and a.scalar and b.scalar:
            return point(getattr(operator, short)(a.low, b.low))
        found = arithmetic.compared(a, b, equal, self.ledger, place, self.strict)
        if a.noise is None and b.noise is None and a.scalar and b.scalar:
            if short in ("lt", "le") and (a.high < b.low or (short == "le" and a.high <= b.low)):
                return point(1)
            if short in ("gt", "ge") and (a.low > b.high or (short == "ge" and a.low >= b.high)):
                return point(1)
            if short in ("lt", "le") and (a.low > b.high or (short == "lt" and a.low >= b.high)):
                return point(0)
            if short in ("gt", "ge") and (a.high < b.low or (short == "gt" and a.high <= b.low)):
                return point(0)
        return found


def span_of(
    short: str, args: list[Any], keywords: dict[str, Any]
) -> tuple[float, float, bool] | None:
    """Return how far the entries of an array reach, and whether they are in order.

    Of numbers without errors, put behind one another or sorted along the only axis.
    """
    joins = short in ("concatenate", "hstack")
    keeps = joins or short in ("array", "asarray", "copy", "ravel", "flatten", "sort")
    if not keeps or len(args) != 1 or keywords or (isinstance(args[0], Many) and not joins):
        return None
    parts = list(leaves(args[0]))
    exact = all(p.error == 0 and p.noise is None and not p.open for p in parts)
    if not parts or not exact or any(p.span is None and p.columns > 1 for p in parts):
        return None
    spans = []
    for p in parts:
        ends = (p.high, p.low) if p.scalar or p.fewest >= 1 else (INF, -INF)
        spans.append(p.span or (*ends, p.scalar or p.size <= 1))
    in_order = all(ordered for _, _, ordered in spans)
    in_order = in_order and all(one.high <= other.low for one, other in pairwise(parts))
    ends = min(bottom for bottom, _, _ in spans), max(top for _, top, _ in spans)
    return *ends, in_order or short == "sort"


def _is_beyond(number: Num) -> bool:
    """Whether a number without noise may be beyond the floats."""
    largest = number.most + number.error
    return number.noise is None and number.scalar and largest > _SURELY_FINITE


def validate_held(given: list[Num], place: str) -> None:
    """Refuse to ask of private numbers whether they are finite where overflow may decide that.

    Of a record as it is stored the answer is the same in floats as in a proof.
    """
    for number in given:
        most = LARGEST.get(number.unit, LARGEST[DOUBLE]) / 2
        if number.private and number.error > 0 and not number.most + number.error <= most:
            raise Refused("a test of what may be beyond the largest float", place)


def name_of(dtype: Any) -> str:
    """Return the name of a type that code passes as a ``dtype``."""
    value = dtype.value if isinstance(dtype, Thing) else dtype
    if isinstance(value, tuple):  # how a certificate writes what can be called
        value = value[1]
    text = str(value)
    return text.rsplit(".", 1)[-1]


def _are_fixed(args: list[Any], keywords: dict[str, Any]) -> bool:
    """Whether the edges of a histogram are the same for all data: they are given, or their ends."""
    given = dict(zip(("bins", "range"), args[1:], strict=False)) | keywords
    told = [flat(given[name]) for name in ("bins", "range") if name in given]
    if not all(isinstance(n, Num) and not n.private and n.noise is None for n in told):
        return False
    return "range" in given or any(isinstance(n, Num) and not n.scalar for n in told)


def _cells(keywords: dict[str, Any]) -> float:
    """Return how many counts there are, as far as the names of arguments tell."""
    told = keywords.get("minlength", keywords.get("bins"))
    if isinstance(told, Many) and all(isinstance(n, Num) and n.scalar for n in told.items):
        return float(len(told.items)) if told.items[2:] else _MOST_COUNTS
    if isinstance(told, Num) and told.known and told.scalar and "minlength" in keywords:
        return told.low
    return _MOST_COUNTS


def _size(value: Any) -> float:
    if isinstance(value, Many):
        product = 1.0
        for item in value.items:
            product *= _size(item)
        return product
    return max(0.0, value.high) if isinstance(value, Num) else INF


def _taken(held: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Return the entries at some places, each of which may be asked for many times."""
    places = flat(args[1] if len(args) > 1 else keywords.get("indices"))
    if not isinstance(held, Num) or not isinstance(places, Num):
        return Unknown("entries at places that are not known")
    size = held.size * max(1.0, places.size)
    return some_of(replace(held, size=size, columns=size, scalar=places.scalar and held.scalar))
