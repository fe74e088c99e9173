"""Small counts that are emptied first."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise to a value that a comparison of itself replaced by a constant."""
    for add in facts.adds:
        private, _ = private_and_noise(add)
        if private.has("emptied"):
            yield Hit(add.place, "at the threshold one record moves this by more than one")


RULE = Rule(
    "DPA105",
    "threshold-before-noise",
    "Small values are set to a constant before the noise, so that one record moves them by "
    "the threshold.",
    bad="""\
def noisy_histogram(data, rng, least=3, epsilon=1.0):
    counts = np.bincount(data, minlength=10)
    shown = np.where(counts < least, 0, counts)
    return shown + rng.laplace(scale=1 / epsilon, size=10)
""",
    good="""\
def noisy_histogram(data, rng, least=3, epsilon=1.0):
    noisy = np.bincount(data, minlength=10) + rng.laplace(scale=1 / epsilon, size=10)
    return np.where(noisy < least, 0, noisy)
""",
    look=look,
)
