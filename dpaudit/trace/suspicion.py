"""What is suspected of a pair, before anybody has confirmed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.trace.draws import Draw, Place

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
