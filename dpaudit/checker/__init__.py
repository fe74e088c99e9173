"""Checks what engines hand over with a verdict, and uses no code of what made it.

Proofs by cost, by lemma, by exact distributions and by alignment, and bounds of queries, are found
by the evaluators of this package as well: the engine asks them for a conclusion
(`dpaudit.formal.conclusion`, `dpaudit.formal.sensitivity_analysis`), or for what must hold of two
runs (`dpaudit.formal.alignment`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from dpaudit.checker.file import (
    ALIKE,
    PROOFS,
    Document,
    NotCheckedError,
    RejectedError,
    Work,
    digest,
    loaded,
    read,
)
from dpaudit.checker.floats import KINDS, validate_floats
from dpaudit.checker.lifted import compared
from dpaudit.checker.limits import BUDGET, now
from dpaudit.checker.named import named
from dpaudit.checker.proofs import SolverProof, validated
from dpaudit.subject import Subject

__all__ = ["Checked", "SolverProof", "attached", "check"]

RULES = (
    "dpaudit's rules of proof and its analysis of rounding, which the prover uses too, and Python "
    "and NumPy"
)
# Each has `check(document, work)`, which returns what it took on trust, or raises.
_MODULES = {
    "alignment": "dpaudit.checker.alignment",
    "cost": "dpaudit.checker.cost",
    "derivation": "dpaudit.checker.derivation",
    "evidence": "dpaudit.checker.evidence",
    "exact": "dpaudit.checker.exact.certificate",
    "lemma": "dpaudit.checker.lemma",
    "sensitivity": "dpaudit.checker.sensitivity",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a certificate.

    Attributes
    ----------
    accepted : bool
        Whether what it says is proved of the code at hand, but for `trusted`.
    reason : str
        Why it is not accepted, naming the field or the step; empty where it is.
    trusted : tuple of str
        What was taken on trust.
    seconds : float
    kind : str
        Which rules the proof follows; empty where that cannot be read.
    decided : bool
        False where the certificate could not be checked, so that nothing is known of it.
    solver_proofs : tuple of SolverProof
        What cvc5 says for each obligation that it was asked about, where that was wanted and it
        emits one; see `attached`.
    says : tuple of str
        What the certificate says, where that is not plainly that a claim is proved.
    proved : bool
        Whether the proof is right of the program that the certificate holds, whosever that is.
    theorem : str
        What is proved, where the proof is right; empty for derivations and evidence.
    assumptions : tuple of str
        Under which it is proved.
    """

    accepted: bool
    reason: str
    trusted: tuple[str, ...]
    seconds: float
    kind: str = ""
    decided: bool = True
    solver_proofs: tuple[SolverProof, ...] = ()
    says: tuple[str, ...] = ()
    proved: bool = False
    theorem: str = ""
    assumptions: tuple[str, ...] = ()

    @property
    def rejected(self) -> bool:
        """Whether the certificate proves nothing, or not of this code."""
        return not self.accepted and self.decided

    @property
    def not_checked(self) -> bool:
        """Whether nothing is known of the certificate, or not all of it."""
        return not self.decided


