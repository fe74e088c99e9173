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

from dataclasses import dataclass, field, replace

import sympy

from dpaudit.formal import program as ir
from dpaudit.formal.bounds import exact
from dpaudit.formal.lemmas.facts import Facts
from dpaudit.formal.lemmas.lemma import Application, Lemma
from dpaudit.formal.lemmas.reading import Names, Reading
from dpaudit.formal.lemmas.synonyms import SYNONYMS
from dpaudit.formal.lemmas.values import Candidates, Number, Value, is_private
from dpaudit.formal.price.balls import compared
from dpaudit.formal.price.notions import Pure
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from dpaudit.neighbors import QueryAnswers

FLIPS = Lemma(
    "permute-and-flip",
    "the first candidate of a random order whose coin shows heads, with chances "
    "exp(a(u - max u)), is (a f)-DP where no score falls by f more than another one rises",
    "McKenna & Sheldon 2020; Ding, Kifer et al. 2021",
    ("the best candidate's coin always shows heads", "each candidate has a coin of its own"),
)
_ONE = sympy.Integer(1)
_LARGEST = sympy.Integer(2**256)


@dataclass(slots=True, eq=False)
class Flipping(Reading):
    """The reading of a program of several scores."""

    number: int = 0
    last: Place | None = None
    permutations: set[int] = field(default_factory=set)

    def drawn(self, node: ir.Draw) -> Value:
        """Return a random order, or a uniform number for each candidate."""
        source = self.evaluate(node.generator)
        given = {name: self.evaluate(value) for name, value in node.arguments}
        name = {"permutation": "x", "random": "size"}.get(node.family)
        fits = is_private(source) and list(given) == [name]
        if not fits or not self._as_many(given[name]):  # type: ignore[index]
            raise Unsupported(f"{node.family} noise with these arguments", node.place)
        self.draws += 1
        self.last = node.place
        stage = "order" if node.family == "permutation" else "uniform"
        return Candidates(stage, draw=self.draws)

    def _as_many(self, value: Value) -> bool:
        return isinstance(value, Number) and value.whole and value.expr == self.number

    def item(self, value: Value, index: Value, place: Place) -> Value:
        """Return values in a random order, or the candidate at a place of it."""
        match value, index:
            case (
                Candidates(stage="scores" | "deficits" | "chances" | "heads", order=None),
                Candidates(stage="order", draw=draw),
            ):
                return replace(value, order=draw)
            case Candidates(stage="order", draw=draw), Candidates(stage="first", order=order):
                if draw == order:
                    return replace(index, stage="winner")
        raise Unsupported("an entry of which no lemma speaks", place)

    def called(
        self, name: str, args: list[Value], keywords: dict[str, Value], place: Place
    ) -> Value:
        """Return what a library's function returns."""
        name = SYNONYMS.get(name, name)
        found = None if keywords else self._function(name.removeprefix("operator."), args)
        if found is not None:
            return found
        if any(isinstance(each, Candidates) for each in args):
            raise Unsupported(f"{name} of these, of which no lemma speaks", place)
        from dpaudit.formal.lemmas.library import called

        return called(self, name, args, keywords, place)

    def _function(self, name: str, args: list[Value]) -> Value | None:
        match name, args:
            case "builtins.len", [Candidates(stage="scores" | "deficits" | "chances" | "heads")]:
                return Number(sympy.Integer(self.number), True)
            case "numpy.max" | "method.max", [Candidates(stage="scores") as scores]:
                return replace(scores, stage="best", order=None)
            case "mul" | "truediv" | "neg", _:
                return _scaled(name, args)
            case "sub", [Candidates(stage="scores") as one, Candidates(stage="best") as best]:
                alike = one.factor == best.factor and one.rounded == best.rounded
                positive = compared(one.factor, sympy.Integer(0)) == 1
                return replace(one, stage="deficits") if alike and positive else None
            case "numpy.exp", [Candidates(stage="deficits") as deficits]:
                return replace(deficits, stage="chances")
            case "lt", [Candidates(stage="uniform", draw=draw), Candidates(stage="chances") as c]:
                return replace(c, stage="heads", draw=draw)
            case "gt", [Candidates(stage="chances") as c, Candidates(stage="uniform", draw=draw)]:
                return replace(c, stage="heads", draw=draw)
            case "numpy.argmax" | "method.argmax", [Candidates(stage="heads", order=int()) as h]:
                return replace(h, stage="first")
            case "builtins.int", [Candidates(stage="first" | "winner") as index]:
                return index
        return None


def _scaled(name: str, args: list[Value]) -> Value | None:
    """Return scores, their largest or what they lack, times a public number."""
    if name == "neg":
        args = [*args, Number(-_ONE, True)]
    if len(args) != 2:
        return None
    values, other = args
    if name != "truediv" and isinstance(values, Number):
        values, other = other, values
    match values, other:
        case Candidates(stage="scores" | "best" | "deficits"), Number(expr=expr):
            sign = compared(expr, sympy.Integer(0)) if expr.is_number else None
            if sign is None or sign == 0 or (values.stage == "deficits" and sign != 1):
                return None
            by = 1 / expr if name == "truediv" else expr
            # Floats of both must be computed alike where one is subtracted from the other.
            steps = (*values.rounded, (name == "truediv", expr))
            if values.stage == "best" and sign != 1:
                return None
            factor = values.factor * by
            if not all(compared(abs(size), _LARGEST) in (-1, 0) for size in (factor, 1 / factor)):
                return None  # floats overflow, or are rounded to few bits
            return replace(values, factor=factor, rounded=steps)
    return None


def permute_and_flip(
    program: Program, neighbors: QueryAnswers, deadline: float
) -> tuple[Application, Place]:
    """Return what permute-and-flip costs, and where its last draw is.

    Raises
    ------
    Unsupported
        Where the program is another one.
    """
    if neighbors.container != "array":
        raise OutOfScope("lemmas about scores that are no array")
    reading = Flipping(program, Facts(deadline), Names(), True, number=neighbors.length)
    try:
        value, place = reading.start(Candidates("scores"))
    except Unsupported as stopped:
        raise OutOfScope(stopped.what, stopped.place) from None
    if not isinstance(value, Candidates) or value.stage != "winner" or reading.last is None:
        raise OutOfScope("an output of which no lemma speaks", place)
    once = neighbors.monotone or neighbors.norm in ("l0", "l1")
    far = exact(neighbors.distance) * (1 if once else 2)
    numbers = {"a": str(value.factor), "f": str(far)}
    return Application(FLIPS, Pure(value.factor * far), numbers), reading.last
