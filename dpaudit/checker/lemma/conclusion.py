"""What follows for a program: the lemma on it, what that gives, and the claim."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.claim_check import written
from dpaudit.checker.file import NotCheckedError, RejectedError, Work
from dpaudit.checker.lemma.additive import laplace
from dpaudit.checker.lemma.application import Application, Lemma, exact
from dpaudit.checker.lemma.cells import Inside
from dpaudit.checker.lemma.closed import Closed
from dpaudit.checker.lemma.flips import permute_and_flip
from dpaudit.checker.lemma.follow import Follower, Node
from dpaudit.checker.lemma.instability import noisy_distance, propose_test_release
from dpaudit.checker.lemma.interval import interval
from dpaudit.checker.lemma.smooth import logarithm, smooth
from dpaudit.checker.lemma.smt_context import Fact, Scene
from dpaudit.checker.lemma.stability import histogram
from dpaudit.checker.lemma.values import (
    Column,
    FirstBeyond,
    Histogram,
    Largest,
    Noise,
    Num,
    Raised,
    Trial,
)
from dpaudit.checker.number_text import number_told
from dpaudit.checker.program import functions_of
from dpaudit.claims import ApproxDP, PureDP
from dpaudit.neighbors import AddRemove, Integer, QueryAnswers, Real, ReplaceOne


@dataclass(frozen=True, slots=True)
class Conclusion:
    """That a lemma applies, and what it gives stays within the claim.

    Attributes
    ----------
    lemma : Lemma
    numbers : dict of str to str
        Of its statement: what they are here.
    spent, allowed : str
        What it gives, and what the claim allows: epsilon, or (epsilon, delta).
    rule : str
        By which numbers they are compared.
    facts : tuple of Fact
        What was proved of neighboring datasets.
    place : str
        Of the noise.
    trusted : tuple of str
        What the proofs of the facts rest on.
    """

    lemma: Lemma
    numbers: dict[str, str]
    spent: str
    allowed: str
    rule: str
    facts: tuple[Fact, ...]
    place: str
    trusted: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the conclusion as JSON-able values, without what is trusted."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return {name: value for name, value in found.items() if name != "trusted"}


def conclude(program: dict[str, Any], claim: Any, neighbors: Any, work: Work) -> Conclusion:
    """Follow a program on two neighboring datasets, and apply the lemma on what it does.

    Parameters
    ----------
    program : dict
        As certificates hold it.
    claim : Claim
    neighbors : Neighbors
    work : Work

    Returns
    -------
    Conclusion

    Raises
    ------
    RejectedError
        Where a condition of the lemma does not hold, or it gives too little; with the place.
    NotCheckedError
        Where no lemma is about the program.
    """
    if type(claim) not in (PureDP, ApproxDP):
        raise NotCheckedError(f"not checked: lemmas for the claim {claim!s:.60}")
    if program["symbolic"]:
        raise NotCheckedError("not checked: a proof for all values of a parameter")
    scene = Scene(work, type(neighbors) is ReplaceOne)
    try:
        found = _application(scene, program, neighbors, claim)
        spent, allowed = _compared(found, claim)
    except RejectedError as stopped:
        raise stopped.located(scene.place, ()) from None
    approximate = type(claim) is ApproxDP
    return Conclusion(
        found.lemma,
        {name: number.text for name, number in found.numbers.items()},
        spent,
        allowed,
        "sums of epsilon and of delta" if approximate else "sums of epsilon",
        tuple(scene.facts),
        scene.place,
        tuple(sorted(scene.trusted)),
    )


def _compared(found: Application, claim: Any) -> tuple[str, str]:
    """Return what a lemma gives and what the claim allows, where that is no less."""
    delta = claim.declared_delta if type(claim) is ApproxDP else 0
    pairs = [(found.epsilon, exact(claim.epsilon)), (found.delta, exact(delta))]
    if found.delta.fraction == 0:
        pairs.pop()
    spent, allowed = (_text(side) for side in zip(*pairs, strict=True))
    if any((given - most).sign() > 0 for given, most in pairs):
        raise RejectedError(f"{found.lemma.name} gives {spent}, and the claim allows {allowed}")
    return spent, allowed


def _text(numbers: Sequence[Closed]) -> str:
    texts = [written(number_told(number.text)) for number in numbers]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _application(scene: Scene, program: dict[str, Any], neighbors: Any, claim: Any) -> Application:
    functions = functions_of(program["entry"])
    if type(neighbors) is QueryAnswers:
        return permute_and_flip(scene, functions, program, neighbors)
    data = _records(neighbors)
    passed, trials = _followed(scene, functions, program, data, passed=True)
    one, other = trials
    if one is None and other is None:
        return _of_output(scene, *passed, claim)
    if one is None or other is None or one.above != other.above:
        raise NotCheckedError("not checked: a test that is not the same on both datasets")
    scene.added()
    failed, _ = _followed(scene, functions, program, data, passed=False)
    shown, hidden = (passed, failed) if one.above else (failed, passed)
    if hidden != (None, None):
        raise NotCheckedError("not checked: an answer where a test is failed")
    return propose_test_release(scene, shown, (one, other), claim)


def _followed(
    scene: Scene, functions: list[Node], program: Node, data: Column, *, passed: bool
) -> tuple[tuple[Any, Any], tuple[Trial | None, Trial | None]]:
    """Return what comes out on both datasets, and the tests of noise, which come out as said."""
    one, other = (Follower(scene, functions, side, passed) for side in "xy")
    ends = one.start(program, data), other.start(program, data)
    return ends, (one.trial, other.trial)


def _of_output(scene: Scene, left: Any, right: Any, claim: Any) -> Application:
    """Return what the lemma on a program gives, by what comes out on both datasets."""
    if type(left) is not type(right):
        raise NotCheckedError("not checked: neighbors with different outputs")
    if isinstance(left, Inside):
        return interval(scene, left, right, claim)
    scene.added()
    match left:
        case Noise(scale=Largest()):
            return smooth(scene, left, right, claim)
        case Noise(centre=FirstBeyond()):
            return noisy_distance(scene, left, right)
        case Noise(centre=Num()):
            return laplace(scene, left, right, claim)
        case Raised():
            return logarithm(scene, left, right)
        case Histogram():
            return histogram(left, right)
    raise NotCheckedError("not checked: an output of which no lemma speaks")


def _records(neighbors: Any) -> Column:
    """Return the column that the records are."""
    relation, numbers = type(neighbors) in (AddRemove, ReplaceOne), (Real, Integer)
    plain = relation and type(neighbors.records) in numbers
    if not plain or neighbors.group != 1 or neighbors.unit is not None:
        raise NotCheckedError("not checked: lemmas under these neighbors")
    if neighbors.container != "array" or neighbors.invariant:
        raise NotCheckedError("not checked: lemmas under these neighbors")
    records = neighbors.records
    whole = type(records) is Integer and not records.allow_missing
    nan = bool(records.allow_missing or getattr(records, "allow_nan", False))
    infinite = not records.enforced or getattr(records, "allow_infinity", False)
    low, high = Fraction(records.low), Fraction(records.high)
    if infinite:
        return Column(("data",), -math.inf, math.inf, whole, nan)
    return Column(("data",), low, high, whole, nan)
