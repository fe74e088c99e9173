"""Two runs side by side: what a comparison of them holds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from dpaudit.trace.coupling import Coupling
from dpaudit.trace.draws import Draw
from dpaudit.trace.laws import law_of
from dpaudit.trace.record import Run
from dpaudit.trace.tape import Sink


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What one noise call adds to the cost.

    Attributes
    ----------
    number : int
        Of the noise call, in the order of the run.
    left, right : Draw
    pure : float
        Nats, of laws whose loss is bounded.
    squared : float
        μ², of Gaussian noise.
    shift_l1, shift_l2 : float
        Size of the move of the noise.
    """

    number: int
    left: Draw
    right: Draw
    pure: float
    squared: float
    shift_l1: float
    shift_l2: float


@dataclass(frozen=True, slots=True, eq=False)
class Rescaled:
    """A noise whose width differs between the two datasets.

    Attributes
    ----------
    left, right : float
        Both scales, or both factors that the noise is multiplied by.
    draw : Draw
    sink : Sink or None
        Where the noise is used, for a factor.
    """

    left: float
    right: float
    draw: Draw
    sink: Sink | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Crossed:
    """A number of the output that holds the noise of another call at the same line in each run.

    Attributes
    ----------
    left, right : Draw
    cost : float
        What it takes to move the noise of one from the left base to the right one: nats, or units
        of a Gaussian deviation.
    """

    left: Draw
    right: Draw
    cost: float


@dataclass(slots=True, eq=False)
class Comparison:
    """Two runs side by side.

    Attributes
    ----------
    left, right : Run
    aligned : int
        Noise calls that both runs make alike, from the start.
    same_path : bool
        Whether both make the same noise calls at the same lines, and use them up alike.
    reshaped : bool
        Whether some of that has another shape on both sides, as where a number is drawn for each
        record. Nothing is then asked of its numbers.
    coupling : Coupling
    parts : list of Part
        Noise calls that cost something.
    priced : list of Part
        Those among them that the library which draws them has priced.
    rescaled : list of Rescaled
    crossed : list of Crossed
    chances : list of (Draw, float, float)
        Choices with the probability of what was chosen on both sides.
    sinks : list of (Sink, Sink)
    """

    left: Run
    right: Run
    aligned: int = 0
    same_path: bool = True
    reshaped: bool = False
    coupling: Coupling = field(default_factory=Coupling)
    parts: list[Part] = field(default_factory=list)
    priced: list[Part] = field(default_factory=list)
    rescaled: list[Rescaled] = field(default_factory=list)
    crossed: list[Crossed] = field(default_factory=list)
    chances: list[tuple[Draw, float, float]] = field(default_factory=list)
    sinks: list[tuple[Sink, Sink]] = field(default_factory=list)

    @property
    def alike(self) -> bool:
        """Whether both runs are on one path, and all that they did with noise was compared."""
        return self.same_path and not self.reshaped

    @property
    def tossed(self) -> bool:
        """Whether the way of the left run was decided by a coin: noise on a bounded interval.

        One that always falls alike, as ``rng.random() < 1`` does, is none.
        """
        tape = self.left.tape
        for sink in tape.sinks:
            if sink.kind != "order":
                continue
            for cell, c, base in zip(sink.cells, sink.coefficients, tape.base(sink), strict=True):
                drawn = [tape.draws[tape.draw_of(each)] for each in tape.terms(int(cell))]
                if not any(law_of(draw).family == "bounded" for draw in drawn):
                    continue
                if len(drawn) > 1 or drawn[0].kind != "random" or 0 < -base / c < 1:
                    return True
        return False

    @property
    def pure(self) -> float:
        """Cost of everything but Gaussian noise (nats); infinite where noise is rescaled."""
        if self.rescaled:
            return math.inf
        chosen = sum(abs(_log_ratio(p, q)) for _, p, q in self.chances)
        return self.coupling.pure + chosen + sum(part.pure for part in self.priced)

    @property
    def mu(self) -> float:
        """Cost of Gaussian noise, as the μ of one Gaussian mechanism."""
        return math.sqrt(self.coupling.squared + sum(part.squared for part in self.priced))


def _log_ratio(p: float, q: float) -> float:
    if p == q:
        return 0.0
    return math.log(p / q) if min(p, q) > 0 else math.inf
