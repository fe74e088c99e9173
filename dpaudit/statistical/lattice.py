"""Low-order bits: which grid a floating-point output lies on tells its summands apart.

A sum x + noise is rounded to the grid of the larger of the two. Noise near 0 lies on a finer grid
by itself than after x = 1 was added to it (Mironov 2012), so that the finest grid of an output
depends on x whatever the scale of the noise. Rounding afterwards may hide all of this but in one
binade, so an output's sign, binade and grid together are a token (see `one_sided`): one that a
dataset alone shows is a support that differs. The sign of a zero is looked at here as well: among
real numbers there is one zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.partition import Cells
from dpaudit.statistical.rows import numbers

MANTISSA = 53  # bits of a double


def grid_exponents(values: Floats) -> Floats:
    """Return e for each value that is an odd multiple of 2^e; NaN where it is zero or none."""
    mantissa, exponent = np.frexp(np.where(np.isnan(values), 0.0, values))
    whole = np.ldexp(mantissa, MANTISSA).astype(np.int64)
    lowest = np.log2(np.maximum(whole & -whole, 1))
    return np.where(whole == 0, np.nan, exponent - MANTISSA + lowest)


def grid_codes(values: Floats) -> Floats:
    """Return a number for sign, binade and grid of each value; NaN where it is zero or none."""
    _, binade = np.frexp(np.where(np.isfinite(values), values, 0.0))
    size = binade * 2.0**12 + grid_exponents(np.where(np.isfinite(values), values, np.nan))
    return np.where(np.signbit(values), 2.0**25 + size, size)


@dataclass(frozen=True, slots=True, eq=False)
class LatticePartition:
    """Intervals of the grid exponent of a number column.

    Attributes
    ----------
    path : str
    edges : ndarray of float
        Inner edges, halves between two exponents.
    """

    path: str
    edges: Floats

    @property
    def cells(self) -> int:
        """Number of cells; the last are for 0.0, for −0.0, and for what is no number."""
        return len(self.edges) + 4

    @property
    def orders(self) -> tuple[Cells, ...]:
        """Orderings of the cells."""
        return (np.arange(self.cells),)

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output."""
        values = numbers(columns, self.path)
        result = np.searchsorted(self.edges, grid_exponents(values))
        zero = values == 0
        result[zero] = self.cells - 3 + np.signbit(values[zero])
        result[np.isnan(values)] = self.cells - 1
        return result


def lattice_partition(sample: Columns, path: str, cells: int) -> LatticePartition:
    """Return intervals of about equal mass in a sample."""
    exponents = grid_exponents(numbers(sample, path))
    known = np.unique(exponents[~np.isnan(exponents)])
    if not len(known):
        return LatticePartition(path, np.zeros(0))
    levels = np.quantile(exponents[~np.isnan(exponents)], np.arange(1, cells) / cells)
    edges = np.unique(np.floor(np.append(levels, known[0] + 1))) - 0.5
    return LatticePartition(path, edges)
