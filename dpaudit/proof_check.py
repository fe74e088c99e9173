"""The check of a proof: its certificate goes to the checker before a report says VERIFIED."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.evidence import Evidence, ProofCheck, Verdict
from dpaudit.spared import spared

FAULT = "This is a fault of dpaudit; please report it with the mechanism's source"
_NONE = "the engine handed out no certificate that the checker reads"


def with_check(
    evidence: Evidence, claim: Any = None, neighbors: Any = None, mechanism: Any = None
) -> Evidence:
    """Return evidence with what the checker says of its proof.

    Parameters
    ----------
    evidence : Evidence
        Of any engine; only VERIFIED is looked at.
    claim, neighbors : Claim and Neighbors, optional
        What was to be proved: the certificate must say the same. A derivation has none.
    mechanism : callable or Subject, optional
        What was to be proved private: the certificate must hold its program.

    Returns
    -------
    Evidence
        VERIFIED with `checked` where the certificate is accepted, or where the checker could not
        decide. No verdict where the checker rejects the certificate.
    """
    if evidence.verdict is not Verdict.VERIFIED:
        return evidence
    if not hasattr(evidence.certificate, "to_dict"):
        return replace(evidence, checked=ProofCheck(False, _NONE))
    failures: list[str] = []
    what = "the check of the certificate"
    asked = spared(what, lambda: _asked(evidence, claim, neighbors, mechanism), failures, None)
    if asked is not None:
        return asked
    notes = (*evidence.notes, *failures)
    return replace(evidence, checked=ProofCheck(False, failures[0]), notes=notes)


def _asked(evidence: Evidence, claim: Any, neighbors: Any, mechanism: Any) -> Evidence:
    """Return evidence with the answer of the checker."""
    from dpaudit.checker import check
    from dpaudit.neighbors import Around

    base = neighbors.base if isinstance(neighbors, Around) else None
    content = evidence.certificate.to_dict()
    found = check(content, mechanism=mechanism, base=base)
    why = found.reason
    if found.accepted:
        why = _other_statement(content, claim, neighbors)
        if not why:
            return replace(evidence, checked=ProofCheck(True, trusted=found.trusted))
    elif not found.decided:
        return replace(evidence, checked=ProofCheck(False, found.reason))
    reason = f"a proof was found, and the checker rejected its certificate: {why}. {FAULT}"
    return replace(
        evidence,
        verdict=None,
        reason=reason,
        certificate=None,
        assumptions=(),
        notes=(*evidence.notes, reason),
    )


def _other_statement(content: dict[str, Any], claim: Any, neighbors: Any) -> str:
    """Return what of a certificate's statement is not what was asked, empty where all is."""
    for name, asked in (("claim", claim), ("neighbors", neighbors)):
        stated = content["subject"].get(name)
        if asked is not None and stated != str(asked):
            return f"`subject.{name}` is {stated!r:.100}, and {str(asked)!r:.100} was asked"
    return ""
