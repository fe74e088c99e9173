"""Compares two runs on neighboring datasets: what reached each noise call, and what it costs."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.outputs import Columns, encode
from dpaudit.trace.coupling import SAME, Cell, Coupling, Row, couple
from dpaudit.trace.draws import Draw, Place
from dpaudit.trace.laws import Law, law_of, scale_of
from dpaudit.trace.record import Run
from dpaudit.trace.switch import plain
from dpaudit.trace.tape import Floats, Sink, Tape

MOST_ROWS = 4000
_WHOLE = ("getrandbits", "discrete_laplace", "discrete_gaussian")  # integers of no container


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


@dataclass(slots=True, eq=False)
class Comparison:
    """Two runs side by side.

    Attributes
    ----------
    left, right : Run
    aligned : int
        Noise calls that both runs make alike, from the start.
    same_path : bool
        Whether both make the same noise calls, of the same shapes, at the same lines, and use them
        up alike.
    coupling : Coupling
    parts : list of Part
        Noise calls that cost something.
    priced : list of Part
        Those among them that the library which draws them has priced.
    rescaled : list of Rescaled
    chances : list of (Draw, float, float)
        Choices with the probability of what was chosen on both sides.
    sinks : list of (Sink, Sink)
    """

    left: Run
    right: Run
    aligned: int = 0
    same_path: bool = True
    coupling: Coupling = field(default_factory=Coupling)
    parts: list[Part] = field(default_factory=list)
    priced: list[Part] = field(default_factory=list)
    rescaled: list[Rescaled] = field(default_factory=list)
    chances: list[tuple[Draw, float, float]] = field(default_factory=list)
    sinks: list[tuple[Sink, Sink]] = field(default_factory=list)

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


def compare(left: Run, right: Run) -> Comparison:
    """Align two runs, and price what differs.

    Parameters
    ----------
    left, right : Run
        Traced, on neighboring datasets; the right one with the noise of the left one, moved or
        not.
    """
    found = Comparison(left, right)
    _align_draws(found)
    _align_sinks(found)
    laws = {i: law_of(draw) for i, draw in enumerate(left.draws) if draw.first >= 0}
    rows = _rows(found, laws)
    found.coupling = couple(rows, laws)
    found.priced = _priced(found)
    found.parts = sorted(_parts(found, laws) + found.priced, key=lambda part: part.number)
    return found


def _priced(found: Comparison) -> list[Part]:
    """Return what noise calls cost whose library prices them, where they cost something."""
    parts = []
    for number, (one, two) in enumerate(zip(found.left.draws, found.right.draws, strict=False)):
        if number >= found.aligned or one.request.price is None:
            continue
        cost = one.request.price(one.request, two.request)
        if cost is None:
            continue
        if cost.scales is not None:
            found.rescaled.append(Rescaled(*cost.scales, one))
        elif cost.pure or cost.squared:
            sizes = cost.pure, cost.squared, cost.shift, cost.shift
            parts.append(Part(number, one, two, *sizes))
    return parts


def _draw_key(draw: Draw) -> Any:
    place = draw.place
    where = None if place is None else (place.file, place.line)
    return draw.kind, where, np.shape(draw.value) if draw.kind not in ("seed",) else ()


def _align_draws(found: Comparison) -> None:
    left, right = found.left.draws, found.right.draws
    for one, two in zip(left, right, strict=False):
        if _draw_key(one) != _draw_key(two):
            break
        found.aligned += 1
        if not one.request.draws:
            continue
        _compare_scales(found, one, two)
        _compare_choice(found, one, two)
    found.same_path = found.aligned == len(left) == len(right)


def _compare_scales(found: Comparison, one: Draw, two: Draw) -> None:
    scales = scale_of(one), scale_of(two)
    if one.first < 0 or scales[0] is None or scales[1] is None:
        return
    if law_of(one).family not in ("pure", "gaussian"):
        return
    try:
        a, b = (np.asarray(s[1], dtype=np.float64).ravel() for s in scales if s is not None)
    except (TypeError, ValueError):
        return
    if a.shape != b.shape:
        return
    different = ~np.isclose(a, b, rtol=SAME, atol=0.0, equal_nan=True)
    if different.any():
        place = int(np.flatnonzero(different)[0])
        found.rescaled.append(Rescaled(float(a[place]), float(b[place]), one))


def _compare_choice(found: Comparison, one: Draw, two: Draw) -> None:
    """Compare the probabilities of what a weighted choice has chosen."""
    chances = [_chance(draw, one.value) for draw in (one, two)]
    if chances[0] is not None and chances[1] is not None and chances[0] != chances[1]:
        found.chances.append((one, chances[0], chances[1]))


def _chance(draw: Draw, value: Any) -> float | None:
    if draw.kind != "choice" or draw.request.arguments.get("size") is not None:
        return None
    weights, members = (plain(draw.request.arguments.get(name)) for name in ("p", "a"))
    if weights is None:
        return None
    among = np.arange(members) if np.ndim(members) == 0 else np.asarray(members)
    if among.ndim != 1:
        return None
    return float(np.sum(np.asarray(weights)[among == value]))


def _sink_key(sink: Sink) -> Any:
    line = None if sink.line is None else (sink.line[0].co_filename, sink.line[1])
    return sink.kind, line, sink.shape


def _align_sinks(found: Comparison) -> None:
    left, right = found.left.tape.sinks, found.right.tape.sinks
    for one, two in zip(left, right, strict=False):
        if _sink_key(one) != _sink_key(two):
            break
        found.sinks.append((one, two))
    found.same_path &= len(found.sinks) == len(left) == len(right)


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


def _rows(found: Comparison, laws: Mapping[int, Law]) -> list[Row]:
    names = _Names(found.left.tape), _Names(found.right.tape)
    rows: list[Row] = []
    for number, (one, two) in enumerate(found.sinks):
        bases = found.left.tape.base(one), found.right.tape.base(two)
        if one.kind == "choice":
            rows += _choice_rows(found, number, (one, two), bases, names)
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
    if not _same_terms(*terms):
        _note_factor(found, terms, sinks[0])
        return None
    above = sinks[0].above
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
) -> list[Row]:
    """Ask that the number which was chosen on the left be above all others on the right as well."""
    one, place, sign = sinks[0], sinks[0].chosen, sinks[0].sign
    rows: list[Row] = []
    for j in range(len(one.cells)):
        if j == place:
            continue
        terms = []
        for sink, name in zip(sinks, names, strict=True):
            total = name.terms(int(sink.cells[place]), float(sink.coefficients[place]) * sign)
            for cell, c in name.terms(int(sink.cells[j]), -sign * sink.coefficients[j]).items():
                total[cell] = total.get(cell, 0.0) + c
            terms.append({cell: c for cell, c in total.items() if c})
        if not _same_terms(*terms):
            _note_factor(found, terms, one)
            return rows
        gaps = [sign * (base[place] - base[j]) for base in bases]
        size = float(sum(np.abs(base[[place, j]]).sum() for base in bases))
        rows.append(Row("above", terms[0], float(gaps[0] - gaps[1]), size, number))
    return rows


def _same_terms(one: Mapping[Cell, float], two: Mapping[Cell, float]) -> bool:
    if one.keys() != two.keys():
        return False
    return all(math.isclose(c, two[cell], rel_tol=SAME) for cell, c in one.items())


def _note_factor(found: Comparison, terms: list[dict[Cell, float]], sink: Sink) -> None:
    """Note noise that is multiplied by different factors on both sides."""
    one, two = terms
    for cell in one:
        if cell in two and not math.isclose(one[cell], two[cell], rel_tol=SAME):
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
    low, high = _interval(draw)
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


def _interval(draw: Draw) -> tuple[float, float]:
    arguments = draw.request.arguments
    if draw.kind != "uniform":
        return 0.0, 1.0
    low = plain(arguments.get("low", arguments.get("a", 0.0)))
    high = plain(arguments.get("high", arguments.get("b", 1.0)))
    if np.ndim(low) or np.ndim(high):
        return 0.0, 0.0
    return float(low), float(high)


def _parts(found: Comparison, laws: Mapping[int, Law]) -> list[Part]:
    by_draw: dict[int, list[tuple[int, float]]] = {}
    for (draw, place), move in found.coupling.moves.items():
        if move:
            by_draw.setdefault(draw, []).append((place, move))
    parts = []
    for number in sorted(by_draw):
        law, moves = laws[number], by_draw[number]
        costs = [abs(move) * float(law.rate[place]) for place, move in moves]
        gaussian = law.family == "gaussian"
        sizes = np.abs([move for _, move in moves])
        parts.append(
            Part(
                number,
                found.left.draws[number],
                found.right.draws[number],
                0.0 if gaussian else float(sum(costs)),
                float(sum(c * c for c in costs)) if gaussian else 0.0,
                float(sizes.sum()),
                float(np.sqrt((sizes**2).sum())),
            )
        )
    return parts


def answer_with(left: Run, moves: Mapping[Cell, float]) -> Any:
    """Return what `dpaudit.trace.record.Recorder` takes to repeat a run's noise, moved.

    Parameters
    ----------
    left : Run
    moves : mapping of Cell to float
        Numbers that are added to the noise, by noise call and place.

    Notes
    -----
    A noise call of another kind than the one of the same number in the run keeps the noise of
    its own generator; of one with another shape the first numbers are repeated.
    """
    shifts: dict[int, list[tuple[int, float]]] = {}
    for (draw, place), move in moves.items():
        shifts.setdefault(draw, []).append((place, move))

    def answer(number: int, request: Any, value: Any) -> Any:
        if number >= len(left.draws):
            return value
        draw = left.draws[number]
        if draw.kind != request.kind or draw.first < 0:
            return _repeated(draw, request, value)
        first, size = draw.first, int(np.size(draw.value))
        noise = left.tape.raw[first : first + size].copy()
        for place, move in shifts.get(number, ()):
            noise[place] += move
        location = _location(request)
        return _shaped(noise, location, value)

    return answer


def _repeated(draw: Draw, request: Any, value: Any) -> Any:
    """Repeat what takes no seed where the same can be given again."""
    if draw.kind != request.kind:
        return value
    if draw.kind in ("bytes", "urandom", "randbytes"):
        return draw.value if len(draw.value) == len(value) else value
    if request.price is not None and _is_data(draw.value):
        return copy.deepcopy(draw.value)
    if type(draw.value) is type(value) and isinstance(value, float):
        return draw.value + (_location(request) - _location(draw.request))
    if type(draw.value) is type(value) is int and _location(request) == _location(draw.request):
        return draw.value if draw.kind in _WHOLE else value
    return value


def _is_data(value: Any) -> bool:
    """Whether a value is made of numbers and words alone, and can be given out again."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_data, value))
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    return isinstance(value, (bool, int, float, str, bytes, np.generic))


