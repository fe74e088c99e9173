"""Convolution of privacy losses on a grid, by fast Fourier transform; every error is added.

Masses that are rounded up, losses that are moved up, and mass that wraps around from below only
raise the profile. What could lower it is bounded and added to every delta:

- mass above the window: Chernoff's bound keeps it below `TAIL`;
- rounding of the transforms: see `_rounding`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims.rounding import ULP, Array

TAIL = 1e-16  # mass of the composed loss that may lie beyond either end of the window
# Error of each entry of a fast Fourier transform of size n, over log2(n) times the sum of the
# absolute input: (4 sqrt(2) + 1) unit roundoffs (the proof of Higham 2002, Theorem 24.2, entry by
# entry), twice as much to be safe for other radices.
TRANSFORM = 7.0 * ULP


@dataclass(frozen=True, slots=True, eq=False)
class GridLoss:
    """A privacy loss with values on a grid.

    Attributes
    ----------
    steps : ndarray of int, shape (k,)
        The losses over `interval`, ascending.
    masses : ndarray of float, shape (k,)
        Their probabilities under the first distribution, rounded up.
    infinite : float
        The mass at infinity, rounded up.
    interval : float
        Distance of the grid's losses (nats).
    """

    steps: NDArray[np.int64]
    masses: Array
    infinite: float
    interval: float


@dataclass(frozen=True, slots=True, eq=False)
class GridProfile:
    """Deltas at epsilons ``(first + i) * interval``, rounded up."""

    first: int
    deltas: Array
    interval: float


Repeated = list[tuple[GridLoss, int]]


def window(losses: Repeated) -> tuple[int, int]:
    """Return the first and the last step between which the sum of all losses lies.

    Notes
    -----
    Outside lies a mass of at most `TAIL` on either side (Chernoff; any grid of exponents is valid).
    """
    first = sum(k * int(loss.steps[0]) for loss, k in losses)
    last = sum(k * int(loss.steps[-1]) for loss, k in losses)
    exponents = _exponents(losses)
    reach = (_log_moments(losses, exponents) - math.log(TAIL / 2)) / exponents
    last = min(last, math.ceil(float(reach.min()) * (1 + 1e-9)) + 1)
    reach = (_log_moments(losses, -exponents) - math.log(TAIL / 2)) / exponents
    first = max(first, -math.ceil(float(reach.min()) * (1 + 1e-9)) - 1)
    return first, max(last, first)


def _exponents(losses: Repeated) -> Array:
    """Return exponents of moments, per step of the grid, around one over the deviation."""
    spread = math.sqrt(sum(k * _variance(loss) for loss, k in losses)) or 1.0
    return np.geomspace(1e-2, 1e4, 121) / spread


def _variance(loss: GridLoss) -> float:
    mean = float(loss.masses @ loss.steps)
    return max(float(loss.masses @ (loss.steps - mean) ** 2), 0.0)


def _log_moments(losses: Repeated, exponents: Array) -> Array:
    """Return log E e^(t * steps) of the sum of all finite losses."""
    total = np.zeros(len(exponents))
    for loss, k in losses:
        at = np.outer(exponents, loss.steps)
        top = at.max(axis=1)
        total += k * (top + np.log(np.exp(at - top[:, None]) @ loss.masses))
    return total


def convolved_profile(losses: Repeated) -> GridProfile:
    """Return the profile of the sum of independent losses, rounded up.

    Parameters
    ----------
    losses : list of (GridLoss, int)
        On one grid, and how often each.

    Returns
    -------
    GridProfile
        Over the window; above it delta is at most the last one.

    Notes
    -----
    The least of three bounds: one from the masses, and two from masses tilted by e^(t loss), whose
    errors shrink with e^(-t loss), as the tail of the loss itself does.
    """
    first, last = window(losses)
    kept = sum(k * math.log1p(-min(loss.infinite, 1.0 - ULP)) for loss, k in losses)
    infinite = -math.expm1(kept) * (1.0 + 1e-13)
    finite = _finite_part(losses, first, last, 0.0)
    for tilt in _tilts(losses) if last > first else []:
        finite = np.minimum(finite, _finite_part(losses, first, last, tilt))
    deltas = (finite + (infinite + TAIL)) * (1.0 + 4 * ULP)  # rounds up
    return GridProfile(first, np.minimum(deltas, 1.0), losses[0][0].interval)


def _tilts(losses: Repeated) -> list[float]:
    """Return the exponents that serve best where Chernoff's bound on the tail is e^-8, e^-16."""
    exponents = _exponents(losses)
    moments = _log_moments(losses, exponents)
    best = {int(((moments + depth) / exponents).argmin()) for depth in (8.0, 16.0)}
    return [float(exponents[i]) for i in sorted(best)]


