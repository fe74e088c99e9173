"""What is suspected and not certified: pairs of datasets."""

from __future__ import annotations

from dpaudit.evidence import Suspect
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported


class Unconfirmed(Unsupported):
    """Datasets on which the program breaks the claim, but the code did not do what was read.

    Attributes
    ----------
    suspects : tuple of Suspect
        Worth trying first by engines that run the code.
    """

    def __init__(self, what: str, place: Place | None, suspects: tuple[Suspect, ...]) -> None:
        super().__init__(what, place)
        self.suspects = suspects
