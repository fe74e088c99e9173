"""Python's own functions, and methods of lists and dicts."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from math import isqrt, prod
from typing import Any

from dpaudit.checker.cost import keyed, one_by_one
from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.arrays import Arr, is_shared
from dpaudit.checker.cost.compare import compared, decided, found
from dpaudit.checker.cost.constants import FixedDict, FixedList
from dpaudit.checker.cost.ends import ONE, ZERO, end, is_finite
from dpaudit.checker.cost.noise import is_cut, is_noise, shown
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import (
    Distinct,
    Places,
    Rows,
    Table,
    spread_product,
    summed,
)
from dpaudit.checker.cost.record_functions import Squares
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import MarkedPlaces, sample_size
from dpaudit.checker.cost.values import SHARED, Shared, Text, Unknown, is_common, is_known, kind_of
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.wording import described, in_words

_MOST_CHOICES = 10_000
# What goes through a list or a dict, and sees what becomes of it meanwhile.
Live = enumerate | zip | type({}.keys()) | type({}.values()) | type({}.items())


def length(run: Run, value: Any) -> Any:
    """Return how many there are."""
    if isinstance(value, list | tuple | dict | range):
        return len(value)
    if isinstance(value, Arr) and value.cells.ndim:
        return len(value.cells)
    if isinstance(value, Rows) and (not value.last or not value.rest):
        return value.view.length()
    if isinstance(value, Rows):
        return value.rest[0]
    if isinstance(value, Table | Places | Parts):
        return value.view.length()
    if isinstance(value, Distinct):
        return value.length()
    if isinstance(value, MarkedPlaces):
        return sample_size(value.mask)
    if isinstance(value, Shared):
        return SHARED
    raise run.refused(f"the length of {described(value)}")


def as_float(run: Run, value: Any) -> Any:
    """Return a number as a float."""
    if isinstance(value, Arr) and value.cells.size == 1:
        value = value.cells.flat[0]
    return unary(run, "float", value)


def as_int(run: Run, value: Any) -> Any:
    """Return a number without what is behind its point."""
    if isinstance(value, Arr) and value.cells.size == 1:
        value = value.cells.flat[0]
    of, factor = getattr(value, "sum_of", None) or (None, None)
    if isinstance(of, Rows) and of.untyped and of.dtype != "float" and factor == ONE:
        return replace(value, kind="int")
    if (kind_of(value) == "float" and not is_known(value)) or is_noise(value):
        value = value if is_noise(value) and is_cut(value) else shown(run, value)
        of_record = run.lane is not None and isinstance(value, Unknown) and value.regular
        bounded = of_record and is_finite(value.low) and is_finite(value.high)
        if isinstance(value, Unknown) and value.shared and value.kind == "float" and not bounded:
            return Unknown("int")
    return unary(run, "int", value)


def as_truth(run: Run, value: Any) -> Any:
    """Return the truth of a number."""
    if isinstance(value, list | tuple | dict | str):
        return len(value) > 0
    value = shown(run, value)
    if isinstance(value, bool) or kind_of(value) == "bool":
        return value
    return binary(run, "ne", value, 0)


def extremum(name: str) -> Any:
    """Return Python's ``max`` or ``min``."""

    def choose(run: Run, *values: Any) -> Any:
        if len(values) == 1:
            (inside,) = values
            if isinstance(inside, Arr) and inside.cells.ndim == 1:
                values = tuple(inside.cells)
            elif isinstance(inside, list | tuple | range | type({}.values())):
                values = tuple(inside)
            else:
                raise run.refused(f"the {name} of {described(inside)}")
        if not values:
            raise run.refused(f"the {name} of nothing")
        chosen = found(run, values[0])
        for value in values[1:]:
            value = found(run, value)
            if _is_nan(chosen) or _is_nan(value):
                continue  # no number is larger, or smaller: the first stays
            if (kind_of(chosen) == "bool") != (kind_of(value) == "bool"):
                raise run.refused(f"the {name} of a truth value and a number, which keeps its type")
            chosen = binary(run, name, chosen, value)
        return chosen

    return choose


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def total(run: Run, values: Any, start: Any = 0) -> Any:
    """Return Python's ``sum``."""
    if isinstance(values, Rows) and not values.rest and type(start) is int and start == 0:
        return summed(run, values)[()]
    if isinstance(values, Squares) and type(start) is int and start == 0:
        return spread_product(run, values.one, values.other)
    if isinstance(values, Arr) and values.cells.ndim == 1:
        values = list(values.cells)
    if not isinstance(values, list | tuple | range | type({}.values())):
        raise run.refused(f"the sum of {described(values)}")
    found = start
    for value in values:
        if isinstance(value, list | tuple | Arr) or isinstance(found, list | tuple | Arr):
            raise run.refused("a sum of lists or arrays")
        found = binary(run, "add", found, value)
    return found


