"""The report: what all evidence says together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import (
    SOURCE,
    Detectable,
    Evidence,
    Finding,
    Nights,
    Repair,
    StepWitness,
    Verdict,
    Witness,
)
from dpaudit.session import session_of
from dpaudit.violations import UNLOCATED, once_located

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dpaudit.claims import Claim

FAMILY = "family"  # where the settings of a family refute together, and none by itself
UNCONFIRMED = ". Not confirmed"  # after what a trace suspects
_SAMPLING = "statistical"  # knows a line no closer than that of the definition
_TRACES = "trace"  # looks for bins, candidates and scales of the data in the runs themselves
_OF_FLOATS = {"DPA104", "DPA111"}  # overflow, NaN, rounding: what a proof idealizes
# Errors in the source of these kinds are right at least 19 times in 20 (`bench_suspicions.py`).
_LEFT_OVER = {"DPA105", "DPA106", "DPA107"}  # said where nothing that is more specific fits
_ARGUMENTS = {"DPA105", "DPA107"}  # of what noise is added to, whose line is known
_SPECIFIC = {"DPA103", "DPA109", "DPA110", "DPA112"}  # precise, and of one line
_PRECISE = {"DPA103", "DPA107", "DPA109", "DPA110", "DPA112", "DPA115", "DPA116"}


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One setting of a family of audits.

    Attributes
    ----------
    setting : mapping of str to Any
    words : str
        The setting in words.
    report : Report
        Of this setting by itself; REFUTED where closed testing over the family refutes it.
    log_e_value : float
        What it contributes to the average: evidence against its claim, in nats.
    decides : bool
        Whether the report of the family is that of this setting.
    """

    setting: Mapping[str, Any]
    words: str
    report: Report
    log_e_value: float
    decides: bool


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one audit, or of a family of them.

    Attributes
    ----------
    mechanism : str
        ``module:qualname``.
    claim : Claim or None
    neighbors : str
        The constructor call of the neighboring relation.
    assumptions : tuple of str
        What the verdict rests on.
    evidence : tuple of Evidence
        One entry an engine.
    file, line : str or None, int or None
        Where the mechanism is defined.
    seed : int
    alpha : float
        Declared probability of a false refutation.
    step : int or None
        Index of the first false step, for a derivation.
    rows : tuple of FamilyRow
        One a setting, for a family. The report itself is then that of the setting that decides,
        with the findings and the calls of all.
    """

    mechanism: str
    claim: Claim | None
    neighbors: str
    assumptions: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    seed: int = 0
    alpha: float = 1e-6
    file: str | None = None
    line: int | None = None
    source_hash: str = ""
    step: int | None = None
    rows: tuple[FamilyRow, ...] = ()

    @property
    def _every(self) -> tuple[Evidence, ...]:
        """The evidence of all settings."""
        return tuple(e for row in self.rows for e in row.report.evidence) or self.evidence

    @property
    def verdict(self) -> Verdict:
        """REFUTED if any engine refuted, else the best answer reached, else INCONCLUSIVE.

        If an engine did not run to its end, only REFUTED stands: the code that ran may not be the
        code that was meant. VERIFIED becomes INCONCLUSIVE if runs would refute the claim, but their
        evidence is not used for a reason of its own. The code that ran may then not be the code
        that was proved.
        """
        reached = [e.verdict for e in self.evidence if e.verdict is not None]
        if Verdict.REFUTED in reached:
            return Verdict.REFUTED
        if not reached or not self.completed:
            return Verdict.INCONCLUSIVE
        best = max(reached)
        if best is Verdict.VERIFIED and any(self._speaks_against(e) for e in self.evidence):
            return Verdict.INCONCLUSIVE
        return best

    @property
    def contradiction(self) -> str:
        """How two engines contradict each other, a fault of dpaudit; empty if they do not.

        A witness that runs still refutes: its error probability does not rest on the proof.
        """
        proofs = [e.engine for e in self.evidence if e.verdict is Verdict.VERIFIED]
        against = [e.engine for e in self.evidence if contradicts(e) or self._speaks_against(e)]
        if not proofs or not against:
            return ""
        return (
            f"the {proofs[0]} engine proved the claim and runs of the {against[0]} engine "
            "contradict it, for no reason of overflow, NaN or rounding. One of the two is wrong. "
            "This is a fault of dpaudit; please report it with the mechanism's source"
        )

    def _speaks_against(self, evidence: Evidence) -> bool:
        set_aside = evidence.verdict is Verdict.INCONCLUSIVE
        return set_aside and evidence.log_e_value >= -math.log(self.alpha)

    @property
    def completed(self) -> bool:
        """Whether every engine that was asked ran to its end, without a crash."""
        return all(e.completed for e in (*self.evidence, *self._every))

    @property
    def reason(self) -> str:
        """The reasons of the engines that gave the verdict or could not answer.

        If engines did not run to their end, and nothing is refuted, only their reasons. The static
        engine never answers, so its reason counts only if no other engine was asked.
        """
        told = tuple(e for e in self.evidence if e.engine != "static") or self.evidence
        if self.verdict is not Verdict.REFUTED and not self.completed:
            told = tuple(e for e in self.evidence if not e.completed)
        return "; ".join(dict.fromkeys(e.reason for e in told if e.reason))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, errors first, those with a known line before those without.

        If another engine refuted the claim, suspicions from the source or a trace explain it. If
        not, a suspicion is a note, or a warning if its kind is rarely a false alarm. A proof
        removes it.
        """
        found = [f for e in self.evidence for f in e.findings]
        suspected = [s.finding for e in self.evidence for s in e.suspects if s.finding is not None]
        if self.verdict in (Verdict.NOT_REFUTED, Verdict.INCONCLUSIVE):
            said = (
                f"{UNCONFIRMED} by the {self.calls:,} calls of this run; more calls may confirm it"
            )
            found += [replace(f, level="note", message=f.message + said) for f in suspected]
        order = {"error": 0, "warning": 1, "note": 2}
        told = explained(found, self.verdict) if not self.rows else _of_rows(self)
        placed = [_on_disk(f) for f in told]
        return tuple(sorted(placed, key=lambda f: (order[f.level], f.line is None)))

    @property
    def witness(self) -> Witness | StepWitness | None:
        """The first witness that an engine confirmed."""
        return next((e.witness for e in self.evidence if e.witness is not None), None)

    @property
    def epsilon(self) -> float:
        """Lower bound on epsilon at the claim's delta (nats), the best of all engines."""
        return max((e.epsilon for e in self.evidence), default=0.0)

    @property
    def parameter_bound(self) -> float | None:
        """Lower bound on the claim's own parameter, None where it has none."""
        bounds = [e.parameter_bound for e in self.evidence if e.parameter_bound is not None]
        return max(bounds, default=None)

    @property
    def confidence(self) -> float:
        """Confidence of `epsilon` and `parameter_bound`."""
        return max((e.confidence for e in self.evidence), default=0.0)

    @property
    def detectable_epsilon(self) -> float:
        """Smallest epsilon that this run would have caught with probability 0.9.

        It counts violations reached on an event of probability at least
        `detectable_probability` on the tried pairs that the searched features can isolate.
        """
        return min((e.detectable_epsilon for e in self.evidence), default=float("inf"))

    @property
    def detectable_probability(self) -> float:
        """Least probability of the event in `detectable_epsilon`."""
        best = min(self.evidence, key=lambda e: e.detectable_epsilon, default=None)
        return 0.01 if best is None else best.detectable_probability

    @property
    def detectable(self) -> tuple[Detectable, ...]:
        """Smallest epsilons that this run would have caught, by the probability of the event.

        On one planted event that is searched, in outputs that are otherwise
        identical. Empty where nothing was sampled, or the claim was refuted.
        """
        return next((e.detectable for e in self.evidence if e.detectable), ())

    @property
    def calls(self) -> int:
        """Mechanism calls, both datasets; those of all `nights` where there are several."""
        return sum(e.calls for e in self._every)

    @property
    def nights(self) -> Nights | None:
        """Number of runs whose evidence is added up; None if it is of this run only."""
        return next((e.nights for e in self.evidence if e.nights is not None), None)

    @property
    def pairs_tried(self) -> int:
        """Pairs of neighboring datasets on which the mechanism ran."""
        return max((e.pairs_tried for e in self.evidence), default=0)

    @property
    def pairs_sampled(self) -> int:
        """Pairs whose outputs were sampled, of which `detectable_epsilon` and `detectable` are.

        Pairs that were only traced, or on which every call raised, are tried and not sampled. 0
        where nothing was sampled, or the claim was refuted.
        """
        return max((e.pairs_sampled for e in self.evidence), default=0)

    @property
    def seconds(self) -> float:
        """Wall-clock time."""
        return sum(e.seconds for e in self._every)

    @property
    def alpha_spent(self) -> float:
        """Error probability that the tests used; at most `alpha`."""
        return sum(e.alpha_spent for e in self._every)

    @property
    def certificate(self) -> Any:
        """The certificate of a proof that stands, or of evidence under a beacon, or None."""
        held = [e.certificate for e in self.evidence if e.certificate is not None]
        if self.verdict is not Verdict.VERIFIED:
            held = [each for each in held if getattr(each, "kind", "") == "evidence"]
        return next(iter(held), None)

    @property
    def checked(self) -> bool | None:
        """Whether the checker accepted the certificate; None where nothing is proved."""
        if self.verdict is not Verdict.VERIFIED:
            return None
        return any(e.checked is not None and e.checked.accepted for e in self.evidence)

    @property
    def repair(self) -> Repair | None:
        """A change of the source that makes a proof possible, if `verify` was asked for one."""
        return next((e.repair for e in self.evidence if e.repair is not None), None)

    def summary(self, *, diff: bool = True) -> str:
        """Return the report as text for people.

        Parameters
        ----------
        diff : bool
            Whether the diff of a repair is shown as well.
        """
        from dpaudit.report.text import summary

        return summary(self, diff=diff)

    def plot(self, panels: Sequence[str] | None = None) -> Figure:
        """Draw the report: evidence, outputs, trade-off and privacy profile (extra ``plot``).

        Parameters
        ----------
        panels : sequence of str, optional
            Any of ``"evidence"``, ``"outputs"``, ``"tradeoff"``, ``"profile"``; all that the
            report can fill where None.

        Returns
        -------
        matplotlib.figure.Figure
            Panels that cannot be filled are left out; a line below says why.

        Raises
        ------
        ImportError
            Where matplotlib is not installed.
        """
        from dpaudit.plots.report import plot_report

        return plot_report(self, panels)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able values, with its ``schema_version``."""
        from dpaudit.report.json import report_to_dict

        return report_to_dict(self)

    def _repr_html_(self) -> str:
        from dpaudit.report.html import report_fragment

        return report_fragment(self)

    def __str__(self) -> str:
        return self.summary()


def contradicts(evidence: Evidence) -> bool:
    """Whether a refutation shows more than what a proof idealizes: overflow, NaN or rounding.

    Parameters
    ----------
    evidence : Evidence
    """
    errors = [f for f in evidence.findings if f.level == "error"]
    excused = any(_OF_FLOATS & {f.id, *f.also} for f in errors)
    return evidence.verdict is Verdict.REFUTED and not excused


def _on_disk(finding: Finding) -> Finding:
    """Return a finding that names the line of a session's call, as its own code is in no file."""

    def placed(file: str, line: int) -> tuple[str, int]:
        plan = session_of(file)
        return (file, line) if plan is None else plan.place

    related = tuple((*placed(file, line), what) for file, line, what in finding.related)
    if finding.file is None or finding.line is None:
        return finding if related == finding.related else replace(finding, related=related)
    file, line = placed(finding.file, finding.line)
    if (file, related) == (finding.file, finding.related):
        return finding
    return replace(finding, file=file, line=line, related=related)


