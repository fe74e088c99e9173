"""Coins exactly at PureDP(.1) whose calls or rows share noise in ways that a seed alone makes seen.

Called with noise of their own, the rows of a call and the calls of a process are independent and
alike. With one seed for both datasets a row of one side may depend on the noise of another row of
the other, and a call on noise that an earlier one has kept. Bets on coupled draws have to be fair
all the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from dpaudit import Pairs, PureDP
from dpaudit.evidence import Budget
from dpaudit.statistical.contender import Mode
from dpaudit.statistical.race import Race
from dpaudit.subject import Subject, vectorized
from dpaudit.worker import InPlace

CLAIM = PureDP(0.1)
CUT = float(ndtri(1 / (1 + math.exp(0.1))))  # the rarer outcome's quantile
BLOCK = 50
ROOM = 32  # calls; with fewer left no pairs are drawn

Rows = NDArray[np.float64]


def _averaged(z: Rows) -> Rows:
    """Sums that rows share: of uniform numbers, modulo 1, they are independent and uniform."""
    return np.asarray(ndtri(np.clip(np.cumsum(ndtr(z)) % 1.0, 1e-12, 1 - 1e-12)))


def _mixed(z: Rows) -> Rows:
    """A reflection in a fixed direction that is not the mean."""
    direction = np.cos(np.arange(len(z)))
    direction /= np.linalg.norm(direction)
    return z - 2 * (z @ direction) * direction


ROWS: dict[str, Callable[[Rows, np.random.Generator], Rows]] = {
    "reflection": lambda z, _: z - 2 * z.mean(),
    "another reflection": lambda z, _: _mixed(z),
    "reversed": lambda z, _: z[::-1],
    "rolled": lambda z, _: np.roll(z, 1),
    "interleaved": lambda z, _: np.concatenate([z[1::2], z[::2]]),
    "antithetic": lambda z, _: -np.roll(z, 2),
    "permuted": lambda z, rng: z[rng.permutation(len(z))],
    "sorted, then permuted": lambda z, rng: np.sort(z)[rng.permutation(len(z))],
    "shared sums": lambda z, _: _averaged(z),
}


def rows_law(name: str, sign: float = 1.0) -> Callable[..., Any]:
    """Return a vectorized coin whose rows on the right dataset are made from others' noise."""
    change = ROWS[name]

    @vectorized
    def coin(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        z = rng.standard_normal(size)
        if answer == 0:
            return (z < CUT).astype(int)
        return (sign * change(z, rng) < -CUT).astype(int)

    return coin


def _box_muller(rng: np.random.Generator) -> tuple[float, float]:
    radius, angle = math.sqrt(-2 * math.log(1 - rng.random())), 2 * math.pi * rng.random()
    return radius * math.cos(angle), radius * math.sin(angle)


Normal = Callable[[np.random.Generator], float]


def _in_closure() -> Normal:
    spare: float | None = None

    def normal(rng: np.random.Generator) -> float:
        nonlocal spare
        if spare is not None:
            kept, spare = spare, None
            return kept
        first, spare = _box_muller(rng)
        return first

    return normal


_spare: list[float] = []


def _in_global() -> Normal:
    _spare.clear()

    def normal(rng: np.random.Generator) -> float:
        if not _spare:
            _spare.extend(_box_muller(rng))
        return _spare.pop()

    return normal


def _in_attribute() -> Normal:
    class Source:
        spare: float | None = None

        def __call__(self, rng: np.random.Generator) -> float:
            if self.spare is not None:
                kept, self.spare = self.spare, None
                return kept
            first, self.spare = _box_muller(rng)
            return first

    return Source()


def _every(period: int) -> Callable[[], Normal]:
    def make() -> Normal:
        calls, spare = 0, 0.0

        def normal(rng: np.random.Generator) -> float:
            nonlocal calls, spare
            calls += 1
            if calls % period == 0:
                return spare
            first, spare = _box_muller(rng)
            return first

        return normal

    return make


def _blocks() -> Normal:
    kept: list[float] = []

    def normal(rng: np.random.Generator) -> float:
        if not kept:
            kept.extend(rng.standard_normal(BLOCK).tolist())
        return kept.pop()

    return normal


def _alternate() -> Normal:
    """Two streams in turn: the numbers of one are drawn a call before they are used."""
    ahead: list[float] = []

    def normal(rng: np.random.Generator) -> float:
        ahead.append(rng.normal())
        return ahead.pop(0) if len(ahead) > 1 else rng.normal()

    return normal


def _python() -> Normal:
    own = random.Random(0)

    def normal(rng: np.random.Generator) -> float:
        own.random = rng.random  # type: ignore[method-assign]
        return own.gauss(0.0, 1.0)

    return normal


SPARES: dict[str, Callable[[], Normal]] = {
    "closure": _in_closure,
    "global list": _in_global,
    "attribute": _in_attribute,
    "every second call": _every(2),
    "every third call": _every(3),
    "blocks": _blocks,
    "a call ahead": _alternate,
    "random.gauss": _python,
}
USES: dict[str, Callable[[Normal, np.random.Generator], float]] = {
    "as it comes": lambda normal, rng: normal(rng),
    "negated": lambda normal, rng: -normal(rng),
    "the second": lambda normal, rng: (normal(rng), normal(rng))[1],
    "the sum of two": lambda normal, rng: (normal(rng) + normal(rng)) / math.sqrt(2),
    "beside another": lambda normal, rng: (rng.random(), normal(rng))[1],
}


def spare_law(spare: str, use: str) -> Callable[..., Any]:
    """Return a coin that keeps noise between calls, and uses it differently on either dataset."""
    normal, used = SPARES[spare](), USES[use]

    def coin(answer: int, rng: np.random.Generator) -> int:
        if answer == 0:
            return int(normal(rng) < CUT)
        return int(used(normal, rng) < -CUT)

    return coin


def laws() -> Iterator[tuple[str, Callable[[], Callable[..., Any]]]]:
    """Yield each law by name, and what makes a new mechanism of it."""
    for name in ROWS:
        yield f"rows {name}", partial(rows_law, name)
        yield f"rows {name}, negated", partial(rows_law, name, -1.0)
    for spare in SPARES:
        for use in USES:
            yield f"spare in {spare}, {use}", partial(spare_law, spare, use)


@dataclass(frozen=True, slots=True)
class Played:
    """What coupled draws of one mechanism earned, by themselves."""

    refuted: bool
    log_e_value: float
    calls: int


def play(mechanism: Callable[..., Any], seed: int, calls: int, level: float) -> Played:
    """Bet on coupled draws alone until they refute or the calls are spent.

    The first calls are labels, from which the cells are made; fresh processes are not asked.
    """
    subject = Subject.of(mechanism)
    modes: tuple[Mode, ...] = ("label", "coupled")
    budget = Budget(alpha=level, max_calls=calls, seed=seed)
    race = Race(subject, CLAIM, Pairs([(0, 1)]), budget, InPlace(subject), modes, None)
    entry = race.enter(next(race.proposals), 1.0)
    place, earned = (entry.contender.index, modes[1]), 0.0
    while race.room >= ROOM and earned < -math.log(level):
        race.draw(entry, "coupled", race.room)
        earned = race.earned[place].alone if place in race.earned else 0.0
        if entry.contender.flags & {"unseeded", "keeps-state"}:
            break
    return Played(earned >= -math.log(level), earned, race.calls)
