"""Samples of records: whether a run draws one, and whether it matters to what the noise hides."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.trace.comparison import Part
from dpaudit.trace.draws import Draw, Request
from dpaudit.trace.laws import law_of
from dpaudit.trace.several import holds
from dpaudit.trace.switch import plain
from dpaudit.trace.unlocated import drawn_from

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.record import Run

OTHER_SAMPLES = 16  # that are drawn, before it is said that none of them matters
_UNIFORM = ("random", "random_sample", "rand")
_DRAWING = ("permutation", "permuted", "choice", "shuffle", "sample", "integers")


def sampled_records(case: Case) -> bool:
    """Whether records are drawn: a number for each of them, or some of them, or their order.

    Parameters
    ----------
    case : Case
    """
    comparison = case.trial.comparison
    pairs = zip(comparison.left.draws, comparison.right.draws, strict=False)
    return any(
        np.shape(one.value) != np.shape(two.value) or _picks_records(case, one, two)
        for one, two in list(pairs)[: comparison.aligned]
        if law_of(one).family not in ("pure", "gaussian")
    )


def _picks_records(case: Case, one: Draw, two: Draw) -> bool:
    """Whether two draws pick records or their places: from lists that differ, or of their number.

    A coin that picks the sign of noise is no sample.
    """
    ours, others = _listed(one), _listed(two)
    if ours is None or others is None:
        return False
    if isinstance(ours, range) and isinstance(others, range):
        records = [range(len(d)) for d in case.trial.datasets if hasattr(d, "__len__")]
        return ours != others or ours in records
    return isinstance(ours, range) or isinstance(others, range) or not np.array_equal(ours, others)


def _listed(draw: Draw) -> NDArray[Any] | range | None:
    """Return the list that a draw picks from, or the places in it; None where it picks none."""
    if draw.kind not in _DRAWING:
        return None
    listed = drawn_from(draw)
    if listed is not None:
        values, places = np.asarray(listed), range(len(listed))
        whole = values.dtype.kind in "iu" and np.array_equal(np.sort(values), places)
        return places if whole else values
    names = ("high", "low") if draw.kind == "integers" else ("a", "population", "x")
    given = (plain(draw.request.arguments.get(name)) for name in names)
    among: Any = next((each for each in given if each is not None), None)
    size = len(among) if hasattr(among, "__len__") else among
    return range(size) if isinstance(size, int | np.integer) else None


def same_for_all_samples(case: Case, part: Part) -> bool:
    """Whether what a noise call hides is the same whatever is drawn before it.

    Parameters
    ----------
    case : Case
    part : Part
        The noise call.
    """

    def hidden(run: Run) -> Any:
        held = (s for s in run.tape.sinks if s.kind == "equal")
        return next((run.tape.base(s) for s in held if holds(run.tape, s, part.number)), None)

    def all_at(end: float, _: int, request: Request, value: Any) -> Any:
        return value * 0.0 + end if request.kind in _UNIFORM else value

    data, first = case.trial.datasets[0], hidden(case.runs[0])
    answers = [partial(all_at, 0.0), partial(all_at, 1 - 1e-9), *[None] * OTHER_SAMPLES]
    for number, answer in enumerate(answers if first is not None else ()):
        other = hidden(case.bench.run(data, (*case.key, 10, number), answer=answer))
        if np.shape(other) != np.shape(first) or not np.allclose(other, first, atol=1e-9):
            return False
    return first is not None
