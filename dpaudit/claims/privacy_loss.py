"""Numeric composition: the profile of several claims together, by privacy loss distributions.

Every privacy profile is that of a pair of distributions, and what is dominated by the pairs of its
parts, adaptively composed, is dominated by their product (Zhu, Dong & Wang 2022). A profile falls
and is convex in e^epsilon, so straight lines (in e^epsilon) between points of it lie above it; they
are the profile of a loss with finitely many values, and dp-accounting convolves such losses. What
its arithmetic may lose is bounded and added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.rounding import ULP, Array, down, up

if TYPE_CHECKING:
    from types import ModuleType

Parts = Mapping[Claim, int]

FINENESS = (32, 128)  # values of a loss within one deviation of a typical part: many, few parts
FEW = 10.0  # parts
NEAR_DOTS, FAR_DOTS = 1_024, 512  # points of a part's profile, on either side of 0
MOST_VALUES = 2**17  # of the loss of one part
TABLE = 640  # epsilons, twice, at which the result is tabulated
TAIL = 1e-15  # mass of the loss that may count as infinite, each time
NEGLIGIBLE = 1e-16
FARTHEST = 690.0  # nats; past it e^epsilon nears overflow
# Relative error, in the Euclidean norm, of a fast Fourier transform of size n, over log2(n):
# (4 sqrt(2) + 1) unit roundoffs (Higham 2002, Theorem 24.2), twice as much to be safe.
TRANSFORM = 7.0 * ULP


@dataclass(frozen=True, slots=True, repr=False)
class ComposedProfile:
    """The profile of several claims together; a value, so that claims made of it compare.

    Attributes
    ----------
    parts : tuple of (Claim, int)
        The claims, and how often each.
    epsilons, deltas : ndarray of float, shape (k,)
        Points of the profile, rounded up; between them it is a straight line in e^epsilon.
    """

    parts: tuple[tuple[Claim, int], ...]
    epsilons: Array = field(compare=False)
    deltas: Array = field(compare=False)

    def __call__(self, epsilon: Any) -> Any:
        """Return delta at epsilons >= 0, rounded up."""
        given = np.asarray(epsilon, dtype=np.float64)
        flat = np.clip(given.ravel(), 0.0, self.epsilons[-1])
        i = np.clip(np.searchsorted(self.epsilons, flat) - 1, 0, len(self.epsilons) - 2)
        left, right = self.epsilons[i], self.epsilons[i + 1]
        share = np.expm1(flat - left) / np.expm1(right - left)
        values = self.deltas[i] + share * (self.deltas[i + 1] - self.deltas[i])
        values = np.minimum(up(values), 1.0)  # rounds up
        return float(values[0]) if given.ndim == 0 else values.reshape(given.shape)

    def __repr__(self) -> str:
        named = [f"{k} x {claim!r}" if k > 1 else repr(claim) for claim, k in self.parts]
        return f"numeric composition of {', '.join(named)}"


def composed_profile(parts: Parts) -> ComposedProfile:
    """Return the profile of claims together, never below the truth.

    Parameters
    ----------
    parts : mapping of Claim to int
        How often each claim occurs; at least one of them promises less than perfect privacy.

    Returns
    -------
    ComposedProfile

    Raises
    ------
    ImportError
        Where dp-accounting is not installed.

    Notes
    -----
    Rounds up: by a thousandth or so where delta is well above 1e-12 times the number of claims
    (the sum of what rounding, cut tails and Fourier transforms may lose, which is added), and more
    where few claims of very different size are mixed. A claim about Rényi moments enters by its
    profile, which says less than the moments do.

    References
    ----------
    Y. Zhu, J. Dong, Y.-X. Wang. Optimal accounting of differential privacy via characteristic
    function. AISTATS 2022, on dominating pairs and their adaptive composition. V. Doroshenko,
    B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi. Connect the dots: tighter discrete approximations
    of privacy loss distributions. PETS 2022. N. Higham. Accuracy and stability of numerical
    algorithms. 2002, Theorem 24.2.
    """
    library = _library()
    interval = _interval(parts)
    losses = [(_loss(claim, interval, library), k) for claim, k in parts.items()]
    together = reduce(lambda one, two: one.compose(two), (loss.repeated(k) for loss, k in losses))
    epsilons, deltas = together.table()
    return ComposedProfile(tuple(parts.items()), epsilons, deltas)


@dataclass(frozen=True, slots=True, eq=False)
class _Loss:
    """A loss with values on a grid: dp-accounting's, and how much of its mass may be misplaced."""

    pmf: Any
    library: ModuleType
    interval: float
    error: float
    norm: float  # Euclidean, at most

    def repeated(self, k: int) -> _Loss:
        """Return the loss of k independent copies.

        Notes
        -----
        With F the transform of the masses f, of size n, the computed one errs by at most
        e = TRANSFORM log2(n) sqrt(n) |f|, its k-th power by k e since no entry exceeds 1, and the
        way back adds one more transform. The sum of the errors is at most sqrt(n) times their norm.
        """
        if k == 1:
            return self
        pmf = self.pmf.self_compose(k, TAIL)
        size = max(_size(pmf), _size(self.pmf))
        return self._with(pmf, k * self.error, k + 1, size, self.norm)

    def compose(self, other: _Loss) -> _Loss:
        """Return the loss of both together."""
        pmf = self.library.compose_pmfs(self.pmf, other.pmf, TAIL)
        size = _size(self.pmf) + _size(other.pmf)
        return self._with(pmf, self.error + other.error, 3, size, min(self.norm, other.norm))

    def _with(self, pmf: Any, error: float, transforms: int, size: int, norm: float) -> _Loss:
        padded = 2.0 * max(size, 2)
        lost = TRANSFORM * math.log2(padded) * transforms * math.sqrt(padded) * norm
        return _Loss(pmf, self.library, self.interval, error * (1 + lost) + lost + TAIL, norm)

    def table(self) -> tuple[Array, Array]:
        """Return points of the profile, rounded up."""
        floor = float(self.pmf.get_delta_for_epsilon(math.inf))
        gone = floor + self.error + NEGLIGIBLE
        low, reach = 0, 1
        while self._at(reach) > gone:
            low, reach = reach, 2 * reach
        while reach - low > 1:
            middle = (low + reach) // 2
            low, reach = (middle, reach) if self._at(middle) > gone else (low, middle)
        even = np.linspace(0, reach, TABLE)
        nearer = np.geomspace(1, reach, TABLE)  # for profiles with a long tail
        steps = np.unique(np.ceil(np.concatenate([even, nearer])).astype(np.int64))
        found = np.array([self._at(int(step)) for step in steps]) * (1.0 + 1e-12) + self.error
        falling = np.maximum.accumulate(found[::-1])[::-1]
        at: Array = steps.astype(np.float64) * self.interval
        return at, np.clip(up(falling), 0.0, 1.0)  # rounds up

    def _at(self, step: int) -> float:
        return max(float(self.pmf.get_delta_for_epsilon(step * self.interval)), 0.0)


