"""Proves a claim by a published lemma whose conditions the program is shown to meet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.formal.bounds import INFINITE, exact
from dpaudit.formal.cost import ASSUMPTIONS
from dpaudit.formal.enumeration.numbers import UndecidedError
from dpaudit.formal.lemmas.densities import lemma_of
from dpaudit.formal.lemmas.facts import Fact, Facts
from dpaudit.formal.lemmas.flips import permute_and_flip
from dpaudit.formal.lemmas.forms import Form, Private
from dpaudit.formal.lemmas.instability import noisy_distance, propose_test_release
from dpaudit.formal.lemmas.interval import interval
from dpaudit.formal.lemmas.lemma import Application, Lemma
from dpaudit.formal.lemmas.neighboring import Neighboring
from dpaudit.formal.lemmas.paths import paths
from dpaudit.formal.lemmas.reading import Names, Reading
from dpaudit.formal.lemmas.smooth import logarithm, positive, smooth
from dpaudit.formal.lemmas.stability import histogram
from dpaudit.formal.lemmas.values import Drawn, Point, Powered, Records, Shown, Test, Value
from dpaudit.formal.price.against import Comparison, Fit, against
from dpaudit.formal.price.notions import Approximate, Pure, price_to_dict
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import AddRemove, AnyPair, Integer, Neighbors, QueryAnswers, Real, ReplaceOne

LAPLACE = Lemma(
    "the Laplace mechanism",
    "Laplace noise of scale r on an answer that moves by at most d is (d/r)-DP",
    "Dwork & Roth 2014, Theorem 3.6",
    ("the answer moves by at most d between neighbors",),
)


Outcome = tuple[Value, Place, Test | None]


@dataclass(frozen=True, slots=True)
class LemmaProof:
    """That a lemma applies, and what it gives stays within the claim.

    Attributes
    ----------
    claim : Claim
    lemma : Lemma
    numbers : dict of str to str
        Of its statement: what they are here.
    price : Pure or Approximate
    comparison : Comparison
    facts : tuple of Fact
        What was proved of neighboring datasets.
    place : Place
        Of the noise.
    assumptions : tuple of str
    """

    claim: Claim
    lemma: Lemma
    numbers: dict[str, str]
    price: Pure | Approximate
    comparison: Comparison
    facts: tuple[Fact, ...]
    place: Place
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": "lemma",
            "claim": self.claim.to_dict(),
            "lemma": self.lemma.to_dict(),
            "numbers": dict(self.numbers),
            "price": price_to_dict(self.price),
            "spent": self.comparison.spent,
            "allowed": self.comparison.allowed,
            "rule": self.comparison.rule,
            "facts": [fact.to_dict() for fact in self.facts],
            "place": str(self.place),
            "assumptions": list(self.assumptions),
        }


def prove_by_lemma(
    program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float = float("inf")
) -> LemmaProof:
    """Read the program, find the lemma that is about it, and prove what that needs.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    deadline : float
        In terms of `dpaudit.formal.clock.now`.

    Raises
    ------
    Unsupported
        Where no lemma is about the program, or its conditions are not proved.
    """
    if not isinstance(claim, PureDP | ApproxDP):
        raise OutOfScope(f"lemmas for the claim {claim}: they are about pure and approximate DP")
    if isinstance(neighbors, AnyPair):
        return _of_one_number(program, claim, neighbors, deadline)
    if isinstance(neighbors, QueryAnswers):
        application, place = permute_and_flip(program, neighbors, deadline)
        return _proof(claim, application, (), place, neighbors)
    data, replaced = _records(neighbors)
    facts, names = Facts(deadline), Names()
    try:
        outcomes = _outcomes(program, data, facts, names)
    except Unsupported as stopped:
        raise OutOfScope(stopped.what, stopped.place) from None
    neighboring = Neighboring(facts, names, _place(outcomes), replaced)
    found = _applied(outcomes, claim, neighboring)
    return _proof(claim, found, tuple(facts.proved.values()), neighboring.place, neighbors)


def _proof(
    claim: Claim, found: Application, facts: tuple[Fact, ...], place: Place, neighbors: Any
) -> LemmaProof:
    """Return the proof where what a lemma gives stays within the claim."""
    comparison = against(found.price, claim)
    if comparison.fit is not Fit.WITHIN:
        what = f"{found.lemma.name} gives {comparison.spent}, the claim allows {comparison.allowed}"
        raise Unsupported(what, place)
    return LemmaProof(
        claim, found.lemma, found.numbers, found.price, comparison, facts, place,
        (*neighbors.assumptions(), *ASSUMPTIONS, found.lemma.assumption),
    )  # fmt: skip


def _of_one_number(
    program: Program, claim: Claim, neighbors: AnyPair, deadline: float
) -> LemmaProof:
    """Prove a claim about a mechanism of one number by the density of what comes out."""
    records = neighbors.records
    if type(records) not in (Real, Integer) or getattr(records, "allow_missing", False):
        raise OutOfScope("lemmas about such a record: they are about a number")
    infinite = not records.enforced or getattr(records, "allow_infinity", False)
    low: Fraction | float = -math.inf if infinite else Fraction(records.low)
    high: Fraction | float = math.inf if infinite else Fraction(records.high)
    data = Private(("data",), low, high, bool(getattr(records, "allow_nan", False)))
    epsilon = Fraction(claim.epsilon)  # type: ignore[attr-defined]
    try:
        ways = tuple(paths(program, Form(Fraction(0), Fraction(1), data), deadline))
    except Unsupported as stopped:
        raise OutOfScope(stopped.what, stopped.place) from None
    except UndecidedError:
        raise OutOfScope("numbers that are too close to be told apart", None) from None
    try:
        lemma = lemma_of(ways, epsilon)
    except UndecidedError:
        what = "heights that are too close to be told apart"
        raise Unsupported(what, ways[0].place) from None
    price = Pure(exact(claim.epsilon))  # type: ignore[attr-defined]
    application = Application(lemma, price, {"e": str(epsilon)})
    return _proof(claim, application, (), ways[0].place, neighbors)


def _outcomes(program: Program, data: Records, facts: Facts, names: Names) -> list[Outcome]:
    """Return what the program returns: one value, or one for either outcome of a noisy test."""
    outcomes: list[Outcome] = []
    for outcome in (True, False):
        reading = Reading(program, facts, names, outcome)
        value, place = reading.start(data)
        outcomes.append((value, place, reading.test))
        if reading.test is None:
            break
    return outcomes


def _records(neighbors: Neighbors) -> tuple[Records, bool]:
    """Return the dataset that a program is read on, and whether its records are replaced."""
    plain = (
        isinstance(neighbors, AddRemove | ReplaceOne)
        and neighbors.group == 1
        and neighbors.unit is None
        and not neighbors._invariants
        and neighbors.container == "array"
    )
    if not plain or not isinstance(neighbors.records, Real | Integer):  # type: ignore[attr-defined]
        raise OutOfScope("lemmas under these neighbors: they are about one record, a number")
    domain = neighbors.records  # type: ignore[attr-defined]
    nan, bounded = bool(domain.allow_missing), bool(domain.enforced)
    if isinstance(domain, Real):
        nan, bounded = nan or domain.allow_nan, bounded and not domain.allow_infinity
    low, high = (exact(domain.low), exact(domain.high)) if bounded else (-INFINITE, INFINITE)
    whole = isinstance(domain, Integer)
    return Records(("data",), low, high, whole, nan), isinstance(neighbors, ReplaceOne)


def _place(outcomes: list[Outcome]) -> Place:
    """Return where the noise is drawn that decides, else where the program returns."""
    for value, place, test in outcomes:
        if test is not None:
            return test.drawn.place
        match value:
            case Drawn() | Powered(drawn=Drawn()):
                return value.place if isinstance(value, Drawn) else value.drawn.place
            case Shown():
                return value.kept.noisy.draws.place
            case Point():
                return value.place
        return place
    raise AssertionError


def _applied(outcomes: list[Outcome], claim: Claim, neighboring: Neighboring) -> Application:
    value, place, test = outcomes[0]
    if isinstance(value, Point) and test is None:
        return interval(value, claim, neighboring)
    if neighboring.replaced:
        raise OutOfScope("this lemma where a record is replaced", place)
    if test is not None:
        (first, *_), (second, *_) = outcomes
        passed, failed = (first, second) if test.above else (second, first)
        return propose_test_release(test, passed, failed, claim, neighboring)
    match value:
        case Drawn() if value.factor.is_number:
            return noisy_distance(value, neighboring) or _additive(value, claim, neighboring)
        case Drawn():
            return smooth(value, claim, neighboring)
        case Powered():
            return logarithm(value, neighboring)
        case Shown():
            return histogram(value)
    raise OutOfScope("an output of which no lemma speaks", place)


def _additive(noisy: Drawn, claim: Claim, neighboring: Neighboring) -> Application:
    """Return the price of Laplace noise on an answer made of sums."""
    scale = positive(noisy.factor, noisy)
    if noisy.family != "laplace":
        raise Unsupported(f"{noisy.family} noise of a public scale", noisy.place)
    most = exact(claim.epsilon) * scale  # type: ignore[attr-defined]
    what = "the answer moves by at most what the noise pays for"
    neighboring.moves(noisy.shift, most, what)
    numbers = {"d": str(most), "r": str(scale)}
    return Application(LAPLACE, Pure(most / scale), numbers)
