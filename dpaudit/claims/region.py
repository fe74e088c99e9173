"""Every claim is a convex region of points (p, q) = (Pr[M(D) in E], Pr[M(D') in E])."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from dpaudit.claims.rounding import Array, scalar_up, up


@dataclass(frozen=True, slots=True)
class HalfPlane:
    """The points with ``a * p - b * q <= c``.

    Attributes
    ----------
    a, b, c : float
        Coefficients; rounded so that the half-plane never excludes a point the claim allows.
    """

    a: float
    b: float
    c: float


@runtime_checkable
class Claim(Protocol):
    """What a mechanism promises about every pair of neighboring datasets.

    Notes
    -----
    Neighbors run both ways, so a claim binds ``(D, D')`` and ``(D', D)`` alike: its region is
    symmetric under swapping p and q and under complementing the event.
    """

    __slots__ = ()

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: Array) -> Array: ...
    def delta(self, epsilon: Any) -> Any:
        """Return the smallest delta that the claim guarantees at `epsilon`, rounded up."""

    @overload
    def beta(self, alpha: float) -> float: ...
    @overload
    def beta(self, alpha: Array) -> Array: ...
    def beta(self, alpha: Any) -> Any:
        """Return the least type II error at type I error `alpha`, rounded down."""

    def implies(self, other: Claim) -> bool:
        """Return True only when it is proved that `other` holds wherever this claim does."""

    def log_slopes(self) -> Array:
        """Return the epsilons whose half-planes ``p - exp(epsilon) q <= delta`` to look at."""

    def half_planes(self) -> tuple[HalfPlane, ...]:
        """Return half-planes that contain the region."""

    @property
    def parameter(self) -> tuple[str, float] | None:
        """Name and value of the claim's own parameter; None where it has none."""

    def with_parameter(self, value: float) -> Claim:
        """Return the claim of the same family with its own parameter replaced."""

    @property
    def declared_delta(self) -> float:
        """The delta that the claim states, 0 where it states none."""

    def renyi_bounds(self) -> tuple[tuple[float, float], ...]:
        """Return the (order, epsilon) Rényi moments that the claim bounds and bets may use."""

    def amplified(self, rate: float, *, relation: str = "add/remove") -> Claim:
        """Return the claim of the mechanism run on a random sample of the records."""

    def for_group(self, k: int) -> Claim:
        """Return the claim for datasets that differ in `k` records."""

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""


