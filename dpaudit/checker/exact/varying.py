"""Numbers of which there is one for each value of what is not known: a parameter, or a record."""

from __future__ import annotations

from typing import Any

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError


class Varying(Number):
    """A number that has no ball, and is no output; kinds of it allow what they can follow.

    Attributes
    ----------
    depends, shown_itself : str
        Why nothing else is followed, and why it is no output.
    """

    __slots__ = ()
    depends = "not checked: what the code does depends on what is not known"
    shown_itself = "not checked: an output that depends on what is not known"

    @property
    def residue(self) -> int | None:
        """Refuse: it has no value in the field."""
        raise NotCheckedError(self.depends)

    @property
    def ball(self) -> Any:
        """Refuse: it has no place."""
        raise NotCheckedError(self.depends)

    def __hash__(self) -> int:
        raise NotCheckedError(self.shown_itself)

    def __repr__(self) -> str:
        raise NotCheckedError(self.shown_itself)

    def exp(self) -> Number:
        """Refuse."""
        raise NotCheckedError(self.depends)

    def log(self) -> Number:
        """Refuse."""
        raise NotCheckedError(self.depends)

    def sqrt(self) -> Number:
        """Refuse."""
        raise NotCheckedError(self.depends)
