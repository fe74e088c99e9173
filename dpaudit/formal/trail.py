"""What a walk through a program leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.formal.domain import Value
from dpaudit.formal.program import Place

if TYPE_CHECKING:
    from dpaudit.formal.hooks import Hooks


@dataclass(frozen=True, slots=True)
class Step:
    """One rule that was applied: a line of a derivation."""

    rule: str
    place: Place
    says: str
    result: Any = None


@dataclass(frozen=True, slots=True)
class Hazard:
    """Something that a bound leaves out: the code may raise on one dataset and not on another."""

    what: str
    place: Place


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a test on values that both runs share."""

    test: Any
    outcome: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program, by the outcomes of its public tests."""

    value: Value
    place: Place
    decisions: tuple[Decision, ...]
    conditions: tuple[tuple[Any, Place], ...]
    hazards: tuple[Hazard, ...]
    steps: tuple[Step, ...]
    hooks: Hooks
    raised: bool = False
