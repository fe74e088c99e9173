"""k-anonymity by Mondrian: cut at medians as long as no part has fewer than k records.

    M(x) = each record's sensitive value beside the ranges of its class;    |class| ≥ k

Promises: whoever knows the quasi-identifiers of a record finds at least k rows that may be it
(Sweeney 2002; the cuts: LeFevre, DeWitt & Ramakrishnan 2006). Fewer than k records are withheld.
Attack: homogeneity (Machanavajjhala et al. 2007): where a class agrees in its sensitive value,
all members have it, whichever row is theirs. The witness has one member changed, and it shows.
Violation: DPA109
Known from: Sweeney (2002), and tools that call their output anonymous because k is large.
True epsilon: infinite, on any two neighbors that are released differently.
Information limit: 44 calls: every output tells.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

Names = Sequence[str]
Rows = NDArray[np.intp]
QUASI = ("age", "zip")


def columns(frame: DataFrame, names: Names) -> NDArray[np.float64]:
    """Return columns of numbers side by side."""
    return np.column_stack([frame[name].to_numpy(float) for name in names])


def mondrian(values: NDArray, fits: Callable[[Rows], bool], rows: Rows | None = None) -> list[Rows]:
    """Return classes of rows, cut in halves for as long as both fit."""
    rows = np.arange(len(values)) if rows is None else rows
    if not fits(rows):
        return []
    widths = np.ptp(values[rows], axis=0) / np.maximum(np.ptp(values, axis=0), 1e-300)
    for column in np.argsort(-widths, kind="stable"):
        here = values[rows, column]
        low = here <= min(np.median(here), np.nextafter(here.max(), -np.inf))
        if fits(rows[low]) and fits(rows[~low]):
            return [c for half in (low, ~low) for c in mondrian(values, fits, rows[half])]
    return [rows]


def generalized(frame: DataFrame, classes: list[Rows], quasi: Names, sensitive: str) -> DataFrame:
    """Return one row a record: the ranges of its class, and its sensitive value."""
    values, kept, released = columns(frame, quasi), frame[sensitive].to_numpy(), []
    for rows in classes:
        ends = zip(values[rows].min(axis=0), values[rows].max(axis=0), strict=True)
        ranges = [f"{low:g}..{high:g}" for low, high in ends]
        released += [(*ranges, value) for value in sorted(kept[rows].tolist())]
    return DataFrame(released, columns=[*quasi, sensitive])


def k_anonymity(
    frame: DataFrame, *, k: int = 2, quasi: Names = QUASI, sensitive: str = "condition"
) -> DataFrame:
    """Return the generalized records."""
    classes = mondrian(columns(frame, quasi), lambda rows: len(rows) >= k)
    return generalized(frame, classes, quasi, sensitive)
