"""The snapping mechanism: Laplace noise whose low-order bits tell nothing.

    M(x) = clamp_B( ⌊ clamp_B(x) ⊕ S ⊗ λ ⊗ LN(U) ⌉_Λ ),    λ = (1 + 2⁻⁴⁹ B)/ε

S a fair sign, U uniform on (0, 1) with every double as likely as the reals that round to it, LN
the logarithm correctly rounded, ⌊·⌉_Λ the nearest multiple of Λ (ties upwards), Λ the least power
of two that is at least λ, ⊕ and ⊗ the operations of doubles.
Theorem: M is (1/λ + 2⁻⁴⁹ B/λ, 0)-differentially private in the arithmetic of doubles, if
λ < B < 2⁴⁶ λ (Mironov 2012, on the snapping mechanism).
Sensitivity: 1.
Relation: any with that bound; the input here is the answer x itself.
Utility: for x = 0, B far away and r = Λ/λ: mean squared error Λ² e^(−r/2) (1 + e^(−r)) /
(1 − e^(−r))², the variance of the rounded Laplace variable.
"""

from decimal import Context, Decimal
from math import floor, frexp, ldexp

import numpy as np

PRECISE = Context(prec=40)


def uniform(coins: np.random.Generator) -> float:
    """Return a double in (0, 1) with the probability of the reals that round down to it."""
    mantissa = 2**52 + int(coins.integers(2**52))
    return ldexp(mantissa, -52 - int(coins.geometric(0.5)))


def clamp(value: float, bound: float) -> float:
    """Return the nearest value in [−bound, bound]; NaN counts as the bound."""
    return max(-bound, min(bound, value))


def snapping(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, bound: float = 1024.0
) -> float:
    """Return a multiple of Λ near the answer."""
    scale = (1 + 2**-49 * bound) / epsilon
    mantissa, exponent = frexp(scale)
    step = ldexp(1.0, exponent - (mantissa == 0.5))
    sign = 1 if rng.integers(2) else -1
    logarithm = float(Decimal(uniform(rng)).ln(PRECISE))
    noisy = (clamp(answer, bound) + sign * scale * logarithm) / step
    whole = floor(noisy)
    return clamp((whole + (noisy - whole >= 0.5)) * step, bound)