def counted(run: Run, *ends: Any) -> Any:
    """Return a range whose ends are known, or that goes through records."""
    at = ends[1] if len(ends) == 2 and ends[0] == 0 else ends[0] if len(ends) == 1 else None
    several = one_by_one.range_of(at)
    if several is not None:
        return several
    if not all(type(value) is int for value in ends):
        raise run.refused("a range of which the ends are not known")
    return range(*ends)


def listed(run: Run, values: Any = ()) -> Any:
    """Return a new list."""
    if isinstance(values, Arr) and values.cells.ndim == 1:
        return list(values.cells)
    if isinstance(values, list | tuple | range | dict | Live):
        return list(values)
    if isinstance(values, Rows) and not values.rest:
        return Rows(values.view, values.lanes, values.dtype, listed=True)
    several = one_by_one.records(values)
    if several is not None:
        return one_by_one.each(
            run, several.view, lambda: [one_by_one.resolved(run, several.item(run))]
        )
    raise run.refused(f"a list of {described(values)}")


def tupled(run: Run, values: Any = ()) -> Any:
    """Return a tuple."""
    found = listed(run, values)
    return tuple(found) if isinstance(found, list) else found


def _live(run: Run, values: Any) -> Any:
    """Return what goes through values as they are when it comes to them."""
    if isinstance(values, Arr) and values.cells.ndim == 1:
        return (values.cells[i] for i in range(len(values.cells)))
    if isinstance(values, list | tuple | range | dict | Live):
        return values
    raise run.refused(f"a loop over {described(values)}")


def enumerated(run: Run, values: Any, start: Any = 0) -> Any:
    """Return indices with values."""
    if type(start) is not int:
        raise run.refused("an enumeration from a number that is not known")
    several = one_by_one.records(values)
    if several is not None:
        return one_by_one.numbered(several, start)
    return enumerate(_live(run, values), start)


def gone_through(run: Run, values: Any) -> Any:
    """Return what ``iter`` goes through."""
    return values if one_by_one.records(values) is not None else _live(run, values)


def zipped(run: Run, *several: Any, strict: Any = False) -> Any:
    """Return tuples of what stands at one place."""
    if not isinstance(strict, bool):
        raise run.refused("a zip of this kind")
    together = one_by_one.side_by_side(run, list(several))
    if together is not None:
        return together
    return zip(*(_live(run, values) for values in several), strict=strict)


def product(run: Run, *several: Any, repeat: Any = 1) -> list[Any]:
    """Return each choice of one value from each of several."""
    pools = [list(_live(run, values)) for values in several] * (
        repeat if type(repeat) is int else 0
    )
    if not pools or prod(map(len, pools)) > _MOST_CHOICES:
        raise run.refused("choices of which it is not known how many there are")
    return list(itertools.product(*pools))


def validate_free(run: Run, value: Any, kind: type) -> None:
    """Refuse to change what is no list or dict of this path alone."""
    fixed = isinstance(value, FixedList | FixedDict) or run.is_lent(value)
    if not isinstance(value, kind) or fixed:
        raise run.refused(f"a change to {described(value)}")


