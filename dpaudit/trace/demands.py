"""What two runs ask of the noise, so that both go the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from dpaudit.trace.comparison import Comparison, Rescaled
from dpaudit.trace.coupling import SAME, Cell, Row
from dpaudit.trace.draws import Draw
from dpaudit.trace.laws import Law
from dpaudit.trace.spheres import is_radius
from dpaudit.trace.switch import plain
from dpaudit.trace.tape import Floats, Sink, Tape

MOST_ROWS = 4000


class _Names:
    """Names cells by their draw, so that both runs call them alike."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._known: dict[int, dict[Cell, float]] = {}

    def terms(self, cell: int, coefficient: float) -> dict[Cell, float]:
        named = self._known.get(cell)
        if named is None:
            named = {self._name(each): c for each, c in self._tape.terms(cell).items()}
            self._known[cell] = named
        return {name: c * coefficient for name, c in named.items()}

    def _name(self, cell: int) -> Cell:
        draw = self._tape.draw_of(cell)
        return draw, cell - self._tape.draws[draw].first


def demands(found: Comparison, laws: Mapping[int, Law]) -> list[Row]:
    """Return what the sinks ask; scales, coins and other paths are noted on the comparison.

    Parameters
    ----------
    found : Comparison
        With its sinks aligned.
    laws : mapping of int to Law
        By number of the draw.
    """
    names = _Names(found.left.tape), _Names(found.right.tape)
    rows: list[Row] = []
    for number, (one, two) in enumerate(found.sinks):
        if is_radius(found.left.tape, one):
            continue  # priced as a vector
        bases = found.left.tape.base(one), found.right.tape.base(two)
        if one.kind == "choice":
            rows += _choice_rows(found, number, (one, two), bases, names, laws)
            continue
        for i in range(len(one.cells)):
            if len(rows) >= MOST_ROWS:
                return rows
            row = _row(found, number, i, (one, two), bases, names, laws)
            if row is not None:
                rows.append(row)
    return rows


def _row(
    found: Comparison,
    number: int,
    i: int,
    sinks: tuple[Sink, Sink],
    bases: tuple[Floats, Floats],
    names: tuple[_Names, _Names],
    laws: Mapping[int, Law],
) -> Row | None:
    terms = [
        name.terms(int(sink.cells[i]), float(sink.coefficients[i]))
        for sink, name in zip(sinks, names, strict=True)
    ]
    needed = float(bases[0][i] - bases[1][i])
    size = abs(float(bases[0][i])) + abs(float(sinks[0].values[i])) + abs(float(bases[1][i]))
    size += abs(float(sinks[1].values[i]))
    if not terms[0] and not terms[1]:
        return None if sinks[0].kind == "order" else Row("equal", {}, needed, size, number)
    above = sinks[0].above
    if not _same_terms(*terms):
        if above is not None or not _covered(terms[0], terms[1], laws):
            _note_factor(found, terms, sinks[0], laws)
            return None
        raw, draws = found.left.tape.raw, found.left.tape.draws
        for (draw, at), c in terms[0].items():
            needed += (c - terms[1].get((draw, at), 0.0)) * float(raw[draws[draw].first + at])
        terms[0] = terms[1]
    if above is None:
        return Row("equal", terms[0], needed, size, number)
    if all(laws[draw].family == "bounded" for draw, _ in terms[0]):
        _note_coin(found, terms[0], bases, i, bool(above[i]))
        return None
    return Row("above" if above[i] else "below", terms[0], needed, size, number)


def _choice_rows(
    found: Comparison,
    number: int,
    sinks: tuple[Sink, Sink],
    bases: tuple[Floats, Floats],
    names: tuple[_Names, _Names],
    laws: Mapping[int, Law],
) -> list[Row]:
    """Ask that the number which was chosen on the left be above all others on the right as well."""
    one, place, sign = sinks[0], sinks[0].chosen, sinks[0].sign
    rows: list[Row] = []
    left, right = (base.tolist() for base in bases)
    held = [(sink.cells.tolist(), (sign * sink.coefficients).tolist()) for sink in sinks]
    for j in range(len(one.cells)):
        if j == place:
            continue
        terms = []
        for (cells, coefficients), name in zip(held, names, strict=True):
            total = name.terms(cells[place], coefficients[place])
            for cell, c in name.terms(cells[j], -coefficients[j]).items():
                total[cell] = total.get(cell, 0.0) + c
            terms.append({cell: c for cell, c in total.items() if c})
        if not _same_terms(*terms):
            _note_factor(found, terms, one, laws)
            return rows
        needed = sign * (left[place] - left[j]) - sign * (right[place] - right[j])
        size = abs(left[place]) + abs(left[j]) + abs(right[place]) + abs(right[j])
        rows.append(Row("above", terms[0], needed, size, number))
    return rows


def _same_terms(one: Mapping[Cell, float], two: Mapping[Cell, float]) -> bool:
    if one.keys() != two.keys():
        return False
    return all(math.isclose(c, two[cell], rel_tol=SAME) for cell, c in one.items())


def _covered(one: Mapping[Cell, float], two: Mapping[Cell, float], laws: Mapping[int, Law]) -> bool:
    """Whether the noise that was drawn last has one factor on both sides, and hides the others."""
    if min(len(one), len(two)) < 2 or max(one) != max(two):
        return False
    last = max(one)
    hides = laws[last[0]].family in ("pure", "gaussian")
    return hides and math.isclose(one[last], two[last], rel_tol=SAME)


def _note_factor(
    found: Comparison, terms: list[dict[Cell, float]], sink: Sink, laws: Mapping[int, Law]
) -> None:
    """Note noise that is multiplied by different factors on both sides."""
    one, two = terms
    # Where other records are drawn on both sides, what noise meets them is multiplied by them.
    for cell in one if not found.reshaped else ():
        if laws[cell[0]].family not in ("pure", "gaussian"):
            continue  # as where an inverse distribution function is drawn from
        if cell in two and not math.isclose(abs(one[cell]), abs(two[cell]), rel_tol=SAME):
            draw = found.left.tape.draws[cell[0]]
            if not any(r.draw is draw and r.sink is sink for r in found.rescaled):
                found.rescaled.append(Rescaled(one[cell], two[cell], draw, sink))
            return
    found.same_path = False


def _note_coin(
    found: Comparison,
    terms: Mapping[Cell, float],
    bases: tuple[Floats, Floats],
    i: int,
    above: bool,
) -> None:
    """Note the probabilities of how ``u ≥ t`` came out, for one uniform number u."""
    if len(terms) != 1:
        return
    ((cell, coefficient),) = terms.items()
    draw = found.left.tape.draws[cell[0]]
    low, high = interval(draw)
    chances = []
    for base in bases:
        with np.errstate(all="ignore"):
            threshold = float(-base[i] / coefficient)
        if math.isnan(threshold) or high <= low:
            return
        over = min(max((high - threshold) / (high - low), 0.0), 1.0)
        chances.append(over if above == (coefficient > 0) else 1 - over)
    if chances[0] != chances[1]:
        found.chances.append((draw, chances[0], chances[1]))


def interval(draw: Draw) -> tuple[float, float]:
    """Return the ends of the interval that a uniform number is drawn from, both 0 for several."""
    arguments = draw.request.arguments
    if draw.kind != "uniform":
        return 0.0, 1.0
    low = plain(arguments.get("low", arguments.get("a", 0.0)))
    high = plain(arguments.get("high", arguments.get("b", 1.0)))
    if np.ndim(low) or np.ndim(high):
        return 0.0, 0.0
    return float(low), float(high)
