"""A held race stands still while others draw, as one row of a family of audits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpaudit.evidence import Budget, Progress
from dpaudit.statistical.race import Race
from dpaudit.worker import Runner


@dataclass(slots=True)
class Held:
    """A race between its parts, and what refutes it.

    Attributes
    ----------
    alpha : float
        Error probability of its audit, of which earlier engines may have spent some.
    log_needed : float
        Log e-value of that audit that refutes, at most log 1/α.
    race : Race or None
        None before the first part.
    """

    alpha: float
    log_needed: float
    race: Race | None = None

    @property
    def log_e_value(self) -> float:
        """The evidence of the race, weighted by its part of the error probability."""
        race = self.race
        if race is None or race.set_aside or not race.entries:
            return -math.inf
        return race.pooled + self._log_part(race)

    @property
    def may_go_on(self) -> bool:
        """Whether further calls count as evidence."""
        race = self.race
        return race is not None and bool(race.entries) and not (race.set_aside or race.late)

    def taken_up(
        self, budget: Budget, runner: Runner, heard: Callable[[Progress], None] | None
    ) -> Race | None:
        """Return the race, if there is one, with a budget that holds the calls made so far."""
        if self.race is not None:
            self.race.go_on(budget, runner, heard)
        return self.race

    def hold(self, race: Race) -> None:
        """Hold a race, and tell it from which evidence on it rejects."""
        self.race = race
        race.needed = min(self.log_needed - self._log_part(race), -math.log(race.budget.alpha))

    def suffices(self, log_needed: float) -> bool:
        """Set what refutes, and return whether the evidence so far does."""
        self.log_needed = log_needed
        if self.race is None or not self.may_go_on:
            return False
        self.hold(self.race)
        return self.race.pooled >= self.race.target

    def _log_part(self, race: Race) -> float:
        return math.log(race.budget.alpha / self.alpha)
