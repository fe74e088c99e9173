"""The report: what all evidence says together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Evidence, Finding, Repair, StepWitness, Verdict, Witness

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dpaudit.claims import Claim


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one audit.

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

    @property
    def verdict(self) -> Verdict:
        """REFUTED if any engine refuted, else the best answer reached, else INCONCLUSIVE."""
        reached = [e.verdict for e in self.evidence if e.verdict is not None]
        if not reached:
            return Verdict.INCONCLUSIVE
        return Verdict.REFUTED if Verdict.REFUTED in reached else max(reached)

    @property
    def completed(self) -> bool:
        """Whether every engine that was asked ran to its end (a crashed one did not)."""
        return all(e.completed for e in self.evidence)

    @property
    def reason(self) -> str:
        """The reasons of the engines that gave the verdict or could not answer."""
        return "; ".join(dict.fromkeys(e.reason for e in self.evidence if e.reason))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, errors first, those with a known line before those without."""
        found = [f for e in self.evidence for f in e.findings]
        return tuple(sorted(found, key=lambda f: (f.level != "error", f.line is None)))

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
        return min((e.detectable_probability for e in self.evidence), default=0.01)

    @property
    def calls(self) -> int:
        """Mechanism calls, both datasets."""
        return sum(e.calls for e in self.evidence)

    @property
    def pairs_tried(self) -> int:
        """Pairs of neighboring datasets on which the mechanism ran."""
        return max((e.pairs_tried for e in self.evidence), default=0)

    @property
    def seconds(self) -> float:
        """Wall-clock time."""
        return sum(e.seconds for e in self.evidence)

    @property
    def alpha_spent(self) -> float:
        """Error probability that the ledger booked; never more than `alpha`."""
        return sum(e.alpha_spent for e in self.evidence)

    @property
    def certificate(self) -> Any:
        """The certificate of a proof that stands, or None."""
        if self.verdict is not Verdict.VERIFIED:
            return None
        return next((e.certificate for e in self.evidence if e.certificate is not None), None)

    @property
    def repair(self) -> Repair | None:
        """A change of the source with which the claim is proved, where `verify` was to find one."""
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


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the least verdict of several audits; INCONCLUSIVE when there are none."""
    return min(verdicts, default=Verdict.INCONCLUSIVE)