def explained(findings: Sequence[Finding], verdict: Verdict) -> list[Finding]:
    """Return findings in which what the source shows explains what another engine refuted.

    Parameters
    ----------
    findings : sequence of Finding
        Of all engines.
    verdict : Verdict
        Of the audit.

    Returns
    -------
    list of Finding
        A refutation whose cause is not located (DPA201), or whose id is one that is left when no
        other one fits and no trace has located it, gets the id and the line of the source's errors,
        where these have one id that is more specific. One that sampling located gets the line of
        the same id. Every refutation lists their ids under ``also``, and their lines under
        ``related``. The source's own findings stay, as warnings or notes, unless the claim is
        proved.
    """
    shown = [f for f in findings if f.engine == SOURCE]
    errors = [f for f in shown if f.level == "error" and not _of_exception(f)]
    result = [
        _with_cause(f, errors) if verdict is Verdict.REFUTED and f.level == "error" else f
        for f in findings
        if f.engine != SOURCE
    ]
    if verdict is Verdict.VERIFIED:
        return result
    precise = {f.id for f in errors} & _PRECISE
    return result + [replace(f, level="warning" if f.id in precise else "note") for f in shown]


def _of_exception(finding: Finding) -> bool:
    """Whether the source says that an exception tells: where one does, sampling has seen it."""
    return finding.id == "DPA108" and "an exception" in finding.message


