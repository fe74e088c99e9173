"""The obligations of the float analysis, met or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpaudit.floats.values import DOUBLE, INF, SLACK, Num, Refused

CROSSING = 2.0**-28  # probability that rounding decides one comparison
RELATIVE = 2.0**-20  # of a probability, or of 1 less it
SHARE = 2.0**-10  # of the privacy loss that is claimed


@dataclass(slots=True)
class Ledger:
    """What the obligations come to.

    Attributes
    ----------
    loss : float
        Sum of 2·eta/b over the releases.
    crossing : float
        Sum of the probabilities that rounding decides a comparison of noise.
    strict : bool
        Whether noise may be used without being paid for as a release.
    margin : float
        By which factor the obligations must hold with room to spare.
    worst : str
        The place of the largest loss.
    """

    loss: float = 0.0
    crossing: float = 0.0
    worst: str = ""
    margin: float = 1.0
    strict: bool = True
    repeats: list[float] = field(default_factory=lambda: [1.0])
    _largest: float = 0.0

    def release(self, number: Num, width: float, size: float, place: str, exact: bool) -> None:
        """Charge the error of what noise of that width is added to."""
        if number.eta == 0:
            return
        if exact or width <= 0 or number.eta == INF:
            what = "noise of an unknown scale" if number.eta < INF else "noise"
            what = "discrete noise" if exact and number.eta < INF else what
            raise Refused(
                f"{what} is added to a value of magnitude up to {number.most:.3g} whose rounding "
                f"error may be {number.eta:.3g}", place,
            )  # fmt: skip
        own = 2 * number.eta / width * size * self.repeats[-1] * SLACK
        self.loss += own
        if own > self._largest:
            self._largest, self.worst = own, place

    def compare(self, noise: float, error: float, place: str, size: float) -> None:
        """Charge the probability that noise of that width lies within an error of a threshold."""
        if error == 0:
            return
        chance = 4 * error / noise if noise > 0 else INF
        if not chance * self.margin <= CROSSING:
            shown = "an unknown chance" if chance == INF else f"probability up to {chance:.2g}"
            raise Refused(
                f"rounding decides a comparison of noise with {shown}; at most 2^-28 is allowed",
                place,
            )
        self.crossing += chance * size * self.repeats[-1] * SLACK

    def probability(self, number: Num, place: str, *, step: float = DOUBLE) -> None:
        """Require that floats keep a probability and 1 less it."""
        error = number.error + step
        low, high = number.low, number.high
        if low == high and low in (0.0, 1.0) and number.error == 0:
            return
        if low > high or high < 0 or low > 1 or number.error == INF:
            return self._lost(number, place)
        # Where it may touch 0 or 1, the mass that is lost counts as a crossing.
        inner = min(low, 1 - high)
        if inner <= 0 and low != high:
            return self.compare(1.0, error, place, number.size)
        if inner <= 0 or error * self.margin > RELATIVE * inner:
            return self._lost(number, place)
        return None

    def _lost(self, number: Num, place: str) -> None:
        raise Refused(
            f"a probability in [{number.low:.6g}, {number.high:.6g}] with an error up to "
            f"{number.error:.2g} is not known to 2^-20 of itself and of 1 less it", place,
        )  # fmt: skip

    def saved(self) -> tuple[Any, ...]:
        """Return the state, for `restore`."""
        return self.loss, self.crossing, self.worst, self._largest

    def restore(self, state: tuple[Any, ...]) -> None:
        """Forget what was charged since."""
        self.loss, self.crossing, self.worst, self._largest = state
