"""What every estimate is: a number or a curve, an interval, and what its ends are valid for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Number = float | Floats


class Interval(NamedTuple):
    """Both ends of a confidence interval: floats, or arrays for a curve."""

    low: Number
    high: Number


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """An estimated quantity with its confidence interval.

    Attributes
    ----------
    value : float or ndarray, shape (k,)
        The point estimate; it lies in the interval. An array over `at` for a curve.
    confidence_interval : Interval
        ``low`` and ``high``, of the shape of `value`. The whole interval (for a curve: the whole
        band) covers with probability `confidence`. ``high`` may be infinite.
    method : str
        How the interval was made, in words.
    n : int
        Draws used, both samples together.
    quantity : str
        What is estimated, e.g. ``"max divergence D∞(P‖Q)"``.
    confidence : float
    valid_for : str
        What each end is valid for: the mechanism, or only a partition of its outputs.
    unit : str
        ``"nats"``, ``"probability"`` or ``""``.
    at : ndarray, shape (k,), optional
        Where a curve was estimated.
    axis : str
        What `at` is, e.g. ``"epsilon (nats)"``.
    bound : float or ndarray, optional
        What a privacy claim allows at most, where one was given.
    """

    value: Number
    confidence_interval: Interval
    method: str
    n: int
    quantity: str
    confidence: float
    valid_for: str
    unit: str = "nats"
    at: Floats | None = None
    axis: str = ""
    bound: Number | None = None

    def __str__(self) -> str:
        """Say the value, the interval, what it is valid for, and how it was made."""
        low, high = self.confidence_interval
        if self.at is None:
            unit = f" {self.unit}" if self.unit == "nats" else ""
            said = f"{self.value:.6g}{unit}, {self.confidence:.4g} interval [{low:.6g}, {high:.6g}]"
        else:
            ends = f"{self.axis or 'at'} from {self.at[0]:.6g} to {self.at[-1]:.6g}"
            said = f"{len(self.at)} points, {ends}, with a {self.confidence:.4g} band"
        lines = [
            f"{self.quantity}: {said}",
            f"  {self.n:,} draws; {self.method}",
            f"  {self.valid_for}",
        ]
        if self.bound is not None and self.at is None:
            lines.insert(1, f"  a claim allows at most {self.bound:.6g}")
        return "\n".join(lines)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the estimate with its interval or band (extra ``plot``).

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Drawn into; a new figure where None.
        **options
            Passed on to the drawing of the value.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            Where matplotlib is not installed.
        """
        from dpaudit.plots.estimates import plot_estimate

        return plot_estimate(self, ax, **options)
