"""Exact distributions of mechanisms, what is decided by them, and certificates that tell of it."""

import copy
import json
import math

from dpaudit.checker.exact.laws import finite, law_of
from dpaudit.checker.exact.mechanism import Mechanism
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import Work
from dpaudit.checker.program import validated
from dpaudit.formal.clock import now
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.exact import ExactProof, prove_exact
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject
from tests.unit.checker.mutations import sealed

UNLIMITED = Work(math.inf)


def program_of(mechanism):
    """Return the lifted program as certificates hold it."""
    program = json.loads(json.dumps(to_dict(lift(mechanism))))
    return validated(program, program["sources"], repeated=True, iterators=True)


def law_on(mechanism, data, steps=math.inf):
    """Return the distribution of the output on a dataset, tails without bound apart."""
    work = Work(math.inf, steps=steps)
    made = Mechanism(program_of(mechanism), work)
    with precisely():
        found = law_of(made.runner(data), work)
        made.validate_unchanged()
    return found


def laws(mechanism, datasets):
    """Return the chances of outputs on datasets, far ones of noise without bound together."""
    with precisely():
        return finite(law_on(mechanism, data) for data in datasets)


def law(mechanism, data):
    """Return the chances of outputs on a dataset, far ones of noise without bound together."""
    (found,) = laws(mechanism, [data])
    return found


def decide(mechanism, claim, neighbors, seconds=60.0):
    """Return the proof or the refutation by exact distributions."""
    return prove_exact(lift(mechanism), claim, neighbors, deadline=now() + seconds)


def certificate(mechanism, claim, neighbors):
    """Return the certificate of a proof by exact distributions, as JSON holds it."""
    subject, program = Subject.of(mechanism), lift(mechanism)
    proof = prove_exact(program, claim, neighbors, deadline=now() + 60)
    assert isinstance(proof, ExactProof)
    made = certificate_of(subject, claim, neighbors, program, proof).to_dict()
    return json.loads(json.dumps(made))


def claimed(found, claim):
    """Return a certificate that says the same of another claim."""
    found = copy.deepcopy(found)
    found["subject"]["claim"] = str(claim)
    found["proof"]["claim"] = claim.to_dict()
    return sealed(found)


def of_another(found, mechanism):
    """Return a certificate that says the same of another mechanism, with its true program."""
    found, program = copy.deepcopy(found), program_of(mechanism)
    found["program"], found["sources"] = program, program["sources"]
    name = mechanism if isinstance(mechanism, str) else reference_of(mechanism)
    found["subject"]["mechanism"] = name
    return sealed(found)


def reference_of(mechanism):
    """Return the name by which a certificate names a mechanism."""
    from dpaudit.reference import reference

    return reference(Subject.of(mechanism).function)
