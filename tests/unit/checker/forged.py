"""Writes certificates as somebody would who wants a false claim to be accepted."""

import json

from dpaudit.checker.cost import conclude
from dpaudit.checker.cost.statement import neighbors_of
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import RejectedError, Work
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.description import around
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.reference import reference
from dpaudit.subject import Subject

IDEAL = ("numbers are real, and draws are independent and have exactly their stated distributions",)
FIRST = (
    *IDEAL,
    "the source that was read is the code that runs",
)


def forged(mechanism, claim, neighbors):
    """Return a certificate of the claim, whether it holds or not."""
    subject = Subject.of(mechanism)
    program = json.loads(json.dumps(to_dict(lift(subject))))
    assumed = (*neighbors.assumptions(), *IDEAL)
    proof = {
        "kind": "cost",
        "claim": claim.to_dict(),
        **_told(program, claim, neighbors),
        "assumptions": list(assumed),
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
        assumptions=tuple(dict.fromkeys((*FIRST, *assumed))),
    )
    return json.loads(json.dumps(made.to_dict()))


def _told(program, claim, neighbors):
    """Return what a true certificate tells; where there is none, what a forger would write."""
    work = Work(float("inf"))
    try:
        described = neighbors_of({"neighbors": str(neighbors), **around(neighbors)}, work)
        with precisely():
            return conclude(program, claim, described, work).to_dict()
    except (RejectedError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return {"spent": "1", "allowed": "1", "rule": "sums of epsilon", "releases": []}
