"""The self-test: whether audits see it when the noise of their mechanism is sabotaged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from dpaudit.apart import one_line
from dpaudit.auditor import runner_for
from dpaudit.collect import CollectedAudit, Collection
from dpaudit.evidence import Verdict
from dpaudit.formal.derivation import Derivation
from dpaudit.neighbors import Neighbors, QueryAnswers
from dpaudit.outcome import INTERRUPTED, SCHEMA_VERSION, Outcome, Status
from dpaudit.report.paths import shown
from dpaudit.report.provenance import of_run
from dpaudit.running import Watch, run_all
from dpaudit.subject import Subject
from dpaudit.trace.probe import PAIRS, Probe, probed
from dpaudit.trace.sabotage import Sabotaged, Way, released

OFF, HALVED, DOUBLED = "noise off", "noise halved", "record counted twice"
SABOTAGES = (OFF, HALVED, DOUBLED)
_SAMPLING = "statistical"
_EXPECTED = (Verdict.NOT_REFUTED.name, Verdict.VERIFIED.name)


class Sight(Enum):
    """What the self-test says of an audit."""

    SEES = "sees"
    BLIND = "BLIND"
    PROOF = "proof only"
    UNDECIDED = "UNDECIDED"
    SKIPPED = "skipped"
    INTERRUPTED = "INTERRUPTED"


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one sabotage.

    Attributes
    ----------
    sabotage : str
        One of `SABOTAGES`.
    result : str
        ``"caught"``, ``"missed"``, ``"not tried"`` or ``"interrupted"``.
    reason : str
        Why it was missed, or not tried.
    calls : int
    """

    sabotage: str
    result: str
    reason: str = ""
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Tested:
    """What the self-test says of one audit, and why.

    Attributes
    ----------
    name : str
    sight : Sight
    reason : str
    trials : tuple of Trial
        One for each of `SABOTAGES`; none where the audit was skipped.
    """

    name: str
    sight: Sight
    reason: str = ""
    trials: tuple[Trial, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        trials = [
            {"sabotage": t.sabotage, "result": t.result, "reason": t.reason, "calls": t.calls}
            for t in self.trials
        ]
        said = {"name": self.name, "result": self.sight.name, "reason": self.reason}
        return {**said, "sabotages": trials}


def self_test(
    audits: Sequence[CollectedAudit],
    *,
    jobs: int,
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    watch: Watch,
) -> list[Tested]:
    """Sabotage the mechanisms of some audits, and run the audits on them.

    Parameters
    ----------
    audits : sequence of CollectedAudit
    jobs, options, defaults, watch
        As for `dpaudit.running.run_all`.

    Returns
    -------
    list of Tested
        One an audit, in their order.

    Notes
    -----
    The source of a mechanism stays what it is, so that a proof says nothing here: draws from the
    sabotaged mechanism alone decide. A sabotage that is missed counts against an audit only if it
    certainly breaks the claim. See `_judged`.
    """
    given = {name: value for name, value in options.items() if name != "engines"}
    with released():
        plans = _plans(audits, options, defaults)
        todo = [(plan, sabotage, way) for plan in plans for sabotage, way in plan.ways()]
        spoiled = [_spoiled(plan.collected, sabotage, way) for plan, sabotage, way in todo]
        made = run_all(spoiled, jobs=jobs, options=given, defaults=defaults, watch=watch)
    outcomes: dict[tuple[int, str], list[Outcome]] = {}
    for (plan, sabotage, _), outcome in zip(todo, made, strict=True):
        outcomes.setdefault((id(plan), sabotage), []).append(outcome)
    return [
        _judged(plan, {each: outcomes.get((id(plan), each), []) for each in SABOTAGES})
        for plan in plans
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """What is to be tried on an audit; nothing where it is skipped or cannot be tried."""

    collected: CollectedAudit
    skipped: str = ""
    reason: str = ""
    probe: Probe = field(default_factory=Probe)

    @property
    def answers(self) -> bool:
        return isinstance(self.collected.audit.neighbors, QueryAnswers)

    def ways(self) -> Iterator[tuple[str, Way]]:
        """Yield the sabotages that are tried; one that is tried in two ways twice."""
        probe = self.probe
        if self.skipped or self.reason:
            return
        if not probe.reason:
            if probe.scaled and probe.coins:
                yield OFF, Way("off")
            if probe.stream is not None:
                yield OFF, Way("off", probe.stream)
            if probe.scaled:
                yield HALVED, Way("halved")
        if not probe.undoubled and probe.doubled is not None:
            yield DOUBLED, Way(doubled=probe.doubled, answers=self.answers)

    def why_not(self, sabotage: str) -> str:
        """Return why a sabotage is not tried."""
        probe = self.probe
        if sabotage == DOUBLED:
            return probe.undoubled or probe.reason or "it changes no output on the pairs tried"
        if probe.reason:
            return probe.reason
        drawn = ", ".join(probe.coins) or "nothing"
        return (
            f"the noise has no scale: it draws {drawn}"
            if sabotage == HALVED
            else f"without noise no output differs on the {PAIRS} pairs tried"
        )


def _plans(
    audits: Sequence[CollectedAudit], options: Mapping[str, Any], defaults: Mapping[str, Any]
) -> list[_Plan]:
    def plan(collected: CollectedAudit) -> _Plan:
        audit = collected.audit
        if isinstance(audit.mechanism, Derivation):
            return _Plan(collected, "a derivation has no noise")
        if audit.over is not None:
            return _Plan(collected, "it has several settings; name one")
        if audit.expect not in _EXPECTED:
            return _Plan(collected, f"it expects {audit.expect.replace('_', ' ')}")
        engines = options.get("engines") or audit.engines or defaults.get("engines")
        if engines is not None and _SAMPLING not in engines:
            return _Plan(collected, reason="its engines do not sample; name statistical too")
        try:
            return _Plan(collected, probe=_probe(collected, options, defaults))
        except (Exception, SystemExit) as error:
            return _Plan(collected, reason=one_line(error))

    return [plan(collected) for collected in audits]


def _probe(
    collected: CollectedAudit, options: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Probe:
    audit = collected.audit
    assert isinstance(audit.neighbors, Neighbors)
    subject = Subject.of(audit.mechanism)  # type: ignore[arg-type]
    given = {**audit.undeclared(defaults), **options}
    seed = int(given.get("seed") or audit.seed or 0)
    isolation, timeout = given.get("isolation", "process"), given.get("timeout")
    answers = isinstance(audit.neighbors, QueryAnswers)
    with closing(runner_for(subject, None, isolation, 1, timeout)) as runner:
        return probed(subject, audit.neighbors, seed, answers, runner)


def _spoiled(collected: CollectedAudit, sabotage: str, way: Way) -> CollectedAudit:
    """Return the audit of a sabotaged mechanism, which only draws can refute."""
    audit = collected.audit
    spoiled = replace(
        audit,
        mechanism=Sabotaged(audit.mechanism, way),
        expect=Verdict.REFUTED.name,
        engines=(_SAMPLING,),
    )
    return CollectedAudit(f"{collected.name}, {sabotage}", spoiled, collected.line)


def _judged(plan: _Plan, outcomes: Mapping[str, Sequence[Outcome]]) -> Tested:
    """Say whether an audit sees, and accuse it only of what certainly breaks its claim.

    Notes
    -----
    Without noise, and with all other draws repeated, a mechanism is a function of its data. If it
    gives two neighbors different outputs, no claim allows that. If noise of half the scale breaks
    the claim on a pair, so does a change that is twice as large at the same noise.
    """
    name, probe = plan.collected.name, plan.probe
    if plan.skipped:
        return Tested(name, Sight.SKIPPED, plan.skipped)
    if plan.reason:
        return Tested(name, Sight.UNDECIDED, plan.reason)
    trials = tuple(_trial(plan, sabotage, outcomes[sabotage]) for sabotage in SABOTAGES)
    results = {trial.sabotage: trial.result for trial in trials}
    if "interrupted" in results.values():
        return Tested(name, Sight.INTERRUPTED, "", trials)
    sight, reason = Sight.SEES, ""
    if results[OFF] == "missed" and probe.stream is not None:
        sight, reason = (
            Sight.BLIND,
            "without noise the outputs differ, and this audit does not detect it",
        )
        if plan.collected.audit.expect == Verdict.VERIFIED.name:
            sight, reason = Sight.PROOF, "draws do not see that the noise is off; the proof would"
    elif results[OFF] == "not tried" and not probe.reason and not probe.coins:
        sight, reason = Sight.BLIND, f"no output differs on the {PAIRS} pairs that it tries first"
    elif results[HALVED] == "caught" and results[DOUBLED] == "missed" and probe.twice:
        sight, reason = (
            Sight.BLIND,
            "the audit detects half the noise, but not a record that is counted twice",
        )
    elif "caught" not in results.values():
        sight, reason = Sight.UNDECIDED, next(t.reason for t in trials if t.sabotage == OFF)
    return Tested(name, sight, reason, trials)


def _trial(plan: _Plan, sabotage: str, outcomes: Sequence[Outcome]) -> Trial:
    """Return what became of a sabotage; it is caught if it is caught in one way."""
    statuses = {outcome.status for outcome in outcomes}
    calls = sum(outcome.calls for outcome in outcomes)
    if not outcomes:
        return Trial(sabotage, "not tried", plan.why_not(sabotage))
    if Status.OK in statuses:
        return Trial(sabotage, "caught", calls=calls)
    if Status.INTERRUPTED in statuses:
        return Trial(sabotage, "interrupted")
    if Status.INCOMPLETE in statuses:
        reason = next(o.reason for o in outcomes if o.status is Status.INCOMPLETE)
        return Trial(sabotage, "not tried", reason, calls)
    certain = sabotage == OFF and plan.probe.stream is not None
    reason = "it breaks the claim" if certain else "the claim may leave room for it"
    return Trial(sabotage, "missed", reason, calls)


def exit_code(tested: Sequence[Tested], failures: int = 0) -> int:
    """Return the exit code of a self-test.

    Parameters
    ----------
    tested : sequence of Tested
    failures : int
        Audit files that could not be used.

    Returns
    -------
    int
        130 interrupted, else 1 an audit is blind, else 3 an audit is undecided, a file could not be
        used or all audits were skipped, else 0.
    """
    sights = {each.sight for each in tested}
    if Sight.INTERRUPTED in sights:
        return INTERRUPTED
    if Sight.BLIND in sights:
        return 1
    return 3 if failures or Sight.UNDECIDED in sights or sights <= {Sight.SKIPPED} else 0


def to_dict(
    tested: Sequence[Tested], collection: Collection, code: int, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a self-test as JSON-able values.

    Parameters
    ----------
    tested : sequence of Tested
    collection : Collection
    code : int
        Of `exit_code`.
    options : mapping
        What the command was given.
    """
    import dpaudit

    return {
        "schema_version": SCHEMA_VERSION,
        "dpaudit": dpaudit.__version__,
        "exit_code": code,
        "provenance": of_run(options),
        "self_test": [each.to_dict() for each in tested],
        "failures": [{"file": shown(f.file), "message": f.message} for f in collection.failures],
        "skipped": [{"file": shown(s.file), "missing": [*s.missing]} for s in collection.skipped],
    }


def lines(tested: Sequence[Tested]) -> Iterator[str]:
    """Yield the self-test as text: a line an audit, and one a sabotage.

    Parameters
    ----------
    tested : sequence of Tested
    """
    for each in tested:
        yield f"{each.sight.value:<11} {each.name}" + (f": {each.reason}" if each.reason else "")
        for trial in each.trials:
            calls = f", {trial.calls:,} calls" if trial.calls else ""
            why = f" ({trial.reason})" if trial.reason else ""
            yield f"    {trial.sabotage}: {trial.result}{why}{calls}"
    many = "" if len(tested) == 1 else "s"
    counts = [(sight, sum(each.sight is sight for each in tested)) for sight in Sight]
    said = ", ".join(f"{count} {sight.value}" for sight, count in counts if count)
    yield f"{len(tested)} audit{many}: {said}"
