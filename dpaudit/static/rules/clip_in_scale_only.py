"""A clipping bound for the noise alone."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import CLIP_NAMES
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions whose noise knows of a clipping bound that the private value does not."""
    for add in facts.adds:
        private, noise = private_and_noise(add)
        for draw in facts.drawn(noise):
            if draw.scale is None:
                continue
            bounds = {p for p in draw.scale.params - private.params if CLIP_NAMES.match(p)}
            if bounds and not private.has("late"):
                said = f"`{min(bounds)}` sets the noise, and nothing is clipped to it"
                yield Hit(add.place, said)


RULE = Rule(
    "DPA104",
    "clip-in-scale-only",
    "A clipping bound sets the scale of the noise, and nothing is clipped to it.",
    bad="""\
def noisy_update(update, rng, clip=1.0, mu=1.0):
    return update + rng.normal(scale=2 * clip / mu, size=len(update))
""",
    good="""\
def noisy_update(update, rng, clip=1.0, mu=1.0):
    short = np.fmin(np.fmax(update, -clip), clip)
    return short + rng.normal(scale=2 * clip / mu, size=len(update))
""",
    look=look,
)
