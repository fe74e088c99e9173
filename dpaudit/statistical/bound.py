"""From wealth to numbers: lower bounds on a parameter, and what would have been caught."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.statistical.book import Expert, Stakes
from dpaudit.statistical.contender import LEARN_AT, Contender, Mode
from dpaudit.statistical.halfplane import half_plane_log_wealth
from dpaudit.statistical.label import label_log_wealth
from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.statistical.partition import Cells

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
SHOWN = 40  # sightings of an event in the outputs that made a partition, for it to isolate it
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
        Pairs, with the log e-value t at which each rejects; Σ exp(−t) is at most the level.
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
    rejected value alone has no such guarantee. A value is rejected by a pair, or by all of them
    together, as a claim is: the wealths with the pairs' shares of the level have mean at most 1.
    """
    rivals = list(contenders)
    bound = 0.0
    for value in grid:
        stakes = Stakes.of(family(float(value)))
        beyond: list[float] = []
        for contender, at in rivals:
            beyond.append(contender.log_wealth(stakes) - at)
            if beyond[-1] >= 0:
                break
        if float(log_sum_exp(np.array(beyond))) < 0:
            return bound
        bound = float(value)
        most = int(np.argmax(beyond))
        rivals.insert(0, rivals.pop(most))  # it will most likely reject the next one too
    return bound


def detectable(contender: Contender, stakes: Stakes, threshold: float) -> tuple[float, float]:
    """Return (epsilon, probability): the violation that this run would have caught.

    The smallest planted epsilon, reached on an event of at least that probability, which a run
    with the calls of this pair catches with probability 0.9; the probability is the first of
    `PROBABILITIES` for which there is a finite one.

    Notes
    -----
    Rounds up: the event is taken to share its cell with some neutral outputs or, where it fills
    four cells, half of it to be lost and the rest to lie in two places. It is seen rarely on its
    own side and often on the other (a 5 % quantile each); one stream and one partition alone are
    credited, the first or the last of those made from outputs that showed the event `SHOWN` times.
    What was caught before other partitions joined stays caught: more calls catch no less.
    """
    found = [
        min(_smallest(contender, mode, p, stakes, threshold) for mode in contender.modes)
        for p in reversed(PROBABILITIES)
    ]
    worst = np.maximum.accumulate(found)[::-1]  # of all larger probabilities too
    for size, probability in zip(worst, PROBABILITIES, strict=True):
        if size < PLANTED[-1]:
            return float(size), probability
    return float("inf"), PROBABILITIES[0]


def _smallest(
    contender: Contender, mode: Mode, p: float, stakes: Stakes, threshold: float
) -> float:
    """Return the first planted epsilon from which on the event is caught."""
    book = contender.books[mode]
    if contender.is_void(mode) or (mode == "coupled" and "label" in contender.modes):
        return float(PLANTED[-1])
    streams = len(contender.modes)
    needed = threshold + np.log(streams + (streams > 1))
    # The cells of others do not isolate what the outputs that made them hardly held.
    shown = [e for e in book.experts if e.joined and p / 2 * LEARN_AT[e.joined - 1] >= SHOWN]
    found = [float(PLANTED[-1])]
    for expert in {e.joined: e for e in shown[:1] + shown[-1:]}.values():
        moments = [(expert.counts, len(book.shares))]
        if expert.marks:  # just before the last others joined
            moments.append((expert.marks[-1], len(book.shares) - 1))
        for counts, joins in moments:
            price = needed - np.log(book.part(expert, joins))
            found.append(_first_caught(expert, mode, int(counts.sum()), p, stakes, price))
    return min(found)


def _first_caught(
    expert: Expert, mode: Mode, draws: int, p: float, stakes: Stakes, price: float
) -> float:
    """Return the first planted epsilon from which on an expert earns its price in some draws."""
    delta = float(stakes.deltas[0]) if len(stakes.deltas) == 1 else 0.0
    q = np.maximum(p - delta, 0.0) * np.exp(-PLANTED)
    allowed = stakes.epsilon if stakes.epsilon is not None else 0.0
    # How many cells the event is in, the part of it in each, and what others add there.
    forms = [(1, 1.0, NEUTRAL * min(p, 1 - p))]
    if p / 2 >= WIDE / expert.partition.cells:
        forms.append((2, APART / 2, 0.0))
    if expert.moments is not None and stakes.moments:
        price += np.log(2)  # bets on functions have the other half
    found = []
    for pieces, part, neutral in forms:
        seen, other = part * p + neutral, part * q + neutral
        if mode == "label":
            wealth = _label_wealth(expert, draws // 2, seen, other, pieces, stakes)
        else:  # nested events: one of the pieces counts
            wealth = _pairs_wealth(expert, draws, seen, other, stakes)
        missed = np.flatnonzero((wealth < price) | (allowed >= PLANTED))
        after = 0 if not len(missed) else missed[-1] + 1
        found.append(PLANTED[min(after, len(PLANTED) - 1)])
    return float(min(found))


def _label_wealth(
    expert: Expert, each: int, p: float, q: Floats, pieces: int, stakes: Stakes
) -> Floats:
    """Return what bets on labels earn on an event of some cells, for every planted epsilon."""
    assert stakes.epsilon is not None
    orders = expert.partition.orders
    seen, (other, back) = _quantiles(each, p, q)
    counts = np.zeros((len(other), 2, expert.partition.cells))
    for at in (-1, expert.partition.cells // 2)[:pieces]:
        counts[:, 0, orders[0][at]], counts[:, 1, orders[0][at]] = seen, other
    low = orders[0][0]
    counts[:, 0, low], counts[:, 1, low] = each - pieces * seen, each - pieces * other
    wealth: Floats = label_log_wealth(counts.astype(np.int64), orders, stakes.epsilon)[back]
    return wealth


def _pairs_wealth(expert: Expert, draws: int, p: float, q: Floats, stakes: Stakes) -> Floats:
    """Return the same for pairs of draws, counted as if independent."""
    seen, (other, back) = _quantiles(draws, p, q)
    left, right = [draws - seen, seen], [draws - other, other]
    # Every bet of an order has these two cells at its ends: two cells say it all.
    counts = np.stack([a * b / max(draws, 1) for a in left for b in right], axis=-1)
    joint = np.rint(counts.reshape(len(other), 2, 2)).astype(np.int64)
    two = [np.arange(2)]
    wealth = half_plane_log_wealth(joint, two, stakes.slopes, stakes.deltas)
    share: Floats = wealth[back] - np.log(len(expert.partition.orders))
    return share


def _quantiles(size: float, p: float, q: Floats) -> tuple[float, tuple[Floats, Cells]]:
    """Return a low count at rate p, and the high counts at rates q: 5 % quantiles each.

    High counts are each given once, with the place of every rate's among them.
    """
    from scipy.special import bdtrik

    size = max(1, int(size))
    low = float(np.floor(max(0.0, np.nan_to_num(bdtrik(MISS / 2, size, min(p, 1.0))))))
    inner = np.clip(q, 1e-300, 1 - 1e-12)
    high = np.minimum(size, np.ceil(np.nan_to_num(bdtrik(1 - MISS / 2, size, inner))))
    return low, np.unique(np.where(q > 0, high, 0.0), return_inverse=True)