def _with_cause(finding: Finding, errors: Sequence[Finding]) -> Finding:
    if not errors:
        return finding
    ids = dict.fromkeys(id for error in errors for id in (error.id, *error.also))
    located = {error.id for error in errors}
    first = errors[0]
    left_over = finding.id in _LEFT_OVER and located <= _SPECIFIC and finding.engine != _TRACES
    left_over |= UNLOCATED in (finding.id, *finding.also)
    if left_over and len(located) == 1:
        also = [id for id in (finding.id, *finding.also, *ids) if id != first.id]
        said = f"{once_located(finding.message)}; in the source {first.message}"
        kept = first.id in _ARGUMENTS and finding.id != UNLOCATED and finding.file
        where = finding if kept else first  # what noise was added to is known, and not why
        finding = replace(finding, id=first.id, file=where.file, line=where.line, message=said)
    else:
        also = [id for id in (*finding.also, *ids) if id != finding.id]
        same = next((error for error in errors if error.id == finding.id), None)
        if same is not None and finding.engine == _SAMPLING:
            finding = replace(finding, file=same.file, line=same.line)
    seen = tuple((e.file or "", e.line or 1, f"{e.id} in the source") for e in errors)
    return replace(finding, also=tuple(dict.fromkeys(also)), related=(*finding.related, *seen))


def _of_rows(family: Report) -> list[Finding]:
    """Return the findings of all settings, each with those at which it holds."""
    held: dict[tuple[object, ...], tuple[Finding, list[str]]] = {}
    for row in family.rows:
        for finding in row.report.findings:
            key = finding.id, finding.level, finding.engine, finding.file, finding.line
            held.setdefault(key, (finding, []))[1].append(row.words)
    together = [f for e in family.evidence if e.engine == FAMILY for f in e.findings]
    return together + [
        replace(finding, message=f"with {' or with '.join(words)}: {finding.message}")
        if len(words) < len(family.rows)
        else finding
        for finding, words in held.values()
    ]


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the least verdict of several audits; INCONCLUSIVE when there are none."""
    return min(verdicts, default=Verdict.INCONCLUSIVE)
