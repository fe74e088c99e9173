"""From draws and wealth to the engine's evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.evidence import (
    NO_OUTPUT,
    NOT_COUPLED,
    Evidence,
    Finding,
    Nights,
    PairEvidence,
    Verdict,
    no_output,
)
from dpaudit.sightings import Sightings
from dpaudit.spared import spared
from dpaudit.statistical import bound, detection
from dpaudit.statistical.picture import sightings
from dpaudit.statistical.race import Entry, Race
from dpaudit.statistical.refutation import located, refutation, unexplained
from dpaudit.statistical.state import REMEMBERS, answers_anew, confirm_state
from dpaudit.statistical.telling import Told
from dpaudit.worker import KEEPS_STATE, WorkerError

TOO_FEW = "are too few to detect any violation at this alpha"

UNREAD = (
    ", which does not show what it holds: part of the output was not looked at. Return what is "
    "released, as numbers, text, arrays, or objects with attributes"
)


def verdict(race: Race, smaller: Callable[[Race, Entry], Entry]) -> Evidence:
    """Return the evidence of a race that has ended.

    Parameters
    ----------
    race : Race
    smaller : callable
        Shrinks a refuting pair.
    """
    drifting = next((entry for entry in race.entries if entry.drifts), None)
    if drifting is not None:
        return _drift(race, drifting)
    best = max(race.entries, key=lambda e: race.log_wealth(e.contender) - e.threshold)
    if race.rejects(best):
        return _refuted(race, best, smaller)
    if race.pooled >= race.target:
        race.notes.append("the pairs refute the claim together; the strongest of them is shown")
        return _refuted(race, best)
    played = [entry for entry in race.entries if entry.contender.total_calls]
    silent = [entry for entry in played if entry.contender.all_raised]
    if len(silent) == len(played):
        if not silent:
            return failed(race, f"{NO_OUTPUT} (there was no time for one)")
        reason = no_output(_complaint(silent[0]))
        if race.tier < len(race.tiers):  # another one may hear an answer
            return _evidence(race, None, reason, completed=False, unfinished=True)
        if race.in_time and race.room >= 2:
            race.notes.append(
                "every call raised the same exception, so the sampling ended after "
                f"{race.calls:,} of {race.budget.max_calls:,} calls"
            )
        return failed(race, reason)
    race.notes += [
        f"every call raised on this pair: {e.contender.pair.how} ({_complaint(e)})"
        for e in silent[:1]
    ]
    heard = [entry for entry in played if entry not in silent]
    for entry in heard:
        for side in (0, 1):
            unread = entry.contender.pool.side(side).unread()
            if unread is not None:
                return inconclusive(race, f"{unread}{UNREAD}")
    return _not_refuted(race, heard)


def _complaint(entry: Entry) -> str:
    place = entry.contender.complained_at
    return f"{entry.contender.complaint}{f', at {place}' if place else ''}"


def failed(race: Race, reason: str) -> Evidence:
    """Return evidence without a verdict: the audit could not be completed."""
    race.set_aside = True
    return _evidence(race, None, reason, completed=False)


def inconclusive(race: Race, reason: str) -> Evidence:
    """Return evidence that decides nothing, and does not count in a family either."""
    race.set_aside = True
    return _evidence(race, Verdict.INCONCLUSIVE, reason)


def cut_short(race: Race, reason: str) -> Evidence:
    """Return evidence of a race that may go on, and of which no tier is complete."""
    return _evidence(race, Verdict.INCONCLUSIVE, reason)


def refuted_by_state(race: Race, finding: Finding) -> Evidence:
    """Return the refutation of a mechanism that keeps state between calls."""
    suspected = race.suspected.get(0)
    failures: list[str] = []
    if suspected is not None and suspected.id == finding.id:
        finding = _caused(finding, suspected, failures)
    return _evidence(race, Verdict.REFUTED, findings=(finding,), notes=tuple(failures))


def _drift(race: Race, entry: Entry) -> Evidence:
    """State between calls is a finding when fresh processes confirm it."""
    finding = confirm_state(race, entry, "after a drift")
    if finding is not None:
        return refuted_by_state(race, finding)
    reason = (
        "the outputs depend on when the mechanism is called: draws are not independent, and no "
        "bound would be valid. Fresh processes did not confirm that earlier data matters"
    )
    return inconclusive(race, reason)


def _refuted(
    race: Race, best: Entry, smaller: Callable[[Race, Entry], Entry] | None = None
) -> Evidence:
    failures: list[str] = []
    if smaller is not None:
        best = spared("a smaller witness", lambda: _shrunk(race, best, smaller), failures, best)
    if not answers_anew(race, best):
        return inconclusive(race, REMEMBERS)
    epsilon, parameter = _bounds(race, race.entries, failures)
    given = race.subject, race.claim, race.stakes, best.contender
    told, finding, witness = spared(
        "the event and the witness",
        lambda: refutation(*given, epsilon, 1 - race.budget.alpha, failures),
        failures,
        (None, unexplained(race.subject, race.claim, best.contender.pair), None),
    )
    suspected = race.suspected.get(best.contender.index)
    if suspected is not None:
        finding = _caused(finding, suspected, failures)
    return _evidence(
        race,
        Verdict.REFUTED,
        findings=(finding,),
        witness=witness,
        epsilon=epsilon,
        parameter_bound=parameter,
        sightings=_pictured(best, race, failures, told),
        notes=tuple(failures),
    )


def _shrunk(race: Race, best: Entry, smaller: Callable[[Race, Entry], Entry]) -> Entry:
    try:
        return smaller(race, best)
    except WorkerError:
        if race.diary is not None:  # as for any batch that failed
            race.diary.fail(race)
        raise


def _caused(finding: Finding, suspected: Finding, failures: list[str]) -> Finding:
    """Return a finding with its suspected cause, or as it is where that fails."""
    what = "the cause of the violation"
    return spared(what, lambda: located(finding, suspected), failures, finding)


def _not_refuted(race: Race, entries: list[Entry]) -> Evidence:
    failures: list[str] = []
    epsilon, parameter = _bounds(race, entries, failures)
    least = min(entries, key=lambda e: e.contender.total_calls)
    size, probability = detection.detectable(least.contender, race.stakes, least.threshold)
    told = bool(np.isfinite(size))
    most = max(entries, key=lambda e: e.contender.total_calls)
    searched = [(e.contender, e.threshold) for e in (least, most)]
    rows = spared(
        "the table of what would have been caught",
        lambda: detection.table(searched[0], searched[1], race.stakes),
        failures,
        (),
    )
    suspicious = max(entries, key=lambda e: race.log_wealth(e.contender) - e.threshold)
    reason = (
        f"{race.calls:,} calls on {len(entries)} pair{'s' * (len(entries) != 1)} {TOO_FEW}; "
        f"raise {_ended_by(race)} or alpha"
    )
    return _evidence(
        race,
        Verdict.NOT_REFUTED if told else Verdict.INCONCLUSIVE,
        "" if told else reason,
        epsilon=epsilon,
        parameter_bound=parameter,
        detectable_epsilon=size,
        detectable_probability=probability,
        detectable=rows,
        pairs_sampled=len(entries),
        sightings=_pictured(suspicious, race, failures),
        notes=tuple(failures),
    )


def _ended_by(race: Race) -> str:
    """Return the option that ended the calls."""
    if race.short:
        return "max_seconds"
    return "tier" if race.tier == race.budget.tier != len(race.tiers) else "max_calls"


def _pictured(
    entry: Entry, race: Race, failures: list[str], told: Told | None = None
) -> Sightings | None:
    """Return what a picture shows, None where none can be made."""
    return spared(
        "the picture of the outputs",
        lambda: sightings(entry.contender, race.stakes, entry.share, told),
        failures,
        None,
    )


def _bounds(race: Race, entries: list[Entry], failures: list[str]) -> tuple[float, float | None]:
    """Return lower bounds on epsilon at the claim's delta and on the claim's own parameter."""
    # Of all pairs: which lost least against the claim says little of a smaller parameter.
    strongest = sorted(entries, key=lambda e: e.threshold - race.log_wealth(e.contender))
    rivals = [(e.contender, e.threshold) for e in strongest]
    delta, own = race.claim.declared_delta, race.claim.parameter
    grid = bound.RATIOS * (own[1] if own is not None and own[1] > 0 else 1.0)
    epsilon = spared(
        "the lower bound on epsilon",
        lambda: bound.lower_bound(rivals, lambda e: bound.epsilon_claim(e, delta), grid),
        failures,
        0.0,
    )
    if own is None:
        return epsilon, None
    if own[0] == "epsilon" and not race.stakes.moments:
        return epsilon, epsilon
    return epsilon, spared(
        f"the lower bound on {own[0]}",
        lambda: bound.lower_bound(rivals, race.claim.with_parameter, grid),
        failures,
        None,
    )


_FLAGS = {
    "unseeded": NOT_COUPLED,
    "mutates-input": "the mechanism changes its input; every call was given a fresh copy",
    "reuses-output": "the mechanism changes what it returned before; outputs were copied at once",
    "copies-generator": "the mechanism copies its generator; every call was given one of its own",
    "prints": "code that was not read prints, and that was not audited",
    KEEPS_STATE: "an output depends on earlier calls, not on its seed alone; draws with a common "
    "seed were discarded, others were used",
}


_OBSERVED = (
    "an output is a pair here: what is returned, and what is printed, logged, warned of and "
    "written to files"
)


def _copied_generator(race: Race) -> Finding:
    """Warn of noise that comes again, which no claim about a single call excludes."""
    message = (
        f"{race.subject.name} draws from a copy of its generator and leaves that as it was. The "
        "next call with it draws the same noise, and the difference of both outputs has none. "
        "Draw from the generator itself"
    )
    return Finding("DPA110", "warning", message, file=race.subject.file, line=race.subject.line)


def _evidence(race: Race, verdict: Verdict | None, reason: str = "", **more: Any) -> Evidence:
    """Return the evidence with what every conclusion carries."""
    flags = frozenset[str]().union(*(e.contender.flags for e in race.entries))
    findings, notes = more.pop("findings", ()), more.pop("notes", ())
    if race.subject.emits:
        notes = (*notes, _OBSERVED)
    if "copies-generator" in flags:
        findings = (*findings, _copied_generator(race))
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
        pairs_tried=sum(pair.calls > 0 for pair in pairs),
        seconds=race.seconds,
        alpha_spent=race.ledger.spent,
        pairs=pairs,
        trail=tuple(race.trail),
        claim=str(race.claim),
        source_hash=race.subject.source_hash,
        seed=race.budget.seed,
        findings=findings,
        nights=None if race.diary is None else Nights(race.diary.night, race.calls - race.earlier),
        cut_short=race.short or race.late,
        notes=(*race.notes, *(text for flag, text in _FLAGS.items() if flag in flags), *notes),
        **more,
    )
