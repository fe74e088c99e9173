"""What alignment hands over: a proof for every length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Obligation:
    """A formula whose unsatisfiability is one step of the proof, for any solver."""

    name: str
    smtlib: str
    result: str = "unsat"

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON-able values."""
        return {
            "name": self.name,
            "smtlib": self.smtlib,
            "expected": "unsat",
            "result": self.result,
        }


@dataclass(frozen=True, slots=True)
class AlignedDraw:
    """By how much one draw moves on one path.

    Attributes
    ----------
    family, scale : str
        The noise.
    file, line : str and int
        Where it is drawn.
    where : str
        On which path.
    shift : str
        In the changes Δ of data and variables; the second run's noise less the first's.
    """

    family: str
    scale: str
    file: str
    line: int
    where: str
    shift: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        return {
            "family": self.family,
            "scale": self.scale,
            "file": self.file,
            "line": self.line,
            "where": self.where,
            "shift": self.shift,
        }


@dataclass(frozen=True, slots=True)
class RelationProof:
    """The proof for one way to be neighbors.

    Attributes
    ----------
    relation : str
    alignment : tuple of AlignedDraw
    invariant : dict of str to tuple of str
        What holds at the head of each loop.
    obligations : tuple of Obligation
    heads, paths
        Invariant and alignment for a machine, see `forms`.
    """

    relation: str
    alignment: tuple[AlignedDraw, ...]
    invariant: Mapping[str, tuple[str, ...]]
    obligations: tuple[Obligation, ...]
    heads: Mapping[str, Any]
    paths: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        return {
            "relation": self.relation,
            "alignment": [draw.to_dict() for draw in self.alignment],
            "invariant": {loop: list(held) for loop, held in self.invariant.items()},
            "obligations": [obligation.to_dict() for obligation in self.obligations],
            "heads": dict(self.heads),
            "paths": self.paths,
        }


@dataclass(frozen=True, slots=True)
class AlignmentProof:
    """The claim holds, for data of every length.

    Attributes
    ----------
    claim : str
    epsilon : str
        The privacy loss that the alignment costs at most, exactly.
    unit : str
        What costs are counted in, in nats.
    parameters : tuple of (str, bool, bool)
        Parameters without a value: whether each is taken for whole, and for positive.
    relations : tuple of RelationProof
    assumptions : tuple of str
    solver : str
    seconds : float
    """

    claim: str
    epsilon: str
    unit: str
    parameters: tuple[tuple[str, bool, bool], ...]
    relations: tuple[RelationProof, ...]
    assumptions: tuple[str, ...]
    solver: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        return {
            "kind": "alignment",
            "claim": self.claim,
            "epsilon": self.epsilon,
            "unit": self.unit,
            "parameters": [
                {"name": name, "whole": whole, "positive": positive}
                for name, whole, positive in self.parameters
            ],
            "relations": [relation.to_dict() for relation in self.relations],
            "assumptions": list(self.assumptions),
            "solver": self.solver,
            "seconds": self.seconds,
        }
