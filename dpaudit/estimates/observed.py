"""What the events that were bet on show: errors, and the privacy profile, with a band."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims import Claim
from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.proportions import anytime_limits
from dpaudit.estimates.region import hull
from dpaudit.sightings import CellCounts

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
ALPHAS = np.linspace(0.0, 1.0, 201)
EPSILONS = 241  # points of a profile
FARTHEST = (0.5, 12.0)  # nats; a profile ends between them


@dataclass(frozen=True, slots=True, eq=False)
class ObservedEvents:
    """Rates of events that were fixed before their draws, with limits that hold all at once.

    Attributes
    ----------
    p, q : ndarray, shape (k,)
        Rates on the left and on the right dataset.
    p_low, p_high, q_low, q_high : ndarray, shape (k,)
    draws, cells : int
    confidence : float
        Of all limits together, whichever pair and cells were picked after looking.
    """

    p: Floats
    q: Floats
    p_low: Floats
    p_high: Floats
    q_low: Floats
    q_high: Floats
    draws: int
    cells: int
    confidence: float

    @staticmethod
    def of(cells: CellCounts, confidence: float = CONFIDENCE) -> ObservedEvents:
        """Return the first cells of each order, each cell alone, and their complements."""
        counted = [np.asarray(side) for side in (cells.left, cells.right)]
        orders = [np.asarray(order, dtype=np.intp) for order in cells.orders]
        totals = [int(side.sum()) for side in counted]
        events = [np.concatenate([*(np.cumsum(c[o])[:-1] for o in orders), c]) for c in counted]
        miss = (1 - confidence) * cells.share / (2 * len(events[0]))
        rates: list[Floats] = []
        limits = anytime_limits(np.stack(events), np.array(totals)[:, np.newaxis], miss)
        for seen, total, low, high in zip(events, totals, *limits, strict=True):
            rate = seen / max(total, 1)
            # The limits of an event are those of its complement, mirrored.
            rates += [np.append(a, 1 - b) for a, b in ((rate, rate), (low, high), (high, low))]
        p, p_low, p_high, q, q_low, q_high = rates
        return ObservedEvents(
            p, q, p_low, p_high, q_low, q_high, sum(totals), len(counted[0]), confidence
        )

    @property
    def method(self) -> str:
        """How the band was made, in words."""
        return (
            f"limits that hold at any time, of {len(self.p)} events made of {self.cells} cells "
            "that were fixed before. The error is shared with all pairs and cells that were tried"
        )

    def tradeoff(self) -> Estimate:
        """Return the least miss rate β of these events, at each false-alarm rate α.

        Notes
        -----
        An event of rates (p, q) is a test that takes the right dataset for the left one with
        probability α = q, and misses the left one with β = 1 − p. Coins between two tests reach
        every point between them: hence the convex hull.
        """
        value, low, high = (
            1 - np.interp(ALPHAS, *hull(levels, powers))
            for levels, powers in (
                (self.q, self.p),
                (self.q_low, self.p_high),
                (self.q_high, self.p_low),
            )
        )
        return self._curve(
            ALPHAS, "α", value, Interval(low, high), "trade-off of the observed events",
            "the upper end holds for the mechanism, the lower end for these events alone",
        )  # fmt: skip

    def profile(self, claim: Claim, *, reaching: float = 0.0) -> Estimate:
        """Return the greatest p − e^ε q of these events, over the ε that matter to a claim.

        Parameters
        ----------
        claim : Claim
        reaching : float
            An ε to be among them, unless it is far out.
        """
        farthest = max(self._farthest(claim), min(1.2 * reaching, FARTHEST[1]))
        slopes = claim.log_slopes()
        corners = np.concatenate([slopes, slopes - 1e-6])  # where the claim's own profile bends
        at = np.linspace(0.0, farthest, EPSILONS)
        at = np.union1d(at, corners[(corners > 0) & (corners < farthest)])
        factor = np.exp(at)[:, None]
        value, low, high = (
            np.maximum((p - factor * q).max(axis=1), 0.0)
            for p, q in (
                (self.p, self.q),
                (self.p_low, self.q_high),
                (self.p_high, self.q_low),
            )
        )
        return self._curve(
            at, "ε (nats)", value, Interval(low, high), "privacy profile of the observed events",
            "the lower end holds for the mechanism, the upper end for these events alone",
        )  # fmt: skip

    def _curve(
        self, at: Floats, axis: str, value: Floats, band: Interval, quantity: str, valid_for: str
    ) -> Estimate:
        return Estimate(
            value=value,
            confidence_interval=band,
            method=self.method,
            n=self.draws,
            quantity=quantity,
            confidence=self.confidence,
            valid_for=valid_for,
            unit="probability",
            at=at,
            axis=axis,
        )

    def _farthest(self, claim: Claim) -> float:
        slopes = claim.log_slopes()
        with np.errstate(divide="ignore"):
            seen = np.log(self.p_low) - np.log(self.q_high)
        own = claim.parameter
        named = own[1] if own is not None else float(np.median(slopes))
        wanted = max(2 * named, 1.4 * float(seen.max()))
        return float(np.clip(wanted, *FARTHEST))
