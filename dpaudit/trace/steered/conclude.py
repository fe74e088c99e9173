"""From pairs under steered noise to the evidence of a refutation."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpaudit.claims import Claim
from dpaudit.evidence import Budget, Evidence, Finding, Suspect, Verdict, Witness
from dpaudit.neighbors import Pair, dataset_to_text
from dpaudit.reference import reference
from dpaudit.spared import spared
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.bound import RATIOS
from dpaudit.statistical.ledger import Ledger
from dpaudit.statistical.refutation import located, unexplained
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from dpaudit.trace.steered.steer import PROMISE_CALLS, Steering

MOST_PAIRS = 3
ALPHA_SHARE = 0.1  # of the engine's α
CALLS_SHARE = 0.2  # of the engine's calls, at most,
MOST_CALLS = 100_000  # and so many; what needs more is left to plain sampling
LEAST_CALLS = 200  # with fewer there is nothing to be learned
FIRST_SHARE, FIRST_CALLS = 0.2, 300  # of α, and calls, for a look at one pair before all others
TIER_CALLS = 4_000  # at most, in the first tier
TIME_SHARE = 0.3  # of the time of the first tier
STEER_KEY, LIKELY_KEY = 7, 8
IMPOSSIBLE = 1e-9  # probability on the neighbor, at most, for a catastrophe
RARE, RARELY = 0.5, 0.01  # probability of a catastrophe, at most; of one that runs do not show
NOT_STEERED = "noise is not steered towards rare events: {}"
ASSUMED = (
    "noise was steered and outcomes were weighed by their likelihood ratios. This assumes that all "
    "noise is seen, and that its calls are independent and of the laws that they name. It also "
    "assumes that outputs are functions of the noise, as repeated runs showed"
)
INTEGRATED = (
    "noise that the program never read was integrated over the interval on which it goes the same "
    "way. This assumes real numbers, and that nothing reads noise unseen"
)


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What steered noise has refuted.

    Attributes
    ----------
    rows : int
        Weighted pairs of runs.
    log_e_value : float
        In nats.
    unread : bool
        Whether noise that the program never read was integrated.
    probability : float
        Of a catastrophe; of anything else, 1.
    finding : Finding
    witness : Witness or None
        None where it could not be made.
    epsilon : float
    parameter : float or None
        Lower bounds on epsilon and on the claim's own parameter.
    confidence : float
        Of the bounds.
    failures : tuple of str
        What could not be made.
    """

    rows: int
    log_e_value: float
    unread: bool
    probability: float
    finding: Finding
    witness: Witness | None
    epsilon: float
    parameter: float | None
    confidence: float
    failures: tuple[str, ...] = ()

    def onto(self, evidence: Evidence) -> Evidence:
        """Return the evidence of a trace with the refutation."""
        return replace(
            evidence,
            verdict=Verdict.REFUTED,
            reason=f"steered noise: {self.rows:,} weighted pairs of runs",
            findings=(self.finding,),
            witness=self.witness,
            log_e_value=self.log_e_value,
            epsilon=self.epsilon,
            parameter_bound=self.parameter,
            confidence=self.confidence,
            notes=(
                *evidence.notes,
                ASSUMED,
                *((INTEGRATED,) if self.unread else ()),
                *self.failures,
            ),
            suspects=(),
        )


@dataclass(frozen=True, slots=True)
class Left:
    """What attempts to steer have left for later ones, besides their part of α.

    Attributes
    ----------
    calls : int
    tried : int
        Number of attempts; it keys their noise.
    """

    calls: int
    tried: int


