"""The check of a proof: its certificate goes to the checker before a report says VERIFIED."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.evidence import Evidence, ProofCheck, Verdict

FAULT = "This is a fault of dpaudit; please report it with the mechanism's source"
_NONE = "the engine handed out no certificate"


def with_check(evidence: Evidence, neighbors: Any = None) -> Evidence:
    """Return evidence with what the checker says of its proof.

    Parameters
    ----------
    evidence : Evidence
        Of any engine; only VERIFIED is looked at.
    neighbors : Neighbors, optional
        Those of the proof: the records around which it was made are compared.

    Returns
    -------
    Evidence
        VERIFIED with `checked` where the certificate is accepted, or where the checker could not
        decide. No verdict where the checker rejects the certificate.
    """
    if evidence.verdict is not Verdict.VERIFIED:
        return evidence
    if evidence.certificate is None:
        return replace(evidence, checked=ProofCheck(False, _NONE))
    from dpaudit.checker import check
    from dpaudit.neighbors import Around

    base = neighbors.base if isinstance(neighbors, Around) else None
    found = check(evidence.certificate.to_dict(), base=base)
    if found.accepted:
        return replace(evidence, checked=ProofCheck(True, trusted=found.trusted))
    if not found.decided:
        return replace(evidence, checked=ProofCheck(False, found.reason))
    reason = f"a proof was found, and the checker rejected its certificate: {found.reason}. {FAULT}"
    return replace(
        evidence,
        verdict=None,
        reason=reason,
        certificate=None,
        assumptions=(),
        notes=(*evidence.notes, reason),
    )
