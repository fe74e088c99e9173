"""Numbers that may be of NumPy's type in one run, and of Python's in the other.

Equal numbers of both types are one output, but code tells them apart: by their texts in a list, by
``json.dumps``, by methods that only NumPy's have, by what a division by zero does. ``sum`` of no
records is Python's 0 where that of some is a number of NumPy, as is what a loop over records adds
up, and what stands on either side of a private test. Such a number stays marked through arithmetic,
until Python or NumPy converts it; meanwhile it may be given to what treats both types alike only.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.ends import (
    End,
    end,
    is_finite,
    less,
    negative,
    plus,
    product,
    same,
    sign,
    size,
)
from dpaudit.checker.cost.ledger import WHOLE
from dpaudit.checker.cost.noise import Noisy
from dpaudit.checker.cost.record_columns import Rows
from dpaudit.checker.cost.relative import is_nonzero
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Shared, Unknown, kind_of, parts_of
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.operators import OF_FIELD
from dpaudit.checker.wording import in_words

_MARKING = frozenset({"builtins.sum", "builtins.max", "builtins.min"})
_CONVERTING_WORDS = "all any bool float format int len repr str"
_CONVERTING = frozenset(f"builtins.{word}" for word in _CONVERTING_WORDS.split())
_NUMBERS_WORDS = """
operator.add operator.sub operator.mul operator.neg operator.pos operator.truediv builtins.abs
builtins.max builtins.min builtins.round builtins.sum
"""
_NUMBERS = frozenset(_NUMBERS_WORDS.split())  # which a truth value of NumPy is none for
_GROWING = ("operator.add", "operator.sub", "operator.mul", "builtins.sum")
_SMALL, _EXACT, _LARGEST = 2**40, 2**53, 2**62
_ALIKE_WORDS = """
operator.lt operator.le operator.gt operator.ge operator.eq operator.ne operator.not_ operator.and_
operator.or_ builtins.dict builtins.enumerate builtins.list builtins.reversed builtins.tuple
builtins.zip collections.OrderedDict copy.deepcopy method.append method.copy method.extend
method.get method.items method.keys method.values operator.getitem builtins.isinstance
"""
_ALIKE = frozenset(_ALIKE_WORDS.split()) | _CONVERTING | _NUMBERS
_REMAINDERS_WORDS = """
numpy.divmod numpy.floor_divide numpy.fmod numpy.mod numpy.remainder operator.mod
operator.floordiv
"""
_REMAINDERS = frozenset(_REMAINDERS_WORDS.split())
_POWERS = frozenset({"numpy.power", "operator.pow"})
_MAKING = frozenset({"numpy.array", "numpy.asarray"})
_LIBRARIES = ("numpy.", "math.", "statistics.", "draw.", "pandas.")
CONTAINERS: dict[str, type | None] = {  # None for those that are never told from others
    "numpy.ndarray": Arr,
    "builtins.list": list,
    "builtins.tuple": tuple,
    "builtins.dict": dict,
    "builtins.set": None,
    "pandas.DataFrame": None,
    "pandas.Series": None,
}
_TYPES = {  # of a single number that they return
    **dict.fromkeys(("builtins.float", "builtins.int", "builtins.len"), "python"),
    **dict.fromkeys(("method.mean", "method.sum", "numpy.mean", "numpy.sum"), "numpy"),
}
_TOLD = ("!r", "!a", "%r", "%a")
_REAL = ("e", "f", "g", "E", "F", "G", "%")


def mark(run: Run, value: Any) -> Any:
    """Return a value of which each number may be of one type in one run alone."""
    if isinstance(value, Shared):
        value = Shared()
    if isinstance(value, Unknown | Noisy | Shared):
        return run.mark_apart(value)
    if isinstance(value, list | tuple | dict):
        return _with_parts(value, [mark(run, part) for part in parts_of(value)])
    return value


def is_apart(run: Run, value: Any) -> bool:
    """Whether a number, or one in a list, a tuple or a dict, is marked so."""
    return any(True for _ in _apart(run, value))


def validate(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> bool:
    """Refuse to give such a number to what may tell its type; return whether there is one."""
    if (run.untyped or run.mixed) and _differs_by_type(run, name, args):
        raise run.refused(f"{in_words(name)} where the records tell the types of numbers")
    if run.lane is not None:
        return False
    given = [*args, *named.values()]
    marked = [number for value in given for number in _apart(run, value)]
    if not marked:
        return False
    asks_type = name == "builtins.isinstance" and _may_tell(args[1])
    if asks_type or not (name in _ALIKE or name.startswith(_LIBRARIES)) or "key" in named:
        raise _told(run, name)
    of_float = name in OF_FIELD and any(map(_is_float, args))  # as floats take truth values
    if name in _NUMBERS and any(map(_may_be_truth, marked)) and not of_float:
        raise _told(run, name)
    if name == "operator.truediv" and _may_be_zero(run, args[-1]):
        raise _told(run, name)
    if name == "builtins.round" and (len(args) > 1 or named):  # of decimals, in other ways
        raise _told(run, name)
    if name == "operator.truediv" and any(map(_is_inexact, args)):
        raise _told(run, name)
    if name in _GROWING and _may_overflow(run, name, args):
        raise _told(run, name)
    texts = name in ("builtins.str", "builtins.repr", "builtins.format")
    if texts and not _is_written_alike(name, args):
        raise _told(run, name)
    typed = name in _MAKING and getattr(named.get("dtype"), "name", "") == "builtins.float"
    private = any(isinstance(v, Unknown) and not v.shared for v in marked)
    if name.startswith("numpy.") and private and not typed:
        run.untyped = True
    return True


def result(run: Run, name: str, args: list[Any], value: Any, *, given: bool) -> Any:
    """Return what a function returned, marked where its type may differ, else converted."""
    whole = name == "builtins.round" and len(args) == 1  # `validate` lets no decimals through
    if given and (whole or name in _CONVERTING or name.startswith(_LIBRARIES)):
        value = _converted(run, value)
    elif given or _is_origin(name, args, value):
        return mark(run, value)
    if name not in _TYPES or not isinstance(value, Unknown) or run.lane or id(value) in run.spread:
        return value
    value = replace(value)  # a number of its own, as what it was made of may be of another type
    run.typed[id(value)] = (_TYPES[name], value)
    return value


def interchanged(run: Run, before: list[Any], after: list[Any]) -> list[Any]:
    """Return the numbers of a list that changed places, as records tell."""
    types = {run.typed.get(id(each), ("", each))[0] for each in before}
    if len(types) > 1 or "" in types:
        return [mark(run, each) for each in after]
    (of,) = types
    run.typed |= {id(each): (of, each) for each in after}
    return after


def validate_text(run: Run, form: str, values: list[Any]) -> None:
    """Refuse a text that is printed or logged, where it tells the types of what it shows."""
    told = any(word in form for word in _TOLD)
    for value in values:
        inside = not isinstance(value, Unknown | Noisy)
        truth = not form.startswith("print(_") and _may_be_truth(value)
        if is_point(value) or (is_apart(run, value) and (told or inside or truth)):
            raise _told(run, "print")


def _differs_by_type(run: Run, name: str, args: list[Any]) -> bool:
    """Whether a function may do something else with an integer than with the same float."""
    if name == "builtins.isinstance":
        if isinstance(args[0], Noisy):
            return _may_tell(args[1]) and all(draw.law in WHOLE for draw in args[0].draws)
        return _may_tell(args[1]) and kind_of(args[0]) is not None
    last = args[-1] if args else None
    if name in _REMAINDERS:
        divisors = last.cells.flat if isinstance(last, Arr) else [last]
        return any(_may_be_zero(run, value) or _is_zero(value) for value in divisors)
    if name in _POWERS:
        return not (isinstance(last, int) and last >= 0)
    return False


def _is_zero(value: Any) -> bool:
    return isinstance(value, int | Number) and number(value).sign() == 0


def _may_tell(types: Any) -> bool:
    """Whether a test for a type, or for one of several, may be for one of numbers."""
    if isinstance(types, tuple):
        return any(map(_may_tell, types))
    return getattr(types, "name", "") not in (*CONTAINERS, "builtins.str")


def _told(run: Run, name: str) -> Exception:
    what = f"{in_words(name)} of what may be NumPy's number or Python's, and shows which"
    return run.refused(f"{what}; convert it with float() or int()")


def _apart(run: Run, value: Any) -> Any:
    if id(value) in run.apart or is_point(value):
        yield value
    for part in parts_of(value):
        yield from _apart(run, part)


def is_point(value: Any) -> bool:
    """Whether a private number is known, so that only its type, or its sign, is not."""
    return isinstance(value, Unknown) and value.regular and same(value.low, value.high)


def _with_parts(value: Any, parts: list[Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(parts)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key, part in zip(keys, parts, strict=True):
        value[key] = part
    return value


def _converted(run: Run, value: Any) -> Any:
    """Return a number that is not marked, as a new one where it is."""
    if id(value) not in run.apart:
        return value
    if isinstance(value, Noisy):
        return Noisy(value.base, value.draws, value.shown and replace(value.shown))
    return replace(value)


def _may_be_truth(value: Any) -> bool:
    return isinstance(value, Shared) or kind_of(value) == "bool"


def _may_be_zero(run: Run, value: Any) -> bool:
    """Whether a divisor is 0 with a chance: no noise without atoms is, nor what a test told."""
    if isinstance(value, Noisy):
        return value.whole
    if isinstance(value, Arr | Rows):
        return False
    if isinstance(value, Unknown):
        told = id(value) in run.spread or is_nonzero(value, run.facts)
        return sign(value.low) <= 0 <= sign(value.high) and not told
    return isinstance(value, Shared)


def _is_inexact(value: Any) -> bool:
    """Whether an integer may be none of the floats: NumPy divides floats, Python integers."""
    if isinstance(value, Unknown):
        most = size(value.low, value.high)
        return not _is_float(value) and is_finite(most) and less(end(_EXACT), most)
    return isinstance(value, int) and abs(value) > _EXACT


def _may_overflow(run: Run, name: str, args: list[Any]) -> bool:
    """Whether integers may grow too large for NumPy, which Python's never do.

    What is made of records, as all is before the first draw, is left to the analysis of floats,
    which knows how large it may be. Noise that was just added is of no such size but with a chance
    that the release does not depend on.
    """
    several = args
    if name == "builtins.sum" and isinstance(args[0], list | tuple):
        several = list(args[0])
    private = any(isinstance(v, Unknown) and not (v.shared and run.drawn) for v in several)
    noisy = any(isinstance(v, Noisy) for v in several)
    if any(map(_is_float, several)):
        return False
    small = [isinstance(v, int) and abs(v) <= _SMALL for v in several]
    if private and not noisy:
        return any(isinstance(v, int) and abs(v) > _SMALL for v in several)
    if name == "operator.mul":
        known = [v for v in several if isinstance(v, int)]
        return not (any(abs(v) <= 1 for v in known) or _is_within(product, several))
    grown = [v for v, is_small in zip(several, small, strict=True) if not is_small]
    fresh = [v for v in grown if isinstance(v, Noisy) and v.whole]
    large = not all(isinstance(v, Unknown | Noisy) for v in grown)
    alone = not large and len(grown) - len(fresh) <= 1
    return not (alone or _is_within(_sum_of, several))


def _is_float(value: Any) -> bool:
    if isinstance(value, Noisy):
        return _is_float(value.base) or any(draw.law not in WHOLE for draw in value.draws)
    return kind_of(value) == "float"


def _sum_of(a: tuple[End, End], b: tuple[End, End]) -> tuple[End, End]:
    either = size(*b)
    return plus(a[0], negative(either)), plus(a[1], either)


def _is_within(operation: Any, values: list[Any]) -> bool:
    """Whether what comes of numbers surely is an integer of NumPy's."""
    if not all(isinstance(v, Unknown | int) for v in values):
        return False
    spans = [(v.low, v.high) if isinstance(v, Unknown) else (end(v), end(v)) for v in values]
    found = reduce(operation, spans)
    return not less(end(_LARGEST), size(*found))


def _is_written_alike(name: str, args: list[Any]) -> bool:
    """Whether a text is the same of either type: that of one number, not of what holds some."""
    if name == "builtins.repr" or not isinstance(args[0], Unknown | Noisy) or is_point(args[0]):
        return False
    how = args[1] if len(args) > 1 else ""
    if how == "":
        return True
    return isinstance(how, str) and how.endswith(_REAL) and not _may_be_truth(args[0])


def _is_origin(name: str, args: list[Any], value: Any) -> bool:
    """Whether records tell the type of what a function of Python's returns."""
    if name not in _MARKING or not isinstance(value, Unknown) or value.shared:
        return False
    if name == "builtins.sum":
        of = args[0]
        if isinstance(of, list | tuple):
            return len(of) == 1  # what `get` of a series gives, or 0
        return not _is_of_integers(of)
    return True


def _is_of_integers(of: Any) -> bool:
    """Whether what is added up are known integers, whichever record it is for."""
    if not isinstance(of, Rows):
        return False
    return all(type(v) is int for cells in of.lanes.values() for v in cells.flat)
