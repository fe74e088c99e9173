"""The obligations of the float analysis, met or not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.floats.values import (
    DOUBLE,
    FRESH,
    HIDING,
    INF,
    SHOWN,
    SLACK,
    Many,
    Num,
    Refused,
    flat,
    leaves,
)

CROSSING = 2.0**-28  # probability that rounding decides one comparison
RELATIVE = 2.0**-20  # of a probability, or of 1 less it
SHARE = 2.0**-10  # of the privacy loss that is claimed


@dataclass(slots=True)
class Ledger:
    """What the obligations come to.

    Attributes
    ----------
    loss : float
        Sum of 2·error/b over the releases.
    crossing : float
        Sum of the probabilities that rounding decides a comparison of noise.
    strict : bool
        Whether noise may be used without being paid for as a release.
    margin : float
        By which factor the obligations must hold with room to spare.
    worst : str
        The place of the largest loss.
    shown : set of int
        Draws that were used as they are, so that a proof may take them for released.
    uniform : set of int
        Uniform draws: an error moves probability across their borders, and costs no loss.
    parts : dict of int to tuple of Num and Num
        Some entries of an array, by their identity, and the array.
    """

    loss: float = 0.0
    crossing: float = 0.0
    worst: str = ""
    margin: float = 1.0
    strict: bool = True
    repeats: list[float] = field(default_factory=lambda: [1.0])
    shown: set[int] = field(default_factory=set)
    uniform: set[int] = field(default_factory=set)
    parts: dict[int, tuple[Num, Num]] = field(default_factory=dict)
    _largest: float = 0.0

    def is_fresh(self, number: Num) -> bool:
        """Return whether its noise has hidden nothing, and nobody has seen it."""
        noise = number.noise
        return noise is not None and noise.role == FRESH and not noise.draws & self.shown

    def show(self, value: Any) -> None:
        """Note that noise is used as it is. Other proofs than those by cost keep it hidden."""
        if not self.strict:
            for number in leaves(value):
                self.shown |= number.noise.draws if number.noise is not None else set()

    def is_bare(self, number: Num) -> bool:
        """Return whether it is private and no noise hides it."""
        shown = number.noise is not None and number.noise.role == SHOWN and not self.strict
        return number.private and (number.noise is None or shown)

    def settle(self, value: Any, place: str) -> None:
        """Charge the error of what leaves to the noise in it."""
        if isinstance(value, Many):
            for item in value.items:
                self.settle(item, place)
            return
        number = flat(value)
        if not isinstance(number, Num) or not number.private or number.error == 0:
            return
        noise = number.noise
        if self.strict and (noise is None or noise.width == 0 or noise.discrete):
            return  # such a proof is about the values themselves, or about noise of this form
        if noise is None or (noise.role == SHOWN and not self.strict):
            raise Refused(
                f"no noise hides a rounding error up to {number.error:.3g}, which may differ "
                f"between neighboring datasets", place,
            )  # fmt: skip
        self.release(number, noise.width, number.size, place, noise.discrete)

    def released(self, number: Num, place: str) -> Num:
        """Return a number that noise hides as one that left, where a proof pays for it here."""
        noise = number.noise
        if self.strict or not number.private or noise is None or noise.role != HIDING:
            return number
        self.settle(number, place)
        return replace(number, noise=replace(noise, role=SHOWN), private=False)

    def release(self, number: Num, width: float, size: float, place: str, exact: bool) -> None:
        """Charge the error of what noise of that width is added to."""
        if number.error == 0:
            return
        if exact or width <= 0 or number.error == INF:
            what = "noise of an unknown scale" if number.error < INF else "noise"
            what = "discrete noise" if exact and number.error < INF else what
            raise Refused(
                f"{what} is added to a value of magnitude up to {number.most:.3g} whose rounding "
                f"error may be {number.error:.3g}", place,
            )  # fmt: skip
        own = 2 * number.error / width * size * self.repeats[-1] * SLACK
        self.loss += own
        if own > self._largest:
            self._largest, self.worst = own, place

    def compare(self, noise: float, error: float, place: str, size: float) -> None:
        """Charge the probability that noise of that width lies within an error of a threshold."""
        if error == 0:
            return
        chance = 4 * error / noise if noise > 0 else INF
        if not chance * self.margin <= CROSSING:
            shown = f" with probability up to {chance:.2g}; at most 2^-28 is allowed"
            shown = ", and dpaudit cannot bound how often" if chance == INF else shown
            raise Refused(
                f"rounding could change the result of a comparison with noise{shown}", place
            )
        self.crossing += chance * size * self.repeats[-1] * SLACK

    def probability(self, number: Num, place: str, *, step: float = DOUBLE) -> None:
        """Require that floats keep a probability and 1 less it, unless it was released itself."""
        if not (self.strict or number.private) and number.noise and number.noise.role == SHOWN:
            return None
        error = number.error + step
        low, high = number.low, number.high
        if low == high and low in (0.0, 1.0) and number.error == 0:
            return None
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
