"""Audits that pause after each tier, so that others may have the time for the next one.

What a tier adds is as if it had never paused: engines before sampling keep what they have said, and
look for more if the tier ended their work. The race of the statistical engine goes on with the
wealth, the pairs and the seeds that it has.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Budget, Engine, Evidence, Suspect, Verdict
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.held import Held

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.statistical.race import Race
    from dpaudit.subject import Subject
    from dpaudit.verdict import Report


WAITING = frozenset({"formal"})  # they try again in the last tier alone, since it costs as much
MORE = 2.0  # times the seconds so far that an engine which goes on takes in its next tier, about


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
    """An engine that has examined the mechanism before, and has no more to say."""

    evidence: Evidence

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""
        return self.evidence.engine

    def examine(self, *_: Any, **__: Any) -> Evidence:
        """Return what it found then."""
        return self.evidence


def held_of(engines: Sequence[Engine]) -> Held | None:
    """Return where sampling stands between tiers; None where it does not pause."""
    samplers = (each for each in engines if isinstance(each, StatisticalEngine))
    return next((each.held for each in samplers if each.memory is None), None)


@dataclass(frozen=True, slots=True)
class Continued:
    """An engine that has examined the mechanism before, and may find more in the next tier.

    Attributes
    ----------
    engine : Engine
    evidence : Evidence
        Of the tiers before. It has booked the error probability of later ones.
    """

    engine: Engine
    evidence: Evidence

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""
        return self.engine.name

    def examine(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        *given: Any,
        **options: Any,
    ) -> Evidence:
        """Return what it found in all tiers; what the first one allows is spent."""
        before = self.evidence
        if budget.is_first or (self.name in WAITING and not budget.is_last):
            return before
        found = self.engine.examine(subject, claim, neighbors, budget, *given, **options)
        told = (before.reason, before.pairs_tried)
        if found.reason and found.pairs_tried >= before.pairs_tried:
            told = (found.reason, found.pairs_tried)
        return replace(
            found,
            reason=told[0],
            pairs_tried=told[1],
            findings=found.findings or before.findings,
            suspects=() if found.verdict is not None else (*before.suspects, *_new(before, found)),
            notes=tuple(dict.fromkeys((*before.notes, *found.notes))),
            calls=before.calls + found.calls,
            seconds=before.seconds + found.seconds,
            alpha_spent=before.alpha_spent,
        )


def _new(before: Evidence, found: Evidence) -> list[Suspect]:
    """Return suspects that were none before: a proof that is tried anew suspects the same pairs."""
    known = [(s.pair.left, s.pair.right, s.event) for s in before.suspects]
    texts = [repr(each) for each in known]
    return [s for s in found.suspects if repr((s.pair.left, s.pair.right, s.event)) not in texts]


def held_by(held: Held, engines: Sequence[Engine]) -> list[Engine]:
    """Return the engines, of which the one that samples leaves its race to `held`."""
    return [replace(e, held=held) if isinstance(e, StatisticalEngine) else e for e in engines]


def going_on(engines: Sequence[Engine], evidence: Sequence[Evidence]) -> list[Engine]:
    """Return engines that say what they said before, and those that go on."""
    of = {each.engine: each for each in evidence}
    return [_going_on(engine, of[engine.name]) for engine in engines if engine.name in of]


def _going_on(engine: Engine, evidence: Evidence) -> Engine:
    if isinstance(engine, StatisticalEngine) and engine.held is not None and engine.held.may_go_on:
        return engine
    engine = engine.engine if isinstance(engine, Continued) else engine
    return Continued(engine, evidence) if evidence.is_open else Known(evidence)


Past = Known | Continued


def may_climb(engines: Sequence[Engine], evidence: Sequence[Evidence]) -> bool:
    """Whether an audit has another tier, which may change what is said of it."""
    sampling = StatisticalEngine().name
    for each in evidence:
        if each.verdict is Verdict.REFUTED or not (each.completed or each.unfinished):
            return False
        if each.engine == sampling and each.verdict is None and not each.unfinished:
            return False  # what it refuted was taken back
    helds = [engine.held for engine in engines if isinstance(engine, StatisticalEngine)]
    races = [held.race for held in helds if held is not None and held.race is not None]
    if any(race.short or race.late for race in races):
        return False
    climbing = any(race.tier < len(race.tiers) for race in races if not race.set_aside)
    return climbing or any(each.is_open for each in evidence)


def beside(evidence: Sequence[Evidence], tier: int, tiers: int) -> float:
    """Return the seconds that engines before sampling take in the next tier, about.

    Parameters
    ----------
    evidence : sequence of Evidence
        What they have found so far.
    tier, tiers : int
        The present tier, and how many there are.
    """
    waiting = tier + 1 < tiers
    going = (e for e in evidence if e.unfinished and e.completed)
    open_ones = [e for e in going if not (waiting and e.engine in WAITING)]
    return MORE * sum(e.seconds for e in open_ones)


def _expected(race: Race, report: Report) -> float:
    """Return the seconds of the next tier, at the pace so far."""
    tiers = len(race.tiers)
    calls = race.tiers[min(race.tier, tiers - 1)]
    return race.expected(calls) + beside(report.evidence, race.tier, tiers)


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
    asked, gone = list(engines), 0.0
    held = held_of(engines) or Held(budget.alpha, math.inf)
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
        goes_on = reached == tier != budget.tier and may_climb(asked, report.evidence)
        more = _expected(race, report) if goes_on and race is not None else None
        yield Stage(report, reached, tiers, more)
        if more is None:
            return
        asked = going_on(asked, report.evidence)
