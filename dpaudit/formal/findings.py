"""Why a program has no price: the violation that would explain it, and its line."""

from __future__ import annotations

from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported


class Unpaid(Unsupported):
    """A private value leaves without a price. It is a suspicion, not a refutation.

    Attributes
    ----------
    id : str
        ``DPA…``.
    noise : Place or None
        The noise call that it belongs to.
    """

    def __init__(self, id: str, what: str, place: Place, noise: Place | None = None) -> None:
        super().__init__(what, place)
        self.id = id
        self.noise = noise
