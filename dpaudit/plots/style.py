"""How every picture looks, and how one is made without pyplot's global state."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from dpaudit.extras import optional
from dpaudit.report.escape import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito's palette, which people with any kind of color vision tell apart.
LEFT, RIGHT = "#0072b2", "#d55e00"  # blue, vermilion
SEEN = "#009e73"  # green: what was estimated
BOUND = "#cc79a7"  # reddish purple: what all bets bound
CLAIM = "#000000"
EVENT = "#f0e442"  # yellow
QUIET = "#6f6f6f"
FORBIDDEN = "#000000"  # at FORBIDDEN_ALPHA: where a claim is violated
FORBIDDEN_ALPHA = 0.09
BAND_ALPHA = 0.25
DPI = 100
SMALL = 8.5

STYLE: Any = {  # of RcParams
    "font.family": "DejaVu Sans",  # comes with matplotlib and has the Greek letters
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.framealpha": 0.75,
    "legend.edgecolor": "none",
    "legend.fontsize": SMALL,
    "legend.handlelength": 1.6,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "text.parse_math": False,  # labels may be outputs, and $ is a letter there
}


def styled() -> AbstractContextManager[None]:
    """Return the context in which artists are made.

    Raises
    ------
    ImportError
        Where matplotlib is not installed.
    """
    context: AbstractContextManager[None] = optional("matplotlib").rc_context(STYLE)
    return context


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, of inches at `DPI` pixels, that notebooks show as a picture."""
    with styled():
        figure: Figure = optional("matplotlib.figure").Figure(
            figsize=(width, height), dpi=DPI, layout="constrained"
        )
    # IPython draws figures of pyplot alone unless they know how.
    figure._repr_png_ = partial(_png, figure)  # type: ignore[attr-defined]
    return figure


def new_axes(height: float) -> Axes:
    """Return the axes of a new figure of one picture, so many inches high."""
    figure = new_figure(6.4, height)
    with styled():
        return figure.add_subplot()


def logarithmic(ax: Axes, low: float, high: float) -> None:
    """Give a y-axis of probabilities powers of ten, written as decimals, none above one."""
    ax.set_yscale("log")
    ticks = [tick for tick in ax.get_yticks() if low <= tick <= 1]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_yticks([], minor=True)
    ax.set_ylim(low, high)


def _png(figure: Figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=2 * DPI)  # sharp where pixels are small
    return buffer.getvalue()


def text(value: object, limit: int | None = None) -> str:
    """Return text of one line that the font can show; other letters as escapes."""
    written = plain(value, limit)
    if written.isascii():
        return written
    known = _known()
    return "".join(c if ord(c) in known else f"\\u{{{ord(c):x}}}" for c in written)


@cache
def _known() -> frozenset[int]:
    fonts = optional("matplotlib.font_manager")
    wanted = fonts.FontProperties(family=STYLE["font.family"])
    font = fonts.get_font(fonts.findfont(wanted))
    return frozenset(font.get_charmap())
