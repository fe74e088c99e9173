"""Means of records: a sum over some records by how many these are, or by a number where fewer are.

Of n records in [l, u] the sum by max(n, k), with k a whole number from 1 on, lies between 0 and the
records. Where one record comes to n - 1 others, it moves by the record by k where n is at most k,
and else by the record less the mean of the others, by n: the larger of max(|l|, |u|)/k and
(u - l)/(k + 1) is a bound, with l and u beyond 0 on neither side.
"""

from __future__ import annotations

from typing import Any

from dpaudit.checker.cost.arithmetic import scaled
from dpaudit.checker.cost.ends import ONE, ZERO, End, least, less, most
from dpaudit.checker.cost.locations import across
from dpaudit.checker.cost.record_columns import Rows, bounded
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import AtLeast, Change, Unknown
from dpaudit.checker.exact.numbers import Number


def mean(run: Run, rows: Rows, count: Number = ONE) -> Unknown:
    """Return the sum over some records by how many they are, or by a number where fewer are.

    Parameters
    ----------
    run : Run
    rows : Rows
    count : Number
        The whole number, from 1 on.
    """
    each = [bounded(run, values[()]) for values in rows.lanes.values()]
    low, high = least((ZERO, *(x.low for x in each))), most((ZERO, *(x.high for x in each)))
    if not rows.view.changed:
        return Unknown("float", low, high)
    if len(rows.view.before) + len(rows.view.after) > 1:
        return Unknown("float", low, high, across(low, high))
    far = most((-low / count, high / count, (high - low) / (count + 1)))
    return Unknown("float", low, high, Change(-far, far))


def quotient(run: Run, a: Any, b: Any, usual: Any) -> Any:
    """Return a quotient that is a mean, or a known multiple of one, with what is known of means.

    Parameters
    ----------
    run : Run
    a, b : value
    usual : value
        What is known of any quotient.
    """
    if run.lane is not None or not isinstance(a, Unknown) or not isinstance(b, Unknown):
        return usual
    (rows, factor), (by, once) = a.sum_of or (None, ONE), b.sum_of or (None, ONE)
    if not isinstance(rows, Rows) or rows.rest or not isinstance(by, AtLeast):
        return usual
    if rows.view is not by.of or once != ONE:
        return usual
    average = scaled(mean(run, rows, by.count), factor, "float")
    return usual if less(_far(usual), _far(average)) else average


def _far(of: Unknown) -> End:
    """Return how far a number moves at most."""
    fallen, risen = of.change.ends()
    return most((-fallen, risen))
