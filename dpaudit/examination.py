"""One mechanism and one claim, examined by the engines one after the other, tier by tier."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.checker.file import IDEALIZED, LOW_BITS
from dpaudit.evidence import DEFECT, Budget, Engine, Evidence, Progress, Suspect, Verdict
from dpaudit.proof_check import with_check
from dpaudit.real_clocks import confirmed_with_clocks
from dpaudit.spared import spared
from dpaudit.staged import Continued, Known, Past, beside, going_on, held_of, may_climb
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.conclude import TOO_FEW
from dpaudit.tiers import ends
from dpaudit.trace.after import with_roles, with_traced_cause
from dpaudit.verdict import contradicts
from dpaudit.worker import Runner, Unwatched

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.statistical.held import Held
    from dpaudit.subject import Subject

SAMPLING = 0.75  # of the calls, about, are left by the other engines: so many tiers there are
CROSS_CHECK = (0.1, 2_000)  # of the calls, and at least so many, where a proof stands already
LEAST_SECONDS = 1e-3
_TIER_CUT = (
    "the time ended the proofs or traces of tier {0}, which are left out. This is the result of "
    "tier {1}"
)
_TIER_AGAIN = ". Use tier={} to repeat it on any machine, or a larger max_seconds to continue"


class Examination:
    """The examination of one mechanism.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    budget : Budget
        Of all engines together.
    runner_of : callable
        Makes the runner of a subject.
    heard : callable or None
        Hears how far it is.
    idle : frozenset of str
        Names of engines that do not run after a proof.

    Attributes
    ----------
    subject : Subject
        Outputs and clocks are watched as the calls so far have shown to be necessary.
    evidence : list of Evidence
        Of each engine, for all tiers.
    failures : list of str
        What went wrong beside the verdict.
    """

    def __init__(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        *,
        runner_of: Callable[[Subject], Runner],
        heard: Callable[[Progress], None] | None,
        idle: frozenset[str],
    ) -> None:
        self.subject = subject
        self.evidence: list[Evidence] = []
        self.failures: list[str] = []
        self._claim = claim
        self._neighbors = neighbors
        self._budget = budget
        self._runner_of = runner_of
        self._runner = runner_of(subject)
        self._heard = heard
        self._idle = idle
        self._began = time.monotonic()

    def run(self, engines: Sequence[Engine], examples: Sequence[Suspect]) -> None:
        """Let the engines examine the mechanism until they decide or the budget ends.

        Parameters
        ----------
        engines : sequence of Engine
        examples : sequence of Suspect
            Pairs that are tried first.
        """
        try:
            self._climb(engines, examples)
            if any(engine.name == "trace" for engine in engines):
                self._locate()
        finally:
            spared("an orderly end of the workers", self._runner.close, self.failures, None)

    def _climb(self, engines: Sequence[Engine], examples: Sequence[Suspect]) -> None:
        held = held_of(engines)
        for within in _tiers(held, self._budget):
            before, self.evidence = self.evidence, []
            if self._is_cut(engines, within, examples, before, held):
                self.evidence = _without_tier(before, within)
                return
            if self.evidence[-1].verdict is Verdict.REFUTED:
                self.evidence[-1:-1] = before[len(self.evidence) :]
                return
            if before and held is not None and _is_left_out(held, within):
                self.evidence = _as_before(before, self.evidence)
            if not may_climb(engines, self.evidence):
                return
            engines = going_on(engines, self.evidence)

    def _is_cut(
        self,
        engines: Sequence[Engine],
        within: Budget,
        examples: Sequence[Suspect],
        before: Sequence[Evidence],
        held: Held | None,
    ) -> bool:
        """Let each engine work in one tier; whether time has ended one that is not the first."""
        suspects = list(examples)
        for engine in engines:
            if engine.name in self._idle and _proof(self.evidence) is not None:
                self.evidence += [engine.evidence] if isinstance(engine, Past) else []
                continue
            among = min(len(engines) - len(self.evidence), 2) if within.is_first else 1
            made = sum(e.calls for e in before) if isinstance(engine, Continued) else None
            share = _share(within, self.evidence, self._gone, among, made)
            past = engine.evidence.suspects if isinstance(engine, Continued) else ()
            found = self._examined(engine, share, (*suspects, *past))
            known = isinstance(engine, Known)
            if not known:
                found = self._confirmed(found, engine, held)
                found = _told(found, self.evidence, share, self._budget)
            self.evidence.append(found)
            suspects += found.suspects
            if found.verdict is Verdict.REFUTED:
                return False
            if before and found.cut_short and found.verdict is None and not known:
                return True
        return False

    @property
    def _gone(self) -> float:
        return time.monotonic() - self._began

    def _examined(self, engine: Engine, share: Budget, suspects: Sequence[Suspect]) -> Evidence:
        """Return what an engine finds.

        Where calls emit texts that the source does not show, outputs are watched for them from then
        on, and an engine that runs the mechanism begins anew. It has what the first attempt has
        left of α.
        """
        before: Evidence | None = None
        while True:
            stopped = _stopped(share, engine.name, self._runner)
            self._runner.known.asks = engine.name == "statistical"
            found: Evidence | None = None
            with contextlib.suppress(Unwatched):
                found = engine.examine(
                    self.subject, self._claim, self._neighbors, stopped, tuple(suspects),
                    runner=self._runner, progress=self._heard,
                )  # fmt: skip
            decided = found is not None and (found.verdict is not None or engine.name != "trace")
            ways = self._runner.known.unwatched
            if ways and (found is None or found.verdict is None):
                self._watch(self.subject.touching(ways))
            if found is not None and before is not None:
                found = _both(before, found, engine)
            if found is not None and (decided or not ways):
                return found
            if found is not None:
                before = found
                share = replace(share, alpha=share.alpha - found.alpha_spent)

    def _watch(self, subject: Subject) -> None:
        """Run the mechanism from now on as another subject says."""
        self._runner.close()
        self.subject, self._runner = subject, self._runner_of(subject)

    def _confirmed(self, found: Evidence, engine: Engine, held: Held | None) -> Evidence:
        """Return evidence that other clocks and, of a proof, the checker have confirmed."""
        found, other = confirmed_with_clocks(
            found, self.subject, self._claim, self._neighbors, self._budget, self._runner_of
        )
        race = None if held is None else held.race
        if other is not self.subject and race is None:
            self._watch(other)
        elif race is not None and isinstance(engine, StatisticalEngine):
            race.set_aside |= other is not self.subject
        return with_check(found, self._claim, self._neighbors, self.subject)

    def _locate(self) -> None:
        """Trace the pair of a refutation for the line of its cause."""
        left = _share(self._budget, self.evidence, self._gone, 1)
        if self.evidence[-1].verdict is Verdict.REFUTED and self._budget.until is not None:
            left = _stopped(replace(left, until=None), "trace", self._runner)
        last = spared(
            "the line of the cause",
            lambda: with_traced_cause(
                self.evidence[-1], self.subject, self._claim, self._neighbors, left, self._runner
            ),
            self.failures,
            self.evidence[-1],
        )
        self.evidence[-1] = last
        self.evidence = [
            with_roles(each, last, self.subject) if each.engine == "static" else each
            for each in self.evidence
        ]


def _both(before: Evidence, found: Evidence, engine: Engine) -> Evidence:
    """Return the evidence of the second of two attempts, with what both have spent.

    What earlier tiers have spent is in that of each, and counts once.
    """
    spent, calls = before.alpha_spent + found.alpha_spent, before.calls + found.calls
    if isinstance(engine, Continued):
        spent, calls = found.alpha_spent, calls - engine.evidence.calls
    return replace(found, alpha_spent=spent, calls=calls)


def as_held(subject: Subject, engines: Sequence[Engine]) -> Subject:
    """Return a subject whose outputs and clocks are as they were where a race goes on.

    Parameters
    ----------
    subject : Subject
    engines : sequence of Engine
    """
    for engine in engines:
        held = engine.held if isinstance(engine, StatisticalEngine) else None
        if held is not None and held.race is not None:
            of_race = held.race.subject
            return replace(subject.touching(of_race.touches), clocks=of_race.clocks)
    return subject


def _tiers(held: Held | None, budget: Budget) -> Iterator[Budget]:
    """Yield what each tier that is left may spend, with its number.

    Without sampling that pauses there is one tier, which allows all that an engine takes.
    """
    if held is None:
        yield budget
        return
    tiers = sum(1 for _ in ends(int(SAMPLING * budget.max_calls)))
    last = min(budget.tier or tiers, tiers)
    begun = 0 if held.race is None else held.race.tier
    for tier in range(min(begun + 1, last), last):
        yield replace(budget, tier=tier, tiers=tiers, beside=0.0)
    yield replace(budget, tiers=tiers)


def _without_tier(before: Sequence[Evidence], within: Budget) -> list[Evidence]:
    """Return the evidence of the tiers before one that time has ended."""
    *others, last = before
    tier = within.tier or within.tiers
    text = _TIER_CUT.format(tier, tier - 1)
    if not any(each.cut_short for each in before):
        text += _TIER_AGAIN.format(tier - 1)
    return [*others, replace(last, notes=(*last.notes, text))]


def _is_left_out(held: Held, within: Budget) -> bool:
    """Whether time has ended the sampling of this tier, so that the result is of the one before."""
    race, number = held.race, min(within.tier or within.tiers, within.tiers)
    return race is not None and race.left_out > 0 and race.tier < number


def _as_before(before: Sequence[Evidence], evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence of which what was done beside the sampling is of the tier before.

    A proof stands.
    """
    if _proof(evidence) is not None:
        return list(evidence)
    return [*before[: len(evidence) - 1], evidence[-1]]


