"""What the data parameter holds in two runs, for every relation between datasets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import INFINITE, ONE, SIZE, ZERO, Bound, exact, larger, smaller, width
from dpaudit.formal.constants import lasting, public_number, truth_number
from dpaudit.formal.domain import Array, Both, Number, Rows, Table, Value, fresh
from dpaudit.formal.norms import Norms
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import (
    AddRemove,
    AnyPair,
    Around,
    Categorical,
    Integer,
    Pairs,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    ZeroOut,
)

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


MOST_CASES = 16


def datasets(neighbors: Any) -> tuple[Callable[[], Value], ...]:
    """Return what the data may be: a proof must hold for each of these cases.

    Parameters
    ----------
    neighbors : Neighbors

    Returns
    -------
    tuple of callable
        Each makes the value anew.

    Raises
    ------
    Unsupported
        For relations or records of which too little is known.
    """
    match neighbors:
        case AddRemove() | ReplaceOne() | ZeroOut():
            return (lambda: _records(neighbors),)
        case AnyPair():
            return (lambda: _bare(neighbors.records),)
        case QueryAnswers():
            return (lambda: _answers(neighbors),)
        case Around():
            from dpaudit.formal.around import records_around

            return (lambda: records_around(neighbors),)
        case Pairs():
            return tuple(_listed(pair) for pair in neighbors.listed)
    raise Unsupported(f"neighbors of the type {type(neighbors).__name__}")


def one_by_one(neighbors: Any) -> tuple[Callable[[], Value], ...]:
    """Return the cases of a relation in which one answer changes, by which one it is.

    Parameters
    ----------
    neighbors : Neighbors

    Returns
    -------
    tuple of callable
        Together they hold every pair; none for other relations, or very many answers. In each
        the other answers, taken one by one, are the same in both runs: what is released of them
        costs nothing there, and is paid for in the case of its own.
    """
    if not isinstance(neighbors, QueryAnswers) or neighbors.norm != "l0":
        return ()
    if neighbors.length > MOST_CASES:
        return ()
    return tuple(partial(_of_one, neighbors, at) for at in range(neighbors.length))


def _of_one(neighbors: QueryAnswers, at: int) -> Array:
    return replace(_answers(neighbors), term=("answers", at, neighbors.length))


def unchanged(term: Any, parts: tuple[Any, ...]) -> bool:
    """Whether ``answers[parts]`` is without the one answer that changes."""
    if not (isinstance(term, tuple) and len(term) == 3 and term[0] == "answers"):
        return False
    _, at, length = term
    return at not in np.atleast_1d(np.arange(length)[parts]).tolist()


def largest_size(neighbors: Any) -> int | None:
    """Return how many records the larger dataset has at most, where `n` may stand for that."""
    if isinstance(neighbors, AddRemove):
        return neighbors.max_size * (neighbors.rows_per_unit or 1)
    return None


def arguments(walk: Walk, data: Value, parameters: dict[str, Value]) -> dict[str, Value]:
    """Return the values of all parameters of the entry, that of the generator left out."""
    from dpaudit.formal import program as ir

    program = walk.program
    values: dict[str, Value] = {program.data: data}
    for name in program.entry.parameters:
        if name in values or name == program.entry.starred:
            continue
        if name == program.rng:
            node = ir.Generator(program.entry.place, "argument")
            values[name] = walk.hooks.generator(node, walk)
        elif name in parameters:
            values[name] = parameters[name]
        elif name in program.fixed:
            values[name] = lasting(program.fixed[name].value)
        else:
            values[name] = public_number(sympy.Symbol(name, real=True))
    return values


def _records(neighbors: AddRemove | ReplaceOne | ZeroOut) -> Value:
    if neighbors.unit is not None and neighbors.rows_per_unit is None:
        raise Unsupported("users with any number of rows (give rows_per_unit)")
    count = sympy.Integer(neighbors.group * (neighbors.rows_per_unit or 1))
    if isinstance(neighbors, AddRemove):
        least = larger(ZERO, SIZE - count) if count != 1 else SIZE - 1
        rows = Rows(fresh(), "inserted", count, True, least, SIZE)
    elif neighbors.unit is not None:
        users = sympy.Integer(neighbors.size)
        rows = Rows(fresh(), "edited", count, False, users, users * (neighbors.rows_per_unit or 1))
    else:
        size = sympy.Integer(neighbors.size)
        rows = Rows(fresh(), "replaced", count, False, size, size)
    zero = neighbors._neutral if isinstance(neighbors, ZeroOut) else None
    records, container = neighbors.records, neighbors.container
    if isinstance(records, Row):
        zeros = zero if zero is not None else (None,) * len(records.names)
        buffer = fresh()
        columns = {
            name: replace(
                column(domain, rows, container, z),
                term=("column", rows.id, name),
                buffer=buffer if container == "array" else fresh(),  # fields of one array
            )
            for name, domain, z in zip(records.names, records.domains, zeros, strict=True)
        }
        return Table(columns, rows, container, term=("data", rows.id))
    return replace(column(records, rows, container, zero), term=("data", rows.id))


def column(domain: Any, rows: Rows, container: str, zero: Any = None) -> Array:
    """Return records, or one column of them, as an array; `zero` may occur besides."""
    if getattr(domain, "allow_missing", False) and container != "array":
        raise Unsupported(f"missing values in the container {container!r}")
    common: dict[str, Any] = {"container": container, "source": rows}
    match domain:
        case Real():
            low, high = exact(domain.low), exact(domain.high)
            bounded = domain.enforced and not domain.allow_infinity
            array = Array(
                (rows,), low if bounded else -INFINITE, high if bounded else INFINITE,
                nan=domain.allow_nan or domain.allow_missing, infinite=domain.allow_infinity,
                **common,
            )  # fmt: skip
        case Integer():
            missing = domain.allow_missing
            array = Array(
                (rows,),
                exact(domain.low) if domain.enforced else -INFINITE,
                exact(domain.high) if domain.enforced else INFINITE,
                True, nan=missing, dtype="float64" if missing else "int64", **common,
            )  # fmt: skip
        case Categorical():
            array = _categories(domain, rows, common)
        case _:
            raise Unsupported(f"records of the type {type(domain).__name__}")
    if zero is not None and array.kind == "number" and zero == zero:
        number = exact(zero)
        array = replace(array, low=smaller(array.low, number), high=larger(array.high, number))
    elif zero is not None:
        values = None if array.values is None else (*array.values, zero)
        array = replace(array, values=values, nan=array.nan or zero != zero)
    if container == "list":
        array = replace(array, dtype="")
    return derived(array)


def _categories(domain: Categorical, rows: Rows, common: dict[str, Any]) -> Array:
    values = domain.values
    if all(isinstance(v, bool | int | float) for v in values):
        numbers = [exact(v) for v in values]
        booleans = all(isinstance(v, bool) for v in values)
        whole = all(isinstance(v, int) for v in values)
        if booleans and domain.allow_missing:
            raise Unsupported("missing truth values")
        dtype = "bool" if booleans else "int64" if whole else "float64"
        return Array(
            (rows,), smaller(*numbers), larger(*numbers), whole, booleans,
            nan=domain.allow_missing, values=values,
            dtype="float64" if domain.allow_missing else dtype, **common,
        )  # fmt: skip
    if domain.allow_missing:
        values = (*values, None)
    return Array((rows,), kind="object", values=values, dtype="object", **common)


def _bare(records: Any) -> Value:
    """Return one record, any against any other."""
    if isinstance(records, Row):
        columns = {n: _scalar(d) for n, d in zip(records.names, records.domains, strict=True)}
        return Table(columns, None, "record", term=("record",))
    return _scalar(records)


def _scalar(domain: Any) -> Value:
    if getattr(domain, "allow_missing", False):
        raise Unsupported("a missing value as the record")
    entry = column(domain, Rows(fresh(), "replaced", ONE, False, ONE, ONE), "list")
    if entry.kind == "object":
        return Array((), kind="object", values=entry.values, dtype="object", term=("record",))
    distance = INFINITE if entry.nan or entry.infinite else width(entry.low, entry.high)
    return Number(
        entry.low, entry.high, distance, distance, entry.integer, entry.boolean, entry.nan,
        entry.infinite, term=("record", fresh()),
    )  # fmt: skip


def _answers(neighbors: QueryAnswers) -> Array:
    if neighbors.container not in ("array", "list"):
        raise Unsupported(f"answers in the container {neighbors.container!r}")
    length, d = sympy.Integer(neighbors.length), exact(neighbors.distance)
    norms = {
        "linf": Norms(linf=d),
        "l2": Norms(l2=d),
        "l1": Norms(l1=d),
        "l0": Norms(ONE, d, d, d),
    }[neighbors.norm].tightened(length)
    return Array(
        (length,), norms=norms, falls=not neighbors.monotone, container=neighbors.container,
        dtype="float64" if neighbors.container == "array" else "", term=("answers",),
    )  # fmt: skip


def _listed(pair: Any) -> Callable[[], Value]:
    return lambda: Both(pair.left, pair.right, ("pair", id(pair)))


def settled(value: Value) -> Value:
    """Return two concrete objects as a number or array that stands for them.

    Raises
    ------
    Unsupported
        Where they are of different shapes, or no numbers.
    """
    if not isinstance(value, Both):
        return value
    one, other = (np.asarray(side) for side in (value.left, value.right))
    if one.dtype.kind not in "biuf" or other.dtype.kind not in "biuf":
        raise Unsupported("listed datasets that are no numbers, in a rule")
    if one.shape != other.shape:
        raise Unsupported("listed datasets of different shapes, in a rule")
    flat = [exact_or_none(v) for side in (one, other) for v in side.ravel().tolist()]
    finite = all(v is not None for v in flat)
    size = len(flat) // 2
    changes: list[Bound] = (
        [_minus(b, a) for a, b in zip(flat[:size], flat[size:], strict=True)] if finite else []
    )
    whole = one.dtype.kind in "biu" and other.dtype.kind in "biu"
    known = [v for v in flat if v is not None]
    low = smaller(*known) if finite and known else -INFINITE
    high = larger(*known) if finite and known else INFINITE
    if one.ndim == 0:
        fall = larger(ZERO, -changes[0]) if finite else INFINITE
        rise = larger(ZERO, changes[0]) if finite else INFINITE
        return Number(low, high, fall, rise, whole, nan=not finite, term=value.term)
    norms = Norms() if not finite else Norms(
        exact(sum(c != 0 for c in changes)),
        sum(map(abs, changes), ZERO),
        sympy.sqrt(sum((c * c for c in changes), ZERO)),
        larger(ZERO, *map(abs, changes)),
    )  # fmt: skip
    return Array(
        tuple(sympy.Integer(k) for k in one.shape), low, high, whole, nan=not finite, norms=norms,
        rises=any(c > 0 for c in changes) or not finite,
        falls=any(c < 0 for c in changes) or not finite, dtype=str(one.dtype), term=value.term,
    )  # fmt: skip


def _minus(a: Bound, b: Bound) -> Bound:
    return a - b


def exact_or_none(value: Any) -> Bound | None:
    """Return a finite number exactly, None for others."""
    if isinstance(value, bool):
        return truth_number(value).expr
    number = exact(value) if value == value else None
    return None if number in (sympy.oo, -sympy.oo) else number
