"""One path through a mechanism, and how all paths are gone through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

MAX_PATHS = 4096


@dataclass(frozen=True, slots=True)
class Atom:
    """``number >= 0`` or ``number == 0``."""

    number: Poly
    relation: Literal[">=", "=="]

    def __str__(self) -> str:
        return f"{self.number} {self.relation} 0"


@dataclass(frozen=True, slots=True)
class Decision:
    """How a test came out on this path."""

    atom: Atom
    truth: bool
    place: Place | None

    def __str__(self) -> str:
        return f"{self.atom}" if self.truth else f"not ({self.atom})"


@dataclass(frozen=True, slots=True)
class Same:
    """A number that both runs must agree on: which entry of the data is read."""

    number: Poly
    place: Place

    def __str__(self) -> str:
        return f"same {self.number}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One draw of noise: its density is that of `family` with this scale, around 0.

    Attributes
    ----------
    symbol : Symbol
        The noise of the first run.
    family : str
    scale : Poly
        On which its law falls by e: of ``geometric`` noise, whose chance is 1 − e^(−r), 1/r.
    place : Place
    """

    symbol: Symbol
    family: str
    scale: Poly
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """The path goes on from an arbitrary iteration."""

    loop: str


@dataclass(frozen=True, slots=True, eq=False)
class Enter:
    """The path reached a loop, or came back to its head; `state` holds every variable."""

    loop: str
    state: dict[str, Any]
    again: bool


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The path ends with this output."""

    value: Any
    raised: bool
    place: Place


Event = Decision | Same | Drawn | Head | Enter | Leaves


class Stop(Exception):  # noqa: N818 - it ends a path, nothing went wrong
    """The path ends here."""


@dataclass(slots=True)
class Script:
    """The decisions to take, and what was met while taking them."""

    plan: tuple[bool, ...] = ()
    taken: list[bool] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _known: dict[Atom, bool] = field(default_factory=dict)

    def decide(self, atom: Atom, place: Place | None) -> bool:
        """Return the truth of an atom on this path."""
        value = atom.number.constant
        if value is not None:
            return value >= 0 if atom.relation == ">=" else value == 0
        if atom in self._known:
            return self._known[atom]
        truth = self.choose()
        self._known[atom] = truth
        self.events.append(Decision(atom, truth, place))
        return truth

    def choose(self) -> bool:
        """Return the next choice of the plan, True where it has none."""
        at = len(self.taken)
        truth = self.plan[at] if at < len(self.plan) else True
        self.taken.append(truth)
        return truth


def every_path(run: Any, *, limit: int = MAX_PATHS) -> Iterator[Script]:
    """Yield each path of ``run(script)``, true branches first.

    Raises
    ------
    Unsupported
        Where there are more than `limit`.
    """
    plan: tuple[bool, ...] | None = ()
    count = 0
    while plan is not None:
        script = Script(plan)
        count += 1
        if count > limit:
            raise Unsupported(f"more than {limit} paths", None)
        with suppress(Stop):
            run(script)
        yield script
        plan = _following(script.taken)


def _following(taken: list[bool]) -> tuple[bool, ...] | None:
    for at in range(len(taken) - 1, -1, -1):
        if taken[at]:
            return (*taken[:at], False)
    return None
