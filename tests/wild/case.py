"""A case: one mechanism of somebody else's code, what it promises, and whether that is true."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpaudit.claims import Claim
from dpaudit.neighbors import Neighbors


@dataclass(frozen=True, slots=True)
class Broken:
    """Two neighboring datasets and an event that break the claim, found by hand.

    Attributes
    ----------
    left, right : Any
        The datasets; the event is too likely on the left one.
    event : callable
        Of the output; an exception that the mechanism raises is its output.
    p, q : float
        The event's probabilities, computed by hand or by quadrature.
    ids : tuple of str
        Kinds of violation that name the defect; the first one is the most specific.
    cause : str
        A part of the line that forms what costs too much.
    logged : bool
        Whether the event is one of the text that is logged, not of the return value.
    """

    left: Any
    right: Any
    event: Callable[[Any], bool]
    p: float
    q: float
    ids: tuple[str, ...]
    cause: str
    logged: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One mechanism with its wiring and its label.

    Attributes
    ----------
    mechanism : callable
        ``(data)`` or ``(data, rng)``.
    claim : Claim
    neighbors : Neighbors
    label : Broken or str
        A counterexample, or why the claim holds.
    constructs : tuple of str
        What of the code dpaudit's own mechanisms do not look like.
    """

    mechanism: Callable[..., Any]
    claim: Claim
    neighbors: Neighbors
    label: Broken | str
    constructs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Module and function, without the folder; of a session with whose it is."""
        function = self.mechanism
        made = f"{function.__module__.rpartition('.')[2]}:{function.__name__}"
        return made if self._written is function else f"{made} of {self._written.__name__}"

    @property
    def source(self) -> str:
        """The text of the module that the mechanism is written in."""
        return inspect.getsource(sys.modules[self._written.__module__])

    @property
    def _written(self) -> Callable[..., Any]:
        """The mechanism; of a session the factory of what it asks."""
        return inspect.getclosurevars(self.mechanism).nonlocals.get("factory", self.mechanism)

    @property
    def sound(self) -> bool:
        """Whether the claim holds."""
        return isinstance(self.label, str)
