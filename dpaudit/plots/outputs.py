"""Draws the outputs on both datasets, with the refuting event shaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.extras import optional
from dpaudit.plots.style import EVENT, LEFT, RIGHT, logarithmic, styled, text
from dpaudit.sightings import Bins, Sightings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

FILL = 0.4  # opacity
RARE = 0.03  # share of the event below which shares are drawn on a logarithmic scale
LONGEST_NAME = 14
LONGEST_DATASET = 26
LONGEST_EVENT = 36
CROWDED = 36  # letters of all names of bars; more, and they are turned

Pairs = tuple[Floats, Floats]


def draw_outputs(seen: Sightings, ax: Axes) -> None:
    """Draw shares of outputs in bins, one color a dataset.

    Parameters
    ----------
    seen : Sightings
    ax : matplotlib.axes.Axes

    Notes
    -----
    Shares in the event are filled; bins all of whose outputs are in it have a background too.
    """
    bins = seen.bins
    shares = _shares(bins.left, bins.left_draws), _shares(bins.right, bins.right_draws)
    inside = (
        _shares(bins.left_in_event, bins.left_draws),
        _shares(bins.right_in_event, bins.right_draws),
    )
    highest = max(float(side.max()) for side in shares)
    with styled():
        handles = (_bars if bins.names else _steps)(ax, bins, shares, inside)
        names = [f"on {text(dataset, LONGEST_DATASET)}" for dataset in (seen.left, seen.right)]
        if seen.event:
            handles.append(_shade(ax, bins))
            names.append(f"event: {text(seen.event, LONGEST_EVENT)}")
        # The legend has the upper part to itself.
        part = max(float(side.sum()) for side in inside)
        if 0 < part < RARE:
            lowest = min(float(side[side > 0].min()) for side in shares if side.any())
            logarithmic(ax, lowest / 2, highest * (2 * highest / lowest) ** 0.5)
        else:
            ax.set_ylim(0, 1.45 * highest)
            ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= min(1, 1.4 * highest)])
        ax.set(xlabel=text(bins.what, 60), ylabel="share of outputs")
        ax.set_title("Outputs on the two datasets")
        ax.legend(handles, names, loc="upper left")


def _shares(counts: tuple[int, ...], draws: int) -> Floats:
    return np.array(counts, dtype=float) / max(draws, 1)


def _steps(ax: Axes, bins: Bins, shares: Pairs, inside: Pairs) -> list[Any]:
    handles = []
    for share, part, color in zip(shares, inside, (LEFT, RIGHT), strict=True):
        handles.append(ax.stairs(share, bins.edges, color=color, linewidth=1.6))
        if part.any():
            ax.stairs(part, bins.edges, color=color, fill=True, alpha=FILL, linewidth=0)
    ax.set_xlim(bins.edges[0], bins.edges[-1])
    return handles


def _bars(ax: Axes, bins: Bins, shares: Pairs, inside: Pairs) -> list[Any]:
    at, handles = np.arange(len(bins.names)), []
    for side, (share, part, color) in enumerate(zip(shares, inside, (LEFT, RIGHT), strict=True)):
        place = at + 0.4 * (side - 0.5)
        handles.append(ax.bar(place, share, 0.36, facecolor="none", edgecolor=color, linewidth=1.4))
        if part.any():
            ax.bar(place, part, 0.36, color=color, alpha=FILL)
    words = [text(name, LONGEST_NAME) or "(empty)" for name in bins.names]
    crowded = sum(map(len, words)) > CROWDED
    ax.set_xticks(at, words, rotation=45 if crowded else 0, ha="right" if crowded else "center")
    ax.set_xlim(-0.6, len(at) - 0.4)
    return handles


def _shade(ax: Axes, bins: Bins) -> Any:
    """Shade bins whose outputs are all in the event, with the empty ones beside them.

    Returns
    -------
    matplotlib artist
        What the legend shows.
    """
    patch = optional("matplotlib.patches").Patch
    total = np.array(bins.left) + np.array(bins.right)
    part = np.array(bins.left_in_event) + np.array(bins.right_in_event)
    filled = np.flatnonzero(total)
    edges = np.array(bins.edges) if bins.edges else np.arange(len(total) + 1) - 0.5
    nearest = filled[np.abs(np.arange(len(total))[:, None] - filled).argmin(axis=1)]
    whole = (part == total)[nearest]
    ends = np.flatnonzero(np.diff(np.concatenate([[False], whole, [False]]).astype(int)))
    for start, stop in ends.reshape(-1, 2):
        ax.axvspan(edges[start], edges[stop], color=EVENT, alpha=0.3, linewidth=0, zorder=0)
    likelier = patch(color=LEFT, alpha=FILL, linewidth=0)
    return patch(color=EVENT, alpha=0.5, linewidth=0) if whole.any() else likelier