def check(
    certificate: Mapping[str, Any] | str | Path,
    *,
    mechanism: Callable[..., Any] | str | Subject | None = None,
    source: bool | str | Path = True,
    timeout: float | None = None,
    proofs: bool = False,
    base: Any = None,
) -> Checked:
    """Check a certificate without trusting the prover.

    Parameters
    ----------
    certificate : mapping, str or Path
        A file that `Certificate.save` wrote, or what `Certificate.to_dict` returns.
    mechanism : callable, str or Subject, optional
        The code that the certificate is to be about, and that may be run; ``"module:function"`` is
        imported. Nothing that the file names is imported or called without it.
    source : bool, str or Path
        Where no `mechanism` is given: whether the module that the certificate names is read as text
        from the path of Python, or the file that holds it. False compares with nothing.
    timeout : float, optional
        A limit in seconds of real time. Unless given, steps of work alone end the check, about
        those of 60 seconds on a quiet machine.
    proofs : bool
        Whether to ask cvc5 for its own proofs of the obligations that it is asked about.
    base : DataFrame, Series or ndarray, optional
        The records around which the proof was made (`AddRemove.around`), where they are at hand:
        what the certificate says of them is compared with them, else taken on trust.

    Returns
    -------
    Checked

    Raises
    ------
    OSError
        Where the file cannot be read.
    ValueError
        Where `timeout` is not positive.
    """
    given = BUDGET if timeout is None else timeout
    if isinstance(given, bool) or not (given > 0 and math.isfinite(given)):
        raise ValueError(f"`timeout` must be positive, got {timeout!r}; 60.0 seconds is usual")
    start = now()
    kind, decided, reason, theorem = "", True, "", ""
    trusted: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    deadline = math.inf if timeout is None else start + timeout
    file = source if isinstance(source, bool) else Path(source)
    work = Work(deadline, file, [] if proofs else None, base=base, steps=given)
    proved = False
    try:
        document = read(certificate)
        kind = document.kind
        kept = validated(document.solver_proofs)
        if base is not None and "around" not in document.subject:
            raise NotCheckedError("not checked: `base` is given for a proof around no records")
        work.mechanism = None if mechanism is None else named(mechanism)
        trusted = (*_checker(kind)(document, work), *_alike(document), *kept)
        trusted = (*trusted, *validate_floats(document))
        if kind in KINDS:
            trusted = (*trusted, RULES)
        proved, theorem, assumptions = True, _theorem(document), document.assumptions
        trusted = (*trusted, *compared(document, work))
    except NotCheckedError as error:
        decided, reason = False, str(error)
    except RejectedError as error:
        reason = str(error)
    except (RecursionError, MemoryError) as error:
        decided, reason = False, f"not checked: {type(error).__name__}; it is nested too deeply"
    except OSError:
        raise
    except Exception as error:  # whatever a file makes the checker stumble over is no proof
        decided, reason = False, f"not checked: {type(error).__name__}: {error!s:.200}"
    seconds = now() - start
    found = tuple(work.proofs or ()) if proved else ()
    says = tuple(work.says) if proved else ()
    ended = (not reason, reason, trusted, seconds, kind, decided, found, says, proved)
    return Checked(*ended, theorem, assumptions)


def attached(
    certificate: Mapping[str, Any] | str | Path, proofs: Sequence[SolverProof]
) -> dict[str, Any]:
    """Return a certificate that holds a solver's proofs, in the place of those that it held.

    Parameters
    ----------
    certificate : mapping, str or Path
        As for `check`, which must have accepted it.
    proofs : sequence of SolverProof
        `Checked.solver_proofs`.

    Returns
    -------
    dict
        As JSON, with the digest that fits.
    """
    content = loaded(certificate)
    content = {name: value for name, value in content.items() if name not in ("digest", PROOFS)}
    if proofs:
        content[PROOFS] = [proof.to_dict() for proof in proofs]
    return {**content, "digest": digest(content)}


def _theorem(document: Document) -> str:
    """Return what a certificate proves, as one sentence."""
    subject = document.subject
    if document.kind in KINDS:
        return f"{subject['mechanism']} keeps {subject['claim']} for {subject['neighbors']}"
    if document.kind == "sensitivity":
        bound = f"one record changes {subject['query']} by at most {subject['bound']}"
        return f"{bound} in the {subject['norm']} norm, for {subject['neighbors']}"
    return ""


def _checker(kind: str) -> Callable[[Document, Work], tuple[str, ...]]:
    name = _MODULES[kind]
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if missing == "cvc5":
            remedy = "install it with: pip install cvc5"
            raise NotCheckedError(f"not checked: cvc5 is not installed; {remedy}") from None
        if missing.startswith("dpaudit"):
            raise NotCheckedError(f"not checked: certificates of the kind {kind!r}") from None
        raise NotCheckedError(f"not checked: {missing} is not installed; install it") from None
    found: Callable[[Document, Work], tuple[str, ...]] = module.check
    return found


def _alike(document: Document) -> tuple[str, ...]:
    """Return what is trusted of a mechanism marked as vectorized: its proof is of one output.

    Its size stands between the data and the generator, and is fixed at 1.
    """
    program = document.program
    if program is None or program["rng"] is None:
        return ()
    names = program["entry"]["parameters"]
    place = names.index(program["rng"])
    sizes = names[names.index(program["data"]) + 1 : place]
    drawn_at_once = any(
        name in program["fixed"] and name not in program["entry"]["defaults"] for name in sizes
    )
    return (ALIKE,) if drawn_at_once else ()
