"""Compares what the prover tells of a lemma with what was found anew."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.statement import ASSUMPTIONS
from dpaudit.checker.file import (
    IDEALIZED,
    MECHANISM,
    SAME_CODE,
    Document,
    RejectedError,
    fields,
)
from dpaudit.checker.lemma.closed import closed
from dpaudit.checker.lemma.lemmas import GROWS, LOCAL, MOST, MOVES, STARTS, Found
from dpaudit.checker.number_text import number_told
from dpaudit.claims import ApproxDP
from dpaudit.notation import NotationError, parse_claim

_LEMMA = {"name": str, "statement": str, "source": str, "requires": list}
_FACT = {
    "what": str, "goal": str, "given": list, "method": str, "obligation": str | None, "place": str,
}  # fmt: skip
_CLOSE = Fraction(1, 10**30)
_DWORK_LEI = "Dwork & Lei 2009; Dwork & Roth 2014, section 7.2"
# What each says, where it is from, and what it requires.
_SAYS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "smooth sensitivity": (
        "noise c S(x) Z on f(x) is (a + 1/c, (1 - exp(-b)) exp(-(a + b)/(exp(b) - 1)))-DP for "
        "Laplace Z and a >= b, and (b + 1/c)-DP for Cauchy Z, where S is a b-smooth bound on the "
        "local sensitivity of f",
        "Nissim, Raskhodnikova & Smith 2007, on smooth bounds and admissible noise",
        (STARTS, GROWS, LOCAL),
    ),
    "the logarithm of a smooth bound": (
        "S(x) exp(Y) with Laplace noise Y of scale s is (b/s)-DP where S is b-smooth",
        "Nissim, Raskhodnikova & Smith 2007, on smooth bounds; Dwork & Roth 2014, Theorem 3.6",
        (STARTS, GROWS),
    ),
    "the distance to instability": (
        "the distance moves by at most 1, so that Laplace noise of scale r on it is (1/r)-DP",
        _DWORK_LEI,
        (GROWS,),
    ),
    "propose-test-release": (
        "a test of the distance with Laplace noise of scale r against T >= 0, then an answer with "
        "Laplace noise of scale s where it is passed, is (1/r + b/s, exp(-T/r)/2)-DP",
        _DWORK_LEI,
        (GROWS, LOCAL),
    ),
    "propose-test-release of a bounded answer": (
        "such a test and answer are (e, exp(-T/r)/2 (1 - exp((e - G/s)/2)))-DP for "
        "e >= 1/r + b/s where the answer moves by at most G >= e s",
        "Dwork & Lei 2009; Dwork & Roth 2014, section 7.2 and Theorem 3.6",
        (GROWS, LOCAL, MOST),
    ),
    "stability-based histograms": (
        "counts of the values that occur, each with Laplace noise of scale r, shown where they are "
        "above T >= 1, are (1/r, exp(-(T - 1)/r)/2)-DP",
        "Korolova, Kenthapadi, Mishra & Ntoulas 2009; Bun, Nissim & Stemmer 2016",
        ("one noise for each count", "what is shown is above a public threshold after noise"),
    ),
    "the exponential mechanism over an interval": (
        "a uniform point of a segment between records in order and public ends, where segment k of "
        "n records is chosen with probability proportional to its length times exp(E(k, n)), is "
        "(u - l)-DP where E moves by l at least and u at most at every point of the interval",
        "McSherry & Talwar 2007; Smith 2011, on quantiles of an interval",
        (MOVES,),
    ),
    "pieces of an interval": (
        "an output of a density that is constant on pieces, which fill one public interval one "
        "behind the other whatever the private number is, is e-DP where no height is more than "
        "exp(e) times another",
        "Wang et al. 2019, on the piecewise mechanism in one dimension",
        ("the pieces fill a public interval", "no height is more than exp(e) times another"),
    ),
    "pieces in periods of geometric probability": (
        "noise D(G + Y) of either sign, with G geometric from 0 and a density of Y that is "
        "constant on pieces of [0, 1], on a number that moves by at most D, is e-DP where no "
        "height is more than exp(e) times another's of the same period, nor of the pieces up to "
        "its own of the next one, nor they more than exp(e) times it",
        "Geng & Viswanath 2014, on the staircase mechanism",
        (
            "the number moves by at most D",
            "the pieces fill a period of length D for either sign",
            "no height is more than exp(e) times another within reach",
        ),
    ),
    "permute-and-flip": (
        "the first candidate of a random order whose coin shows heads, with chances "
        "exp(a(u - max u)), is (a f)-DP where no score falls by f more than another one rises",
        "McKenna & Sheldon 2020; Ding, Kifer et al. 2021",
        ("the best candidate's coin always shows heads", "each candidate has a coin of its own"),
    ),
    "the Laplace mechanism": (
        "Laplace noise of scale r on an answer that moves by at most d is (d/r)-DP",
        "Dwork & Roth 2014, Theorem 3.6",
        ("the answer moves by at most d between neighbors",),
    ),
}


def claim_of(document: Document) -> Any:
    """Return the claim.

    Raises
    ------
    RejectedError
        Where the proof is of another one.
    """
    fields(document.subject, MECHANISM, "`subject`")
    try:
        claim = parse_claim(document.subject["claim"])
    except NotationError as error:
        raise RejectedError(f"`subject.claim` cannot be read: {error}") from None
    if str(claim) != document.subject["claim"] or claim.to_dict() != document.proof["claim"]:
        raise RejectedError("`proof.claim` is not the claim of `subject`")
    return claim


def validate_told(
    document: Document, found: Found, claim: Any, neighbors: Any, draws: set[str]
) -> None:
    """Refuse a proof that tells of another lemma, other numbers or other assumptions."""
    proof = document.proof
    statement, source, requires = _SAYS[found.name]
    fields(proof["lemma"], _LEMMA, "`proof.lemma`")
    lemma = proof["lemma"]
    told = (lemma["name"], lemma["statement"], lemma["source"], tuple(lemma["requires"]))
    if told != (found.name, statement, source, requires):
        raise RejectedError(f"`proof.lemma` is not the one on {found.name}")
    own = (*neighbors.assumptions(), *ASSUMPTIONS,
           f"the lemma on {found.name} ({source}): {statement}")  # fmt: skip
    if tuple(proof["assumptions"]) != own:
        raise RejectedError("`proof.assumptions` are not those on which such a proof rests")
    if document.assumptions != tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *own))):
        raise RejectedError("`assumptions` are not those on which such a proof rests")
    if proof["place"] not in draws or proof["place"] != found.place:
        raise RejectedError(f"`proof.place` is {proof['place']!r:.80}, not {found.place}")
    _validate_numbers(proof["numbers"], found)
    _validate_price(proof, found, claim)
    for fact in proof["facts"]:
        fields(fact, _FACT, "a fact")


def _validate_numbers(told: dict[str, Any], found: Found) -> None:
    if set(told) != set(found.numbers):
        raise RejectedError("`proof.numbers` are those of another lemma")
    for name, value in found.numbers.items():
        _validate_near(told[name], value, f"`proof.numbers.{name}`")


def _validate_near(text: Any, value: Any, where: str) -> None:
    """Refuse a number that is told to be another one."""
    difference = number_told(text) - number_told(value.text)
    small = difference.ball < float(_CLOSE) and -difference.ball < float(_CLOSE)
    if difference.fraction != 0 and (difference.fraction is not None or not small):
        raise RejectedError(f"{where} is {text!r:.60}, not {value.text}")


def _validate_price(proof: dict[str, Any], found: Found, claim: Any) -> None:
    price = proof["price"]
    if found.delta.fraction == 0:
        fields(price, {"kind": str, "epsilon": str}, "a price")
        if price["kind"] != "pure":
            raise RejectedError("`proof.price` is not that of a lemma")
    else:
        fields(price, {"kind": str, "epsilon": str, "delta": str}, "a price")
        if price["kind"] != "approximate":
            raise RejectedError("`proof.price` is not that of a lemma")
        _validate_near(price["delta"], found.delta, "`proof.price.delta`")
    _validate_near(price["epsilon"], found.epsilon, "`proof.price.epsilon`")
    approximate = type(claim) is ApproxDP
    rule = "sums of epsilon and of delta" if approximate else "sums of epsilon"
    if proof["rule"] != rule:
        raise RejectedError(f"`proof.rule` is {proof['rule']!r:.80}")
    spent, allowed = [found.epsilon], [claim.epsilon]
    if approximate and found.delta.fraction != 0:
        spent, allowed = [*spent, found.delta], [*allowed, claim.declared_delta]
    _validate_pair(proof["spent"], spent, "`proof.spent`")
    _validate_pair(proof["allowed"], [closed(Fraction(x)) for x in allowed], "`proof.allowed`")


def _validate_pair(text: Any, values: Sequence[Any], where: str) -> None:
    """Refuse another number, or another (epsilon, delta), than is told."""
    texts = [text]
    if len(values) == 2:
        pair = re.fullmatch(r"\(([^,]+), ([^,]+)\)", str(text))
        texts = [""] if pair is None else [pair[1], pair[2]]
    if len(texts) != len(values):
        raise RejectedError(f"{where} is {text!r:.60}, which is no pair of numbers")
    for each, value in zip(texts, values, strict=True):
        _validate_near(each, value, where)


def draws_of(entry: dict[str, Any]) -> set[str]:
    """Return the places of a program's draws, and of loops that may draw.

    Parameters
    ----------
    entry : dict
        The function of a program, as certificates hold it.
    """
    found: set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, dict) and value.get("kind") != "Constant":
            if value.get("kind") in ("Draw", "While"):
                found.add(str(value["place"]))
            for item in value.values():
                visit(item)

    visit(entry)
    return found
