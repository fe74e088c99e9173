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
from dpaudit.formal.trial.affine import Affine, NotAffine, Variable, valued
from dpaudit.formal.trial.calls import is_table
from dpaudit.formal.trial.execute import Outcome
from dpaudit.formal.trial.laws import Geometric, Law, Unknown
from dpaudit.formal.trial.path_choices import Oracle, Together, base
from dpaudit.formal.unsupported import Unsupported

MOST_ROWS = 300


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
    apart : bool
        Whether the variables are independent, of those laws.
    """

    shape: Hashable
    rows: tuple[Row, ...]
    paths: tuple[str, ...]
    laws: dict[Variable, Law]
    mass: Ball
    outcome: Outcome
    apart: bool


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
        For outputs of unknown types.
    """
    rows: list[Affine] = []
    paths: list[str] = []
    try:
        shape: Hashable = ("raises", outcome.output)
        if not outcome.raised:
            output = outcome.output if take is None else take(outcome.output)
            shape = structure(output, rows, paths, "")
    except NotAffine as error:
        raise Unsupported(str(error), outcome.place) from None
    merged = _merged([Row(row.constant, dict(row.terms)) for row in rows], outcome.oracle)
    laws = {v: outcome.oracle.given(v) for row in merged for v in row.terms}
    return Release(shape, tuple(merged), tuple(paths), laws, outcome.mass(), outcome, apart(laws))


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


def _merged(rows: list[Row], oracle: Oracle) -> list[Row]:
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
        ((variable, factor),) = oracle.paired({first: Fraction(1), match: Fraction(-1)}).items()
        rows = [_replaced(row, first, match, variable, factor) for row in rows]
    return rows


def _replaced(row: Row, first: Variable, second: Variable, new: Variable, sign: Fraction) -> Row:
    if first not in row.terms:
        return row
    terms = {v: f for v, f in row.terms.items() if v not in (first, second)}
    return Row(row.constant, terms | {new: sign * row.terms[first]})


def apart(laws: Mapping[Variable, Law]) -> bool:
    """Return whether variables are independent, each of the law that it has by itself."""
    draws = [drawn for variable in laws for drawn in base(variable)]
    return len(set(draws)) == len(draws) and not any(
        isinstance(law, Together | Unknown) for law in laws.values()
    )


def predicted(release: Release, values: dict[Variable, float]) -> list[float]:
    """Return the numbers of the output for given values of the draws."""
    return [
        float(row.constant) + sum(float(f) * valued(v, values) for v, f in row.terms.items())
        for row in release.rows
    ]
