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
    where a record outside a range that nobody enforces made the move, and moves it on when it lies
    ten times further out.
    """
    if (
        trial.share >= WITHOUT_BOUND
        or _overflowed(trial)
        or first_where(*histories, _wrapped) is not None
    ):
        return True
    domain = getattr(neighbors, "records", None)
    if not any(_outside(data, domain) for data in trial.datasets):
        return False
    further = Pair(*(_further(data, domain) for data in trial.datasets))
    return again(further).share > 2 * trial.share


def _further(data: Any, domain: Any) -> Any:
    """Return a dataset whose numbers out of range lie ten times further out."""
    if not isinstance(data, np.ndarray) or data.dtype.kind != "f":
        return data
    with np.errstate(all="ignore"):
        return np.where((data < domain.low) | (data > domain.high), 10 * data, data)


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


def _outside(data: Any, domain: Any) -> bool:
    """Whether data holds a number outside the range of a domain that is not enforced."""
    if getattr(domain, "enforced", True):
        return False
    low, high = getattr(domain, "low", None), getattr(domain, "high", None)
    if low is None or high is None:
        return False
    try:
        numbers = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    with np.errstate(all="ignore"):
        return bool(np.any((numbers < low) | (numbers > high)))
