"""The check of a proof: a report says VERIFIED only where the checker accepted the certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.evidence import DEFECT, Evidence, ProofCheck, Verdict
from dpaudit.spared import spared

_NONE = "the engine handed out no certificate that the checker reads"


def with_check(
    evidence: Evidence, claim: Any = None, neighbors: Any = None, mechanism: Any = None
) -> Evidence:
    """Return evidence that says VERIFIED only where the checker accepts its certificate.

    Parameters
    ----------
    evidence : Evidence
        Of any engine; only VERIFIED is looked at, and what was accepted already is not checked
        again.
    claim, neighbors : Claim and Neighbors, optional
        What was to be proved: the certificate must say the same. A derivation has none.
    mechanism : callable or Subject, optional
        What was to be proved private: the certificate must hold its program.

    Returns
    -------
    Evidence
        VERIFIED with `checked`, or no verdict and the reason.
    """
    checked = evidence.checked
    if evidence.verdict is not Verdict.VERIFIED or (checked is not None and checked.accepted):
        return evidence
    checked = proof_check(evidence.certificate, claim, neighbors, mechanism)
    if checked.accepted:
        return replace(evidence, checked=checked)
    return replace(
        evidence,
        verdict=None,
        reason=checked.reason,
        certificate=None,
        assumptions=(),
        notes=(*evidence.notes, checked.reason),
    )


def proof_check(certificate: Any, claim: Any, neighbors: Any, mechanism: Any) -> ProofCheck:
    """Return what the checker says of a certificate, and why it does not accept it.

    Parameters
    ----------
    certificate : Certificate or other
        Of any engine.
    claim, neighbors, mechanism
        As for `with_check`.

    Returns
    -------
    ProofCheck
    """
    if not hasattr(certificate, "to_dict"):
        return ProofCheck(False, f"a proof was found, and {_NONE}")
    failures: list[str] = []
    what = "the check of the certificate"
    asked = spared(what, lambda: _asked(certificate, claim, neighbors, mechanism), failures, None)
    if asked is not None:
        return asked
    return ProofCheck(False, f"a proof was found, and {failures[0]}")


def _asked(certificate: Any, claim: Any, neighbors: Any, mechanism: Any) -> ProofCheck:
    from dpaudit.checker import check
    from dpaudit.checker.file import NOT_CHECKED
    from dpaudit.neighbors import Around

    base = neighbors.base if isinstance(neighbors, Around) else None
    content = certificate.to_dict()
    found = check(content, mechanism=mechanism, base=base)
    why = found.reason
    if found.accepted:
        why = _other_statement(content, claim, neighbors)
        if not why:
            return ProofCheck(True, trusted=found.trusted)
    elif not found.decided:
        unread = why.removeprefix(NOT_CHECKED)
        return ProofCheck(False, f"a proof was found that the checker cannot follow: {unread}")
    rejected = "a proof was found, and the checker rejected its certificate"
    return ProofCheck(False, f"{rejected}: {why}. {DEFECT}")


def _other_statement(content: dict[str, Any], claim: Any, neighbors: Any) -> str:
    """Return what of a certificate's statement is not what was asked, empty where all is."""
    for name, asked in (("claim", claim), ("neighbors", neighbors)):
        stated = content["subject"].get(name)
        if asked is not None and stated != str(asked):
            return f"`subject.{name}` is {stated!r:.100}, and {str(asked)!r:.100} was asked"
    return ""
