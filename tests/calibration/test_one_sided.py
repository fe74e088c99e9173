"""Outputs of one side alone: where the claim just allows them, they are no false alarm.

The bets on one-sided tokens, and on numbers beyond the range of one side, are played by themselves
here, with all of the capital, on draws that come in parts as within an audit; all three ways of
drawing, and labels and coupled draws in turn, whose bets share one capital. H0: each wealth is a
test supermartingale, so that it ever reaches 1/α with probability at most α.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit import ApproxDP, PureDP
from dpaudit.outputs import encode_rows
from dpaudit.statistical.book import Book, Labels, PairsOfDraws, Stakes
from dpaudit.statistical.contender import PARTS
from dpaudit.statistical.earned import Earned, together
from dpaudit.statistical.one_sided import RIGHT, SHARE, OneSided
from tests.sweeps import repeated

LEVEL = 0.05
RUNS = repeated(10, full=60)  # for each law and each way of drawing
DRAWS = 480  # labels and pairs, in parts that grow with what came before
SURE = 1e-4
P = 0.05


def geometric_noise(rng, size, ratio):
    return rng.geometric(1 - ratio, size) - rng.geometric(1 - ratio, size)


def thousand_outcomes(x, size, rng):
    """Each outcome is e times as likely on one side as on the other, and rare on both."""
    return 2 * rng.integers(0, 500, size) + np.where(
        rng.random(size) < math.e / (1 + math.e), x, 1 - x
    )


def geometric(x, size, rng):
    return x + geometric_noise(rng, size, math.exp(-1))


def three_counts(x, size, rng):
    return np.array([x, 0, 0]) + geometric_noise(rng, (size, 3), math.exp(-1))


def no_difference(x, size, rng):
    return rng.integers(0, 100, size)


def catastrophe(x, size, rng):
    return np.where(rng.random(size) < P, 10 + x, rng.integers(0, 3, size))


def five_own_values(x, size, rng):
    own = 10 + 10 * x + rng.integers(0, 5, size)
    return np.where(rng.random(size) < P, own, rng.normal(size=size))


def own_tail(x, size, rng):
    """Outputs of one's own without bound, of total probability P; Laplace noise else."""
    tail = (2 * x - 1) * (100 + rng.geometric(0.5, size))
    return np.where(rng.random(size) < P, tail, x + rng.laplace(size=size))


TRUNCATED = np.exp(-np.abs(np.arange(-4, 5)))
TRUNCATED /= TRUNCATED.sum()


def truncated_geometric(x, size, rng):
    """The outermost value on one side is out of reach from the other."""
    return x + rng.choice(len(TRUNCATED), p=TRUNCATED, size=size)


def own_words(x, size, rng):
    own = np.array(["left", "right"])[x]
    return np.where(rng.random(size) < P, own, np.array(["a", "b"])[rng.integers(0, 2, size)])


def uniform_noise(x, size, rng):
    """Either end is out of reach from the other side."""
    return P * x + rng.random(size)


def unlikely_ends(x, size, rng):
    """Beyond either end of the common outputs one side comes e times as often as the other."""
    at = rng.random(size)
    beyond = np.where(at < P, 2 * x - 1, np.where(at > 1 - P / math.e, 1 - 2 * x, 0))
    return 2.0 * beyond + rng.random(size)


def laplace(x, size, rng):
    """Both tails are as uneven as the claim allows, and the outermost draws come on any side."""
    return x + rng.laplace(size=size)


def own_grid(x, size, rng):
    """With probability P an output lies on a finer grid of one's own; all share one binade."""
    common = 1 + rng.integers(0, 2**20, size) / 2.0**20
    return common + np.where(rng.random(size) < P, 2.0 ** (-30 - x), 0.0)


def rare_grids(x, size, rng):
    """Some 700 binades and grids, each e times as likely on one side; no number recurs."""
    kept = rng.random(size) < math.e / (1 + math.e)
    bits = 22 + 2 * rng.integers(0, 14, size) + np.where(kept, x, 1 - x)
    odd = 2 * np.floor(rng.random(size) * 2.0 ** (bits - 2)) + 1
    return (1 + odd * 2.0**-bits) * 2.0 ** rng.integers(0, 25, size)


def three_laplaces(x, size, rng):
    return x / 3 + rng.laplace(size=(size, 3))


