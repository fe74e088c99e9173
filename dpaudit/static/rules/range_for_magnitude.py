"""The width of the range, for its magnitude."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield noise on sums of clipped records that pays for less than a record can add."""
    if facts.generous:
        return
    if facts.relation.kind != "add":
        return
    for add in facts.adds:
        private, noise = private_and_noise(add)
        bounds = {m.removeprefix("bound:") for m in private.marks if m.startswith("bound:")}
        ends = [v.number for b in bounds if (v := facts.defaults.get(b)) is not None]
        if not private.has("summed", "low", "high") or len(ends) < 2 or None in ends:
            continue
        if private.has("counted") or private.has("squared") or private.has("divided"):
            continue
        largest = max(abs(e) for e in ends if e is not None)
        for draw in facts.drawn(noise):
            if draw.family != "laplace" or draw.scale is None or draw.scale.number is None:
                continue
            epsilon = next((facts.defaults[e].number for e in EPSILON if e in facts.defaults), None)
            if epsilon and draw.scale.number * epsilon < largest * 0.999:
                said = f"a record adds as much as {largest:g}, and the noise is scaled to less"
                yield Hit(add.place, said)


RULE = Rule(
    "DPA105",
    "range-for-magnitude",
    "The noise on a sum is scaled to high - low, and an added record adds as much as high.",
    bad="""\
def noisy_sum(data, rng, low=100.0, high=125.0, epsilon=1.0):
    total = np.fmin(np.fmax(data, low), high).sum()
    return total + rng.laplace(scale=(high - low) / epsilon)
""",
    good="""\
def noisy_sum(data, rng, low=100.0, high=125.0, epsilon=1.0):
    total = np.fmin(np.fmax(data, low), high).sum()
    return total + rng.laplace(scale=max(abs(low), abs(high)) / epsilon)
""",
    look=look,
    relation="AddRemove(Real(100, 125))",
)
