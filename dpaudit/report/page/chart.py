"""Line charts as SVG: axes, curves, bands and thresholds, colored by the page's style."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dpaudit.report.page.markup import Markup, joined, number, tag

WIDTH, HEIGHT = 380.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 12.0, 40.0
_TICKS = 5
_T = TypeVar("_T", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a chart.

    Attributes
    ----------
    label : str
    low, high : float
        Ends, the lower one first.
    """

    label: str
    low: float
    high: float

    def ticks(self) -> list[float]:
        """Return round numbers between the ends."""
        raw = (self.high - self.low) / _TICKS
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]

    def across(self, value: _T) -> _T:
        """Return where values are, from the left; the ends hold what lies beyond them."""
        return _LEFT + self._share(value) * (WIDTH - _LEFT - _RIGHT)

    def up(self, value: _T) -> _T:
        """Return where values are, from the top."""
        return HEIGHT - _BOTTOM - self._share(value) * (HEIGHT - _TOP - _BOTTOM)

    def _share(self, value: _T) -> _T:
        held: _T = np.minimum(np.maximum(value, self.low), self.high)
        return (held - self.low) / (self.high - self.low)


class Chart:
    """A chart that is drawn part by part.

    Parameters
    ----------
    title : str
        Read out where the picture is not seen.
    x, y : Axis
    """

    def __init__(self, title: str, x: Axis, y: Axis) -> None:
        self.title = title
        self.x = Axis(x.label, x.low, x.high if x.high > x.low else x.low + 1.0)
        self.y = Axis(y.label, y.low, y.high if y.high > y.low else y.low + 1.0)
        self._parts: list[Markup] = []

    def line(self, xs: Sequence[float], ys: Sequence[float], kind: str) -> None:
        """Draw a curve."""
        self._parts.append(tag("polyline", points=self._points(xs, ys), class_=kind))

    def area(
        self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], kind: str
    ) -> None:
        """Fill what lies between two curves."""
        around = self._points([*xs, *xs[::-1]], [*high, *low[::-1]])
        self._parts.append(tag("polygon", points=around, class_=kind))

    def point(self, x: float, y: float, kind: str) -> None:
        """Draw a point."""
        self._parts.append(
            tag(
                "circle", cx=number(self.x.across(x)), cy=number(self.y.up(y)), r="3.5", class_=kind
            )
        )

    def level(self, y: float, kind: str) -> None:
        """Draw a horizontal line."""
        self.line([self.x.low, self.x.high], [y, y], kind)

    def svg(self) -> Markup:
        """Return the chart."""
        return tag(
            "svg",
            tag("title", self.title),
            _frame(self.x, self.y),
            self._parts,
            viewbox=f"0 0 {number(WIDTH)} {number(HEIGHT)}",
            role="img",
            class_="chart",
        )

    def _points(self, xs: Sequence[float], ys: Sequence[float]) -> Markup:
        return _points(self.x, self.y, tuple(xs), tuple(ys))


@lru_cache(maxsize=1024)
def _points(x: Axis, y: Axis, xs: tuple[float, ...], ys: tuple[float, ...]) -> Markup:
    """Return where points are; the curves of a claim come in every audit of it."""
    places = np.empty((len(xs), 2))
    places[:, 0], places[:, 1] = x.across(np.array(xs)), y.up(np.array(ys))
    return Markup(" ".join(["%.1f,%.1f"] * len(xs)) % tuple(places.ravel().tolist()))


@lru_cache(maxsize=256)
def _frame(x_axis: Axis, y_axis: Axis) -> Markup:
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    grid = '<line x1="%s" x2="%s" y1="%s" y2="%s" class="grid"/>'
    tick = '<text x="%s" y="%s" class="tick %s">%s</text>'  # of numbers alone: nothing to escape
    parts = ""
    for value in x_axis.ticks():
        x = number(x_axis.across(value))
        parts += grid % (x, x, number(_TOP), number(bottom))
        parts += tick % (x, number(bottom + 15), "middle", _shown(value))
    for value in y_axis.ticks():
        y = y_axis.up(value)
        parts += grid % (number(_LEFT), number(right), number(y), number(y))
        parts += tick % (number(_LEFT - 6), number(y + 3.5), "end", _shown(value))
    middle = number((_TOP + bottom) / 2)
    return joined(
        Markup(parts),
        tag("line", x1=number(_LEFT), x2=number(right), y1=number(bottom), y2=number(bottom),
            class_="axis"),
        tag("text", x_axis.label, x=number((_LEFT + right) / 2), y=number(HEIGHT - 6),
            class_="label middle"),
        tag("text", y_axis.label, x="12", y=middle, class_="label middle",
            transform=f"rotate(-90 12 {middle})"),
    )  # fmt: skip


def _shown(value: float) -> str:
    """Write a tick: thousands with a letter, so that none is wide."""
    if value and abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    if value and abs(value) >= 1e4:
        return f"{value / 1e3:g}k"
    return f"{round(value, 12):g}"
