"""Noise whose width the data set."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import SENSITIVITY
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield draws whose scale tells of the data, by no smooth bound."""
    if _is_sampler(facts):
        return
    for draw in facts.draws:
        scale = draw.scale
        if draw.family == "gamma":
            scale = draw.arguments.get("scale")
        if scale is None or scale.has("smooth"):
            continue
        if facts.private(scale.tells):
            what = "the number of records" if scale.tells == {"size"} else "the data"
            yield Hit(draw.place, f"the scale of the noise is computed from {what}")
        elif facts.perhaps(scale.tells):
            said = "the scale of the noise reveals the number of records, which is right only if "
            yield Hit(draw.place, said + "that number is public", "warning")
    yield from _handed_on(facts)


def _is_sampler(facts: Facts) -> bool:
    """Whether a function that no audit names returns noise alone: its parameters are no data."""
    returned = [way.value for way in facts.exits if way.kind == "return"]
    return not facts.claimed and bool(returned) and all(value.noise for value in returned)


def _handed_on(facts: Facts) -> Iterator[Hit]:
    """Yield calls that are told a sensitivity or a scale that tells of the data."""
    for call in facts.calls:
        for name, value in (call.parameters or call.keywords).items():
            if call.depth or not (SENSITIVITY.search(name) or name == "scale"):
                continue
            if value.has("smooth") or not facts.private(value.tells) or call.name == "laplace":
                continue
            yield Hit(call.place, f"`{name}` is computed from the data")


RULE = Rule(
    "DPA103",
    "scale-from-data",
    "The scale of the noise is computed from the data.",
    bad="""\
def noisy_mean(data, rng, epsilon=1.0):
    spread = data.max() - data.min()
    return data.mean() + rng.laplace(scale=spread / epsilon)
""",
    good="""\
def noisy_sum(data, rng, epsilon=1.0):
    return np.fmin(np.fmax(data, 0), 100).sum() + rng.laplace(scale=100 / epsilon)
""",
    look=look,
)