class Attempts:
    """Steers noise on one pair after another, with one part of α and of the calls for all.

    Parameters
    ----------
    bench : Bench
        Entered.
    subject : Subject
    claim : Claim
    budget : Budget
        Of the engine: a part of its α and of its calls is for this.
    confirming : float
        The part of α that is kept for confirming by sampling; with 0, nothing is steered.
    before : Left, optional
        What earlier attempts, on another bench, have left.
    """

    def __init__(
        self,
        bench: Bench,
        subject: Subject,
        claim: Claim,
        budget: Budget,
        *,
        confirming: float,
        before: Left | None = None,
    ) -> None:
        part = min(ALPHA_SHARE, math.nextafter(1 - confirming, 0.0))
        self.reserved = part * budget.alpha  # for all tiers
        if budget.tiers > 1:  # 1/2, 1/4, … of it, which sum to no more than it
            part *= 0.5 ** (budget.tier or budget.tiers)
        budget = replace(budget, alpha=part * budget.alpha)
        self._bench, self._subject, self._claim, self._budget = bench, subject, claim, budget
        self._ledger, self._stakes = Ledger(budget.alpha), Stakes.of(claim)
        self._idle, self._refused = not confirming, ""
        self._whole = min(int(CALLS_SHARE * budget.max_calls), MOST_CALLS)
        self._room = int(budget.allowed(TIER_CALLS, self._whole))
        self._growth = self._whole / max(self._room, 1)
        self._tried = 0
        self.late = False  # whether time ended one of them
        self._end = math.inf
        if budget.is_first and budget.max_seconds is not None:
            self._end = time.monotonic() + TIME_SHARE * budget.max_seconds
        self.promises = False  # whether one of them may reject the claim in the next tier
        if before is not None:
            self._room, self._tried = before.calls, before.tried

    @property
    def left(self) -> Left:
        """What is left for attempts on another bench."""
        return Left(self._room, self._tried)

    @property
    def unsteered(self) -> str:
        """A line for the report where noise cannot be steered; empty where it can."""
        return NOT_STEERED.format(self._refused) if self._refused else ""

    @property
    def alpha_spent(self) -> float:
        """Error probability that was booked."""
        return self._ledger.spent if self._tried else 0.0

    def first(self, pair: Pair) -> Told | None:
        """Have a short look at a pair: return a catastrophe, too rare for a trace to show it.

        Of what else is wrong with the mechanism a trace says more.
        """
        calls = min(self._room, FIRST_CALLS)
        told = self._on(pair, None, FIRST_SHARE, calls, calls)
        return told if told is not None and told.probability < RARELY else None

    def then(self, suspects: Sequence[Suspect], others: Sequence[Pair]) -> Told | None:
        """Steer the pairs of suspects, and others where nothing is suspected or that refutes.

        Of others beside suspects, the one is steered that promises the most.
        """
        chosen: dict[int, tuple[Pair, Finding | None]] = {}
        for suspect in suspects:
            chosen.setdefault(id(suspect.pair), (suspect.pair, suspect.finding))
        pairs = list(chosen.values())[: MOST_PAIRS - 1]
        if not suspects:
            pairs = [(pair, None) for pair in others[:MOST_PAIRS]]
        enough = self._room >= 2 * PROMISE_CALLS * (len(pairs) + 1)  # for others beside suspects
        beside = 1 if suspects and others and enough else 0
        for number, (pair, suspected) in enumerate(pairs):
            left = self._room // (len(pairs) - number + beside)
            whole = int(left * self._growth)
            told = self._on(pair, suspected, (1 - FIRST_SHARE) / MOST_PAIRS, left, whole)
            if told is not None:
                return told
        likely = self._likely(others) if suspects else None
        if likely is None:
            return None
        whole = int(self._room * self._growth)
        return self._on(likely, None, (1 - FIRST_SHARE) / MOST_PAIRS, self._room, whole)

    def _likely(self, others: Sequence[Pair]) -> Pair | None:
        """Return the pair on which a few steered runs promise the most.

        It takes at most half of the calls that are left; a larger tier may look at more pairs.
        """
        promised: list[tuple[float, int]] = []
        bench, before = self._bench, self._bench.calls
        for number, pair in enumerate(others):
            if self._idle or self._refused or not self._in_time():
                break
            if self._room // 2 - (bench.calls - before) < PROMISE_CALLS:
                self.promises |= self._growth > 1
                break
            key = self._key(LIKELY_KEY, self._tried, number)
            few = Steering(bench, pair, self._stakes, math.inf, key, in_time=self._in_time)
            promised.append((few.promise(), -number))
            if not few.sides[0].whole:
                break  # noise is read: no probability is known
        self._room -= bench.calls - before
        most, number = max(promised, default=(0.0, 0))
        return others[-number] if most > 0 else None

    def _key(self, *own: int) -> tuple[int, ...]:
        """Return the seed of runs, which every tier has for itself."""
        budget = self._budget
        tier = () if budget.is_first else (budget.tier or budget.tiers,)
        return (budget.seed, *own, *tier)

    def _on(
        self, pair: Pair, suspected: Finding | None, share: float, calls: int, whole: int
    ) -> Told | None:
        if self._idle or calls < LEAST_CALLS:
            return None
        bench, before = self._bench, self._bench.calls
        for unread in (True, False):
            # With unread noise, and with plain numbers where the mechanism does not bear that.
            self._tried += 1
            threshold = self._ledger.book(f"steered noise {self._tried}", share / 2)
            key = self._key(STEER_KEY, self._tried)
            steering = Steering(bench, pair, self._stakes, threshold, key, unread, self._in_time)
            made = bench.calls - before
            steering.run(calls - made, whole - made)
            if steering.rejects or not steering.refused:
                break
        self._room -= bench.calls - before
        self._refused = steering.refused
        self.promises |= steering.promises
        if steering.rejects:
            return _told(steering, self._subject, self._claim, suspected, self._budget)
        return None

    def _in_time(self) -> bool:
        """Whether another bet may begin; asked only where calls are left for it."""
        self.late |= time.monotonic() >= self._end
        return not self.late


