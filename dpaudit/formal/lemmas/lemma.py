"""What a lemma says, and a price that it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.formal.price.notions import Approximate, Pure


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

    def to_dict(self) -> dict[str, Any]:
        """Return the lemma as JSON-able values."""
        return {
            "name": self.name, "statement": self.statement, "source": self.source,
            "requires": list(self.requires),
        }  # fmt: skip

    @property
    def assumption(self) -> str:
        """How a certificate lists it."""
        return f"the lemma on {self.name} ({self.source}): {self.statement}"


@dataclass(frozen=True, slots=True)
class Application:
    """A lemma with the price that it gives here.

    Attributes
    ----------
    lemma : Lemma
    price : Pure or Approximate
    numbers : dict of str to str
        Of the statement: what they are here.
    """

    lemma: Lemma
    price: Pure | Approximate
    numbers: dict[str, str]
