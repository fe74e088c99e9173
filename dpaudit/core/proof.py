"""Proofs by the kernel: lowers the program, derives, and has the kernel replay the derivation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.claims import Claim
from dpaudit.core.evaluator import derive
from dpaudit.core.language import Data
from dpaudit.core.lowering import lower
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import Unsupported
from dpaudit.kernel import Refusal, Step, Theorem, prove
from dpaudit.neighbors import AddRemove, AnyPair, Neighbors, Pairs, QueryAnswers, ReplaceOne, Row

ASSUMPTIONS = (
    "draws are independent and have exactly their stated laws over the real numbers",
    "arithmetic is that of real numbers",
)


@dataclass(frozen=True, slots=True)
class CoreProof:
    """A theorem of the kernel.

    Attributes
    ----------
    theorem : Theorem
    assumptions : tuple of str
    """

    theorem: Theorem
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the derivation, written out."""
        return {
            "kind": "core",
            "claim": self.theorem.claim.to_dict(),
            "core": str(self.theorem.core).split("\n"),
            "steps": [step.to_dict() for step in self.theorem.steps],
            "spent": self.theorem.spent,
            "assumptions": list(self.assumptions),
        }


def data_of(neighbors: Any) -> Data:
    """Return the form of what a mechanism receives.

    Raises
    ------
    Unsupported
        Where the kernel has no rule for such neighbors.
    """
    if isinstance(neighbors, AddRemove | ReplaceOne):
        size = neighbors.size if isinstance(neighbors, ReplaceOne) else 0
        if neighbors.container == "array" and isinstance(neighbors.records, Row):
            return Data("table", neighbors.records.names, size=size)
        if neighbors.container == "array":
            return Data("array", size=size)
        if neighbors.container == "list" and not isinstance(neighbors.records, Row):
            return Data("list", size=size)
    if isinstance(neighbors, QueryAnswers) and neighbors.container == "array":
        return Data("vector", length=neighbors.length)
    if isinstance(neighbors, AnyPair | Pairs):
        return Data("scalar")
    raise Unsupported(f"the kernel has no rule for these {type(neighbors).__name__} neighbors")


def prove_by_core(
    program: Program,
    claim: Claim,
    neighbors: Neighbors,
    *,
    deadline: float = float("inf"),  # noqa: ARG001 - the number of steps is bounded
) -> CoreProof:
    """Prove a claim by the kernel's rules.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    deadline : float
        Is not needed: the number of steps is bounded.

    Raises
    ------
    Unsupported
        Where the program is not lowered, or no derivation is found.
    """
    core = lower(program, data_of(neighbors))
    try:
        theorem = prove(core, claim, neighbors, derive(core, neighbors))
    except Refusal as refusal:
        raise Unsupported(str(refusal)) from None
    return CoreProof(theorem, (*neighbors.assumptions(), *ASSUMPTIONS))


def replay(program: Program, claim: Any, neighbors: Any, steps: list[dict[str, Any]]) -> Theorem:
    """Return the theorem of a written derivation, for a program that was lifted anew.

    Raises
    ------
    Refusal
        Where the kernel does not accept it.
    Unsupported
        Where the program is not lowered.
    """
    written = [Step(str(s["rule"]), int(s["var"]), s["concludes"]) for s in steps]
    if any(step.concludes is None for step in written):
        raise Refusal("a step without a conclusion")
    return prove(lower(program, data_of(neighbors)), claim, neighbors, written)
