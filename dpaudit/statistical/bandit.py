"""Which pair and which way of drawing gets the next batch.

Any rule that looks only at the past keeps the bets valid. This one plays the stream with the
largest optimistic evidence per call; streams without evidence are thereby played evenly. Many
streams that are equally telling would starve each other that way, before any of them has earned
back what its bets cost to learn: so the stream whose best bet in hindsight earned most per call,
beyond what luck explains, has the focus. It gets three quarters of the calls at first, but a
quarter over the whole budget, and the rest makes up for it to those that were left behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import WARM_UP, Contender, Mode

OPTIMISM = 1 / 7  # of the evidence needed is credited to a stream before it earned any
FOCUS = (0.75, 0.25)  # of the calls go to streams that have the focus: at first, and in all
FOCUS_FROM = 500  # calls, before which no stream has it
STEP = 0.25  # of a stream's calls are made at once while it has the focus
LUCK = 2.5  # nats that the best bet of a stream may earn in hindsight without a leak
NULL_SHARE = 0.1  # of a pair's calls that go to labels, where only the null check bets on them


@dataclass(frozen=True, slots=True)
class Arm:
    """A stream of draws of one pair."""

    contender: Contender
    mode: Mode

    @property
    def step(self) -> int:
        """How many calls it makes at once while it has the focus: few come too many."""
        return max(WARM_UP, int(STEP * self.contender.calls[self.mode]))


def next_arm(
    contenders: Iterable[Contender], wealth: dict[tuple[int, Mode], float], target: float
) -> Arm:
    """Return the stream to draw from.

    Parameters
    ----------
    contenders : iterable of Contender
    wealth : dict of (pair index, mode) to float
        Log wealth of each stream so far.
    target : float
        Log wealth that would end the audit.
    """
    best: tuple[float, Arm] | None = None
    for contender in contenders:
        for mode in _open_modes(contender):
            earned = max(0.0, wealth.get((contender.index, mode), 0.0))
            index = (earned + OPTIMISM * target) / (contender.calls[mode] + WARM_UP)
            if best is None or index > best[0]:
                best = index, Arm(contender, mode)
    assert best is not None, "an audit has at least one pair"
    return _checked(best[1])


@dataclass(slots=True)
class Focus:
    """The stream that looks most telling in hindsight gets most of the calls, for a while."""

    given: int = 0  # calls to whichever stream had the focus
    _known: dict[tuple[int, Mode], tuple[int, float]] = field(default_factory=dict)

    def next_arm(
        self, contenders: Sequence[Contender], stakes: Stakes, allowed: float
    ) -> Arm | None:
        """Return the stream that has the focus, if one looks telling and is behind its share.

        Parameters
        ----------
        contenders : sequence of Contender
        stakes : Stakes
        allowed : float
            Calls that the budget allows.
        """
        calls = sum(contender.total_calls for contender in contenders)
        share = float(np.interp(calls / allowed, (0.0, 1.0), FOCUS))
        if self.given > share * (calls - FOCUS_FROM):
            return None
        streams = [Arm(c, mode) for c in contenders for mode in _open_modes(c)]
        beyond = [
            (self._hindsight(arm, stakes) - LUCK) / (arm.contender.calls[arm.mode] + WARM_UP)
            for arm in streams
        ]
        best = int(np.argmax(beyond))
        return _checked(streams[best]) if beyond[best] > 0 else None

    def _hindsight(self, arm: Arm, stakes: Stakes) -> float:
        """Return what the best bet of a stream would have earned, remembered until it draws."""
        place, calls = (arm.contender.index, arm.mode), arm.contender.calls[arm.mode]
        known = self._known.get(place)
        if known is None or known[0] != calls:
            known = calls, arm.contender.books[arm.mode].hindsight(stakes)
            self._known[place] = known
        return known[1]


def _checked(arm: Arm) -> Arm:
    """Return the arm, or the labels of its pair where the null check is behind its share."""
    contender = arm.contender
    labels_only_check = "label" not in contender.modes
    if labels_only_check and contender.calls["label"] < NULL_SHARE * contender.total_calls:
        return Arm(contender, "label")
    return arm


def _open_modes(contender: Contender) -> tuple[Mode, ...]:
    """Return the streams worth drawing from: coupling that is not possible gains nothing."""
    lost = contender.flags & {"unseeded", "coupling-lost"}
    rest = tuple(m for m in contender.modes if not (lost and m == "coupled"))
    return rest or contender.modes
