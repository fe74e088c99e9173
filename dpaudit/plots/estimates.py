"""Draws an estimate: a point with its interval, or a curve with its band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims import Claim
from dpaudit.estimates.estimate import Estimate
from dpaudit.plots.style import (
    BAND_ALPHA,
    CLAIM,
    FORBIDDEN,
    FORBIDDEN_ALPHA,
    QUIET,
    SEEN,
    SMALL,
    new_axes,
    styled,
    text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

TRADEOFF, PROFILE = "α", "ε (nats)"  # the axes of curves that a claim has too
FEW = 15  # points of a curve that are marked
ROW, CURVE = 2.0, 4.0  # inches of height
ROW_DRAWN = "dpaudit row"  # marks an axes that has one
ARROW = 30  # points, of an open end


def plot_estimate(
    estimate: Estimate,
    ax: Axes | None = None,
    *,
    claim: Claim | None = None,
    label: str | None = None,
    color: str = SEEN,
    **line: Any,
) -> Axes:
    """Draw an estimate with its interval or band.

    Parameters
    ----------
    estimate : Estimate
    ax : matplotlib.axes.Axes, optional
        Drawn into; a new figure where None. Single numbers drawn into the same axes are rows, one
        below the other.
    claim : Claim, optional
        Drawn beside a trade-off curve or a privacy profile.
    label : str, optional
        Of the row, or in the legend; the quantity where None.
    color : str
    **line
        Passed on to the drawing of the value.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        Where matplotlib is not installed.
    ValueError
        Where a claim is given with an estimate that it says nothing of.

    Notes
    -----
    An end that is infinite is an arrow, or a band that runs out of the picture.
    """
    drawn = new_axes(ROW if estimate.at is None else CURVE) if ax is None else ax
    if claim is not None and estimate.axis not in (TRADEOFF, PROFILE):
        raise ValueError(
            f"`claim` goes with a trade-off curve or a privacy profile, got an estimate of "
            f"{estimate.quantity}; leave it out"
        )
    with styled():
        if estimate.at is None:
            _row(drawn, estimate, label, color, line)
        else:
            _curve(drawn, estimate, claim, label, color, line)
    return drawn


def _row(ax: Axes, estimate: Estimate, label: str | None, color: str, line: dict[str, Any]) -> None:
    rows = [artist for artist in ax.lines if artist.get_gid() == ROW_DRAWN]
    y = float(len(rows))
    value, low, high = (float(v) for v in (estimate.value, *estimate.confidence_interval))
    finite = [v for v in (low, value, high) if np.isfinite(v)] or [0.0]
    ax.plot([min(finite), max(finite)], [y, y], color=color, linewidth=2, solid_capstyle="butt")
    for end, real, side in ((min(finite), low, -1), (max(finite), high, 1)):
        if np.isfinite(real):
            ax.plot([end], [y], "|", color=color, markersize=9)
        else:
            _open_end(ax, end, y, side, color)
    if np.isfinite(value):
        style = {"marker": "o", "color": color, "linestyle": "none", **line}
        ax.plot([value], [y], **style)
    ax.plot([], [], gid=ROW_DRAWN)
    if estimate.bound is not None:
        bound = float(estimate.bound)
        ax.plot([bound, bound], [y - 0.3, y + 0.3], color=CLAIM, linestyle="--", linewidth=1.4)
        ax.annotate(
            f"claim: at most {bound:.4g}",
            (bound, y - 0.3),
            (0, 3),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=SMALL,
        )
    names = [
        *(t.get_text() for t in ax.get_yticklabels()[: len(rows)]),
        text(label or _named(estimate)),
    ]
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.margins(x=0.15)
    title, before = _title(estimate), ax.get_xlabel()
    ax.set_xlabel(title if before in ("", title) else "units and confidences differ by row")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _open_end(ax: Axes, end: float, y: float, side: int, color: str) -> None:
    """Draw an arrow to the right (1) or the left (-1), of the same length on every scale."""
    ax.annotate(
        "no upper bound" if side > 0 else "no lower bound",
        (end, y),
        (side * ARROW, 0),
        textcoords="offset points",
        va="center",
        ha="left" if side > 0 else "right",
        fontsize=SMALL,
        color=QUIET,
        arrowprops={"arrowstyle": "<|-", "color": color, "lw": 2, "shrinkA": 0, "shrinkB": 0},
    )


def _named(estimate: Estimate) -> str:
    return estimate.quantity.replace(" of P and Q", "")


def _title(estimate: Estimate) -> str:
    """Return the axis title: the unit, and how sure the interval is."""
    unit = f"{estimate.unit}, " if estimate.unit else ""
    return f"{unit}{100 * estimate.confidence:.4g} % interval"


def _curve(
    ax: Axes,
    estimate: Estimate,
    claim: Claim | None,
    label: str | None,
    color: str,
    line: dict[str, Any],
) -> None:
    at = np.asarray(estimate.at, dtype=float)
    value = np.asarray(estimate.value, dtype=float)
    low, high = (np.asarray(end, dtype=float) for end in estimate.confidence_interval)
    style = {
        "zorder": 3,
        "color": color,
        "marker": "o" if len(at) <= FEW else "",
        "markersize": 4,
        **line,
    }
    top = _top(value, low, high)
    said = text(label or _named(estimate))
    ax.plot(at, value, label=said, clip_on=estimate.axis != TRADEOFF, **style)
    opening = "" if np.isfinite(high).all() else ", open above"
    band = f"{100 * estimate.confidence:.4g} % band{opening}"
    drawn_high = np.where(np.isfinite(high), high, top)
    ax.fill_between(at, low, drawn_high, color=color, alpha=BAND_ALPHA, linewidth=0, label=band)
    if estimate.bound is not None:
        bound = np.broadcast_to(np.asarray(estimate.bound, dtype=float), at.shape)
        ax.plot(at, bound, color=CLAIM, linestyle="--", linewidth=1.4, label="claim: at most this")
    if claim is not None:
        _claim(ax, at, claim, tradeoff=estimate.axis == TRADEOFF)
    if estimate.axis == TRADEOFF:
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="false alarms α", ylabel="misses β")
    else:
        unit = f" ({estimate.unit})" if estimate.unit == "nats" else ""
        quantity = "δ" if estimate.axis == PROFILE else f"{_named(estimate)}{unit}"
        ax.set(xlabel=text(estimate.axis), ylabel=text(quantity))
        if estimate.axis == PROFILE:
            highest = max(top / 1.3, 0.0 if claim is None else float(np.max(claim.delta(at))))
            ax.set_ylim(0, min(1.0, 1.15 * highest + 1e-9))
            ax.margins(x=0)
        elif not np.isfinite(high).all():
            ax.set_ylim(top=top)
    ax.legend(**({"loc": "upper right"} if estimate.axis in (TRADEOFF, PROFILE) else {}))


def _top(value: Floats, low: Floats, high: Floats) -> float:
    """Return where an open band leaves the picture."""
    finite = np.concatenate([a[np.isfinite(a)] for a in (value, low, high)])
    return float(finite.max() * 1.3 + 1e-9) if len(finite) else 1.0


def _claim(ax: Axes, at: Floats, claim: Claim, *, tradeoff: bool) -> None:
    """Draw what a claim allows, and shade what violates it."""
    name = text(claim, 40)
    allowed = claim.beta(at) if tradeoff else claim.delta(at)
    ax.plot(at, allowed, color=CLAIM, linestyle="--", linewidth=1.4, label=f"claim {name}")
    edge = 0.0 if tradeoff else 1.0
    ax.fill_between(
        at,
        allowed,
        edge,
        color=FORBIDDEN,
        alpha=FORBIDDEN_ALPHA,
        linewidth=0,
        label="claim violated",
    )
