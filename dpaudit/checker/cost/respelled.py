"""Functions that are others in other words: each is written in terms of what is checked already."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.checker.cost import (
    array_functions,
    labelled,
    locations,
    object_arrays,
    python_functions,
    record_functions,
)
from dpaudit.checker.cost.apart import CONTAINERS
from dpaudit.checker.cost.arithmetic import binary, extreme, unary
from dpaudit.checker.cost.arrays import Arr, mapped
from dpaudit.checker.cost.compare import compared, decided, found
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.ends import ONE, ZERO, end, least, most, plus
from dpaudit.checker.cost.noise import Noisy, shown
from dpaudit.checker.cost.record_columns import (
    Centered,
    Rows,
    bounded,
    by_lane,
    elementwise,
    summed,
)
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import (
    NONE,
    Change,
    Unknown,
    Vague,
    is_known,
    is_number,
    kind_of,
    unknown,
)
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.wording import described
from dpaudit.checker.writing import resolved

INFINITE = float("inf")
_MOST_CELLS = 200


def plain(run: Run, value: Any) -> Any:
    """Return a list of records as an array."""
    if isinstance(value, Rows) and value.listed:
        return array_functions.asarray(run, value)
    return value


def entrywise(name: str) -> Callable[..., Any]:
    """Return a function of each entry."""

    def apply(run: Run, value: Any) -> Any:
        if isinstance(value, list | tuple):
            value = array_functions.asarray(run, value)
        if isinstance(value, Arr | Rows):
            return elementwise(run, name, lambda x: unary(run, name, x), value)
        return unary(run, name, value)

    return apply


def rounded(run: Run, value: Any, decimals: Any = 0) -> Any:
    """Return whole numbers, halves as even ones; to some decimals of what both runs share."""
    if type(decimals) is not int or decimals != 0:
        if isinstance(value, Arr):
            cells = mapped(lambda each: rounded(run, each, decimals), value.cells)
            return Arr(cells, value.dtype)
        value = shown(run, value)
        if type(decimals) is int and isinstance(value, Unknown) and value.shared and not run.lane:
            return Unknown(value.kind, nan=value.nan, infinite=value.infinite)
        raise run.refused("rounding to some decimals")
    return entrywise("rint")(run, value)


def python_rounded(run: Run, value: Any, *decimals: Any) -> Any:
    """Return what ``round`` makes of a number: an int, unless it is a float to some decimals."""
    if kind_of(value) in ("bool", "int") and all(
        type(each) is int and each >= 0 for each in decimals
    ):
        return python_functions.as_int(run, value)
    nearest = rounded(run, value, *decimals)
    if decimals or isinstance(nearest, Arr | Rows):
        return nearest
    return python_functions.as_int(run, nearest)


def mean_of(run: Run, value: Any) -> Any:
    """Return ``statistics.mean`` of records of a public number."""
    if not isinstance(value, Rows) or value.rest or not value.view.size:
        raise run.refused("the mean of what may be nothing")
    return binary(run, "truediv", summed(run, value)[()], value.view.size)


def average(run: Run, value: Any, *, weights: Any) -> Any:
    """Return ``np.average`` with weights."""
    weights = array_functions.asarray(run, weights)
    over = record_functions.total(run, weights)
    if not is_number(over) or number(over).sign() == 0:
        raise run.refused("an average with weights that are not known")
    return binary(run, "truediv", array_functions.product(run, weights, value), over)


def spread(run: Run, value: Any, *, ddof: Any = 0) -> Any:
    """Return ``np.var`` of records of a public number."""
    size = value.view.size if isinstance(value, Rows) and not value.rest else None
    if (
        size is None
        or not value.view.whole
        or value.listed
        or type(ddof) is not int
        or not 0 <= ddof < size
    ):
        raise run.refused(f"the variance of {described(value)}")
    gaps = Centered(value)
    squares = record_functions.total(run, record_functions.Squares(gaps, gaps))
    return binary(run, "truediv", squares, size - ddof)


def deviation(run: Run, value: Any, *, ddof: Any = 0) -> Any:
    """Return ``np.std``: √a and √b lie at most √|a - b| apart."""
    return _root(spread(run, value, ddof=ddof))


def _root(value: Any) -> Unknown:
    """Return the root of a sum of squares, which moves by the root of its change."""
    x = unknown(value)
    low, high = (e.sqrt() if isinstance(e, Number) else e for e in (most((x.low, ZERO)), x.high))
    far = x.change.far()
    apart = far.sqrt() if isinstance(far, Number) else far
    return Unknown("float", low, high, Change(-apart, apart))


def digitize(run: Run, value: Any, bins: Any, right: Any = False) -> Any:
    """Return in which bin numbers are; `searchsorted` validates that the bins increase."""
    if not isinstance(right, bool):
        raise run.refused("bins that are closed by a value that is not known")
    side = "left" if right else "right"
    return record_functions.searchsorted(run, array_functions.asarray(run, bins), value, side=side)


def some(run: Run, value: Any) -> Any:
    """Return whether any of the records is true: whether there is one."""
    return _told(run, "gt", record_functions.count_nonzero(run, _flags(run, value)))


def every(run: Run, value: Any) -> Any:
    """Return whether all of the records are true: whether there is none that is not."""
    value = _flags(run, value)
    contrary = elementwise(run, "not", lambda x: unary(run, "not", x), value)
    return _told(run, "le", record_functions.count_nonzero(run, contrary))


def _flags(run: Run, value: Any) -> Rows:
    value = plain(run, value)
    if not isinstance(value, Rows) or value.rest or value.dtype != "bool":
        raise run.refused(f"whether any of {described(value)} is true")
    return value


def _told(run: Run, name: str, count: Any) -> Any:
    return compared(run, name, count, 0)


def _at_least(run: Run, value: Any, axes: int) -> Any:
    """Return an array of so many axes or more: records have one, and those of their values."""
    if isinstance(value, Rows) and not value.listed and 1 + len(value.rest) >= axes:
        return value
    return object_arrays.FUNCTIONS[f"numpy.atleast_{axes}d"](run, value)


def hypotenuse(run: Run, *sides: Any) -> Any:
    """Return ``math.hypot``."""
    squares = [binary(run, "mul", side, side) for side in sides]
    summed_up = squares[0]
    for square in squares[1:]:
        summed_up = binary(run, "add", summed_up, square)
    return unary(run, "sqrt", summed_up)


def norm(run: Run, value: Any, ord: Any = None, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Return the l1, the l2 or the linf norm of a vector, or of vectors along an axis."""
    if isinstance(value, list | tuple):
        value = array_functions.asarray(run, value)
    if not isinstance(value, Arr | Rows) or value.dtype not in ("int", "float"):
        raise run.refused(f"the norm of {described(value)}")
    vector = axis is not None or (isinstance(value, Arr) and value.cells.ndim == 1)
    if (ord is not None and not vector) or (axis is not None and type(axis) is not int):
        raise run.refused("the norm of a matrix")
    if ord is None or (is_number(ord) and number(ord) == 2):
        squares = elementwise(run, "mul", lambda x: binary(run, "mul", x, x), value)
        total = record_functions.reduced(run, "add", squares, axis, keep=keepdims)
        return elementwise(run, "sqrt", lambda x: unary(run, "sqrt", x), total)
    name = "add" if is_number(ord) and number(ord) == 1 else "maximum" if ord == INFINITE else None
    if name is None:
        raise run.refused("a norm of this order")
    sizes = elementwise(run, "abs", lambda x: unary(run, "abs", x), value)
    return record_functions.reduced(run, name, sizes, axis, keep=keepdims)


