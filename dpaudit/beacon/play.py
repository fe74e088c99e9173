"""Plays for a certificate: some draws choose the bets, whose hash seeds those that settle them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from dpaudit.beacon.bets import Bet, best_bets
from dpaudit.beacon.derive import batch_key
from dpaudit.neighbors import Pair
from dpaudit.outputs import Columns
from dpaudit.worker import KEEPS_STATE, Runner, Task

PILOT_PAIRS = 8  # pairs of datasets that are looked at
FIRST_BATCH = 128  # pairs of draws; each batch doubles what there is
MOST_A_BATCH = 16_384
MOST_A_TASK = 4_096


class NoCertificateError(Exception):
    """No certificate can be given; the message says why, in words that follow a colon."""


@dataclass(frozen=True, slots=True)
class Played:
    """What was bet, and what it paid.

    Attributes
    ----------
    pairs : int
        Pairs of draws.
    counts : tuple of tuple of int
        Of `Bet.counts`, for each bet.
    log_e_value : float
        Nats.
    calls : int
        Mechanism calls.
    """

    pairs: int
    counts: tuple[tuple[int, int, int, int], ...]
    log_e_value: float
    calls: int

    @property
    def said(self) -> str:
        """The first bet's counts, in words."""
        _, other, one, both = self.counts[0]
        return (
            f"the set of the first bet was seen in {one + both:,} of {self.pairs:,} draws on one "
            f"dataset and in {other + both:,} on the other"
        )


class Draws:
    """Pairs of draws from two datasets.

    Parameters
    ----------
    runner : Runner
    pair : Pair
    """

    def __init__(self, runner: Runner, pair: Pair) -> None:
        self._runner = runner
        self.pair = pair
        self.left = self.right = Columns(0)
        self.calls = 0

    def draw(self, key: tuple[int, ...], pairs: int) -> None:
        """Draw so many pairs from a seed, and keep them."""
        left, right = self.drawn(key, pairs)
        self.left = Columns.concat([self.left, left]) if self.left.size else left
        self.right = Columns.concat([self.right, right]) if self.right.size else right

    def drawn(self, key: tuple[int, ...], pairs: int) -> tuple[Columns, Columns]:
        """Return so many pairs, drawn from a seed."""
        sizes = [min(MOST_A_TASK, pairs - done) for done in range(0, pairs, MOST_A_TASK)]
        datasets = self.pair.left, self.pair.right
        tasks = [Task(*datasets, "coupled", n, (*key, i)) for i, n in enumerate(sizes)]
        drawn = self._runner.run(tasks)
        if any("unseeded" in each.flags for each in drawn):
            raise NoCertificateError("its randomness takes no seed: no draw can be repeated")
        if any(KEEPS_STATE in each.flags for each in drawn):
            raise NoCertificateError(
                "an output depends on earlier calls: draws are not independent"
            )
        self.calls += sum(each.calls for each in drawn)
        left = [each.left for each in drawn if each.left is not None]
        right = [each.right for each in drawn if each.right is not None]
        return Columns.concat(left), Columns.concat(right)


def chosen_pair(
    runner: Runner,
    proposed: Iterator[Pair],
    planes: Sequence[tuple[float, float]],
    key: tuple[int, ...],
    calls: int,
) -> Draws:
    """Return the pair on which a bet promises most, with its draws.

    Parameters
    ----------
    runner : Runner
    proposed : iterator of Pair
        One alone is taken as it is.
    planes : sequence of (float, float)
        Of `dpaudit.beacon.bets.half_planes`.
    key : tuple of int
        Seed of these draws.
    calls : int
        That may be spent.
    """
    tried: list[tuple[tuple[bool, float], Draws]] = []
    pairs = list(islice(proposed, PILOT_PAIRS))
    for index, pair in enumerate(pairs):
        draws = Draws(runner, pair)
        draws.draw((*key, index), max(8, calls // (4 * len(pairs))))
        tried.append((best_bets(draws.left, draws.right, planes)[0].promise, draws))
    if not tried:
        raise NoCertificateError("there is no pair of neighboring datasets")
    _, best = max(tried, key=lambda entry: entry[0])
    best.draw((*key, len(tried)), max(8, calls // 4))
    return best


def play(
    draws: Draws,
    bets: Sequence[Bet],
    opened: str,
    pairs: int,
    target: float,
    carry_on: Callable[[int, float], bool],
) -> Played:
    """Draw until the bets refute the claim, or all draws are made.

    Parameters
    ----------
    draws : Draws
        Whose runner has made no other draws, as that of a checker.
    bets : sequence of Bet
        With equal shares of the capital.
    opened : str
        Of `dpaudit.beacon.derive.opening`, with these bets.
    pairs : int
        Pairs of draws in all.
    target : float
        Nats at which the claim is refuted.
    carry_on : callable
        Given the pairs drawn so far and the evidence; False ends it.
    """
    counts = np.zeros((len(bets), 4), dtype=np.int64)
    wealth, done, number = 0.0, 0, 0
    while done < pairs and wealth < target:
        size = min(max(FIRST_BATCH, done), MOST_A_BATCH, pairs - done)
        sides = draws.drawn(batch_key(opened, number), size)
        counts += np.array([bet.counts(*sides) for bet in bets])
        paid = [bet.log_wealth(row) for bet, row in zip(bets, counts.tolist(), strict=True)]
        wealth = float(np.logaddexp.reduce(paid) - np.log(len(bets)))
        done, number = done + size, number + 1
        if not carry_on(done, wealth):
            break
    if not np.isfinite(wealth):
        raise NoCertificateError("its evidence could not be computed")
    kept = tuple((int(a), int(b), int(c), int(d)) for a, b, c, d in counts)
    return Played(done, kept, wealth, draws.calls)
