"""Directions of a claim: the loss when a record is removed, and the loss when it is added.

A claim binds both ways, so its region is symmetric. After sampling the two losses differ, and the
larger of both at every step adds up to more than either sum: they are composed apart.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, runtime_checkable

from dpaudit.claims.region import Claim
from dpaudit.claims.rounding import Array

Direction = Literal["remove", "add"]
DIRECTIONS: tuple[Direction, Direction] = ("remove", "add")


@runtime_checkable
class Directed(Protocol):
    """A profile that knows its dominating pair for each direction."""

    def directed(self, epsilon: Array, direction: Direction) -> Array:
        """Return ``sup p - exp(epsilon) q`` over events for one direction, rounded up."""

    @property
    def relation(self) -> str | None:
        """The relation of the datasets; None where it stands for any."""


def directed_function(claim: Claim) -> Directed | None:
    """Return the directed profile that a claim carries, or None where both directions agree."""
    function: Any = getattr(claim, "function", None)
    return function if isinstance(function, Directed) else None


def directed_delta(claim: Claim, epsilon: Array, direction: Direction) -> Array:
    """Return the profile of one direction, rounded up.

    Parameters
    ----------
    claim : Claim
    epsilon : ndarray of float
        Any real numbers (nats).
    direction : {"remove", "add"}

    Returns
    -------
    ndarray of float
    """
    function = directed_function(claim)
    return claim.delta(epsilon) if function is None else function.directed(epsilon, direction)