def _finite_part(losses: Repeated, first: int, last: int, tilt: float) -> Array:
    """Return the part of delta that finite losses make, at every step of the window; rounds up."""
    from scipy.signal import lfilter

    scaled, log_scale, log_size = [], 0.0, 0.0
    for loss, k in losses:
        moved = tilt * loss.steps
        log_moment = float(_log_moments([(loss, 1)], np.array([tilt]))[0])
        size = np.abs(moved).max() + abs(log_moment)
        weights = loss.masses * np.exp(moved - log_moment) * (1.0 + 4 * ULP * (2.0 + size))
        scaled.append((loss.steps, weights if tilt else loss.masses, k))
        log_scale += k * log_moment if tilt else 0.0
        log_size += k * abs(log_moment)
    masses, lost = _convolve(scaled, first, last)
    steps = np.arange(first, last + 1)
    exponent = log_scale - tilt * steps
    exponent = exponent + 4 * ULP * (log_size * len(losses) + np.abs(tilt * steps))
    back = np.exp(np.minimum(exponent, 30.0)) * (1.0 + 4 * ULP)
    # delta(t) = (1 - e^-h) Pr[loss > t] + e^-h delta(t + h): nothing cancels
    interval = losses[0][0].interval
    above = np.append(np.cumsum((masses * back)[::-1])[::-1][1:], 0.0)
    shrink = math.exp(-interval)
    finite = lfilter([-math.expm1(-interval)], [1.0, -shrink], above[::-1])[::-1]
    finite = finite * (1.0 + 8 * ULP * len(finite)) + lost * back  # rounds up
    return np.where(exponent < 30.0, finite, 1.0)


def _convolve(
    losses: list[tuple[NDArray[np.int64], Array, int]], first: int, last: int
) -> tuple[Array, float]:
    """Return the masses of the sum from `first` to `last`, and what they may lack together."""
    from scipy import fft

    size = fft.next_fast_len(max(last - first + 1, 4), real=True)
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    log_length, relative = np.zeros(len(product)), np.zeros(len(product))
    for steps, weights, k in losses:
        dense = np.bincount(steps % size, weights=weights, minlength=size)
        transform = fft.rfft(dense)
        error = TRANSFORM * math.log2(size) * float(dense.sum())
        length = np.abs(transform)
        log_length += k * np.log(length + error)
        # a complex product errs by sqrt(5) unit roundoffs
        relative += k * (error + 1.25 * ULP * length) / (length + error) + 2 * ULP
        product *= _power(transform, k)
    masses = np.maximum(fft.irfft(product, size), 0.0)  # rounds up
    masses = np.roll(masses, -(first % size))[: last - first + 1]
    return masses, _rounding(np.exp(log_length), relative, size)


def _power(base: NDArray[np.complex128], k: int) -> NDArray[np.complex128]:
    """Return base^k by repeated products: k - 1 of them in every entry's history."""
    result = np.ones_like(base)
    with np.errstate(under="ignore"):
        while k:
            if k & 1:
                result = result * base
            k >>= 1
            if k:
                base = base * base
    return result


def _rounding(length: Array, relative: Array, size: int) -> float:
    """Return a bound on the sum of the errors of all masses.

    Notes
    -----
    Each factor F of the spectrum errs by e = `TRANSFORM` log2(n) at most, so a product of powers
    errs by the sum of k e / (|F| + e), relative to the product of (|F| + e)^k. The masses' errors
    sum up to at most the Euclidean norm of the spectrum's (Cauchy-Schwarz and Parseval), and the
    way back adds one more transform. Half of the spectrum is given: the other half mirrors it.
    """
    forth = math.sqrt(2.0 * float(np.sum((length * relative) ** 2)))
    back = TRANSFORM * math.log2(size) * math.sqrt(2.0 * float(np.sum(length**2)))
    return (forth + back) * (1.0 + 1e-9)