def _location(request: Any) -> Any:
    for name in ("loc", "mu"):
        if name in request.arguments and request.kind not in ("vonmises",):
            return plain(request.arguments[name])
    return 0.0


def _shaped(noise: Floats, location: Any, value: Any) -> Any:
    """Return noise and location in the type and the shape that the program expects."""
    if isinstance(value, np.ndarray):
        flat = (value.astype(np.float64) - location).ravel()
        flat[: len(noise)] = noise[: flat.size]
        with np.errstate(all="ignore"):
            moved = flat.reshape(value.shape) + location
            return (
                moved.astype(value.dtype)
                if value.dtype.kind == "f"
                else np.rint(moved).astype(value.dtype)
            )
    number = float(noise[0]) + float(location) if np.ndim(location) == 0 else value
    if isinstance(value, (bool, np.bool_)) or not math.isfinite(number):
        return value
    return type(value)(number if isinstance(value, float) else round(number))


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where two outputs differ.

    Attributes
    ----------
    path : str
        Continues the expression ``output``.
    left, right : str
    numeric : bool
    """

    path: str
    left: str
    right: str
    numeric: bool


def differences(left: Any, right: Any, *, tolerance: float = 1e-7) -> list[Difference]:
    """Return where two outputs differ by more than rounding, structure first."""
    one, two = encode([left]), encode([right])
    found = []
    for path in dict.fromkeys([*one.labels, *two.labels]):
        words = _word(one, path), _word(two, path)
        if words[0] != words[1]:
            found.append(Difference(path, str(words[0]), str(words[1]), False))
    for path in dict.fromkeys([*one.numbers, *two.numbers]):
        a, b = (float(c.numbers.get(path, np.array([np.nan]))[0]) for c in (one, two))
        if not (a == b or (math.isnan(a) and math.isnan(b))) and not math.isclose(
            a, b, rel_tol=tolerance, abs_tol=tolerance
        ):
            found.append(Difference(path, repr(a), repr(b), True))
    return found


def _word(columns: Columns, path: str) -> str | None:
    if path not in columns.labels:
        return None
    codes, words = columns.labels[path]
    return words[codes[0]] if codes[0] >= 0 else None


def first_place(comparison: Comparison) -> Place | None:
    """Return the line of the first noise call."""
    noise = comparison.left.noise
    return noise[0].place if noise else None
