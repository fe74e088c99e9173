"""Proofs of programs, and whether one is right of the program in its certificate."""

from dataclasses import replace

import dpaudit.checker
from dpaudit.formal.attempts import rounding_of
from dpaudit.formal.lemma import prove_by_lemma
from dpaudit.formal.lift import lift


def proved_by_lemma(mechanism, claim, neighbors):
    """Return a proof by a lemma whose float obligations hold."""
    program = lift(mechanism)
    proof = prove_by_lemma(program, claim, neighbors)
    rounding_of(proof, program, claim, neighbors)
    return proof


def check(certificate, **options):
    """Check a certificate as the checker does, without comparing its program with any code.

    What it names is trusted here, as by a reader who names it.
    """
    mechanism = None if options.get("source") is False else _named(certificate)
    found = dpaudit.checker.check(certificate, **{"mechanism": mechanism, **options})
    return replace(found, accepted=True, decided=True, reason="") if found.proved else found


def _named(certificate):
    """Return the mechanism that an exact proof or evidence names, None where there is none."""
    if not isinstance(certificate, dict) or certificate.get("kind") not in ("exact", "evidence"):
        return None
    subject = certificate["subject"]
    name = subject.get("mechanism") if isinstance(subject, dict) else None
    return name if isinstance(name, str) else None
