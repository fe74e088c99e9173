"""The kernel: the only code that can make a `Theorem`, by replaying a written derivation.

Order of imports: numbers, relations, dataset, rules, costs, theorem. It checks and does not search:
of the rest of dpaudit it imports Core's language, and the claims and neighbors that a statement is
about. `docs/kernel.md` lists its rules and what is trusted.
"""

from __future__ import annotations

from dpaudit.kernel.numbers import Refusal
from dpaudit.kernel.theorem import Step, Theorem, prove

__all__ = ["Refusal", "Step", "Theorem", "prove"]
