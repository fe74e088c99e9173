"""Functions of Python and NumPy, by their names; those not written here are not checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from dpaudit.checker.cost import (
    apart,
    array_functions,
    categories,
    draws,
    frame_rows,
    frames,
    groups,
    indexed_sums,
    iterators,
    keyed,
    labelled,
    means,
    positional_records,
    python_functions,
    record_functions,
    respelled,
    responses,
    sheets,
    sorting,
    users,
    words,
)
from dpaudit.checker.cost.arithmetic import (
    BINARY,
    EXTREME,
    binary,
    divided,
    mixed,
    raised,
    shifted,
    unary,
)
from dpaudit.checker.cost.arrays import Arr, is_shared
from dpaudit.checker.cost.compare import decided, found
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import Centered, Rows, Sorted, centered, elementwise
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import compared, of_sample
from dpaudit.checker.cost.shared import of_integers, of_shared
from dpaudit.checker.cost.smooth import FUNCTIONS as SMOOTH
from dpaudit.checker.cost.values import SHARED, Shared, Unknown, kind_of
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.operators import OF_TRUTHS, SHIFTS, UFUNCS
from dpaudit.checker.program import ITERATORS
from dpaudit.checker.rounding import with_double
from dpaudit.checker.wording import in_words

OF_NUMBERS = {name: word for name, word in (UFUNCS | OF_TRUTHS).items() if word in BINARY}
OF_NUMBERS |= {f"numpy.{word}": word for word in EXTREME}
_UNEXPECTED = re.compile("unexpected keyword argument ('.*')")
UNARY = {
    "operator.neg": "neg",
    "operator.pos": "pos",
    "builtins.abs": "abs",
    "numpy.absolute": "abs",
    "math.fabs": "abs",
    "numpy.negative": "neg",
    "numpy.square": "square",
    **{f"numpy.{word}": word for word in SMOOTH},
    **{f"math.{word.replace('arc', 'a')}": word for word in SMOOTH},
}
Function = Callable[..., Any]
FUNCTIONS: dict[str, Function] = {
    **python_functions.FUNCTIONS,
    **array_functions.FUNCTIONS,
    **record_functions.FUNCTIONS,
    **draws.FUNCTIONS,
    **respelled.FUNCTIONS,
    **indexed_sums.FUNCTIONS,
    **sorting.FUNCTIONS,
    "collections.Counter": labelled.counter,
    "pandas.Series": labelled.series,
    "pandas.DataFrame": sheets.frame,
    "pandas.cut": categories.cut,
    "pandas.Categorical": categories.categorical,
    "pandas.Index": labelled.index,
    "pandas.MultiIndex.from_product": labelled.product,
    "pandas.MultiIndex.from_tuples": labelled.index_of_tuples,
}


_ORDER_FREE_WORDS = """
attribute.shape attribute.size
builtins.len builtins.sum builtins.max builtins.min builtins.any builtins.all numpy.sum numpy.mean
numpy.max numpy.min numpy.size method.sum method.mean method.max method.min
"""
_OF_SEVERAL = frozenset(f"numpy.{w}" for w in ("column_stack", "hstack", "stack", "vstack"))
ORDER_FREE = frozenset(_ORDER_FREE_WORDS.split())  # the same of values in any order


def called(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """Return what a function returns.

    Raises
    ------
    NotCheckedError
        Where it, or this use of it, is not understood.
    """
    run.drawn = run.drawn or name.startswith("draw.")
    args, given_to = iterators.consumed(run, name, args), args
    sampled = of_sample(run, name, lambda inside, by: called(run, name, inside, by), args, named)
    if sampled is not None:
        return sampled[0]
    if run.lane is None and name != "method.setdefault":
        args = [keyed.plain(value) for value in args]
    if name in ORDER_FREE:
        args = [value.rows if isinstance(value, Sorted) else value for value in args]
    given = apart.validate(run, name, args, named)
    try:
        value = _understood(run, name, args, named)
    except NotCheckedError as error:
        value = of_integers(name, args, named)
        if value is None:
            value = of_shared(run, name, args, named)
        if value is None:
            value = _of_placed(run, name, args, named, error)
    value = apart.result(run, name, args, value, given=given)
    return iterators.kept(run, given_to, value) if name in ITERATORS else value


def _of_placed(
    run: Run, name: str, args: list[Any], named: dict[str, Any], error: NotCheckedError
) -> Any:
    """Return a function of records by their places, where of columns it is not understood."""
    placed = positional_records.placed(run, (*args, *named.values()))
    if placed is None:
        raise error
    try:
        others = dict(zip(named, placed[len(args) :], strict=True))
        return _understood(run, name, placed[: len(args)], others)
    except NotCheckedError:
        raise error from None


def _understood(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """Return what a function returns of which more is known than that it is one."""
    by_label = users.called_on(run, name, args, named, lambda *call: called(run, *call))
    if by_label is None:
        by_label = frame_rows.called_on(run, name, args, named)
    if by_label is None:
        by_label = sheets.called_on(run, name, args, named, lambda *call: called(run, *call))
    if by_label is None:
        by_label = labelled.called_on(run, name, args, named, lambda *call: called(run, *call))
    if by_label is not None:
        return by_label[0]
    if args and isinstance(args[0], frames.Labels):
        return frames.of_labels(run, name, args[0])
    parts = [*args, *(args[0] if args and name in _OF_SEVERAL else ())]
    of_frames = any(isinstance(value, frames.Frame | frames.Series) for value in parts)
    of_frames = of_frames and (not name.startswith("pandas.") or name in frames.OF_MISSING)
    if of_frames or (args and isinstance(args[0], groups.Groups)):
        by_key = groups.called_on(run, name, args, named)
        if by_key is not None:
            return by_key[0]
        named_columns = frames.contained(run, name, args)
        if named_columns is not args:
            return _understood(run, name, named_columns, named)
        if name not in frames.UNLABELLED:
            return frames.called_on(run, name, args, named)
        args = [frames.unlabelled(run, name, value) for value in args]
        if name in frames.DDOF:
            named = {"ddof": 1} | named
        name = frames.UNLABELLED[name]
    if name.startswith("numpy."):
        args = [
            array_functions.asarray(run, value)
            if isinstance(value, Parts)
            else respelled.plain(run, value)
            for value in args
        ]
    if name in responses.SUMS and len(args) == 1 and not named:
        (first,) = args
        if isinstance(first, responses.Answers) and first.untouched:
            return responses.total(run, first)
    if not named:
        operation = _operation(run, name, args)
        if operation is not None:
            return operation[0]
    function = FUNCTIONS.get(name)
    if function is None:
        raise run.refused(f"a call of {in_words(name)}")
    try:
        return function(run, *args, **named)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        word = _UNEXPECTED.search(str(error))
        what = f"the argument {word[1]}" if word else "these arguments"
        raise run.refused(f"a call of {in_words(name)} with {what}") from None


def _operation(run: Run, name: str, args: list[Any]) -> tuple[Any] | None:
    """Return the value of an operator, of a function of two numbers or of one."""
    library, _, word = name.partition(".")
    if len(args) == 2 and library == "operator" and any(map(words.of_words, args)):
        return (words.binary(run, word, *args),)
    if name == "operator.or_" and len(args) == 2 and all(map(_of_types, args)):
        return (tuple(t for a in args for t in (a if isinstance(a, tuple) else (a,))),)
    two = word if library == "operator" and word in BINARY else OF_NUMBERS.get(name)
    if two is not None and len(args) == 2:
        if name in OF_TRUTHS and not all(_is_of_truths(run, value) for value in args):
            raise run.refused(f"{in_words(name)} of numbers")
        return (_binary(run, two, args[0], args[1], operator=library == "operator"),)
    one = UNARY.get(name)
    if one is not None and len(args) == 1:
        if one == "exp" and isinstance(args[0], Arr):
            return (array_functions.exponentials(run, args[0]),)
        return (_unary(run, one, args[0], library),)
    if library == "operator" and word in SHIFTS and all(type(value) is int for value in args):
        return (shifted(run, word, *args),)
    if name == "operator.invert" and isinstance(args[0], Arr | Rows) and args[0].dtype == "bool":
        return (elementwise(run, "not", lambda x: unary(run, "not", x), args[0]),)
    if name == "operator.not_":
        return (python_functions.negated(run, args[0]),)
    return None


def _of_types(value: Any) -> bool:
    """Whether a value is a type, or several as ``int | float`` writes them."""
    return isinstance(value, Named) or (
        isinstance(value, tuple) and bool(value) and all(map(_of_types, value))
    )


def _is_of_truths(run: Run, value: Any) -> bool:
    if isinstance(value, list | tuple):
        value = array_functions.asarray(run, value)
    if isinstance(value, Arr | Rows):
        return value.dtype == "bool"
    return kind_of(found(run, value)) == "bool"


def _unary(run: Run, name: str, value: Any, library: str) -> Any:
    if isinstance(value, Arr | Rows):
        _validate_no_list(run, value, operator=library != "numpy")
        entries = partial(raised, run) if name == "exp" else partial(unary, run, name)
        return elementwise(run, name, entries, value)
    if isinstance(value, list | tuple):
        if library != "numpy":
            raise run.refused(f"{in_words(name)} of a list")
        value = array_functions.asarray(run, value)
        return elementwise(run, name, lambda x: unary(run, name, x), value)
    return unary(run, name, value)


def _binary(run: Run, name: str, a: Any, b: Any, *, operator: bool) -> Any:
    for value in (a, b):
        _validate_no_list(run, value, operator=operator)
    if isinstance(a, Rows) and isinstance(b, Unknown) and name == "sub":
        found = centered(a, b)
        if found is not None:
            return found
    response = _response(run, name, a, b)
    if response is not None:
        return response
    sample = compared(run, name, a, b)
    if sample is not None:
        return sample
    if name == "pow" and isinstance(a, Centered) and type(b) is int and b == 2:
        return record_functions.Squares(a, a)
    if name == "mul" and isinstance(a, Centered) and isinstance(b, Centered):
        return record_functions.Squares(a, b)
    if operator and name in ("add", "mul") and isinstance(a, list | tuple):
        return python_functions.joined(run, name, a, b)
    lists = isinstance(a, list | tuple) or isinstance(b, list | tuple)
    if operator and lists and not (isinstance(a, Arr | Rows) or isinstance(b, Arr | Rows)):
        raise run.refused(f"{in_words(name)} of a list")
    a, b = (array_functions.asarray(run, v) if isinstance(v, list | tuple) else v for v in (a, b))
    if isinstance(a, Arr | Rows) or isinstance(b, Arr | Rows):
        if isinstance(a, Shared) or isinstance(b, Shared):
            if is_shared(a) and is_shared(b):
                return SHARED
            known = decided(run, a), decided(run, b)
            if known[0] is a and known[1] is b:
                raise run.refused(mixed(name))
            return _binary(run, name, *known, operator=operator)
        entries = partial(divided, run) if name == "truediv" else partial(binary, run, name)
        return elementwise(run, name, entries, a, b)
    found = binary(run, name, a, b)
    if name == "truediv":
        found = means.quotient(run, a, b, found)
    return with_double(name, a, b, found)


def _response(run: Run, name: str, a: Any, b: Any) -> Any:
    """Return coins that nobody looked at, or bits that they turn around, None for the rest."""
    for one, other, forth in ((a, b, True), (b, a, False)):
        if name == "xor" and isinstance(one, Rows) and isinstance(other, responses.Flips):
            return responses.turned(run, one, other)
        if name in ("lt", "le", "gt", "ge") and type(one) is Arr:
            below = (name in ("lt", "le")) is forth

            def compare(cells: Any, forth: bool = forth, other: Any = other) -> Any:
                sides = (Arr(cells, "float"), other)
                found = elementwise(
                    run, name, lambda x, y: binary(run, name, x, y), *sides[:: 1 if forth else -1]
                )
                return found.cells

            return responses.flips(run, one, other, below=below, compare=compare)
    return None


def _validate_no_list(run: Run, value: Any, *, operator: bool) -> None:
    if isinstance(value, Rows) and value.listed and operator:
        raise run.refused("an operator on a list of records")
