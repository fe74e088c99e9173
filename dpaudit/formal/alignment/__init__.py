"""Randomness alignment: adaptive mechanisms proved for every length, or refuted exactly."""

from dpaudit.formal.alignment.proof import AlignmentProof, AlignmentRefutation
from dpaudit.formal.alignment.prove import prove_by_alignment

__all__ = ["AlignmentProof", "AlignmentRefutation", "prove_by_alignment"]
