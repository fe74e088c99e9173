"""A rule: what it says, an example of either side, and how it looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from dpaudit.static.facts import Facts, Place

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a rule complains about.

    Attributes
    ----------
    place : Place
        The cause.
    message : str
        In a sentence that begins small.
    level : {"error", "warning"}
    related : tuple of (Place, str)
        Other places, and what they are.
    """

    place: Place
    message: str
    level: Level = "error"
    related: tuple[tuple[Place, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to see a violation in the text of a mechanism.

    Attributes
    ----------
    id : str
        Id of the violation that it shows.
    name : str
        Short name, unique among rules.
    statement : str
        What it finds, in one sentence.
    bad, good : str
        A function in which it finds something, and the same without; both are tests.
    look : callable
        Takes the facts of a function, yields hits.
    also : tuple of str
        Other ids that fit.
    relation : str
        The neighbors under which the examples are read, as one writes them; empty for unknown.
    """

    id: str
    name: str
    statement: str
    bad: str
    good: str
    look: Callable[[Facts], Iterator[Hit]]
    also: tuple[str, ...] = ()
    relation: str = ""
