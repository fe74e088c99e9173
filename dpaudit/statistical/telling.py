"""The event to show to people: the simplest set of outputs that the claim cannot explain.

Evidence comes from the bets; this event is an illustration of it. It is chosen on one half of
the kept outputs and counted on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from dpaudit.evidence import Counts, Event
from dpaudit.outputs import Columns
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.events import Candidate, Mask, What, candidates, lattice_candidates
from dpaudit.statistical.linear import linear_candidates


@dataclass(frozen=True, slots=True)
class Told:
    """A telling event.

    Attributes
    ----------
    event : Event
    mirrored : bool
        True where it is too likely under the right dataset.
    counts : Counts
        Sightings in the half that did not choose it, the likelier dataset first.
    paths : tuple of str
        The columns that it reads.
    what : {"exception", "structure", "atom", "interval", "lattice"}
        What kind of set it is.
    shows : bool
        Whether its counts overshoot the claim. Many small bets can refute what no event of
        these shows.
    on : tuple of ndarray of bool
        Kept outputs of the left and of the right dataset that lie in it.
    """

    event: Event
    mirrored: bool
    counts: Counts
    paths: tuple[str, ...]
    what: What
    shows: bool
    on: tuple[Mask, Mask]


def telling_event(left: Columns, right: Columns, stakes: Stakes, *, low_bits: bool = False) -> Told:
    """Return the event whose frequencies overshoot the claim most, in standard errors.

    Parameters
    ----------
    left, right : Columns
        Kept outputs of both datasets.
    stakes : Stakes
        Of the claim.
    low_bits : bool
        Whether low-order bits may be shown.
    """
    chooser = [~counted_rows(c.size) for c in (left, right)]
    best: list[tuple[float, bool, Candidate]] = []
    tried = candidates(left, right)
    tried = chain(tried, linear_candidates(left, right, (chooser[0], chooser[1])))
    if low_bits:
        tried = chain(tried, lattice_candidates(left, right))
    for candidate in tried:
        best += _graded(candidate, chooser, stakes)
        best = sorted(best, key=lambda entry: -entry[0])[:4]
    for (_, one_way, one), (_, other_way, two) in list(pairwise(best)):
        if one_way == other_way and one.paths != two.paths:
            best += _graded(_both(one, two), chooser, stakes)
    _, mirrored, chosen = max(best, key=lambda entry: entry[0])
    seen = [int(on[~half].sum()) for on, half in zip(chosen.on, chooser, strict=True)]
    calls = [int((~half).sum()) for half in chooser]
    first, second = (1, 0) if mirrored else (0, 1)
    counts = Counts(seen[first], calls[first], seen[second], calls[second])
    shows = _overshoots(counts, stakes)
    return Told(chosen.event, mirrored, counts, chosen.paths, chosen.what, shows, chosen.on)


def counted_rows(size: int) -> Mask:
    """Return which of so many kept outputs are counted; the others choose."""
    counted: Mask = np.arange(size) % 2 == 1
    return counted


def _overshoots(counts: Counts, stakes: Stakes) -> bool:
    p = counts.left / max(1, counts.left_calls)
    q = counts.right / max(1, counts.right_calls)
    return bool(np.any(p - np.exp(np.minimum(stakes.slopes, 300.0)) * q > stakes.deltas))


def _graded(
    candidate: Candidate, chooser: list[Mask], stakes: Stakes
) -> list[tuple[float, bool, Candidate]]:
    """Return the overshoot in standard errors, in both directions."""
    rates, sizes = [], []
    for on, half in zip(candidate.on, chooser, strict=True):
        sizes.append(max(1, int(half.sum())))
        rates.append((on[half].sum() + 0.25) / (sizes[-1] + 0.5))
    graded = []
    for mirrored in (False, True):
        p, q = (rates[1], rates[0]) if mirrored else (rates[0], rates[1])
        n, m = (sizes[1], sizes[0]) if mirrored else (sizes[0], sizes[1])
        scale = np.exp(np.minimum(stakes.slopes, 300.0))
        error = np.sqrt(p * (1 - p) / n + scale**2 * q * (1 - q) / m)
        excess = float(np.max((p - scale * q - stakes.deltas) / error))
        graded.append((excess - candidate.handicap, mirrored, candidate))
    return graded


def _both(one: Candidate, two: Candidate) -> Candidate:
    event = Event(
        f"{one.event.words} and {two.event.words}", f"({one.event.source}) and ({two.event.source})"
    )
    on = (one.on[0] & two.on[0], one.on[1] & two.on[1])
    return Candidate(event, tuple(dict.fromkeys(one.paths + two.paths)), on, one.what, 1.0)
