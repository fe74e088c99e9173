"""Numeric composition: the profile of several claims together, by privacy loss distributions.

Every privacy profile is that of a pair of distributions, and what is dominated by the pairs of its
parts, adaptively composed, is dominated by their product (Zhu, Dong & Wang 2022). A profile falls
and is convex in e^epsilon, so straight lines (in e^epsilon) between points of it lie above it; they
are the profile of a loss with finitely many values, and such losses are convolved. The losses for
removing and for adding a record are composed apart; the claim is the larger of both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims.directions import DIRECTIONS, Direction, directed_delta, directed_function
from dpaudit.claims.loss_convolution import GridLoss, GridProfile, convolved_profile, window
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.rounding import ULP, Array, down, up

Parts = Mapping[Claim, int]

FINENESS = (32, 128)  # values of a loss within one deviation of a typical part: many, few parts
FEW = 10.0  # parts
NEAR_DOTS, FAR_DOTS = 1_024, 512  # points of a part's profile, on either side of 0
MOST_VALUES = 2**18  # of the loss of one part
LONGEST = 2**22  # values of the composed loss
TABLE = 2_048  # epsilons, three times, at which the result is tabulated
NEGLIGIBLE = 1e-18
FARTHEST = 690.0  # nats; past it e^epsilon nears overflow


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Points of a profile, rounded up; between them it is a straight line in e^epsilon."""

    epsilons: Array
    deltas: Array

    def at(self, epsilon: Array) -> Array:
        """Return delta at any real epsilons, rounded up."""
        flat = np.minimum(epsilon, self.epsilons[-1])  # it falls
        i = np.clip(np.searchsorted(self.epsilons, flat) - 1, 0, len(self.epsilons) - 2)
        left, right = self.epsilons[i], self.epsilons[i + 1]
        share = np.expm1(np.maximum(flat - left, 0.0)) / np.expm1(right - left)
        values = self.deltas[i] + share * (self.deltas[i + 1] - self.deltas[i])
        # below the first point: the line to delta = 1 at e^epsilon = 0
        start = np.exp(np.minimum(flat - self.epsilons[0], 0.0))
        values = np.where(flat < self.epsilons[0], 1.0 - (1.0 - self.deltas[0]) * start, values)
        return np.minimum(up(values), 1.0)  # rounds up


@dataclass(frozen=True, slots=True, repr=False)
class ComposedProfile:
    """The profile of several claims together; a value, so that claims made of it compare.

    Attributes
    ----------
    parts : tuple of (Claim, int)
        The claims, and how often each.
    relation : str or None
        The relation of the datasets, where a part is about samples.
    removed, added : Table
        The profile of either direction.
    """

    parts: tuple[tuple[Claim, int], ...]
    relation: str | None
    removed: Table = field(compare=False)
    added: Table = field(compare=False)

    def __call__(self, epsilon: Any) -> Any:
        """Return delta at epsilons >= 0, rounded up: the larger of both directions."""
        given = np.asarray(epsilon, dtype=np.float64)
        flat = given.ravel()
        values = self.removed.at(flat)
        if self.added is not self.removed:
            values = np.maximum(values, self.added.at(flat))
        return float(values[0]) if given.ndim == 0 else values.reshape(given.shape)

    def directed(self, epsilon: Array, direction: Direction) -> Array:
        """Return the profile of one direction at any epsilons, rounded up."""
        return (self.removed if direction == "remove" else self.added).at(epsilon)

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
    ValueError
        Where the claims are about samples under different relations.

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
    of privacy loss distributions. PETS 2022. A. Koskela, J. Jälkö, A. Honkela. Computing tight
    differential privacy guarantees using FFT. AISTATS 2020. S. Gopi, Y. T. Lee, L. Wutschitz.
    Numerical composition of differential privacy. NeurIPS 2021. N. Higham. Accuracy and stability
    of numerical algorithms. 2002, Theorem 24.2.
    """
    relation = _relation(parts)
    apart = any(directed_function(claim) is not None for claim in parts)
    interval = _interval(parts)
    tables: list[Table] = []
    for direction in DIRECTIONS if apart and relation != "replace-one" else DIRECTIONS[:1]:
        step = interval
        while True:
            losses = [(_loss(claim, step, direction), k) for claim, k in parts.items()]
            first, last = window(losses)
            if last - first <= LONGEST:
                break
            step *= max(2.0, (last - first) / LONGEST)
        tables.append(_table(convolved_profile(losses)))
    return ComposedProfile(tuple(parts.items()), relation, tables[0], tables[-1])


def _relation(parts: Parts) -> str | None:
    """Return the one relation of the parts that are about samples."""
    functions = [directed_function(claim) for claim in parts]
    relations = sorted({f.relation for f in functions if f is not None and f.relation is not None})
    if len(relations) > 1:
        raise ValueError(
            "the claims must hold for one neighboring relation, got samples under "
            f"{' and '.join(map(repr, relations))}; amplify all of them with one `relation`"
        )
    return relations[0] if relations else None


def _table(profile: GridProfile) -> Table:
    """Return points of a profile: evenly spread, and more of them near epsilon 0."""
    first, last = profile.first, profile.first + len(profile.deltas) - 1
    even = np.linspace(first, last, TABLE)
    reach = max(abs(first), abs(last), 2)
    nearer = np.rint(np.geomspace(1, reach, TABLE))
    chosen = np.concatenate([np.rint(even), nearer, -nearer, [0.0, first, last]])
    steps = np.unique(np.clip(chosen, first, last).astype(np.int64))
    deltas = np.maximum.accumulate(profile.deltas[steps - first][::-1])[::-1]
    at: Array = up(steps.astype(np.float64) * profile.interval, 1)  # rounds up
    if len(at) < 2:  # one loss alone
        at, deltas = np.append(at, at[-1] + profile.interval), np.append(deltas, deltas[-1])
    return Table(at, up(deltas))  # rounds up


def _loss(claim: Claim, interval: float, direction: Direction) -> GridLoss:
    """Return the loss whose profile joins points of the claim's profile."""
    steps = _dots(claim, interval, direction)
    # rounds up: the profile falls, and the exact grid point may lie a little to the left
    at: Array = steps.astype(np.float64) * interval
    deltas = directed_delta(claim, down(at, 8), direction)
    deltas = np.maximum.accumulate(deltas[::-1])[::-1]
    kept = _hull(steps, deltas, interval)
    steps, deltas = steps[kept], deltas[kept]
    gaps = np.diff(steps) * interval
    falls = -np.diff(deltas)
    with np.errstate(over="ignore"):
        before = np.append(1.0 - deltas[0], falls / -np.expm1(-gaps))
        after = np.append(falls / np.expm1(gaps), 0.0)
    masses = np.maximum(before - after, 0.0) + 8 * ULP * (before + after)  # rounds up
    some = masses > 0
    some[0] |= not some.any()  # where all is revealed
    finite = np.maximum(masses[some], 1e-300)
    return GridLoss(steps[some], finite, float(deltas[-1]), interval)


