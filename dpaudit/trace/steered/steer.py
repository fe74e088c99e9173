"""Steers the noise on a pair of datasets until the claim falls, or no bet promises that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpaudit.neighbors import Pair
from dpaudit.statistical.book import Stakes
from dpaudit.trace.record import Bench
from dpaudit.trace.steered.bets import Bet, Plan, Wealth, planned
from dpaudit.trace.steered.known import Known
from dpaudit.trace.steered.runs import MOST_SITES, Fiber, run
from dpaudit.trace.steered.steerer import Tilts, UntraceableError

NATURAL = 6  # runs on each dataset with noise as it comes
MOST_COMPARED = 50  # noise calls of a run
EXPLORED = 48  # runs on each dataset before the first bet
MOST_EXPLORED = 192  # before it is given up
PROMISE_CALLS = 8 * EXPLORED  # at most, to see what a pair promises
FIRST_BATCH, GROWTH, MOST_BATCH = 12, 0.4, 4_000  # pairs of runs between two plans
CHECKED, CHECKED_LATER = 32, 4  # runs that are repeated: the first, then one in so many
PATIENCE = 1_000  # calls before what is promised must fit into those that are left


@dataclass(slots=True, eq=False)
class Steering:
    """A pair under steered noise.

    Attributes
    ----------
    bench : Bench
        Entered.
    pair : Pair
    stakes : Stakes
        Of the claim.
    threshold : float
        Log e-value at which it rejects.
    key : tuple of int
        Seed of all runs.
    unread : bool
        Whether the mechanism receives symbols, or plain numbers.
    in_time : callable
        Whether there is time for more runs.
    wealth : Wealth
    sides : (Known, Known)
    plan : Plan or None
        The last bet.
    refused : str
        Why noise was not steered, where it was not.
    promises : bool
        Whether calls ended it, and more of them may reject the claim.
    """

    bench: Bench
    pair: Pair
    stakes: Stakes
    threshold: float
    key: tuple[int, ...]
    unread: bool = True
    in_time: Callable[[], bool] = lambda: True
    wealth: Wealth = field(default_factory=Wealth)
    sides: tuple[Known, Known] = field(default_factory=lambda: (Known(), Known()))
    plan: Plan | None = None
    refused: str = ""
    promises: bool = False
    _end: int = 0  # calls of the bench

    @property
    def rejects(self) -> bool:
        """Whether the pair refutes the claim."""
        return not self.refused and self.wealth.log >= self.threshold

    @property
    def datasets(self) -> tuple[Any, Any]:
        """The dataset on which the last event is too likely, and the other one."""
        both = self.pair.left, self.pair.right
        return both[::-1] if self.plan is not None and self.plan.mirrored else both

    def run(self, max_calls: int, whole: int | None = None) -> None:
        """Run pairs of runs until the claim falls, or calls or hope are gone.

        A refusal forfeits all evidence.

        Parameters
        ----------
        max_calls : int
        whole : int, optional
            Calls that the last tier allows, by which hope is measured; no more unless given.
        """
        self._end = self.bench.calls + max_calls
        try:
            self._run(self.bench.calls + (max_calls if whole is None else whole))
        except UntraceableError as refusal:
            self.refused = str(refusal)

    def promise(self) -> float:
        """Return the nats that a pair of runs may earn, as a few runs show; 0 where none can.

        Means over few runs promise too much. So nothing counts but probabilities of known fibers.
        """
        self._end = self.bench.calls + PROMISE_CALLS
        plan: Plan | None = None
        try:
            self._explore(NATURAL, steer=False)
            _validate_noise(self.sides)
            while plan is None and self.sides[0].runs < 2 * EXPLORED and self.in_time():
                if not self.sides[0].whole:
                    return 0.0
                self._explore(EXPLORED, steer=True)
                plan = planned(self.sides, self.stakes)
        except UntraceableError:
            return 0.0
        return plan.growth if plan is not None and plan.sure else 0.0

    def _run(self, end: int) -> None:
        began, count, batch = self.bench.calls, EXPLORED, FIRST_BATCH
        self._explore(NATURAL, steer=False)
        _validate_noise(self.sides)
        while self._may_go_on and self.in_time():
            plan = None
            if self.sides[0].runs >= EXPLORED:
                plan = planned(self.sides, self.stakes)
                if plan is None and self.sides[0].runs >= MOST_EXPLORED:
                    return
            if plan is None:
                self._explore(count, steer=True)
                continue
            if self.bench.calls - began > PATIENCE:
                missing = self.threshold + math.log(4) - self.wealth.log
                if plan.growth * (end - self.bench.calls) / 2 < missing:
                    return
            self.plan = plan
            self._bet(Bet.of(plan, self.sides), batch)
            batch = min(int((1 + GROWTH) * batch), MOST_BATCH)
        self.promises = not self.rejects and self._end < end

    @property
    def _may_go_on(self) -> bool:
        """Whether calls are left for a pair of runs, each repeated, and it has not refuted yet."""
        return self.bench.calls + 4 <= self._end and not self.rejects

    def _explore(self, count: int, *, steer: bool) -> None:
        """Run both datasets, and learn."""
        for _ in range(count):
            if not self._may_go_on:
                return
            for side in (0, 1):
                known = self.sides[side]
                known.add(self._one(side, known.tilts(None) if steer else ()))

    def _bet(self, bet: Bet, count: int) -> None:
        """Play a bet on so many pairs of runs, and learn from them after."""
        first = 1 if bet.plan.mirrored else 0
        seen: list[tuple[int, Fiber]] = []
        for _ in range(count):
            pair = [self._one(side, tilts) for side, tilts in
                    zip((first, 1 - first), bet.tilts, strict=True)]  # fmt: skip
            self.wealth.play(bet, *bet.weights(*pair))
            seen += zip((first, 1 - first), pair, strict=True)
            if not self._may_go_on:
                break
        for side, fiber in seen:
            self.sides[side].add(fiber)

    def _one(self, side: int, tilts: Tilts) -> Fiber:
        number = self.sides[side].runs + len(self.wealth.rows)
        dataset = self.pair.right if side else self.pair.left
        return run(
            self.bench,
            dataset,
            (*self.key, side, self.bench.calls),
            tilts,
            unread=self.unread,
            checked=number < CHECKED or number % CHECKED_LATER == 0,
        )


def _validate_noise(sides: Sequence[Known]) -> None:
    """Refuse noise that comes twice, or of which none can be steered."""
    first = [d for side in sides for fiber in side.recent for d in fiber.draws[:MOST_COMPARED]]
    if not any(
        d.noise for side in sides for fiber in side.recent for d in fiber.draws[:MOST_SITES]
    ):
        raise UntraceableError("none of its first noise calls is of a law that can be steered")
    seen = [(d.noise.family, (d.value - d.noise.loc) / d.noise.scale) for d in first if d.noise]
    if len({(family, f"{value:.10g}") for family, value in seen}) < len(seen):
        raise UntraceableError("its noise repeats itself")