def _share(
    budget: Budget, so_far: Sequence[Evidence], gone: float, among: int, made: int | None = None
) -> Budget:
    """Return what the next engine may spend.

    Notes
    -----
    In the first tier, which no other one comes before, an engine that others follow may take half
    of the time that is left; what it does not need is for them. Later tiers, which time leaves
    whole or out, may take all of it. What a proof idealizes (overflow, NaN, noise on a grid) makes
    outputs that one dataset alone gives, and these take some hundred calls a pair, not some hundred
    thousand.
    """
    made = sum(e.calls for e in so_far) if made is None else made
    calls, seconds = budget.max_calls - made, budget.max_seconds
    if _proof(so_far) is not None:
        part, least = CROSS_CHECK
        calls = min(calls, max(least, int(part * budget.max_calls)))
    if seconds is not None:
        seconds = max(seconds - gone, LEAST_SECONDS) / among
    alpha = budget.alpha - sum(e.alpha_spent for e in so_far)
    later = budget.beside
    if later is not None:
        later = beside(so_far, budget.tier or budget.tiers, budget.tiers)
    return replace(
        budget,
        alpha=alpha,
        max_calls=max(1, calls),
        max_seconds=seconds,
        beside=later,
        repeatable=not any(each.cut_short for each in so_far),
    )


