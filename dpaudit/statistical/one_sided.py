"""Bets on outputs that one dataset alone has given so far.

An output that one neighbor gives with probability p, and the other never, is a violation however
small p is; but a partition made from a sample, or a score learned from it, mixes such an output
with others that come far more often. So everything that comes out is also looked at as *tokens*:
each label, each exact number, the whole output. A token that came at least twice on one side and
never on the other is one-sided, and outputs fall into three cells: with a token of the left
dataset, with one of the right, and the rest. What a cell means changes as tokens are seen, always
before the draws that are bet on.

A number must recur to be a token that counts, so that a density, whose values do not, is not bet
on by tokens. Numbers beyond the range of the other dataset are (see `ends`): their three cells are
counted apart. The outputs of the first batch, without labels, say how capital is divided (`kinds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.ends import Ends
from dpaudit.statistical.halfplane import brackets
from dpaudit.statistical.lattice import grid_codes
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.partition import Cells
from dpaudit.statistical.rows import Hashes, number_hashes, scalar_path, word_hashes

# Cells: what came on the left alone, what lies near the right range, the rest, and so on.
LEFT, NEAR_LEFT, REST, NEAR_RIGHT, RIGHT = range(5)
CELLS = 5
SHARE = 0.3  # of a pair's capital
# Of that, on tokens and on ends: where outputs are single numbers that do not recur, where there is
# no number, and else.
DENSE, WORDS, KINDS = (0.1, 0.9), (0.9, 0.1), (0.4, 0.6)
RECURS = np.uint64(2)  # sightings that make a token
SEEN = 4  # outputs of either side, before which nothing is taken to come from one side alone
NUMBERS, LABELS = 18, 12  # log2 of how many tokens are remembered a pair of datasets
MOST_COLUMNS = 64  # of numbers, and of labels
AT_ONCE = 2**21  # tokens
FEW_WORDS = 8

# Two bits a side: how often a token came on the left, and on the right.
STATE = np.uint64(0b1111)
TWICE_LEFT, TWICE_RIGHT = np.uint64(0b0010), np.uint64(0b1000)

# The bets are the same on labels and on pairs: how much, and on outputs of which side.
# Log-odds above the claim, near the other range and far; those of one side's outputs are infinite.
EXCESSES = ((0.4, 1.0), (1.5, 4.0))
STAKES = (0.3, 0.97)  # of the largest that keeps factors above 0
NEAR = 0.6  # of a stake
SHARES = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))  # of a stake on the right's and the left's outputs
WEIGHTS = np.outer((0.2, 0.8), (0.15, 0.15, 0.7)).ravel()


class OneSided:
    """What came out on which side, and the cell of an output by what is known of its tokens.

    Parameters
    ----------
    low_bits : bool
        Whether sign, binade and grid of a float are a token too.
    """

    def __init__(self, *, low_bits: bool = False) -> None:
        self._low_bits = low_bits
        self._exact = _Table(NUMBERS)
        self._words = _Table(LABELS)
        self._numbers: list[str] = []  # columns that are looked at
        self._labels: list[str] = []
        self._whole = False
        self._seen = [0, 0]
        self.ends = Ends()
        self.kinds = KINDS

    @property
    def found(self) -> bool:
        """Whether any token is one-sided; else there is nothing to bet on."""
        return min(self._seen) >= SEEN and self._exact.alone + self._words.alone > 0

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output; it depends on that output and on the past alone."""
        shown = np.zeros((2, columns.size), dtype=bool)
        for path in self._labels:
            if path in columns.labels:
                codes, words = columns.labels[path]
                known = self._words.sides(word_hashes(path, words))
                if known.any():
                    shown |= np.pad(known, ((0, 0), (0, 1)))[:, codes]  # -1: absent
        for tokens in self._tokens(columns):
            shown |= self._exact.sides(tokens).any(axis=1)
        return _cells(shown)

    def observe(self, side: int, columns: Columns) -> None:
        """Count what one side gave, for the batches to come."""
        if not columns.size:
            return
        self._seen[side] += columns.size
        _watch(self._numbers, columns.numbers)
        _watch(self._labels, columns.labels)
        # Of a single number the whole output would say the same again.
        self._whole = self._whole or len(columns.numbers) != 1
        for path in self._labels:
            if path in columns.labels:
                codes, words = columns.labels[path]
                times = _times(codes, len(words))
                seen = np.flatnonzero(times)
                self._words.add(side, word_hashes(path, words)[seen], times[seen])
        for tokens in self._tokens(columns):
            self._exact.add(side, tokens.ravel(), np.ones(tokens.size, np.uint64))
        self.ends.observe(side, columns, self._numbers)

    def _tokens(self, columns: Columns) -> Iterator[Hashes]:
        """Yield tokens, one row a column: numbers, then whole outputs; 0 where there is none."""
        whole = np.zeros(columns.size, dtype=np.uint64)
        paths = [path for path in self._numbers if path in columns.numbers]
        some = max(1, AT_ONCE // columns.size) if columns.size else 1
        for start in range(0, len(paths), some):
            chosen = paths[start : start + some]
            tokens = number_hashes(chosen, np.stack([columns.numbers[path] for path in chosen]))
            whole += tokens.sum(axis=0)
            yield tokens
            if self._low_bits:
                grids = [grid_codes(columns.numbers[path]) for path in chosen]
                yield number_hashes([f"{path} grid" for path in chosen], np.stack(grids))
        if self._whole:
            for path in self._labels:
                if path in columns.labels:
                    codes, words = columns.labels[path]
                    whole += np.append(word_hashes(path, words), np.uint64(0))[codes]
            yield whole[None]

    def assign_ends(self, columns: Columns) -> Cells:
        """Return the cell of each output by the ranges of numbers, as `assign` does by tokens."""
        near, far = self.ends.shown(columns)
        beyond = _cells(far)
        return np.where(far.any(axis=0), beyond, _cells(near, NEAR_LEFT, NEAR_RIGHT))


def kinds(outputs: Columns) -> tuple[float, float]:
    """Return the parts of the capital for tokens and for ends, by outputs without labels."""
    if not outputs.numbers:
        return WORDS
    path = scalar_path(outputs)
    recurs = path is None or len(np.unique(outputs.numbers[path])) < outputs.size
    return KINDS if recurs else DENSE


def _cells(shown: NDArray[np.bool_], left: int = LEFT, right: int = RIGHT) -> Cells:
    return np.where(shown[0] == shown[1], REST, np.where(shown[0], left, right))


def _watch(known: list[str], found: Iterable[str]) -> None:
    """Look at new columns from now on, as long as they are not too many."""
    if len(known) < MOST_COLUMNS:
        known += [path for path in found if path not in known][: MOST_COLUMNS - len(known)]


def _times(codes: NDArray[np.int32], words: int) -> Hashes:
    """Return how often each word occurs."""
    if words <= FEW_WORDS:  # several times faster than counting all at once
        return np.array([np.count_nonzero(codes == word) for word in range(words)], np.uint64)
    return np.bincount(codes[codes >= 0], minlength=words).astype(np.uint64)


class _Table:
    """How often each token came on each side, in bounded memory.

    Each token has one slot. A token that came at most once a side gives way to the next one of the
    same slot (draws with a common seed may give every number once on each); one that came again
    stays. What is forgotten or has no slot is not bet on.
    """

    def __init__(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        # Tokens without their last four bits, which hold sightings, two at most, by side.
        self._held = np.zeros(2**bits, dtype=np.uint64)
        self.alone = 0  # tokens that are one-sided

    def _slot(self, tokens: Hashes) -> Cells:
        return (tokens >> self._shift).view(np.int64)

    def sides(self, tokens: Hashes) -> NDArray[np.bool_]:
        """Return which tokens came on the left alone, and which on the right alone."""
        held = self._held[self._slot(tokens)]
        same = ((held ^ tokens) <= STATE) & (tokens != 0)
        state = held & STATE
        return np.stack([same & (state == TWICE_LEFT), same & (state == TWICE_RIGHT)])

    def _one_a_slot(self, tokens: Hashes, times: Hashes) -> tuple[Hashes, Hashes]:
        """Return the last token of each slot; where it came before, that is counted."""
        at = self._slot(tokens)
        every = np.arange(len(tokens), dtype=np.int32)
        last = np.empty(len(self._held), dtype=np.int32)
        last[at] = every
        beaten = np.flatnonzero(last[at] != every)
        if not len(beaten):
            return tokens, times
        winner = last[at[beaten]]
        times[winner[tokens[winner] == tokens[beaten]]] = RECURS
        return np.delete(tokens, beaten), np.delete(times, beaten)

    def add(self, side: int, tokens: Hashes, times: Hashes) -> None:
        """Count tokens of one side, each so many times."""
        tokens, times = self._one_a_slot(tokens, times)
        at = self._slot(tokens)
        held = self._held[at]
        same = (held ^ tokens) <= STATE
        state = held & STATE
        vacant = (state & (TWICE_LEFT | TWICE_RIGHT)) == 0
        state *= same
        before = _alone(state)
        place = np.uint64(2 * side)
        own = (state >> place) & np.uint64(3)
        state += (np.minimum(own + times, RECURS) - own) << place
        counted = (same | vacant) & (tokens != 0)
        self._held[at[counted]] = ((tokens & ~STATE) | state)[counted]
        self.alone += int((counted & _alone(state)).sum() - (counted & before).sum())


def _alone(state: Hashes) -> NDArray[np.bool_]:
    return np.asarray((state == TWICE_LEFT) | (state == TWICE_RIGHT))


def label_bets(counts: NDArray[np.int64], epsilon: float) -> Floats:
    """Return the log wealth of each bet on labels against ε-DP, in the order of `WEIGHTS`.

    Parameters
    ----------
    counts : ndarray of int, shape (2, 5)
        Draws by label and cell.
    epsilon : float
        Claim (nats).
    """
    sides = np.array(SHARES) > 0  # bets on the right's outputs, and on the left's
    right, left = [NEAR_RIGHT, RIGHT], [NEAR_LEFT, LEFT]
    hits = np.tensordot(sides, [counts[1, right], counts[0, left]], 1)
    misses = np.tensordot(sides, [counts[0, right], counts[1, left]], 1)
    odds = epsilon + np.array(EXCESSES)
    # log r/π*: at most log(1 + e^(−ε)) a hit, whatever r is.
    paid = np.logaddexp(0, -epsilon) - np.logaddexp(0, -odds)
    lost = np.logaddexp(0, epsilon) - np.logaddexp(0, odds)
    wealth: Floats = (paid @ hits.T + lost @ misses.T).ravel()
    return wealth


def pair_bets(counts: NDArray[np.int64], slopes: Floats, deltas: Floats) -> Floats:
    """Return the log wealth of each bet on half-planes.

    Parameters
    ----------
    counts : ndarray of int, shape (5, 5)
        Pairs of draws by the cell of x and the cell of y.
    slopes, deltas : ndarray of float, shape (s,)
        The claim's half-planes p − e^slope q ≤ delta, and their mirror images.
    """
    # A bound on events holds for functions from 0 to 1, of which these are mixtures.
    on_left = np.array([1.0, NEAR, 0.0, 0.0, 0.0])
    on_right = on_left[::-1]
    x, y = np.divmod(np.arange(CELLS**2), CELLS)
    wealth = []
    for slope, delta in zip(slopes.tolist(), deltas.tolist(), strict=True):
        left = brackets(on_left[x], on_left[y], slope, delta)
        right = brackets(on_right[y], on_right[x], slope, delta)
        factors = [np.log1p(s * (a * right + b * left)) for s in STAKES for a, b in SHARES]
        wealth.append(np.stack(factors) @ counts.reshape(-1))
    return np.concatenate(wealth)
