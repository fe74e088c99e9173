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

from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.lemma.application import Application, Lemma, exact
from dpaudit.checker.lemma.cells import Inside
from dpaudit.checker.lemma.closed import ZERO, Closed
from dpaudit.checker.lemma.smt_context import PLACE, Scene
from dpaudit.checker.lemma.values import Steps, public

MOVES = "what is added to the logarithm of a segment's length moves by l at least and u at most"
INTERVAL = Lemma(
    "the exponential mechanism over an interval",
    "a uniform point of a segment between records in order and public ends, where segment k of n "
    "records is chosen with probability proportional to its length times exp(E(k, n)), is "
    "(u - l)-DP where E moves by l at least and u at most at every point of the interval",
    "McSherry & Talwar 2007; Smith 2011, on quantiles of an interval",
    (MOVES,),
)


def interval(scene: Scene, left: Inside, right: Inside, claim: Any) -> Application:
    """Return what a point gives whose density depends on how many records are below it."""
    one, other = left.logs.order, right.logs.order
    first, last = scene.orders[one.name].first, scene.orders[one.name].last
    same = one.name == other.name and one.more == other.more == 2
    if not same or first is None or last is None or first >= last:
        raise NotCheckedError("not checked: a point of other segments")
    most = exact(claim.epsilon)
    for low, high in ((most * -1 / 2, most / 2), (-most, ZERO), (ZERO, most)):
        try:
            with scene.aside():
                _within(scene, left.logs.added, right.logs.added, (low, high))
        except RejectedError:
            continue
        return Application(INTERVAL, {"l": low, "u": high}, high - low)
    raise RejectedError(f"it does not follow that {MOVES}, with u - l = {claim.epsilon}")


def _within(scene: Scene, here: Steps, there: Steps, bounds: tuple[Closed, Closed]) -> None:
    low, high = (public(bound).text for bound in bounds)
    known = f"(<= {PLACE} n)"
    others = (PLACE, known), (f"(+ {PLACE} 1)", known)
    if scene.replaced:  # what has k values below it may have one more or one less
        up, down = f"(+ {PLACE} 1)", f"(- {PLACE} 1)"
        others = (up, f"(<= {up} n)"), (down, f"(and (<= 0 {down}) {known})")
    for place, given in others:
        far = f"(- {there.entry(place).real} {here.entry(PLACE).real})"
        scene.prove(f"(and (<= {low} {far}) (<= {far} {high}))", (given,), MOVES)