class Region(Claim):
    """What all families share; each supplies its profile and its trade-off on clean arrays."""

    __slots__ = ()

    def _profile(self, epsilon: Array) -> Array:
        """Return delta at epsilons >= 0 (a flat array, infinity allowed), rounded up."""
        raise NotImplementedError

    def _tradeoff(self, alpha: Array) -> Array:
        """Return beta at alphas in [0, 1] (a flat array), rounded down."""
        raise NotImplementedError

    def log_slopes(self) -> Array:
        """Return the epsilons whose half-planes ``p - exp(epsilon) q <= delta`` to look at.

        Returns
        -------
        ndarray of float, shape (k,)
            At most nine, none negative, ascending (nats).
        """
        raise NotImplementedError

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: Array) -> Array: ...
    def delta(self, epsilon: ArrayLike) -> float | Array:
        """Return the privacy profile: the smallest delta that the claim guarantees.

        Parameters
        ----------
        epsilon : float or ndarray of float
            Any real numbers (nats), negative ones included.

        Returns
        -------
        float or ndarray of float
            ``sup p - exp(epsilon) q`` over the region; rounds up.

        Raises
        ------
        ValueError
            Where `epsilon` is NaN.

        Notes
        -----
        The region is symmetric, so ``delta(-e) = 1 - exp(-e) + exp(-e) delta(e)``.
        """
        given = np.asarray(epsilon, dtype=np.float64)
        if np.isnan(given).any():
            raise ValueError("`epsilon` must be a number, got nan; give a finite epsilon in nats")
        flat = given.ravel()
        values = self._profile(np.abs(flat))
        if (flat < 0).any():
            below = np.minimum(flat, 0.0)
            mirrored = up(np.exp(below) * values - np.expm1(below))  # rounds up
            values = np.where(flat < 0, mirrored, values)
        values = np.clip(values, 0.0, 1.0)
        return float(values[0]) if given.ndim == 0 else values.reshape(given.shape)

    @overload
    def beta(self, alpha: float) -> float: ...
    @overload
    def beta(self, alpha: Array) -> Array: ...
    def beta(self, alpha: ArrayLike) -> float | Array:
        """Return the trade-off function: the least type II error that the claim guarantees.

        Parameters
        ----------
        alpha : float or ndarray of float
            Type I errors in [0, 1].

        Returns
        -------
        float or ndarray of float
            ``inf 1 - p`` over the region at ``q = alpha``; rounds down.

        Raises
        ------
        ValueError
            Where `alpha` is outside [0, 1].
        """
        given = np.asarray(alpha, dtype=np.float64)
        if not ((given >= 0) & (given <= 1)).all():
            raise ValueError(f"`alpha` must be in [0, 1], got {alpha!r}; give a type I error")
        flat = given.ravel()
        values = np.clip(self._tradeoff(flat), 0.0, 1.0 - flat)
        return float(values[0]) if given.ndim == 0 else values.reshape(given.shape)

    def half_planes(self) -> tuple[HalfPlane, ...]:
        """Return half-planes that contain the region, all mirror images of each slope.

        Returns
        -------
        tuple of HalfPlane
            For each of `log_slopes`: ``p - exp(s) q <= delta(s)``, its mirror image in the
            line p + q = 1 (the complement of the event, seen from the other dataset), and both
            with p and q swapped. Those that coincide are listed once.
        """
        slopes = self.log_slopes()
        deltas = self.delta(slopes)
        planes: dict[HalfPlane, None] = {}
        for slope, c in zip(slopes.tolist(), deltas.tolist(), strict=True):
            for plane in _mirror_images(slope, c):
                planes.setdefault(plane)
        return tuple(planes)

    def implies(self, other: Claim) -> bool:
        """Return True only when it is proved that `other` holds wherever this claim does.

        Parameters
        ----------
        other : Claim

        Returns
        -------
        bool
            False says "not proved", not "disproved".
        """
        from dpaudit.claims.implication import implies

        return implies(self, other)

    def amplified(self, rate: float, *, relation: str = "add/remove") -> Claim:
        """Return the claim of the mechanism run on a random sample of the records.

        See `dpaudit.claims.amplification.amplify`.
        """
        from dpaudit.claims.amplification import amplify

        return amplify(self, rate, relation=relation)

    def for_group(self, k: int) -> Claim:
        """Return the claim for datasets that differ in `k` records.

        See `dpaudit.claims.groups.group`.
        """
        from dpaudit.claims.groups import group

        return group(self, k)

    def renyi_bounds(self) -> tuple[tuple[float, float], ...]:
        """Return the (order, epsilon) Rényi moments that the claim bounds and bets may use."""
        return ()

    @property
    def declared_delta(self) -> float:
        """The delta that the claim states, 0 where it states none."""
        return 0.0


def _mirror_images(slope: float, c: float) -> tuple[HalfPlane, ...]:
    """Return p - e^s q <= c, (1 - q) - e^s (1 - p) <= c, and both with p and q swapped."""
    if slope > 500:  # divided by e^s, which would overflow
        shrink = math.exp(-slope)
        tail = scalar_up(c * shrink)  # rounds up
        wide = scalar_up(1.0 - shrink + tail)  # rounds up
        return (
            HalfPlane(shrink, 1.0, tail),
            HalfPlane(1.0, shrink, wide),
            HalfPlane(-1.0, -shrink, tail),
            HalfPlane(-shrink, -1.0, wide),
        )
    b = 1.0 if slope == 0 else scalar_up(math.exp(slope))  # rounds up: q counts for more
    wide = c if slope == 0 else scalar_up(c + (b - 1.0))  # rounds up
    return (
        HalfPlane(1.0, b, c),
        HalfPlane(b, 1.0, wide),
        HalfPlane(-b, -1.0, c),
        HalfPlane(-1.0, -b, wide),
    )
