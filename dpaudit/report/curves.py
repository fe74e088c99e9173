"""What a claim allows, and what was observed beside it, as points of curves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from dpaudit.claims import Claim

POINTS = 41
_FARTHEST = (0.5, 12.0)  # nats; a profile ends between them
_DIGITS = 6


def claim_curves(claim: Claim) -> dict[str, list[float]] | None:
    """Return the trade-off curve and the privacy profile of a claim, for pictures.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    dict or None
        ``alphas`` and ``betas``, ``epsilons`` (nats) and ``deltas``, of `POINTS` numbers each,
        rounded to six digits; None where the claim cannot be evaluated.
    """
    try:
        return {name: list(values) for name, values in _curves(cast("Any", claim)).items()}
    except Exception:  # a claim of the user's own function, or one that cannot be hashed
        return None


@lru_cache(maxsize=512)
def _curves(claim: Claim) -> dict[str, list[float]]:
    slopes = np.asarray(claim.log_slopes(), dtype=float)
    own = claim.parameter
    named = own[1] if own is not None and own[0] == "epsilon" else float(np.median(slopes))
    farthest = float(np.clip(2 * named, *_FARTHEST))
    alphas, epsilons = np.linspace(0.0, 1.0, POINTS), np.linspace(0.0, farthest, POINTS)
    return {
        "alphas": _rounded(alphas),
        "betas": _rounded(claim.beta(alphas)),
        "epsilons": _rounded(epsilons),
        "deltas": _rounded(claim.delta(epsilons)),
    }


def observed_curves(sightings: Mapping[str, Any], epsilons: list[float]) -> dict[str, Any] | None:
    """Return what the events of a pair show, with limits that hold all at once.

    Parameters
    ----------
    sightings : mapping
        Of an engine's evidence, as JSON holds them.
    epsilons : list of float
        Where the profile is wanted, in nats.

    Returns
    -------
    dict or None
        ``tradeoff`` and ``profile``, each with ``at``, ``value``, ``low`` and ``high``, and the
        ``confidence``; None where no draw came after the cells were fixed.
    """
    cells = sightings.get("cells")
    if cells is None or not sum(cells["left"]) or not sum(cells["right"]):
        return None
    from dpaudit.estimates.observed import ObservedEvents
    from dpaudit.sightings import CellCounts

    orders = tuple(tuple(order) for order in cells["orders"])
    counts = CellCounts(tuple(cells["left"]), tuple(cells["right"]), orders, cells["share"])
    events = ObservedEvents.of(counts)
    at = np.asarray(epsilons)
    factor = np.exp(at)[:, None]
    value, low, high = (
        np.maximum((p - factor * q).max(axis=1), 0.0)
        for p, q in (
            (events.p, events.q),
            (events.p_low, events.q_high),
            (events.p_high, events.q_low),
        )
    )
    errors = events.tradeoff()
    return {
        "confidence": events.confidence,
        "draws": events.draws,
        "tradeoff": {
            "at": _thinned(errors.at),
            "value": _thinned(errors.value),
            "low": _thinned(errors.confidence_interval.low),
            "high": _thinned(errors.confidence_interval.high),
        },
        "profile": {"at": at, "value": value, "low": low, "high": high},
    }


def _thinned(values: Any) -> Any:
    """Return one point in five, the last one among them."""
    return np.asarray(values, dtype=float)[::5]


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in np.asarray(values, dtype=float)]