def to_base_two(run: Run, value: Any) -> Any:
    """Return the logarithm to base 2."""
    if isinstance(value, Arr | Rows):
        return elementwise(run, "log", lambda x: to_base_two(run, x), value)
    if is_number(value) and number(value).sign() > 0:
        return number(value).log2()
    return binary(run, "truediv", unary(run, "log", value), unary(run, "log", 2))


def extremum(name: str) -> Callable[..., Any]:
    """Return Python's ``max`` or ``min``, of records with a default."""
    usual = python_functions.extremum(name)

    def choose(run: Run, *values: Any, **named: Any) -> Any:
        if len(values) == 1 and isinstance(values[0], Rows) and set(named) == {"default"}:
            return _among(run, name, values[0], named["default"])
        if named:
            raise run.refused(f"the {name} with {', '.join(named):.40}")
        inside: Any = values[0] if len(values) == 1 else None
        if isinstance(inside, Arr) and inside.cells.ndim == 1:
            inside = list(inside.cells)
        listed = isinstance(inside, list | tuple | type({}.values()))
        if listed and len(inside) > 1 and run.lane is None:
            entries = [shown(run, value) for value in inside]
            plain = all(is_number(e) or (isinstance(e, Unknown) and e.regular) for e in entries)
            alike = plain and len({kind_of(e) for e in entries}) == 1
            entries = [unknown(e) for e in entries] if alike else []
            if not all(e.shared for e in entries):
                return array_functions.extreme(run, name, entries)
        return usual(run, *values)

    return choose


