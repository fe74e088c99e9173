"""Bets that are settled by draws made anew."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from operator import add, mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.checker.evidence.chain import hashed
from dpaudit.checker.file import NotCheckedError, RejectedError, Work, fields, finite
from dpaudit.checker.named import validate_own
from dpaudit.claims import Claim
from dpaudit.neighbors import Pair
from dpaudit.outputs import Columns
from dpaudit.subject import Subject
from dpaudit.worker import KEEPS_STATE, ProcessRunner, Runner, Task, WorkerError

_BET = {"favours": str, "epsilon": int | float, "stakes": list, "event": dict}
_CELLS = {"numbers": list, "cuts": list, "inside": list}
_WORDS = {"path": str, "words": list, "inside": list}
_FIRST_BATCH = 128  # pairs of draws; each batch doubles what there is
_MOST_A_BATCH = 16_384
_BATCH = 300.0  # seconds of real time that a batch may take in its process
_MOST_A_TASK = 4_096
_ROUNDED_UP = 1 + 2.0**-40


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet, and what is said to have come of it.

    Attributes
    ----------
    written : dict
    stakes : tuple of (float, float)
        Each λ with its share of the capital.
    counts : tuple of int
        Pairs with neither output in the set, the other's alone, the favoured one's alone, both.
    delta : float
        Of the claim's half-plane at the bet's epsilon; rounds up.
    where : str
        For messages.
    """

    written: dict[str, Any]
    stakes: tuple[tuple[float, float], ...]
    counts: tuple[int, ...]
    delta: float
    where: str

    @staticmethod
    def read(bet: Any, counts: Any, pairs: int, claim: Claim, where: str) -> Bet:
        """Return a bet that is legal under a claim, with its counts, or reject it."""
        fields(bet, _BET, where)
        if bet["favours"] not in ("left", "right"):
            raise RejectedError(f"`favours` of {where} is {bet['favours']!r:.60}, no dataset")
        epsilon = finite(bet["epsilon"], f"`epsilon` of {where}")
        if not 0 <= epsilon < 100:
            raise RejectedError(f"`epsilon` of {where} is {epsilon:g}; bets have 0 to 100 nats")
        delta = float(claim.delta(epsilon))
        stakes = []
        for entry in bet["stakes"]:
            if not isinstance(entry, list) or len(entry) != 2:
                raise RejectedError(f"`stakes` of {where} are no pairs of numbers")
            stake, share = (finite(number, f"a stake of {where}") for number in entry)
            if not 0 <= stake * (math.exp(epsilon) * _ROUNDED_UP + delta) < 1:
                raise RejectedError(
                    f"a stake of {where} is {stake:g}: a pair of draws could pay less than "
                    "nothing, which is no bet"
                )
            if share < 0:
                raise RejectedError(f"a share of {where} is {share:g}")
            stakes.append((stake, share))
        _validate_event(bet["event"], where)
        listed = counts if isinstance(counts, list) else []
        whole = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in listed)
        if len(listed) != 4 or not whole or sum(listed) != pairs:
            raise RejectedError(f"`counts` of {where} are not those of {pairs:,} pairs")
        return Bet(bet, tuple(stakes), tuple(listed), delta, where)

    def log_wealth(self) -> Iterator[float]:
        """Yield what each stake's share of the capital came to, in nats."""
        cost = math.exp(self.written["epsilon"]) * _ROUNDED_UP
        gains = (0.0, -cost, 1.0, 1.0 - cost)
        for stake, share in self.stakes:
            if share:
                paid = (math.log1p(stake * (gain - self.delta)) for gain in gains)
                yield math.log(share) + math.fsum(map(mul, self.counts, paid))

    def counted(self, left: Columns, right: Columns) -> tuple[int, ...]:
        """Return the counts of some draws."""
        inside = [_inside(self.written["event"], side) for side in (left, right)]
        on, against = inside if self.written["favours"] == "left" else inside[::-1]
        return tuple(
            int(np.sum((on == first) & (against == second)))
            for first, second in ((False, False), (False, True), (True, False), (True, True))
        )


def log_sum(logs: Iterable[float]) -> float:
    """Return the logarithm of a sum, from the logarithms of what is added."""
    listed = list(logs)
    most = max(listed, default=-math.inf)
    if not math.isfinite(most):
        return most
    return most + math.log(math.fsum(math.exp(each - most) for each in listed))


def batch_size(done: int, pairs: int) -> int:
    """Return how many of the pairs of draws are made next, after those that are done."""
    return min(max(_FIRST_BATCH, done), _MOST_A_BATCH, pairs - done)


