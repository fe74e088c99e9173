"""What was seen on the telling pair, small enough to be carried by the evidence and drawn."""

from __future__ import annotations

from dataclasses import dataclass

Trail = tuple[tuple[int, float], ...]  # (calls made, evidence in nats), in order


@dataclass(frozen=True, slots=True)
class Bins:
    """How many outputs on each dataset fell into each bin, and how many of these into the event.

    Attributes
    ----------
    what : str
        What is binned: ``"output"``, ``"third entry"``, a learned score.
    edges : tuple of float
        One more than bins, which are closed above; empty where the bins have names. Outputs beyond
        the ends are in the first and the last bin.
    names : tuple of str
        Of the bins, where they are outcomes; else empty.
    left, right : tuple of int
        Outputs in each bin.
    left_in_event, right_in_event : tuple of int
        Those of them in the event of the witness; all 0 where there is none.
    left_draws, right_draws : int
        Outputs that were looked at; those that are no number may lie in no bin.
    """

    what: str
    edges: tuple[float, ...]
    names: tuple[str, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    left_in_event: tuple[int, ...]
    right_in_event: tuple[int, ...]
    left_draws: int
    right_draws: int


@dataclass(frozen=True, slots=True)
class CellCounts:
    """All draws on a pair since its outputs were cut into these cells, which no draw has moved.

    Attributes
    ----------
    left, right : tuple of int
        Draws in each cell.
    orders : tuple of tuple of int
        Orders of the cells, fixed with them; events are the first cells of one.
    share : float
        The pair and the cells were picked from many. Shares of all that could have been picked sum
        to at most one: limits that err with this part of an error probability err with that
        probability together.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    orders: tuple[tuple[int, ...], ...]
    share: float


@dataclass(frozen=True, slots=True)
class Sightings:
    """The outputs of one pair of datasets.

    Attributes
    ----------
    left, right : str
        The two datasets in words; of a witness the left one makes the event too likely.
    event : str
        The event of the witness in words; empty where there is none.
    bins : Bins
        From kept draws; where there is an event, from those that did not choose it.
    cells : CellCounts or None
        None where no draw came after the cells were fixed.
    """

    left: str
    right: str
    event: str
    bins: Bins
    cells: CellCounts | None