def _dots(claim: Claim, interval: float, direction: Direction) -> NDArray[np.int64]:
    """Return the grid points at which a claim's profile is read: near its corners, or all over.

    They are next to each other around 0, and further and further apart beyond.
    """
    if isinstance(claim, PureDP | ApproxDP):
        corner = claim.epsilon / interval
        near = np.array([math.floor(corner * (1 - 1e-12)), math.ceil(corner * (1 - 1e-12))])
        return np.unique(np.concatenate([-near, near])).astype(np.int64)
    other: Direction = "add" if direction == "remove" else "remove"
    below, above = _ends(claim, interval, other), _ends(claim, interval, direction)
    return np.concatenate([-below[:0:-1], above])


def _ends(claim: Claim, interval: float, direction: Direction) -> NDArray[np.int64]:
    most = math.ceil(_reach(claim, direction) / interval)
    ends = np.arange(min(most, NEAR_DOTS) + 1)
    if most > NEAR_DOTS:
        beyond = np.ceil(np.geomspace(NEAR_DOTS, most, FAR_DOTS)).astype(np.int64)
        ends = np.unique(np.concatenate([ends, beyond]))
    return ends


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


def _reach(claim: Claim, direction: Direction) -> float:
    """Return an epsilon beyond which a profile falls no more, or `FARTHEST`."""
    if isinstance(claim, PureDP | ApproxDP):
        return claim.epsilon
    low, high = 0.0, FARTHEST
    floor = _directed_at(claim, FARTHEST, direction)
    for _ in range(6):  # 33 points each
        points = np.linspace(low, high, 33)
        fallen = directed_delta(claim, points, direction) <= floor + NEGLIGIBLE
        i = max(int(fallen.argmax()), 1)
        low, high = float(points[i - 1]), float(points[i])
    return high


def _directed_at(claim: Claim, epsilon: float, direction: Direction) -> float:
    return float(directed_delta(claim, np.array([epsilon]), direction)[0])


def _interval(parts: Parts) -> float:
    """Return the distance of the grid's losses, by the typical size of a part's loss.

    A loss has a mean size of twice the total variation at least. Of the epsilons of pure and
    approximate claims, the one that adds up to most lies on the grid.
    """
    sizes = {claim: claim.delta(0.0) - claim.delta(FARTHEST) for claim in parts}
    total = sum(k * sizes[claim] ** 2 for claim, k in parts.items())
    count = sum(parts.values())
    fineness = min(max(FINENESS[1] * math.sqrt(FEW / count), FINENESS[0]), FINENESS[1])
    reach = max(_reach(claim, direction) for claim in parts for direction in DIRECTIONS)
    least = 2 * reach / MOST_VALUES
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