def redrawn(
    subject: Mapping[str, Any],
    pair: Pair,
    bets: Sequence[Bet],
    drawn: tuple[str, int],
    work: Work,
    versions: Mapping[str, str],
) -> None:
    """Make all draws anew, and compare the counts.

    Parameters
    ----------
    subject : mapping
        Of the certificate.
    pair : Pair
    bets : sequence of Bet
    drawn : (str, int)
        The hash that the draws come of, and how many pairs of them there are.
    work : Work
    versions : mapping
        Of what drew first.

    Raises
    ------
    RejectedError
        Where draws give other counts.
    NotCheckedError
        Where the mechanism is not at hand, is not the one that was audited, or cannot be seeded.
    """
    opened, pairs = drawn
    counts = [[0] * 4 for _ in bets]
    runner = _runner(subject, work)
    try:
        done = number = 0
        while done < pairs:
            size = batch_size(done, pairs)
            state = hashed("batch", {"opening": opened, "number": number})
            left, right = _drawn(runner, pair, state, size)
            work.left()
            for row, bet in zip(counts, bets, strict=True):
                row[:] = map(add, row, bet.counted(left, right))
            done, number = done + size, number + 1
    except WorkerError as error:
        raise NotCheckedError(f"not checked: {error}") from None
    finally:
        runner.close()
    for row, bet in zip(counts, bets, strict=True):
        if tuple(row) == bet.counts:
            continue
        if versions.get("numpy") != version("numpy"):
            raise NotCheckedError(f"not checked: it was drawn with NumPy {versions.get('numpy')}")
        raise RejectedError(
            f"`counts` of {bet.where} are {list(bet.counts)}; the derived seed draws {row}"
        )


def _runner(subject: Mapping[str, Any], work: Work) -> Runner:
    validate_own(work.mechanism)
    try:
        mechanism = Subject.of(work.mechanism)
    except (TypeError, ValueError) as error:
        raise NotCheckedError(f"not checked: {error!s:.200}") from None
    same_way = mechanism.vectorized == subject["vectorized"]
    if mechanism.source_hash != subject["source"] or not same_way:
        raise NotCheckedError(
            f"not checked: the source of {mechanism.name} is not the one that was audited: its "
            f"hash is {mechanism.source_hash}, and the file has {subject['source']:.64}"
        )
    return ProcessRunner(mechanism, timeout=max(_BATCH, work.left()))


def _drawn(runner: Runner, pair: Pair, state: str, pairs: int) -> tuple[Columns, Columns]:
    """Return pairs of draws from a hash, eight numbers of 32 bits, and the number of the task."""
    key = [int(state[i : i + 8], 16) for i in range(0, 64, 8)]
    sizes = [min(_MOST_A_TASK, pairs - done) for done in range(0, pairs, _MOST_A_TASK)]
    drawn = runner.run(
        [Task(pair.left, pair.right, "coupled", n, (*key, i)) for i, n in enumerate(sizes)]
    )
    if any("unseeded" in each.flags for each in drawn):
        raise NotCheckedError("not checked: the mechanism's randomness takes no seed")
    if any(KEEPS_STATE in each.flags for each in drawn):
        raise NotCheckedError("not checked: an output of the mechanism depends on earlier calls")
    left = [each.left for each in drawn if each.left is not None]
    right = [each.right for each in drawn if each.right is not None]
    return Columns.concat(left), Columns.concat(right)


def _validate_event(event: Mapping[str, Any], where: str) -> None:
    fields(event, _WORDS if "words" in event else _CELLS, f"the event of {where}")
    bits = event["inside"]
    if "words" in event:
        fit = all(isinstance(word, str) for word in event["words"])
        size = len(event["words"]) + 1
    else:
        cuts = [finite(cut, f"a cut of {where}") for cut in event["cuts"]]
        fit = all(low < high for low, high in pairwise(cuts))
        for entry in event["numbers"]:
            fit = fit and isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)
            finite(entry[1] if fit else None, f"a factor of {where}")
        size = len(cuts) + 2
    if not fit or len(bits) != size or any(bit not in (0, 1) for bit in bits):
        raise RejectedError(f"the event of {where} is no set of outputs")


def _inside(event: Mapping[str, Any], outputs: Columns) -> NDArray[np.bool_]:
    """Return which outputs lie in a set."""
    bits = np.array(event["inside"], dtype=bool)
    if "words" in event:
        codes, held = outputs.labels.get(event["path"], (np.full(outputs.size, -1), ()))
        known = dict(zip(event["words"], bits, strict=False))
        by_code = np.array([*(known.get(word, bits[-1]) for word in held), bits[-1]], dtype=bool)
        return np.asarray(by_code[codes])  # code -1, absent, reads the last
    score = np.zeros(outputs.size)
    for path, factor in event["numbers"]:
        score = score + factor * outputs.numbers.get(path, np.full(outputs.size, np.nan))
    cell = np.searchsorted(np.array(event["cuts"], dtype=float), score, side="left")
    return np.where(np.isnan(score), bits[-1], bits[:-1][np.minimum(cell, len(bits) - 2)])
