"""Which pair and which way of drawing gets the next batch.

Any rule that looks only at the past keeps the bets valid. This one plays the stream with the
largest optimistic evidence per call; streams without evidence are thereby played evenly. Many
streams that are equally telling would starve each other that way, before any of them has earned
back what its bets cost to learn: so the stream whose best bet in hindsight earned most per call,
beyond what luck explains, has the focus. It gets three quarters of the calls at first, but a
quarter over the whole budget, and the rest makes up for it to those that were left behind. In the
first half of the budget, streams with poor prospects (see `prospect`) are credited less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import WARM_UP, Contender, Mode
from dpaudit.statistical.earned import Earned
from dpaudit.statistical.prospect import Prospect
from dpaudit.worker import UNCOUPLED

OPTIMISM = 1 / 7  # of the evidence needed is credited to a stream before it earned any
FOCUS = (0.75, 0.25)  # of the calls go to streams that have the focus: at first, and in all
FOCUS_FROM = 500  # calls, before which no stream has it
STEP = 0.25  # of a stream's calls are made at once while it has the focus
# Nats that the best bet of a stream may earn in hindsight without a leak; labels have more bets.
LUCK = {"label": 2.5, "coupled": 2.0, "independent": 2.0}
POOR = 0.2  # of the evidence credited to a stream, at least, if one of two things speaks against it
LEAST_WEIGHT = 0.1  # if both do
LABELS_PAY = 2.0  # times as much a call as pairs, for outputs of one side alone
EVEN_FROM = 0.5  # of the budget, from where on all streams are credited the same
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


Weight = Callable[[Contender, Mode], float]
Promise = Callable[[Contender], float]


def alike(*_: object) -> float:
    """Credit every stream the same."""
    return 1.0


def nothing(_: Contender) -> float:
    """Promise nothing."""
    return 0.0


@dataclass(slots=True)
class Outlook:
    """How much of the evidence credited to streams their prospects leave; late, all of it.

    Parameters
    ----------
    stakes : Stakes
    target : float
        Log wealth that would end the audit.
    """

    stakes: Stakes
    target: float
    spent: float = 0.0  # part of the budget
    _known: dict[int, tuple[int, Prospect]] = field(default_factory=dict)
    _promised: dict[int, tuple[int, float]] = field(default_factory=dict)

    def __call__(self, contender: Contender, mode: Mode) -> float:
        """Return the weight of a stream, above 0 and at most 1."""
        late = self.spent / EVEN_FROM
        if "coupled" not in contender.modes or late >= 1:
            return 1.0
        seen = self._prospect(contender)
        # An event with this deviation comes up to the claim by as many nats of luck.
        hope = max(0.0, 1 + seen.deviation / sqrt(2 * OPTIMISM * self.target)) ** 2
        weight = max(POOR, hope)
        if mode != "coupled" and "coupled" in _open_modes(contender):
            weight *= max(POOR, seen.uncoupled)
        return late + (1 - late) * max(LEAST_WEIGHT, weight)

    def promised(self, contender: Contender) -> float:
        """Return what a label draw seems to earn at the ends of the outputs (nats)."""
        epsilon, pool = self.stakes.epsilon, contender.pool
        if epsilon is None or (edges := contender.books["label"].edges) is None:
            return 0.0
        known = self._promised.get(contender.index)
        if known is None or known[0] != pool.draws:
            known = pool.draws, edges.promised(pool.side(0), pool.side(1), epsilon)
            self._promised[contender.index] = known
        return known[1]

    def _prospect(self, contender: Contender) -> Prospect:
        """Return what coupled draws of a pair suggest, remembered until there are more."""
        calls = contender.calls["coupled"]
        known = self._known.get(contender.index)
        if known is None or known[0] != calls:
            known = calls, contender.books["coupled"].prospect(self.stakes)
            self._known[contender.index] = known
        return known[1]


def next_arm(
    contenders: Iterable[Contender],
    earned: dict[tuple[int, Mode], Earned],
    target: float,
    outlook: Weight = alike,
    promise: Promise = nothing,
) -> Arm:
    """Return the stream to draw from.

    Parameters
    ----------
    contenders : iterable of Contender
    earned : dict of (pair index, mode) to Earned
        What each stream has earned so far.
    target : float
        Log wealth that would end the audit.
    outlook : callable, optional
        Weight of the evidence that a stream is credited before it earned any.
    promise : callable, optional
        What a label draw of a pair seems to earn (nats).
    """
    best: tuple[float, Arm] | None = None
    for contender in contenders:
        for mode in _open_modes(contender):
            place = contender.index, mode
            alone = max(0.0, earned[place].alone) if place in earned else 0.0
            credit = OPTIMISM * target * outlook(contender, mode)
            index = (alone + credit) / (contender.cost(mode) + WARM_UP)
            coupled = earned.get((contender.index, "coupled"))
            if mode == "label" and coupled is not None:
                promised = LABELS_PAY * coupled.by_one_side / (contender.cost("coupled") + WARM_UP)
                index = max(index, promised, promise(contender))
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
        self,
        contenders: Sequence[Contender],
        stakes: Stakes,
        allowed: float,
        outlook: Weight = alike,
    ) -> Arm | None:
        """Return the stream that has the focus, if one looks telling and is behind its share.

        Parameters
        ----------
        contenders : sequence of Contender
        stakes : Stakes
        allowed : float
            Calls that the budget allows.
        outlook : callable, optional
            Weights of the streams: what has poor prospects must show more.
        """
        calls = sum(contender.total_calls for contender in contenders)
        share = float(np.interp(calls / allowed, (0.0, 1.0), FOCUS))
        if self.given > share * (calls - FOCUS_FROM):
            return None
        streams = [Arm(c, mode) for c in contenders for mode in _open_modes(c)]
        beyond = [
            (self._hindsight(arm, stakes) - LUCK[arm.mode] + log(outlook(arm.contender, arm.mode)))
            / (arm.contender.cost(arm.mode) + WARM_UP)
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
    lost = contender.flags & UNCOUPLED
    rest = tuple(m for m in contender.modes if not (lost and m == "coupled"))
    return rest or contender.modes
