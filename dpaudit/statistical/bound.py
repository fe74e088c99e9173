"""From wealth to numbers: lower bounds on a parameter, and what would have been caught."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.statistical.book import Expert, Stakes
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.halfplane import half_plane_log_wealth
from dpaudit.statistical.label import label_log_wealth
from dpaudit.statistical.numerics import Floats

# Parameters are tried on a grid fixed by the claim: 2.5 % apart near its own, 20 % elsewhere.
RATIOS = np.unique(
    np.concatenate(
        [
            [0.0, 1.0],
            np.geomspace(0.002, 0.6, 16),
            np.geomspace(0.6, 1.8, 45),
            np.geomspace(1.8, 900.0, 35),
        ]
    )
)
PROBABILITIES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
PLANTED = np.concatenate([np.arange(0.05, 3.0, 0.05), np.arange(3.0, 12.0, 0.25), [700.0]])
NEUTRAL = 0.1  # part of a planted event that other outputs of its cell add
APART = 0.5  # part of a planted event that lies in cells of its own, if it is wide
WIDE = 4  # cells of equal mass
SETTLED = 0.3  # of a stream's draws
MISS = 0.1  # probability of missing a violation of the detectable size


def epsilon_claim(epsilon: float, delta: float) -> Claim:
    """Return the claim of (ε, δ)-DP."""
    return ApproxDP(epsilon, delta) if delta > 0 else PureDP(epsilon)


def lower_bound(
    contenders: Iterable[tuple[Contender, float]],
    family: Callable[[float], Claim],
    grid: Iterable[float],
) -> float:
    """Return the largest grid value up to which every value is rejected.

    Parameters
    ----------
    contenders : iterable of (Contender, float)
        Pairs, with the log e-value at which each rejects.
    family : callable
        The claim with a given parameter; larger parameters promise less.
    grid : iterable of float
        Increasing, fixed before the data.

    Returns
    -------
    float
        0.0 where nothing is rejected. # rounds down: to the grid

    Notes
    -----
    Let θ* be the least true parameter and g the first grid value at or above it. The bound can
    exceed θ* only if g is rejected, which has probability at most the level. The largest
    rejected value alone has no such guarantee.
    """
    rivals = list(contenders)
    bound = 0.0
    for value in grid:
        stakes = Stakes.of(family(float(value)))
        beaten = next((i for i, (c, at) in enumerate(rivals) if c.log_wealth(stakes) >= at), None)
        if beaten is None:
            return bound
        bound = float(value)
        rivals.insert(0, rivals.pop(beaten))  # it will most likely reject the next one too
    return bound


def detectable(contender: Contender, stakes: Stakes, threshold: float) -> tuple[float, float]:
    """Return (epsilon, probability): the violation that this run would have caught.

    The smallest planted epsilon, reached on an event of at least that probability, which a run
    with the calls of this pair catches with probability 0.9; the probability is the first of
    `PROBABILITIES` for which there is a finite one.

    Notes
    -----
    Rounds up: the event is taken to share its cell with some neutral outputs or, where it fills
    four cells, half of it to be lost and the rest to lie in two places. It is isolated only by the
    partitions that joined last, seen rarely on its own side and often on the other (a 5 %
    quantile each), and only one stream is credited.
    """
    for at, probability in enumerate(PROBABILITIES):
        larger = PROBABILITIES[at:]
        found = [
            max(_smallest(contender, mode, p, stakes, threshold) for p in larger)
            for mode in contender.modes
        ]
        if min(found) < PLANTED[-1]:
            return float(min(found)), probability
    return float("inf"), PROBABILITIES[0]


def _smallest(contender: Contender, mode: str, p: float, stakes: Stakes, threshold: float) -> float:
    """Return the first planted epsilon from which on the event is caught."""
    book = contender.books[mode]  # type: ignore[index]
    if not book.experts or (mode == "coupled" and "label" in contender.modes):
        return float(PLANTED[-1])
    # The last to join isolates most; but it must have had draws to bet on.
    settled = [e for e in book.experts if e.counts.sum() >= SETTLED * book.draws]
    expert = (settled or book.experts)[-1]
    draws = int(expert.counts.sum())
    streams = len(contender.modes)
    needed = threshold + np.log(streams + (streams > 1)) - np.log(book.part(expert))
    delta = float(stakes.deltas[0]) if len(stakes.deltas) == 1 else 0.0
    q = np.maximum(p - delta, 0.0) * np.exp(-PLANTED)
    allowed = stakes.epsilon if stakes.epsilon is not None else 0.0
    # How many cells the event is in, the part of it in each, and what others add there.
    forms = [(1, 1.0, NEUTRAL * min(p, 1 - p))]
    if p / 2 >= WIDE / expert.partition.cells:
        forms.append((2, APART / 2, 0.0))
    found = []
    for pieces, part, neutral in forms:
        seen, other = part * p + neutral, part * q + neutral
        if mode == "label":
            wealth = _label_wealth(expert, draws // 2, seen, other, pieces, stakes)
        else:  # nested events: one of the pieces counts
            wealth = _pairs_wealth(expert, draws, seen, other, stakes)
        missed = np.flatnonzero((wealth < needed) | (allowed >= PLANTED))
        after = 0 if not len(missed) else missed[-1] + 1
        found.append(PLANTED[min(after, len(PLANTED) - 1)])
    return float(min(found))


def _label_wealth(
    expert: Expert, each: int, p: float, q: Floats, pieces: int, stakes: Stakes
) -> Floats:
    """Return what bets on labels earn on an event of some cells, for every planted epsilon."""
    assert stakes.epsilon is not None
    orders = expert.partition.orders
    seen, other = _quantiles(each, p, q)
    counts = np.zeros((len(PLANTED), 2, expert.partition.cells))
    for at in (-1, expert.partition.cells // 2)[:pieces]:
        counts[:, 0, orders[0][at]], counts[:, 1, orders[0][at]] = seen, other
    low = orders[0][0]
    counts[:, 0, low], counts[:, 1, low] = each - pieces * seen, each - pieces * other
    return label_log_wealth(counts.astype(np.int64), orders, stakes.epsilon)


def _pairs_wealth(expert: Expert, draws: int, p: float, q: Floats, stakes: Stakes) -> Floats:
    """Return the same for pairs of draws, counted as if independent."""
    seen, other = _quantiles(draws, p, q)
    left, right = np.array([draws - seen, seen]), np.array([draws - other, other])
    # Every bet of an order has these two cells at its ends: two cells say it all.
    counts = np.stack([a * b / max(draws, 1) for a in left for b in right], axis=-1)
    joint = np.rint(counts.reshape(len(PLANTED), 2, 2)).astype(np.int64)
    two = [np.arange(2)]
    wealth = half_plane_log_wealth(joint, two, stakes.slopes, stakes.deltas)
    share: Floats = wealth - np.log(len(expert.partition.orders))
    return share


def _quantiles(size: float, p: float, q: Floats) -> tuple[Floats, Floats]:
    """Return a low count at rate p, and high counts at rates q: 5 % quantiles each."""
    from scipy.special import bdtrik

    size = max(1, int(size))
    low = np.full_like(q, np.floor(max(0.0, np.nan_to_num(bdtrik(MISS / 2, size, min(p, 1.0))))))
    inner = np.clip(q, 1e-300, 1 - 1e-12)
    high = np.minimum(size, np.ceil(np.nan_to_num(bdtrik(1 - MISS / 2, size, inner))))
    return low, np.where(q > 0, high, 0.0)
