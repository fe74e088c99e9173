"""Checks evidence that was drawn under a beacon: by drawing anew, and with sums of its own.

What is checked: that the seed is the hash of source, claim, neighbors, options and beacon; that the
log follows from entry to entry, and what other runs it shows; that the datasets are neighboring and
no bet gains on average from a mechanism that keeps the claim; that the draws, seeded by the hash of
all that was fixed before them, the bets among it, give the counts; and that these give the e-value.

The factor of a pair of draws (x, y) is 1 + λ (1[x ∈ E] − e^ε 1[y ∈ E] − δ). Under the claim
P[x ∈ E] ≤ e^ε P[y ∈ E] + δ with δ = δ(ε), its privacy profile, so that the mean is at most 1; it is
never negative where 0 ≤ λ ≤ 1/(e^ε + δ). By Ville's inequality the product reaches 1/α with
probability α at most, whenever the draws stop.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol, cast

from dpaudit.checker.evidence.chain import hashed, judged, known_runs
from dpaudit.checker.evidence.data import dataset
from dpaudit.checker.evidence.draws import Bet, batch_size, log_sum, redrawn
from dpaudit.checker.file import (
    Document,
    NotCheckedError,
    RejectedError,
    Work,
    fields,
    finite,
)
from dpaudit.checker.named import validate_name
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.notation import NotationError, parse_claim, parse_neighbors

_SUBJECT = {
    "mechanism": str, "claim": str, "neighbors": str, "source": str, "vectorized": bool,
    "verdict": str,
}  # fmt: skip
_PROOF = {
    "beacon": str, "options": dict, "seed": str, "log": list, "pair": dict, "bets": list,
    "pairs": int, "counts": list, "log_e_value": int | float,
}  # fmt: skip
_TRUSTED = (
    "that the bets were meant to find a violation: NOT REFUTED means only that they found none",
    "that no run was made without the log, or with another one",
    "that nobody could choose the beacon",
    "that nobody searched for bets that win by luck, which takes more than 1/alpha runs",
    "that the functions which the mechanism calls are those that were audited",
)
_NOT_DRAWN = (
    "not checked: the log, the bets and the e-value that its counts give are right, and nothing "
    "was drawn anew. Name the mechanism that may be run by --mechanism module:function"
)
_LEVEL_SHARE = 0.25
_PAIRS_SHARE = 8
_CLOSE = 1e-9


class _Receiving(Neighbors, Protocol):
    """Neighbors that a text can hold.

    The same records in another type of number, or under another index, may reach other code: what
    is drawn from are the records, as the mechanism receives them.
    """

    def received(self, dataset: Any) -> Any: ...


def check(document: Document, work: Work) -> tuple[str, ...]:
    """Draw anew, and recompute the e-value; see `dpaudit.checker.check`."""
    subject, proof = document.subject, document.proof
    fields(subject, _SUBJECT, "the subject")
    fields(proof, _PROOF, "the proof")
    if subject["verdict"] not in ("REFUTED", "NOT_REFUTED"):
        raise RejectedError(f"`verdict` is {subject['verdict']!r:.60}, which draws cannot show")
    identity = {name: subject[name] for name in ("source", "claim", "neighbors")}
    run = {"identity": identity, "options": proof["options"], "beacon": proof["beacon"]}
    if proof["seed"] != hashed("seed", run):
        raise RejectedError(
            "`seed` is not derived from source, claim, neighbors, options and beacon"
        )
    runs = known_runs(proof["log"], identity)
    if proof["log"][-1]["kind"] != "start" or proof["log"][-1]["content"] != run:
        raise RejectedError("the last entry of `log` is not the start of this run")
    alpha, pairs = _limits(proof["options"])
    attempt = len(runs.starts)
    target = math.log(attempt * (attempt + 1)) - math.log(_LEVEL_SHARE * alpha)
    told = judged(runs, identity, subject["verdict"])
    pair = _pair(proof["pair"], subject["neighbors"])
    bets = _bets(proof, subject["claim"])
    drawn = proof["pairs"]
    _validate_plan(drawn, subject["verdict"], pairs, proof["options"]["max_seconds"])
    fixed = {name: proof[name] for name in ("seed", "pair", "bets")}
    opened = hashed("opening", {**fixed, "head": proof["log"][-1]["hash"]})
    validate_name(subject["mechanism"])
    if work.mechanism is not None:
        redrawn(subject, pair, bets, (opened, drawn), work, document.versions)
    found = log_sum(paid for bet in bets for paid in bet.log_wealth())
    said = finite(proof["log_e_value"], "`log_e_value`")
    if abs(found - said) > _CLOSE * (1 + abs(found)):
        raise RejectedError(f"`log_e_value` is {said:.9g}; the draws and the bets give {found:.9g}")
    if (found >= target) != (subject["verdict"] == "REFUTED"):
        raise RejectedError(
            f"`verdict` is {subject['verdict']}; the draws reached {found:.2f} nats, and "
            f"{target:.2f} refute at run {attempt}"
        )
    if work.mechanism is None:
        raise NotCheckedError(_NOT_DRAWN)
    work.says.append(
        f"{subject['verdict'].replace('_', ' ')}: {subject['mechanism']} against "
        f"{subject['claim']}; {found:.2f} nats on {2 * drawn:,} draws seeded by the beacon "
        f"{proof['beacon']!r}, of {target:.2f} that refute at alpha = {alpha:g}"
    )
    if drawn < pairs and subject["verdict"] == "NOT_REFUTED":
        work.says.append(f"time ended it after {drawn:,} of {pairs:,} pairs of draws")
    work.says.extend(told)
    return _TRUSTED


def _limits(options: Mapping[str, Any]) -> tuple[float, int]:
    """Return α, and the pairs of draws that a run without a limit on time makes."""
    for name in ("alpha", "max_calls", "max_seconds"):
        if name not in options:
            raise RejectedError(f"`options` lacks `{name}`")
    alpha = finite(options["alpha"], "`alpha` of `options`")
    calls = options["max_calls"]
    if not 0 < alpha < 1 or isinstance(calls, bool) or not isinstance(calls, int) or calls < 1:
        raise RejectedError("`alpha` or `max_calls` of `options` is out of range")
    return alpha, max(1, calls // _PAIRS_SHARE)


def _pair(found: Mapping[str, Any], text: str) -> Pair:
    fields(found, {"left": object, "right": object}, "`pair`")
    try:
        neighbors = cast("_Receiving", parse_neighbors(text))
    except NotationError as error:
        raise RejectedError(f"`neighbors` cannot be read: {error!s:.200}") from None
    pair = Pair(dataset(found["left"]), dataset(found["right"]))
    try:
        if not neighbors.contains(pair):
            raise RejectedError("the datasets of `pair` are not neighboring")
        return Pair(neighbors.received(pair.left), neighbors.received(pair.right))
    except OverflowError:
        raise RejectedError("`pair` holds a number that no record can be") from None


def _bets(proof: Mapping[str, Any], text: str) -> list[Bet]:
    try:
        claim = parse_claim(text)
    except NotationError as error:
        raise RejectedError(f"`claim` cannot be read: {error!s:.200}") from None
    bets, counts = proof["bets"], proof["counts"]
    if not bets or len(bets) != len(counts):
        raise RejectedError("`bets` and `counts` are not of one number, or nothing was bet")
    read = [
        Bet.read(bet, rows, proof["pairs"], claim, f"`bets[{n}]`")
        for n, (bet, rows) in enumerate(zip(bets, counts, strict=True))
    ]
    capital = math.fsum(share for bet in read for _, share in bet.stakes)
    if capital > 1 + _CLOSE:
        raise RejectedError(f"the bets stake {capital:.9g} of a capital of 1")
    return read


def _validate_plan(drawn: int, verdict: str, pairs: int, seconds: Any) -> None:
    """Refuse a run that made more draws than it was to, or stopped where no run does.

    Whoever chose their number freely would choose what the last batch draws, since one of another
    size has other draws.
    """
    told = f"`pairs` is {drawn:,}; the options give {pairs:,} pairs of draws"
    if not 1 <= drawn <= pairs or (drawn < pairs and verdict == "NOT_REFUTED" and seconds is None):
        raise RejectedError(told)
    done = 0
    while done < drawn:
        done += batch_size(done, pairs)
    if done != drawn:
        raise RejectedError(f"{told}, and none of their batches ends there")
