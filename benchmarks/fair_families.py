"""Families of audits at their claims, and families whose rows are fair games.

The bets of the statistical engine lose on average, so that a family of audits refutes far less
often than α allows, and would even if α were spent twice. Here each row doubles or halves parts of
its capital by a fair coin, and its e-value has mean 1 at every time. `dpaudit.family` runs these
games as it runs audits: it holds them, lets them go on, and says what each one needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpaudit
from dpaudit import Pairs, PureDP, Verdict
from dpaudit.evidence import Budget, Engine, Evidence, Progress
from dpaudit.family import family_of
from dpaudit.statistical import StatisticalEngine
from dpaudit.verdict import Report

LEVEL = 0.05
STAKE = 0.3
CALLS = 2_400
PAIR = Pairs([(0.0, 1.0)])


@dataclass(slots=True)
class Game:
    """A row: capital that is bet on a coin, which falls on one side with this probability."""

    budget: Budget
    chance: float
    rng: np.random.Generator
    pooled: float = 0.0
    calls: int = 0
    needed: float | None = None
    entries: list[int] = field(default_factory=lambda: [0])
    set_aside: bool = False
    late: bool = False
    left_out: int = 0

    @property
    def target(self) -> float:
        return -float(np.log(self.budget.alpha)) if self.needed is None else self.needed

    def play(self) -> None:
        """Bet until the target is reached, or the budget is spent."""
        won = self.rng.random(max(self.budget.max_calls - self.calls, 0)) < self.chance
        capital = self.pooled + np.cumsum(np.log(np.where(won, 1 + STAKE, 1 - STAKE)))
        reached = np.flatnonzero(capital >= self.target)
        made = int(reached[0]) + 1 if len(reached) else len(capital)
        if made:
            self.calls, self.pooled = self.calls + made, float(capital[made - 1])


def row(data: Any, *, chance: float, number: int) -> Any:
    """Stand for the mechanism of a row; it is never called."""
    raise AssertionError(data, chance, number)


def play_one(
    mechanism: Any,
    claim: Any,
    neighbors: Any,
    engines: Sequence[Engine],
    budget: Budget,
    *,
    heard: Callable[[Progress], None] | None,
) -> Report:
    """Play the game of a row up to the end of its budget, or until it refutes."""
    assert heard is None
    engine = engines[-1]
    assert isinstance(engine, StatisticalEngine)
    assert engine.held is not None
    held: Any = engine.held
    chance = mechanism.keywords["chance"]
    game = held.race or Game(budget, chance, np.random.default_rng(budget.seed))
    held.hold(game)
    if game.pooled < game.target:
        game.budget = budget
        game.play()
    refuted = game.pooled >= game.target
    verdict = Verdict.REFUTED if refuted else Verdict.NOT_REFUTED
    evidence = Evidence("statistical", verdict, log_e_value=game.pooled, calls=game.calls)
    return Report(
        repr(mechanism), claim, str(neighbors), (), (evidence,), budget.seed, budget.alpha
    )


def played(seed: int, chances: Sequence[float], alpha: float, calls: int = CALLS) -> Report:
    """Play a family with one row for each chance.

    Parameters
    ----------
    seed : int
    chances : sequence of float
        .5 where the row's claim holds, more where it does not.
    alpha : float
    calls : int
    """
    numbers = {chance: list(chances).count(chance) for chance in sorted(set(chances))}
    assert len(set(numbers.values())) == 1, "each chance comes equally often"
    return family_of(
        row,
        PureDP(1.0),
        PAIR,
        {"chance": list(numbers), "number": range(max(numbers.values()))},
        budget=Budget(alpha, calls, None, seed),
        engines=lambda: [StatisticalEngine()],
        audit_one=play_one,
        heard=None,
    ).whole()


def errs(report: Report) -> bool:
    """Return whether a family refutes what is true: a true row, or all of them if all are."""
    true = [r for r in report.rows if r.setting["chance"] <= 0.5]
    wrong = any(r.report.verdict is Verdict.REFUTED for r in true)
    return wrong or (len(true) == len(report.rows) and report.verdict is Verdict.REFUTED)


def laplace(
    data: float, size: int, rng: np.random.Generator, *, epsilon: float, factor: float = 1.0
) -> NDArray[np.float64]:
    return data + rng.laplace(scale=1 / (epsilon * factor), size=size)


def coin(
    data: float, size: int, rng: np.random.Generator, *, epsilon: float, factor: float = 1.0
) -> NDArray[np.float64]:
    kept = rng.random(size) < 1 / (1 + np.exp(-epsilon * factor))
    return np.where(kept, data, 1 - data)


FAMILIES: dict[str, tuple[Any, dict[str, list[float]]]] = {
    "Laplace noise": (laplace, {"epsilon": [0.1, 0.5, 1.0, 2.0]}),
    "randomized response": (coin, {"epsilon": [0.1, 0.5, 1.0, 2.0]}),
    "half of them false": (coin, {"epsilon": [0.5, 1.0], "factor": [1.0, 1.6]}),
}


def audited(work: tuple[str, int], calls: int) -> tuple[bool, bool, int]:
    """Return (false alarm, refuted, calls) of one family."""
    name, seed = work
    mechanism, over = FAMILIES[name]
    report = dpaudit.audit(
        dpaudit.vectorized(mechanism),
        PureDP,
        PAIR,
        over=over,
        alpha=LEVEL,
        max_calls=calls,
        seed=seed,
        engines=["statistical"],
        progress=False,
    )
    refuted = report.verdict is dpaudit.Verdict.REFUTED
    true = [row for row in report.rows if row.setting.get("factor", 1.0) == 1.0]
    wrong = any(row.report.verdict is dpaudit.Verdict.REFUTED for row in true)
    return wrong or (refuted and len(true) == len(report.rows)), refuted, report.calls