def _stopped(share: Budget, engine: str, runner: Runner) -> Budget:
    """Let no call begin after the time of a share; an engine that divides its time has none."""
    now, until = time.monotonic(), share.until
    if until is not None and engine in ("formal", "statistical"):
        left = max(until - now, LEAST_SECONDS)
        share = replace(share, max_seconds=min(share.max_seconds or left, left))
    if share.max_seconds is not None:
        until = min(until or math.inf, now + share.max_seconds)
    runner.known.until, runner.known.latest = until, share.until
    return share


def _proof(evidence: Sequence[Evidence]) -> Evidence | None:
    return next((e for e in evidence if e.verdict is Verdict.VERIFIED), None)


def _told(found: Evidence, so_far: Sequence[Evidence], share: Budget, budget: Budget) -> Evidence:
    """Note on evidence beside a proof what it was for."""
    proof = _proof(so_far)
    if proof is None:
        return found
    if found.verdict is Verdict.REFUTED and contradicts(found):
        said = f"the {proof.engine} engine proved the claim. {DEFECT}"
    elif found.verdict is Verdict.REFUTED:
        said = (
            f"the {proof.engine} engine proved the claim for real numbers; its assumptions (no "
            "overflow, no rounding, ideal noise) do not hold when the code runs"
        )
    elif found.calls:
        said = (
            f"the {proof.engine} engine proved the claim, so the {found.engine} engine only tested "
            "whether overflow, rounding or NaN break the proof. "
            f"It made {share.max_calls:,} of {budget.max_calls:,} calls"
        )
        if TOO_FEW in found.reason:
            few = f"the {found.calls:,} calls do not contradict the proof, which stands by itself"
            found = replace(found, reason=few)
    else:
        return found
    return replace(found, notes=(*found.notes, said))


def all_assumptions(assumed: Sequence[str], evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return what the neighbors assume and, of a proof that stands, what it rests on.

    Parameters
    ----------
    assumed : sequence of str
    evidence : sequence of Evidence
    """
    refuted = any(e.verdict is Verdict.REFUTED for e in evidence)
    proved = [sentence for e in evidence for sentence in e.assumptions if not refuted]
    unseen = [LOW_BITS] if IDEALIZED in proved else []
    return tuple(dict.fromkeys([*assumed, *proved, *unseen]))
