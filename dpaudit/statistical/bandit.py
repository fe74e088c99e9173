"""Which pair and which way of drawing gets the next batch.

Any rule that looks only at the past keeps the bets valid. This one plays the stream with the
largest optimistic evidence per call; streams without evidence are thereby played evenly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dpaudit.statistical.contender import Contender, Mode

OPTIMISM = 1 / 7  # of the evidence needed is credited to a stream before it earned any
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
    contender = best[1].contender
    labels_only_check = "label" not in contender.modes
    if labels_only_check and contender.calls["label"] < NULL_SHARE * contender.total_calls:
        return Arm(contender, "label")
    return best[1]


def _open_modes(contender: Contender) -> tuple[Mode, ...]:
    """Return the streams worth drawing from: coupling that is not possible gains nothing."""
    lost = contender.flags & {"unseeded", "coupling-lost"}
    rest = tuple(m for m in contender.modes if not (lost and m == "coupled"))
    return rest or contender.modes
