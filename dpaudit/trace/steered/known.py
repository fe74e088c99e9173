"""What is known of one dataset from the runs on it: how likely sets of outputs are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from dpaudit.trace.steered.forms import CONSTANT, Leaf, Target
from dpaudit.trace.steered.noise import Floats
from dpaudit.trace.steered.runs import MOST_SITES, SITES, Fiber
from dpaudit.trace.steered.steerer import Tilts, UntraceableError
from dpaudit.trace.steered.symbols import Drawn
from dpaudit.trace.steered.tilt import NATURAL, STRATA, Tilt

MOST_FIBERS = 256  # of which nothing was read, that are remembered
MOST_RECENT = 1_000  # runs that means are taken over
SLACK = 1e-12  # of probabilities that are summed # rounds up
RANKS = np.concatenate([0.5 ** np.arange(30.0, 8.0, -1.0), np.geomspace(2.0**-8, 0.5, 32)])
MOST_PATHS = 8
MOST_WORDS, MOST_POINTS, MOST_CUTS, MOST_LAWS = 32, 24, 32, 4


class Known:
    """The fibers that were met on a dataset.

    Attributes
    ----------
    whole : dict
        Fibers of which nothing was read, by their keys: their probabilities are known, and what
        is not on one of them has probability `unknown` at most.
    recent : list of Fiber
    runs : int
    """

    def __init__(self) -> None:
        self.whole: dict[Any, Fiber] = {}
        self.recent: list[Fiber] = []
        self.runs = 0
        self._sum = 0.0
        self._tables: dict[str, tuple[Floats, Floats, list[Fiber]]] = {}

    @property
    def unknown(self) -> float:
        """The probability of all other fibers, rounded up."""
        return float(np.clip(1.0 - self._sum + SLACK, 0.0, 1.0))

    def add(self, fiber: Fiber) -> None:
        """Take a run into account.

        Raises
        ------
        UntraceableError
            Where two fibers overlap, or all of them are more than everything: what a trace shows
            of the program is not what it does.
        """
        self.runs += 1
        self._tables.clear()
        self.recent.append(fiber)
        if len(self.recent) > MOST_RECENT:
            del self.recent[: MOST_RECENT // 3]
        if fiber.key in self.whole:
            return
        if any(each.holds(fiber.draws) for each in self.whole.values()):
            raise UntraceableError("under noise of one interval the program goes different ways")
        if not fiber.read and len(self.whole) < MOST_FIBERS:
            self.whole[fiber.key] = fiber
            self._sum += fiber.probability
            if self._sum > 1 + 1e-9:
                raise UntraceableError("the ways that the program goes do not fit together")

    def sure(self, target: Target, *, up: bool, low: Any = None, high: Any = None) -> Any:
        """Return the probability of a set of outputs on all fibers that are known."""
        found: Any = 0.0
        for fiber in self.whole.values():
            found = found + fiber.probability * fiber.chance(target, low, high, up=up)
        return found

    def moments(
        self, target: Target, *, up: bool, low: Any = None, high: Any = None
    ) -> tuple[Any, Any]:
        """Return mean and variance of the weight of a set of outputs, over recent runs."""
        total: Any = 0.0
        squares: Any = 0.0
        rest: Sequence[Fiber] = self.recent
        if target.path is not None and not target.words:
            weights, bases, rest = self._numbers(target.path)
            ends = (target.low if low is None else low), (target.high if high is None else high)
            first, last = (np.asarray(end, dtype=np.float64)[..., None] for end in ends)
            inside = (first <= bases) & (bases <= last)
            total, squares = inside @ weights, inside @ weights**2
        for fiber in rest:
            weight = fiber.weight * fiber.chance(target, low, high, up=up)
            total, squares = total + weight, squares + weight**2
        count = max(1, len(self.recent))
        return total / count, np.maximum(squares / count - (total / count) ** 2, 0.0)

    def _numbers(self, path: str) -> tuple[Floats, Floats, list[Fiber]]:
        """Return weights and numbers of recent runs at a path, and the runs that left it open."""
        known = self._tables.get(path)
        if known is None:
            rows, others = [], []
            for fiber in self.recent:
                leaf = fiber.form.leaf(path)
                if leaf is not None and leaf.at == CONSTANT:
                    rows.append((fiber.weight, leaf.base))
                elif leaf is not None:
                    others.append(fiber)
            weights, bases = np.array(rows, dtype=np.float64).reshape(-1, 2).T
            known = self._tables[path] = weights, bases, others
        return known

    def heaviest(self, target: Target, tilts: Tilts, *, up: bool) -> float:
        """Return the largest weight that a known fiber has on a set of outputs."""
        weights = [
            fiber.weight_under(tilts) * float(fiber.chance(target, up=up))
            for fiber in self.whole.values()
        ]
        return max(weights, default=0.0)

    def tilts(self, target: Target | None) -> tuple[Tilt | None, ...]:
        """Return laws under which a set of outputs is common; of no set, all strata are.

        At most two noise calls have one: those whose own law the set is the furthest from, or
        without a set others from run to run.
        """
        wanted = np.zeros((MOST_SITES, STRATA))
        sites = max((min(len(f.draws), MOST_SITES) for f in self.recent), default=SITES)
        chosen = [self.runs % sites, (self.runs + 1 + self.runs // sites) % sites]
        if target is not None:
            sure = self.unknown < 0.5
            fibers = list(self.whole.values()) if sure else self.recent
            for fiber in fibers:
                own = fiber.probability if sure else fiber.weight
                weight = own * float(fiber.chance(target, up=False))
                for site, masses in enumerate(fiber.masses if weight > 0 else ()):
                    if masses.sum() > 0:
                        wanted[site] += weight * masses / masses.sum()
            chosen = np.argsort([-_distance(each) for each in wanted], kind="stable").tolist()
        kept = range(SITES) if sites <= SITES else chosen[:SITES]
        return tuple(
            Tilt.towards(each) if site in kept else None for site, each in enumerate(wanted)
        )


def _distance(wanted: Floats) -> float:
    """Return the divergence of wanted weights of strata from those of the own law (nats)."""
    parts = wanted / wanted.sum() if wanted.sum() > 0 else NATURAL.parts
    inside = parts > 0
    return float((parts[inside] * np.log(parts[inside] / NATURAL.parts[inside])).sum())


def targets(sides: Sequence[Known]) -> Iterator[Target]:
    """Yield words, and single numbers, that outputs on either dataset have had."""
    fibers = [fiber for side in sides for fiber in _shown(side)]
    kinds = list(dict.fromkeys(fiber.form.words for fiber in fibers))
    shared = set.intersection(*map(set, kinds)) if kinds else set()
    words = dict.fromkeys(word for kind in kinds for word in kind if word not in shared)
    for word in islice(words, MOST_WORDS):
        yield Target((word,))
    for path in _paths(fibers):
        values = [leaf.base for leaf, _ in _leaves(fibers, path) if leaf.at == CONSTANT]
        for value in islice(dict.fromkeys(values), MOST_POINTS):
            if np.isfinite(value):
                yield Target((), path, value, value)


def cuts(sides: Sequence[Known]) -> Iterator[tuple[str, Floats]]:
    """Yield numbers of the output, and where they may be cut in two."""
    fibers = [fiber for side in sides for fiber in _shown(side)]
    for path in _paths(fibers):
        found: list[Floats] = []
        leaves = _leaves(fibers, path)
        fixed = np.unique([leaf.base for leaf, _ in leaves if leaf.at == CONSTANT])
        fixed = fixed[np.isfinite(fixed)]
        if len(fixed) > 1:
            middle = (fixed[1:] + fixed[:-1]) / 2
            found.append(np.unique(np.quantile(middle, np.linspace(0, 1, MOST_CUTS))))
        laws = {(leaf, drawn.noise): drawn for leaf, drawn in leaves if drawn is not None}
        for (leaf, noise), _ in islice(laws.items(), MOST_LAWS):
            assert noise is not None
            for upper in (False, True):
                at = np.array([noise.at(float(rank), upper=upper) for rank in RANKS])
                found.append(leaf.base + leaf.coef * at)
        if found:
            yield path, np.unique(np.concatenate(found))


def _shown(side: Known) -> list[Fiber]:
    return [*side.whole.values(), *side.recent]


def _paths(fibers: Sequence[Fiber]) -> list[str]:
    return list(dict.fromkeys(path for fiber in fibers for path, _ in fiber.form.leaves))[
        :MOST_PATHS
    ]


def _leaves(fibers: Sequence[Fiber], path: str) -> list[tuple[Leaf, Drawn | None]]:
    found = []
    for fiber in fibers:
        leaf = fiber.form.leaf(path)
        if leaf is not None:
            found.append((leaf, None if leaf.at == CONSTANT else fiber.draws[leaf.at]))
    return found