def append(run: Run, holder: Any, value: Any) -> None:
    """Add to a list."""
    if isinstance(holder, keyed.Growing):
        holder.added.append(value)  # an array may change until the record is through
        return
    validate_free(run, holder, list)
    holder.append(value)


def extend(run: Run, holder: Any, values: Any) -> None:
    """Add several to a list."""
    validate_free(run, holder, list)
    if not isinstance(values, list | tuple):
        raise run.refused(f"a list extended by {described(values)}")
    holder.extend(values)


def joined(run: Run, name: str, a: Any, b: Any) -> Any:
    """Return two lists or tuples one after the other, or one several times."""
    if name == "add" and isinstance(b, list | tuple) and isinstance(a, list) == isinstance(b, list):
        return list(a) + list(b) if isinstance(a, list) else tuple(a) + tuple(b)
    if name == "mul" and type(b) is int and b <= 100_000:
        return a * b
    raise run.refused(f"{in_words(name)} of a list")


def negated(run: Run, value: Any) -> Any:
    """Return ``not value``: of a number, whether it is 0."""
    value = shown(run, value)
    if isinstance(value, list | tuple | dict):
        return not value
    if isinstance(value, Var) or kind_of(value) in ("int", "float"):
        return compared(run, "eq", value, 0)
    return unary(run, "not", value)


def is_same(run: Run, a: Any, b: Any) -> bool:
    """Return ``a is b`` where one is None."""
    if a is not None and b is not None:
        raise run.refused("a test for one object")
    return a is b


def contains(run: Run, holder: Any, value: Any) -> bool:
    """Return ``value in holder`` where all that is compared is known."""
    value = found(run, value)
    if run.lane is not None and isinstance(value, Text | Unknown):
        words = value.words if isinstance(value, Text) else ()
        inside = {contains(run, holder, word) for word in words if type(word) is str}
        known = len(inside) == 1 and all(type(word) is str for word in words)
        return inside.pop() if known else run.fork(2) == 0
    listed_numbers = isinstance(holder, list | tuple) and all(type(n) is int for n in holder)
    if isinstance(value, Var) and listed_numbers:
        return any(compared(run, "eq", value, each) is True for each in holder)
    plain = isinstance(holder, list | tuple | range | dict) and all(
        type(each) in (int, str) for each in (value, *holder)
    )
    if not plain:
        raise run.refused("a search among values that are not known")
    return value in holder


def bit_length(run: Run, value: Any) -> int:
    """Return the number of binary digits."""
    if type(value) is not int:
        raise run.refused("the digits of a number that is not known")
    return value.bit_length()


def part_of_fraction(name: str) -> Any:
    """Return what gives the numerator or the denominator of a rational number."""

    def part(run: Run, value: Any) -> int:
        known = value.fraction if isinstance(value, Number) else value
        if type(known) not in (int, Fraction):
            raise run.refused(f"the {name} of a number that is not known")
        return int(getattr(known, name))

    return part


def rational(run: Run, above: Any, below: Any = 1) -> Number:
    """Return a fraction of whole numbers."""
    if type(above) is not int or type(below) is not int or below == 0:
        raise run.refused("a fraction of numbers that are not known")
    return Number(Fraction(above, below))


def whole_root(run: Run, value: Any) -> int:
    """Return the root of a whole number, rounded down."""
    if type(value) is not int or value < 0:
        raise run.refused("the root of a number that is not known")
    return isqrt(value)


def keys(run: Run, value: Any) -> Any:
    """Return the keys of a dict."""
    if not isinstance(value, dict):
        raise run.refused(f"the keys of {described(value)}")
    return value.keys()


def items(run: Run, value: Any) -> Any:
    """Return the keys and values of a dict."""
    if not isinstance(value, dict):
        raise run.refused(f"the items of {described(value)}")
    return value.items()


def values_of(run: Run, value: Any) -> Any:
    """Return the values of a dict."""
    if not isinstance(value, dict):
        raise run.refused(f"the values of {described(value)}")
    return value.values()


