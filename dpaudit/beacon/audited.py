"""An audit under a beacon: it is logged, seeded by a hash, and leaves evidence to be replayed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.auditor import audit, runner_for
from dpaudit.beacon.bets import best_bets, half_planes
from dpaudit.beacon.datasets import NoDataError, as_data
from dpaudit.beacon.derive import (
    LEVEL_SHARE,
    PAIRS_SHARE,
    digest,
    opening,
    run_seed,
    words,
)
from dpaudit.beacon.log import Chain, EvidenceLog, attempts
from dpaudit.beacon.play import Draws, NoCertificateError, Played, chosen_pair, play
from dpaudit.evidence import Evidence, Finding, Progress, Verdict, Witness
from dpaudit.neighbors import Pair
from dpaudit.notation import NotationError, parse_claim, parse_neighbors
from dpaudit.reference import reference
from dpaudit.roots import FOLDER, project_root
from dpaudit.spared import spared
from dpaudit.subject import Subject
from dpaudit.worker import Runner, WorkerError

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.formal.certificate import Certificate
    from dpaudit.neighbors import Neighbors
    from dpaudit.verdict import Report

KIND = "evidence"
PILOT_CALLS = 16_384
TIME_SHARE = 5 / 8  # for the engines, where there is a limit
_HOW = ("executor", "isolation", "workers", "timeout")  # say nothing of what is drawn
_DEFAULTS: dict[str, Any] = {
    "engines": None,
    "alpha": 1e-6,
    "max_calls": 1_000_000,
    "max_seconds": None,
    "seed": 0,
    "arithmetic": "real",
}


@dataclass(frozen=True, slots=True)
class _Case:
    """What is audited, and how."""

    subject: Subject
    mechanism: str
    claim: Claim
    neighbors: Neighbors
    identity: dict[str, Any]
    options: dict[str, Any]
    beacon: str
    how: dict[str, Any]
    progress: Callable[[Progress], None] | None

    @property
    def seed(self) -> str:
        return run_seed(self.identity, self.options, self.beacon)

    @property
    def pairs(self) -> int:
        """Pairs of draws for the certificate."""
        return max(1, int(self.options["max_calls"]) // PAIRS_SHARE)

    @property
    def pilot(self) -> int:
        return min(PILOT_CALLS, self.pairs)

    @property
    def calls(self) -> int:
        """Calls for the engines."""
        return max(1, int(self.options["max_calls"]) - 2 * self.pairs - self.pilot)

    def target(self, attempt: int) -> float:
        """Return the nats that refute at the j-th run: Σ 1/(j (j + 1)) = 1 over all of them."""
        level = LEVEL_SHARE * self.options["alpha"] / (attempt * (attempt + 1))
        return -math.log(level)

    def runner(self) -> Runner:
        how = {"executor": None, "isolation": "none", "workers": 1, "timeout": None, **self.how}
        return runner_for(self.subject, *(how[name] for name in _HOW))


def audited(
    mechanism: Any,
    claim: Claim,
    neighbors: Neighbors,
    *,
    beacon: str,
    folder: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Report:
    """Audit a mechanism under a public value that nobody chose.

    Parameters
    ----------
    mechanism, claim, neighbors
        As for `dpaudit.audit`.
    beacon : str
        A round of a randomness beacon, a commit id.
    folder : Path, optional
        Where the log is; ``.dpaudit/`` of the project unless given.
    progress : callable, optional
    **options
        Of `dpaudit.audit`. A seed counts as an option: what is drawn is seeded by a hash.

    Returns
    -------
    Report
        Where it is REFUTED or NOT REFUTED, with a certificate of the evidence if one can be given;
        a note says why not.

    Raises
    ------
    ValueError
        Where the beacon is empty.
    LogError
        Where the log cannot be written, or was edited.

    Notes
    -----
    The engines have three quarters of α and at least five eighths of the calls; bets on fresh
    draws, for the certificate, have the rest. The j-th run of one source, claim and neighbors
    refutes by them at an e-value of j (j + 1) / (α / 4): over all runs that the log knows a sound
    mechanism is then refuted with probability α / 4 at most, whichever beacons were tried.
    """
    if not beacon.strip():
        raise ValueError("`beacon` is empty; give a public value, such as a commit id")
    if options.get("observes") is not None:
        raise ValueError("`observes` with a beacon is not there; run the audit without one")
    how = {name: options.pop(name) for name in _HOW if options.get(name) is not None}
    given = {**_DEFAULTS, **{k: v for k, v in options.items() if v is not None}}
    subject = Subject.of(mechanism)
    engines = given["engines"]
    case = _Case(
        subject,
        reference(mechanism),
        claim,
        neighbors,
        {"source": subject.source_hash, "claim": str(claim), "neighbors": str(neighbors)},
        {**given, "engines": None if engines is None else [getattr(e, "name", e) for e in engines]},
        beacon,
        how,
        progress,
    )
    began, failures = time.monotonic(), list[str]()
    log = EvidenceLog(project_root(Path.cwd()) / FOLDER if folder is None else folder)
    try:
        run = {"identity": case.identity, "options": case.options, "beacon": beacon}
        chain = log.start(case.identity, run)
        report = audit(
            mechanism, claim, neighbors, progress=progress, **how,
            **{**given,
               "alpha": (1 - LEVEL_SHARE) * given["alpha"],
               "max_calls": case.calls,
               "max_seconds": given["max_seconds"] and TIME_SHARE * given["max_seconds"],
               "seed": int(case.seed[:13], 16)},
        )  # fmt: skip
        report = _certified(_shared(report, case), case, chain, began)
        end = {"run": chain[-1]["number"], "verdict": report.verdict.name}
        spared("the end of the run in the log", lambda: log.end(case.identity, end), failures, None)
    finally:
        spared("an orderly end of the log", log.close, failures, None)
    *before, last = report.evidence
    return replace(report, evidence=(*before, replace(last, notes=(*last.notes, *failures))))


def _shared(report: Report, case: _Case) -> Report:
    """Return the report of the engines; where they ask for more, with what they had of all."""
    report = replace(report, alpha=case.options["alpha"])
    if report.verdict is not Verdict.INCONCLUSIVE or not report.calls:
        return report
    told = (
        f"under a beacon the engines have {case.calls:,} of the {case.options['max_calls']:,} "
        f"calls and {1 - LEVEL_SHARE:g} of alpha, and a certificate has the rest. Raise max_calls, "
        "or run without --beacon"
    )
    evidence = [
        replace(e, notes=(*e.notes, told)) if e.verdict is Verdict.INCONCLUSIVE and e.calls else e
        for e in report.evidence
    ]
    return replace(report, evidence=tuple(evidence))


def _certified(report: Report, case: _Case, chain: Chain, began: float) -> Report:
    """Return the report with its certificate, or with a note why it has none."""
    if report.verdict not in (Verdict.REFUTED, Verdict.NOT_REFUTED):
        return report
    place = next(i for i, e in enumerate(report.evidence) if e.verdict is report.verdict)
    told, notes = report.evidence[place], list[str]()

    def certify() -> Evidence:
        try:
            return _with_certificate(told, case, chain, began)
        except (NoCertificateError, NoDataError, WorkerError) as error:
            notes.append(f"no certificate of the evidence: {error}")
            return told

    certified = spared("a certificate of the evidence", certify, notes, told)
    told = replace(certified, notes=(*certified.notes, *notes))
    told = replace(told, alpha_spent=told.alpha_spent + LEVEL_SHARE * report.alpha)
    return replace(report, evidence=(*report.evidence[:place], told, *report.evidence[place + 1 :]))


def _with_certificate(told: Evidence, case: _Case, chain: Chain, began: float) -> Evidence:
    _validate(case)
    planes = half_planes(case.claim)
    if not planes:
        raise NoCertificateError(f"no half-plane of {case.claim} can be bet on")
    target = case.target(attempts(chain))
    refuted = told.verdict is Verdict.REFUTED
    pilot, final = case.runner(), case.runner()
    try:
        key = words(digest("pilot", case.seed))
        draws = chosen_pair(pilot, _pairs(told, case), planes, key, case.pilot)
        pair = {"left": as_data(draws.pair.left), "right": as_data(draws.pair.right)}
        if not case.neighbors.contains(draws.pair):
            raise NoCertificateError("its datasets are not decided to be neighboring")
        bets = best_bets(draws.left, draws.right, planes)
        written = [bet.to_dict(1 / len(bets)) for bet in bets]
        opened = opening(case.seed, chain[-1]["hash"], pair, written)
        watch = _watch(case, began, target)
        played = play(Draws(final, draws.pair), bets, opened, case.pairs, target, watch)
    finally:
        pilot.close()
        final.close()
    calls = told.calls + draws.calls + played.calls
    shows = played.log_e_value >= target
    if refuted and not shows:
        raise NoCertificateError(
            f"bets on a few sets of outputs reached {played.log_e_value:.1f} nats on fresh draws, "
            f"and {target:.1f} are needed. The audit's own evidence is a mixture of many more bets"
        )
    if not refuted and shows:
        told = _refuted_after_all(told, case, draws.pair, played, target)
    certificate = _certificate(case, chain, (pair, written), played)
    note = (
        f"evidence to be replayed: {played.log_e_value:.2f} nats against the claim on "
        f"{2 * played.pairs:,} draws seeded by the beacon {case.beacon!r}"
    )
    return replace(told, calls=calls, certificate=certificate, notes=(*told.notes, note))


def _validate(case: _Case) -> None:
    """Refuse what a checker could not read again from names and texts."""
    try:
        claim, neighbors = parse_claim(str(case.claim)), parse_neighbors(str(case.neighbors))
        told = claim.to_dict() == case.claim.to_dict() and str(neighbors) == str(case.neighbors)
    except NotationError:
        told = False
    if not told:
        raise NoCertificateError("its claim or its neighbors cannot be read from a text")
    try:
        named, audited_one = Subject.of(case.mechanism), case.subject
    except (TypeError, ValueError, ImportError):
        named, audited_one = None, case.subject
    if (
        named is None
        or named.source_hash != audited_one.source_hash
        or named.vectorized != audited_one.vectorized
    ):
        raise NoCertificateError(f"{case.mechanism} cannot be imported by that name")


def _pairs(told: Evidence, case: _Case) -> Iterator[Pair]:
    """Return the witness's pair, or those that are worth trying."""
    witness = told.witness
    if isinstance(witness, Witness):
        return iter([Pair(witness.left, witness.right, witness.how)])
    if told.verdict is Verdict.REFUTED:
        raise NoCertificateError("the refutation shows no pair of datasets to draw from")
    return case.neighbors.pairs(np.random.default_rng(words(digest("pairs", case.seed))))


