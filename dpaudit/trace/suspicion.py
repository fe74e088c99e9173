"""What is suspected of a pair, before anybody has confirmed it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.trace.draws import Draw, Place
from dpaudit.trace.laws import asks_alike, law_of

if TYPE_CHECKING:
    from dpaudit.trace.replay import Trial

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
    """Return the line of the last noise call of a refuted mechanism whose cause nobody has found.

    Parameters
    ----------
    trial : Trial

    Notes
    -----
    Where all noise is coins and choices, the same ones on both datasets, it has no scale: their
    chances are wrong (DPA106). A number that is drawn between ends of the data is no such coin.
    """
    left, right = trial.comparison.left, trial.comparison.right
    noise = [draw for draw in left.noise if draw.place is not None]
    if not noise:
        return None
    sampler = left.tape.pinned or left.tape.escaped  # computed with, and not only compared
    same = trial.comparison.aligned == len(left.draws) == len(right.draws)
    same = same and all(map(_same_interval, left.draws, right.draws))
    chances = (
        same and not sampler and {law_of(draw).family for draw in noise} <= {"bounded", "fixed"}
    )
    id, also = ("DPA106", ("DPA105", "DPA107", "DPA115")) if chances else ("DPA201", ())
    what = "coins and choices fall with chances that the claim does not allow"
    if not chances:
        what = "the noise does not hide what the claim says that it hides"
    return Suspicion(id, what, math.inf, noise[-1].place, related(trial), also)


def _same_interval(one: Draw, other: Draw) -> bool:
    """Return whether two draws are not from different intervals."""
    return law_of(one).family != "bounded" or asks_alike(one.request, other.request)
