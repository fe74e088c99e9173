"""A family of audits: one mechanism at many settings, under one error probability.

Every setting is a row, which has α/m of the error probability for the tests that engines make by
themselves, and an e-value: the wealth of its bets. The average of the e-values of all rows refutes
the family, and closed testing of averages refutes rows. Each row gets an equal part of half of the
calls. The rest goes, step by step, to the row with the most evidence per call.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dpaudit.evidence import Engine, Evidence, Finding, Progress, Verdict
from dpaudit.grid import Cell, cells_of
from dpaudit.staged import Limit, Stage, going_on, held_by, may_climb
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.bandit import OPTIMISM
from dpaudit.statistical.closed_testing import log_mean, log_needed
from dpaudit.statistical.contender import WARM_UP
from dpaudit.statistical.held import Held
from dpaudit.verdict import FAMILY, FamilyRow, Report

if TYPE_CHECKING:
    from dpaudit.evidence import Budget

EVEN = 0.5  # of the calls, and of the time, for all rows alike
_TOGETHER = "DPA201"


class AuditOne(Protocol):
    """Audits one setting: `dpaudit.auditor` does."""

    def __call__(
        self,
        mechanism: Any,
        claim: Any,
        neighbors: Any,
        engines: Sequence[Engine],
        budget: Budget,
        *,
        heard: Callable[[Progress], None] | None,
    ) -> Report:
        """Return the report of one setting."""


@dataclass(slots=True)
class _Row:
    """One setting while the family is audited."""

    cell: Cell
    seed: int
    held: Held
    report: Report | None = None

    @property
    def refuted(self) -> bool:
        return self.report is not None and self.report.verdict is Verdict.REFUTED

    @property
    def log_e_value(self) -> float:
        """The e-value in nats; what is refuted by a test of level α/m, or a proof, has m/α."""
        if self.refuted and not self.held.suffices(self.held.log_needed):
            return -math.log(self.held.alpha)
        return self.held.log_e_value

    @property
    def calls(self) -> int:
        left_out = 0 if self.held.race is None else self.held.race.left_out
        return left_out + (0 if self.report is None else self.report.calls)

    @property
    def is_open(self) -> bool:
        """Whether further calls may change what is said of it."""
        proved = self.report is not None and self.report.verdict is Verdict.VERIFIED
        return self.held.may_go_on and not (self.refuted or proved)

    @property
    def may_climb(self) -> bool:
        """Whether it has another tier, which may change what is said of it."""
        engine = StatisticalEngine(held=self.held)
        return self.report is not None and may_climb([engine], self.report.evidence)

    @property
    def promise(self) -> float:
        """Evidence per call, after some credit; without evidence, rows are played evenly."""
        earned = max(0.0, self.held.log_e_value)
        return (earned + OPTIMISM * self.held.log_needed) / (self.calls + WARM_UP)


@dataclass(slots=True)
class Family:
    """The rows, what they share, and how one of them is audited."""

    rows: list[_Row]
    budget: Budget
    audit_one: AuditOne
    engines: Callable[[], Sequence[Engine]]
    heard: Callable[[Progress], None] | None
    began: float = field(default_factory=time.monotonic)

    @property
    def calls(self) -> int:
        """Mechanism calls of all settings."""
        return sum(row.calls for row in self.rows)

    @property
    def log_average(self) -> float:
        """The average of the e-values, in nats."""
        return log_mean([row.log_e_value for row in self.rows])

    @property
    def target(self) -> float:
        """The average that refutes the family, in nats."""
        return -math.log(self.budget.alpha)

    @property
    def refuted(self) -> bool:
        """Whether a setting is refuted, or all of them together."""
        return any(row.refuted for row in self.rows) or self.log_average >= self.target

    def whole(self) -> Report:
        """Audit every setting, and return the report of the one that decides, with `rows`."""
        _evenly(self, self.rows)
        if self.budget.tier is None:
            _go_on(self)
        return _report(self)

    def stages(self, limit: Limit) -> Iterator[Stage]:
        """Do the same, and pause after each tier: of all rows, and after them of the other calls.

        See `dpaudit.staged.stages`.
        """
        last, rows, even = self.budget.tier, self.rows, True
        for tier in count(1):
            self.budget = replace(self.budget, tier=tier, until=limit.until)
            if even:
                _evenly(self, rows)
            else:
                _go_on(self)
            report, paused = _report(self), time.monotonic()
            races = [row.held.race for row in self.rows if row.held.race is not None]
            tiers = 1 + max((len(race.tiers) for race in races), default=0)
            shared = limit.until is not None and self.budget.max_seconds is None
            short = limit.is_over or (shared and any(race.short for race in races))
            if short and report.verdict is not Verdict.REFUTED:
                if tier == 1:
                    yield Stage(report, 0, tiers, math.inf)
                return
            rows = [r for r in rows if r.may_climb]
            done = not even or tier == last or not (rows or self.is_open)
            even = bool(rows)
            yield Stage(report, tier, tiers, None if done else self._expected(rows))
            if done:
                return
            self.began += time.monotonic() - paused

    def _expected(self, rows: Sequence[_Row]) -> float:
        """Return the seconds of the next tier of some rows, or of all calls that are left."""
        if rows:
            races = [row.held.race for row in rows if row.held.race is not None]
            return sum(race.expected(race.tiers[race.tier]) for race in races)
        seconds = sum(row.report.seconds for row in self.rows if row.report is not None)
        return seconds / max(self.calls, 1) * (self.budget.max_calls - self.calls)

    @property
    def is_open(self) -> bool:
        """Whether further calls may change what is said of it."""
        return not self.refuted and any(row.is_open for row in self.rows)

    def needed(self, row: _Row) -> float:
        """Return the log e-value from which closed testing refutes a row."""
        others = [r.log_e_value for r in self.rows if r is not row and not r.refuted]
        return log_needed(others, self.budget.alpha)

    def seconds(self, part: float, rows: int) -> float | None:
        """Return the time of one of so many rows that share what is left of a part of it."""
        if self.budget.max_seconds is None:
            return None
        left = part * self.budget.max_seconds - (time.monotonic() - self.began)
        return max(left, 1e-3) / rows

    def audit(self, row: _Row, calls: int, seconds: float | None) -> None:
        """Let a row make its calls up to so many in all, with the evidence it needs now."""
        row.held.log_needed = self.needed(row)
        before, made = row.report, self.calls - row.calls
        budget = replace(
            self.budget,
            alpha=row.held.alpha,
            max_calls=max(calls, 1),
            max_seconds=seconds,
            seed=row.seed,
        )
        engines = held_by(row.held, self.engines())
        cell = row.cell
        row.report = self.audit_one(
            cell.mechanism,
            cell.claim,
            cell.neighbors,
            engines if before is None else going_on(engines, before.evidence),
            budget,
            heard=None if self.heard is None else lambda told: self._tell(told, made),
        )

    def _tell(self, told: Progress, made: int) -> None:
        assert self.heard is not None
        self.heard(
            replace(
                told,
                calls=made + told.calls,
                max_calls=self.budget.max_calls,
                seconds=time.monotonic() - self.began,
            )
        )


def family_of(
    mechanism: Any,
    claim: Any,
    neighbors: Any,
    over: Any,
    *,
    budget: Budget,
    engines: Callable[[], Sequence[Engine]],
    audit_one: AuditOne,
    heard: Callable[[Progress], None] | None,
) -> Family:
    """Return a mechanism at every setting of a grid, to be audited.

    Parameters
    ----------
    mechanism, claim, neighbors, over
        As for `dpaudit.audit`.
    budget : Budget
        For all settings together.
    engines : callable
        Gives new engines, for one setting.
    audit_one : callable
        Audits one setting.
    heard : callable or None
        Hears of the progress.

    Returns
    -------
    Family

    Raises
    ------
    TypeError, ValueError
        As for `dpaudit.grid.cells_of`.
    """
    cells = cells_of(mechanism, claim, neighbors, over)
    share = budget.alpha / len(cells)
    seeds = np.random.SeedSequence(budget.seed).generate_state(len(cells), np.uint64) >> np.uint64(
        11
    )
    rows = [
        _Row(cell, int(seed), Held(share, -math.log(share)))
        for cell, seed in zip(cells, seeds, strict=True)
    ]
    return Family(rows, budget, audit_one, engines, heard)


def _evenly(family: Family, rows: Sequence[_Row]) -> None:
    """Give rows an equal part of half of the calls, up to the tier that the budget names."""
    even = int(EVEN * family.budget.max_calls) // len(family.rows)
    for place, row in enumerate(rows):
        family.audit(row, even, family.seconds(EVEN, len(rows) - place))
    _conclude(family)


def _conclude(family: Family) -> None:
    """Refute every row whose evidence suffices beside that of the others, one after another."""
    while True:
        ready = [r for r in family.rows if r.is_open and r.held.suffices(family.needed(r))]
        if not ready:
            return
        for row in ready:
            family.audit(row, row.calls, family.seconds(1.0, 1))


def _go_on(family: Family) -> None:
    """Spend the rest of the calls where they may gain most, until the family is refuted."""
    step = int(EVEN * family.budget.max_calls) // len(family.rows)
    while not family.refuted:
        left = family.budget.max_calls - family.calls
        late = family.seconds(1.0, 1)
        rows = [row for row in family.rows if row.is_open]
        if left < 2 * WARM_UP or not rows or (late is not None and late <= 1e-3):
            return
        row, before = max(rows, key=lambda r: r.promise), family.calls
        family.audit(row, row.calls + min(left, max(step, row.calls)), late)
        _conclude(family)
        if family.calls == before:
            row.held.race = None  # it makes no further call


def _report(family: Family) -> Report:
    """Return the report of the row that decides, with all rows."""
    reports = [row.report for row in family.rows if row.report is not None]
    decides = min(family.rows, key=_weakest)
    told = decides.report
    assert told is not None
    evidence = told.evidence
    if family.refuted and not decides.refuted:
        decides = max(family.rows, key=lambda row: row.log_e_value)
        assert decides.report is not None
        told = decides.report
        evidence = (*told.evidence, _together(family, told))
    assumed = dict.fromkeys(sentence for report in reports for sentence in report.assumptions)
    return replace(
        told,
        evidence=evidence,
        assumptions=tuple(assumed),
        seed=family.budget.seed,
        alpha=family.budget.alpha,
        rows=tuple(
            FamilyRow(row.cell.setting, str(row.cell), report, row.log_e_value, row is decides)
            for row, report in zip(family.rows, reports, strict=True)
        ),
    )


def _weakest(row: _Row) -> tuple[Verdict, float]:
    """Order rows by verdict: of refuted ones by evidence, of others by what would be caught."""
    assert row.report is not None
    own = row.report.claim.parameter if row.report.claim is not None else None
    claimed = own[1] if own is not None and own[1] > 0 else 1.0
    size = row.log_e_value if row.refuted else row.report.detectable_epsilon / claimed
    return row.report.verdict, -size


def _together(family: Family, told: Report) -> Evidence:
    """Return the refutation by the average, where no row is refuted by closed testing."""
    message = (
        f"the evidence of the {len(family.rows)} settings refutes that every claim holds "
        f"(on average {family.log_average:.1f} nats, and {family.target:.1f} refute), and that "
        "of no single setting suffices"
    )
    return Evidence(
        FAMILY,
        Verdict.REFUTED,
        log_e_value=family.log_average,
        confidence=1 - family.budget.alpha,
        findings=(
            Finding(_TOGETHER, "error", message, file=told.file, line=told.line, engine=FAMILY),
        ),
    )