def _size(pmf: Any) -> int:
    """Return the length of an array from the least to the greatest loss."""
    return int(pmf.to_dense_pmf().size)


def _loss(claim: Claim, interval: float, library: ModuleType) -> _Loss:
    """Return the loss whose profile joins points of the claim's profile."""
    steps = _dots(claim, interval)
    # rounds up: the profile falls, and the exact grid point may lie a little to the left
    at: Array = steps.astype(np.float64) * interval
    deltas = claim.delta(down(at, 8))
    deltas = np.maximum.accumulate(deltas[::-1])[::-1]
    kept = _hull(steps, deltas, interval)
    steps, deltas = steps[kept], deltas[kept]
    gaps = np.diff(steps) * interval
    falls = -np.diff(deltas)
    before = np.append(1.0 - deltas[0], falls / -np.expm1(-gaps))
    after = np.append(falls / np.expm1(gaps), 0.0)
    masses = np.maximum(before - after, 0.0) + 8 * ULP * (before + after)  # rounds up
    pmf = library.create_pmf(
        dict(zip(steps.tolist(), masses.tolist(), strict=True)), interval, float(deltas[-1]), True
    )
    return _Loss(pmf, library, interval, 0.0, float(np.sqrt(np.sum(masses**2))))


def _dots(claim: Claim, interval: float) -> NDArray[np.int64]:
    """Return the grid points at which a claim's profile is read: near its corners, or all over.

    They are next to each other around 0, and further and further apart beyond.
    """
    if isinstance(claim, PureDP | ApproxDP):
        corner = claim.epsilon / interval
        near = np.array([math.floor(corner * (1 - 1e-12)), math.ceil(corner * (1 - 1e-12))])
        return np.unique(np.concatenate([-near, near])).astype(np.int64)
    most = math.ceil(_reach(claim) / interval)
    ends = np.arange(min(most, NEAR_DOTS) + 1)
    if most > NEAR_DOTS:
        beyond = np.ceil(np.geomspace(NEAR_DOTS, most, FAR_DOTS)).astype(np.int64)
        ends = np.unique(np.concatenate([ends, beyond]))
    return np.concatenate([-ends[:0:-1], ends])


