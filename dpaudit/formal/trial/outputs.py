"""An output as a structure that is compared, and numbers that may hold noise."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.balls import Ball
from dpaudit.formal.trial.affine import Affine, NotAffine, Unfollowed, Variable, valued
from dpaudit.formal.trial.calls import is_table
from dpaudit.formal.trial.execute import Outcome
from dpaudit.formal.trial.laws import Geometric, Law, Shifted, TwoSided, Whole, scaled
from dpaudit.formal.trial.path_choices import Conditional, Interval
from dpaudit.formal.unsupported import Unsupported

MOST_ROWS = 300
UNFOLLOWED = "unfollowed"


@dataclass(frozen=True, slots=True)
class Row:
    """One number of an output: a constant plus multiples of independent variables."""

    constant: Fraction
    terms: dict[Variable, Fraction]


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """An outcome, taken apart.

    Attributes
    ----------
    shape : Hashable
        Types, lengths, keys, texts, missing values: all that is no finite number.
    rows : tuple of Row
    paths : tuple of str
        Where each row is in the output: ``"[0]"``, ``"['mean']"``.
    laws : dict of Variable to Law
        Given the choices that the outcome made.
    mass : Ball
    outcome : Outcome
    """

    shape: Hashable
    rows: tuple[Row, ...]
    paths: tuple[str, ...]
    laws: dict[Variable, Law]
    mass: Ball
    outcome: Outcome


def single(outputs: Any) -> Any:
    """Return the output of a vectorized mechanism that was asked for one.

    Raises
    ------
    NotAffine
        Where it did not return one.
    """
    if not isinstance(outputs, np.ndarray | list | tuple) or len(outputs) != 1:
        raise NotAffine("a vectorized mechanism that does not return one output for each")
    return outputs[0]


def released(outcome: Outcome, take: Callable[[Any], Any] | None = None) -> Release:
    """Take an outcome apart.

    Parameters
    ----------
    outcome : Outcome
    take : callable, optional
        Takes the output out of what is returned.

    Raises
    ------
    Unsupported
        For outputs of unknown types, and noise that is used twice in ways that are not linear.
    """
    rows: list[Affine] = []
    paths: list[str] = []
    try:
        shape: Hashable = ("raises", outcome.output)
        if not outcome.raised:
            output = outcome.output if take is None else take(outcome.output)
            shape = structure(output, rows, paths, "")
        merged = _merged([Row(row.constant, dict(row.terms)) for row in rows])
        laws = _laws(merged, outcome)
    except NotAffine as error:
        raise Unsupported(str(error), outcome.place) from None
    return Release(shape, tuple(merged), tuple(paths), laws, outcome.mass(), outcome)


def structure(value: Any, rows: list[Affine], paths: list[str], path: str) -> Hashable:
    """Return the structure of a value; its numbers are appended to `rows`."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        below = [
            structure(v, rows, paths, f"{path}[{', '.join(map(str, i)) or '()'}]")
            for i, v in np.ndenumerate(value)
        ]
        return ("array", value.shape, tuple(below))
    if is_table(value):
        return _labelled(value, rows, paths, path)
    if _is_listing(value):
        below = [structure(v, rows, paths, f"{path}[{i}]") for i, v in enumerate(value)]
        return ("listing", type(value).__name__, tuple(below))
    if isinstance(value, list | tuple):
        below = [structure(v, rows, paths, f"{path}[{i}]") for i, v in enumerate(value)]
        return (type(value).__name__, tuple(below))
    if isinstance(value, dict):
        items = [(k, structure(v, rows, paths, f"{path}[{k!r}]")) for k, v in value.items()]
        if any(isinstance(k, Affine) for k in value):
            raise NotAffine("noise as a key")
        return ("dict", tuple((repr(k), below) for k, below in items))
    if isinstance(value, Unfollowed):
        return (UNFOLLOWED,)
    if value is None or isinstance(value, str | bytes | bool):
        return ("value", type(value).__name__, repr(value))
    if isinstance(value, float) and not math.isfinite(value):
        return ("value", "float", repr(value))
    if len(rows) >= MOST_ROWS:
        raise NotAffine(f"more than {MOST_ROWS} numbers in an output")
    if isinstance(value, int | float | Fraction):
        rows.append(Affine(Fraction(value), {}))
    elif isinstance(value, Affine):
        rows.append(value)
    else:
        raise NotAffine(f"an output of type {type(value).__name__}")
    paths.append(path)
    return ("number",)


