"""A clip that NaN passes."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise to sums of records whose clip has no end for NaN."""
    if facts.relation.nan is False:
        return
    for add in facts.adds:
        private, _ = private_and_noise(add)
        if not private.has("low", "high") or not private.marks & {"own", "summed"}:
            continue
        if private.has("nan") or private.has("counted"):
            continue
        said = "NaN passes the clip, and makes the result NaN"
        yield Hit(add.place, said, "error" if facts.relation.nan else "warning")


RULE = Rule(
    "DPA104",
    "clip-passes-nan",
    "Records are clipped by a function that passes NaN on, and one NaN makes the sum NaN.",
    bad="""\
def noisy_sum(data, rng, epsilon=1.0):
    return np.clip(data, 0, 100).sum() + rng.laplace(scale=100 / epsilon)
""",
    good="""\
def noisy_sum(data, rng, epsilon=1.0):
    return np.fmin(np.fmax(data, 0), 100).sum() + rng.laplace(scale=100 / epsilon)
""",
    look=look,
    relation="AddRemove(Real(0, 100, allow_nan=True))",
)