def largest(name: str) -> Callable[..., Any]:
    """Return ``np.max`` or ``np.min``, of records with an initial value."""

    def choose(
        run: Run, value: Any, axis: Any = None, *, keepdims: Any = False, **named: Any
    ) -> Any:
        if set(named) == {"initial"} and isinstance(value, Rows) and axis is None:
            found_one = _among(run, name, value, named["initial"])
            start = unknown(named["initial"])
            return extreme(name, found_one, start)
        if named:
            raise run.refused(f"the {name} with {', '.join(named):.40}")
        if isinstance(value, Rows) and axis is None and keepdims is False:
            return locations.among(name)(run, value)
        return record_functions.reduced(run, name, value, axis, keep=keepdims)

    return choose


def _among(run: Run, name: str, rows: Rows, nothing: Any) -> Unknown:
    """Return the largest record, or something known where there are none."""
    if rows.rest or rows.dtype not in ("int", "float") or not is_number(nothing):
        raise run.refused(f"the {name} of {described(rows)}")
    if rows.dtype == "int" and kind_of(nothing) == "float":  # NumPy cuts it to an integer
        raise run.refused(f"the {name} of integers and of a number that may be none")
    each = [bounded(run, values[()]) for values in rows.lanes.values()]
    low = least((end(nothing), *(x.low for x in each)))
    high = most((end(nothing), *(x.high for x in each)))
    kind: Any = rows.dtype
    change = locations.across(low, high) if rows.view.changed else Change()
    return Unknown(kind, low, high, change)


