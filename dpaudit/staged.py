"""Audits that pause after each tier of calls, so that others may have the time for the next one.

What a tier adds is as if it had never paused: the engines before sampling have said what they say,
and the race of the statistical engine goes on with the wealth, the pairs and the seeds that it has.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Budget, Engine, Evidence, Verdict
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.held import Held

if TYPE_CHECKING:
    from dpaudit.verdict import Report


@dataclass(slots=True)
class Limit:
    """When calls of an audit end, as its owner sets it before each tier.

    Attributes
    ----------
    until : float or None
        Of `time.monotonic`.
    """

    until: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether that time has come."""
        return self.until is not None and time.monotonic() >= self.until


@dataclass(frozen=True, slots=True)
class Stage:
    """An audit after a tier of calls.

    Attributes
    ----------
    report : Report
    tier, tiers : int
        The last complete tier, and how many there are; 0 and 0 where nothing was sampled.
    more : float or None
        Seconds that the next tier takes at the pace so far; None where there is none.
    """

    report: Report
    tier: int
    tiers: int
    more: float | None


@dataclass(frozen=True, slots=True)
class Known:
    """An engine that has examined the mechanism before."""

    evidence: Evidence

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""
        return self.evidence.engine

    def examine(self, *_: Any, **__: Any) -> Evidence:
        """Return what it found then."""
        return self.evidence


def held_by(held: Held, engines: Sequence[Engine]) -> list[Engine]:
    """Return the engines, of which the one that samples leaves its race to `held`."""
    return [replace(e, held=held) if isinstance(e, StatisticalEngine) else e for e in engines]


def going_on(engines: Sequence[Engine], report: Report) -> list[Engine]:
    """Return engines that say what they said before, and the one that goes on."""
    samplers = [each for each in engines if isinstance(each, StatisticalEngine)]
    return [
        *(Known(each) for each in report.evidence if each.engine not in {s.name for s in samplers}),
        *samplers,
    ]


def may_climb(held: Held, report: Report) -> bool:
    """Whether an audit has another tier, whose calls may change what is said of it."""
    race = held.race
    if race is None or not held.may_go_on or race.tier == len(race.tiers):
        return False
    return report.completed and report.verdict is not Verdict.REFUTED


def stages(
    run: Callable[[Sequence[Engine], Budget], Report],
    engines: Sequence[Engine],
    budget: Budget,
    limit: Limit,
) -> Iterator[Stage]:
    """Audit a mechanism, and pause after each tier.

    Parameters
    ----------
    run : callable
        Audits it with some engines.
    engines : sequence of Engine
    budget : Budget
        Its tier is the last one.
    limit : Limit
        As it is when the next stage is asked for. Where it ends a tier after the first, this
        yields nothing more: the stage before is what can be repeated.

    Yields
    ------
    Stage
    """
    held = Held(budget.alpha, math.inf)
    asked, gone = held_by(held, engines), 0.0
    for tier in count(1):
        began = time.monotonic()
        own = None if budget.max_seconds is None else max(budget.max_seconds - gone, 1e-3)
        report = run(asked, replace(budget, tier=tier, max_seconds=own, until=limit.until))
        gone += time.monotonic() - began
        race = held.race
        reached, tiers = (0, 0) if race is None else (race.tier, len(race.tiers))
        shared = limit.until is not None and (own is None or limit.until < began + own)
        short = limit.is_over or (race is not None and race.short)
        if reached < tier and shared and short and report.verdict is not Verdict.REFUTED:
            if tier == 1:
                yield Stage(report, 0, tiers, math.inf)
            return
        goes_on = reached == tier != budget.tier and may_climb(held, report)
        more = race.expected(race.tiers[tier]) if goes_on and race is not None else None
        yield Stage(report, reached, tiers, more)
        if more is None:
            return
        asked = going_on(asked, report)
