"""Permute-and-flip: coins of the candidates in a random order, until one shows heads.

Let q_i = e^(a(u_i − max u)) be the chance of candidate i. Let each candidate come at a uniform time
of [0, 1], instead of in a random order. Candidate i, at time t, is chosen where its coin shows
heads and no other one both comes before t and shows heads:

    Pr[i] = q_i ∫ Π_{j ≠ i} (1 − t q_j) dt    over 0 <= t <= 1

That is what the largest of u_i + Z_i gives with exponential noise Z_i of rate a: with v its value,
t = e^(−a(v − max u)) (Ding, Kifer et al. 2021). The noise of all others held fixed, i wins where
Z_i exceeds r, and in the other run where it exceeds some r' <= r + far, far being the largest that
u_i falls less what another one rises, and Pr[Z >= r + far] >= e^(−a·far) Pr[Z >= r] for every r.
Where scores move by at most d, far is at most 2d, and at most d where all move one way, one alone
moves, or all changes together are at most d (McKenna & Sheldon 2020, who show e^(2ad)).

The best candidate's coin shows heads for certain: u_i − max u is 0 in floats too, where both are
computed alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.lemma.application import Application, Lemma, exact
from dpaudit.checker.lemma.closed import ONE, Closed, closed
from dpaudit.checker.lemma.follow import Follower, Node
from dpaudit.checker.lemma.smt_context import Scene
from dpaudit.checker.lemma.values import Num, public

FLIPS = Lemma(
    "permute-and-flip",
    "the first candidate of a random order whose coin shows heads, with chances "
    "exp(a(u - max u)), is (a f)-DP where no score falls by f more than another one rises",
    "McKenna & Sheldon 2020; Ding, Kifer et al. 2021",
    ("the best candidate's coin always shows heads", "each candidate has a coin of its own"),
)
_LARGEST = 2**256  # times what scores are, or less than they by it


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores times `by`, which floats came to by `steps`; in a random order where drawn."""

    by: Closed = ONE
    steps: tuple[str, ...] = ()
    order: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The largest of such scores."""

    by: Closed
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Below:
    """How far scores are below the best one, times `by`; `chance` where e was raised to that."""

    by: Closed
    order: int | None
    chance: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Coins:
    """Which of the candidates' coins show heads."""

    by: Closed
    order: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The first place with heads in a random order; the candidate there once it is `read`."""

    by: Closed
    order: int
    read: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RandomOrder:
    """A permutation."""

    draw: int


@dataclass(frozen=True, slots=True, eq=False)
class Uniforms:
    """A uniform number for each candidate."""

    draw: int


@dataclass(slots=True)
class Flipper(Follower):
    """The state of one following; `many` is the number of candidates."""

    many: int = 0

    def drawn(self, node: Node, given: dict[str, Any]) -> Any:
        """Return a draw with these arguments."""
        self.draws += 1
        kind = {"permutation": ("x", RandomOrder), "random": ("size", Uniforms)}.get(node["family"])
        if kind is not None and set(given) == {kind[0]}:
            size = given[kind[0]]
            known = isinstance(size, Num) and size.whole and size.closed is not None
            if known and size.closed.fraction == self.many:
                return kind[1](self.draws)
        raise self.refused(f"{node['family']!r:.30} noise with these arguments")

    def entry(self, value: Any, index: Any) -> Any:
        """Return an entry, or all in another order."""
        match value, index:
            case ((Scores(order=None) | Below(order=None) | Coins(order=None)), RandomOrder()):
                return replace(value, order=index.draw)
            case RandomOrder(), Place(read=False) if value.draw == index.order:
                return replace(index, read=True)
        raise self.refused("an entry of which no lemma speaks")

    def library(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        """Return what a library's function returns."""
        found = None if named else self._function(name, args)
        if found is not None:
            return found
        if any(isinstance(each, Scores | Best | Below | Coins | Place) for each in args):
            raise self.refused(f"`{name:.40}` of these, of which no lemma speaks")
        return Follower.library(self, name, args, named)

    def _function(self, name: str, args: list[Any]) -> Any:
        match name.removeprefix("operator."), args:
            case "builtins.len", [Scores() | Below() | Coins()]:
                return public(self.many, whole=True)
            case "method.max" | "numpy.max", [Scores(by=by, steps=steps)]:
                return Best(by, steps) if by.sign() > 0 else None
            case "sub", [Scores() as scores, Best() as best] if scores.steps == best.steps:
                return Below(scores.by, scores.order) if scores.by.sign() > 0 else None
            case "numpy.exp", [Below(chance=False) as below]:
                return replace(below, chance=True)
            case ("lt", [Uniforms(), Below(chance=True) as below]) | (
                "gt",
                [Below(chance=True) as below, Uniforms()],
            ):
                return Coins(below.by, below.order)
            case "method.argmax" | "numpy.argmax", [Coins(by=by, order=int() as order)]:
                return Place(by, order)
            case "builtins.int", [Place() as place]:
                return place
            case ("mul" | "truediv") as word, [a, b]:
                return _times(a, b, divided=word == "truediv")
        return None


def _times(a: Any, b: Any, *, divided: bool) -> Any:
    """Return what is in proportion to the scores, times or over a public number."""
    if isinstance(a, Num) and not divided:
        a, b = b, a
    number = b.closed if isinstance(b, Num) else None
    if number is None or number.sign() <= 0:
        return None
    by = closed(1) / number if divided else number
    if isinstance(a, Scores | Best | Below):
        size = a.by * by
        if (size - _LARGEST).sign() > 0 or (size - Fraction(1, _LARGEST)).sign() < 0:
            return None  # floats overflow, or are rounded to few bits
    match a:
        case Scores() | Best():
            step = f"{'/' if divided else '*'} {number.text}"
            return replace(a, by=a.by * by, steps=(*a.steps, step))
        case Below(chance=False):
            return replace(a, by=a.by * by)
    return None


def permute_and_flip(
    scene: Scene, functions: list[Node], program: Node, neighbors: Any
) -> Application:
    """Return what permute-and-flip gives.

    Raises
    ------
    NotCheckedError
        Where the program is another one.
    """
    if neighbors.container != "array":
        raise NotCheckedError("not checked: lemmas under these neighbors")
    flipper = Flipper(scene, functions, "x", True, many=neighbors.length)
    found = flipper.start(program, Scores())  # type: ignore[arg-type]
    if not isinstance(found, Place) or not found.read:
        raise NotCheckedError("not checked: an output of which no lemma speaks")
    # One score falls by what another rises at most, or one of both alone is there.
    alone = neighbors.monotone or neighbors.norm in ("l0", "l1")
    far = exact(neighbors.distance) * (1 if alone else 2)
    numbers = {"a": found.by, "f": far}
    return Application(FLIPS, numbers, found.by * far)
