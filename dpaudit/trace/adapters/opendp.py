"""Measurements of OpenDP: their noise is compiled, and their own maps say what it pays for.

A measurement is the pair of a function and of a map from distances of its arguments to the privacy
that they cost. The same release on both sides of a pair costs what the map says of the distance of
the two arguments.

References
----------
Gaboardi, Hay & Vadhan, A Programming Framework for OpenDP, 2020.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpaudit.extras import optional
from dpaudit.trace.adapters.primitive import Noise, Primitive
from dpaudit.trace.draws import Cost, Request
from dpaudit.trace.switch import plain

KIND = "opendp.measurement"
_MOST_RECORDS = 2_000  # of an argument whose edit distance is computed


def primitives() -> Iterator[Primitive]:
    """Yield the functions that every release goes through."""
    core = optional("opendp.core")
    yield Primitive(core, "measurement_invoke", _measurement)
    yield Primitive(core, "queryable_eval", _query)


def _measurement(this: Any, arg: Any) -> Noise:
    return Noise(KIND, {"measurement": this, "value": arg}, price)


def _query(queryable: Any, query: Any) -> Noise:
    """Describe an answer of a queryable, which keeps the data to itself: nothing can price it."""
    return Noise("opendp.query", {"queryable": queryable, "value": query})


def price(one: Request, two: Request) -> Cost | None:
    """Return what the same release of two arguments costs by the measurement's own map.

    Parameters
    ----------
    one, two : Request

    Returns
    -------
    Cost or None
        None where the distance of the arguments is not known here, or the privacy is neither pure
        DP nor zCDP.

    Notes
    -----
    It takes the map at its word. That the map is right is for the statistical engine to see.
    """
    first, second = one.arguments["measurement"], two.arguments["measurement"]
    values = plain(one.arguments["value"]), plain(two.arguments["value"])
    apart = distance(str(first.input_metric.type), *values)
    if apart is None or not math.isfinite(apart):
        return None
    units = [_paid(each, 1.0) for each in (first, second)]
    if units[0] is None or units[1] is None or 0.0 in units:
        return None
    if not math.isclose(units[0], units[1], rel_tol=1e-9):
        return Cost(0.0, 0.0, apart, (1 / units[0], 1 / units[1]))
    if apart == 0:
        return Cost(0.0, 0.0, 0.0)
    paid = _paid(first, apart)
    if paid is None:
        return None
    gaussian = _measure(first) == "ZeroConcentratedDivergence"
    return Cost(0.0, paid * paid, apart) if gaussian else Cost(paid, 0.0, apart)


def _measure(measurement: Any) -> str:
    return str(measurement.output_measure.type).rpartition(":")[2]


def _paid(measurement: Any, apart: float) -> float | None:
    """Return the epsilon of pure DP, or the μ of zCDP with ``ρ = μ²/2``, of a distance."""
    whole = str(measurement.input_distance_type)[:1] in "iu"
    try:
        cost = float(measurement.map(math.ceil(apart) if whole else float(apart)))
    except Exception:  # a map that is not defined there; the library's error is its own class
        return None
    if _measure(measurement) == "ZeroConcentratedDivergence":
        return math.sqrt(2 * cost)
    return cost if _measure(measurement) == "MaxDivergence" else None


def distance(metric: str, one: Any, two: Any) -> float | None:
    """Return how far two arguments are apart.

    Parameters
    ----------
    metric : str
        As OpenDP writes it: ``"L1Distance<f64>"``.
    one, two : object

    Returns
    -------
    float or None
        None for a metric or arguments that are not known here.

    Examples
    --------
    >>> distance("SymmetricDistance", [1, 2, 2], [2, 3])
    3.0
    """
    name = metric.partition("<")[0].rpartition(":")[2]
    if name in ("SymmetricDistance", "ChangeOneDistance", "InsertDeleteDistance"):
        return _between_datasets(name, one, two)
    if name == "HammingDistance":
        same = np.shape(one) == np.shape(two)
        return float(sum(a != b for a, b in zip(one, two, strict=True))) if same else None
    if name == "DiscreteDistance":
        return float(one != two)
    try:
        arrays = [np.asarray(each, dtype=np.float64) for each in (one, two)]
    except (TypeError, ValueError):
        return None
    if arrays[0].shape != arrays[1].shape:
        return None
    difference = np.abs(arrays[0] - arrays[1]).ravel()
    if name in ("AbsoluteDistance", "L1Distance"):
        return float(difference.sum())
    if name == "L2Distance":
        return float(np.sqrt((difference**2).sum()))
    return float(difference.max(initial=0.0)) if name == "LInfDistance" else None


def _between_datasets(name: str, one: Any, two: Any) -> float | None:
    if not all(isinstance(each, (list, tuple, np.ndarray)) for each in (one, two)):
        return None
    if max(len(one), len(two)) > _MOST_RECORDS:
        return None
    left, right = ([str(each) for each in data] for data in (one, two))
    if name == "InsertDeleteDistance":
        return float(len(left) + len(right) - 2 * _common(left, right))
    counts = Counter(left), Counter(right)
    both = counts[0] - counts[1], counts[1] - counts[0]
    if name == "ChangeOneDistance":
        return float(both[0].total()) if len(left) == len(right) else None
    return float(both[0].total() + both[1].total())


def _common(one: list[str], two: list[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(two) + 1)
    for left in one:
        before = 0
        for j, right in enumerate(two, start=1):
            kept = row[j]
            row[j] = before + 1 if left == right else max(row[j], row[j - 1])
            before = kept
    return row[-1]
