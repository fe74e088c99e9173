"""The statistical engine: run the mechanism many times and bet against its claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from dpaudit.claims import Claim
from dpaudit.evidence import (
    Budget,
    Evidence,
    PairEvidence,
    Progress,
    Suspect,
    Verdict,
)
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.statistical import bound
from dpaudit.statistical.bandit import next_arm
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import WARM_UP, Contender, Mode
from dpaudit.statistical.ledger import Ledger
from dpaudit.statistical.numerics import log_sum_exp
from dpaudit.statistical.refutation import refutation
from dpaudit.statistical.rows import text_hash
from dpaudit.statistical.state import confirm_state
from dpaudit.subject import Subject
from dpaudit.worker import Runner, WorkerError

NULL_SHARE = 0.05  # of α, for the null check
SHRINK_SHARE = 0.05  # of α, for smaller witnesses
LATE_SHARE = 0.2  # of α, for pairs found on the way
CALLS_A_PAIR = 10_000  # a smaller budget tries fewer pairs
FIRST_PAIRS = (4, 16)  # at least and at most, unless they are listed
LATE_PAIRS = 8
LATE_BUDGET = 200_000  # calls; a smaller one is spent on the first pairs
SHRINKS = 12  # smaller pairs tried for a witness
LATE_FROM = 0.2  # of the calls are made before late pairs join


@dataclass(slots=True)
class _Entry:
    contender: Contender
    share: float
    threshold: float
    null_threshold: float


@dataclass(slots=True)
class _Race:
    """What one audit knows while it runs."""

    subject: Subject
    claim: Claim
    stakes: Stakes
    neighbors: Neighbors
    budget: Budget
    runner: Runner
    ledger: Ledger
    modes: tuple[Mode, ...]
    key: tuple[int, ...]
    proposals: Iterator[Pair]
    rng: np.random.Generator
    started: float
    entries: list[_Entry] = field(default_factory=list)
    wealth: dict[tuple[int, Mode], float] = field(default_factory=dict)
    late: int = 0

    @property
    def calls(self) -> int:
        return sum(e.contender.total_calls for e in self.entries)

    @property
    def room(self) -> int:
        return self.budget.max_calls - self.calls

    @property
    def in_time(self) -> bool:
        limit = self.budget.max_seconds
        return limit is None or time.monotonic() - self.started < limit

    def log_wealth(self, contender: Contender) -> float:
        logs = [self.wealth.get((contender.index, m), 0.0) for m in contender.modes]
        return float(log_sum_exp(np.array(logs)) - np.log(len(logs)))

    def enter(self, pair: Pair, share: float) -> _Entry:
        """Let a pair join with a share of α."""
        index = len(self.entries)
        contender = Contender(pair, index, self.modes, self.key, vectorized=self.subject.vectorized)
        entry = _Entry(
            contender,
            share,
            self.ledger.book(f"pair {index}", share),
            self.ledger.book(f"null check of pair {index}", share * NULL_SHARE),
        )
        self.entries.append(entry)
        return entry

    def draw(self, contender: Contender, mode: Mode) -> None:
        """Draw and count the next batch of a stream."""
        threshold = self.entries[contender.index].threshold
        progress = self.wealth.get((contender.index, mode), 0.0) / threshold
        tasks = contender.plan(mode, self.room, progress)
        for draws in self.runner.run(tasks):
            contender.take(draws)
            drawn = draws.mode
            if drawn in contender.modes:
                earned = contender.stream_log_wealth(drawn, self.stakes)
                self.wealth[contender.index, drawn] = earned

    @property
    def pooled(self) -> float:
        """Evidence of all pairs together, weighted by their shares of α."""
        logs = [np.log(e.share) + self.log_wealth(e.contender) for e in self.entries]
        return float(log_sum_exp(np.array(logs)))


@dataclass(frozen=True, slots=True)
class StatisticalEngine:
    """Bets against the claim on draws from both datasets.

    Parameters
    ----------
    coupled : bool
        Whether draws with a common seed are used too. Published comparisons draw independently.
    """

    coupled: bool = True
    name: str = "statistical"

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
        """Return the verdict, the bounds and the witness that sampling gives.

        See `dpaudit.evidence.Engine`. A worker that fails leaves a verdict of None and
        ``completed=False``, never a pass.
        """
        race = self._race(subject, claim, neighbors, budget, runner)
        try:
            _first_pairs(race, suspects)
            _run(race, progress)
            return _conclude(race)
        except WorkerError as error:
            return _evidence(
                race, None, f"the mechanism could not be run: {error}", completed=False
            )

    def _race(
        self, subject: Subject, claim: Claim, neighbors: Neighbors, budget: Budget, runner: Runner
    ) -> _Race:
        stakes = Stakes.of(claim)
        pair_modes: tuple[Mode, ...] = ("coupled",) if self.coupled else ("independent",)
        if stakes.epsilon is None and self.coupled:
            pair_modes = ("coupled", "independent")
        modes: tuple[Mode, ...] = pair_modes
        if stakes.epsilon is not None:
            modes = ("label", *pair_modes) if self.coupled else ("label",)
        audit = int(text_hash(f"{subject.name} {claim} {neighbors}")) % 2**31
        rng = np.random.default_rng(np.random.SeedSequence((budget.seed, audit)))
        return _Race(
            subject, claim, stakes, neighbors, budget, runner, Ledger(budget.alpha), modes,
            (budget.seed, audit), iter(neighbors.pairs(rng)), rng, time.monotonic(),
        )  # fmt: skip


def _first_pairs(race: _Race, suspects: Sequence[Suspect]) -> None:
    """Enter the suspects and the first proposals; their shares of α are equal."""
    least, most = FIRST_PAIRS
    fixed = race.neighbors.fixed_count
    wanted = fixed or int(np.clip(race.budget.max_calls // CALLS_A_PAIR, least, most))
    pairs = [s.pair for s in suspects][:most]
    pairs += list(islice(race.proposals, max(wanted - len(pairs), 0 if pairs else 1)))
    spare = SHRINK_SHARE + (0.0 if fixed else LATE_SHARE)
    share = (1.0 - (0.0 if fixed else spare)) / len(pairs) / (1 + NULL_SHARE)
    for pair in pairs:
        race.enter(pair, share)


def _run(race: _Race, progress: Callable[[Progress], None] | None) -> None:
    """Draw until a pair refutes, or all of them together, or the budget is spent."""
    target = -np.log(race.budget.alpha)
    while race.room >= 2 and race.in_time:
        arm = next_arm((e.contender for e in race.entries), race.wealth)
        race.draw(arm.contender, arm.mode)
        entry = race.entries[arm.contender.index]
        if progress is not None:
            progress(
                Progress(
                    race.calls,
                    race.budget.max_calls,
                    race.log_wealth(arm.contender) + target - entry.threshold,
                    target,
                    time.monotonic() - race.started,
                )
            )
        if race.log_wealth(arm.contender) >= entry.threshold or race.pooled >= target:
            return
        null = arm.contender.null
        if null is not None and null.log_wealth >= entry.null_threshold:
            return
        _late_pairs(race)


def _late_pairs(race: _Race) -> None:
    """Enter random pairs, and mutations of the best, once the first ones have been tried."""
    if race.neighbors.fixed_count is not None or race.late == LATE_PAIRS:
        return
    if race.calls < LATE_FROM * race.budget.max_calls or race.budget.max_calls < LATE_BUDGET:
        return
    best = sorted(race.entries, key=lambda e: -race.log_wealth(e.contender))[:2]
    mutated = [race.neighbors.mutate(e.contender.pair, race.rng) for e in best for _ in range(2)]
    for pair in [*mutated, *islice(race.proposals, LATE_PAIRS - len(mutated))]:
        race.late += 1
        race.enter(pair, LATE_SHARE / LATE_PAIRS / (1 + NULL_SHARE))
    race.late = LATE_PAIRS


def _conclude(race: _Race) -> Evidence:
    """Turn what was seen into a verdict."""
    drifting = [
        e for e in race.entries
        if e.contender.null is not None and e.contender.null.log_wealth >= e.null_threshold
    ]  # fmt: skip
    if drifting:
        return _drift(race, drifting[0])
    best = max(race.entries, key=lambda e: race.log_wealth(e.contender) - e.threshold)
    alone = race.log_wealth(best.contender) >= best.threshold
    if alone or race.pooled >= -np.log(race.budget.alpha):
        return _refuted(race, best, alone=alone)
    played = [e for e in race.entries if e.contender.total_calls]
    silent = [e for e in played if e.contender.all_raised]
    if not played or len(silent) == len(played):
        said = silent[0].contender.complaint if silent else "no call was made"
        return _evidence(
            race, None, f"the mechanism raised in every call ({said})", completed=False
        )
    return _not_refuted(race, [e for e in race.entries if e not in silent])


def _refuted(race: _Race, best: _Entry, *, alone: bool) -> Evidence:
    contender = best.contender
    if alone:
        contender = _smaller_pair(race, contender)
    notes = [] if alone else [
        "the pairs refute the claim together; the pair shown is the strongest of them"
    ]  # fmt: skip
    epsilon, parameter = _bounds(race, [(e.contender, e.threshold) for e in race.entries])
    finding, witness = refutation(
        race.subject, race.claim, race.stakes, contender, epsilon, 1 - race.budget.alpha
    )
    return _evidence(
        race, Verdict.REFUTED, "", findings=(finding,), witness=witness, epsilon=epsilon,
        parameter_bound=parameter, notes=notes,
    )  # fmt: skip


def _smaller_pair(race: _Race, contender: Contender) -> Contender:
    """Return the smallest pair found that refutes by itself, with a share of α of its own."""
    tries = 0
    allowed = max(4 * WARM_UP, 3 * contender.total_calls)
    found = True
    while found and tries < SHRINKS:
        found = False
        for pair in islice(race.neighbors.shrink(contender.pair), SHRINKS - tries):
            tries += 1
            entry = race.enter(pair, SHRINK_SHARE / SHRINKS / (1 + NULL_SHARE))
            while (
                min(race.room, allowed - entry.contender.total_calls) >= 2
                and race.in_time
                and race.log_wealth(entry.contender) < entry.threshold
            ):
                arm = next_arm([entry.contender], race.wealth)
                race.draw(arm.contender, arm.mode)
            if race.log_wealth(entry.contender) >= entry.threshold:
                contender, found = entry.contender, True
                break
    return contender


def _drift(race: _Race, entry: _Entry) -> Evidence:
    """State between calls is a finding when fresh processes confirm it."""
    finding, reason, calls = confirm_state(
        race.subject, entry.contender, entry.null_threshold, (*race.key, len(race.entries))
    )
    entry.contender.extra_calls += calls
    verdict = Verdict.INCONCLUSIVE if finding is None else Verdict.REFUTED
    findings = () if finding is None else (finding,)
    return _evidence(race, verdict, reason, findings=findings)


def _not_refuted(race: _Race, entries: list[_Entry]) -> Evidence:
    epsilon, parameter = _bounds(race, [(e.contender, e.threshold) for e in entries])
    least = min(entries, key=lambda e: e.contender.total_calls)
    size, probability = bound.detectable(least.contender, race.stakes, least.threshold)
    notes = []
    if any(e.contender.all_raised for e in race.entries):
        silent = next(e.contender for e in race.entries if e.contender.all_raised)
        notes.append(f"on {silent.pair.how} every call raised ({silent.complaint})")
    verdict = Verdict.NOT_REFUTED if np.isfinite(size) else Verdict.INCONCLUSIVE
    reason = "" if np.isfinite(size) else (
        f"{race.calls:,} calls on {len(race.entries)} pairs are too few to catch any violation at "
        f"this alpha; raise max_calls or alpha"
    )  # fmt: skip
    return _evidence(
        race, verdict, reason, epsilon=epsilon, parameter_bound=parameter, notes=notes,
        detectable_epsilon=size, detectable_probability=probability,
    )  # fmt: skip


def _bounds(race: _Race, rivals: list[tuple[Contender, float]]) -> tuple[float, float | None]:
    """Return lower bounds on epsilon at the claim's delta and on the claim's own parameter."""
    delta = race.claim.declared_delta
    promising = sorted(rivals, key=lambda r: r[1] - race.log_wealth(r[0]))[:3]
    own = race.claim.parameter
    scale = own[1] if own is not None and own[1] > 0 else 1.0
    grid = scale * bound.RATIOS
    epsilon = bound.lower_bound(promising, lambda e: bound.epsilon_claim(e, delta), grid)
    if own is None:
        return epsilon, None
    if own[0] == "epsilon" and not race.stakes.moments:
        return epsilon, epsilon
    return epsilon, bound.lower_bound(promising, race.claim.with_parameter, grid)


def _evidence(race: _Race, verdict: Verdict | None, reason: str, **more: object) -> Evidence:
    """Return the evidence with what every conclusion carries."""
    flags = frozenset().union(*(e.contender.flags for e in race.entries))
    notes = [*more.pop("notes", []), *_said(flags)]  # type: ignore[misc]
    pairs = tuple(
        PairEvidence(
            e.contender.pair.how, e.share, race.log_wealth(e.contender), e.contender.total_calls
        )
        for e in race.entries
    )
    return Evidence(
        "statistical",
        verdict,
        reason,
        log_e_value=race.pooled if race.entries else 0.0,
        confidence=1 - race.budget.alpha,
        calls=race.calls,
        pairs_tried=sum(e.contender.total_calls > 0 for e in race.entries),
        seconds=time.monotonic() - race.started,
        alpha_spent=race.ledger.spent,
        pairs=pairs,
        claim=str(race.claim),
        source_hash=race.subject.source_hash,
        seed=race.budget.seed,
        notes=tuple(notes),
        **more,  # type: ignore[arg-type]
    )


_FLAGS = {
    "unseeded": "not reproducible by seed; the evidence is stored instead",
    "mutates-input": "the mechanism changes its input; every call was given a fresh copy",
    "prints": "the mechanism prints; what it printed was not audited",
    "coupling-lost": "draws with a common seed were not possible; independent ones were used",
}


def _said(flags: frozenset[str]) -> list[str]:
    return [text for flag, text in _FLAGS.items() if flag in flags]
