"""The trace engine: one pair, noise frozen, cause located."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.evidence import (
    NOT_COUPLED,
    NOT_FOLLOWED,
    Budget,
    Evidence,
    Finding,
    Progress,
    Suspect,
    no_output,
)
from dpaudit.examples import EXAMPLE
from dpaudit.neighbors import Pair, dataset_to_text
from dpaudit.outputs import Raised, encode
from dpaudit.trace.apart import Looked, looked_apart
from dpaudit.trace.causes import Case, suspicions
from dpaudit.trace.compare import answer_with
from dpaudit.trace.confirm import GLANCE_CALLS, GLANCE_SHARE, LOOK, confirmed
from dpaudit.trace.extent import unbounded
from dpaudit.trace.habits import Habits
from dpaudit.trace.integrated import integral_suspicion, integrated
from dpaudit.trace.known_noise import known_noise
from dpaudit.trace.lines import History
from dpaudit.trace.memory import remembers, suspicion, varies_alone
from dpaudit.trace.record import Bench
from dpaudit.trace.replay import ROUNDS, Allowance, Trial, replayed
from dpaudit.trace.search import ORDER, Search, search
from dpaudit.trace.steered.conclude import Attempts, Told
from dpaudit.trace.support import emptied
from dpaudit.trace.suspicion import Suspicion
from dpaudit.trace.unlocated import unlocated_suspicion
from dpaudit.worker.in_place import InPlace
from dpaudit.worker.processes import ProcessRunner
from dpaudit.worker.quiet import float_errors_raise
from dpaudit.worker.tasks import WorkerError

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

PAIRS = 200  # in one direction or the other, at most
FIRST_PAIRS = 64  # of them in the first tier
CALLS_SHARE = 0.05  # of the audit's calls are spent on traces, and at least LEAST_CALLS
LEAST_CALLS = 60
LATER_SHARE = 0.3  # of α, which what the first tier has booked for later ones suffices for
MOST_SUSPECTS = 3
UNSEEN_RUNS = 4
MOST_OTHERS = 16  # pairs beside those of suspects, of which the likeliest is steered
MOST_LOOKED_AT = 8  # pairs, for the line that keeps something between calls
TIME_SHARE = 0.3  # of the time of the first tier, for traces before steered noise and draws
_SEARCH_LATE = (
    "the time ended the traces after {} of {} pairs; another run may trace fewer or more of them"
)
_STEERED_LATE = (
    "the time ended the steering of noise; another run may steer more, and refute what this one "
    "did not"
)
_LATE = (
    "the time ended the traces, after {} calls; without a limit they may refute what they did not "
    "refute here"
)
TRACE_KEY = 2**30  # apart from the seeds of the statistical engine


@dataclass(frozen=True, slots=True)
class TraceEngine:
    """Runs pairs with the noise of one run repeated on the other, and compares what reached it.

    Parameters
    ----------
    pairs : int
        Pairs to try at most.
    share : float
        Of the calls and of the error probability, that may be spent on confirming suspicions by
        sampling here and now; what is not confirmed goes to the engines that follow. 0 confirms
        nothing.
    every_pair : bool
        Whether to go on where more pairs would hardly tell more.
    followed : bool
        Whether the statistical engine follows. Suspects that do not earn soon are left to it: it
        draws on them first, and on other pairs too.
    unlocated : bool
        Whether to name the line of the noise where nothing is suspected, for a claim that is
        refuted already.
    seconds : float or None
        Of real time at most, where the budget allows more.
    first : tuple of Pair
        Traced before all others: the examples among the suspects.

    Notes
    -----
    A cost above the claim is an upper bound for one coupling, no refutation: it becomes one only
    where sampling on that very pair rejects the claim. A finding then has the id and the line of
    the trace, and the witness of the sample.

    A tier after the first traces more pairs, or steers the noise of suspects that earlier tiers
    have found for longer. What it suspects is left to the engine that follows.
    """

    pairs: int = PAIRS
    share: float = 0.5
    every_pair: bool = False
    followed: bool = False
    unlocated: bool = False
    seconds: float | None = None
    first: tuple[Pair, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.pairs, bool) or self.pairs < 1:
            raise ValueError(f"`pairs` must be at least 1, got {self.pairs!r}; 200 is usual")
        if not 0 <= self.share < 1:
            raise ValueError(f"`share` must lie in [0, 1), got {self.share!r}; 0.5 is usual")

    @property
    def name(self) -> str:
        """What ``engines=`` takes."""
        return "trace"

    def examine(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        suspects: Sequence[Suspect] = (),
        *,
        runner: Runner,
        progress: Callable[[Progress], None] | None = None,
    ) -> Evidence:
        """Return suspects with their causes; REFUTED where one was confirmed.

        See `dpaudit.evidence.Engine`.
        """
        began = time.monotonic()
        if self.seconds is not None:
            budget = replace(budget, max_seconds=min(self.seconds, budget.max_seconds or math.inf))
            runner.known.until = min(runner.known.until or math.inf, began + self.seconds)
        if subject.elsewhere:
            reason = (
                f"the mechanism runs in {subject.elsewhere}; traces apply to code in dpaudit's own"
            )
            return Evidence("trace", None, reason, claim=str(claim), seed=budget.seed)
        if float_errors_raise():
            reason = "errors of floats raise exceptions (numpy.seterr), also in what traces compute"
            return Evidence("trace", None, reason, claim=str(claim), seed=budget.seed)
        if not budget.is_first:
            return self._further(subject, claim, neighbors, budget, suspects, runner, began)
        known = None
        if self.share and isinstance(runner, InPlace | ProcessRunner):
            known = known_noise(subject, claim, neighbors, budget)
        if known is not None and known.verdict is not None:
            return replace(known, seed=budget.seed, seconds=time.monotonic() - began)
        if known is not None:
            budget = replace(budget, alpha=budget.alpha - known.alpha_spent)
        looking = replace(self, first=tuple(s.pair for s in suspects if s.why == EXAMPLE))
        if isinstance(runner, ProcessRunner):
            found = looked_apart(looking, claim, neighbors, budget, runner)
        else:
            found = looking.look(subject, claim, neighbors, budget)
        runner.known.unwatched |= found.unwatched
        evidence = Evidence(
            "trace",
            None,
            found.reason if known is None or known.completed else known.reason,
            calls=found.calls + (0 if known is None else known.calls),
            pairs_tried=found.pairs,
            seconds=time.monotonic() - began,
            claim=str(claim),
            source_hash=subject.source_hash,
            seed=budget.seed,
            suspects=found.suspects,
            notes=(*found.notes, *(() if known is None else known.notes)),
            alpha_spent=found.alpha_spent + (0.0 if known is None else known.alpha_spent),
            completed=not found.silent and (known is None or known.completed),
            cut_short=found.late or (known is not None and known.cut_short),
            unfinished=found.unfinished,
        )
        if found.told is not None:
            return found.told.onto(evidence)
        if not self.share or not found.suspects or found.unwatched:
            return evidence
        return self._decided(
            evidence, found, subject, claim, neighbors, budget, began, runner, progress
        )

    def _decided(
        self,
        evidence: Evidence,
        found: Looked,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        began: float,
        runner: Runner,
        progress: Callable[[Progress], None] | None,
    ) -> Evidence:
        """Return the evidence after a glance at the first suspect, steered noise, and sampling.

        Each has its own part of α, whatever the others gave.
        """
        suspected = list(found.suspects)

        def left(share: float, calls: int) -> Budget:
            seconds = _left(budget, began)
            return replace(budget, alpha=share * budget.alpha, max_calls=calls, max_seconds=seconds)

        def room() -> int:
            return int(self.share * max(budget.max_calls - evidence.calls, 0))

        glance = min(GLANCE_CALLS, int(GLANCE_SHARE * room())) if found.unpaid else 0
        if glance >= LEAST_CALLS:
            part, first = left(GLANCE_SHARE * self.share, glance), suspected[:1]
            evidence = confirmed(
                evidence, first, subject, claim, neighbors, part, runner, progress, (1.0,)
            )
            if evidence.verdict is not None or not evidence.completed:
                return evidence
        if found.left is not None:
            rest = left(1.0, budget.max_calls)
            if isinstance(runner, ProcessRunner):
                steered = looked_apart(self, claim, neighbors, rest, runner, found)
            else:
                steered = self.steer(subject, claim, rest, found)
            evidence = replace(
                evidence,
                calls=evidence.calls + steered.calls,
                alpha_spent=evidence.alpha_spent + steered.alpha_spent,
                seconds=time.monotonic() - began,
                notes=tuple(dict.fromkeys((*evidence.notes, *steered.notes))),
                cut_short=evidence.cut_short or steered.late,
                unfinished=evidence.unfinished or steered.unfinished,
            )
            if steered.told is not None:
                return steered.told.onto(evidence)
        rest = left((1 - GLANCE_SHARE) * self.share / len(suspected), room())
        # Where there is one pair alone, it would be drawn from anew.
        look = LOOK if self.followed and neighbors.fixed_count != 1 else None
        return confirmed(
            evidence, suspected, subject, claim, neighbors, rest, runner, progress, look=look
        )

    def _further(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        suspects: Sequence[Suspect],
        runner: Runner,
        began: float,
    ) -> Evidence:
        """Return what a tier after the first adds; its α was booked by the first one."""
        budget = replace(budget, alpha=LATER_SHARE * budget.alpha)
        own = tuple(s for s in suspects if s.finding is not None and s.finding.engine == self.name)
        before = Looked("", suspects=own, others=_others(neighbors, budget)) if own else None
        looking = replace(self, first=tuple(s.pair for s in suspects if s.why == EXAMPLE))
        if isinstance(runner, ProcessRunner):
            found = looked_apart(looking, claim, neighbors, budget, runner, before)
        elif before is None:
            found = looking.look(subject, claim, neighbors, budget)
        else:
            found = looking.steer(subject, claim, budget, before)
        evidence = Evidence(
            "trace",
            None,
            found.reason,
            calls=found.calls,
            pairs_tried=found.pairs,
            seconds=time.monotonic() - began,
            claim=str(claim),
            source_hash=subject.source_hash,
            seed=budget.seed,
            suspects=found.suspects,
            notes=found.notes,
            cut_short=found.late,
            unfinished=found.unfinished,
        )
        return evidence if found.told is None else found.told.onto(evidence)

    def look(self, subject: Subject, claim: Claim, neighbors: Neighbors, budget: Budget) -> Looked:
        """Return what traces in this process give, before anything is confirmed.

        Parameters
        ----------
        subject : Subject
        claim : Claim
        neighbors : Neighbors
        budget : Budget
        """
        with Bench(subject, budget.max_seconds) as bench:
            attempts = Attempts(bench, subject, claim, budget, confirming=self.share)
            try:
                found, suspected, notes, told = self._traced(
                    bench, subject, claim, neighbors, budget, attempts
                )
                varies = not found.draws and _varies(bench, neighbors, budget)
            except WorkerError as error:
                return _late(error, bench, attempts)
        reason, spent = _reason(found, suspected, varies), attempts.alpha_spent
        open_ends = found.open and told is None and not suspected
        unfinished = not budget.is_last and bool(self.share) and (open_ends or attempts.promises)
        if unfinished:
            spent = max(spent, attempts.reserved)
        if found.draws and told is None and attempts.unsteered and NOT_COUPLED not in notes:
            notes = (*notes, attempts.unsteered)
        remembers = any(
            each.finding is not None and each.finding.id == "DPA116" for each in suspected
        )
        left = attempts.left if suspected and self.share and not remembers else None
        return Looked(
            reason,
            bench.calls,
            found.pairs,
            tuple(suspected),
            (*notes, *_late_notes(attempts)),
            spent,
            told,
            left,
            found.unpaid,
            silent=found.pairs > 0 and not (found.heard or found.endless or suspected),
            unwatched=bench.unwatched,
            others=_others(neighbors, budget) if left is not None else (),
            late=found.late or attempts.late,
            unfinished=unfinished,
        )

    def steer(self, subject: Subject, claim: Claim, budget: Budget, before: Looked) -> Looked:
        """Return what steered noise tells of the pairs of suspects.

        Parameters
        ----------
        subject : Subject
        claim : Claim
        budget : Budget
        before : Looked
            With the suspects, and what is left for this.
        """
        with Bench(subject, budget.max_seconds) as bench:
            attempts = Attempts(
                bench, subject, claim, budget, confirming=self.share, before=before.left
            )
            try:
                told = attempts.then(before.suspects, before.others)
            except WorkerError as error:
                return _late(error, bench, attempts)
        unfinished = attempts.promises and not budget.is_last
        spent = attempts.reserved if unfinished else attempts.alpha_spent
        notes = _late_notes(attempts)
        if told is None and attempts.unsteered and NOT_COUPLED not in before.notes:
            notes = (*notes, attempts.unsteered)
        return Looked(
            "", bench.calls, notes=notes, alpha_spent=spent, told=told, late=attempts.late,
            unfinished=unfinished,
        )  # fmt: skip

    def _traced(
        self,
        bench: Bench,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        attempts: Attempts,
    ) -> tuple[Search, list[Suspect], tuple[str, ...], Told | None]:
        allowance = Allowance.of(claim)
        key = (budget.seed, TRACE_KEY)
        rng = np.random.default_rng(np.random.SeedSequence(key))
        first = next(iter(neighbors.pairs(np.random.default_rng(np.random.SeedSequence(key)))))
        history = History()
        run = bench.run(first.left, (*key, 3), traced=False, watch=history)
        if run.endless:
            return Search(endless=True), [], (_endless(subject),), None
        changed = remembers(bench, first.left, (*key, 3), run)
        unseen = varies_alone(bench, first.left, (*key, 3), run, history)
        _settle(bench, first, (*key, 4))
        if self.share and bench.unwatched:  # it begins anew, and watches for texts
            return Search(), [], (), None
        told = attempts.first(first) if budget.is_first else None
        if told is not None:
            return Search(pairs=1), [], (), told
        calls = max(LEAST_CALLS, int(CALLS_SHARE * budget.max_calls))
        if self.every_pair:
            calls = budget.max_calls
        calls = min(calls, budget.max_calls)
        most = int(budget.allowed(FIRST_PAIRS, self.pairs))
        found: Search | None = None
        until = None
        if budget.is_first and budget.max_seconds is not None:
            until = time.monotonic() + TIME_SHARE * budget.max_seconds
        while True:
            found = search(
                bench,
                neighbors,
                allowance,
                rng,
                key,
                max_calls=calls,
                max_pairs=most,
                whole=self.pairs,
                until=until,
                every_pair=self.every_pair,
                found=found,
                first=self.first if found is None else (),
            )
            found.heard |= not isinstance(run.output, Raised)  # without what traces put in place
            if found.endless:
                return found, [], (_endless(subject),), None
            if not unseen and changed(first.right):
                unseen = varies_alone(bench, first.left, (*key, 3), run, history, UNSEEN_RUNS)
                if not unseen:
                    others = islice(neighbors.pairs(rng), MOST_LOOKED_AT)
                    seen = [data for pair in (first, *others) for data in (pair.left, pair.right)]
                    kept = suspicion(bench, seen, key, history)
                    suspect = _suspect(subject, kept, first, (first.left, first.right))
                    return found, [suspect], (), None
            suspected = self._suspected(
                bench, subject, claim, neighbors, allowance, found, key, calls
            )
            said = {
                NOT_COUPLED: unseen,
                NOT_FOLLOWED: not suspected and not unseen and found.unfollowed,
                _SEARCH_LATE.format(found.pairs, self.pairs): found.late,
            }
            notes = tuple(note for note, holds in said.items() if holds)
            if suspected or not found.settled_early:
                found.open = most <= found.pairs < self.pairs  # else calls or pairs ended it
                if suspected:
                    return found, suspected, notes, None
                pairs = [trial.pair for trial in _finalists(found)]
                return found, suspected, notes, attempts.then((), pairs)

    def _suspected(
        self,
        bench: Bench,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        allowance: Allowance,
        found: Search,
        key: tuple[int, ...],
        calls: int,
    ) -> list[Suspect]:
        """Return what the most telling pairs suggest, most specific first."""
        ranked: list[tuple[Suspicion, Trial]] = []
        for trial in _finalists(found):
            case = self._case(bench, claim, neighbors, allowance, trial, key)
            first = next(iter(suspicions(case)), None)
            if first is not None:
                ranked.append((first, trial))
        if not ranked and found.draws == 1 and not found.settled_early:
            told = integrated(bench, neighbors, np.random.default_rng(key), allowance.pure, calls)
            if told is not None:
                trial = replayed(bench, told.pair, key, allowance, rounds=ROUNDS)
                case = self._case(bench, claim, neighbors, allowance, trial, key)
                ranked.append((integral_suspicion(case, told), trial))
        if not ranked and "crowded" in found.best:
            trial = found.best["crowded"]
            left = emptied(self._case(bench, claim, neighbors, allowance, trial, key))
            ranked += [] if left is None else [(left, trial)]
        for trial in _finalists(found)[:1] if self.unlocated and not ranked else ():
            case = self._case(bench, claim, neighbors, allowance, trial, key)
            noise = unlocated_suspicion(case)
            ranked += [] if noise is None else [(noise, trial)]
        ranked.sort(key=lambda each: _rank(each[0]))
        found.unpaid = bool(ranked) and math.isinf(ranked[0][0].share)
        chosen: dict[tuple[str, int], Suspect] = {}
        for suspected, trial in ranked:
            name = suspected.id, id(trial.pair)
            if name not in chosen and len(chosen) < MOST_SUSPECTS:
                chosen[name] = _suspect(subject, suspected, trial.pair, trial.datasets)
        return list(chosen.values())

    def _case(
        self,
        bench: Bench,
        claim: Claim,
        neighbors: Neighbors,
        allowance: Allowance,
        trial: Trial,
        key: tuple[int, ...],
    ) -> Case:
        """Return what is known of a pair, after more runs."""

        def run(pair: Pair) -> Trial:
            own = trial.key
            return replayed(bench, pair, own, allowance, mirrored=trial.mirrored, rounds=ROUNDS)

        again = run(trial.pair)
        habits = Habits.of(bench, again.datasets, (*key, 2))
        case = Case(
            bench,
            again,
            claim,
            allowance,
            habits,
            trial.key,
            neighbors,
            lambda: unbounded(case.histories, again, neighbors, run),
        )
        return case


def _late(error: WorkerError, bench: Bench, attempts: Attempts) -> Looked:
    """Return what is left to say where the time was over before a run could begin."""
    if error.kind != "late":
        raise error
    notes = (_LATE.format(bench.calls),)
    spent = attempts.alpha_spent
    return Looked(str(error), bench.calls, notes=notes, alpha_spent=spent, late=True)


def _late_notes(attempts: Attempts) -> tuple[str, ...]:
    return (_STEERED_LATE,) if attempts.late else ()


def _left(budget: Budget, began: float) -> float | None:
    """Return the seconds that are left of a budget."""
    if budget.max_seconds is None:
        return None
    return max(budget.max_seconds - (time.monotonic() - began), 0.1)


def _rank(suspicion: Suspicion) -> int:
    order = ("DPA104", "DPA110", "DPA101", "DPA108", "DPA109", "DPA103")
    priced = suspicion.id == "DPA104" and math.isfinite(suspicion.share)
    return order.index(suspicion.id) if suspicion.id in order and not priced else len(order)


def _endless(subject: Subject) -> str:
    return f"{subject.name} draws without end; its runs were stopped"


def _others(neighbors: Neighbors, budget: Budget) -> tuple[Pair, ...]:
    """Return likely pairs, on which steered noise may show what it does not on a suspect's."""
    rng = np.random.default_rng((budget.seed, TRACE_KEY, 9))
    return tuple(islice(neighbors.pairs(rng), MOST_OTHERS))


