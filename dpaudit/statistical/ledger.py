"""One declared α, spent in shares; what was spent never exceeds it."""

from __future__ import annotations

import math


class Ledger:
    """Books every test of an audit against one error probability.

    Parameters
    ----------
    alpha : float
        Probability of a false refutation over the whole audit.

    Notes
    -----
    A test booked with a share s of α rejects when its e-value reaches 1/(s·α); by Ville's
    inequality and the union bound the whole audit errs with probability at most Σ s·α ≤ α.
    """

    def __init__(self, alpha: float) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"`alpha` must lie in (0, 1), got {alpha!r}; 1e-6 is usual")
        self.alpha = alpha
        self.booked: dict[str, float] = {}

    def book(self, test: str, share: float) -> float:
        """Book a test and return the log e-value at which it rejects.

        Raises
        ------
        ValueError
            If the shares together would exceed one, or the test was booked before.
        """
        if test in self.booked:
            raise ValueError(f"the test {test!r} is in the ledger already")
        if share <= 0 or sum(self.booked.values()) + share > 1 + 1e-9:
            raise ValueError(f"no share of {share:g} is left for {test!r}")
        self.booked[test] = share
        return -math.log(share * self.alpha)

    @property
    def spent(self) -> float:
        """Error probability booked so far, never more than `alpha`."""
        return min(self.alpha, math.fsum(self.booked.values()) * self.alpha)
