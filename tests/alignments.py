"""Programs given to the prover by alignment: what comes of them, and their certificates."""

from __future__ import annotations

import json
import math

from dpaudit import PureDP, QueryAnswers
from dpaudit.checker.alignment import followed
from dpaudit.checker.file import IDEALIZED, SAME_CODE, Work
from dpaudit.formal.alignment.proof import AlignmentProof
from dpaudit.formal.alignment.prove import prove_by_alignment
from dpaudit.formal.alignment.system import System
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.clock import now
from dpaudit.formal.counterexample import refute
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

PURE, ALL = PureDP(1.0), QueryAnswers(4)


def outcome(mechanism, neighbors=ALL, claim=PURE, seconds=60.0):
    """Return the proof, or the text of why there is none."""
    try:
        program = lift(mechanism)
        return prove_by_alignment(program, claim, neighbors, deadline=now() + seconds)
    except Unsupported as error:
        return str(error)


def is_aligned(mechanism, neighbors=ALL, claim=PURE, seconds=60.0):
    """Return whether there is a proof."""
    return isinstance(outcome(mechanism, neighbors, claim, seconds), AlignmentProof)


def refuted(mechanism, claim, neighbors):
    """Return the counterexample that running a program on its noise as symbols finds."""
    return refute(lift(mechanism), claim, neighbors, mechanism, deadline=now() + 60)


def certificate(mechanism, claim=PURE, neighbors=ALL):
    """Return what a file of the certificate holds."""
    program = lift(mechanism)
    proof = prove_by_alignment(program, claim, neighbors, deadline=now() + 120)
    made = Certificate(
        kind="alignment",
        subject={"mechanism": "m:f", "claim": str(claim), "neighbors": str(neighbors)},
        program=to_dict(program),
        sources=program.sources,
        proof=proof.to_dict(),
        assumptions=tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *proof.assumptions))),
    )
    return json.loads(json.dumps(made.to_dict()))


def system(mechanism):
    """Return all paths of a mechanism, as the search sees them."""
    written = json.loads(json.dumps(to_dict(lift(mechanism))))
    return System(followed(written, frozenset(), "array", Work(math.inf)))
