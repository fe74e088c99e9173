"""Line charts: axes, curves, bands and thresholds, placed for ``templates/charts.html``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

_STEPS = 5
_T = TypeVar("_T", float, NDArray[np.float64])


class Box(NamedTuple):
    """The size of a chart, and the ends of its axes."""

    width: float = 380
    height: float = 260
    left: float = 52
    right: float = 366
    top: float = 12
    bottom: float = 220

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.top + self.bottom) / 2


BOX = Box()


class Tick(NamedTuple):
    """A number beside an axis."""

    at: float
    said: str


@dataclass(frozen=True)
class Axis:
    """One axis of a chart.

    Attributes
    ----------
    label : str
    low, high : float
        Ends; where the second is not above the first, it is one more.
    first, last : float
        Where the ends are in the picture.
    """

    label: str
    low: float
    high: float
    first: float = BOX.left
    last: float = BOX.right

    @cached_property
    def reach(self) -> float:
        """From one end to the other."""
        return self.high - self.low if self.high > self.low else 1.0

    def ticks(self) -> list[Tick]:
        """Return round numbers between the ends."""
        raw = self.reach / _STEPS
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor((self.low + self.reach) / step + 1e-9)
        values = [k * step for k in range(first, last + 1)]
        return [Tick(round(float(self.at(value)), 2), _shown(value)) for value in values]

    def at(self, value: _T) -> _T:
        """Return where values are; the ends hold what lies beyond them."""
        share: _T = np.clip((value - self.low) / self.reach, 0.0, 1.0)
        return self.first + share * (self.last - self.first)


class Mark(NamedTuple):
    """A curve, an area or a point."""

    shape: Literal["polyline", "polygon", "circle"]
    points: NDArray[np.float64]
    kind: str

    @property
    def written(self) -> Markup:
        """The points as SVG has them: numbers alone, so that there is nothing to escape."""
        return Markup(" ".join(["%.1f,%.1f"] * len(self.points)) % tuple(self.points.ravel()))


@dataclass
class Chart:
    """A chart that is drawn part by part.

    Attributes
    ----------
    title : str
        Read out where the picture is not seen.
    x, y : Axis
    marks : list of Mark
    box : Box
    """

    title: str
    x: Axis
    y: Axis
    marks: list[Mark] = field(default_factory=list)
    box: ClassVar[Box] = BOX

    def line(self, xs: Sequence[float], ys: Sequence[float], kind: str) -> None:
        """Draw a curve."""
        self._draw("polyline", xs, ys, kind)

    def area(
        self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], kind: str
    ) -> None:
        """Fill what lies between two curves."""
        self._draw("polygon", [*xs, *xs[::-1]], [*high, *low[::-1]], kind)

    def point(self, x: float, y: float, kind: str) -> None:
        """Draw a point."""
        self._draw("circle", [x], [y], kind)

    def level(self, y: float, kind: str) -> None:
        """Draw a horizontal line."""
        self.line([self.x.low, self.x.low + self.x.reach], [y, y], kind)

    def _draw(
        self,
        shape: Literal["polyline", "polygon", "circle"],
        xs: Sequence[float],
        ys: Sequence[float],
        kind: str,
    ) -> None:
        places = np.stack([self.x.at(np.asarray(xs, float)), self.y.at(np.asarray(ys, float))], 1)
        self.marks.append(Mark(shape, places, kind))


def upright(label: str, low: float, high: float) -> Axis:
    """Return an axis that goes up."""
    return Axis(label, low, high, BOX.bottom, BOX.top)


def _shown(value: float) -> str:
    """Write a tick: thousands with a letter, so that none is wide."""
    if value and abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    if value and abs(value) >= 1e4:
        return f"{value / 1e3:g}k"
    return f"{round(value, 12):g}"