def without_nan(
    run: Run, value: Any, *, nan: Any = 0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Return ``np.nan_to_num``; infinities become the largest floats unless others are given.

    Of these it is known alone that they are large: over the reals they have no bound.
    """
    if isinstance(value, Arr | Rows) and value.dtype == "int":
        return array_functions.copied(run, value)
    if not isinstance(value, Arr | Rows) or value.dtype != "float" or not is_number(nan):
        raise run.refused(f"numbers instead of NaN in {described(value)}")
    if not all(each is None or is_number(each) for each in (posinf, neginf)):
        raise run.refused("numbers instead of infinities that are not known")
    above = Unknown("float", ONE) if posinf is None else number(posinf)
    below = Unknown("float", high=-ONE) if neginf is None else number(neginf)

    def replaced(x: Any) -> Any:
        x = found(run, x)
        if isinstance(x, float):
            return number(nan) if x != x else above if x > 0 else below
        if isinstance(x, Var) or is_known(x):
            return x
        x = Unknown("float", nan=x.nan, infinite=True) if isinstance(x, Vague) else unknown(x)
        if x.regular:
            return x
        ends = [unknown(number(nan))] * x.nan + [unknown(above), unknown(below)] * x.infinite
        low, high = least((x.low, *(e.low for e in ends))), most((x.high, *(e.high for e in ends)))
        change = NONE if x.shared else Change(plus(low, -high), plus(high, -low))
        return Unknown("float", low, high, change)

    if isinstance(value, Arr):
        return Arr(mapped(replaced, value.cells), "float")
    lanes = by_lane(run, value.view, lambda lane: mapped(replaced, value.lanes[lane]))
    return Rows(value.view, lanes, "float", value.last)


def occurrences(run: Run, value: Any, of: Any) -> Any:
    """Return ``list.count``."""
    of = decided(run, of)
    tuples = labelled.tuples_in(value)
    if tuples is not None:
        return labelled.of_label(run, labelled.tally(run, tuples), of)
    if not isinstance(value, Rows) or not value.listed or value.rest:
        raise run.refused("how often something is in this")
    column = Rows(value.view, value.lanes, value.dtype)
    same = elementwise(run, "eq", lambda x, y: compared(run, "eq", x, y), column, of)
    return summed(run, same)[()]


_TYPES: dict[str, tuple[type, ...]] = {
    "builtins.int": (int,),
    "builtins.float": (Number, float),
    "builtins.bool": (bool,),
    "builtins.str": (str,),
    "numbers.Number": (bool, int, float, Number),
    "numbers.Real": (bool, int, float, Number),
    "numbers.Integral": (bool, int),
    "numpy.integer": (int,),
    "numpy.floating": (Number, float),
    "numpy.number": (int, float, Number),
}
_HOLDERS = ("numpy.ndarray", "builtins.list")
_EXAMPLES: dict[str, Any] = {"bool": True, "int": 1, "float": 0.5}


# As what a record comes: of a list or of an array, whole beside those that are missing.
_FORMS = {"float": (0.5, np.float64(0.5), 1), "int": (1, np.int64(1))}


def _is_record_of(run: Run, value: Var, types: Any) -> bool:
    """Return whether a number of a record is of a type, as whatever number it comes."""
    names = [getattr(one, "name", "") for one in (types if isinstance(types, tuple) else (types,))]
    if all(name in _TYPES or name in CONTAINERS for name in names):
        classes = tuple(resolved(name) for name in names)
        outcomes = {isinstance(form, classes) for form in _FORMS[value.kind]}
        if len(outcomes) == 1:
            return outcomes.pop()
    raise run.refused(
        "a test of the type of a record's value that depends on whether it is NumPy's"
    )


def is_instance(run: Run, value: Any, types: Any) -> bool:
    """Return whether a value is of a type."""
    if isinstance(value, Var):
        return _is_record_of(run, value, types)
    if isinstance(types, tuple):
        return any(is_instance(run, value, one) for one in types)
    name = types.name if isinstance(types, Named) else ""
    if isinstance(value, Rows) and name in _HOLDERS:
        return value.listed is (name == "builtins.list")
    scalar = is_known(value) or isinstance(value, Unknown | Noisy)
    plain = type(value) in (list, tuple, dict) or (isinstance(value, Arr) and value.cells.ndim > 0)
    if name in CONTAINERS and (scalar or plain):
        return type(value) is CONTAINERS[name]
    if not scalar or value is None:
        raise run.refused(f"a test of the type of {described(value)}")
    if name not in _TYPES:
        raise run.refused(f"a test for the type {name:.40}")
    kind = kind_of(value)
    if kind is not None and not isinstance(_EXAMPLES[kind], _TYPES[name]):
        return False
    # An int may be one of NumPy's, a float a fraction: both outcomes are gone through.
    return isinstance(value, str) or run.fork(2, public=True) == 0


def is_scalar(run: Run, value: Any) -> bool:
    """Return what ``numpy.isscalar`` yields."""
    if isinstance(value, Rows | Arr) or type(value) in (list, tuple, dict) or value is None:
        return False
    if not is_known(value) and not isinstance(value, Unknown | Noisy):
        raise run.refused(f"a test of the type of {described(value)}")
    return True


def split(run: Run, value: Any, parts: Any) -> Any:
    """Return ``np.array_split`` of records of a public number."""
    if isinstance(value, Arr):
        return object_arrays.FUNCTIONS["numpy.array_split"](run, value, parts)
    size = value.view.size if isinstance(value, Rows) and not value.rest else None
    if size is None or type(parts) is not int or not 0 < parts <= _MOST_CELLS:
        raise run.refused(f"parts of {described(value)}")
    several, left = divmod(size, parts)
    ends = [at * several + min(at, left) for at in range(parts + 1)]
    from dpaudit.checker.cost.indexing import entry

    return [entry(run, value, slice(a, b)) for a, b in itertools.pairwise(ends)]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "numpy.average": average,
    "statistics.mean": mean_of,
    "statistics.fmean": mean_of,
    "statistics.median": lambda run, value: locations.among("median")(run, plain(run, value)),
    "math.fsum": lambda run, value: python_functions.total(run, value),
    "numpy.var": spread,
    "method.var": spread,
    "numpy.std": deviation,
    "method.std": deviation,
    "numpy.digitize": digitize,
    "numpy.any": some,
    "method.any": some,
    "builtins.any": some,
    "numpy.all": every,
    "method.all": every,
    "builtins.all": every,
    "numpy.floor": entrywise("floor"),
    "math.floor": entrywise("floor"),
    "numpy.ceil": entrywise("ceil"),
    "math.ceil": entrywise("ceil"),
    "numpy.trunc": entrywise("trunc"),
    "math.trunc": entrywise("trunc"),
    "numpy.rint": entrywise("rint"),
    "numpy.round": rounded,
    "builtins.round": python_rounded,
    "numpy.sign": entrywise("sign"),
    "math.hypot": hypotenuse,
    "numpy.hypot": lambda run, a, b: elementwise(
        run, "sqrt", lambda x, y: hypotenuse(run, x, y), a, b
    ),
    "numpy.linalg.norm": norm,
    "numpy.atleast_1d": lambda run, value: _at_least(run, value, 1),
    "numpy.atleast_2d": lambda run, value: _at_least(run, value, 2),
    "math.log2": to_base_two,
    "numpy.log2": to_base_two,
    "builtins.max": extremum("maximum"),
    "builtins.min": extremum("minimum"),
    "numpy.max": largest("maximum"),
    "method.max": largest("maximum"),
    "numpy.min": largest("minimum"),
    "method.min": largest("minimum"),
    "numpy.nan_to_num": without_nan,
    "method.count": occurrences,
    "builtins.isinstance": is_instance,
    "numpy.isscalar": is_scalar,
    "numpy.array_split": split,
    "numpy.dot": array_functions.product,
    "operator.matmul": array_functions.product,
    "numpy.matmul": array_functions.product,
    "method.dot": array_functions.product,
    "numpy.inner": array_functions.product,
}
