"""What the formal engine says where it does not understand, instead of a guess."""

from __future__ import annotations

from dpaudit.evidence import Suspect
from dpaudit.formal.program import Place


class Unsupported(Exception):  # noqa: N818 - it is no error of the program that was read
    """A construct that the formal engine does not reason about.

    Attributes
    ----------
    what : str
        What it is, in words.
    place : Place or None
        Where it is written; None where the source itself is missing.
    understood : tuple of int
        Lines of the releases that were understood before.
    violation : str
        The id of what would explain a refutation, empty where nothing is seen.
    """

    understood: tuple[int, ...] = ()
    violation = ""

    def __init__(self, what: str, place: Place | None = None) -> None:
        super().__init__(what, place)
        self.what = what
        self.place = place

    def __str__(self) -> str:
        return self.what if self.place is None else f"{self.place}: {self.what}"


class OutOfScope(Unsupported):
    """A way of reasoning is about other programs, which is no reason that anyone asks for."""


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
