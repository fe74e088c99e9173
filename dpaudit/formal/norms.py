"""Bounds on vectors, and on how far a vector moves."""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.formal.bounds import (
    INFINITE,
    ZERO,
    Bound,
    larger,
    square_root,
    tighter,
    times,
    width,
)


@dataclass(frozen=True, slots=True)
class Norms:
    """Bounds on a vector: number of entries that are not 0, sum, length, largest entry."""

    l0: Bound = INFINITE
    l1: Bound = INFINITE
    l2: Bound = INFINITE
    linf: Bound = INFINITE

    def tightened(self, size: Bound | None = None) -> Norms:
        """Return the bounds that follow from one another, for vectors of `size` entries."""
        l0 = self.l0 if size is None else tighter(self.l0, size)
        l2 = tighter(self.l2, self.l1)
        linf = tighter(self.linf, l2)
        if l0 is not INFINITE:
            l2 = tighter(l2, times(square_root(l0), linf))
            l1 = tighter(tighter(self.l1, times(l0, linf)), times(square_root(l0), l2))
        else:
            l1 = self.l1
        l2 = tighter(l2, l1)
        return Norms(l0, l1, l2, linf)

    def times(self, many: Bound) -> Norms:
        """Return the bounds of a sum of `many` such vectors."""
        return Norms(
            times(self.l0, many), times(self.l1, many), times(self.l2, many),
            times(self.linf, many),
        )  # fmt: skip

    def scaled(self, factor: Bound) -> Norms:
        """Return the bounds of `factor` times the vector, factor >= 0."""
        return Norms(
            self.l0,
            times(self.l1, factor),
            times(self.l2, factor),
            times(self.linf, factor),
        )

    def plus(self, other: Norms) -> Norms:
        """Return the bounds of a sum of two vectors."""
        return Norms(
            self.l0 + other.l0,
            self.l1 + other.l1,
            self.l2 + other.l2,
            self.linf + other.linf,
        )

    def joined(self, other: Norms) -> Norms:
        """Return bounds that hold for both."""
        return Norms(
            larger(self.l0, other.l0),
            larger(self.l1, other.l1),
            larger(self.l2, other.l2),
            larger(self.linf, other.linf),
        )

    def within(self, other: Norms) -> Norms:
        """Return the smaller of each."""
        return Norms(
            tighter(self.l0, other.l0),
            tighter(self.l1, other.l1),
            tighter(self.l2, other.l2),
            tighter(self.linf, other.linf),
        )


UNBOUNDED = Norms()
NO_CHANGE = Norms(ZERO, ZERO, ZERO, ZERO)


def entry_norms(low: Bound, high: Bound, size: Bound | None) -> tuple[Norms, Norms]:
    """Return the bounds on vectors with entries in [low, high], and on their differences."""
    from dpaudit.formal.bounds import magnitude

    most = magnitude(low, high)
    span = width(low, high)
    return Norms(linf=most).tightened(size), Norms(linf=span).tightened(size)
