"""What a variable may hold while a mechanism is followed with its noise unknown.

Numbers are `Poly`; ``True``, ``None``, texts and infinities are themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dpaudit.formal.alignment.poly import ONE, ZERO, Poly, Symbol


@dataclass(frozen=True, slots=True)
class Flag:
    """A truth value that an earlier iteration left: 1 or 0."""

    number: Poly


@dataclass(frozen=True, slots=True)
class Union:
    """A variable that may hold values of several kinds at the head of a loop.

    Attributes
    ----------
    tag : Symbol
        Which of `options` it is.
    options : tuple
        Values.
    """

    tag: Symbol
    options: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """What earlier iterations put into a list: known by its length and sum alone."""

    name: str
    length: Symbol
    total: Symbol


@dataclass(slots=True, eq=False)
class Items:
    """A list or tuple: what earlier iterations put in, and what this one did."""

    items: list[Any] = field(default_factory=list)
    prefix: Prefix | None = None


@dataclass(slots=True, eq=False)
class Array:
    """An array of known length."""

    items: list[Any]


@dataclass(frozen=True, slots=True)
class Noise:
    """A vector of independent draws, each of which is made where its entry is first used."""

    site: str
    sample: Callable[[], Any] = field(compare=False)
    loops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stream:
    """A vector as long as the data, known by what each entry is.

    Attributes
    ----------
    what : {"data", "noise", "index", "scalar", "name", "tuple", "apply"}
    function : str
        Canonical name of what is applied to the entries of `parts`.
    parts : tuple of Stream
    value : Any
        The scalar, the noise, or the first index.
    """

    what: str
    function: str = ""
    parts: tuple[Stream, ...] = ()
    value: Any = None

    def noises(self) -> tuple[Noise, ...]:
        """Return all vectors of draws in it."""
        own = (self.value,) if self.what == "noise" else ()
        return own + tuple(n for part in self.parts for n in part.noises())


@dataclass(frozen=True, slots=True)
class Scan:
    """A vector each entry of which needs those before it: running sums."""

    stream: Stream


@dataclass(frozen=True, slots=True)
class Rng:
    """The source of randomness."""


@dataclass(frozen=True, slots=True)
class Range:
    """``range(start, stop, step)``."""

    start: Poly
    stop: Poly
    step: Poly


def number(value: Any) -> Poly | None:
    """Return a value as a number, None where it is none."""
    if isinstance(value, Poly):
        return value
    if isinstance(value, bool):
        return ONE if value else ZERO
    return value.number if isinstance(value, Flag) else None
