"""Looks for telling pairs: two runs a pair, hundreds of pairs, towards larger moves."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, get_args

import numpy as np

from dpaudit.neighbors import Neighbors, Pair
from dpaudit.outputs import Raised
from dpaudit.trace.compare import candidates_of
from dpaudit.trace.comparison import Comparison, Rescaled
from dpaudit.trace.draws import Draw
from dpaudit.trace.laws import law_of
from dpaudit.trace.record import Bench, Run
from dpaudit.trace.replay import Allowance, Trial, replayed
from dpaudit.trace.unlocated import CHOOSING

Kind = Literal[
    "raises",
    "not-finite",
    "structure",
    "parted",
    "crossed",
    "told",
    "raw",
    "crowded",
    "rescaled",
    "shared",
    "cost",
]
ORDER: tuple[Kind, ...] = get_args(Kind)
UNSETTLED = {"cost", "told", "raw", "crowded", "shared"}
TELLING_SHARE = 0.6  # of the pairs are taken as they are proposed; the others are mutations
ROUNDS = 4
CLIMBING_SHARE = 0.2  # of them all, before the first mutation
MOST_MUTATED = 2_000  # records; of larger pairs others are proposed instead
ENOUGH_PAIRS = 60  # where one of them is telling
CLEAR_SHARE = 1.2
_CLEARLY = math.log(2)  # logarithm of a factor by which noise is wider on one dataset
_WIDEST = 50.0  # logarithm of a factor; where one dataset has no noise, it is that


@dataclass(slots=True, eq=False)
class Search:
    """The pairs that were tried, and the most telling one of each kind.

    Attributes
    ----------
    best : dict of str to Trial
    pairs : int
    share : float
        The largest cost, as a share of what the claim allows, on a pair that both runs take alike.
    draws : int
        The most noise calls that a run made.
    endless : bool
        Whether a run was stopped.
    open : bool
        Whether more pairs may tell more.
    late : bool
        Whether time ended the search.
    settled_early : bool
        Whether the search ended at a telling pair, before it had tried all.
    unpaid : bool
        Whether what is suspected first has no price: it shows in few outputs, if it is so.
    heard : bool
        Whether a run gave an output that is no exception.
    complaint : str
        The last exception, with the user's line that raised it.
    """

    best: dict[Kind, Trial] = field(default_factory=dict)
    pairs: int = 0
    share: float = 0.0
    draws: int = 0
    endless: bool = False
    open: bool = False
    late: bool = False
    settled_early: bool = False
    unpaid: bool = False
    heard: bool = False
    complaint: str = ""

    @property
    def settled(self) -> bool:
        """Whether something was found that more pairs would hardly make clearer."""
        settling = self.best.keys() - UNSETTLED
        if settling == {"rescaled"} and _telling("rescaled", self.best["rescaled"]) < _CLEARLY:
            return False
        return self.share > CLEAR_SHARE or bool(settling)

    @property
    def unfollowed(self) -> bool:
        """Whether outputs differ under noise that is made of drawn numbers out of sight."""
        trials = [trial for trial in self.best.values() if trial.differences]
        runs = [run for t in trials for run in (t.comparison.left, t.comparison.right) if run.noise]
        return bool(runs) and all(map(_made_apart, runs))

    def take(self, trial: Trial) -> None:
        """Note a trial."""
        comparison = trial.comparison
        self.draws = max(self.draws, len(comparison.left.noise), len(comparison.right.noise))
        self.endless |= comparison.left.endless or comparison.right.endless
        for run in (comparison.left, comparison.right):
            if isinstance(run.output, Raised):
                place = "" if run.raised_at is None else f", at {run.raised_at}"
                self.complaint = f"{run.output}{place}"
            else:
                self.heard = True
        if comparison.alike and math.isfinite(trial.share):
            self.share = max(self.share, trial.share)
        for kind in _kinds(trial):
            known = self.best.get(kind)
            if known is None or _telling(kind, trial) > _telling(kind, known):
                self.best[kind] = trial


def _made_apart(run: Run) -> bool:
    """Whether no number of a run is seen to hold noise, and what was drawn is no choice."""
    drawn = [draw for draw in run.noise if draw.request.price is None]
    drawn = [draw for draw in drawn if draw.kind not in CHOOSING]
    return not run.tape.sinks and any(d.first < 0 or d.first in run.tape.escaped for d in drawn)


def _telling(kind: Kind, trial: Trial) -> float:
    if kind == "cost":
        # A pair whose runs part tells less than one whose moves are priced to the end.
        share = trial.share if trial.comparison.alike else 0.5 * trial.share
        share = float(f"{share:.6g}")  # the moves of a linear programme are not exact
        if CLEAR_SHARE < share < math.inf:
            return CLEAR_SHARE + (share - CLEAR_SHARE) * math.exp(-_certainty(trial.comparison))
        return share
    if kind == "shared":
        return float(trial.comparison.alike)
    if kind == "rescaled":
        stretched = [*map(_stretched, trial.comparison.rescaled)]
        return sum(stretched) / len(stretched)
    if kind == "crossed":
        return sum(each.cost for each in trial.comparison.crossed)
    if kind in ("raw", "crowded"):  # all noise moved as it should be
        coupling, chances = trial.comparison.coupling, trial.comparison.chances
        clear = coupling.solved and not (coupling.conflicts or coupling.bounded or chances)
        records = sum(float(np.size(data)) for data in trial.datasets)
        # On few records whatever happens is common, on many the noise changes little.
        return 1e9 * clear + (records if kind == "crowded" else -records)
    return 0.0  # the first of its kind, which is the simplest


def _stretched(one: Rescaled) -> float:
    """Return by what factor noise is wider on one dataset, as a logarithm; at most `_WIDEST`."""
    sizes = sorted((abs(one.left), abs(one.right)))
    known = sizes[0] > 0 and math.isfinite(sizes[1])
    return min(_WIDEST, math.log(sizes[1] / sizes[0])) if known else _WIDEST


def _certainty(comparison: Comparison) -> float:
    """Return how many scales of noise lie between what is compared, on average.

    A pair on which all comparisons are certain costs much on a path that shows nothing. So does one
    whose coins fell as is likelier now on one dataset, now on the other, and one whose choice is
    less likely on both than if all choices were alike.
    """
    tape, found = comparison.left.tape, []
    for sink in (sink for sink in tape.sinks if sink.kind == "order"):
        for cell, apart in zip(sink.cells.tolist(), tape.base(sink).tolist(), strict=True):
            for each, factor in tape.terms(cell).items():
                draw = tape.draws[tape.draw_of(each)]
                law, at = law_of(draw), each - draw.first
                if factor and at < len(law.rate) and law.family in ("pure", "gaussian"):
                    found.append(abs(apart / factor) * float(law.rate[at]))
    certain = float(np.mean(found)) if found else 0.0
    logs = [math.log(p / q) for _, p, q in comparison.chances if p > 0 and q > 0]
    certain += sum(map(abs, logs)) - abs(sum(logs))
    certain += sum(_rarity(draw, max(p, q)) for draw, p, q in comparison.chances)
    return certain if math.isfinite(certain) else 0.0


def _rarity(draw: Draw, chance: float) -> float:
    """Return how much less likely what was chosen is than if all choices were, in nats."""
    chosen = candidates_of(draw)
    if chosen is None or chance <= 0:
        return 0.0
    among, picks = len(chosen[0]), int(np.size(draw.value))
    again = draw.request.arguments.get("replace", True)
    ways = picks * math.log(among) if again else math.log(max(math.perm(among, picks), 1))
    return max(0.0, -math.log(chance) - ways)


def _kinds(trial: Trial) -> Iterator[Kind]:
    comparison = trial.comparison
    raised = [isinstance(run.output, Raised) for run in (comparison.left, comparison.right)]
    if raised[0] != raised[1]:
        yield "raises"
        return
    if all(raised):
        return
    if [each.entry for each in comparison.left.emitted] != [
        each.entry for each in comparison.right.emitted
    ]:
        yield "told"
    if any(_not_finite(trial, i) for i in range(len(comparison.sinks))):
        yield "not-finite"
        return
    if comparison.rescaled:
        yield "rescaled"
    if comparison.coupling.conflicts or comparison.coupling.unpaid:
        yield "shared"
    yield "cost"
    if len(comparison.left.draws) != len(comparison.right.draws):
        yield "parted"
    if comparison.crossed:
        yield "crossed"
    if any(not each.numeric for each in trial.differences):
        yield "structure"
    elif trial.differences:
        yield "raw"
        yield "crowded"


def _not_finite(trial: Trial, sink: int) -> bool:
    comparison = trial.comparison
    one, two = comparison.sinks[sink]
    bases = comparison.left.tape.base(one), comparison.right.tape.base(two)
    return bool(np.isfinite(bases[0]).all() != np.isfinite(bases[1]).all())


def search(
    bench: Bench,
    neighbors: Neighbors,
    allowance: Allowance,
    rng: np.random.Generator,
    key: tuple[int, ...],
    *,
    max_calls: int,
    max_pairs: int,
    whole: int,
    until: float | None = None,
    every_pair: bool = False,
    found: Search | None = None,
    first: Sequence[Pair] = (),
) -> Search:
    """Run pair after pair with coupled noise.

    Parameters
    ----------
    bench : Bench
    neighbors : Neighbors
    allowance : Allowance
    rng : numpy.random.Generator
        Chooses the pairs.
    key : tuple of int
        Seed of the noise; every pair has its own.
    max_calls, max_pairs : int
    whole : int
        Pairs that the last tier tries; of these, a fifth come before the first mutation.
    until : float or None
        Of `time.monotonic`, from which on no pair begins.
    every_pair : bool
        Whether a telling pair does not end the search.
    found : Search, optional
        What is known already; the search goes on, past telling pairs.
    first : sequence of Pair
        Tried before what the neighbors propose.

    Returns
    -------
    Search
    """
    further = every_pair or found is not None
    found = found or Search()
    found.settled_early = False
    before, most = bench.calls, max_pairs - found.pairs
    climbing_from = CLIMBING_SHARE * (whole - found.pairs)
    for pair in _candidates(found, neighbors, rng, most, climbing_from, first):
        own = (*key, found.pairs)
        trial = replayed(bench, pair, own, allowance, mirrored=found.pairs % 2 == 1, rounds=ROUNDS)
        found.pairs += 1
        found.take(trial)
        if bench.calls - before >= max_calls or found.endless:
            break
        if until is not None and time.monotonic() >= until:
            found.late = True
            break
        if found.pairs >= ENOUGH_PAIRS and found.settled and not further:
            found.settled_early = True
            break
    return found


def _small(pair: Pair) -> bool:
    """Whether a pair is so small that to read and change it costs little beside two runs."""
    sizes = (len(data) for data in (pair.left, pair.right) if hasattr(data, "__len__"))
    return max(sizes, default=1) <= MOST_MUTATED


def _candidates(
    found: Search,
    neighbors: Neighbors,
    rng: np.random.Generator,
    most: int,
    climbing_from: float,
    first: Sequence[Pair],
) -> Iterator[Pair]:
    """Yield pairs as they are proposed, each in both directions, and then mutations."""
    proposals = chain(first, neighbors.pairs(rng))
    proposed = 0  # in one direction or the other
    while proposed < most:
        climbing = rng.random() >= TELLING_SHARE and proposed >= climbing_from
        best = found.best.get("rescaled", found.best.get("cost"))
        if climbing and best is not None and neighbors.fixed_count is None and _small(best.pair):
            pair = neighbors.mutate(best.pair, rng)
        else:
            following = next(proposals, None)
            if following is None and 0 < proposed < ENOUGH_PAIRS:
                proposals = chain(neighbors.pairs(rng))  # under other noise
                following = next(proposals, None)
            if following is None:
                return
            pair = following
        yield pair
        yield pair
        proposed += 2
