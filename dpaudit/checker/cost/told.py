"""Compares what the prover tells of its proof with what was computed anew.

None of it is used to check the claim. But what a reader is told must not be less than is true:
prices of releases and totals may not be smaller than those that were found, and their total must be
within the claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from dpaudit.checker.cost import against, spent
from dpaudit.checker.cost.ends import ZERO, less, most
from dpaudit.checker.cost.ledger import REVEALED, Item
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, RejectedError, fields
from dpaudit.checker.formula import Term, constant, read_term
from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)

_LONGEST = 20_000
_CLOSE = Fraction(1, 10**12)  # the prover runs calibrations in floats, which are exact here
_RULES: dict[Any, tuple[str, ...]] = {
    PureDP: ("sums of epsilon",),
    GaussianDP: ("sums of squares of mu",),
    ZeroConcentratedDP: ("sums of rho",),
    RenyiDP: ("sums of Renyi divergences",),
    PrivacyProfile: ("amplified profile (Balle, Barthe & Gaboardi 2018, Theorem 8)",),
    ApproxDP: (
        "sums of epsilon and of delta",
        "what pure parts leave, by the exact Gaussian profile (Balle & Wang 2018, Theorem 8)",
        "optimal composition (Kairouz, Oh & Viswanath 2015, Theorem 3.3)",
        "the exact discrete Gaussian profile (Canonne, Kamath & Steinke 2020, Theorem 7)",
        "the exact profile of the number of ones among randomized responses",
    ),
}
_OF_LAW = {
    "laplace": ("Laplace mechanism",),
    "normal": ("Gaussian mechanism",),
    "geometric": ("geometric mechanism",),
    "discrete normal": ("discrete Gaussian mechanism",),
    "pure": (
        "a choice that is bounded as a whole",
        "report noisy max",
        "exponential mechanism",
        "top-k by peeling",
        "randomized response",
        "shuffled randomized response",
        "truncated Laplace noise",
    ),
}
_PRICES: dict[str, dict[str, Any]] = {
    "pure": {"kind": str, "epsilon": str, "parts": list, "laplace": bool},
    "gaussian": {"kind": str, "squared_mu": str},
    "shuffled": {"kind": str, "epsilon": str, "count": str, "chance": str},
    "discrete gaussian": {"kind": str, "distance": str, "variance": str},
    "together": {"kind": str, "parts": list},
    "either": {"kind": str, "parts": list},
    "apart": {"kind": str, "parts": list, "touched": int},
    "repeated": {"kind": str, "price": dict, "times": str},
    "sampled": {"kind": str, "price": dict, "rate": str},
    "approximate": {"kind": str, "epsilon": str, "delta": str},
}
_RELEASE = {"price": dict, "rule": str, "place": str, "noise": str}
Total = tuple[Number, Number]  # epsilon; the square of mu, or twice the rho of discrete noise


def validate(
    proof: dict[str, Any], claim: Any, paths: Sequence[Sequence[Item]], coins: Number,
    places: dict[str, set[str]],
) -> None:  # fmt: skip
    """Refuse a proof that tells of less than was found, or of something else.

    Parameters
    ----------
    proof : dict
    claim : Claim
    paths : sequence of sequence of Item
        The releases of every path.
    coins : Number
        With what probability coins fall so that something is revealed.
    places : dict of str to set of str
        Places of the program's nodes by their kind, ``""`` for all.
    """
    if proof["obligation"] is not None or proof["conditions"]:
        raise NotCheckedError("not checked: a proof for all values of a parameter")
    if proof["rule"] not in _RULES.get(type(claim), ()):
        raise RejectedError(f"`proof.rule` is {proof['rule']!r:.80}")
    for step in proof["steps"]:
        fields(step, {"rule": str, "place": str, "says": str}, "a step")
    told = _total(proof["price"])
    found = [against.Cost.of(items) for items in paths]
    worst = (most(c.epsilon for c in found), most(c.shifted for c in found))
    for stated, own, what in zip(told, worst, ("epsilon", "the square of mu"), strict=True):
        if _below(stated, own):
            raise RejectedError(f"`proof.price` has {stated.shown} for {what}: {own.shown} is due")
    delta = _delta(proof["price"])
    if _below(delta, most(c.delta for c in found) + coins):
        raise RejectedError(f"`proof.price` has {delta.shown} for delta, and more is due")
    paths = [[item for item in items if item.law != REVEALED] for items in paths]
    _validate_totals(proof, claim, told, paths)
    _validate_releases(proof["releases"], paths, places)
    laws = {item.law for items in paths for item in items}
    _validate_laplace(proof["price"], laws)
    for release in proof["releases"]:
        _validate_laplace(release["price"], laws)
        if not _is_sampled(proof["price"]):
            parts = zip(told, _total(release["price"]), strict=True)
            if any(_below(whole, part) for whole, part in parts):
                raise RejectedError("a release is told to cost more than all of them")


def _below(stated: Number, own: Number) -> bool:
    """Whether a number is less than another, by more than floats are off."""
    return less(stated, own * (1 - _CLOSE)) if own.ball > 0 else less(stated, own)


def _near(one: Number, other: Number) -> bool:
    return not _below(one, other) and not _below(other, one)


def _validate_totals(
    proof: dict[str, Any], claim: Any, told: Total, paths: Sequence[Sequence[Item]]
) -> None:
    epsilon, squared = told
    if isinstance(claim, ApproxDP):
        _validate_approximate(proof, claim, epsilon, squared)
        return
    amounts = [a for a in (against.amount(items, claim) for items in paths) if a is not None]
    own, allowed = most(a for a, _ in amounts), amounts[0][1]
    stated = number_told(proof["spent"])
    if not _near(number_told(proof["allowed"]), allowed):
        raise RejectedError(f"`proof.allowed` is {proof['allowed']!r:.60}, not {allowed.shown}")
    if _below(stated, own) or _below(allowed, stated):
        raise RejectedError(f"`proof.spent` is {stated.shown}; {own.shown} was found")
    sums: dict[Any, Number] = {PureDP: epsilon, GaussianDP: squared, PrivacyProfile: squared}
    whole = sums.get(type(claim))
    if whole is not None and not _near(stated, whole):
        raise RejectedError("`proof.spent` is not the sum of `proof.price`")


def _validate_approximate(
    proof: dict[str, Any], claim: ApproxDP, epsilon: Number, squared: Number
) -> None:
    e, d = Fraction(claim.epsilon), Fraction(claim.declared_delta)
    text, rule = proof["spent"], proof["rule"]
    delta = _delta(proof["price"])
    pair = re.fullmatch(r"\(([^,]+), ([^,]+)\)", text)
    if rule.startswith("sums") and pair is not None and delta.sign():
        right = _near(number_told(pair[1]), epsilon) and _near(number_told(pair[2]), delta)
        if proof["allowed"] != f"({e}, {d})" or not right:
            raise RejectedError("`proof.spent` or `proof.allowed` is not right")
        return
    if rule.startswith("sums"):
        if number_told(proof["allowed"]) != Number(e) or not _near(number_told(text), epsilon):
            raise RejectedError("`proof.spent` or `proof.allowed` is not right")
        return
    if proof["allowed"] != f"({e}, {d})":
        raise RejectedError(f"`proof.allowed` is {proof['allowed']!r:.60}, not ({e}, {d})")
    parts = re.fullmatch(r"(\d{1,6}) parts of (.+)", text)
    crowd = re.fullmatch(r"(\d{1,6}) answers of chance (.+)", text)
    price = proof["price"]
    if crowd is not None and price["kind"] == "shuffled" and rule.startswith("the exact profile"):
        chances = number_told(price["chance"]), number_told(crowd[2])
        if price["count"] == crowd[1] and _near(*chances):
            return
    discrete = re.fullmatch(r"distance (\d{1,6}), variance (.+)", text)
    if discrete is not None and rule.startswith("the exact discrete"):
        steps, variance = number_told(discrete[1]), number_told(discrete[2])
        if variance.sign() > 0 and _near(steps * steps / variance, squared):
            return
    gaussian = re.fullmatch(r"mu\^2 = (.+), epsilon left (.+)", text)
    if parts is not None and rule.startswith("optimal"):
        sums = number_told(parts[2]) * int(parts[1])
        if _near(sums, epsilon):
            return
    if gaussian is not None and rule.startswith("what"):
        left = _near(number_told(gaussian[2]), Number(e) - epsilon)
        if left and _near(number_told(gaussian[1]), squared):
            return
    raise RejectedError("`proof.spent` is not the sum of `proof.price`")


def _validate_releases(
    listed: list[Any], paths: Sequence[Sequence[Item]], places: dict[str, set[str]]
) -> None:
    """Refuse releases that are not told of, or told to cost less than they do."""
    told: dict[str, list[tuple[Total, dict[str, Any]]]] = {}
    laws: dict[str, set[str]] = {}
    for release in listed:
        fields(release, _RELEASE, "a release")
        if release["place"] not in places[""] or release["noise"] not in places["Draw"]:
            raise RejectedError(f"a release at {release['noise']!r:.80}, where no noise is drawn")
        told.setdefault(release["noise"], []).append((_total(release["price"]), release))
    for items in paths:
        events: dict[tuple[str, int], list[Item]] = {}
        for item in items:
            events.setdefault((item.place, item.call), []).append(item)
            laws.setdefault(item.place, set()).add(item.law)
        for (place, _), inside in events.items():
            if place not in told:
                raise RejectedError(f"`proof.releases` does not tell of the noise at {place}")
            _validate_event(inside, told[place], place)
    for place, releases in told.items():
        for _, release in releases:
            _validate_words(release, laws.get(place, set()))


def _validate_event(
    inside: list[Item], releases: list[tuple[Total, dict[str, Any]]], place: str
) -> None:
    plain = [item for item in inside if item.law not in spent.NORMAL]
    squared = spent.squared_mu(inside) + spent.discrete_squared(inside)
    own = (spent.additive(plain), squared)
    for stated, due in zip(zip(*(t for t, _ in releases), strict=True), own, strict=True):
        if _below(most(stated), due):
            raise RejectedError(f"the release at {place} is told to cost less than {due.shown}")


def _validate_words(release: dict[str, Any], laws: set[str]) -> None:
    known = {rule for law in laws for rule in _OF_LAW[law]}
    if laws and release["rule"] not in known:
        raise RejectedError(f"a release is told to be by {release['rule']!r:.60}")
    if laws:
        _validate_laplace(release["price"], laws)


# --- prices as they are written


def _validate_laplace(price: dict[str, Any], laws: set[str]) -> None:
    """Refuse a price that is told to be, or not to be, that of Laplace noise and cannot be."""
    for part in [*price.get("parts", ()), price.get("price")]:
        if isinstance(part, dict):
            _validate_laplace(part, laws)
    if "laplace" in price:
        others = laws - {"laplace", "normal"}
        if (price["laplace"] and "laplace" not in laws) or not (price["laplace"] or others):
            raise RejectedError("`laplace` of a price is not right")


def _is_sampled(price: dict[str, Any]) -> bool:
    inside = [*price.get("parts", ()), price.get("price")]
    return price["kind"] == "sampled" or any(
        _is_sampled(part) for part in inside if isinstance(part, dict)
    )


def _total(price: Any) -> Total:
    """Return the total of a price that is told."""
    if not isinstance(price, dict) or price.get("kind") not in _PRICES:
        raise NotCheckedError("not checked: a price of this kind")
    kind = price["kind"]
    fields(price, _PRICES[kind], "a price")
    if kind == "pure":
        return _single(price), ZERO
    if kind == "gaussian":
        return ZERO, _amount(price["squared_mu"])
    if kind == "shuffled":
        _amount(price["count"]), _amount(price["chance"])
        return _amount(price["epsilon"]), ZERO
    if kind == "discrete gaussian":
        far, variance = _amount(price["distance"]), _amount(price["variance"])
        if variance.sign() <= 0:
            raise RejectedError("discrete Gaussian noise of no variance")
        return ZERO, far * far / variance
    if kind == "approximate":
        return _amount(price["epsilon"]), ZERO
    if kind == "repeated":
        times = _amount(price["times"])
        one, two = _total(price["price"])
        return one * times, two * times
    if kind == "sampled":
        rate = _amount(price["rate"])
        one, two = _total(price["price"])
        if (1 - rate).sign() <= 0:
            raise NotCheckedError("not checked: a sample of this kind")
        if two.sign():  # a profile counts what its samples cost
            return one, two
        return (1 + rate * (one.exp() - 1)).log(), ZERO
    parts = [_total(part) for part in price["parts"]]
    if kind == "together":
        return sum((p for p, _ in parts), ZERO), sum((q for _, q in parts), ZERO)
    count = price["touched"] if kind == "apart" else 1
    if not parts or count < 1 or len(parts) > 64:
        raise RejectedError("a price without parts")
    return _largest([p for p, _ in parts], count), _largest([q for _, q in parts], count)


def _delta(price: dict[str, Any]) -> Number:
    """Return the delta that a price tells of; of prices that exclude one another the largest."""
    kind = price["kind"]
    if kind == "approximate":
        return _amount(price["delta"])
    if kind in ("together", "either"):
        parts = [_delta(part) for part in price["parts"]]
        return sum(parts, ZERO) if kind == "together" else most((ZERO, *parts))
    inside = [*price.get("parts", ()), price.get("price")]
    if any(isinstance(part, dict) and _delta(part).sign() for part in inside):
        raise NotCheckedError("not checked: a price of this kind")
    return ZERO


def _single(price: dict[str, Any]) -> Number:
    """Return the epsilon of one release, which its equal parts must add up to or exceed."""
    epsilon = _amount(price["epsilon"])
    for part in price["parts"]:
        texts = isinstance(part, list) and all(isinstance(text, str) for text in part)
        if not texts or len(part) != 2:
            raise RejectedError("the parts of a price are not pairs of texts")
        each, count = _amount(part[0]), _amount(part[1])
        if _below(each * count, epsilon) or _below(epsilon, each) or count.fraction is None:
            raise RejectedError("the parts of a price do not add up to it")
        if count.fraction.denominator != 1:
            raise RejectedError("the parts of a price are not whole")
    return epsilon


def _largest(values: list[Number], count: int) -> Number:
    if count >= len(values):
        return sum(values, ZERO)
    if count == 1:
        found: Number = most(values)
        return found
    return most(sum(some, ZERO) for some in combinations(values, count))  # type: ignore[no-any-return]


def _amount(text: str) -> Number:
    value = number_told(text)
    if value.sign() < 0:
        raise RejectedError(f"the price {text!r:.40} is negative")
    return value


def number_told(text: Any) -> Number:
    """Return a number that is written with + - * / ** exp log sqrt."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise RejectedError("a number of `proof` is no text, or too long")
    return _value(read_term(text, (), "a number of `proof`", longest=_LONGEST))


def _value(term: Term) -> Number:
    known = constant(term)
    if known is not None:
        return Number(known)
    args = [_value(arg) for arg in term.args]
    found: Number
    match term.op, args:
        case "add", [a, b]:
            found = a + b
        case "sub", [a, b]:
            found = a - b
        case "mul", [a, b]:
            found = a * b
        case "div", [a, b] if b.sign() != 0:
            found = a / b
        case "neg", [a]:
            found = -a
        case "exp", [a]:
            found = a.exp()
        case "log", [a] if a.sign() > 0:
            found = a.log()
        case "sqrt", [a] if a.sign() >= 0:
            found = a.sqrt()
        case "power", [a, b] if a.sign() > 0:
            found = a**b
        case _:
            raise RejectedError("a number of `proof` is no number")
    return found
