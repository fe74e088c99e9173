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

import sympy

from dpaudit.claims import Claim
from dpaudit.formal.bounds import exact
from dpaudit.formal.lemmas.lemma import Application, Lemma
from dpaudit.formal.lemmas.neighboring import GROWS, LOCAL, MOST, Neighboring
from dpaudit.formal.lemmas.order import with_ends
from dpaudit.formal.lemmas.smooth import positive
from dpaudit.formal.lemmas.values import Drawn, Known, Number, Test, Value, at
from dpaudit.formal.price.against import Fit, against
from dpaudit.formal.price.balls import compared
from dpaudit.formal.price.notions import Approximate, Pure
from dpaudit.formal.unsupported import Unsupported

DISTANCE = Lemma(
    "the distance to instability",
    "the distance moves by at most 1, so that Laplace noise of scale r on it is (1/r)-DP",
    "Dwork & Lei 2009; Dwork & Roth 2014, section 7.2",
    (GROWS,),
)
PROPOSE_TEST_RELEASE = Lemma(
    "propose-test-release",
    "a test of the distance with Laplace noise of scale r against T >= 0, then an answer with "
    "Laplace noise of scale s where it is passed, is (1/r + b/s, exp(-T/r)/2)-DP",
    "Dwork & Lei 2009; Dwork & Roth 2014, section 7.2",
    (GROWS, LOCAL),
)


BOUNDED = Lemma(
    "propose-test-release of a bounded answer",
    "such a test and answer are (e, exp(-T/r)/2 (1 - exp((e - G/s)/2)))-DP for "
    "e >= 1/r + b/s where the answer moves by at most G >= e s",
    "Dwork & Lei 2009; Dwork & Roth 2014, section 7.2 and Theorem 3.6",
    (GROWS, LOCAL, MOST),
)


def noisy_distance(noisy: Drawn, neighboring: Neighboring) -> Application | None:
    """Return the price of a noisy distance, None where it is something else."""
    distance = _distance(noisy, neighboring)
    if distance is None:
        return None
    scale = positive(noisy.factor, noisy)
    _reached(distance, noisy, neighboring)
    return Application(DISTANCE, Pure(1 / scale), {"r": str(scale)})


def propose_test_release(
    test: Test, passed: Value, failed: Value, claim: Claim, neighboring: Neighboring
) -> Application:
    """Return the price of an answer that is shown where a noisy distance is large enough."""
    tested = test.drawn
    distance = _distance(tested, neighboring)
    if distance is None or not (isinstance(failed, Known) or _is_public(failed)):
        raise Unsupported("a test on noise of which no lemma speaks", tested.place)
    threshold = test.threshold - (tested.shift - distance)
    if compared(threshold, sympy.Integer(0)) not in (0, 1):
        raise Unsupported("a threshold below zero", tested.place)
    if not isinstance(passed, Drawn) or passed.family != "laplace" or passed.draw == tested.draw:
        raise Unsupported("an answer without Laplace noise of its own", tested.place)
    above = neighboring.names.first[distance]
    r, s = positive(tested.factor, tested), positive(passed.factor, passed)
    _reached(distance, tested, neighboring)
    neighboring.local(passed.shift, above.vector)
    price = Approximate(1 / r + above.bound / s, sympy.exp(-threshold / r) / 2)
    numbers = {"r": str(r), "s": str(s), "b": str(above.bound), "T": str(threshold)}
    if against(price, claim).fit is not Fit.WITHIN:
        bounded = _bounded(price, s, claim, neighboring.most(above.vector))
        if bounded is not None:
            far, tighter = bounded
            return Application(BOUNDED, tighter, {**numbers, "G": str(far)})
    return Application(PROPOSE_TEST_RELEASE, price, numbers)


def _bounded(
    price: Approximate, scale: sympy.Expr, claim: Claim, far: sympy.Expr | None
) -> tuple[sympy.Expr, Approximate] | None:
    """Return G and the price at the claim's ε, None where that is less than what is spent."""
    epsilon = exact(claim.epsilon)  # type: ignore[attr-defined]
    if far is None or compared(epsilon, price.epsilon) not in (0, 1):
        return None
    if compared(far / scale, epsilon) != 1:
        return None
    excess = 1 - sympy.exp((epsilon - far / scale) / 2)
    return far, Approximate(epsilon, price.delta * excess)


def _reached(distance: sympy.Symbol, noisy: Drawn, neighboring: Neighboring) -> None:
    """Prove that the distance is the least k with A(x, k) > b, and moves by at most 1."""
    above = neighboring.names.first[distance]
    vector = above.vector
    last = with_ends(neighboring.names, at(vector, sympy.expand(vector.length - 1)))
    if not last.is_number or compared(last, above.bound) != 1:
        raise Unsupported("a distance to what may not be reached", noisy.place)
    neighboring.grows(vector)


def _distance(noisy: Drawn, neighboring: Neighboring) -> sympy.Symbol | None:
    """Return D where a noisy number is D plus a public one."""
    found = noisy.shift.free_symbols & set(neighboring.names.first)
    if len(found) != 1 or noisy.family != "laplace":
        return None
    (distance,) = found
    rest = sympy.expand(noisy.shift - distance)
    return distance if rest.is_number else None


def _is_public(value: Value) -> bool:
    return isinstance(value, Number) and bool(value.expr.is_number)
