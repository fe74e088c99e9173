"""What is suspected of a pair, before anybody has confirmed it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.trace.draws import Draw, Place
from dpaudit.trace.laws import asks_alike, law_of
from dpaudit.trace.switch import plain

if TYPE_CHECKING:
    from dpaudit.trace.replay import Trial

_BOUNDED = ("binomial", "choice", "integers", "rand", "random", "random_sample", "uniform")
_CHOOSING = ("choice", "choices", "sample", "permutation", "permuted", "shuffle")
Related = tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Suspicion:
    """A violation that two runs suggest.

    Attributes
    ----------
    id : str
        ``DPA…`` id.
    what : str
        What was seen, in words, without the place.
    share : float
        Cost as a share of what the claim allows.
    place : Place or None
        The cause.
    related : tuple of (file, line, what)
        The noise call.
    also : tuple of str
        Other ids that fit.
    """

    id: str
    what: str
    share: float
    place: Place | None
    related: Related = ()
    also: tuple[str, ...] = ()


def related(trial: Trial, draw: Draw | None = None) -> Related:
    """Return the noise call that a suspicion belongs to, for `Finding.related`."""
    noise = draw or next((d for d in trial.comparison.left.noise if d.place is not None), None)
    if noise is None or noise.place is None:
        return ()
    return ((noise.place.file, noise.place.line, f"the {noise.kind} noise"),)


def number_text(value: Any) -> str:
    """Write a number in a few digits; of an array, its first ones; anything else as it is."""
    flat = np.ravel(value)
    if flat.dtype.kind not in "biuf":
        return f"{value!r:.40}"
    if flat.size == 1:
        return f"{float(flat[0]):.6g}"
    shown = ", ".join(f"{float(x):.4g}" for x in flat[:4])
    return f"({shown}{', …' if flat.size > 4 else ''})"


def unlocated_suspicion(trial: Trial) -> Suspicion | None:
    """Return the line of a noise call of a refuted mechanism whose cause nobody has found.

    Parameters
    ----------
    trial : Trial

    Notes
    -----
    Where all noise is coins and choices, the same ones on both datasets, it has no scale: their
    chances are wrong (DPA106). A number that is drawn between ends of the data is no such coin.
    Where the draws are the same on both datasets and the code computes its noise from them, that
    sampler is at fault, and its first draw without bounds is named. What is drawn from the records
    themselves is one of them (DPA102), or all of them in another order (DPA101).
    """
    left, right = trial.comparison.left, trial.comparison.right
    noise = [draw for draw in left.noise if draw.place is not None]
    if not noise:
        return None
    chosen = _from_records(trial)
    if chosen is not None:
        return chosen
    sampler = left.tape.pinned or left.tape.escaped  # computed with, and not only compared
    same = trial.comparison.aligned == len(left.draws) == len(right.draws)
    same = same and all(map(_same_interval, left.draws, right.draws))
    coins = {law_of(draw).family for draw in noise} <= {"bounded", "fixed"}
    id, place = "DPA201", noise[-1].place
    also: tuple[str, ...] = ()
    what = "the noise does not hide what the claim says that it hides"
    if same and sampler:
        id, also = "DPA106", ("DPA105", "DPA107")
        place = next((draw.place for draw in noise if draw.kind not in _BOUNDED), place)
        what = "the noise that the code computes from its draws does not hide what it should"
    elif same and coins:
        id, also = "DPA106", ("DPA105", "DPA107", "DPA115")
        what = "coins and choices fall with chances that the claim does not allow"
    return Suspicion(id, what, math.inf, place, related(trial), also)


def _from_records(trial: Trial) -> Suspicion | None:
    """Return that the first draw, before which nothing is noisy, is one from the records."""
    runs = trial.comparison.left, trial.comparison.right
    if not all(run.draws for run in runs):
        return None
    one = runs[0].draws[0]
    ours, others = (_drawn_from(run.draws[0]) for run in runs)
    if ours is None or others is None or np.array_equal(ours, others):
        return None
    whole = np.size(one.value) == np.size(ours) and not one.request.arguments.get("replace")
    id, other = ("DPA101", "DPA102") if whole else ("DPA102", "DPA101")
    what = "what the noise chooses from comes from the data, and what it chooses leaves"
    return Suspicion(id, what, math.inf, one.place, related(trial, one), (other, "DPA109"))


def _drawn_from(draw: Draw) -> Any:
    """Return the candidates that a draw chooses from; None where it is given no list of them."""
    names = ("a", "population", "seq", "x") if draw.kind in _CHOOSING else ()
    given = (plain(draw.request.arguments.get(name)) for name in names)
    return next((each for each in given if np.ndim(each) == 1), None)


def _same_interval(one: Draw, other: Draw) -> bool:
    """Return whether two draws are not from different intervals."""
    return law_of(one).family != "bounded" or asks_alike(one.request, other.request)
