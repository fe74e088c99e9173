"""Counts: of records that pass a test, in bins, of different values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.attributes import axis_length
from dpaudit.formal.bounds import ONE, ZERO, at_most, larger, magnitude
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import Array, Known, Number, Rows, Tuple, Unaligned, Value, fresh
from dpaudit.formal.norms import Norms
from dpaudit.formal.picking import masked
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import operand
from dpaudit.formal.rules.sums import sum_over_rows, summed
from dpaudit.formal.unsupported import PrivateUse


@rule(
    "numpy.count_nonzero", "method.count",
    statement="A count is the sum of 0s and 1s.",
    proof="By definition.",
)  # fmt: skip
def count(call: Application) -> Value | None:
    """np.count_nonzero(x, axis=…)."""
    if call.name == "method.count":
        return _occurrences(call)
    x, axis, keep = call.bind("a", "axis", "keepdims")
    if not isinstance(x, Array):
        return None
    return summed(call, _tests(call, x), {"axis": axis, "keepdims": keep})


def _occurrences(call: Application) -> Value | None:
    """Return ``x.count(value)`` of a list: the length of the part that equals the value."""
    if len(call.args) != 2 or call.keywords:
        return None
    x, value = call.args
    if not isinstance(x, Array):
        return None
    plain = not x.element and len(x.shape) == 1 and isinstance(x.shape[0], Rows)
    if not plain or x.container not in ("list", "array") or isinstance(value, Array):
        return None
    if x.nan:
        call.refuse("a count of values that may be NaN, each different from all")
    entries = replace(x, container="array", dtype=x.dtype or _type_of(x))
    same = call.redo("operator.eq", entries, value)
    if not isinstance(same, Array):
        return None
    return call.redo("builtins.len", masked(call.walk, entries, same, call.place))


def _type_of(x: Array) -> str:
    return "object" if x.kind == "object" else "int64" if x.integer else "float64"


@rule(
    "numpy.flatnonzero",
    statement="There are as many places as entries that are not zero, each from 0 to the last.",
    proof="By definition. Which they are one record that comes or goes may shift.",
)
def places_that_count(call: Application) -> Value | None:
    """np.flatnonzero(x)."""
    (x,) = call.bind("a")
    if not isinstance(x, Array) or len(x.shape) != 1 or x.kind == "object" or x.element:
        return None
    many = summed(call, _tests(call, x), {})
    if not isinstance(many, Number) or many.nan or many.infinite:
        return None
    last = axis_length(x.shape[0]).high - 1
    axis = many.expr if many.public and many.expr is not None else Unaligned(many)
    return derived(Array((axis,), ZERO, larger(ZERO, last), True, dtype="int64", source=x.rows))


def _tests(call: Application, x: Value) -> Array:
    array = operand(replace(call, name="numpy.count_nonzero"), x)
    if array.boolean:
        return array
    tested = call.redo("operator.ne", array, constant(0))
    assert isinstance(tested, Array)
    return tested


@rule(
    "method.searchsorted", "numpy.searchsorted", "numpy.digitize",
    statement="The place of a value among k public edges is a number from 0 to k.",
    proof="By definition; NaN comes last.",
)  # fmt: skip
def place_among_edges(call: Application) -> Value | None:
    """edges.searchsorted(x), np.searchsorted(edges, x)."""
    if call.name == "numpy.digitize":
        values, edges, _ = call.bind("x", "bins", "right", required=2)
    else:
        edges, values, side, sorter = call.bind("a", "v", "side", "sorter", required=2)
        if sorter is not None:
            return None
        call.known(side)
    if isinstance(edges, Array):
        return _place_of_public(call, edges, values)
    known = np.asarray(call.known(edges))
    if known.ndim != 1 or known.dtype.kind not in "biuf" or (np.diff(known) < 0).any():
        return None
    most = sympy.Integer(len(known))
    if isinstance(values, Number):
        return Number(ZERO, most, most, most, True)
    if not isinstance(values, Array) or values.kind == "object":
        return None
    x = operand(call if call.name.startswith("numpy") else replace(call, name="numpy."), values)
    return derived(replace(
        x, low=ZERO, high=most, integer=True, boolean=False, nan=False, infinite=False,
        norms=Norms(x.norms.l0), rises=True, falls=True, row=Norms(), span=Norms(),
        dtype="int64", buffer=fresh(), term=None, source=x.source, why="", values=None,
    ))  # fmt: skip


def _place_of_public(call: Application, array: Array, values: Value | None) -> Value | None:
    """Return how many records are below public values: sorted(data).searchsorted(grid)."""
    term = array.term
    if not isinstance(term, tuple) or term[0] != "sorted":
        return None
    data = call.walk.values.get(term[1])
    if not isinstance(data, Array) or data.rows is None or len(data.shape) != 1:
        return None
    grid = operand(replace(call, name="numpy."), values) if values is not None else None
    if grid is None or not grid.public or grid.nan or len(grid.shape) > 1:
        return None
    rows = data.rows
    each = derived(Array((rows, *grid.shape), ZERO, ONE, True, dtype="int64"))
    return sum_over_rows(each, rows, grid.shape)


@rule(
    "numpy.bincount",
    statement="A record is in one bin: counts move by 1 in every norm where it comes or goes, by 2 "
    "in l1 and √2 in l2 where it is replaced.",
    proof="Dwork & Roth 2014, Example 3.2.",
)
def bin_counts(call: Application) -> Value | None:
    """np.bincount(x, weights=…, minlength=k)."""
    x, weights, least = call.bind("x", "weights", "minlength")
    if not isinstance(x, Array) or len(x.shape) != 1 or x.rows is None:
        return None
    a = operand(call, x)
    if not a.integer or a.nan:
        call.refuse("bins that may be no whole numbers")
    if not at_most(ZERO, a.low):
        call.walk.hazard("bincount of numbers that may be negative", call.place)
    length = call.known(least, 0)
    if not at_most(a.high, sympy.Integer(length) - 1):
        raise PrivateUse(
            "shape", "as many bins as the largest value asks for (minlength does not bound it)",
            call.place, a,
        )  # fmt: skip
    rows = x.rows
    if weights is None:
        return counts_of_bins(rows, length)
    w = operand(call, weights)
    if w.rows is None or w.rows.id != rows.id or len(w.shape) != 1:
        return None
    each = one_hot(rows, length)
    most = magnitude(w.low, w.high)
    each = replace(each, low=larger(w.low, -most) if not at_most(ZERO, w.low) else ZERO,
                   high=larger(w.high, ZERO), row=each.row.scaled(most), span=Norms(),
                   integer=w.integer)  # fmt: skip
    each = replace(each, row=replace(each.row, l0=ONE))
    if w.nan or w.infinite:
        why = w.why or f"NaN or infinity reaches a bin at {call.place}"
        return Array(each.rest, nan=True, infinite=True, why=why)
    return sum_over_rows(derived(each), rows, each.rest)


def one_hot(rows: Rows, length: int) -> Array:
    """Return a row a record with at most a single 1."""
    return derived(Array(
        (rows, sympy.Integer(length)), ZERO, ONE, True, dtype="int64", source=rows,
        row=Norms(ONE, ONE, ONE, ONE),
    ))  # fmt: skip


def counts_of_bins(rows: Rows, length: int) -> Value:
    """Return the counts of bins that no record is in two of."""
    each = one_hot(rows, length)
    return sum_over_rows(each, rows, each.rest)


@rule(
    "numpy.histogram",
    statement="A record is in at most one bin with public edges.",
    proof="Dwork & Roth 2014, Example 3.2.",
)
def histogram(call: Application) -> Value | None:
    """np.histogram(x, bins=…, range=…)."""
    x, bins, limits, density, weights = call.bind("a", "bins", "range", "density", "weights")
    if not isinstance(x, Array) or len(x.shape) != 1 or x.rows is None or weights is not None:
        return None
    if call.known(density, False):
        return None
    edges = call.known(bins, 10)
    public = np.ndim(edges) == 1 and not isinstance(edges, str)
    if not public and limits is None:
        raise PrivateUse("bins", "bins from the smallest to the largest record", call.place, x)
    if not public and not isinstance(edges, int):
        return None
    if x.infinite or (x.nan and not public):
        call.walk.hazard("a histogram of records that are not finite", call.place)
    known = np.histogram_bin_edges(np.zeros(0), edges, call.known(limits))
    counts = counts_of_bins(x.rows, len(known) - 1)
    return Tuple((counts, Known(known)))


@rule(
    "numpy.unique", "builtins.set", "builtins.frozenset",
    statement="The number of different values moves by at most one a record.",
    proof="Dwork & Roth 2014, Example 3.1: a record has one value.",
)  # fmt: skip
def different_values(call: Application) -> Value | None:
    """np.unique(x), set(x)."""
    if len(call.args) != 1 or not isinstance(call.args[0], Array):
        return None
    x = call.args[0]
    rows = x.rows
    if rows is None or len(x.shape) != 1:
        return None
    if call.keywords:
        raise PrivateUse("domain", "the values that occur among the records", call.place, x)
    if call.name != "numpy.unique" and x.nan:
        call.refuse("a set of numbers that may be NaN, each different from all")
    fall = rows.count if rows.relation in ("edited", "replaced") else ZERO
    most: Any = rows.most
    length = Number(
        ZERO, most, fall, rows.count, True, source=rows,
        term=None if x.term is None else ("different", x.term),
    )  # fmt: skip
    return replace(
        x, shape=(Unaligned(length),), norms=Norms(), row=Norms(), span=Norms(), source=rows,
        container="array", buffer=fresh(), term=None,
    )  # fmt: skip
