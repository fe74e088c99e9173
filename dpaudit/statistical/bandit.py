"""Which pair and which way of drawing gets the next batch.

Any rule that looks only at the past keeps the bets valid. This one plays the stream with the
largest optimistic evidence per call; streams without evidence are thereby played evenly. Many
streams that are equally telling would starve each other that way, before any of them has earned
back what its bets cost to learn: so one stream at a time has the focus, the one whose best bet in
hindsight did best, and gets a quarter of the calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import Contender, Mode

OPTIMISM = 1 / 7  # of the evidence needed is credited to a stream before it earned any
FOCUS = 0.25  # of the calls go to the stream that has the focus
FOCUS_FROM = 2_000  # calls, before which no stream has it
FOCUS_GROWTH = 2.0  # of the calls, until the focus is given anew
NULL_SHARE = 0.1  # of a pair's calls that go to labels, where only the null check bets on them


@dataclass(frozen=True, slots=True)
class Arm:
    """A stream of draws of one pair."""

    contender: Contender
    mode: Mode


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
            index = (earned + OPTIMISM * target) / (contender.calls[mode] + 8)
            if best is None or index > best[0]:
                best = index, Arm(contender, mode)
    assert best is not None, "an audit has at least one pair"
    return _checked(best[1])


@dataclass(slots=True)
class Focus:
    """The stream that gets a quarter of the calls, for a while."""

    arm: Arm | None = None
    given: int = 0  # calls to whichever stream had the focus
    due: float = FOCUS_FROM

    def next_arm(self, contenders: Sequence[Contender], stakes: Stakes) -> Arm | None:
        """Return the stream that has the focus, if it is behind its share of the calls.

        Parameters
        ----------
        contenders : sequence of Contender
        stakes : Stakes
        """
        calls = sum(contender.total_calls for contender in contenders)
        if calls >= self.due:
            streams = [Arm(c, mode) for c in contenders for mode in _open_modes(c)]
            self.arm = max(streams, key=lambda a: a.contender.books[a.mode].hindsight(stakes))
            self.due = FOCUS_GROWTH * calls
        if self.arm is None or self.given > FOCUS * (calls - FOCUS_FROM):
            return None
        return _checked(self.arm)


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
