"""Noise that is not random: fixed seeds, seeds from data, one noise for two values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpaudit.trace.draws import Draw
from dpaudit.trace.habits import Habits
from dpaudit.trace.replay import Trial
from dpaudit.trace.suspicion import Suspicion, related
from dpaudit.trace.switch import plain

_GUESSED = 2**32  # seeds; fewer can be tried one by one
_SAMPLED = 2**16  # seeds; of more, no audit sees that they repeat


def weak_randomness(trial: Trial, habits: Habits) -> Suspicion | None:
    """Return why the noise hides nothing, where it does not.

    Parameters
    ----------
    trial : Trial
    habits : Habits
    """
    return (
        _seeded_by_data(trial, habits)
        or _fixed(trial, habits)
        or _repeated(trial)
        or _few_seeds(trial, range(_SAMPLED))
        or _shared(trial)
        or _cancelled(trial)
    )


def guessable_seed(trial: Trial) -> Suspicion | None:
    """Return why the noise could be guessed, where no draws of ours would show it.

    Parameters
    ----------
    trial : Trial
    """
    return _few_seeds(trial, range(_SAMPLED, _GUESSED + 1))


def _suspicion(trial: Trial, draw: Draw, what: str) -> Suspicion:
    return Suspicion("DPA110", what, math.inf, draw.place, related(trial))


def _seeds(draws: tuple[Draw, ...]) -> list[Draw]:
    return [d for d in draws if d.request.seeds and d.request.arguments.get("seed") is not None]


def _seeded_by_data(trial: Trial, habits: Habits) -> Suspicion | None:
    """Find a seed that is always the same on one dataset, and another on its neighbor."""
    runs = (habits.left[0], habits.left[1], habits.right[0], habits.right[1])
    for draws in zip(*(_seeds(run.draws) for run in runs), strict=False):
        texts = [_text(draw.request.arguments["seed"]) for draw in draws]
        if texts[0] == texts[1] and texts[2] == texts[3] and texts[0] != texts[2]:
            return _suspicion(trial, draws[0], "the seed of the noise is computed from the data")
    return None


def _fixed(trial: Trial, habits: Habits) -> Suspicion | None:
    """Find a draw that is the same whatever the randomness, and hides a value that moves.

    A choice or another whole number may be the same by chance: it is looked at in all runs, and a
    seed has to come before it.
    """
    moved = {part.number for part in trial.comparison.parts}
    first, second = habits.left[0].draws, habits.left[1].draws
    noise = list(zip(habits.left[0].noise, habits.left[1].noise, strict=False))
    frozen = bool(trial.differences) and all(_same(one, two) for one, two in noise)
    for number, (one, two) in enumerate(zip(first, second, strict=False)):
        if not (number in moved or frozen) or not _same(one, two):
            continue
        seeds = [d for d in first[:number] if d.request.seeds]
        always = frozen and bool(_seeds(first[:number])) and _always(habits, number)
        if _continuous(one) or (always and not one.request.seeds):
            what = f"the {one.kind} noise is the same in every call"
            return _suspicion(trial, seeds[-1] if seeds else one, what)
    return None


def _always(habits: Habits, number: int) -> bool:
    """Whether a draw is the same in every run on the left dataset."""
    draws = [run.draws[number] if number < len(run.draws) else None for run in habits.left]
    first = draws[0]
    return first is not None and all(d is not None and _same(first, d) for d in draws)


def _repeated(trial: Trial) -> Suspicion | None:
    """Find two noise calls of one run that give the same number."""
    moved = {part.number for part in trial.comparison.parts}
    known: dict[tuple[str, bytes], int] = {}
    draws = trial.comparison.left.draws
    for number, draw in enumerate(draws):
        if draw.request.seeds or not _continuous(draw):
            continue
        name = draw.kind, np.asarray(draw.value).tobytes()
        earlier = known.setdefault(name, number)
        if earlier != number and (number in moved or earlier in moved):
            seeds = [d for d in draws[:number] if d.request.seeds]
            what = f"two {draw.kind} draws of one run are the same number"
            return _suspicion(trial, seeds[-1] if seeds else draw, what)
    return None


def _few_seeds(trial: Trial, counts: range) -> Suspicion | None:
    """Find a seed that is drawn from one of so many."""
    draws = trial.comparison.left.draws
    for number, draw in enumerate(draws):
        if not draw.request.seeds:
            continue
        seed = plain(draw.request.arguments.get("seed"))
        for earlier in draws[:number]:
            if earlier.kind in ("integers", "randint", "randrange") and _is(earlier.value, seed):
                count = _range(earlier)
                if count in counts:
                    return _suspicion(trial, draw, f"the noise comes from one of {count} seeds")
    return None


def _shared(trial: Trial) -> Suspicion | None:
    """Find one noise of two values that move by different amounts."""
    tape = trial.comparison.left.tape
    for (number, at), one, two in trial.comparison.coupling.conflicts:
        sinks = [trial.comparison.sinks[i][0] for i in (one, two)]
        if not all(np.isfinite(sink.values).all() for sink in sinks):
            continue
        if sinks[0].line == sinks[1].line and not any(sink.leaves for sink in sinks):
            continue  # one value, which a loop refines
        draw = trial.comparison.left.draws[number]
        if draw.kind in ("random", "integers", "uniform", "permutation"):
            continue
        factors = {abs(c) for sink in sinks for c in tape.factors(sink, draw.first + at)}
        if tape.escaped and len(factors) > 1:  # other noise is in a factor, as an angle is
            what = f"one {draw.kind} draw, times other noise, is that of several values"
            also = ("DPA105", "DPA110")
            return Suspicion("DPA106", what, math.inf, draw.place, related(trial), also)
        return _suspicion(trial, draw, f"one {draw.kind} draw is the noise of several values")
    return None


def _cancelled(trial: Trial) -> Suspicion | None:
    """Find one noise of all candidates, whose order it leaves as it is."""
    comparison = trial.comparison
    for one, two in comparison.sinks if trial.differences else ():
        cells = one.cells.tolist()
        if one.kind != "choice" or len(cells) < 2 or len(set(cells)) > 1 or cells[0] < 0:
            continue
        bases = comparison.left.tape.base(one), comparison.right.tape.base(two)
        if np.ptp(one.coefficients) == 0 and np.any(bases[0] != bases[1]):
            draw = comparison.left.draws[comparison.left.tape.draw_of(cells[0])]
            return _suspicion(trial, draw, f"one {draw.kind} draw is the noise of all candidates")
    return None


def _continuous(draw: Draw) -> bool:
    values = np.asarray(draw.value)
    return values.dtype.kind == "f" and values.size > 0 and bool(np.all(values != 0))


def _same(one: Draw, two: Draw) -> bool:
    return one.kind == two.kind and bool(np.array_equal(one.value, two.value))


def _is(value: Any, seed: Any) -> bool:
    return np.ndim(value) == 0 and np.ndim(seed) == 0 and bool(value == seed)


def _range(draw: Draw) -> int | None:
    arguments = {name: plain(value) for name, value in draw.request.arguments.items()}
    low = arguments.get("low", arguments.get("a", arguments.get("start")))
    high = arguments.get("high", arguments.get("b", arguments.get("stop")))
    if low is None:
        return None
    return int(low) if high is None else int(high) - int(low)


def _text(seed: Any) -> str:
    return repr(plain(seed))[:200]
