"""Compares two runs on neighboring datasets: what reached each noise call, and what it costs."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns, encode
from dpaudit.trace.chosen import crossed
from dpaudit.trace.comparison import Comparison, Part, Rescaled
from dpaudit.trace.coupling import SAME, Cell, couple
from dpaudit.trace.demands import demands
from dpaudit.trace.draws import Draw
from dpaudit.trace.laws import Law, asks_alike, law_of, scale_of
from dpaudit.trace.record import Run
from dpaudit.trace.spheres import sphere
from dpaudit.trace.switch import plain
from dpaudit.trace.tape import Floats, Sink, Tape

_WHOLE = (
    "getrandbits",
    "_randbelow",
    "discrete_laplace",
    "discrete_gaussian",
)  # integers of no container


def compare(left: Run, right: Run) -> Comparison:
    """Align two runs, and price what differs.

    Parameters
    ----------
    left, right : Run
        Traced, on neighboring datasets; the right one with the noise of the left one, moved or
        not.
    """
    found = Comparison(left, right)
    laws = {i: law_of(draw) for i, draw in enumerate(left.draws) if draw.first >= 0}
    laws |= {i: replace(laws[i], upwards=False) for i in left.signed if i in laws}
    _align_draws(found, laws)
    _align_sinks(found)
    rows = demands(found, laws)
    found.coupling = couple(rows, laws)
    found.priced = _priced(found)
    parts = _parts(found, laws)
    vector = sphere(found, laws)
    if vector is not None and not vector.moves.keys() & found.coupling.moves.keys():
        found.priced.append(vector.part)
        found.coupling.moves.update(vector.moves)
    if found.aligned == len(left.draws) == len(right.draws):
        found.crossed = crossed(left, right)
    found.parts = sorted(parts + found.priced, key=lambda part: part.number)
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
    return draw.kind, None if place is None else (place.file, place.line)


def _align_draws(found: Comparison, laws: Mapping[int, Law]) -> None:
    left, right = found.left.draws, found.right.draws
    for number, (one, two) in enumerate(zip(left, right, strict=False)):
        if _draw_key(one) != _draw_key(two):
            break
        found.aligned += 1
        if not one.request.draws:
            continue
        if np.shape(one.value) != np.shape(two.value):
            found.reshaped = True
            continue
        if number in laws and laws[number].family in ("pure", "gaussian"):
            _compare_scales(found, one, two)
        _compare_choice(found, one, two)
    found.same_path = found.aligned == len(left) == len(right)


def _compare_scales(found: Comparison, one: Draw, two: Draw) -> None:
    scales = scale_of(one), scale_of(two)
    if scales[0] is None or scales[1] is None or _one_number(scales[0][1], scales[1][1]):
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


def _one_number(one: Any, two: Any) -> bool:
    """Whether two scales are the same number, as nearly all are."""
    return type(one) is type(two) is float and one == two


def _compare_choice(found: Comparison, one: Draw, two: Draw) -> None:
    """Compare the probabilities of a weighted choice, for the candidate that tells most.

    Any of them may be chosen, and a likely one may hide the others.
    """
    left, right = candidates_of(one), candidates_of(two)
    if left is None or right is None:
        return
    (ours, p), (theirs, q) = left, right
    if ours.shape != theirs.shape or p.shape != q.shape or not np.array_equal(ours, theirs):
        return
    with np.errstate(all="ignore"):
        losses = np.nan_to_num(np.log(p) - np.log(q), nan=0.0)
    ways = [(_answered(one, each, p), _answered(one, each, q)) for each in (losses, -losses)]
    most = max(ways, key=_loss)
    if _loss(most):
        found.chances.append((one, *most))


def _loss(chances: tuple[float, float]) -> float:
    one, two = chances
    if one == two:
        return 0.0
    return abs(math.log(one / two)) if min(one, two) > 0 else math.inf


def _answered(draw: Draw, losses: Floats, chances: Floats) -> float:
    """Return the chance of the answer whose candidates have the greatest losses, one by one."""
    size = draw.request.arguments.get("size")
    count = 1 if size is None else int(np.prod(size))
    if draw.request.arguments.get("replace", True):
        return float(chances[int(np.argmax(losses))] ** count)
    taken = chances[np.argsort(-losses, kind="stable")[:count]]
    left = 1 - np.concatenate(([0.0], np.cumsum(taken)[:-1]))
    return float(np.prod(taken / np.maximum(left, taken)))


def candidates_of(draw: Draw) -> tuple[NDArray[Any], Floats] | None:
    """Return what a draw chooses from, with the probabilities of all; None for any other draw.

    Parameters
    ----------
    draw : Draw
    """
    given = {name: plain(value) for name, value in draw.request.arguments.items()}
    try:
        if draw.kind == "choice" and given.get("p") is not None:
            among = np.arange(given["a"]) if np.ndim(given["a"]) == 0 else np.asarray(given["a"])
            weights = np.asarray(given["p"], dtype=np.float64)
        elif draw.kind == "choices" and given.get("k") == 1:
            among, summed = np.asarray(given["population"]), given.get("cum_weights")
            weighed = given.get("weights") if summed is None else np.diff(summed, prepend=0)
            weights = np.asarray(weighed, dtype=np.float64)
        else:
            return None
    except (TypeError, ValueError):
        return None
    total = weights.sum()
    if among.ndim != 1 or weights.shape != among.shape or not 0 < total < np.inf:
        return None
    return among, weights / total


def _sink_key(sink: Sink) -> Any:
    line = None if sink.line is None else (sink.line[0].co_filename, sink.line[1])
    return sink.kind, line


def _align_sinks(found: Comparison) -> None:
    reshaped = {
        number
        for number, (one, two) in enumerate(zip(found.left.draws, found.right.draws, strict=False))
        if number < found.aligned and np.shape(one.value) != np.shape(two.value)
    }
    left, right = (_asking(run.tape, reshaped) for run in (found.left, found.right))
    number = 0
    for one, two in zip(left, right, strict=False):
        if _sink_key(one) != _sink_key(two):
            break
        number += 1
        if one.shape == two.shape:
            found.sinks.append((one, two))
        else:
            found.reshaped = True
    found.same_path &= number == len(left) == len(right)


def _asking(tape: Tape, reshaped: set[int]) -> list[Sink]:
    """Return the sinks that hold other noise than that of some draws."""
    if not reshaped:
        return tape.sinks
    return [
        sink
        for sink in tape.sinks
        if any(
            tape.draw_of(each) not in reshaped
            for cell in sink.cells.tolist()
            for each in tape.terms(cell)
        )
    ]


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
        return draw.value if draw.kind in _WHOLE or asks_alike(draw.request, request) else value
    if type(draw.value) is type(value) is np.ndarray and asks_alike(draw.request, request):
        return copy.deepcopy(draw.value)
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


def precision(run: Run) -> float:
    """Return how far apart equal outputs may be: noise may have single precision."""
    single = any(getattr(draw.value, "dtype", None) == np.float32 for draw in run.draws)
    return 1e-5 if single else 1e-7


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
