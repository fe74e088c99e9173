"""The exponential mechanism over an interval, with a score that is constant between the records.

The records, clipped, and both ends l < h are put in order, l = x(0) <= … <= x(n + 1) = h; segment k
is chosen with probability ∝ (x(k + 1) − x(k)) e^E(k, n), and a point of it uniformly. So the
density at r in [l, h] is e^E(k, n)/Z where k records are below r (but at the records themselves,
which have probability 0), Z the integral of e^E over [l, h]: neither a segment's length nor that
some are empty is left in it.

Let a neighbor have k' records below r, of n'. If a record is added, n' = n + 1 and k' is k or
k + 1; if one is replaced, n' = n and k' is k − 1, k or k + 1. Where l <= E(k', n') − E(k, n) <= u
for all of these, Z'/Z lies in [e^l, e^u] too, so that the ratio of densities lies in
[e^(l − u), e^(u − l)].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from dpaudit.claims import Claim
from dpaudit.formal.bounds import exact
from dpaudit.formal.lemmas.lemma import Application, Lemma
from dpaudit.formal.lemmas.neighboring import Neighboring
from dpaudit.formal.lemmas.values import SIZE, STEP, Masses, Point
from dpaudit.formal.price.notions import Pure
from dpaudit.formal.unsupported import Unsupported

MOVES = "what is added to the logarithm of a segment's length moves by l at least and u at most"
INTERVAL = Lemma(
    "the exponential mechanism over an interval",
    "a uniform point of a segment between records in order and public ends, where segment k of n "
    "records is chosen with probability proportional to its length times exp(E(k, n)), is "
    "(u - l)-DP where E moves by l at least and u at most at every point of the interval",
    "McSherry & Talwar 2007; Smith 2011, on quantiles of an interval",
    (MOVES,),
)


def interval(point: Point, claim: Claim, neighboring: Neighboring) -> Application:
    """Return the price of a point whose density depends on how many records are below it.

    Raises
    ------
    Unsupported
        Where the lemma does not apply.
    """
    masses = point.masses
    _validate_ends(masses, point)
    most = exact(claim.epsilon)  # type: ignore[attr-defined]
    for low, high in ((-most / 2, most / 2), (-most, 0 * most), (0 * most, most)):
        if _moves_within(masses.exponent, low, high, neighboring):
            numbers = {"l": str(low), "u": str(high)}
            return Application(INTERVAL, Pure(high - low), numbers)
    raise Unsupported(f"not proved that {MOVES}, with u - l = {most}", point.place)


def _validate_ends(masses: Masses, point: Point) -> None:
    """Refuse an interval of length 0, and numbers among the records that are none."""
    order = masses.order
    if order.low is None or order.high is None or order.extra != 2 or not order.low < order.high:
        raise Unsupported("segments that are not those between records and public ends",
                          point.place)  # fmt: skip


def _moves_within(exponent: Any, low: Any, high: Any, neighboring: Neighboring) -> bool:
    for there, given in _pairs(exponent, replaced=neighboring.replaced):
        far = there - exponent
        for goal in (sympy.Le(far, high), sympy.Ge(far, low)):
            if not neighboring.facts.holds(goal, given, MOVES, neighboring.place):
                return False
    return True


def _pairs(exponent: Any, *, replaced: bool) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield E(k', n') for each k' that there is, and what is then known of k and n."""
    inside = (sympy.Le(STEP, SIZE),)
    if not replaced:
        for step in (STEP, STEP + 1):
            yield exponent.subs({STEP: step, SIZE: SIZE + 1}, simultaneous=True), inside
        return
    # One more below on one side is one less below on the other: both are asked for.
    yield exponent.subs(STEP, STEP + 1), (sympy.Le(STEP + 1, SIZE),)
    yield exponent.subs(STEP, STEP - 1), (sympy.Ge(STEP, 1), *inside)
