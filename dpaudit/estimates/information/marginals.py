"""The prior of most entropy among those with given marginals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.estimates.checks import floats, whole
from dpaudit.estimates.estimate import Estimate, Interval

Floats = NDArray[np.float64]
Axes = tuple[int, ...]

ROUNDS = 100_000
CONSISTENT = 1e-9  # marginals may differ by this where they overlap


@dataclass(frozen=True, slots=True, eq=False)
class Marginal:
    """The distribution of some attributes.

    Attributes
    ----------
    axes : tuple of int
        Sorted.
    table : ndarray
        With one axis for each of them.
    """

    axes: Axes
    table: Floats

    def of(self, joint: Floats) -> Floats:
        """Return the same marginal of another joint distribution."""
        rest = tuple(axis for axis in range(joint.ndim) if axis not in self.axes)
        result: Floats = joint.sum(axis=rest)
        return result

    def spread(self, table: NDArray[Any], dimensions: int) -> NDArray[Any]:
        """Return a table over the axes with axes of length one for all others."""
        shape = iter(table.shape)
        return table.reshape([next(shape) if a in self.axes else 1 for a in range(dimensions)])

    def over(self, axes: Axes) -> Floats:
        """Return the marginal over some of the axes."""
        rest = tuple(i for i, axis in enumerate(self.axes) if axis not in axes)
        result: Floats = self.table.sum(axis=rest)
        return result


def maximum_entropy_prior(
    shape: int | Sequence[int],
    marginals: Mapping[int | Axes, ArrayLike],
    *,
    tolerance: float = 1e-12,
) -> Estimate:
    """Return the distribution with given marginals and the largest Shannon entropy.

    Parameters
    ----------
    shape : int or sequence of int
        How many values each attribute of a record has.
    marginals : mapping
        From an attribute, or a tuple of attributes, to the table of their probabilities. Without
        any, the prior is uniform.
    tolerance : float
        By how much marginals of the result may differ from those given.

    Returns
    -------
    Estimate
        An exact calculation: ``value`` holds the probabilities of all records in C order,
        ``value.reshape(shape)`` is the table, and the interval is the value. It serves as ``prior``
        of the estimates of this package.

    Raises
    ------
    ValueError
        If a marginal is not a distribution of the right shape, or no joint distribution has them
        all. The message names two that disagree, if any two do.
    RuntimeError
        Where iteration does not reach `tolerance`.

    Notes
    -----
    First a linear program finds which records can have positive probability at all; the entropy is
    greatest where all of them have. On these, iterative proportional fitting scales the table to
    each marginal in turn and converges to the maximum. That is the only distribution with these
    marginals that is a product of functions of the attributes in each.

    References
    ----------
    Csiszár, "I-divergence geometry of probability distributions and minimization problems", Annals
    of Probability 3 (1975), Theorem 3.2; Jaynes, "Information theory and statistical mechanics",
    1957.

    Examples
    --------
    >>> prior = maximum_entropy_prior((2, 2), {0: [0.3, 0.7], 1: [0.5, 0.5]})
    >>> print(prior.value)
    [0.15 0.15 0.35 0.35]
    """
    every = (shape,) if not isinstance(shape, Iterable) else tuple(shape)
    sizes = tuple(whole("shape", size, 1, "give numbers of values, e.g. (2, 3)") for size in every)
    if not sizes:
        raise ValueError("`shape` holds no attribute; give numbers of values, e.g. (2, 3)")
    if not isinstance(marginals, Mapping):
        raise TypeError(
            f"`marginals` must map attributes to tables, got {marginals!r}; pass e.g. "
            "{0: [0.3, 0.7]}"
        )
    if not tolerance > 0:
        raise ValueError(f"`tolerance` must be positive, got {tolerance!r}; pass e.g. 1e-12")
    given = [_read(axes, table, sizes) for axes, table in marginals.items()]
    for one, two in combinations(given, 2):
        _compare(one, two)
    possible = _possible(given, sizes)
    joint, rounds = _fit(given, possible, tolerance)
    flat = joint.ravel()
    return Estimate(
        value=flat,
        confidence_interval=Interval(flat, flat),
        method=f"iterative proportional fitting to {len(given)} marginals in {rounds} rounds",
        n=0,
        quantity="maximum-entropy prior",
        confidence=1.0,
        valid_for=f"exact: marginals are met within {tolerance:g}",
        unit="probability",
        at=np.arange(flat.size, dtype=float),
        axis="record, in C order",
    )


def _read(key: int | Axes, table: ArrayLike, sizes: tuple[int, ...]) -> Marginal:
    axes = (key,) if isinstance(key, int | np.integer) else tuple(key)
    if len(set(axes)) != len(axes) or not all(0 <= axis < len(sizes) for axis in axes):
        raise ValueError(
            f"`marginals` must be over attributes 0 to {len(sizes) - 1}, each once, got {key!r}"
        )
    values = floats("marginals", table, "give one probability for each combination of values")
    wanted = tuple(sizes[axis] for axis in axes)
    if values.shape != wanted:
        raise ValueError(
            f"the marginal over {axes} must have shape {wanted}, got {values.shape}; give one "
            "probability for each combination of values"
        )
    total = math.fsum(values.ravel())
    if not (values >= 0).all() or abs(total - 1) > CONSISTENT:
        raise ValueError(
            f"the marginal over {axes} must hold probabilities that sum to 1, got a sum of "
            f"{total:.9g}; divide it by its sum"
        )
    order = np.argsort(axes)
    return Marginal(tuple(sorted(axes)), values.transpose(order) / total)


def _compare(one: Marginal, two: Marginal) -> None:
    shared = tuple(sorted(set(one.axes) & set(two.axes)))
    gap = float(np.abs(one.over(shared) - two.over(shared)).max())
    if gap > CONSISTENT:
        raise ValueError(
            f"the marginals over {one.axes} and {two.axes} disagree by {gap:.3g} on attributes "
            f"{shared}, so that no prior has both; correct one of them"
        )


def _possible(given: Sequence[Marginal], sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return which records have positive probability under some joint distribution.

    All at once, by one program: maximize Σ s with s ≤ p, s ≤ 1, for p of the given marginals times
    any factor of one or more.
    """
    if all(len(marginal.axes) == 1 for marginal in given):
        table = np.ones(sizes, dtype=np.bool_)  # independent attributes have them
        for marginal in given:
            table &= marginal.spread(marginal.table > 0, len(sizes))
        return table
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, hstack, identity, vstack

    cells = math.prod(sizes)
    places = np.indices(sizes).reshape(len(sizes), -1)
    rows, wanted = [], []
    for marginal in given:
        shape = marginal.table.shape
        place = np.ravel_multi_index(places[list(marginal.axes)], shape)
        entries = (np.ones(cells), (place, np.arange(cells)))
        rows.append(csr_matrix(entries, shape=(marginal.table.size, cells)))
        wanted.append(marginal.table.ravel())
    sums, target = vstack(rows), np.concatenate(wanted)
    nothing = csr_matrix(sums.shape)
    found = linprog(
        np.concatenate([np.zeros(cells), -np.ones(cells), [0.0]]),
        A_ub=hstack([-identity(cells), identity(cells), csr_matrix((cells, 1))]),
        b_ub=np.zeros(cells),
        A_eq=hstack([sums, nothing, csr_matrix(-target[:, None])]),
        b_eq=np.zeros(len(target)),
        bounds=[(0, None)] * cells + [(0, 1)] * cells + [(1, None)],
        method="highs",
    )
    if found.status != 0:
        raise ValueError(
            "no prior has all the marginals given, though any two agree where they overlap; leave "
            "one out, or take all from one table"
        )
    result: NDArray[np.bool_] = (found.x[cells:-1] > 0.5).reshape(sizes)
    return result


def _fit(
    given: Sequence[Marginal], possible: NDArray[np.bool_], tolerance: float
) -> tuple[Floats, int]:
    joint = possible / possible.sum()
    for rounds in range(ROUNDS):
        worst = max((float(np.abs(m.of(joint) - m.table).max()) for m in given), default=0.0)
        if worst <= tolerance:
            return joint, rounds
        for marginal in given:
            now = marginal.of(joint)
            scale = np.divide(marginal.table, now, out=np.zeros_like(now), where=now > 0)
            joint = joint * marginal.spread(scale, joint.ndim)
    raise RuntimeError(
        f"the marginals are met within {worst:.3g} only, not {tolerance:g}; pass a larger tolerance"
    )
