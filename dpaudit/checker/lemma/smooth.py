"""Noise scaled by a smooth bound on local sensitivity.

Let S(x) = max_k e^(−βk) A(x, k), where A(x, 0) >= 0, A(x, k) <= A(x', min(k + 1, last)), and
|f(x) − f(x')| is at most A(x, 0) for all neighbors x, x'. Then |f(x) − f(x')| <= S(x'), and
S(x) <= e^β S(x'), both ways: where A(x, k) > 0 and k' = min(k + 1, last'), which is at most k + 1,
e^(−βk) A(x, k) <= e^β e^(−βk') A(x', k').

Change first the scale, from s = cS(x) to s' = cS(x'), then the place, by at most S(x') = s'/c.

Laplace. The place costs 1/c. The scale: with λ = ln(s/s'), |λ| <= β <= a, the ratio of densities is
at most e^a if λ <= 0. If λ > 0 it exceeds e^a where |z|/s' > (a + λ)/(1 − e^(−λ)), and there
P − e^a Q = (1 − e^(−λ)) e^(−(a + λ)/(e^λ − 1)), which grows with λ. So the mechanism is
(a + 1/c, δ)-differentially private with δ that of λ = β, for every a >= β.

Cauchy. The scale: (s'/s)(z² + s²)/(z² + s'²) and its inverse are at most e^|λ| <= e^β. The place:
(1 + (z + d)²)/(1 + z²) <= e^(2 arsinh(d/2)) <= e^d with d <= 1/c. So it is (β + 1/c)-private.

Where S(x) = 0 so is S(x'), and both answer alike.
"""

from __future__ import annotations

from typing import Any

from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.lemma.application import Application, Lemma, alike, exact
from dpaudit.checker.lemma.conditions import GROWS, LOCAL, STARTS, decay, grows, local, starts
from dpaudit.checker.lemma.smt_context import Scene
from dpaudit.checker.lemma.values import Largest, Noise, Num, Raised, is_number
from dpaudit.claims import ApproxDP

SMOOTH = Lemma(
    "smooth sensitivity",
    "noise c S(x) Z on f(x) is (a + 1/c, (1 - exp(-b)) exp(-(a + b)/(exp(b) - 1)))-DP for Laplace "
    "Z and a >= b, and (b + 1/c)-DP for Cauchy Z, where S is a b-smooth bound on the local "
    "sensitivity of f",
    "Nissim, Raskhodnikova & Smith 2007, on smooth bounds and admissible noise",
    (STARTS, GROWS, LOCAL),
)
LOGARITHM = Lemma(
    "the logarithm of a smooth bound",
    "S(x) exp(Y) with Laplace noise Y of scale s is (b/s)-DP where S is b-smooth",
    "Nissim, Raskhodnikova & Smith 2007, on smooth bounds; Dwork & Roth 2014, Theorem 3.6",
    (STARTS, GROWS),
)


def smooth(scene: Scene, left: Noise, right: Noise, claim: Any) -> Application:
    """Return what ``f + c·S·Z`` gives."""
    if not (isinstance(left.scale, Largest) and isinstance(right.scale, Largest)):
        raise NotCheckedError("not checked: scales of two kinds")
    c = alike(left.scale.factor, right.scale.factor)
    if c.sign() <= 0 or not (isinstance(left.centre, Num) and isinstance(right.centre, Num)):
        raise NotCheckedError("not checked: a scale that may be negative, or no number below it")
    one, other = left.scale.steps, right.scale.steps
    b = decay(one, other)
    starts(scene, one, other)
    grows(scene, one, other)
    local(scene, (left.centre, right.centre), one, other)
    numbers = {"b": b, "c": c}
    if left.law == "standard_cauchy":
        return Application(SMOOTH, numbers, b + 1 / c)
    if left.law != "laplace" or type(claim) is not ApproxDP:
        raise RejectedError(f"{left.law} noise by a smooth bound does not keep a pure claim")
    a = exact(claim.epsilon) - 1 / c
    if (a - b).sign() < 0:
        raise RejectedError("a smooth bound that changes more than the claim leaves")
    if b.sign() == 0:
        return Application(SMOOTH, numbers, 1 / c)
    # The largest excess of Laplace densities of scales e^b and 1, the ratio less than e^a.
    delta = (1 - (-b).exp()) * (-(a + b) / (b.exp() - 1)).exp()
    return Application(SMOOTH, {**numbers, "a": a}, exact(claim.epsilon), delta)


def logarithm(scene: Scene, left: Raised, right: Raised) -> Application:
    """Return what ``S·exp(Y)`` gives."""
    if left.times is None or right.times is None or left.noise.law != "laplace":
        raise NotCheckedError("not checked: e to the power of noise")
    s = alike(left.noise.scale, right.noise.scale)
    centred = all(is_number(raised.noise.centre, 0) for raised in (left, right))
    if isinstance(s, Largest) or not centred:
        raise NotCheckedError("not checked: an exponent that is not Laplace noise alone")
    if alike(left.times.factor, right.times.factor).sign() <= 0:
        raise NotCheckedError("not checked: a factor that is not positive")
    one, other = left.times.steps, right.times.steps
    b = decay(one, other)
    starts(scene, one, other)
    grows(scene, one, other)
    return Application(LOGARITHM, {"b": b, "s": s}, b / s)
