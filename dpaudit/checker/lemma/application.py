"""A lemma, and its application to a program."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.lemma.closed import ZERO, Closed, closed


@dataclass(frozen=True, slots=True)
class Lemma:
    """A theorem about a mechanism whose noise, or whose test, depends on the data.

    Attributes
    ----------
    name : str
    statement : str
    source : str
        Paper and place.
    requires : tuple of str
        What is proved of the program before it is applied.
    """

    name: str
    statement: str
    source: str
    requires: tuple[str, ...]

    @property
    def assumption(self) -> str:
        """How a certificate lists it."""
        return f"the lemma on {self.name} ({self.source}): {self.statement}"


@dataclass(frozen=True, slots=True)
class Application:
    """What a lemma gives.

    Attributes
    ----------
    lemma : Lemma
    numbers : dict of str to Closed
        Of its statement: what they are here.
    epsilon, delta : Closed
    """

    lemma: Lemma
    numbers: dict[str, Closed]
    epsilon: Closed
    delta: Closed = ZERO


def alike(one: Any, other: Any) -> Any:
    """Return a number that both datasets share.

    Raises
    ------
    NotCheckedError
        Where they do not.
    """
    texts = [each.text if isinstance(each, Closed) else each for each in (one, other)]
    if texts[0] != texts[1]:
        raise NotCheckedError("not checked: a public number that neighbors do not share")
    return one


def exact(value: float | Fraction) -> Closed:
    """Return a number of a claim."""
    return closed(Fraction(value))