def _finalists(found: Search) -> list[Trial]:
    trials = [found.best[kind] for kind in ORDER if kind in found.best and kind != "crowded"]
    return list({id(trial): trial for trial in trials}.values())


def _settle(bench: Bench, pair: Pair, key: tuple[int, ...]) -> None:
    """Let a bench trace as much as the mechanism bears."""
    for bench.traced, bench.keeping in ((True, True), (True, False)):
        if _faithful(bench, pair, key):
            return
    bench.traced = False


def _faithful(bench: Bench, pair: Pair, key: tuple[int, ...]) -> bool:
    """Whether the mechanism computes with traced numbers what it does with plain ones."""
    for dataset in (pair.left, pair.right):
        plain, traced = (bench.run(dataset, key, traced=t) for t in (False, True))
        repeated = bench.run(dataset, key, traced=True, answer=answer_with(plain, {}))
        outputs = [encode([run.output]) for run in (plain, traced, repeated)]
        if not (outputs[0].same_as(outputs[1]) or outputs[0].same_as(outputs[2])):
            return False
    return True


def _suspect(
    subject: Subject, suspicion: Suspicion, pair: Pair, datasets: tuple[Any, Any]
) -> Suspect:
    place = suspicion.place
    left, right = datasets
    message = (
        f"{subject.name}: {suspicion.what}; on {dataset_to_text(left)} and {dataset_to_text(right)}"
    )
    finding = Finding(
        suspicion.id,
        "error",
        message,
        also=suspicion.also,
        file=subject.file if place is None else place.file,
        line=subject.line if place is None else place.line,
        related=suspicion.related,
        engine="trace",
        pair=(left, right),
    )
    return Suspect(pair, None, suspicion.what, finding)