def is_like(shape: Any, followed: Any) -> bool:
    """Return whether a structure is another one, but for numbers that were not followed there."""
    if followed == (UNFOLLOWED,) or shape == followed:
        return True
    both = isinstance(shape, tuple) and isinstance(followed, tuple) and len(shape) == len(followed)
    return both and all(map(is_like, shape, followed))


def _is_listing(value: Any) -> bool:
    """Return whether a value is an array or an index of pandas."""
    pd = sys.modules.get("pandas")
    return pd is not None and isinstance(value, pd.api.extensions.ExtensionArray | pd.Index)


def _labelled(value: Any, rows: list[Affine], paths: list[str], path: str) -> Hashable:
    """Return the structure of a series or a frame: its labels, and its entries by their place."""
    labels = repr(value.index.tolist())
    if type(value).__name__ == "Series":
        below = [structure(v, rows, paths, f"{path}.iloc[{i}]") for i, v in enumerate(value)]
        return ("Series", labels, tuple(below))
    columns = repr(value.columns.tolist())
    below = [
        structure(value.iloc[i, j], rows, paths, f"{path}.iloc[{i}, {j}]")
        for i in range(value.shape[0])
        for j in range(value.shape[1])
    ]
    return ("DataFrame", (labels, columns, value.shape[1]), tuple(below))


def _merged(rows: list[Row]) -> list[Row]:
    """Write differences of two geometric draws as one two-sided variable."""
    columns: dict[Variable, tuple[Fraction, ...]] = {}
    for row in rows:
        for variable in row.terms:
            if isinstance(variable.law, Geometric) and variable not in columns:
                columns[variable] = tuple(r.terms.get(variable, Fraction(0)) for r in rows)
    left = list(columns)
    while left:
        first = left.pop(0)
        negative = tuple(-f for f in columns[first])
        match = next((v for v in left if v.law == first.law and columns[v] == negative), None)
        if match is None:
            continue
        left.remove(match)
        assert isinstance(first.law, Geometric)
        one = Fraction(1)
        parts = (Affine(Fraction(0), {first: one, match: -one}),)
        variable = Variable(TwoSided(1 - first.law.p), first.place, parts, float)
        rows = [_replaced(row, first, match, variable) for row in rows]
    return rows


def _replaced(row: Row, first: Variable, second: Variable, new: Variable) -> Row:
    if first not in row.terms:
        return row
    terms = {v: f for v, f in row.terms.items() if v not in (first, second)}
    return Row(row.constant, terms | {new: row.terms[first]})


def _laws(rows: list[Row], outcome: Outcome) -> dict[Variable, Law]:
    """Return the laws of the variables in the output; refuse those that are not independent."""
    laws: dict[Variable, Law] = {}
    for row in rows:
        for variable in row.terms:
            laws[variable] = _given(variable, outcome.oracle.intervals)
    seen: set[Variable] = set()
    for variable in laws:
        base = _base(variable)
        hidden = {v for v in base if v is not variable} & set(outcome.oracle.intervals)
        if variable not in outcome.oracle.intervals and isinstance(variable.law, Whole):
            hidden -= set(variable.made[0].terms)
        fresh = variable.how is max or not base & outcome.oracle.consumed
        if base & seen or hidden or not fresh:
            raise NotAffine("noise that is used in several ways")
        seen |= base
    return laws


def _given(variable: Variable, intervals: Mapping[Variable, Interval]) -> Law:
    """Return the law of a variable in the intervals where the choices put it and its inner one."""
    law = variable.law
    if isinstance(law, Whole):
        (part,) = variable.made
        ((inner, factor),) = part.terms.items()
        if inner in intervals:
            cut = scaled(Conditional(inner.law, intervals[inner]), factor)
            law = Whole(Shifted(cut, part.constant), law.how)
    return Conditional(law, intervals[variable]) if variable in intervals else law


def _base(variable: Variable) -> set[Variable]:
    found = {variable}
    for part in variable.made:
        for inner in part.terms:
            found |= _base(inner)
    return found


def predicted(release: Release, values: dict[Variable, float]) -> list[float]:
    """Return the numbers of the output for given values of the draws."""
    return [
        float(row.constant) + sum(float(f) * valued(v, values) for v, f in row.terms.items())
        for row in release.rows
    ]
