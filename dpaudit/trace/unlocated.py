"""The cause of a refutation that is left where no rule fits: which noise hides too little."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.outputs import encode
from dpaudit.trace.coins import chance_place
from dpaudit.trace.draws import Draw, Place
from dpaudit.trace.laws import asks_alike, law_of
from dpaudit.trace.lines import History, changed_alike, won_at
from dpaudit.trace.redraws import accepted_at
from dpaudit.trace.suspicion import Suspicion, related
from dpaudit.trace.switch import plain

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.record import Run
    from dpaudit.trace.replay import Trial

_BOUNDED = ("binomial", "choice", "integers", "rand", "random", "random_sample", "uniform")
CHOOSING = ("choice", "choices", "sample", "permutation", "permuted", "shuffle")
REDRAWN = "noise is drawn again until it passes a test, whose chance depends on the data"
REDRAWN_ALSO = ("DPA105", "DPA107", "DPA108")


def unlocated_suspicion(case: Case) -> Suspicion | None:
    """Return the line of a noise call of a refuted mechanism whose cause nobody has found.

    Parameters
    ----------
    case : Case

    Notes
    -----
    Where all noise is coins and choices, the same ones on both datasets, it has no scale: their
    chances are wrong (DPA106), and the line that forms the first of them is named. A number that
    is drawn between ends of the data is no such coin. Where the draws are the same on both datasets
    and the code computes its noise from them, that sampler is at fault, and its first draw without
    bounds is named. Where the output is the largest or the least of several numbers with such
    noise, they are several answers (DPA107). Where noise is drawn again until it passes a test,
    that test is named. What is drawn from the records themselves is one of them (DPA102), or all
    of them in another order (DPA101).
    """
    trial = case.trial
    left, right = case.runs
    noise = [draw for draw in left.noise if draw.place is not None]
    if not noise:
        return None
    chosen = _from_records(trial)
    if chosen is not None:
        return chosen
    redrawn = redrawn_at(left)
    if redrawn is not None:
        return Suspicion("DPA106", REDRAWN, math.inf, redrawn, related(trial), REDRAWN_ALSO)
    # Computed with, and not only compared.
    sampler = bool(left.tape.escaped) or not left.followed
    same = trial.comparison.aligned == len(left.draws) == len(right.draws)
    same = same and all(map(_same_interval, left.draws, right.draws))
    coins = {law_of(draw).family for draw in noise} <= {"bounded", "fixed"}
    id, place = "DPA201", noise[-1].place
    also: tuple[str, ...] = ()
    what = "the noise does not hide what the claim says that it hides"
    won = _won_at(case) if same and sampler else None
    if won is not None:
        id, also, place = "DPA107", ("DPA105", "DPA106"), won
        what = "the largest of several noisy numbers leaves, and the noise pays for one of them"
    elif same and (sampler or (not coins and len({draw.kind for draw in noise}) > 1)):
        id, also = "DPA106", ("DPA105", "DPA107", "DPA201")
        place = next((draw.place for draw in noise if draw.kind not in _BOUNDED), place)
        what = "the noise that the code computes from its draws does not hide what it should"
    elif same and coins:
        id, also = "DPA106", ("DPA105", "DPA107", "DPA115")
        place = chance_place(case) or place
        what = "coins and choices fall with chances that the claim does not allow"
    elif any(map(_places_records, (*left.draws, *right.draws))):
        id, also = "DPA115", ("DPA105", "DPA107", "DPA201")
        what = "the noise does not hide a record that is drawn more often than the claim allows"
    return Suspicion(id, what, math.inf, place, related(trial), also)


def _won_at(case: Case) -> Place | None:
    """Return the first line that returns the largest or least of noisy numbers, and no other."""
    shown = np.concatenate([*encode([case.runs[0].output]).numbers.values(), np.zeros(0)])
    again = History()
    case.bench.run(case.trial.datasets[0], (*case.key, 11), traced=False, watch=again)
    for _, _, one, two in changed_alike(case.histories[0], again):
        if one.numbers is None or two.numbers is None or one.numbers.size != two.numbers.size:
            continue
        noisy = one.numbers.size > 1 and bool(np.all(one.numbers != two.numbers))
        alone = np.isin(one.numbers, shown).sum() == 1
        if noisy and alone and np.isin([one.numbers.max(), one.numbers.min()], shown).any():
            won = one.numbers[np.isin(one.numbers, shown)]
            return won_at(case.histories[0], won)
    return None


def redrawn_at(run: Run) -> Place | None:
    """Return the line of the test until which noise of a run is drawn again.

    Parameters
    ----------
    run : Run
    """
    for place in dict.fromkeys(draw.place for draw in run.noise if draw.place is not None):
        line = accepted_at(place.file, place.line)
        if line is not None:
            return replace(place, line=line)
    return None


def _from_records(trial: Trial) -> Suspicion | None:
    """Return that the first draw, before which nothing is noisy, is one from the records."""
    runs = trial.comparison.left, trial.comparison.right
    if not all(run.draws for run in runs):
        return None
    one = runs[0].draws[0]
    ours, others = (drawn_from(run.draws[0]) for run in runs)
    if ours is None or others is None or np.array_equal(ours, others):
        return None
    whole = np.size(one.value) == np.size(ours) and not one.request.arguments.get("replace")
    id, other = ("DPA101", "DPA102") if whole else ("DPA102", "DPA101")
    what = "what the noise chooses from comes from the data, and what it chooses leaves"
    return Suspicion(id, what, math.inf, one.place, related(trial, one), (other, "DPA109"))


def drawn_from(draw: Draw) -> Any:
    """Return the candidates that a draw chooses from; None where it is given no list of them.

    Parameters
    ----------
    draw : Draw
    """
    names = ("a", "population", "seq", "x") if draw.kind in CHOOSING else ()
    given = (plain(draw.request.arguments.get(name)) for name in names)
    return next((each for each in given if np.ndim(each) == 1), None)


def is_weighed(draw: Draw) -> bool:
    """Whether some of the candidates that a draw chooses from are likelier than others.

    Parameters
    ----------
    draw : Draw
    """
    given = (draw.request.arguments.get(name) for name in ("p", "weights", "cum_weights"))
    return any(each is not None for each in given)


def _places_records(draw: Draw) -> bool:
    """Return whether a draw is a list of places or of records, which are all equally likely."""
    places = ("integers", "randint", *CHOOSING)
    return draw.kind in places and np.ndim(draw.value) == 1 and not is_weighed(draw)


def _same_interval(one: Draw, other: Draw) -> bool:
    """Return whether two draws are not from different intervals."""
    return law_of(one).family != "bounded" or asks_alike(one.request, other.request)
