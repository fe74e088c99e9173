"""Noise of a random length in a uniform direction, which a move changes both of.

A number r ~ Gamma(d, b) times a uniform direction of d dimensions has density ∝ exp(−‖x‖/b): what
a vector moves by, Δ, costs ‖Δ‖₂/b at most. The direction is a normal vector over its length.

References
----------
Chaudhuri, Monteleoni & Sarwate, Differentially Private Empirical Risk Minimization, JMLR 12, 2011
(output perturbation).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpaudit.trace.comparison import Comparison, Part
from dpaudit.trace.coupling import Cell
from dpaudit.trace.draws import Draw
from dpaudit.trace.laws import Law
from dpaudit.trace.switch import plain
from dpaudit.trace.tape import Floats, Sink, Tape

_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Sphere:
    """A move of a random vector.

    Attributes
    ----------
    part : Part
        What it costs.
    moves : dict of Cell to float
        Of its length, and of the normal numbers that give its direction.
    """

    part: Part
    moves: dict[Cell, float]


def is_radius(tape: Tape, sink: Sink) -> bool:
    """Whether a sink holds one random length, multiplied by a direction, in all of its numbers."""
    cells = set(sink.cells.tolist())
    return len(cells) == 1 and bool(cells & tape.radii)


def sphere(found: Comparison, laws: Mapping[int, Law]) -> Sphere | None:
    """Return the move of the one random vector of two runs.

    Parameters
    ----------
    found : Comparison
        With its sinks aligned.
    laws : mapping of int to Law
        By number of the draw.

    Returns
    -------
    Sphere or None
        None where there is no such vector, or where several places use the same length.
    """
    tape = found.left.tape
    held = [pair for pair in found.sinks if is_radius(tape, pair[0])]
    if len(held) != 1 or held[0][0].kind != "equal":
        return None
    one, two = held[0]
    cell = int(one.cells[0])
    number = tape.draw_of(cell)
    draw, d = tape.draws[number], one.cells.size
    direction = _direction(tape, one.coefficients, d)
    if direction is None or not _is_length(draw, d) or number not in laws:
        return None
    delta = tape.base(one) - found.right.tape.base(two)
    length = float(np.linalg.norm(delta))
    if not np.isfinite(length) or length <= _CLOSE * float(np.abs(one.values).sum()):
        return None
    rate = float(laws[number].rate[0])
    part = Part(number, draw, found.right.draws[number], length * rate, 0.0, length, length)
    moved = one.coefficients * tape.raw[cell] + delta
    radius = float(np.linalg.norm(moved))
    first = tape.draws[direction].first
    before = tape.raw[first : first + d]
    after = moved / radius * np.linalg.norm(before) * _sign(before, one.coefficients)
    moves: dict[Cell, float] = {(number, 0): radius - float(tape.raw[cell])}
    moves.update({(direction, i): float(after[i] - before[i]) for i in range(d)})
    return Sphere(part, moves)


def _is_length(draw: Draw, d: int) -> bool:
    shape = plain(draw.request.arguments.get("shape", 0.0))
    return draw.kind == "gamma" and np.ndim(shape) == 0 and float(shape) == d


def _direction(tape: Tape, coefficients: Floats, d: int) -> int | None:
    """Return the normal draw that points, or points back, along a unit vector."""
    if abs(float(np.linalg.norm(coefficients)) - 1) > _CLOSE:
        return None
    for number, draw in enumerate(tape.draws):
        if draw.kind not in ("normal", "standard_normal", "randn") or draw.first < 0:
            continue
        raw = tape.raw[draw.first : draw.first + int(np.size(draw.value))]
        if raw.size == d and raw.any():
            unit = raw / np.linalg.norm(raw) * _sign(raw, coefficients)
            if np.allclose(unit, coefficients, rtol=0, atol=_CLOSE):
                return number
    return None


def _sign(one: Floats, two: Floats) -> float:
    return 1.0 if float(one @ two) >= 0 else -1.0
