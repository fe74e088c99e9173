"""Proves a claim by following the records that changed, as the checker of such proofs does.

The rules of `dpaudit.formal.cost` bound a query for all records at once. Here a record that changed
is followed through the program, test by test, and its releases are added up on each path: a record
that is in one cell is in no other, whatever the cells look like in the source.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.alignment.program import validated
from dpaudit.checker.cost import against, spent, within
from dpaudit.checker.cost.ends import most
from dpaudit.checker.cost.ledger import Item
from dpaudit.checker.cost.statement import neighbors_of
from dpaudit.checker.exact.numbers import PRECISION, Number
from dpaudit.checker.file import NotCheckedError, RejectedError, Work
from dpaudit.checker.limits import LOOK
from dpaudit.claims import ApproxDP, Claim, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.formal.clock import SECOND, charge, now
from dpaudit.formal.cost import ASSUMPTIONS
from dpaudit.formal.description import around
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import OutOfScope
from dpaudit.neighbors import Neighbors

_PROFILE = "what pure parts leave, by the exact Gaussian profile (Balle & Wang 2018, Theorem 8)"
_RULES: dict[type[Any], str] = {
    PureDP: "sums of epsilon",
    GaussianDP: "sums of squares of mu",
    ZeroConcentratedDP: "sums of rho",
    RenyiDP: "sums of Renyi divergences",
}
_OF_LAW = {
    "laplace": "Laplace mechanism",
    "normal": "Gaussian mechanism",
    "geometric": "geometric mechanism",
    "pure": "a choice that is bounded as a whole",
}
_FAULTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


@dataclass(frozen=True, slots=True)
class ChangedRecordsProof:
    """That the releases of every path cost no more than the claim allows.

    Attributes
    ----------
    claim : Claim
    told : dict
        Price, total, rule and releases, as proofs of the kind ``cost`` write them.
    assumptions : tuple of str
    """

    claim: Claim
    told: dict[str, Any]
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": "cost",
            "claim": self.claim.to_dict(),
            **self.told,
            "obligation": None,
            "steps": [],
            "conditions": [],
            "assumptions": list(self.assumptions),
        }


class _Charged(Work):
    """Work that is done on the clock of a proof."""

    def left(self) -> float:
        """Count a step, and return the seconds that are left."""
        charge(int(LOOK * SECOND))
        return Work.left(self)


def prove_by_changed_records(
    program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float = float("inf")
) -> ChangedRecordsProof:
    """Follow every way in which records may change, and add up what is released.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    deadline : float
        In terms of `dpaudit.formal.clock.now`.

    Raises
    ------
    OutOfScope
        Where the claim is not proved.
    """
    import flint

    if program.symbolic or type(claim) not in (ApproxDP, *_RULES):
        raise OutOfScope("a proof for all values of a parameter, or of another claim")
    work = _Charged(float("inf"), steps=min(deadline - now(), 60.0))
    try:
        written = json.loads(json.dumps(to_dict(program)))
        validated(written, written["sources"], repeated=True)
        described = neighbors_of({"neighbors": str(neighbors), **around(neighbors)}, work)
        with flint.ctx.workprec(PRECISION):
            ledgers, coins = within(written, claim, described, work)
            if coins.sign():
                raise OutOfScope("coins that reveal something")
            told = _told(claim, ledgers)
    except (NotCheckedError, RejectedError, *_FAULTS) as error:
        raise OutOfScope(f"the changed records are not followed: {error}") from None
    return ChangedRecordsProof(claim, told, (*neighbors.assumptions(), *ASSUMPTIONS))


def _told(claim: Claim, ledgers: Sequence[Sequence[Item]]) -> dict[str, Any]:
    """Return what is told of the releases; rounds up."""
    items = [item for items in ledgers for item in items]
    if any(item.law not in _OF_LAW or item.crowd is not None for item in items):
        raise OutOfScope("releases of another kind")
    costs = [against.Cost.of(items) for items in ledgers]
    laws = {item.law for item in items}
    epsilon = _text(most(cost.epsilon for cost in costs))
    squared = _text(most(cost.squared for cost in costs))
    totals = {"spent": epsilon, "allowed": epsilon, "rule": _RULES.get(type(claim), "")}
    if isinstance(claim, ApproxDP):
        e, d = Fraction(claim.epsilon), Fraction(claim.declared_delta)
        within_epsilon = squared == "0" and Fraction(epsilon) <= e
        if within_epsilon:
            totals = {"spent": epsilon, "allowed": str(e), "rule": "sums of epsilon and of delta"}
        elif squared == "0":
            raise OutOfScope("an optimal composition")
        else:
            left = e - Fraction(epsilon)
            totals = {
                "spent": f"mu^2 = {squared}, epsilon left {left}",
                "allowed": f"({e}, {d})",
                "rule": _PROFILE,
            }
    else:
        amounts = [a for a in (against.amount(items, claim) for items in ledgers) if a]
        own, allowed = most(a for a, _ in amounts), amounts[0][1]
        totals["spent"], totals["allowed"] = _text(own, allowed), _text(allowed)
        if isinstance(claim, PureDP):
            epsilon = totals["spent"]
        if isinstance(claim, GaussianDP):
            squared = totals["spent"]
    return {"price": _price(epsilon, squared, laws), **totals, "releases": _releases(ledgers)}


def _text(value: Number, most_allowed: Number | None = None) -> str:
    """Return a rational number that is no smaller, and no larger than what is allowed."""
    if value.fraction is not None:
        return str(value.fraction)
    if most_allowed is not None and most_allowed.fraction is not None:
        return str(most_allowed.fraction)
    above = value.ball.upper().fmpq()
    return str(Fraction(int(above.p), int(above.q)))


def _price(epsilon: str, squared: str, laws: set[str]) -> dict[str, Any]:
    laplace = not laws - {"laplace", "normal"} and "laplace" in laws
    pure = {"kind": "pure", "epsilon": epsilon, "parts": [], "laplace": laplace}
    gaussian = {"kind": "gaussian", "squared_mu": squared}
    if laws <= {"normal"}:
        return gaussian
    return pure if squared == "0" else {"kind": "together", "parts": [pure, gaussian]}


def _releases(ledgers: Sequence[Sequence[Item]]) -> list[dict[str, Any]]:
    """Return each call that drew noise with the most that it costs on any path."""
    found: dict[str, tuple[list[Number], list[Number], set[str]]] = {}
    for items in ledgers:
        calls: dict[tuple[str, int], list[Item]] = {}
        for item in items:
            calls.setdefault((item.place, item.call), []).append(item)
        for (place, _), inside in calls.items():
            pure, squared, laws = found.setdefault(place, ([], [], set()))
            pure.append(spent.additive([i for i in inside if i.law not in spent.NORMAL]))
            squared.append(spent.squared_mu(inside))
            laws |= {item.law for item in inside}
    return [
        {
            "price": _price(_text(most(pure)), _text(most(squared)), laws),
            "rule": _OF_LAW[min(laws)],
            "place": place,
            "noise": place,
        }
        for place, (pure, squared, laws) in found.items()
    ]
