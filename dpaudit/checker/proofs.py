"""cvc5's own proofs of obligations, as a certificate holds them for others to replay."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dpaudit.checker.file import RejectedError, fields
from dpaudit.checker.limits import limit

FORMAT = "CPC"  # cvc5's own format, which the checker Ethos replays
LONGEST = 65_536  # characters that are kept; of a longer proof the digest is
_RULE = re.compile(r":rule ([a-z0-9_]+)")
_FIELDS = {
    "obligation": str,
    "solver": str,
    "format": str,
    "text": str | None,
    "characters": int,
    "sha256": str,
    "steps": int,
    "trusted": dict,
}
KEPT = "the solver's proofs in the file were not replayed; each obligation was decided anew"


@dataclass(frozen=True, slots=True)
class SolverProof:
    """A proof that a solver emitted.

    Attributes
    ----------
    obligation : str
        What is proved.
    solver : str
        Name and version.
    format : str
    text : str or None
        None where it is longer than `LONGEST`.
    characters : int
    sha256 : str
        Of the text in UTF-8.
    steps : int
    trusted : dict of str to int
        Rules that the solver itself takes on trust, and how often.
    """

    obligation: str
    solver: str
    format: str
    text: str | None
    characters: int
    sha256: str
    steps: int
    trusted: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as a certificate holds it."""
        return asdict(self)


def emitted(obligation: str, formulas: Iterable[Any], manager: Any, seconds: float) -> SolverProof:
    """Return cvc5's proof that formulas contradict each other.

    Parameters
    ----------
    obligation : str
        What that proves.
    formulas : iterable of cvc5.Term
    manager : cvc5.TermManager
    seconds : float

    Raises
    ------
    LookupError
        Where it emits none in time.
    """
    import cvc5

    solver = _producing(cvc5.Solver(manager), seconds)
    solver.setLogic("ALL")
    for formula in formulas:
        solver.assertFormula(formula)
    return _read(solver, obligation, solver.checkSat().isUnsat())


def emitted_for(obligation: str, problem: str, seconds: float) -> SolverProof:
    """Return cvc5's proof that a problem in SMT-LIB, with one ``(check-sat)``, has no solution.

    Raises
    ------
    LookupError
        Where it emits none in time.
    """
    import cvc5

    solver = _producing(cvc5.Solver(), seconds)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, problem, "goal")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, parser.getSymbolManager()).strip() or said
    return _read(solver, obligation, said == "unsat")


def _producing(solver: Any, seconds: float) -> Any:
    solver.setOption("produce-proofs", "true")
    solver.setOption("proof-granularity", "dsl-rewrite")
    limit(solver, seconds)
    return solver


def _read(solver: Any, obligation: str, unsatisfiable: bool) -> SolverProof:
    import cvc5

    if not unsatisfiable:
        raise LookupError(f"cvc5 emits no proof of {obligation}")
    (proof,) = solver.getProof()
    text = solver.proofToString(proof, cvc5.ProofFormat.CPC)
    return of_text(obligation, f"cvc5 {cvc5.__version__}", text)


def of_text(obligation: str, solver: str, written: str | bytes) -> SolverProof:
    """Return a proof with what can be counted in its text."""
    text = written.decode() if isinstance(written, bytes) else written
    return SolverProof(
        obligation,
        solver,
        FORMAT,
        text if len(text) <= LONGEST else None,
        len(text),
        hashlib.sha256(text.encode()).hexdigest(),
        *_counted(text),
    )


def validated(found: Sequence[Any]) -> tuple[str, ...]:
    """Refuse proofs that are not what is said of them; return what is left to trust.

    Parameters
    ----------
    found : sequence
        As a certificate holds them.

    Raises
    ------
    RejectedError
    """
    for place, entry in enumerate(found):
        where = f"`solver_proofs[{place}]`"
        fields(entry, _FIELDS, where)
        text = entry["text"]
        if entry["format"] != FORMAT:
            raise RejectedError(f"{where} is of the format {entry['format']!r:.40}, not {FORMAT}")
        if text is None:
            _validate_left_out(entry, where)
        elif of_text(entry["obligation"], entry["solver"], text).to_dict() != entry:
            raise RejectedError(f"{where} is not what its text says")
    return (KEPT,) if found else ()


def _validate_left_out(entry: dict[str, Any], where: str) -> None:
    counts = entry["trusted"].values()
    numbers = [entry["steps"], *counts]
    if (
        entry["characters"] <= LONGEST
        or not re.fullmatch("[0-9a-f]{64}", entry["sha256"])
        or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in numbers)
        or sum(counts) > entry["steps"]
    ):
        raise RejectedError(f"{where} has no text, and is not what is said of one that is too long")


def _counted(text: str) -> tuple[int, dict[str, int]]:
    rules = Counter(_RULE.findall(text))
    trusted = {rule: n for rule, n in sorted(rules.items()) if rule.startswith("trust")}
    return sum(rules.values()), trusted
