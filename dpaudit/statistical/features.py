"""From a sample of outputs to partitions worth betting on."""

from __future__ import annotations

import numpy as np

from dpaudit.outputs import Columns
from dpaudit.statistical.lattice import lattice_partition
from dpaudit.statistical.numerics import Floats, quantile_edges
from dpaudit.statistical.partition import (
    Cells,
    DistancePartition,
    OutcomePartition,
    Partition,
    ValuePartition,
)
from dpaudit.statistical.rows import Hashes, numbers, row_hashes, scalar_path

MAX_ATOMS = 24
MAX_OUTCOMES = 48
MAX_CELLS = 24
ENTRIES = 3  # entries of a vector that get a partition of their own before a score is learned


def plain_partitions(sample: Columns, cells: int) -> list[Partition]:
    """Return partitions that need no labels, most telling first.

    Parameters
    ----------
    sample : Columns
        Outputs of both datasets, in any order.
    cells : int
        Intervals wanted for a number.

    Returns
    -------
    list of Partition
        One for a scalar or for few outcomes; one for each of some entries of a longer output.
    """
    path = scalar_path(sample)
    if path is not None:
        return [value_partition(sample, path, cells)]
    outcomes = outcome_partition(sample)
    if outcomes is not None:
        return [outcomes]
    spread = [p for p, v in sample.numbers.items() if len(np.unique(v[~np.isnan(v)])) > 1]
    if not spread:
        return [frequent_outcomes(sample)]
    chosen = [spread[i] for i in sorted({0, len(spread) // 2, len(spread) - 1})]
    return [value_partition(sample, p, cells) for p in chosen[:ENTRIES]]


def lattice_partitions(sample: Columns, cells: int) -> list[Partition]:
    """Return partitions by low-order bits, for audits of the arithmetic itself."""
    return [lattice_partition(sample, path, cells) for path in list(sample.numbers)[:ENTRIES]]


def value_partition(sample: Columns, path: str, cells: int) -> ValuePartition:
    """Return intervals at quantiles, finer towards both ends, and a cell for each atom."""
    values = numbers(sample, path)
    finite = values[~np.isnan(values)]
    atoms = _atoms(finite)
    rest = finite[~np.isin(finite, atoms)]
    if len(atoms) and len(rest) < 8:
        edges = (atoms[1:] + atoms[:-1]) / 2  # between the atoms
    else:
        edges = quantile_edges(rest if len(rest) else finite, cells)
    missing = np.flatnonzero(np.isnan(values))
    others = frequent(row_hashes(sample.take(missing)), MAX_ATOMS) if len(missing) else _NONE
    return ValuePartition(path, edges, atoms, others)


def distance_partition(sample: Columns, path: str, cells: int) -> DistancePartition | None:
    """Return intervals of the distance from the median; None where those are fewer than three."""
    values = numbers(sample, path)
    finite = values[~np.isnan(values)]
    if not len(finite):
        return None
    center = float(np.median(finite / 2)) * 2
    distances = np.abs(finite / 2 - center / 2)
    edges = quantile_edges(distances[distances > 0], cells) if distances.any() else _NO_EDGES
    return DistancePartition(path, center, edges) if len(edges) > 1 else None


_NO_EDGES = np.zeros(0)
_NONE: Hashes = np.zeros(0, dtype=np.uint64)


def _atoms(finite: Floats) -> Floats:
    """Return the values seen at least twice, at most `MAX_ATOMS` of them; a density has none."""
    values, counts = np.unique(finite, return_counts=True)
    repeated = np.flatnonzero(counts >= 2)
    top = repeated[np.argsort(-counts[repeated], kind="stable")[:MAX_ATOMS]]
    result: Floats = np.sort(values[top])
    return result


def frequent(hashes: Hashes, most: int) -> Hashes:
    """Return the most frequent hashes, sorted."""
    known, counts = np.unique(hashes, return_counts=True)
    result: Hashes = np.sort(known[np.argsort(-counts, kind="stable")[:most]])
    return result


def outcome_partition(sample: Columns) -> OutcomePartition | None:
    """Return a cell for each outcome where there are few, else None."""
    hashes = row_hashes(sample)
    distinct = len(np.unique(hashes))
    if distinct > MAX_OUTCOMES or distinct * 2 > max(sample.size, 2):
        return None
    return frequent_outcomes(sample)


def frequent_outcomes(sample: Columns) -> OutcomePartition:
    """Return a cell for each of the most frequent outcomes, in the order of their entries."""
    hashes = row_hashes(sample)
    known = frequent(hashes, MAX_OUTCOMES)
    first = np.array([np.flatnonzero(hashes == h)[0] for h in known], dtype=np.intp)
    keys = [numbers(sample, path)[first] for path in sorted(sample.numbers, reverse=True)]
    keys += [codes[first].astype(float) for _, (codes, _) in sorted(sample.labels.items())]
    natural = np.lexsort(keys) if keys else np.arange(len(known))
    return OutcomePartition(known, np.append(natural, len(known)).astype(np.intp))


def learned_order(partition: Partition, left: Columns, right: Columns) -> Cells:
    """Return the cells by their estimated log-ratio, the right dataset's last."""
    one = np.bincount(partition.assign(left), minlength=partition.cells)
    two = np.bincount(partition.assign(right), minlength=partition.cells)
    shrink = 2.0
    ratio = np.log((two + shrink) / (two.sum() + shrink)) - np.log(
        (one + shrink) / (one.sum() + shrink)
    )
    return np.argsort(ratio, kind="stable")