def given(run: Run, of: Any, key: Any, default: Any = None) -> Any:
    """Return the entry of a dict, or something else where there is none."""
    if run.lane is not None:
        key = one_by_one.settled(run, of, key)
    if isinstance(of, keyed.Keyed):
        return keyed.given(run, of, key, default)
    key = decided(run, key)
    if not isinstance(of, dict) or not (key is None or isinstance(key, bool | int | str)):
        raise run.refused("an entry of what is no dict with known keys")
    return of.get(key, default)


def set_default(run: Run, of: Any, key: Any, default: Any = None) -> Any:
    """Return the entry of a dict, to which a key that is missing is added."""
    if run.lane is not None:
        key = one_by_one.settled(run, of, key)
    if isinstance(of, keyed.Keyed):
        return keyed.settled(run, of, key, default)
    plain = isinstance(of, dict) and not isinstance(of, FixedDict) and not run.is_lent(of)
    if plain and run.lane is None and keyed.is_key(key):
        return of.setdefault(key, default)
    raise run.refused(f"an entry that is set in {described(of)}")


def dict_of(run: Run, keys: Any, value: Any = None) -> Any:
    """Return ``dict.fromkeys`` of a value that does not change."""
    if isinstance(keys, Rows) and keys.listed and not keys.rest and run.lane is None:
        return Distinct(keys)
    plain = isinstance(keys, list | tuple | range | dict) and is_known(value)
    if not plain or not all(map(keyed.is_key, keys)):
        raise run.refused("a dict of keys that are not known")
    return dict.fromkeys(keys, value)


def dict_from(run: Run, pairs: Any = ()) -> Any:
    """Return ``dict(pairs)`` of keys that are known, or of what both runs share."""
    pairs = list(pairs) if isinstance(pairs, Live) else pairs
    if not isinstance(pairs, list | tuple) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        raise run.refused(f"a dict of {described(pairs)}")
    if all(type(key) in (int, str) for key, _ in pairs):
        return dict(pairs)
    if all(is_shared(shown(run, part)) for pair in pairs for part in pair):
        return SHARED
    raise run.refused("a dict of keys that are not known")


def place_of(run: Run, holder: Any, value: Any) -> Any:
    """Return ``list.index`` of what is known, of a record, or of what both runs share."""
    if run.lane is None and isinstance(holder, list | tuple):
        every = [shown(run, each) for each in (value, *holder)]
        if any(isinstance(each, Unknown | Shared) for each in every) and all(map(is_shared, every)):
            return Unknown("int", ZERO, end(len(holder) - 1))
    plain = isinstance(holder, list | tuple) and all(type(each) in (int, str) for each in holder)
    value = found(run, value)
    if plain and run.lane is not None:
        value = one_by_one.settled(run, _words(value, holder), value)
    if not plain or type(value) not in (int, str) or "\0" in str(value):
        raise run.refused("a search for what is not known")
    if value not in holder:
        raise run.refused("a search for what may be missing")
    return list(holder).index(value)


def _words(value: Any, holder: Any) -> dict[Any, None]:
    """Return what a text may be: a record that is in both runs and is no word ends both."""
    return dict.fromkeys(getattr(value, "words", ()) or holder)


def written(run: Run, value: Any, how: Any = "") -> Any:
    """Return a value as f-strings write it; of what was released, both runs write the same."""
    if run.lane is not None:
        return _written_of_record(run, value, how)
    if how == "" and type(value) in (int, str):
        return str(value)
    value = shown(run, value)
    if is_common(value) and type(how) is str:
        return SHARED
    raise run.refused("the text of a value that is not known")


def _written_of_record(run: Run, value: Any, how: Any) -> Any:
    value = found(run, value)
    if how == "":
        if isinstance(value, Text) and value.words and all(type(w) is str for w in value.words):
            return value
        if isinstance(value, Text):
            return Text()
        if isinstance(value, Var | Unknown) and value.kind == "int":
            value = one_by_one.settled(run, None, value)
    if how != "" or type(value) not in (int, str):
        raise run.refused("the text of a value that is not known")
    return str(value)


