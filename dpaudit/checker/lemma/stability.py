"""The stability-based histogram: noisy counts of the values that occur, where they are large.

Let x' have one record more than x. If its value occurs in x, the counts differ by 1 in one entry:
showing the noisy counts above T costs 1/r. If it does not, the outputs differ only where that value
shows, with probability Pr[1 + Lap(r) > T] = e^(−(T − 1)/r)/2 for T >= 1. So it is (1/r, δ)-DP with
that δ, the larger of both, not their sum.
"""

from __future__ import annotations

from dpaudit.checker.file import RejectedError
from dpaudit.checker.lemma.application import Application, Lemma, alike
from dpaudit.checker.lemma.values import Histogram

HISTOGRAM = Lemma(
    "stability-based histograms",
    "counts of the values that occur, each with Laplace noise of scale r, shown where they are "
    "above T >= 1, are (1/r, exp(-(T - 1)/r)/2)-DP",
    "Korolova, Kenthapadi, Mishra & Ntoulas 2009; Bun, Nissim & Stemmer 2016",
    ("one noise for each count", "what is shown is above a public threshold after noise"),
)


def histogram(left: Histogram, right: Histogram) -> Application:
    """Return what the noisy counts give that are above a threshold."""
    one, other = left.cut, right.cut
    alike(one.noisy.column.key, other.noisy.column.key)
    alike(one.noisy.draws.law, other.noisy.draws.law)
    r = alike(one.noisy.draws.scale, other.noisy.draws.scale)
    threshold = alike(one.threshold, other.threshold)
    if one.noisy.draws.law != "laplace" or (threshold - 1).sign() < 0:
        raise RejectedError("counts whose threshold is below one, or without Laplace noise")
    delta = (-(threshold - 1) / r).exp() / 2
    return Application(HISTOGRAM, {"r": r, "T": threshold}, 1 / r, delta)
