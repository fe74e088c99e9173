"""The stability-based histogram: noisy counts of the values that occur, where they are large.

Let x' have one record more than x. If its value occurs in x, the counts differ by 1 in one entry:
showing the noisy counts above T costs 1/r. If it does not, the outputs differ only where that value
shows, with probability Pr[1 + Lap(r) > T] = e^(−(T − 1)/r)/2 for T >= 1. So it is (1/r, δ)-DP with
that δ, the larger of both, not their sum.
"""

from __future__ import annotations

import sympy

from dpaudit.formal.lemmas.lemma import Application, Lemma
from dpaudit.formal.lemmas.values import Shown
from dpaudit.formal.price.balls import compared
from dpaudit.formal.price.notions import Approximate
from dpaudit.formal.unsupported import Unsupported

HISTOGRAM = Lemma(
    "stability-based histograms",
    "counts of the values that occur, each with Laplace noise of scale r, shown where they are "
    "above T >= 1, are (1/r, exp(-(T - 1)/r)/2)-DP",
    "Korolova, Kenthapadi, Mishra & Ntoulas 2009; Bun, Nissim & Stemmer 2016",
    ("one noise for each count", "what is shown is above a public threshold after noise"),
)


def histogram(shown: Shown) -> Application:
    """Return the price of the noisy counts that are above a threshold."""
    noisy, threshold = shown.kept.noisy, shown.kept.threshold
    draws = noisy.draws
    scale = draws.factor
    fits = draws.family == "laplace" and scale.is_number and compared(scale, 0) == 1
    if not fits or compared(threshold, sympy.Integer(1)) not in (0, 1):
        raise Unsupported("noisy counts of which no lemma speaks", draws.place)
    delta = sympy.exp(-(threshold - 1) / scale) / 2
    numbers = {"r": str(scale), "T": str(threshold)}
    return Application(HISTOGRAM, Approximate(1 / scale, delta), numbers)
