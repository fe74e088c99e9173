"""How large numbers become in a program: where large ones cancel, floats lose what is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from dpaudit.formal import rounding
from dpaudit.formal.lemmas.values import SIZE, STEP

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Names

_FEW = 8  # records, for whom all places are looked at
_DOUBLINGS = 30


def cancels(names: Names, parts: tuple[Any, ...], result: Any, least: float = 0.0) -> bool:
    """Return whether a sum is far smaller than its parts, on all datasets up to some size.

    Parameters
    ----------
    names : Names
        Of sums and order statistics, which are taken at their largest, or at parts of it.
    parts : tuple of sympy expressions
        In n, and in k for an entry k of a vector.
    result : sympy expression
        The sum.
    least : float
        What the sum is at least taken for.

    Notes
    -----
    ``(x + 1e17*n) - 1e17*n`` is a multiple of 16. At single places what is left may well be small,
    as of k − n/2; so the largest are compared, of datasets of up to 8, 16, 32, … records.
    """
    atoms = _atoms(names, parts)
    sizes = [sympy.lambdify((SIZE, STEP), e.xreplace(atoms), "math") for e in (*parts, result)]
    found = [0.0] * len(sizes)
    for n, place, ends in _places():
        for i, size in enumerate(sizes):
            found[i] = max(found[i], _at(size, n, place))
        if ends and max(found[:-1]) > rounding.LARGEST * max(found[-1], least):
            return True
    return False


def _places() -> Iterator[tuple[int, int, bool]]:
    """Yield n, k, and whether these are the last ones of a range of sizes."""
    for n in range(_FEW + 1):
        for k in range(n + 1):
            yield n, k, n == k == _FEW
    for doubling in range(1, _DOUBLINGS):
        n = _FEW << doubling
        for k in (0, 1, n // 2, n - 1, n):
            yield n, k, k == n


def _atoms(names: Names, parts: tuple[Any, ...]) -> dict[Any, Any]:
    """Return a value for all that a sum is made of but n and k: large ones, none like another."""
    known: dict[Any, Any] = {}
    entries = set().union(*(each.atoms(AppliedUndef) for each in parts))
    symbols = set().union(*(each.free_symbols for each in parts)) - {SIZE, STEP}
    for i, atom in enumerate(sorted(entries | symbols, key=str)):
        most: Any = sympy.S.One
        if atom in names.totals:
            records = names.totals[atom]
            most = SIZE * max(abs(records.low), abs(records.high))
        elif atom.func in names.orders:
            order = names.orders[atom.func]
            most = max((abs(end) for end in (order.low, order.high) if end is not None), default=1)
        known[atom] = most / sympy.Integer(i + 1)
    return known


def _at(size: Any, n: int, k: int) -> float:
    try:
        return abs(float(size(n, k)))
    except (ArithmeticError, ValueError):
        return 0.0  # it has no value there, or none that floats hold
