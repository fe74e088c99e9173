"""Writes certificates as somebody would who wants a false claim to be accepted."""

import json
from fractions import Fraction

from dpaudit.claims import ApproxDP, GaussianDP
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.description import around
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.reference import reference
from dpaudit.subject import Subject

IDEAL = (
    "draws are independent and have exactly their stated laws over the real numbers",
    "arithmetic is that of real numbers",
)
FIRST = (
    "numbers are real and noise is drawn exactly from its distribution",
    "the source that was read is the code that runs",
)
RULES = {
    "laplace": "Laplace mechanism",
    "normal": "Gaussian mechanism",
    "geometric": "geometric mechanism",
}


def forged(mechanism, claim, neighbors):
    """Return a certificate that tells of exactly the cost that the claim allows."""
    subject = Subject.of(mechanism)
    program = json.loads(json.dumps(to_dict(lift(subject))))
    price, told = _told(claim)
    assumed = (*neighbors.assumptions(), *IDEAL)
    releases = [
        {"price": price, "rule": RULES.get(family, "report noisy max"), "place": p, "noise": p}
        for p, family in sorted(draws(program["entry"]))
    ]
    proof = {
        "kind": "cost",
        "claim": claim.to_dict(),
        "price": price,
        "obligation": None,
        "releases": releases,
        "steps": [],
        "conditions": [],
        "assumptions": list(assumed),
        **told,
    }
    made = Certificate(
        kind="cost",
        subject={
            "mechanism": reference(subject.function),
            "claim": str(claim),
            "neighbors": str(neighbors),
            **around(neighbors),
        },
        program=program,
        sources=program["sources"],
        proof=proof,
        assumptions=(*FIRST, *assumed),
    )
    return json.loads(json.dumps(made.to_dict()))


def _told(claim):
    if isinstance(claim, GaussianDP):
        squared = str(Fraction(claim.mu) ** 2)
        rule = "sums of squares of mu"
        told = {"spent": squared, "allowed": squared, "rule": rule}
        return {"kind": "gaussian", "squared_mu": squared}, told
    epsilon = str(Fraction(claim.epsilon))
    rule = "sums of epsilon and of delta" if isinstance(claim, ApproxDP) else "sums of epsilon"
    price = {"kind": "pure", "epsilon": epsilon, "parts": [], "laplace": True}
    return price, {"spent": epsilon, "allowed": epsilon, "rule": rule}


def draws(node):
    """Yield the place and the family of every draw of a program."""
    if isinstance(node, list):
        for item in node:
            yield from draws(item)
    elif isinstance(node, dict):
        if node.get("kind") == "Draw":
            yield node["place"], node["family"]
        for item in node.values():
            yield from draws(item)