def _told(
    steering: Steering,
    subject: Subject,
    claim: Claim,
    suspected: Finding | None,
    budget: Budget,
) -> Told:
    own, failures = claim.parameter, list[str]()
    epsilon = spared("the lower bound on epsilon", lambda: _bounds(steering, claim), failures, 0.0)
    finding, witness = spared(
        "the event and the witness",
        lambda: _finding(steering, subject, claim, epsilon, budget),
        failures,
        (replace(unexplained(subject, claim, steering.pair), engine="trace"), None),
    )
    if suspected is not None:
        seen = finding
        finding = spared(
            "the cause of the violation", lambda: _caused(seen, suspected), failures, seen
        )
    plan, probability = steering.plan, 1.0
    assert plan is not None
    if finding.id == "DPA102":
        probability = spared(
            "the probability of the event",
            lambda: float(steering.sides[plan.mirrored].sure(plan.target, up=False)),
            failures,
            0.0,
        )
    return Told(
        len(steering.wealth.rows),
        steering.wealth.log,
        steering.unread,
        probability,
        finding,
        witness,
        epsilon,
        None if own is None else own[1],
        1 - budget.alpha,
        tuple(failures),
    )


def _caused(seen: Finding, suspected: Finding) -> Finding:
    finding = located(seen, suspected)
    said = finding.message.replace("Confirmed by sampling", "Confirmed by steered noise")
    return replace(finding, message=said)


def _bounds(steering: Steering, claim: Claim) -> float:
    """Return the last epsilon of a grid below which all are rejected, at the claim's delta."""
    assert steering.plan is not None
    slope, delta = steering.plan.slope, claim.declared_delta
    alone = len(steering.stakes.slopes) == 1  # then the claim says no more than is rejected
    bound = slope if alone else 0.0
    for value in np.sort(RATIOS * (slope if slope > 0 else 1.0)):
        if value > bound:
            if steering.wealth.against(float(value), delta) < steering.threshold:
                break
            bound = float(value)
    return bound


def _finding(
    steering: Steering, subject: Subject, claim: Claim, epsilon: float, budget: Budget
) -> tuple[Finding, Witness]:
    plan = steering.plan
    assert plan is not None
    likely, other = steering.sides[::-1] if plan.mirrored else steering.sides
    if plan.sure:
        p = float(likely.sure(plan.target, up=False))
        q = float(other.sure(plan.target, up=True)) + other.unknown
    else:
        p = float(likely.moments(plan.target, up=False)[0])
        q = float(other.moments(plan.target, up=True)[0])
    p, q = min(p, 1.0), min(q, 1.0)  # a mean of weights, or a bound, may lie above 1
    event = plan.target.event
    left, right = steering.datasets
    impossible = plan.sure and q < IMPOSSIBLE < p < RARE
    id, what = ("DPA102", "a catastrophe: ") if impossible else ("DPA201", "")
    about = "0" if impossible else f"{q:.3g}"
    roughly = "" if plan.sure else "about "  # an estimate from weighted runs
    message = (
        f"{subject.name} violates {claim}: {what}{event.words}, with probability {roughly}"
        f"{p:.3g} on {dataset_to_text(left)} and {roughly}{about} on {dataset_to_text(right)}"
    )
    finding = Finding(
        id, "error", message, file=subject.file, line=subject.line, engine="trace",
        pair=(left, right),
    )  # fmt: skip
    witness = Witness(
        left,
        right,
        event,
        None,
        steering.pair.how,
        reference(subject.mechanism),
        claim,
        epsilon,
        1 - budget.alpha,
        takes_rng=subject.takes_rng,
        source=subject.source or "",
        file=subject.file,
        probabilities=(p, q),
    )
    return finding, witness
