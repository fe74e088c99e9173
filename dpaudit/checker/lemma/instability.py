"""The distance to instability, and propose-test-release.

Let D(x) be the least k with A(x, k) > b, where A(x, k) <= A(x', min(k + 1, last)) for neighbors x,
x', and A(x, last) > b always. Then A(x', k') > b for some k' <= D(x) + 1: D moves by at most 1.

Propose-test-release: f(x) + Lap(s) is shown if D(x) + Lap(r) > T, else that it is not. With
|f(x) − f(x')| <= A(x, 0) and A(x', 0), either f moves by at most b, and both releases cost
1/r + b/s together; or A(x, 0) > b and A(x', 0) > b, so that D(x) = D(x') = 0: both tests have one
law and are passed with probability p = e^(−T/r)/2, and nothing else is shown. So it is
(1/r + b/s, p)-DP for T >= 0. Where f moves by at most G between any neighbors, the answers
f + Lap(s) of the second case are not told apart altogether: of two Laplace laws G apart the excess
at ε is 1 − e^((ε − G/s)/2), for G/s >= ε, so that it is (ε, p (1 − e^((ε − G/s)/2)))-DP for every
ε >= 1/r + b/s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.lemma.application import Application, Lemma, alike, exact
from dpaudit.checker.lemma.closed import Closed, closed
from dpaudit.checker.lemma.conditions import GROWS, LOCAL, grows, local
from dpaudit.checker.lemma.library import above
from dpaudit.checker.lemma.smt_context import Scene
from dpaudit.checker.lemma.values import FirstBeyond, Largest, Noise, Num, Trial, public
from dpaudit.checker.number_text import number_told
from dpaudit.claims import ApproxDP

MOST = "entry 0 is at most G"
_DWORK_LEI = "Dwork & Lei 2009; Dwork & Roth 2014, section 7.2"
DISTANCE = Lemma(
    "the distance to instability",
    "the distance moves by at most 1, so that Laplace noise of scale r on it is (1/r)-DP",
    _DWORK_LEI,
    (GROWS,),
)
PROPOSE_TEST_RELEASE = Lemma(
    "propose-test-release",
    "a test of the distance with Laplace noise of scale r against T >= 0, then an answer with "
    "Laplace noise of scale s where it is passed, is (1/r + b/s, exp(-T/r)/2)-DP",
    _DWORK_LEI,
    (GROWS, LOCAL),
)
BOUNDED = Lemma(
    "propose-test-release of a bounded answer",
    "such a test and answer are (e, exp(-T/r)/2 (1 - exp((e - G/s)/2)))-DP for "
    "e >= 1/r + b/s where the answer moves by at most G >= e s",
    "Dwork & Lei 2009; Dwork & Roth 2014, section 7.2 and Theorem 3.6",
    (GROWS, LOCAL, MOST),
)
_FINE = 2**20  # parts of 1 in which G is written
_SPENT = 1 - Fraction(1, _FINE)  # of the claim's delta


def noisy_distance(scene: Scene, left: Noise, right: Noise) -> Application:
    """Return what a noisy distance gives."""
    scale, first, second = alike(left.scale, right.scale), left.centre, right.centre
    if not (isinstance(first, FirstBeyond) and isinstance(second, FirstBeyond)):
        raise NotCheckedError("not checked: noise on what is no distance")
    if left.law != "laplace":
        raise NotCheckedError("not checked: noise of this law on a distance")
    _distance(scene, first, second)
    return Application(DISTANCE, {"r": scale}, 1 / scale)


def propose_test_release(
    scene: Scene, released: Sequence[Any], trials: Sequence[Trial], claim: Any
) -> Application:
    """Return what an answer gives that is shown where a noisy distance is large enough."""
    (one, other), (left, right) = trials, released
    tested = one.noise
    noises = (tested, other.noise, left, right)
    if any(not isinstance(noise, Noise) or noise.law != "laplace" for noise in noises):
        raise NotCheckedError("not checked: a test of noise of which no lemma speaks")
    first, second = tested.centre, other.noise.centre
    if not (isinstance(first, FirstBeyond) and isinstance(second, FirstBeyond)):
        raise NotCheckedError("not checked: a test of noise on what is no distance")
    if tested.draw in (left.draw, right.draw) or isinstance(left.scale, Largest):
        raise RejectedError("one noise for a test and for the answer")
    r, s = alike(tested.scale, other.noise.scale), alike(left.scale, right.scale)
    threshold = alike(one.threshold, other.threshold) - first.plus
    if isinstance(r, Largest) or threshold.sign() < 0:
        raise RejectedError("a test whose threshold is below zero")
    if not (isinstance(left.centre, Num) and isinstance(right.centre, Num)):
        raise NotCheckedError("not checked: this answer")
    bound = _distance(scene, first, second)
    vectors = first.beyond.steps, second.beyond.steps
    local(scene, (left.centre, right.centre), *vectors)
    numbers = {"r": r, "s": s, "b": bound, "T": threshold}
    delta = (-threshold / r).exp() / 2
    found = Application(PROPOSE_TEST_RELEASE, numbers, 1 / r + bound / s, delta)
    far = _far(found, s, claim)
    if far is None:
        return found
    for steps in vectors:
        with scene.aside():
            scene.prove(f"(<= {steps.entry('0').real} {public(far).text})", (), MOST)
    epsilon = exact(claim.epsilon)
    excess = 1 - ((epsilon - far / s) / 2).exp()
    return Application(BOUNDED, {**numbers, "G": far}, epsilon, delta * excess)


def _far(found: Application, scale: Closed, claim: Any) -> Closed | None:
    """Return about the largest G that the claim allows, where it needs one."""
    if type(claim) is not ApproxDP:
        return None
    epsilon, delta = exact(claim.epsilon), exact(claim.declared_delta)
    room = (epsilon - found.epsilon).sign() >= 0
    if not room or delta.sign() <= 0 or (found.delta - delta).sign() <= 0:
        return None
    most = scale * (epsilon - 2 * (1 - _SPENT * delta / found.delta).log())
    far = closed(Fraction(math.floor(number_told(most.text) * _FINE), _FINE))
    return far if (far / scale - epsilon).sign() >= 0 else None


def _distance(scene: Scene, one: FirstBeyond, other: FirstBeyond) -> Closed:
    """Prove that the first place is there, and moves by at most 1; return the bound."""
    alike(one.plus, other.plus)
    alike(one.beyond.strict, other.beyond.strict)
    bound: Closed = alike(one.beyond.bound, other.beyond.bound)
    for beyond in (one.beyond, other.beyond):
        with scene.aside():
            goal = above(beyond, f"(- {beyond.steps.length.text} 1)")
            scene.prove(goal, (), "the distance is finite")
    grows(scene, one.beyond.steps, other.beyond.steps)
    return bound
