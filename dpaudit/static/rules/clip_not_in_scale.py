"""Noise that does not know the clipping bound."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import CLIP_NAMES
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise whose scale is free of the bound that the value was clipped to."""
    for add in facts.adds:
        private, noise = private_and_noise(add)
        bounds = {p for p in private.params if CLIP_NAMES.match(p)}
        for draw in facts.drawn(noise):
            if draw.scale is None or not draw.scale.params or not draw.scale.public:
                continue
            if bounds and not bounds & (draw.scale.params | noise.params):
                yield Hit(add.place, f"the scale of the noise is free of `{min(bounds)}`")


RULE = Rule(
    "DPA106",
    "clip-not-in-scale",
    "Values are clipped to a bound that is a parameter, and the scale of their noise does "
    "not grow with it.",
    bad="""\
def noisy_update(update, rng, clip=1.0, sigma=1.0):
    short = update / max(1.0, np.linalg.norm(update) / clip)
    return short + rng.normal(scale=sigma, size=len(update))
""",
    good="""\
def noisy_update(update, rng, clip=1.0, sigma=1.0):
    short = update / max(1.0, np.linalg.norm(update) / clip)
    return short + rng.normal(scale=sigma * clip, size=len(update))
""",
    look=look,
)