AT_THEIR_CLAIM = {
    "a thousand outcomes": (thousand_outcomes, PureDP(1.0)),
    "geometric": (geometric, PureDP(1.0)),
    "three counts": (three_counts, PureDP(1.0)),
    "no difference at ε = 0": (no_difference, PureDP(0.0)),
    "a catastrophe of probability δ": (catastrophe, ApproxDP(0.5, P)),
    "five values of one's own": (five_own_values, ApproxDP(0.0, P)),
    "a tail of one's own": (own_tail, ApproxDP(1.0, P)),
    "truncated geometric": (truncated_geometric, ApproxDP(1.0, float(TRUNCATED[-1]))),
    "uniform noise": (uniform_noise, ApproxDP(0.0, P)),
    "unlikely ends": (unlikely_ends, PureDP(1.0)),
    "Laplace noise": (laplace, PureDP(1.0)),
    "three numbers with Laplace noise": (three_laplaces, PureDP(1.0)),
    "a grid of one's own": (own_grid, ApproxDP(0.0, P)),
    "rare grids": (rare_grids, PureDP(1.0)),
    "words of one's own": (own_words, ApproxDP(0.1, P)),
}
WAYS = ("label", "independent", "coupled", "in turn")


def drawn(law, x, size, seed):
    return encode_rows(law(x, size, np.random.default_rng(seed)))


def played(law, claim, way, key):
    """Return the wealth after each part of the capital that is bet on one-sided outputs."""
    stakes, one_sided = Stakes.of(claim), OneSided(low_bits=law in (own_grid, rare_grids))
    ways = ("label", "coupled") if way == "in turn" else (way,)
    books = {w: Book(Labels() if w == "label" else PairsOfDraws(), one_sided) for w in ways}
    rng = np.random.default_rng(key)
    wealth, seen, turn = [], 0, 0
    while seen < DRAWS:
        size = max(PARTS[0], int(PARTS[1] * seen))
        now = ways[turn % len(ways)]
        seeds = [[*key, turn, 0], [*key, turn, 0 if now == "coupled" else 1]]
        sides = [drawn(law, x, size, seeds[x]) for x in (0, 1)]
        if now == "label":
            # Which side comes next is a fair coin: keep so many of each.
            labels = rng.integers(0, 2, size).astype(np.uint8)
            sides = [sides[x].take(slice(0, int((labels == x).sum()))) for x in (0, 1)]
            for x in (0, 1):
                books[now].add_labelled(sides[x], np.full(sides[x].size, x, np.uint8))
        else:
            books[now].add_pairs(*sides)
        for x in (0, 1):
            one_sided.observe(x, sides[x])
        seen, turn = seen + size, turn + 1
        earned = [Earned(0.0, book.one_sided_bets(stakes)) for book in books.values()]
        wealth.append((math.exp(together(earned)) - (1 - SHARE)) / SHARE)
    return wealth


@pytest.fixture(scope="module")
def wealths():
    return {
        (name, way): np.array(
            [played(*case, way, (seed, at, WAYS.index(way))) for seed in range(RUNS)]
        )
        for at, (name, case) in enumerate(AT_THEIR_CLAIM.items())
        for way in WAYS
        if way not in ("label", "in turn") or isinstance(case[1], PureDP)
    }


def test_what_the_claim_allows_one_side_alone_is_no_false_alarm(wealths):
    """H0: each of some 1,200 wealths ever reaches 20 with probability at most .05. More than a
    binomial test at 1e-4 allows would come up with fresh seeds in less than one run of 10,000."""
    alarms = np.concatenate([one.max(axis=1) >= 1 / LEVEL for one in wealths.values()])
    assert alarms.sum() <= binom.isf(SURE, len(alarms), LEVEL)


@pytest.mark.parametrize("name", AT_THEIR_CLAIM)
def test_no_law_is_a_false_alarm_by_itself(wealths, name):
    """H0 as above for the runs of one law."""
    own = [one for (law, _), one in wealths.items() if law == name]
    alarms = np.concatenate([one.max(axis=1) >= 1 / LEVEL for one in own])
    assert alarms.sum() <= binom.isf(SURE, len(alarms), LEVEL)


def test_wealth_has_mean_at_most_one(wealths):
    """H0: E[wealth] ≤ 1. Four standard errors above one would come up less than once in 10,000
    runs with fresh seeds, as far as the normal approximation goes."""
    last = np.concatenate([one[:, -1] for one in wealths.values()])
    assert last.mean() <= 1 + 4 * last.std(ddof=1) / math.sqrt(len(last))


def test_a_cell_depends_on_the_past_alone():
    """An output that comes for the first time, however often, is in no one-sided cell yet."""
    one_sided = OneSided()
    common = encode_rows(np.full(10, 0.5))
    one_sided.observe(0, common)
    one_sided.observe(1, common)
    new = encode_rows(np.full(10, 7.25))
    assert not one_sided.found
    assert np.all(one_sided.assign(new) == one_sided.assign(common))
    one_sided.observe(1, new)
    assert one_sided.found
    assert np.all(one_sided.assign(new) == RIGHT)
    one_sided.observe(0, new.take(slice(0, 1)))
    assert not np.any(one_sided.assign(new) == RIGHT)


def test_a_density_gives_no_tokens():
    one_sided = OneSided()
    for side in (0, 1):
        one_sided.observe(side, encode_rows(np.random.default_rng(side).normal(size=5_000)))
    assert not one_sided.found
