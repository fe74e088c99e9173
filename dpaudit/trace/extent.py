"""Whether anything bounds what a record can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.neighbors import Neighbors, Pair
from dpaudit.trace.lines import History, first_where
from dpaudit.trace.replay import Trial
from dpaudit.trace.seen import Seen

WITHOUT_BOUND = 1000.0  # times the claim; nobody takes that for a slip in a constant
_COUNTED = 2.0  # at most, a move of one record that changes counts
_FAR = (10.0, 1000.0)  # ranges beyond the end of one; no clip lies so far out
_NEAR = 8  # how far from both ends of an integer type an overflow is taken for one
_NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32")


def unbounded(
    histories: tuple[History, History],
    trial: Trial,
    neighbors: Neighbors,
    again: Callable[[Pair], Trial],
) -> bool:
    """Return whether the moves of a pair look as though nothing bounds them.

    Parameters
    ----------
    histories : (History, History)
    trial : Trial
    neighbors : Neighbors
    again : callable
        Runs another pair with coupled noise.

    Notes
    -----
    So it is where an integer of few bits wrapped, where the move is out of all proportion, and
    where records far outside a range that nobody enforces make a move that grows when they lie a
    hundred times further out.
    """
    if (
        (trial.share >= WITHOUT_BOUND and not _counts_only(trial, neighbors))
        or _overflowed(trial)
        or first_where(*histories, _wrapped) is not None
    ):
        return True
    domains = _unenforced(getattr(neighbors, "records", None))
    for sign in (1, -1) if domains else ():
        near, far = (
            again(Pair(*(_outwards(data, domains, sign * k) for data in trial.datasets))).share
            for k in _FAR
        )
        if far > 2 * near > 0:
            return True
    return False


def _counts_only(trial: Trial, neighbors: Neighbors) -> bool:
    """Whether all that moves moves as counts do: the noise is small, and not the move large."""
    group = int(getattr(neighbors, "group", 1))
    parts = trial.comparison.parts
    return bool(parts) and all(part.shift_l1 <= _COUNTED * group for part in parts)


def _unenforced(records: Any) -> dict[str, tuple[float, float]]:
    """Return the ranges that nobody enforces, by the name of the column; "" of bare numbers."""
    names = getattr(records, "names", ("",))
    domains = getattr(records, "domains", (records,))
    return {
        name: (domain.low, domain.high)
        for name, domain in zip(names, domains, strict=False)
        if not getattr(domain, "enforced", True) and hasattr(domain, "low")
    }


def _outwards(data: Any, domains: dict[str, tuple[float, float]], times: float) -> Any:
    """Return a dataset whose numbers lie so many ranges beyond an end, equal ones alike.

    Those in the half at that end go beyond it, the others beyond the other end.
    """
    if list(domains) == [""] and hasattr(data, "to_numpy"):
        return type(data)(_outside(data.to_numpy(), domains[""], times))
    if type(data).__module__.startswith("pandas"):
        moved = {n: _outside(data[n].to_numpy(), ends, times) for n, ends in domains.items()}
        return data.assign(**moved)
    if isinstance(data, np.ndarray) and data.dtype.names:
        result = data.copy()
        for name, ends in domains.items():
            result[name] = _outside(data[name], ends, times)
        return result
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return [
            {n: _outside(v, domains[n], times) if n in domains else v for n, v in row.items()}
            for row in data
        ]
    if list(domains) != [""]:
        return data
    if isinstance(data, list):
        return [_outside(value, domains[""], times) for value in data]
    return _outside(data, domains[""], times)


def _outside(values: Any, ends: tuple[float, float], times: float) -> Any:
    """Return numbers moved outwards from the middle of a range; what is no number stays."""
    numbers = np.asarray(values)
    if numbers.dtype.kind != "f" and not isinstance(values, (int, float)):
        return values
    low, high = ends
    upper = numbers >= (low + high) / 2
    moved = numbers + np.where(upper, 1, -1) * times * (high - low)
    return moved if isinstance(values, np.ndarray) else float(moved)


def _wrapped(one: Seen, two: Seen) -> bool:
    """Whether a number of few bits changed its sign."""
    if one.numbers is None or two.numbers is None or one.numbers.size != 1 != two.numbers.size:
        return False
    if str(one.structure[0]) not in _NARROW:
        return False
    return bool((one.numbers[0] < 0) != (two.numbers[0] < 0))


def _overflowed(trial: Trial) -> bool:
    """Whether a value before the noise went around the end of an integer type."""
    comparison = trial.comparison
    for one, two in comparison.sinks:
        bases = comparison.left.tape.base(one), comparison.right.tape.base(two)
        if not all(np.array_equal(each, np.rint(each)) for each in bases):
            continue
        low, high = np.minimum(*bases), np.maximum(*bases)
        for bits in (8, 16, 32):
            ends = (low < 0) & (low >= -(2 ** (bits - 1))) & (high < 2 ** (bits - 1))
            if np.any(ends & (high - low >= 2**bits - _NEAR)):
                return True
    return False