def seeded(run: Run, seed: Any) -> None:
    """Read that a generator is seeded of which the program draws nothing."""
    if not is_known(seed):
        raise run.refused("a seed that is not known")


def text_of_exception(run: Run, said: Any) -> Any:
    """Return the text of an exception, which is a function of what it was made with."""
    parts = [shown(run, each) for each in said] if isinstance(said, tuple) else [said]
    if not all(map(is_shared, parts)):
        raise run.refused("the text of an exception that holds private data")
    return SHARED


def occurs(run: Run, *places: Any) -> Any:
    """Return whether an implicit exception is raised: anything, but the same in both runs."""
    if run.lane is not None:
        raise run.refused("an exception that is caught in a loop over records")
    if run.powers or not all(is_shared(shown(run, place)) for place in places):
        raise run.refused("an exception that private data decides")
    return SHARED


def unsized(run: Run, value: Any) -> Any:
    """Return whether to ask for a length raises an exception."""
    sized = isinstance(value, list | tuple | dict | range | Rows | Table)
    return False if sized or (isinstance(value, Arr) and value.cells.ndim) else occurs(run)


def text_method(name: str) -> Any:
    """Return a method of a text that gives another one."""

    def apply(run: Run, value: Any) -> Any:
        value = found(run, value)
        if isinstance(value, str):
            return getattr(value, name)()
        if run.lane is None or not isinstance(value, Text) or not value.words:
            raise run.refused(f"{in_words(name)} of a text that is not known")
        if not all(type(word) is str for word in value.words):
            raise run.refused(f"{in_words(name)} of what is no text")
        word = one_by_one.settled(run, dict.fromkeys(value.words), value)
        return getattr(word, name)()

    return apply


def joined_texts(run: Run, between: Any, texts: Any) -> Any:
    """Return known texts one after the other; a text of what both runs hold is one they hold."""
    plain = isinstance(between, str) and isinstance(texts, list | tuple)
    if not plain or not all(isinstance(text, str | Shared) for text in texts):
        raise run.refused("a text of parts that are not known")
    if any(isinstance(text, Shared) for text in texts):
        return SHARED
    return str(between).join(texts)


FUNCTIONS = {
    "builtins.dict.fromkeys": dict_of,
    "builtins.dict": dict_from,
    "collections.OrderedDict": dict_from,
    "exception.implicit": text_of_exception,
    "exception.occurs": occurs,
    "exception.unsized": unsized,
    "exception.text": text_of_exception,
    "generator.seed": seeded,
    "builtins.format": written,
    "builtins.str": written,
    "method.join": joined_texts,
    **{f"method.{name}": text_method(name) for name in ("lower", "upper", "strip", "title")},
    "method.get": given,
    "method.setdefault": set_default,
    "method.index": place_of,
    "collections.defaultdict": keyed.made,
    "builtins.len": length,
    "builtins.float": as_float,
    "numpy.float64": as_float,
    "builtins.int": as_int,
    "builtins.bool": as_truth,
    "builtins.sum": total,
    "builtins.range": counted,
    "builtins.list": listed,
    "builtins.tuple": tupled,
    "builtins.enumerate": enumerated,
    "builtins.iter": gone_through,
    "builtins.zip": zipped,
    "itertools.product": product,
    "method.append": append,
    "method.extend": extend,
    "method.keys": keys,
    "method.items": items,
    "method.values": values_of,
    "method.bit_length": bit_length,
    "attribute.numerator": part_of_fraction("numerator"),
    "attribute.denominator": part_of_fraction("denominator"),
    "fractions.Fraction": rational,
    "math.isqrt": whole_root,
    "operator.contains": contains,
    "operator.is_": is_same,
    "operator.is_not": lambda run, a, b: not is_same(run, a, b),
}