def _hull(steps: NDArray[np.int64], deltas: Array, interval: float) -> NDArray[np.intp]:
    """Return the points on the lower convex hull, over e^epsilon.

    A profile is convex: what lies below points of it, lies below lines between any two. A bound on
    it need not be, and whichever points are left out, the lines between the others stay above.
    """
    kept: list[int] = []
    at: list[float] = (steps * interval).tolist()
    height: list[float] = deltas.tolist()
    for i, (x, y) in enumerate(zip(at, height, strict=True)):
        while kept:
            b = kept[-1]
            # from the point before b (or e^epsilon = 0, where delta is 1) to b, and on to i
            gap, top = (1.0, 1.0) if len(kept) == 1 else _before(kept[-2], b, at, height)
            if (top - height[b]) * math.expm1(min(x - at[b], 700.0)) >= (height[b] - y) * gap:
                break
            kept.pop()
        kept.append(i)
    return np.array(kept, dtype=np.intp)


def _before(a: int, b: int, at: list[float], height: list[float]) -> tuple[float, float]:
    return -math.expm1(at[a] - at[b]), height[a]


def _reach(claim: Claim) -> float:
    """Return an epsilon beyond which a profile falls no more, or `FARTHEST`."""
    if isinstance(claim, PureDP | ApproxDP):
        return claim.epsilon
    floor = claim.delta(FARTHEST)
    low, high = 0.0, FARTHEST
    for _ in range(16):
        middle = (low + high) / 2
        low, high = (middle, high) if claim.delta(middle) > floor + NEGLIGIBLE else (low, middle)
    return high


def _interval(parts: Parts) -> float:
    """Return the distance of the grid's losses, by the typical size of a part's loss.

    A loss has a mean size of twice the total variation at least. Of the epsilons of pure and
    approximate claims, the one that adds up to most lies on the grid.
    """
    sizes = {claim: claim.delta(0.0) - claim.delta(FARTHEST) for claim in parts}
    total = sum(k * sizes[claim] ** 2 for claim, k in parts.items())
    count = sum(parts.values())
    fineness = min(max(FINENESS[1] * math.sqrt(FEW / count), FINENESS[0]), FINENESS[1])
    least = 2 * max(_reach(claim) for claim in parts) / MOST_VALUES
    wanted = max(2 * math.sqrt(total / count) / fineness, least)
    corners = {c.epsilon: k for c, k in parts.items() if isinstance(c, PureDP | ApproxDP)}
    corners = {epsilon: k for epsilon, k in corners.items() if epsilon > 0}
    if not corners:
        return wanted
    anchor = max(corners, key=lambda epsilon: epsilon * corners[epsilon])
    if len(corners) == 1 and len(parts) == 1:
        return anchor
    if anchor < wanted:
        return wanted
    return anchor / math.ceil(anchor / wanted) * (1.0 + 4 * ULP)  # rounds up


def _library() -> ModuleType:
    try:
        from dp_accounting.pld import pld_pmf
    except ImportError as error:
        raise ImportError(
            "numeric composition needs dp-accounting, which is not installed; "
            "install it with: pip install 'dpaudit[accounting]'"
        ) from error
    module: ModuleType = pld_pmf
    return module