def _varies(bench: Bench, neighbors: Neighbors, budget: Budget) -> bool:
    """Whether the output on one dataset differs from call to call."""
    key = (budget.seed, TRACE_KEY)
    pair = next(iter(neighbors.pairs(np.random.default_rng(np.random.SeedSequence(key)))))
    runs = [bench.run(pair.right, (*key, 6, i), traced=False) for i in range(UNSEEN_RUNS)]
    outputs = [encode([run.output]) for run in runs]
    return not all(each.same_as(outputs[0]) for each in outputs)


def _reason(found: Search, suspected: list[Suspect], varies: bool) -> str:
    if not (found.pairs or found.endless):
        return "the mechanism emits texts that its source does not show"
    if found.endless:
        return "the mechanism draws without end; its runs were stopped"
    if suspected:
        first = suspected[0].finding
        assert first is not None
        where = "" if first.line is None else f" at {first.file}:{first.line}"
        return (
            f"the trace suspects {first.id}{where}: {first.message}; only sampling can confirm it"
        )
    if found.pairs and not found.heard:
        return no_output(found.complaint)
    if not found.draws:
        shown = "output varies" if varies else "output did not vary"
        return f"noise not visible: 0 draws seen, {shown}"
    return f"traces of {found.pairs} pairs give no suspicion; traces alone cannot verify a claim"
