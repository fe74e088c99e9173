"""Float obligations: how far the floats of a program are from the reals that a proof speaks of.

A proof by any method is about real numbers and ideal noise. This room bounds what rounding adds, on
the program that a certificate holds, so that the prover and the checker ask the same of it:

(a) where noise of scale b is added to a value with rounding error e, 2·e/b is lost; over all
    releases at most 2^-10 of the claimed loss;
(b) where hidden noise is compared, cast or rounded, rounding decides with probability 2^-28 at
    most, and with δ/100 over all of them where the claim has a δ;
(c) probabilities keep 2^-20 of themselves, and of 1 less them.

All three must hold for N = 2^20 records, and for answers of queries of up to 2^16 times their
distance. Nothing here imports a prover or a checker.
"""

from __future__ import annotations

from dpaudit.floats.obligations import Bounds, float_bounds, range_of_parameters
from dpaudit.floats.values import Refused

__all__ = ["Bounds", "Refused", "float_bounds", "range_of_parameters"]
