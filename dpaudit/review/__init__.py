"""A dossier for a security review: what was checked, what was declared, and what is open."""

from dpaudit.review.dossier import dossier
from dpaudit.review.hazards import HAZARDS, Hazard

__all__ = ["HAZARDS", "Hazard", "dossier"]