def _watch(case: _Case, began: float, target: float) -> Callable[[int, float], bool]:
    """Return what is asked after each batch."""
    most, seconds = case.options["max_calls"], case.options["max_seconds"]

    def carry_on(pairs: int, wealth: float) -> bool:
        gone = time.monotonic() - began
        if case.progress is not None:
            calls = most - 2 * (case.pairs - pairs)
            case.progress(Progress(calls, most, wealth, target, gone, max_seconds=seconds))
        return seconds is None or gone < seconds

    return carry_on


def _refuted_after_all(
    told: Evidence, case: _Case, pair: Pair, played: Played, target: float
) -> Evidence:
    subject, alpha = case.subject, case.options["alpha"]
    finding = Finding(
        "DPA201",
        "error",
        f"{subject.name} violates {case.claim}: bets on draws seeded by the beacon reached "
        f"{played.log_e_value:.1f} nats where {target:.1f} refute; {played.said}",
        file=subject.file,
        line=subject.line,
        pair=(pair.left, pair.right),
    )
    return replace(
        told,
        verdict=Verdict.REFUTED,
        findings=(*told.findings, finding),
        log_e_value=max(told.log_e_value, played.log_e_value - target - math.log(alpha)),
        detectable_epsilon=math.inf,
    )


def _certificate(
    case: _Case,
    chain: Chain,
    bet: tuple[dict[str, Any], list[dict[str, Any]]],
    played: Played,
) -> Certificate:
    from dpaudit.formal.certificate import Certificate

    shows = played.log_e_value >= case.target(attempts(chain))
    verdict = Verdict.REFUTED if shows else Verdict.NOT_REFUTED
    subject = {
        "mechanism": case.mechanism,
        "claim": case.identity["claim"],
        "neighbors": case.identity["neighbors"],
        "source": case.identity["source"],
        "vectorized": case.subject.vectorized,
        "verdict": verdict.name,
    }
    proof = {
        "beacon": case.beacon,
        "options": case.options,
        "seed": case.seed,
        "log": list(chain),
        "pair": bet[0],
        "bets": bet[1],
        "pairs": played.pairs,
        "counts": [list(each) for each in played.counts],
        "log_e_value": played.log_e_value,
    }
    return Certificate(KIND, subject, None, {}, proof, case.neighbors.assumptions())
