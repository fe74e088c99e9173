"""Bets that are small data: a set of outputs, a half-plane of the claim, and stakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims import Claim
from dpaudit.outputs import Columns

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
CELLS = 24
PATHS = 32
WORDS = 64
ATOM = 0.01  # part of the outputs that makes a value a cell of its own
STAKES = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95])  # of the largest
BETS = 4
UP = 1 + 2.0**-40  # rounds e^ε up


@dataclass(frozen=True, slots=True)
class Cells:
    """Outputs by the cell that a sum of some of their numbers lies in.

    Attributes
    ----------
    numbers : tuple of (str, float)
        Paths of `dpaudit.outputs.Columns`, and the number that each is multiplied by.
    cuts : tuple of float
        Increasing; cell k holds what is above cut k − 1 and at most cut k.
    inside : tuple of int
        1 for each cell that belongs to the set, one more than there are cuts, and last for
        outputs that lack a number.
    """

    numbers: tuple[tuple[str, float], ...]
    cuts: tuple[float, ...]
    inside: tuple[int, ...]

    def cells(self, outputs: Columns) -> NDArray[np.intp]:
        """Return the cell of each output."""
        total = np.zeros(outputs.size)
        for path, factor in self.numbers:
            held = outputs.numbers.get(path)
            total = total + (np.nan if held is None else factor * held)
        found = np.searchsorted(np.array(self.cuts), total, side="left")
        return np.where(np.isnan(total), len(self.cuts) + 1, found)

    def with_inside(self, inside: Mask) -> Cells:
        """Return the same cells with another set of them."""
        return Cells(self.numbers, self.cuts, tuple(map(int, inside)))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        numbers = [list(each) for each in self.numbers]
        return {"numbers": numbers, "cuts": list(self.cuts), "inside": list(self.inside)}


@dataclass(frozen=True, slots=True)
class Words:
    """Outputs by a label.

    Attributes
    ----------
    path : str
        Of `dpaudit.outputs.Columns`.
    words : tuple of str
    inside : tuple of int
        1 for each word that belongs to the set, and last for all other outputs.
    """

    path: str
    words: tuple[str, ...]
    inside: tuple[int, ...]

    def cells(self, outputs: Columns) -> NDArray[np.intp]:
        """Return the number of each output's word."""
        codes, held = outputs.labels.get(self.path, (np.full(outputs.size, -1), ()))
        places = {word: place for place, word in enumerate(self.words)}
        table = np.array([*(places.get(word, len(places)) for word in held), len(places)])
        return table[codes].astype(np.intp)  # code -1 reads the last entry

    def with_inside(self, inside: Mask) -> Words:
        """Return the same words with another set of them."""
        return Words(self.path, self.words, tuple(map(int, inside)))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        return {"path": self.path, "words": list(self.words), "inside": list(self.inside)}


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet on pairs of draws, one from each dataset.

    Attributes
    ----------
    favours : {"left", "right"}
        The dataset under which the set is too likely.
    epsilon, delta : float
        The half-plane ``p <= exp(epsilon) q + delta`` of the claim.
    stakes : tuple of float
        Each λ has an equal part of the bet's capital; a pair pays it
        1 + λ (1[x in the set] − e^ε 1[y in the set] − δ), never below 0.
    event : Cells or Words
    growth : float
        Nats that a pair of past draws would have paid.
    excess : float
        Standard errors by which past draws overshoot the half-plane.
    """

    favours: str
    epsilon: float
    delta: float
    stakes: tuple[float, ...]
    event: Cells | Words
    growth: float
    excess: float

    def to_dict(self, share: float) -> dict[str, Any]:
        """Return it as JSON-able values, with its share of all capital."""
        return {
            "favours": self.favours,
            "epsilon": self.epsilon,
            "stakes": [[stake, share / len(self.stakes)] for stake in self.stakes],
            "event": self.event.to_dict(),
        }

    @property
    def promise(self) -> tuple[bool, float]:
        """What orders bets: the growth, or the excess where none is to be had."""
        return self.growth > 0, self.growth if self.growth > 0 else self.excess

    def counts(self, left: Columns, right: Columns) -> tuple[int, int, int, int]:
        """Return how many pairs had (neither, the other alone, the favoured alone, both) inside."""
        sides = (left, right) if self.favours == "left" else (right, left)
        inside = np.array(self.event.inside, dtype=bool)
        on, against = (inside[self.event.cells(side)] for side in sides)
        return _joint(on, against)

    def log_wealth(self, counts: Sequence[int]) -> float:
        """Return what counts of `counts` pay, in nats."""
        paid = np.log1p(np.outer(self.stakes, _gains(self.epsilon, self.delta)))
        return float(np.logaddexp.reduce(paid @ np.array(counts)) - np.log(len(self.stakes)))


def half_planes(claim: Claim) -> list[tuple[float, float]]:
    """Return the half-planes of a claim that are bet on, as (epsilon, delta)."""
    slopes = [float(slope) for slope in claim.log_slopes() if 0 <= slope < 30]
    return [(slope, float(claim.delta(slope))) for slope in slopes]


def best_bets(
    left: Columns, right: Columns, planes: Sequence[tuple[float, float]]
) -> tuple[Bet, ...]:
    """Return the bets that past pairs of draws speak for most, the best first.

    Parameters
    ----------
    left, right : Columns
        Row i of both is a pair. Sets are chosen on the even rows, and judged on the odd ones.
    planes : sequence of (float, float)
        Of `half_planes`; at least one.

    Returns
    -------
    tuple of Bet
        One or more, no two on the same set.
    """
    found = [
        bet
        for event in _partitions(left, right)
        for favours, sides in (("left", (left, right)), ("right", (right, left)))
        for bet in _bets(event, favours, *sides, planes)
    ]
    found.sort(key=lambda bet: bet.promise, reverse=True)
    distinct: dict[tuple[str, Cells | Words], Bet] = {}
    for bet in found:
        distinct.setdefault((bet.favours, bet.event), bet)
    return tuple(distinct.values())[:BETS]


def _bets(
    event: Cells | Words,
    favours: str,
    one: Columns,
    other: Columns,
    planes: Sequence[tuple[float, float]],
) -> Iterator[Bet]:
    places = event.cells(one), event.cells(other)
    size = len(event.inside)
    seen = [np.bincount(place[::2], minlength=size) + 0.5 for place in places]
    ratio = np.log(seen[0] / seen[0].sum()) - np.log(seen[1] / seen[1].sum())
    for epsilon, delta in planes:
        inside = ratio > epsilon
        if not inside.any():
            inside = ratio >= ratio.max()
        counts = _joint(inside[places[0][1::2]], inside[places[1][1::2]])
        # As if the set had once been seen on the other side alone: its true rate is not 0.
        pseudo = np.array(counts) + np.array([0.0, 0.5, 0.0, 0.0])
        share = pseudo / pseudo.sum()
        gains = _gains(epsilon, delta)
        stakes = STAKES * _largest(epsilon, delta)
        growth = np.log1p(stakes[:, None] * gains) @ share
        mean = float(gains @ share)
        error = float(np.sqrt(max((gains - mean) ** 2 @ share, 1e-12) / pseudo.sum()))
        yield Bet(
            favours, epsilon, delta, tuple(map(float, stakes)), event.with_inside(inside),
            float(growth.max()), mean / error,
        )  # fmt: skip


def _partitions(left: Columns, right: Columns) -> Iterator[Cells | Words]:
    """Yield cells of past outputs: by each number, by all of them together, by each label."""
    both = Columns.concat([left, right])
    paths = list(both.numbers)[:PATHS]
    for path in paths:
        yield _cells(((path, 1.0),), both)
    direction = _direction(left, right, paths)
    if direction is not None:
        yield _cells(direction, both)
    for path in list(both.labels)[:PATHS]:
        codes, held = both.labels[path]
        common = np.argsort(-np.bincount(codes[codes >= 0], minlength=len(held)), kind="stable")
        words = tuple(held[i] for i in common[:WORDS])
        yield Words(path, words, (0,) * (len(words) + 1))
    yield Words(":type", (), (0,))  # every output, whatever it is


def _cells(numbers: tuple[tuple[str, float], ...], both: Columns) -> Cells:
    """Return cells at quantiles, and around values that occur often."""
    total = np.zeros(both.size)
    for path, factor in numbers:
        total = total + factor * both.numbers[path]
    values, seen = np.unique(total[~np.isnan(total)], return_counts=True)
    if len(values) <= CELLS:
        cuts = values
    else:
        levels = np.linspace(0, 1, CELLS + 1)[1:-1]
        often = values[seen >= max(2, ATOM * seen.sum())]
        tails = np.quantile(total[~np.isnan(total)], [0.002, 0.01, 0.99, 0.998])
        middle = np.quantile(total[~np.isnan(total)], levels)
        cuts = np.unique(np.concatenate([middle, tails, often, np.nextafter(often, -np.inf)]))
    kept = tuple(float(cut) for cut in cuts)
    return Cells(numbers, kept, (0,) * (len(kept) + 2))


def _direction(
    left: Columns, right: Columns, paths: Sequence[str]
) -> tuple[tuple[str, float], ...] | None:
    """Return Fisher's direction between the two sides, from the even rows; None of one number."""
    if len(paths) < 2 or any(path not in side.numbers for path in paths for side in (left, right)):
        return None
    tables = [np.array([side.numbers[path][::2] for path in paths]) for side in (left, right)]
    tables = [table[:, ~np.isnan(table).any(axis=0)] for table in tables]
    if min(table.shape[1] for table in tables) < 2 * len(paths):
        return None
    spread = sum(np.cov(table) for table in tables)
    ridge = 1e-9 * float(np.trace(spread)) + 1e-300
    apart = tables[0].mean(axis=1) - tables[1].mean(axis=1)
    weights = np.linalg.lstsq(spread + ridge * np.eye(len(paths)), apart, rcond=None)[0]
    if not np.isfinite(weights).all() or not weights.any():
        return None
    return tuple(
        (path, float(w)) for path, w in zip(paths, weights / abs(weights).max(), strict=True)
    )


def _joint(on: Mask, against: Mask) -> tuple[int, int, int, int]:
    both, one, other = int((on & against).sum()), int(on.sum()), int(against.sum())
    return len(on) - one - other + both, other - both, one - both, both


def _gains(epsilon: float, delta: float) -> Floats:
    """Return what is won of the stake, in the order of `Bet.counts`; rounds down."""
    cost = float(np.exp(epsilon)) * UP
    return np.array([0.0, -cost, 1.0, 1.0 - cost]) - delta


def _largest(epsilon: float, delta: float) -> float:
    """Return the largest stake with which no pair pays less than nothing; rounds down."""
    return 1 / ((float(np.exp(epsilon)) * UP + delta) * UP)
