"""What a picture of the telling pair shows: its outputs in bins, and counts in cells."""

from __future__ import annotations

import numpy as np

from dpaudit.neighbors import dataset_to_text
from dpaudit.sightings import CellCounts, Sightings
from dpaudit.statistical.binning import binned
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import LEARN_AT, Contender
from dpaudit.statistical.telling import Told, counted_rows

MARKS = len(LEARN_AT) + 1  # moments at which cells may be fixed


def sightings(
    contender: Contender, stakes: Stakes, share: float, told: Told | None = None
) -> Sightings | None:
    """Return what was seen on a pair; None where a side has too few outputs.

    Parameters
    ----------
    contender : Contender
    stakes : Stakes
        Of the claim.
    share : float
        The pair's share of an error probability.
    told : Told, optional
        The event that refutes the claim on this pair.
    """
    left, right = contender.pool.side(0), contender.pool.side(1)
    if min(left.size, right.size) < 2:
        return None
    datasets = contender.pair.left, contender.pair.right
    on = told.on if told else (np.zeros(left.size, bool), np.zeros(right.size, bool))
    cells = telling_cells(contender, stakes, share)
    if told and told.mirrored:
        left, right, on, datasets = right, left, on[::-1], datasets[::-1]
        cells = cells and CellCounts(cells.right, cells.left, cells.orders, cells.share)
    shown = counted_rows(left.size), counted_rows(right.size)
    bins = binned(
        (left.take(shown[0]), right.take(shown[1])),
        (on[0][shown[0]], on[1][shown[1]]),
        told.paths if told else (),
        (left.take(~shown[0]), right.take(~shown[1])),
    )
    texts = [dataset_to_text(dataset) for dataset in datasets]
    return Sightings(texts[0], texts[1], told.event.words if told else "", bins, cells)


def telling_cells(contender: Contender, stakes: Stakes, share: float) -> CellCounts | None:
    """Return the cells on which the best bet would have earned most, with their draws.

    Parameters
    ----------
    contender : Contender
    stakes : Stakes
        Of the claim.
    share : float
        The pair's share of an error probability.

    Notes
    -----
    Cells are fixed by what was drawn before, at one of `MARKS` moments; draws that were still to
    come, or whose labels had not been looked at, are counted. The very draws that fixed cells are
    left out. The choice is paid for: each stream, each moment, and all that joined at it have
    equal parts of the share.
    """
    best, chosen = -np.inf, None
    for book in contender.books.values():
        for expert in book.experts:
            counts = expert.counts if expert.shaping is None else expert.counts - expert.shaping
            left, right = book.kind.sides(counts)
            earned = book.kind.hindsight(expert, stakes)
            if not (left.any() and right.any()) or (chosen and earned <= best):
                continue
            together = sum(e.joined == expert.joined for e in book.experts)
            best, chosen = earned, CellCounts(
                tuple(left.tolist()),
                tuple(right.tolist()),
                tuple(tuple(order.tolist()) for order in expert.partition.orders),
                share / (len(contender.books) * MARKS * together),
            )  # fmt: skip
    return chosen
