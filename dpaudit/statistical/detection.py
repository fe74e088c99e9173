"""Detection of planted violations: the epsilon that a run with these calls would have caught.

An event with probability p under D and (p − δ)e^(−ε) under D' is planted into outputs that are
otherwise identical. How often it shows is known exactly, and wealth is a function of counts alone.
So the wealth of the run's own bets is computed at the quantiles of the counts, partition by
partition, from the marks at which these joined; nothing is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpaudit.evidence import Detectable
from dpaudit.statistical.book import Book, Expert, Stakes, mixed
from dpaudit.statistical.contender import CELLS, LEARN_AT, WARM_UP, Contender, Mode
from dpaudit.statistical.earned import either_or_both
from dpaudit.statistical.halfplane import half_plane_log_wealth
from dpaudit.statistical.label import label_log_wealth
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.one_sided import SHARE as ONE_SIDED_SHARE
from dpaudit.statistical.partition import ScorePartition, ValuePartition
from dpaudit.worker import UNCOUPLED

PROBABILITIES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
ROWS = (0.2, 0.1, 0.05, 0.01, 0.001)
PLANTED = np.append(np.arange(1, 1200) / 100, np.inf)
MISS = 0.1  # probability of missing a violation of the detectable size
SHOWN = (6, 40)  # sightings from which a cell of its own is made, or a range or a score learned
# Part of a pair's calls that go to the stream that tells: at so many calls, measured.
TELLING = ((1e3, 0.55), (3e4, 0.75), (1e6, 0.8))
ALIKE = 1.1  # times the calls of the least searched pair, up to which both are one
WIDE = 4  # cells; a range as wide holds whole cells wherever it begins


def detectable(contender: Contender, stakes: Stakes, threshold: float) -> tuple[float, float]:
    """Return (epsilon, probability): the violation that this run would have caught.

    The smallest planted epsilon, reached on an event of at least that probability, which a run
    with the calls of this pair catches with probability 0.9, whatever a common seed does to it;
    the probability is the first of `PROBABILITIES` for which there is a finite one.
    """
    found = smallest(contender, stakes, threshold, PROBABILITIES, nested=False)
    for size, probability in zip(reversed(found), reversed(PROBABILITIES), strict=True):
        if np.isfinite(size):
            return size, probability
    return float("inf"), PROBABILITIES[-1]


def table(
    least: tuple[Contender, float], most: tuple[Contender, float], stakes: Stakes
) -> tuple[Detectable, ...]:
    """Return what would have been caught on the least and on the most searched pair.

    Parameters
    ----------
    least, most : tuple of Contender and float
        Pairs, with the log e-value at which each rejects.
    stakes : Stakes
    """
    same = most[0].total_calls < ALIKE * least[0].total_calls
    columns = [
        [
            size if np.isfinite(size) else None
            for size in smallest(pair[0], stakes, pair[1], ROWS, nested=nested)
        ]
        for pair in ([least] if same else [least, most])
        for nested in (True, False)
    ]
    columns = (columns * 2)[:4]
    return tuple(Detectable(p, *row) for p, *row in zip(ROWS, *columns, strict=True))


def smallest(
    contender: Contender,
    stakes: Stakes,
    threshold: float,
    probabilities: Sequence[float],
    *,
    nested: bool,
) -> list[float]:
    """Return the smallest planted epsilon that is caught, by probability; infinity for none.

    Parameters
    ----------
    contender : Contender
    stakes : Stakes
    threshold : float
        Log e-value at which the pair rejects.
    probabilities : sequence of float
        Of the event under D, falling.
    nested : bool
        Whether, of two draws with a common seed, the right one is in the event only if the left
        one is; else they fall into it independently.

    Notes
    -----
    Rounds up, to the grid, and never grows with the probability. Credited are the calls that the
    pair had, of which the stream that tells gets `TELLING`; not what the search would add to them
    once the pair looks telling, nor what fitted functions, curves and one-sided tokens earn with
    capital of their own.
    """
    streams = _streams(contender, stakes, nested=nested)
    if not streams:
        return [float("inf")] * len(probabilities)
    delta = float(stakes.deltas[0]) if len(stakes.deltas) == 1 else 0.0
    allowed = stakes.epsilon if stakes.epsilon is not None else 0.0
    low, found = int(np.searchsorted(PLANTED, allowed, "right")), []
    for p in probabilities:
        part, high = max(p - delta, 0.0), len(PLANTED) - 1
        if low < high and not _caught(streams, p, part * np.exp(-PLANTED[high - 1]), threshold):
            low = high
        while low < high:
            at = (low + high) // 2
            if _caught(streams, p, part * np.exp(-PLANTED[at]), threshold):
                high = at
            else:
                low = at + 1
        found.append(float(PLANTED[low]))
    return found


def _caught(streams: Sequence[_Stream], p: float, q: float, threshold: float) -> bool:
    return any(stream.catches(p, q, threshold) for stream in streams)


def _quantile(level: float, n: int, rate: float) -> float:
    """Return the quantile of a binomial number; `scipy.stats` has it too, and is slow to import."""
    from scipy.special import bdtr, bdtrik

    if bdtr(0.0, n, rate) >= level:
        return 0.0
    least = np.ceil(bdtrik(level, n, rate))
    below = np.maximum(least - 1, 0.0)
    return float(below if bdtr(below, n, rate) >= level else least)


@dataclass(frozen=True, slots=True)
class _Stream:
    """The stream of draws that tells, and what the others leave of the wealth."""

    book: Book
    stakes: Stakes
    draws: int  # labels a side, or pairs
    labels: bool
    nested: bool
    alone: list[Floats]  # log wealths of each partition at its marks, without a leak
    rest: float  # log wealth of the other streams, without a leak; −inf where there is none

    def catches(self, p: float, q: float, threshold: float) -> bool:
        """Whether an event is caught with probability 0.9, whatever its form."""
        credited = self._credited(p)
        forms = {1.0, *(self._kept(expert, (p + q) / 2) for expert in credited)}
        return all(
            self._log_wealth(kept * p, kept * q, credited) >= threshold for kept in sorted(forms)
        )

    def _log_wealth(self, p: float, q: float, credited: list[Expert]) -> float:
        """Return the log wealth that is reached with probability 0.9."""
        book, seen = self.book, self._sightings(p, q)
        paths: list[Floats] = []
        for expert in book.experts:
            isolates = any(expert is each for each in credited)
            path = self._path(expert, seen) if isolates else self.alone[len(paths)]
            paths.append(path)
        earned = float(mixed(book.experts, paths, book.shares)) + np.log(book.spread)
        # As `together` of two streams, the other one without a leak.
        streams = [earned] if self.rest == -np.inf else [earned, self.rest]
        return float(np.log1p(-ONE_SIDED_SHARE)) + either_or_both(streams)

    def _sightings(self, p: float, q: float) -> tuple[float, float, float]:
        """Return in how many draws the left, the right and both are in the event.

        Wealth grows by some e^(−ε) as much with a draw of the left as it falls with one of the
        right. Along that line lies the likeliest way to the lowest tenth of it.
        """
        from scipy.special import ndtr, ndtri

        n, shrink = self.draws, float(np.exp(-self.stakes.slopes.min()))
        # With a common seed: the left one alone, which earns, or both, which lose the rest.
        rates = (p - q, q) if self.nested else (p, q)
        lever = np.array([shrink, (1 - shrink) if self.nested else 1.0])
        lever *= np.sqrt([n * rate * (1 - rate) for rate in rates])
        depth = -ndtri(MISS) * lever / max(float(np.hypot(*lever)), 1e-300)
        mine = _quantile(float(ndtr(-depth[0])), n, rates[0])
        other = _quantile(float(ndtr(depth[1])), n, rates[1]) if q > 0 else 0.0
        if self.nested:
            return min(mine + other, n), other, other
        return mine, other, mine * other / n

    def _path(self, expert: Expert, seen: tuple[float, float, float]) -> Floats:
        """Return what a partition earns where the event has a cell of its own, last in order."""
        held = np.array([*expert.marks, expert.counts], dtype=float)
        parts = held.sum(axis=(1, 2)) / self.book.draws
        x, y, both = np.multiply.outer(seen, parts)
        each, cells = parts * self.draws, held.shape[-1]
        if self.labels:
            assert self.stakes.epsilon is not None
            orders = [np.append(order, cells) for order in expert.partition.orders]
            counts = np.pad(held, ((0, 0), (0, 0), (0, 1)))
            for side, mine in enumerate((x, y)):
                rest = np.maximum(held[:, side].sum(axis=-1), 1)
                counts[:, side] *= ((each - mine) / rest)[:, None]
                counts[:, side, cells] = mine
            return label_log_wealth(counts, orders, self.stakes.epsilon)
        joint = np.stack([each - x - y + both, y - both, x - both, both], axis=-1)
        whole, given = [np.arange(2)], (self.stakes.slopes, self.stakes.deltas)
        events = half_plane_log_wealth(joint.reshape(-1, 2, 2), whole, *given)
        # Of all pairs of ends of an order, 2 in m have this event alone on their side.
        price = np.log((cells + 1) / 2)
        halved = expert.moments is not None and bool(self.stakes.moments)
        earned: Floats = events - price - (np.log(2) if halved else 0.0)
        return earned

    def _credited(self, p: float) -> list[Expert]:
        """Return the partitions that isolate the event: made when it had shown often enough."""
        scores = any(isinstance(e.partition, ScorePartition) for e in self.book.experts)
        found: dict[int, Expert] = {}
        for expert in self.book.experts:
            made = LEARN_AT[expert.joined - 1] if expert.joined else WARM_UP
            learned = isinstance(expert.partition, ScorePartition)
            if p / 2 * made >= SHOWN[learned] and learned == scores:
                found.setdefault(expert.joined, expert)
        return list(found.values())

    def _kept(self, expert: Expert, mass: float) -> float:
        """Return the least part of a range of outputs, or of a score, that whole cells hold.

        The ends of cells lie at quantiles, towards both ends of the outputs ever closer. A range
        of outputs that is narrower than four cells must have a cell of its own; one of a score,
        which puts what tells last, lies at an end.
        """
        partition = expert.partition
        cells = CELLS["label" if self.labels else "pairs"][expert.joined > 0]
        if isinstance(partition, ValuePartition):
            side = expert.counts.sum(axis=0)
            ranges = side[: len(partition.edges) + 1].sum() / max(side.sum(), 1)
            if ranges < mass or mass * cells < WIDE:
                return 1.0
            return float((np.floor(mass * cells) - 1) / (mass * cells))
        if not isinstance(partition, ScorePartition) or partition.cells < cells:
            return 1.0
        made = LEARN_AT[expert.joined - 1]
        tails = 0.5 / cells / 4.0 ** np.arange(8)
        levels = np.concatenate([np.arange(1, cells) / cells, tails[tails * made >= 24]])
        within = levels[levels <= mass]
        return float(within.max() / mass) if len(within) else 0.0


def _streams(contender: Contender, stakes: Stakes, *, nested: bool) -> list[_Stream]:
    """Return the streams that may tell of an event, none where there are no draws of it.

    If coupled draws are possible, the search moves to them what it does not give to labels. Where
    labels had as many calls as a stream that tells, coupled draws were too few to learn from, and
    the labels tell by themselves.
    """
    calls = {mode: contender.calls[mode] for mode in contender.modes}
    coupled = "coupled" in calls and not contender.flags & UNCOUPLED
    if nested and not coupled:
        return []
    mode: Mode = "coupled" if coupled else contender.modes[-1 if "label" not in calls else 0]
    others = [m for m in calls if m != mode] if coupled else []
    telling, told = int(_telling(sum(calls.values()))), {mode: calls[mode]}
    if others:
        told[mode] = max(calls[mode], telling)
    told |= {m: calls[m] for m in others if m == "label" and calls[m] >= telling}
    streams = []
    for each, made in told.items():
        book, rest = contender.books[each], -np.inf
        if not book.experts or not book.draws:
            continue
        if others:
            other = next(m for m in (mode, *others) if m != each)
            rest = min(0.0, contender.earned(other, stakes).partitions)
        alone = [book.path(expert, stakes) for expert in book.experts]
        streams.append(
            _Stream(book, stakes, made // 2, each == "label", nested and each == mode, alone, rest)
        )
    return streams


def _telling(calls: int) -> float:
    """Return how many calls of a pair go to the stream that tells, once it is seen to tell."""
    at, parts = zip(*TELLING, strict=True)
    return calls * float(np.interp(np.log(max(calls, 1)), np.log(at), parts))
