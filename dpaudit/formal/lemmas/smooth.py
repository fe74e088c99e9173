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

import sympy

from dpaudit.claims import ApproxDP, Claim
from dpaudit.formal.bounds import exact
from dpaudit.formal.lemmas.lemma import Application, Lemma
from dpaudit.formal.lemmas.neighboring import GROWS, LOCAL, STARTS, Neighboring
from dpaudit.formal.lemmas.values import Drawn, Powered
from dpaudit.formal.price.balls import compared
from dpaudit.formal.price.notions import Approximate, Pure
from dpaudit.formal.unsupported import Unsupported

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


def smooth(noisy: Drawn, claim: Claim, neighboring: Neighboring) -> Application:
    """Return the price of ``f + c·S·Z``.

    Raises
    ------
    Unsupported
        Where the lemma does not apply.
    """
    bound, factor = _bound(noisy.factor, noisy, neighboring)
    vector = neighboring.names.largest[bound]
    decay = _checked_decay(vector.decay, noisy)
    neighboring.starts(vector)
    neighboring.grows(vector)
    neighboring.local(noisy.shift, vector)
    numbers = {"b": str(decay), "c": str(factor)}
    if noisy.family == "standard_cauchy":
        return Application(SMOOTH, Pure(decay + 1 / factor), numbers)
    if noisy.family != "laplace" or not isinstance(claim, ApproxDP):
        raise Unsupported(f"{noisy.family} noise by a smooth bound against {claim}", noisy.place)
    epsilon = exact(claim.epsilon)
    rest = epsilon - 1 / factor
    if compared(rest, decay) not in (0, 1):
        raise Unsupported("a smooth bound that changes more than the claim leaves", noisy.place)
    if decay == 0:
        return Application(SMOOTH, Pure(1 / factor), numbers)
    delta = (1 - sympy.exp(-decay)) * sympy.exp(-(rest + decay) / (sympy.exp(decay) - 1))
    return Application(SMOOTH, Approximate(epsilon, delta), {**numbers, "a": str(rest)})


def logarithm(value: Powered, neighboring: Neighboring) -> Application:
    """Return the price of ``S·exp(Y)``."""
    noisy = value.drawn
    bound, _ = _bound(value.times, noisy, neighboring)
    vector = neighboring.names.largest[bound]
    decay = _checked_decay(vector.decay, noisy)
    scale = positive(noisy.factor, noisy)
    if noisy.family != "laplace" or not noisy.shift.is_number:
        raise Unsupported("an exponent that is not Laplace noise alone", noisy.place)
    neighboring.starts(vector)
    neighboring.grows(vector)
    return Application(LOGARITHM, Pure(decay / scale), {"b": str(decay), "s": str(scale)})


def positive(factor: sympy.Expr, noisy: Drawn) -> sympy.Expr:
    """Return a scale, which must be public and positive: NumPy raises where it is negative.

    Raises
    ------
    Unsupported
        Where it is not.
    """
    if factor.is_number and compared(factor, sympy.Integer(0)) == 1:
        return factor
    raise Unsupported("a scale of which no lemma speaks", noisy.place)


def _bound(
    scale: sympy.Expr, noisy: Drawn, neighboring: Neighboring
) -> tuple[sympy.Symbol, sympy.Expr]:
    """Return S and c of the scale cS."""
    bounds = scale.free_symbols & set(neighboring.names.largest)
    if len(bounds) == 1:
        (bound,) = bounds
        factor = sympy.expand(scale).coeff(bound)
        if factor.is_number and sympy.expand(scale - factor * bound) == 0:
            return bound, positive(factor, noisy)
    raise Unsupported("a scale of the noise that depends on the data, and is no smooth bound",
                      noisy.place)  # fmt: skip


def _checked_decay(decay: sympy.Expr, noisy: Drawn) -> sympy.Expr:
    if compared(decay, sympy.Integer(0)) in (0, 1):
        return decay
    raise Unsupported("a bound that grows with the distance", noisy.place)
