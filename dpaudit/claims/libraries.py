"""Claims that libraries make of themselves: OpenDP's map, an accountant's epsilon, an attribute."""

from __future__ import annotations

from typing import Any

from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.renyi import ZeroConcentratedDP

_APPROXIMATE = ("Approximate(MaxDivergence)", "FixedSmoothedMaxDivergence")


def from_opendp(measurement: Any, d_in: Any) -> Claim:
    """Return the claim of an OpenDP measurement.

    Parameters
    ----------
    measurement : opendp.Measurement
    d_in : number
        Distance of neighbors in the measurement's input metric, such as 1 for one record that is
        added or removed under the symmetric distance.

    Returns
    -------
    Claim
        What ``measurement.map(d_in)`` says, in its output measure.

    Raises
    ------
    TypeError
        Where it has no `map` and no `output_measure`.
    ValueError
        Where the measure is none that a claim of dpaudit has a form for.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> fake = SimpleNamespace(output_measure="MaxDivergence", map=lambda d_in: d_in / 2.0)
    >>> from_opendp(fake, 1.0)
    PureDP(0.5)
    """
    if not callable(getattr(measurement, "map", None)) or not hasattr(
        measurement, "output_measure"
    ):
        raise TypeError(
            f"`measurement` must have a map and an output_measure, got {measurement!r:.80}; "
            "give a measurement of OpenDP"
        )
    measure = str(measurement.output_measure)
    said = measurement.map(d_in)
    if measure == "MaxDivergence":
        return PureDP(float(said))
    if measure == "ZeroConcentratedDivergence":
        return ZeroConcentratedDP(float(said))
    if measure in _APPROXIMATE:
        epsilon, delta = said
        return _claim(epsilon, delta)
    raise ValueError(
        f"the output measure {measure} has no one claim; fix its delta, such as by "
        "opendp.combinators.make_fix_delta(measurement, 1e-6)"
    )


def from_diffprivlib(made: Any) -> Claim:
    """Return the claim of a mechanism, model or budget accountant of diffprivlib.

    Parameters
    ----------
    made : diffprivlib mechanism, model or BudgetAccountant
        Anything with ``total()``, which gives epsilon and delta of all that was spent, or with an
        attribute `epsilon` and perhaps `delta`.

    Returns
    -------
    PureDP or ApproxDP

    Raises
    ------
    TypeError
        Where it says neither.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from_diffprivlib(SimpleNamespace(epsilon=0.5, delta=0.0))
    PureDP(0.5)
    """
    if callable(getattr(made, "total", None)):
        return _claim(*made.total())
    epsilon = getattr(made, "epsilon", None)
    if epsilon is None:
        raise TypeError(
            f"{made!r:.80} has neither an epsilon nor a total; give a mechanism, a model or a "
            "BudgetAccountant of diffprivlib"
        )
    return _claim(epsilon, getattr(made, "delta", None) or 0.0)


def from_accountant(accountant: Any, delta: float) -> Claim:
    """Return the claim of what an accountant of dp-accounting or Opacus has counted.

    Parameters
    ----------
    accountant : dp_accounting.PrivacyAccountant or opacus.accountants.IAccountant
        Anything with ``get_epsilon(delta)``.
    delta : float

    Returns
    -------
    PureDP or ApproxDP
        At this delta, under the accountant's own neighboring relation.

    Raises
    ------
    TypeError
        Where it has no `get_epsilon`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from_accountant(SimpleNamespace(get_epsilon=lambda delta: 2.0), 1e-6)
    ApproxDP(2.0, 1e-06)
    """
    ask = getattr(accountant, "get_epsilon", None)
    if not callable(ask):
        raise TypeError(
            f"{accountant!r:.80} has no get_epsilon; give an accountant of dp-accounting or Opacus"
        )
    return _claim(ask(delta), delta)


def _claim(epsilon: Any, delta: Any) -> Claim:
    return ApproxDP(float(epsilon), float(delta)) if delta else PureDP(float(epsilon))
